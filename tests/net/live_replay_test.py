#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Traces played while another program still writes them: live_replay_test.py PROGRAM."""

import contextlib
import signal

from net import UNHEARD, Node, Program, run, same, test, until, work

COUNT = 2
with Node("generate", f"pcap:,{work('probes.pcap')}", "--count", COUNT, "--size", 200) as sender:
    sender.ends()
with open(work("probes.pcap"), "rb") as file:
    TRACE = file.read()


def received(node):
    return node.ask("show stage sink0 json")["figures"]["good"]


@contextlib.contextmanager
def idle_player(name):
    """One whose frames have all arrived, at a node that checks them, while it waits for more."""
    socket = f"virtio:{work(name)}"
    with Node("sink", socket) as receiver:
        receiver.ready()
        with Program("replay", "-", "--to", socket, "--speed", "max") as player:
            player.process.stdin.write(TRACE)
            player.process.stdin.flush()
            until(lambda: received(receiver) == COUNT, "all frames have arrived")
            yield player
        receiver.stop(err=UNHEARD)
        same(receiver.figures("sink0")["good"], COUNT, "good frames")


@test
def frames_leave_before_more_is_waited_for():
    with idle_player("idle") as player:
        assert player.alive(), player.err()
        player.process.stdin.close()
        player.ends()


@test
def a_signal_ends_the_wait_and_is_no_damage():
    for number in (signal.SIGINT, signal.SIGTERM):
        with idle_player(number.name) as player:
            player.stop(number, code=1, err="interrupted before the end of the trace")
            assert "damaged" not in player.err(), player.err()


run()
