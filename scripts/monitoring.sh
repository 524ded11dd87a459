#!/usr/bin/env bash
# Checks deploy/monitoring: the rules and their tests with promtool, the names of all metrics, and with a Prometheus that scrapes a
# running demo the metrics, the rules and the queries of the dashboard.  usage: scripts/monitoring.sh [HARRIER]
set -euo pipefail
cd "$(dirname "$0")/.."
harrier=${1:-target/debug/harrier}

# Every metric that a rule or a panel uses is one that some daemon has.
unknown=0
while read -r name; do
    base=${name#harrier_}
    base=${base%_total}
    base=${base%_info}
    base=${base%_bucket}
    grep -rqE "\"$base\"" web/src cli/src --include='*.rs' || {
        echo "monitoring: no daemon has the metric $name" >&2
        unknown=1
    }
done < <(grep -ohE '\b(harrier|process)_[a-z_]+' deploy/monitoring/*.yml deploy/monitoring/grafana.json | sort -u)
[ "$unknown" -eq 0 ]
node -e 'JSON.parse(require("fs").readFileSync("deploy/monitoring/grafana.json"))'

# Debian's package starts a Prometheus, so it is unpacked and not installed.
promtool=$(command -v promtool || true)
unpacked=.tools/prometheus/usr/bin/promtool
if [ -z "$promtool" ] && [ ! -x "$unpacked" ] && command -v apt-get >/dev/null; then
    mkdir -p .tools/prometheus
    (cd .tools/prometheus && apt-get download -qq prometheus && dpkg-deb -x prometheus_*.deb . && rm prometheus_*.deb) >&2 || true
fi
[ -n "$promtool" ] || promtool=$unpacked
prometheus=$(dirname "$promtool")/prometheus
if ! [ -x "$promtool" ]; then
    echo "monitoring: SKIPPED: there is no promtool (Debian package prometheus)" >&2
    exit 0
fi
"$promtool" check rules deploy/monitoring/harrier.rules.yml
"$promtool" test rules deploy/monitoring/harrier.test.yml

log=$(mktemp)
"$harrier" demo --scenario pfc-storm --listen 127.0.0.1:0 --pace 8000 2>"$log" &
demo=$!
trap 'kill "$demo" 2>/dev/null; rm -f "$log"' EXIT
for _ in $(seq 600); do
    address=$(grep -oE 'http://127\.0\.0\.1:[0-9]+' "$log" | head -1 || true)
    [ -n "$address" ] && open=$(curl -sf "$address/api/v1/incidents?limit=1" | grep -c '"id"' || true) && [ "$open" -gt 0 ] && break
    kill -0 "$demo" 2>/dev/null || { cat "$log" >&2; exit 1; }
    sleep 0.1
done
# The classic text format, which promtool reads.
curl -sf -H 'Accept: text/plain;version=0.0.4' "$address/metrics" | "$promtool" check metrics
scripts/monitoring_live.py "$prometheus" "$address"
echo "monitoring: rules, dashboard and metrics are right"
