#!/usr/bin/env bash
# Latency of REST reads while diagnoses are written: median and 99th percentile for each route, with `wrk` (Debian: wrk).
#
#   scripts/bench-rest.sh [DIAGNOSES] [WRITTEN_PER_SECOND]         # 100000 1000
#
# SECONDS_EACH (10) and CONNECTIONS (4) change the load, PROFILE (release) the build, SCRATCH the folder of the database.
# wrk requests as fast as answers arrive, so the figures are those of a server without a spare core.
set -euo pipefail
cd "$(dirname "$0")/.."
diagnoses=${1:-100000}
rate=${2:-1000}
seconds=${SECONDS_EACH:-10}
connections=${CONNECTIONS:-4}
profile=${PROFILE:-release}
command -v wrk >/dev/null || {
    echo "bench-rest: wrk is missing; install the package wrk" >&2
    exit 2
}
cargo build --quiet --locked --profile "$profile" -p harrier-web --example load
folder=$profile
[ "$profile" = dev ] && folder=debug
work=$(mktemp -d "${SCRATCH:-/tmp}/harrier-rest.XXXXXX")
"${CARGO_TARGET_DIR:-target}/$folder/examples/load" "$work" "$diagnoses" "$rate" >"$work/log" &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
value() { sed -n "s/^$1=//p" "$work/log" | tail -1; }
until [ -n "$(value incident)" ]; do
    kill -0 "$server" || {
        echo "bench-rest: the server ended" >&2
        exit 2
    }
    sleep 1
done
echo "$diagnoses diagnoses stored ($(value fill_per_s) a second), then $rate a second offered; $connections connections, $seconds s each, profile $profile"
printf '%-52s %9s %9s %12s %8s\n' route p50 p99 requests/s errors
routes=(
    '/api/v1/incidents?limit=50'
    '/api/v1/incidents?open=true&limit=50'
    "/api/v1/incidents/$(value incident)"
    '/api/v1/diagnoses?limit=50&view=summary'
    '/api/v1/diagnoses?limit=50'
    "/api/v1/diagnoses/$(value diagnosis)"
    "/api/v1/diagnoses/$(value diagnosis)/graph"
)
for route in "${routes[@]}"; do
    wrk --threads 1 --connections "$connections" --duration "${seconds}s" --latency \
        "http://$(value address)$route" >"$work/wrk"
    awk -v route="$route" '
        $1 == "50%" { median = $2 } $1 == "99%" { worst = $2 } $1 == "Requests/sec:" { rate = $2 }
        /Non-2xx|Socket errors/ { errors = $0; gsub(/[^0-9 ]/, "", errors) }
        END { printf "%-52s %9s %9s %12s %8s\n", route, median, worst, rate, errors + 0 }' "$work/wrk"
done
echo "written a second meanwhile: $(sed -n 's/^written_per_s=//p' "$work/log" | tr '\n' ' ')"
grep '^error=' "$work/log" | sort | uniq -c >&2 || true
