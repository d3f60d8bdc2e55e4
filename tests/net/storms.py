# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Jobs of `storm` on a fabric of our own, whose nodes are started and stopped one by one."""

import json
import os
import signal
import subprocess

from net import LIMIT, WORK, Node, die_with_parent, same, until, work

KEY = 7
# Long for a machine that is busy with other things, so that nobody is taken for dead who only waits for a CPU.
SILENCE = 4
PATIENT = 60


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
    program = None  # its path, which the script is told

    def __init__(self, conf):
        super().__init__(Storm.program, ISOPLANE_CONFIG=conf)

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
