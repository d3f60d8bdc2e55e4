#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Two namespaces joined by a veth pair, a node in each on an XDP socket: afxdp_test.py PROGRAM."""

import errno
import socket

from net import UNHEARD, Namespace, Skip, join, round_trip, run, test

AF_XDP = 44
WINDOW = 64  # a queue of veth holds 256 packets for XDP


def exchange(size, count):
    try:
        socket.socket(AF_XDP, socket.SOCK_RAW).close()
    except OSError as error:
        if error.errno == errno.EAFNOSUPPORT:
            raise Skip("the kernel has no XDP sockets") from None
    with Namespace() as left, Namespace() as right:
        join(left, right)
        round_trip("afxdp:veth0", "afxdp:veth0", size=size, count=count, window=WINDOW, gently=True,
                   heard=UNHEARD, echo_how=left.how, sender_how=right.how)


@test
def frames_cross_a_veth_pair_and_come_back():
    exchange(64, 200_000)


@test
def frames_as_long_as_the_mtu_allows_cross_it_too():
    exchange(1514, 50_000)


run()
