#!/usr/bin/env bash
# Tests the files in deploy/ci on a repository as described in docs/check.md: runs the hook with pre-commit, the
# steps of the GitHub action, and the script of the GitLab job, and builds the container image if requested. Checks all
# scripts with shellcheck, if it is installed.
#
#   scripts/ci-kit.sh [HARRIER]
#
# HARRIER is the binary (default: the debug build). pre-commit is installed into a virtual environment under .tools,
# which is kept.
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
    shellcheck scripts/*.sh .ci/run deploy/container/entrypoint.sh
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

# The kit requires `harrier` on the PATH.
mkdir "$work/bin"
ln -s "$harrier" "$work/bin/harrier"
export PATH="$work/bin:$PATH"

# A repository with a correct switch and, later, a faulty one.
repository=$work/network
mkdir -p "$repository/switches/tor-1"
good='{"BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "1000000"}}}'
echo "$good" >"$repository/switches/tor-1/config_db.json"
git init --quiet "$repository"
git -C "$repository" config user.name kit
git -C "$repository" config user.email kit@localhost

# step FILE SCRIPT: writes the commands of a kit file to a shell script.
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
    # Word splitting of paths and arguments is intended.
    shellcheck --shell bash --exclude SC2086 "$work/action.sh" "$work/gitlab.sh"
fi

# The repository of the hook, to which other repositories refer.
hooks=$work/hooks
mkdir "$hooks"
cp "$kit/pre-commit-hooks.yaml" "$hooks/.pre-commit-hooks.yaml"
git init --quiet "$hooks"
git -C "$hooks" add .
git -C "$hooks" -c user.name=kit -c user.email=kit@localhost commit --quiet --message hooks

run_all() { # run_all STATUS: asserts the exit status of the action, the job and the hook
    local status
    git -C "$repository" add .
    for script in action gitlab; do
        status=0
        (cd "$repository" && bash "$work/$script.sh" >"$work/$script.out" 2>&1) || status=$?
        [ "$status" -eq "$1" ] || { cat "$work/$script.out" >&2; fail "$script.yml: exit status $status, expected $1"; }
    done
    status=0
    (cd "$repository" && PRE_COMMIT_HOME="$work/cache" "$tools/bin/pre-commit" try-repo "$hooks" harrier-check --all-files \
        >"$work/hook.out" 2>&1) || status=$?
    [ "$status" -eq "$1" ] || { cat "$work/hook.out" >&2; fail "hook: exit status $status, expected $1"; }
    "$tools/bin/python" -c 'import json, sys; json.load(open(sys.argv[1]))' "$repository/harrier.sarif"
    grep -q '<testsuites' "$repository/harrier.xml"
}

"$tools/bin/pre-commit" validate-manifest "$kit/pre-commit-hooks.yaml"
run_all 0
mkdir "$repository/switches/tor-2"
echo "${good/ingress\", \"mode/in\", \"mode}" >"$repository/switches/tor-2/config_db.json"
run_all 1
grep -q '^::error file=switches/tor-2/config_db.json,line=1,' "$work/action.out" || fail "the action wrote no annotation"
grep -q 'error\[BUF001\]' "$work/hook.out" || fail "the hook reported nothing"
# The arguments are passed to the command.
(cd "$repository" && INPUT_ARGUMENTS="--ignore BUF001" bash "$work/action.sh" >/dev/null 2>&1) || fail "the arguments are not passed on"

builder=
for name in podman docker; do
    if command -v "$name" >/dev/null && "$name" info >/dev/null 2>&1; then
        builder=$name
        break
    fi
done
if [ -n "${HARRIER_KIT_IMAGE:-}" ] && [ -n "$builder" ]; then
    "$builder" build --file deploy/container/Containerfile --tag harrier-kit .
    "$builder" run --rm harrier-kit sh -c "harrier --version"
    echo "$good" | "$builder" run --rm --interactive harrier-kit check -
else
    # The build takes half an hour, so it runs on request only.
    echo "ci-kit: skipped the image (HARRIER_KIT_IMAGE=1 builds it with podman or docker)" >&2
    grep -q '^COPY --from=build /src/target/release/harrier ' deploy/container/Containerfile || fail "the image copies no binary"
fi
echo "ci-kit: the hook, the action and the GitLab job work"
