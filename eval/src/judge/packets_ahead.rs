//! A reference for verdicts of flow contention: the flows whose packets were ahead, by the simulator's packet log.
//!
//! No telemetry of queues shows more than this. What the reference gets from the judge is what methods can get that name flows by
//! their share of the packets ahead: guilt is measured in runs without them, in which flows that start later use the room that
//! they leave.

use std::collections::BTreeMap;

use fabric::RunError;
use model::{Anomaly, Diagnosis, FlowKey, Time};
use scenario::Scenario;
use serde::{Deserialize, Serialize};

use super::bench::{Base, Bench};
use super::grade::{Grade, Judgement, is_alone, judge_one, window};

/// A flow is named if at least this share of the bytes ahead is its own. A choice, the best one of 2, 5, 10 and 15 % on the
/// development seeds 61001 to 61060.
const LEAST_SHARE: f64 = 0.1;

/// Verdicts of flow contention, each alone about its delay, and the reference for the same delays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PacketsAhead {
    /// Verdicts with a grade of right, partly right or wrong, of which the reference gets one, too.
    pub compared: u64,
    /// Those that are right.
    pub right: u64,
    /// Those of which the reference is right.
    pub reference_right: u64,
}

impl PacketsAhead {
    /// Returns the counts of two runs together.
    pub fn and(self, other: PacketsAhead) -> PacketsAhead {
        PacketsAhead {
            compared: self.compared + other.compared,
            right: self.right + other.right,
            reference_right: self.reference_right + other.reference_right,
        }
    }
}

/// Judges the flows ahead in the place of the accused, for each verdict of flow contention that accuses and has a grade.
///
/// # Errors
/// A run that cannot be repeated.
pub fn packets_ahead(
    bench: &mut Bench<'_>,
    scenario: &Scenario,
    verdicts: &[Diagnosis],
    judgements: &[Judgement],
) -> Result<PacketsAhead, RunError> {
    let accuses =
        |judgement: &Judgement| matches!(judgement.grade, Grade::Right | Grade::Partly | Grade::Wrong);
    let mut count = PacketsAhead::default();
    for (verdict, judgement) in verdicts.iter().zip(judgements) {
        let Some(victim) = verdict.victim.filter(|_| verdict.anomaly == Anomaly::FlowContention) else {
            continue;
        };
        if !accuses(judgement) || !is_alone(verdicts, verdict) {
            continue;
        }
        let mut reference = verdict.clone();
        reference.root_cause.flows = flows_ahead(bench.base()?, victim, window(verdict));
        if reference.root_cause.flows.is_empty() {
            continue;
        }
        let reference = judge_one(bench, scenario, &[reference], 0)?;
        if accuses(&reference) {
            count.compared += 1;
            count.right += u64::from(judgement.grade == Grade::Right);
            count.reference_right += u64::from(reference.grade == Grade::Right);
        }
    }
    Ok(count)
}

/// Returns the flows with at least [`LEAST_SHARE`] of the bytes ahead of the packets and ACKs of a victim that waited longest, at
/// each port of its path: the packets that left the port while one of the victim waited there. The bytes of a port weigh as the
/// wait does. Largest share first; the victim may be one of them.
fn flows_ahead(base: &Base, victim: FlowKey, window: (Time, Time)) -> Vec<FlowKey> {
    let Some(number) = base.flows.iter().position(|flow| flow.flow == victim) else { return Vec::new() };
    let stays = base.stays();
    // A wait that overlaps the window counts in full.
    let until = Time(window.1.0.saturating_add(window.1.saturating_sub(window.0).0));
    let mut longest: BTreeMap<(u32, u16), (Time, Time)> = BTreeMap::new();
    for stay in stays.iter().filter(|stay| stay.flow == number && stay.from <= until && stay.to >= window.0) {
        let known = longest.entry((stay.switch, stay.egress_port)).or_insert((stay.from, stay.to));
        if stay.to - stay.from > known.1 - known.0 {
            *known = (stay.from, stay.to);
        }
    }
    let mut shares: BTreeMap<usize, f64> = BTreeMap::new();
    for ((switch, port), (from, to)) in longest {
        let first = stays.partition_point(|stay| stay.to <= from);
        let left = stays[first..].iter().take_while(|stay| stay.to <= to);
        let there = left.filter(|stay| (stay.switch, stay.egress_port) == (switch, port));
        let mut bytes: BTreeMap<usize, f64> = BTreeMap::new();
        // Not the waiting packet itself.
        for stay in there.filter(|stay| stay.flow != number || stay.to < to) {
            *bytes.entry(stay.flow).or_default() += f64::from(stay.bytes);
        }
        let all: f64 = bytes.values().sum();
        let wait = (to - from).0 as f64;
        bytes.into_iter().for_each(|(flow, bytes)| *shares.entry(flow).or_default() += wait * bytes / all);
    }
    let least = LEAST_SHARE * shares.values().sum::<f64>();
    let mut named: Vec<(usize, f64)> = shares.into_iter().filter(|(_, share)| *share >= least).collect();
    named.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    named.into_iter().filter_map(|(flow, _)| Some(base.flows.get(flow)?.flow)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fabric::pipeline::Pipeline;

    use super::super::test_scenarios::{LOSSLESS, flow, one_switch};
    use super::*;

    /// Checks which of these flows the reference names for the delay of the first one in the first 40 us.
    #[track_caller]
    fn check(flows: &[(&str, &str, &str)], expected: &[usize]) {
        let texts: String = flows.iter().map(|(from, to, size)| flow(from, to, size)).collect();
        let scenario = one_switch(7, LOSSLESS, &texts);
        let keys: Vec<FlowKey> =
            scenario.flows.iter().map(|flow| scenario.key(flow).expect("a key")).collect();
        let pipeline = Pipeline::hawkeye(&[]).expect("a pipeline");
        let mut bench = Bench::new(&scenario, 1, &pipeline, BTreeSet::from([keys[0]]));
        let base = bench.base().expect("a run");
        let named: BTreeSet<FlowKey> =
            flows_ahead(base, keys[0], (Time::ZERO, Time::from_us(40))).into_iter().collect();
        let expected: BTreeSet<FlowKey> = expected.iter().map(|at| keys[*at]).collect();
        assert_eq!(named, expected);
    }

    #[test]
    fn flows_of_the_same_port_are_ahead_and_those_of_other_ports_are_not() {
        check(&[("h1", "h2", "200kB"), ("h3", "h2", "200kB"), ("h5", "h4", "200kB")], &[0, 1]);
    }

    #[test]
    fn a_flow_of_a_few_packets_is_not_named() {
        check(&[("h1", "h2", "200kB"), ("h3", "h2", "200kB"), ("h5", "h2", "3kB")], &[0, 1]);
    }

    #[test]
    fn packets_ahead_of_acks_count() {
        // The data of the first flow meet no queue, its ACKs meet one at the port to h1.
        check(&[("h1", "h2", "200kB"), ("h3", "h1", "200kB"), ("h5", "h1", "200kB")], &[1, 2]);
    }
}
