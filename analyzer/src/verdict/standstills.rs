//! Gives all verdicts about one deadlock the same root cause, while they arrive: for every driver that diagnoses a network
//! that goes on.
//!
//! Only the records of the time in which a loop of pauses closed show what started it. Agents poll again while the
//! deadlock lasts; the verdicts on those polls take the root cause of the earlier ones, as in a finished run
//! ([`settle`]). What is known ends with the process: all times must count from one zero.

use std::collections::VecDeque;

use model::{Diagnosis, Snapshot, SwitchTelemetry};

use super::incident::settle;

/// Verdicts that are kept, each with the pauses of its loop.
const KEPT: usize = 32;

/// The latest verdicts that name the root cause of a loop of pauses.
#[derive(Clone, Debug, Default)]
pub struct Standstills {
    known: VecDeque<(Snapshot, Diagnosis)>,
}

impl Standstills {
    /// Sets the root cause of the verdicts on a snapshot to that of earlier verdicts about the same deadlock.
    pub fn unify<'d>(&mut self, snapshot: &Snapshot, verdicts: impl IntoIterator<Item = &'d mut Diagnosis>) {
        let mut own: Vec<&mut Diagnosis> =
            verdicts.into_iter().filter(|verdict| !verdict.pause_loop.is_empty()).collect();
        if own.is_empty() {
            return;
        }
        let roots = own.iter().filter(|diagnosis| diagnosis.root_cause.port.is_some());
        let roots: Vec<Diagnosis> = roots.map(|verdict| (**verdict).clone()).collect();
        let earlier = self.known.iter().map(|(snapshot, diagnosis)| (snapshot, vec![diagnosis.clone()]));
        let present = own.iter().map(|verdict| (**verdict).clone()).collect();
        let settled = settle(earlier.chain([(snapshot, present)]).collect());
        for verdict in &mut own {
            if let Some(same) = settled.iter().find(|settled| settled.id == verdict.id) {
                verdict.clone_from(same);
            }
        }
        for diagnosis in roots {
            self.known.push_back((pauses_of(snapshot, &diagnosis), diagnosis));
            if self.known.len() > KEPT {
                self.known.pop_front();
            }
        }
    }
}

/// Returns the snapshot with the pauses of the loop only: a snapshot may have 20 MB.
fn pauses_of(snapshot: &Snapshot, diagnosis: &Diagnosis) -> Snapshot {
    let in_loop = |switch: &str, port: u16| {
        diagnosis.pause_loop.iter().any(|hop| hop.switch == switch && hop.port == port)
    };
    let switches = snapshot.switches.iter().filter_map(|telemetry| {
        let pauses = telemetry.pauses.iter().filter(|pause| in_loop(&telemetry.switch, pause.port));
        let pauses: Vec<_> = pauses.cloned().collect();
        (!pauses.is_empty()).then(|| SwitchTelemetry {
            switch: telemetry.switch.clone(),
            frozen_ns: telemetry.frozen_ns,
            clock_error_ns: telemetry.clock_error_ns,
            polled_from: Vec::new(),
            on_victim_path: telemetry.on_victim_path,
            back_port: None,
            epochs: Vec::new(),
            flows: Vec::new(),
            ports: Vec::new(),
            meters: Vec::new(),
            pauses,
            bytes: 0,
        })
    });
    Snapshot {
        switches: switches.collect(),
        trigger: snapshot.trigger.clone(),
        missing: Vec::new(),
        configuration: Vec::new(),
        losses: Vec::new(),
        events: Vec::new(),
        jobs: Vec::new(),
        ..*snapshot
    }
}

#[cfg(test)]
mod tests {
    use model::{Anomaly, FlowKey, PortRef, RootCause};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_bounded_number_of_verdicts_is_kept_without_telemetry_of_flows() {
        let snapshot: Snapshot = serde_json::from_value(json!({
            "format": 1, "event": 1, "source": "harrier", "victim": null, "trigger": null, "epoch_ns": 1, "polls": 1,
            "missing": [], "switches": [{
                "switch": "r1", "frozen_ns": 900, "polled_from": [], "on_victim_path": true, "bytes": 8, "epochs": [],
                "flows": [], "meters": [{"ingress_port": 1, "egress_port": 2, "epoch": 0, "packets": 1, "bytes": 9}],
                "ports": [], "pauses": [
                    {"port": 1, "priority": 3, "start_ns": 100, "end_ns": null, "frames": 2},
                    {"port": 2, "priority": 3, "start_ns": 100, "end_ns": null, "frames": 2},
                ],
            }],
        }))
        .expect("a snapshot");
        let victim = FlowKey::udp([10, 0, 0, 1].into(), 10_000, [10, 0, 0, 2].into(), 4791);
        let verdict = |number: usize| Diagnosis {
            id: number.to_string(),
            anomaly: Anomaly::DeadlockInLoopContention,
            pause_loop: vec![PortRef::new("r1", 1)],
            root_cause: RootCause { port: Some(PortRef::new("r1", 1)), ..RootCause::default() },
            ..Diagnosis::undetermined(victim)
        };
        let mut standstills = Standstills::default();
        for number in 0..2 * KEPT {
            standstills.unify(&snapshot, [&mut verdict(number)]);
        }
        assert_eq!(standstills.known.len(), KEPT);
        for (kept, _) in &standstills.known {
            let [telemetry] = &kept.switches[..] else { panic!("one switch") };
            assert_eq!(
                (telemetry.meters.len(), telemetry.pauses.len()),
                (0, 1),
                "only the pauses of the loop"
            );
        }
    }
}
