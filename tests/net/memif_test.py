#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Two nodes over memif: memif_test.py PROGRAM.

The sender waits until both sides see the link up: memif loses what its server sends before that."""

from net import round_trip, run, test, work


@test
def a_million_frames_come_back_when_the_echo_serves_the_socket():
    socket = f"memif:{work('a')}"
    round_trip(socket, socket, gently=True)


@test
def a_million_frames_come_back_when_the_sender_serves_the_socket():
    socket = f"memif:{work('b')}"
    round_trip(socket, socket, gently=True, echo_first=False)


@test
def frames_as_long_as_the_mtu_allows_come_back():
    socket = f"memif:{work('c')}"
    round_trip(socket, socket, gently=True, size=1514)


@test
def jumbo_frames_come_back():
    socket = f"memif:{work('d')}"
    round_trip(socket, socket, "--mtu", 9000, gently=True, size=9014, count=100_000)


run()
