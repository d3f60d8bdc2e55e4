#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Logical time goes on without who dies: survival_test.py PROGRAM SURVIVOR HEIR RETURNER ORPHAN ORPHAN_SMM.

Ranks run `survivor`, which sends isochrons to all until some have left. Those who are left must have received the same,
at the same logical times, and so must have been told who left."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time

from net import LIMIT, UNHEARD, WORK, Node, Program, die_with_parent, run, same, test, until, work
from router import Router, addresses
from shared_node import SOCKET, SharedNode

SURVIVOR, HEIR, RETURNER, *ORPHANS = (os.path.abspath(path) for path in sys.argv[2:])
WAYS = ("inline", "lcore")
KEY = 7
# Long for a machine that is busy with other things, so that nobody is given up who only waits for a CPU.
LIMIT_OF_SILENCE = 3
MORE = 40000
# What others have to do with the CPUs meanwhile is in it, too.
NOTICED_WITHIN = 10 * LIMIT_OF_SILENCE * LIMIT / 60


def lines_of(launcher, rank=None):
    """What the ranks have said, or one of them."""
    found = re.findall(r"^\[(\d+)\] (\{.*\})$", launcher.out(), flags=re.M)
    return [json.loads(text) for number, text in found if rank is None or int(number) == rank]


def ready(launcher, ranks):
    """The process of each rank, when all have received something of all."""
    def pids():
        assert launcher.alive(), f"{launcher} has ended: {launcher.err()}"
        found = {rank: line["ready"] for rank in range(ranks) for line in lines_of(launcher, rank) if "ready" in line}
        return found if len(found) == ranks else None
    return until(pids, "isochrons of all are received")


def victim_of(launcher, rank):
    """Its process, which says nothing of itself."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
            words = file.read().split(b"\0")
            if f"ISOPLANE_RANK={rank}".encode() in words and parent_of(pid) == launcher.pid:
                return int(pid)
    raise AssertionError(f"there is no rank {rank} of {launcher}")


def parent_of(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return int(file.read().rsplit(")", 1)[1].split()[1])


def agree(reports, losses, errors=""):
    """What those who are left have said at the end."""
    for report in reports:
        assert report and "digest" in report[-1], f"one who is left ends with {report[-1:]}: {errors}"
    digests = {report[-1]["digest"] for report in reports}
    same(len(digests), 1, f"histories of those who are left: {reports}")
    notices = [[(line["left"], line["pulse"], line["view"]) for line in report if "left" in line] for report in reports]
    for told in notices:
        same(told, notices[0], "who has left, and when")
        same(sorted(host for host, _, _ in told), sorted(losses), "who has left")


def job(ranks, losses, *options):
    return Program("run", "-n", ranks, "--survive", LIMIT_OF_SILENCE, "--keep-going", *options, "--", SURVIVOR, losses)


def noticed(launcher, ranks, losses):
    """Waits until those ranks have been told of so many losses, and says how long that took."""
    began = time.monotonic()
    until(lambda: not launcher.alive() or all(sum("left" in line for line in lines_of(launcher, rank)) == losses
                                              for rank in ranks), "the others are told who has left")
    took = time.monotonic() - began
    print(f"# {losses} of {len(ranks) + losses} left, which was noticed within {took:.1f} s")
    assert took < NOTICED_WITHIN, f"that was noticed after {took:.1f} s, with a limit of {LIMIT_OF_SILENCE} s"


def kill_and_go_on(ranks, *victims, options=()):
    with job(ranks, len(victims), *options) as launcher:
        pids = ready(launcher, ranks)
        for victim in victims:
            os.kill(pids[victim], signal.SIGKILL)
        left = [rank for rank in range(ranks) if rank not in victims]
        noticed(launcher, left, len(victims))
        launcher.ends(code=1)
        agree([lines_of(launcher, rank) for rank in left], victims, launcher.err())


@test
def a_rank_that_is_killed_is_survived():
    for way in WAYS:
        kill_and_go_on(3, 1, options=("--progress", way))


@test
def so_are_two_at_once_and_links_that_lose():
    kill_and_go_on(5, 0, 3, options=("--fabric", "loss=0.01"))


@test
def so_is_one_where_a_frame_cannot_name_all():
    kill_and_go_on(5, 2, options=("--mtu", 144))


class Host:
    """survivor at a host of a network that the test has made."""

    def __init__(self, name, fmconfig, link, argument, *, program=SURVIVOR, life="", sections="", within=(), **lines):
        self.name = f"{os.path.basename(link)}-{name}{life}"
        lines = {"name": name, "role": "host", "fmconfig": fmconfig, "job-key": KEY, "link": link,
                 "survive": LIMIT_OF_SILENCE, **lines}
        conf = write(f"{self.name}.conf", "".join(f"{key}={value}\n" for key, value in lines.items()) + sections)
        with open(work(f"{self.name}.out"), "wb") as out, open(work(f"{self.name}.err"), "wb") as err:
            self.process = subprocess.Popen([*within, program, *str(argument).split()], stdin=subprocess.DEVNULL, stdout=out,
                                            stderr=err, preexec_fn=die_with_parent,
                                            env={**os.environ, "RUNTIME_DIRECTORY": WORK, "ISOPLANE_CONFIG": conf})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def lines(self):
        with open(work(f"{self.name}.out"), encoding="utf-8") as file:
            return [json.loads(line) for line in file.read().split("\n")[:-1]]

    def err(self):
        with open(work(f"{self.name}.err"), encoding="utf-8") as file:
            return file.read()

    def ready(self):
        self.says("ready")

    def complains(self, sentence):
        until(lambda: sentence in self.err() or self.process.poll() is not None, f"{self.name} says '{sentence}'")
        self.ends(code=1)
        assert sentence in self.err(), self.err()

    def goes_on(self):
        """More than what may have been on its way comes."""
        before = self.lines()[-1].get("goes_on", 0)
        self.says("goes_on", lambda received: received > before + MORE)

    def says(self, what, suits=lambda value: True):
        def said():
            return any(what in line and suits(line[what]) for line in self.lines())
        until(lambda: said() or self.process.poll() is not None, f"{self.name} says '{what}'")
        assert said(), f"{self.name} has ended: {self.err()}"

    def ends(self, code=0):
        try:
            self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.name} does not end: {self.lines()}, {self.err()}") from None
        same(self.process.returncode, code, f"exit code of {self.name}, which says '{self.err().strip()}'")
        return self.lines()


def write(name, text):
    with open(work(name), "w", encoding="utf-8") as file:
        file.write(text)
    return work(name)


def links_of(name, count):
    return [f"virtio:{work(f'{name}{i}')}" for i in range(count)]


def stood_in_for(encapsulation):
    network = write("own", "0 alice bob carol clock:t\n")
    links = links_of(f"own{encapsulation}", 4)
    names = ("alice", "bob", "carol")
    addresses = "".join(f"[host.{name}]\nip=10.1.0.{1 + node}/24\n" for node, name in enumerate((*names, "clock")))
    its = {"encapsulation": encapsulation, "sections": addresses if encapsulation == "udp" else ""}
    conf = write(f"own{encapsulation}.conf", f"job-key={KEY}\nfmconfig={network}\nname=clock\nsurvive={LIMIT_OF_SILENCE}\n"
                                             f"encapsulation={encapsulation}\n{its['sections']}")
    with Node("fabric", ",".join(links)) as fabric:
        fabric.ready()
        with Node("tm", links[3], "--config", conf) as clock:
            hosts = [Host(name, network, link, 1, **its) for name, link in zip(names, links)]
            with hosts[0] as alice, hosts[1] as bob, hosts[2] as carol:
                for host in hosts:
                    host.ready()
                views = [member["node"] for member in clock.ask("show tokens json")[0]["membership"]["members"]]
                same(sorted(views), ["alice", "bob", "carol", "clock"], "members")
                clock.process.kill()
                clock.process.wait()
                alice.goes_on()
                bob.process.kill()
                agree([alice.ends(), carol.ends()], [1])
        fabric.stop(err=UNHEARD)


@test
def a_token_manager_that_is_killed_is_stood_in_for():
    for encapsulation in ("ethernet", "udp"):
        stood_in_for(encapsulation)


@test
def so_is_one_behind_a_router_until_it_is_back():
    names = ("alice", "bob", "carol", "clock")
    network = write("routed", f"0 {' '.join(names)}:t\n")
    conf = write("routed.conf", f"job-key={KEY}\nfmconfig={network}\nname=clock\nsurvive={LIMIT_OF_SILENCE}\n"
                                f"encapsulation=udp\n{addresses(names)}")
    with Router(len(names)) as router:
        *places, at_clock = router.stations
        with Node("tm", "afpacket:veth0", "--config", conf, **at_clock.how) as clock:
            hosts = [Host(name, network, "afpacket:veth0", 1, within=place.within, encapsulation="udp", sections=addresses(names))
                     for name, place in zip(names, places)]
            with hosts[0] as alice, hosts[1] as bob, hosts[2] as carol:
                for host in hosts:
                    host.ready()
                clock.process.kill()
                clock.process.wait()
                alice.goes_on()
                with Node("tm", "afpacket:veth0", "--config", conf, **at_clock.how) as again:
                    until(lambda: {"node": "clock", "played_by": "clock"}
                          in again.ask("show tokens json")[0]["membership"]["members"], "it is back")
                    alice.goes_on()
                    bob.process.kill()
                    agree([alice.ends(), carol.ends()], [1])
                    again.stop(err=UNHEARD)


def manager_stood_in_for(network, links, node):
    with node:
        node.ready()
        with (Host("alice", network, links[0], 1, **{"token-manager": "tm@0"}) as alice,
              Host("bob", network, links[1], 1) as bob, Host("carol", network, links[2], 1) as carol):
            for host in (alice, bob, carol):
                host.ready()
            alice.process.kill()
            agree([bob.ends(), carol.ends()], [0])
        node.stop(err=UNHEARD)


@test
def so_is_a_host_that_manages_its_switch():
    network = write("manages", "0 alice bob carol\n")
    links = links_of("manages", 3)
    manager_stood_in_for(network, links, Node("fabric", ",".join(links)))


@test
def so_is_one_that_is_a_client_of_a_shared_node_by_others():
    network = write("clients", "0 alice bob carol\n")
    manager_stood_in_for(network, [f"shared:{SOCKET}"] * 3, SharedNode())


@test
def who_was_only_stopped_is_told_that_the_others_went_on():
    network = write("stopped", "0 alice bob carol\n")
    links = links_of("stopped", 3)
    with Node("fabric,tm", ",".join(links), "--job-key", KEY, "--fmconfig", network, "--survive",
              LIMIT_OF_SILENCE) as fabric:
        fabric.ready()
        with (Host("alice", network, links[0], 1) as alice, Host("bob", network, links[1], 1) as bob,
              Host("carol", network, links[2], 1) as carol):
            for host in (alice, bob, carol):
                host.ready()
            bob.process.send_signal(signal.SIGSTOP)
            agree([alice.ends(), carol.ends()], [1])
            bob.process.send_signal(signal.SIGCONT)
            bob.ends(code=1)
            assert "gone on in logical time without this node" in bob.err(), bob.err()
        fabric.stop(err=UNHEARD)


NO_MAJORITY = "logical time stands still: a majority of its members"


def says_of(node, name, sentence):
    """What `isoplane node` says once of a host or token manager."""
    def lines():
        return [line for line in node.err().splitlines() if line.startswith(f"isoplane node: {name}: {sentence}")]
    until(lambda: lines() or not node.alive(), f"{node} says '{sentence}'")
    same(len(lines()), 1, f"times that {node} says '{sentence}', which says '{node.err()}'")


@test
def who_is_cut_off_says_so_and_is_told_later_that_the_others_went_on():
    network = write("cut", "0 alice bob carol dave\n")
    links = links_of("cut", 4)
    settings = ("--job-key", KEY, "--fmconfig", network, "--survive", LIMIT_OF_SILENCE)
    with Node("fabric,tm", ",".join(links), *settings) as fabric:
        fabric.ready()
        with (Host("alice", network, links[0], 2) as alice, Host("bob", network, links[1], 2) as bob,
              Host("carol", network, links[2], 2) as carol, Node("host", links[3], *settings, "--name", "dave") as dave):
            for host in (alice, bob, carol):
                host.says("goes_on")
            for port in (2, 3):
                fabric.tell(f"set fabric port {port} cut on")
            agree([alice.ends(), bob.ends()], [2, 3])
            carol.complains(NO_MAJORITY)
            says_of(dave, "dave", NO_MAJORITY)
            fabric.tell("set fabric port 3 cut off")
            says_of(dave, "dave", "the others have gone on in logical time without this node")
            membership = dave.ask("show tokens json")[0]["membership"]
            same((membership["given_up"], "gone on" in membership["trouble"]), (True, True), "what is shown of it")
            dave.stop(err=UNHEARD)
        fabric.stop(err=UNHEARD)


@test
def where_neither_half_has_a_majority_all_stand_still_until_the_cable_is_whole():
    network = write("halves", "0 alice bob carol\n")
    links = links_of("halves", 4)
    with (Node("fabric", ",".join((links[0], links[1], links[3]))).ready() as left,
          Node("fabric,tm", ",".join((links[2], links[3])), "--job-key", KEY, "--fmconfig", network, "--survive",
               LIMIT_OF_SILENCE).ready() as right):
        # No half is to give up the other for good, however long this takes.
        with contextlib.ExitStack() as all_hosts:
            hosts = [all_hosts.enter_context(Host(name, network, link, "1 patient", silence=600))
                     for name, link in zip(("alice", "bob", "carol"), links)]
            for host in hosts:
                host.ready()
            left.tell("set fabric port 2 cut on")
            for host in hosts:
                host.says("stands")
            says_of(right, "tm@0", NO_MAJORITY)
            left.tell("set fabric port 2 cut off")
            for host in hosts:
                host.says("moves")
                same(told_of(host, "moves"), told_of(host, "stands"), "what was received when time stood still")
                host.goes_on()
            says_of(right, "tm@0", "logical time goes on")
            hosts[1].process.kill()
            agree([hosts[0].ends(), hosts[2].ends()], [1])
        for fabric in (left, right):
            fabric.stop(err=UNHEARD)


def told_of(host, what):
    return [line[what] for line in host.lines() if what in line]


def told(lines, what):
    return [(line[what], line["pulse"], line["view"]) for line in lines if what in line]


def start_again(hosts, victim, *fabric_options, missed=False, **lines):
    """One of them is killed and started again, perhaps only when the others have been told that it has left; from then on
    all receive the same, and all copies of pages are alike."""
    label = f"again{hosts}{victim}{lines.get('progress', '')}{'missed' if missed else ''}"
    names = [f"host{i}" for i in range(hosts)]
    network = write(label, f"0 {' '.join(names)}\n")
    links = links_of(label, hosts)
    with Node("fabric,tm", ",".join(links), "--job-key", KEY, "--fmconfig", network, "--survive", LIMIT_OF_SILENCE,
              *fabric_options) as fabric, contextlib.ExitStack() as all_hosts:
        fabric.ready()

        def start(i, life=""):
            return all_hosts.enter_context(Host(names[i], network, links[i], victim, program=RETURNER, life=life, **lines))
        ranks = [start(i) for i in range(hosts)]
        for rank in ranks:
            rank.ready()
        ranks[victim].process.kill()
        ranks[victim].process.wait()
        if missed:
            for rank in ranks[:victim] + ranks[victim + 1:]:
                rank.says("left")
        ranks[victim] = start(victim, "again")
        reports = [rank.ends() for rank in ranks]
        same(len({(report[-1]["digest"], report[-1]["memory"], report[-1]["pulse"]) for report in reports}), 1,
             f"histories and pages: {[report[-1] for report in reports]}")
        for report in reports:
            same(told(report, "joined"), told(reports[0], "joined"), "who has joined, and when")
            same([host for host, _, _ in told(report, "joined")], [victim], "who has joined")
        fabric.stop(err=UNHEARD)


@test
def who_starts_again_joins_with_the_pages_as_they_are():
    for way in WAYS:
        start_again(3, 1, progress=way)
        start_again(3, 1, progress=way, missed=True)


@test
def so_does_one_of_five_over_links_that_lose():
    start_again(5, 3, "--fabric", "loss=0.01")


@test
def shared_memory_is_what_is_left_of_it():
    for way in WAYS:
        with Program("run", "-n", 3, "--survive", LIMIT_OF_SILENCE, "--keep-going", "--progress", way, "--",
                     HEIR) as launcher:
            until(lambda: launcher.out().count("ready") == 2, "what is scheduled is waited for")
            victim = victim_of(launcher, 1)
            os.kill(victim, signal.SIGKILL)
            launcher.ends(code=1)
            same(launcher.out().count("heir"), 2, f"who counted to the end: {launcher.err()}")


@test
def programs_of_the_1990s_end_with_a_sentence_when_what_they_wait_for_is_lost():
    pages = write("pages", "0: 0, 1, 2;\n")
    with contextlib.ExitStack() as launchers:
        jobs = [launchers.enter_context(Program("run", "-n", 3, "--survive", LIMIT_OF_SILENCE, "--keep-going",
                                                "--shmem-map", pages, "--", orphan)) for orphan in ORPHANS]
        for launcher in jobs:
            until(lambda: launcher.out().count("waits") == 2, "what is scheduled is waited for")
            os.kill(victim_of(launcher, 1), signal.SIGKILL)
        for launcher, call in zip(jobs, ("read_iso_var32", "iso_retrieve")):
            launcher.ends(code=1)
            sentence = f"{call}(): what was read in shared memory is lost with a host that has died"
            same(launcher.err().count(sentence), 2, f"who says '{sentence}': {launcher.err()}")
            assert "it has" not in launcher.out(), launcher.out()


run()
