#!/bin/sh
# Packs the extension of Visual Studio Code: scripts/vscode.sh [FILE.vsix]. Exit status 3: npm or its registry is not
# available.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$root/target/harrier.vsix}
if ! command -v npm >/dev/null || ! timeout 20 npm ping >/dev/null 2>&1; then
    echo "skipped: npm or its registry is not available" >&2
    exit 3
fi
mkdir -p "$(dirname "$out")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in package.json package-lock.json extension.js README.md LICENSE .vscodeignore; do
    cp "$root/deploy/vscode/$file" "$work/"
done
cd "$work"
npm ci --no-audit --no-fund --silent --ignore-scripts
./node_modules/.bin/vsce package --out "$out"
