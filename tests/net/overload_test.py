#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""More than there is room for: overload_test.py PROGRAM FLOOD.

All ranks but one send to that one, as fast as they are let, through a wire that is far too narrow, to a receiver that
is far too slow, out of pools and queues that are far too small; or one of those on the way stands still for a while.
What is offered too much waits at its sender: every message comes once and in order, which flood checks itself, and
packets are back in their pools. Figures are printed as comments: how fast, how late, what was sent again.
"""

import json
import os
import re
import signal
import sys
import time

from net import Program, run, same, test, until

FLOOD = os.path.abspath(sys.argv[2])
STALL = 3  # seconds


def figures(text):
    """The last line of each rank, by rank."""
    last = {}
    for rank, line in re.findall(r"^\[ *(\d+)\] (\{.*\})$", text, re.M):
        last[int(rank)] = json.loads(line)
    return last


def steps(text):
    """When the receiver had got further, and how far."""
    found = []
    for line in map(json.loads, re.findall(r"^\[ *0\] (\{.*so_far.*\})$", text, re.M)):
        if not found or found[-1][1] != line["so_far"]:
            found.append((line["at"], line["so_far"]))
    return found


def flood(what, ranks, count, size, each=0, options=(), meanwhile=None):
    """Returns the figures of all ranks, after it has been looked at what has to hold for all floods."""
    with Program("run", "-n", ranks, *options, "--", FLOOD, count, size, each) as launcher:
        if meanwhile:
            until(lambda: len(steps(launcher.out())) > 2, "messages arrive")
            meanwhile(launcher)
        launcher.ends()
        found = figures(launcher.out())
        progress = steps(launcher.out())
    same(sorted(found), list(range(ranks)), f"ranks that have reported: {what}")
    taker = found[0]
    same(taker["received"], count * (ranks - 1), what)
    sent_again = sum(rank["resent_timeout"] + rank["resent_overtaken"] for rank in found.values())
    rate = taker["received"] / taker["seconds"]
    print(f"# {what}: {rate / 1e3:.1f} thousand messages/s of {size} bytes, {rate * size * 8 / 1e6:.0f} Mbit/s; "
          f"median {taker['p50_us']:.0f} us, 99 % {taker['p99_us']:.0f} us; "
          f"{sum(rank['refused'] for rank in found.values())} times refused, {sent_again} frames sent again, "
          f"{max(rank['packets'] for rank in found.values())} packets in use in the end")
    return found, progress


def all_were_refused(found):
    assert all(found[rank]["refused"] > 0 for rank in found if rank != 0), f"a sender was never refused: {found}"


@test
def what_a_wire_cannot_carry_waits_at_its_sender():
    # Frames wait in the port before it drops any; the port drops what is more than its queue holds.
    for queue in (1024, 16):
        found, _ = flood(f"a wire of 50 Mbit/s with a queue of {queue}", 4, 1000, 1000,
                         options=("--fabric", f"rate=50Mbit,queue={queue}"))
        all_were_refused(found)


@test
def what_a_receiver_cannot_take_waits_at_its_sender():
    found, _ = flood("a receiver that takes 50 us for each", 4, 3000, 1000, each=50)
    all_were_refused(found)


@test
def many_to_one_arrive():
    found, _ = flood("64 senders to one", 65, 400, 512)
    all_were_refused(found)


@test
def a_small_pool_is_enough():
    found, _ = flood("pools of 1023 packets", 9, 3000, 800, options=("--set", "packets=1023"))
    all_were_refused(found)


def child_that_runs(launcher, wanted, rank=None):
    """A process below the launcher, by what it runs and its rank."""
    def children(pid):
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(child) for child in file.read().split()]

    def matches(pid):
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
        with open(f"/proc/{pid}/environ", "rb") as file:
            environ = file.read().split(b"\0")
        return wanted.encode() in words and (rank is None or f"ISOPLANE_RANK={rank}".encode() in environ)

    waiting, found = [launcher.pid], []
    while waiting:
        pid = waiting.pop()
        waiting += children(pid)
        if pid != launcher.pid and matches(pid):
            found.append(pid)
    same(len(found), 1, f"processes that run {wanted}")
    return found[0]


def goes_on_after_standing_still(what, wanted, rank=None):
    def stall(launcher):
        pid = child_that_runs(launcher, wanted, rank)
        os.kill(pid, signal.SIGSTOP)
        time.sleep(STALL)
        os.kill(pid, signal.SIGCONT)

    _, progress = flood(what, 3, 150_000, 256, options=("--fabric", "rate=300Mbit"), meanwhile=stall)
    # The receiver tells every tenth of a second.
    pauses = [(later[0] - earlier[0], later[1] - earlier[1], earlier) for earlier, later in zip(progress, progress[1:])]
    pause, meanwhile, (_, before) = max(pauses)
    print(f"# {what}: nothing new for {pause:.2f} s, after {before} messages; {meanwhile} with the next look")
    assert pause > 0.5 * STALL, "it did not stand still: send more"


@test
def a_receiver_that_stands_still_for_a_while_loses_nothing():
    goes_on_after_standing_still("the receiver stood still for 3 s", FLOOD, 0)


@test
def a_fabric_that_stands_still_for_a_while_loses_nothing():
    goes_on_after_standing_still("the fabric stood still for 3 s", "fabric,tm")


run()
