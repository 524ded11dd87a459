//! Aggregates judged runs: one row for each scenario and method.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::judge::{Calibration, Grade, calibration};

/// The result of one method in one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observation {
    /// The scenario, or the kind of disturbance.
    pub scenario: String,
    /// The method.
    pub method: String,
    /// Number of instances that were drawn for the run.
    pub drawn: u64,
    /// Whether the run differs from its scenario's expectation. It is judged like any other.
    pub is_unexpected: bool,
    /// Each verdict: its grade, its confidence, and whether it is an alarm (more than telemetry).
    pub verdicts: Vec<(Grade, f64, bool)>,
    /// Disturbances that delayed a flow.
    pub events: u64,
    /// Those of them that a right or partly right verdict names.
    pub named: u64,
    /// Those of them about which no agent asked.
    pub undetected: u64,
    /// Number of hosts times simulated hours.
    pub host_hours: f64,
    /// Number of switches in each snapshot.
    pub switches_collected: Vec<u64>,
    /// Bytes of telemetry in each snapshot.
    pub telemetry_bytes: Vec<u64>,
    /// Bytes of polling packets on the wire, for each snapshot.
    pub polling_bytes: Vec<u64>,
    /// For each expected event, the share of the switches of its pause path that the best snapshot has.
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
    pub method: String,
    /// Number of runs.
    pub runs: u64,
    /// Instances that were drawn and not judged.
    pub redrawn: u64,
    /// Judged runs that differ from their scenario's expectation.
    pub unexpected: u64,
    /// Right verdicts.
    pub true_positive: u64,
    /// Wrong and partly right verdicts.
    pub false_positive: u64,
    /// Disturbances that delayed a flow and that no verdict names.
    pub false_negative: u64,
    /// Partly right verdicts, which `false_positive` includes.
    pub partly: u64,
    /// Verdicts that claim nothing.
    pub silent: u64,
    /// Verdicts that were not judged.
    pub unjudged: u64,
    /// Disturbances that delayed a flow.
    pub events: u64,
    /// Those of them about which no agent asked.
    pub undetected: u64,
    /// Right verdicts among all verdicts that claim something; 1 if none does.
    pub precision: f64,
    /// Named disturbances among all that delayed a flow; 1 if none did.
    pub recall: f64,
    /// Verdicts that are alarms, more than telemetry, and claim something.
    pub alarms: u64,
    /// Right ones among them.
    pub alarms_right: u64,
    /// Wrong verdicts that are alarms, per host and hour.
    pub false_alarms_per_host_hour: f64,
    /// Expected calibration error.
    pub calibration_error: f64,
    /// Reliability diagram, Brier score, and wrong verdicts above 90 % confidence.
    pub calibration: Calibration,
    /// Mean number of switches of a diagnosis.
    pub switches_collected_mean: f64,
    /// Mean share of the switches of the pause path that were collected; absent without expected events.
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

/// Returns rows by scenario and method, each in order of first appearance.
pub fn rows(observations: &[Observation]) -> Vec<Row> {
    grouped(observations, |observation| observation.scenario.clone())
}

/// Returns one row over all scenarios for each method.
pub fn totals(observations: &[Observation]) -> Vec<Row> {
    grouped(observations, |_| "all".to_string())
}

fn grouped(observations: &[Observation], name: impl Fn(&Observation) -> String) -> Vec<Row> {
    let mut order: Vec<(String, String)> = Vec::new();
    let mut groups: BTreeMap<usize, Vec<&Observation>> = BTreeMap::new();
    for observation in observations {
        let key = (name(observation), observation.method.clone());
        let place = order.iter().position(|known| *known == key).unwrap_or_else(|| {
            order.push(key);
            order.len() - 1
        });
        groups.entry(place).or_default().push(observation);
    }
    let mut scenarios: Vec<&String> = Vec::new();
    for (scenario, _) in &order {
        if !scenarios.contains(&scenario) {
            scenarios.push(scenario);
        }
    }
    let mut places: Vec<usize> = groups.keys().copied().collect();
    places.sort_by_key(|place| scenarios.iter().position(|name| **name == order[*place].0));
    places.into_iter().map(|place| row(&order[place].0, &order[place].1, &groups[&place])).collect()
}

fn row(scenario: &str, method: &str, group: &[&Observation]) -> Row {
    let sum = |of: fn(&Observation) -> u64| group.iter().map(|o| of(o)).sum::<u64>();
    let verdicts = || group.iter().flat_map(|o| &o.verdicts);
    let graded = |grade: Grade| verdicts().filter(|(is, ..)| *is == grade).count() as u64;
    let (right, partly, wrong) = (graded(Grade::Right), graded(Grade::Partly), graded(Grade::Wrong));
    let claims: Vec<(f64, bool)> = verdicts()
        .filter(|(grade, ..)| claims_something(*grade))
        .map(|(grade, confidence, _)| (*confidence, *grade == Grade::Right))
        .collect();
    let false_alarms = verdicts().filter(|(grade, _, alarm)| *grade == Grade::Wrong && *alarm).count() as f64;
    let host_hours: f64 = group.iter().map(|o| o.host_hours).sum();
    let calibration = calibration(&claims);
    let share = |part: u64, whole: u64| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
    let (events, named) = (sum(|o| o.events), sum(|o| o.named));
    let counts = |of: fn(&Observation) -> &Vec<u64>| {
        mean(group.iter().flat_map(|o| of(o)).map(|count| *count as f64).collect())
    };
    let coverage: Vec<f64> = group.iter().flat_map(|o| &o.causal_coverage).copied().collect();
    let mut times: Vec<u64> = group.iter().filter_map(|o| o.time_to_diagnosis_ns).collect();
    times.sort_unstable();
    Row {
        scenario: scenario.to_string(),
        method: method.to_string(),
        runs: group.len() as u64,
        redrawn: sum(|o| o.drawn.saturating_sub(1)),
        unexpected: sum(|o| u64::from(o.is_unexpected)),
        true_positive: right,
        false_positive: wrong + partly,
        false_negative: events - named,
        partly,
        silent: graded(Grade::Silent),
        unjudged: graded(Grade::Unjudged),
        events,
        undetected: sum(|o| o.undetected),
        precision: short(share(right, right + partly + wrong)),
        recall: short(share(named, events)),
        alarms: verdicts().filter(|(grade, _, alarm)| *alarm && claims_something(*grade)).count() as u64,
        alarms_right: verdicts().filter(|(grade, _, alarm)| *alarm && *grade == Grade::Right).count() as u64,
        false_alarms_per_host_hour: short(if host_hours > 0.0 { false_alarms / host_hours } else { 0.0 }),
        calibration_error: short(calibration.expected_error),
        calibration,
        switches_collected_mean: short(counts(|o| &o.switches_collected)),
        causal_coverage: (!coverage.is_empty()).then(|| short(mean(coverage))),
        telemetry_bytes_mean: short(counts(|o| &o.telemetry_bytes)),
        polling_bytes_mean: short(counts(|o| &o.polling_bytes)),
        time_to_diagnosis_us_p50: percentile(&times, 50),
        time_to_diagnosis_us_p99: percentile(&times, 99),
    }
}

fn claims_something(grade: Grade) -> bool {
    matches!(grade, Grade::Right | Grade::Partly | Grade::Wrong)
}

fn mean(values: Vec<f64>) -> f64 {
    match values.len() {
        0 => 0.0,
        n => values.iter().sum::<f64>() / n as f64,
    }
}

/// Formats the rows as text.
pub fn text<'r>(rows: impl Iterator<Item = &'r Row>) -> String {
    let mut text = format!(
        "{:<32} {:<12} {:>5} {:>5} {:>6} {:>5} {:>6} {:>8} {:>6} {:>6} {:>9} {:>7} {:>6} {:>5} {:>9} {:>9}\n",
        "scenario",
        "method",
        "runs",
        "right",
        "partly",
        "wrong",
        "silent",
        "unjudged",
        "missed",
        "unseen",
        "precision",
        "recall",
        "ECE",
        ">90",
        "bytes",
        "p50 us"
    );
    let optional = |value: Option<f64>, digits: usize| {
        value.map_or_else(|| "-".to_string(), |value| format!("{value:.digits$}"))
    };
    // A share of nothing is undefined.
    let share = |value: f64, of: u64| optional((of > 0).then_some(value), 3);
    for r in rows {
        let claims = r.true_positive + r.false_positive;
        text.push_str(&format!(
            "{:<32} {:<12} {:>5} {:>5} {:>6} {:>5} {:>6} {:>8} {:>6} {:>6} {:>9} {:>7} {:>6} {:>5} {:>9.0} {:>9}\n",
            r.scenario,
            r.method,
            r.runs,
            r.true_positive,
            r.partly,
            r.false_positive - r.partly,
            r.silent,
            r.unjudged,
            r.false_negative,
            r.undetected,
            share(r.precision, claims),
            share(r.recall, r.events),
            share(r.calibration_error, claims),
            r.calibration.wrong_above_90,
            r.telemetry_bytes_mean,
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

    fn observation(
        scenario: &str,
        grades: &[Grade],
        (events, named): (u64, u64),
        ns: Option<u64>,
    ) -> Observation {
        Observation {
            scenario: scenario.to_string(),
            method: "harrier".to_string(),
            drawn: 1,
            verdicts: grades.iter().map(|grade| (*grade, 0.9, true)).collect(),
            events,
            named,
            host_hours: 0.5,
            switches_collected: vec![4, 6],
            time_to_diagnosis_ns: ns,
            ..Observation::default()
        }
    }

    #[test]
    fn runs_add_up() {
        use Grade::{Partly, Right, Silent, Unjudged, Wrong};
        let seen = [
            observation("b", &[Right], (1, 1), Some(1_000)),
            observation("a", &[Wrong, Silent], (1, 0), None),
            observation("b", &[Right, Partly, Wrong, Unjudged], (1, 1), Some(3_000)),
        ];
        let rows = rows(&seen);
        let names: Vec<&str> = rows.iter().map(|r| r.scenario.as_str()).collect();
        assert_eq!(names, ["b", "a"]);
        assert_eq!((rows[0].runs, rows[0].precision, rows[0].recall), (2, 0.5, 1.0));
        assert_eq!((rows[0].false_positive, rows[0].partly, rows[0].unjudged), (2, 1, 1));
        assert_eq!((rows[1].precision, rows[1].recall, rows[1].silent), (0.0, 0.0, 1));
        assert_eq!(
            (rows[0].time_to_diagnosis_us_p50, rows[0].time_to_diagnosis_us_p99),
            (Some(1.0), Some(3.0))
        );
        assert_eq!(rows[0].false_alarms_per_host_hour, 1.0);
        assert_eq!(totals(&seen)[0].runs, 3);
    }

    #[test]
    fn a_quiet_network_without_verdicts_is_right() {
        let rows = rows(&[observation("quiet", &[], (0, 0), None)]);
        assert_eq!((rows[0].precision, rows[0].recall), (1.0, 1.0));
    }
}
