#!/usr/bin/env python3
"""Writes a store as the version that had its first N migrations has written it, as SQL text.

    store/tests/schemas/make.py N > store/tests/schemas/N.sql

Run it once when a schema is released; the text then stays as it is, so that a later change of a migration is noticed.
"""

import hashlib
import pathlib
import sqlite3
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[2]
# A body as the first version has written it, without the fields that came later.
DIAGNOSIS = (
    '{"id":"%s","time_ns":%d,"victim":"10.0.0.2:10000>10.0.0.4:4791/udp","anomaly":"flow_contention","cause":"incast",'
    '"summary":"an incast","confidence":0.75,"root_cause":{"port":"sw4:1","flows":[],"host":null,"config":[]},'
    '"pause_path":["sw4:1"],"loop":[],"spreaders":[],"victims":["10.0.0.2:10000>10.0.0.4:4791/udp"],"evidence":[],'
    '"missing":[],"advice":[],"verified":null,"collected":{"switches":1,"bytes":512,"polls":2}}'
)
SNAPSHOT = (
    '{"format":1,"event":1,"source":"harrier","victim":"10.0.0.2:10000>10.0.0.4:4791/udp","trigger":null,'
    '"epoch_ns":1048576,"switches":[],"missing":[],"polls":6}'
)


def rows(database: sqlite3.Connection, schema: int) -> None:
    wall = ", run, wall_ns, severity, precedence" if schema >= 3 else ""
    late = ", 0, 1700000000000000000, 'major', 1" if schema >= 3 else ""
    columns = ", run, severity, precedence, occurred_ns, start_wall_ns, update_wall_ns" if schema >= 3 else ""
    values = ", 0, 'major', 1, 10, 1700000000000000000, 1700000000000000000" if schema >= 3 else ""
    database.execute(
        f"INSERT INTO incidents (id, culprit, start_ns, update_ns, end_ns, count, diagnosis, confidence{columns}) "
        f"VALUES ('i-a', 'port sw4:1', 10, 20, 20, 2, 'b', 0.75{values})"
    )
    for name, time_ns in [("a", 10), ("b", 20)]:
        database.execute(
            "INSERT INTO diagnoses (id, time_ns, victim, src, dst, sport, dport, proto, anomaly, cause, confidence, "
            f"host, port, incident, body{wall}) VALUES (?, ?, '10.0.0.2:10000>10.0.0.4:4791/udp', '10.0.0.2', "
            f"'10.0.0.4', 10000, 4791, 17, 'flow_contention', 'incast', 0.75, NULL, 'sw4:1', 'i-a', ?{late})",
            (name, time_ns, DIAGNOSIS % (name, time_ns)),
        )
        graph = '{"nodes":[],"edges":[]}'
        database.execute("INSERT INTO graphs (diagnosis, body) VALUES (?, ?)", (name, graph))
    database.execute("INSERT INTO snapshots (id, time_ns, body) VALUES ('a', 10, ?)", (SNAPSHOT,))
    if schema >= 2:
        database.execute("INSERT INTO facts (name, value) VALUES ('zero_ns', 5000), ('time_scale', 1)")
        database.execute("INSERT INTO sources VALUES ('agent/h1', 'boot', 7, 0, 1700000000000000000)")
        database.execute(
            "INSERT INTO reports VALUES ('agent/h1', 'boot', 7, 'counters', 1, NULL, 0, 1700000000000000000, '{}')"
        )
        database.execute("INSERT INTO inbox VALUES (1, 'controller/c1', 'boot', 1, 1, NULL, 0, 1, x'0102')")
    if schema >= 3:
        database.execute("INSERT INTO occurrences VALUES ('i-a', 1, 10, 20, 1700000000000000000, 1700000000000000000)")
        database.execute("INSERT INTO incident_ports VALUES ('i-a', 'sw4:1', 20)")
        database.execute(
            "INSERT INTO incident_flows VALUES ('i-a', '10.0.0.2:10000>10.0.0.4:4791/udp', '10.0.0.2', '10.0.0.4', 1, 0)"
        )
    if schema >= 6:
        database.execute("UPDATE incidents SET victims = '10.0.0.2:10000>10.0.0.4:4791/udp', victim_count = 1")
    if schema >= 7:
        database.execute(
            "INSERT INTO port_series VALUES (1000000000, 1700000000000000000, 'sw4:1', 20, 1, 100, 40, 8, 1000, 500, 500)"
        )
    if schema >= 8:
        database.execute("INSERT INTO webhooks VALUES ('w', 1700000000000000000)")
        database.execute("INSERT INTO webhook_waiting VALUES ('w', 3, '{}')")
        database.execute("INSERT INTO webhook_firing VALUES ('w', 'i-a', '{}')")
    if schema >= 9:
        database.execute(
            "INSERT INTO flow_series VALUES (1000000000, 1700000000000000000, '10.0.0.2:10000>10.0.0.4:4791/udp', 20, 1, "
            "1048576, 40, 4000, 8, 2, 1, 30000, 30000, 9000)"
        )
    if schema >= 4:
        judged = ", 'b', NULL" if schema >= 11 else ""
        database.execute(f"INSERT INTO notes VALUES ('i-a', 1, 1700000000000000000, 'eve', NULL, 'right', 'seen'{judged})")
        database.execute("UPDATE incidents SET feedback = 'right'")


def main() -> None:
    schema = int(sys.argv[1])
    database = sqlite3.connect(":memory:")
    # The table of sqlx, which holds a checksum of each migration.
    database.execute(
        "CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL, installed_on TIMESTAMP "
        "NOT NULL DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL, checksum BLOB NOT NULL, execution_time BIGINT "
        "NOT NULL)"
    )
    for path in sorted((FOLDER / "migrations").glob("*.sql"))[:schema]:
        number, name = path.stem.split("_", 1)
        database.executescript(path.read_text())
        database.execute(
            "INSERT INTO _sqlx_migrations VALUES (?, ?, '2026-01-01 00:00:00', TRUE, ?, 1)",
            (int(number), name.replace("_", " "), hashlib.sha384(path.read_bytes()).digest()),
        )
    rows(database, schema)
    database.commit()
    print(f"-- A store with schema {schema}, written by make.py.")
    # The tables come in the order of their names, so that a row may come before the one that it refers to.
    print("PRAGMA foreign_keys = OFF;")
    print("\n".join(database.iterdump()))


main()
