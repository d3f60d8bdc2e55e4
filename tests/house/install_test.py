#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""What is installed can be built against and run: install_test.py BUILD_DIRECTORY."""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

from tap import Skip, run, test

BUILD = sys.argv[1]
PROGRAM = r"""
#include <array>
#include <cstddef>
#include <cstdio>
#include <isoplane/wire/crc32c.hh>
int main() {
    const std::array<std::byte, 3> bytes{};
    std::printf("%08x\n", isoplane::wire::crc32c(bytes));
}
"""

scratch = tempfile.TemporaryDirectory(prefix="isoplane-install.")


def command(*words, **environment):
    """What a command prints; its own words when it fails."""
    done = subprocess.run(words, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}"
    return done.stdout


def installed(pattern):
    found = glob.glob(os.path.join(scratch.name, "**", pattern), recursive=True)
    assert found, f"{pattern} is not installed"
    return found[0]


def pkg_config(*words):
    return command("pkg-config", *words, PKG_CONFIG_PATH=os.path.dirname(installed("isoplane.pc"))).split()


def compile_program(name, *link):
    source = os.path.join(scratch.name, "program.cc")
    with open(source, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    binary = os.path.join(scratch.name, name)
    command("c++", "-std=c++20", "-Wall", "-Werror", source, "-o", binary, *pkg_config("--cflags", "isoplane"), *link)
    return binary


@test
def meson_install_puts_everything_below_its_prefix():
    command("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", scratch.name)
    for name in ("libisoplane.so", "libisoplane.a", "isoplane.1", "isoplane.pc", "isoplane-compat.pc"):
        installed(name)
    installed("completions/isoplane")
    installed("isoplane@.service")


@test
def the_installed_program_runs():
    assert command(installed("bin/isoplane"), "--version").startswith("isoplane "), "no version"


@test
def an_installed_example_finds_the_library():
    bank = installed("libexec/isoplane/bank")
    libraries = command("ldd", bank, LD_LIBRARY_PATH="")
    assert re.search(rf"libisoplane\S+ => {re.escape(scratch.name)}/", libraries), libraries
    assert "--moves" in command(bank, "--help", LD_LIBRARY_PATH="")


@test
def an_installed_example_is_found_by_its_name():
    assert "--moves" in command(installed("bin/isoplane"), "run", "-n", "1", "--", "bank", "--help")


@test
def a_program_builds_against_the_shared_library():
    binary = compile_program("shared", *pkg_config("--libs", "isoplane"))
    libraries = os.path.dirname(installed("libisoplane.so"))
    assert "libisoplane.so" in command("ldd", binary, LD_LIBRARY_PATH=libraries)
    assert len(command(binary, LD_LIBRARY_PATH=libraries)) == 9


@test
def a_program_builds_against_the_static_library_and_the_shared_dpdk():
    binary = compile_program("static", installed("libisoplane.a"), *pkg_config("--libs", "libdpdk"))
    assert "libisoplane" not in command("ldd", binary)
    assert len(command(binary)) == 9


@test
def static_link_flags_name_everything_the_library_needs():
    flags = pkg_config("--static", "--libs", "isoplane")
    for library in ("-lisoplane", "-lboost_program_options", "-lpcap", "-lrte_eal", "-lrte_net_ring", "-lpthread"):
        assert any(flag in (library, library.replace("-l", "-l:lib") + ".a") for flag in flags), (library, flags)


@test
def link_flags_hold_on_other_machines_and_are_said_once():
    with open(installed("isoplane.pc"), encoding="utf-8") as file:
        words = re.search(r"^Libs\.private:(.*)$", file.read(), re.MULTILINE)[1].split()
    assert not [word for word in words if word.startswith("/")] and len(set(words)) == len(words), words[:20]


@test
def the_compatibility_package_brings_isoplane_along():
    assert "-lisoplane" in pkg_config("--libs", "isoplane-compat")


@test
def completion_offers_commands_and_their_options():
    program = installed("bin/isoplane")
    script = f"source '{installed('completions/isoplane')}'; complete_words() {{ COMP_WORDS=('{program}' \"$@\"); " \
             "COMP_CWORD=$#; _isoplane; echo \"${COMPREPLY[*]}\"; }; "
    assert command("bash", "-c", script + "complete_words doc").split() == ["doctor"]
    assert command("bash", "-c", script + "complete_words doctor --js").split() == ["--json"]
    assert command("bash", "-c", script + "complete_words help doc").split() == ["doctor"]
    assert command("bash", "-c", script + "complete_words perf ch").split() == ["channel"]
    assert command("bash", "-c", script + "complete_words perf order --tok").split() == ["--tokens-ahead"]


@test
def the_manual_has_a_page_for_each_command_with_all_its_options():
    program = installed("bin/isoplane")
    listed = command(program, "--help").split("Commands:\n")[1].split("\n\n")[0]
    names = [line.split()[0] for line in listed.splitlines() if line.split()[0] != "help"]
    assert len(names) > 5, names
    for name in names:
        said = command(program, name, "--help")
        for benchmark in re.findall(r"^  (\w+) ", said, re.MULTILINE) if name == "perf" else ():
            said += command(program, name, benchmark, "--help")
        options = set(re.findall(r"^  (?:-\w \[ )?(--[\w.*-]+)", said, re.MULTILINE))
        with open(installed(f"isoplane-{name}.1"), encoding="utf-8") as file:
            page = file.read()
        in_page = {option.replace("\\-", "-") for option in re.findall(r"^\\fB(?:\\-\w, )?((?:\\-|[\w.*])+)", page,
                                                                       re.MULTILINE)}
        assert options and in_page == options, (name, in_page ^ options)


@test
def manual_pages_are_typeset_without_a_warning():
    if not shutil.which("groff"):
        raise Skip("groff is not installed")
    pages = glob.glob(os.path.join(scratch.name, "**", "isoplane*.1"), recursive=True)
    assert len(pages) > 5, pages
    for page in pages:
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-rLL=100n", page], capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, f"{os.path.basename(page)}: {done.stderr}"


run()
