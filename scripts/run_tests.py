#!/usr/bin/env python3
"""Runs the test programs of the workspace in two lanes, and prints the time of each crate's tests at the end.

    cargo test --no-run --message-format=json-render-diagnostics ... | scripts/run_tests.py [ARGUMENT...]

Tests of daemons and of networks of namespaces wait most of the time. They run one after another in a lane of their own, beside
the programs that need the processors. Those are idle jobs (SCHED_IDLE, see sched(7)), which any other process preempts at once:
a switch of a network of namespaces that is late sends a burst. The arguments go to every program, and its environment is that
of `cargo test`.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

WAITING = ["lab", "daemons", "live"]
# How the programs that need the processors are started, where util-linux has the command.
IDLE = ["chrt", "--idle", "0"] if shutil.which("chrt") else ["nice", "-n", "19"]
# Tests that hang must fail. All together take about a third of this; compiling, which depends most on the machine, is over.
LIMIT_S = 1800

STARTED = re.compile(r" +Running \S+ of (\S+) ")
# Anywhere in a line: the harness may have begun it.
SKIPPED = re.compile(r"\bSKIPPED: (.*)")
RESULT = re.compile(r"test result: .* (\d+) passed; (\d+) failed; (\d+) ignored;.* finished in ([\d.]+)s")


class Program:
    """A test program, from a message of cargo."""

    def __init__(self, message):
        self.target = message["target"]["name"]
        self.path = message["executable"]
        self.folder = pathlib.Path(message["manifest_path"]).parent
        self.crate = self.folder.relative_to(pathlib.Path.cwd()).as_posix()

    def start(self, wrapper, arguments, out):
        """Starts it with its output in `out`."""
        out.write(f"\n     Running {self.target} of {self.crate} ({self.path})\n".encode())
        out.flush()
        return subprocess.Popen(
            [*wrapper, self.path, *arguments],
            cwd=self.folder,
            env={**os.environ, "CARGO_MANIFEST_DIR": str(self.folder)},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )


class Lane(threading.Thread):
    """Programs that run one after another, with their output in one file."""

    def __init__(self, wrapper, programs, arguments):
        super().__init__(daemon=True)
        self.wrapper, self.programs, self.arguments = wrapper, programs, arguments
        self.out = tempfile.TemporaryFile()
        self.process, self.stopped, self.failed = None, False, []

    def run(self):
        for program in self.programs:
            if self.stopped:
                return
            self.process = program.start(self.wrapper, self.arguments, self.out)
            status = self.process.wait()
            if status != 0:
                late = f" did not end within {LIMIT_S} s" if self.stopped else f" (exit status {status})"
                self.failed.append(f"{program.target} of {program.crate}{late}")

    def stop(self):
        self.stopped = True
        if self.process:
            self.process.kill()

    def read(self, position):
        """Returns what was written from `position` on. The programs write at the offset of the file itself."""
        return os.pread(self.out.fileno(), 1 << 20, position)


class Counts:
    """Passed, failed and ignored tests and seconds of each crate, and what was skipped: its test and why."""

    def __init__(self):
        self.crate, self.of_crate, self.skipped = "?", {}, []

    def add(self, line):
        if started := STARTED.match(line):
            self.crate = started[1]
        elif skipped := SKIPPED.search(line):
            self.skipped.append(f"{self.crate}: {skipped[1]}")
        elif result := RESULT.match(line):
            counts = self.of_crate.setdefault(self.crate, [0, 0, 0, 0.0])
            for index in range(3):
                counts[index] += int(result[index + 1])
            counts[3] += float(result[4])

    def print(self):
        print(f"\n{'crate':<24}{'passed':>8}{'failed':>8}{'ignored':>8}{'seconds':>10}")
        sums = [sum(column) for column in zip(*self.of_crate.values())] or [0, 0, 0, 0.0]
        for name, row in [*sorted(self.of_crate.items(), key=lambda row: -row[1][3]), ("all", sums)]:
            print(f"{name:<24}{row[0]:>8}{row[1]:>8}{row[2]:>8}{row[3]:>10.1f}")
        for line in self.skipped:
            print(f"SKIPPED: {line}")
        if self.skipped:
            print(f"{len(self.skipped)} tests, or parts of tests, were SKIPPED: nothing of them was checked")


def programs(messages):
    found = []
    for line in messages:
        message = json.loads(line)
        if message["reason"] == "compiler-artifact" and message.get("executable") and message["profile"]["test"]:
            found.append(Program(message))
    return sorted(found, key=lambda program: (program.crate, program.target))


def show(lane, lanes, deadline, counts):
    """Copies the output of a lane to stdout as it comes, until the lane ends."""
    position, rest = 0, b""
    while True:
        ended = not lane.is_alive()
        text = lane.read(position)
        position += len(text)
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()
        *lines, rest = (rest + text).split(b"\n")
        for line in lines:
            counts.add(line.decode(errors="replace"))
        if ended and not text:
            return
        if time.monotonic() > deadline:
            for each in lanes:
                each.stop()
        if not text:
            lane.join(0.2)


def main():
    found, deadline = programs(sys.stdin), time.monotonic() + LIMIT_S
    busy = [program for program in found if program.target not in WAITING]
    waiting = sorted((p for p in found if p.target in WAITING), key=lambda p: WAITING.index(p.target))
    lanes = [Lane(IDLE, busy, sys.argv[1:]), Lane([], waiting, sys.argv[1:])]
    for lane in lanes:
        lane.start()
    counts = Counts()
    for lane in lanes:
        show(lane, lanes, deadline, counts)
    counts.print()
    failed = [name for lane in lanes for name in lane.failed]
    for name in failed:
        print(f"FAILED: {name}")
    sys.exit(1 if failed or not found else 0)


main()
