#!/bin/sh
# Arguments are those of `harrier`, unless a CI runner starts a shell: `run IMAGE check -`, `run IMAGE sh -c ...`.
case ${1:-} in
    sh | bash | /bin/sh | /bin/bash | /usr/bin/sh | /usr/bin/bash) exec "$@" ;;
    *) exec /usr/local/bin/harrier "$@" ;;
esac
