#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Programs in logical time, for the historical interfaces, built against what is installed and run by the launcher:
isotach_test.py PROGRAM BUILD_DIRECTORY."""

import contextlib
import os
import re
import signal
import time

from installed import WAYS, build, install, job
from jobs import Job, frames_lost
from net import UNHEARD, Node, Program, ask_telemetry, run, same, test, until, work

SIZES = ((2, "inline"), (2, "lcore"), (3, "lcore"), (5, "inline"))  # of jobs, and how they make progress
LOSS = "loss=0.01"
ISOCHRONS = 200


def in_order(nodes):
    """What a node says: so many isochrons of 1 to 3 messages, in turn, from each."""
    messages = sum(1 + (host + i) % 3 for host in range(nodes) for i in range(ISOCHRONS))
    return f"{messages} messages, in the same order everywhere"


def everywhere(program, line, *arguments):
    """Runs it in jobs of these sizes; `line(nodes)` is what each node says. Two jobs run beside each other, one of them on
    a fabric that loses frames."""
    for nodes, way in SIZES:
        words = ("run", "-n", nodes, "--progress", way, "--stats")
        with Program(*words, "--", work(f"{program}-cc"), *arguments) as plain, \
                Program(*words, "--fabric", LOSS, "--", work(f"{program}-cc"), *arguments) as lossy:
            for launcher in (plain, lossy):
                same(sorted(launcher.ends(err="port of rank").out().splitlines()),
                     [f"[{i}] {line(nodes)}" for i in range(nodes)], f"{launcher}")
                same(frames_lost(launcher) > 0, launcher is lossy, f"frames are lost by {launcher}")


@test
def the_library_and_its_headers_are_installed():
    install()


@test
def programs_build_as_c_and_as_cxx():
    for name in ("isoorder", "isogroup", "isolost", "isomsg", "isoping", "isostream", "mixed", "wrong"):
        build(name, "cc")
    for name in ("isoorder", "isomsg"):
        build(name, "c++", "-fpermissive", "-w")


@test
def all_execute_the_isochrons_of_all_in_the_same_order():
    everywhere("isoorder", in_order, ISOCHRONS)


@test
def what_is_for_the_dead_takes_nothing_else_with_it():
    for way in WAYS:
        with Program("run", "-n", 3, "--keep-going", "--survive", 2, "--progress", way, "--", work("isolost-cc"),
                     2000) as launcher:
            launcher.ends(code=1, err="killed")
            same(sorted(launcher.out().splitlines()), ["[0] 2000 isochrons sent", "[1] 2000 messages, none missing"], way)


@test
def signals_and_barriers_come_in_their_place():
    everywhere("isogroup", lambda nodes: "40 barriers and 40 signals, each in its place", 40)


@test
def handlers_are_called_in_the_order_of_all():
    everywhere("isomsg", lambda nodes: f"{100 * nodes} transfers, the same books everywhere", 100)


@test
def both_kinds_of_messages_go_together():
    everywhere("mixed", lambda nodes: "300 messages in logical time, 300 outside", 300)


@test
def isochrons_go_there_and_back_and_stream_between_barriers():
    everywhere("isoping", lambda nodes: "200 rounds", 64, 200)
    everywhere("isostream", lambda nodes: "3 rounds of 300 isochrons", 1000, 300, 3)


@test
def the_order_holds_on_a_fabric_that_does_its_worst():
    for way in WAYS:
        same(job(3, "--progress", way, "--fabric", "loss=0.01,dup=0.01,reorder=0.01,corrupt=0.01", "--",
                 work("isoorder-cc"), ISOCHRONS), [f"[{i}] {in_order(3)}" for i in range(3)], way)


@test
def messages_that_do_not_fit_a_frame_are_in_the_order_of_all():
    for way in WAYS:
        same(job(3, "--progress", way, "--fabric", LOSS, "--", work("isoorder-cc"), ISOCHRONS, 60000),
             [f"[{i}] {in_order(3)}" for i in range(3)], way)


@test
def a_paranoid_job_checks_every_message_and_finds_nothing():
    for way in WAYS:
        same(job(3, "--paranoid", "--progress", way, "--fabric", LOSS, "--", work("isoorder-cc"), ISOCHRONS, 10000),
             [f"[{i}] {in_order(3)}" for i in range(3)], way)


@test
def more_tokens_ahead_keep_the_order():
    for ahead in (2, 8):
        same(job(3, "--tokens-ahead", ahead, "--", work("isoorder-cc"), ISOCHRONS),
             [f"[{i}] {in_order(3)}" for i in range(3)], f"{ahead} ahead")


@test
def a_token_manager_may_run_beside_a_program():
    same(job(1, "--tm", "none", "--set", "token-manager=tm@0", "--", work("isoorder-cc"), ISOCHRONS),
         [f"[0] {in_order(1)}"], "what the one node says")


@test
def two_hosts_may_be_joined_to_each_other():
    for way in WAYS:
        for more in ((), ("--authenticate",), ("--tokens-ahead", 4)):
            same(job(2, "--link", "direct", "--progress", way, *more, "--", work("isoorder-cc"), ISOCHRONS),
                 [f"[{i}] {in_order(2)}" for i in range(2)], f"{way} {more}")


@test
def what_can_never_be_done_ends_the_program():
    ways = {"size": "65536 bytes is too large, they have at most 65535", "parts": "more than hosts can have on their way",
            "closed": "iso_send() needs a connection", "plain": "iso_send() needs logical time"}
    for what, sentence in ways.items():
        for way in WAYS:
            with Program("run", "-n", 2, "--progress", way, "--", work("wrong-cc"), what) as launcher:
                assert sentence in launcher.ends(code=1, err="exited with 1").err(), (what, launcher.err())


@test
def a_node_that_falls_silent_ends_those_that_wait_for_it():
    for way in WAYS:
        with Program("run", "-n", 3, "--progress", way, "--set", "silence=3", "--grace", 0.2, "--", work("wrong-cc"),
                     "silence") as launcher:
            assert "node1" in launcher.ends(code=1, err="exited with 1").err(), launcher.err()


class OwnManager:
    """A fabric, a token manager in a process of its own at its last port, and a job of two hosts that order so many
    isochrons."""

    def __init__(self, name, isochrons, *options, journal=()):
        self.stack = contextlib.ExitStack()
        wires = [f"virtio:{work(f'{name}{port}')}" for port in range(3)]
        with open(work(f"{name}.network"), "w", encoding="utf-8") as file:
            file.write("0 node0 node1 clock:t\n")
        with open(work(f"{name}.conf"), "w", encoding="utf-8") as file:
            file.write(f"fmconfig={name}.network\njob-key=7\n")
            file.writelines(f"host.node{host}.link={wires[host]}\n" for host in range(2))
        with contextlib.ExitStack() as stack:
            self.fabric = stack.enter_context(Node("fabric", ",".join(wires)).ready())
            self.manager = stack.enter_context(Node("tm", wires[2], "--job-key", 7, "--fmconfig",
                                                    work(f"{name}.network")).ready())
            self.job = stack.enter_context(Job("--config", work(f"{name}.conf"), *options, "--", work("isoorder-cc"),
                                               isochrons, *journal))
            self.stack = stack.pop_all()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.manager.process.send_signal(signal.SIGCONT)
        self.stack.close()

    def is_stopped_under_traffic(self):
        """The token manager is, and time with it: what its hosts have begun does not end."""
        until(lambda: self.fabric.ask("show fabric json")["ports"][0]["counters"]["in"] > 1000 or not self.job.alive(),
              "isochrons are under way")
        self.manager.process.send_signal(signal.SIGSTOP)

    def shows_what_waits(self):
        """All of it is in the buckets of later pulses, at both hosts: messages, and a marker for each own isochron."""
        reports = [ask_telemetry(path, "/isoplane/buckets", "/isoplane/time") for path in self.job.telemetry()]
        same(len(reports), 2, f"hosts that answer: {reports}")
        for buckets, times in ((list(buckets.values()), times["isotach"]) for buckets, times in reports):
            same({bucket["host"] for bucket in buckets}, {"node0", "node1"}, f"whose messages wait in {buckets}")
            assert all(bucket["pulse"] > times["executed_pulse"] for bucket in buckets), f"{buckets}, {times}"
            same((sum(bucket["waiting"] for bucket in buckets), sum(bucket["missing"] for bucket in buckets)),
                 (times["waiting"] + times["outstanding"], 0), f"what waits, and what is missing, of {buckets}")

    def ends_clean(self):
        self.manager.stop(err=UNHEARD)
        self.fabric.stop(err=UNHEARD)


MANY = 60000  # which nobody has done before the token manager can be stopped


@test
def time_goes_on_when_its_token_manager_does():
    for way in WAYS:
        messages = sum(1 + (host + i) % 3 for host in range(2) for i in range(MANY))
        with OwnManager(f"pause-{way}", MANY, "--progress", way) as network:
            network.is_stopped_under_traffic()
            time.sleep(3)
            assert network.job.alive() and network.job.out() == "", f"{network.job} did not wait: {network.job.out()}"
            if way == "lcore":
                network.shows_what_waits()
            network.manager.process.send_signal(signal.SIGCONT)
            same(sorted(network.job.ends().out().splitlines()),
                 [f"[{i}] {messages} messages, in the same order everywhere" for i in range(2)], way)
            network.ends_clean()


def journal(path, node):
    with open(f"{path}.{node}", encoding="ascii") as file:
        return [tuple(map(int, line.split())) for line in file]


def whole_isochrons(lines):
    """What is in a journal, (host, number) by (host, number); each has all its messages, one behind the other."""
    found, at = [], 0
    while at < len(lines):
        host, number, _ = lines[at]
        parts = 1 + (host + number) % 3
        same(lines[at:at + parts], [(host, number, part) for part in range(parts)], f"isochron {number} of host {host}")
        found.append((host, number))
        at += parts
    return found


def have_one_history(path, nodes):
    """Hosts 0 and 1, of so many, as far as they have come, which is not to the end."""
    first, second = (whole_isochrons(journal(path, node)) for node in range(2))
    shorter = min(len(first), len(second))
    assert 0 < shorter < nodes * MANY, f"{len(first)} and {len(second)} isochrons"
    same(first[:shorter], second[:shorter], "isochrons, in order")


@test
def everybody_is_told_when_time_stands_still_for_too_long():
    """And none has half of an isochron, or one that comes elsewhere before it."""
    for way in WAYS:
        path = work(f"journal-{way}")
        with OwnManager(f"halt-{way}", MANY, "--progress", way, "--set", "silence=3", "--grace", 20,
                        journal=(60, path)) as network:
            network.is_stopped_under_traffic()
            said = network.job.ends(code=1, err="exited with 1").err()
            same(said.count("logical time stands still at pulse"), 2, f"hosts that say so: {said}")
            same(said.count("no token from clock"), 2, f"hosts that say why: {said}")
            same(network.job.out(), "", "what no host says")
        have_one_history(path, 2)


@test
def one_that_is_killed_under_traffic_ends_those_that_order_with_it():
    """Each with a sentence, of the host or of time, and with whole isochrons in one order."""
    for way in WAYS:
        path = work(f"killed-{way}")
        with Program("run", "-n", 3, "--progress", way, "--set", "silence=3", "--keep-going", "--", "sh", "-c",
                     f'echo $$ >{path}.pid.$ISOPLANE_RANK; exec "$@"', "sh", work("isoorder-cc"), MANY, 60,
                     path) as launcher:
            until(lambda: all(os.path.exists(f"{path}.{node}") and os.path.getsize(f"{path}.{node}") > 100_000
                              for node in range(3)) or not launcher.alive(), "isochrons are under way")
            assert launcher.alive(), f"{launcher} has ended: {launcher.err()}"
            with open(f"{path}.pid.2", encoding="ascii") as file:
                os.kill(int(file.read()), signal.SIGKILL)
            said = launcher.ends(code=1, err="killed by signal 9").err()
        same(sorted(re.findall(r"\[(\d)\] isoplane: (?:node2 \(node 2\) is dead: nothing|logical time stands still)", said)),
             ["0", "1"], f"hosts that say so: {said}")
        same(launcher.out(), "", "what no host says")
        have_one_history(path, 3)


@test
def one_that_never_starts_is_named_to_all_who_wait_for_it():
    for way in WAYS:
        with Program("run", "--progress", way, "--set", "hello-limit=1", "--grace", 60, "-n", 2, "--", work("isoorder-cc"),
                     10, ":", "-n", 1, "--", "sleep", 5) as launcher:
            said = launcher.ends(code=1, err="exited with 1").err()
            # They may miss each other, too, when they start at different times.
            same(len(re.findall("has not found (?:node[01], )?node2; see that they run", said)), 2, f"hosts that say so: {said}")
        same(launcher.out(), "", "what no host says")


run()
