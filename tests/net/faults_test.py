#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""What a job does when things fail: faults_test.py PROGRAM STORM HOSTILE BULK.

Nodes run `storm`: all send to all, and each message is checked. A node is killed, stopped, or started again, a cable
is cut, somebody forges frames: those who are not concerned must not notice, and those who are must say so."""

import json
import os
import signal
import subprocess
import sys
import time

from net import LIMIT, UNHEARD, WORK, Node, Program, die_with_parent, needs_root, run, same, test, until, work

STORM, HOSTILE, BULK = (os.path.abspath(path) for path in sys.argv[2:5])
WAYS = ("inline", "lcore")
KEY = 7
HOSTILE_FRAMES = 100_000
# Long for a machine that is busy with other things, so that nobody is taken for dead who only waits for a CPU.
SILENCE = 2
PATIENT = 60
BACK = "node{0} (node {0}) is back, and knows nothing of what was before\n"


class Child:
    """A program of ours as a child, whose lines are read while it runs."""

    _started = 0

    def __init__(self, *words, **variables):
        Child._started += 1
        self.name = f"{os.path.basename(words[0])}-{Child._started}"
        self.out_path, self.err_path = work(f"{self.name}.out"), work(f"{self.name}.err")
        with open(self.out_path, "wb") as out, open(self.err_path, "wb") as err:
            # What DPDK keeps of a process that is killed goes with the test's directory.
            self.process = subprocess.Popen([str(word) for word in words], stdin=subprocess.PIPE, stdout=out,
                                            stderr=err, preexec_fn=die_with_parent,
                                            env={**os.environ, "RUNTIME_DIRECTORY": WORK, **variables})

    def lines(self):
        with open(self.out_path, encoding="utf-8") as file:
            return [json.loads(line) for line in file.read().split("\n")[:-1]]

    def err(self):
        with open(self.err_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def says(self, sentence):
        try:
            until(lambda: sentence in self.err() or not self.alive(), f"{self.name} says '{sentence}'")
        finally:
            assert sentence in self.err(), f"{self.name} says '{self.err()}', expected '{sentence}'"

    def alive(self):
        return self.process.poll() is None

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        if self.alive():
            self.process.kill()
        self.process.wait()
        self.process.stdin.close()

    def ends(self, code=0):
        try:
            self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.name} does not end, and says '{self.err()}'") from None
        same(self.process.returncode, code, f"exit code of {self.name}, which says '{self.err().strip()}'")


class Storm(Child):
    def __init__(self, conf):
        super().__init__(STORM, ISOPLANE_CONFIG=conf)

    def joined(self):
        until(lambda: self.lines() or not self.alive(), f"{self.name} has joined")
        assert self.lines(), f"{self.name} has not joined: {self.err()}"

    def ask(self):
        """How it stands."""
        before = len(self.lines())
        self.signal(signal.SIGUSR1)
        until(lambda: len(self.lines()) > before or not self.alive(), f"{self.name} reports")
        assert len(self.lines()) > before, f"{self.name} has ended: {self.err()}"
        return self.lines()[before]

    def received(self, peer):
        """How many messages from a peer, in all its lives."""
        return sum(self.ask()["peers"][str(peer)]["received"])

    def last(self):
        return self.lines()[-1]


class Job:
    """A fabric of our own, and nodes at its first ports that are started and stopped one by one."""

    def __init__(self, name, ways, further_ports=0, **settings):
        self.ports = [work(f"{name}{port}") for port in range(len(ways) + further_ports)]
        self.fabric = Node("fabric", ",".join(f"virtio:{port}" for port in self.ports)).ready()
        self.confs = [self.write_conf(name, node, ways, settings) for node in range(len(ways))]
        self.nodes = []

    def write_conf(self, name, node, ways, settings):
        fmconfig = work(f"{name}.fmconfig")
        with open(fmconfig, "w", encoding="utf-8") as file:
            file.write(" ".join(["0", *(f"node{i}" for i in range(len(ways)))]) + "\n")
        lines = {"role": "host", "id": node, "fmconfig": fmconfig, "job-key": KEY, "link": f"virtio:{self.ports[node]}",
                 "progress": ways[node], **settings}
        path = work(f"{name}{node}.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{key.replace('_', '-')}={value}\n" for key, value in lines.items())
        return path

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for node in (*self.nodes, self.fabric):
            node.kill()

    def start(self):
        self.nodes = [Storm(conf) for conf in self.confs]
        for node in self.nodes:
            node.joined()
        self.all_talk()
        return self

    def start_again(self, node):
        self.nodes[node].kill()
        self.nodes[node] = Storm(self.confs[node])
        self.nodes[node].joined()

    def all_talk(self, among=None, messages=300):
        """Waits until each has got so many further messages of each other."""
        among = range(len(self.nodes)) if among is None else among
        before = {to: self.nodes[to].ask()["peers"] for to in among}
        for to in among:
            for other in among:
                if other != to:
                    enough = sum(before[to][str(other)]["received"]) + messages
                    until(lambda: self.nodes[to].received(other) >= enough, f"node {to} hears node {other}")

    def stop(self, among=None):
        """Ends those nodes together. What each has sent to another is what that has received."""
        among = range(len(self.nodes)) if among is None else among
        for node in among:
            self.nodes[node].signal(signal.SIGTERM)
        for node in among:
            self.nodes[node].ends()
        reports = {node: self.nodes[node].last() for node in among}
        for node in among:
            same(reports[node]["when"], "end", "last report")
            for peer, counts in reports[node]["peers"].items():
                same(counts["wrong"], 0, f"wrong messages from {peer} at {node}")
                if int(peer) in reports:
                    same(counts["sent"][-1], reports[int(peer)]["peers"][str(node)]["received"][-1],
                         f"messages from {node} that have arrived at {peer}")
        return reports

    def nobody_is_lost(self, reports):
        for node, report in reports.items():
            same(report["niu"]["peers_lost"], 0, f"peers lost at {node}")
            same(self.nodes[node].err(), "", f"what node {node} says")

    def dead(self, node, seconds=SILENCE):
        return f"node{node} (node {node}) is dead: nothing has been heard of it for {seconds} s\n"

    def fabric_ports(self):
        return self.fabric.ask("show fabric json")["ports"]


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
        with Job(f"missing-{way}", [way] * 3, hello_limit=0.5) as job:
            job.nodes = [Storm(conf) for conf in job.confs[:2]]
            for node in job.nodes:
                node.ends(code=1)
                assert "has not found node2; see that they run" in node.err(), node.err()
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
