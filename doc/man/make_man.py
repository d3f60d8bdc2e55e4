#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Writes the manual pages from what the program says of itself: make_man.py PROGRAM DIRECTORY PAGE...

isoplane.1 is about all of it, isoplane-COMMAND.1 about a command; isoplane-perf.1 has the benchmarks, too. The pages that are
asked for have to be those that there are.
"""

import os
import re
import subprocess
import sys

FILES = r""".TP
.I node.conf
what a node or program is told: \fB\-\-config\fR, or the environment variable \fBISOPLANE_CONFIG\fR
.TP
.IR fmconfig ", " network.cfg ", " shmem_map
the network, and who has which page of shared memory
"""
EXIT = ".SH EXIT STATUS\n0 ok, 1 the run failed, 2 wrong usage.\n"


def help_of(program, *words):
    return subprocess.run([program, *words, "--help"], check=True, capture_output=True, text=True).stdout


def escaped(text):
    """roff takes a leading dot or quote for a request, and a backslash for an escape."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def listed(text, title):
    """(name, what it is) of the entries below a title, as in `isoplane --help`."""
    entries = text.split(f"{title}:\n", 1)[1].split("\n\n", 1)[0]
    return re.findall(r"^  (\S+) +(.*)$", entries, re.MULTILINE)


def prose(lines):
    """Paragraphs; what is indented stays as it is."""
    out, verbatim = [], False
    for line in lines:
        if line.startswith("  ") != verbatim:
            verbatim = not verbatim
            out.append(".nf" if verbatim else ".fi")
        out.append(escaped(line) if line.strip() else ".PP")
    return "\n".join(out + [".fi"] * verbatim).removeprefix(".PP\n").removesuffix("\n.PP") + "\n"


def option_list(lines):
    """Each option with its description, which may begin in the line below."""
    out = []
    for line in lines:
        option = re.match(r"  (-\S.*?)(?:  +(\S.*))?$", line)
        if option:
            name = re.sub(r"^-(\w) \[ (--[\w-]+) \]", r"-\1, \2", option[1])
            out += [".TP", f"\\fB{escaped(name)}\\fR", escaped(option[2] or "")]
        elif line.strip():
            out.append(escaped(line.strip()))
    return "\n".join(line for line in out if line) + "\n"


def body(text, section):
    """What follows the usage: prose, then titles with options below."""
    parts = re.split(r"^([A-Z][^\n]*):\n(?=  -)", text, flags=re.MULTILINE)
    lines = parts[0].strip("\n").splitlines()
    first = next((i for i, line in enumerate(lines) if re.match(r"  -", line)), len(lines))
    out = prose(lines[:first])
    if lines[first:]:
        out += f"{section} OPTIONS\n" + option_list(lines[first:])
    for title, options in zip(parts[1::2], parts[2::2]):
        title = title.upper() if title == "Options" else f'"{title}"'
        out += f"{section} {title}\n" + option_list(options.splitlines())
    return out


def head(name, what, version):
    return f'.TH {name.upper()} 1 "" "isoplane {version}" "User Commands"\n.SH NAME\n{escaped(name)} \\- {escaped(what)}\n'


def split_usage(text):
    usage, rest = re.match(r"Usage: ([^\n]*)\n(.*)", text, re.DOTALL).groups()
    return f".SH SYNOPSIS\n.B {escaped(usage)}\n", rest


def page_of_command(program, command, what, version):
    text = help_of(program, command)
    synopsis, rest = split_usage(text)
    page = head(f"isoplane-{command}", what, version) + synopsis + ".SH DESCRIPTION\n"
    if "\nBenchmarks:\n" not in text:
        return page + body(rest, ".SH") + EXIT + ".SH SEE ALSO\n.BR isoplane (1)\n"
    benchmarks = listed(text, "Benchmarks")
    page += "The benchmarks are\n" + "".join(f".TP\n.B {name}\n{escaped(about)}\n" for name, about in benchmarks)
    if "\nOptions:\n" in text:
        page += ".SH OPTIONS\n" + option_list(text.split("\nOptions:\n", 1)[1].splitlines())
    for name, _ in benchmarks:
        usage, of_benchmark = re.match(r"Usage: ([^\n]*)\n(.*)", help_of(program, command, name), re.DOTALL).groups()
        page += f'.SH "PERF {name.upper()}"\n.B {escaped(usage)}\n.PP\n' + body(of_benchmark, ".SS")
    return page + EXIT + ".SH SEE ALSO\n.BR isoplane (1)\n"


def main_page(program, commands, version):
    synopsis, _ = split_usage(help_of(program))
    page = head("isoplane", "a userspace dataplane on DPDK", version) + synopsis + ".SH DESCRIPTION\n"
    page += ("Carries frames between stages that poll on lcores: reliable messages, logical time and what rests on it, Portals,\n"
             "active messages and channels, over NICs, virtio and other links.\n.SH COMMANDS\n")
    for name, what in commands:
        page += f".TP\n.BR isoplane\\-{name} (1)\n{escaped(what)}\n"
    page += ".SH OPTIONS\n" + option_list(help_of(program).split("Options:\n", 1)[1].split("\n\n", 1)[0].splitlines())
    return page + ".SH FILES\n" + FILES + EXIT


def main(program, directory, *wanted):
    commands = [(name, what) for name, what in listed(help_of(program), "Commands") if name != "help"]
    there = ["isoplane.1", *(f"isoplane-{name}.1" for name, _ in commands)]
    if sorted(wanted) != sorted(there):
        sys.exit(f"make_man.py: the manual pages are {' '.join(there)}: name them in app/meson.build")
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    pages = {f"isoplane-{name}.1": page_of_command(program, name, what, version) for name, what in commands}
    pages["isoplane.1"] = main_page(program, commands, version)
    for name, text in pages.items():
        with open(os.path.join(directory, name), "w", encoding="utf-8") as page:
            page.write(text)


main(*sys.argv[1:])
