#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Token managers beside a fabric, on a link of their own, and in a job; nodes that are hosts: tm_test.py PROGRAM
TIMEKEEPER BYSTANDER.

Hosts run `timekeeper`, which keeps logical time and does nothing else, or `bystander`, which is a whole program."""

import json
import os
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

from jobs import Job
from net import (LIMIT, UNHEARD, WORK, Node, Program, ask_telemetry, die_with_parent, run, run_time_directory, same, test,
                 until, work)

TIMEKEEPER, BYSTANDER = (os.path.abspath(path) for path in sys.argv[2:4])
PULSES = 1000
KEY = ("--job-key", 7)
ALONE = "null:,no-rx=1"


def write(name, text):
    with open(work(name), "w", encoding="utf-8") as file:
        file.write(text)
    return work(name)


ONE_SWITCH = write("one", "0 alice bob\n")
OWN_PORT = write("own", "0 alice bob clock:t\n")
TWO_SWITCHES = write("two", "10 alice 20\n20 bob 10\n")


class Host:
    """timekeeper at a host of a network."""

    def __init__(self, name, fmconfig, link, **lines):
        self.name = f"{os.path.basename(link)}-{name}"
        lines = {"name": name, "role": "host", "fmconfig": fmconfig, "job-key": 7, "link": link, **lines}
        conf = write(f"{self.name}.conf", "".join(f"{key}={value}\n" for key, value in lines.items()))
        with open(work(f"{self.name}.out"), "wb") as out, open(work(f"{self.name}.err"), "wb") as err:
            self.process = subprocess.Popen([TIMEKEEPER], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                            preexec_fn=die_with_parent,
                                            env={**os.environ, "RUNTIME_DIRECTORY": WORK, "ISOPLANE_CONFIG": conf})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def said(self, ending):
        with open(work(f"{self.name}.{ending}"), encoding="utf-8") as file:
            return file.read()

    def ended(self):
        """The pulse that has ended last here."""
        before = self.said("out").count("\n")
        self.process.send_signal(signal.SIGUSR1)
        until(lambda: self.said("out").count("\n") > before or self.process.poll() is not None, f"{self.name} reports")
        assert self.process.poll() is None, f"{self.name} has ended: {self.said('err')}"
        return json.loads(self.said("out").splitlines()[before])["ended"]

    def starts(self):
        until(lambda: self.said("out") or self.process.poll() is not None, f"{self.name} is there")
        return self

    def ask_to_end(self):
        self.process.send_signal(signal.SIGTERM)

    def ends(self):
        try:
            self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.name} does not end: {self.said('err')}") from None
        same((self.process.returncode, self.said("err")), (0, ""), f"exit code and errors of {self.name}")
        return json.loads(self.said("out").splitlines()[-1])["ended"]


def tokens(node, manager):
    return node.ask(f"show tokens {manager} json")


def complete(node):
    return node.ask("show pulse json")[0]["token_complete"]


def time_goes_on(node, hosts):
    """Wherever it is looked at."""
    until(lambda: complete(node) > PULSES, "the token manager has seen many pulses")
    for host in hosts:
        now = host.ended()
        until(lambda: host.ended() > now + PULSES, f"time goes on at {host.name}")


def leave(*hosts):
    for host in hosts:
        host.ask_to_end()
    for host in hosts:
        host.ends()


@test
def alone_it_waits_for_its_hosts_and_says_so():
    with Node("fabric,tm", f"{ALONE},{ALONE}", "--fmconfig", ONE_SWITCH, "--tokens-ahead", 3) as node:
        report = until(lambda: [r for r in [tokens(node, "tm0")] if r["token_sent"] == 3], "its first tokens are out")[0]
        same((report["awaited"], report["neighbours"]), (["alice", "bob"],) * 2, "awaited, and all neighbours")
        same((report["node"], report["ahead"], report["token_complete"]), (2, 3, 0), "node, tokens ahead, complete")
        pulse = node.ask("show pulse json")[0]
        same((pulse["manager"], pulse["token_sent"], pulse["token_complete"], pulse["per_second"]), ("tm@0", 3, 0, 0),
             "the pulse")
        node.stop()
        # Tokens that are due together share a frame, and are not sent again to hosts that have never spoken.
        same(node.report()["fabric"]["ports"][2]["counters"]["in"], 2, "frames of the token manager")


@test
def beside_a_fabric_it_keeps_time():
    links = [f"virtio:{work(f'beside{i}')}" for i in range(2)]
    with Node("fabric,tm", ",".join(links), *KEY, "--fmconfig", ONE_SWITCH, "--tokens-ahead", 2) as fabric:
        fabric.ready()
        with (Host("alice", ONE_SWITCH, links[0], **{"tokens-ahead": 2}) as alice,
              Host("bob", ONE_SWITCH, links[1], **{"tokens-ahead": 2}) as bob):
            time_goes_on(fabric, (alice.starts(), bob.starts()))
            leave(alice, bob)
        fabric.stop(err=UNHEARD)
        stages = {stage["name"]: stage["worker"] for stage in fabric.report()["stage"]}
        same(stages["tm0"], stages["fabric"], "its worker, and that of the fabric")


@test
def each_switch_has_its_own():
    links = [f"virtio:{work(f'each{i}')}" for i in range(2)]
    with Node("fabric,tm", ",".join(links), *KEY, "--fmconfig", TWO_SWITCHES, "--fabric", "loss=0.01") as fabric:
        fabric.ready()
        same([m["manager"] for m in fabric.ask("show tokens json")], ["tm@10", "tm@20"], "token managers")
        with Host("alice", TWO_SWITCHES, links[0]) as alice, Host("bob", TWO_SWITCHES, links[1]) as bob:
            time_goes_on(fabric, (alice.starts(), bob.starts()))
            leave(alice, bob)
        fabric.stop(err=UNHEARD)


@test
def what_cannot_be_is_refused_with_a_sentence():
    network = ("--fmconfig", TWO_SWITCHES)
    for expected, *words in (
            ("has to know its network", "--role", "tm"),
            ("has to know its network", "--role", "fabric,tm"),
            ("node 0, alice, is a host", "--role", "tm", *network, "--name", "alice"),
            ("node 1, bob, is a host", "--role", "fabric,tm", *network, "--id", 1),
            ("no node called \"tm@11\": did you mean", "--role", "tm", *network, "--name", "tm@11"),
            ("tm and echo would each receive", "--role", "tm,echo", *network, "--name", "tm@10"),
            ("the network has 2 switches", "--role", "tm", *network),
            ("leave one --link", "--role", "tm", *network, "--id", 2, "--link", ALONE),
            ("tm and sink would each receive", "--role", "tm,sink", *network, "--id", 2),
            ("tm has its links to itself", "--role", "tm,generate", *network, "--id", 2),
            ("fabric and echo would each receive", "--role", "fabric,tm,echo", *network),
            ("a host has to know its network", "--role", "host"),
            ("nothing says which of them this is", "--role", "host", *network),
            ("tm@10, is a token manager, and the role host is for a host", "--role", "host", *network, "--id", 2),
            ("a host is at one port of its switch", "--role", "host", *network, "--id", 0, "--link", ALONE),
            ("host and sink would each receive", "--role", "host,sink", *network, "--id", 0),
            ("a number of tokens from 1 to 64", "--role", "tm", *network, "--id", 2, "--tokens-ahead", 65),
            ("an MTU of 68 is too small", "--role", "tm", *network, "--id", 2, "--mtu", 68)):
        with Program("node", "--link", ALONE, *words) as node:
            node.ends(2, expected)
            same(len(node.err().splitlines()), 1, f"sentences of {node}")


class OwnPort:
    """A fabric, a token manager on a link of its own, and two hosts."""

    def __init__(self, name):
        self.links = [f"virtio:{work(f'{name}{i}')}" for i in range(3)]
        self.fabric = Node("fabric", ",".join(self.links)).ready()
        self.manager = Node("tm", self.links[2], *KEY, "--fmconfig", OWN_PORT).ready()
        self.hosts = [Host(host, OWN_PORT, link).starts() for host, link in zip(("alice", "bob"), self.links)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for host in self.hosts:
            host.__exit__()
        self.manager.kill()
        self.fabric.kill()


@test
def on_a_link_of_its_own_it_keeps_time():
    with OwnPort("own") as network:
        time_goes_on(network.manager, network.hosts)
        leave(*network.hosts)
        network.manager.stop(err=UNHEARD)
        network.fabric.stop(err=UNHEARD)
        same(network.manager.report()["tokens"][0]["neighbours"], ["alice", "bob"], "neighbours")


@test
def it_ends_clean_while_time_goes_on():
    with OwnPort("clean") as network:
        time_goes_on(network.manager, network.hosts)
        network.manager.stop(err=UNHEARD)
        leave(*network.hosts)
        network.fabric.stop(err=UNHEARD)


@test
def without_it_time_stands_still():
    with OwnPort("killed") as network:
        time_goes_on(network.manager, network.hosts)
        directory = run_time_directory(network.manager.pid)
        network.manager.kill()
        shutil.rmtree(directory, ignore_errors=True)  # unless another process has swept it away
        last = [host.ended() for host in network.hosts]
        # Tokens that were under way may still arrive.
        for host, ended in zip(network.hosts, last):
            for _ in range(20):
                assert host.ended() <= ended + 2, "a pulse has ended without a token manager"
        leave(*network.hosts)
        network.fabric.stop(err=UNHEARD)


@test
def a_node_may_be_a_host_and_shows_its_buckets():
    links = [f"virtio:{work(f'hosts{i}')}" for i in range(2)]
    network = (*KEY, "--fmconfig", ONE_SWITCH)
    with Node("fabric,tm", ",".join(links), *network) as fabric:
        fabric.ready()
        with (Node("host", links[0], *network, "--name", "alice") as alice,
              Node("host", links[1], *network, "--name", "bob") as bob):
            for host, name, number in ((alice, "alice", 0), (bob, "bob", 1)):
                # Nobody wants time to go on; it does so by itself, slowly.
                until(lambda: host.ask("show pulse json")[0]["executed_pulse"] > 3, f"pulses end at {name}")
                buckets = host.ask("show buckets json")[0]
                assert buckets.pop("executed_pulse") > 3, buckets
                same(buckets, {"name": "host0", "host": name, "node": number, "outstanding": 0, "hit_queue": 0,
                               "waiting": 0, "behind": 0, "buckets": []}, "what waits where nothing is sent")
                tokens = host.ask("show tokens host0 json")
                same((tokens["host"], tokens["neighbours"], tokens["ahead"]), (name, ["tm@0"], 1), "its tokens")
                assert tokens["token_complete"] > 3, tokens
            alice.tell("show buckets")
            heads = {"hit_queue", "outstanding"}
            until(lambda: any(heads <= set(line.split()) for line in alice.out().splitlines()), "it is a table, too")
            for host in (alice, bob):
                host.stop(err=UNHEARD)
                assert host.report()["buckets"][0]["executed_pulse"] > 3, "the report at its end"
        fabric.stop(err=UNHEARD)


@test
def a_job_has_one():
    for options in ((), ("--tokens-ahead", 4), ("--topology", TWO_SWITCHES), ("--fabric", "loss=0.02,reorder=0.02")):
        ranks = () if "--topology" in options else ("-n", 2)
        with Job(*ranks, *options, "--no-labels", "--", TIMEKEEPER, PULSES) as job:
            job.ends()
            reached = [json.loads(line)["ended"] for line in job.out().splitlines()]
            assert sorted(reached)[:2] == [0, 0] and min(sorted(reached)[2:]) >= PULSES, f"{job} says {job.out()}"


@test
def the_capture_of_a_job_can_be_drawn():
    capture, drawing = work("job.pcapng"), work("job.svg")
    with Job("-n", 2, "--pcap", capture, "--", TIMEKEEPER, 20) as job:
        job.ends()
    with Program("diagram", capture, "-o", drawing, "--pulses", "2..19") as diagram:
        diagram.ends()
    sorts = [element.get("class") for element in ElementTree.parse(drawing).getroot().iter()]
    same((sorts.count("lane"), sorts.count("manager")), (2, 1), "hosts and token managers")
    assert sorts.count("tick") >= 2 * 18, f"{sorts.count('tick')} ends of pulses"
    assert "token" in sorts and "message" not in sorts, set(sorts)


@test
def the_fabric_of_a_job_reports_on_it():
    with Job("-n", 2, "--no-labels", "--", "sh", "-c", "echo ready; exec sleep 1000") as job:
        until(lambda: job.out().count("ready") == 2, "both ranks are there")
        path, = job.telemetry()
        report = ask_telemetry(path, "/isoplane/tokens")[0]["tm0"]
        same((report["manager"], report["neighbours"], report["token_sent"]),
             ("tm@0", {"0": "node0", "1": "node1"}, 1), "the token manager of the fabric")
        job.stop(code=1, err="was ended by SIGTERM")


@test
def ranks_that_leave_progress_to_an_lcore_can_be_asked():
    names = write("names", "0 alice-1 bob.2\n")
    with Job("--topology", names, "--progress", "lcore", "--no-labels", "--", BYSTANDER) as job:
        until(lambda: job.out().count("there") == 2, "both ranks are there")
        reports = [ask_telemetry(path, "/isoplane/buckets", "/isoplane/time", "/isoplane/niu")
                   for path in job.telemetry()]
        ranks = [report for report in reports if report[1]]
        same(len(ranks), 2, f"ranks that answer: {reports}")
        for buckets, time, _ in ranks:
            same(buckets, {}, "what waits for a pulse where nothing is sent")
            assert "executed_pulse" in time["isotach"], time
        # Telemetry has no place for other letters in names.
        same(sorted(name for _, _, niu in ranks for name in niu["peers"]), ["alice_1", "bob_2"], "the peers of the two")
        job.stop(code=1, err="was ended by SIGTERM")


@test
def a_job_can_do_without():
    with Job("-n", 2, "--tm", "none", "--stats", "--", "true") as job:
        job.ends(err="port of rank 1: in 0, out 0\n")
    with Job("-n", 2, "--tm", "beside", "--", "true") as job:
        job.ends(2, "--tm beside is not possible: it can be fabric or none")


@test
def a_job_has_each_token_manager_once():
    beside = ("--set", "token-manager=tm@0")
    with Job("-n", 2, *beside, "--", "true") as job:
        job.ends(2, "makes two nodes of one number")
    with Job("-n", 2, *beside, "--tm", "none", "--", "true") as job:
        job.ends(2, "makes 2 nodes of one number")
    with Job("-n", 1, *beside, "--tm", "none", "--no-labels", "--", TIMEKEEPER, 20) as job:
        job.ends()


@test
def frames_too_short_for_a_token_manager_are_refused():
    with Job("-n", 2, "--mtu", 143, "--", "true") as job:
        job.ends(2, "--mtu 143 is too small for token managers")
    with Job("-n", 2, "--mtu", 143, "--tm", "none", "--", "true") as job:
        job.ends()


run()
