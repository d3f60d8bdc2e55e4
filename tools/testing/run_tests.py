#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Builds isoplane and runs its tests: what tools/test starts.

The tests are those meson knows. Each is run here rather than by `meson test` so that every case of a program is
counted, a skip is reported as a skip with its reason, and nothing a test started outlives it.
"""

import argparse
import concurrent.futures
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import processes
from builds import CLANG, DEFAULT, ROOT, sanitizer
from protocols import FAILED, PASSED, Case, read_cases, tail
from results import Results

SANITIZED_SUITES = ("unit", "sim")
# One thread each, and half of what there is to compile: --ci leaves them out where threads are looked at.
SINGLE_THREADED = ("unit/app", "unit/run", "unit/traffic")
ASKED_FOR_SUITES = ("perf", "ci")  # only run when named: they measure, or check the source rather than the program
CI_FUZZ_SECONDS = {"fuzz_wire": 60}  # sees every byte a stranger sends, so it gets the time; the others read files
FUZZ_SECONDS = 10
SEEDED_TIMEOUT = 3600


def parse_arguments(argv):
    parser = argparse.ArgumentParser(prog="tools/test", description="Build isoplane and run its tests.")
    parser.add_argument("--suite", action="append", default=[], metavar="NAME",
                        help="only this suite (unit, sim, net, house, perf, ci, fuzz); may be repeated")
    parser.add_argument("--filter", default="", metavar="REGEX", help="only tests whose SUITE/NAME matches")
    parser.add_argument("--seeds", type=int, metavar="N", help="seeds per simulation test")
    parser.add_argument("--fuzz", type=int, metavar="SECONDS", help="run each fuzz target this long (needs clang)")
    parser.add_argument("--sanitize", action="append", default=[], metavar="KIND",
                        help="run the unit and sim suites under address,undefined or thread; may be repeated")
    parser.add_argument("--clang", action="store_true", help="build with clang++, under address and undefined sanitizers")
    parser.add_argument("--ci", action="store_true", help="everything that .ci/run checks")
    parser.add_argument("--list", action="store_true", help="name the tests and run none")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), metavar="N",
                        help="tests and compilers at a time (default: the cores there are)")
    options = parser.parse_args(argv)
    if options.seeds is not None and options.seeds < 1:
        parser.error(f"--seeds {options.seeds}: at least 1 is needed")
    if options.jobs < 1:
        parser.error(f"--jobs {options.jobs}: at least 1 is needed")
    try:
        options.filter = re.compile(options.filter)
    except re.error as error:
        parser.error(f"--filter {options.filter}: not a regular expression: {error}")
    if "fuzz" in options.suite:
        options.suite.remove("fuzz")
        options.fuzz = options.fuzz or FUZZ_SECONDS
        options.only_fuzz = not options.suite
    else:
        options.only_fuzz = False
    return options


def chosen(tests, options, suites):
    for test in tests:
        wanted = test.suite in suites if suites else test.suite not in ASKED_FOR_SUITES
        if wanted and options.filter.search(f"{test.suite}/{test.name}"):
            yield test


class Session:
    def __init__(self, options, scratch):
        self.options = options
        self.scratch = scratch
        self.results = Results()
        self.serial = 0

    def workfile(self):
        self.serial += 1
        return os.path.join(self.scratch, str(self.serial))

    def build(self, build, targets=(), counted=False):
        """Builds; a build that fails is a failed test, so that no run without its programs looks well."""
        started = time.monotonic()
        path = self.workfile()
        with open(path, "w+", encoding="utf-8", errors="replace") as log:
            good = build.configure(log) and build.compile(log, self.options.jobs, targets)
            log.seek(0)
            lines = log.read().splitlines()
        seconds = time.monotonic() - started
        if not good:
            self.results.add(f"build/{build.name}", [Case("", FAILED, "\n".join(lines[-60:]))], seconds)
        elif counted:
            self.results.add(f"build/{build.name}", [Case("", PASSED)], seconds)
        else:
            self.results.say(f"{build.name} built in {seconds:.1f} s")
        return good

    def run_test(self, test, workfile):
        command, env, timeout = list(test.command), dict(test.env), test.timeout
        if self.options.seeds and test.suite == "sim":
            env["ISOPLANE_SEEDS"] = str(self.options.seeds)
            timeout = timeout and max(timeout, SEEDED_TIMEOUT)
        report = f"{workfile}.json"
        if test.protocol == "gtest":
            command.append(f"--gtest_output=json:{report}")
        try:
            ended = processes.run(command, env=env, cwd=test.cwd, timeout=timeout, merge=test.protocol != "tap",
                                  workfile=workfile)
        except OSError as error:
            self.results.add(test.title, [Case("", FAILED, f"cannot be started: {error}")], 0)
            return
        self.results.add(test.title, read_cases(test.protocol, ended, report), ended.seconds)

    def run_all(self, tests):
        """First those that may run beside each other, then the others one by one."""
        beside = [(test, self.workfile()) for test in tests if test.parallel]
        alone = [(test, self.workfile()) for test in tests if not test.parallel]
        for jobs, some in ((self.options.jobs, beside), (1, alone)):
            with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
                for future in [pool.submit(self.run_test, test, workfile) for test, workfile in some]:
                    future.result()

    def run_build(self, build, suites):
        if self.build(build):
            self.run_all(list(chosen(build.tests(), self.options, suites)))

    def run_sanitized(self, build, without=()):
        """Only the programs of the suites that run under it are built."""
        with open(self.workfile(), "w", encoding="utf-8") as log:
            configured = build.configure(log)
        suites = [suite for suite in SANITIZED_SUITES if not self.options.suite or suite in self.options.suite]
        tests = list(chosen(build.tests(), self.options, suites)) if configured and suites else []
        tests = [test for test in tests if test.protocol == "gtest" and f"{test.suite}/{test.name}" not in without]
        if (tests or not configured) and self.build(build, [test.target for test in tests]):
            self.run_all(tests)

    def run_fuzz(self, seconds_of):
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            programs = [path for path in CLANG.fuzz_targets() if self.options.filter.search(os.path.basename(path))]
            futures = [pool.submit(self.fuzz, path, seconds_of(os.path.basename(path)), self.workfile())
                       for path in programs]
            for future in futures:
                future.result()

    def fuzz(self, program, seconds, workfile):
        """New inputs go to a scratch corpus; an input that breaks the program is kept beside it."""
        name = os.path.basename(program)
        grown = os.path.join(CLANG.directory, "corpus", name)
        broken = os.path.join(CLANG.directory, "broken", name) + "-"
        for directory in (grown, os.path.dirname(broken)):
            os.makedirs(directory, exist_ok=True)
        command = [program, f"-max_total_time={seconds}", "-timeout=10", "-print_final_stats=1",
                   "-error_exitcode=1",  # its own choice means a skip here
                   f"-artifact_prefix={broken}", grown, *seed_corpora(name)]
        ended = processes.run(command, timeout=seconds + 120, workfile=workfile)
        cases = read_cases("exitcode", ended, None)
        for case in cases:
            case.name = f"{seconds} s"
        self.results.add(f"fuzz/{name}", cases, ended.seconds)


def seed_corpora(name):
    """tests/fuzz/LIBRARY/corpus for fuzz_LIBRARY, tests/fuzz/*/corpus/X or tests/fuzz/*/X/corpus for fuzz_X."""
    subject = name.removeprefix("fuzz_")
    fuzz = os.path.join(ROOT, "tests", "fuzz")
    candidates = [os.path.join(fuzz, subject, "corpus")]
    for library in sorted(os.listdir(fuzz)):
        candidates += [os.path.join(fuzz, library, "corpus", subject), os.path.join(fuzz, library, subject, "corpus")]
    return [path for path in candidates if os.path.isdir(path)]


def run_ci(session):
    session.run_build(DEFAULT, [])
    session.run_all(list(chosen(DEFAULT.tests(), session.options, ["ci"])))
    if session.build(CLANG, counted=True):
        session.run_fuzz(lambda name: CI_FUZZ_SECONDS.get(name, FUZZ_SECONDS))
    session.run_sanitized(sanitizer("address,undefined"))
    session.run_sanitized(sanitizer("thread"), without=SINGLE_THREADED)


def run(session, options):
    if options.ci:
        run_ci(session)
        return
    for kind in options.sanitize:
        session.run_sanitized(sanitizer(kind))
    main_build = CLANG if options.clang else DEFAULT
    if not options.only_fuzz and not options.sanitize:
        session.run_build(main_build, options.suite)
    if options.fuzz and (options.clang or session.build(CLANG)):
        session.run_fuzz(lambda name: options.fuzz)


def list_tests(options):
    build = CLANG if options.clang else DEFAULT
    if not build.configure(subprocess.DEVNULL):
        sys.exit(f"tools/test: {build.directory} cannot be configured. Run tools/test to see why.")
    for test in build.tests():
        if (not options.suite or test.suite in options.suite) and options.filter.search(f"{test.suite}/{test.name}"):
            print(f"{test.suite}/{test.name}")


def interrupt(*_):
    """Stops what runs before the pools that wait for it are left."""
    processes.stop_all()
    raise KeyboardInterrupt


def main(argv):
    options = parse_arguments(argv)
    if options.list:
        list_tests(options)
        return 0
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)
    with tempfile.TemporaryDirectory(prefix="isoplane-test.") as scratch:
        session = Session(options, scratch)
        try:
            run(session, options)
        except KeyboardInterrupt:
            session.results.add("run", [Case("", FAILED, "interrupted")], 0)
        return session.results.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
