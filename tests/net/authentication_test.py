#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Jobs whose frames are authenticated: authentication_test.py PROGRAM DIRECTORY_OF_EXAMPLES STORM HOSTILE.

Somebody without the key forges frames, and plays again what was captured: nobody is disturbed, and all of it counts."""

import json
import os
import stat
import sys

from capture_files import read_pcapng
from net import UNHEARD, Node, Program, fewer, run, same, test, until, work
from storms import PATIENT, Child, Job, Storm

EXAMPLES, Storm.program, HOSTILE = (os.path.abspath(path) for path in sys.argv[2:5])
BANK = (os.path.join(EXAMPLES, "bank"), "--moves", 50)
WAYS = ("inline", "lcore")
ALGORITHMS = ("aes-gmac", "chacha20-poly1305")
FORGED = 30_000
TRAILER = 48
HEADER = 14 + 48


def key_file(name, secret="5a", algorithm="aes-gmac"):
    path = work(name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{algorithm} {secret * 32}\n")
    os.chmod(path, 0o600)
    return path


def bank(*options):
    with Program("run", "-n", 3, *options, "--", *BANK) as launcher:
        assert "150 moves of 3 hosts" in launcher.ends().out(), launcher.out()


@test
def jobs_of_either_algorithm_and_progress_lose_nothing_on_a_bad_network():
    for algorithm in ALGORITHMS:
        for way in WAYS:
            bank("--authenticate", algorithm, "--progress", way, "--fabric",
                 "loss=0.01,dup=0.01,reorder=0.01,corrupt=0.001")


@test
def jobs_may_travel_in_udp_or_by_a_shared_node_or_in_jumbo_frames():
    bank("--authenticate", "--encapsulation", "udp", "--fabric", "loss=0.01")
    bank("--authenticate", "--shared")
    bank("--authenticate", "--mtu", 9000)


@test
def all_frames_of_a_job_are_sealed():
    capture = work("sealed.pcapng")
    bank("--authenticate", "--pcap", capture)
    _, frames = read_pcapng(capture)
    assert len(frames) > 100, len(frames)
    for _, frame in frames:
        behind = len(frame) - HEADER - int.from_bytes(frame[50:52], "big")
        same((frame[12:14], behind), (b"\x88\xb5", TRAILER), f"EtherType and bytes behind the payload of {frame.hex()}")
    names = {frame[-TRAILER:-TRAILER + 16] for _, frame in frames}
    same(len(names), 4, "lives: three hosts and a token manager")
    with Program("replay", capture, "--check") as check:
        assert "GOOD" in check.ends().out(), check.out()
    with Program("replay", capture, "--decode", "--json") as decode:
        lines = [json.loads(line) for line in decode.ends().out().splitlines()]
    same([line["sealed"]["by"] for line in lines], [line["source"] for line in lines], "who has sealed, and sent")


@test
def the_launcher_keeps_its_secret():
    look = ("sh", "-c", 'stat -c %a "$(dirname "$ISOPLANE_CONFIG")/../key"; grep ^key= "$ISOPLANE_CONFIG"; env')
    with Program("run", "-n", 1, "--no-labels", "--authenticate", "--", *look) as launcher:
        mode, line, *environment = launcher.ends().out().splitlines()
    same(mode, oct(stat.S_IRUSR | stat.S_IWUSR)[2:], "who may read the key file")
    assert line.endswith("/key") and not any("aes-gmac" in entry for entry in environment), line


@test
def what_cannot_be_is_refused_with_a_sentence():
    for words, sentence in [(("--authenticate", "rot13"), "it can be aes-gmac or chacha20-poly1305"),
                            (("--authenticate=rot13",), "it can be aes-gmac or chacha20-poly1305")]:
        with Program("run", "-n", 1, *words, "--", "true") as launcher:
            launcher.ends(code=2, err=sentence)
    open_to_all = key_file("open.key")
    os.chmod(open_to_all, 0o644)
    with Program("node", "--role", "echo", "--link", "null:", "--key", key_file("echo.key")) as node:
        node.ends(code=2, err="the key is for what hosts and token managers send")
    with Job("open", ["inline"] * 2, key=open_to_all) as job:
        job.nodes = [Storm(job.confs[0])]
        job.nodes[0].ends(code=1)
        assert "chmod 600" in job.nodes[0].err(), job.nodes[0].err()


@test
def a_node_of_another_key_is_not_let_in_and_says_why():
    with Job("stranger", ["inline"] * 2, hello_limit=2, key=key_file("ours.key")) as job:
        stranger = job.write_conf("stranger", 1, ["inline"] * 2, {"hello_limit": 2, "key": key_file("its.key", "a5")})
        job.nodes = [Storm(job.confs[0]), Storm(stranger)]
        for node in job.nodes:
            node.ends(code=1)
            assert "frames were refused as they are not authentic" in node.err(), node.err()


@test
def forged_frames_do_nothing_but_count():
    with Job("forged", ["inline", "lcore", "inline"], further_ports=1, silence=PATIENT,
             key=key_file("forged.key")).start() as job:
        before = [node.ask()["niu"] for node in job.nodes]
        epochs = [before[0 if node else 1]["peers"][f"node{node}"]["epoch"] for node in range(3)]
        evil = Child(HOSTILE, job.confs[0], f"virtio:{job.ports[3]}", FORGED, *epochs)
        try:
            until(lambda: evil.lines() or not evil.alive(), "the forged frames are sent")
            assert evil.alive(), evil.err()
            until(lambda: job.fabric_ports()[3]["counters"]["in"] >= FORGED, "they are in the fabric")

            def dropped():
                return sum(port["counters"][why] for port in job.fabric_ports() for why in ("queue_full", "no_memory"))

            for number, node in enumerate(job.nodes):
                until(lambda: node.ask()["niu"]["authentication"]["not_sealed"] + dropped() >= FORGED / 3,
                      f"node {number} has counted what was forged")
        finally:
            evil.kill()
        for number, node in enumerate(job.nodes):
            now = node.ask()["niu"]
            same(now.get("rejected"), before[number].get("rejected"), "frames that came past the gate")
            same({name: now[name] for name in ("stale_epoch", "doubted", "impossible_ack", "beyond_credit")},
                 {name: before[number][name] for name in ("stale_epoch", "doubted", "impossible_ack", "beyond_credit")},
                 "what the NIU met")
        job.all_talk()
        job.nobody_is_lost(job.stop())


@test
def captured_frames_that_are_played_again_do_nothing_but_count():
    with Job("replayed", ["inline", "lcore"], further_ports=1, silence=PATIENT, key=key_file("replayed.key")).start() as job:
        capture = work("replayed.pcapng")
        job.fabric.tell(f"capture start {capture}")
        job.all_talk()
        job.fabric.tell("capture stop")
        job.all_talk()
        before = [node.ask()["niu"] for node in job.nodes]
        with Program("replay", capture, "--to", f"virtio:{job.ports[2]}", "--source-mac", "02:ba:d0:00:00:01", "--limit",
                     2000, "--speed", f"{fewer(100_000)}pps") as player:
            player.ends()
        for number, node in enumerate(job.nodes):
            def played():
                now = node.ask()["niu"]["authentication"]
                return sum(now[why] - before[number]["authentication"][why] for why in ("replayed", "outdated"))
            until(lambda: played() >= 100, f"node {number} has counted what was played again")
        for number, node in enumerate(job.nodes):
            now = node.ask()["niu"]
            same(now["authentication"]["forged"], 0, f"forged frames at node {number}")
            same(now.get("rejected"), before[number].get("rejected"), "frames that came past the gate")
        job.all_talk()
        job.nobody_is_lost(job.stop())


@test
def a_node_that_starts_again_is_let_in_with_keys_of_its_new_life():
    with Job("again", ["inline", "lcore", "inline"], silence=PATIENT, key=key_file("again.key")).start() as job:
        for node in (2, 1, 2):
            job.start_again(node)
            job.all_talk()
        same(job.nodes[0].ask()["niu"]["authentication"]["no_key"], 0, "keys there was no room for")
        job.stop()


@test
def token_managers_and_hosts_of_a_key_file_report_what_they_open():
    ports = [work(f"managed{port}") for port in range(2)]
    conf = work("managed.conf")
    with open(work("managed-topology"), "w", encoding="utf-8") as file:
        file.write("0 node0 node1\n")
    with open(conf, "w", encoding="utf-8") as file:
        file.write(f"fmconfig=managed-topology\njob-key=7\nkey={key_file('managed.key', algorithm=ALGORITHMS[1])}\n")
        file.writelines(f"host.node{number}.link=virtio:{port}\n" for number, port in enumerate(ports))
    fabric = Node("fabric,tm", ",".join(f"virtio:{port}" for port in ports), "--config", conf, "--workers", 1)
    with fabric.ready():
        with Program("run", "--config", conf, "--", *BANK) as launcher:
            assert "100 moves of 2 hosts" in launcher.ends().out(), launcher.out()
        gate, = fabric.ask("show authentication json")
        same((gate["name"], gate["algorithm"]), ("node2", "chacha20-poly1305"), "the token manager's gate")
        assert gate["sealed"] > 10 < gate["authentic"], gate
        same(sum(gate[why] for why in ("not_sealed", "other_key", "forged", "replayed", "outdated", "no_key")), 0,
             f"refused: {gate}")
        same(fabric.tell("clear").ask("show authentication json")[0]["authentic"], 0, "frames, when nobody is there")
        fabric.stop(err=UNHEARD)


run()
