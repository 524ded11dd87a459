#!/usr/bin/env bash
# The examination: verdicts on generated scenarios of unseen seeds, judged by intervention.
#
#   scripts/exam.sh              40 seeds derived from the commit; fails below the floor of precision
#   scripts/exam.sh FIRST RUNS   RUNS seeds from FIRST on; writes docs/evaluation/exam.json and exam.md. Interrupted, it
#                                continues from the judged runs in target/exam-FIRST
#
# Seeds below 1,000,000 are for development. The headline comes from seeds that are used once: docs/evaluation/README.md
# lists the ranges that were used.
set -euo pipefail
cd "$(dirname "$0")/.."

# The goal is 90 %. The floor is far below what the present rules reach (63 and 77 % on the last two ranges of seeds), because
# ranges of 40 seeds differ that much: it only notices that the rules broke.
floor=0.2
runs=40
# Repeated runs for the sample of verdicts of severity info in each scenario. All alarms are judged, except in the short
# examination, where ALARM_BUDGET limits their repeated runs.
budget=${BUDGET:-12}
harrier=${HARRIER:-target/debug/harrier}

if [ $# -eq 2 ]; then
    started=$(date +%s)
    command=("$harrier" eval --generated --method harrier --seed "$1" --runs "$2" --budget "$budget")
    [ -z "${ALARM_BUDGET:-}" ] || command+=(--alarm-budget "$ALARM_BUDGET")
    status=0
    "${command[@]}" --json --work "target/exam-$1" --verdicts target/exam.jsonl \
        > target/exam.json 2> target/exam.log || status=$?
    if [ "$status" -gt 1 ]; then
        tail -5 target/exam.log >&2
        exit "$status"
    fi
    EXAM_ALARM_BUDGET=${ALARM_BUDGET:-} python3 scripts/exam_page.py target/exam.json target/exam.jsonl "$1" "$2" "$budget"
    echo "exam: $2 runs in $(($(date +%s) - started)) s; docs/evaluation/exam.md"
    exit
fi
alarm_budget=${ALARM_BUDGET:-24}
commit=$(git rev-parse --short=5 HEAD 2> /dev/null || echo 1)
seed=$((16#$commit % 900000))
command=("$harrier" eval --generated --method harrier --seed "$seed" --runs "$runs")
command+=(--budget "$budget" --alarm-budget "$alarm_budget")
echo "exam: $runs seeds from $seed on: ${command[*]}"
status=0
"${command[@]}" --json > target/exam.json 2> target/exam.log || status=$?
if [ "$status" -gt 1 ]; then
    tail -5 target/exam.log >&2
    exit "$status"
fi
python3 - "$floor" << 'PYTHON'
import json
import sys

floor = float(sys.argv[1])
report = json.load(open("target/exam.json"))
[total] = report["totals"]
print(
    f"exam ({report['judge']}): {total['true_positive']} right, {total['partly']} partly, "
    f"{total['false_positive'] - total['partly']} wrong, {total['silent']} silent, {total['unjudged']} unjudged; "
    f"precision {total['precision']:.3f}, of alarms {total['alarm_precision']:.3f}, "
    f"of incidents {total['incident_precision']:.3f}, recall {total['recall']:.3f}, "
    f"calibration error {total['calibration_error']:.3f}, "
    f"{total['calibration']['wrong_above_90']} not right above 90 % confidence"
)
if total["precision"] < floor:
    sys.exit(f"exam: precision is below {floor}; target/exam.log lists the verdicts with their grades")
PYTHON
