#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Programs of Portals 3.2 and 3.3, built against what is installed and run by the launcher: portals_test.py PROGRAM
BUILD_DIRECTORY."""

import os
import signal

from installed import WAYS, build, install, job
from jobs import PORTS, loses_some
from net import Program, command, run, same, test, until, work

LOSS = ("--stats", "--fabric", "loss=0.01")
RANKS = ("p33_self", "p33_pair", "p33_flow", "p33_lat", "p33_ring", "p33_lock", "p33_peers", "p33_ends")
OLD = ("p30_pong_client", "p30_pong_server", "p30_bulk_client", "p30_bulk_server")


def everywhere(nodes, program, *words, say, err=None):
    """Runs it on so many nodes, however it makes progress, with and without loss; `say` is what each prints. The two
    jobs run beside each other."""
    for way in WAYS:
        start = ("run", "-n", nodes, "--progress", way)
        with Program(*start, "--", work(f"{program}-cc"), *words) as plain, \
                Program(*start, *LOSS, "--", work(f"{program}-cc"), *words) as lossy:
            for launcher, errors in ((plain, err), (lossy, err or PORTS)):
                same(sorted(launcher.ends(err=errors).out().splitlines()), [f"[{i}] {say}" for i in range(nodes)],
                     f"{launcher}")
            loses_some(lossy, err is None)


def client_and_server(program, *words, say, err=None):
    """The same of a pair of programs, the server being the first node."""
    parts = ("-n", 1, "--", work(f"{program}_server-cc"), *words, ":", "-n", 1, "--", work(f"{program}_client-cc"), *words)
    for way in WAYS:
        with Program("run", "--progress", way, *parts) as plain, \
                Program("run", "--progress", way, *LOSS, *parts) as lossy:
            for launcher, errors in ((plain, err), (lossy, err or PORTS)):
                same(sorted(launcher.ends(err=errors).out().splitlines()), [f"[{i}] {line}" for i, line in enumerate(say)],
                     f"{launcher}")
            loses_some(lossy, err is None)


@test
def the_library_and_its_headers_are_installed():
    install()


@test
def programs_of_both_dialects_build():
    for name in RANKS:
        build(name, "cc", "-std=gnu99", "-pthread", "-DP3_NAL=<p3nal_utcp.h>")
    for name in OLD:
        build(name, "cc", "-std=gnu89")


@test
def a_process_alone_needs_no_launcher():
    os.environ.update(PTL_MY_RID="0", PTL_NIDMAP="0", PTL_PIDMAP="5")
    try:
        for words, say in ((("p33_self",), "4 events"), (("p33_ring", 20), "20 trips"), (("p33_lock", 20), "20 turns")):
            same(command(work(f"{words[0]}-cc"), *map(str, words[1:])).strip(), say, words[0])
    finally:
        for name in ("PTL_MY_RID", "PTL_NIDMAP", "PTL_PIDMAP"):
            del os.environ[name]


@test
def ranks_of_the_environment_are_those_of_a_job_in_any_order():
    # Node 0 is rank 1 and node 1 is rank 0, with pids of their own.
    for way in WAYS:
        with Program("run", "-n", 2, "--progress", way, "--", "sh", "-c",
                     f"PTL_MY_RID=$((1 - ISOPLANE_RANK)) PTL_NIDMAP=1:0 PTL_PIDMAP=7:8 exec {work('p33_ring-cc')} 20") as launcher:
            same(sorted(launcher.ends().out().splitlines()), [f"[{i}] 20 trips" for i in range(2)], f"{launcher}")


@test
def two_ranks_may_be_joined_to_each_other():
    for way in WAYS:
        with Program("run", "-n", 2, "--link", "direct", "--progress", way, "--", work("p33_lat-cc"), 1 << 18, 20) as launcher:
            same(sorted(launcher.ends(err="262144 bytes").out().splitlines()), [f"[{i}] 1 at a time" for i in range(2)],
                 f"{launcher}")


@test
def each_puts_to_itself():
    everywhere(3, "p33_self", say="4 events")


@test
def a_pair_sees_the_events_of_its_operations_and_no_others():
    for what, rounds in (("put", 100), ("get", 1), ("swap", 100)):
        everywhere(2, "p33_pair", what, rounds, say=f"{what}: {rounds} rounds, 1 threads")


@test
def threads_of_a_pair_do_not_see_each_other():
    everywhere(2, "p33_pair", "put", 40, 3, say="put: 40 rounds, 3 threads")


@test
def operations_on_their_way_end_each_in_its_order():
    for what in ("put", "get", "swap"):
        everywhere(2, "p33_flow", what, 400, say=f"{what}: 400")


@test
def messages_of_every_length_come_back():
    everywhere(2, "p33_lat", 1 << 18, 5, say="1 at a time", err="262144 bytes")
    everywhere(2, "p33_lat", 1 << 14, 3, 16, say="16 at a time", err="16384 bytes")


@test
def both_may_put_before_either_looks():
    everywhere(2, "p33_lat", 1 << 17, 2, 16, "both", say="16 at a time", err="131072 bytes")


@test
def a_token_goes_round_all():
    for nodes in (2, 3, 5):
        everywhere(nodes, "p33_ring", 20, say="20 trips")


@test
def children_that_end_do_not_leave_in_their_parents_name():
    everywhere(3, "p33_ring", 10, "forks", say="10 trips")


@test
def all_count_under_one_lock():
    for nodes in (3, 5):
        for way in WAYS:
            words = ("run", "-n", nodes, "--progress", way)
            with Program(*words, "--", work("p33_lock-cc"), 10) as plain, \
                    Program(*words, *LOSS, "--", work("p33_lock-cc"), 10) as lossy:
                for launcher, errors in ((plain, None), (lossy, PORTS)):
                    same(sorted(launcher.ends(err=errors).out().splitlines()),
                         [f"[0] {10 * nodes} turns"] + [f"[{i}] 10 turns" for i in range(1, nodes)], f"{launcher}")
                loses_some(lossy)


@test
def a_client_and_a_server_of_portals_3_2_play_ping_pong():
    client_and_server("p30_pong", 30, say=("30 pings", "30 answers"))


@test
def long_messages_arrive_wherever_they_begin():
    size = (1 << 20) + 13
    client_and_server("p30_bulk", size, 3, 2, say=(f"took {size} bytes 2 times", f"sent {size} bytes 2 times"),
                      err=f"{size} bytes")


@test
def a_server_may_clear_up_when_it_is_interrupted():
    for way in WAYS:
        with Program("run", "-n", 1, "--progress", way, "--", work("p30_bulk_server-cc"), 100, 0, 1) as launcher:
            until(lambda: "waiting" in launcher.err(), "the server waits")
            launcher.stop(signal.SIGINT, err="waiting")


@test
def one_that_comes_late_is_waited_for():
    everywhere(2, "p33_peers", "late", say="acknowledged")


@test
def one_that_is_not_there_is_reported_to_whoever_puts_to_it():
    for way in WAYS:
        same(job(2, "--progress", way, "--", work("p33_peers-cc"), "absent"),
             ["[0] nobody there", "[1] somebody there"], way)


@test
def one_that_dies_fails_what_is_for_it_and_takes_nobody_with_it():
    for way in WAYS:
        with Program("run", "-n", 4, "--keep-going", "--progress", way, "--set", "silence=3", "--",
                     work("p33_peers-cc"), "dying") as launcher:
            said = sorted(launcher.ends(code=1, err="killed").out().splitlines())
            same(said, ["[0] a put has failed", "[2] acknowledged", "[3] acknowledged"], way)


@test
def threads_that_are_in_calls_when_a_program_ends_do_not_keep_it_and_do_not_come_back():
    for _ in range(3):
        everywhere(2, "p33_ends", "waits", say="met")


@test
def who_clears_up_after_the_job_was_left_finds_nothing_to_do():
    everywhere(2, "p33_ends", "registers", say="met")


@test
def a_program_may_end_when_it_is_interrupted_in_a_call():
    for _ in range(3):
        everywhere(2, "p33_ends", "interrupts", say="met")


@test
def a_program_may_end_in_a_handler_of_events():
    everywhere(2, "p33_ends", "handles", say="met")


@test
def who_has_left_the_job_does_not_come_back():
    everywhere(2, "p33_ends", "again", say="met")


run()
