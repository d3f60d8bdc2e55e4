#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Writes the manual page from what the program says of itself: make_man.py PROGRAM OUTPUT."""

import subprocess
import sys


def help_of(program, *words):
    return subprocess.run([program, *words, "--help"], check=True, capture_output=True, text=True).stdout


def verbatim(text):
    """Text as it stands: roff takes a leading dot or quote for a request, and a backslash for an escape."""
    lines = text.rstrip().replace("\\", "\\e").replace("-", "\\-").splitlines()
    return ".nf\n" + "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in lines) + "\n.fi\n"


def main(program, output):
    top = help_of(program)
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    listed = top.split("Commands:\n", 1)[1].split("\n\n", 1)[0]
    commands = [line.split()[0] for line in listed.splitlines()]
    with open(output, "w", encoding="utf-8") as page:
        page.write(f'.TH ISOPLANE 1 "" "isoplane {version}" "User Commands"\n')
        page.write(".SH NAME\nisoplane \\- a userspace dataplane on DPDK\n.SH SYNOPSIS\n")
        page.write(verbatim(top))
        for command in commands:
            if command != "help":
                page.write(f".SH ISOPLANE {command.upper()}\n" + verbatim(help_of(program, command)))


main(*sys.argv[1:])
