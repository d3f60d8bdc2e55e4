#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""What the fabric says it did is what receivers see, kind by kind: fabric_test.py PROGRAM.

A host sends COUNT frames through a fabric in a process of its own to another host in a third. The fabric's port holds
more frames than are sent and frames held back are kept for long, so that fates alone decide what arrives, and no
scheduling."""

from net import Node, run, same, test, until, work

COUNT = 30_000
PATIENT = "queue=65536,hold=3600s"
PORTS = ("--packets", 100_000)


class Network:
    """A fabric with a sender at port 0 and receivers at the others, over virtio."""

    def __init__(self, name, fabric_options, receivers=1):
        links = [f"virtio:{work(f'{name}{port}')}" for port in range(receivers + 1)]
        self.fabric = Node("fabric", ",".join(links), *PORTS, *fabric_options)
        self.fabric.ready()
        self.receivers = [Node("sink", link, "--id", number) for number, link in enumerate(links[1:], 1)]
        # It also listens, for more than ever comes, so that it stays until it is stopped.
        self.sender = Node("generate,sink", links[0], "--id", 0, "--to", 1, "--count", COUNT, "--expect", COUNT,
                           "--stopped")
        for receiver in self.receivers:
            receiver.is_up()
        self.sender.is_up()
        for port in range(len(links)):
            self.fabric.is_up(port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for node in (self.sender, self.fabric, *self.receivers):
            node.kill()

    def ports(self):
        return self.fabric.ask("show fabric json")["ports"]

    def let_through(self):
        """Sends everything, and waits until it is where it will stay."""
        self.sender.tell("start")
        until(lambda: self.ports()[0]["counters"]["in"] == COUNT, "all frames are in the fabric")
        # Frames may be held back for good behind the last, which a change of the settings lets go.
        for number in range(1, len(self.ports())):
            self.fabric.tell(f"set fabric port {number} reorder 0")
        until(lambda: all(port["held"] == 0 for port in self.ports()), "the fabric is empty")
        for number, receiver in enumerate(self.receivers, 1):
            sent = self.ports()[number]["counters"]["out"]
            until(lambda: receiver.ask("show stage sink0 json")["in"]["packets"] == sent, f"all {sent} have arrived")

    def stop(self):
        """Stops everybody. Returns the counters of port 1 and the figures of the receiver there."""
        for node in (self.sender, *self.receivers, self.fabric):
            node.stop()
        return self.outcome(1)

    def outcome(self, number):
        port = self.fabric.report()["fabric"]["ports"][number]["counters"]
        figures = self.receivers[number - 1].figures("sink0")
        figures.pop("latency_ns", None)
        return port, figures


def run_through(name, impairments, seed=1):
    with Network(name, ["--fabric", ",".join(filter(None, (PATIENT, impairments))), "--seed", seed]) as network:
        network.let_through()
        return network.stop()


def agree(port, figures):
    """Every frame is accounted for, and each kind of fault is what the receiver saw of it."""
    same(port["offered"], COUNT, "frames offered to the port")
    same(port["queue_full"] + port["no_memory"], 0, "frames dropped for want of room")
    same(port["out"], COUNT - port["lost"] - port["cut_out"] + port["duplicated"], "frames that left the port")
    same(figures["good"], COUNT - port["lost"] - port["cut_out"] - port["corrupted"], "good frames")
    same(figures["duplicates"], port["duplicated"], "duplicates")
    same(figures["late"], port["reordered"], "late frames")
    same(sum(figures.get("refused", {}).values()) + figures["mangled"], port["corrupted"], "refused frames")
    same(figures["not_probes"], 0, "frames that are no probes")


def is_about(count, probability):
    """Ten standard deviations from what the probability says: the seed decides, and is fixed."""
    expected = COUNT * probability
    assert abs(count - expected) < 10 * expected ** 0.5, f"{count} of {COUNT}, expected about {expected:.0f}"


@test
def nothing_is_done_to_frames_unasked():
    port, figures = run_through("plain", "")
    agree(port, figures)
    same((figures["good"], figures["missing"], figures["late"]), (COUNT, 0, 0), "good, missing, late")


@test
def the_lost_are_missing():
    port, figures = run_through("loss", "loss=0.05")
    agree(port, figures)
    is_about(port["lost"], 0.05)
    # Of the last frames sent nobody can tell that they are missing.
    assert 0 <= port["lost"] - figures["missing"] < 10, (port, figures)


@test
def the_duplicated_arrive_twice():
    port, figures = run_through("dup", "dup=5%")
    agree(port, figures)
    is_about(port["duplicated"], 0.05)
    same((figures["good"], figures["missing"]), (COUNT, 0), "good, missing")


@test
def the_reordered_are_late():
    port, figures = run_through("reorder", "reorder=0.05")
    agree(port, figures)
    is_about(port["reordered"], 0.05)
    same((figures["good"], figures["missing"]), (COUNT, 0), "good, missing")


@test
def the_corrupted_are_refused():
    port, figures = run_through("corrupt", "corrupt=0.05")
    agree(port, figures)
    is_about(port["corrupted"], 0.05)


@test
def the_delayed_all_arrive_in_order():
    port, figures = run_through("delay", "delay=2ms,jitter=1ms")
    agree(port, figures)
    same(port["delayed"], COUNT, "delayed frames")
    same((figures["good"], figures["late"]), (COUNT, 0), "good, late")


MIXTURE = "loss=0.03,dup=0.02,reorder=0.05,corrupt=0.04,delay=100us,jitter=50us"


@test
def a_seed_repeats_a_mixture_and_another_seed_does_not():
    first = run_through("first", MIXTURE, seed=7)
    agree(*first)
    for kind in ("lost", "duplicated", "reordered", "corrupted", "delayed"):
        assert first[0][kind] > 0, f"no frame was {kind}"
    same(run_through("again", MIXTURE, seed=7), first, "counters with the same seed")
    other = run_through("other", MIXTURE, seed=8)
    agree(*other)
    assert other != first, "another seed makes no difference"


@test
def every_port_rolls_its_own_dice():
    """Nobody has heard of the receivers, so frames go to all ports, each with fates of its own."""
    with Network("three", ["--fabric", f"{PATIENT},{MIXTURE}"], receivers=2) as network:
        network.let_through()
        network.stop()
        outcomes = [network.outcome(number) for number in (1, 2)]
        for port, figures in outcomes:
            agree(port, figures)
        assert outcomes[0] != outcomes[1], "both ports lost the same frames"


@test
def a_rate_limit_drops_what_its_queue_does_not_hold():
    with Network("rate", ["--fabric", "rate=10Mbit,queue=100"]) as network:
        network.let_through()
        port, figures = network.stop()
    assert port["queue_full"] > 0, "nothing was dropped"
    same(figures["good"] + port["queue_full"], COUNT, "frames received and dropped")


@test
def impairments_change_while_frames_pass():
    with Network("change", ["--stopped", "-c", "set fabric port 1 loss 0.01", "-c", f"set fabric port 1 queue 65536",
                            "-c", "start"]) as network:
        same(network.ports()[1]["impairment"]["loss"], 0.01, "loss that the fabric shows")
        same(network.ports()[0]["impairment"]["loss"], 0, "loss at the port that was not spoken of")
        network.sender.tell("set generate rate 20kpps").tell("start")
        until(lambda: network.ports()[1]["counters"]["lost"] > 0, "frames get lost")
        network.fabric.tell("set fabric port 1 cut on")
        until(lambda: network.ports()[1]["counters"]["cut_out"] > 0, "frames run against the cut")
        network.fabric.tell("set fabric port 1 cut off").tell("set fabric port 1 loss 0")
        network.sender.tell("set generate rate max")
        network.let_through()
        agree(*network.stop())


run()
