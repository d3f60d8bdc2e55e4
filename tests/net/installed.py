#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Programs of tests/compat, built against what is installed and run by the launcher; for tests whose second argument is
the build directory."""

import glob
import os
import sys

from jobs import PORTS, loses_some
from net import Program, command, work

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "compat")
ROOT = work("installed")
WAYS = ("inline", "lcore")


def install():
    command("meson", "install", "-C", sys.argv[2], "--no-rebuild", "--quiet", "--destdir", ROOT)
    os.environ["LD_LIBRARY_PATH"] = os.path.dirname(installed("libisoplane.so"))
    for path in glob.glob(os.path.join(ROOT, "**", "libisoplane.a"), recursive=True):
        os.remove(path)  # large, and not used here


def installed(pattern):
    found = glob.glob(os.path.join(ROOT, "**", pattern), recursive=True)
    assert found, f"{pattern} is not installed"
    return found[0]


def build(name, *compiler):
    """A program of tests/compat, with what pkg-config says."""
    binary = work(f"{name}-{compiler[0]}")
    command(*compiler, "-O2", "-Wall", "-Wno-sign-compare", os.path.join(SOURCES, f"{name}.c"), "-o", binary, *flags_of_compat())
    return binary


def flags_of_compat():
    """A library under a sanitizer wants its programs under it, too."""
    os.environ["PKG_CONFIG_PATH"] = os.path.dirname(installed("isoplane-compat.pc"))
    return [*os.environ.get("ISOPLANE_SANITIZE", "").split(),
            *command("pkg-config", "--cflags", "--libs", "isoplane-compat").split()]


def job(nodes, *words):
    """Runs one on so many nodes; what they print, in order. With a fabric that loses frames, it has to."""
    impaired = "--fabric" in words
    with Program("run", *(("--stats",) if impaired else ()), "-n", nodes, *words) as launcher:
        said = sorted(launcher.ends(err=PORTS if impaired else None).out().splitlines())
        if impaired:
            loses_some(launcher)
        return said
