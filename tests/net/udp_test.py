#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Jobs whose frames travel in UDP, on the launcher's fabric and over a router of the kernel:
udp_test.py PROGRAM DIRECTORY_OF_EXAMPLES."""

import os
import sys

from capture_files import read_pcapng
from net import Node, Program, run, same, test, work
from router import Router, addresses

EXAMPLES = sys.argv[2]
BANK = (os.path.join(EXAMPLES, "bank"), "--moves", 50)
NODES = ("alice", "bob", "tm0")


def checksum(header):
    total = sum(int.from_bytes(header[i:i + 2], "big") for i in range(0, len(header), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


@test
def a_job_on_the_fabric_sends_nothing_but_udp():
    capture = work("udp.pcapng")
    with Program("run", "-n", 3, "--encapsulation", "udp", "--fabric", "loss=0.01,corrupt=0.01,reorder=0.01",
                 "--pcap", capture, "--", *BANK) as launcher:
        assert "150 moves of 3 hosts" in launcher.ends().out(), launcher.out()
    _, frames = read_pcapng(capture)
    sound = [frame for _, frame in frames if frame[12:14] == b"\x08\x00" and checksum(frame[14:34]) == 0xFFFF]
    assert len(sound) > 0.9 * len(frames) > 100, f"{len(sound)} of {len(frames)} frames"  # the fabric damages some
    ways = {(frame[26:30], frame[30:34], frame[34:36]) for frame in sound if frame[30:34] != b"\xff" * 4}
    hosts = {bytes([198, 18, 0, 1 + node]) for node in range(4)}  # the last is the token manager
    assert {way[0] for way in ways} == hosts, ways
    same(len({port for _, _, port in ways}), len({way[:2] for way in ways}), "source ports, and pairs of nodes")


def conf(*more):
    path = work("udp.conf")
    with open(work("udp-topology"), "w", encoding="utf-8") as file:
        file.write("0 alice bob tm0:t\n")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(("fmconfig=udp-topology", "job-key=7", "encapsulation=udp", *more, "")))
        file.write(addresses(NODES))
        file.writelines(f"[host.{name}]\nlink=afpacket:veth0\n" for name in NODES)
    return path


def key_file():
    path = work("udp.key")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"aes-gmac {'5a' * 32}\n")
    os.chmod(path, 0o600)
    return path


@test
def a_job_crosses_a_router():
    with Router(len(NODES)) as router:
        hosts = router.stations
        for more in ((), (f"key={key_file()}",)):
            with Node("tm", "afpacket:veth0", "--config", conf(*more), "--name", "tm0", "--idle", "yield",
                      **hosts[2].how).ready() as tm:
                with Program("run", "--config", conf(*more), "-n", 1, "--", *hosts[0].within, *BANK, ":", "-n", 1, "--",
                             *hosts[1].within, *BANK) as launcher:
                    assert "100 moves of 2 hosts" in launcher.ends().out(), launcher.out()
                if more:
                    gate, = tm.ask("show authentication json")
                    assert gate["authentic"] > 10 and not gate["not_sealed"] + gate["forged"], gate
                tm.stop()
        for number in range(len(NODES)):
            neighbours = router.neighbours(number)
            assert f"10.1.{number}.7 lladdr 02:69:73:00:00:{number:02x}" in neighbours, neighbours
        assert router.forwarded() > 20, router.forwarded()


run()
