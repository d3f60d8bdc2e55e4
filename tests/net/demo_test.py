#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""The demo checks the order of all that is executed, and says so: demo_test.py PROGRAM."""

import json
import re
import signal

from net import Program, as_nobody, needs_root, run, same, test, until


def verified(demo, hosts, loss=0.01):
    verdict = json.loads(demo.out())
    same([verdict[key] for key in ("hosts", "loss", "verified", "complaints")], [hosts, loss, True, []], "the verdict")
    for count in ("isochrons", "messages", "signals"):
        assert verdict[count] > 0, f"{count}: {verdict}"


@test
def two_three_and_eight_hosts_are_verified():
    for hosts in (2, 3, 8):
        with Program("demo", "--duration", 1, "--hosts", hosts, "--json") as demo:
            verified(demo.ends(), hosts)


@test
def as_many_hosts_as_it_takes_are_verified_and_one_more_is_wrong_usage():
    with Program("demo", "--hosts", 1) as demo:
        most = int(re.search(r"can be 2 to (\d+)", demo.ends(2, "--hosts").err())[1])
    with Program("demo", "--duration", 1, "--hosts", most, "--json") as demo:
        verified(demo.ends(), most)
    with Program("demo", "--hosts", most + 1) as demo:
        demo.ends(2, f"can be 2 to {most}")


@test
def a_switch_may_lose_more_or_nothing():
    for loss in (0, 0.1):
        with Program("demo", "--duration", 0.5, "--loss", loss, "--json") as demo:
            verified(demo.ends(), 3, loss)


@test
def it_reads_well_without_json():
    with Program("demo", "--duration", 1) as demo:
        demo.ends()
        for words in ("3 hosts around a software switch that loses 1 % of all frames", "pulses/s", "sent again",
                      "VERIFIED: every isochron whole, and all 3 hosts in one order"):
            assert words in demo.out(), demo.out()


@test
def rates_are_those_of_the_seconds_that_were_measured():
    """All of which the one line is about that is shown, and so is the table: neither the search before counts nor what is
    executed after."""
    with Program("demo", "--duration", 0.5) as demo:
        said = demo.ends().out()
    shown = re.findall(r"^ *[\d.]+ s +(\S+) isochrons/s +(\S+) pulses/s", said, re.MULTILINE)
    in_table = re.findall(r"^ +all +\S+ +(\S+) +(\S+)", said, re.MULTILINE)
    same(in_table, shown, "isochrons/s and pulses/s in the table")
    same(len(shown), 1, "lines of rates")


@test
def an_interrupt_in_the_middle_ends_it_with_a_verdict():
    for number in (signal.SIGINT, signal.SIGTERM):
        with Program("demo", "--duration", 1000) as demo:
            until(lambda: "isochrons/s" in demo.out(), "it shows rates")
            demo.stop(number)
            assert "VERIFIED: every isochron whole" in demo.out(), demo.out()


@test
def an_ordinary_user_can_run_it():
    needs_root("becoming another user")
    with Program("demo", "--duration", 1, "--json", prepare=as_nobody) as demo:
        verified(demo.ends(), 3)


@test
def absurd_options_are_wrong_usage():
    for option, value in (("--hosts", 1), ("--hosts", 1000), ("--hosts", -1), ("--duration", 0), ("--duration", "inf"),
                          ("--duration", "nan"), ("--loss", -1), ("--loss", 1), ("--loss", "nan")):
        with Program("demo", option, value) as demo:
            demo.ends(2, option)


run()
