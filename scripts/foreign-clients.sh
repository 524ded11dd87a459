#!/usr/bin/env bash
# Runs third-party P4Runtime clients (finsy, p4runtime-shell) against `harrier switch`.
#
#   scripts/foreign-clients.sh [HARRIER]
#
# HARRIER is the binary (default: the result of `cargo build -p harrier-cli`).
set -euo pipefail
cd "$(dirname "$0")/.."

harrier=${1:-${CARGO_TARGET_DIR:-target}/debug/harrier}
scripts=p4/runtime/tests/foreign
work=$(mktemp -d)
server=
finish() {
    if [ -n "$server" ]; then
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap finish EXIT

start() { # start NAME: a switch for one client; ports 1 and 2 are connected, and 3 and 4
    "$harrier" switch --no-program --listen 127.0.0.1:0 --device-id 1 --ports 8 --cable 1:2 --cable 3:4 \
        >"$work/$1.out" 2>"$work/$1.err" &
    server=$!
    local tries=0
    until grep -q '^listening on' "$work/$1.out"; do
        tries=$((tries + 1))
        if [ "$tries" -gt 200 ] || ! kill -0 "$server" 2>/dev/null; then
            echo "foreign-clients: the switch did not start:" >&2
            cat "$work/$1.out" "$work/$1.err" >&2
            exit 1
        fi
        sleep 0.05
    done
    port=$(sed -n 's/^listening on .*://p' "$work/$1.out")
}

stop() { # stop: SIGTERM must end the switch with status 0
    kill -TERM "$server"
    wait "$server" || {
        echo "foreign-clients: the switch did not exit with status 0" >&2
        exit 1
    }
    server=
}

client() { # client NAME SCRIPT
    echo "$1:"
    start "$1"
    timeout 180 ".tools/$1/bin/python" "$scripts/$2" "$port" "$work/l2.p4info.txtpb" "$scripts/l2.p4" || {
        echo "foreign-clients: $1 failed; output of the switch:" >&2
        cat "$work/$1.out" "$work/$1.err" >&2
        exit 1
    }
    stop
}

./scripts/tools.sh finsy p4runtime-shell
"$harrier" p4 info "$scripts/l2.p4" >"$work/l2.p4info.txtpb"
client finsy with_finsy.py
client p4runtime-shell with_shell.py
