//! Aggregates runs: one row for each scenario and method.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::contestant::Contestant;
use super::missed::Missed;
use super::score::Score;

/// The result of one method in one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The scenario.
    pub scenario: String,
    /// The method.
    pub method: Contestant,
    /// Number of instances that were drawn until one showed the scenario's anomaly.
    pub drawn: u64,
    /// The score of its verdicts.
    pub score: Score,
    /// The classification of missed events.
    pub missed: Missed,
    /// Number of switches in each snapshot.
    pub switches_collected: Vec<u64>,
    /// Bytes of telemetry in each snapshot.
    pub telemetry_bytes: Vec<u64>,
    /// Bytes of polling packets on the wire, for each snapshot.
    pub polling_bytes: Vec<u64>,
    /// For each event, the share of the switches of its pause path that the best snapshot has.
    pub causal_coverage: Vec<f64>,
    /// Time from the trigger to the first right verdict, in nanoseconds.
    pub time_to_diagnosis_ns: Option<u64>,
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The scenario, or `all`.
    pub scenario: String,
    /// The method.
    pub method: Contestant,
    /// Number of runs.
    pub runs: u64,
    /// Number of instances that were drawn for them: those that did not show the scenario's anomaly were skipped.
    pub drawn: u64,
    /// Events that were named exactly.
    pub true_positive: u64,
    /// Incidents that were named and did not happen.
    pub false_positive: u64,
    /// Events that were not named.
    pub false_negative: u64,
    /// Missed events whose snapshots lack data and whose verdicts have at most 50 % confidence.
    #[serde(default)]
    pub said_missing: u64,
    /// Missed events whose root switch no collection has.
    #[serde(default)]
    pub root_uncollected: u64,
    /// True positives among all named incidents; 1 if none was named.
    pub precision: f64,
    /// True positives among all events; 1 if there were none.
    pub recall: f64,
    /// Mean number of switches of a diagnosis.
    pub switches_collected_mean: f64,
    /// Mean share of the switches of the pause path that were collected; absent without events.
    pub causal_coverage: Option<f64>,
    /// Mean bytes of telemetry of a diagnosis.
    pub telemetry_bytes_mean: f64,
    /// Mean bytes of polling packets of a diagnosis.
    pub polling_bytes_mean: f64,
    /// Median time from trigger to right verdict, in microseconds; absent without one.
    pub time_to_diagnosis_us_p50: Option<f64>,
    /// 99th percentile of that time.
    pub time_to_diagnosis_us_p99: Option<f64>,
}

/// Returns rows by scenario (in order of first appearance) and method.
pub fn rows(observations: &[Observation]) -> Vec<Row> {
    let mut order: Vec<&str> = Vec::new();
    let mut groups: BTreeMap<(usize, Contestant), Vec<&Observation>> = BTreeMap::new();
    for observation in observations {
        let known = order.iter().position(|name| *name == observation.scenario);
        let place = known.unwrap_or_else(|| {
            order.push(&observation.scenario);
            order.len() - 1
        });
        groups.entry((place, observation.method)).or_default().push(observation);
    }
    groups.iter().map(|((place, method), group)| row(order[*place], *method, group)).collect()
}

/// Returns one row over all scenarios for each method.
pub fn totals(observations: &[Observation]) -> Vec<Row> {
    let mut groups: BTreeMap<Contestant, Vec<&Observation>> = BTreeMap::new();
    for observation in observations {
        groups.entry(observation.method).or_default().push(observation);
    }
    groups.iter().map(|(method, group)| row("all", *method, group)).collect()
}

fn row(scenario: &str, method: Contestant, group: &[&Observation]) -> Row {
    let sum = |of: fn(&Score) -> u64| group.iter().map(|o| of(&o.score)).sum::<u64>();
    let (tp, fp, fneg) = (sum(|s| s.true_positive), sum(|s| s.false_positive), sum(|s| s.false_negative));
    let of = |part: u64, whole: u64| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
    let mean = |values: Vec<f64>| match values.len() {
        0 => 0.0,
        n => values.iter().sum::<f64>() / n as f64,
    };
    let counts = |of: fn(&Observation) -> &Vec<u64>| {
        mean(group.iter().flat_map(|o| of(o)).map(|count| *count as f64).collect())
    };
    let coverage: Vec<f64> = group.iter().flat_map(|o| &o.causal_coverage).copied().collect();
    let mut times: Vec<u64> = group.iter().filter_map(|o| o.time_to_diagnosis_ns).collect();
    times.sort_unstable();
    Row {
        scenario: scenario.to_string(),
        method,
        runs: group.len() as u64,
        drawn: group.iter().map(|o| o.drawn).sum(),
        true_positive: tp,
        false_positive: fp,
        false_negative: fneg,
        said_missing: group.iter().map(|o| o.missed.said_missing).sum(),
        root_uncollected: group.iter().map(|o| o.missed.root_uncollected).sum(),
        precision: short(of(tp, tp + fp)),
        recall: short(of(tp, tp + fneg)),
        switches_collected_mean: short(counts(|o| &o.switches_collected)),
        causal_coverage: (!coverage.is_empty()).then(|| short(mean(coverage))),
        telemetry_bytes_mean: short(counts(|o| &o.telemetry_bytes)),
        polling_bytes_mean: short(counts(|o| &o.polling_bytes)),
        time_to_diagnosis_us_p50: percentile(&times, 50),
        time_to_diagnosis_us_p99: percentile(&times, 99),
    }
}

/// Formats the rows as text.
pub fn text<'r>(rows: impl Iterator<Item = &'r Row>) -> String {
    let mut text = format!(
        "{:<32} {:<12} {:>5} {:>5} {:>4} {:>4} {:>4} {:>9} {:>7} {:>8} {:>9} {:>9} {:>8} {:>9}\n",
        "scenario",
        "method",
        "runs",
        "tp",
        "fp",
        "fn",
        "said",
        "precision",
        "recall",
        "switches",
        "coverage",
        "bytes",
        "polls",
        "p50 us"
    );
    let optional = |value: Option<f64>, digits: usize| {
        value.map_or_else(|| "-".to_string(), |value| format!("{value:.digits$}"))
    };
    // A share of nothing is undefined.
    let share = |value: f64, of: u64| optional((of > 0).then_some(value), 3);
    for r in rows {
        text.push_str(&format!(
            "{:<32} {:<12} {:>5} {:>5} {:>4} {:>4} {:>4} {:>9} {:>7} {:>8.1} {:>9} {:>9.0} {:>8.0} {:>9}\n",
            r.scenario,
            r.method.name(),
            r.runs,
            r.true_positive,
            r.false_positive,
            r.false_negative,
            r.said_missing,
            share(r.precision, r.true_positive + r.false_positive),
            share(r.recall, r.true_positive + r.false_negative),
            r.switches_collected_mean,
            optional(r.causal_coverage, 3),
            r.telemetry_bytes_mean,
            r.polling_bytes_mean,
            optional(r.time_to_diagnosis_us_p50, 0),
        ));
    }
    text
}

/// Returns the smallest value that this many percent do not exceed, in microseconds; `times` is ascending.
fn percentile(times: &[u64], percent: usize) -> Option<f64> {
    let rank = (times.len() * percent).div_ceil(100).max(1);
    times.get(rank - 1).map(|ns| short(*ns as f64 / 1e3))
}

/// Rounds to four decimals.
fn short(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observation(scenario: &str, score: (u64, u64, u64), ns: Option<u64>) -> Observation {
        Observation {
            scenario: scenario.to_string(),
            method: Contestant::Harrier,
            drawn: 1,
            score: Score { true_positive: score.0, false_positive: score.1, false_negative: score.2 },
            missed: Missed { said_missing: score.2, root_uncollected: 0 },
            switches_collected: vec![4, 6],
            telemetry_bytes: vec![1_000],
            polling_bytes: vec![],
            causal_coverage: vec![1.0],
            time_to_diagnosis_ns: ns,
        }
    }

    #[test]
    fn runs_add_up() {
        let seen = [
            observation("b", (1, 0, 0), Some(1_000)),
            observation("a", (0, 1, 1), None),
            observation("b", (1, 1, 0), Some(3_000)),
        ];
        let rows = rows(&seen);
        let names: Vec<&str> = rows.iter().map(|r| r.scenario.as_str()).collect();
        assert_eq!(names, ["b", "a"]);
        assert_eq!((rows[0].runs, rows[0].precision, rows[0].recall), (2, 0.6667, 1.0));
        assert_eq!((rows[1].precision, rows[1].recall), (0.0, 0.0));
        assert_eq!((rows[0].said_missing, rows[1].said_missing, rows[1].root_uncollected), (0, 1, 0));
        assert_eq!(
            (rows[0].time_to_diagnosis_us_p50, rows[0].time_to_diagnosis_us_p99),
            (Some(1.0), Some(3.0))
        );
        assert_eq!(rows[0].switches_collected_mean, 5.0);
        assert_eq!(totals(&seen)[0].runs, 3);
    }

    #[test]
    fn a_quiet_network_without_verdicts_is_right() {
        let rows = rows(&[observation("quiet", (0, 0, 0), None)]);
        assert_eq!((rows[0].precision, rows[0].recall), (1.0, 1.0));
    }
}
