#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""The program as a user meets it: help, version, exit codes: program_test.py PROGRAM."""

import json
import subprocess
import sys

from tap import run, test

PROGRAM = sys.argv[1]


def call(*words):
    return subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True)


def commands():
    listed = call("--help").stdout.split("Commands:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines() if line.split()[0] != "help"]


@test
def every_command_answers_help():
    assert "doctor" in commands()
    for name in commands():
        direct, through_help = call(name, "--help"), call("help", name)
        assert direct.returncode == 0 and direct.stdout.startswith(f"Usage: isoplane {name}"), direct
        assert (through_help.returncode, through_help.stdout) == (0, direct.stdout), name


@test
def every_command_refuses_an_unknown_option_with_a_sentence():
    for name in commands():
        done = call(name, "--no-such-option")
        assert done.returncode == 2 and done.stdout == "", done
        assert "--no-such-option" in done.stderr and f"isoplane {name} --help" in done.stderr, done


@test
def an_unknown_command_is_wrong_usage():
    done = call("doctr")
    assert done.returncode == 2 and "isoplane doctor" in done.stderr, done
    assert call().returncode == 2


@test
def help_to_a_full_disk_is_not_success_in_silence():
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([PROGRAM, "doctor", "--json"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "output" in done.stderr, done


@test
def doctor_json_is_an_array_of_findings():
    done = call("doctor", "--json")
    findings = json.loads(done.stdout)
    assert {"ring", "virtio", "memif", "afpacket", "afxdp", "tap", "pcap", "null", "pci"} <= {
        finding["check"] for finding in findings
    }
    assert all(finding["status"] in ("ok", "warn", "fail") for finding in findings)
    assert done.returncode == (1 if any(finding["status"] == "fail" for finding in findings) else 0)


run()
