#!/bin/sh
# Measures what a host that floods a switch with polling packets costs the switch and its controller, in the long run: the
# packets cross a veth pair in a network namespace of its own, which disappears with the script. Needs root.
#
#   scripts/bench-polls.sh [PACKETS_PER_SECOND...]     # 500 by default
#
# It builds in the development profile unless PROFILE=release is set; HARRIER=PATH measures a binary that exists. The goal is
# 5 % of a core. All processes share the machine.
set -eu
cd "$(dirname "$0")/.."
profile=${PROFILE:-dev}
folder=debug
[ "$profile" = release ] && folder=release
if [ -z "${HARRIER:-}" ]; then
    cargo build --quiet --locked --profile "$profile" -p harrier-cli
    HARRIER=target/$folder/harrier
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/topology.json" <<'JSON'
{
  "nodes": [
    {"name": "h1", "kind": "host", "addresses": ["10.0.0.1"]},
    {"name": "h2", "kind": "host", "addresses": ["10.0.0.2"]},
    {"name": "sw1", "kind": "switch"}
  ],
  "links": [
    {"a": "h1:1", "b": "sw1:1", "rate": 1000000000, "delay": 1000000},
    {"a": "h2:1", "b": "sw1:2", "rate": 1000000000, "delay": 1000000}
  ]
}
JSON
# Each packet asks about an event of its own: the switch remembers events that it has seen.
cat >"$work/flood.py" <<'PYTHON'
import socket
import sys
import time

rate, seconds = int(sys.argv[1]), float(sys.argv[2])
port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
port.bind(("h1", 0))
# The polling packet of docs/agent.md, for 10.0.0.1:10000 > 10.0.0.2:4791; the event is at byte 18.
packet = bytes.fromhex(
    "ffffffffffff02000000000188b51110031100006d9c00000000000000000000ffff0a00000100000000000000000000ffff0a000002271012b70000"
).ljust(60, b"\0")
start, sent = time.time(), 0
while time.time() - start < seconds:
    due = (time.time() - start) * rate
    while sent < due:
        event = 0x70000000 + sent
        port.send(packet[:18] + event.to_bytes(4, "big") + packet[22:])
        sent += 1
    time.sleep(0.0005)
PYTHON
export HARRIER work
# shellcheck disable=SC2016 # The inner shell expands.
unshare --net sh -eu -c '
    ip link set lo up
    for number in 1 2; do
        ip link add h$number type veth peer name p$number
        for name in h$number p$number; do
            ip link set $name addrgenmode none
            ip link set $name up
        done
    done
    sleep 1
    $HARRIER switch --no-program --port 1=p1@1G --port 2=p2@1G --listen 127.0.0.1:9559 >"$work/switch" 2>&1 &
    switch=$!
    $HARRIER controller --name c1 --topology "$work/topology.json" --switches sw1=127.0.0.1:9559/1 --spool "$work/spool" \
        --health-listen 127.0.0.1:9561 --lldp-interval-s 3600 >"$work/controller" 2>&1 &
    controller=$!
    trap "kill $switch $controller 2>/dev/null || true" EXIT
    tick_per_s=$(getconf CLK_TCK)
    cpu_ticks() { awk "{print \$14 + \$15}" /proc/$1/stat; }
    events() { grep -c "collected event" "$work/controller" || true; }
    sleep 8
    for rate in "$@"; do
        # Before the figures begin, what the switch accepts at once is used up.
        python3 "$work/flood.py" "$rate" 75 &
        flood=$!
        sleep 40
        switch_before=$(cpu_ticks $switch) controller_before=$(cpu_ticks $controller) events_before=$(events)
        sleep 30
        switch_ticks=$(($(cpu_ticks $switch) - switch_before))
        controller_ticks=$(($(cpu_ticks $controller) - controller_before))
        echo "$rate polling packets/s: $((switch_ticks * 100 / tick_per_s / 30)) % of a core in the switch," \
            "$((controller_ticks * 100 / tick_per_s / 30)) % in the controller, $(($(events) - events_before)) events in 30 s"
        wait $flood
    done
    kill $controller $switch
    wait || true
' bench-polls "${@:-500}"
