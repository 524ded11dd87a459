"""Keeps the figures of an examination: docs/evaluation/exam.json and the table docs/evaluation/exam.md."""

import json
import sys

report = json.load(open(sys.argv[1]))
first, runs, budget = (int(value) for value in sys.argv[2:5])
[total] = report["totals"]
kept = {"judge": report["judge"], "first_seed": first, "runs": runs, "rows": report["rows"], "totals": report["totals"]}
with open("docs/evaluation/exam.json", "w") as file:
    json.dump(kept, file, indent=1)
    file.write("\n")

lines = [
    "# Examination on unseen seeds",
    "",
    f"`BUDGET={budget} scripts/exam.sh {first} {runs}` wrote this page: {runs} generated scenarios ([generate](../generate.md)), seeds",
    f"{first} to {first + runs - 1}, default settings, agents on every host, judged by intervention",
    f"([judge](judge.md) {report['judge']}).",
    "",
    "| kind | runs | right | partly | wrong | silent | unjudged | events | missed | unasked | precision | recall |",
    "|---|---|---|---|---|---|---|---|---|---|---|---|",
]
for row in report["rows"] + [total]:
    claims = row["true_positive"] + row["false_positive"]
    precision = f"{row['precision']:.3f}" if claims else "-"
    recall = f"{row['recall']:.3f}" if row["events"] else "-"
    wrong = row["false_positive"] - row["partly"]
    cells = [row["scenario"], row["runs"], row["true_positive"], row["partly"], wrong, row["silent"], row["unjudged"]]
    cells += [row["events"], row["false_negative"], row["undetected"], precision, recall]
    lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
calibration = total["calibration"]
lines += [
    "",
    f"Verdicts above severity `info`: {total['alarms']} judged, {total['alarms_right']} of them right.",
    f"Calibration: expected error {total['calibration_error']:.3f}, Brier score {calibration['brier']:.3f},",
    f"{calibration['wrong_above_90']} verdicts of more than 90 % confidence were not right.",
    "",
    "| confidence | verdicts | right |",
    "|---|---|---|",
]
for number, bin_ in enumerate(calibration["bins"]):
    if bin_["verdicts"]:
        lines.append(f"| {10 * number} to {10 * number + 10} % | {bin_['verdicts']} | {bin_['right']} |")
with open("docs/evaluation/exam.md", "w") as file:
    file.write("\n".join(lines) + "\n")
