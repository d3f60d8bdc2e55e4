# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Runs one program in a session of its own, and leaves nothing of that session behind."""

import concurrent.futures
import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass

GRACE_SECONDS = 5.0
LOOK_SECONDS = 0.05


@dataclass
class Ended:
    """How a program ended, and what it wrote."""

    code: int  # exit code; negative is the signal that ended it
    timed_out: bool
    seconds: float
    stdout: str
    stderr: str  # empty when merged into stdout
    left_behind: list  # command names of processes that were still running after it

    def reason(self):
        if self.timed_out:
            return f"timed out after {self.seconds:.0f} s"
        if self.code < 0:
            return f"killed by {signal.Signals(-self.code).name}"
        return f"exit code {self.code}"


_running = set()
_lock = threading.Lock()
_stopping = False


def _session_members(session):
    """(pid, name) of the live processes of a session: /proc/PID/stat is pid (name) state ppid pgrp session."""
    members = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
            continue
        state, _, _, owner = text.rpartition(")")[2].split()[:4]
        if int(owner) == session and state not in "ZX":
            members.append((int(entry), text[text.index("(") + 1 : text.rindex(")")]))
    return members


def _kill_session(session):
    for _ in range(50):
        members = _session_members(session)
        if not members:
            return
        for pid, _ in members:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.02)


def _left_behind(session):
    """Names of what outlives its leader; what is on its way out gets a moment to finish."""
    deadline = time.monotonic() + GRACE_SECONDS
    members = _session_members(session)
    while members and time.monotonic() < deadline:
        time.sleep(0.05)
        members = _session_members(session)
    return [name for _, name in members]


def stop_all():
    """Kills every program that runs, and lets none start: for an interrupted run."""
    global _stopping
    with _lock:
        _stopping = True
        sessions = list(_running)
    for session in sessions:
        _kill_session(session)


def interruptibly(work):
    """What `work` returns. SIGINT and SIGTERM stop all that runs; then this raises KeyboardInterrupt.

    A signal is handled between any two steps of the first thread, whatever locks that holds. So its handler only notes that
    it came, the work is done on another thread, and the first one looks.
    """
    came = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: came.append(True))
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        while not concurrent.futures.wait([future], LOOK_SECONDS).done:
            if came:
                stop_all()
        if came:
            raise KeyboardInterrupt
        return future.result()


def _start(command, **options):
    """In a session of its own; raises KeyboardInterrupt when all is stopped."""
    with _lock:
        if _stopping:
            raise KeyboardInterrupt
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, **options)
        _running.add(process.pid)
    return process


def _ended(process):
    with _lock:
        _running.discard(process.pid)


def call(command, **options):
    """subprocess.run() of what reads nothing and is stopped with all others."""
    process = _start(command, **options)
    out, err = process.communicate()
    _ended(process)
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def run(command, *, env=None, cwd=None, timeout=None, merge=True, workfile):
    """Runs `command` with its output in files beginning with `workfile`; no timeout when None.

    A program that takes too long first gets SIGTERM, so that it can clean up what it made outside itself.
    """
    started = time.monotonic()
    out_path, err_path = f"{workfile}.out", f"{workfile}.err"
    with open(out_path, "wb") as out, open(err_path, "wb") as err:
        process = _start(command, env={**os.environ, **(env or {})}, cwd=cwd, stdout=out,
                         stderr=subprocess.STDOUT if merge else err)
    timed_out = False
    try:
        process.wait(timeout)
    except subprocess.TimeoutExpired:
        timed_out = True
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            pass
    left = [] if timed_out else _left_behind(process.pid)
    _kill_session(process.pid)
    process.wait()
    _ended(process)
    return Ended(process.returncode, timed_out, time.monotonic() - started, _read(out_path), _read(err_path), left)


def _read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()
