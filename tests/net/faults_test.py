#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""What a job does when things fail: faults_test.py PROGRAM STORM HOSTILE BULK.

Nodes run `storm`: all send to all, and each message is checked. A node is killed, stopped, or started again, a cable
is cut, somebody forges frames: those who are not concerned must not notice, and those who are must say so."""

import json
import os
import re
import signal
import subprocess
import sys
import time

from net import UNHEARD, Program, fewer, needs_root, run, same, test, until
from storms import PATIENT, SILENCE, Child, Job, Storm

STORM, HOSTILE, BULK = (os.path.abspath(path) for path in sys.argv[2:5])
Storm.program = STORM
WAYS = ("inline", "lcore")
HOSTILE_FRAMES = fewer(100_000)
BACK = "node{0} (node {0}) is back, and knows nothing of what was before\n"


def others(job, node):
    return [i for i in range(len(job.nodes)) if i != node]


def says_only(storm, *sentences):
    same(storm.err(), "".join(f"storm: {sentence}" for sentence in sentences), f"what {storm.name} says")


@test
def those_who_live_go_on_without_a_node_that_is_killed_and_with_its_next_life():
    for way in WAYS:
        with Job(f"killed-{way}", [way] * 4, silence=SILENCE).start() as job:
            rest = others(job, 3)
            job.nodes[3].kill()
            job.all_talk(rest)
            for node in rest:
                job.nodes[node].says(job.dead(3))
            job.all_talk(rest)
            job.start_again(3)
            job.all_talk()
            reports = job.stop()
            for node in rest:
                says_only(job.nodes[node], job.dead(3), BACK.format(3))
                same([len(reports[node]["peers"][str(peer)]["sent"]) for peer in rest if peer != node], [1, 1],
                     f"lives that node {node} has seen of the others")


@test
def a_node_that_starts_again_is_let_in_before_anybody_takes_it_for_dead():
    for way in WAYS:
        with Job(f"again-{way}", [way] * 3, silence=PATIENT).start() as job:
            before = job.nodes[0].last()["niu"]["peers"]["node2"]["epoch"]
            job.start_again(2)
            job.all_talk()
            reports = job.stop()
            assert reports[0]["niu"]["peers"]["node2"]["epoch"] > before, "its epoch is not a later one"
            for node in (0, 1):
                same(reports[node]["niu"]["peers_lost"], 1, "peers lost")
                says_only(job.nodes[node], "node2 (node 2) has ended, or started again; what was on its way to it is lost\n",
                          BACK.format(2))


@test
def a_node_that_is_stopped_for_a_while_loses_nothing():
    for way in WAYS:
        with Job(f"paused-{way}", [way] * 3, silence=PATIENT).start() as job:
            job.nodes[1].signal(signal.SIGSTOP)
            job.all_talk([0, 2], messages=2000)
            job.nodes[1].signal(signal.SIGCONT)
            job.all_talk()
            job.nobody_is_lost(job.stop())


@test
def a_node_that_is_stopped_for_too_long_learns_that_it_was_given_up():
    for way in WAYS:
        with Job(f"stopped-{way}", [way] * 4, silence=SILENCE).start() as job:
            rest = others(job, 1)
            job.nodes[1].signal(signal.SIGSTOP)
            for node in rest:
                job.nodes[node].says(job.dead(1))
            job.nodes[1].signal(signal.SIGCONT)
            job.nodes[1].says(f"nothing has been heard of any other node for {SILENCE} s: this one was stopped")
            job.nodes[1].ends(code=1)
            job.all_talk(rest)
            job.stop(rest)
            for node in rest:
                says_only(job.nodes[node], job.dead(1))


@test
def a_cable_that_is_cut_and_mended_loses_nothing():
    with Job("cut", ["inline", "lcore", "inline", "lcore"], silence=PATIENT).start() as job:
        job.fabric.tell("set fabric port 1 cut on")
        until(lambda: job.fabric_ports()[1]["counters"]["cut_out"], "the cut has met frames")
        job.all_talk(others(job, 1))
        time.sleep(5)  # so that all there is to wait for has been waited for, and timeouts have backed off
        job.fabric.tell("set fabric port 1 cut off")
        job.all_talk()
        job.nobody_is_lost(job.stop())


def counted(report):
    """What a node has counted, and refused, by name."""
    return {**report["niu"], **report["niu"].get("rejected", {})}


@test
def hostile_frames_do_nothing_but_count():
    with Job("hostile", ["inline", "lcore", "inline"], further_ports=1, silence=PATIENT).start() as job:
        before = [counted(node.ask()) for node in job.nodes]
        peers = [node.last()["niu"]["peers"] for node in job.nodes]
        epochs = [peers[0 if node else 1][f"node{node}"]["epoch"] for node in range(3)]
        evil = Child(HOSTILE, job.confs[0], f"virtio:{job.ports[3]}", HOSTILE_FRAMES, *epochs)
        try:
            until(lambda: evil.lines() or not evil.alive(), "the hostile frames are sent")
            assert evil.alive(), evil.err()
            until(lambda: job.fabric_ports()[3]["counters"]["in"] >= HOSTILE_FRAMES, "they are in the fabric")
            sent = evil.lines()[0]
            same(sum(sum(kinds.values()) for kinds in sent.values()), HOSTILE_FRAMES, "frames that were to be sent")
            # Where a node was slow, the fabric may have had no room for all, or no packets for copies.
            def dropped():
                return sum(port["counters"][why] for port in job.fabric_ports() for why in ("queue_full", "no_memory"))

            for number, node in enumerate(job.nodes):
                met(node, before[number], sent[str(number)], dropped)
        finally:
            evil.kill()
        job.all_talk()
        job.nobody_is_lost(job.stop())


# What is no hostile frame counts here, too.
ALSO_BY_OTHERS = ("not_ours",)


def met(node, before, sent, dropped):
    """A node has counted all that was sent to it, each under its name, but for what the fabric dropped."""
    def counts():
        now = counted(node.ask())
        return {name: now.get(name, 0) - before.get(name, 0) for name in sent}

    def missing(found):
        return sum(max(0, sent[name] - found[name]) for name in sent)

    found = counts()

    def all_here():
        found.update(counts())
        return missing(found) <= dropped()
    try:
        until(all_here, f"{node.name} has counted all")
    except AssertionError as late:
        raise AssertionError(f"{late}: {found} of {sent}, and {dropped()} were dropped") from None
    for name in sent:
        assert found[name] <= sent[name] or name in ALSO_BY_OTHERS, f"{node.name}: {name} {found[name]} of {sent[name]}"


def bulk(memory, *words, size=200_000, count=10):
    """Three nodes exchange large messages by the endpoint; what each has copied, and how many frames it sent again."""
    with Program("run", "-n", 3, "--no-labels", *words, "--", BULK, size, count, memory) as launcher:
        reports = [json.loads(line) for line in launcher.ends().out().splitlines()]
    same(sorted((report["node"], report["received"]) for report in reports), [(node, 2 * count) for node in range(3)],
         f"nodes, and messages that have come, with {words}")
    return [(report["copied_bytes"], report["resent"]) for report in reports]


def copied_nothing_new(*words):
    """Of registered memory; a frame that is sent again while the driver still holds it is a copy."""
    for copied, resent in bulk("registered", *words):
        assert copied <= resent * 1500, f"{copied} bytes copied, {resent} frames sent again, with {words}"


@test
def large_messages_leave_registered_memory_without_a_copy_on_links_between_processes():
    for link in ("virtio", "memif"):
        for way in WAYS:
            copied_nothing_new("--link", link, "--progress", way)


@test
def large_messages_leave_registered_memory_without_a_copy_on_veth():
    needs_root("a network namespace")
    for way in WAYS:
        copied_nothing_new("--link", "afpacket", "--progress", way)


@test
def large_messages_of_memory_that_is_not_registered_are_copied_once():
    for copied, resent in bulk("plain"):
        assert 4_000_000 <= copied <= 4_000_000 + resent * 1500, f"{copied} bytes copied, {resent} frames sent again"


@test
def large_messages_arrive_while_frames_are_lost_and_damaged():
    for memory in ("plain", "registered"):
        for way in WAYS:
            bulk(memory, "--progress", way, "--fabric", "loss=0.02,dup=0.01,reorder=0.01,corrupt=0.01")


@test
def a_node_that_never_comes_is_named():
    for way in WAYS:
        with Job(f"missing-{way}", [way] * 3, hello_limit=1) as job:
            job.nodes = [Storm(conf) for conf in job.confs[:2]]
            for node in job.nodes:
                node.ends(code=1)
                # On a busy machine one may have given up before the other began.
                assert re.search("has not found (?:node[01], )?node2; see that they run", node.err()), node.err()
                same(node.lines(), [], "reports")


@test
def the_launcher_lets_a_job_go_on_without_a_rank_when_it_is_told_to():
    with Program("run", "-n", 3, "--no-labels", "--keep-going", "--set", f"silence={SILENCE}", "--", STORM) as launcher:
        def reports():
            return [json.loads(line) for line in launcher.out().split("\n")[:-1]]

        joined = until(lambda: len(reports()) == 3 and reports(), "all have joined")
        pids = {report["node"]: report["pid"] for report in joined}
        os.kill(pids[2], signal.SIGKILL)
        until(lambda: launcher.err().count("node2 (node 2) is dead: nothing") == 2, f"both say so: {launcher.err()}")
        launcher.stop(code=1, err="rank 2 (" + STORM + ") was killed by signal 9")
        for report in reports():
            if report["when"] == "end":
                same([peer["wrong"] for peer in report["peers"].values()], [0, 0], "wrong messages")
        same(sorted(report["node"] for report in reports() if report["when"] == "end"), [0, 1], "ranks that end well")


run()
