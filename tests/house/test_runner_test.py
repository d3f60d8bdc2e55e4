#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""The test runner tells passed, failed and skipped apart, whatever a program does to it."""

import contextlib
import io
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from types import SimpleNamespace

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "testing"))
import processes
from protocols import read_cases
from run_tests import Session, parse_arguments
from tap import run, test

GTEST = r"""
import json, os, signal, sys, time
report = [a for a in sys.argv if a.startswith("--gtest_output=json:")][0].split(":", 1)[1]
def case(name, result="COMPLETED", status="RUN", failure=None):
    entry = {"name": name, "status": status, "result": result}
    return entry | ({"failures": [{"failure": failure}]} if failure else {})
def write(*cases):
    json.dump({"testsuites": [{"name": "Planted", "testsuite": cases}]}, open(report, "w"))
"""


def outcome(protocol, program, timeout=20):
    """The cases the runner reads from a planted Python program, as (name, outcome, detail)."""
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "planted.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write((GTEST if protocol == "gtest" else "import os, signal, subprocess, sys, time\n")
                       + textwrap.dedent(program))
        report = os.path.join(scratch, "report.json")
        ended = processes.run(["python3", path, f"--gtest_output=json:{report}"], timeout=timeout,
                              merge=protocol != "tap", workfile=os.path.join(scratch, "work"))
        return [(case.name, case.outcome, case.detail) for case in read_cases(protocol, ended, report)]


def counts(cases):
    return tuple(sum(case[1] == kind for case in cases) for kind in ("passed", "failed", "skipped"))


@test
def gtest_cases_are_counted_one_by_one():
    cases = outcome("gtest", """
        print("[ RUN      ] Planted.skips\\nx.cc:3: Skipped\\nno card here\\n[  SKIPPED ] Planted.skips (0 ms)")
        write(case("passes"), case("fails", failure="x.cc:1: 1 is not 2"), case("skips", "SKIPPED"),
              case("DISABLED_one", "SUPPRESSED", "NOTRUN"))
        sys.exit(1)""")
    assert counts(cases) == (1, 1, 2), cases
    assert cases[1] == ("Planted.fails", "failed", "x.cc:1: 1 is not 2"), cases
    assert cases[2] == ("Planted.skips", "skipped", "no card here"), cases


@test
def a_gtest_crash_fails_the_case_it_was_in_and_keeps_those_before():
    cases = outcome("gtest", """
        print("[ RUN      ] Planted.first\\n[       OK ] Planted.first (0 ms)\\n[ RUN      ] Planted.second", flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)""")
    assert counts(cases) == (1, 1, 0), cases
    assert cases[1][0] == "Planted.second" and "SIGSEGV" in cases[1][2], cases


@test
def a_gtest_program_that_fails_after_its_cases_has_failed():
    cases = outcome("gtest", "write(case('passes'))\nprint('leaked 3 bytes')\nsys.exit(23)")
    assert counts(cases) == (1, 1, 0), cases
    assert "exit code 23" in cases[1][2] and "leaked 3 bytes" in cases[1][2], cases


@test
def a_gtest_program_without_cases_has_failed():
    assert counts(outcome("gtest", "write()")) == (0, 1, 0)
    assert counts(outcome("gtest", "pass")) == (0, 1, 0)


@test
def tap_lines_are_counted_one_by_one():
    cases = outcome("tap", """
        print("1..4\\nok 1 - one\\nnot ok 2 - two\\n# 5 frames came, not 6\\nok 3 - three # SKIP no tun\\nok 4")
        sys.exit(1)""")
    assert counts(cases) == (2, 1, 1), cases
    assert cases[1] == ("two", "failed", "5 frames came, not 6\n"), cases
    assert cases[2] == ("three", "skipped", "no tun"), cases
    assert cases[3][0] == "test 4", cases


@test
def tap_that_stops_short_of_its_plan_has_failed():
    cases = outcome("tap", "print('1..3\\nok 1 - one')")
    assert counts(cases) == (1, 1, 0) and "planned 3, ran 1" in cases[1][2], cases


@test
def tap_without_a_plan_has_failed():
    assert counts(outcome("tap", "print('ok 1 - one')")) == (1, 1, 0)
    assert counts(outcome("tap", "pass")) == (0, 1, 0)


@test
def tap_may_skip_as_a_whole():
    assert outcome("tap", "print('1..0 # SKIP needs root')") == [("", "skipped", "needs root")]


@test
def tap_exit_code_and_standard_error_count_too():
    cases = outcome("tap", "sys.stderr.write('ok 7 - not mine')\nprint('1..1\\nok 1 - one')\nsys.exit(4)")
    assert counts(cases) == (1, 1, 0) and "exit code 4" in cases[1][2], cases


@test
def plain_programs_speak_by_exit_code():
    assert counts(outcome("exitcode", "")) == (1, 0, 0)
    assert counts(outcome("exitcode", "sys.exit(3)")) == (0, 1, 0)
    assert outcome("exitcode", "print('no tshark')\nsys.exit(77)") == [("", "skipped", "no tshark")]


@test
def a_hanging_program_fails_with_what_it_said_and_takes_its_children_along():
    child = "import os, time; open('/proc/self/comm', 'w').write('planted_child'); time.sleep(600)"
    cases = outcome("tap", f"""
        print("1..1\\nwaiting for a token", flush=True)
        subprocess.Popen([sys.executable, "-c", {child!r}])
        time.sleep(600)""", timeout=1)
    assert counts(cases)[1] >= 1 and "timed out" in cases[-1][2] and "waiting for a token" in cases[-1][2], cases
    assert not running("planted_child")


@test
def a_program_that_leaves_a_process_behind_has_failed():
    child = "import time; open('/proc/self/comm', 'w').write('planted_orphan'); time.sleep(600)"
    cases = outcome("exitcode", f"subprocess.Popen([sys.executable, '-c', {child!r}])\ntime.sleep(0.5)")
    assert counts(cases) == (1, 1, 0) and "planted_orphan" in cases[1][2], cases
    assert not running("planted_orphan")


def running(name):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            text = file.read()
            if f"({name})" in text and text.rpartition(")")[2].split()[0] != "Z":
                return True
    return False


def summary(commands):
    """What a run of these shell commands prints, and its exit code."""
    said = io.StringIO()
    with tempfile.TemporaryDirectory() as scratch, contextlib.redirect_stdout(said):
        session = Session(parse_arguments(["--jobs", "2", "--seeds", "5"]), scratch)
        session.run_all([SimpleNamespace(command=["sh", "-c", text], env={}, cwd=scratch, timeout=20, suite="sim",
                                         protocol="tap", parallel=True, priority=0, title=f"sim/{number}")
                         for number, text in enumerate(commands)])
        return session.results.finish(), said.getvalue()


@test
def the_last_line_is_the_count_and_the_exit_code_agrees():
    passing, failing, skipping = "echo 1..1; echo ok 1", "echo 1..1; echo not ok 1", "echo '1..0 # SKIP later'"
    for commands, code, last in (
        ([passing], 0, "1 passed, 0 failed"),
        ([passing, failing], 1, "1 passed, 1 failed"),
        ([passing, skipping], 0, "1 passed, 0 failed, 1 skipped"),
        ([skipping], 1, "0 passed, 0 failed, 1 skipped"),
        (["/nowhere"], 1, "0 passed, 1 failed"),
        ([], 1, "0 passed, 0 failed"),
    ):
        got, text = summary(commands)
        assert (got, text.splitlines()[-1]) == (code, last), text


@test
def where_nothing_was_chosen_a_sentence_says_so():
    assert "no test matches" in summary([])[1]
    assert "no test matches" not in summary(["echo '1..0 # SKIP later'"])[1]


@test
def what_cannot_be_meant_is_refused():
    for words in (["--suite", "nte"], ["--fuzz", "0"], ["--fuzz", "-1"], ["--seeds", "0"], ["--jobs", "0"], ["--filter", "("]):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            try:
                parse_arguments(words)
            except SystemExit as end:
                assert end.code == 2 and words[0] in said.getvalue(), said.getvalue()
            else:
                raise AssertionError(f"{words} are taken")
    assert parse_arguments(["--suite", "net", "--suite", "fuzz", "--fuzz", "1"]).suite == ["net"]


TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools")


def plant(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\n{text}\n")
    os.chmod(path, 0o755)


@test
def help_installs_and_builds_nothing():
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("dpkg-query", "apt-get", "meson", "ninja"):
            plant(os.path.join(scratch, name), f"echo {name} >> {scratch}/called; exit 1")
        for tool in ("test", "coverage", "soak"):
            for word in ("-h", "--help"):
                done = subprocess.run([os.path.join(TOOLS, tool), word], capture_output=True, text=True,
                                      env={**os.environ, "PATH": f"{scratch}:{os.environ['PATH']}"})
                assert done.returncode == 0 and done.stdout.startswith(f"usage: tools/{tool}"), (tool, word, done)
                assert not os.path.exists(os.path.join(scratch, "called")), (tool, word)
    soak = os.path.join(TOOLS, "..", "tests", "soak", "soak.py")
    done = subprocess.run([sys.executable, soak, "/nowhere", "/nowhere", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("usage: tools/soak"), done


@test
def what_virtual_machines_need_is_installed_for_those_tests():
    with tempfile.TemporaryDirectory() as scratch:
        plant(os.path.join(scratch, "tools", "setup"), 'echo "$@"; exit 1')
        shutil.copy(os.path.join(TOOLS, "test"), os.path.join(scratch, "tools", "test"))
        for words, expected in ((["--pci"], True), (["--suite", "pci"], True), (["--suite=pci"], True), (["--ci"], True),
                                (["--suite", "net"], False)):
            done = subprocess.run([os.path.join(scratch, "tools", "test"), *words], capture_output=True, text=True)
            assert ("--pci" in done.stdout.split()) == expected, (words, done)


@test
def a_failure_is_told_as_it_comes_and_in_full_at_the_end():
    _, text = summary(["echo 1..1; echo not ok 1 - two; echo '# here'; echo '# 5 frames came, not 6'"])
    assert "     two: 5 frames came, not 6\n" in text and "FAILED sim/0 two\n    here\n" in text, text


@test
def simulation_tests_are_told_the_number_of_seeds():
    code, text = summary(['echo 1..1; [ "$ISOPLANE_SEEDS" = 5 ] && echo ok 1'])
    assert code == 0, text


@test
def a_program_that_cannot_be_started_has_failed():
    with tempfile.TemporaryDirectory() as scratch, contextlib.redirect_stdout(io.StringIO()):
        session = Session(parse_arguments([]), scratch)
        session.run_test(SimpleNamespace(command=["/nowhere/planted"], env={}, cwd=scratch, timeout=5, suite="unit",
                                         protocol="gtest", title="unit/planted"), os.path.join(scratch, "w"))
        assert session.results.finish() == 1


def run_of(child, parallel, before=""):
    """A run of five tests that are this Python program, in a process of its own; which first does something else."""
    tools = os.path.dirname(os.path.abspath(processes.__file__))
    program = f"""if 1:
        import os, random, signal, subprocess, sys, threading
        sys.path.insert(0, {tools!r})
        import run_tests
        from types import SimpleNamespace as Fake
        planted = Fake(command=[sys.executable, "-S", "-c", {child!r}], env={{}}, cwd="/", timeout=None, suite="unit",
                       protocol="exitcode", parallel={parallel}, priority=0, title="unit/planted")
        run_tests.run = lambda session, options: session.run_all([planted] * 5)
        {before}
        sys.exit(run_tests.main(["--jobs", "2"]))"""
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)


SLEEPER = "open('/proc/self/comm', 'w').write('planted_sleep'); import time; time.sleep(600)"


@test
def an_interrupted_run_kills_what_it_started_and_says_so():
    with run_of(SLEEPER, parallel=True) as runner:
        deadline = time.monotonic() + 20
        while not running("planted_sleep") and time.monotonic() < deadline:
            time.sleep(0.05)
        runner.send_signal(signal.SIGTERM)
        said, _ = runner.communicate(timeout=20)
    assert runner.returncode == 1 and "interrupted" in said, said
    assert said.splitlines()[-1].startswith("0 passed, "), said
    assert not running("planted_sleep")


def check_interrupted(parallel, before):
    with run_of(SLEEPER, parallel, before) as runner:
        try:
            said, _ = runner.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            runner.kill()
            raise AssertionError(f"a run with parallel={parallel} that is interrupted does not end: {before}") from None
    assert runner.returncode == 1 and "interrupted" in said, said
    assert not running("planted_sleep"), before


@test
def a_run_may_be_interrupted_as_it_starts_a_program():
    interrupt, start = "os.kill(os.getpid(), signal.SIGTERM)", "real(*words, **options)"
    for parallel in (False, True):
        for order in (f"({interrupt}, {start})[1]", f"({start}, {interrupt}, {interrupt})[0]"):
            check_interrupted(parallel, f"real = subprocess.Popen; subprocess.Popen = lambda *words, **options: {order}")


@test
def a_run_may_be_interrupted_while_it_builds():
    build = "run_tests.run = lambda *them: run_tests.processes.call(planted.command)"
    check_interrupted(False, f"threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGTERM)).start(); {build}")


@test
def a_run_may_be_interrupted_at_any_time():
    later = "threading.Timer(random.uniform(0, 0.2), os.kill, (os.getpid(), signal.SIGTERM)).start()"
    for attempt in range(8):
        check_interrupted(attempt % 2 == 0, f"run = run_tests.run; run_tests.run = lambda *them: ({later}, run(*them))")


run()
