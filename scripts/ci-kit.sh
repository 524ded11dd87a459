#!/usr/bin/env bash
# Runs the CI integrations in deploy/ci on a repository of switches with the layout of docs/check.md: the pre-commit hook
# through pre-commit, the steps of the GitHub action and the script of the GitLab job as their files have them, and the
# container file if podman or docker is available. Runs shellcheck on every script if it is installed.
#
#   scripts/ci-kit.sh [HARRIER]
#
# HARRIER is the binary (default: the one that `cargo build -p harrier-cli` makes). pre-commit is
# installed into a virtual environment under .tools.
set -euo pipefail
cd "$(dirname "$0")/.."

harrier=$(realpath "${1:-${CARGO_TARGET_DIR:-target}/debug/harrier}")
kit=$PWD/deploy/ci
tools=$PWD/.tools/ci-kit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
requirement=pre-commit==4.7.0

fail() {
    echo "ci-kit: $1" >&2
    exit 1
}

if command -v shellcheck >/dev/null; then
    shellcheck scripts/*.sh .ci/run
else
    echo "ci-kit: skipped, shellcheck is not installed" >&2
fi

if [ "$(cat "$tools/installed" 2>/dev/null)" != "$requirement" ]; then
    echo "ci-kit: installing $requirement into $tools" >&2
    rm -rf "$tools"
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check "$requirement"
    echo "$requirement" >"$tools/installed"
fi

# The integrations expect `harrier` on the PATH.
mkdir "$work/bin"
ln -s "$harrier" "$work/bin/harrier"
export PATH="$work/bin:$PATH"

# A repository with a good switch and, later, a bad one.
repository=$work/network
mkdir -p "$repository/switches/tor-1"
good='{"BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "1000000"}}}'
echo "$good" >"$repository/switches/tor-1/config_db.json"
git init --quiet "$repository"
git -C "$repository" config user.name kit
git -C "$repository" config user.email kit@localhost

# `step FILE NAME` extracts the shell script of a step or job.
step() {
    "$tools/bin/python" - "$kit/$1" "$2" <<'PYTHON'
import sys
import yaml  # comes with pre-commit

with open(sys.argv[1], encoding="utf-8") as file:
    kit = yaml.safe_load(file)
if "runs" in kit:  # a composite action: its inputs are the environment of its steps
    assert kit["runs"]["using"] == "composite"
    lines = []
    for one in kit["runs"]["steps"]:
        assert one["shell"] == "bash"
        for name, value in one.get("env", {}).items():
            wanted = value.removeprefix("${{ inputs.").removesuffix(" }}")
            default = kit["inputs"][wanted]["default"]
            lines.append(f"export {name}=${{INPUT_{wanted.upper()}-{default}}}")
        lines.append(one["run"])
else:  # GitLab: variables, and the script of one job
    lines = [f'export {name}="${{{name}-{value}}}"' for name, value in kit["variables"].items()]
    lines += kit["harrier check"]["script"]
    assert kit["harrier check"]["artifacts"]["reports"]["junit"] == "harrier.xml"
with open(sys.argv[2], "w", encoding="utf-8") as out:
    out.write("set -eo pipefail\n" + "\n".join(lines) + "\n")
PYTHON
}

step action.yml "$work/action.sh"
step gitlab.yml "$work/gitlab.sh"
if command -v shellcheck >/dev/null; then
    # The words of paths and arguments are meant to be split.
    shellcheck --shell bash --exclude SC2086 "$work/action.sh" "$work/gitlab.sh"
fi

# The hook's repository, as other repositories would name it.
hooks=$work/hooks
mkdir "$hooks"
cp "$kit/pre-commit-hooks.yaml" "$hooks/.pre-commit-hooks.yaml"
git init --quiet "$hooks"
git -C "$hooks" add .
git -C "$hooks" -c user.name=kit -c user.email=kit@localhost commit --quiet --message hooks

run_all() { # run_all STATUS: each of the three ends with that status
    local status
    git -C "$repository" add .
    for script in action gitlab; do
        status=0
        (cd "$repository" && bash "$work/$script.sh" >"$work/$script.out" 2>&1) || status=$?
        [ "$status" -eq "$1" ] || { cat "$work/$script.out" >&2; fail "$script.yml ends with $status, not $1"; }
    done
    status=0
    (cd "$repository" && PRE_COMMIT_HOME="$work/cache" "$tools/bin/pre-commit" try-repo "$hooks" harrier-check --all-files \
        >"$work/hook.out" 2>&1) || status=$?
    [ "$status" -eq "$1" ] || { cat "$work/hook.out" >&2; fail "the hook ends with $status, not $1"; }
    "$tools/bin/python" -c 'import json, sys; json.load(open(sys.argv[1]))' "$repository/harrier.sarif"
    grep -q '<testsuites' "$repository/harrier.xml"
}

"$tools/bin/pre-commit" validate-manifest "$kit/pre-commit-hooks.yaml"
run_all 0
mkdir "$repository/switches/tor-2"
echo "${good/ingress\", \"mode/in\", \"mode}" >"$repository/switches/tor-2/config_db.json"
run_all 1
grep -q '^::error file=switches/tor-2/config_db.json,line=1,' "$work/action.out" || fail "the action annotates nothing"
grep -q 'error\[BUF001\]' "$work/hook.out" || fail "the hook says nothing"
# Arguments reach the command.
(cd "$repository" && INPUT_ARGUMENTS="--ignore BUF001" bash "$work/action.sh" >/dev/null 2>&1) || fail "arguments are lost"

builder=
for name in podman docker; do
    if command -v "$name" >/dev/null && "$name" info >/dev/null 2>&1; then
        builder=$name
        break
    fi
done
if [ -n "${HARRIER_KIT_IMAGE:-}" ] && [ -n "$builder" ]; then
    "$builder" build --file "$kit/Containerfile" --tag harrier-kit .
    echo "$good" | "$builder" run --rm --interactive harrier-kit check -
else
    # Compiling in a container takes half an hour, so it happens on request only. The copied path is always checked.
    echo "ci-kit: the image was not built (HARRIER_KIT_IMAGE=1 with podman or docker does)" >&2
    grep -q '^COPY --from=build /src/target/release/harrier ' "$kit/Containerfile" || fail "the image copies no binary"
fi
echo "ci-kit: the hook, the action and the GitLab job do what they say"
