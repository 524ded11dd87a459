//! Brings the times of one switch in a snapshot to another zero, for switches that do not count from the same moment.

use crate::missing_data::MissingData;
use crate::snapshot::{Snapshot, SwitchTelemetry};

/// A shift of a switch's clock, with the epochs that it is worth.
#[derive(Clone, Copy)]
struct Shift {
    ns: i64,
    epochs: i64,
}

impl Shift {
    fn time(self, time_ns: &mut u64) {
        *time_ns = time_ns.saturating_add_signed(self.ns);
    }

    fn span(self, span: &mut Option<(u64, u64)>) {
        if let Some((from, to)) = span {
            self.time(from);
            self.time(to);
        }
    }

    fn epoch(self, id: &mut u64) {
        *id = id.saturating_add_signed(self.epochs);
    }
}

impl Snapshot {
    /// Adds `shift_ns` to every time of `switch`. Its epochs are renumbered, so that the number of an epoch stays its
    /// start divided by the length, to within one.
    pub fn shift_clock(&mut self, switch: &str, shift_ns: i64) {
        let length_ns = i64::try_from(self.epoch_ns.max(1)).unwrap_or(i64::MAX);
        let shift = Shift { ns: shift_ns, epochs: shift_ns.div_euclid(length_ns) };
        for telemetry in self.switches.iter_mut().filter(|telemetry| telemetry.switch == switch) {
            shift_telemetry(shift, telemetry);
        }
        for loss in self.losses.iter_mut().filter(|loss| loss.switch == switch) {
            shift.time(&mut loss.lost_ns.0);
            shift.time(&mut loss.lost_ns.1);
        }
        for event in self.events.iter_mut().filter(|event| event.switch == switch) {
            shift.time(&mut event.time_ns);
        }
        self.events.sort_by_key(|event| event.time_ns);
        for missing in &mut self.missing {
            shift_missing(shift, switch, missing);
        }
    }
}

fn shift_telemetry(shift: Shift, telemetry: &mut SwitchTelemetry) {
    shift.time(&mut telemetry.frozen_ns);
    for epoch in &mut telemetry.epochs {
        shift.epoch(&mut epoch.id);
        shift.time(&mut epoch.start_ns);
        shift.time(&mut epoch.end_ns);
    }
    for flow in &mut telemetry.flows {
        shift.epoch(&mut flow.epoch);
        shift.span(&mut flow.seen_ns);
        shift.span(&mut flow.queued_ns);
    }
    for port in &mut telemetry.ports {
        shift.epoch(&mut port.epoch);
    }
    for meter in &mut telemetry.meters {
        shift.epoch(&mut meter.epoch);
    }
    for pause in &mut telemetry.pauses {
        shift.time(&mut pause.start_ns);
        pause.end_ns.iter_mut().for_each(|end_ns| shift.time(end_ns));
    }
}

fn shift_missing(shift: Shift, of: &str, missing: &mut MissingData) {
    match missing {
        MissingData::CountsLost { switch, before_ns, .. } if switch == of => shift.time(before_ns),
        MissingData::FrozenBefore { switch, frozen_ns, asked_ns, .. } if switch == of => {
            shift.time(frozen_ns);
            shift.time(asked_ns);
        }
        MissingData::PausesOverwritten { port, before_ns, .. } if port.switch == of => shift.time(before_ns),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LossReason, LossRecord, NetworkChange, NetworkEvent};

    #[test]
    fn all_times_of_the_switch_move_and_no_others() {
        let text = r#"{"format": 1, "event": 7, "source": "harrier", "victim": null, "trigger": null, "epoch_ns": 100,
            "switches": [
              {"switch": "a", "frozen_ns": 1250, "polled_from": [], "on_victim_path": true,
               "epochs": [{"id": 12, "start_ns": 1200, "end_ns": 1250}],
               "flows": [], "ports": [{"port": 1, "epoch": 12, "packets": 1, "depth_sum": 0, "paused_packets": 0}],
               "meters": [{"ingress_port": 1, "egress_port": 2, "epoch": 12, "packets": 1, "bytes": 1}],
               "pauses": [{"port": 1, "priority": 3, "start_ns": 1210, "end_ns": 1220, "frames": 1}], "bytes": 1},
              {"switch": "b", "frozen_ns": 50, "polled_from": [], "on_victim_path": true, "epochs": [], "flows": [],
               "ports": [], "meters": [], "pauses": [], "bytes": 1}],
            "missing": [], "polls": 2}"#;
        let mut snapshot: Snapshot = serde_json::from_str(text).unwrap();
        let missing =
            |before_ns| MissingData::CountsLost { switch: "a".into(), before_ns, why: String::new() };
        snapshot.missing.push(missing(1_240));
        let loss = |switch: &str, lost_ns| LossRecord {
            switch: switch.into(),
            ingress_port: Some(1),
            egress_port: None,
            priority: None,
            reason: LossReason::NoRoute,
            packets: 2,
            lost_ns,
        };
        let down = |switch: &str, time_ns| NetworkEvent {
            time_ns,
            switch: switch.into(),
            change: NetworkChange::LinkDown { port: 1 },
        };
        snapshot.losses = vec![loss("a", (1_200, 1_240)), loss("b", (5, 6))];
        snapshot.events = vec![down("b", 230), down("a", 1_220)];
        snapshot.shift_clock("a", -1_000);
        let a = &snapshot.switches[0];
        assert_eq!(
            (a.frozen_ns, a.epochs[0].id, a.epochs[0].start_ns, a.epochs[0].end_ns),
            (250, 2, 200, 250)
        );
        assert_eq!((a.ports[0].epoch, a.meters[0].epoch), (2, 2));
        assert_eq!((a.pauses[0].start_ns, a.pauses[0].end_ns), (210, Some(220)));
        assert_eq!(snapshot.missing, [missing(240)]);
        assert_eq!(snapshot.losses, [loss("a", (200, 240)), loss("b", (5, 6))]);
        assert_eq!(snapshot.events, [down("a", 220), down("b", 230)], "in order of time");
        assert_eq!(snapshot.switches[1].frozen_ns, 50);
        let shifted = snapshot.clone();
        snapshot.shift_clock("a", 1_000);
        snapshot.shift_clock("a", -1_000);
        assert_eq!(snapshot, shifted);
    }
}
