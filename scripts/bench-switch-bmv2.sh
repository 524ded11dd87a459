#!/bin/sh
# Compares how many frames a second `harrier switch` and bmv2's simple_switch forward from port to port, over veth pairs in a
# network namespace of its own, which disappears with the script. Both run the same program in the JSON of bmv2. Needs root.
#
#   scripts/bench-switch-bmv2.sh SIMPLE_SWITCH [ROUNDS [PROGRAM.json]]
#
# SIMPLE_SWITCH is the best build of it: CMAKE_BUILD_TYPE=Release, CMAKE_CXX_FLAGS=-O3, without logging macros, event logger and
# debugger. SIMPLE_SWITCH_SETUP is a command that sets it up once it runs, e.g. its CLI, which sets the depth of its queues: the
# default of 64 packets loses most of what arrives in batches. Each round measures both, one after the other, with frames of
# 64, 512 and 1514 bytes as fast as one sender can; the last lines are the medians. HARRIER=PATH measures a binary that exists,
# otherwise the release profile is built.
set -eu
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || {
    echo "usage: $0 SIMPLE_SWITCH [ROUNDS [PROGRAM.json]]" >&2
    exit 2
}
simple_switch=$1
rounds=${2:-5}
program=${3:-cli/tests/fixtures/switch/wire.json}
if [ -z "${HARRIER:-}" ]; then
    cargo build --quiet --locked --release -p harrier-cli
    HARRIER=target/release/harrier
fi
cargo build --quiet --locked --release -p harrier-net --example throughput
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
export HARRIER simple_switch rounds program results
# shellcheck disable=SC2016 # The inner shell expands.
unshare --net --mount sh -eu -c '
    # simple_switch looks for the state of interfaces here.
    mount -t sysfs sysfs /sys
    ip link set lo up
    for n in 1 2; do
        ip link add h$n mtu 9216 type veth peer name p$n mtu 9216
        for name in h$n p$n; do
            ip link set $name addrgenmode none
            ip link set $name up
        done
    done
    switch=
    trap "kill \$switch 2>/dev/null || true" EXIT
    start() {
        case $1 in
            harrier) $HARRIER switch "$program" --listen 127.0.0.1:0 --port 1=p1@100G --port 2=p2@100G >/dev/null 2>&1 & ;;
            simple_switch) $simple_switch -i 1@p1 -i 2@p2 "$program" >/dev/null 2>&1 & ;;
        esac
        switch=$!
        sleep 2
        if [ "$1" = simple_switch ]; then sh -c "${SIMPLE_SWITCH_SETUP:-true}" >/dev/null; fi
    }
    for round in $(seq "$rounds"); do
        for kind in harrier simple_switch; do
            start $kind
            for bytes in 64 512 1514; do
                line=$(target/release/examples/throughput h1 h2 $bytes 3)
                echo "$kind, $line"
                received=$(echo "$line" | sed "s/.*received \([0-9]*\).*/\1/")
                echo "$bytes,$kind,$received" >>"$results/all"
            done
            kill $switch
            wait $switch || true
            switch=
        done
    done
'
# The middle one of the sorted rounds of each size and switch.
sort -t, -k1,1n -k2,2 -k3,3n "$results/all" | awk -F, -v rounds="$rounds" '
    { at[$1, $2, ++count[$1, $2]] = $3; sizes[$1] }
    END {
        middle = int((rounds + 1) / 2)
        for (bytes in sizes) {
            ours = at[bytes, "harrier", middle]
            theirs = at[bytes, "simple_switch", middle]
            printf "%s B: harrier %d frames/s, simple_switch %d frames/s, ratio %.1f\n", bytes, ours, theirs, ours / theirs
        }
    }' | sort -n
