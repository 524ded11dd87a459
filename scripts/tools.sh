#!/usr/bin/env bash
# Installs tools of pinned versions into .tools, which is kept, unless they are there:
#
#   scripts/tools.sh NAME...     a tool is the folder .tools/NAME with its programs in bin
#   scripts/tools.sh --all       all of them
#
# A second process that needs a tool waits while the first one installs it, so that all can be installed in the background.
set -euo pipefail
cd "$(dirname "$0")/.."

declare -A python=(
    [typos]=typos==1.52.0
    [zensical]=zensical==0.0.73
    [pre-commit]=pre-commit==4.7.0
    [schemathesis]=schemathesis==4.32.5
    [kubernetes-validate]=kubernetes-validate==1.37.0
    # The two clients need different versions of protobuf.
    [finsy]=finsy==0.30.0
    [p4runtime-shell]=p4runtime-shell==0.0.6
)
cargo_deb=3.8.0

install_python() { # install_python NAME: a virtual environment with exactly this requirement
    local folder=.tools/$1 requirement=${python[$1]}
    [ "$(cat "$folder/installed" 2>/dev/null)" != "$requirement" ] || return 0
    echo "tools: installing $requirement into $folder" >&2
    rm -rf "$folder"
    python3 -m venv "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check "$requirement"
    echo "$requirement" >"$folder/installed"
}

install_cargo_deb() {
    local folder=.tools/cargo-deb
    ! "$folder/bin/cargo-deb" --version 2>/dev/null | grep -qx "cargo-deb $cargo_deb" || return 0
    echo "tools: installing cargo-deb $cargo_deb into $folder" >&2
    # Without optimisation it builds in a fraction of the time; the system's xz compresses.
    cargo install --quiet --locked --debug --no-default-features --root "$folder" --target-dir "$folder/build" \
        "cargo-deb@$cargo_deb"
    rm -rf "$folder/build"
}

install() { # install NAME
    case $1 in
        cargo-deb) install_cargo_deb ;;
        *) install_python "$1" ;;
    esac
}

names=("$@")
[ "${1:-}" != --all ] || names=("${!python[@]}" cargo-deb)
mkdir -p .tools
for name in "${names[@]}"; do
    [ "$name" = cargo-deb ] || [ -n "${python[$name]:-}" ] || {
        echo "tools: there is no tool $name; tools: ${!python[*]} cargo-deb" >&2
        exit 2
    }
    exec 9>".tools/$name.lock"
    flock 9
    install "$name"
    exec 9>&-
done
