#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""The demo checks every frame and says so: demo_test.py PROGRAM."""

import json
import signal

from net import Program, as_nobody, needs_root, run, same, test, until


def verified(demo, hosts):
    verdict = json.loads(demo.out())
    same((verdict["hosts"], verdict["verified"], verdict["complaints"]), (hosts, True, []), "the verdict")
    same(verdict["received"] + verdict["dropped"], verdict["sent"], "frames received and dropped")
    assert verdict["received"] > 0, "nothing was received"


@test
def two_three_and_eight_hosts_are_verified():
    for hosts in (2, 3, 8):
        with Program("demo", "--duration", 1, "--hosts", hosts, "--json") as demo:
            verified(demo.ends(), hosts)


@test
def it_reads_well_without_json():
    with Program("demo", "--duration", 1) as demo:
        demo.ends()
        assert "3 hosts around a switch" in demo.out(), demo.out()
        assert "every one is accounted for" in demo.out(), demo.out()


@test
def an_interrupt_in_the_middle_ends_it_with_a_verdict():
    for number in (signal.SIGINT, signal.SIGTERM):
        with Program("demo", "--duration", 1000) as demo:
            until(lambda: "Mframes/s" in demo.out(), "it shows rates")
            demo.stop(number)
            assert "every one is accounted for" in demo.out(), demo.out()


@test
def an_ordinary_user_can_run_it():
    needs_root("becoming another user")
    with Program("demo", "--duration", 1, "--json", prepare=as_nobody) as demo:
        verified(demo.ends(), 3)


@test
def absurd_options_are_wrong_usage():
    for option, value in (("--hosts", 1), ("--hosts", 1000), ("--hosts", -1), ("--duration", 0), ("--duration", "inf"),
                          ("--duration", "nan")):
        with Program("demo", option, value) as demo:
            demo.ends(2, option)


run()
