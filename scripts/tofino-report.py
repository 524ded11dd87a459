#!/usr/bin/env python3
"""Compiles the telemetry programs for Tofino and prints the resources that they use (docs/tofino.md).

    P4C=.../bin/p4c scripts/tofino-report.py [--stages]

P4C is the driver of a p4c with its Tofino back end; p4c-barefoot and the assembler bfas are in the same folder. `--stages` adds a table
of the stages of each chip. The compiler's output goes to a temporary folder, which is kept if a program fails.
Exit status: 1 if a program does not compile or assemble, 2 without a compiler.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = [
    ("Tofino 1", "tofino", "tna", "hawkeye_tna"),
    ("Tofino 2", "tofino2", "t2na", "hawkeye_t2na"),
]
# Names of the report, and where resources.json lists the units of a stage.
RESOURCES = [
    ("logical tables", "logical_tables", "ids"),
    ("SRAM blocks", "rams", "srams"),
    ("map RAM blocks", "map_rams", "maprams"),
    ("TCAM blocks", "tcams", "tcams"),
    ("hash bits", "hash_bits", "bits"),
    ("hash distribution units", "hash_distribution_units", "units"),
    ("gateways", "gateways", "gateways"),
    ("stateful ALUs", "meter_alus", "meters"),
    ("meter and selector ALUs", "meter_alus", "meters"),
    ("counter ALUs", "statistic_alus", "stats"),
]


def fail(status, message):
    print(f"tofino-report: {message}", file=sys.stderr)
    sys.exit(status)


def compile_program(p4c, target, arch, name, folder):
    """The folder with the reports of a program that was compiled and assembled."""
    # -g writes the reports.
    command = [p4c, "-g", "--target", target, "--arch", arch, "-o", str(folder)]
    command.append(f"p4/hawkeye/tofino/{name}.p4")
    run = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    # The assembler alone checks the limits of the chip, and writes the binary only if it succeeds.
    if run.returncode != 0 or not list(folder.glob("pipe/*.bin")):
        fail(1, f"{' '.join(command)}\n{run.stdout}")
    assembly = (folder / "pipe" / f"{name}.bfa").read_text()
    # The first headers of both parsers are selected by bytes of the packet.
    for parser in re.findall(r"^parser \w+:$.*?^deparser", assembly, re.MULTILINE | re.DOTALL):
        if not re.search(r"match: \[ (byte|half)", parser):
            fail(1, "this p4c drops the match of parser states; use one with pull request 5753 of p4lang/p4c")
    return folder / "pipe" / "logs"


def count(stage, name, group, units):
    """The units of a resource that a stage uses."""
    found = stage[group][units]
    if group == "meter_alus":
        # Registers, meters and action selectors share these ALUs.
        stateful = [unit for unit in found if any(use["used_for"] == "stateful_ram" for use in unit["usages"])]
        return len(stateful) if name == "stateful ALUs" else len(found) - len(stateful)
    return len(found)


def read_report(logs):
    """The stages, each with its units by name, and the cycles of ingress and egress."""
    mau = json.loads((logs / "resources.json").read_text())["resources"]["mau"]
    stages = sorted(mau["mau_stages"], key=lambda stage: stage["stage_number"])
    used = [{name: count(stage, name, group, units) for name, group, units in RESOURCES} for stage in stages]
    while used and not any(used[-1].values()):
        used.pop()
    latency = json.loads((logs / "power.json").read_text())["total_latency"]
    return used, {entry["gress"]: entry["latency"] for entry in latency}


def print_row(cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def print_header(cells):
    print_row(cells)
    print("|" + "---|" * len(cells))


def main():
    arguments = sys.argv[1:]
    if arguments not in ([], ["--stages"]):
        fail(2, "usage: P4C=.../bin/p4c scripts/tofino-report.py [--stages]")
    p4c = shutil.which(os.environ.get("P4C", ""))
    if p4c is None:
        fail(2, "P4C does not name a compiler: set it to the path of a p4c that was built with its Tofino back end")
    output = pathlib.Path(tempfile.mkdtemp(prefix="tofino-report-"))
    reports = []
    for chip, target, arch, name in PROGRAMS:
        reports.append((chip, *read_report(compile_program(p4c, target, arch, name, output / target))))
    version = subprocess.run([p4c, "--version"], text=True, stdout=subprocess.PIPE).stdout.strip()
    print(version.splitlines()[-1] if version else "p4c")
    print_header(["resource"] + [chip for chip, _, _ in reports])
    print_row(["stages"] + [len(stages) for _, stages, _ in reports])
    for name, _, _ in RESOURCES:
        print_row([name] + [sum(stage[name] for stage in stages) for _, stages, _ in reports])
    for gress in ("ingress", "egress"):
        print_row([f"{gress} latency, cycles"] + [latency[gress] for _, _, latency in reports])
    if arguments:
        names = [name for name, _, _ in RESOURCES]
        for chip, stages, _ in reports:
            print(f"\n{chip}")
            print_header(["stage"] + names)
            for number, stage in enumerate(stages):
                print_row([number] + [stage[name] for name in names])
    shutil.rmtree(output)


if __name__ == "__main__":
    main()
