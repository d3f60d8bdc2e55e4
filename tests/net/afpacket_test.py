#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Two namespaces joined by a veth pair, a node in each on a packet socket: afpacket_test.py PROGRAM.

The kernel drops what its queues do not hold, so the sender keeps fewer frames under way than any of them holds."""

from net import MILLION, Namespace, fewer, join, round_trip, run, same, test

WINDOW = 256


def exchange(size, count):
    with Namespace() as left, Namespace() as right:
        join(left, right)
        round_trip("afpacket:veth0", "afpacket:veth0", size=size, window=WINDOW, count=count, gently=True,
                   echo_how=left.how, sender_how=right.how)
        for side in (left, right):
            counters = side.interface("veth0")
            for way in ("rx", "tx"):
                same(counters[way]["packets"], fewer(count), f"{way} packets that the kernel counts")
                same((counters[way]["dropped"], counters[way]["errors"]), (0, 0), f"{way} drops of the kernel")


@test
def a_million_frames_cross_a_veth_pair_and_come_back():
    exchange(64, MILLION)


@test
def frames_as_long_as_the_mtu_allows_cross_it_too():
    exchange(1514, 100_000)


run()
