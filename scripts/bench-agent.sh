#!/bin/sh
# Measures what the capture of `harrier agent` costs, the kernel's part included: RoCEv2 data and acknowledgements cross a
# veth pair in a network namespace of its own, which disappears with the script. Needs root.
#
#   scripts/bench-agent.sh [FRAMES_PER_SECOND...]     # 50,000 by default
#
# It builds in the development profile unless PROFILE=release is set; HARRIER=PATH measures a binary that exists. The goal is
# 2 % of a core at 50,000 frames a second. Sender and agent share the machine.
set -eu
cd "$(dirname "$0")/.."
profile=${PROFILE:-dev}
folder=debug
[ "$profile" = release ] && folder=release
if [ -z "${HARRIER:-}" ]; then
    cargo build --quiet --locked --profile "$profile" -p harrier-cli
    HARRIER=target/$folder/harrier
fi
cargo build --quiet --locked --profile "$profile" -p harrier-host-agent --features linux --example capture_cost
spool=$(mktemp -d)
trap 'rm -rf "$spool"' EXIT
export HARRIER folder spool
# shellcheck disable=SC2016 # The inner shell expands.
unshare --net sh -eu -c '
    ip link set lo up
    ip link add h1 mtu 9000 type veth peer name p1 mtu 9000
    for name in h1 p1; do
        ip link set $name addrgenmode none
        ip link set $name up
    done
    ip address add 10.0.0.1/24 dev h1
    sleep 1
    # Only the capture: scheduling makes round trips of a veth pair vary, and no poll is to be sent for that.
    $HARRIER agent --name h1 --interface h1 --spool "$spool" --health-listen 127.0.0.1:9999 --lldp-interval-s 0 \
        --counters-interval-ms 0 --host-report-interval-s 0 --min-excess-ns 10000000000 \
        --min-silence-ns 60000000000 >/dev/null 2>&1 &
    agent=$!
    trap "kill $agent 2>/dev/null || true" EXIT
    sleep 2
    for rate in "$@"; do
        target/$folder/examples/capture_cost h1 p1 $rate 10 $agent
    done
    sleep 2
    curl -s http://127.0.0.1:9999/metrics | grep "^harrier_agent_capture" || true
    kill $agent
    wait $agent || true
' bench-agent "${@:-50000}"
