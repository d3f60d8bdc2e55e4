#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Captures of what passes the links: capture_test.py PROGRAM."""

import glob
import os
import resource
import subprocess

from capture_files import read_pcap, read_pcapng
from net import Node, Skip, die_with_parent, make_dir, needs, needs_root, run, same, test, until, work

# What a capture takes up while its writer does not get to run; more may be missed.
COUNT = 2000
PROBES = ("ring:a", "--count", COUNT, "--expect", COUNT, "--size", 128)
DISSECTOR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "wireshark", "isoplane.lua")


def captured(file, *options, **how):
    """A run of COUNT frames, each of which leaves by a link and comes back by it, with all of it captured."""
    return Node("generate,sink", *PROBES, "--stopped", "-c", f"capture start {file}", "-c", "start", *options, **how)


def tshark(file, *words):
    needs("tshark")
    done = subprocess.run(["tshark", "-n", "-r", file, "-X", f"lua_script:{DISSECTOR}", *words], capture_output=True,
                          text=True, env={**os.environ, "HOME": work("")}, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@test
def every_frame_is_captured_each_time_it_passes():
    file = work("every.pcapng")
    with captured(file) as node:
        node.ends()
    assert f"capturing to {file}" in node.out(), node.out()
    names, frames = read_pcapng(file)
    same(names, ["link0"], "interfaces")
    same(len(frames), 2 * COUNT, "captured frames")
    same({len(frame) for _, frame in frames}, {128}, "their lengths")
    same({frame[12:14] for _, frame in frames}, {b"\x88\xb5"}, "their EtherTypes")
    same(len({frame for _, frame in frames}), COUNT, "different frames")


@test
def wireshark_reads_them_with_the_dissector():
    file = work("wireshark.pcapng")
    with captured(file) as node:
        node.ends()
    shown = tshark(file, "-T", "fields", "-e", "frame.interface_name", "-e", "isoplane.kind",
                   "-e", "isoplane.header_crc.good")
    same(len(shown), 2 * COUNT, "frames that tshark reads")
    same({tuple(line.split("\t")[1:]) for line in shown}, {("9", "1")}, "kinds and verdicts on the header CRC")
    assert all(line.split("\t")[0] for line in shown), "frames without the name of an interface"


@test
def ports_are_told_apart():
    file = work("two.pcapng")
    with Node("generate,sink", "ring:a,ring:a", "--count", COUNT // 4, "--expect", COUNT // 4, "--stopped",
              "-c", f"capture start {file}", "-c", "start") as node:
        node.ends()
    names, frames = read_pcapng(file)
    same(len(set(names)), 2, f"different interfaces among {names}")
    same([sum(1 for interface, _ in frames if interface == number) for number in (0, 1)], [COUNT // 2] * 2,
         "frames of each interface")


@test
def a_capture_begins_and_ends_at_the_prompt():
    file = work("prompt.pcapng")
    with Node("generate,sink", "ring:a", "--rate", "1000pps") as node:
        same(node.ask("show capture json"), {"running": False, "at": "links"}, "the capture before")
        node.tell(f"capture start {file}")
        assert node.ask("show capture json")["running"]
        node.tell("stop").tell("capture stop").ready()
        node.tell("quit").ends()
    written = int(next(line for line in node.out().splitlines() if "packets captured, 0 missed" in line).split()[0])
    same(len(read_pcapng(file)[1]), written, "captured frames, and what was said of them")


@test
def what_passes_between_stages_is_captured_like_what_passes_a_link():
    """A ring is seen from both sides, and each stage has the edges that it says."""
    few = COUNT // 5
    for place, interfaces, times in (("link0", ["link0"], 2), ("rx0", ["link0", "rx0"], 3), ("link0.rx", ["link0"], 1),
                                     ("generate0", ["link0"], 1), ("all", ["link0", "rx0"], 4)):
        file = work(f"at-{place}.pcapng")
        with Node("generate,sink", "ring:a", "--count", few, "--expect", few, "--workers", 2, "--place", "rx@2", "--stopped",
                  "-c", f"set capture at {place}", "-c", f"capture start {file}", "-c", "start") as node:
            node.ends()
        names, found = read_pcapng(file)
        same((sorted(names), len(found)), (interfaces, times * few), f"interfaces and frames at {place}")


@test
def links_that_are_no_ports_are_captured_too():
    file = work("pcap.pcapng")
    with Node("generate", f"pcap:,{work('out.pcap')}", "--count", 100, "--stopped", "-c", f"capture start {file}", "-c",
              "start") as node:
        node.ends()
    same([frame for _, frame in read_pcapng(file)[1]], read_pcap(work("out.pcap")), "frames captured, and those sent")


@test
def a_filter_and_a_comment_are_in_the_file():
    file = work("filter.pcapng")
    with Node("generate,sink", *PROBES, "--stopped", "-c", "set capture filter ether[6] & 1 = 0 and len = 128", "-c",
              "set capture comment what was seen of a ring", "-c", f"capture start {file}", "-c", "start") as node:
        node.ends()
    same(len(read_pcapng(file)[1]), 2 * COUNT, "frames that pass")
    with Node("generate,sink", *PROBES, "--stopped", "-c", "set capture filter len > 128", "-c",
              f"capture start {work('none.pcapng')}", "-c", "start") as node:
        node.ends()
    same(read_pcapng(work("none.pcapng")), (["link0"], []), "what does not pass")
    needs("capinfos")
    told = subprocess.run(["capinfos", file], capture_output=True, text=True, check=True).stdout
    for words in ("what was seen of a ring", "link0", "ether[6] & 1 = 0 and len = 128", "ring:a"):
        assert words in told, f"no '{words}' in {told}"


@test
def files_follow_each_other_and_the_newest_stay():
    file = work("round.pcapng")
    with Node("generate,sink", *PROBES, "--stopped", "-c", "set capture ring 64K 3", "-c", f"capture start {file}", "-c",
              "start") as node:
        node.ends()
    files = sorted(glob.glob(work("round-*.pcapng")))
    same(len(files), 3, f"files that are there: {files}")
    assert not os.path.exists(file), "a file without a number"
    frames = []
    for name in files:
        assert os.path.getsize(name) <= 65536, f"{name} has {os.path.getsize(name)} bytes"
        interfaces, found = read_pcapng(name)
        same(interfaces, ["link0"], f"interfaces of {name}")
        frames += found
    assert len(frames) > 300, f"{len(frames)} frames in three files"


@test
def a_file_with_blanks_in_its_name_is_taken():
    file = work("two words.pcapng")
    with captured(file) as node:
        node.ends()
    same(len(read_pcapng(file)[1]), 2 * COUNT, "captured frames")


@test
def a_file_whose_name_a_comment_would_cut_is_refused():
    with open(work("cut"), "w", encoding="ascii") as file:
        file.write("of somebody")
    with Node("echo", "ring:a", "-c", f"capture start {work('cut')}#1") as node:
        node.ends(2, "no word can have one")
    with open(work("cut"), encoding="ascii") as file:
        same(file.read(), "of somebody", "the file whose name is in front of the '#'")


@test
def a_second_capture_and_the_end_of_none_are_refused():
    with Node("generate,sink", "ring:a", "-c", "capture stop") as node:
        node.ends(1, "nothing is being captured")
    with Node("echo", "ring:a", "-c", f"capture start {work('x')}", "-c", f"capture start {work('y')}") as node:
        node.ends(1, f"already capturing to '{work('x')}'")
    assert not os.path.exists(work("y")), "the refused capture has made its file"


@test
def a_file_that_cannot_be_made_is_refused():
    with Node("echo", "ring:a", "-c", f"capture start {work('none/file')}") as node:
        node.ends(1, f"cannot capture to '{work('none/file')}': No such file or directory")
    with Node("echo", "ring:a", "-c", "set capture at links,attic") as node:
        node.ends(1, "nothing is called 'attic' where packets could be captured; there is links, all, echo0, link0")
    for words, sentence in (("filter no such", "'no such' is no filter"), ("ring 10 5", "'10' is no size of a file"),
                            ("ring 10M 0", "'0' is no number of files")):
        with Node("echo", "ring:a", "-c", f"set capture {words}") as node:
            node.ends(1, sentence)


def fails_but_harms_no_traffic(what, file, sentence, **how):
    """What does not get into the file is counted, and comes back as before."""
    with Node("generate,sink", "ring:a", "--size", 128, "--stopped", "-c", f"capture start {file}", "-c", "start",
              **how) as node:
        def good():
            return next(stage["figures"]["good"] for stage in node.ask("show stage json") if stage["name"] == "sink0")

        def all_counted():
            counted = node.ask("show capture json")
            return counted["written"] + counted["missed"] == 2 * good() and counted

        until(lambda: "error" in node.ask("show capture json"), "the file takes no more")
        before = good()
        until(lambda: good() > before + COUNT, "frames come back after that")
        node.tell("stop")
        counted = until(all_counted, "every frame is captured or missed, each time it passes")
        node.tell("quit").ends(1, sentence)
    figures = node.figures("sink0")
    same((figures["duplicates"], figures["late"], figures["missing"]), (0, 0, 0), "duplicates, late, missing")
    same(node.stage("generate0")["out"]["packets"], figures["good"], "frames sent, and come back")
    assert counted["written"] > 0, "nothing was captured before"
    ours = [line for line in node.err().splitlines() if not line.startswith("EAL")]
    same(len(ours), 1, f"lines on standard error: {ours}")
    print(f"# {what}: {counted['written']} packets captured, {counted['missed']} missed; of {figures['good']} frames sent, "
          f"{before} before that was known, none is lost")


@test
def a_full_disk_fails_the_run_and_harms_no_traffic():
    needs_root("a small disk")
    disk = make_dir("disk")
    mount = ("unshare", "--mount", "sh", "-c", f'mount -t tmpfs -o size=64k tmpfs {disk} && exec "$@"', "sh")
    fails_but_harms_no_traffic("a full disk", f"{disk}/file", f"cannot write to '{disk}/file': No space left on device",
                               within=mount)


@test
def a_limit_on_file_sizes_does_the_same():
    def limited():  # its output, too
        die_with_parent()
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    file = make_dir("limited") + "/file"
    fails_but_harms_no_traffic("a limit on file sizes", file, f"cannot write to '{file}': File too large", prepare=limited)


run()
