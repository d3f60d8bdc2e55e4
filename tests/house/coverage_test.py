#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""What tools/coverage says of a planted library is what its program reached."""

import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools")
sys.path.insert(0, os.path.join(TOOLS, "testing"))
import coverage
from tap import Skip, run, test

HEADER = """inline int half(int value) {
    if (value % 2)
        return -1;
    return value / 2;
}
"""
LIBRARY = """#include "half.hh"
int quarter(int value) {
    return half(half(value));
}
int never(int value) {
    return half(value);
}
"""
PROGRAM = """#include "half.hh"
int quarter(int value);
int main(int count, char**) {
    return quarter(4) + half(count) == 0 ? 0 : 1;
}
"""


def reached(start=True):
    """Of a library whose program was started, or was not."""
    if not shutil.which("g++") or not shutil.which("gcov"):
        raise Skip("there is no g++ with gcov here")
    with tempfile.TemporaryDirectory() as root:
        for path, text in (("lib/half/half.hh", HEADER), ("drivers/quarter/quarter.cc", LIBRARY), ("app/main.cc", PROGRAM)):
            os.makedirs(os.path.join(root, os.path.dirname(path)))
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        directory = os.path.join(root, "build")
        os.makedirs(directory)
        for source in ("../drivers/quarter/quarter.cc", "../app/main.cc"):
            compiler = ["g++", "--coverage", "-O0", "-I../lib/half", "-c", source, "-o", os.path.basename(source) + ".o"]
            subprocess.run(compiler, cwd=directory, check=True)
        subprocess.run(["g++", "--coverage", "main.cc.o", "quarter.cc.o", "-o", "program"], cwd=directory, check=True)
        if start:
            subprocess.run([os.path.join(directory, "program")], check=True)
        return coverage.reached_lines(directory, root, 2)


@test
def a_line_of_a_header_was_reached_when_any_program_reached_it():
    files = reached()
    assert sorted(files) == ["drivers/quarter/quarter.cc", "lib/half/half.hh"], files
    assert all(files["lib/half/half.hh"].values()), files
    assert files["drivers/quarter/quarter.cc"] == {2: True, 3: True, 5: False, 6: False}, files


@test
def what_never_ran_is_counted_as_not_reached():
    files = reached(start=False)
    assert len(files["drivers/quarter/quarter.cc"]) == 4, files
    assert not any(reached for lines in files.values() for reached in lines.values()), files


@test
def the_table_adds_up():
    files = {"lib/b/x.cc": {1: True, 2: False}, "lib/b/include/isoplane/b/x.hh": {7: True}, "drivers/a/x.cc": {1: False},
             "lib/a/x.cc": {1: True}}
    rows = coverage.table(files)
    assert [row[:3] for row in rows] == [("lib/a", 1, 1), ("lib/b", 3, 2), ("drivers/a", 1, 0), ("total", 5, 3)], rows
    assert round(rows[-1][-1], 3) == 60, rows


@test
def missing_lines_are_named_by_file():
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        percent = coverage.report({"lib/b/x.cc": {1: False, 2: False, 5: True, 9: False}, "lib/a/x.cc": {1: True}}, missing=True)
    assert said.getvalue().splitlines()[0] == "lib/b/x.cc: 1-2 9", said.getvalue()
    assert percent == 40, percent


@test
def help_needs_nothing_and_other_words_are_refused():
    tool = os.path.join(TOOLS, "coverage")
    done = subprocess.run([tool, "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("usage: tools/coverage") and "--at-least" in done.stdout, done
    for words in (["--suite", "perf"], ["--at-least", "most"], ["--seeds", "0"]):
        done = subprocess.run([sys.executable, coverage.__file__, *words], capture_output=True, text=True)
        assert done.returncode == 2 and words[0] in done.stderr and done.stdout == "", done


run()
