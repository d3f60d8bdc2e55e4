#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""MPI over the provider for libfabric beside Open MPI over TCP, in turns in one run; what it adds to Portals on a link; then
Debian's netpipe, and its hpcc, whose HPL has to be right. figures.py PROGRAM DIRECTORY_OF_THE_PROVIDER [ROUNDS]. It prints
figures, and fails only when something is wrong."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
PROGRAM, PROVIDER = (os.path.abspath(word) for word in sys.argv[1:3])
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 3
OURS = ("--mca", "pml", "cm", "--mca", "mtl", "ofi", "--mca", "mtl_ofi_provider_include", "isoplane")
AUTO = (*OURS, "--mca", "mtl_ofi_data_progress", "auto")
TCP = ("--mca", "pml", "ob1", "--mca", "btl", "tcp,self")
OTHERS = ("--mca", "pml", "cm", "--mca", "mtl", "ofi", "--mca", "mtl_ofi_provider_include")
WAYS = {
    "direct": lambda ranks, words: launched(ranks, mpirun(ranks, OURS, words), "--link", "direct"),
    "virtio": lambda ranks, words: launched(ranks, mpirun(ranks, OURS, words)),
    "shared": lambda ranks, words: mpirun(ranks, OURS, words),
    "tcp": lambda ranks, words: mpirun(ranks, TCP, words),
    "fi_tcp": lambda ranks, words: mpirun(ranks, (*OTHERS, "tcp;ofi_rxm"), words),
}
# A thread of the provider moves messages while the program computes.
WAYS_TO_OVERLAP = {
    **WAYS,
    "virtio+": lambda ranks, words: launched(ranks, mpirun(ranks, AUTO, words)),
    "shared+": lambda ranks, words: mpirun(ranks, AUTO, words),
}


def launched(ranks, words, *options):
    return (PROGRAM, "run", "-n", str(ranks), *options, "--launcher", "--", *words)


def mpirun(ranks, how, words):
    return ("mpirun", "-n", str(ranks), "--oversubscribe", "--bind-to", "none", *how, *words)


def run(words, **how):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **how)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)} ends with {done.returncode}: {done.stdout[-500:]}{done.stderr[-1500:]}")
    return done.stdout


def say(way, ranks, *words, **how):
    return run(WAYS_TO_OVERLAP[way](ranks, words), **how)


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
    beside = ("direct", "virtio", "shared")
    print(f"{'':24}" + "".join(f"{way:>10}" for way in ways) + "".join(f"{way + '/tcp':>12}" for way in beside))
    for (figure, unit), values_of in found.items():
        medians = {way: statistics.median(values) for way, values in values_of.items()}
        ratios = [medians[way] / medians["tcp"] if medians["tcp"] else float("inf") for way in beside]
        print(f"{figure + ' ' + unit:24}" + "".join(f"{medians[way]:10.2f}" for way in ways) +
              "".join(f"{ratio:12.2f}" for ratio in ratios))


def portals_round_trip(report):
    with open(report, encoding="utf-8") as file:
        figures_of_all = json.load(file)["figures"]
    return next(figure["value"] / 1000 for figure in figures_of_all
                if (figure["figure"], figure["by"], figure["at"]) == ("round_trip_ns_p50", "portals", 8))


def beside_portals(work):
    """Half a round trip of 8 bytes: MPI between two processes with a link and a CPU each, programs of Portals in its place, and
    Portals on such a link between two threads, in turns."""
    link, report, puts = (os.path.join(work, name) for name in ("pair", "portals.json", "puts"))
    library = os.path.dirname(os.path.dirname(PROVIDER))
    subprocess.run(["cc", "-O2", f"-I{os.path.join(ROOT, 'lib', 'compat', 'include')}", os.path.join(HERE, "puts.c"), "-o", puts,
                    os.path.join(library, "libisoplane.so"), f"-Wl,-rpath,{library}"], check=True)
    halves = {"mpi": [], "programs": [], "portals": []}
    for _ in range(max(ROUNDS, 5)):
        environment = dict(os.environ, ISOPLANE_LINK=f"virtio:{link}")
        for name, words in (("mpi", (*OURS, os.path.join(work, "figures"), "8")), ("programs", (puts,))):
            said = run(("mpirun", "-n", "2", "--bind-to", "core", *words), env=environment)
            halves[name].append(float(said.split()[1]))
        run((PROGRAM, "perf", "portals", "--link", "virtio", "--size", "8", "--rounds", "3", "--no-kernel", "--json", report))
        halves["portals"].append(portals_round_trip(report) / 2)
    medians = {name: statistics.median(values) for name, values in halves.items()}
    print(f"half a round trip of 8 bytes on a link: MPI {medians['mpi']:.2f} us, programs of Portals {medians['programs']:.2f} us, "
          f"perf portals {medians['portals']:.2f} us; MPI to them " +
          " and ".join(f"{statistics.median(mpi / other for mpi, other in zip(halves['mpi'], halves[name])):.2f}"
                       for name in ("programs", "portals")))


def beside_providers():
    """fi_pingpong, without MPI: Open MPI refuses the provider shm."""
    columns = {"isoplane": [], "tcp;ofi_rxm": [], "shm": []}
    sizes = (8, 4096, 65536, 1048576)
    for size in sizes:
        for provider, found in columns.items():
            found.append(statistics.median(ping_pong(provider, size) for _ in range(ROUNDS)))
    print(f"{'fi_pingpong, us':24}" + "".join(f"{provider:>12}" for provider in columns))
    for size, *values in zip(sizes, *columns.values()):
        print(f"{size:<24}" + "".join(f"{value:12.2f}" for value in values))


def ping_pong(provider, size):
    words = ("fi_pingpong", "-p", provider, "-e", "rdm", "-I", "2000" if size < 1 << 20 else "200", "-S", str(size))
    client = ("sh", "-c", f"sleep 1; exec {' '.join(words).replace(';', chr(92) + ';')} 127.0.0.1")
    if provider == "isoplane":
        said = run((PROGRAM, "run", "-n", "1", "--link", "direct", "--", *words, ":", "-n", "1", "--", *client))
    else:
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as server:
            try:
                said = run(client)
                server.wait(timeout=20)
            finally:
                server.kill()
    return float(said.split()[-2])


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
        beside_portals(work)
        beside_providers()
        figures(work, "overlap", WAYS_TO_OVERLAP)
        if shutil.which("NPopenmpi") is not None:
            netpipe(work)
        if shutil.which("hpcc") is not None:
            hpcc(work)


main()
