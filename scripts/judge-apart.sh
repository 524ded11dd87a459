#!/usr/bin/env bash
# Refuses a commit that changes the judge together with what it judges: such a commit could make a verdict right by
# changing what counts as right. Merges are exempt, and so is the history before the judge had a crate of its own.
set -euo pipefail
cd "$(dirname "$0")/.."

judge='^eval/src/'
judged='^(analyzer|host-agent|controller)/src/'

if ! git rev-parse --git-dir > /dev/null 2>&1; then
    echo "judge-apart: SKIPPED: this is not a git checkout" >&2
    exit 0
fi
first=$(git log --diff-filter=A --format=%H -- scripts/judge-apart.sh | tail -1)
if [ -z "$first" ]; then
    echo "judge-apart: SKIPPED: the history does not reach the commit that added this check" >&2
    exit 0
fi
refused=0
while read -r commit; do
    files=$(git diff-tree --no-commit-id --name-only -r "$commit")
    if grep -qE "$judge" <<< "$files" && grep -qE "$judged" <<< "$files"; then
        echo "judge-apart: this commit changes the judge and what it judges; split it:" >&2
        git log -1 --format='  %h %s' "$commit" >&2
        refused=1
    fi
done < <(git rev-list --no-merges "$first..HEAD")
exit "$refused"
