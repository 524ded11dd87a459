#!/usr/bin/env python3
"""Lets a Prometheus scrape a running server with the shipped rules, and evaluates every panel of the dashboard there.

    scripts/monitoring_live.py PROMETHEUS http://127.0.0.1:8080

PROMETHEUS is the program. The server has an open critical incident. Checked: every rule is evaluated without an error, the alert about
stopped traffic fires, every query of grafana.json is one, and those of which the server has all metrics return series.
"""

import contextlib
import json
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

MONITORING = pathlib.Path(__file__).resolve().parents[1] / "deploy" / "monitoring"
CONFIG = """
global: {{ scrape_interval: 1s, evaluation_interval: 1s }}
rule_files: [{rules}]
scrape_configs:
  - job_name: harrier
    static_configs: [{{ targets: ["{target}"] }}]
"""
# A rate needs two scrapes; the rest is for a busy machine.
LIMIT_S = 90


def get(url: str) -> dict:
    """The JSON of an answer, also of one that reports an error."""
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        return json.load(error)


def free_port() -> int:
    """A port on which nothing listens."""
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def expressions() -> list[str]:
    """The queries of the dashboard, of all jobs."""
    found: list[str] = []

    def search(value: object) -> None:
        if isinstance(value, dict):
            if isinstance(value.get("expr"), str):
                found.append(value["expr"].replace("$job", ".*"))
            for part in value.values():
                search(part)
        elif isinstance(value, list):
            for part in value:
                search(part)

    search(json.loads((MONITORING / "grafana.json").read_text()))
    return found


def metrics_of(server: str) -> set[str]:
    """The names of the series that the server has."""
    request = urllib.request.Request(f"{server}/metrics", headers={"accept": "text/plain;version=0.0.4"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        lines = answer.read().decode().splitlines()
    return {re.split(r"[{ ]", line)[0] for line in lines if line and not line.startswith("#")}


def problems(prometheus: str, server: str) -> list[str]:
    """What is wrong now."""
    wrong = []
    groups = get(f"{prometheus}/api/v1/rules")["data"]["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    recorded = {rule["name"] for rule in rules if rule["type"] == "recording"}
    if not rules:
        wrong.append("there are no rules")
    for rule in rules:
        if rule["health"] != "ok":
            wrong.append(f"rule {rule['name']}: {rule['health']} {rule.get('lastError', '')}")
    firing = [rule["name"] for rule in rules if rule.get("state") == "firing"]
    if "HarrierTrafficStopped" not in firing:
        wrong.append(f"HarrierTrafficStopped does not fire; these do: {firing}")
    known = metrics_of(server) | recorded
    for expression in expressions():
        query = urllib.parse.urlencode({"query": expression})
        answer = get(f"{prometheus}/api/v1/query?{query}")
        if answer["status"] != "success":
            wrong.append(f"`{expression}`: {answer['error']}")
            continue
        names = set(re.findall(r"\b(?:harrier|process)[a-z_:0-9]*", expression))
        if names <= known and not answer["data"]["result"]:
            wrong.append(f"`{expression}` returns nothing, although the server has {', '.join(sorted(names))}")
    return wrong


def main() -> int:
    program, server = sys.argv[1:]
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder, "prometheus.yml")
        rules = json.dumps(str(MONITORING / "harrier.rules.yml"))
        config.write_text(CONFIG.format(rules=rules, target=urllib.parse.urlparse(server).netloc))
        log = pathlib.Path(folder, "log")
        arguments = [
            program,
            f"--config.file={config}",
            f"--storage.tsdb.path={folder}/data",
            f"--web.listen-address=127.0.0.1:{port}",
        ]
        with log.open("w") as out, subprocess.Popen(arguments, stdout=out, stderr=out) as process:
            try:
                end = time.monotonic() + LIMIT_S
                wrong = ["Prometheus does not answer"]
                while wrong and time.monotonic() < end and process.poll() is None:
                    time.sleep(1)
                    with contextlib.suppress(urllib.error.URLError, ConnectionError, TimeoutError):
                        wrong = problems(f"http://127.0.0.1:{port}", server)
            finally:
                process.terminate()
        if wrong == ["Prometheus does not answer"]:
            wrong.append(log.read_text())
    for problem in wrong:
        print(f"monitoring: {problem}", file=sys.stderr)
    if not wrong:
        print(f"monitoring: Prometheus evaluates the rules and {len(expressions())} queries of the dashboard")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
