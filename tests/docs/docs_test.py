#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""What the documentation tells to type works: docs_test.py PROGRAM BUILD_DIRECTORY.

Each page has a directory, in which its blocks of commands run one after the other; isoplane is installed in another. A node that
would run until it is stopped gets the rest of its block, and is stopped then. What a page calls ./program is the program of
doc/programs.md. pages.py says what the fences of a page mean.
"""

import os
import re
import shlex
import shutil
import subprocess

import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "net"))

from net import PROGRAM, WORK, Skip, command, die_with_parent, make_dir, run, same, test, until, work  # noqa: E402
from installed import ROOT as INSTALLED, install, installed  # noqa: E402
from pages import COMMAND, ROOT, all_blocks, pages, text_of  # noqa: E402

LIMIT = 400
BUILD = os.path.abspath(sys.argv[2])
IN_CHECKOUT = ("tools/", "tests/", "build/", "meson ")
# Options of other programs that the pages name.
FOREIGN = {"--pid", "--network", "--oversubscribe", "--enable-recovery"}


def environment():
    path = f"{os.path.dirname(installed('bin/isoplane'))}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "PKG_CONFIG_PATH": os.path.dirname(installed("isoplane.pc")), "FI_PROVIDER_PATH": os.path.join(BUILD, "drivers", "fi")}


def directory_of(page):
    """Made with what the commands of every page may use."""
    path = work(page.replace("/", "-"))
    if os.path.isdir(path):
        return path
    os.makedirs(os.path.join(path, "tmp"))
    for name in ("config", "build", "tools", "tests", "doc"):
        os.symlink(BUILD if name == "build" else os.path.join(ROOT, name), os.path.join(path, name))
    for name in ("program", "server", "client"):
        if os.path.exists(work("program")):
            shutil.copy(work("program"), os.path.join(path, name))
    return path


def runs_until_stopped(line):
    node = re.search(r"\bisoplane node\b", line)
    return node and not re.search(r"--(expect|count|duration)\b|\|", line)


class Terminal:
    """A node that goes on until it is told to stop."""

    def __init__(self, line, directory):
        self.line = line
        self.out = os.path.join(directory, f"terminal{len(os.listdir(directory))}")
        with open(self.out, "wb") as out:
            self.process = subprocess.Popen(["bash", "-c", f"exec {line.rstrip('& ')}"], cwd=directory, env=environment(),
                                            stdin=subprocess.PIPE, stdout=out, stderr=out, preexec_fn=die_with_parent)
        self.process.stdin.write(b"show pool json\n")
        self.process.stdin.flush()
        until(lambda: "{" in self.said() or self.process.poll() is not None, f"'{line}' takes commands")
        assert self.process.poll() is None, f"'{line}' ended: {self.said()}"

    def said(self):
        with open(self.out, encoding="utf-8", errors="replace") as file:
            return file.read()

    def stop(self):
        self.process.terminate()
        self.process.wait(LIMIT)
        self.process.stdin.close()
        same(self.process.returncode, 0, f"exit code of '{self.line}', which says '{self.said()[-1000:]}'")


def here(line, directory):
    """With the files of this run for those of a machine."""
    scratch = f"{directory}/tmp/"
    for place, other in (("/tmp/", scratch), ("/run/", scratch), ("/etc/isoplane/", scratch), ("~/", scratch),
                         ("/usr/local/", f"{INSTALLED}/usr/local/")):
        line = re.sub(rf"(?<![\w.-]){place}", other, line)
    return line


def type_in(block):
    directory = directory_of(block.page)
    terminals = []
    try:
        for line in block.commands():
            line = here(line, directory)
            if runs_until_stopped(line):
                terminals.append(Terminal(line, directory))
                continue
            done = subprocess.run(["bash", "-c", line], cwd=ROOT if line.startswith(IN_CHECKOUT) else directory,
                                  env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  errors="replace", timeout=LIMIT, preexec_fn=die_with_parent)
            assert done.returncode == 0, f"{line}\nexit code {done.returncode}\n{done.stdout[-1500:]}{done.stderr[-1500:]}"
        while terminals:
            terminals.pop().stop()
    finally:
        for terminal in terminals:
            terminal.process.kill()
            terminal.process.wait()


def type_at_prompt(block):
    directory = directory_of(block.page)
    words = [word for line in block.text.splitlines() if line.startswith("isoplane> ")
             for word in ("-c", here(line.removeprefix("isoplane> "), directory))]
    command(PROGRAM, "node", *shlex.split(block.rest), "--duration", "0.1", *words)


def try_block(block):
    def attempt():
        if block.reason is not None:
            assert block.reason, f"{block.where}: commands that are not run need a reason"
            raise Skip(block.reason)
        if block.language == "prompt":
            type_at_prompt(block)
        else:
            type_in(block)

    attempt.__name__ = block.where
    return attempt


def write_file(block):
    with open(os.path.join(directory_of(block.page), block.rest), "w", encoding="utf-8") as file:
        file.write(block.text)


@test
def isoplane_is_installed_and_the_program_of_the_documentation_builds():
    install()
    for block in all_blocks():
        if block.rest == "program.cc" and block.page == "doc/programs.md":
            with open(work("program.cc"), "w", encoding="utf-8") as file:
                file.write(block.text)
    flags = command("pkg-config", "--cflags", "--libs", "isoplane", env=environment()).split()
    command("c++", "-std=c++20", "-Wall", work("program.cc"), "-o", work("program"), *flags)


@test
def commands_stand_in_fences_that_say_so():
    for block in all_blocks():
        assert block.language, f"{block.where}: the fence does not say what is in it: sh, cpp, conf or text"
        if block.language not in ("sh", "indented"):
            continue
        if block.language == "indented":
            found = [line for line in block.text.splitlines() if COMMAND.match(line.strip())]
            assert not found, f"{block.where}: '{found[0].strip()}' stands in no ```sh"


@test
def files_of_the_pages_are_written():
    for block in all_blocks():
        if block.language not in ("sh", "prompt", "indented") and block.rest:
            assert re.fullmatch(r"[\w.-]+", block.rest), f"{block.where}: '{block.rest}' is no name of a file"
            write_file(block)


def prose(path):
    return re.sub(r"^```.*?^```", "", text_of(path), flags=re.M | re.S)


def without_code(path):
    return re.sub(r"`[^`\n]*`", "", prose(path))


def anchors(path):
    """Of the headings of a page, as they are made from what they say."""
    titles = re.findall(r"^#+ (.+)$", prose(path), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@test
def links_lead_somewhere():
    dead = []
    for page in pages():
        for link in re.findall(r"\]\(([^)\s]+)\)", without_code(page)):
            path, _, anchor = link.partition("#")
            if "://" in path:
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(target) or (anchor and anchor not in anchors(target)):
                dead.append(f"{os.path.relpath(page, ROOT)}: {link}")
    same(dead, [], "links that lead nowhere")


def helps():
    """What each command, and each benchmark, says of its options."""
    listed = command(PROGRAM, "--help").split("Commands:\n")[1].split("\n\n")[0]
    names = [line.split()[0] for line in listed.splitlines() if line.split()[0] != "help"]
    said = {name: command(PROGRAM, name, "--help") for name in names}
    for name in re.findall(r"^  (\w+) ", said["perf"], re.MULTILINE):
        done = subprocess.run([PROGRAM, "perf", name, "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        said["perf"] += done.stdout
    return said


@test
def options_that_the_pages_name_exist():
    said = helps()
    known = {name: set(re.findall(r"(?<!\w)--?[\w-]+", text)) | {"--help"} for name, text in said.items()}
    tools = {word for name in ("test", "setup", "demo") for word in re.findall(r"--[\w-]+", text_of(f"{ROOT}/tools/{name}"))}
    for name in ("run_tests", "coverage"):
        tools |= set(re.findall(r"--[\w-]+", text_of(f"{ROOT}/tools/testing/{name}.py")))
    everything = set().union(*known.values(), tools, FOREIGN)
    for path in pages():
        page = os.path.relpath(path, ROOT)
        for span in re.findall(r"`([^`\n]+)`", text_of(path)):
            of = re.match(r"isoplane (\w+)\b", span)
            if not of and not span.startswith("--"):
                continue  # of another program
            words = re.findall(r"(?<![\w-])--[a-z][\w-]*", span.split(" -- ")[0] if of else span)
            allowed = known[of[1]] if of and of[1] in known else everything
            for word in words:
                assert word in allowed, f"{page}: there is no {word}, which `{span}` names"


@test
def fragments_compile():
    """Each in its place in fragments.cc, which has what is around it."""
    fragments = [block for block in all_blocks() if block.language == "cpp" and not block.rest]
    around = text_of(os.path.join(ROOT, "tests", "docs", "fragments.cc"))
    places = re.findall(r"^ *// (doc/\S+) (\d+)$", around, re.MULTILINE)
    wanted = {}
    for block in fragments:
        wanted[(block.page, str(1 + sum(page == block.page for page, _ in wanted)))] = block
    same(sorted(places), sorted(wanted), "fragments that have a place in fragments.cc")
    for (page, number), block in wanted.items():
        around = re.sub(rf"^ *// {re.escape(page)} {number}$",
                        lambda _, b=block: f'#line {b.line} "{b.page}"\n{b.text.rstrip()}', around, flags=re.MULTILINE)
    with open(work("fragments.cc"), "w", encoding="utf-8") as file:
        file.write(around)
    flags = command("pkg-config", "--cflags", "isoplane", env=environment()).split()
    command("c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wno-unused", "-Wno-volatile", f"-I{ROOT}", work("fragments.cc"), *flags)


for each in all_blocks():
    if each.language in ("sh", "prompt"):
        test(try_block(each))

run()
