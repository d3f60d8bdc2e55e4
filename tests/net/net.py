# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""What the network tests share: nodes as processes, what they report, namespaces joined by a veth pair.

A test is called with the program to test. Nothing it makes outlives it: nodes and namespaces are its children, and
files lie in one temporary directory. No test relies on how fast anything happens; what has to happen is waited for,
and LIMIT only ends a test that has failed.
"""

import atexit
import ctypes
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "house"))
from tap import Skip, run, test  # noqa: E402,F401  for the tests, which import them from here

SLOWDOWN = int(os.environ.get("ISOPLANE_SLOWDOWN", "1"))  # of programs under sanitizers, which have their tests do less
LIMIT = 60.0 * SLOWDOWN
MILLION = 1_000_000
IS_ROOT = os.geteuid() == 0
WORK = tempfile.mkdtemp(prefix="isoplane-net-")
os.chmod(WORK, 0o755)
atexit.register(shutil.rmtree, WORK, ignore_errors=True)
# Where any user may run it.
PROGRAM = shutil.copy(sys.argv[1], os.path.join(WORK, "isoplane"))
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what is registered runs
# What nohup, or a shell with this in its background, ignores, every child would.
for of_terminal in (signal.SIGHUP, signal.SIGQUIT):
    signal.signal(of_terminal, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)

# Nothing of the tester's session directs where run-time files go.
os.environ.pop("XDG_RUNTIME_DIR", None)


def work(name):
    return os.path.join(WORK, name)


def make_dir(name):
    """A directory of its own in which anybody may make files."""
    path = work(name)
    os.mkdir(path)
    os.chmod(path, 0o777)
    return path


def same(found, expected, what):
    assert found == expected, f"{what}: {found}, expected {expected}"


def until(condition, what):
    """Waits until `condition` yields something, and returns it."""
    deadline = time.monotonic() + LIMIT
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"after {LIMIT:.0f} s still not: {what}")


def catches(pid, number):
    """The process has a handler for that signal."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        caught = next(line for line in file if line.startswith("SigCgt:"))
    return int(caught.split()[1], 16) >> (number - 1) & 1


STARTED = time.time()


def run_time_directory(pid):
    """Where a node keeps its telemetry socket, whoever it runs as; None once it is gone. One that is older than this
    run was left by somebody who was killed and had the same pid."""
    for parent in ("/var/run/dpdk", "/tmp/dpdk"):
        path = f"{parent}/isoplane-{pid}"
        if os.path.isdir(path) and os.stat(path).st_mtime >= STARTED:
            return path
    return None


def ask_telemetry(path, *commands):
    """What rte_telemetry answers."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as telemetry:
        telemetry.settimeout(LIMIT)
        telemetry.connect(path)
        telemetry.recv(1 << 16)
        answers = []
        for command in commands:
            telemetry.send(command.encode())
            answers.append(json.loads(telemetry.recv(1 << 16))[command])
        return answers


def die_with_parent():
    """Runs in a child: it is killed when the test is, however that ends."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def as_nobody():
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
    die_with_parent()  # a change of user forgets that


class Program:
    """isoplane as a child, with its output in files and its input on a pipe."""

    _started = 0

    def __init__(self, *words, within=(), prepare=die_with_parent, environment=()):
        Program._started += 1
        self.out_path, self.err_path = work(f"{Program._started}.out"), work(f"{Program._started}.err")
        self.words = [str(word) for word in words]
        if self.words[0] == "node" and "--hugepages" not in self.words:
            self.words[1:1] = ["--hugepages", "off"]  # whoever else runs here may take them meanwhile
        with open(self.out_path, "wb") as out, open(self.err_path, "wb") as err:
            self.process = subprocess.Popen([*within, PROGRAM, *self.words], stdin=subprocess.PIPE, stdout=out,
                                            stderr=err, preexec_fn=prepare, cwd=WORK,
                                            env={**os.environ, **dict(environment)})
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def out(self):
        with open(self.out_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def err(self):
        with open(self.err_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def alive(self):
        return self.process.poll() is None

    def kill(self):
        if self.alive():
            self.process.kill()
        self.process.wait()
        if self.process.stdin:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass

    def ends(self, code=0, err=None):
        """Waits for its end, and checks the exit code, what it said, and that it left no run-time files."""
        try:
            self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self} does not end. It says: {self.out()[-2000:]}{self.err()}") from None
        said = f"{self.out()[-1000:]}{self.err()}"
        same(self.process.returncode, code, f"exit code of {self}, which says '{said.strip()}'")
        if code == 0 and err is None:
            same(self.err(), "", f"errors of {self}")
        if err is not None:
            assert err in self.err(), f"{self} says '{self.err().strip()}', expected '{err}'"
        same(run_time_directory(self.pid), None, f"run-time directory left by {self}")
        return self

    def stop(self, number=signal.SIGTERM, **expected):
        self.process.send_signal(number)
        return self.ends(**expected)

    def __str__(self):
        return "isoplane " + " ".join(self.words)


UNHEARD = ""  # drivers may say what they notice when a peer ends


class Node(Program):
    """`isoplane node`, which can be told commands, and ends with its reports in JSON."""

    def __init__(self, role, link, *options, **how):
        super().__init__("node", "--role", role, "--link", link, "--json", *options, **how)

    def tell(self, command):
        self.process.stdin.write(f"{command}\n".encode())
        self.process.stdin.flush()
        return self

    def ask(self, command):
        """Tells it a command that answers in JSON, and returns the answer."""
        before = len(self.out())
        self.tell(command)

        def answer():
            assert self.alive(), f"{self} has ended: {self.err()}"
            try:
                return [json.JSONDecoder().raw_decode(re.sub(r"\A.*?^(?=[\[{])", "", self.out()[before:],
                                                             flags=re.M | re.S))[0]]
            except json.JSONDecodeError:
                return None

        return until(answer, f"{self} answers '{command}'")[0]

    def ready(self):
        """Waits until it takes commands: its links are open, its stages run."""
        self.ask("show pool json")
        return self

    def is_up(self, link=0):
        until(lambda: self.ask("show link json")[link]["up"], f"link {link} of {self} is up")
        return self

    def report(self):
        """The reports it ended with, by name. What it had printed before stands before their line '{'."""
        text = "\n" + self.out()
        return json.loads(text[text.rindex("\n{\n"):])

    def port(self, number=0):
        return self.report()["port"][number]

    def stage(self, name):
        return {stage["name"]: stage for stage in self.report()["stage"]}[name]

    def figures(self, name):
        return self.stage(name)["figures"]


def fewer(count):
    """Of so many frames, those that there is time for where programs are slow."""
    return count // (SLOWDOWN * SLOWDOWN)


def round_trip(echo_link, sender_link, *options, size=64, count=MILLION, echo_first=True, gently=False,
               window=None, before=None, heard=None, echo_how=None, sender_how=None):
    """One node sends `count` frames, or fewer where programs are slow, another returns them, the first checks each; then
    every counter on both sides is held against every other. `gently` lets the sender wait until both see the link up and
    `before` has been called, `window` is how many frames it may have under way, `heard` is part of what it may say on
    standard error instead of nothing. Returns both, ended."""
    count = fewer(count)

    def echo():
        return Node("echo", echo_link, "--id", 1, *options, **(echo_how or {})).ready()

    def sender():
        waits = ["--stopped"] if gently else []
        waits += ["--window", window] if window else []
        return Node("generate,sink", sender_link, "--id", 0, "--to", 1, "--size", size, "--count", count,
                    "--expect", count, *waits, *options, **(sender_how or {}))

    if echo_first:
        with echo() as echoing, sender() as sending:
            return _run_round_trip(echoing, sending, size, count, gently, before, heard)
    with sender() as sending:
        if gently:
            sending.ready()
        else:
            until(lambda: os.path.exists(sender_link.partition(":")[2]), "the sender serves its socket")
        with echo() as echoing:
            return _run_round_trip(echoing, sending, size, count, gently, before, heard)


def _run_round_trip(echo, sender, size, count, gently, before, heard):
    if gently:
        echo.is_up()
        sender.is_up()
        if before:
            before()
        sender.tell("start")
    sender.ends(err=heard)
    echo.stop(err=UNHEARD)  # its peer has gone before it
    moved = {"packets": count, "bytes": count * size}
    for node, stage, way in ((sender, "generate0", "out"), (echo, "echo0", "in"), (echo, "echo0", "out"),
                             (sender, "sink0", "in")):
        same(node.stage(stage)[way], moved, f"{way} of {stage}")
    for node in (sender, echo):
        port = node.port()
        for way in ("rx", "tx"):
            same((port[f"{way}_packets"], port[f"{way}_bytes"]), (count, count * size), f"{way} of the port of {node}")
        for error in ("rx_missed", "rx_errors", "rx_no_packets", "tx_errors", "oversized"):
            same(port[error], 0, f"{error} of {node}")
    figures = sender.figures("sink0")
    same((figures["good"], figures["duplicates"], figures["late"], figures["missing"], figures.get("refused")),
         (count, 0, 0, 0, None), "good, duplicates, late, missing, refused")
    return echo, sender


def command(*words, **how):
    """Runs a program of the system that has to succeed."""
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, **how)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stderr.strip()}"
    return done.stdout


class Namespace:
    """A network namespace, held by a child that sleeps in it, and gone with it."""

    def __init__(self):
        needs_root("a network namespace")
        self.holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"], preexec_fn=die_with_parent)
        ours = os.readlink("/proc/self/ns/net")
        until(lambda: os.readlink(f"/proc/{self.holder.pid}/ns/net") != ours, "the namespace is there")
        self.within = ("nsenter", f"--net=/proc/{self.holder.pid}/ns/net")
        self.how = {"within": self.within}
        # Nothing but the test's frames is to be counted.
        self.command("sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1")

    def command(self, *words):
        return command(*self.within, *words)

    def interface(self, name):
        """The kernel's counters of an interface."""
        return json.loads(self.command("ip", "-json", "-stats", "link", "show", "dev", name))[0]["stats64"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.holder.kill()
        self.holder.wait()


def join(left, right, mtu=1500):
    """A veth pair, `veth0` in one namespace and `veth0` in the other, with one queue and without offloads."""
    left.command("ip", "link", "add", "veth0", "mtu", str(mtu), "numtxqueues", "1", "numrxqueues", "1", "type", "veth",
                 "peer", "name", "veth0", "mtu", str(mtu), "numtxqueues", "1", "numrxqueues", "1",
                 "netns", str(right.holder.pid))
    for side in (left, right):
        side.command("ip", "link", "set", "veth0", "up")


def needs_root(what):
    if not IS_ROOT:
        raise Skip(f"{what} needs root")


def needs(program):
    if shutil.which(program) is None:
        raise Skip(f"{program} is not installed")
