#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""The prompt at a terminal, and the same commands from elsewhere: prompt_test.py PROGRAM."""

import json
import os
import pty
import re
import select
import subprocess
import termios

from net import LIMIT, PROGRAM, WORK, Node, Program, die_with_parent, run, same, test, until, work

PROMPT = "isoplane> "


class Terminal:
    """A node at a pseudo-terminal: what is typed, and what is on the screen since then."""

    def __init__(self, *words):
        self.master, self.slave = pty.openpty()
        self.before = termios.tcgetattr(self.slave)
        self.screen = ""
        self.process = subprocess.Popen([PROGRAM, "node", *words], stdin=self.slave, stdout=self.slave,
                                        stderr=self.slave, preexec_fn=self.prepare, cwd=WORK)

    def prepare(self):
        """In a session of its own with this as its terminal, so that Ctrl-C reaches it."""
        os.setsid()
        os.ttyname(0)
        os.close(os.open(os.ttyname(0), os.O_RDWR))
        die_with_parent()

    def __enter__(self):
        self.shows(PROMPT)
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def read(self):
        while select.select([self.master], [], [], 0)[0]:
            self.screen += os.read(self.master, 65536).decode(errors="replace")
        return self.screen

    def shows(self, text):
        until(lambda: text in self.read(), f"'{text}' is on the screen, which shows {self.screen!r}")
        return self

    def type(self, keys):
        self.screen = ""
        os.write(self.master, keys.encode())
        return self

    def ends(self, code=0):
        same(until(lambda: self.read() is not None and [self.process.poll()] if self.process.poll() is not None
                   else None, "it ends")[0], code, f"exit code; the screen shows {self.screen!r}")
        self.is_as_before()

    def is_as_before(self):
        same(termios.tcgetattr(self.slave), self.before, "settings of the terminal")


@test
def a_tab_completes_a_word():
    with Terminal("--role", "echo", "--link", "ring:a") as terminal:
        terminal.type("sh\t").shows("show ")
        terminal.type("sta\t").shows("stage ")
        terminal.type("\r").shows("echo0").shows(PROMPT)
        terminal.type("quit\r").ends()


@test
def a_tab_shows_what_may_follow():
    with Terminal("--role", "fabric", "--link", "ring:a,ring:b") as terminal:
        terminal.type("show \t")
        for report in ("capture", "fabric", "link", "pool", "port", "stage"):
            terminal.shows(report)
        terminal.type("\x03").ends()


@test
def a_tab_lists_a_word_once_however_many_commands_go_on_with_it():
    with Terminal("--role", "fabric", "--link", "ring:a,ring:b") as terminal:
        terminal.type("show \t").shows("stage ").shows(PROMPT + "show ")
        same(re.findall(r"^ *(\w+) \[", terminal.screen, re.M),
             ["capture", "fabric", "link", "pool", "port", "stage"], "what may follow")
        terminal.type("link \t").shows("RETURN").shows(PROMPT + "show link ")
        same(len(re.findall("Any STRING", terminal.screen)), 1, "how often a name may follow")
        terminal.type("\x03").ends()


@test
def help_lists_every_command():
    with Terminal("--role", "fabric", "--link", "ring:a,ring:b") as terminal:
        terminal.type("help\r")
        for command in ("start", "stop", "show ", "clear", "capture start", "set fabric port", "help", "quit"):
            terminal.shows(command)
        terminal.type("quit\r").ends()


@test
def a_wrong_command_is_told_and_passed_over():
    with Terminal("--role", "echo", "--link", "ring:a") as terminal:
        terminal.type("strat\r").shows("strat").shows(PROMPT)
        terminal.type("show pool\r").shows("in_use").shows(PROMPT)
        terminal.type("show stage nosuch\r").shows("there is echo0").shows(PROMPT)
        terminal.type("quit\r").ends()


@test
def the_last_command_comes_back():
    with Terminal("--role", "echo", "--link", "ring:a") as terminal:
        terminal.type("show pool\r").shows("in_use").shows(PROMPT)
        terminal.type("\x1b[A\r").shows("in_use")
        terminal.type("quit\r").ends()


@test
def ctrl_c_ends_it_clean_in_traffic():
    with Terminal("--role", "generate,sink", "--link", "ring:a") as terminal:
        terminal.type("show sta\x03").shows("sink0").ends()


@test
def ctrl_c_amid_a_command_leaves_the_terminal_as_it_was():
    """The second ends the node at once, while `stop` waits for a peer that is not there."""
    with Terminal("--role", "generate", "--link", f"virtio:{work('lonely')}", "--hugepages", "off") as terminal:
        until(lambda: re.search(r'"held": ?[1-9]', terminal.type("show stage generate0 json\r").shows('"held"')
                                .shows(PROMPT).screen), "frames wait")
        terminal.type("stop\r").shows("\n")
        until(lambda: terminal.type("\x03").process.poll() is not None, "it ends")
        terminal.is_as_before()


@test
def ctrl_d_ends_it_clean():
    with Terminal("--role", "echo", "--link", "ring:a") as terminal:
        terminal.type("\x04").ends()


@test
def statistics_and_the_prompt_share_the_screen():
    with Terminal("--role", "generate,sink", "--link", "ring:a", "--stats-period", "0.1") as terminal:
        terminal.shows("in Mpps").type("show pool\r").shows("in_use").shows("in Mpps")
        terminal.type("quit\r").ends()


COMMANDS = ["help", "show link json", "# a comment", "", "show port link0", "clear", "stop", "start", "show pool json"]


def said(*options, typed=None):
    with Program("node", "--role", "echo", "--link", "ring:a,mac=02:00:00:00:00:01", *options) as node:
        if typed is not None:
            node.process.stdin.write(typed.encode())
        node.process.stdin.close()
        node.ends()
        return node.out().split("busy_percent")[0]  # up to the table in the end, with its figures


@test
def commands_say_the_same_wherever_they_come_from():
    lines = "\n".join(COMMANDS) + "\n"
    with open(work("script"), "w", encoding="utf-8") as file:
        file.write(lines)
    piped = said(typed=lines)
    assert "show this list" in piped and '"in_use"' in piped, piped
    same(said("--exec", work("script")), piped, "what a script says")
    same(said(*[word for line in COMMANDS for word in ("-c", line)]), piped, "what --command says")


@test
def a_last_line_without_its_end_is_run():
    assert '"in_use"' in said(typed="show pool json")


@test
def quit_in_a_script_ends_the_node():
    with Program("node", "--role", "echo", "--link", "ring:a", "-c", "quit", "-c", "show pool") as node:
        node.ends()
        assert "in_use" not in node.out(), node.out()


@test
def every_report_is_json_when_asked():
    with Node("fabric", "ring:a,ring:b") as node:
        node.tell("help")
        line = until(lambda: re.search(r"show (\S+) \[json\]", node.out()), "help is there")
        reports = line[1].split("|")
        for report in reports:
            assert node.ask(f"show {report} json"), report
        same(node.ask("show port link1 json"), node.ask("show port json")[1], "one entry of a report")
        same(node.ask("show port 1 json")["name"], "link1", "an entry by its number")
        node.tell("quit").ends()
        same(sorted(node.report()), sorted(reports), "the reports in the end")


@test
def json_is_the_same_as_the_end_of_the_run_says():
    with Node("generate,sink", "ring:a", "--count", 1000, "--expect", 1000) as node:
        node.ends()
    same(json.loads(node.out()), node.report(), "standard output")


@test
def clear_sets_counters_to_zero():
    with Node("generate,sink", "ring:a") as node:
        until(lambda: node.ask("show port link0 json")["rx_packets"] > 1000, "frames pass")
        node.tell("stop").tell("clear")
        port = node.ask("show port link0 json")
        same({key: value for key, value in port.items() if key != "name" and value != 0}, {}, "what is not zero")
        same(node.ask("show stage sink0 json")["figures"]["good"], 0, "good frames")
        same(node.ask("show stage generate0 json")["figures"]["sent"], 0, "frames sent")
        node.tell("quit").ends()


@test
def clear_in_traffic_leaves_the_run_its_end():
    """Slow until then, so that it comes before the last frame."""
    with Node("generate,sink", "ring:a", "--rate", "100pps", "--count", 1000, "--expect", 1000) as node:
        until(lambda: node.ask("show stage sink0 json")["figures"]["good"] > 10, "frames pass")
        node.tell("clear").tell("set generate rate max").ends()
    assert node.figures("generate0")["sent"] < 1000, node.figures("generate0")
    figures = node.figures("sink0")
    assert figures["good"] < 1000, figures
    same((figures["duplicates"], figures["missing"]), (0, 0), "duplicates, missing")


run()
