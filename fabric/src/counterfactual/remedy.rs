//! What a verdict blames, taken out of a scenario.

use std::collections::BTreeSet;

use model::{Anomaly, Diagnosis, FlowKey, Time};
use scenario::{FlowSpec, Problems, Scenario, place_of};

use crate::record::FlowRecord;

/// What to take out of a run, or to put right in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remedy {
    /// Flows that are not sent.
    pub flows: BTreeSet<FlowKey>,
    /// Hosts without faults, whose receiving side is set like that of all others.
    pub hosts: BTreeSet<String>,
    /// Findings, as [`model::ConfigFinding::id`] names them, that are put right.
    pub config: BTreeSet<String>,
}

impl Remedy {
    /// Everything that a verdict names. The victim itself is never taken out. A verdict that clears the fabric
    /// accuses the two ends of the victim.
    pub fn of(diagnosis: &Diagnosis, scenario: &Scenario) -> Remedy {
        let root = &diagnosis.root_cause;
        let mut hosts: BTreeSet<String> = root.host.iter().cloned().collect();
        if diagnosis.anomaly == Anomaly::HostOnly && hosts.is_empty() {
            let ends = [diagnosis.victim.src, diagnosis.victim.dst];
            hosts.extend(ends.iter().filter_map(|at| Some(scenario.topology.host_of(*at)?.name.clone())));
        }
        Remedy {
            flows: root.flows.iter().copied().filter(|flow| *flow != diagnosis.victim).collect(),
            hosts,
            config: root.config.iter().cloned().collect(),
        }
    }

    /// The corrections of the configuration alone.
    pub fn config_only(&self) -> Remedy {
        Remedy { config: self.config.clone(), ..Remedy::default() }
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        *self == Remedy::default()
    }

    /// The instance of `scenario` for `seed` with this remedy, and what was done about each part of it. Whatever is left
    /// starts when it would have started: what the seed decides is decided before anything is taken out, and what waited
    /// for a flow that is gone starts as in the run `before`.
    ///
    /// # Errors
    /// The problems of an instance that cannot be drawn.
    pub fn apply(
        &self,
        scenario: &Scenario,
        seed: u64,
        before: &[FlowRecord],
    ) -> Result<(Scenario, Vec<String>), Problems> {
        let mut instance = scenario.instance(seed)?.into_owned();
        // Another reading of the text would bring everything back.
        instance.source = None;
        // The truth of a run that never was is of no interest, and costs a log of all packets.
        instance.expect = None;
        // They speak of flows by position, and nobody asks for them.
        instance.jobs.clear();
        settle_starts(&mut instance, seed);
        let mut done = Vec::new();
        let started = |record: &FlowRecord| (record.sent_packets > 0).then_some(record.start);
        let starts: Vec<Option<Time>> = before.iter().map(started).collect();
        self.remove_flows(&mut instance, &starts, &mut done);
        self.heal_hosts(&mut instance, &mut done);
        let mut corrected = BTreeSet::new();
        for id in &self.config {
            // Several findings may be about one setting.
            if place_of(id).is_none_or(|place| corrected.insert(place)) {
                let told = instance.correct(id);
                done.push(told.unwrap_or_else(|| format!("of {id} nothing better is known")));
            }
        }
        Ok((instance, done))
    }

    fn remove_flows(&self, scenario: &mut Scenario, starts: &[Option<Time>], done: &mut Vec<String>) {
        let removed: Vec<bool> = scenario
            .flows
            .iter()
            .map(|flow| scenario.key(flow).is_some_and(|key| self.flows.contains(&key)))
            .collect();
        let sent: BTreeSet<FlowKey> = scenario.flows.iter().filter_map(|flow| scenario.key(flow)).collect();
        done.extend(self.flows.iter().map(|flow| match sent.contains(flow) {
            true => format!("{flow} is not sent"),
            false => format!("{flow} was never sent"),
        }));
        scenario.flows = without(std::mem::take(&mut scenario.flows), &removed, starts);
    }

    fn heal_hosts(&self, scenario: &mut Scenario, done: &mut Vec<String>) {
        for host in &self.hosts {
            let faults = scenario.faults.len();
            scenario.faults.retain(|fault| fault.host != *host);
            let common = scenario.host.clone();
            let mut changed = scenario.faults.len() < faults;
            if let Some(own) = scenario.hosts.get_mut(host) {
                changed |= (own.receive, own.pfc_reaction) != (common.receive, common.pfc_reaction);
                own.receive = common.receive;
                own.pfc_reaction = common.pfc_reaction;
            }
            done.push(match changed {
                true => format!("{host} takes in what arrives, and pauses nobody without need"),
                false => format!("{host} had no fault"),
            });
        }
    }
}

/// Draws what the seed decides by the position of a flow or fault.
fn settle_starts(scenario: &mut Scenario, seed: u64) {
    let starts: Vec<Time> =
        scenario.flows.iter().enumerate().map(|(at, flow)| flow.drawn_start(seed, at)).collect();
    for (flow, start) in scenario.flows.iter_mut().zip(starts) {
        (flow.start, flow.start_jitter) = (start, Time::ZERO);
    }
    for (at, fault) in scenario.faults.iter_mut().enumerate() {
        (fault.start, fault.start_jitter) = (fault.drawn_start(seed, at), Time::ZERO);
    }
}

/// The flows that are left. What waited for one that is gone starts when it did, and not at all where it did not: it would
/// otherwise meet others than in the run as it was.
fn without(flows: Vec<FlowSpec>, removed: &[bool], starts: &[Option<Time>]) -> Vec<FlowSpec> {
    let mut kept: Vec<FlowSpec> = Vec::new();
    // Of every flow: its position in the new list.
    let mut instead: Vec<Option<usize>> = Vec::with_capacity(flows.len());
    for ((at, flow), removed) in flows.into_iter().enumerate().zip(removed) {
        let after: Option<Vec<usize>> =
            flow.after.iter().map(|before| instead.get(*before).copied().flatten()).collect();
        let start = starts.get(at).copied().flatten();
        let left = match (after, start) {
            _ if *removed => None,
            (Some(after), _) => Some(FlowSpec { after, ..flow }),
            (None, Some(start)) => Some(FlowSpec { after: Vec::new(), start, ..flow }),
            (None, None) => None,
        };
        instead.push(left.is_some().then_some(kept.len()));
        kept.extend(left);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use scenario::nic::Messages;

    fn flow(label: &str, start_us: u64, after: &[usize]) -> FlowSpec {
        FlowSpec {
            label: label.into(),
            src: "h1".into(),
            dst: "h2".into(),
            sport: 1,
            dport: 2,
            priority: 3,
            bytes: 1,
            start: Time::from_us(start_us),
            start_jitter: Time::ZERO,
            messages: Messages::default(),
            after: after.to_vec(),
        }
    }

    #[test]
    fn what_waited_for_a_removed_flow_starts_when_it_did() {
        let flows = vec![flow("a", 5, &[]), flow("b", 1, &[0]), flow("c", 2, &[1]), flow("d", 0, &[2])];
        let us = |us| Some(Time::from_us(us));
        let left = without(flows.clone(), &[false, true, false, false], &[us(5), us(20), us(40), us(60)]);
        let shown: Vec<_> = left.iter().map(|f| (f.label.as_str(), f.start, f.after.clone())).collect();
        assert_eq!(
            shown,
            [("a", Time::from_us(5), vec![]), ("c", Time::from_us(40), vec![]), ("d", Time::ZERO, vec![1])]
        );
        // What had not started by the end never does.
        let left = without(flows, &[false, true, false, false], &[us(5), us(20), None, None]);
        assert_eq!(left.len(), 1);
    }
}
