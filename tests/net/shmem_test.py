#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Programs with shared memory, for the historical interfaces, built against what is installed and run by the launcher:
shmem_test.py PROGRAM BUILD_DIRECTORY."""

from installed import WAYS, build, install
from net import Program, run, same, test, work

NODES = 3
LOSS = "loss=0.01"
COPYSETS = ("0", "1", "0, 1", "2", "0, 2", "1, 2", "0, 1, 2", "1")
ROUNDS = 10


def shmem_map():
    path = work("shmem_map")
    with open(path, "w", encoding="ascii") as out:
        out.writelines(f"{page}: {nodes};\n" for page, nodes in enumerate(COPYSETS))
    return path


def everywhere(program, line):
    """With and without loss, beside each other; `line` is what each node says."""
    for way in WAYS:
        words = ("run", "-n", NODES, "--progress", way, "--shmem-map", shmem_map())
        with Program(*words, "--", work(f"{program}-cc"), ROUNDS) as plain, \
                Program(*words, "--fabric", LOSS, "--", work(f"{program}-cc"), ROUNDS) as lossy:
            for launcher in (plain, lossy):
                same(sorted(launcher.ends().out().splitlines()), [f"[{i}] {line}" for i in range(NODES)],
                     f"{launcher}")


@test
def the_library_and_its_headers_are_installed():
    install()


@test
def programs_build():
    for name in ("isomem", "smm", "wrongmem"):
        build(name, "cc")


@test
def all_copies_agree_and_forks_are_used_by_one_at_a_time():
    everywhere("isomem", f"{2 * NODES * ROUNDS} forks used, {NODES * ROUNDS} counted")


@test
def what_is_moved_by_sched_and_assign_is_never_lost():
    everywhere("smm", f"{NODES * ROUNDS} units moved")


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
