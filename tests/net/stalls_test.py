#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Processes that stand still for a while: stalls_test.py PROGRAM STEADY.

All nodes of a job send to all, outside logical time and in it, when one of the processes is stopped for 3 s: for it
the clock jumps, and for the others it is as if an lcore did not run. All has to go on within a second after that; nothing may
be lost, nor change its place, which the program checks itself.
"""

import os
import signal
import sys
import time

from members import is_back, lines_of
from net import SLOWDOWN, Program, run, same, test, until

STEADY = os.path.abspath(sys.argv[2])
STALL = 3  # seconds
RECOVERY = 1.0 * SLOWDOWN  # seconds, within which all goes on
TRIES = 5  # of which the best counts: whatever else runs here may have the CPUs when it goes on
CALM = 0.25  # seconds: what nodes have of each other is no older when all of them get to run
PATIENCE = 10  # seconds, for which that is waited for
NODES = 3
SIZE = 256
KINDS = ("message", "isochron")


def fresh_since(launcher, kind, moment):
    """When each node first said that it had something of all that was sent after that moment; or None."""
    first = [next((line["at"] for line in lines if line.get(kind, 0) > moment), None)
             for lines in lines_of(launcher.out()).values()]
    return first if len(first) == NODES and None not in first else None


def is_calm(launcher):
    """For half a second all nodes have heard from all others as soon as they do where they have the CPUs."""
    latest = [lines[-10:] for lines in lines_of(launcher.out()).values()]
    return all(time.monotonic() - lines[-1]["at"] < CALM and
               all(line["at"] - line[kind] < CALM for line in lines for kind in KINDS) for lines in latest)


def waits_for_calm(launcher):
    """Not for ever: it is no more than likely to be calm afterwards, too."""
    end = time.monotonic() + PATIENCE
    while not is_calm(launcher) and time.monotonic() < end:
        time.sleep(0.1)


def stalled(launcher, pid):
    """How long it took, by kind, until all nodes had something new of all others."""
    os.kill(pid, signal.SIGSTOP)
    began = time.monotonic()
    time.sleep(STALL)
    ended = time.monotonic()
    os.kill(pid, signal.SIGCONT)
    recovery = {}
    for kind in KINDS:
        seen = until(lambda kind=kind: fresh_since(launcher, kind, ended), f"each {kind} goes on")
        recovery[kind] = max(seen) - ended
        # One that was sent while it stood still would have come from it, or through it.
        newest = max(line[kind] for lines in lines_of(launcher.out()).values() for line in lines if line["at"] < ended)
        assert newest < began + STALL / 2, f"it did not stand still: {kind} {newest - began:.2f} s after that"
    return recovery


def goes_on(what, options, process):
    """`process` is which one stands still, of a launcher."""
    with Program("run", "-n", NODES, *options, "--", STEADY, SIZE) as launcher:
        until(lambda: all(fresh_since(launcher, kind, 0) for kind in KINDS), "all nodes hear from all")
        for attempt in range(TRIES):
            waits_for_calm(launcher)
            recovery = stalled(launcher, process(launcher))
            print(f"# {what} stood still for {STALL} s: after it the first message of each came to all in "
                  f"{recovery['message'] * 1e3:.0f} ms, the first isochron in {recovery['isochron'] * 1e3:.0f} ms")
            if max(recovery.values()) < RECOVERY:
                break
            assert attempt + 1 < TRIES, f"it does not go on within {RECOVERY} s"
        launcher.process.send_signal(signal.SIGTERM)
        launcher.ends()
        ends = [lines[-1] for lines in lines_of(launcher.out()).values()]
    for number, end in enumerate(ends):
        is_back(f"{what}, rank {number}", end["before"], end["after"])
    same(len({(end["digest"], end["isochrons"]) for end in ends}), 1, f"orders of logical time: {ends}")
    messages, packets = sum(end["messages"] for end in ends), [end["after"]["packets"] for end in ends]
    print(f"# {what} stood still: {messages} messages and {ends[0]['isochrons']} isochrons, each once and in order; "
          f"packets in use {[end['before']['packets'] for end in ends]} before, {packets} in the end")


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


def node(number):
    return lambda launcher: child_that_runs(launcher, STEADY, number)


@test
def a_node_that_stands_still_holds_up_all_and_loses_nothing():
    goes_on("a node", (), node(0))


@test
def a_node_with_an_lcore_of_its_own_does_the_same():
    goes_on("a node with an lcore", ("--progress", "lcore"), node(0))


@test
def a_fabric_with_its_token_manager_does_the_same():
    goes_on("the fabric", (), lambda launcher: child_that_runs(launcher, "fabric,tm"))


run()
