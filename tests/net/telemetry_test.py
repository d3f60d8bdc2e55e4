#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Reports for other programs, by telemetry and by Prometheus: telemetry_test.py PROGRAM."""

import contextlib
import json
import os
import re
import socket
import subprocess
import urllib.request

from hostile_client import HostileClient
from net import (LIMIT, MILLION, Node, as_nobody, make_dir, needs, needs_root, round_trip, run, run_time_directory,
                 same, test, until, work)
from shared_node import SOCKET, SharedNode


class Telemetry:
    """A client of rte_telemetry: a socket that takes a command and gives a JSON object named by it."""

    def __init__(self, node):
        path = run_time_directory(node.pid) + "/dpdk_telemetry.v2"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(LIMIT)
        self.socket.connect(path)
        self.greeting = json.loads(self.socket.recv(1 << 16))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def ask(self, command):
        self.socket.send(command.encode())
        return json.loads(self.socket.recv(1 << 16))[command.split(",")[0]]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def metrics(port, path="/metrics"):
    """What is served to Prometheus, as {name{labels}: value}."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=LIMIT) as answer:
        same(answer.headers["Content-Type"], "text/plain; version=0.0.4", "content type")
        text = answer.read().decode()
    values = {}
    for line in text.splitlines():
        if line.startswith("#"):
            assert re.fullmatch(r"# TYPE isoplane_\w+ gauge", line), line
            continue
        match = re.fullmatch(r'(isoplane_\w+(?:\{\w+="[^"]*"(?:,\w+="[^"]*")*\})?) (-?[\d.e+-]+)', line)
        assert match, f"no sample: {line}"
        assert match[1] not in values, f"twice: {line}"
        values[match[1]] = float(match[2])
        labels = re.findall(r'[{,](\w+)="', match[1])
        same(sorted(set(labels)), sorted(labels), f"labels of {line}")
    return values


def rested(*options, **how):
    """A node that has moved some frames and has come to rest, so that its counts stay."""
    node = Node("generate,sink", "ring:a", *options, **how)
    until(lambda: node.ask("show stage sink0 json")["figures"]["good"] > 10_000, "frames pass")
    return node.tell("stop").ready()


@test
def telemetry_and_metrics_say_what_the_prompt_says():
    port = free_port()
    with rested("--metrics", port) as node, Telemetry(node) as telemetry:
        same(telemetry.greeting["pid"], node.pid, "pid in the greeting")
        stages = {stage["name"]: stage for stage in node.ask("show stage json")}
        good, sent = stages["sink0"]["figures"]["good"], stages["generate0"]["figures"]["sent"]
        told = telemetry.ask("/isoplane/stage")
        same((told["sink0"]["figures"]["good"], told["generate0"]["figures"]["sent"]), (good, sent), "by telemetry")
        same(told["sink0"]["in"], stages["sink0"]["in"], "packets and bytes by telemetry")
        same(telemetry.ask("/isoplane/stage,sink0")["name"], "sink0", "one entry by telemetry")
        samples = metrics(port)
        same(samples['isoplane_stage_figures_good{stage="sink0"}'], good, "good frames by metrics")
        same(samples['isoplane_port_tx_packets{port="link0"}'], node.ask("show port link0 json")["tx_packets"],
             "sent packets by metrics")
        node.tell("quit").ends()


@test
def every_report_has_an_endpoint():
    with Node("fabric", "ring:a,ring:b").ready() as node, Telemetry(node) as telemetry:
        commands = telemetry.ask("/")
        for report in ("capture", "fabric", "link", "pool", "port", "stage"):
            assert f"/isoplane/{report}" in commands, commands
            assert telemetry.ask(f"/isoplane/{report}"), report
        same(telemetry.ask("/isoplane/port,nosuch"), None, "what is said of an entry that is not there")
        node.stop()


@test
def a_report_that_is_too_long_says_so():
    with SharedNode() as node, contextlib.ExitStack() as clients:
        node.ready()
        with Telemetry(node) as telemetry:
            enough = 40  # a client has some 280 characters
            for key in range(1, 101):
                clients.enter_context(HostileClient(SOCKET, key=key))
                if key in (enough, 100):
                    told = telemetry.ask("/isoplane/clients")
                    same(("incomplete" in told, len(told) == key), (key != enough, key == enough), f"of {key} clients, {told}")
            same(telemetry.ask(f"/isoplane/clients,{os.getpid()}")["program"], "honest", "of one of them")
        clients.close()
        node.stop()


@test
def the_client_of_dpdk_reads_it():
    needs("dpdk-telemetry.py")
    with rested() as node:
        good = node.ask("show stage sink0 json")["figures"]["good"]
        done = subprocess.run(["dpdk-telemetry.py", "-f", run_time_directory(node.pid).rsplit("/", 1)[1]],
                              input="/isoplane/stage,sink0\nquit\n", capture_output=True, text=True, timeout=LIMIT,
                              check=False)
        assert f'"good": {good}' in done.stdout, done
        node.stop()


@test
def names_of_any_bytes_are_no_trouble():
    port = free_port()
    file = f"{work('caf')}\udce9.pcap"  # as the system gives a byte that is no UTF-8
    with Node("generate", f"pcap:,{file}", "--stopped", "--metrics", port) as node:
        node.ready()
        with Telemetry(node) as telemetry:
            same(telemetry.ask("/isoplane/link")["link0"]["spec"].endswith("caf?.pcap"), True, "by telemetry")
        assert metrics(port)
        assert node.ask("show link json"), "at the prompt"
        node.tell("quit").ends()
        assert '"link"' in node.out(), "what it says in the end"


@test
def two_nodes_beside_each_other_do_not_clash():
    ports = [free_port(), free_port()]
    with rested("--metrics", ports[0]) as one, rested("--metrics", ports[1]) as two:
        for node, port in zip((one, two), ports):
            with Telemetry(node) as telemetry:
                same(telemetry.greeting["pid"], node.pid, "pid in the greeting")
                good = node.ask("show stage sink0 json")["figures"]["good"]
                same(telemetry.ask("/isoplane/stage")["sink0"]["figures"]["good"], good, "by telemetry")
                same(metrics(port)['isoplane_stage_figures_good{stage="sink0"}'], good, "by metrics")
        one.stop()
        two.stop()


@test
def metrics_are_asked_for_in_traffic_and_stop():
    port = free_port()
    with Node("generate,sink", "ring:a", "--metrics", port).ready() as node:
        before = 0
        for _ in range(20):
            good = metrics(port, "/")['isoplane_stage_figures_good{stage="sink0"}']
            assert good >= before, "a count went down"
            before = good
        with socket.create_connection(("127.0.0.1", port)):  # and says nothing
            node.stop()


@test
def an_ordinary_user_can_run_nodes():
    needs_root("becoming another user")
    directory = make_dir("public")
    user = {"prepare": as_nobody}
    with rested(**user) as node, Telemetry(node) as telemetry:
        assert telemetry.ask("/isoplane/pool"), "no telemetry"
        node.stop()
    with Node("sink", "null:", **user) as node:
        until(lambda: node.ask("show port link0 json")["rx_packets"] > MILLION, "packets pass")
        node.stop()
    for kind in ("virtio", "memif"):
        link = f"{kind}:{directory}/{kind}"
        round_trip(link, link, gently=True, count=100_000, echo_how=user, sender_how=user)


run()
