//! Aggregates judged runs: one row for each scenario and method.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::host_cause_table::{self, HostCauseRow};
use crate::judge::{Calibration, Grade, HostCauseCount, Judgement, PacketsAhead, Ranking, calibration};

/// A verdict with its grade and its weight in the sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Graded {
    /// Its grade.
    pub grade: Grade,
    /// Its confidence.
    pub confidence: f64,
    /// Whether it is an alarm: more than telemetry.
    pub is_alarm: bool,
    /// The number of verdicts that it stands for; 0 if it was not drawn.
    pub weight: f64,
}

impl Graded {
    /// A judged verdict.
    pub fn new(judgement: &Judgement, confidence: f64, is_alarm: bool) -> Graded {
        Graded { grade: judgement.grade, confidence, is_alarm, weight: judgement.weight }
    }

    fn is_right(&self) -> bool {
        self.grade == Grade::Right
    }

    fn claims_something(&self) -> bool {
        matches!(self.grade, Grade::Right | Grade::Partly | Grade::Wrong)
    }
}

/// The result of one method in one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// The scenario, or the kind of disturbance.
    pub scenario: String,
    /// The method.
    pub method: String,
    /// Number of instances that were drawn for the run.
    pub drawn: u64,
    /// Whether the run differs from its scenario's expectation. It is judged like any other.
    pub is_unexpected: bool,
    /// Each verdict.
    pub verdicts: Vec<Graded>,
    /// The grade of each incident.
    pub incidents: Vec<Grade>,
    /// What the method names first; absent without methods to compare with.
    pub ranking: Option<Ranking>,
    /// Disturbances that delayed a flow.
    pub events: u64,
    /// Those of them that a right or partly right verdict names.
    pub named: u64,
    /// Those of them about which no agent asked.
    pub undetected: u64,
    /// Events of the ground truth that have a root port or host.
    #[serde(default)]
    pub places: u64,
    /// Those of them whose place a verdict names.
    #[serde(default)]
    pub placed: u64,
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
    /// Causes inside hosts.
    #[serde(default)]
    pub host_causes: Vec<HostCauseCount>,
    /// The reference by the packet log; absent if it was not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packets_ahead: Option<PacketsAhead>,
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
    /// Judged verdicts that name the port of the delay and no culprit.
    pub located: u64,
    /// Judged verdicts that name another port and no culprit.
    pub mislocated: u64,
    /// The share of the former among both, with the weights of the sample; absent without any.
    pub location_precision: Option<f64>,
    /// Verdicts that were not judged, for all reasons.
    pub unjudged: u64,
    /// Those of them that were not drawn for the sample.
    pub undrawn: u64,
    /// Alarms among the verdicts that were not judged.
    pub alarms_unjudged: u64,
    /// Disturbances that delayed a flow.
    pub events: u64,
    /// Those of them about which no agent asked.
    pub undetected: u64,
    /// Events of the ground truth whose root host or, without one, root port a verdict names, among all that have one;
    /// absent without such an event.
    pub place: Option<f64>,
    /// Right verdicts among all verdicts that claim something, estimated from the sample by weights; 1 if none does.
    pub precision: f64,
    /// Named disturbances among all that delayed a flow; 1 if none did.
    pub recall: f64,
    /// Verdicts that are alarms, more than telemetry, and claim something.
    pub alarms: u64,
    /// Right ones among them.
    pub alarms_right: u64,
    /// Their share, with the weights of the sample; 1 without alarms.
    pub alarm_precision: f64,
    /// Incidents that are right, partly right or wrong.
    pub incidents: u64,
    /// Right ones among them.
    pub incidents_right: u64,
    /// Partly right ones among them.
    pub incidents_partly: u64,
    /// Incidents whose gravest verdict claims nothing.
    pub incidents_silent: u64,
    /// Incidents whose gravest verdict was not judged.
    pub incidents_unjudged: u64,
    /// Right ones among the incidents that are right, partly right or wrong; 1 without any.
    pub incident_precision: f64,
    /// Wrong verdicts that are alarms, per host and hour.
    pub false_alarms_per_host_hour: f64,
    /// Expected calibration error, with the weights of the sample.
    pub calibration_error: f64,
    /// The same of alarms alone.
    pub alarm_calibration_error: f64,
    /// Reliability diagram, Brier score, and wrong verdicts above 90 % confidence.
    pub calibration: Calibration,
    /// Delays that the verdicts of at least one method explain; absent without methods to compare with.
    pub pooled_delays: Option<u64>,
    /// The share of these delays with a known place whose place is the method's root port.
    pub root_port: Option<f64>,
    /// The share of these delays of which the first named actor is guilty.
    pub top_1: Option<f64>,
    /// The share of these delays of which one of the first three named actors is guilty.
    pub top_3: Option<f64>,
    /// The mean of the best F1 scores of the beginnings of the list of named actors.
    pub best_f1: Option<f64>,
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
    /// Causes inside hosts; empty if there is none and no verdict gives one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub host_causes: Vec<HostCauseRow>,
    /// The reference by the packet log; absent if it was not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packets_ahead: Option<PacketsAhead>,
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
    let graded = |grade: Grade| verdicts().filter(|verdict| verdict.grade == grade).count() as u64;
    let (right, partly, wrong) = (graded(Grade::Right), graded(Grade::Partly), graded(Grade::Wrong));
    let claims = || verdicts().filter(|verdict| verdict.claims_something());
    let alarms = || claims().filter(|verdict| verdict.is_alarm);
    let unjudged = || verdicts().filter(|verdict| verdict.grade == Grade::Unjudged);
    let incidents = |grade: Grade| {
        group.iter().flat_map(|o| &o.incidents).filter(|of_incident| **of_incident == grade).count() as u64
    };
    let graded_incidents = incidents(Grade::Right) + incidents(Grade::Partly) + incidents(Grade::Wrong);
    let false_alarms =
        alarms().filter(|alarm| alarm.grade == Grade::Wrong).map(|alarm| alarm.weight).sum::<f64>();
    let rankings: Vec<&Ranking> = group.iter().filter_map(|o| o.ranking.as_ref()).collect();
    let ranking = rankings.into_iter().fold(None, |sum: Option<Ranking>, next| {
        let mut sum = sum.unwrap_or_default();
        sum.add(next);
        Some(sum)
    });
    let ranked = |part: fn(&Ranking) -> f64, whole: fn(&Ranking) -> u64| {
        let ranking = ranking.as_ref().filter(|ranking| whole(ranking) > 0)?;
        Some(short(part(ranking) / whole(ranking) as f64))
    };
    let host_hours: f64 = group.iter().map(|o| o.host_hours).sum();
    let calibration = calibration_of(claims());
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
        located: graded(Grade::Located),
        mislocated: graded(Grade::Mislocated),
        location_precision: location_precision(verdicts()),
        unjudged: unjudged().count() as u64,
        undrawn: unjudged().filter(|verdict| verdict.weight == 0.0).count() as u64,
        alarms_unjudged: unjudged().filter(|verdict| verdict.is_alarm).count() as u64,
        events,
        undetected: sum(|o| o.undetected),
        place: (sum(|o| o.places) > 0).then(|| short(share(sum(|o| o.placed), sum(|o| o.places)))),
        precision: share_right(claims()),
        recall: short(share(named, events)),
        alarms: alarms().count() as u64,
        alarms_right: alarms().filter(|alarm| alarm.is_right()).count() as u64,
        alarm_precision: share_right(alarms()),
        incidents: graded_incidents,
        incidents_right: incidents(Grade::Right),
        incidents_partly: incidents(Grade::Partly),
        incidents_silent: incidents(Grade::Silent),
        incidents_unjudged: incidents(Grade::Unjudged),
        incident_precision: short(share(incidents(Grade::Right), graded_incidents)),
        false_alarms_per_host_hour: short(if host_hours > 0.0 { false_alarms / host_hours } else { 0.0 }),
        calibration_error: short(calibration.expected_error),
        alarm_calibration_error: short(calibration_of(alarms()).expected_error),
        calibration,
        pooled_delays: ranking.as_ref().map(|ranking| ranking.delays),
        root_port: ranked(|r| r.root_ports as f64, |r| r.places),
        top_1: ranked(|r| r.first as f64, |r| r.delays),
        top_3: ranked(|r| r.first_three as f64, |r| r.delays),
        best_f1: ranked(|r| r.best_f1, |r| r.delays),
        switches_collected_mean: short(counts(|o| &o.switches_collected)),
        causal_coverage: (!coverage.is_empty()).then(|| short(mean(coverage))),
        telemetry_bytes_mean: short(counts(|o| &o.telemetry_bytes)),
        polling_bytes_mean: short(counts(|o| &o.polling_bytes)),
        time_to_diagnosis_us_p50: percentile(&times, 50),
        time_to_diagnosis_us_p99: percentile(&times, 99),
        host_causes: host_cause_table::sum(group.iter().flat_map(|o| &o.host_causes)),
        packets_ahead: group.iter().filter_map(|o| o.packets_ahead).reduce(PacketsAhead::and),
    }
}

/// The share of right ones among verdicts that claim something, with their weights; 1 without any.
fn share_right<'v>(claims: impl Iterator<Item = &'v Graded>) -> f64 {
    let (right, all) = claims.fold((0.0, 0.0), |(right, all), verdict| {
        (right + verdict.weight * f64::from(u8::from(verdict.is_right())), all + verdict.weight)
    });
    short(if all > 0.0 { right / all } else { 1.0 })
}

/// The share of the verdicts that name the port of the delay among those that name a port and no culprit.
fn location_precision<'v>(verdicts: impl Iterator<Item = &'v Graded>) -> Option<f64> {
    let (mut located, mut all) = (0.0, 0.0);
    for verdict in verdicts.filter(|v| matches!(v.grade, Grade::Located | Grade::Mislocated)) {
        located += if verdict.grade == Grade::Located { verdict.weight } else { 0.0 };
        all += verdict.weight;
    }
    (all > 0.0).then(|| short(located / all))
}

fn calibration_of<'v>(claims: impl Iterator<Item = &'v Graded>) -> Calibration {
    let weighted = claims.map(|verdict| (verdict.confidence, verdict.is_right(), verdict.weight));
    calibration(&weighted.collect::<Vec<_>>())
}

fn mean(values: Vec<f64>) -> f64 {
    match values.len() {
        0 => 0.0,
        n => values.iter().sum::<f64>() / n as f64,
    }
}

/// The columns of the text.
const COLUMNS: [(&str, usize); 21] = [
    ("method", 12),
    ("runs", 5),
    ("right", 5),
    ("partly", 6),
    ("wrong", 5),
    ("silent", 6),
    ("ports", 5),
    ("right", 6),
    ("unjudged", 8),
    ("missed", 6),
    ("unseen", 6),
    ("precision", 9),
    ("alarms", 6),
    ("right", 6),
    ("incidents", 9),
    ("right", 6),
    ("recall", 6),
    ("place", 6),
    ("ECE", 6),
    (">90", 5),
    ("p50 us", 9),
];
/// The columns of a comparison of methods.
const COMPARED: [(&str, usize); 5] = [("delays", 6), ("root", 6), ("top 1", 6), ("top 3", 6), ("F1", 6)];

/// Formats the rows as text.
pub fn text<'r>(rows: impl Iterator<Item = &'r Row>) -> String {
    let rows: Vec<&Row> = rows.collect();
    let is_compared = rows.iter().any(|row| row.pooled_delays.is_some());
    let columns: Vec<(&str, usize)> =
        COLUMNS.into_iter().chain(COMPARED.into_iter().filter(|_| is_compared)).collect();
    let line = |name: &str, cells: &[String]| {
        let cells = cells.iter().zip(&columns).map(|(cell, (_, width))| format!(" {cell:>width$}"));
        format!("{name:<32}{}\n", cells.collect::<String>())
    };
    let mut text = line("scenario", &columns.iter().map(|(name, _)| (*name).to_string()).collect::<Vec<_>>());
    let optional = |value: Option<f64>, digits: usize| {
        value.map_or_else(|| "-".to_string(), |value| format!("{value:.digits$}"))
    };
    // A share of nothing is undefined.
    let share = |value: f64, of: u64| optional((of > 0).then_some(value), 3);
    for r in rows {
        let claims = r.true_positive + r.false_positive;
        let cells = [
            r.method.clone(),
            r.runs.to_string(),
            r.true_positive.to_string(),
            r.partly.to_string(),
            (r.false_positive - r.partly).to_string(),
            r.silent.to_string(),
            (r.located + r.mislocated).to_string(),
            optional(r.location_precision, 3),
            r.unjudged.to_string(),
            r.false_negative.to_string(),
            r.undetected.to_string(),
            share(r.precision, claims),
            r.alarms.to_string(),
            share(r.alarm_precision, r.alarms),
            r.incidents.to_string(),
            share(r.incident_precision, r.incidents),
            share(r.recall, r.events),
            optional(r.place, 3),
            share(r.calibration_error, claims),
            r.calibration.wrong_above_90.to_string(),
            optional(r.time_to_diagnosis_us_p50, 0),
            r.pooled_delays.map_or_else(|| "-".to_string(), |delays| delays.to_string()),
            optional(r.root_port, 3),
            optional(r.top_1, 3),
            optional(r.top_3, 3),
            optional(r.best_f1, 3),
        ];
        text.push_str(&line(&r.scenario, &cells));
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

/// Formats the reference by the packet log as text, a line for each row that has one.
pub fn packets_ahead_text(rows: &[Row]) -> String {
    let line = |row: &Row| {
        let PacketsAhead { compared, right, reference_right } = row.packets_ahead?;
        let share = |part: u64| 100.0 * part as f64 / compared.max(1) as f64;
        Some(format!(
            "{}: of {compared} verdicts of flow contention, each alone about its delay, {right} are right ({:.1} %); of the \
             flows ahead by the packet log, {reference_right} would be ({:.1} %)\n",
            row.method,
            share(right),
            share(reference_right)
        ))
    };
    rows.iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graded(grade: Grade, weight: f64) -> Graded {
        Graded { grade, confidence: 0.9, is_alarm: weight == 1.0, weight }
    }

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
            verdicts: grades.iter().map(|grade| graded(*grade, 1.0)).collect(),
            events,
            named,
            host_hours: 0.5,
            switches_collected: vec![4, 6],
            time_to_diagnosis_ns: ns,
            ..Observation::default()
        }
    }

    #[test]
    fn drawn_verdicts_stand_for_all_of_their_kind() {
        use Grade::{Partly, Right, Silent, Unjudged, Wrong};
        let mut seen = observation("a", &[Right, Wrong], (1, 1), None);
        seen.verdicts.extend([graded(Right, 3.0), graded(Wrong, 5.0)]);
        seen.verdicts.extend([Unjudged; 6].map(|grade| graded(grade, 0.0)));
        seen.incidents = vec![Right, Right, Partly, Wrong, Silent, Unjudged];
        seen.ranking =
            Some(Ranking { delays: 4, places: 2, root_ports: 1, first: 2, first_three: 3, best_f1: 2.5 });
        let row = &rows(&[seen.clone(), seen])[0];
        assert_eq!((row.precision, row.alarm_precision), (0.4, 0.5));
        assert_eq!((row.alarms, row.alarms_right, row.undrawn, row.alarms_unjudged), (4, 2, 12, 0));
        assert_eq!((row.incidents, row.incidents_right, row.incidents_partly), (8, 4, 2));
        assert_eq!((row.incident_precision, row.incidents_silent, row.incidents_unjudged), (0.5, 2, 2));
        assert_eq!((row.pooled_delays, row.root_port), (Some(8), Some(0.5)));
        assert_eq!((row.top_1, row.top_3, row.best_f1), (Some(0.5), Some(0.75), Some(0.625)));
        // Of 20 weighted verdicts at 90 %, 8 are right; of 4 alarms, 2.
        assert_eq!((row.calibration_error, row.alarm_calibration_error), (0.5, 0.4));
    }

    #[test]
    fn runs_add_up() {
        use Grade::{Partly, Right, Silent, Unjudged, Wrong};
        let places = |places, placed, of| Observation { places, placed, ..of };
        let seen = [
            places(2, 1, observation("b", &[Right], (1, 1), Some(1_000))),
            observation("a", &[Wrong, Silent], (1, 0), None),
            places(2, 2, observation("b", &[Right, Partly, Wrong, Unjudged], (1, 1), Some(3_000))),
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
        assert_eq!((rows[0].place, rows[1].place), (Some(0.75), None));
        assert_eq!(rows[0].false_alarms_per_host_hour, 1.0);
        assert_eq!(totals(&seen)[0].runs, 3);
    }

    #[test]
    fn a_quiet_network_without_verdicts_is_right() {
        let rows = rows(&[observation("quiet", &[], (0, 0), None)]);
        assert_eq!((rows[0].precision, rows[0].recall), (1.0, 1.0));
    }

    #[test]
    fn the_reference_by_the_packet_log_adds_up_over_runs() {
        let seen = |compared, right, reference_right| Observation {
            method: "harrier".into(),
            packets_ahead: Some(PacketsAhead { compared, right, reference_right }),
            ..Observation::default()
        };
        let rows =
            totals(&[seen(3, 2, 3), Observation { packets_ahead: None, ..seen(0, 0, 0) }, seen(5, 4, 3)]);
        assert_eq!(
            packets_ahead_text(&rows),
            "harrier: of 8 verdicts of flow contention, each alone about its delay, 6 are right (75.0 %); of the flows \
             ahead by the packet log, 6 would be (75.0 %)\n"
        );
    }
}
