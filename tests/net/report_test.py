#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""What benchmarks have to say beyond their tables: batches, pages, comparisons and documents. report_test.py PROGRAM.
How fast anything is, is never looked at."""

import csv
import json
import os
import re
import signal

from browser import Browser, colours_of
from net import Program, die_with_parent, make_dir, needs, run, same, test, until, work

os.environ["TMPDIR"] = make_dir("sockets")

BATCH = """# each line a benchmark
pair --quick --no-kernel --rounds 3 --size 64,1K,16K
order --quick --sweep none --size 64,256,1K

rfc2544 --quick --size 64,512
scale --quick --hosts '2,4'
"""
NAMES = ["pair", "order", "rfc2544", "scale"]
PHONE, DESK = 390, 1280


def written(name, text):
    with open(work(name), "w", encoding="utf-8") as file:
        file.write(text)
    return work(name)


def content(name):
    with open(work(name), encoding="utf-8") as file:
        return file.read()


def in_a_group_of_its_own():
    os.setpgrp()
    die_with_parent()


@test
def who_interrupts_a_batch_or_all_finds_nothing_left():
    line = "pair --link virtio --no-kernel --size 64 --duration 60\n"
    sockets = os.environ["TMPDIR"]
    # A batch has a file for the figures and a directory for the sockets, all begins with rings.
    for words, entries in ((("--batch", written("long", line)), 2), (("all", "--only", "pair"), 1)):
        os.environ["TMPDIR"] = temporary = make_dir(f"interrupted{entries}")
        with Program("perf", *words, prepare=in_a_group_of_its_own) as perf:
            until(lambda: len(os.listdir(temporary)) == entries, "the first benchmark has begun")
            os.killpg(perf.pid, signal.SIGINT)
            perf.ends(1, "interrupted before the end")
        same(os.listdir(temporary), [], f"what is left by perf {words[0]}")
    os.environ["TMPDIR"] = sockets


@test
def a_batch_runs_each_of_its_lines():
    """Its figures, its page and its comparison with itself are what the tests below look at."""
    batch = written("batch", BATCH)
    with Program("perf", "--batch", batch, "--json", work("before.json")) as perf:
        out = perf.ends().out()
    for name in NAMES:
        assert f"== isoplane perf {name}" in out, out
    runs = json.loads(content("before.json"))["runs"]
    same([r["benchmark"] for r in runs], NAMES, "what was run")
    same(runs[3]["command"], "isoplane perf scale --quick --hosts 2,4", "a command, without where it is written to")
    same(os.listdir(os.environ["TMPDIR"]), [], "files left")
    for report in runs:
        same(report["failures"], [], f"failures of {report['benchmark']}")
        names = [name for name, _ in report["environment"]]
        for name in ("cpu", "kernel", "dpdk", "isoplane", "compiler", "flags", "load", "time"):
            assert name in names, names
        assert report["plots"] and report["tables"], report["benchmark"]
        for figure in report["figures"]:
            assert len(figure["samples"]) >= 1, figure
    # One that was measured while its side was off its CPU may have found nothing.
    bounds = runs[0]["bounds"]
    assert bounds, "nothing says what bound the rates"
    same({b["by"] for b in bounds} - {"io", "raw", "niu", "niu_coalesced"}, set(), "whose bounds are told")
    known = {"sender's CPU", "receiver's CPU", "both CPUs", "link", "unknown"}
    assert all(b["resource"] in known and b["reason"] for b in bounds), bounds


@test
def a_line_that_fails_takes_no_other_with_it():
    batch = written("batch5", "scale --quick --hosts 2\npair --sise 8\nscale --quick --hosts 4\n")
    with Program("perf", "--batch", batch, "--json", work("some.json")) as perf:
        perf.ends(1, "isoplane perf pair --sise 8 ended with exit code 2")
    same([run["command"] for run in json.loads(content("some.json"))["runs"]],
         ["isoplane perf scale --quick --hosts 2", "isoplane perf scale --quick --hosts 4"], "what was run")
    with Program("perf", "--batch", written("batch6", "pair --sise 8\n"), "--json", work("none.json")) as perf:
        perf.ends(1, "ended with exit code 2")
    assert not os.path.exists(work("none.json")), "figures of nothing"


@test
def an_earlier_run_is_compared_with():
    batch = written("batch2", "pair --quick --no-kernel --rounds 3 --size 64,1K,16K\nscale --quick --hosts '2,4'\n")
    with Program("perf", "--batch", batch, "--compare", work("before.json"), "--json", work("after.json"), "--report",
                 work("page.html"), "--csv", work("after.csv")) as perf:
        assert "differ significantly" in perf.ends().out(), perf.out()
    changes = json.loads(content("after.json"))["comparison"]["changes"]
    machine = {"cpu_ns_of_host_per_pulse", "seconds", "memory_mb"}
    scale = [c for c in changes if c["benchmark"] == "scale" and c["figure"] not in machine]
    # What is simulated is the same whenever it is simulated; what this machine needs for it is not.
    assert len(scale) > 8, changes
    same({(c["ratio"], c["verdict"]) for c in scale}, {(1.0, "not significant")}, "changes of what is simulated")
    assert all(c["low"] is None or c["low"] <= c["ratio"] <= c["high"] for c in changes), changes
    rows = list(csv.DictReader(content("after.csv").splitlines()))
    same({row["benchmark"] for row in rows}, {"pair", "scale"}, "benchmarks in the CSV")


@test
def a_figure_that_is_surely_worse_fails():
    """An earlier run that is made up: three seeds in which ordering added next to nothing."""
    runs = json.loads(content("before.json"))["runs"]
    scale = next(r for r in runs if r["benchmark"] == "scale")
    for figure in scale["figures"]:
        if figure["figure"] == "added_us":
            figure["samples"] = [value / 10 for value in figure["samples"]]
    old = written("better.json", json.dumps(scale))
    words = ("perf", "scale", "--quick", "--hosts", "2,4", "--compare", old)
    with Program(*words, "--fail-below", 0.9) as perf:
        perf.ends(1, "times as good as it was")
    with Program(*words, "--fail-below", 0.05) as perf:
        perf.ends(0)


@test
def tables_of_a_document_are_written_anew():
    """`all` is not run here, for it takes a minute; what it does with a document is."""
    batch = written("batch3", "scale --quick --hosts 2\n")
    document = written("doc.md", "Prose.\n<!-- figures: isoplane perf scale: nonsense -->\n")
    with Program("perf", "all", "--quick", "--update", document) as perf:
        perf.ends(2, "line 2 begins figures that do not end")
    with Program("perf", "all", "--quick", "--update", written("doc2.md", "<!-- figures: isoplane perf pari: rate -->\n"
                                                                     "<!-- end of figures -->\n")) as perf:
        perf.ends(2, "did you mean pair?")
    with Program("perf", "--batch", batch, "--json", "-") as perf:
        same(json.loads(perf.ends().out())["benchmark"], "scale", "what a batch of one says")


@test
def what_benchmarks_are_told_is_theirs():
    for benchmark, has, has_not in (("scale", "--hosts", "--link"), ("order", "--tm", "--encapsulation"),
                                    ("memory", "--workers", "--window"), ("rfc2544", "--mtu", "--encapsulation"),
                                    ("pair", "--window", "--tm")):
        with Program("perf", benchmark, "--help") as perf:
            text = perf.ends().out()
        for option in (has, "--json", "--csv", "--report", "--compare", "--fail-below", "--check"):
            assert option in text, f"{option} of {benchmark}: {text}"
        assert has_not + " " not in text, f"{has_not} of {benchmark}: {text}"


@test
def a_measurement_is_as_long_and_as_full_as_it_is_told():
    with Program("perf", "pair", "--no-kernel", "--rounds", 1, "--size", 64, "--iterations", 2000, "--warm-up", 0.001,
                 "--window", 4, "--percentiles", "10,99.99", "--json", "-") as perf:
        report = json.loads(perf.ends().out())
    assert "2000 iterations" in report["setup"] and "at most 4 messages" in report["setup"], report["setup"]
    for result in report["results"]:
        same(set(result["round_trip_ns"]), {"p10", "p9999"}, "the percentiles")
        assert result["messages_per_second"] > 0, result


@test
def what_cannot_be_compared_is_wrong_usage_or_an_error():
    old = work("before.json")
    for words, code, sentence in ((["--fail-below", "0.9"], 2, "--fail-below has nothing to compare with"),
                                  (["--compare", old, "--fail-below", "nan"], 2, "--fail-below must be"),
                                  (["--compare", work("nothing")], 1, "cannot be read"),
                                  (["--compare", written("no.json", "{}")], 1, "has no figures of isoplane perf"),
                                  (["--report", "-", "--json", "-"], 2, "cannot both have standard output"),
                                  (["--percentiles", "101"], 2, "--percentiles names '101'"),
                                  (["--window", "0"], 2, "--window 0 is out of range"),
                                  (["--warm-up", "9"], 2, "--warm-up must be")):
        with Program("perf", "pair", "--quick", *words) as perf:
            perf.ends(code, sentence)
    for batch, sentence in (("pari\n", "did you mean pair?"), ("# nothing\n", "has no benchmark")):
        with Program("perf", "--batch", written("wrong", batch)) as perf:
            perf.ends(2, sentence)


# What is wrong with the page as it is shown: texts that are cut off or too small, labels that run into each other.
FLAWS = """
const flaws = [];
if (document.documentElement.scrollWidth > window.innerWidth) flaws.push('the page is wider than the window');
for (const svg of document.querySelectorAll('svg.plot')) {
  const box = svg.viewBox.baseVal, name = svg.closest('figure').querySelector('h3').textContent;
  if (!document.getElementById(svg.getAttribute('aria-labelledby'))) flaws.push(name + ': nothing names it');
  if (!svg.closest('figure').querySelector('table td, table th')) flaws.push(name + ': no table');
  const labels = [...svg.querySelectorAll('text')].filter(t => t.textContent);
  for (const text of labels) {
    const b = text.getBBox();
    if (b.x < -0.5 || b.y < -0.5 || b.x + b.width > box.width + 0.5 || b.y + b.height > box.height + 0.5)
      flaws.push(name + ': "' + text.textContent + '" is cut off');
    if (text.getBoundingClientRect().height < 10.5) flaws.push(name + ': "' + text.textContent + '" is too small');
  }
  for (let i = 0; i < labels.length; ++i) for (let j = i + 1; j < labels.length; ++j) {
    const a = labels[i].getBBox(), b = labels[j].getBBox();
    if (a.x < b.x + b.width && b.x < a.x + a.width && a.y + 2 < b.y + b.height - 2 && b.y + 2 < a.y + a.height - 2)
      flaws.push(name + ': "' + labels[i].textContent + '" and "' + labels[j].textContent + '" overlap');
  }
}
return flaws;
"""

# Where each plot is, and the colours of its series.
PLOTS = """
return [...document.querySelectorAll('svg.plot')].map(svg => {
  const b = svg.getBoundingClientRect();
  return {name: svg.closest('figure').querySelector('h3').textContent,
          region: {x: b.x, y: b.y + window.scrollY, width: b.width, height: b.height},
          colours: [...svg.querySelectorAll('.series')].map(g => getComputedStyle(g).color).concat(
                   [...svg.querySelectorAll('rect')].map(r => getComputedStyle(r).fill))};
});
"""


def number(colour):
    return tuple(int(part) for part in re.findall(r"\d+", colour)[:3])


@test
def the_page_is_looked_at_in_a_browser():
    needs("chromium")
    needs("chromedriver")
    page = work("page.html")
    papers = set()
    with Browser(make_dir("profile")) as browser:
        for width, dark in ((PHONE, False), (DESK, False), (DESK, True)):
            browser.show(page, width, dark)
            same(browser.run(FLAWS), [], f"flaws at a width of {width}")
            plots = browser.run(PLOTS)
            assert len(plots) >= 9, [plot["name"] for plot in plots]
            papers.add(browser.run("return getComputedStyle(document.body).backgroundColor"))
            # One of a measurement whose sides were off their CPUs all the time has nothing to show.
            drawn = [plot for plot in plots if plot["colours"]]
            assert len(drawn) >= 5, [plot["name"] for plot in plots]
            for plot in (drawn[0], drawn[1], drawn[4]):
                seen = colours_of(browser.picture(plot["region"]))
                assert len(seen) > 20, f"{plot['name']} at {width} is nearly blank"
                shown = [c for c in plot["colours"] if seen.get(number(c), 0) >= 5]
                assert shown and len(shown) * 2 >= len(plot["colours"]), \
                    f"{plot['name']} at {width}: of {plot['colours']} only {shown} are to be seen"
            if directory := os.environ.get("ISOPLANE_PICTURES"):
                with open(os.path.join(directory, f"page-{width}{'-dark' if dark else ''}.png"), "wb") as file:
                    file.write(browser.picture())
        same(len(papers), 2, "backgrounds, light and dark")
        same(browser.complaints(), [], "what the browser complains of")
        others = {url for url in browser.requests() if not url.startswith(("data:", "file://" + page))}
        same(others, set(), "what the page asks for")


run()
