#!/usr/bin/env bash
# Tests the files in deploy/ci and the hook on a repository as described in docs/check.md, each as its users run it: the
# action on a runner and in the container image, its installation, the GitLab job in the image with and without its entry
# point, and the hook on a commit. Checks all scripts with shellcheck, if it is installed.
#
#   scripts/ci-kit.sh [HARRIER]
#
# HARRIER is the binary (default: the debug build). The image's file system is built without a container engine
# (scripts/in-image.py), which requires root or sudo; HARRIER_KIT_IMAGE=1 also builds the image with podman or docker.
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD
harrier=$(realpath "${1:-${CARGO_TARGET_DIR:-target}/debug/harrier}")
tools=$root/.tools/pre-commit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "ci-kit: $1" >&2
    exit 1
}

if command -v shellcheck >/dev/null; then
    shellcheck scripts/*.sh .ci/run deploy/container/entrypoint.sh deploy/ci/*.sh
else
    echo "ci-kit: skipped, shellcheck is not installed" >&2
fi

./scripts/tools.sh pre-commit

as_root=()
in_image=yes
if [ "$(id -u)" -ne 0 ]; then
    if sudo -n true 2>/dev/null; then as_root=(sudo --preserve-env); else in_image=; fi
fi
image() { # image OPTIONS... COMMAND: runs a command in the image's file system
    "${as_root[@]}" python3 scripts/in-image.py --binary "$harrier" "$@"
}
if [ -z "$in_image" ]; then
    [ "${HARRIER_REQUIRE_DATA:-}" != 1 ] || fail "the image's file system needs root or sudo"
    echo "ci-kit: skipped the image's file system, which needs root or sudo" >&2
fi

mkdir "$work/bin" "$work/temp"
ln -s "$harrier" "$work/bin/harrier"

# Two switches with a link. `link MTU` writes the second one.
repository=$work/network
mkdir -p "$repository/switches/tor-1" "$repository/switches/tor-2"
chmod 755 "$work"
switch() { # switch NAME PEER MTU
    cat <<JSON
{"DEVICE_METADATA": {"localhost": {"hostname": "$1", "type": "ToRRouter"}},
 "PORT": {"Ethernet0": {"lanes": "1", "speed": "100000", "mtu": "$3", "admin_status": "up"}},
 "DEVICE_NEIGHBOR": {"Ethernet0": {"name": "$2", "port": "Ethernet0"}}}
JSON
}
switch tor-1 tor-2 9100 >"$repository/switches/tor-1/config_db.json"
link() { switch tor-2 tor-1 "$1" >"$repository/switches/tor-2/config_db.json"; }
link 9100
git init --quiet "$repository"
git -C "$repository" config user.name kit
git -C "$repository" config user.email kit@localhost
git -C "$repository" add .
git -C "$repository" commit --quiet --message "Two switches"

"$tools/bin/python" scripts/ci-steps.py deploy/ci/action.yml "$work/action.sh"
"$tools/bin/python" scripts/ci-steps.py deploy/ci/gitlab.yml "$work/gitlab.sh"
if command -v shellcheck >/dev/null; then
    # Word splitting of paths and arguments is intended.
    shellcheck --shell bash --exclude SC2005,SC2030,SC2031,SC2086,SC2155 "$work/action.sh" "$work/gitlab.sh"
fi

# expect WHAT STATUS COMMAND...: asserts the exit status; the output is in $work/WHAT.out.
expect() {
    local what=$1 wanted=$2 status=0
    shift 2
    "$@" >"$work/$what.out" 2>&1 || status=$?
    [ "$status" -eq "$wanted" ] || { cat "$work/$what.out" >&2; fail "$what: exit status $status, expected $wanted"; }
}
contains() { grep -q -- "$2" "$1" || { cat "$1" >&2; fail "$1 has no \`$2\`"; }; }
report() { # report FILE KEY: asserts that a JSON report has a member, or is a list
    "$tools/bin/python" -c 'import json, sys
report = json.load(open(sys.argv[1]))
sys.exit(0 if (isinstance(report, list) if sys.argv[2] == "[]" else sys.argv[2] in report) else 1)' "$1" "$2" || fail "$1 is no report"
}

# The action on a runner, with harrier on the PATH.
on_runner() {
    (cd "$repository" && PATH=$work/bin:$PATH GITHUB_ACTION_PATH=$root/deploy/ci RUNNER_TEMP=$work/temp \
        GITHUB_OUTPUT=$work/temp/output GITHUB_PATH=$work/temp/path bash "$work/action.sh")
}
# The action in a job with `container:`. GitHub's runners own the workspace that they mount as user 1001.
in_container() {
    rm -rf "$work/container"
    mkdir -p "$work/container/_temp"
    cp -r "$repository" "$work/container/network"
    "${as_root[@]}" chown -R 1001 "$work/container"
    RUNNER_TEMP=/__w/_temp GITHUB_OUTPUT=/__w/_temp/output GITHUB_PATH=/__w/_temp/path GITHUB_ACTION_PATH=/__a/deploy/ci \
        image --no-entrypoint --bind "$work/container:/__w" --bind "$root/deploy/ci:/__a/deploy/ci" \
        --bind "$work/action.sh:/action.sh" --workdir /__w/network -- bash /action.sh
}
# The job of GitLab, whose workspace is writable for all. The runner starts `sh` and pipes the script into it; with
# `entrypoint: [""]` directly, otherwise through the entry point.
gitlab_job() {
    rm -rf "$work/builds"
    cp -r "$repository" "$work/builds"
    chmod -R a+rwX "$work/builds"
    { echo "cd /builds"; cat "$work/gitlab.sh"; } | image "$@" --bind "$work/builds:/builds" -- sh -c "exec bash"
}
# GitHub's and GitLab's kits, for a repository with this exit status.
run_all() {
    expect runner "$1" on_runner
    report "$repository/harrier.sarif" runs
    [ "$(cat "$work/temp/uploaded")" = harrier.sarif ] || fail "the action uploads nothing"
    contains "$work/temp/output" "^status=$1\$"
    contains "$work/temp/output" "^errors=$2\$"
    rm "$repository/harrier.sarif"
    [ -n "$in_image" ] || return 0
    expect container "$1" in_container
    report "$work/container/network/harrier.sarif" runs
    for entry in --no-entrypoint --; do
        [ "$entry" = -- ] && entry=--workdir=/
        expect gitlab "$1" gitlab_job "$entry"
        contains "$work/builds/harrier.xml" '<testsuites'
        report "$work/builds/gl-code-quality-report.json" "[]"
    done
}

run_all 0 0
link 1500
run_all 1 1
contains "$work/runner.out" '^::error file=switches/tor-.*FLEET005'
if [ -n "$in_image" ]; then
    contains "$work/builds/gl-code-quality-report.json" '"check_name": "FLEET005"'
    expect image 0 image -- --version
    expect shell 0 image -- sh -c "harrier --version"
    expect alive 0 image -- env harrier --version
    expect image 1 image --bind "$repository:/check/network" -- check network
fi

# Inputs of the action.
(cd "$repository" && PATH=$work/bin:$PATH harrier check . --write-baseline "$work/known.json" 2>/dev/null)
INPUT_ARGUMENTS="--ignore FLEET005" expect arguments 0 on_runner
INPUT_BASELINE=$work/known.json expect baseline 0 on_runner
INPUT_PATHS=none INPUT_UPLOAD=false expect unread 2 on_runner
[ ! -e "$work/temp/uploaded" ] || fail "the action uploads although \`upload\` is false"
INPUT_SEVERITY_THRESHOLD=nonsense expect usage 2 on_runner
rm -f "$repository/harrier.sarif"

# The installation of a release, and its checksum.
name="harrier-v9.9.9-x86_64-unknown-linux-gnu"
mkdir -p "$work/releases/v9.9.9" "$work/pack/$name" "$work/temp/install"
cp "$harrier" "$work/pack/$name/harrier"
tar -C "$work/pack" -czf "$work/releases/v9.9.9/$name.tar.gz" "$name"
(cd "$work/releases/v9.9.9" && sha256sum ./*.tar.gz | sed 's, \./, ,' >SHA256SUMS)
install_release() {
    rm -rf "$work/temp/install/harrier"
    PATH=/usr/bin:/bin RUNNER_TEMP=$work/temp/install GITHUB_PATH=$work/temp/install/path ACTION_REF=v9.9.9 \
        ACTION_REPOSITORY=owner/harrier HARRIER_RELEASES=file://$work/releases GITHUB_ACTION_PATH=$root/deploy/ci \
        bash deploy/ci/install.sh
}
expect install 0 install_release
[ -x "$(tail -n 1 "$work/temp/install/path")/harrier" ] || fail "the action installs nothing"
echo damaged >>"$work/releases/v9.9.9/$name.tar.gz"
expect damaged 1 install_release

# The hook, from the root of a repository, with the sample configuration.
hooks=$work/hooks
mkdir "$hooks"
cp .pre-commit-hooks.yaml "$hooks/"
"$tools/bin/pre-commit" validate-manifest "$hooks/.pre-commit-hooks.yaml"
git init --quiet "$hooks"
git -C "$hooks" add .
git -C "$hooks" -c user.name=kit -c user.email=kit@localhost commit --quiet --message hooks
git -C "$hooks" tag v0.2.0
sed "s,https://github.com/OWNER/harrier,$hooks," deploy/ci/examples/pre-commit-config.yaml >"$repository/.pre-commit-config.yaml"
"$tools/bin/pre-commit" validate-config "$repository/.pre-commit-config.yaml"
hook() {
    git -C "$repository" add .pre-commit-config.yaml "$@"
    (cd "$repository" && PATH=$work/bin:$PATH PRE_COMMIT_HOME="$work/cache" "$tools/bin/pre-commit" run)
}
# Only one end of the link is in the commit.
expect hook 1 hook switches/tor-2/config_db.json
contains "$work/hook.out" 'error\[FLEET005\]'
link 9100
expect hook 0 hook switches/tor-2/config_db.json
# A suppression that is not used is a finding of a commit that changes nothing else.
git -C "$repository" commit --quiet --no-verify --message "Hook"
printf '[[suppress]]\ncode = "BUF001"\nfile = "*"\nreason = ""\n' >"$repository/harrier-suppressions.toml"
expect hook 1 hook harrier-suppressions.toml
contains "$work/hook.out" 'has no reason'

for sample in deploy/ci/examples/*.yml; do
    "$tools/bin/python" -c 'import sys, yaml; yaml.safe_load(open(sys.argv[1]))' "$sample"
done
contains deploy/ci/examples/github.yml 'security-events: write'

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
    "$builder" run --rm --interactive harrier-kit check - <"$repository/switches/tor-1/config_db.json"
else
    # The build takes half an hour, so it runs on request only.
    echo "ci-kit: skipped the build of the image (HARRIER_KIT_IMAGE=1 builds it with podman or docker)" >&2
fi
echo "ci-kit: the hook, the action and the GitLab job work"
