#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Programs for active messages, built against what is installed and run by the launcher:
active_test.py PROGRAM BUILD_DIRECTORY."""

import os
import shutil

from installed import WAYS, build, flags_of_compat, install, job
from net import Program, command, run, same, test, work

FAULTS = ("--fabric", "loss=0.01,dup=0.01,reorder=0.01,corrupt=0.01")
PROGRAMS = ("amping", "ambulk", "amchain", "ambarrier", "amquit", "amwrong", "hpamread", "hpamstream")


def everywhere(program, *words, says):
    """Both ways of progress, on 2 nodes and on 4 with faults; says(nodes) is what each prints."""
    for way in WAYS:
        for nodes, options in ((2, ()), (4, FAULTS)):
            lines = job(nodes, "--progress", way, *options, "--", work(f"{program}-cc"), *words)
            same([line for line in lines if " us " not in line], [f"[{i}] {says(nodes)}" for i in range(nodes)],
                 f"{program} on {nodes} nodes, {way}, {options}")


@test
def programs_of_their_time_build_as_c():
    install()
    for name in PROGRAMS:
        build(name, "cc", "-no-pie", "-Wno-implicit-int")


@test
def headers_are_for_c_of_all_ages_and_for_cxx():
    for header in ("hpam.h", "am.h"):
        source = work("include.c")
        with open(source, "w", encoding="ascii") as file:
            file.write(f"#include <{header}>\nint main(void) {{ return 0; }}\n")
        flags = command("pkg-config", "--cflags", "isoplane-compat").split()
        for compiler in (("cc", "-std=gnu89"), ("cc", "-std=c17", "-pedantic"), ("c++", "-std=c++20", "-xc++")):
            command(*compiler, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", source, *flags)


@test
def requests_are_answered_while_their_node_waits_for_another():
    everywhere("amping", 200, says=lambda nodes: "200 round trips, 0 wrong")


@test
def data_of_all_sizes_is_stored_got_and_sent_back():
    everywhere("ambulk", 30000, says=lambda nodes: "474594 bytes there and back, 0 wrong")


@test
def a_program_may_have_a_barrier_of_its_own():
    everywhere("ambarrier", 100, says=lambda nodes: "200 barriers of its own")


@test
def a_counter_at_one_node_is_counted_exactly_by_all():
    everywhere("hpamread", 100, says=lambda nodes: f"counted to {100 * nodes}, 0 wrong")


@test
def streams_of_bytes_are_whole_and_in_order():
    everywhere("hpamstream", 100000, says=lambda nodes: "100000 bytes written and read, 0 wrong")


@test
def what_handlers_may_not_do_is_refused():
    everywhere("amwrong", says=lambda nodes: f"{nodes} requests and {nodes} replies")


@test
def a_program_may_end_within_a_handler():
    """Which is answered all the same, at once."""
    for way in WAYS:
        same(sorted(job(3, "--progress", way, "--", work("amquit-cc"))), ["[0] all have ended", "[1] told by 0", "[2] told by 0"], way)


@test
def stores_of_which_each_begins_the_next_take_no_more_stack():
    everywhere("amchain", 50000, says=lambda nodes: "100000 stores, each begun by the end of the one before")


@test
def larger_frames_and_megabytes():
    for mtu in (600, 9000):
        same(job(2, "--mtu", mtu, "--", work("ambulk-cc")),
             [f"[{i}] 9911778 bytes there and back, 0 wrong" for i in range(2)], f"MTU {mtu}")


@test
def a_handler_of_another_build_is_an_error_that_says_so():
    other = work("other")
    command("cc", "-O0", "-no-pie", "-w", os.path.join(os.path.dirname(__file__), "..", "compat", "amping.c"), "-o", other,
            *flags_of_compat())
    with Program("run", "-n", 1, "--", work("amping-cc"), 10, ":", "-n", 1, "--", other, 10) as launcher:
        launcher.ends(code=1, err="another build of it; start the same file on all nodes")


@test
def an_address_that_is_none_at_its_node_is_an_error_that_says_so():
    build("ambulk", "cc", "-pie", "-fPIE", "-Wno-implicit-int")
    with Program("run", "-n", 2, "--", work("ambulk-cc"), 10) as launcher:
        launcher.ends(code=1, err="linked with -no-pie, or started as setarch -R PROGRAM")
    same(job(2, "--", "setarch", "-R", work("ambulk-cc"), 10),
         [f"[{i}] 85 bytes there and back, 0 wrong" for i in range(2)], "without address randomization")


@test
def a_copy_of_the_file_is_the_same_build():
    copy = work("copy")
    shutil.copy(work("amping-cc"), copy)
    with Program("run", "-n", 1, "--", work("amping-cc"), 10, ":", "-n", 1, "--", copy, 10) as launcher:
        assert "10 round trips, 0 wrong" in launcher.ends().out()


run()
