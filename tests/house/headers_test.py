#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Every public header compiles alone.

One that a source of a library, or another public header, includes before anything else has been compiled so in the build.
The others are here, by clang++, which is quicker at it.
"""

import concurrent.futures
import glob
import os
import re
import shutil
import subprocess

from tap import Skip, run, test

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wnon-virtual-dtor", "-Wno-missing-field-initializers",
            "-Werror"]
INCLUDES = sorted(glob.glob(f"{ROOT}/lib/*/include") + glob.glob(f"{ROOT}/drivers/*/include"))


def headers():
    """(directory, name as it is included) of each."""
    for directory in INCLUDES:
        for path in sorted(glob.glob(f"{directory}/**/*.h*", recursive=True)):
            yield directory, os.path.relpath(path, directory)


def first_include(path):
    with open(path, encoding="utf-8") as file:
        found = re.search(r'^#include [<"]([^>"]+)[>"]', file.read(), re.MULTILINE)
    return found and found[1]


def compiled_alone_already():
    """Names of headers; and one that begins with such a header stands for it too, when it is compiled here."""
    sources = glob.glob(f"{ROOT}/lib/*/*.cc") + glob.glob(f"{ROOT}/drivers/*/*.cc")
    return {first_include(path) for path in [*sources, *(os.path.join(*header) for header in headers())]}


def flags():
    dpdk = subprocess.run(["pkg-config", "--cflags", "libdpdk"], check=True, capture_output=True, text=True).stdout
    system = [flag.replace("-I", "-isystem", 1) for flag in dpdk.split()]
    return ["-std=c++20", "-fsyntax-only", "-DRTE_USE_C11_MEM_MODEL", *WARNINGS, *system,
            *(f"-I{directory}" for directory in INCLUDES)]


def compile_alone(compiler, options, name):
    """The compiler's words about a file that holds nothing but this include; None when it has none."""
    done = subprocess.run([compiler, *options, "-x", "c++", "-"], input=f"#include <{name}>\n",
                          capture_output=True, text=True)
    return done.stderr if done.returncode != 0 else None


@test
def every_public_header_compiles_alone():
    if shutil.which("clang++") is None:
        raise Skip("clang++ is not installed")
    options = flags()
    names = sorted({name for _, name in headers()} - compiled_alone_already())
    assert names, "no header was found"
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        said = list(pool.map(lambda name: compile_alone("clang++", options, name), names))
    bad = [f"{name}\n{words}" for name, words in zip(names, said) if words]
    assert not bad, "\n".join(bad)


@test
def every_public_header_can_be_included_twice():
    for header in headers():
        with open(os.path.join(*header), encoding="utf-8") as file:
            guarded = re.search(r"^#(pragma once$|ifndef \w+\n#define)", file.read(), re.MULTILINE)
        assert guarded, f"{header[1]} has no #pragma once"


run()
