#!/usr/bin/env bash
# The examination: verdicts on generated scenarios of unseen seeds, judged by intervention.
#
#   scripts/exam.sh              40 seeds derived from the commit; fails below the floor of precision
#   scripts/exam.sh FIRST RUNS   RUNS seeds from FIRST on; writes docs/evaluation/exam.json and fails never
#
# Seeds below 1,000,000 are for development. The headline comes from seeds that are used once: docs/evaluation/README.md
# lists the ranges that were used.
set -euo pipefail
cd "$(dirname "$0")/.."

# The goal is 90 %. The floor is what the present rules reach with a margin for the choice of seeds: it only notices
# that they got worse.
floor=0.40
runs=40
# Repeated runs for the verdicts of one scenario: a random sample of the verdicts is judged.
budget=${BUDGET:-12}
harrier=${HARRIER:-target/debug/harrier}

if [ $# -eq 2 ]; then
    "$harrier" eval --generated --method harrier --seed "$1" --runs "$2" --budget "$budget" --json \
        > target/exam.json 2> target/exam.log || true
    python3 scripts/exam_page.py target/exam.json "$1" "$2" "$budget"
    exit
fi
commit=$(git rev-parse --short=5 HEAD 2> /dev/null || echo 1)
seed=$((16#$commit % 900000))
echo "exam: $runs seeds from $seed on: $harrier eval --generated --method harrier --seed $seed --runs $runs --budget $budget"
status=0
"$harrier" eval --generated --method harrier --seed "$seed" --runs "$runs" --budget "$budget" --json \
    > target/exam.json 2> target/exam.log || status=$?
if [ "$status" -gt 1 ]; then
    tail -5 target/exam.log >&2
    exit "$status"
fi
python3 - "$floor" << 'EOF'
import json
import sys

floor = float(sys.argv[1])
report = json.load(open("target/exam.json"))
[total] = report["totals"]
print(
    f"exam ({report['judge']}): {total['true_positive']} right, {total['partly']} partly, "
    f"{total['false_positive'] - total['partly']} wrong, {total['silent']} silent, {total['unjudged']} unjudged; "
    f"precision {total['precision']:.3f}, recall {total['recall']:.3f}, "
    f"calibration error {total['calibration_error']:.3f}, "
    f"{total['calibration']['wrong_above_90']} not right above 90 % confidence"
)
if total["precision"] < floor:
    sys.exit(f"exam: precision is below {floor}; target/exam.log lists the verdicts with their grades")
EOF
