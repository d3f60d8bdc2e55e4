#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors
"""Checks what tshark shows of isoplane frames. Usage: dissector_test.py MAKE_CAPTURE DISSECTOR. Prints TAP."""

import os
import shutil
import subprocess
import sys
import tempfile

HEADER = {
    "isoplane.version": "2", "isoplane.key": "0x1509ace5", "isoplane.src": "3", "isoplane.epoch": "65538",
    "isoplane.seq": "1001", "isoplane.ack": "2002", "isoplane.credit": "3003",
    "isoplane.selective": "0x8000000000000005", "isoplane.peer_epoch": "7", "isoplane.header_crc.good": "1",
    "isoplane.payload_crc.good": "1", "_ws.expert.message": "",
}
HELLO = {
    "isoplane.hello.roles": "0x03", "isoplane.hello.roles.host": "1", "isoplane.hello.roles.token_manager": "1",
    "isoplane.hello.roles.fabric": "0", "isoplane.hello.features.no_payload_crc": "1", "isoplane.hello.mtu": "1500",
    "isoplane.hello.credit": "64", "isoplane.hello.build_id": "0x0123456789abcdef", "isoplane.hello.name": "host-3",
}
ISOTACH = {
    "isoplane.isotach.pulse": "4294967299", "isoplane.isotach.host": "3", "isoplane.isotach.flags": "0x01",
    "isoplane.isotach.operation": "18",
    "isoplane.isotach.rank": "4", "isoplane.isotach.isochron": "17", "isoplane.isotach.count": "1000",
}
GROUP = {f"isoplane.token.entry.group.{action}": str(int(action in ("signal0", "signal2", "join1", "enter1", "leave0")))
         for action in ("signal0", "signal1", "signal2", "signal3", "signal4", "signal5",
                        "join0", "join1", "enter0", "enter1", "leave0", "leave1")}
# What each well-formed packet shows beside HEADER, over either encapsulation. Repeated fields are joined by commas.
PACKETS = {
    "data": {"isoplane.kind": "1", "isoplane.message.protocol": "0,2,4,5", "isoplane.message.fragment": "3,3,3,3",
             "isoplane.message.length": "8,40,33,8", "isoplane.message.size": "8,16,33,8",
             "isoplane.control.type": "1", "isoplane.control.barrier": "7", **ISOTACH},
    "data_accesses": {"isoplane.kind": "1", "isoplane.message.protocol": "2,3", "isoplane.message.size": "148,16",
                      **ISOTACH, "isoplane.isotach.operation": "1"},
    "data_clocked": {"isoplane.kind": "1", "isoplane.message.protocol": "2", "isoplane.message.size": "24",
                     **ISOTACH, "isoplane.isotach.flags": "0x40", "isoplane.isotach.operation": "1",
                     "isoplane.isotach.flags.clocked": "1", "isoplane.isotach.clock": "4294967290",
                     "isoplane.access.code": "2", "isoplane.access.address": "2050",
                     "isoplane.access.operands": "00000007"},
    "data_active": {"isoplane.kind": "1", "isoplane.message.protocol": "5,5,5", "isoplane.message.length": "52,64,20",
                    "isoplane.active.type": "1,5,7", "isoplane.active.convention": "2,2,2", "isoplane.active.slot": "5,5,5",
                    "isoplane.active.reason": "0,0,3", "isoplane.active.program": "6,6,6", "isoplane.active.number": "7,7,7",
                    "isoplane.active.life": "65539,65539,65539",
                    "isoplane.active.image": "0x01234567,0x01234567,0x01234567",
                    "isoplane.active.offset": "0x000089ab,0x000089ab,0x000089ab",
                    "isoplane.active.word": "0x0000000000000001,0x0000000000000002,0x0000000000000003,0xfedcba9876543210",
                    "isoplane.active.argument": "0x0000000000000008", "isoplane.active.address": "0x00007fff00001000",
                    "isoplane.active.size": "5000", "isoplane.active.at": "1400"},
    "data_portals": {"isoplane.kind": "1", "isoplane.message.protocol": "4,4,4,4,4,4",
                     "isoplane.message.length": "80,96,96,128,24,8", "isoplane.portals.kind": "0,0,0,0,1,2",
                     "isoplane.portals.type": "1,3,1,1", "isoplane.portals.rest": "0,0,2,6",
                     "isoplane.portals.number": "41,41,41,41", "isoplane.portals.target": "5,5,5,5",
                     "isoplane.portals.initiator": "6,6,6,6", "isoplane.portals.uid": "1000,1000,1000,1000",
                     "isoplane.portals.jid": "77,77,77,77", "isoplane.portals.portal": "4,4,4,4",
                     "isoplane.portals.cookie": "1,1,1,1",
                     "isoplane.portals.match_bits": ",".join(["0x0123456789abcdef"] * 4),
                     "isoplane.portals.remote_offset": "4096,4096,4096,4096",
                     "isoplane.portals.hdr_data": ",".join(["0x000000000000fedc"] * 3),
                     "isoplane.portals.return_offset": "65244", "isoplane.portals.length": "8,100,1000000,1000000",
                     "isoplane.portals.md": ",".join(["0x00180003"] * 4), "isoplane.portals.md_generation": "2,2,2,2",
                     "isoplane.portals.moved": "8", "isoplane.portals.source": ",".join(["0x00200001"] * 4),
                     "isoplane.portals.process": "4711", "isoplane.portals.address": "0x00007f0012340000",
                     "isoplane.portals.seal_at": "0x00007f0056780008", "isoplane.portals.seal": "0x1122334455667789",
                     "isoplane.portals.offset": "65544", "isoplane.portals.slice": "65536",
                     "isoplane.message.data": ",".join(["0001020304050607"] * 4)},
    "data_fragment": {"isoplane.kind": "1", "isoplane.message.protocol": "2", "isoplane.message.fragment": "0",
                      "isoplane.message.length": "224", "isoplane.message.offset": "4096", **ISOTACH},
    "data_no_crc": {"isoplane.kind": "1", "isoplane.flags.no_payload_crc": "1", "isoplane.payload_crc": "0x00000000",
                    "isoplane.message.protocol": "6", "isoplane.message.length": "100",
                    "isoplane.channel.type": "0x0001", "isoplane.channel.subtype": "2", "isoplane.channel.channel": "3",
                    "isoplane.channel.number": "67438087"},
    "ack": {"isoplane.kind": "2", "isoplane.length": "0", "isoplane.dst": "5"},
    "ack_sealed": {"isoplane.kind": "2", "isoplane.padding": "", "isoplane.trailer.node": "3",
                   "isoplane.trailer.started": "Nov 14, 2023 22:13:20.123000000 UTC",
                   "isoplane.trailer.salt": "0x0000000000000005", "isoplane.trailer.generation": "2",
                   "isoplane.trailer.number": "8589934599", "isoplane.trailer.proof": "0x0000000000000009",
                   "isoplane.trailer.tag": "aa" * 16},
    "credit": {"isoplane.kind": "3", "isoplane.length": "0"},
    "credit_request": {"isoplane.kind": "4", "isoplane.length": "0"},
    "hello": {"isoplane.kind": "5", "isoplane.dst": "65535", **HELLO},
    "hello_ack": {"isoplane.kind": "6", "isoplane.dst": "5", **HELLO},
    "bye": {"isoplane.kind": "7", "isoplane.length": "0"},
    "token": {"isoplane.kind": "8", "isoplane.token.number": "4294967298", "isoplane.token.wanted": "12",
              "isoplane.token.part": "2", "isoplane.token.parts": "3", "isoplane.token.entries": "3",
              "isoplane.token.further": "4", "isoplane.token.view": "0",
              "isoplane.token.entry.src": "3,3,2", "isoplane.token.entry.dst": "5,1,65535",
              "isoplane.token.entry.count": "1000,7", "isoplane.token.entry.group": "0x00001a05", **GROUP},
    "quiet_token": {"isoplane.kind": "8", "isoplane.token.number": "42", "isoplane.token.wanted": "0", "isoplane.token.further": "0",
                    "isoplane.token.part": "1", "isoplane.token.parts": "1", "isoplane.token.entries": "0",
                    "isoplane.token.entry.src": "", "isoplane.token.entry.group": ""},
    "view": {"isoplane.kind": "10", "isoplane.view.step": "2", "isoplane.view.view": "2", "isoplane.view.ballot": "7",
             "isoplane.view.held": "100", "isoplane.view.doubt": "1", "isoplane.view.next": "3",
             "isoplane.view.cut": "98", "isoplane.view.base": "120", "isoplane.view.member": "0,2",
             "isoplane.view.member.epoch": "9,4", "isoplane.view.part": "1", "isoplane.view.parts": "1"},
    "view_part": {"isoplane.kind": "10", "isoplane.view.step": "6", "isoplane.view.doubt": "", "isoplane.view.member": "4",
                  "isoplane.view.digest": "0x00001995", "isoplane.view.part": "2", "isoplane.view.parts": "3"},
    "probe": {"isoplane.kind": "9", "isoplane.probe.stream": "9", "isoplane.probe.number": "123456789",
              "isoplane.probe.sent_ns": "1700000000000000000"},
    "smallest_probe": {"isoplane.kind": "9", "isoplane.probe.stream": ""},
    "empty_probe": {"isoplane.kind": "9", "isoplane.length": "0", "isoplane.probe.stream": ""},
    "data_portals_rest": {"isoplane.kind": "1", "isoplane.message.protocol": "4", "isoplane.message.length": "200",
                          "isoplane.portals.kind": "", "isoplane.portals.type": ""},
    "data_page": {"isoplane.kind": "1", "isoplane.message.protocol": "3", "isoplane.answer.ticket": "",
                  "isoplane.page.step": "2", "isoplane.page.words": "2", "isoplane.page.pulse": "70",
                  "isoplane.page.page": "8", "isoplane.page.offset": "9", "isoplane.page.values": "18191a1b1c1d1e1f"},
    "data_views": {"isoplane.kind": "1", "isoplane.message.protocol": "2,2", "isoplane.isotach.flags": "0x20,0x10",
                   "isoplane.isotach.operation": "0,0", "isoplane.isotach.flags.flush": "1,0",
                   "isoplane.isotach.flags.handover": "0,1"},
    "data_run": {"isoplane.kind": "1", "isoplane.message.protocol": "2,2,2", "isoplane.message.fragment": "3,7,7",
                 "isoplane.message.length": "32,12,12", "isoplane.message.size": "8",
                 "isoplane.isotach.pulse": "4294967299,4294967299,4294967299", "isoplane.isotach.host": "3,3,3",
                 "isoplane.isotach.operation": "18,0,0", "isoplane.isotach.rank": "4,5,305",
                 "isoplane.isotach.isochron": "17,19,21", "isoplane.isotach.count": "1000,1001,1002"},
    "data_along": {"isoplane.kind": "1", "isoplane.message.protocol": "8,2,8", "isoplane.message.length": "32,32,4",
                   "isoplane.token.number": "4295032830,4295032832", "isoplane.token.number_end": "0",
                   "isoplane.token.wanted": "0,2", "isoplane.token.further": "1,0", "isoplane.token.src": "6,6",
                   "isoplane.token.dst": "5,5", "isoplane.token.epoch": "65539,65539",
                   "isoplane.token.entry.count": "999"},
}
WRONG = {
    "bad_version": {"_ws.expert.message": "Unknown version"},
    "bad_kind": {"_ws.expert.message": "Unknown kind"},
    "bad_flags": {"_ws.expert.message": "Unknown flags"},
    "bad_length": {"_ws.expert.message": "More payload announced than captured"},
    **{name: {"_ws.expert.message": "Payload is not what its kind requires"}
       for name in ("bad_body", "bad_token_part", "bad_token_source", "bad_token_destination",
                    "bad_group_word", "empty_group_word", "hello_long_name", "hello_unknown_role", "hello_unknown_feature",
                    "hello_small_mtu", "whole_of_another_size", "first_that_is_all", "last_at_0", "last_beyond_4_g",
                    "run_that_stays", "reserved_in_view")},
    "hello_unprintable": {"_ws.expert.message": "Payload is not what its kind requires", "isoplane.hello.name": "host.[2J"},
    "ack_to_all": {"_ws.expert.message": "Broadcast of a kind that may not be"},
    "bad_header_crc": {"_ws.expert.message": "Bad header CRC", "isoplane.header_crc.good": "0"},
    "bad_payload_crc": {"_ws.expert.message": "Bad payload CRC", "isoplane.payload_crc.good": "0",
                        "isoplane.header_crc.good": "1"},
}
FILTERS = {
    "isoplane": 76,
    "isoplane.kind == 8 && isoplane.token.number > 100": 2,
    "isoplane.token.number_end == 0 && isoplane.token.number == 4295032832": 2,
    "isoplane.token.wanted > 0": 4,
    "isoplane.token.part == isoplane.token.parts": 8,
    "isoplane.token.entry.dst == 65535 && isoplane.token.entry.group.signal2 == 1": 2,
    "isoplane.seq == 1001 && isoplane.src == 3": 75,
    "isoplane.isotach.pulse == 4294967299": 15,
    "isoplane.src == 3 && isoplane.dst == 5": 73,
    "isoplane.conversation == 0 && isoplane.node == 3 && isoplane.node == 5": 73,
    "isoplane.conversation > 0 || isoplane.node == 4": 0,
    "isoplane.message.protocol == 4": 6,
    "isoplane.portals.type == 3 && isoplane.portals.match_bits == 0x0123456789abcdef": 2,
    "isoplane.portals.slice > 1000": 2,
    "isoplane.control.barrier == 7": 2,
    "isoplane.header_crc.good == 0 || isoplane.payload_crc.good == 0": 2,
    "isoplane && _ws.expert": 24,
    "isoplane.expert.header_crc || isoplane.expert.payload_crc": 2,
    "udp.dstport == 34997 && isoplane": 26,
}

# The colour of each packet, by words of its rule; what is not named here is damaged.
COLOURS = {
    "logical time": ("data", "data_accesses", "data_along", "data_clocked", "data_fragment",
                     "data_page", "data_run", "data_views"), "active messages": ("data_active",),
    "Portals": ("data_portals", "data_portals_rest"), "channels": ("data_no_crc",),
    "acknowledgements and credit": ("ack", "ack_sealed", "credit", "credit_request"), "hello and bye": ("bye", "hello", "hello_ack"),
    "tokens": ("token", "quiet_token"), "members of logical time": ("view", "view_part"), "test traffic": ("probe", "smallest_probe", "empty_probe"),
}


class Tap:
    def __init__(self, count):
        self.number = 0
        self.failed = 0
        print(f"1..{count}")

    def check(self, problems, claim):
        self.number += 1
        self.failed += bool(problems)
        print(f"{'not ok' if problems else 'ok'} {self.number} - {claim}")
        for problem in problems:
            print(f"#   {problem}")


class Capture:
    """A capture, and tshark with the dissector and nobody's personal settings to read it."""

    def __init__(self, directory, make_capture, dissector):
        self.path = os.path.join(directory, "samples.pcap")
        self.dissector = dissector
        shutil.copy(os.path.join(os.path.dirname(dissector), "colorfilters"), directory)
        self.environment = {**os.environ, "HOME": directory, "WIRESHARK_CONFIG_DIR": directory, "LC_ALL": "C.UTF-8"}
        made = subprocess.run([make_capture, self.path], check=True, capture_output=True, text=True)
        self.names = made.stdout.split()

    def tshark(self, *arguments, path=None):
        # Run as root, tshark warns on standard error; only its exit code and output count.
        command = ["tshark", "-n", "-X", f"lua_script:{self.dissector}", "-r", path or self.path, *arguments]
        return subprocess.run(command, env=self.environment, check=True, capture_output=True, text=True).stdout

    def fields(self, names):
        """For each packet, the given fields by name."""
        wanted = [argument for name in names for argument in ("-e", name)]
        lines = self.tshark("-T", "fields", "-E", "separator=|", "-E", "occurrence=a", *wanted).splitlines()
        return {packet: dict(zip(names, line.split("|"))) for packet, line in zip(self.names, lines)}


def differences(shown, expected):
    return [f"{name} is '{shown.get(name)}', expected '{value}'"
            for name, value in expected.items() if shown.get(name) != value]


def wrong_count(found, expected):
    return [] if found == expected else [f"{found} packets match, expected {expected}"]


def wrong_destinations(capture):
    """Destinations that are shown neither as a plain number nor as broadcast."""
    shown = {line.strip() for line in capture.tshark("-V").splitlines() if "Destination node:" in line}
    expected = {"Destination node: 5", "Destination node: 65535 (broadcast)"}
    return [f"'{line}'" for line in sorted(shown ^ expected)]


def wrong_colours(capture):
    rules = {name: rule for rule, names in COLOURS.items() for name in names}
    shown = capture.tshark("--color", "-T", "fields", "-e", "frame.coloring_rule.name").splitlines()
    expected = [rules.get(name.split("_", 1)[1], "damaged, or not as it should be") for name in capture.names]
    return [f"{name} is '{found}', expected '{rule}'" for name, found, rule in zip(capture.names, shown, expected)
            if found != f"isoplane: {rule}"] or wrong_count(len(shown), len(expected))


def lua_errors(capture, path):
    return [line for line in capture.tshark("-V", path=path).splitlines() if "Lua Error" in line]


def run(capture):
    tap = Tap(2 * len(PACKETS) + len(WRONG) + len(FILTERS) + 5)
    names = sorted({name for fields in (HEADER, *PACKETS.values(), *WRONG.values()) for name in fields})
    shown = capture.fields(names)
    for prefix, where in (("eth_", "Ethernet"), ("udp_", "UDP")):
        for name, expected in PACKETS.items():
            problems = differences(shown.get(prefix + name, {}), {**HEADER, **expected})
            tap.check(problems, f"{name} over {where} shows every field")
    for name, expected in WRONG.items():
        tap.check(differences(shown.get(name, {}), expected), f"{name} is pointed out")
    for expression, count in FILTERS.items():
        found = len(capture.tshark("-Y", expression).splitlines())
        tap.check(wrong_count(found, count), f"filter {expression}")

    tap.check(wrong_colours(capture), "each kind has its colour")
    tap.check(wrong_destinations(capture), "a destination is a number or broadcast")
    tap.check(lua_errors(capture, capture.path), "no packet ends in a Lua error")
    short = capture.path + ".short"
    subprocess.run(["editcap", "-s", "100", capture.path, short], env=capture.environment, check=True,
                   capture_output=True, text=True)
    tap.check(lua_errors(capture, short), "nor does a packet cut short")
    # With the EtherType moved away, only the 26 packets in UDP remain.
    found = len(capture.tshark("-o", "isoplane.ethertype:34998", "-Y", "isoplane").splitlines())
    tap.check(wrong_count(found, 26), "the EtherType is a preference")
    return tap.failed


def main():
    _, make_capture, dissector = sys.argv
    missing = [tool for tool in ("tshark", "editcap") if shutil.which(tool) is None]
    if missing:
        print(f"1..0 # SKIP {' and '.join(missing)} not installed")
        return 0
    with tempfile.TemporaryDirectory(prefix="isoplane-dissector-") as directory:
        try:
            return 1 if run(Capture(directory, make_capture, dissector)) else 0
        except subprocess.CalledProcessError as error:
            print(f"Bail out! {error.cmd[0]} ended with {error.returncode}: {' '.join(error.stderr.split())}")
            return 1


if __name__ == "__main__":
    sys.exit(main())
