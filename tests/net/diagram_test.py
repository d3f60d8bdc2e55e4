#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Diagrams drawn from captures: diagram_test.py PROGRAM."""

import collections
import json
import os
import xml.etree.ElementTree as ElementTree

from capture_files import read_pcapng, write_pcap
from net import Node, Program, run, same, test, work

HOSTS, ISOCHRONS = 4, 6


def simulate(file, *options, lasting=("--isochrons", ISOCHRONS)):
    """Isochrons of every host to every host."""
    with Program("sim", "--hosts", HOSTS, "--workload", "all", "--json", "--pcap", file, *lasting, *options) as sim:
        return json.loads(sim.ends().out())


def draw(capture, *options, code=0, err=""):
    """What a diagram of it has, by class."""
    drawing = work(os.path.basename(capture) + ".svg")
    with Program("diagram", capture, "-o", drawing, *options) as diagram:
        diagram.ends(code, err)
    root = ElementTree.parse(drawing).getroot()
    same(root.tag, "{http://www.w3.org/2000/svg}svg", "the root")
    return collections.Counter(sort for element in root.iter() for sort in element.get("class", "").split())


WHOLE = ("--from", "0")


@test
def there_are_as_many_arrows_as_messages():
    file = work("plain.pcapng")
    result = simulate(file, "--faults", "")
    same(result["messages"], HOSTS * HOSTS * ISOCHRONS, "messages delivered, those of hosts to themselves included")
    has = draw(file, *WHOLE)
    same(has["message"], HOSTS * (HOSTS - 1) * ISOCHRONS, "arrows")
    same(has["lost"], 0, "lost")
    assert has["token"] > 0 and has["tick"] > 0 and has["column"] > 0 and has["executed"] > 0, has


@test
def what_is_lost_is_drawn_beside_what_arrives():
    file = work("lossy.pcapng")
    simulate(file, "--faults", "loss=40%,dup=40%", "--seed", 3)
    has = draw(file, *WHOLE)
    same(has["message"], HOSTS * (HOSTS - 1) * ISOCHRONS, "arrows of messages that arrived")
    assert has["lost"] > 0 and has["repeated"] > 0 and has["again"] > 0, has


@test
def a_long_capture_is_cut_with_a_sentence_and_a_part_can_be_chosen():
    file = work("long.pcapng")
    simulate(file, "--faults", "", lasting=("--duration", "200us"))
    with Program("diagram", file, "-o", work("long.svg")) as diagram:
        diagram.ends(err="Choose others with --pulses")
    same(draw(file, "--pulses", "3..6")["pulse"], 5, "numbers of pulses, and the word")
    draw(file, "--from", "10us", "--to", "20us")
    with Program("diagram", file, "-o", work("none.svg"), "--pulses", "900000..900001") as diagram:
        diagram.ends(1, "none of the pulses 900000..900001 ends in this capture")


@test
def a_simulation_is_captured_whole_and_as_it_was():
    file, again = work("once.pcapng"), work("twice.pcapng")
    simulate(file)
    simulate(again)
    names, frames = read_pcapng(file)
    assert len(names) >= HOSTS and frames, f"interfaces {names}"
    same(read_pcapng(again), (names, frames), "the same seed again")
    with Program("sim", "--seeds", 2, "--pcap", file) as sim:
        sim.ends(2, "--pcap captures one seed")
    with Program("sim", "--pcap", work("none/file")) as sim:
        sim.ends(1, f"cannot capture to '{work('none/file')}': No such file or directory")


@test
def a_damaged_capture_is_drawn_up_to_the_damage():
    file = work("damaged.pcapng")
    simulate(file, "--faults", "")
    os.truncate(file, os.path.getsize(file) - 30)
    assert draw(file, *WHOLE, code=1, err="it ends within a block. Drawn is what stands before that.")["message"] > 0


@test
def where_there_is_nothing_to_draw_a_sentence_says_why():
    for name, content, expected in (("empty", b"", "is empty"), ("text", b"no capture at all", "is no capture")):
        with open(work(name), "wb") as out:
            out.write(content)
        with Program("diagram", work(name), "-o", work("x.svg")) as diagram:
            diagram.ends(1, expected)
    write_pcap(work("old.pcap"), [bytes(60)])
    probes = work("probes.pcapng")
    with Node("generate,sink", "ring:a", "--count", 10, "--expect", 10, "--stopped", "-c", f"capture start {probes}",
              "-c", "start") as node:
        node.ends()
    for file, expected in ((work("none"), "cannot read"), (work("old.pcap"), "editcap -F pcapng"),
                           (probes, "20 frames of isoplane, but neither tokens nor ordered messages")):
        with Program("diagram", file, "-o", work("x.svg")) as diagram:
            diagram.ends(1, expected)
            same(len(diagram.err().splitlines()), 1, "sentences")
    assert not os.path.exists(work("x.svg")), "something has been drawn all the same"


@test
def a_capture_is_not_drawn_over():
    file, alias = work("kept.pcapng"), work("alias.svg")
    simulate(file, "--faults", "")
    os.symlink(file, alias)
    with open(file, "rb") as capture:
        before = capture.read()
    for drawing in (file, alias):
        with Program("diagram", file, "-o", drawing) as diagram:
            diagram.ends(2, f"--output {drawing} would overwrite the file it reads")
        with open(file, "rb") as capture:
            assert capture.read() == before, f"drawing to {drawing} has changed the capture"


@test
def what_makes_no_sense_is_wrong_usage():
    for options, expected in (((), "name the file to draw into"), (("-o", "x", "--pulses", "5"), "--pulses 5 is no range"),
                              (("-o", "x", "--pulses", "6..5"), "--pulses 6..5 is no range"),
                              (("-o", "x", "--from", "5"), "--from 5 is no time"),
                              (("-o", "x", "--from", "0s,loss=0.5"), "--from 0s,loss=0.5 is no time"),
                              (("-o", "x", "--from", "2us", "--to", "1us"), "--to is not after --from"),
                              (("-o", "x", "--from", "2us", "--pulses", "1..2"), "in two ways")):
        with Program("diagram", "capture", *options) as diagram:
            diagram.ends(2, expected)
    with Program("diagram") as diagram:
        diagram.ends(2, "there is no capture to draw")


run()
