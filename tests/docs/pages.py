# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""The pages of the documentation, and what is in them to be tried.

A fence says what is in it:

    ```sh                           commands, which are run
    ```sh no-test: why              commands that are not, and why
    ```prompt --role echo ...       what is typed at the prompt of such a node, and what it answers
    ```cpp program.cc               a file that commands of the page use; any language
    ```cpp                          a fragment that compiles (fragments.cc)
    ```text                         anything else
"""

import glob
import os
import re
from dataclasses import dataclass

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NO_TEST = "no-test:"
# What a line that is a command begins with.
COMMAND = re.compile(r"(isoplane> .|(\$ )?(sudo |[A-Z_]+=\S+ )*(tools/|tests/|dpdk-|(isoplane|meson|ninja|apt|apt-get|modprobe|tshark|docker|podman|"
                     r"systemctl|sysctl|c\+\+|cc|mpirun|dpkg|ssh|ethtool|ip)\s))")


@dataclass
class Block:
    page: str
    line: int  # of its first line
    language: str
    rest: str  # of the fence
    text: str

    @property
    def where(self):
        return f"{self.page}:{self.line}"

    @property
    def reason(self):
        """Why its commands are not run; None when they are."""
        return self.rest.removeprefix(NO_TEST).strip() if self.rest.startswith(NO_TEST) else None

    def commands(self):
        """Without comments; a line that ends in a backslash goes on in the next."""
        for line in re.sub(r"\\\n\s*", "", self.text).splitlines():
            line = re.sub(r"(^|\s+)# .*$", "", line).strip()
            if line:
                yield line


def pages():
    return [os.path.join(ROOT, name) for name in ("README.md", "CONTRIBUTING.md")] + sorted(glob.glob(f"{ROOT}/doc/*.md"))


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def blocks(path):
    """Fenced blocks, and with the language "indented" the others."""
    name, lines, at = os.path.relpath(path, ROOT), text_of(path).splitlines(), 0
    while at < len(lines):
        fence = re.match(r"```(\S*)\s*(.*)$", lines[at])
        indented = lines[at].startswith("    ") and (at == 0 or not lines[at - 1].strip())
        if not fence and not indented:
            at += 1
            continue
        start = at = at + 1 if fence else at
        while at < len(lines) and (not lines[at].startswith("```") if fence else lines[at].startswith("    ")):
            at += 1
        text = "\n".join(lines[start:at]) + "\n"
        yield Block(name, start + 1, fence[1] if fence else "indented", fence[2] if fence else "", text)
        at += bool(fence)


def all_blocks():
    return [block for path in pages() for block in blocks(path)]
