#!/usr/bin/env bash
# Runs harrier for action.yml: annotations on standard output, a SARIF report, and the outputs of the action. The exit
# status is 0; the action fails the job after the upload.
set -uo pipefail

# Word splitting of both inputs is intended.
read -ra arguments <<<"${PATHS:-.} ${ARGUMENTS:-}"
option() { # option NAME VALUE: adds an option that has a value
    if [ -n "$2" ]; then
        arguments+=("$1" "$2")
    fi
}
option --config "${CONFIG:-}"
option --baseline "${BASELINE:-}"
option --suppressions "${SUPPRESSIONS:-}"
option --severity-threshold "${SEVERITY_THRESHOLD:-}"

sarif=${SARIF:-harrier.sarif}
# A container may run as a user who cannot write to the workspace.
if [ ! -w "$(dirname "$sarif")" ]; then
    sarif=$RUNNER_TEMP/$(basename "$sarif")
fi
json=$RUNNER_TEMP/harrier.json
rm -f "$sarif" "$json"

status=0
harrier check "${arguments[@]}" \
    --format github --output - \
    --format sarif --output "$sarif" \
    --format json --output "$json" || status=$?

count() { # count NAME: a number of the summary
    sed -n "s/^    \"$1\": \([0-9]*\),*\$/\1/p" "$json" 2>/dev/null | tail -n 1
}
# A report is complete if its last line closes it.
[ "$(tail -n 1 "$sarif" 2>/dev/null)" = "}" ] || sarif=
{
    echo "status=$status"
    echo "errors=$(count errors)"
    echo "warnings=$(count warnings)"
    echo "sarif=$sarif"
} >>"$GITHUB_OUTPUT"
