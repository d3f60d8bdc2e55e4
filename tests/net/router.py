# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Networks of their own with a router of the kernel between them."""

import contextlib

from net import Namespace, needs

QUEUES = ("numtxqueues", "1", "numrxqueues", "1")


class Router:
    """`networks` of one station each: its end of the cable is `veth0` in its namespace."""

    def __init__(self, networks):
        needs("ip")
        self.stack = contextlib.ExitStack()
        self.router, *self.stations = [self.stack.enter_context(Namespace()) for _ in range(1 + networks)]
        self.router.command("sysctl", "-qw", "net.ipv4.ip_forward=1")
        for number, station in enumerate(self.stations):
            self.plug(number, station)

    def plug(self, number, station):
        port = f"port{number}"
        self.router.command("ip", "link", "add", port, *QUEUES, "type", "veth", "peer", "name", "veth0", *QUEUES, "netns",
                            str(station.holder.pid))
        self.router.command("ip", "address", "add", f"10.1.{number}.1/24", "dev", port)
        self.router.command("sysctl", "-qw",
                            # What it has learned it believes, until it is asked.
                            f"net.ipv4.neigh.{port}.base_reachable_time_ms=3600000",
                            # Nothing comes from a network in which its sender is not.
                            f"net.ipv4.conf.{port}.rp_filter=1")
        self.router.command("ip", "link", "set", port, "up")
        station.command("ip", "link", "set", "veth0", "up")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stack.close()

    def neighbours(self, number):
        return self.router.command("ip", "neighbour", "show", "dev", f"port{number}")

    def forwarded(self):
        counted = [line.split() for line in self.router.command("cat", "/proc/net/snmp").splitlines() if line[:3] == "Ip:"]
        return int(dict(zip(*counted))["ForwDatagrams"])


def addresses(names):
    """Those of the stations, in node.conf."""
    return "".join(f"[host.{name}]\nip=10.1.{number}.7/24\ngateway=10.1.{number}.1\n" for number, name in enumerate(names))
