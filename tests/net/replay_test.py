#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Traces played, decoded and checked: replay_test.py PROGRAM."""

import json
import os
import pty
import re
import select
import signal
import struct
import subprocess

from capture_files import read_pcap, read_pcapng, write_pcap
from net import PROGRAM, WORK, Node, Program, die_with_parent, run, same, test, until, work

TRACE = work("trace.pcapng")
HEADER_AT, PAYLOAD_AT = 14, 62


def replay(*words, code=0, err=None):
    with Program("replay", *words) as program:
        return program.ends(code, err).out()


def decoded(file, *options):
    """What its frames say, without when they passed."""
    frames = [json.loads(line) for line in replay(file, "--decode", "--json", *options).splitlines()]
    for frame in frames:
        del frame["seconds"]
    return frames


def checked(file, code=0, err=None):
    return json.loads(replay(file, "--check", "--json", code=code, err=err))


with Program("sim", "--hosts", 3, "--workload", "all", "--ahead", 1, "--isochrons", 600, "--faults", "loss=5%,dup=5%", "--pcap", TRACE) as sim:
    sim.ends()
FRAMES = [frame for _, frame in read_pcapng(TRACE)[1]]


@test
def a_trace_is_played_to_the_same_bytes():
    for speed in ("max", "original", "100x", "200000pps", "10Gbit"):
        played = work("played.pcap")
        told = json.loads(replay(TRACE, "--to", f"pcap:,{played}", "--speed", speed, "--json"))
        same((told["frames"], told["bytes"]), (len(FRAMES), sum(map(len, FRAMES))), f"frames and bytes at {speed}")
        same("late_us" in told, speed != "max", "whether frames have a time to be late by")
        same(read_pcap(played), FRAMES, f"what was played at {speed}")
        same(decoded(played), decoded(TRACE), "what they say")
        os.remove(played)


@test
def a_trace_can_be_played_again_and_again_and_in_part():
    played = work("again.pcap")
    replay(TRACE, "--to", f"pcap:,{played}", "--speed", "max", "--loop", 3)
    same(read_pcap(played), FRAMES * 3, "three times")
    os.remove(played)
    replay(TRACE, "--to", f"pcap:,{played}", "--speed", "max", "--loop", 0, "--limit", len(FRAMES) + 5)
    same(read_pcap(played), FRAMES + FRAMES[:5], "as many as it may be")
    os.remove(played)
    replay(TRACE, "--to", f"pcap:,{played}", "--speed", "max", "--filter", "len > 90")
    same(read_pcap(played), [frame for frame in FRAMES if len(frame) > 90], "those that pass a filter")


@test
def addresses_and_nodes_are_changed_on_the_way():
    played = work("changed.pcap")
    replay(TRACE, "--to", f"pcap:,{played}", "--speed", "max", "--map-node", "0=7", "--source-mac", "02:00:00:00:00:11",
           "--destination-mac", "02:00:00:00:00:22")
    for frame in read_pcap(played):
        same(frame[:12].hex(), "020000000022020000000011", "addresses")
    same(decoded(played), renumbered(decoded(TRACE), {0: 7}), "what they say")


def renumbered(said, nodes):
    """What frames say, with other numbers of nodes wherever there are some."""
    if isinstance(said, list):
        return [renumbered(each, nodes) for each in said]
    if not isinstance(said, dict):
        return said
    return {key: nodes.get(value, value) if key in ("source", "destination", "host", "from", "to") else renumbered(value, nodes)
            for key, value in said.items()}


@test
def a_good_trace_is_good_with_other_nodes():
    played = work("renumbered.pcap")
    for pairs in ({0: 7}, {0: 1, 1: 0}, {0: 2, 1: 0, 2: 1, 3: 500}):
        replay(TRACE, "--to", f"pcap:,{played}", "--speed", "max",
               *(word for pair in pairs.items() for word in ("--map-node", f"{pair[0]}={pair[1]}")))
        told, before = checked(played), checked(TRACE)
        same(told, before, f"the verdict with {pairs}")
        same(decoded(played), renumbered(decoded(TRACE), pairs), f"what frames say with {pairs}")
        os.remove(played)


@test
def frames_are_told_that_keep_the_numbers_of_their_nodes():
    file, played = work("sealed.pcap"), work("sealed-played.pcap")
    write_pcap(file, [frame[:PAYLOAD_AT + length] + bytes(48) for frame in FRAMES
                      for length in struct.unpack_from(">H", frame, HEADER_AT + 36)])
    told = json.loads(replay(file, "--to", f"pcap:,{played}", "--speed", "max", "--map-node", "0=7", "--json", code=1,
                             err="frames are sealed"))
    same((told["sealed"], told["kept"]), (len(FRAMES), 0), "frames that kept their numbers")
    same(read_pcap(played), read_pcap(file), "what was played")
    replay(TRACE, "--to", "null:", "--speed", "max", "--map-node", "0=1", code=1, err="makes one node of two in them")


@test
def another_node_receives_what_is_played_to_a_socket():
    """Test traffic, so that the receiver checks each frame."""
    socket, trace, count = f"virtio:{work('s')}", work("probes.pcap"), 5000
    with Node("generate", f"pcap:,{trace}", "--count", count, "--size", 200) as sender:
        sender.ends()
    with Node("sink", socket, "--expect", count) as receiver:
        receiver.ready()
        replay(trace, "--to", socket, "--speed", "100000pps")
        receiver.ends(err="")
        same(receiver.figures("sink0")["good"], count, "good frames")


@test
def decoding_is_a_line_for_each_frame():
    lines = replay(TRACE, "--decode").splitlines()
    same(len(lines), len(FRAMES), "lines")
    assert any("  data  " in line and "isotach" in line and " pulse " in line for line in lines), lines[:20]
    assert any("  token  " in line and "number" in line for line in lines), lines[:20]
    same(len(decoded(TRACE, "--limit", 7)), 7, "of so many")


@test
def a_good_trace_is_good():
    told = checked(TRACE)
    same((told["good"], told["frames"], told["isoplane"]), (True, len(FRAMES), len(FRAMES)), "the verdict")
    assert told["isochrons"] > 0 and told["tokens"] > 0 and told["messages"] >= told["isochrons"], told


def first(kind, **fields):
    """The number of the first frame of that kind, from 0."""
    return next(i for i, frame in enumerate(decoded(TRACE)) if frame.get("kind") == kind
                and all(frame.get(key) == value for key, value in fields.items()))


@test
def planted_faults_are_named():
    victim = first("data", sequence=1)
    source, destination = decoded(TRACE)[victim]["source"], decoded(TRACE)[victim]["destination"]

    def with_damage(at):
        frames = list(FRAMES)
        changed = bytearray(frames[victim])
        changed[at] ^= 0x10
        frames[victim] = bytes(changed)
        return frames

    def without():
        """The stream's frame of that number, however often it was sent."""
        numbers = decoded(TRACE)
        return [frame for frame, said in zip(FRAMES, numbers)
                if (said.get("source"), said.get("destination"), said.get("sequence")) != (source, destination, 1)]

    def without_announcement():
        """Without one of the tokens that tell their receiver of messages to it, however often it was sent: not of the
        first, which a trace that begins later would lack."""
        tokens = [(frame.get("source"), frame.get("destination"), frame.get("token")) for frame in decoded(TRACE)]
        telling = [(src, dst, token["number"]) for src, dst, token in tokens
                   if token and any(entry.get("to") == dst for entry in token.get("entries", ()))]
        one = next(token for token in telling if token[2] > 10)
        return [frame for frame, (src, dst, token) in zip(FRAMES, tokens)
                if not token or (src, dst, token["number"]) != one]

    for what, frames, number, words in (
            ("announcement", without_announcement(), None, "the end of its pulse"),
            ("payload", with_damage(PAYLOAD_AT + 3), victim + 1, "bad_payload_crc"),
            ("header", with_damage(HEADER_AT + 17), victim + 1, "bad_header_crc"),
            ("missing", without(), None, f"frame 1 from node {source} to node {destination} is acknowledged, but not in the")):
        file = work(f"{what}.pcap")
        write_pcap(file, frames)
        told = checked(file, code=1)
        same(told["good"], False, f"the verdict on {what}")
        assert words in told["violation"]["sentence"], told
        if number:
            same(told["violation"]["frame"], number, f"the frame with {what}")
        assert "VIOLATION" in replay(file, "--check", code=1)


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def changed(frame, at, replacement):
    """With checksums that hold."""
    frame = bytearray(frame)
    frame[at:at + len(replacement)] = replacement
    length = int.from_bytes(frame[HEADER_AT + 36:HEADER_AT + 38], "big")
    frame[HEADER_AT + 40:HEADER_AT + 44] = crc32c(frame[PAYLOAD_AT:PAYLOAD_AT + length]).to_bytes(4, "big")
    frame[HEADER_AT + 44:HEADER_AT + 48] = crc32c(frame[HEADER_AT:HEADER_AT + 44]).to_bytes(4, "big")
    return bytes(frame)


@test
def faults_behind_good_checksums_are_named():
    said = decoded(TRACE)
    # Alone in its frame, as others may follow it in a run.
    victim = next(i for i, frame in enumerate(said) if frame.get("kind") == "data"
                  and [message["protocol"] for message in frame["messages"]] == ["isotach"])
    isotach = PAYLOAD_AT + 8
    count = int.from_bytes(FRAMES[victim][isotach + 20:isotach + 24], "big")
    for what, at, replacement, words in (
            ("operation", isotach + 11, b"\x77", "has operation 119, which does not exist"),
            ("flag", isotach + 10, b"\x01", "has flags 1, which do not exist"),
            ("issuer", isotach + 8, b"\0\x63", "says that host 99 has issued it"),
            ("count", isotach + 20, (count + 7).to_bytes(4, "big"), "of its stream"),
            ("protocol", PAYLOAD_AT, b"\x03", "a shmem message is no answer"),
            ("ack", HEADER_AT + 20, (5000).to_bytes(4, "big"), "are acknowledged"),
            ("credit", HEADER_AT + 32, (50000).to_bytes(4, "big"), "are granted where")):
        file = work(f"{what}.pcap")
        name = [said[victim][key] for key in ("source", "destination", "sequence")]
        if what == "protocol":
            replacement += FRAMES[victim][PAYLOAD_AT + 1:PAYLOAD_AT + 4] + FRAMES[victim][PAYLOAD_AT + 2:PAYLOAD_AT + 4].rjust(4, b"\0")
        write_pcap(file, [changed(frame, at, replacement) if [its.get(key) for key in ("source", "destination", "sequence")] == name
                          else frame for frame, its in zip(FRAMES, said)])
        told = checked(file, code=1)
        assert words in told["violation"]["sentence"], f"{what}: {told}"


@test
def a_trace_in_a_vlan_is_read_and_one_without_isoplane_is_not_called_good():
    tagged, other = work("tagged.pcap"), work("other.pcap")
    write_pcap(tagged, [frame[:12] + b"\x81\0\0\x07" + frame[12:] for frame in FRAMES])
    told = checked(tagged)
    same((told["good"], told["isoplane"]), (True, len(FRAMES)), "the verdict on frames of a VLAN")
    same([frame.get("kind") for frame in decoded(tagged)], [frame.get("kind") for frame in decoded(TRACE)], "their kinds")
    for frames in ([], [bytes(60)]):
        write_pcap(other, frames)
        same(checked(other, code=1)["good"], False, "the verdict on nothing of isoplane")
        assert "no frame is of isoplane" in replay(other, "--check", code=1)


def fed(stage, node, *options):
    """What a stage does with each frame that its node has received, and the report on all."""
    lines = [json.loads(line) for line in replay(TRACE, "--into", stage, "--node", node, "--json", *options).splitlines()]
    same(lines[-1]["fed"], len(lines) - 1, "frames fed, and told of")
    return lines[:-1], lines[-1]["stage"]


def grown(line, figure):
    return line["then"].get(figure, 0)


@test
def a_stage_is_shown_at_work_on_what_its_node_has_received():
    for node in range(3):
        frames, report = fed("niu", node)
        for frame in frames:
            if frame.get("kind") == "data" and frame["destination"] == node:
                now, again, early = (grown(frame, what) for what in ("frames_received", "duplicates", "early"))
                # One that fills a gap brings those behind it.
                assert (now, again, early) in ((0, 1, 0), (0, 0, 1)) or now >= 1 and not again and not early, frame
                sent = {(f["source"], f["sequence"]): len(f["messages"]) for f in frames
                        if f.get("kind") == "data" and f["destination"] == node}
        same((report["frames_received"], report["messages_received"]), (len(sent), sum(sent.values())), "data received")
        assert report["acks_sent"], report
        same({peer["state"] for peer in report["peers"].values()}, {"up"}, "how it stands with the others")


@test
def a_node_with_jumbo_frames_is_shown_without_being_told():
    file, hello_mtu = work("jumbo.pcapng"), PAYLOAD_AT + 2
    with open(TRACE, "rb") as trace:
        data = trace.read()
    for mtu, code, words in ((9000, 0, None), (60000, 2, "--node 1 says that its MTU is 60000, and none is above 9216")):
        jumbo = data
        for frame, said in zip(FRAMES, decoded(TRACE)):
            if said["kind"] in ("hello", "hello_ack"):
                jumbo = jumbo.replace(frame, changed(frame, hello_mtu, struct.pack(">H", mtu)))
        with open(file, "wb") as out:
            out.write(jumbo)
        replay(file, "--into", "niu", "--node", 1, code=code, err=words)


@test
def a_host_and_a_token_manager_are_shown_at_work_in_logical_time():
    last = max(message["pulse"] for frame in decoded(TRACE) for message in frame.get("messages", ())
               if message["protocol"] == "isotach" and frame["destination"] == 1)
    frames, report = fed("siu", 1)
    assert report["isotach"]["executed_pulse"] >= last, f"{report['isotach']}, with messages up to pulse {last}"
    same(report["isotach"]["waiting"], 0, "messages that wait")
    assert any("token" in what for frame in frames for what in frame["then"].get("sends", ())), "it has sent no token"
    _, report = fed("tm", 3)
    assert report["token_complete"] >= last, report


@test
def what_stands_before_damage_is_used():
    file = work("short.pcapng")
    with open(TRACE, "rb") as whole, open(file, "wb") as short:
        short.write(whole.read()[:-20])
    same(len(replay(file, "--decode", code=1, err="damaged behind frame").splitlines()), len(FRAMES) - 1, "lines")
    same(checked(file, code=1, err="What stands before that was used")["frames"], len(FRAMES) - 1, "frames checked")
    played = work("short.pcap")
    replay(file, "--to", f"pcap:,{played}", "--speed", "max", code=1, err="damaged behind frame")
    same(read_pcap(played), FRAMES[:-1], "what was played")


@test
def frames_that_the_link_cannot_take_are_told():
    file = work("long.pcap")
    write_pcap(file, [bytes(60), bytes(2000), bytes(60)])
    told = json.loads(replay(file, "--to", "null:", "--json", "--speed", "max", code=1, err="longer than an MTU of 1500 allows"))
    same((told["frames"], told["too_long"]), (2, 1), "sent, and too long")
    replay(file, "--to", "null:", "--speed", "max", "--mtu", 9000)


@test
def memory_does_not_grow_with_the_trace():
    """A trace of a gigabyte, which comes through a pipe."""
    frame = FRAMES[0].ljust(1500, b"\0")
    record = struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame
    header = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1)
    block = record * 8192

    def most_memory(blocks):
        child = subprocess.Popen([PROGRAM, "replay", "-", "--to", "null:", "--speed", "max", "--json"], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, preexec_fn=die_with_parent)
        child.stdin.write(header)
        for _ in range(blocks):
            child.stdin.write(block)
        child.stdin.close()
        told = json.loads(child.stdout.read())
        child.stdout.close()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        same((status, told["frames"]), (0, blocks * 8192), "its end, and frames")
        return usage.ru_maxrss

    small, large = most_memory(1), most_memory((1 << 30) // len(block) + 1)
    assert large < small + 4096, f"{large} KiB for a gigabyte, {small} KiB for a few megabytes"


@test
def playing_for_ever_ends_when_it_is_told_to():
    for options, code, err in ((("--loop", 0), 0, None), (("--speed", "0.00001x"), 1, "interrupted before the end")):
        with Program("replay", TRACE, "--to", f"pcap:,{work('ever.pcap')}", *options) as program:
            until(lambda: os.path.exists(work("ever.pcap")), "it plays")
            program.process.send_signal(signal.SIGINT)
            program.ends(code, err)
        os.remove(work("ever.pcap"))


class Terminal:
    """The command with its standard error at a terminal, and what has been on that."""

    CLEAN = "\r\x1b[K"

    def __init__(self, *words, out, stdin=subprocess.DEVNULL):
        self.master, slave = pty.openpty()
        self.screen = ""
        self.process = subprocess.Popen([PROGRAM, "replay", *(str(word) for word in words)], stdin=stdin, stdout=out, stderr=slave,
                                        preexec_fn=die_with_parent, cwd=WORK)
        os.close(slave)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self.process.stdin and not self.process.stdin.closed:
            self.process.stdin.close()
        os.close(self.master)

    def read(self):
        try:
            while select.select([self.master], [], [], 0)[0]:
                self.screen += os.read(self.master, 65536).decode()
        except OSError:  # it has ended
            pass
        return self.screen

    def ends(self, code=0):
        same(until(lambda: self.read() is not None and [self.process.poll()] if self.process.poll() is not None else None,
                   "it ends"), [code], f"exit code; the screen shows {self.read()!r}")
        return self.read()


@test
def a_terminal_shows_how_far_it_is():
    with open(work("lines"), "wb") as out:
        for words in (["--to", "null:", "--speed", "max"], ["--check"], ["--decode"], ["--into", "niu", "--node", 1]):
            with Terminal(TRACE, *words, out=out) as terminal:
                screen = terminal.ends()
                assert " frames, " in screen and screen.endswith(Terminal.CLEAN), f"{words}: {screen!r}"
                assert " %  " in screen or words[0] == "--into", f"{words}: {screen!r}"
        with Terminal(TRACE, "--to", "null:", "--speed", "0.00001x", out=out) as terminal:
            until(lambda: re.search(r" %  [1-9]\d* frames, ", terminal.read()), "it shows what is sent while it waits")
            terminal.process.send_signal(signal.SIGINT)
            screen = terminal.ends(1)
            assert screen[screen.rindex(" MB") + 3:].startswith(Terminal.CLEAN + "isoplane replay: interrupted"), repr(screen)


@test
def a_terminal_shows_what_came_through_a_pipe():
    """Long before its end; that is not known, so there are no percents."""
    with open(work("verdict"), "wb") as out, Terminal("-", "--check", out=out, stdin=subprocess.PIPE) as terminal:
        write_pcap(work("one.pcap"), [bytes(60)])
        with open(work("one.pcap"), "rb") as file:
            header, frame = file.read(24), file.read()
        terminal.process.stdin.write(header)

        def goes_on():
            terminal.process.stdin.write(frame)
            terminal.process.stdin.flush()
            return len(set(re.findall(r"\d+ frames, ", terminal.read()))) > 2

        until(goes_on, "it shows one number after another")
        terminal.process.stdin.close()
        screen = terminal.ends(1)  # no frame of it is isoplane's
        assert "%" not in screen and screen.endswith(Terminal.CLEAN), repr(screen)


@test
def lines_are_not_mixed_with_how_far_it_is():
    for words in (["--decode"], ["--into", "niu", "--node", 1]):
        with Terminal(TRACE, *words, out=subprocess.PIPE) as terminal:
            assert terminal.process.stdout.read(), "nothing is printed"
            same(terminal.ends(), "", "what is on the terminal")
            terminal.process.stdout.close()


@test
def output_that_cannot_be_written_is_told():
    for words in (["--decode"], ["--decode", "--json"], ["--decode", "--limit", "1"], ["--check"], ["--to", "null:", "--speed", "max"],
                  ["--into", "niu", "--node", "1"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "replay", TRACE, *words], stdout=full, stderr=subprocess.PIPE, preexec_fn=die_with_parent)
        same(done.returncode, 1, f"exit code of {words}")
        assert b"the output could not be written: No space left on device" in done.stderr, f"{words}: {done.stderr}"


@test
def a_trace_is_not_played_over():
    file, alias = work("kept.pcap"), work("alias.pcap")
    write_pcap(file, FRAMES)
    os.symlink(file, alias)
    with open(file, "rb") as trace:
        before = trace.read()
    for played in (file, alias):
        replay(file, "--to", f"pcap:,{played}", "--speed", "max", code=2,
               err=f"--to pcap:,{played} would overwrite the file it reads")
        with open(file, "rb") as trace:
            assert trace.read() == before, f"playing to {played} has changed the trace"
    with open(file, "rb") as trace:
        piped = subprocess.run([PROGRAM, "replay", "-", "--to", f"pcap:,{file}"], stdin=trace, capture_output=True, text=True,
                               check=False)
    same(piped.returncode, 2, f"of what comes in from the file; {piped.stderr}")
    with Node("echo", f"pcap:{file}", "--stopped", "-c", f"capture start {alias}") as node:
        node.ends(1, "would overwrite the file it reads")
    with open(file, "rb") as trace:
        assert trace.read() == before, "a capture has changed the trace"


@test
def mistakes_are_told():
    for words, code, sentence in (
            ([], 2, "there is no trace to read"),
            ([TRACE], 2, "one of --to, --decode, --check and --into"),
            ([TRACE, "--decode", "--check"], 2, "one of --to, --decode, --check and --into"),
            ([TRACE, "--check", "--speed", "max"], 2, "--speed does nothing with --check, only with --to"),
            ([TRACE, "--decode", "--map-node", "0=1"], 2, "--map-node does nothing with --decode, only with --to"),
            ([TRACE, "--decode", "--mtu", 9000], 2, "--mtu does nothing with --decode, only with --to or --into"),
            ([TRACE, "--to", "null:", "--mtu", 65374], 2, "--mtu 65374 is out of range: it can be at most 9216"),
            ([TRACE, "--to", "null:", "--mtu", 2 ** 32 + 1500], 2, "--mtu 4294968796 is out of range"),
            ([TRACE, "--to", "null:", "--node", 1], 2, "--node does nothing with --to, only with --into"),
            ([TRACE, "--into", "niu", "--node", 1, "--loop", 2], 2, "--loop does nothing with --into, only with --to"),
            ([TRACE, "--into", "fabric", "--node", 1], 2, "--into fabric is no stage"),
            ([TRACE, "--into", "niu"], 2, "--into niu needs the number of the node"),
            ([TRACE, "--into", "niu", "--node", 3], 2, "--node 3 is no host of the network"),
            ([TRACE, "--into", "tm", "--node", 1], 2, "--node 1 is no token manager of the network"),
            (["-", "--into", "niu", "--node", 1], 2, "can be read only once"),
            ([TRACE, "--to", "null:", "--speed", "fast"], 2, "'fast' is no speed"),
            ([TRACE, "--to", "nul:"], 2, "nul"),
            ([TRACE, "--to", "null:,null:"], 2, "names 2 links"),
            ([TRACE, "--to", "null:", "--map-node", "3"], 2, "names no two nodes"),
            ([TRACE, "--to", "null:", "--map-node", "3=5", "--map-node", "4=5"], 2, "makes one node, 5, of nodes 3 and 4"),
            ([TRACE, "--to", "null:", "--source-mac", "x"], 2, "is no Ethernet address"),
            ([TRACE, "--decode", "--filter", "no such"], 2, "pcap-filter"),
            (["-", "--to", "null:", "--loop", 2], 2, "can be read only once"),
            ([work("none.pcap"), "--check"], 1, "cannot read the trace"),
            ([__file__, "--check"], 1, "cannot read the trace"),
            ([TRACE, "--to", f"virtio:{work('nobody')}", "--wait", 0], 1, "nobody")):
        replay(*words, code=code, err=sentence)


run()
