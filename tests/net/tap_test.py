#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Two nodes, each on a tap of its own, and a bridge of the kernel that joins the taps: tap_test.py PROGRAM."""

import os

from net import Namespace, Node, Skip, round_trip, run, test, until

WINDOW = 64


def needs_taps():
    if not os.path.exists("/dev/net/tun"):
        raise Skip("there is no /dev/net/tun")


def has(space, interface):
    return f" {interface}:" in space.command("ip", "-oneline", "link")


@test
def frames_cross_two_taps_and_come_back():
    needs_taps()
    if "thread" in os.environ.get("ISOPLANE_SANITIZE", ""):
        raise Skip("a thread sanitizer holds back the signals by which the driver hears of frames")
    with Namespace() as space:
        space.command("ip", "link", "add", "bridge0", "type", "bridge", "mcast_snooping", "0")
        space.command("ip", "link", "set", "bridge0", "multicast", "off", "up")

        def join():
            for tap in ("left", "right"):
                space.command("ip", "link", "set", tap, "master", "bridge0")

        round_trip("tap:left", "tap:right", size=100, count=20_000, window=WINDOW, gently=True, before=join,
                   echo_how=space.how, sender_how=space.how)


@test
def the_tap_goes_with_the_node():
    needs_taps()
    with Namespace() as space, Node("echo", "tap:passing", **space.how) as node:
        until(lambda: has(space, "passing"), "the tap is there")
        node.stop()
        assert not has(space, "passing"), "the tap is still there"


run()
