# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Capture files written and read by hand, so that they do not pass through the library under test."""

import struct

NANOSECONDS, MICROSECONDS = 0xA1B23C4D, 0xA1B2C3D4
ETHERNET = 1
SECTION, INTERFACE, PACKET = 0x0A0D0D0A, 1, 6
END_OF_OPTIONS, INTERFACE_NAME = 0, 2


def write_pcap(path, frames, magic=NANOSECONDS, order="<"):
    with open(path, "wb") as file:
        file.write(struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 262144, ETHERNET))
        for number, frame in enumerate(frames):
            file.write(struct.pack(f"{order}IIII", number, 0, len(frame), len(frame)) + frame)


def read_pcap(path):
    """The frames of a pcap file as isoplane writes it."""
    with open(path, "rb") as file:
        data = file.read()
    assert struct.unpack_from("<I", data)[0] == NANOSECONDS, "not a pcap file with nanoseconds"
    frames, at = [], 24
    while at < len(data):
        captured, length = struct.unpack_from("<8xII", data, at)
        assert captured == length, "a frame is cut"
        frames.append(data[at + 16:at + 16 + captured])
        at += 16 + captured
    return frames


def _options(data):
    found, at = {}, 0
    while at + 4 <= len(data):
        code, length = struct.unpack_from("<HH", data, at)
        if code == END_OF_OPTIONS:
            break
        found[code] = data[at + 4:at + 4 + length]
        at += 4 + (length + 3) // 4 * 4
    return found


def read_pcapng(path):
    """The interface names of a pcapng file, and its frames as (interface, bytes)."""
    with open(path, "rb") as file:
        data = file.read()
    names, frames, at = [], [], 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        assert length >= 12 and data[at + length - 4:at + length] == data[at + 4:at + 8], f"damaged at byte {at}"
        body = data[at + 8:at + length - 4]
        if kind == INTERFACE:
            names.append(_options(body[8:]).get(INTERFACE_NAME, b"").decode())
        elif kind == PACKET:
            interface, captured, original = struct.unpack_from("<I8xII", body)
            assert captured == original, "a frame is cut"
            frames.append((interface, body[20:20 + captured]))
        at += length
    return names, frames
