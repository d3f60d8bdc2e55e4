#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Every source file is laid out as .clang-format decides, and begins with the licence."""

import os
import subprocess

from tap import Skip, run, test

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SPDX = "SPDX-License-Identifier: BSD-3-Clause"


def tracked(*endings):
    """Files of the checkout with one of these endings; a copy without git has no list of them."""
    done = subprocess.run(["git", "-c", "safe.directory=*", "-C", ROOT, "ls-files", "-z", "--cached", "--others",
                           "--exclude-standard"], capture_output=True)
    if done.returncode != 0:
        raise Skip("this is not a git checkout")
    names = done.stdout.decode().split("\0")
    return [name for name in names if name.endswith(endings) and os.path.isfile(os.path.join(ROOT, name))]


@test
def sources_are_formatted():
    done = subprocess.run(["clang-format", "--dry-run", "-Werror", *tracked(".cc", ".hh", ".h", ".c")], cwd=ROOT,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, f"run clang-format -i on these:\n{done.stderr}"


@test
def files_begin_with_the_licence():
    bare = []
    for name in tracked(".cc", ".hh", ".h", ".c", ".py", ".sh", ".lua", "meson.build"):
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            if SPDX not in "".join(file.readline() for _ in range(4)):
                bare.append(name)
    assert not bare, f"no '{SPDX}' at the top of: {' '.join(bare)}"


run()
