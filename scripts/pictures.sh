#!/usr/bin/env bash
# Takes the two pictures of the README: docs/images/dashboard.png, a screenshot of the dashboard with an incident, and
# docs/images/run.svg, the output of `harrier run poster-fig1`.
#
#   scripts/pictures.sh [HARRIER]
#
# HARRIER is the binary (default: the one that `cargo build -p harrier-cli` makes); its dashboard must be built.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -d .tools/node_modules/.bin ] && export PATH="$PWD/.tools/node_modules/.bin:$PATH"

harrier=${1:-${CARGO_TARGET_DIR:-target}/debug/harrier}
work=$(mktemp -d)
demo=
finish() {
    if [ -n "$demo" ]; then
        kill "$demo" 2>/dev/null || true
        wait "$demo" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap finish EXIT
fail() {
    echo "pictures: $1" >&2
    exit 1
}
mkdir -p docs/images

"$harrier" run poster-fig1 >"$work/report" 2>&1 || fail "the run failed: $(cat "$work/report")"
python3 scripts/terminal_svg.py "harrier run poster-fig1" <"$work/report" >"$work/run.svg"

"$harrier" demo --listen 127.0.0.1:0 >/dev/null 2>"$work/log" &
demo=$!
address=
while [ -z "$address" ]; do
    kill -0 "$demo" 2>/dev/null || fail "the demo ended: $(cat "$work/log")"
    address=$(grep -om1 'http://127\.0\.0\.1:[0-9]*' "$work/log" || true)
    [ -n "$address" ] || sleep 0.2
done
(cd tests/browser && { [ -d node_modules ] || npm ci --no-audit --no-fund --silent; })
timeout 180 node tests/browser/picture.mjs "$address" "$work/dashboard.png" || fail "the screenshot failed"

if command -v pngquant >/dev/null; then
    pngquant --force --skip-if-larger --output "$work/dashboard.png" "$work/dashboard.png" || true
elif command -v optipng >/dev/null; then
    optipng -quiet "$work/dashboard.png"
fi
mv "$work/run.svg" docs/images/run.svg
mv "$work/dashboard.png" docs/images/dashboard.png
echo "pictures: $(wc -c <docs/images/dashboard.png) bytes in docs/images/dashboard.png," \
    "$(wc -c <docs/images/run.svg) in docs/images/run.svg" >&2
