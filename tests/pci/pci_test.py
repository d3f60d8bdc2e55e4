#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Two NICs of a kind in a virtual machine, driven as real ones are: pci_test.py PROGRAM BUILD_DIRECTORY NIC
DIRECTORY, where what the guests start from is kept."""

import json
import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "net"))

from guest import make_image  # noqa: E402
from installed import build, install  # noqa: E402
from net import PROGRAM, WORK, Skip, command, die_with_parent, run, same, test, work  # noqa: E402

NIC, DIRECTORY = sys.argv[3:]
LIMIT = 500  # of seconds; 30 on two CPUs that have nothing else to do
IOMMU = ("-device", "intel-iommu,intremap=on,caching-mode=on")
# What the guest gives to DPDK by which driver, and what QEMU needs beside it.
DRIVERS = {"e1000": ("uio_pci_generic", ()), "virtio-net-pci": ("uio_pci_generic", ()),
           "vmxnet3": ("uio_pci_generic", ()), "e1000e": ("vfio-pci", IOMMU)}
SHORT, LONG = (64, 10_000), (1514, 3_000)
# What these count more than a frame has.
COUNTED_FCS = {"e1000": {"in": 4, "out": 4}, "e1000e": {"in": 4}}.get(NIC, {})
ISOCHRONS = 300
said = {}


def start(kernel, image):
    """Runs the guest until it switches itself off, and returns what it has told. A QEMU that crashes says nothing of what
    it runs: then once more."""
    driver, more = DRIVERS[NIC]
    told, console = work("told"), work("console")
    nics = [word for number in (0, 1) for word in
            ("-netdev", f"hubport,id=net{number},hubid=1",
             "-device", f"{NIC},netdev=net{number},addr={0x10 + number:#x},mac=02:00:00:00:00:0{number + 1}")]
    words = ["qemu-system-x86_64", "-M", "q35,kernel-irqchip=split", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2",
             "-m", "1536", "-display", "none", "-monitor", "none", "-no-reboot", "-nodefaults", *more, *nics,
             "-serial", f"file:{console}", "-serial", f"file:{told}", "-kernel", kernel, "-initrd", image,
             # The check that timers interrupt fails where the guest gets too little of a CPU meanwhile.
             "-append", f"console=ttyS0 quiet panic=-1 no_timer_check intel_iommu=on driver={driver}"]
    code, errors = run_machine(words)
    if code == -signal.SIGSEGV:
        print(f"# QEMU has crashed: {errors.strip()}")
        code, errors = run_machine(words)
    text = [open(path, encoding="utf-8", errors="replace").read() for path in (told, console)]
    assert "\n=== log " in text[0], (f"the guest ended before its script: {code} {errors}\n"
                                     f"{text[1][-3000:]}\n{text[0][-3000:]}")
    return text[0]


def run_machine(words):
    """Its exit code, and what it has to say."""
    with open(work("qemu"), "w+", encoding="utf-8") as errors:
        machine = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors,
                                   preexec_fn=die_with_parent, cwd=WORK)
        try:
            machine.wait(LIMIT)
        except subprocess.TimeoutExpired:
            machine.kill()
            machine.wait()
        errors.seek(0)
        return machine.returncode, errors.read()


def ended(name, code=0):
    """What a program of the guest has said, which ended as expected."""
    if not said:
        raise Skip("the guest has not run")
    assert name in said, f"the guest has told nothing of {name}, but of {sorted(said)}"
    same(said[name][0], code, f"exit code of {name}, which says '{said[name][1].strip()[-1500:]}'")
    return said[name][1]


def report(name):
    text = "\n" + ended(name)
    return json.JSONDecoder().raw_decode(text[text.rindex("\n{\n") + 1:])[0]


@test
def a_guest_runs():
    install()
    programs = {"isoplane": PROGRAM, **{name: build(name, "cc") for name in ("isoorder", "isogroup")}, "holding": work("holding")}
    command("cc", os.path.join(os.path.dirname(os.path.abspath(__file__)), "holding.c"), "-o", programs["holding"])
    told = start(*make_image(DIRECTORY, programs))
    for name, code, text in re.findall(r"^=== (\S+) (\d+)\n(.*?)(?=^=== |\Z)", told, re.MULTILINE | re.DOTALL):
        said[name] = (int(code), text)


@test
def a_nic_that_is_not_bound_is_an_error_that_says_how_to():
    sentence = ended("unbound", code=1)
    assert "0000:00:10.0" in sentence and "dpdk-devbind.py -b vfio-pci" in sentence, sentence


@test
def both_nics_are_bound():
    same(re.findall(r"([^/\s]+)$", ended("bound"), re.MULTILINE), [DRIVERS[NIC][0]] * 2, "drivers")


@test
def without_huge_pages_a_nic_needs_an_iommu():
    if DRIVERS[NIC][1] == IOMMU:
        ended("ordinary")
    else:
        assert "it needs huge pages" in ended("ordinary", code=1), said["ordinary"]


@test
def a_nic_gets_them_whoever_holds_the_turn_for_them():
    ended("held")


def all_came_back(name, size, count):
    for side, stage, way in (("sender", "generate0", "out"), ("echo", "echo0", "in"), ("echo", "echo0", "out"),
                             ("sender", "sink0", "in")):
        stages = {one["name"]: one for one in report(f"{name}.{side}")["stage"]}
        moved = {"packets": count, "bytes": count * (size + COUNTED_FCS.get(way, 0))}
        same(stages[stage][way], moved, f"{way} of {stage}")
        if stage == "sink0":
            figures = stages[stage]["figures"]
            same([figures[what] for what in ("good", "duplicates", "late", "missing")], [count, 0, 0, 0], "at the sink")
    for side in ("sender", "echo"):
        port = report(f"{name}.{side}")["port"][0]
        same([port[what] for what in ("rx_packets", "tx_packets", "rx_errors", "tx_errors", "oversized")],
             [count, count, 0, 0, 0], f"the port of the {side}")


@test
def short_frames_come_back_and_are_counted():
    all_came_back("short", *SHORT)


@test
def frames_as_long_as_the_mtu_allows_come_back():
    all_came_back("long", *LONG)


@test
def isochrons_keep_their_order():
    messages = sum(1 + (host + i) % 3 for host in (0, 1) for i in range(ISOCHRONS))
    for host in ("alice", "bob"):
        same(ended(f"order.{host}").strip(), f"{messages} messages, in the same order everywhere", host)


@test
def signals_and_barriers_are_in_their_places():
    for host in ("alice", "bob"):
        same(ended(f"group.{host}").strip(), "20 barriers and 20 signals, each in its place", host)


@test
def the_guests_kernel_saw_no_fault():
    same(ended("faults").strip(), "", "faults")


run()
