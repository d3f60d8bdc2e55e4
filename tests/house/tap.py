# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Test scripts in Python that print TAP: functions decorated with @test, run in their order by run()."""

import sys
import traceback

_tests = []


class Skip(Exception):
    """Raised by a test that cannot run here, with the reason."""


def test(function):
    _tests.append(function)
    return function


def run():
    print(f"1..{len(_tests)}", flush=True)
    failed = 0
    for number, function in enumerate(_tests, 1):
        name = function.__name__
        try:
            function()
            print(f"ok {number} - {name}", flush=True)
        except Skip as reason:
            print(f"ok {number} - {name} # SKIP {reason}", flush=True)
        except Exception:  # whatever it is, the next test is to run
            failed += 1
            print(f"not ok {number} - {name}")
            for line in traceback.format_exc().rstrip().splitlines():
                print(f"# {line}", flush=True)
    sys.exit(1 if failed else 0)
