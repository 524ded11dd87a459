"""Measures what `harrier watch` costs: CPU and bytes of a poll of many SONiC switches over Redis.

    counters_cost.py HARRIER [SWITCHES [PORTS [INTERVAL_S [ROUNDS]]]]

A redis-server holds the databases of a switch with PORTS ports (default: 64), two lossless priorities each, made of a port that
`harrier run` has counted. Bytes and packets of all ports grow every second. A second server has the same, and pauses at one of its
ports. `harrier watch` polls them as SWITCHES switches (default: 1000) by different names every INTERVAL_S seconds (default: 10, so
that the servers keep up), one of 20 as the one with pauses. The CPU time of the watcher is read from /proc over ROUNDS intervals
(default: 3), all of them polls: names and settings are read before, and again a minute later.
"""

import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

DATABASES = {"APPL_DB": 0, "COUNTERS_DB": 2, "CONFIG_DB": 4, "FLEX_COUNTER_DB": 5, "STATE_DB": 6}
SCENARIO, SWITCH, PORT = "host-storm", "sw4", "Ethernet0"
# One of this many switches has a port with pauses.
PAUSED_ONE_OF = 20
# What grows every second: for about 1 % of the time the port is paused.
GROWTH = {"SAI_PORT_STAT_IF_OUT_OCTETS": 10**9, "SAI_PORT_STAT_IF_IN_OCTETS": 10**9, "SAI_QUEUE_STAT_PACKETS": 10**6,
          "SAI_QUEUE_STAT_BYTES": 10**9}
PAUSES = {"SAI_PORT_STAT_PFC_3_RX_PKTS": 100, "SAI_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US": 10_000}
# Bytes that this script has sent to and received from the server of each port of TCP.
OWN_BYTES = {}
# Places of the port's number in the ids of its port, queues and priority groups.
PORT_STRIDE = 0x1000


def widened(dumps, ports):
    """The databases with `ports` copies of one port instead of the ports of the dump."""
    counters = dumps["COUNTERS_DB"]
    names = {name: counters[name]["value"] for name in counters if name.startswith("COUNTERS_") and name.endswith("_MAP")}
    own = {names["COUNTERS_PORT_NAME_MAP"][PORT]}
    for table in ["COUNTERS_QUEUE_NAME_MAP", "COUNTERS_PG_NAME_MAP"]:
        own |= {oid for name, oid in names[table].items() if name.startswith(f"{PORT}:")}

    def at(oid, number):
        return f"oid:{int(oid.removeprefix('oid:'), 16) + number * PORT_STRIDE:#x}"

    wide = {name: {} for name in dumps}
    for number in range(ports):
        name = f"Ethernet{4 * number}"
        for table, entries in names.items():
            target = wide["COUNTERS_DB"].setdefault(table, {})
            for key, value in entries.items():
                if key.split(":")[0] == PORT:
                    target[key.replace(PORT, name, 1)] = at(value, number)
                elif key in own:
                    target[at(key, number)] = at(value, number) if value.startswith("oid:") else value
        for key, entry in counters.items():
            table, _, oid = key.partition(":")
            if oid in own:
                wide["COUNTERS_DB"][f"{table}:{at(oid, number)}"] = entry["value"]
        for database in ["APPL_DB", "CONFIG_DB", "STATE_DB"]:
            for key, entry in dumps[database].items():
                if key.endswith((f":{PORT}", f"|{PORT}")):
                    value = dict(entry["value"])
                    if key.startswith("PORT_QOS_MAP"):
                        value["pfc_enable"] = "3,4"
                    wide[database][key[: -len(PORT)] + name] = value
                elif not any(part.startswith("Ethernet") for part in key.replace("|", ":").split(":")):
                    wide[database][key] = entry["value"]
    return wide


def command(*words):
    return f"*{len(words)}\r\n" + "".join(f"${len(word.encode())}\r\n{word}\r\n" for word in words)


def ask(port, commands):
    """Sends commands and returns everything that is answered."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        request = "".join([*commands, command("QUIT")]).encode()
        connection.sendall(request)
        answer = b"".join(iter(lambda: connection.recv(1 << 20), b""))
    own = OWN_BYTES.setdefault(port, [0, 0])
    own[0] += len(request)
    own[1] += len(answer)
    return answer.decode(errors="replace")


def grow(port, counters, has_pauses, stopped):
    """Lets the counters grow every second."""
    while not stopped.wait(1):
        commands = [command("SELECT", str(DATABASES["COUNTERS_DB"]))]
        is_first = True
        for key, fields in counters.items():
            if key.startswith("COUNTERS:"):
                for field, growth in GROWTH.items():
                    if field in fields:
                        commands.append(command("HINCRBY", key, field, str(growth)))
                if has_pauses and is_first and next(iter(PAUSES)) in fields:
                    is_first = False
                    commands += [command("HINCRBY", key, field, str(growth)) for field, growth in PAUSES.items()]
        ask(port, commands)


def network_bytes(servers):
    """Bytes that the servers have received from others and sent to them."""
    totals = [0, 0]
    for _, port in servers:
        own = list(OWN_BYTES[port])
        answer = ask(port, [command("INFO", "stats")])
        lines = dict(line.split(":", 1) for line in answer.splitlines() if ":" in line)
        totals[0] += int(lines["total_net_input_bytes"]) - own[0]
        totals[1] += int(lines["total_net_output_bytes"]) - own[1]
    return totals


def cpu_s(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_bytes(pid):
    return int(pathlib.Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main():
    harrier, *numbers = sys.argv[1:]
    defaults = [1000, 64, 10, 3]
    switches, ports, interval_s, rounds = [int(n) for n in numbers] + defaults[len(numbers):]
    with tempfile.TemporaryDirectory() as folder:
        counted = pathlib.Path(folder) / "counted"
        subprocess.run([harrier, "run", SCENARIO, "--save-counters", counted], capture_output=True, check=True)
        reading = sorted((counted / SWITCH).iterdir())[0]
        dumps = {name: json.loads((reading / f"{name}.json").read_text(encoding="utf-8")) for name in DATABASES}
        stopped = threading.Event()
        servers, watch = [], None
        try:
            for has_pauses in [False, True]:
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", 0))
                    port = probe.getsockname()[1]
                redis = subprocess.Popen(
                    ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder],
                    stdout=subprocess.PIPE, text=True,
                )
                servers.append((redis, port))
                if not any("Ready to accept connections" in line for line in redis.stdout):
                    sys.exit("counters-cost: redis-server did not start")
                threading.Thread(target=redis.stdout.read, daemon=True).start()
                wide = widened(dumps, ports)
                for name, entries in wide.items():
                    words = [command("HSET", key, *(w for pair in value.items() for w in pair)) for key, value in entries.items()]
                    ask(port, [command("SELECT", str(DATABASES[name])), *words])
                threading.Thread(target=grow, args=(port, wide["COUNTERS_DB"], has_pauses, stopped), daemon=True).start()
            of = [servers[number % PAUSED_ONE_OF == 0][1] for number in range(switches)]
            addresses = [f"switch{number}=sonic://127.0.0.1:{port}" for number, port in enumerate(of)]
            watch = subprocess.Popen(
                [harrier, "watch", "--interval", f"{interval_s}s", *addresses], stderr=subprocess.PIPE, text=True
            )
            read = 0
            for line in watch.stderr:
                read += f": {ports} ports are read" in line
                if read == switches:
                    break
            threading.Thread(target=watch.stderr.read, daemon=True).start()
            # The second readings are the first with two ends of an interval.
            time.sleep(2 * interval_s)
            before, bytes_before = cpu_s(watch.pid), network_bytes(servers)
            time.sleep(rounds * interval_s)
            used, bytes_after = cpu_s(watch.pid) - before, network_bytes(servers)
            per_round = used / rounds
            sent, received = ((after - start) / rounds / switches for after, start in zip(bytes_after, bytes_before))
            print(f"{switches} switches of {ports} ports: {per_round:.2f} s of CPU a poll of all, "
                  f"{1000 * per_round / switches:.2f} ms, {sent / 1000:.1f} kB sent and {received / 1000:.1f} kB received a switch; "
                  f"{resident_bytes(watch.pid) / 1e6:.0f} MB resident")
        finally:
            stopped.set()
            for process in filter(None, [watch, *(redis for redis, _ in servers)]):
                process.kill()
                process.wait()


main()
