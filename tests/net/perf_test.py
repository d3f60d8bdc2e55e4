#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""The benchmarks run, and report what they say they report: perf_test.py PROGRAM. How fast anything is, is never
looked at: a measurement of milliseconds on a busy machine may find nothing at all."""

import csv
import json
import os

from net import SLOWDOWN, UNHEARD, Node, Program, make_dir, run, same, test, work

# Where benchmarks put their sockets: nobody else's are seen there.
os.environ["TMPDIR"] = make_dir("sockets")

SIZES = [8, 64, 2048]
OURS = ["niu", "niu_coalesced"]
FRAMES = ["io", "raw", *OURS]
SOCKETS = ["udp", "tcp"]
SHORT = 0.005 * SLOWDOWN  # seconds
BRIEF = ("--size", "8,64,2K", "--rounds", 2, "--duration", SHORT)


def tells_cycles_of(report, transports):
    """A measurement of milliseconds may find nothing at all."""
    told = [cost["transport"] for cost in report["breakdown"]["costs"]]
    same(told, [transport for transport in transports if transport in told], "whose cycles are told")
    return set(told)


def pair(*options, transports, out="figures"):
    """Runs the benchmark, holds its JSON against what was asked, and returns it."""
    file = work(f"{out}.json")
    with Program("perf", "pair", *BRIEF, *options, "--json", file) as perf:
        perf.ends()
        assert "Round trip" in perf.out() and "target" in perf.out(), perf.out()
    same(os.listdir(os.environ["TMPDIR"]), [], "directories left")
    with open(file, encoding="utf-8") as written:
        report = json.load(written)
    same(report["failures"], [], "failures")
    same([(r["transport"], r["bytes"]) for r in report["results"]],
         [(transport, size) for transport in transports for size in SIZES], "what was measured")
    for result in report["results"]:
        same(set(result["round_trip_ns"]), {"p50", "p99", "p999"}, "the percentiles")
        assert result["messages_per_second"] >= 0 and result["bytes_per_second"] >= 0, result
        others = {t for t in transports if t not in OURS} if result["transport"] in OURS else None
        for ratios in ("round_trip_ratio", "rate_ratio"):
            same(set(result[ratios]) if ratios in result else None, others, f"{ratios} of {result['transport']}")
    tells_cycles_of(report, ["raw", *OURS])
    for costs in report["breakdown"]["costs"]:
        same(len(costs["steps"]), 7, "steps")
    assert all(t["verdict"] in ("met", "missed", "not measured") for t in report["targets"]), report["targets"]
    return report


@test
def a_ring_is_measured_beside_sockets_of_the_kernel():
    report = pair(transports=FRAMES + SOCKETS)
    assert report["kernel"].startswith(("veth", "loopback, as")), report["kernel"]


@test
def frames_in_udp_are_measured():
    report = pair("--no-kernel", "--encapsulation", "udp", transports=FRAMES)
    same((report["encapsulation"], report["trust_fcs"]), ("udp", False), "how frames travel")


@test
def frames_without_checksums_of_payloads_are_measured():
    same(pair("--no-kernel", "--trust-fcs", transports=FRAMES)["trust_fcs"], True, "how frames travel")


@test
def links_that_copy_are_measured():
    for link in ("virtio", "memif"):
        report = pair("--link", link, "--no-kernel", transports=FRAMES)
        same(report["kernel"], None, "the sockets' way")


@test
def two_specs_that_name_one_wire_are_a_pair():
    pair("--link", f"virtio:{work('wire')},side=vhost,virtio:{work('wire')},side=virtio", "--no-kernel",
         transports=FRAMES)


@test
def large_frames_are_measured():
    report = pair("--mtu", 9000, "--no-kernel", transports=FRAMES)
    same(report["mtu"], 9000, "the MTU")


@test
def csv_has_a_line_for_each_figure():
    with Program("perf", "pair", *BRIEF, "--no-kernel", "--csv", "-") as perf:
        perf.ends()
        rows = list(csv.DictReader(perf.out().splitlines()))
    holds(rows, "pair", FRAMES)
    same({float(row["at"]) for row in rows} - set(SIZES), set(), "sizes")
    for row in rows:
        assert float(row["value"]) > 0 and 1 <= int(row["rounds"]) <= 2, row


def holds(rows, benchmark, whose):
    """Lines of CSV are of this benchmark, and of nobody else. What took too short to be measured has none."""
    same({row["benchmark"] for row in rows}, {benchmark}, "benchmarks")
    messages = {row["by"] for row in rows if row["what"] in ("message", "relay") and row["figure"] != "cycles"}
    same(messages - set(whose), set(), "whose figures")


@test
def json_to_standard_output_stands_alone():
    with Program("perf", "pair", *BRIEF, "--no-kernel", "--json", "-") as perf:
        same(len(json.loads(perf.ends().out())["results"]), len(FRAMES) * len(SIZES), "results")


@test
def a_missed_target_is_a_sentence_and_an_exit_code():
    """Which targets a run this short reaches is nobody's business; what it says of them is."""
    with Program("perf", "pair", *BRIEF, "--no-kernel", "--check", "--json", "-") as perf:
        perf.process.wait()
        missed = [t["target"] for t in json.loads(perf.out())["targets"] if t["verdict"] == "missed"]
        perf.ends(1 if missed else 0, "was missed" if missed else None)
        for target in missed:
            assert f"'{target}' was missed" in perf.err(), perf.err()


def compared(benchmark, *options, sizes="32,2K", transports, once=()):
    """Runs a benchmark that compares transports, holds what all of them report against what was asked, and returns its
    JSON. `once` has those that have no messages of a size."""
    with Program("perf", benchmark, "--size", sizes, "--rounds", 2, "--duration", SHORT, *options, "--json", "-") as perf:
        report = json.loads(perf.ends().out())
    same(os.listdir(os.environ["TMPDIR"]), [], "directories left")
    same(report["failures"], [], "failures")
    of = {"0": 0, "32": 32, "512": 512, "2K": 2048}
    same([(r["transport"], r["bytes"]) for r in report["results"]],
         [(t, of[size]) for t in transports for size in sizes.split(",") if (t, size) not in once], "what was measured")
    for result in report["results"]:
        same(set(result["round_trip_ns"]), {"p50", "p99", "p999"}, "the percentiles")
        assert result["messages_per_second"] >= 0 and result["bytes_per_second"] >= 0, result
    assert all(t["verdict"] in ("met", "missed", "not measured") for t in report["targets"]), report["targets"]
    return report


def has_tables_and_csv(benchmark, words, transports):
    file = work(f"{benchmark}.csv")
    with Program("perf", benchmark, "--size", 32, "--rounds", 1, "--duration", SHORT, "--no-kernel", "--csv", file) as perf:
        out = perf.ends().out()
    for word in ("Round trip", "Megabytes a second", "target", *words):
        assert word in out, out
    with open(file, encoding="utf-8") as written:
        holds(list(csv.DictReader(written)), benchmark, transports)


@test
def portals_are_measured_beside_what_is_under_them():
    report = compared("portals", transports=["raw", "niu_coalesced", "portals", "udp", "tcp"])
    assert report["kernel"].startswith(("veth", "loopback, as")), report["kernel"]
    same([m["entries"] for m in report["matching"]], [4 ** n for n in range(7)], "lists")
    same((len(report["overlap"]), len(report["targets"])), (2, 6), "overlaps and targets")


@test
def portals_are_measured_in_frames_in_udp_over_links_that_copy():
    report = compared("portals", "--no-kernel", "--link", "virtio", "--encapsulation", "udp", sizes="0,32,2K",
                      transports=["raw", "niu_coalesced", "portals"], once=[("raw", "0")])
    same(report["encapsulation"], "udp", "how frames travel")


@test
def figures_of_portals_come_as_tables_and_csv():
    has_tables_and_csv("portals", ["entries", "One copy"], ["raw", "niu_coalesced", "portals"])


ACTIVE = ["raw", "niu_coalesced", "request", "xfer"]


@test
def active_messages_are_measured_beside_what_is_under_them():
    report = compared("active", transports=[*ACTIVE, *SOCKETS], once=[("request", "2K")])
    assert report["kernel"].startswith(("veth", "loopback, as")), report["kernel"]
    same(set(report["half_power_bytes"]), {"raw", "niu_coalesced", "xfer", "udp", "tcp"}, "whose half-power points are told")
    told = tells_cycles_of(report, ["base", "reliable", "request", "request_coalesced"])
    features = {"base", "reliability", "protection"} if {"base", "request"} <= told else set()
    same(set(report["breakdown"]["features"] or ()), features, "what cycles are for")
    same(len(report["targets"]), 1, "targets")


@test
def active_messages_are_measured_in_frames_in_udp_over_links_that_copy():
    for link in ("virtio", "memif"):
        report = compared("active", "--no-kernel", "--link", link, "--encapsulation", "udp", transports=ACTIVE,
                          once=[("request", "2K")])
        same(report["encapsulation"], "udp", "how frames travel")


@test
def figures_of_active_messages_come_as_tables_and_csv():
    has_tables_and_csv("active", ["half of the most bytes", "receiver's poll", "What the cycles are for"], ACTIVE)


CHANNEL = ["raw", "niu_coalesced", "datagram", "reliable", "copied", "copy_free"]
RELAYS = ["forward", "relay", "relay_reliable"]


@test
def channels_are_measured_beside_what_is_under_them():
    report = compared("channel", sizes="32,512", transports=[*CHANNEL, *SOCKETS])
    assert report["kernel"].startswith(("veth", "loopback, as")), report["kernel"]
    same([(r["by"], r["bytes"]) for r in report["relays"]], [(by, size) for by in RELAYS for size in (32, 512)], "relays")
    same([(r["by"], r["bytes"], r["messages_per_second"] > 0) for r in report["wire_relays"]],
         [(by, size, True) for by in RELAYS for size in (32, 512)], "relays on a wire")
    same(report["wire"], "10Gbit", "the wire")
    assert 0 <= report["sent_on_as_is"] <= 1, report["sent_on_as_is"]
    same(len(report["targets"]), 2, "targets")


@test
def what_a_relay_receives_over_a_link_that_copies_it_sends_on_as_it_is():
    for options in ((), ("--encapsulation", "udp")):
        report = compared("channel", "--no-kernel", "--link", "virtio", *options, sizes="512", transports=CHANNEL)
        assert report["sent_on_as_is"] in (0, 1), report["sent_on_as_is"]


@test
def figures_of_channels_come_as_tables_and_csv():
    has_tables_and_csv("channel", ["come back", "sent on as they were"], CHANNEL + RELAYS)


@test
def ordered_messages_are_measured_beside_others():
    transports = ["raw", "udp", "tcp", "noniso", "isotach/1", "isotach/3"]
    for link in ("ring", "virtio"):
        with Program("perf", "order", "--link", link, "--size", "64,1K", "--rounds", 2, "--duration", SHORT,
                     "--tokens-ahead", "1,3", "--sweep", "none", "--json", "-") as perf:
            report = json.loads(perf.ends().out())
        same(report["failures"], [], "failures")
        same([(r["transport"], r["bytes"]) for r in report["results"]],
             [(transport, size) for transport in transports for size in (64, 1024)], "what was measured")
        same(set(report["pulses_per_second"]), {"isotach/1", "isotach/3"}, "whose pulses are told")
        same(len(report["targets"]), 4, "targets")


@test
def the_token_manager_may_be_beside_a_fabric_or_at_a_port_of_it():
    for where, said in (("fabric", "beside a fabric"), ("port", "at a port of a fabric")):
        with Program("perf", "order", "--tm", where, "--size", 64, "--rounds", 1, "--duration", SHORT, "--sweep", "none",
                     "--no-kernel", "--json", "-") as perf:
            report = json.loads(perf.ends().out())
        assert said in report["token_manager"], report["token_manager"]
        same((report["failures"], [its["transport"] for its in report["results"]]),
             ([], ["raw", "noniso", "detour", "isotach/1", "isotach/2"]), "failures and results")
        limits = {target["limit"] for target in report["targets"] if "latency" in target["target"]}
        same(limits, {2.5} if where == "port" else {1.5, 1.2}, "how many times noniso's latency it may be")


@test
def a_fabric_may_be_as_slow_as_a_network():
    delay = 50
    for where in ("fabric", "port"):
        with Program("perf", "order", "--tm", where, "--fabric", f"delay={delay}us", "--size", 64, "--rounds", 1,
                     "--iterations", 16, "--warm-up", 0, "--sweep", "none", "--no-kernel", "--json", "-") as perf:
            report = json.loads(perf.ends().out())
        same((report["failures"], report["fabric"]), ([], f"delay={delay}us"), "failures, and what the ports have")
        figures = {its["by"]: its["value"] for its in report["figures"] if its["figure"] == "round_trip_ns_p50"}
        ways = {"raw": 1, "noniso": 1, "detour": 2 if where == "port" else 1, "isotach/1": 2 if where == "port" else 1}
        for name, passes in ways.items():
            # There, and back; quantiles are those of a histogram.
            assert figures[name] >= 1.9 * passes * delay * 1000, (where, name, figures)


@test
def sweeps_measure_each_of_their_values():
    table = work("sweeps.csv")
    with Program("perf", "order", "--size", 64, "--rounds", 1, "--duration", SHORT, "--sweep", "messages,hosts,messages", "--csv",
                 table, "--json", "-") as perf:
        report = json.loads(perf.ends().out())
    values = [("messages", n) for n in (1, 2, 4, 8, 16, 32)] + [("hosts", n) for n in (2, 4, 8, 16)]
    same([(p["sweep"], p["value"]) for p in report["sweeps"]["points"]], values, "points")
    same(len(report["targets"]), 8, "targets")
    same(report["failures"], [], "failures")
    with open(table, encoding="utf-8") as written:
        rows = {(row["by"], float(row["at"])) for row in csv.DictReader(written) if row["what"] == "sweep"}
    same(rows, set(values), "lines")


UPDATERS = ["isochron", "sched", "locks_niu"]
ROUND_TRIPS = ["raw", "isotach", "udp", "tcp"]
READ_STEPS = ["issue", "way_there", "order", "execution", "answer_back"]


def memory(*options):
    """Runs the benchmark, and returns its JSON and the figures that it has, as {what: {(by, at)}}."""
    with Program("perf", "memory", "--rounds", 1, "--duration", SHORT, "--writes", "1,32", "--variables", "1,3", "--workers",
                 4, *options, "--json", "-") as perf:
        report = json.loads(perf.ends().out())
    same(report["failures"], [], "failures")
    same(len(report["targets"]), 6, "targets")
    figures = {}
    for figure in report["figures"]:
        figures.setdefault(figure["what"], set()).add((figure["by"], figure["at"]))
        assert figure["value"] >= 0, figure
    return report, figures


def holds_no_others(figures, updaters):
    """A measurement of milliseconds may find nothing at all, so figures may be missing."""
    for what, by, ats in (("read", ["local", "remote"], [0]), ("read_step", READ_STEPS, [0]), ("round_trip", ROUND_TRIPS, [0]),
                          ("write", ["remote", "mixed"], [1, 32]), ("load", ["mixed"], [1, 32]),
                          ("update", updaters, [1, 3])):
        others = figures.pop(what, set()) - {(b, at) for b in by for at in ats}
        same(others, set(), f"other figures of {what}")
    same(figures, {}, "other figures")


@test
def shared_memory_is_measured_beside_locks_and_transactions():
    report, figures = memory()
    assert report["kernel"].startswith(("veth", "loopback, as")), report["kernel"]
    assert report["redis"].startswith(("redis-server over loopback", "no redis-server: ")), report["redis"]
    holds_no_others(figures, [*UPDATERS, "locks_tcp", *(["redis"] if report["redis"].startswith("redis") else [])])


@test
def shared_memory_is_measured_over_links_that_copy():
    """What they start, a server of Redis, keeps none of their sockets open."""
    report, figures = memory("--link", "virtio")
    holds_no_others(figures, [*UPDATERS, "locks_tcp", *(["redis"] if report["redis"].startswith("redis") else [])])


@test
def a_server_of_redis_is_not_ended_by_what_a_terminal_sends():
    """One that is made up says which process it is, and of which group."""
    programs, said = make_dir("programs"), work("group")
    with open(os.path.join(programs, "redis-server"), "w", encoding="utf-8") as script:
        script.write(f"#!/bin/sh\ncut -d' ' -f1,5 /proc/$$/stat >{said}\n")
    os.chmod(script.name, 0o755)
    path = os.environ["PATH"]
    os.environ["PATH"] = f"{programs}:{path}"
    try:
        report, _ = memory()
    finally:
        os.environ["PATH"] = path
    assert report["redis"].startswith("no redis-server: "), report["redis"]
    with open(said, encoding="utf-8") as file:
        process, group = file.read().split()
    same(group, process, "its group")


@test
def figures_of_shared_memory_come_as_tables_and_csv():
    file = work("memory.csv")
    with Program("perf", "memory", "--rounds", 1, "--duration", SHORT, "--writes", 2, "--variables", 2, "--no-kernel",
                 "--csv", file) as perf:
        out = perf.ends().out()
    for word in ("local read", "isotach round trip", "us/token", "updates/ms", "target"):
        assert word in out, out
    with open(file, encoding="utf-8") as written:
        rows = list(csv.DictReader(written))
    assert "udp round trip" not in out, out
    assert ("read", "local") in {(row["what"], row["by"]) for row in rows}, rows


@test
def what_is_between_two_links_is_measured_by_rfc_2544():
    """A node that forwards, in a process of its own."""
    near, far = f"virtio:{work('near')}", f"virtio:{work('far')}"
    with Node("forward", f"{near},{far}") as forward:
        forward.ready()
        with Program("perf", "rfc2544", "--link", f"{near},{far}", "--size", "64,1518", "--duration", 0.01, "--json",
                     "-") as perf:
            report = json.loads(perf.ends(err=UNHEARD).out())
        forward.stop(err=UNHEARD)
    same(report["failures"], [], "failures")
    same([figures["frame_bytes"] for figures in report["sizes"]], [64, 1518], "sizes")
    for figures in report["sizes"]:
        assert figures["highest_frames_per_second"] > 0 and figures["losses"], figures
        for loss in figures["losses"]:
            assert 0 <= loss["lost"] <= 1, loss
    with Program("perf", "rfc2544", "--size", 64, "--duration", SHORT) as perf:
        assert "back to back" in perf.ends().out(), perf.out()


@test
def links_that_are_not_joined_are_an_error():
    with Program("perf", "pair", "--link", "ring:a,ring:b", "--no-kernel", *BRIEF) as perf:
        perf.ends(1, "do not find each other")


@test
def hosts_are_simulated_below_a_tree_of_switches():
    with Program("perf", "scale", "--quick", "--tree", "--hosts", "8,20", "--partners", "3", "--rounds", "1",
                 "--json", work("tree.json")) as perf:
        assert "below three levels of switches" in perf.ends().out(), perf.out()
    with open(work("tree.json"), encoding="utf-8") as file:
        figures = {(figure["figure"], figure["at"]): figure["value"] for figure in json.load(file)["figures"]}
    for hosts in (8, 20):
        # Through at most five switches, so on six links; ordering takes no longer than once more around.
        assert 4 < figures["unordered_us_p50", hosts] < 9, figures
        assert figures["ordered_us_p50", hosts] < 2 * figures["unordered_us_p50", hosts], figures
        # The most that the process has had is of no network of several.
        assert ("memory_mb", hosts) not in figures, figures


@test
def what_a_host_and_a_pulse_cost_does_not_grow_with_strangers():
    """Seven partners each; what is counted is in virtual time, so that it is the same in every run."""
    figures = {}
    for hosts in (64, 512):
        with Program("perf", "scale", "--tree", "--hosts", hosts, "--partners", "7", "--rounds", "1", "--duration", "0.3",
                     "--json", work("strangers.json")) as perf:
            assert "frames/pulse" in perf.ends().out(), perf.out()
        with open(work("strangers.json"), encoding="utf-8") as file:
            figures |= {(figure["figure"], figure["at"]): figure["value"] for figure in json.load(file)["figures"]}
    few, many = (figures["frames_of_host_per_pulse", hosts] for hosts in (64, 512))
    print(f"# frames of a host for a pulse: {few:.3f} of 64 hosts, {many:.3f} of 512")
    assert 2 < many < 1.02 * few < 4, (few, many)
    assert 0 < figures["memory_mb", 512] < 1024 * SLOWDOWN and figures["seconds", 512] > 0, figures


@test
def loss_holds_up_logical_time_until_what_was_lost_is_sent_again():
    with Program("perf", "scale", "--quick", "--hosts", "4,16", "--rounds", "1", "--duration", "3", "--loss", "0,0.1%",
                 "--timeout", "20", "--report", work("loss.html"), "--json", work("loss.json")) as perf:
        assert "lost %" in perf.ends().out(), perf.out()
    with open(work("loss.json"), encoding="utf-8") as file:
        pulses = {(figure["by"], figure["at"]): figure["value"] for figure in json.load(file)["figures"]
                  if figure["figure"] == "pulses_per_second"}
    for hosts in (4, 16):
        assert 0 < pulses["isotach, loss 0.1%", hosts] < pulses["isotach", hosts], pulses
    # The more tokens, the more of them are lost.
    assert pulses["isotach, loss 0.1%", 16] < pulses["isotach, loss 0.1%", 4], pulses
    with open(work("loss.html"), encoding="utf-8") as file:
        assert "How fast logical time goes, by loss" in file.read()


@test
def typos_are_wrong_usage():
    for words, sentence in ((["pari"], "there is no benchmark 'pari'; did you mean pair?"),
                            (["zzzzzzzz"], "the benchmarks there are: pair, order, portals, active, channel, rfc2544, memory, "
                                           "scale, all"),
                            (["pair", "--sise", "8"], "did you mean --size?"),
                            ([], "what to measure is missing"),
                            (["pair", "--size", "8,x"], "--size names 'x'"),
                            (["pair", "--size", "0"], "--size names '0'"),
                            (["pair", "--size", "99999999999M"], "--size names '99999999999M'"),
                            (["pair", "--rounds", "0"], "--rounds 0"),
                            (["pair", "--duration", "nan"], "--duration"),
                            (["portals", "--duration", "1e-10"], "--duration must be a number of seconds from 0.001 to 60"),
                            (["pair", "--mtu", "100"], "--mtu 100"),
                            (["pair", "--cpus", "0,0,0"], "--cpus names 3 CPUs"),
                            (["pair", "--cpus", "x"], "--cpus names 'x'"),
                            (["order", "--tokens-ahead", "0"], "--tokens-ahead names '0'"),
                            (["order", "--tm", "moon"], "--tm moon is not known"),
                            (["order", "--tm", "port", "--link", "null:,null:"], "--tm port puts a fabric"),
                            (["order", "--fabric", "delay=5us"], "--fabric delay=5us is for the ports of a fabric"),
                            (["order", "--tm", "port", "--fabric", "delay=x"], "delay"),
                            (["order", "--sweep", "sizes"], "--sweep names 'sizes'"),
                            (["order", "--json", "-", "--csv", "-"], "--csv -"),
                            (["memory", "--writes", "0"], "--writes names '0'"),
                            (["memory", "--variables", "x"], "--variables names 'x'"),
                            (["memory", "--workers", "0"], "--workers 0 is out of range"),
                            (["memory", "--size", "8"], "--size"),
                            (["memory", "--json", "-", "--csv", "-"], "--csv -"),
                            (["channel", "--size", "2K"], "a message to a channel has at most 1436"),
                            (["channel", "--wire", "fast"], "rate cannot be 'fast'"),
                            (["channel", "--wire", "0"], "--wire 0: a wire carries something"),
                            (["scale", "--hosts", "1000"], "--hosts names '1000'"),
                            (["scale", "--tree", "--hosts", "5000"], "--hosts names '5000'"),
                            (["scale", "--loss", "x"], "--loss names 'x'"),
                            (["scale", "--loss", "50%"], "--loss names '50%'"),
                            (["scale", "--poll", "0"], "--poll is out of range"),
                            (["channel", "--encapsulation", "udp", "--size", "1436"], "a message to a channel has at most 1408"),
                            (["active", "--encapsulation", "carrier"], "--encapsulation carrier is not known"),
                            (["active", "--json", "-", "--csv", "-"], "--csv -"),
                            (["order", "--size", "2K"], "a message in logical time has at most 1420"),
                            (["pair", "--link", "null:"], "names 1 link"),
                            (["pair", "--link", "rong:x"], "rong"),
                            (["pair", "--json", "-", "--csv", "-"], "--csv -")):
        with Program("perf", *words) as perf:
            perf.ends(2, sentence)


run()
