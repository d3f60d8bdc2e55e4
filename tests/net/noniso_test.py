#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Programs for the Ironman interface, built against what is installed and run by the launcher:
noniso_test.py PROGRAM BUILD_DIRECTORY."""

import json
import os
import subprocess

from installed import WAYS, build, install, job
from net import LIMIT, PROGRAM, UNHEARD, Node, Program, command, die_with_parent, run, same, test, work


@test
def the_library_and_its_headers_are_installed():
    install()


@test
def programs_build_as_c_and_as_cxx():
    for name in ("allpairs", "bereft", "forks", "pingpong", "stream"):
        build(name, "cc")
    build("allpairs", "c++", "-fpermissive", "-w")


@test
def all_pairs_exchange_messages_of_all_sizes():
    for way in WAYS:
        for nodes in (2, 4):
            same(job(nodes, "--progress", way, "--", work("allpairs-cc"), 500),
                 [f"[{i}] {500 * (nodes - 1)} messages, all whole and in order" for i in range(nodes)], f"{way}")


@test
def all_pairs_exchange_messages_while_frames_are_lost_and_damaged():
    faults = "loss=0.01,dup=0.01,reorder=0.01,corrupt=0.01"
    for way in WAYS:
        same(job(4, "--progress", way, "--fabric", faults, "--", work("allpairs-cc"), 500),
             [f"[{i}] 1500 messages, all whole and in order" for i in range(4)], f"{way} with {faults}")


@test
def more_nodes_than_cores_run():
    same(job(12, "--", work("allpairs-cc"), 100),
         sorted(f"[{i:2}] 1100 messages, all whole and in order" for i in range(12)), "12 nodes")


@test
def pairs_play_ping_pong():
    for way in WAYS:
        for size in (0, 4, 5, 1000):
            lines = job(4, "--progress", way, "--", work("pingpong-cc"), size, 200)
            same(len(lines), 4, f"lines of 4 nodes, {way}")
            assert all(f"{size} bytes:" in line for line in lines), lines


@test
def who_waits_at_a_barrier_for_one_that_dies_ends_with_a_sentence():
    for way in WAYS:
        for waits in ("completed", "initiate"):
            with Program("run", "-n", 2, "--keep-going", "--progress", way, "--set", "silence=1", "--",
                         work("bereft-cc"), waits) as launcher:
                launcher.ends(code=1, err="is dead: nothing has been heard of it")
                same(launcher.out(), "", f"{way}, {waits}")


@test
def the_largest_message_is_smaller_where_frames_are_authenticated():
    for way in WAYS:
        same([line.split(":")[0] for line in job(2, "--authenticate", "--progress", way, "--", work("pingpong-cc"))],
             ["[0] 1396 bytes", "[1] 1396 bytes"], way)


@test
def a_link_that_carries_less_than_the_program_was_told_ends_it_and_says_what_it_carries():
    more = "sed -i s/^mtu=.*/mtu=9000/ $ISOPLANE_CONFIG; exec " + work("stream-cc")
    for options in ((), ("--authenticate",)):
        with Program("run", "-n", 1, "--shared", "--mtu", 1500, *options, "--", "sh", "-c", more) as launcher:
            assert "the link carries frames of 1500 bytes" in launcher.ends(code=1, err="exited with 1").err(), launcher.err()


@test
def children_that_end_do_not_leave_in_their_parents_name():
    for way in WAYS:
        for options in ((), ("--shared",)):
            same(job(3, "--progress", way, *options, "--", work("forks-cc"), 20), [f"[{i}] 20 rounds" for i in range(3)],
                 f"{way} {options}")


@test
def all_stream_to_one_with_barriers_between_rounds():
    for way in WAYS:
        lines = job(3, "--progress", way, "--fabric", "loss=0.01", "--", work("stream-cc"), 1000, 2000, 3)
        same(len(lines), 3, "rounds")
        assert all("4000000 bytes" in line for line in lines), lines


@test
def a_program_started_alone_is_told_how_to_start_it():
    ended = subprocess.run([work("allpairs-cc")], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    same(ended.returncode, 1, "exit code")
    assert "isoplane run -n 2" in ended.stderr, ended.stderr


@test
def ranks_of_an_mpi_launcher_find_each_other():
    ports = [f"virtio:{work('port')}{rank}" for rank in range(3)]
    with Node("fabric", ",".join(ports)) as fabric:
        fabric.ready()
        ranks = [subprocess.Popen([work("allpairs-cc"), "100"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                                  env={**os.environ, "ISOPLANE_LINK": f"virtio:{work('port')}%r",
                                       "OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": "3",
                                       "PMIX_NAMESPACE": "here@1"}, preexec_fn=die_with_parent)
                 for rank in range(3)]
        for rank in ranks:
            same(rank.communicate(timeout=LIMIT)[0], "200 messages, all whole and in order\n", "what a rank says")
        fabric.stop(err=UNHEARD)


@test
def payloads_go_without_a_checksum_where_all_trust_the_ethernet():
    capture = work("trusting.pcapng")
    same(len(job(2, "--set", "trust-fcs=yes", "--pcap", capture, "--", work("allpairs-cc"), 100)), 2, "lines")
    frames = [json.loads(line) for line in command(PROGRAM, "replay", capture, "--decode", "--json").splitlines()]
    data = [frame for frame in frames if frame.get("kind") == "data"]
    assert data and not any(frame["payload_crc"] for frame in data), data[:3]


@test
def jumbo_frames_carry_larger_messages():
    lines = job(2, "--mtu", 9000, "--", work("pingpong-cc"))
    assert all("8944 bytes:" in line for line in lines) and len(lines) == 2, lines


@test
def a_node_that_leaves_without_the_others_ends_the_job():
    early = work("early.sh")
    with open(early, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\n[ "$ISOPLANE_RANK" = 1 ] && exit 3\nexec {work("allpairs-cc")} 10\n')
    os.chmod(early, 0o755)
    with Program("run", "-n", 3, "--grace", "0.2", "--", early) as launcher:
        launcher.ends(code=1, err="exited with 3")


run()
