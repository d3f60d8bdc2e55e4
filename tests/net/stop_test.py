#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""However a node is asked to end, it ends clean: stop_test.py PROGRAM.

Exit code 0 says that every packet came back to the pool."""

import signal
import time

from net import LIMIT, MILLION, Node, run, same, test, until, work


def in_traffic(*options):
    """A node whose stages on two workers are joined by rings with frames on their way, no more than its link holds."""
    node = Node("generate,sink", "ring:a", "--window", 512, "--place", "generate@1 tx@2 rx@2 sink@1", *options)
    until(lambda: node.ask("show stage sink0 json")["in"]["packets"] > 10_000, "frames pass")
    return node


def is_drained(node):
    figures = node.figures("sink0")
    same((figures["duplicates"], figures["late"], figures["missing"]), (0, 0, 0), "duplicates, late, missing")
    # What lies in the link itself is not the node's any more.
    same(node.figures("generate0")["sent"], node.port()["tx_packets"], "frames sent, and those that left the node")
    same(figures["good"], node.port()["rx_packets"], "good frames, and those that came into the node")
    same([stage["held"] for stage in node.report()["stage"]], [0] * 4, "frames held by the stages")


@test
def sigint_ends_it_clean():
    with in_traffic() as node:
        is_drained(node.stop(signal.SIGINT))


@test
def sigterm_ends_it_clean():
    with in_traffic() as node:
        is_drained(node.stop(signal.SIGTERM))


@test
def quit_ends_it_clean():
    with in_traffic() as node:
        is_drained(node.tell("quit").ends())


@test
def the_end_of_input_ends_it_clean():
    with in_traffic() as node:
        node.process.stdin.close()
        is_drained(node.ends())


@test
def a_headless_node_does_not_mind_the_end_of_input():
    with Node("generate,sink", "ring:a", "--headless", "--count", MILLION, "--expect", MILLION) as node:
        node.process.stdin.close()
        node.ends()
        same(node.figures("sink0")["good"], MILLION, "good frames")


@test
def nor_does_one_that_ends_by_itself():
    with Node("generate,sink", "ring:a", "--count", MILLION, "--expect", MILLION) as node:
        node.process.stdin.close()
        node.ends()
        same(node.figures("sink0")["good"], MILLION, "good frames")


@test
def the_end_of_time_ends_it_clean():
    with in_traffic("--duration", 0.5) as node:
        is_drained(node.ends())


@test
def time_that_is_up_too_early_fails_the_run():
    with Node("generate,sink", "ring:a", "--rate", "1pps", "--count", 1000, "--duration", 0.5) as node:
        node.ends(1, "the time is up, and generate0 has sent")


@test
def frames_that_nobody_takes_are_given_up_in_the_end():
    with Node("generate", f"virtio:{work('lonely')}") as node:
        until(lambda: node.ask("show stage generate0 json")["held"] > 0, "frames wait")
        node.stop(err="packets could not leave and were dropped")


@test
def a_second_signal_ends_it_at_once():
    """While the first has it wait for a peer that is not there."""
    with Node("generate", f"virtio:{work('hasty')}") as node:
        until(lambda: node.ask("show stage generate0 json")["held"] > 0, "frames wait")
        deadline = time.monotonic() + LIMIT
        while node.alive() and time.monotonic() < deadline:
            node.process.send_signal(signal.SIGTERM)
        same(node.process.wait(LIMIT), 128 + signal.SIGTERM, "exit code")


run()
