//! Snapshots of one event as one: each controller reads its own switches, and an event may cross those of several.

use std::collections::BTreeSet;

use crate::flow::FlowKey;
use crate::missing_data::MissingData;
use crate::snapshot::{Snapshot, SwitchTelemetry};

/// Maximum distance between the freezes of one event, in nanoseconds: switches remember a polling packet's event for this
/// long (`p4/hawkeye/polling.p4`). Later, an agent may have used the number again.
const SAME_EVENT_NS: u64 = 1 << 30;

impl Snapshot {
    /// Returns the victim: that of the trigger, otherwise that of the reports.
    fn victim_flow(&self) -> Option<FlowKey> {
        self.trigger.as_ref().map(|trigger| trigger.flow).or(self.victim)
    }

    /// Whether both snapshots are of one event: the polling packets had the same event id and flow, or that of its ACKs,
    /// and the switches were frozen at the same time. The times of both must count from the same zero.
    pub fn is_of_same_event(&self, other: &Snapshot) -> bool {
        let is_same_victim = match (self.victim_flow(), other.victim_flow()) {
            (Some(one), Some(two)) => one == two || (one.src, one.dst) == (two.dst, two.src),
            _ => true,
        };
        let is_same_time = match (frozen(self), frozen(other)) {
            (Some((first, last)), Some((other_first, other_last))) => {
                first.saturating_sub(other_last).max(other_first.saturating_sub(last)) < SAME_EVENT_NS
            }
            _ => true,
        };
        self.event == other.event && is_same_victim && is_same_time
    }

    /// Adds the snapshot of another controller of the same event ([`Snapshot::is_of_same_event`]). The result does not
    /// depend on the order. Of a switch that both have read, the larger telemetry is kept. A report that one of them
    /// lacks and the other has is not missing.
    pub fn unite(&mut self, other: Snapshot) {
        if self.trigger.is_none() {
            self.trigger.clone_from(&other.trigger);
        }
        let of_reports =
            || [&*self, &other].into_iter().max_by_key(|one| (is_on_victim_path(one), one.victim));
        let of_trigger = self.trigger.as_ref().map(|trigger| trigger.flow);
        self.victim = of_trigger.or_else(|| of_reports().and_then(|one| one.victim));
        self.epoch_ns = self.epoch_ns.max(other.epoch_ns);
        self.polls = self.polls.saturating_add(other.polls);
        for telemetry in other.switches {
            match self.switches.iter_mut().find(|own| own.switch == telemetry.switch) {
                Some(own) if size(own) < size(&telemetry) => *own = telemetry,
                Some(_) => {}
                None => self.switches.push(telemetry),
            }
        }
        self.switches.sort_by(|a, b| a.switch.cmp(&b.switch));
        self.missing.extend(other.missing);
        self.settle_missing();
        extend(&mut self.configuration, other.configuration);
        extend(&mut self.losses, other.losses);
        extend(&mut self.events, other.events);
        self.events.sort_by_key(|event| event.time_ns);
        extend(&mut self.jobs, other.jobs);
    }

    /// Replaces [`MissingData::NoProgram`] by [`MissingData::NoReport`] for switches that run the program at another
    /// controller: the one that made the snapshot does not know them.
    pub fn with_programs(&mut self, has_program: impl Fn(&str) -> bool) {
        for missing in &mut self.missing {
            if let MissingData::NoProgram { switch, why } = missing
                && has_program(switch)
            {
                *missing = MissingData::NoReport { switch: switch.clone(), why: why.clone() };
            }
        }
        self.settle_missing();
    }

    /// Removes what is not missing any more, and duplicates. What the controller of a switch says about it is preferred.
    fn settle_missing(&mut self) {
        let read: BTreeSet<&str> = self.switches.iter().map(|telemetry| telemetry.switch.as_str()).collect();
        let managed: BTreeSet<String> = self.missing.iter().filter_map(of_its_controller).collect();
        self.missing.retain(|missing| match missing {
            MissingData::NoReport { switch, .. } | MissingData::Unread { switch, .. } => {
                !read.contains(switch.as_str())
            }
            MissingData::NoProgram { switch, .. } => {
                !read.contains(switch.as_str()) && !managed.contains(switch)
            }
            _ => true,
        });
        self.missing.sort();
        self.missing.dedup();
    }
}

/// The first and the last freeze.
fn frozen(snapshot: &Snapshot) -> Option<(u64, u64)> {
    let times = || snapshot.switches.iter().map(|telemetry| telemetry.frozen_ns);
    times().min().zip(times().max())
}

/// Whether a switch was polled on the victim's path, and not only on that of its ACKs or of pauses.
fn is_on_victim_path(snapshot: &Snapshot) -> bool {
    snapshot.switches.iter().any(|telemetry| telemetry.on_victim_path)
}

/// The switch of missing data that only the controller of the switch reports.
fn of_its_controller(missing: &MissingData) -> Option<String> {
    match missing {
        MissingData::NoReport { switch, .. } | MissingData::Unread { switch, .. } => Some(switch.clone()),
        _ => None,
    }
}

/// Orders telemetry of one switch by how much is known.
fn size(telemetry: &SwitchTelemetry) -> (u64, usize, usize, bool, u64) {
    let SwitchTelemetry { bytes, flows, polled_from, on_victim_path, frozen_ns, .. } = telemetry;
    (*bytes, flows.len(), polled_from.len(), *on_victim_path, *frozen_ns)
}

fn extend<T: PartialEq>(own: &mut Vec<T>, other: Vec<T>) {
    for item in other {
        if !own.contains(&item) {
            own.push(item);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const FLOW: &str = "10.0.0.1:10000>10.0.0.2:4791/udp";

    /// A snapshot of switches with the times of their freezes.
    fn snapshot(switches: &[(&str, u64)], missing: serde_json::Value) -> Snapshot {
        let telemetry = |(name, frozen_ns): &(&str, u64)| {
            json!({
                "switch": name, "frozen_ns": frozen_ns, "polled_from": [1], "on_victim_path": true, "epochs": [],
                "flows": [], "ports": [], "meters": [], "pauses": [], "bytes": 8,
            })
        };
        serde_json::from_value(json!({
            "format": 1, "event": 7, "source": "harrier", "victim": FLOW, "trigger": null, "epoch_ns": 1024,
            "switches": switches.iter().map(telemetry).collect::<Vec<_>>(), "missing": missing, "polls": 1,
        }))
        .expect("a snapshot")
    }

    fn lacks(gap: &str, switch: &str) -> serde_json::Value {
        json!({"gap": gap, "switch": switch, "because": "on_victim_path"})
    }

    #[test]
    fn parts_of_an_event_are_known_by_id_flow_and_time() {
        let first = snapshot(&[("s1", 5_000)], json!([]));
        let check = |other: Snapshot, expected: bool| {
            assert_eq!(
                (first.is_of_same_event(&other), other.is_of_same_event(&first)),
                (expected, expected)
            );
        };
        let second = snapshot(&[("s2", 6_000)], json!([]));
        check(second.clone(), true);
        check(Snapshot { event: 8, ..second.clone() }, false);
        check(Snapshot { victim: None, ..second.clone() }, true);
        let acks: FlowKey = "10.0.0.2:20000>10.0.0.1:4791/udp".parse().unwrap();
        check(Snapshot { victim: Some(acks), ..second.clone() }, true);
        check(Snapshot { victim: Some(FlowKey { src: acks.src, dst: acks.src, ..acks }), ..second }, false);
        check(snapshot(&[("s2", 5_000 + SAME_EVENT_NS)], json!([])), false);
        check(snapshot(&[], json!([])), true);
    }

    #[test]
    fn what_the_other_part_has_is_not_missing() {
        let first = snapshot(&[("s1", 1)], json!([lacks("no_program", "s2"), lacks("no_program", "s3")]));
        let unread = json!({"gap": "unread", "switch": "s3", "why": "a timeout"});
        let second = snapshot(&[("s2", 2)], json!([lacks("no_report", "s1"), unread]));
        let unite = |mut one: Snapshot, other: &Snapshot| {
            one.unite(other.clone());
            one
        };
        let united = unite(first.clone(), &second);
        assert_eq!(united, unite(second.clone(), &first), "in both orders");
        assert_eq!(united, unite(united.clone(), &Snapshot { polls: 0, ..second }), "twice");
        let names: Vec<&str> = united.switches.iter().map(|telemetry| telemetry.switch.as_str()).collect();
        assert_eq!((names, united.polls), (vec!["s1", "s2"], 2));
        let unread = MissingData::Unread { switch: "s3".into(), why: "a timeout".into() };
        assert_eq!(united.missing, [unread]);
    }

    #[test]
    fn a_switch_of_another_controller_runs_the_program() {
        let mut part = snapshot(&[("s1", 1)], json!([lacks("no_program", "s2"), lacks("no_program", "s3")]));
        part.with_programs(|switch| switch == "s2");
        let gaps: Vec<String> = part.missing.iter().map(ToString::to_string).collect();
        assert_eq!(
            gaps,
            [
                "s2: sent no report, although it lies on the victim's path",
                "s3: does not run the switch program, although it lies on the victim's path"
            ]
        );
    }
}
