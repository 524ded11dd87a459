//! Removes the root cause of a verdict from a scenario.

use std::collections::BTreeSet;

use model::diagnosis::Record;
use model::{Anomaly, Diagnosis, FlowKey, LossReason, NetworkChange, PortRef, Time};
use scenario::{FaultKind, FlowSpec, Problems, Scenario, place_of};

use crate::record::FlowRecord;

/// What to remove from a run, or to correct in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Intervention {
    /// Flows that are not sent.
    pub flows: BTreeSet<FlowKey>,
    /// Hosts whose faults are removed, whose receive settings become those of the other hosts, and whose operations neither
    /// fences nor tenants without packets delay.
    pub hosts: BTreeSet<String>,
    /// Identifiers of the findings to correct ([`model::ConfigFinding::id`]).
    pub config: BTreeSet<String>,
    /// Flows that have one packet under way: the claim is that their own packets are the queue.
    pub windows: BTreeSet<FlowKey>,
    /// Links, by one of their ports, that neither lose packets nor go down.
    pub links: BTreeSet<PortRef>,
    /// Switches whose static routes are removed.
    pub routes: BTreeSet<String>,
}

impl Intervention {
    /// The root cause of a verdict. The victim itself is never removed. A verdict that the fabric is not the cause
    /// (host only) concerns the two hosts of the victim.
    pub fn of(diagnosis: &Diagnosis, scenario: &Scenario) -> Intervention {
        let root = &diagnosis.root_cause;
        let mut hosts: BTreeSet<String> = root.host.iter().cloned().collect();
        if diagnosis.anomaly == Anomaly::HostOnly && hosts.is_empty() {
            let ends = diagnosis.victim.into_iter().flat_map(|victim| [victim.src, victim.dst]);
            hosts.extend(ends.filter_map(|at| Some(scenario.topology.host_of(at)?.name.clone())));
        }
        let windows = diagnosis.victim.filter(|_| diagnosis.anomaly == Anomaly::SelfInflicted);
        let mut removed = Intervention {
            flows: root.flows.iter().copied().filter(|flow| Some(*flow) != diagnosis.victim).collect(),
            hosts,
            config: root.config.iter().cloned().collect(),
            windows: windows.into_iter().collect(),
            ..Intervention::default()
        };
        if matches!(diagnosis.anomaly, Anomaly::PacketLoss | Anomaly::PathChange) {
            removed.add_network_faults(diagnosis);
        }
        removed
    }

    /// The links and routes that the records of a loss or a path change name. Discards by lack of buffer are no fault
    /// of a link.
    fn add_network_faults(&mut self, diagnosis: &Diagnosis) {
        for record in diagnosis.evidence.iter().flat_map(|evidence| &evidence.records) {
            match record {
                Record::Event(event) => match event.change {
                    NetworkChange::Route { .. } => drop(self.routes.insert(event.switch.clone())),
                    _ => self.links.extend(event.link_port()),
                },
                Record::Loss(loss) => match loss.reason {
                    LossReason::Corrupted | LossReason::LinkDown => {
                        self.links.extend(diagnosis.root_cause.port.clone());
                    }
                    LossReason::NoRoute | LossReason::Ttl => drop(self.routes.insert(loss.switch.clone())),
                    _ => {}
                },
                _ => {}
            }
        }
    }

    /// Everything that either of both removes.
    pub fn union(&self, other: &Intervention) -> Intervention {
        let mut both = self.clone();
        both.flows.extend(&other.flows);
        both.hosts.extend(other.hosts.iter().cloned());
        both.config.extend(other.config.iter().cloned());
        both.windows.extend(&other.windows);
        both.links.extend(other.links.iter().cloned());
        both.routes.extend(other.routes.iter().cloned());
        both
    }

    /// The configuration corrections alone.
    pub fn config_only(&self) -> Intervention {
        Intervention { config: self.config.clone(), ..Intervention::default() }
    }

    /// Whether nothing is removed or corrected.
    pub fn is_empty(&self) -> bool {
        *self == Intervention::default()
    }

    /// The instance of `scenario` for `seed` with this intervention, and descriptions of the changes. The remaining
    /// flows start at the same times: start jitter is drawn before anything is removed, and a flow that depends on a
    /// removed flow starts as in the run `before`.
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
        // Reading the text again would undo the intervention.
        instance.source = None;
        // The ground truth of a counterfactual run is not needed, and costs a log of all packets.
        instance.expect = None;
        // Jobs refer to flows by position and are not needed.
        instance.jobs.clear();
        settle_starts(&mut instance, seed);
        let mut done = Vec::new();
        let started = |record: &FlowRecord| (record.sent_packets > 0).then_some(record.start);
        let starts: Vec<Option<Time>> = before.iter().map(started).collect();
        self.close_windows(&mut instance, &mut done);
        self.remove_network_faults(&mut instance, &mut done);
        self.remove_flows(&mut instance, &starts, &mut done);
        self.remove_host_faults(&mut instance, &mut done);
        let mut corrected = BTreeSet::new();
        for id in &self.config {
            // Several findings may concern one setting.
            if place_of(id).is_none_or(|place| corrected.insert(place)) {
                let correction = instance.correct(id);
                done.push(
                    correction.unwrap_or_else(|| format!("{id} was not corrected: no better value is known")),
                );
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

    fn close_windows(&self, scenario: &mut Scenario, done: &mut Vec<String>) {
        for key in &self.windows {
            for at in 0..scenario.flows.len() {
                if scenario.key(&scenario.flows[at]) != Some(*key) {
                    continue;
                }
                let src = &scenario.flows[at].src;
                let payload = scenario.hosts.get(src).unwrap_or(&scenario.host).payload_bytes;
                scenario.flows[at].messages.window_bytes = Some(u64::from(payload));
            }
            done.push(format!("{key} has one packet under way at a time"));
        }
    }

    fn remove_network_faults(&self, scenario: &mut Scenario, done: &mut Vec<String>) {
        let named = |port: &PortRef| self.links.contains(port);
        let links: BTreeSet<usize> = (scenario.topology.links.iter().enumerate())
            .filter(|(_, link)| named(&link.a) || named(&link.b))
            .map(|(at, _)| at)
            .collect();
        for at in &links {
            let outages = scenario.routing.failures.len();
            scenario.routing.failures.retain(|failure| failure.link != *at);
            let lost = scenario.loss_ppt.remove(at).is_some();
            let (a, b) = (&scenario.topology.links[*at].a, &scenario.topology.links[*at].b);
            done.push(match lost || scenario.routing.failures.len() < outages {
                true => format!("the link {a} - {b} neither loses packets nor goes down"),
                false => format!("the link {a} - {b} had no fault"),
            });
        }
        for switch in &self.routes {
            let routes = scenario.routing.routes.len();
            scenario.routing.routes.retain(|timed| timed.route.switch != *switch);
            done.push(match scenario.routing.routes.len() < routes {
                true => format!("{switch} has no static routes"),
                false => format!("{switch} had no static routes"),
            });
        }
    }

    fn remove_host_faults(&self, scenario: &mut Scenario, done: &mut Vec<String>) {
        for host in &self.hosts {
            let mut removed = scenario.faults.extract_if(.., |fault| fault.host == *host);
            let (polls, receives): (Vec<_>, Vec<_>) =
                removed.by_ref().partition(|fault| matches!(fault.kind, FaultKind::PollGaps(_)));
            drop(removed);
            let common = scenario.host.clone();
            let mut changed = !receives.is_empty();
            if let Some(own) = scenario.hosts.get_mut(host) {
                changed |= (own.receive, own.pfc_reaction) != (common.receive, common.pfc_reaction);
                own.receive = common.receive;
                own.pfc_reaction = common.pfc_reaction;
            }
            let changes = [
                (changed, "receives at line rate and sends no needless pauses"),
                (!polls.is_empty(), "polls completions at once"),
            ];
            let mut changes: Vec<&str> =
                changes.iter().filter(|(is_made, _)| *is_made).map(|(_, text)| *text).collect();
            changes.extend(remove_delays_of_operations(scenario, host));
            done.push(match changes.is_empty() {
                true => format!("{host} had no fault"),
                false => format!("{host} {}", changes.join(", and ")),
            });
        }
    }
}

/// Removes what delays the operations of a host before they are sent, and returns what it was.
fn remove_delays_of_operations(scenario: &mut Scenario, host: &str) -> Vec<&'static str> {
    let mut own = scenario.host_settings(host).clone();
    let has_fence = std::mem::take(&mut own.fences_registrations);
    let leaks = std::mem::take(&mut own.leaks_congestion);
    if has_fence || leaks {
        scenario.hosts.insert(host.to_string(), own);
    }
    let mut has_noise = false;
    for tenant in scenario.tenants.iter_mut().filter(|tenant| tenant.host == host) {
        has_noise |= tenant.requests > 0 || tenant.deregistrations > 0;
        (tenant.requests, tenant.deregistrations) = (0, 0);
    }
    let (mut has_overhead, mut has_neighbour) = (false, false);
    for job in scenario.host_jobs.iter_mut().filter(|job| job.host == host) {
        has_overhead |= job.control_overhead > Time::ZERO;
        has_neighbour |= job.gpu_use().is_some();
        (job.control_overhead, job.gpu_percent) = (Time::ZERO, 0);
    }
    let changes = [
        (has_fence || has_noise, "starts operations without fences and other tenants"),
        (leaks, "serves other flows while a rate limiter delays one"),
        (has_overhead, "starts transfers without the processor"),
        (has_neighbour, "runs no other job on the GPUs of its jobs"),
    ];
    changes.into_iter().filter(|(is_made, _)| *is_made).map(|(_, text)| text).collect()
}

/// Draws the start times, which depend on the positions of flows and faults.
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

/// The remaining flows. A flow that depends on a removed flow starts when it did in the original run, or not at all if
/// it did not, so that it competes with the same traffic.
fn without(flows: Vec<FlowSpec>, removed: &[bool], starts: &[Option<Time>]) -> Vec<FlowSpec> {
    let mut kept: Vec<FlowSpec> = Vec::new();
    // The position of every flow in the new list.
    let mut new_position: Vec<Option<usize>> = Vec::with_capacity(flows.len());
    for ((at, flow), removed) in flows.into_iter().enumerate().zip(removed) {
        let after: Option<Vec<usize>> =
            flow.after.iter().map(|before| new_position.get(*before).copied().flatten()).collect();
        let start = starts.get(at).copied().flatten();
        let left = match (after, start) {
            _ if *removed => None,
            (Some(after), _) => Some(FlowSpec { after, ..flow }),
            (None, Some(start)) => Some(FlowSpec { after: Vec::new(), start, ..flow }),
            (None, None) => None,
        };
        new_position.push(left.is_some().then_some(kept.len()));
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
    fn flows_that_depend_on_a_removed_flow_keep_their_start() {
        let flows = vec![flow("a", 5, &[]), flow("b", 1, &[0]), flow("c", 2, &[1]), flow("d", 0, &[2])];
        let us = |us| Some(Time::from_us(us));
        let left = without(flows.clone(), &[false, true, false, false], &[us(5), us(20), us(40), us(60)]);
        let shown: Vec<_> = left.iter().map(|f| (f.label.as_str(), f.start, f.after.clone())).collect();
        assert_eq!(
            shown,
            [("a", Time::from_us(5), vec![]), ("c", Time::from_us(40), vec![]), ("d", Time::ZERO, vec![1])]
        );
        // Flows that had not started by the end never start.
        let left = without(flows, &[false, true, false, false], &[us(5), us(20), None, None]);
        assert_eq!(left.len(), 1);
    }
}
