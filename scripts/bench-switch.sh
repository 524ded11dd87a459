#!/bin/sh
# Measures how many frames a second `harrier switch` forwards from port to port, over veth pairs in a network namespace
# of its own, which disappears with the script. Needs root.
#
#   scripts/bench-switch.sh [PROGRAM.p4]
#
# It builds in the development profile unless PROFILE=release is set. Sender, switch and receiver share the machine.
# The yardstick would be bmv2's simple_switch with the same program; Debian 12 has no package of it, so that its figure
# must be measured where it is installed.
set -eu
cd "$(dirname "$0")/.."
program=${1:-cli/tests/fixtures/switch/wire.p4}
profile=${PROFILE:-dev}
folder=debug
[ "$profile" = release ] && folder=release
cargo build --quiet --profile "$profile" -p harrier-cli
cargo build --quiet --profile "$profile" -p harrier-net --example throughput
export program folder
# shellcheck disable=SC2016 # The inner shell expands.
exec unshare --net sh -eu -c '
    ip link set lo up
    for n in 1 2; do
        ip link add h$n mtu 9216 type veth peer name p$n mtu 9216
        for name in h$n p$n; do
            ip link set $name addrgenmode none
            ip link set $name up
        done
    done
    throughput=target/$folder/examples/throughput
    sleep 1
    # Without a switch: two ends of one pair.
    echo "veth pair alone"
    for bytes in 64 1514; do $throughput h1 p1 $bytes 4; done
    target/$folder/harrier switch "$program" --listen 127.0.0.1:0 --port 1=p1@100G --port 2=p2@100G 2>&1 &
    switch=$!
    trap "kill $switch 2>/dev/null || true" EXIT
    sleep 2
    echo "harrier switch"
    for bytes in 64 512 1514; do $throughput h1 h2 $bytes 4; done
    echo "harrier switch, offered less than it forwards"
    for rate in 50000 100000; do $throughput h1 h2 1024 4 $rate; done
    kill $switch
    wait $switch || true
'
