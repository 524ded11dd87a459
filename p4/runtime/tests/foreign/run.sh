#!/bin/sh
# Runs foreign P4Runtime clients against the example server:
#
#   p4/runtime/tests/foreign/run.sh SERVER P4INFO [DIRECTORY]
#
# SERVER and P4INFO are the built examples `p4runtime_server` and `p4info`; the virtual environments live in DIRECTORY
# (default: target/foreign-clients) and are made when they are missing. The two clients need different versions of
# protobuf, so each has an environment of its own.
set -eu

server=$1
p4info=$2
here=$(cd "$(dirname "$0")" && pwd)
directory=${3:-target/foreign-clients}
mkdir -p "$directory"

environment() {
    if [ ! -x "$directory/$1/bin/python" ]; then
        python3 -m venv "$directory/$1"
    fi
    if [ ! -e "$directory/$1/installed" ]; then
        "$directory/$1/bin/pip" install --quiet "$2"
        touch "$directory/$1/installed"
    fi
}

environment finsy finsy==0.30.0
environment shell p4runtime-shell==0.0.6

"$p4info" "$here/l2.p4" > "$directory/l2.p4info.txtpb"
"$server" 127.0.0.1:0 1 > "$directory/server.log" 2>&1 &
pid=$!
trap 'kill $pid 2> /dev/null || true' EXIT
tries=0
while ! grep -q '^listening on' "$directory/server.log"; do
    tries=$((tries + 1))
    if [ $tries -gt 100 ]; then
        echo "the server does not start:" >&2
        cat "$directory/server.log" >&2
        exit 1
    fi
    sleep 0.1
done
port=$(sed -n 's/^listening on .*://p' "$directory/server.log")

echo "finsy:"
timeout 120 "$directory/finsy/bin/python" "$here/with_finsy.py" "$port" "$directory/l2.p4info.txtpb" "$here/l2.p4"
echo "p4runtime-shell:"
timeout 120 "$directory/shell/bin/python" "$here/with_shell.py" "$port" "$directory/l2.p4info.txtpb" "$here/l2.p4"
