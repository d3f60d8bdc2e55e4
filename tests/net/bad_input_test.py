#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""What users get wrong ends with a sentence, the right exit code and nothing left behind: bad_input_test.py PROGRAM."""

import os
import signal
import socket

from net import (IS_ROOT, UNHEARD, WORK, Node, Program, as_nobody, catches, needs_root, run, same, test, until,
                 work)

FAILED, WRONG_USAGE = 1, 2
CONFIG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "config")
RING = ("--role", "echo", "--link", "ring:a")
FABRIC = ("--role", "fabric", "--link", "ring:a,ring:b")


def write(name, text):
    with open(work(name), "w", encoding="utf-8") as file:
        file.write(text)
    return work(name)


def cut(name, short):
    """A file of config/ that ends before its end."""
    with open(os.path.join(CONFIG, name), encoding="utf-8") as file:
        return write(f"cut_{os.path.basename(name)}", file.read()[:-short])


def refused(code, expected, *words, **how):
    """`isoplane node` with these words ends with one line on standard error that has `expected` in it."""
    before = set(os.listdir(WORK))
    with Program("node", *words, **how) as node:
        node.ends(code, expected)
    lines = node.err().splitlines()
    assert len(lines) == 1 and lines[0].startswith("isoplane node: "), f"not one sentence: {node.err()}"
    assert len(lines[0].split()) > 5, f"hardly a sentence: {node.err()}"
    left = {name for name in set(os.listdir(WORK)) - before if not name.endswith((".out", ".err"))}
    same(left, set(), "files left behind")


def claim(name, code, expected, *words):
    """Makes a test of what the words are answered with."""
    def check():
        refused(code, expected, *words)
    check.__name__ = name
    test(check)


claim("no_role", WRONG_USAGE, "no role given")
claim("an_unknown_role", WRONG_USAGE, "there is no role 'ehco'", "--role", "ehco", "--link", "ring:a")
claim("roles_that_do_not_fit", WRONG_USAGE, "echo and sink would each receive", "--role", "echo,sink", "--link",
      "ring:a")
claim("clients_who_cannot_register", WRONG_USAGE, "needs a path where clients register", "--role", "shared", "--link", "ring:a")
claim("a_place_for_clients_that_nobody_has", WRONG_USAGE, "--clients is for the role shared", "--role", "echo", "--link",
      "ring:a", "--clients", "/tmp/a")
claim("a_shared_link_beside_another", WRONG_USAGE, "has to be the only link", "--role", "echo", "--link",
      "shared:/tmp/a,ring:a")
claim("no_link", WRONG_USAGE, "no link given", "--role", "echo")
claim("an_unknown_kind_of_link", WRONG_USAGE, "'virtoi'", "--role", "echo", "--link", "virtoi:/tmp/a")
claim("a_link_without_a_target", WRONG_USAGE, "'virtio:'", "--role", "echo", "--link", "virtio:")
claim("an_unknown_option_of_a_link", WRONG_USAGE, "'sied'", "--role", "echo", "--link",
      f"virtio:{work('a')},sied=vhost")
claim("a_link_option_that_does_not_fit", WRONG_USAGE, "side=sideways", "--role", "echo", "--link",
      f"virtio:{work('a')},side=sideways")
claim("an_odd_link_to_forward", WRONG_USAGE, "1 is odd", "--role", "forward", "--link", "ring:a")
claim("a_ring_with_three_ends", FAILED, "the ring 'a' is in use", "--role", "fabric", "--link", "ring:a,ring:a,ring:a")
claim("an_unknown_option", WRONG_USAGE, "--spede", *RING, "--spede", "9")
claim("a_mistyped_option", WRONG_USAGE, "did you mean --stats-period?", *RING, "--stat-period", "9")
claim("impairments_without_a_fabric", WRONG_USAGE, "add --role fabric", *RING, "--fabric", "loss=0.1")
claim("a_seed_without_a_fabric", WRONG_USAGE, "add --role fabric", *RING, "--seed", "7")
claim("an_option_without_a_value", WRONG_USAGE, "--size", *RING, "--size")
claim("an_option_twice", WRONG_USAGE, "id", *RING, "--id", "1", "--id", "2")
claim("a_word_out_of_place", WRONG_USAGE, "surplus", *RING, "surplus")
for option, value in (("--size", "12"), ("--size", "9000"), ("--size", "-1"), ("--size", "huge"), ("--count", "-5"),
                      ("--count", "0"), ("--expect", "99999999999999999999999"), ("--rate", "fast"),
                      ("--rate", "-1pps"), ("--window", "0"), ("--workers", "0"), ("--workers", "1000"),
                      ("--memory", "1"), ("--packets", "7"), ("--mtu", "1"), ("--mtu", "100000"),
                      ("--id", "70000"), ("--id", "-1"),
                      ("--to", "99999"), ("--metrics", "70000"), ("--metrics", "-1"), ("--duration", "-1"),
                      ("--duration", "soon"), ("--stats-period", "0"), ("--idle", "sleep"), ("--hugepages", "maybe"),
                      ("--cpus", "4096"), ("--cpus", ""), ("--seed", "x"), ("--tx-first", "99999"),
                      ("--log", "loud"), ("--job-key", "x"), ("--tokens-ahead", "0"), ("--tokens-ahead", "1000000"),
                      ("--pages", "0"), ("--pages", "-3"),
                      ("--place", "echo"), ("--place", "echo@0"), ("--place", "echo@x")):
    claim(f"{option[2:]}_of_{value or 'nothing'}", WRONG_USAGE, value or option, *RING, option, value)
claim("a_worker_beyond_all", WRONG_USAGE, "--place names worker 999", *RING, "--place", "echo@999")
claim("a_window_without_a_sink", WRONG_USAGE, "--window", "--role", "generate", "--link", "ring:a", "--window", "9")
for option, value in (("--rate", "1000pps"), ("--to", "1"), ("--size", "128")):
    for role in ("echo", "sink", "forward"):
        claim(f"{option[2:]}_without_traffic_of_{role}", WRONG_USAGE, f"{option} is for the role generate", "--role", role,
              "--link", "ring:a,ring:b", option, value)
claim("a_stage_that_is_not_there_to_place", WRONG_USAGE, "no stage 'fabric' to place", *RING, "--place", "fabric@1")
claim("more_packets_than_memory", FAILED, "1000000 packets", *RING, "--packets", "1000000")
claim("an_impairment_without_a_value", WRONG_USAGE, "loss", *FABRIC, "--fabric", "loss")
claim("an_impairment_that_cannot_be", WRONG_USAGE, "loss cannot be '2'", *FABRIC, "--fabric", "loss=2")
claim("an_impairment_without_its_unit", WRONG_USAGE, "delay cannot be '5'", *FABRIC, "--fabric", "delay=5")
claim("an_unknown_impairment", WRONG_USAGE, "no impairment 'lost'", *FABRIC, "--fabric", "lost=0.1")
claim("a_negative_number_in_node_conf", WRONG_USAGE, f"{work('negative.conf')}:1",
      "--config", write("negative.conf", "count = -5\n"))
for key in ("headless", "json", "count", "idle"):
    claim(f"{key}_in_node_conf_without_a_value", WRONG_USAGE, f'{work(key)}.conf:1:1: the option "{key}" has no value',
          "--config", write(f"{key}.conf", f"{key}=\nrole=echo\nlink=ring:a\n"))
claim("an_option_twice_in_node_conf", WRONG_USAGE, f"{work('twice.conf')}:2",
      "--config", write("twice.conf", "size = 64\nsize = 65\n"))

claim("a_missing_capture_file", FAILED, f"there is no capture file '{work('none.pcap')}'", "--role", "sink", "--link",
      f"pcap:{work('none.pcap')}")
claim("a_capture_file_that_cannot_be_made", FAILED, work("none/out.pcap"), "--role", "generate", "--link",
      f"pcap:,{work('none/out.pcap')}")
claim("a_socket_in_no_directory", FAILED, f"there is no directory '{work('none')}'", "--role", "echo", "--link",
      f"virtio:{work('none/socket')}")
claim("a_socket_with_too_long_a_path", WRONG_USAGE, "at most 107 characters", "--role", "echo", "--link",
      f"memif:/tmp/{'x' * 200}")
claim("a_socket_that_nobody_serves", FAILED, "nobody serves the socket", "--role", "echo", "--link",
      f"virtio:{work('lonely')},side=virtio,wait=0")
claim("a_path_that_is_no_socket", FAILED, "is not a socket", "--role", "echo", "--link",
      f"virtio:{write('file', 'x')}")
claim("a_missing_script", WRONG_USAGE, f"'{work('none.cmd')}'", *RING, "--exec", work("none.cmd"))
claim("a_directory_as_script", WRONG_USAGE, f"'{WORK}'", *RING, "--exec", WORK)
claim("a_missing_node_conf", WRONG_USAGE, work("none.conf"), "--config", work("none.conf"))
claim("an_unknown_key_in_node_conf", WRONG_USAGE, f"{work('unknown.conf')}:3",
      "--config", write("unknown.conf", "# a node\nrole = echo\nlnik = ring:a\n"))
claim("a_cut_node_conf", WRONG_USAGE, f"{work('cut.conf')}:2", "--config", write("cut.conf", "role = echo\nlin"))
claim("a_value_in_node_conf_that_does_not_fit", WRONG_USAGE, f"{work('value.conf')}:2",
      "--config", write("value.conf", "role = echo\nid = many\n"))
claim("a_number_in_node_conf_that_does_not_fit", WRONG_USAGE, f"{work('size.conf')}:3",
      "--config", write("size.conf", "role = echo\nlink=ring:a\nsize = big\n"))

claim("a_cut_fmconfig", WRONG_USAGE, f"{work('cut_fmconfig')}:5:21", *RING,
      "--fmconfig", cut("two_switches/fmconfig", 12))
claim("a_cut_network_cfg", WRONG_USAGE, f"{work('cut_network.cfg')}:28:1", *RING,
      "--network-cfg", cut("myrinet/network.cfg", 20))
claim("a_cut_shmem_map", WRONG_USAGE, f"{work('cut_shmem_map')}:8:8", *RING,
      "--fmconfig", os.path.join(CONFIG, "ring/fmconfig"), "--shmem-map", cut("ring/shmem_map", 3))
for option in ("--config", "--fmconfig", "--network-cfg", "--shmem-map"):
    name = option[2:].replace("-", "_")
    claim(f"a_directory_as_{name}", WRONG_USAGE, f"{WORK}: this is a directory", *RING, option, WORK)
    claim(f"{name}_without_text", WRONG_USAGE, f"{work('bytes')}:1:1", *RING, option, write("bytes", "\1\2\3\n"))
for option in ("--fmconfig", "--network-cfg", "--shmem-map"):
    claim(f"a_missing_{option[2:].replace('-', '_')}", WRONG_USAGE, f"{work('none')}: there is no such file", *RING,
          option, work("none"))

claim("an_interface_with_an_impossible_name", WRONG_USAGE, "at most 15 characters", "--role", "echo", "--link",
      "afpacket:" + "x" * 20)
for kind in ("afpacket", "afxdp"):
    claim(f"an_interface_that_does_not_exist_for_{kind}", FAILED, "there is no network interface 'nosuch0'",
          "--role", "echo", "--link", f"{kind}:nosuch0")
claim("a_nic_that_does_not_exist", FAILED, "ffff:ff:1f.7", "--role", "echo", "--link", "pci:ffff:ff:1f.7")


@test
def other_commands_with_a_network_that_is_cut():
    path = cut("two_switches/fmconfig", 12)
    for command, *words in (("sim", "--topology", path), ("run", "--topology", path, "--", "true")):
        with Program(command, *words) as program:
            program.ends(WRONG_USAGE, f"{path}:5:21")


@test
def a_full_disk_under_what_other_commands_write():
    """The capture and the drawing; that of a node is in capture_test.py."""
    short = ("sim", "--hosts", 2, "--isochrons", 20)
    with Program(*short, "--pcap", work("drawn.pcapng")) as sim:
        sim.ends()
    for words, said in (((*short, "--pcap", "/dev/full"), "cannot write '/dev/full': No space left on device"),
                        (("diagram", work("drawn.pcapng"), "-o", "/dev/full"), "cannot write '/dev/full'"),
                        (("run", "-n", 2, "--link", "memif", "--pcap", "/dev/full", "--", "true"),
                         "cannot capture to '/dev/full'")):
        with Program(*words) as program:
            program.ends(FAILED, said)


@test
def a_command_that_is_none():
    with Program("node", *RING, "-c", "strat") as node:
        node.ends(WRONG_USAGE, "'strat' is no command here; `help` lists them")
    assert "--command, line 1" in node.err(), node.err()


@test
def a_script_with_a_bad_line():
    script = write("bad.cmd", "# comment\n\nshow pool\nshow nothing\nshow port\n")
    with Program("node", *RING, "--exec", script) as node:
        node.ends(WRONG_USAGE, f"{script}, line 4: 'show nothing'")
    assert "rx_packets" not in node.out(), "what stands behind the bad line has been run"


@test
def a_script_with_a_command_that_fails():
    script = write("failing.cmd", "show stage nosuch\n")
    with Program("node", *RING, "--exec", script) as node:
        node.ends(FAILED, "nothing is called 'nosuch' here; there is echo0")
    assert f"{script}, line 1" in node.err(), node.err()


@test
def a_fabric_port_that_is_not_there():
    with Program("node", "--role", "fabric", "--link", "ring:a,ring:b", "-c", "set fabric port 2 loss 0.1") as node:
        node.ends(FAILED, "the fabric has no port '2': its ports are 0 to 1")
    with Program("node", "--role", "fabric", "--link", "ring:a,ring:b", "-c", "set fabric port 1 loss 1.5") as node:
        node.ends(FAILED, "loss cannot be '1.5'")


@test
def arguments_that_the_eal_refuses():
    """Which says so in its own words, and we in ours."""
    with Program("node", *RING, "--eal", "--no-such-argument") as node:
        node.ends(FAILED, "the DPDK environment did not start")
    assert "--no-such-argument" in node.err(), node.err()


@test
def a_third_node_on_a_socket():
    for kind in ("virtio", "memif"):
        link = f"{kind}:{work(kind)}"
        with Node("echo", link).ready() as first, Node("echo", link) as second:
            second.is_up()
            refused(FAILED, "both its sides are taken", "--role", "echo", "--link", link)
            second.stop()
            first.stop(err=UNHEARD)
        assert not [name for name in os.listdir(WORK) if name.startswith(kind)], os.listdir(WORK)


@test
def a_side_that_is_taken():
    link = f"virtio:{work('side')},side=vhost"
    with Node("echo", link) as first:
        first.ready()
        refused(FAILED, "another process is its vhost side", "--role", "echo", "--link", link)
        first.stop()


@test
def a_metrics_port_that_is_taken():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        refused(FAILED, f"127.0.0.1:{port}: Address already in use", *RING, "--metrics", port)


def as_user(expected, *words):
    needs_root("becoming another user")
    refused(FAILED, expected, *words, prepare=as_nobody)


@test
def nobody_may_use_no_packet_socket():
    as_user("cap_net_raw", "--role", "echo", "--link", "afpacket:lo")


@test
def nobody_may_make_no_tap():
    as_user("cap_net_admin", "--role", "echo", "--link", "tap:isotap0")


@test
def nobody_may_write_to_a_directory_of_root():
    as_user("no permission to create the socket", "--role", "echo", "--link", f"virtio:{work('rootonly')}")


@test
def nobody_may_read_a_file_of_root():
    if IS_ROOT:
        os.chmod(write("secret.pcap", ""), 0o600)
    as_user("Permission denied", "--role", "sink", "--link", f"pcap:{work('secret.pcap')}")


@test
def who_waits_for_the_other_side_can_be_interrupted():
    for link, said in ((f"virtio:{work('alone')},side=virtio,wait=3600", "nobody has served the socket"),
                       (f"memif:{work('alone')},role=client,wait=3600", "nobody has served the socket"),
                       (f"shared:{work('absent')},wait=3600", "no shared node has been there")):
        for number in (signal.SIGINT, signal.SIGTERM):
            with Program("node", "--role", "sink", "--link", link) as node:
                until(lambda: catches(node.pid, number), "it can be interrupted")
                node.stop(number, code=1, err=said)


run()
