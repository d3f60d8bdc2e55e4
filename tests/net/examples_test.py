#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""The programs of app/examples, each on a few nodes and with little to do, which verify what they find themselves:
examples_test.py PROGRAM DIRECTORY_OF_EXAMPLES."""

import os
import sys

from net import Program, command, run, test

EXAMPLES = sys.argv[2]
# Nodes, what is done to frames, and the words of the example; and how the one line begins or ends that it prints.
LITTLE = {
    "latency": (2, (), ("--reads", 20), "local read: median"),
    "throughput": (3, (), ("--isochrons", 100), "writes/s"),
    "dining": (3, ("--fabric", "loss=0.01"), ("--meals", 10), "3 philosophers have eaten 10 times each"),
    "drinking": (3, ("--progress", "lcore"), ("--drinks", 10), "no two at once from one"),
    "lu": (2, ("--progress", "lcore"), ("--rows", 16), "L times U is the matrix"),
    "rules": (2, (), ("--facts", 12), "6 primes are left"),
    "bank": (3, ("--fabric", "loss=0.01"), ("--moves", 100), "300 moves of 3 hosts"),
}


def example(name):
    return os.path.join(EXAMPLES, name)


@test
def each_does_what_it_shows():
    for name, (nodes, options, words, line) in LITTLE.items():
        with Program("run", "-n", nodes, *options, "--", example(name), *words) as launcher:
            assert line in launcher.ends().out(), f"{launcher}: {launcher.out()}"


@test
def each_says_what_it_does_and_what_it_cannot():
    for name in LITTLE:
        said = command(example(name), "--help")
        assert f"isoplane run -n 2 -- {name}" in said, said
    with Program("run", "-n", 1, "--", example("bank"), "--moves", 0) as launcher:
        launcher.ends(code=1, err="--moves 0 does not fit: give a whole number from 1 to")
    with Program("run", "-n", 1, "--", example("dining")) as launcher:
        launcher.ends(code=1, err="dining: needs 2 nodes")


run()
