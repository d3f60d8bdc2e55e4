#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""The API reference is made of every public header, without a warning."""

import glob
import os
import shutil
import subprocess
import tempfile

from tap import Skip, run, test

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@test
def the_api_reference_has_no_warning():
    if not shutil.which("doxygen"):
        raise Skip("doxygen is not installed")
    includes = glob.glob(f"{ROOT}/lib/*/include") + glob.glob(f"{ROOT}/drivers/*/include")
    with open(f"{ROOT}/doc/Doxyfile.in", encoding="utf-8") as file:
        settings = file.read()
    with tempfile.TemporaryDirectory(prefix="isoplane-doxygen.") as scratch:
        for key, value in (("VERSION", "0"), ("OUTPUT", scratch), ("HEADERS", " ".join(includes))):
            settings = settings.replace(f"@{key}@", value)
        done = subprocess.run(["doxygen", "-"], input=settings, capture_output=True, text=True, cwd=scratch)
        assert done.returncode == 0 and "warning" not in done.stderr, done.stderr[-3000:]
        pages = glob.glob(f"{scratch}/html/class*.html")
    assert len(pages) > 50, f"only {len(pages)} classes"


run()
