#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""More than there is room for: overload_test.py PROGRAM FLOOD LOAD.

All ranks but one send to that one, as fast as they are let or at ten times what arrives, through a wire that is far
too narrow, to a receiver that is far too slow, out of pools, queues and rings that are far too small. What is offered too
much waits at its sender, or is refused there: every message that was taken comes once and in order, which the programs
check themselves, as much comes as without the overload, and packets and credit are back in the end. Figures are
printed as comments: how fast, how late, what was sent again.
"""

import os
import sys

from members import is_back, lines_of
from net import SLOWDOWN, Program, run, same, test

FLOOD, LOAD = map(os.path.abspath, sys.argv[2:4])
REST = 1.0 * SLOWDOWN  # seconds, after which nothing is under way any more


def flood(what, ranks, count, size, *more, options=(), pool=8191):
    """Returns the figures of all ranks, after it has been looked at what has to hold for all floods."""
    with Program("run", "-n", ranks, "--set", f"packets={pool}", *options, "--", FLOOD, count, size, *more) as launcher:
        found = {rank: lines[-1] for rank, lines in lines_of(launcher.ends().out()).items()}
    same(sorted(found), list(range(ranks)), f"ranks that have reported: {what}")
    taker = found[0]
    same(taker["received"], count * (ranks - 1), what)
    sent_again = sum(rank["resent_timeout"] + rank["resent_overtaken"] for rank in found.values())
    rate = taker["received"] / taker["seconds"]
    print(f"# {what}: {rate / 1e3:.1f} thousand messages/s of {size} bytes, {rate * size * 8 / 1e6:.0f} Mbit/s; "
          f"median {taker['p50_us']:.0f} us, 99 % {taker['p99_us']:.0f} us; "
          f"{sum(rank['refused'] for rank in found.values())} times refused, {sent_again} frames sent again; "
          f"{max(rank['before']['packets'] for rank in found.values())} packets in use before, "
          f"{max(rank['after']['packets'] for rank in found.values())} in the end")
    for number, rank in found.items():
        is_back(f"{what}, rank {number}", rank["before"], rank["after"], pool)
    return found


def all_were_refused(found):
    assert all(found[rank]["refused"] > 0 for rank in found if rank != 0), f"a sender was never refused: {found}"


@test
def what_a_wire_cannot_carry_waits_at_its_sender():
    # Frames wait in the port before it drops any; the port drops what is more than its queue holds.
    for queue in (1024, 16):
        all_were_refused(flood(f"a wire of 50 Mbit/s with a queue of {queue}", 4, 1000, 1000,
                               options=("--fabric", f"rate=50Mbit,queue={queue}")))


@test
def what_a_receiver_cannot_take_waits_at_its_sender():
    all_were_refused(flood("a receiver that takes 50 us for each", 4, 3000, 1000, 50))


@test
def many_to_one_arrive():
    senders = 64 // SLOWDOWN  # each is a process, and they have to hear each other in time
    all_were_refused(flood(f"{senders} senders to one", senders + 1, 400 * SLOWDOWN, 512))


@test
def a_small_pool_is_enough():
    all_were_refused(flood("pools of 1023 packets", 9, 3000, 800, pool=1023))


@test
def full_rings_between_program_and_lcore_lose_nothing():
    """Nobody takes anything out of a ring before eight times as many are there as it has room for, or all that there is
    credit for."""
    ring = 1024
    held = 8 * ring
    found = flood("rings that are full", 3, 20_000, 16, 0, held, options=("--progress", "lcore"), pool=1023)
    assert found[0]["waited"] > ring, f"{found[0]['waited']} messages have waited"
    all_were_refused(found)


TIMES = (0.5, 1, 2, 5, 10, 0.5)  # what is offered, by what there is room for
STEP = 1000  # milliseconds
LENGTH = 750  # of a message: two do not fit a frame
SENDERS = 2
TRIES = 5  # of which the best counts, where it matters that a sender gets to run as often as another


def steps(what, capacity, takes, options):
    """What node 0 has seen of each step, after it has been looked at what has to hold however seldom anybody runs."""
    with Program("run", "-n", SENDERS + 1, "--set", "packets=1023", *options, "--", LOAD, STEP, LENGTH, takes,
                 *(round(capacity * times) for times in TIMES)) as launcher:
        ranks = lines_of(launcher.ends().out())
    same(sorted(ranks), list(range(SENDERS + 1)), f"ranks that have reported: {what}")
    for times, step in zip(TIMES, ranks[0]):
        print(f"# {what}, offered {times:g} times what it takes: {step['offered']:.0f} messages/s offered, "
              f"{step['goodput']:.0f} arrive; median {step['p50_us'] / 1e3:.1f} ms, 99 % {step['p99_us'] / 1e3:.1f} ms; "
              f"{step['refused']} refused, 0 of {step['received']} lost; {step['after']['packets']} packets in use")
        # All that wait together, over the time: no more than there is credit for.
        waiting = step["mean_us"] / 1e6 * step["received"] / step["seconds"]
        credit = SENDERS * (step["before"]["credit"] + 2)
        assert waiting <= credit, f"{what}, {times} times: {waiting:.0f} wait on the average, with credit for {credit}"
    for number, lines in ranks.items():
        same(len(lines), len(TIMES), f"steps of rank {number}")
        for step in lines:
            is_back(f"{what}, rank {number}", lines[0]["before"], step["after"], 1023)
    assert ranks[0][4]["refused"] > 0, f"{what}: nothing was refused"
    return ranks[0], max(step["after"]["rest_after_ms"] for lines in ranks.values() for step in lines)


def degrades_smoothly(what, capacity, takes, options=()):
    for attempt in range(TRIES):
        (_, once, twice, _, ten_times, after), rest_ms = steps(what, capacity, takes, options)
        print(f"# {what}: {ten_times['goodput'] / once['goodput']:.2f} as much arrives at 10 times as at once, with "
              f"{ten_times['p50_us'] / twice['p50_us']:.2f} times the median latency of twice; in the second after it the "
              f"median is {after['p50_us'] / ten_times['p50_us']:.3f} of that; nothing under way after {rest_ms:.1f} ms")
        if (ten_times["goodput"] >= 0.8 * once["goodput"] and ten_times["p50_us"] <= 2 * twice["p50_us"]
                and after["p50_us"] <= 0.5 * ten_times["p50_us"] and rest_ms <= 1e3 * REST):
            return
        assert attempt + 1 < TRIES, f"{what}: it does not degrade smoothly, or does not recover"


@test
def a_wire_carries_as_much_at_ten_times_the_load():
    # 40 bytes around a message, and 24 that the wire counts.
    degrades_smoothly("a wire of 25 Mbit/s", 25e6 / 8 / (LENGTH + 64), 0, ("--fabric", "rate=25Mbit"))


@test
def a_receiver_takes_as_much_at_ten_times_the_load():
    degrades_smoothly("a receiver that takes 4000/s", 4000, 4000)


run()
