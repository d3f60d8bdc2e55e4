# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""What became of every case, printed as it comes and summed up at the end."""

import sys
import threading
import time

from protocols import FAILED, PASSED, SKIPPED

SLOWEST = 10  # programs, told at the end
WIDTH = 300  # of what is told of a failure as it comes; all of it is told at the end


def last_line(text):
    """Which says why, of a traceback."""
    return (text.rstrip().splitlines() or [""])[-1].strip()[:WIDTH]


class Results:
    def __init__(self):
        self._cases = []  # (title, Case)
        self._seconds = []  # (seconds, title)
        self._lock = threading.Lock()
        self._started = time.monotonic()

    def add(self, title, cases, seconds):
        """Takes the cases of one program and prints its line, and one for each that failed."""
        with self._lock:
            self._cases += [(title, case) for case in cases]
            self._seconds.append((seconds, title))
            counts = {outcome: sum(case.outcome == outcome for case in cases) for outcome in (PASSED, FAILED, SKIPPED)}
            said = ", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count)
            mark = "FAIL" if counts[FAILED] else "ok  " if counts[PASSED] else "skip"
            print(f"{mark} {title:<36} {seconds:6.1f} s  {said}", flush=True)
            for case in cases:
                if case.outcome == FAILED:
                    print(f"     {case.name}: {last_line(case.detail)}", flush=True)

    def say(self, text):
        with self._lock:
            print(f"-- {time.monotonic() - self._started:6.1f} s  {text}", flush=True)

    def _of(self, outcome):
        return [(title, case) for title, case in self._cases if case.outcome == outcome]

    def finish(self):
        """Prints failures and skips with their reasons, then the count; returns the exit code."""
        passed, failed, skipped = (len(self._of(outcome)) for outcome in (PASSED, FAILED, SKIPPED))
        for title, case in self._of(FAILED):
            print(f"\nFAILED {title} {case.name}".rstrip())
            print("\n".join("    " + line for line in case.detail.rstrip().splitlines()))
        if skipped:
            print("\nskipped:")
        for title, case in self._of(SKIPPED):
            print(f"  {title} {case.name}".rstrip() + ": " + " ".join(case.detail.split()))
        slowest = sorted(self._seconds, reverse=True)[:SLOWEST]
        print("\nslowest: " + ", ".join(f"{title} {seconds:.0f} s" for seconds, title in slowest))
        print(f"\n{time.monotonic() - self._started:.0f} s")
        if not self._cases:
            print("no test matches what was asked for: tools/test --list names those there are")
        print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
        sys.stdout.flush()
        return 0 if passed and not failed else 1
