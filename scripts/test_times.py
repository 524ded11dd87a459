"""Passes the output of `cargo test` through and prints the time of each crate's tests at the end."""

import re
import sys

UNIT = re.compile(r"\s+Running unittests \S+ \(.*/([\w-]+)-[0-9a-f]+\)")
DOC = re.compile(r"\s+Doc-tests (\S+)")
RESULT = re.compile(r"test result: .* (\d+) passed; (\d+) failed; (\d+) ignored;.* finished in ([\d.]+)s")

crate = "?"
totals = {}
skipped = 0
for line in sys.stdin:
    sys.stdout.write(line)
    # Cargo runs a crate's unit tests first, so the integration tests that follow belong to the same crate.
    started = UNIT.match(line) or DOC.match(line)
    if started:
        crate = started.group(1)
    elif "SKIPPED" in line:
        skipped += 1
    elif result := RESULT.match(line):
        counts = totals.setdefault(crate, [0, 0, 0, 0.0])
        for index in range(3):
            counts[index] += int(result.group(index + 1))
        counts[3] += float(result.group(4))

print(f"\n{'crate':<24}{'passed':>8}{'failed':>8}{'ignored':>8}{'seconds':>10}")
for name, (passed, failed, ignored, seconds) in sorted(totals.items(), key=lambda item: -item[1][3]):
    print(f"{name:<24}{passed:>8}{failed:>8}{ignored:>8}{seconds:>10.1f}")
sums = [sum(column) for column in zip(*totals.values())] or [0, 0, 0, 0.0]
print(f"{'all':<24}{sums[0]:>8}{sums[1]:>8}{sums[2]:>8}{sums[3]:>10.1f}")
