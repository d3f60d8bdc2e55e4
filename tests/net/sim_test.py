#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Simulations of logical time, as a user starts them: sim_test.py PROGRAM."""

import json
import signal

from net import SLOWDOWN, Program, as_nobody, catches, needs_root, run, same, test, until, work


def result_of(*options, **how):
    with Program("sim", "--json", *options, **how) as sim:
        sim.ends()
        return json.loads(sim.out())


def without_times(result):
    return {key: value for key, value in result.items() if key != "seconds"}


@test
def seeds_hold_and_totals_say_what_they_met():
    result = result_of("--seeds", 40)
    same((result["seeds"], result["failures"]), (40, []), "seeds and failures")
    for what in ("isochrons", "messages", "notices", "pulses", "tokens", "virtual_seconds"):
        assert result[what] > 0, f"no {what}"
    for fault in ("lost", "duplicated", "reordered", "corrupted"):
        assert result["faults"][fault] > 0, f"nothing was {fault}"


@test
def a_seed_is_the_same_every_time_and_others_are_not():
    once, again, other = (without_times(result_of("--seed", seed)) for seed in (7, 7, 8))
    same(again, once, "the same seed again")
    assert other != once, "another seed does the same"


@test
def a_network_and_its_faults_can_be_given():
    path = work("fmconfig")
    with open(path, "w", encoding="utf-8") as file:
        file.write("1 a b 2\n2 c 1 3\n3 d tm:t 2\n")
    result = result_of("--topology", path, "--faults", "", "--isochrons", 10, "--workload", "all", "--ahead", 2)
    same((result["isochrons"], result["messages"]), (40, 160), "isochrons and messages")
    same(sum(result["faults"].values()), 0, "faults")
    result = result_of("--hosts", 6, "--switches", 2, "--workload", "pairs", "--faults", "loss=20%", "--duration", "1ms")
    assert result["faults"]["lost"] > 0 and result["faults"]["corrupted"] == 0, result


@test
def hosts_and_token_managers_die_and_start_again():
    result = result_of("--seeds", 20 // SLOWDOWN, "--faults", "loss=1%,partitions,deaths,restarts")
    same(result["failures"], [], "failures")
    for what in ("deaths", "restarts", "partitions"):
        assert result["faults"][what] > 0, f"no {what}"
    assert result["membership"]["views"] > 0, result


@test
def hosts_are_hundreds_below_a_tree_of_switches():
    """Each talks to seven others; signals and barriers are everybody's."""
    result = result_of("--hosts", 200, "--tree", "--partners", 7, "--isochrons", 4)
    same((result["isochrons"], result["failures"]), (800, []), "isochrons and failures")
    assert result["faults"]["lost"] > 0 and result["notices"] > 0, result


@test
def it_reads_well_without_json():
    with Program("sim", "--seeds", 3) as sim:
        sim.ends()
        lines = sim.out().splitlines()
        same(len(lines), 4, "lines")
        assert lines[0].startswith("3 seeds, 0 failed; "), lines


@test
def an_interrupt_ends_it_after_the_seed_under_way_with_the_totals():
    for number in (signal.SIGINT, signal.SIGTERM):
        with Program("sim", "--seeds", 1_000_000_000, "--json") as sim:
            until(lambda: catches(sim.pid, number), "it can be interrupted")
            sim.stop(number)
            result = json.loads(sim.out())
            assert result["seeds"] < 1_000_000_000 and result["failures"] == [], result


@test
def an_ordinary_user_can_run_it():
    needs_root("becoming another user")
    same(result_of("--hosts", 3, prepare=as_nobody)["failures"], [], "failures")


@test
def what_cannot_be_simulated_is_wrong_usage():
    for options in (("--hosts", 1), ("--switches", 3), ("--tree",), ("--partners", 3), ("--hosts", 65),
                    ("--hosts", 4097, "--partners", 3), ("--hosts", 8, "--tree", "--switches", 2), ("--faults", "rain=1"), ("--faults", "loss=0.9"), ("--workload", "x"),
                    ("--duration", "5"), ("--seeds", 0), ("--ahead", 65)):
        with Program("sim", *options) as sim:
            sim.ends(2, options[0])
    with Program("sim", "--topology", work("none")) as sim:
        sim.ends(2, work("none"))


run()
