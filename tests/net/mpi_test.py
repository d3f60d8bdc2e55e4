#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""Programs of others over the provider for libfabric: fi_pingpong, and Open MPI with a program for each area of MPI.
mpi_test.py PROGRAM DIRECTORY_OF_THE_PROVIDER."""

import os
import socket
import subprocess
import sys
import tempfile

from net import PROGRAM, Program, Skip, command, needs, needs_root, run, same, test, until, work

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mpi")
AREAS = ("pt2pt", "wildcards", "collectives", "datatypes", "onesided", "communicators", "threads", "children")
LOSS = ("--fabric", "loss=0.01")
LIMIT = 120
OURS = ("--oversubscribe", "--mca", "pml", "cm", "--mca", "mtl", "ofi", "--mca", "mtl_ofi_provider_include", "isoplane")


def provider():
    if not os.path.exists(os.path.join(sys.argv[2], "libisoplane-fi.so")):
        raise Skip("the provider is not built: libfabric-dev is not installed")
    if os.environ.get("ISOPLANE_SANITIZE"):
        raise Skip("the provider is under a sanitizer, and the programs that load it are not")
    os.environ["FI_PROVIDER_PATH"] = sys.argv[2]
    os.environ["ISOPLANE"] = PROGRAM


def open_mpi():
    provider()
    needs("mpicc")
    needs("mpirun")
    if "Open MPI" not in command("mpirun", "--version"):
        raise Skip("mpirun is not Open MPI's")
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", TMPDIR=work("."))


def build(area):
    binary = work(f"mpi-{area}")
    if not os.path.exists(binary):
        command("mpicc", "-O1", "-Wall", "-Wextra", "-Werror", os.path.join(SOURCES, f"{area}.c"), "-o", binary, "-lpthread")
    return binary


def mpirun(ranks, *words, options=()):
    """What it prints, by itself: without a launcher of ours, or a link that anybody has named."""
    done = subprocess.run(["mpirun", "-n", str(ranks), *OURS, *options, *words], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=LIMIT, check=False)
    return done.returncode, done.stdout, done.stderr


def pings(*options, kind):
    """All lengths, with the content checked at both ends."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    ping = f"fi_pingpong -p isoplane -e rdm -m {kind} -I 5 -S all -c"
    # The client tries once: it has to find the server listening.
    listens = f"grep -q ':{port:04X} [0:]* 0A' /proc/net/tcp /proc/net/tcp6"
    client = f"while ! {listens}; do sleep 0.05; done; exec {ping} -P {port} 127.0.0.1"
    ping += f" -B {port}"
    with Program("run", *options, "-n", 1, "--", *ping.split(), ":", "-n", 1, "--", "sh", "-c", client) as launcher:
        said = launcher.ends().out()
    lines = [line.split() for line in said.splitlines() if line.startswith("[1]")]
    sizes = [line[1] for line in lines]
    assert "4m" in sizes and "64" in sizes, f"fi_pingpong says '{said}'"


@test
def the_provider_says_what_it_is():
    provider()
    needs("fi_info")
    said = command("fi_info", "-p", "isoplane", "-v")
    for word in ("FI_EP_RDM", "FI_TAGGED", "FI_ATOMIC", "FI_ORDER_SAS"):
        assert word in said, f"fi_info does not say {word}: '{said}'"
    # Who does not ask for it by name, and is in no job of ours, does not see it.
    others = subprocess.run(["fi_info"], capture_output=True, text=True, check=False).stdout
    assert "provider: isoplane" not in others, "it offers itself to those who have not asked"


@test
def fi_pingpong_runs_on_virtio():
    provider()
    needs("fi_pingpong")
    pings(kind="msg")


@test
def two_ranks_may_be_joined_to_each_other():
    provider()
    needs("fi_pingpong")
    pings("--link", "direct", kind="tagged")
    open_mpi()
    with Program("run", "-n", 2, "--link", "direct", "--launcher", "--", "mpirun", "-n", 2, *OURS, build("pt2pt")) as launcher:
        same(launcher.ends().out().strip(), "all is well", f"{launcher}")


@test
def fi_pingpong_runs_where_frames_are_lost():
    provider()
    needs("fi_pingpong")
    pings(*LOSS, kind="tagged")


@test
def fi_pingpong_runs_on_veth():
    provider()
    needs("fi_pingpong")
    needs_root("veth")
    pings("--link", "afpacket", kind="tagged")


@test
def every_area_of_mpi_runs_under_mpirun_alone():
    open_mpi()
    for number, area in enumerate(AREAS):
        code, out, err = mpirun(2 + number % 2, build(area))
        same((code, out.strip()), (0, "all is well"), f"{area}, which says '{err}'")


@test
def a_thread_moves_messages_where_that_is_asked_for():
    open_mpi()
    code, out, err = mpirun(2, build("pt2pt"), options=("--mca", "mtl_ofi_data_progress", "auto"))
    same((code, out.strip()), (0, "all is well"), f"pt2pt, which says '{err}'")


@test
def the_node_that_ranks_share_ends_with_them():
    open_mpi()
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o700)
        os.environ["XDG_RUNTIME_DIR"] = place
        try:
            code, out, err = mpirun(2, build("communicators"))
        finally:
            del os.environ["XDG_RUNTIME_DIR"]
        same((code, out.strip()), (0, "all is well"), f"communicators, which says '{err}'")
        until(lambda: os.listdir(os.path.join(place, "isoplane-fi")) == ["turn"], "nothing is left of the node")


@test
def mpi_runs_where_frames_are_lost_and_ranks_are_more_than_cpus():
    open_mpi()
    for area in ("pt2pt", "collectives"):
        with Program("run", "-n", 4, "--launcher", *LOSS, "--", "mpirun", "-n", 4, *OURS, build(area)) as launcher:
            same(launcher.ends().out().strip(), "all is well", area)


@test
def a_rank_that_is_killed_is_an_error_for_the_others():
    open_mpi()
    code, out, err = mpirun(3, build("killed"), "10", options=("--enable-recovery",))
    same(sorted(out.split("\n")), ["", "rank 0 knows", "rank 1 knows"], f"killed, which ends with {code} and says '{err}'")


@test
def so_is_one_on_links_that_lose():
    open_mpi()
    with Program("run", "-n", 3, "--launcher", "--keep-going", "--set", "silence=3", *LOSS, "--", "mpirun", "-n", 3, *OURS,
                 "--enable-recovery", build("killed"), 60) as launcher:
        until(lambda: not launcher.alive(), "the others have ended")
    same(sorted(launcher.out().split("\n")), ["", "rank 0 knows", "rank 1 knows"], f"{launcher}, which says '{launcher.err()}'")


@test
def eight_ranks_are_not_too_many():
    open_mpi()
    for area in ("pt2pt", "collectives", "communicators"):
        code, out, err = mpirun(8, build(area))
        same((code, out.strip()), (0, "all is well"), f"{area}, which says '{err}'")


@test
def what_cannot_start_says_why():
    open_mpi()
    os.environ["ISOPLANE_LINK"] = "virtio:/nowhere/port%r"
    try:
        code, _, err = mpirun(2, build("communicators"))
    finally:
        del os.environ["ISOPLANE_LINK"]
    assert code != 0 and "isoplane: " in err and "/nowhere/port" in err, f"it ends with {code} and says '{err}'"


run()
