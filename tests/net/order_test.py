#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Programs in logical time on virtio and, each node in a network namespace, on veth: order_test.py PROGRAM
BUILD_DIRECTORY. `tests/perf/million` has the order kept for a million isochrons."""

from installed import WAYS, build, install
from jobs import on_veth, on_virtio, order_is_kept
from net import run, same, test, work

EACH = 2500  # isochrons that each of 4 nodes issues


@test
def the_programs_are_built():
    install()
    for name in ("isoorder", "isogroup", "isomsg", "isoping", "isostream"):
        build(name, "cc")


@test
def ten_thousand_isochrons_of_four_nodes_keep_their_order():
    for on in (on_virtio, on_veth):
        for lossy in (False, True):
            order_is_kept(on, 4, lossy, work("isoorder-cc"), EACH)


@test
def nodes_in_namespaces_keep_the_order_of_isochrons():
    for nodes in (2, 3, 5):
        for lossy in (False, True):
            way = WAYS[lossy]
            order_is_kept(on_veth, nodes, lossy, work("isoorder-cc"), 100, way)


@test
def nodes_in_namespaces_agree_on_signals_and_barriers():
    for nodes in (2, 3, 5):
        for lossy in (False, True):
            same(sorted(on_veth(nodes, lossy, work("isogroup-cc"), 20).splitlines()),
                 [f"[{i}] 20 barriers and 20 signals, each in its place" for i in range(nodes)], f"{nodes} nodes")


@test
def nodes_in_namespaces_call_their_handlers_in_one_order():
    for nodes in (2, 3, 5):
        for lossy in (False, True):
            same(sorted(on_veth(nodes, lossy, work("isomsg-cc"), 50).splitlines()),
                 [f"[{i}] {50 * nodes} transfers, the same books everywhere" for i in range(nodes)], f"{nodes} nodes")


@test
def nodes_in_namespaces_send_isochrons_there_and_back_and_in_streams():
    for nodes in (2, 3, 5):
        for lossy in (False, True):
            same(sorted(on_veth(nodes, lossy, work("isoping-cc"), 64, 100).splitlines()),
                 [f"[{i}] 100 rounds" for i in range(nodes)], f"there and back among {nodes} nodes")
            same(sorted(on_veth(nodes, lossy, work("isostream-cc"), 1000, 300, 3).splitlines()),
                 [f"[{i}] 3 rounds of 300 isochrons" for i in range(nodes)], f"streams among {nodes} nodes")


run()
