"""Watches simulated SONiC switches with `harrier watch` and counts the runs whose gravest verdict names the right port or host.

    counters_acceptance.py HARRIER SONIC_SWITCH FIRST_SEED RUNS [JOBS]

For every scenario and seed, a simulated run writes what its switches count, with the ground truth of the independent judge. Then
every second switch is a redis-server with these databases and every other one a gNMI server, which are brought from reading to
reading together, and `harrier watch` reads them every second. The root host of the ground truth must be named or, without
one, the root port. Exit status 1: fewer than 95 % of the runs are right.
"""

import concurrent.futures
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

SCENARIOS = ["host-storm", "incast-backpressure", "slow-receiver", "deadlock-in-loop"]
DATABASES = {"APPL_DB": 0, "COUNTERS_DB": 2, "CONFIG_DB": 4, "FLEX_COUNTER_DB": 5, "STATE_DB": 6}
# `harrier watch` polls at this interval, and switches show the next reading after it.
INTERVAL_S = 1
# Intervals after the last reading in which verdicts may begin.
ROUNDS_AFTER = 3
# No step takes longer, even on a busy machine.
DEADLINE_S = 90
SEVERITIES = ["info", "minor", "major", "critical"]

# Ports that are tried for a server.
ATTEMPTS = 5


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class RedisSwitch:
    """A redis-server with the databases of a switch."""

    def __init__(self, readings, folder):
        self.readings = readings
        # Another job may take a free port before the server has it.
        for _ in range(ATTEMPTS):
            self.port = free_port()
            arguments = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder]
            self.process = subprocess.Popen(["redis-server", *arguments], stdout=subprocess.PIPE, text=True)
            if any("Ready to accept connections" in line for line in self.process.stdout):
                break
        else:
            raise RuntimeError("redis-server did not start")
        threading.Thread(target=self.process.stdout.read, daemon=True).start()
        self.address = f"sonic://127.0.0.1:{self.port}"
        self.show(0)

    def show(self, number):
        """Writes a reading, each database in one transaction."""
        commands = []
        for name, database in DATABASES.items():
            entries = json.loads((self.readings[number] / f"{name}.json").read_text(encoding="utf-8"))
            commands += [["SELECT", str(database)], ["MULTI"]]
            for key, entry in entries.items():
                commands.append(["HSET", key, *(word for pair in entry["value"].items() for word in pair)])
            commands.append(["EXEC"])
        commands.append(["QUIT"])
        words = (f"*{len(command)}\r\n" + "".join(f"${len(w.encode())}\r\n{w}\r\n" for w in command) for command in commands)
        with socket.create_connection(("127.0.0.1", self.port), DEADLINE_S) as connection:
            connection.sendall("".join(words).encode())
            while connection.recv(1 << 20):
                pass


class GnmiSwitch:
    """The simulated gNMI server with the databases of a switch."""

    def __init__(self, binary, readings):
        port = free_port()
        self.process = subprocess.Popen(
            [binary, f"127.0.0.1:{port}", *map(str, readings)],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True,
        )
        self.address = f"gnmi://127.0.0.1:{port}"

    def show(self, _):
        """Shows the next reading."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()


def watched(harrier, switches, readings):
    """The verdicts of `harrier watch` while the switches go through their readings."""
    rounds = str(DEADLINE_S // INTERVAL_S)
    command = [harrier, "watch", "--json", "--interval", f"{INTERVAL_S}s", "--rounds", rounds]
    watch = subprocess.Popen(
        command + [switch.address for switch in switches], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        read = 0
        for line in watch.stderr:
            read += "ports are read" in line
            if read == len(switches):
                break
        threading.Thread(target=watch.stderr.read, daemon=True).start()
        time.sleep(INTERVAL_S)
        for number in range(1, readings):
            for switch in switches:
                switch.show(number)
            time.sleep(INTERVAL_S)
        time.sleep(ROUNDS_AFTER * INTERVAL_S)
    finally:
        watch.terminate()
        lines = watch.stdout.read().splitlines()
        watch.wait()
    events = [json.loads(line) for line in lines if line.endswith("}")]
    return [event["diagnosis"] for event in events if event["event"] != "ends"]


def judged(harrier, sonic_switch, scenario, seed):
    """Whether a run is judged right, and what was expected and found."""
    with tempfile.TemporaryDirectory() as folder:
        counted = pathlib.Path(folder) / "counted"
        run = subprocess.run(
            [harrier, "run", scenario, "--seed", str(seed), "--json", "--save-counters", counted],
            capture_output=True, text=True, check=False,
        )
        truth = json.loads(run.stdout)["ground_truth"]["root_cause"]
        by_switch = [sorted(switch.iterdir()) for switch in sorted(counted.iterdir())]
        readings = min(len(own) for own in by_switch)
        switches = []
        try:
            for number, own in enumerate(by_switch):
                is_redis = number % 2 == 0
                switches.append(RedisSwitch(own, folder) if is_redis else GnmiSwitch(sonic_switch, own))
            verdicts = watched(harrier, switches, readings)
        finally:
            for switch in switches:
                switch.process.kill()
                switch.process.wait()
    gravest = max(verdicts, key=lambda v: (SEVERITIES.index(v["severity"]), v["confidence"]), default=None)
    place = "host" if truth["host"] else "port"
    found = gravest and gravest["root_cause"][place]
    shown = gravest and f'{gravest["anomaly"]} at {gravest["root_cause"]["port"]} {gravest["root_cause"]["host"]}'
    return found == truth[place], f"{truth[place]}, found {shown} of {len(verdicts)}"


def main():
    harrier, sonic_switch, first, runs, *jobs = sys.argv[1:]
    seeds = range(int(first), int(first) + int(runs))
    all_right = 0
    with concurrent.futures.ThreadPoolExecutor(int(jobs[0]) if jobs else 4) as pool:
        for scenario in SCENARIOS:
            results = pool.map(lambda seed, scenario=scenario: judged(harrier, sonic_switch, scenario, seed), seeds)
            right = 0
            for seed, (is_right, text) in zip(seeds, results):
                right += is_right
                if not is_right:
                    print(f"{scenario} --seed {seed}: expected {text}", file=sys.stderr)
            print(f"{scenario}: {right} of {len(seeds)}", flush=True)
            all_right += right
    total = len(SCENARIOS) * len(seeds)
    print(f"all: {all_right} of {total}")
    sys.exit(all_right < 0.95 * total)


main()
