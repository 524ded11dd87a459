#!/usr/bin/env bash
# Runs the tests of the store on a PostgreSQL server of their own, which it starts on a private socket and stops.
#
#   scripts/postgres.sh [ARGUMENT...]           arguments go to `cargo test`
#
# As root it installs Debian's package `postgresql` if there is no server, and runs the server as the user `postgres`.
set -euo pipefail
cd "$(dirname "$0")/.."

# Debian keeps the programs of each version in a folder of their own.
find_programs() {
    local folder
    for folder in $(printf '%s\n' /usr/lib/postgresql/*/bin | sort -Vr); do
        [ -x "$folder/initdb" ] && PATH=$folder:$PATH && return
    done
    command -v initdb >/dev/null && command -v pg_ctl >/dev/null
}

skip() {
    echo "postgres: skipped: $1; the tests of the store ran on SQLite only" >&2
    [ "${CI:-}" ] && exit 2
    exit 0
}

if ! find_programs; then
    [ "$(id -u)" -eq 0 ] || skip "PostgreSQL is not installed (Debian: postgresql)"
    echo "postgres: installing the Debian package postgresql" >&2
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql >&2
    find_programs || skip "the package postgresql has no initdb"
fi
as_user=()
if [ "$(id -u)" -eq 0 ]; then
    # PostgreSQL does not run as root.
    id postgres >/dev/null 2>&1 || useradd --system --no-create-home postgres
    as_user=(setpriv --reuid postgres --regid "$(id -g postgres)" --clear-groups env PATH="$PATH" HOME=/)
fi

# Short: the path of a socket has at most 107 bytes.
work=$(mktemp -d /tmp/harrier-pg.XXXXXX)
chmod 711 "$work"
mkdir "$work/data" "$work/run"
[ ${#as_user[@]} -eq 0 ] || chown postgres "$work/data" "$work/run"
stop() {
    (cd "$work" && "${as_user[@]}" pg_ctl --pgdata="$work/data" --mode=immediate --wait stop >/dev/null 2>&1) || true
    rm -rf "$work"
}
trap stop EXIT
# The tests stop no machine, so that nothing has to reach the medium.
# A locale that orders texts otherwise than by bytes, where there is one: results must not depend on it.
locale=$(locale -a 2>/dev/null | grep -im1 '^en_US.utf-\?8$' || echo C.UTF-8)
(
    cd "$work"
    "${as_user[@]}" initdb --pgdata="$work/data" --username=harrier --auth=trust --encoding=UTF8 --locale="$locale" \
        --no-sync >"$work/run/initdb" 2>&1 || {
        cat "$work/run/initdb" >&2
        exit 2
    }
    "${as_user[@]}" pg_ctl --pgdata="$work/data" --log="$work/run/log" --wait --timeout=60 \
        --options="-c listen_addresses='' -c unix_socket_directories='$work/run' -c max_connections=200 -c fsync=off" start >/dev/null || {
        cat "$work/run/log" >&2
        exit 2
    }
)
version=$("${as_user[@]}" psql --host="$work/run" --username=harrier --dbname=postgres --no-align --tuples-only \
    --command='SHOW server_version')
echo "postgres: PostgreSQL $version, locale $locale"
export HARRIER_TEST_POSTGRES="postgres://harrier@localhost/postgres?host=$work/run"
if [ -z "${HARRIER_WORKSPACE_TESTS:-}" ]; then
    timeout --kill-after=10 900 cargo test --locked -p harrier-store "$@"
    exit
fi
# The executables of `cargo test --workspace`: one crate alone has other features, and its dependencies would be compiled
# once more.
executables=$(cargo test --locked --workspace --tests --no-run --message-format=json 2>/dev/null | python3 -c '
import json, sys

for line in sys.stdin:
    message = json.loads(line)
    is_store = "/store#" in message.get("package_id", "") or "harrier-store@" in message.get("package_id", "")
    if is_store and message.get("profile", {}).get("test") and message.get("executable"):
        print(message["executable"])
')
[ -n "$executables" ] || {
    echo "postgres: cargo has built no test of the store" >&2
    exit 1
}
cd store
for executable in $executables; do
    echo "     Running $executable"
    timeout --kill-after=10 900 "$executable" "$@"
done
