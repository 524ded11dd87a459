#!/usr/bin/env bash
# Installs harrier for action.yml: nothing if it is on the PATH, as in the container image; otherwise a release, or a
# build of the revision of the action.
set -euo pipefail

if command -v harrier >/dev/null; then
    harrier --version
    exit
fi

folder=$RUNNER_TEMP/harrier/bin
mkdir -p "$folder"
echo "$folder" >>"$GITHUB_PATH"
version=${VERSION:-}
if [ -z "$version" ] && [[ ${ACTION_REF:-} =~ ^v[0-9]+\.[0-9]+\.[0-9]+$ ]]; then
    version=$ACTION_REF
fi
if [ -z "$version" ]; then
    echo "building harrier from $GITHUB_ACTION_PATH" >&2
    cargo install --locked --path "$GITHUB_ACTION_PATH/../../cli" --root "$RUNNER_TEMP/harrier"
    exit
fi

releases=${HARRIER_RELEASES:-${GITHUB_SERVER_URL:-https://github.com}/$ACTION_REPOSITORY/releases/download}
name=harrier-$version-x86_64-unknown-linux-gnu
cd "$RUNNER_TEMP/harrier"
for file in "$name.tar.gz" SHA256SUMS; do
    curl --fail --silent --show-error --location --retry 3 --output "$file" "$releases/$version/$file"
done
grep " $name.tar.gz\$" SHA256SUMS | sha256sum --check --quiet -
tar -xzf "$name.tar.gz" --strip-components 1 --directory bin "$name/harrier"
bin/harrier --version
