# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""A node whose link several programs share."""

from net import Node, Program, work

SOCKET = work("clients.sock")


class SharedNode(Node):
    """A shared node that looks after its clients."""

    def __init__(self, *options, socket=SOCKET, link=None, within=()):
        Program.__init__(self, "node", "--role", "shared", "--clients", socket, "--json",
                         *(("--link", link) if link else ()), *options, within=within)
        self.socket = socket

    def clients(self):
        return self.ask("show clients json")

    def totals(self):
        return self.ask("show registrations json")

    def mappings(self):
        """Of clients' memory that the node has."""
        with open(f"/proc/{self.pid}/maps", encoding="ascii") as file:
            return sum("/memfd:" in line and "nohuge" not in line for line in file)
