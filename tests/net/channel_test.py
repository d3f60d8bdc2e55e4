#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Programs for the Myrinet API, built against what is installed and run by the launcher:
channel_test.py PROGRAM BUILD_DIRECTORY."""

import contextlib
import os
import subprocess

from installed import WAYS, build, install, job
from net import Program, command, run, same, test, work


@contextlib.contextmanager
def environment(name, value):
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]


@test
def the_library_and_its_headers_are_installed():
    install()


@test
def programs_build_as_c_and_as_cxx():
    for name in ("chancodes", "chanend", "chanpairs", "chanring", "chanthreads"):
        build(name, "cc")
    build("chancodes", "c++")
    build("chanpairs", "cc", "-std=gnu90")


@test
def nothing_that_a_program_links_with_shadows_the_c_library():
    names = command("nm", "--defined-only", "--extern-only", "--format=just-symbols", work("chanpairs-cc")).split()
    assert "main" in names and not {"poll", "send", "recv", "lock", "unlock"} & set(names), names


@test
def each_function_answers_to_what_it_cannot_do():
    for way in WAYS:
        for options in ((), ("--authenticate",)):
            same(job(2, "--progress", way, *options, "--", work("chancodes-cc")), ["[0] all codes as they should be"],
                 f"{way} {options}")


@test
def reliable_messages_all_arrive():
    with environment("ISOPLANE_CHANNELS", "reliable"):
        for way in WAYS:
            for nodes in (2, 4):
                for options in ((), ("--fabric", "loss=0.01,dup=0.01,reorder=0.01,corrupt=0.01")):
                    same(job(nodes, "--progress", way, *options, "--", work("chanpairs-cc"), 400),
                         [f"[{i}] {400 * nodes} messages, all whole and in order" for i in range(nodes)], f"{way} {options}")


@test
def datagrams_arrive_whole_and_in_order_if_they_do():
    for way in WAYS:
        same(job(4, "--progress", way, "--fabric", "loss=0.01", "--", work("chanpairs-cc"), 400, "lossy"),
             [f"[{i}] all sent" for i in range(4)], way)


@test
def a_message_goes_round_in_the_buffers_that_it_comes_in():
    for nodes, size in ((2, 0), (3, 100), (4, 1436)):
        routes = work(f"routes-{nodes}")
        with open(routes, "w", encoding="utf-8") as file:
            file.write("# route node\n" + "".join(f"{node + 1} {node}\n" for node in range(nodes)))
        with environment("ISOPLANE_ROUTES", routes):
            for way in WAYS:
                same(job(nodes, "--progress", way, "--fabric", "loss=0.01", "--", work("chanring-cc"), 100, size),
                     [f"[{i}] 100 rounds" for i in range(nodes)], f"{way}, {size} bytes")


@test
def threads_share_the_send_channel():
    with environment("ISOPLANE_CHANNELS", "reliable"):
        for way in WAYS:
            same(job(2, "--progress", way, "--", work("chanthreads-cc"), 300),
                 [f"[{i}] 900 messages of 3 threads" for i in range(2)], way)


@test
def a_program_may_end_while_its_threads_go_on():
    for way in WAYS:
        for _ in range(10):
            same(job(2, "--progress", way, "--", work("chanthreads-cc"), 10**6, "ends"), [], way)


@test
def a_program_that_ends_holds_up_nobody_who_still_sends_to_it():
    with environment("ISOPLANE_CHANNELS", "reliable"):
        for way in WAYS:
            same(sorted(job(2, "--progress", way, "--", work("chanend-cc"))), ["[0] 1000 bytes", "[1] all sent"], way)


@test
def what_is_wrong_in_the_environment_is_said():
    wrong = work("wrong-routes")
    with open(wrong, "w", encoding="utf-8") as file:
        file.write("1 nobody\n")
    for name, value, said in (("ISOPLANE_ROUTES", wrong, "line 1: there is no node 'nobody'"),
                              ("ISOPLANE_ROUTES", work("none"), "see that it is there"),
                              ("ISOPLANE_CHANNELS", "sure", "give datagram or reliable")):
        with environment(name, value), Program("run", "-n", 2, "--grace", "0.2", "--", work("chanring-cc")) as launcher:
            launcher.ends(code=1, err=said)


@test
def a_program_started_alone_is_told_how_to_start_it():
    ended = subprocess.run([work("chanring-cc")], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                           env={**os.environ, "ISOPLANE_RANK": "0", "ISOPLANE_SIZE": "2"})
    same(ended.returncode, 1, "exit code")
    assert "isoplane run -n 2" in ended.stderr, ended.stderr


run()
