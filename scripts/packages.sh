#!/usr/bin/env bash
# Builds the Debian package, extracts it and checks what it contains: units, configuration, manual pages, completions, the
# binary with the capabilities that its units give. Installs, upgrades, removes and purges it with dpkg, in a namespace.
# Checks the manifests in deploy/kubernetes.
#
#   scripts/packages.sh [HARRIER]
#
# HARRIER is the binary (default: the debug build). A release build (a path that ends in release/harrier) must be
# smaller than 40 MB, is compressed well, and its package stays in target/packages.
set -euo pipefail
cd "$(dirname "$0")/.."

harrier=$(realpath "${1:-${CARGO_TARGET_DIR:-target}/debug/harrier}")
out=$PWD/target/packages
limit_bytes=40000000
# `systemd-analyze security` counts from 0 (safe) to 10; the option takes tenths.
exposure_limit=3.0

fail() {
    echo "packages: $1" >&2
    exit 1
}

skip() {
    echo "packages: skipped $1" >&2
}

[ -x "$harrier" ] || fail "there is no binary $harrier; build it with \`cargo build -p harrier-cli\`"

./scripts/tools.sh kubernetes-validate cargo-deb

# What the package contains besides files of the repository.
stage=$out/stage
rm -rf "$out"
mkdir -p "$stage/etc" "$stage/completions" "$out/build/release"
"$harrier" manual "$stage/man"
"$harrier" completions bash >"$stage/completions/harrier"
"$harrier" completions zsh >"$stage/completions/_harrier"
"$harrier" completions fish >"$stage/completions/harrier.fish"
for daemon in serve controller agent watch; do
    "$harrier" config example "$daemon" --state "/var/lib/harrier-$daemon" >"$stage/etc/$daemon.toml"
done
"$harrier" config example switch >"$stage/etc/switch-example.toml"
cp "$harrier" "$out/build/release/harrier"
options=(--fast)
case $harrier in
    */release/harrier)
        options=()
        size=$(stat --format %s "$harrier")
        echo "packages: the release binary has $size bytes" >&2
        [ "$size" -lt "$limit_bytes" ] || fail "the binary has $size bytes, expected less than $limit_bytes"
        ;;
    *) strip "$out/build/release/harrier" ;;
esac

CARGO_TARGET_DIR=$out/build .tools/cargo-deb/bin/cargo-deb --no-build --quiet --locked --compress-system "${options[@]}" \
    --manifest-path cli/Cargo.toml --output "$out"
package=$(echo "$out"/*.deb)
[ -f "$package" ] || fail "cargo-deb wrote no package"

root=$out/root
dpkg-deb --extract "$package" "$root"
dpkg-deb --control "$package" "$out/control"
[ "$("$root/usr/bin/harrier" --version)" = "harrier $(dpkg-deb --field "$package" Version | sed 's/-[0-9]*$//')" ] ||
    fail "the package's version is not that of its binary"
for script in "$out"/control/{postinst,prerm,postrm}; do
    sh -n "$script"
done
"$root/usr/bin/harrier" config check --no-files "$root"/etc/harrier/*.toml
for file in "$root"/etc/harrier/*.toml /etc/harrier/tls/README; do
    grep -qx "/etc/harrier/${file#*/etc/harrier/}" "$out/control/conffiles" || fail "$file is no conffile"
done
for page in harrier harrier-serve harrier-agent harrier-config-check; do
    [ -f "$root/usr/share/man/man1/$page.1.gz" ] || fail "there is no manual page $page(1)"
done
[ -s "$root/usr/share/doc/harrier/copyright" ] || fail "there is no copyright"
bash -n "$root/usr/share/bash-completion/completions/harrier"

units=$root/usr/lib/systemd/system
if command -v systemd-analyze >/dev/null; then
    for unit in "$units"/*.service; do
        case $unit in *@.service) instance=${unit/@/@example} ;; *) instance=$unit ;; esac
        # The only thing that a folder cannot offer is the binary at its final path.
        sed "s|^ExecStart=/usr/bin/harrier|ExecStart=$root/usr/bin/harrier|" "$unit" >"$out/$(basename "$instance")"
        systemd-analyze verify --man=no "$out/$(basename "$instance")" || fail "$unit has mistakes"
        systemd-analyze security --offline=yes --threshold="${exposure_limit/./}" "$unit" >"$out/exposure" ||
            { cat "$out/exposure" >&2; fail "$unit is exposed more than $exposure_limit"; }
        tail -n 1 "$out/exposure" >&2
    done
else
    skip "the units: there is no systemd-analyze"
fi
.tools/kubernetes-validate/bin/python scripts/packages_units.py "$root"
.tools/kubernetes-validate/bin/python scripts/packages_install.py "$package"

.tools/kubernetes-validate/bin/python scripts/packages_kubernetes.py deploy/kubernetes
"$root/usr/bin/harrier" config check deploy/kubernetes/config/*.toml
if command -v kubectl >/dev/null; then
    kubectl kustomize deploy/kubernetes >"$out/kubernetes.yaml" || fail "deploy/kubernetes cannot be rendered"
else
    skip "rendering deploy/kubernetes: there is no kubectl"
fi
echo "packages: $(basename "$package"), $(stat --format %s "$package") bytes" >&2
