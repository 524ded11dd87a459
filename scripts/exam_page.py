"""Keeps the figures of an examination: docs/evaluation/exam.json and the page docs/evaluation/exam.md.

usage: exam_page.py REPORT.json VERDICTS.jsonl FIRST_SEED RUNS BUDGET
"""

import collections
import json
import os
import sys

# A verdict explains its delay if at least this part disappears without the accused (docs/evaluation/judge.md).
EXPLAINS = 0.75
# Reasons shown for each kind.
SHOWN = 3

report = json.load(open(sys.argv[1]))
verdicts = [json.loads(line) for line in open(sys.argv[2])]
first, runs, budget = (int(value) for value in sys.argv[3:6])
alarm_budget = os.environ.get("EXAM_ALARM_BUDGET")
[total] = report["totals"]


def reasons(verdict):
    """Why a verdict is not right."""
    anomaly = verdict["anomaly"]
    if verdict["coverage"] is None:
        yield f"`{anomaly}`: the fabric was not clean"
        return
    if verdict["grade"] == "wrong":
        yield f"`{anomaly}`: accuses no guilty actor"
    elif verdict["innocent"]:
        yield f"`{anomaly}`: names an innocent"
    if verdict["grade"] != "wrong" and verdict["coverage"] < EXPLAINS:
        yield f"`{anomaly}`: covers too little"
    for fact in ("did not stand still", "receive path is full"):
        if fact in verdict["reason"]:
            yield f"`{anomaly}`: {fact}"


def why(kind):
    """The most frequent reasons of a kind, for all kinds if it is `all`."""
    counts = collections.Counter()
    for verdict in verdicts:
        if verdict["grade"] in ("partly", "wrong") and kind in ("all", verdict["row"]):
            counts.update(reasons(verdict))
    return "; ".join(f"{count} {reason}" for reason, count in counts.most_common(SHOWN))


def share(row, name, of):
    return f"{row[name]:.3f}" if of else "-"


kept = {
    "judge": report["judge"],
    "first_seed": first,
    "runs": runs,
    "rows": report["rows"],
    "totals": report["totals"],
}
with open("docs/evaluation/exam.json", "w") as file:
    json.dump(kept, file, indent=1)
    file.write("\n")

limit = f"ALARM_BUDGET={alarm_budget} " if alarm_budget else ""
lines = [
    "# Examination on unseen seeds",
    "",
    f"`{limit}BUDGET={budget} scripts/exam.sh {first} {runs}` wrote this page: {runs} generated scenarios",
    f"([generate](../generate.md)), seeds {first} to {first + runs - 1}, default settings, agents on every host, judged by",
    f"intervention ([judge](judge.md) {report['judge']}).",
    "",
    "| | judged | right | precision |",
    "|---|---|---|---|",
]
claims = total["true_positive"] + total["false_positive"]
lines += [
    f"| verdicts, with the weights of the sample | {claims} | {total['true_positive']} "
    f"| {share(total, 'precision', claims)} |",
    f"| alarms | {total['alarms']} | {total['alarms_right']} | {share(total, 'alarm_precision', total['alarms'])} |",
    f"| incidents | {total['incidents']} | {total['incidents_right']} "
    f"| {share(total, 'incident_precision', total['incidents'])} |",
    "",
    "By kind; precision with the weights of the sample, all other columns as counted. `unasked` events are part of the",
    "missed ones: no agent asked about them.",
    "",
    "| kind | runs | right | partly | wrong | silent | unjudged | events | missed | unasked | precision | alarms | incidents "
    "| recall |",
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|",
]
rows = report["rows"] + [total]
for row in rows:
    claims = row["true_positive"] + row["false_positive"]
    wrong = row["false_positive"] - row["partly"]
    cells = [row["scenario"], row["runs"], row["true_positive"], row["partly"], wrong, row["silent"], row["unjudged"]]
    cells += [row["events"], row["false_negative"], row["undetected"], share(row, "precision", claims)]
    cells += [share(row, "alarm_precision", row["alarms"]), share(row, "incident_precision", row["incidents"])]
    cells += [share(row, "recall", row["events"])]
    lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
lines += ["", "## Why verdicts are not right", "", "| kind | most frequent reasons |", "|---|---|"]
lines += [f"| {row['scenario']} | {why(row['scenario'])} |" for row in rows if row["false_positive"]]
calibration = total["calibration"]
lines += [
    "",
    "## Calibration",
    "",
    f"With the weights of the sample: expected error {total['calibration_error']:.3f} (alarms alone",
    f"{total['alarm_calibration_error']:.3f}), Brier score {calibration['brier']:.3f}. "
    f"{calibration['wrong_above_90']} judged verdicts of more than 90 %",
    f"confidence were not right. Not judged: {total['undrawn']} verdicts were not drawn,",
    f"{total['unjudged'] - total['undrawn']} are about a delay that does not recur or name no victim.",
    "",
    "| confidence | verdicts | right |",
    "|---|---|---|",
]
for number, bin_ in enumerate(calibration["bins"]):
    if bin_["verdicts"]:
        lines.append(f"| {10 * number} to {10 * number + 10} % | {bin_['verdicts']} | {bin_['right']} |")
with open("docs/evaluation/exam.md", "w") as file:
    file.write("\n".join(lines) + "\n")
