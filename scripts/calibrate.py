#!/usr/bin/env python3
"""Fits the confidence of verdicts to their judgements (docs/evaluation/calibration.md).

    harrier eval --generated --method harrier --seed 7001 --runs 60 --verdicts generated.jsonl
    scripts/calibrate.py generated.jsonl...            prints the weights and the reliability on half of the seeds
    scripts/calibrate.py --stated generated.jsonl...   prints the reliability of the confidence that the verdicts state

A logistic model with an L2 penalty, by Newton's method. Each run counts alike, however many verdicts it has: the
verdicts of one run are about the same few events.
"""

import collections
import json
import math
import sys

NAMES = [
    "bias", "caveats", "accused", "named_share", "flows", "close", "resolution", "explained", "delay_rtts",
    "share", "reverse", "contention", "backpressure", "storm", "self_inflicted", "packet_loss", "path_change",
    "class_contention", "host_only", "deadlock", "settings", "incast", "elephant_collision", "ecmp_imbalance",
    "collective_step", "slow_receiver",
]
PENALTY = 0.5


def features(line):
    """The inputs of the model, as `Features::inputs` in analyzer/src/verdict/confidence.rs computes them."""
    f = line["features"]
    caveats = min(max(f["caveats"], 0.01), 0.99)
    # As `confidence::kind`: a loss for lack of buffer that accuses flows is judged as their queue.
    is_queue = line["anomaly"] == "packet_loss" and f["flows"] > 0
    kind = "flow_contention" if is_queue else line["anomaly"]
    cause = line["cause"]
    return [
        1.0,
        math.log(caveats / (1.0 - caveats)),
        math.log(max(f["accused"], 1.0)),
        f["named_share"],
        math.log(1.0 + f["flows"]),
        f["close"],
        f["resolution"],
        f["explained"],
        math.log(1.0 + f["delay_rtts"]),
        f["share"],
        f["reverse"],
        float(kind == "flow_contention"),
        float(kind == "pfc_backpressure_flow_contention"),
        float(kind == "pfc_storm_host_injection"),
        float(kind == "self_inflicted"),
        float(kind == "packet_loss"),
        float(kind == "path_change"),
        float(kind == "class_contention"),
        float(kind == "host_only"),
        float(kind in ("deadlock_in_loop_contention", "deadlock_out_of_loop_contention")),
        float(cause == "misconfiguration"),
        float(cause == "incast"),
        float(cause == "elephant_collision"),
        float(cause == "ecmp_imbalance"),
        float(cause == "collective_step"),
        float(cause == "slow_receiver"),
    ]


def solve(matrix, vector):
    """Gaussian elimination with partial pivoting."""
    size = len(vector)
    rows = [row[:] + [value] for row, value in zip(matrix, vector)]
    for at in range(size):
        pivot = max(range(at, size), key=lambda row: abs(rows[row][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        for row in range(at + 1, size):
            factor = rows[row][at] / rows[at][at]
            for column in range(at, size + 1):
                rows[row][column] -= factor * rows[at][column]
    result = [0.0] * size
    for at in reversed(range(size)):
        rest = sum(rows[at][column] * result[column] for column in range(at + 1, size))
        result[at] = (rows[at][size] - rest) / rows[at][at]
    return result


def probability(weights, inputs):
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, sum(w * x for w, x in zip(weights, inputs))))))


def fit(samples):
    """The weights of the model for (inputs, is_right, weight of the sample)."""
    size = len(NAMES)
    weights = [0.0] * size
    for _ in range(30):
        gradient = [PENALTY * w for w in weights]
        curvature = [[PENALTY if a == b else 0.0 for b in range(size)] for a in range(size)]
        gradient[0], curvature[0][0] = 0.0, 1e-6
        for inputs, is_right, weight in samples:
            p = probability(weights, inputs)
            for a in range(size):
                gradient[a] += weight * (p - is_right) * inputs[a]
                for b in range(size):
                    curvature[a][b] += weight * p * (1.0 - p) * inputs[a] * inputs[b]
        weights = [w - step for w, step in zip(weights, solve(curvature, gradient))]
    return weights


def report(title, samples):
    """The reliability of (confidence, is_right, weight of the sample)."""
    bins = collections.defaultdict(list)
    for p, is_right, weight in samples:
        bins[min(int(p * 10), 9)].append((p, is_right, weight))
    total = sum(weight for _, _, weight in samples)
    error = 0.0
    print(title)
    for at in sorted(bins):
        found = bins[at]
        mass = sum(weight for _, _, weight in found)
        mean = sum(p * weight for p, _, weight in found) / mass
        right = sum(is_right * weight for _, is_right, weight in found) / mass
        error += abs(mean - right) * mass / total
        print(f"  {at / 10:.1f}  {len(found):4} verdicts, stated {mean:.2f}, right {right:.2f}")
    print(f"  expected calibration error {error:.3f}")


def report_fit(title, weights, samples):
    report(title, [(probability(weights, inputs), is_right, 1.0) for inputs, is_right, _ in samples])


def report_stated(lines, runs):
    for title, weight in (
        ("stated, each run alike:", lambda line: 1.0 / runs[(line["row"], line["seed"])]),
        ("stated, each verdict alike:", lambda line: 1.0),
    ):
        report(title, [(line["confidence"], float(line["grade"] == "right"), weight(line)) for line in lines])


def main():
    names = [name for name in sys.argv[1:] if name != "--stated"]
    lines = [json.loads(line) for name in names for line in open(name)]
    graded = [line for line in lines if line["grade"] in ("right", "partly", "wrong")]
    runs = collections.Counter((line["row"], line["seed"]) for line in graded)
    if "--stated" in sys.argv:
        return report_stated(graded, runs)
    samples = collections.defaultdict(list)
    for line in graded:
        weight = runs[(line["row"], line["seed"])] ** -0.5
        samples[line["seed"] % 2].append((features(line), float(line["grade"] == "right"), weight))
    for fitted, other in ((0, 1), (1, 0)):
        if samples[fitted] and samples[other]:
            report_fit(f"fitted on seeds = {fitted} mod 2, on the others:", fit(samples[fitted]), samples[other])
    weights = fit(samples[0] + samples[1])
    report_fit("fitted on all:", weights, samples[0] + samples[1])
    for name, weight in zip(NAMES, weights):
        print(f"{name:16} {weight:8.3f}")


if __name__ == "__main__":
    main()
