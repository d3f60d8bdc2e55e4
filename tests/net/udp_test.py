#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Jobs whose frames travel in UDP, on the launcher's fabric and over a router of the kernel:
udp_test.py PROGRAM DIRECTORY_OF_EXAMPLES."""

import contextlib
import os
import sys

from capture_files import read_pcapng
from net import Namespace, Node, Program, needs, run, same, test, work

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
    """All in networks of their own, with the same router."""
    path = work("udp.conf")
    with open(work("udp-topology"), "w", encoding="utf-8") as file:
        file.write("0 alice bob tm0:t\n")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(("fmconfig=udp-topology", "job-key=7", "encapsulation=udp", *more, "")))
        for number, name in enumerate(NODES):
            file.write(f"[host.{name}]\nlink=afpacket:veth0\nip=10.1.{number}.7/24\ngateway=10.1.{number}.1\n")
    return path


def key_file():
    path = work("udp.key")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"aes-gmac {'5a' * 32}\n")
    os.chmod(path, 0o600)
    return path


def plug(router, number, host):
    port, queues = f"port{number}", ("numtxqueues", "1", "numrxqueues", "1")
    router.command("ip", "link", "add", port, *queues, "type", "veth", "peer", "name", "veth0", *queues, "netns",
                   str(host.holder.pid))
    router.command("ip", "address", "add", f"10.1.{number}.1/24", "dev", port)
    # What it has learned it believes, until it is asked.
    router.command("sysctl", "-qw", f"net.ipv4.neigh.{port}.base_reachable_time_ms=3600000")
    router.command("ip", "link", "set", port, "up")
    host.command("ip", "link", "set", "veth0", "up")


@test
def a_job_crosses_a_router():
    needs("ip")
    with contextlib.ExitStack() as stack:
        router, *hosts = [stack.enter_context(Namespace()) for _ in range(1 + len(NODES))]
        router.command("sysctl", "-qw", "net.ipv4.ip_forward=1")
        for number, host in enumerate(hosts):
            plug(router, number, host)
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
            neighbours = router.command("ip", "neighbour", "show", "dev", f"port{number}")
            assert f"10.1.{number}.7 lladdr 02:69:73:00:00:{number:02x}" in neighbours, neighbours
        counted = [line.split() for line in router.command("cat", "/proc/net/snmp").splitlines() if line[:3] == "Ip:"]
        assert int(dict(zip(*counted))["ForwDatagrams"]) > 20, counted


run()
