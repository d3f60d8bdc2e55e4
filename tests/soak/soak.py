#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""All protocols at once on several nodes, for as long as wanted, while faults are switched on and off at random: frames
lost, repeated, reordered, damaged and delayed, cables cut, processes stopped. Ranks check all they receive; here is
looked at how far they get, and at memory and packets, which have to stay as they are. Ranks of odd numbers have an
lcore of their own; logical time is paranoid; and with an odd seed frames are authenticated.

Called with the program, the rank to run, and options: tools/soak does so. Prints TAP.
"""

import argparse
import os
import random
import re
import signal
import statistics
import sys
import time

PARTS = ("messages", "barriers", "requests", "channels", "datagrams", "puts", "gets", "isochrons", "schedules")
IMPAIRMENTS = {"loss": "0.05", "dup": "0.02", "reorder": "0.05", "corrupt": "0.02", "delay": "200us", "jitter": "100us"}
OFF = {"loss": "0", "dup": "0", "reorder": "0", "corrupt": "0", "delay": "0", "jitter": "0", "cut": "off"}
COUNTED = {"loss": ("lost",), "dup": ("duplicated",), "reorder": ("reordered",), "corrupt": ("corrupted",),
           "cut": ("cut_in", "cut_out")}  # what a fabric counts of faults
STOPPED = 0.5  # seconds that a process stands still or a cable is cut: far below what a peer may be silent
ROOM = 768 << 10  # bytes that memory of a process may have grown by in the second half: of what is reached once only
PACKETS = 8191  # in the pool of a rank
KEPT = 1024 + 64  # of them, what has been sent and lies in the ring of the link, and what a NIU has in stock
SLICE = 2.0  # seconds between two choices of faults


def parse():
    parser = argparse.ArgumentParser(prog="tools/soak", description="Run all protocols at once under faults.")
    parser.add_argument("program", help=argparse.SUPPRESS)
    parser.add_argument("rank", help=argparse.SUPPRESS)
    parser.add_argument("--minutes", type=float, default=1, metavar="N", help="how long (1)")
    parser.add_argument("--nodes", type=int, default=3, metavar="N", help="2 to 8 (3)")
    parser.add_argument("--seed", type=int, default=None, metavar="S", help="decides which faults come when")
    options = parser.parse_args()
    if not 2 <= options.nodes <= 8:
        parser.error(f"--nodes {options.nodes}: give 2 to 8")
    if options.minutes <= 0:
        parser.error(f"--minutes {options.minutes}: give more than 0")
    if options.seed is None:
        options.seed = random.randrange(1 << 31)
    options.rank = os.path.abspath(options.rank)
    return options


OPTIONS = parse()

# Which needs the program; help does not.
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "net"))
from net import UNHEARD, Node, Program, make_dir, run, same, test, until, work  # noqa: E402


def say(text):
    print(f"# {text}", flush=True)


class Ranks:
    """The ranks of a job, as a launcher has started them, and what they last said."""

    def __init__(self, launcher):
        self.launcher = launcher
        self.processes = {}
        until(self._find, "all ranks have joined the job")

    def _find(self):
        """The ranks are the children, somewhere below, that run the rank."""
        for pid in descendants(self.launcher.pid):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
                with open(f"/proc/{pid}/environ", "rb") as file:
                    rank = re.search(rb"(?:^|\0)ISOPLANE_RANK=(\d+)", file.read())
            except OSError:
                continue
            if words[0].decode() == OPTIONS.rank and rank:
                self.processes[int(rank[1])] = pid
        return len(self.processes) == OPTIONS.nodes and len(self.last()) == OPTIONS.nodes

    def last(self):
        """By rank, what it has counted."""
        said = {}
        for rank, counts in self.said("(?:at work|ended)"):
            said[int(rank)] = {name: int(count) for name, count in re.findall(r"(\w+)=(\d+)", counts)}
        return said

    def said(self, what):
        """The rest of all lines that begin so, with the rank."""
        return re.findall(rf"^\[(\d+)\] {what} (.*)$", self.launcher.out(), re.M)

    def packets(self, when):
        """In use, by rank: when it has "joined", or has "ended"."""
        return {int(rank): int(re.search(r"packets=(\d+)", rest)[1]) for rank, rest in self.said(when)}

    def memory(self):
        """Bytes of memory of its own that each has; hugepages and what is mapped of files play no part."""
        return {rank: own_memory(pid) for rank, pid in self.processes.items()}


def descendants(pid):
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
            for child in map(int, file.read().split()):
                found.append(child)
                try:
                    found += descendants(child)
                except OSError:
                    pass
    return found


def own_memory(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"RssAnon:\s+(\d+) kB", file.read())[1]) << 10


class Faults:
    def __init__(self, fabric, ranks, seed):
        self.fabric = fabric
        self.ranks = ranks
        self.random = random.Random(seed)
        self.counts = dict.fromkeys([*IMPAIRMENTS, "cut", "stopped", "fabric stopped", "none"], 0)

    def all_off(self):
        for port in range(OPTIONS.nodes):
            for key, value in OFF.items():
                self.set(port, key, value)

    def set(self, port, key, value):
        self.fabric.tell(f"set fabric port {port} {key} {value}")

    def choose(self):
        """What is on for a slice; some of it only for a moment, which this waits for."""
        self.all_off()
        kind = self.random.random()
        if kind < 0.2:
            self.counts["none"] += 1
        elif kind < 0.75:
            for port in self.random.sample(range(OPTIONS.nodes), self.random.randint(1, OPTIONS.nodes)):
                for key in self.random.sample(list(IMPAIRMENTS), self.random.randint(1, 3)):
                    self.set(port, key, IMPAIRMENTS[key])
                    self.counts[key] += 1
        elif kind < 0.85:
            port = self.random.randrange(OPTIONS.nodes)
            self.set(port, "cut", "on")
            time.sleep(STOPPED)
            self.set(port, "cut", "off")
            self.counts["cut"] += 1
        elif kind < 0.95:
            self.stop(self.ranks.processes[self.random.randrange(OPTIONS.nodes)], "stopped")
        else:
            self.stop(self.fabric.pid, "fabric stopped")

    def stop(self, pid, name):
        os.kill(pid, signal.SIGSTOP)
        time.sleep(STOPPED)
        os.kill(pid, signal.SIGCONT)
        self.counts[name] += 1


def job(directory):
    """A fabric that can be told faults, and a launcher whose ranks are on it."""
    names = [f"node{number}" for number in range(OPTIONS.nodes)]
    sockets = [f"virtio:{directory}/{name}" for name in names]
    with open(work("topology"), "w", encoding="ascii") as file:
        file.write(f"0 {' '.join(names)}\n")
    with open(work("key"), "w", encoding="ascii", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write(f"aes-gmac {os.urandom(32).hex()}\n")
    with open(work("soak.conf"), "w", encoding="ascii") as file:
        file.write("fmconfig=topology\njob-key=1995\n")
        if OPTIONS.seed % 2 != 0:
            file.write("key=key\n")
        file.writelines(f"host.{name}.link={socket},side=virtio\n" for name, socket in zip(names, sockets))
    fabric = Node("fabric,tm", ",".join(f"{socket},side=vhost" for socket in sockets), "--config", work("soak.conf"),
                  "--workers", 1, "--seed", OPTIONS.seed)
    return fabric, ["run", "--config", work("soak.conf"), "--paranoid", "--set", f"packets={PACKETS}", "--", OPTIONS.rank]


def growth(samples):
    """From the second quarter of a run to the last: medians, as samples come between. What leaks does so all the time:
    what came in one half of that alone is a queue that was longer for once than ever before."""
    part = len(samples) // 4
    second, third, last = (statistics.median(samples[quarter * part:(quarter + 1) * part]) for quarter in (1, 2, 3))
    return 2 * min(third - second, last - third)


@test
def all_protocols_at_once_under_faults():
    say(f"{OPTIONS.nodes} nodes, {OPTIONS.minutes:g} minutes, --seed {OPTIONS.seed}")
    fabric, words = job(make_dir("sockets"))
    with fabric.ready(), Program(*words) as launcher:
        ranks = Ranks(launcher)
        faults = Faults(fabric, ranks, OPTIONS.seed)
        memory, of_fabric, packets = [], [], []
        end = time.monotonic() + 60 * OPTIONS.minutes
        while time.monotonic() < end:
            before = ranks.last()
            faults.choose()
            time.sleep(SLICE)
            assert launcher.alive(), f"the job has ended: {launcher.out()[-2000:]}{launcher.err()}"
            memory.append(sum(ranks.memory().values()))
            of_fabric.append(own_memory(fabric.pid))
            packets.append(sum(rank["packets"] for rank in ranks.last().values()))
            note_stall(before, ranks)
        faults.all_off()
        until(lambda: all_moved(ranks), "every protocol moves again when all faults are off")
        launcher.process.send_signal(signal.SIGTERM)
        launcher.ends()
        verdicts = re.findall(r"^\[\d+\] agreed (.*)$", launcher.out(), re.M)
        same(len(verdicts), OPTIONS.nodes, "ranks that have a verdict")
        same(len(set(verdicts)), 1, f"orders of logical time among {verdicts}")
        assert "without" not in verdicts[0], verdicts[0]
        in_time = {name: int(count) for name, count in re.findall(r"(\w+)=(\d+)", verdicts[0])}
        assert in_time["signals"] > 0 and in_time["logical_barriers"] > 0, f"no signals, or no barriers: {verdicts[0]}"
        say(f"in logical time, the same for all: {in_time['signals']} signals, {in_time['logical_barriers']} barriers")
        fabric.stop(err=UNHEARD)
        report(faults, ranks, fabric)
        stayed_flat(ranks, memory, of_fabric, packets)


def note_stall(before, ranks):
    """Faults may hold everything up for a while, but not for long."""
    if ranks.last() == before:
        until(lambda: ranks.last() != before, "something moves under faults")


def all_moved(ranks, seen={}):
    now = ranks.last()
    first = seen.setdefault("first", now)
    return all(now[rank][part] > first[rank][part] for rank in now for part in PARTS)


def report(faults, ranks, fabric):
    counted = ranks.last()
    for part in PARTS:
        say(f"{part}: {sum(rank[part] for rank in counted.values())} received and right")
    say(f"datagrams: {sum(rank['dropped'] for rank in counted.values())} dropped and counted, none else")
    audits = {rank: said["audits"] for rank, said in counted.items()}
    say(f"accounts: {sum(audits.values())} times the sum was right")
    assert all(audits.values()), f"the accounts were not looked at: {audits}"
    say("faults: " + ", ".join(f"{count} {name}" for name, count in faults.counts.items() if count))
    ports = [port["counters"] for port in fabric.report()["fabric"]["ports"]]
    frames = {kind: sum(port[kind] for port in ports) for kinds in COUNTED.values() for kind in kinds}
    say("frames: " + ", ".join(f"{count} {kind}" for kind, count in frames.items()))
    for name, kinds in COUNTED.items():
        assert not faults.counts[name] or any(frames[kind] for kind in kinds), f"{name} was on, and nothing came of it"


def stayed_flat(ranks, memory, of_fabric, packets):
    before, after = ranks.packets("joined"), ranks.packets("ended")
    say(f"memory of all ranks: {memory[0] >> 10} KiB at first, {memory[-1] >> 10} KiB in the end; of the fabric "
        f"{of_fabric[0] >> 10} and {of_fabric[-1] >> 10} KiB; packets in use {min(packets)} to {max(packets)}, of each rank "
        f"{max(before.values())} before and {max(after.values())} in the end")
    for rank, in_use in after.items():
        assert in_use <= before[rank] + KEPT, f"rank {rank} has {in_use} packets in the end, {before[rank]} before"
    if len(memory) < 12:
        return
    for what, samples, room in (("memory of ranks", memory, OPTIONS.nodes * ROOM), ("memory of the fabric", of_fabric, ROOM),
                                ("packets in use", packets, OPTIONS.nodes * KEPT)):
        grown = growth(samples)
        say(f"{what} in the last quarter: {grown:+.0f} against the second, by the half of that in which less came")
        assert grown <= room, f"{what} grow: {samples[::max(1, len(samples) // 40)]}"


run()
