#!/usr/bin/env bash
# Installs what build and tests need and the machine lacks; does nothing if everything is there. Tools with a pinned
# version (typos, Zensical, pre-commit, schemathesis, P4Runtime clients) are installed into .tools by the scripts that use them.
set -euo pipefail
cd "$(dirname "$0")/.."

need() { # need COMMAND PACKAGE...: note the packages as missing unless COMMAND exists
    local command=$1
    shift
    command -v "$command" >/dev/null && return
    missing+=("$@")
}

missing=()
need cc gcc
need pkg-config pkg-config
need node nodejs npm
need npm npm
need python3 python3
need redis-server redis-server
# Tests compare what they read of sFlow.
need sfcapd nfdump nfdump-sflow
need shellcheck shellcheck
# The Debian package: dependencies on libraries, the units.
need dpkg-shlibdeps dpkg-dev
need systemd-analyze systemd
need setpriv util-linux
need strip binutils
need xz xz-utils
# Tests read captures with it.
need tshark tshark
# Tests of completion.
need zsh zsh
need fish fish
# Tests in network namespaces.
need ip iproute2
need lldpd lldpd
need ping iputils-ping
need iperf3 iperf3
# Tests compare layouts with the header, and compile a substitute of libibverbs.
[ -e /usr/include/infiniband/verbs.h ] || missing+=(libibverbs-dev)
# Debian's python3 may lack the module that makes virtual environments usable.
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
[ "${HARRIER_SKIP_BROWSER:-}" ] || need chromium chromium

if [ ${#missing[@]} -gt 0 ]; then
    echo "setup: installing Debian packages: ${missing[*]}" >&2
    run=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || {
            echo "setup: these packages are missing and there is no sudo: ${missing[*]}" >&2
            echo "setup: install them as root, then run this again" >&2
            exit 2
        }
        run=(sudo)
    fi
    "${run[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${run[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
fi

command -v cargo >/dev/null || {
    echo "setup: cargo is missing; install Rust 1.95 or later (https://rustup.rs)" >&2
    exit 2
}

# The dashboard's bundler needs Node.js 20.19 or later, and Debian's may be older. The npm package `node` contains a
# newer binary, which is installed inside the checkout.
if ! node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'; then
    if [ ! -x .tools/node_modules/.bin/node ]; then
        echo "setup: Node $(node --version) is too old for the dashboard; installing Node.js 22 into .tools" >&2
        npm install --silent --no-save --prefix .tools node@22
    fi
fi

# A full disk shows up as errors of programs that cannot write, some without a reason.
need_gb=25
free_gb=$(($(df --output=avail --block-size=1 . | tail -n 1) / 1000000000))
if [ ! -d "${CARGO_TARGET_DIR:-target}/debug" ] && [ "$free_gb" -lt "$need_gb" ]; then
    echo "setup: $free_gb GB are free here; the first \`make test\` writes up to $need_gb GB" >&2
fi
