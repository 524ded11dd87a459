#!/usr/bin/env bash
# Builds the documentation site into target/docs/site: the pages of docs/ and the repository's root, the generated
# pages, and rustdoc under api/. Broken links and rustdoc warnings fail the build.
#
#   scripts/docs.sh [--no-api]
#
# --no-api leaves rustdoc out, which takes most of the time. HARRIER is the binary that prints generated pages (default:
# the one that this script builds). With HARRIER_REPOSITORY_URL, links to source files lead there.
set -euo pipefail
cd "$(dirname "$0")/.."

with_api=1
case ${1:-} in
    "") ;;
    --no-api) with_api= ;;
    *)
        echo "usage: scripts/docs.sh [--no-api]" >&2
        exit 2
        ;;
esac
target=${CARGO_TARGET_DIR:-target}
stage=$target/docs

fail() {
    echo "docs: $1" >&2
    exit 1
}

./scripts/tools.sh zensical

if [ -z "${HARRIER:-}" ]; then
    cargo build --locked -p harrier-cli
    HARRIER=$target/debug/harrier
fi

rm -rf "$stage"
mkdir -p "$stage/src/docs/reference"
cp docs/zensical.toml "$stage/"
git ls-files -z --cached --others --exclude-standard -- docs '*.md' ':!:.github' ':!:docs/zensical.toml' ':!:docs/words.toml' | while IFS= read -r -d '' file; do
    [ -f "$file" ] || continue
    mkdir -p "$stage/src/$(dirname "$file")"
    cp "$file" "$stage/src/$file"
done

# generate WHAT PATH COMMAND...: pages that a command writes. A path that the repository still holds was copied above.
generate() {
    local what=$1 path=$2
    shift 2
    [ -e "$stage/src/$path" ] && return
    "$@" || fail "$what: \`$*\` failed"
    [ -e "$stage/src/$path" ] || fail "$what: \`$*\` wrote no $path"
}
# With the features of the whole workspace, as `make test` has built the crate: one crate alone would be compiled again.
rule_pages() {
    cargo build -q --locked --workspace --example rule_pages && "$target/debug/examples/rule_pages" "$stage/src/docs/rules"
}
p4_errors() { "$HARRIER" p4 explain --all --out "$stage/src/docs/p4-errors"; }
openapi() {
    mkdir -p "$stage/src/docs/api"
    "$HARRIER" openapi >"$stage/src/docs/api/openapi.json"
}
generate "rule pages" docs/rules rule_pages
generate "P4 errors" docs/p4-errors p4_errors
generate "OpenAPI" docs/api/openapi.json openapi
"$HARRIER" scenario list --json >"$stage/scenarios.json" || fail "scenario library: \`harrier scenario list --json\` failed"

# The options of every command, as `--help` prints them.
{
    printf "# Options\n\nThe output of \`--help\` for every command.\n"
    for command in demo "scenario list" "scenario show" run eval analyze check headroom "p4 check" "p4 explain" \
        "p4 compile" "p4 info" "p4 stf" "p4 run" "p4 conformance" switch serve controller agent nic "config check" \
        "config example" "pki init" "pki issue" "topology from-sonic" completions; do
        printf '\n## harrier %s\n\n```text\n' "$command"
        # shellcheck disable=SC2086 # a command of several words
        "$HARRIER" $command --help || fail "\`harrier $command --help\` failed"
        printf '```\n'
    done
} >"$stage/src/docs/reference/options.md"

python3 scripts/docs_pages.py "$stage"
.tools/zensical/bin/zensical build --strict --config-file "$stage/zensical.toml"

if [ -n "$with_api" ]; then
    RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --workspace --locked
    mkdir -p "$stage/site/api"
    cp -r "$target/doc/." "$stage/site/api/"
    {
        printf '<!doctype html><html lang="en"><meta charset="utf-8"><title>Harrier: Rust API</title><h1>Rust API</h1><ul>\n'
        for crate in "$stage"/site/api/*/index.html; do
            name=$(basename "$(dirname "$crate")")
            case $name in src | static.files | search.desc | type.impl | trait.impl) continue ;; esac
            printf '<li><a href="%s/index.html">%s</a></li>\n' "$name" "$name"
        done
        printf '</ul></html>\n'
    } >"$stage/site/api/index.html"
fi
echo "docs: $(find "$stage/site" -name '*.html' | wc -l) pages in $stage/site" >&2
