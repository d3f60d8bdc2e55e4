#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 the isoplane authors

"""The launcher: what ranks get, what becomes of their output and their ends, and that nothing of a job is left:
run_test.py PROGRAM."""

import fcntl
import glob
import os
import re
import signal
import subprocess
import termios

from capture_files import read_pcapng
from net import (LIMIT, PROGRAM, Program, as_nobody, die_with_parent, fewer, make_dir, needs_root, run, same, test, until,
                 work)

FRAMES = 20_000


def clean(job):
    """Nothing of a job that has ended is left: no process that knows its mark, no directory, no interface."""
    def processes():
        found = []
        for path in glob.glob("/proc/[0-9]*/environ"):
            try:
                with open(path, "rb") as file:
                    if f"RUN_TEST_MARK={job.mark}\0".encode() in file.read():
                        found.append(path)
            except OSError:
                pass  # it has ended, or is another user's
        return found

    until(lambda: not processes(), f"no process of {job} is left")
    until(lambda: not os.listdir(job.directory), f"nothing is left in the directory of {job}")
    same(glob.glob(f"/sys/class/net/iso{job.pid}*"), [], f"interfaces left by {job}")
    return job


class Job(Program):
    """`isoplane run`, whose children all have a mark in their environment."""

    _jobs = 0

    def __init__(self, *words, **how):
        Job._jobs += 1
        self.mark = f"{os.getpid()}-{Job._jobs}"
        self.directory = make_dir(f"job{Job._jobs}")
        super().__init__("run", *words, **how, environment={
            "RUN_TEST_MARK": self.mark, "XDG_RUNTIME_DIR": self.directory, "ISOPLANE": PROGRAM})

    def done(self, code=0, err=None):
        return clean(self.ends(code, err))

    def lines(self):
        return sorted(self.out().splitlines())


def shell(script, *words, ranks=3):
    return Job("-n", ranks, *words, "--", "sh", "-c", script)


@test
def both_streams_come_out_labelled_and_whole():
    with shell("echo one; echo two >&2; printf 'no end'") as job:
        job.done(err="")
        same(job.lines(), [f"[{rank}] {text}" for rank in range(3) for text in ("no end", "one")], "standard output")
        same(sorted(job.err().splitlines()), [f"[{rank}] two" for rank in range(3)], "standard error")


@test
def labels_are_as_wide_as_the_largest_rank_and_can_be_left_out():
    with shell("echo here", ranks=11) as job:
        job.done()
        same(job.lines(), sorted(f"[{rank:2}] here" for rank in range(11)), "lines")
    with shell("echo here", "--no-labels") as job:
        job.done()
        same(job.out(), "here\n" * 3, "lines without labels")


@test
def lines_of_many_ranks_are_never_mixed():
    """Ranks write pieces of lines, each its own letter."""
    script = ("c=$(printf 'abcd' | cut -c $((ISOPLANE_RANK + 1))); i=0;"
              "while [ $i -lt 300 ]; do printf %s $c$c$c; printf '%s\\n' $c$c; i=$((i + 1)); done")
    with shell(script, ranks=4) as job:
        job.done()
        same(job.lines(), sorted(f"[{rank}] {'abcd'[rank] * 5}" for rank in range(4) for _ in range(300)), "lines")


@test
def any_bytes_pass():
    with shell(r"printf 'a\000b\377\n'", "--no-labels", ranks=1) as job:
        job.done()
        with open(job.out_path, "rb") as file:
            same(file.read(), b"a\0b\xff\n", "bytes")


@test
def much_output_arrives_completely():
    with shell("seq 100000", "--no-labels", ranks=2) as job:
        job.done()
        same(sorted(map(int, job.out().split())), sorted(2 * list(range(1, 100001))), "numbers")


@test
def standard_input_is_that_of_rank_0_alone():
    with shell("echo $(cat)") as job:
        job.process.stdin.write(b"for the first\n")
        job.process.stdin.close()
        job.done()
        same(job.lines(), ["[0] for the first", "[1] ", "[2] "], "what ranks read")


@test
def a_terminal_is_read_for_rank_0_and_its_interrupt_reaches_all():
    ours, theirs = os.openpty()

    def take_terminal():
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        die_with_parent()

    script = "[ $ISOPLANE_RANK = 0 ] && read line && echo got $line; trap 'echo heard; exit 0' INT; sleep 1000 & " \
             "echo ready; wait"
    launcher = subprocess.Popen([PROGRAM, "run", "-n", "2", "--", "sh", "-c", script], stdin=theirs,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=take_terminal)
    os.close(theirs)
    os.write(ours, b"a line\n")
    lines = sorted(launcher.stdout.readline() for _ in range(3))
    same(lines, [b"[0] got a line\n", b"[0] ready\n", b"[1] ready\n"], "lines")
    os.write(ours, b"\x03")
    same(sorted(launcher.stdout.read().splitlines()), [b"[0] heard", b"[1] heard"], "lines after Ctrl-C")
    same(launcher.wait(LIMIT), 0, "exit code")
    os.close(ours)


@test
def every_rank_has_its_node_conf():
    script = 'cat "$ISOPLANE_CONFIG"; echo rank=$ISOPLANE_RANK/$ISOPLANE_SIZE; stat -c %a "$XDG_RUNTIME_DIR"/*'
    with shell(script, "--mtu", 2000, "--progress", "lcore", ranks=2) as job:
        job.done()
        keys = set()
        for rank in range(2):
            said = [line[4:] for line in job.out().splitlines() if line.startswith(f"[{rank}] ")]
            conf = dict(line.split("=", 1) for line in said[:-1])
            same((conf["id"], conf["name"], conf["role"], conf["progress"], conf["mtu"], conf["rank"], said[-1]),
                 (str(rank), f"node{rank}", "host", "lcore", "2000", f"{rank}/2", "700"), f"node.conf of rank {rank}")
            assert conf["link"].startswith(f"virtio:{job.directory}/"), conf
            keys.add((conf["job-key"], conf["fmconfig"]))
        same(len(keys), 1, "different job keys and topologies")


@test
def the_first_of_two_that_are_joined_to_each_other_is_the_token_manager():
    for more, managers in (((), 1), (("--tm", "none"), 0)):
        with shell('cat "$ISOPLANE_CONFIG"', "--link", "direct", *more, ranks=2) as job:
            job.done()
            same(sum(line == "[0] token-manager=tm@0" for line in job.out().splitlines()), managers, "token managers")
            same(job.out().count("token-manager"), managers, "all token managers")
            same(sorted((line[:3], line.split(",", 1)[1]) for line in job.out().splitlines() if "link=" in line),
                 [("[0]", "side=vhost"), ("[1]", "side=virtio,wait=60")], "ends of the link")


@test
def one_of_two_that_are_joined_to_each_other_may_die():
    for dies in (0, 1):
        with shell(f"[ $ISOPLANE_RANK = {dies} ] && kill -9 $$; exec sleep 1000", "--link", "direct", "--grace", 0.2,
                   ranks=2) as job:
            job.done(1, f"rank {dies} (")


@test
def a_topology_names_the_hosts_and_says_how_many_there_are():
    with open(work("fmconfig"), "w", encoding="utf-8") as file:
        file.write("0 alice bob 1\n1 carol 0\n")
    script = 'grep ^name= "$ISOPLANE_CONFIG"; grep -c carol "$(sed -n s/^fmconfig=//p "$ISOPLANE_CONFIG")"'
    with Job("--topology", work("fmconfig"), "--", "sh", "-c", script) as job:
        job.done()
        same(job.lines(), ["[0] 1", "[0] name=alice", "[1] 1", "[1] name=bob", "[2] 1", "[2] name=carol"], "names")
    with Job("-n", 2, "--topology", work("fmconfig"), "--", "true") as job:
        job.done(2, "2 ranks for the 3 hosts")


@test
def parts_run_different_programs():
    with Job("-n", 1, "--", "echo", "left", ":", "-n", 2, "--", "sh", "-c", "echo right $ISOPLANE_RANK") as job:
        job.done()
        same(job.lines(), ["[0] left", "[1] right 1", "[2] right 2"], "lines")


@test
def a_rank_that_fails_is_named_and_so_is_the_signal_that_killed_one():
    with shell("case $ISOPLANE_RANK in 1) exit 3;; 2) kill -SEGV $$;; esac") as job:
        job.done(1, "rank 1 (sh) exited with 3")
        assert "rank 2 (sh) was killed by signal 11 (Segmentation fault)" in job.err(), job.err()
        assert "rank 0" not in job.err(), job.err()


@test
def a_rank_that_fails_ends_the_others():
    with shell("[ $ISOPLANE_RANK = 1 ] && exit 4; exec sleep 1000", "--grace", 0.1) as job:
        job.done(1, "ranks 0, 2 are still running, and told to end by SIGTERM")


@test
def who_does_not_heed_sigterm_is_killed():
    with shell("[ $ISOPLANE_RANK = 1 ] && exit 4; trap '' TERM; while :; do sleep 1000; done", "--grace", 0.1) as job:
        job.done(1, "ranks 0, 2 are still running, and killed")


@test
def others_may_end_by_themselves_after_a_failure():
    with shell("[ $ISOPLANE_RANK = 1 ] && exit 4; sleep 0.3; echo finished", "--grace", LIMIT) as job:
        job.done(1, "rank 1 (sh) exited with 4")
        same(job.lines(), ["[0] finished", "[2] finished"], "lines")
        assert "SIGTERM" not in job.err(), job.err()


@test
def a_program_that_cannot_run_is_told_before_anything_starts():
    for program, words in (("no-such-program", "no program 'no-such-program'"),
                           ("/etc/passwd", "not executable"), ("/", "directory"), ("./no-such", "No such file")):
        with Job("-n", 1, "--", "echo", "begun", ":", "-n", 2, "--", program) as job:
            job.done(2, words)
            same(job.out(), "", "output of the other part")
    path = work("no-format")
    with open(path, "wb") as file:
        file.write(b"\1\2\3")
    os.chmod(path, 0o755)
    with Job("-n", 2, "--", path) as job:
        job.done(1, "rank 0 did not start")


@test
def wrong_usage_is_a_sentence():
    for words, said in ((("--", "true"), "-n is missing"), (("-n", 0, "--", "true"), "-n 0"), (("-n", 2), "after '--'"),
                        (("-n", 2, "true"), "'true' is no option"), (("-n", 2, "--"), "no program after"),
                        (("-n", 2, "--", "true", ":", "true"), "-n N -- PROG"),
                        (("-n", 257, "--", "true"), "1 to 256"), (("-n", 2, "--link", "tap", "--", "true"), "virtio"),
                        (("-n", 3, "--link", "direct", "--", "true"), "joins two ranks"),
                        (("-n", 2, "--link", "direct", "--stats", "--", "true"), "--stats is about a fabric"),
                        (("-n", 2, "--fabric", "lost=1", "--", "true"), "lost"),
                        (("-n", 2, "--mtu", 1, "--", "true"), "--mtu 1"),
                        (("-n", 2, "--pcap", work("a#b"), "--", "true"), "leave out '#'"),
                        (("-n", 2, "--pcap", work("a" * 1000), "--", "true"), "at most 1000 characters"),
                        (("-n", 2, "--pcap", work("a\nb"), "--", "true"), "line ends"),
                        (("-n", 2, "--timeout", 0, "--", "true"), "--timeout must be a number of seconds, above 0"),
                        (("-n", 2, "--grace", -1, "--", "true"), "--grace must be a number of seconds, 0 or more"),
                        (("-n", 2, "--shmem-map", "/tmp", "--", "true"), "/tmp: this is a directory"),
                        (("-n", 2, "--set", "silence=5", "--set", "silence=7", "--", "true"), "silence is said already"),
                        (("-n", 2, "--paranoid", "--set", "paranoid=no", "--", "true"), "paranoid is said already"),
                        (("-n", 2, "--progress", "often", "--", "true"), "inline or lcore")):
        with Job(*words) as job:
            job.done(2, said)


@test
def time_that_is_up_ends_the_job():
    with shell("exec sleep 1000", "--timeout", 0.5) as job:
        job.done(1, "not done after 0.5 s")


@test
def signals_are_passed_on():
    for name in ("INT", "TERM", "HUP", "QUIT", "USR1", "USR2"):
        # Nothing is started when the signal comes: between fork and exec a shell may miss one.
        script = f"trap 'kill $! 2>/dev/null; echo heard; exit 0' {name}; sleep 1000 & echo ready; wait"
        with shell(script, "--grace", LIMIT) as job:
            until(lambda job=job: job.out().count("ready") == 3, "all ranks are ready")
            job.process.send_signal(getattr(signal, f"SIG{name}"))
            job.done(err="")  # shells may tell of the sleep that heard it too
            same(job.out().count("heard"), 3, f"ranks that heard SIG{name}")


@test
def an_interrupt_ends_the_job_with_one_sentence():
    with shell("echo ready; exec sleep 1000") as job:
        until(lambda: job.out().count("ready") == 3, "all ranks are ready")
        job.process.send_signal(signal.SIGINT)
        job.done(1, "ended by SIGINT")
        same(len(job.err().splitlines()), 1, "sentences")


@test
def who_ignores_an_interrupt_that_ends_others_is_ended_too():
    with shell("[ $ISOPLANE_RANK = 0 ] && trap '' INT; echo ready; exec sleep 1000", "--grace", 0.1) as job:
        until(lambda: job.out().count("ready") == 3, "all ranks are ready")
        job.process.send_signal(signal.SIGINT)
        job.done(1, "rank 0 is still running, and told to end by SIGTERM")


@test
def a_second_interrupt_kills_at_once():
    with shell("trap 'echo heard' INT; sleep 1000 & echo ready; wait; wait", "--grace", 1000) as job:
        until(lambda: job.out().count("ready") == 3, "all ranks are ready")
        job.process.send_signal(signal.SIGINT)
        until(lambda: job.out().count("heard") == 3, "all ranks have heard the first")
        job.process.send_signal(signal.SIGINT)
        job.done(1, "killed")


@test
def nothing_is_left_when_the_launcher_is_killed():
    """Nor the children of ranks, which know nothing of the launcher."""
    with shell("sleep 1000 & echo ready; trap '' TERM INT HUP; wait") as job:
        until(lambda: job.out().count("ready") == 3, "all ranks are ready")
        assert os.listdir(job.directory), "the job has no directory"
        job.process.kill()
        job.process.wait()
        clean(job)


@test
def nothing_is_left_when_it_is_killed_while_the_fabric_starts():
    with shell("exec sleep 1000") as job:
        until(lambda: os.listdir(job.directory), "the job has a directory")
        job.process.kill()
        job.process.wait()
        clean(job)


@test
def children_that_ranks_leave_behind_end_with_the_job():
    with shell("sleep 1000 & echo begun") as job:
        job.done()
        same(job.lines(), ["[0] begun", "[1] begun", "[2] begun"], "lines")


@test
def the_job_ends_when_nobody_reads_its_output():
    directory = make_dir("unread")
    launcher = subprocess.Popen([PROGRAM, "run", "-n", "2", "--", "sh", "-c", "while :; do echo more || exit 0; done"],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                env={**os.environ, "XDG_RUNTIME_DIR": directory})
    launcher.stdout.readline()
    launcher.stdout.close()
    said = launcher.stderr.read().decode()
    same(launcher.wait(LIMIT), 1, f"exit code of the launcher, which says '{said}'")
    assert "standard output cannot be written" in said, said
    same(os.listdir(directory), [], "what is left of the job")


def children_of(job, what):
    """The pids of the job's processes whose command line contains `what`."""
    found = []
    with open(f"/proc/{job.pid}/task/{job.pid}/children", encoding="ascii") as file:
        for pid in file.read().split():
            with open(f"/proc/{pid}/cmdline", "rb") as line:
                if what in line.read():
                    found.append(int(pid))
    return found


@test
def a_fabric_that_dies_ends_the_job():
    with shell("echo ready; exec sleep 1000") as job:
        until(lambda: job.out().count("ready") == 3, "all ranks are ready")
        for pid in children_of(job, b"--role\0fabric"):
            os.kill(pid, signal.SIGKILL)
        job.done(1, "the fabric was killed by signal 9")


def with_a_fabric_that_hangs(*options):
    """A job whose rank has ended, and whose fabric has been told to."""
    job = shell("echo ready; cat", *options, ranks=1)
    until(lambda: "ready" in job.out(), "the rank is ready")
    fabric, = children_of(job, b"--role\0fabric")

    def status(what):
        """Of each thread."""
        for task in os.listdir(f"/proc/{fabric}/task"):
            with open(f"/proc/{fabric}/task/{task}/status", encoding="ascii") as file:
                yield re.search(rf"^{what}:\s*(\w+)", file.read(), re.M)[1]

    # Stopped in all its threads, or one might heed the other signal first.
    os.kill(fabric, signal.SIGSTOP)
    until(lambda: all(state == "T" for state in status("State")), "the fabric has stopped")
    job.process.stdin.close()
    until(lambda: int(next(status("ShdPnd")), 16) >> signal.SIGTERM - 1 & 1, "the fabric has been told to end")
    return job, fabric


@test
def what_is_lost_of_a_fabric_that_nobody_waits_for_is_told():
    job, _ = with_a_fabric_that_hangs("--stats", "--pcap", work("hangs.pcapng"))
    with job:
        job.process.send_signal(signal.SIGINT)
        job.done(1, "the fabric was not waited for: what it captured may be incomplete")
        assert "what its ports have counted is not known" in job.err(), job.err()


@test
def statistics_of_a_fabric_that_dies_in_the_end_are_missed():
    job, fabric = with_a_fabric_that_hangs("--stats")
    with job:
        os.kill(fabric, signal.SIGKILL)
        job.done(1, "what its ports have counted is not known")


@test
def a_fabric_has_memory_for_the_longest_queues_and_a_capture():
    with shell("true", "--fabric", "queue=65536", "--pcap", work("queues.pcapng"), ranks=2) as job:
        job.done()


@test
def a_fabric_has_memory_for_the_keys_of_many_token_managers():
    with open(work("line"), "w", encoding="utf-8") as file:
        file.write("0 node0 1\n")
        file.writelines(f"{n} {n - 1}" + f" {n + 1}" * (n < 191) + "\n" for n in range(1, 192))
    with Job("--shared", "--authenticate", "--topology", work("line"), "--", "true") as job:
        job.done()


@test
def a_fabric_that_does_not_come_up_says_why():
    with shell("true", "--pcap", "/no/such/directory/file") as job:
        job.done(1, "[fabric] ")
        assert "/no/such/directory/file" in job.err(), job.err()


@test
def an_ordinary_user_can_run_a_job():
    needs_root("becoming another user")
    with Job("-n", 3, "--", "sh", "-c", "id -u", prepare=as_nobody) as job:
        job.done()
        same(job.lines(), [f"[{rank}] 65534" for rank in range(3)], "users")
    with Job("-n", 3, "--link", "afpacket", "--", "true", prepare=as_nobody) as job:
        job.done(2, "only root can")


@test
def what_cannot_be_removed_is_named():
    needs_root("becoming another user")
    script = 'cd "${ISOPLANE_CONFIG%/*}"; mkdir closed; : > closed/file; chmod 0 closed'
    with Job("-n", 1, "--", "sh", "-c", script, prepare=as_nobody) as job:
        job.ends(1, f"look for '{job.directory}/isoplane-run-")


@test
def forty_ranks_start_and_end():
    """More than one process of the fabric has ports for."""
    with Job("-n", 40, "--", "true") as job:
        job.done()


# Jobs whose frames are counted have no token manager, which sends some of its own at the start.
COUNTED = ("--stats", "--tm", "none")

# What ranks that move frames begin with. Those that receive say `ready` in a file once their link is up, so that nothing is
# sent to nobody, and the sender says `done`: nobody else knows when a rank that echoes is not needed any more.
TALK = r"""
link=$(sed -n s/^link=//p "$ISOPLANE_CONFIG"); dir=${ISOPLANE_CONFIG%/*}/..; own=$dir/node$ISOPLANE_RANK
node() { "$ISOPLANE" node --hugepages off --link "$link" --id $ISOPLANE_RANK "$@"; }
await() { until [ -e "$dir/$1" ]; do sleep 0.05; done; }
begin() {
    mkfifo "$own.in"; node "$@" < "$own.in" > "$own.out" & exec 3> "$own.in"
    until grep -q '"up": *true' "$own.out"; do echo show link json >&3; sleep 0.05; done
    : > "$dir/ready"
}
"""


def exchange(link, *options):
    """Rank 0 sends to rank 1, which returns all; rank 2 has a port and does not use it."""
    script = TALK + f"""
    case $ISOPLANE_RANK in
    0) await ready
       node --headless --role generate,sink --to 1 --count {FRAMES} --window 64 --expect {FRAMES} --json
       code=$?; : > "$dir/done"; exit $code;;
    1) begin --role echo; await done; exec 3>&-; wait $!;;
    esac"""
    return shell(script, *options, "--link", link)


def frames_come_and_go(link):
    with exchange(link, *COUNTED) as job:
        job.done(err="port of rank 2")
        found = re.search(r'"good": (\d+)', job.out())
        assert found, f"{job} says {job.out()[-1000:]}{job.err()}"
        same(int(found.group(1)), FRAMES, "frames that came back")
        for rank in (0, 1):
            same((counted(job, rank, "in"), counted(job, rank, "out")), (FRAMES, FRAMES), f"frames at rank {rank}'s port")


def counted(job, rank, counter):
    """What --stats says of the port of a rank."""
    line = re.search(rf"^isoplane run: port of rank {rank}: (.*)$", job.err(), re.M)
    assert line, f"{job} says nothing of rank {rank}: {job.err()}"
    found = re.search(rf"\b{counter} (\d+)", line.group(1))
    return int(found.group(1)) if found else 0


def one_way(peer, good, *options):
    """Rank 0 sends a thousand frames to rank `peer`, which waits until so many have arrived intact."""
    script = TALK + f"""
    case $ISOPLANE_RANK in
    0) await ready; node --headless --role generate --to {peer} --count 1000 --rate {fewer(5_000)}pps > "$own.out"; await done;;
    {peer}) begin --role sink --expect {good}; wait $!; code=$?; : > "$dir/done"; exit $code;;
    esac"""
    return shell(script, *COUNTED, *options, ranks=peer + 1)


@test
def ranks_exchange_frames_over_virtio():
    frames_come_and_go("virtio")


@test
def ranks_exchange_frames_over_memif():
    frames_come_and_go("memif")


@test
def ranks_exchange_frames_over_afpacket():
    needs_root("making interfaces")
    frames_come_and_go("afpacket")


@test
def a_line_of_switches_impairs_once():
    """Frames pass two switches, and are doubled by the port of the rank alone."""
    with one_way(34, 1000, "--fabric", "dup=1") as job:
        job.done(err="port of rank 34")
        same((counted(job, 34, "offered"), counted(job, 34, "duplicated")), (1000, 1000), "offered and duplicated frames")


@test
def the_fabric_loses_what_it_is_told_to():
    with one_way(1, 500, "--fabric", "loss=0.2") as job:
        job.done(err="port of rank 1")
        assert 0 < counted(job, 1, "lost") < counted(job, 1, "offered"), job.err()


@test
def a_seed_says_which_frames_meet_what():
    def duplicated(seed):
        with one_way(1, 1000, "--fabric", "dup=0.3", "--seed", seed) as job:
            job.done(err="port of rank 1")
            return counted(job, 1, "duplicated")

    figures = [duplicated(seed) for seed in (7, 7, 8)]
    assert figures[0] == figures[1] != figures[2], f"frames duplicated with seeds 7, 7 and 8: {figures}"


@test
def a_capture_has_all_that_passed():
    capture = work("job.pcapng")
    with one_way(1, 1000, "--pcap", capture) as job:
        job.done(err="port of rank 1")
    same(len(read_pcapng(capture)[1]), 2000, "frames captured, at the port they came in by and the one they left by")
    with one_way(1, 1000, "--pcap", capture, "--pcap-filter", " greater\n5000 ") as job:
        job.done(err="port of rank 1")
    same(len(read_pcapng(capture)[1]), 0, "frames of those that pass a filter which none does")
    os.remove(capture)
    with one_way(1, 1000, "--pcap", capture, "--pcap-ring", "16K,2") as job:
        job.done(err="port of rank 1")
    same(len([name for name in os.listdir(os.path.dirname(capture)) if name.startswith("job-0")]), 2, "files that are left")
    for words in (("--pcap", capture, "--pcap-filter", "no such"), ("--pcap-ring", "1M,2"), ("--pcap", capture, "--pcap-ring", "1M")):
        with Job("-n", 1, *words, "--", "true") as job:
            job.ends(2)


# Stands in for ssh: tells where it was to go, and runs the command out of reach of signals to itself.
SSH = """#!/bin/sh
echo "$1 $2 $3" >> "$SSH_LOG"; shift 3; umask 026
exec setsid --wait sh -c "$*"
"""


class Machines:
    """A network of hosts: alice and carol on other machines, bob here; ssh is the one above."""

    def __init__(self, name):
        self.path = make_dir(name)
        self.log = os.path.join(self.path, "log")
        self.there = make_dir(f"{name}.there")
        self.files(("ssh", SSH), ("fmconfig", "0 alice bob carol\n"), ("shmem_map", "0-3: alice, carol;\n"),
                   ("job.conf", "role=host\nfmconfig=fmconfig\nshmem-map=shmem_map\njob-key=77\n"
                    "[host.alice]\nssh=me@one\nlink=afpacket:eth1\nmac=02:69:73:00:00:a1\n"
                    "[host.bob]\nlink=null:\n[host.carol]\nssh=two\nlink=tap:t0\n"))
        os.chmod(os.path.join(self.path, "ssh"), 0o755)

    def files(self, *files):
        for name, text in files:
            with open(os.path.join(self.path, name), "w", encoding="utf-8") as file:
                file.write(text)

    def run(self, script, *words):
        before = os.environ["PATH"]
        os.environ.update(PATH=f"{self.path}:{before}", SSH_LOG=self.log, TMPDIR=self.there)
        try:
            return Job("--config", os.path.join(self.path, "job.conf"), *words, "--", "sh", "-c", script)
        finally:
            os.environ["PATH"] = before
            del os.environ["TMPDIR"]

    def nothing_there(self):
        until(lambda: not os.listdir(self.there), "nothing is left on the other machines")


@test
def hosts_on_other_machines_are_started_by_ssh():
    machines = Machines("machines")
    script = ('d=${ISOPLANE_CONFIG%/*}; echo "it'"'"'s $ISOPLANE_RANK/$ISOPLANE_SIZE"; cat "$ISOPLANE_CONFIG"; '
              'echo "umask=$(umask)"; cd "$d"; stat -c %a node.conf; '
              'cat "$(sed -n s/^fmconfig=//p node.conf)" "$(sed -n s/^shmem-map=//p node.conf)"')
    with machines.run(script) as job:
        job.done()
        with open(machines.log, encoding="utf-8") as file:
            same(sorted(file.read().splitlines()), ["-o BatchMode=yes me@one", "-o BatchMode=yes two"], "calls of ssh")
        for rank, (name, link) in enumerate((("alice", "afpacket:eth1"), ("bob", "null:"), ("carol", "tap:t0"))):
            said = [line[4:] for line in job.out().splitlines() if line.startswith(f"[{rank}] ")]
            for expected in (f"it's {rank}/3", f"name={name}", f"link={link}", f"id={rank}", "job-key=77",
                             "host.alice.mac=02:69:73:00:00:a1", "0 alice bob carol", "0-3: alice, carol;"):
                assert expected in said, f"rank {rank} has no '{expected}' in {said}"
            assert "ssh" not in "".join(said), said
            assert "600" in said, f"the node.conf of rank {rank} is open to others: {said}"
            assert name == "bob" or "umask=0026" in said, f"rank {rank} has no umask of its machine: {said}"
        machines.nothing_there()


@test
def who_has_no_ssh_is_told_what_it_is_for():
    machines = Machines("bare")
    os.rename(os.path.join(machines.path, "ssh"), os.path.join(machines.path, "sh"))
    before = os.environ["PATH"]
    os.environ["PATH"] = machines.path
    try:
        with machines.run("true") as job:
            job.done(1, "there is no ssh along PATH, by which ranks are started at me@one")
    finally:
        os.environ["PATH"] = before


@test
def a_rank_on_another_machine_that_fails_is_named_with_it():
    machines = Machines("failing")
    with machines.run("[ $ISOPLANE_RANK = 2 ] && exit 9; exit 0") as job:
        job.done(1, "rank 2 (sh on two) exited with 9")
        machines.nothing_there()


@test
def ranks_on_other_machines_end_when_the_launcher_is_killed():
    machines = Machines("killed")
    with machines.run("echo ready; sleep 1000 & wait") as job:
        until(lambda: job.out().count("ready") == 3, "all ranks are ready")
        job.process.kill()
        job.process.wait()
        clean(job)
        machines.nothing_there()


@test
def time_that_is_up_ends_ranks_on_other_machines():
    machines = Machines("late")
    with machines.run("exec sleep 1000", "--timeout", 0.5) as job:
        job.done(1, "not done after")
        machines.nothing_there()


@test
def a_config_without_links_adds_to_what_ranks_know():
    machines = Machines("here")
    machines.files(("job.conf", "fmconfig=fmconfig\nshmem-map=shmem_map\npages=8\nmac.bob=02:69:73:00:00:b0\n"))
    with machines.run('cat "$ISOPLANE_CONFIG"') as job:
        job.done()
        for expected in ("pages=8", "host.bob.mac=02:69:73:00:00:b0", "name=carol", "side=virtio"):
            assert expected in job.out(), job.out()


@test
def configs_that_cannot_be_are_refused():
    machines = Machines("refused")
    machines.files(("faulty", "0: alice;\n1: dave;\n"))
    faulty = os.path.join(machines.path, "faulty")
    for conf, words, said in (("fmconfig=fmconfig\nhost.alice.ssh=one\n", (), "host alice has no link"),
                              ("fmconfig=fmconfig\nhost.dave.mac=02:69:73:00:00:b0\n", (), "host dave"),
                              ("fmconfig=fmconfig\nid=1\n", (), "id, name or link"),
                              ("fmconfig=fmconfig\nduration=1\n", (), "it is for isoplane node"),
                              ("fmconfig=fmconfig\nsilence=5\n", (), "give it as --set silence=5"),
                              ("fmconfig=fmconfig\n", ("--shmem-map", faulty), f"{faulty}:2:4: "),
                              ("fmconfig=fmconfig\nhost.alice.link=null:\nhost.bob.link=null:\nhost.carol.link=null:\n",
                               ("--fabric", "loss=0.1"), "--fabric is about a fabric")):
        machines.files(("job.conf", conf))
        with machines.run("true", *words) as job:
            job.done(2, said)


run()
