#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""MPI over the provider for libfabric beside Open MPI over TCP, in turns in one run; then Debian's netpipe, and its hpcc,
whose HPL has to be right. figures.py PROGRAM DIRECTORY_OF_THE_PROVIDER [ROUNDS]. It prints figures, and fails only when
something is wrong."""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM, PROVIDER = (os.path.abspath(word) for word in sys.argv[1:3])
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 3
OURS = ("--mca", "pml", "cm", "--mca", "mtl", "ofi", "--mca", "mtl_ofi_provider_include", "isoplane")
AUTO = (*OURS, "--mca", "mtl_ofi_data_progress", "auto")
TCP = ("--mca", "pml", "ob1", "--mca", "btl", "tcp,self")
OTHERS = ("--mca", "pml", "cm", "--mca", "mtl", "ofi", "--mca", "mtl_ofi_provider_include")
WAYS = {
    "virtio": lambda ranks, words: (PROGRAM, "run", "-n", str(ranks), "--launcher", "--", *mpirun(ranks, OURS, words)),
    "shared": lambda ranks, words: mpirun(ranks, OURS, words),
    "tcp": lambda ranks, words: mpirun(ranks, TCP, words),
    "fi_tcp": lambda ranks, words: mpirun(ranks, (*OTHERS, "tcp;ofi_rxm"), words),
    "fi_shm": lambda ranks, words: mpirun(ranks, (*OTHERS, "shm"), words),
}
# A thread of the provider moves messages while the program computes.
WAYS_TO_OVERLAP = {
    **WAYS,
    "virtio+": lambda ranks, words: (PROGRAM, "run", "-n", str(ranks), "--launcher", "--", *mpirun(ranks, AUTO, words)),
    "shared+": lambda ranks, words: mpirun(ranks, AUTO, words),
}


def mpirun(ranks, how, words):
    return ("mpirun", "-n", str(ranks), "--oversubscribe", "--bind-to", "none", *how, *words)


def say(way, ranks, *words, **how):
    done = subprocess.run(WAYS_TO_OVERLAP[way](ranks, words), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, **how)
    if done.returncode != 0:
        sys.exit(f"{words[0]} over {way} ends with {done.returncode}: {done.stdout[-500:]}{done.stderr[-1500:]}")
    return done.stdout


def figures(work, name, ways):
    """A line for each figure of that program: by way, and beside Open MPI over TCP."""
    binary = os.path.join(work, name)
    subprocess.run(["mpicc", "-O2", os.path.join(HERE, f"{name}.c"), "-o", binary], check=True)
    found = {}
    for _ in range(ROUNDS):
        for way in ways:
            for line in say(way, 2, binary).splitlines():
                figure, value, unit = line.split()
                found.setdefault((figure, unit), {}).setdefault(way, []).append(float(value))
    print(f"{'':24}" + "".join(f"{way:>10}" for way in ways) + "   virtio/tcp  shared/tcp")
    for (figure, unit), values_of in found.items():
        medians = {way: statistics.median(values) for way, values in values_of.items()}
        ratios = [medians[way] / medians["tcp"] if medians["tcp"] else float("inf") for way in ("virtio", "shared")]
        print(f"{figure + ' ' + unit:24}" + "".join(f"{medians[way]:10.2f}" for way in ways) +
              "".join(f"{ratio:12.2f}" for ratio in ratios))


def netpipe(work):
    for way in WAYS:
        # Its lines: bytes, repetitions, Mbit/s.
        say(way, 2, "NPopenmpi", "-u", "65536", "-o", os.path.join(work, "np.out"), cwd=work)
        with open(os.path.join(work, "np.out"), encoding="ascii") as file:
            last = file.read().split("\n")[-2].split()
        print(f"netpipe over {way}: {last[0]} bytes, {float(last[1]):.0f} Mbit/s")


def hpcc(work):
    """A small problem, on a grid of 2 by 2."""
    with open("/usr/share/doc/hpcc/examples/_hpccinf.txt", encoding="ascii") as file:
        lines = file.read().split("\n")
    wanted = {5: "1", 6: "400", 7: "1", 8: "80", 10: "1", 11: "2", 12: "2"}
    for number, value in wanted.items():
        lines[number - 1] = value + "  " + lines[number - 1]
    with open(os.path.join(work, "hpccinf.txt"), "w", encoding="ascii") as file:
        file.write("\n".join(lines))
    say("shared", 4, "hpcc", cwd=work)
    with open(os.path.join(work, "hpccoutf.txt"), encoding="ascii") as file:
        said = file.read()
    passed = said.count("PASSED")
    if passed == 0 or "FAILED" in said.replace("0 tests completed and failed", ""):
        sys.exit(f"hpcc does not say that HPL is right: {said[-3000:]}")
    print(f"hpcc: HPL PASSED {passed} times, Success={'Success=1' in said}")


def main():
    for program in ("mpicc", "mpirun"):
        if shutil.which(program) is None:
            print(f"{program} is not installed")
            sys.exit(77)
    if not os.path.exists(os.path.join(PROVIDER, "libisoplane-fi.so")):
        print("the provider is not built: libfabric-dev is not installed")
        sys.exit(77)
    os.environ.update(FI_PROVIDER_PATH=PROVIDER, ISOPLANE=PROGRAM, OMPI_ALLOW_RUN_AS_ROOT="1",
                      OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    with tempfile.TemporaryDirectory() as work:
        figures(work, "figures", WAYS)
        figures(work, "overlap", WAYS_TO_OVERLAP)
        if shutil.which("NPopenmpi") is not None:
            netpipe(work)
        if shutil.which("hpcc") is not None:
            hpcc(work)


main()
