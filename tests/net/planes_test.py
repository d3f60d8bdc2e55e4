#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Messages of Portals on several links of each node: planes_test.py PROGRAM BUILD_DIRECTORY."""

import contextlib
import glob
import json
import os
import re
import signal
import socket

from installed import WAYS, build, install
from net import LIMIT, SLOWDOWN, Program, run, same, test, until, work

WRONG_USAGE = 2
MEGABYTE = 1 << 20


def lat(*words):
    return ("--", work("p33_lat-cc"), *words)


def carried(launcher, ranks, planes):
    """Frames that came from the ranks on each plane, as the launcher tells at the end."""
    found = re.findall(r"port of rank (\d+)(?: on plane (\d+))?:.*? in (\d+)", launcher.err())
    same(sorted((int(rank), int(plane or 0)) for rank, plane, _ in found),
         [(rank, plane) for rank in range(ranks) for plane in range(planes)], f"ports of {launcher}")
    return [sum(int(frames) for _, on, frames in found if int(on or 0) == plane) for plane in range(planes)]


def plane_process(launcher, plane):
    """The process of the launcher that carries that plane of two ranks, if there is one."""
    socket = f"/{2 * plane}.sock,side=vhost"
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/stat", encoding="utf-8") as stat, open(f"/proc/{pid}/cmdline", "rb") as words:
                if int(stat.read().rsplit(")", 1)[1].split()[1]) == launcher.pid and socket.encode() in words.read():
                    return int(pid)
    return None


def run_time_directory_of(launcher):
    """Where the processes of the job keep what DPDK does, once there are any."""
    carrier = plane_process(launcher, 0)
    if carrier is None:
        return None
    with open(f"/proc/{carrier}/environ", "rb") as file:
        return re.search(rb"RUNTIME_DIRECTORY=([^\0]*)", file.read())[1].decode()


def portals_of_ranks(directory):
    """What /isoplane/portals says where there is such a report."""
    reports = []
    for path in glob.glob(f"{directory}/**/dpdk_telemetry.v2", recursive=True):
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
            client.settimeout(LIMIT)
            client.connect(path)
            client.recv(1 << 16)
            client.send(b"/isoplane/portals")
            report = json.loads(client.recv(1 << 16))["/isoplane/portals"]
            if report and report["interfaces"]:
                reports.append(report)
    return reports


@test
def programs_are_built_against_what_is_installed():
    install()
    for name in ("p33_lat", "p33_flow", "p33_pair"):
        build(name, "cc", "-std=gnu99", "-pthread", "-DP3_NAL=<p3nal_utcp.h>")


def megabytes_each_way(way, planes, count):
    """What each plane has carried of so many."""
    with Program("run", "-n", 2, "--planes", planes, "--progress", way, "--stats", *lat(MEGABYTE, count)) as launcher:
        same(sorted(launcher.ends(err="1048576 bytes").out().splitlines()), [f"[{i}] 1 at a time" for i in range(2)],
             f"{launcher}")
    frames = carried(launcher, 2, planes)
    assert sum(frames) > 2 * count * MEGABYTE / 1500, frames  # in frames of 1500 bytes
    return frames


@test
def a_long_message_comes_on_all_planes():
    for way in WAYS:
        for planes in (1, 2, 4):
            # A plane whose process has its first turn late has the last of them, which may be too few of a few.
            for count in (30, 300, 3000):
                frames = megabytes_each_way(way, planes, count)
                if min(frames) > sum(frames) / planes / 10:
                    break
            else:
                raise AssertionError(f"with {way} progress the planes carried {frames}")


@test
def operations_end_in_their_order_on_planes_that_lose():
    for way in WAYS:
        for what in ("put", "get", "swap"):
            with Program("run", "-n", 2, "--planes", 3, "--progress", way, "--fabric", "loss=0.01", "--",
                         work("p33_flow-cc"), what, 100) as launcher:
                same(sorted(launcher.ends().out().splitlines()), [f"[{i}] {what}: 100" for i in range(2)],
                     f"{launcher}")


@test
def frames_of_every_plane_are_sealed():
    for way in WAYS:
        with Program("run", "-n", 2, "--planes", 3, "--progress", way, "--authenticate", "--fabric", "loss=0.01", "--",
                     work("p33_flow-cc"), "put", 100) as launcher:
            same(sorted(launcher.ends().out().splitlines()), [f"[{i}] put: 100" for i in range(2)], f"{launcher}")


@test
def one_that_dies_is_survived_whichever_it_is():
    for way in WAYS:
        for plane in (0, 1):
            with Program("run", "-n", 2, "--planes", 2, "--progress", way, "--set", "silence=3",
                         *lat(MEGABYTE, 200 // SLOWDOWN)) as launcher:
                until(lambda said=launcher: "16384 bytes" in said.err(), "messages are under way")
                carrier = plane_process(launcher, plane)
                os.kill(carrier, signal.SIGSTOP)
                try:
                    until(lambda said=launcher: "1048576 bytes" in said.err(), f"the other carries all of {launcher}")
                finally:
                    os.kill(carrier, signal.SIGCONT)
                same(sorted(launcher.ends(err="1048576 bytes").out().splitlines()),
                     [f"[{i}] 1 at a time" for i in range(2)], f"{launcher}")


@test
def reports_say_what_each_plane_has_carried():
    # Long messages from the first on, for as long as it takes a busy machine to give each plane's process a turn.
    with Program("run", "-n", 2, "--planes", 2, "--progress", "lcore", *lat(MEGABYTE, 1_000_000, 1, "both")) as launcher:
        directory = until(lambda: run_time_directory_of(launcher), "each plane has its process")

        def all_planes_have_carried():
            reports = portals_of_ranks(directory)
            least = min((report["planes"][plane][way] for report in reports for plane in "01"
                         for way in ("slice_bytes_sent", "slice_bytes_received")), default=0)
            return reports if len(reports) == 2 and least > MEGABYTE else None

        for report in until(all_planes_have_carried, "each plane has carried something both ways"):
            for plane in "01":
                figures = report["planes"][plane]
                same((figures["nodes"], figures["dead"]), (1, 0), "nodes that a plane leads to, and not any more")
            same(report["interfaces"]["0"]["pid"], 1, "pid")
            # Who came first has put something to one who was not there yet, and that matched nothing there.
            expected = ("dropped", "dropped_match")
            same({why: count for why, count in report["interfaces"]["0"].items()
                  if why.startswith("dropped") and why not in expected and count}, {}, "what was dropped")
        launcher.stop(code=1)


@test
def each_rank_is_told_of_its_links():
    with Program("run", "-n", 2, "--planes", 2, "--tm", "none", "--", "sh", "-c",
                 "grep -c ^link= $ISOPLANE_CONFIG") as launcher:
        same(sorted(launcher.ends().out().splitlines()), ["[0] 2", "[1] 2"], "links in each node.conf")


@test
def a_number_that_cannot_be_is_refused():
    for words, why in (((0,), "out of range"), ((5,), "out of range"), ((2, "--encapsulation", "udp"), "in UDP"),
                       ((2, "--pcap", work("x.pcapng")), "--pcap")):
        with Program("run", "-n", 2, "--planes", *words, "--", "true") as launcher:
            launcher.ends(code=WRONG_USAGE, err=why)


run()
