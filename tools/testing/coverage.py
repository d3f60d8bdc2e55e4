#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Runs the tests in a build that counts, and tells which lines of lib/ and drivers/ they reach: what tools/coverage starts.

A line of a header counts for the library whose header it is, and was reached when it was in any program. What a process
does that is killed is not counted: it writes its counts as it ends.
"""

import argparse
import collections
import concurrent.futures
import glob
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

import processes
from builds import ROOT, Build
from run_tests import Session, chosen

# Without optimization a line is what it says; warnings were errors in the other builds already. gcov is asked about what
# it knows by a relative path, as sources that are compiled apart are.
COVERAGE = Build("build-coverage", ["-Dunity=off", "-Db_coverage=true", "-Doptimization=0", "-Dwerror=false"], slowdown=5,
                 env={"GCOV_ERROR_FILE": os.devnull})  # or it says in tests that ordinary users cannot write its counts
SUITES = ("unit", "sim", "net")
SEEDS = 20  # what a hundred more reach, these have reached
FILES_AT_A_TIME = 16


def parse_arguments(argv):
    parser = argparse.ArgumentParser(prog="tools/coverage", description="Tell which lines of lib/ and drivers/ the tests reach.")
    parser.add_argument("--suite", action="append", choices=SUITES, help="only this suite; may be repeated")
    parser.add_argument("--filter", default="", type=re.compile, metavar="REGEX", help="only tests whose SUITE/NAME matches")
    parser.add_argument("--seeds", type=int, default=SEEDS, metavar="N", help=f"seeds per simulation test (default: {SEEDS})")
    parser.add_argument("--at-least", type=float, default=90, metavar="PERCENT",
                        help="exit with 1 when less than this is reached (default: 90)")
    parser.add_argument("--missing", action="store_true", help="name the lines that are not reached")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), metavar="N",
                        help="tests and compilers at a time (default: the cores there are)")
    options = parser.parse_args(argv)
    for name, value in (("--seeds", options.seeds), ("--jobs", options.jobs)):
        if value < 1:
            parser.error(f"{name} {value}: at least 1 is needed")
    return options


def run_tests(options):
    """Whether there was something to run. What earlier runs have counted is forgotten.

    A test that failed is told of and decides nothing here: where all is this slow, some will be late.
    """
    for path in glob.glob(os.path.join(COVERAGE.directory, "**", "*.gcda"), recursive=True):
        os.remove(path)
    with tempfile.TemporaryDirectory(prefix="isoplane-coverage.") as scratch:
        session = Session(options, scratch)
        tests = []
        if session.step(f"configure/{COVERAGE.name}", COVERAGE.configure, counted=False):
            tests = list(chosen(COVERAGE.tests(), options, options.suite or SUITES))
        is_built = tests and session.build(COVERAGE, COVERAGE.needed(tests))
        if is_built:
            session.run_all(tests)
        session.results.finish()
        return bool(is_built)


def read_counts(notes, directory, root):
    """What gcov says of the objects these notes belong to: (path in the checkout, line, whether it was reached)."""
    ended = processes.call(["gcov", "--json-format", "--stdout", "--relative-only", *notes], cwd=directory,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    ended.check_returncode()
    return {(os.path.relpath(os.path.join(directory, file["file"]), root), line["line_number"], line["count"] > 0)
            for text in ended.stdout.splitlines() for file in json.loads(text)["files"] for line in file["lines"]}


def reached_lines(directory, root, jobs):
    """For each file of lib/ and drivers/ its lines, each with whether any object of this build that has it was there."""
    notes = sorted(glob.glob(os.path.join(directory, "**", "*.gcno"), recursive=True))
    batches = [notes[at : at + FILES_AT_A_TIME] for at in range(0, len(notes), FILES_AT_A_TIME)]
    files = collections.defaultdict(dict)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        counts = pool.map(lambda batch: read_counts(batch, directory, root), batches)
        for path, line, reached in itertools.chain.from_iterable(counts):
            if path.startswith(("lib/", "drivers/")):
                files[path][line] = files[path].get(line, False) or reached
    return files


def table(files):
    """Of each library or driver how many lines there are, how many were reached, and that in percent; and of all."""
    rows = collections.defaultdict(lambda: [0, 0])
    for path, lines in files.items():
        for name in (os.path.join(*path.split("/")[:2]), "total"):
            rows[name][0] += len(lines)
            rows[name][1] += sum(lines.values())
    order = sorted(name for name in rows if name.startswith("lib/")) \
        + sorted(name for name in rows if name.startswith("drivers/")) + ["total"]
    return [(name, *rows[name], 100 * rows[name][1] / max(rows[name][0], 1)) for name in order]


def ranges(numbers):
    """3 5-7, for 3, 5, 6 and 7."""
    runs = [[number for _, number in run] for _, run in itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])]
    return " ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def report(files, missing):
    """Prints it; what was reached of all, in percent."""
    if missing:
        for path in sorted(files):
            if not all(files[path].values()):
                print(f"{path}: {ranges(sorted(line for line, reached in files[path].items() if not reached))}")
    rows = table(files)
    print(f"{'':18}{'lines':>8}{'reached':>9}{'percent':>9}")
    for name, lines, reached, percent in rows:
        print(f"{name:18}{lines:>8}{reached:>9}{percent:>9.1f}")
    return rows[-1][-1]


def main(argv):
    options = parse_arguments(argv)
    try:
        files = processes.interruptibly(
            lambda: run_tests(options) and reached_lines(COVERAGE.directory, ROOT, options.jobs))
    except KeyboardInterrupt:
        return 1
    if not files:
        return 1
    percent = report(files, options.missing)
    if percent < options.at_least:
        print(f"tools/coverage: the tests reach {percent:.1f} % of the lines of lib/ and drivers/, and should reach "
              f"{options.at_least:g} %. Run it with --missing to see which lines they do not.", file=sys.stderr)
    return 0 if percent >= options.at_least else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
