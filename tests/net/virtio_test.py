#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Two nodes over virtio and vhost: virtio_test.py PROGRAM."""

from net import UNHEARD, Node, round_trip, run, same, test, work


@test
def a_million_frames_come_back_when_the_echo_serves_the_socket():
    socket = f"virtio:{work('a')}"
    round_trip(socket, socket)


@test
def a_million_frames_come_back_when_the_sender_serves_the_socket():
    socket = f"virtio:{work('b')}"
    round_trip(socket, socket, echo_first=False)


@test
def frames_as_long_as_the_mtu_allows_come_back():
    socket = f"virtio:{work('c')}"
    round_trip(socket, socket, size=1514)


@test
def jumbo_frames_come_back():
    socket = f"virtio:{work('d')}"
    round_trip(socket, socket, "--mtu", 9000, size=9014, count=100_000)


@test
def packed_rings_do_the_same():
    socket = f"virtio:{work('e')}"
    round_trip(socket, f"{socket},packed=1")


@test
def two_senders_find_each_other():
    socket = f"virtio:{work('f')}"
    count = 100_000

    def host(own, other):
        return Node("generate,sink", socket, "--id", own, "--to", other, "--count", count, "--expect", count)

    with host(0, 1) as zero, host(1, 0) as one:
        zero.ends(err=UNHEARD)  # whichever is last hears the other go
        one.ends(err=UNHEARD)
        for node in (zero, one):
            same(node.figures("sink0")["good"], count, f"good frames at {node}")
            same(node.figures("sink0")["senders"], 1, f"senders that {node} hears")


run()
