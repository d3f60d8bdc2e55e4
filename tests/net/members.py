# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""What the programs in overload/ say, and what has to hold when nothing of theirs is under way."""

import json
import re

KEPT = 64  # packets that a NIU holds in stock, beside those that are in the ring of its link
RINGS = {8191: 1024, 1023: 128}  # packets in that ring, by the size of the pool


def lines_of(text):
    """The lines of each rank, in order."""
    lines = {}
    for rank, line in re.findall(r"^\[ *(\d+)\] (\{.*\})$", text, re.M):
        lines.setdefault(int(rank), []).append(json.loads(line))
    return lines


def is_back(what, before, after, pool=8191):
    """Packets are in their pool again, but for those that have been sent and still lie in the ring of the link; and so is
    credit, of which a receiver gives back a quarter at a time."""
    most = before["packets"] + RINGS[pool] + KEPT
    assert after["packets"] <= most, f"{what}: {after['packets']} packets in use, {before['packets']} before"
    assert after["credit"] >= before["credit"] * 3 // 4, f"{what}: credit of {after['credit']}, {before['credit']} before"
