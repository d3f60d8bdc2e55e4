#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Builds isoplane and runs its tests: what tools/test starts.

The tests are those meson knows. Each is run here rather than by `meson test` so that every case of a program is
counted, a skip is reported as a skip with its reason, and nothing a test started outlives it.
"""

import argparse
import concurrent.futures
import functools
import os
import re
import subprocess
import sys
import tempfile
import time

import processes
from builds import CLANG, DEFAULT, ROOT, sanitizer
from protocols import FAILED, PASSED, Case, read_cases, tail
from results import Results

SANITIZED_SUITES = ("unit", "sim")
# Whoever starts a thread. In the others there is no second thread to race with, or only those of DPDK's drivers, which a
# thread sanitizer does not see into: so --ci does not build them for one.
THREADED = ("unit/runtime", "unit/portals_threads")
# The commands' own logic: no packets, no threads, and minutes to build; and the provider for libfabric, which is loaded
# and not linked. --ci only has the second compiler read them.
OF_COMMANDS = ("unit/app", "unit/demo", "unit/diagram", "unit/fi", "unit/node", "unit/perf", "unit/report", "unit/run", "unit/sim_checker",
               "unit/sim_command", "unit/traffic",
               "sim/membership")  # and this one searches long for what it plants
# Only run when named: they measure, check what is no program, or take a machine of their own.
ASKED_FOR_SUITES = ("perf", "ci", "docs", "pci", "package")
SUITES = (*SANITIZED_SUITES, "net", "house", *ASKED_FOR_SUITES, "fuzz")
FUZZ_SECONDS = 10
CI_FUZZ_SECONDS = 60
# They read files, which no state machine stands behind: with --ci not so long as those that take frames.
FUZZED_FILES = ("fuzz_fmconfig", "fuzz_network_cfg", "fuzz_node_conf", "fuzz_shmem_map")
SEEDED_TIMEOUT = 3600


def parse_arguments(argv):
    parser = argparse.ArgumentParser(prog="tools/test", description="Build isoplane and run its tests.")
    parser.add_argument("--suite", action="append", default=[], metavar="NAME", choices=SUITES,
                        help=f"only this suite ({', '.join(SUITES)}); may be repeated")
    parser.add_argument("--docs", action="store_true", help="run the commands of the documentation (--suite docs)")
    parser.add_argument("--pci", action="store_true", help="drive NICs in virtual machines (--suite pci)")
    parser.add_argument("--filter", default="", metavar="REGEX", help="only tests whose SUITE/NAME matches")
    parser.add_argument("--seeds", type=int, metavar="N", help="seeds per simulation test")
    parser.add_argument("--fuzz", type=int, metavar="SECONDS", help="run each fuzz target this long (needs clang)")
    parser.add_argument("--sanitize", action="append", default=[], metavar="KIND",
                        help="run the unit and sim suites, or those named, under address,undefined or thread; may be repeated")
    parser.add_argument("--clang", action="store_true", help="build with clang++, under address and undefined sanitizers")
    parser.add_argument("--ci", action="store_true", help="everything that .ci/run checks")
    parser.add_argument("--list", action="store_true", help="name the tests and run none")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), metavar="N",
                        help="tests and compilers at a time (default: the cores there are)")
    options = parser.parse_args(argv)
    for name in ("seeds", "fuzz", "jobs"):
        value = getattr(options, name)
        if value is not None and value < 1:
            parser.error(f"--{name} {value}: at least 1 is needed")
    try:
        options.filter = re.compile(options.filter)
    except re.error as error:
        parser.error(f"--filter {options.filter}: not a regular expression: {error}")
    options.suite += [suite for suite in ("docs", "pci") if getattr(options, suite)]
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
        return self.step(f"build/{build.name}",
                         lambda log: build.configure(log) and build.compile(log, self.options.jobs, targets), counted)

    def step(self, title, work, counted):
        """Work with a log, whose end is shown when it fails."""
        started = time.monotonic()
        with open(self.workfile(), "w+", encoding="utf-8", errors="replace") as log:
            good = work(log)
            log.seek(0)
            lines = log.read().splitlines()
        seconds = time.monotonic() - started
        if counted or not good:
            case = Case("", PASSED) if good else Case("", FAILED, "\n".join(lines[-60:]))
            self.results.add(title, [case], seconds)
        else:
            self.results.say(f"{title} done in {seconds:.1f} s")
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

    def run_together(self, tasks, jobs):
        """So many at a time, in their order."""
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for future in [pool.submit(task, workfile) for task, workfile in [(t, self.workfile()) for t in tasks]]:
                future.result()

    def run_all(self, tests, beside=()):
        """First those that may run beside each other, and beside other tasks, the longest first; then the others."""
        started = time.monotonic()
        tests = sorted(tests, key=lambda test: -test.priority)
        # Tests wait more than they compute, fuzzers never wait.
        jobs = self.options.jobs if beside else self.options.jobs * 3
        self.run_together([*beside, *(functools.partial(self.run_test, test) for test in tests if test.parallel)], jobs)
        for test in tests:
            if not test.parallel:
                self.run_test(test, self.workfile())
        self.results.say(f"{len(tests) + len(beside)} programs run in {time.monotonic() - started:.1f} s")

    def run_build(self, build, suites):
        if self.build(build):
            self.run_all(list(chosen(build.tests(), self.options, suites)))

    def sanitized_tests(self, build, only=None, without=()):
        """The tests of a sanitizer's build; none when it cannot be configured, which is a failure then."""
        if not self.step(f"configure/{build.name}", build.configure, counted=False):
            return []
        named = self.options.suite
        return [test for test in chosen(build.tests(), self.options, named or SANITIZED_SUITES)
                if (named or test.protocol == "gtest") and f"{test.suite}/{test.name}" not in without
                and (only is None or f"{test.suite}/{test.name}" in only)]

    def run_sanitized(self, build, only=None):
        """Only the programs of the suites that run under it are built."""
        tests = self.sanitized_tests(build, only)
        if tests and self.build(build, build.needed(tests)):
            self.run_all(tests)

    def run_clang(self):
        """What runs under sanitizers is built for them, fuzz targets included; all that is no test is read by clang++, each
        source by itself."""
        tests = self.sanitized_tests(CLANG, without=OF_COMMANDS)
        fuzzers = CLANG.fuzz_targets() if tests else []
        targets = [test.target for test in tests] + [os.path.relpath(path, CLANG.directory) for path in fuzzers]
        if not tests or not self.build(CLANG, targets, counted=True):
            return
        self.step("read/clang++", lambda log: CLANG.read_each(log, self.options.jobs, targets), counted=True)
        self.run_all(tests, beside=self.fuzz_tasks(CI_FUZZ_SECONDS, FUZZ_SECONDS))

    def run_fuzz(self, seconds):
        self.run_together(self.fuzz_tasks(seconds, seconds), self.options.jobs)

    def fuzz_tasks(self, frames, files):
        """One for each fuzz target, which take so many seconds each."""
        named = [(path, os.path.basename(path)) for path in CLANG.fuzz_targets()]
        return [functools.partial(self.fuzz, path, files if name in FUZZED_FILES else frames)
                for path, name in named if self.options.filter.search(name)]

    def fuzz(self, program, seconds, workfile):
        """New inputs go to a scratch corpus; an input that breaks the program is kept beside it."""
        name = os.path.basename(program)
        grown = os.path.join(CLANG.directory, "corpus", name)
        broken = os.path.join(CLANG.directory, "broken", name) + "-"
        for directory in (grown, os.path.dirname(broken)):
            os.makedirs(directory, exist_ok=True)
        command = [program, f"-max_total_time={seconds}", "-timeout=10", "-print_final_stats=1",
                   "-entropic=0",  # which costs a whole host many times what it takes to run
                   "-error_exitcode=1",  # its own choice means a skip here
                   f"-artifact_prefix={broken}", grown, *seed_corpora(name)]
        # Without this what the second sanitizer finds in the libraries is only said.
        env = {"UBSAN_OPTIONS": CLANG.env["UBSAN_OPTIONS"]}
        ended = processes.run(command, env=env, timeout=seconds + 120, workfile=workfile)
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
    """What runs under sanitizers needs no other build: with --ci the unit tests of the libraries are clang's alone."""
    if session.step(f"configure/{DEFAULT.name}", DEFAULT.configure, counted=False):
        tests = DEFAULT.tests()
        apart = [test for test in tests if test.suite == "unit" and test.protocol == "gtest" and test.title not in OF_COMMANDS]
        if session.build(DEFAULT, DEFAULT.targets(without=[test.target for test in apart])):
            session.run_all([test for test in chosen(tests, session.options, []) if test not in apart])
    session.run_all(list(chosen(DEFAULT.tests(), session.options, ["ci", "docs"])))
    session.run_all(list(chosen(DEFAULT.tests(), session.options, ["pci"])))  # no room for others beside these
    session.run_clang()
    session.run_sanitized(sanitizer("thread"), only=THREADED)


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
        session.run_fuzz(options.fuzz)


def list_tests(options):
    build = CLANG if options.clang else DEFAULT
    if not build.configure(subprocess.DEVNULL):
        sys.exit(f"tools/test: {build.directory} cannot be configured. Run tools/test to see why.")
    for test in build.tests():
        if (not options.suite or test.suite in options.suite) and options.filter.search(f"{test.suite}/{test.name}"):
            print(f"{test.suite}/{test.name}")


def main(argv):
    options = parse_arguments(argv)
    if options.list:
        list_tests(options)
        return 0
    with tempfile.TemporaryDirectory(prefix="isoplane-test.") as scratch:
        session = Session(options, scratch)
        try:
            processes.interruptibly(lambda: run(session, options))
        except KeyboardInterrupt:
            session.results.add("run", [Case("", FAILED, "interrupted")], 0)
        return session.results.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
