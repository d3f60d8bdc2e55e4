#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Programs with shared memory, for the historical interfaces, built against what is installed and run by the launcher:
shmem_test.py PROGRAM BUILD_DIRECTORY."""

import re

from installed import WAYS, build, install
from jobs import PORTS, loses_some, memory_is_one, on_veth, on_virtio
from net import Program, run, same, test, work

NODES = (2, 3, 5)
LOSS = "loss=0.01"


def map_of(pages, nodes, name):
    path = work(f"{name}-{nodes}")
    with open(path, "w", encoding="ascii") as out:
        out.writelines(f"{page}: {copies};\n" for page, copies in enumerate(pages(nodes)))
    return path


def everywhere(nodes):
    """As many pages, with a copy at every node."""
    return [",".join(str(node) for node in range(nodes))] * 7


def in_turn(nodes):
    """Pages with a copy at one node and its neighbour."""
    return [",".join(sorted({str(page % nodes), str((page + 1) % nodes)})) for page in range(7)]


def not_at_the_last(nodes):
    """So that what it reads is remote."""
    return [",".join(str(node) for node in range(nodes - 1))]


def each_says(pages, line, program, *words):
    """On 2, 3 and 5 nodes, each way of progress once with loss and once without, beside each other; `line(i, nodes)` is
    what node i says, as a regular expression."""
    for nodes in NODES:
        path = map_of(pages, nodes, program)
        options = ("run", "-n", nodes, "--shmem-map", path, "--progress")
        job = ("--", work(f"{program}-cc"), *words)
        way, other = WAYS if nodes % 2 else reversed(WAYS)
        with Program(*options, way, *job) as plain, \
                Program(*options, other, "--stats", "--fabric", LOSS, *job) as lossy:
            for launcher, errors in ((plain, None), (lossy, PORTS)):
                said = sorted(launcher.ends(err=errors).out().splitlines())
                same(len(said), nodes, f"lines of {launcher}: {said}")
                for i in range(nodes):
                    assert re.fullmatch(rf"\[{i}\] {line(i, nodes)}", said[i]), f"{launcher}: {said}"
            loses_some(lossy)


@test
def the_library_and_its_headers_are_installed():
    install()


@test
def programs_build():
    for name in ("absent", "isomem", "philosophers", "readtime", "writerate", "smm", "smmgroup", "wrongmem"):
        build(name, "cc")


@test
def all_copies_agree_on_hosts_of_either_link():
    for nodes in (2, 3, 4, 5):
        for on, lossy in ((on_virtio, nodes % 2 == 0), (on_veth, nodes % 2 == 1)):
            memory_is_one(on, nodes, lossy, work("isomem-cc"), 100, WAYS[nodes // 2 % 2])


@test
def philosophers_never_eat_side_by_side():
    each_says(in_turn, lambda i, nodes: "30 meals, nobody beside me, fork used 60 times", "philosophers", 30)


@test
def a_node_reads_what_others_hold_until_it_ends_them():
    each_says(not_at_the_last,
              lambda i, nodes: f"ended by node {nodes - 1}" if i < nodes - 1 else r"100 reads, [0-9.]+ us each",
              "readtime", 100)


@test
def isochrons_of_many_writes_are_whole_wherever_they_go():
    each_says(in_turn, lambda i, nodes: r"100 isochrons issued, [0-9.]+ us each", "writerate", 100)


@test
def what_is_moved_by_sched_and_assign_is_never_lost():
    each_says(in_turn, lambda i, nodes: f"{10 * nodes} units moved", "smm", 10)


@test
def memory_goes_on_behind_notices_that_nobody_receives():
    for way in WAYS:
        path = map_of(lambda nodes: ["0"], 3, f"smmgroup-{way}")
        with Program("run", "-n", 3, "--shmem-map", path, "--progress", way, "--", work("smmgroup-cc")) as launcher:
            said = "what node 0 holds was there behind the signals"
            same(sorted(launcher.ends().out().splitlines()), [f"[{i}] {said}" for i in range(3)], f"{launcher}")


@test
def an_lcore_serves_others_while_the_program_computes():
    for number, impaired in enumerate(((), ("--fabric", LOSS))):
        with Program("run", "-n", 2, "--progress", "lcore", *impaired, "--shmem-map", one_page(), "--",
                     work("absent-cc"), work(f"absent-{number}")) as launcher:
            same(sorted(launcher.ends().out().splitlines()),
                 [f"[{i}] 100 times while node 0 was absent" for i in range(2)], f"{launcher}")


@test
def all_have_the_same_memory():
    differs = "echo page-size=512 >> $ISOPLANE_CONFIG; exec " + work("wrongmem-cc")
    for way in WAYS:
        with Program("run", "-n", 1, "--progress", way, "--shmem-map", one_page(), "--", work("wrongmem-cc"), ":",
                     "-n", 1, "--", "sh", "-c", differs) as launcher:
            said = launcher.ends(code=1, err="exited with 1").err()
            assert "has shared memory of pages=4096, page-size=" in said and "give all nodes of the job the same" in said, \
                said


@test
def misuse_ends_the_program_with_a_sentence():
    ways = {"outside": "iso_write32() is for isochrons: call it between iso_start() and iso_end()",
            "unmapped": "iso_write32(): shared address 9226 is on page 9, of which no host has a copy",
            "beyond": "is on page 5000, beyond the last of 4096 pages",
            "odd": "iso_read64(): shared address 11 is odd",
            "twice": "shared address 10 is scheduled already by this host",
            "poll": "iso_poll() was called within an isochron",
            "early": "read_iso_var32() waits for a read of the isochron that is being made"}
    for what, sentence in ways.items():
        with Program("run", "-n", 1, "--shmem-map", one_page(), "--", work("wrongmem-cc"), what) as launcher:
            assert sentence in launcher.ends(code=1, err="exited with 1").err(), (what, launcher.err())


def one_page():
    path = work("one_page")
    with open(path, "w", encoding="ascii") as out:
        out.write("0: 0;\n")
    return path


run()
