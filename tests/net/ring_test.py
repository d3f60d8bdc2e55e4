#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Links that stay in one process: ring_test.py PROGRAM."""

import fcntl

from net import MILLION, Node, run, same, test, until

EVERYTHING = {"good": MILLION, "duplicates": 0, "late": 0, "missing": 0}


def exchange(link, *options):
    with Node("generate,sink", link, "--count", MILLION, "--expect", MILLION, *options) as node:
        node.ends()
    return node


def is_everything(figures):
    same({key: figures[key] for key in EVERYTHING}, EVERYTHING, "what the sink counts")


@test
def a_million_frames_come_round_a_ring_with_one_end():
    is_everything(exchange("ring:a").figures("sink0"))


@test
def a_million_frames_cross_a_ring_both_ways():
    node = exchange("ring:a,ring:a")
    is_everything(node.figures("sink0"))
    is_everything(node.figures("sink1"))
    same(node.port(0)["tx_bytes"], node.port(1)["rx_bytes"], "bytes sent and received")


@test
def stages_of_their_own_for_each_direction_change_nothing():
    for place in ("rx@1 tx@1 generate@1 sink@1", "rx@1 tx@2 generate@2 sink@1", "rx@1 tx@2 generate@3 sink@4"):
        node = exchange("ring:a", "--place", place)
        is_everything(node.figures("sink0"))
        same(node.stage("tx0")["out"]["packets"], MILLION, "frames that left through tx0")


@test
def every_idle_policy_carries_a_million_frames():
    for policy in ("spin", "yield", "doze"):
        is_everything(exchange("ring:a", "--idle", policy).figures("sink0"))


@test
def forward_moves_what_it_was_primed_with_round_and_round():
    """Packets of its own go round between two rings until they are stopped, and then come back to the pool."""
    with Node("forward", "ring:a,ring:b", "--tx-first", 4) as node:
        before = node.ask("show stage forward0 json")["out"]["packets"]
        while node.ask("show stage forward0 json")["out"]["packets"] < before + MILLION:
            pass
        node.stop()


@test
def packets_that_wait_for_a_start_come_back_without_one():
    with Node("forward", "ring:a,ring:b", "--tx-first", 4, "--stopped") as node:
        node.ready().tell("quit")
        node.ends()


@test
def a_fabric_between_rings_passes_frames_on():
    """Frames from a looped ring come in again at the port they left through, and are for nobody else."""
    with Node("fabric", "ring:a,ring:a,ring:b") as node:
        node.ready().stop()
    same([port["port"] for port in node.report()["fabric"]["ports"]], [0, 1, 2], "ports of the fabric")


@test
def a_node_stops_and_starts_again_without_losing_a_frame():
    with Node("generate,sink", "ring:a") as node:
        for _ in range(10):
            before = node.tell("start").ask("show stage generate0 json")["figures"]["sent"]
            until(lambda: node.ask("show stage generate0 json")["figures"]["sent"] > before, "it sends")
            node.tell("stop")
        node.tell("quit").ends()
    figures = node.figures("sink0")
    same((figures["duplicates"], figures["late"], figures["missing"]), (0, 0, 0), "duplicates, late, missing")
    same(figures["good"], node.port()["rx_packets"], "good frames, and those that came in")
    same(node.figures("generate0")["sent"], node.port()["tx_packets"], "frames sent, and those that went out")


@test
def a_node_starts_whoever_holds_the_turn_for_huge_pages():
    with open("/proc/meminfo", encoding="utf-8") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        for hugepages in ("off", "auto"):
            with Node("echo", "ring:a", "--hugepages", hugepages) as node:
                node.ready().stop()


run()
