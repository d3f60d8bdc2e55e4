#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""A peer that is killed under traffic takes nobody with it: killed_peer_test.py PROGRAM."""

import fcntl
import os
import shutil

from net import UNHEARD, Node, round_trip, run, run_time_directory, same, test, until, work


def traffic_between(link, server_role, client_role):
    """Two nodes exchange frames without end. Returns the server and the client."""
    server = Node(server_role, link, "--id", 0).ready()
    to = ("--to", 0) if "generate" in client_role else ()
    client = Node(client_role, link, "--id", 1, *to).ready()
    until(lambda: server.ask("show port link0 json")["rx_packets"] > 10_000, "frames reach the server")
    until(lambda: client.ask("show port link0 json")["rx_packets"] > 10_000, "frames reach the client")
    return server, client


def is_lonely(node):
    """It notices that its peer is gone, and goes on."""
    until(lambda: not node.ask("show link link0 json")["up"], "the link is down")
    assert node.alive()


def survives(kind, name, killed):
    link = f"{kind}:{work(name)}"
    server, client = traffic_between(link, "generate,sink", "echo")
    with server, client:
        victim, survivor = (server, client) if killed == "server" else (client, server)
        victim.kill()
        is_lonely(survivor)
        survivor.stop(err=UNHEARD)
        same(survivor.stage("sink0" if killed == "client" else "echo0")["held"], 0, "packets held in the end")


@test
def a_virtio_server_survives_its_client():
    survives("virtio", "a", "client")


@test
def a_virtio_client_survives_its_server():
    survives("virtio", "b", "server")


@test
def a_memif_server_survives_its_client():
    survives("memif", "c", "client")


@test
def a_memif_client_survives_its_server():
    survives("memif", "d", "server")


def takes_back(kind, name):
    """A server whose client was killed under traffic serves the next, which counts every frame."""
    link, count = f"{kind}:{work(name)}", 100_000
    server, client = traffic_between(link, "echo", "generate,sink")
    with server, client:
        client.kill()
        is_lonely(server)
        # Its key tells its frames from those of the dead one, some of which the server may still return.
        with Node("generate,sink", link, "--stopped", "--id", 1, "--to", 0, "--job-key", 2, "--count", count,
                  "--expect", count) as another:
            another.is_up()
            server.is_up()
            another.tell("start").ends(err=UNHEARD)
            same(another.figures("sink0")["good"], count, "good frames at the next client")
        server.stop(err=UNHEARD)


@test
def a_virtio_server_takes_another_client():
    takes_back("virtio", "e")


@test
def a_memif_server_takes_another_client():
    takes_back("memif", "f")


@test
def a_socket_whose_server_was_killed_can_be_served_again():
    for kind in ("virtio", "memif"):
        path = work(f"again-{kind}")
        with Node("echo", f"{kind}:{path}") as victim:
            victim.ready().kill()
        assert os.path.exists(path), "a killed node removed its socket"
        round_trip(f"{kind}:{path}", f"{kind}:{path}", count=10_000, gently=True)


@test
def what_a_killed_node_left_behind_goes_with_the_next_one():
    with Node("sink", "ring:a") as victim:
        victim.ready()
        left = run_time_directory(victim.pid)
        assert left, "it has no run-time directory"
        victim.kill()
        assert os.path.exists(left)
    with Node("sink", "ring:a") as node:
        node.ready().stop()
    assert not os.path.exists(left), left


def is_locked(directory):
    """By the process that it is of."""
    file = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    finally:
        os.close(file)


@test
def what_a_node_uses_whose_pid_is_of_another_namespace_stays():
    with open("/proc/sys/kernel/pid_max", encoding="ascii") as file:
        nobody = int(file.read())
    with Node("sink", "ring:a") as node:
        own = run_time_directory(node.ready().pid)
        assert is_locked(own), f"{own} is not"
        foreign = os.path.join(os.path.dirname(own), f"isoplane-{nobody}")
        node.stop()
    made = f"{foreign}.made"  # and named when it is locked, or others that start here would remove it
    os.mkdir(made)
    held = os.open(made, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_SH)
        os.rename(made, foreign)
        with Node("sink", "ring:a") as node:
            node.ready().stop()
        assert os.path.isdir(foreign), f"{foreign} was removed"
    finally:
        os.close(held)
        shutil.rmtree(foreign, ignore_errors=True)


run()
