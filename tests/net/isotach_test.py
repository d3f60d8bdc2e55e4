#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Programs in logical time, for the historical interfaces, built against what is installed and run by the launcher:
isotach_test.py PROGRAM BUILD_DIRECTORY."""

from installed import WAYS, build, install, job
from net import Program, run, same, test, work

NODES = (2, 3, 5)
LOSS = "loss=0.01"
ISOCHRONS = 200


def in_order(nodes):
    """What a node says: so many isochrons of 1 to 3 messages, in turn, from each."""
    messages = sum(1 + (host + i) % 3 for host in range(nodes) for i in range(ISOCHRONS))
    return f"{messages} messages, in the same order everywhere"


def everywhere(program, count, line):
    """Runs it with so many nodes, however it makes progress; `line(nodes)` is what each says. Two jobs run beside each
    other, one of them on a fabric that loses frames."""
    for nodes in NODES:
        for way in WAYS:
            words = ("run", "-n", nodes, "--progress", way)
            with Program(*words, "--", work(f"{program}-cc"), count) as plain, \
                    Program(*words, "--fabric", LOSS, "--", work(f"{program}-cc"), count) as lossy:
                for launcher in (plain, lossy):
                    same(sorted(launcher.ends().out().splitlines()), [f"[{i}] {line(nodes)}" for i in range(nodes)],
                         f"{launcher}")


@test
def the_library_and_its_headers_are_installed():
    install()


@test
def programs_build_as_c_and_as_cxx():
    for name in ("isoorder", "isogroup", "isomsg", "mixed", "wrong"):
        build(name, "cc")
    for name in ("isoorder", "isomsg"):
        build(name, "c++", "-fpermissive", "-w")


@test
def all_execute_the_isochrons_of_all_in_the_same_order():
    everywhere("isoorder", ISOCHRONS, in_order)


@test
def signals_and_barriers_come_in_their_place():
    everywhere("isogroup", 40, lambda nodes: "40 barriers and 40 signals, each in its place")


@test
def handlers_are_called_in_the_order_of_all():
    everywhere("isomsg", 100, lambda nodes: f"{100 * nodes} transfers, the same books everywhere")


@test
def both_kinds_of_messages_go_together():
    everywhere("mixed", 300, lambda nodes: "300 messages in logical time, 300 outside")


@test
def the_order_holds_on_a_fabric_that_does_its_worst():
    for way in WAYS:
        same(job(3, "--progress", way, "--fabric", "loss=0.01,dup=0.01,reorder=0.01,corrupt=0.01", "--",
                 work("isoorder-cc"), ISOCHRONS), [f"[{i}] {in_order(3)}" for i in range(3)], way)


@test
def messages_that_do_not_fit_a_frame_are_in_the_order_of_all():
    for way in WAYS:
        same(job(3, "--progress", way, "--fabric", LOSS, "--", work("isoorder-cc"), ISOCHRONS, 60000),
             [f"[{i}] {in_order(3)}" for i in range(3)], way)


@test
def a_paranoid_job_checks_every_message_and_finds_nothing():
    for way in WAYS:
        same(job(3, "--paranoid", "--progress", way, "--fabric", LOSS, "--", work("isoorder-cc"), ISOCHRONS, 10000),
             [f"[{i}] {in_order(3)}" for i in range(3)], way)


@test
def more_tokens_ahead_keep_the_order():
    for ahead in (2, 8):
        same(job(3, "--tokens-ahead", ahead, "--", work("isoorder-cc"), ISOCHRONS),
             [f"[{i}] {in_order(3)}" for i in range(3)], f"{ahead} ahead")


@test
def a_token_manager_may_run_beside_a_program():
    same(job(1, "--tm", "none", "--set", "token-manager=tm@0", "--", work("isoorder-cc"), ISOCHRONS),
         [f"[0] {in_order(1)}"], "what the one node says")


@test
def what_can_never_be_done_ends_the_program():
    ways = {"size": "65536 bytes is too large, they have at most 65535", "parts": "more than hosts can have on their way",
            "closed": "iso_send() needs a connection", "plain": "iso_send() needs logical time"}
    for what, sentence in ways.items():
        for way in WAYS:
            with Program("run", "-n", 2, "--progress", way, "--", work("wrong-cc"), what) as launcher:
                assert sentence in launcher.ends(code=1, err="exited with 1").err(), (what, launcher.err())


@test
def a_node_that_falls_silent_ends_those_that_wait_for_it():
    for way in WAYS:
        with Program("run", "-n", 3, "--progress", way, "--set", "silence=5", "--grace", 0.2, "--", work("wrong-cc"),
                     "silence") as launcher:
            assert "node1" in launcher.ends(code=1, err="exited with 1").err(), launcher.err()


run()
