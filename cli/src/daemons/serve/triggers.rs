//! The latest triggers of agents by event, for snapshots that a controller emitted before the trigger reached it.

use std::collections::{BTreeMap, VecDeque};

use model::Trigger;
use proto::convert;
use serde_json::Value;
use store::Report;

/// Maximum triggers; the oldest is forgotten.
const REMEMBERED: usize = 16_384;

/// The triggers, with times of the server's clock.
#[derive(Debug, Default)]
pub(crate) struct Triggers {
    by_event: BTreeMap<u32, Trigger>,
    order: VecDeque<u32>,
}

impl Triggers {
    /// Adds a trigger; it replaces an earlier one with the same event id.
    pub(crate) fn add(&mut self, event: u32, trigger: Trigger) {
        if self.by_event.insert(event, trigger).is_none() {
            self.order.push_back(event);
        }
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.by_event.remove(&oldest);
        }
    }

    /// Adds the triggers that an earlier server has stored: their snapshots may still be on the way.
    pub(crate) fn restore(&mut self, reports: &[Report]) {
        for report in reports {
            if let Some((event, trigger)) = stored(report) {
                self.add(event, trigger);
            }
        }
    }

    /// Returns the trigger of an event.
    pub(crate) fn of(&self, event: u32) -> Option<&Trigger> {
        self.by_event.get(&event)
    }
}

/// Returns the event id and the trigger in a stored report, with times of the server's clock.
fn stored(report: &Report) -> Option<(u32, Trigger)> {
    let number = |name| report.body.get(name).and_then(Value::as_u64);
    let event = u32::try_from(number("event")?).ok()?;
    let priority = u8::try_from(number("priority")?).ok()?;
    let trigger: Trigger = serde_json::from_value(report.body.get("trigger")?.clone()).ok()?;
    let host = trigger.host.clone();
    let message = convert::trigger_message(event, priority, &trigger, report.offset_ns.unwrap_or(0));
    convert::trigger(&host, &message).ok().map(|(event, _, trigger)| (event, trigger))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn stored_triggers_have_the_servers_clock() {
        let trigger = Trigger {
            host: "h1".into(),
            flow: "10.0.0.1:10000>10.0.0.2:4791/udp".parse().unwrap(),
            time_ns: 1_000,
            reason: model::TriggerReason::SlowRtt,
            rtt_ns: 90,
            base_rtt_ns: 9,
            expected_ns: None,
            follows: None,
        };
        let report = |body| Report {
            sender: "agent/h1".into(),
            boot_id: "ab".into(),
            sequence: 1,
            kind: "trigger".into(),
            time_ns: 1_000,
            offset_ns: Some(-50),
            error_ns: 5,
            body,
        };
        let mut triggers = Triggers::default();
        let good = report(json!({ "event": 7, "priority": 3, "trigger": &trigger }));
        triggers.restore(&[report(json!({ "event": "x" })), good]);
        assert_eq!(triggers.of(7), Some(&Trigger { time_ns: 950, ..trigger }));
    }
}
