# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Jobs of a program, on a fabric of the launcher's or with each node in a network namespace of its own."""

import contextlib
import glob
import re

from net import Namespace, Node, Program, make_dir, same, work

ENOUGH = 1000  # frames
PORTS = "port of rank"
IMPAIRED = {False: (), True: ("--fabric", "loss=0.01")}


class Job(Program):
    """`isoplane run`, with its files in a directory of its own."""

    def __init__(self, *words):
        self.directory = make_dir(f"job{Program._started}")
        super().__init__("run", *words, environment={"XDG_RUNTIME_DIR": self.directory})

    def telemetry(self):
        """The sockets of what can be asked."""
        return glob.glob(f"{self.directory}/**/dpdk_telemetry.v2", recursive=True)


def on_virtio(nodes, lossy, *words, way="inline", options=()):
    """What the nodes of a job print."""
    with Program("run", "-n", nodes, "--progress", way, "--stats", *options, *IMPAIRED[lossy], "--", *words) as launcher:
        said = launcher.ends(err=PORTS).out()
        same(frames_lost(launcher) > 0, lossy, f"frames are lost by {launcher}")
        return said


def frames(launcher, what, alone=True):
    """What the ports of its fabric have counted, as --stats tells; if `alone`, nothing else is told."""
    lines = launcher.err().splitlines()
    told = [line for line in lines if line.startswith("isoplane run: port of rank ")]
    assert told == lines or not alone, f"{launcher} says {lines}"
    return sum(int(count) for line in told for count in re.findall(rf"\b{what} (\d+)", line))


def frames_lost(launcher, alone=True):
    return frames(launcher, "lost", alone)


def loses_some(launcher, alone=True):
    """A job whose fabric is to lose 1 of 100 frames, if it has had so many that it would not have been by chance."""
    offered = frames(launcher, "offered", alone)
    assert frames_lost(launcher, alone) > 0 or offered < ENOUGH, f"{launcher} has lost none of {offered} frames"


def on_veth(nodes, lossy, *words, way="inline", options=()):
    """The same in as many namespaces, each joined by a veth pair to one with the fabric, and the token manager beside
    it."""
    with contextlib.ExitStack() as stack:
        switch = stack.enter_context(Namespace())
        hosts = [stack.enter_context(Namespace()) for _ in range(nodes)]
        for number, host in enumerate(hosts):
            _plug(switch, f"port{number}", host)
        conf = _configuration(nodes)
        ports = ",".join(f"afpacket:port{number}" for number in range(nodes))
        fabric = stack.enter_context(Node("fabric,tm", ports, "--config", conf, "--workers", 1, *IMPAIRED[lossy],
                                          **switch.how).ready())
        parts = []
        for host in hosts:
            parts += [":"] if parts else []
            parts += ["-n", 1, "--", *host.within, *words]
        with Program("run", "--config", conf, "--progress", way, *options, *parts) as launcher:
            said = launcher.ends().out()
        fabric.stop()
        lost = sum(port["counters"]["lost"] for port in fabric.report()["fabric"]["ports"])
        assert not lossy or lost > 0, "the fabric lost nothing"
        return said


def _plug(switch, port, host):
    queues = ("numtxqueues", "1", "numrxqueues", "1")
    switch.command("ip", "link", "add", port, *queues, "type", "veth", "peer", "name", "veth0", *queues, "netns",
                   str(host.holder.pid))
    switch.command("ip", "link", "set", port, "up")
    host.command("ip", "link", "set", "veth0", "up")


def _configuration(nodes):
    names = [f"node{number}" for number in range(nodes)]
    with open(work("veth-topology"), "w", encoding="utf-8") as file:
        file.write(f"0 {' '.join(names)}\n")
    with open(work("veth.conf"), "w", encoding="utf-8") as file:
        file.write("fmconfig=veth-topology\njob-key=7\n")
        file.writelines(f"host.{name}.link=afpacket:veth0\n" for name in names)
    return work("veth.conf")


def order_is_kept(on, nodes, lossy, program, isochrons, way="inline"):
    """isoorder: every node issues so many isochrons of 1 to 3 messages to each, and all print the same."""
    messages = sum(1 + (host + i) % 3 for host in range(nodes) for i in range(isochrons))
    same(sorted(on(nodes, lossy, program, isochrons, way=way).splitlines()),
         [f"[{i}] {messages} messages, in the same order everywhere" for i in range(nodes)],
         f"{nodes} nodes, {'lossy' if lossy else 'lossless'}, {on.__name__}, {way}")


def all_copysets(nodes):
    """A shmem_map with a page for each: 2^nodes - 1 of them. Returns its path and how many."""
    path = work(f"shmem_map-{nodes}")
    copysets = [[str(node) for node in range(nodes) if chosen >> node & 1] for chosen in range(1, 1 << nodes)]
    with open(path, "w", encoding="ascii") as out:
        out.writelines(f"{page}: {','.join(copyset)};\n" for page, copyset in enumerate(copysets))
    return path, len(copysets)


def memory_is_one(on, nodes, lossy, program, isochrons, way="inline"):
    """isomem: every node issues so many isochrons, on pages of all copysets that there are."""
    path, pages = all_copysets(nodes)
    same(sorted(on(nodes, lossy, program, isochrons, pages, way=way, options=("--shmem-map", path)).splitlines()),
         [f"[{i}] {isochrons} isochrons, the same everywhere" for i in range(nodes)],
         f"{nodes} nodes, {'lossy' if lossy else 'lossless'}, {on.__name__}, {way}")
