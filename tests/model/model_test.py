#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""spin searches the model of membership: nothing is wrong with it as it stands, and each planted defect is found."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "house"))

from tap import Skip, run, test  # noqa: E402

# States are kept as two bits of a table: it misses some, and ends.
SEARCH = ("-DBITSTATE", "-DSAFETY", "-DNOCLAIM", "-O2")
TABLE = "-w30"  # 2^30 bits
DEPTH = "-m100000"
MINUTES = "-Q1"  # it has more states than that; what is not searched is another order of what is, nearly always
DEFECTS = ("NO_LAG", "NO_CUT")
LIMIT = 240


def search(*defines):
    """How many states were looked at, and what is wrong."""
    for program in ("spin", "cc"):
        if not shutil.which(program):
            raise Skip(f"{program} is not installed")
    with tempfile.TemporaryDirectory(prefix="isoplane-model.") as scratch:
        def do(*words):
            return subprocess.run(words, cwd=scratch, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, timeout=LIMIT, check=True).stdout
        do("spin", "-a", *defines, os.path.join(HERE, "membership.pml"))
        do("cc", *SEARCH, "-w", "-o", "pan", "pan.c")
        said = do("./pan", "-E", TABLE, DEPTH, MINUTES)
    states = re.search(r"^\s*(\S+) states, stored", said, re.M)
    errors = re.search(r"errors: (\d+)", said)
    assert states and errors, said
    return float(states[1]), int(errors[1]), said


@test
def the_model_holds():
    states, errors, said = search()
    print(f"# {states:.3g} states")
    assert errors == 0, said
    assert states > 1e6, said


@test
def planted_defects_are_found():
    for defect in DEFECTS:
        _, errors, said = search(f"-D{defect}")
        assert errors == 1, f"{defect}: {said}"


run()
