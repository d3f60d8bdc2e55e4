# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""The configurations isoplane is built in, and the tests that meson knows in each."""

import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field

import processes

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Many programs of a hundred megabytes each are linked, which takes it a third of ld's time.
LINKER = {"CC_LD": "lld", "CXX_LD": "lld"}
# The sources of a target are compiled together, which takes half the time. Who works on them wants them apart.
TOGETHER = "-Dunity=on"


@dataclass
class Build:
    """A configuration: its directory in the checkout, its options, and what its programs need around them."""

    name: str
    options: list = field(default_factory=list)
    clang: bool = False
    env: dict = field(default_factory=dict)
    slowdown: int = 1  # how much longer its tests may take

    @property
    def directory(self):
        return os.path.join(ROOT, self.name)

    def configure(self, log):
        if os.path.exists(os.path.join(self.directory, "build.ninja")):
            return self._ninja(log, "build.ninja")  # says nothing unless a meson.build has changed
        # A directory that meson gave up on would only fail again.
        shutil.rmtree(self.directory, ignore_errors=True)
        env = {**os.environ, **LINKER, **({"CC": "clang", "CXX": "clang++"} if self.clang else {})}
        command = ["meson", "setup", TOGETHER, self.directory, ROOT, *self.options]
        return processes.call(command, env=env, stdout=log, stderr=log).returncode == 0

    def compile(self, log, jobs, targets=()):
        return self._precompile(log) and self._ninja(log, "-j", str(jobs), *targets)

    def _ninja(self, log, *arguments, directory=""):
        command = ["ninja", "-C", os.path.join(self.directory, directory), *arguments]
        return processes.call(command, stdout=log, stderr=log).returncode == 0

    def _commands(self):
        with open(os.path.join(self.directory, "compile_commands.json"), encoding="utf-8") as file:
            return json.load(file)

    def _precompile(self, log):
        """Compiles the header that this build's sources start with, if it has one and if anything in it is new.

        By a ninja of its own, since meson knows such a header only within one target. The first source's flags do for it,
        as meson.build gives all targets the same.
        """
        words = next((words for words in map(_flags, self._commands()) if "-include-pch" in words), None)
        if words is None:
            return True
        at = words.index("-include-pch")
        flags = [word for word in words[:at] + words[at + 2 :] if not word.startswith("-I")]
        directory = os.path.join(self.directory, "precompiled")
        os.makedirs(directory, exist_ok=True)
        # Templates that its headers use are instantiated in it, and not again by every source.
        command = [*flags, "-fpch-instantiate-templates", "-MD", "-MF", "$out.d", "-x", "c++-header", "-o", "$out", "$in"]
        with open(os.path.join(directory, "build.ninja"), "w", encoding="utf-8") as file:
            file.write(f"rule precompile\n  command = {' '.join(command)}\n  depfile = $out.d\n"
                       f"build all.pch: precompile {ROOT}/tools/testing/precompiled.hh\n")
        return self._ninja(log, directory=directory)

    def read_each(self, log, jobs, built):
        """Has the compiler read, and warn about, every source that is no test, by itself: what it has forgotten to include
        another may have included before it where they are compiled together. Not what was `built` by itself anyway."""
        generated = [os.path.relpath(name, self.directory) for target in self._introspect("--targets")
                     if target["type"] == "custom" for name in target["filename"] if name.endswith(".hh")]
        processes.call(["ninja", "-C", self.directory, "--quiet", *generated], stdout=log, stderr=log).check_returncode()
        inputs = subprocess.run(["ninja", "-C", self.directory, "-t", "inputs", *built], check=True,
                                capture_output=True, text=True).stdout.split()
        each = [(entry, source) for entry in self._commands() for source in _together(entry) or [entry["file"]]
                if "/tests/" not in source and (source != entry["file"] or entry["output"] not in inputs)]
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            said = list(pool.map(_read, *zip(*each)))
        log.writelines(text for text in said if text)
        return bool(each) and not any(said)

    def _introspect(self, what):
        command = ["meson", "introspect", what, self.directory]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

    def tests(self):
        return [Test(self, entry) for entry in self._introspect("--tests")]

    def targets(self, without):
        """What is built when nothing is named, but for these."""
        names = [os.path.relpath(name, self.directory) for target in self._introspect("--targets")
                 if target["build_by_default"] for name in target["filename"]]
        return [name for name in names if name not in without]

    def needed(self, tests):
        """What these tests are started with; for scripts also what is installed, as they may install it."""
        programs = {target for test in tests for target in test.depends}
        scripts = any(test.target is None and test.depends for test in tests)
        return [os.path.relpath(name, self.directory) for target in self._introspect("--targets")
                if target["id"] in programs or (scripts and target["installed"]) for name in target["filename"]]

    def fuzz_targets(self):
        return sorted(
            target["filename"][0]
            for target in self._introspect("--targets")
            if target["type"] == "executable" and target["name"].startswith("fuzz_")
        )


def _flags(entry):
    """How a source is compiled: compiler and options, without the source and what is written."""
    words = [word for word in shlex.split(entry["command"]) if word not in ("ccache", "-MD")]
    for option in ("-MQ", "-MF", "-o", "-c"):
        at = words.index(option)
        del words[at : at + 2]
    return words


def _together(entry):
    """The sources that meson has compiled as this one; none where it is not meson's."""
    if not entry["file"].endswith("-unity0.cpp"):
        return []
    with open(os.path.join(entry["directory"], entry["file"]), encoding="utf-8") as file:
        return re.findall(r'^#include<(.*)>$', file.read(), re.MULTILINE)


def _read(entry, source):
    """The compiler's words about a source, with this entry's flags, that it does not accept; None when it does."""
    done = processes.call([*_flags(entry), "-fsyntax-only", source], cwd=entry["directory"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)
    return None if done.returncode == 0 else done.stderr or f"{source}: exit code {done.returncode}\n"


class Test:
    """A test as meson.build declares it."""

    def __init__(self, build, entry):
        self.build = build
        self.suite = entry["suite"][0].split(":")[-1] if entry["suite"] else "other"
        self.name = entry["name"]
        self.command = entry["cmd"]
        self.env = {"ISOPLANE_SLOWDOWN": str(build.slowdown), **build.env, **entry["env"]}
        if self.suite != "sim":
            self.env.pop("ISOPLANE_MOST_SEEDS", None)  # random sequences of calls take seconds
        self.cwd = entry["workdir"] or build.directory
        self.depends = entry["depends"]  # ids of targets
        self.protocol = entry["protocol"]
        self.parallel = entry["is_parallel"]
        self.priority = entry["priority"]
        self.timeout = entry["timeout"] * build.slowdown if entry["timeout"] > 0 else None

    @property
    def title(self):
        where = "" if self.build is DEFAULT else f" [{self.build.name}]"
        return f"{self.suite}/{self.name}{where}"

    @property
    def target(self):
        """What ninja builds for it; None when its command is a script."""
        path = os.path.relpath(self.command[0], self.build.directory)
        return None if path.startswith("..") else path


SANITIZER_ENV = {
    "ISOPLANE_MOST_SEEDS": "10",  # a simulation is thirty times slower here, and its faults the same
    # What is long whatever the seeds, with nothing in it that the other tests of its program have not: planted defects, too.
    "GTEST_FILTER": "-NiuCrowd.*:*Sim.finds_*:NiuRestart.finds_*:ShmemMortalSim.seeds_that_once_went_wrong"
                    ":MembershipSim.time_goes_on_among_more_than_a_frame_can_name",
    "ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=1",
    "LSAN_OPTIONS": f"print_suppressions=0:suppressions={ROOT}/tests/lsan.supp",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    "TSAN_OPTIONS": f"halt_on_error=1:history_size=7:report_signal_unsafe=0:suppressions={ROOT}/tests/tsan.supp",
}
# Without optimization a quarter less to compile, and more of what is wrong is still there to be seen.
SANITIZED = ["-Doptimization=0", "-Db_lundef=false"]


def sanitizer(kind):
    """The build for -Db_sanitize=KIND."""
    if kind == "address,undefined":
        return CLANG
    # Warnings were errors already in the other builds, and sanitizers make gcc guess wrong.
    return Build(f"build-{kind.replace(',', '-')}", [f"-Db_sanitize={kind}", "-Dwerror=false", *SANITIZED],
                 env={**SANITIZER_ENV, "ISOPLANE_SANITIZE": f"-fsanitize={kind}"}, slowdown=5)


DEFAULT = Build("build")
# Half the time to compile. Not in the other build, so that it shows what a source has forgotten to include.
PRECOMPILED = "-Dprecompiled=precompiled/all.pch"
# The second compiler's build is also the one under sanitizers, and that of the fuzz targets: every build costs minutes.
# Two checks of every access take half the compiler's time, and the address sanitizer sees what would come of either.
UNCHECKED = "-Dcpp_args=-fno-sanitize=null,pointer-overflow"
CLANG = Build("build-clang", ["-Dfuzzers=true", "-Db_sanitize=address,undefined", *SANITIZED, PRECOMPILED, UNCHECKED],
              clang=True, env={**SANITIZER_ENV, "ISOPLANE_SANITIZE": "-fsanitize=address,undefined"}, slowdown=5)
