#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Capture files as links, byte for byte: pcap_test.py PROGRAM."""

import os
import random
import struct

from capture_files import read_pcap, write_pcap
from net import Node, Program, run, same, test, work

EVERY_SIZE = [*range(14, 1515)]
JUMBO = [1515, 2047, 2048, 2049, 4095, 8999, 9014, 9216, 20000, 65535]


def frames(sizes, seed=1):
    dice = random.Random(seed)
    return [dice.randbytes(size) for size in sizes]


def forward(source, target, *options):
    return Node("forward", f"pcap:{source},pcap:,{target}", *options)


def passes_unchanged(name, sent, *options):
    source, target = work(f"{name}.pcap"), work(f"{name}-out.pcap")
    write_pcap(source, sent)
    with forward(source, target, *options) as node:
        node.ends()
    same([len(frame) for frame in read_pcap(target)], [len(frame) for frame in sent], "lengths of the frames")
    assert read_pcap(target) == sent, "some bytes have changed on the way"
    same(node.stage("forward0")["out"], {"packets": len(sent), "bytes": sum(map(len, sent))}, "what forward counts")


@test
def every_size_passes_unchanged():
    passes_unchanged("sizes", frames(EVERY_SIZE))


@test
def frames_longer_than_a_packet_buffer_pass_unchanged():
    passes_unchanged("jumbo", frames(JUMBO * 20))


@test
def a_file_larger_than_the_pool_passes_unchanged():
    passes_unchanged("many", frames([60, 1514, 61] * 20_000), "--packets", 2047)


@test
def stages_on_two_workers_pass_it_unchanged():
    passes_unchanged("workers", frames(EVERY_SIZE * 10), "--place", "rx@1 forward@2 tx@1")


@test
def a_file_in_every_dialect_is_read():
    sent = frames([60, 61, 1514])
    for name, dialect in (("micro", {"magic": 0xA1B2C3D4}), ("big", {"order": ">"})):
        source, target = work(f"{name}.pcap"), work(f"{name}-out.pcap")
        write_pcap(source, sent, **dialect)
        with forward(source, target) as node:
            node.ends()
        assert read_pcap(target) == sent, name


@test
def a_file_without_packets_yields_a_file_without_packets():
    passes_unchanged("none", [])


@test
def echo_gives_each_frame_back_with_its_addresses_exchanged():
    sent = frames([14, 60, 1514])
    write_pcap(work("echo.pcap"), sent)
    with Node("echo", f"pcap:{work('echo.pcap')},{work('echo-out.pcap')}") as node:
        node.ends()
    same(read_pcap(work("echo-out.pcap")), [f[6:12] + f[0:6] + f[12:] for f in sent], "frames")


@test
def what_generate_writes_a_sink_reads():
    file, count = work("probes.pcap"), 10_000
    with Node("generate", f"pcap:,{file}", "--count", count, "--size", 200) as writer:
        writer.ends()
    same(len(read_pcap(file)), count, "frames in the file")
    with Node("sink", f"pcap:{file}", "--expect", count) as reader:
        reader.ends()
    same(reader.figures("sink0")["good"], count, "good frames")
    with Node("sink", f"pcap:{file}", "--expect", count + 1) as reader:
        reader.ends(1, f"sink0 has received {count} of {count + 1} frames")


@test
def a_damaged_file_is_read_up_to_the_damage_and_fails_the_run():
    sent, source, target = frames([100] * 50), work("damaged.pcap"), work("damaged-out.pcap")
    write_pcap(source, sent)
    os.truncate(source, os.path.getsize(source) - 30)
    with forward(source, target) as node:
        node.ends(1, "is damaged after packet 49")
    assert read_pcap(target) == sent[:49], "what stands before the damage has not arrived"


@test
def files_that_are_no_captures_are_refused():
    for name, content in (("empty", b""), ("short", b"\xd4\xc3\xb2"), ("garbage", os.urandom(5000)),
                          ("text", b"no capture at all\n" * 100)):
        with open(work(name), "wb") as file:
            file.write(content)
        with Program("node", "--role", "sink", "--link", f"pcap:{work(name)}") as node:
            node.ends(1, f"'{work(name)}' cannot be read as a capture file")


@test
def a_capture_of_something_else_than_ethernet_is_refused():
    with open(work("wifi"), "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 105))
    with Program("node", "--role", "sink", "--link", f"pcap:{work('wifi')}") as node:
        node.ends(1, "IEEE802_11, expected Ethernet")


@test
def a_full_disk_fails_the_run_with_its_name():
    source = work("for-full.pcap")
    write_pcap(source, frames([1000] * 2000))
    with forward(source, "/dev/full") as node:
        node.ends(1, "'/dev/full' could not be written (No space left on device)")


run()
