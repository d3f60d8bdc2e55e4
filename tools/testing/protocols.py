# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Reads what a test program said: gtest, TAP, or only its exit code."""

import json
import re
from dataclasses import dataclass

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
SKIP_CODE = 77
TAIL_LINES = 40


@dataclass
class Case:
    """One test: what it is called, how it came out, and why when it did not pass."""

    name: str
    outcome: str
    detail: str = ""


def tail(ended):
    """The end of what a program wrote, for the report of a failure."""
    lines = (ended.stdout.rstrip() + "\n" + ended.stderr.rstrip()).strip().splitlines()
    if len(lines) > TAIL_LINES:
        lines = [f"... ({len(lines) - TAIL_LINES} lines before)"] + lines[-TAIL_LINES:]
    return "\n".join(lines)


def read_cases(protocol, ended, gtest_report):
    """The cases of a program that ended. There is always at least one: a program without cases has failed."""
    if protocol == "gtest":
        cases = _gtest(ended, gtest_report)
    elif protocol == "tap":
        cases = _tap(ended)
    elif ended.code == SKIP_CODE:
        cases = [Case("", SKIPPED, _last_line(ended) or "exit code 77")]
    else:
        cases = [Case("", PASSED)] if ended.code == 0 else []
    clean = ended.code == 0 and not ended.timed_out
    explained = any(case.outcome == FAILED for case in cases) or (cases and ended.code == SKIP_CODE)
    if not clean and not explained:
        cases.append(Case("", FAILED, f"{ended.reason()}\n{tail(ended)}"))
    elif ended.timed_out and not any(ended.reason() in case.detail for case in cases):
        cases.append(Case("", FAILED, ended.reason()))
    if ended.left_behind:
        cases.append(Case("", FAILED, f"left processes running: {', '.join(ended.left_behind)}\n{tail(ended)}"))
    return cases or [Case("", FAILED, f"it ran no case\n{tail(ended)}")]


def _last_line(ended):
    lines = ended.stdout.strip().splitlines()
    return lines[-1] if lines else ""


def _gtest(ended, report):
    try:
        with open(report, encoding="utf-8") as file:
            suites = json.load(file)["testsuites"]
    except (OSError, ValueError, KeyError):
        return _gtest_console(ended)
    cases = []
    for suite in suites:
        for test in suite["testsuite"]:
            name = f"{suite['name']}.{test['name']}"
            failures = "\n".join(failure["failure"] for failure in test.get("failures", []))
            if failures:
                cases.append(Case(name, FAILED, failures))
            elif test["status"] == "NOTRUN":
                cases.append(Case(name, SKIPPED, "disabled"))
            elif test["result"] == "SKIPPED":
                cases.append(Case(name, SKIPPED, _gtest_said(ended.stdout, name)))
            else:
                cases.append(Case(name, PASSED))
    return cases


def _gtest_said(output, name):
    """What a case printed between its start and its verdict, without the line that says where it skipped."""
    start = output.find(f"[ RUN      ] {name}\n")
    said = output[start:].split("\n", 1)[1] if start >= 0 else ""
    said = re.split(r"^\[  (?:SKIPPED|FAILED)|^\[       OK", said, maxsplit=1, flags=re.M)[0]
    lines = [line for line in said.splitlines() if line.strip() and not re.search(r":\d+: Skipped$", line)]
    return "\n".join(lines) or "no reason given"


def _gtest_console(ended):
    """A program that died before it could write its report: what it had finished counts, what it was in failed."""
    cases = []
    verdicts = {"       OK": PASSED, "  FAILED  ": FAILED, "  SKIPPED ": SKIPPED}
    current = None
    for line in ended.stdout.splitlines():
        match = re.match(r"\[( RUN      |       OK|  FAILED  |  SKIPPED )\s?\] (\S+?)(?:,|$| \()", line)
        if not match:
            continue
        if match[1] == " RUN      ":
            current = match[2]
        elif match[2] == current:
            outcome = verdicts[match[1]]
            cases.append(Case(current, outcome, "" if outcome == PASSED else _gtest_said(ended.stdout, current)))
            current = None
    if current or not cases:
        cases.append(Case(current or "", FAILED, f"{ended.reason()} before its report\n{tail(ended)}"))
    return cases


_TAP_LINE = re.compile(r"^(not )?ok\b *(\d+)? *(?:- *)?(.*?)(?:\s+# *SKIP\S*\s*(.*))?$", re.I)


def _tap(ended):
    cases = []
    planned = None
    for line in ended.stdout.splitlines():
        plan = re.match(r"^1\.\.(\d+)(?:\s*# *SKIP\S*\s*(.*))?$", line, re.I)
        test = _TAP_LINE.match(line)
        if plan:
            planned = int(plan[1])
            if planned == 0:
                return [Case("", SKIPPED, plan[2] or "no reason given")]
        elif line.startswith("Bail out!"):
            cases.append(Case("", FAILED, line))
        elif test:
            name = test[3] or f"test {test[2] or len(cases) + 1}"
            if test[1]:
                cases.append(Case(name, FAILED))
            elif test[4] is not None:
                cases.append(Case(name, SKIPPED, test[4] or "no reason given"))
            else:
                cases.append(Case(name, PASSED))
        elif line.startswith("#") and cases and cases[-1].outcome == FAILED:
            cases[-1].detail += line.lstrip("# ") + "\n"
    for case in cases:
        if case.outcome == FAILED and not case.detail:
            case.detail = tail(ended)
    if planned is None:
        cases.append(Case("", FAILED, f"no plan (1..N), {ended.reason()}\n{tail(ended)}"))
    elif planned != len(cases):
        cases.append(Case("", FAILED, f"planned {planned}, ran {len(cases)}, {ended.reason()}\n{tail(ended)}"))
    return cases
