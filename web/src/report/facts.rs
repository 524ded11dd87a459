//! The facts of an incident: what it is, how long it lasted, what it cost.

use model::{Diagnosis, TriggerReason};
use store::Incident;

use super::affected_count;
use super::document::Block;
use super::words::{duration, name};

/// Returns the table of facts. `time` returns a switch time on the wall clock, or in seconds without one.
pub(super) fn facts(incident: &Incident, diagnosis: &Diagnosis, time: &dyn Fn(u64, u64) -> String) -> Block {
    let ended = match incident.end_ns {
        Some(end_ns) => time(end_ns, incident.update_wall_ns),
        None => "it lasts".to_string(),
    };
    let cost = &diagnosis.cost;
    // A question has no measurement.
    let unmeasured = || "not measured".to_string();
    let rows = [
        ("anomaly", name(&incident.anomaly)),
        ("cause", name(&incident.cause)),
        ("severity", name(&incident.severity)),
        ("confidence", format!("{:.0} %", incident.confidence * 100.0)),
        ("began", time(incident.start_ns, incident.start_wall_ns)),
        ("ended", ended),
        ("occurrences", incident.recurrences.to_string()),
        ("diagnoses", incident.count.to_string()),
        (delayed(diagnosis), diagnosis.trigger().map_or_else(unmeasured, |_| duration(cost.delay_ns))),
        (
            "slow-down of the victim",
            slowdown(diagnosis).map_or_else(unmeasured, |factor| format!("{factor:.1} times")),
        ),
        ("lost packets", cost.lost_packets.to_string()),
        ("affected flows", affected_count(incident, diagnosis).to_string()),
        ("affected collective operations", cost.jobs.to_string()),
    ];
    let rows = rows.into_iter().map(|(what, value)| vec![what.to_string(), value]).collect();
    Block::Table(vec!["fact".into(), "value".into()], rows)
}

/// What the delay is above, by what the agent measured.
fn delayed(diagnosis: &Diagnosis) -> &'static str {
    match diagnosis.trigger().map(|trigger| trigger.reason) {
        Some(TriggerReason::SlowOperation) => "delay of the victim's operations above the expected time",
        Some(TriggerReason::SlowJob) => "delay of the job's iterations above the expected time",
        Some(TriggerReason::SlowRtt | TriggerReason::Silence) | None => {
            "delay of the victim above its base round trip"
        }
    }
}

/// How many times as long as it should it took. An operation is never compared with a round trip.
fn slowdown(diagnosis: &Diagnosis) -> Option<f64> {
    match diagnosis.trigger().filter(|trigger| trigger.reason.is_about_operation()) {
        Some(trigger) => trigger.expected_ns.and(trigger.slowdown()),
        None => diagnosis.cost.slowdown(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::diagnosis::{Evidence, Record};
    use model::{Cost, Trigger};

    /// What the agent measured took 60 us, and the base round trip is 10 us.
    #[track_caller]
    fn check(reason: TriggerReason, expected_ns: Option<u64>, what: &str, factor: Option<f64>) {
        let flow = "10.0.0.1:1>10.0.0.2:4791/udp".parse().unwrap();
        let trigger = Trigger {
            host: "h1".to_string(),
            flow,
            time_ns: 90_000,
            reason,
            base_rtt_ns: 10_000,
            rtt_ns: 60_000,
            expected_ns,
            follows: None,
        };
        let cost =
            Cost { delay_ns: trigger.excess_ns(), base_rtt_ns: trigger.base_rtt_ns, ..Cost::default() };
        let records = vec![Record::Trigger(trigger)];
        let evidence = vec![Evidence {
            claim: String::new(),
            template: None,
            switch: None,
            port: None,
            epoch: None,
            records,
        }];
        let diagnosis = Diagnosis { cost, evidence, ..Diagnosis::undetermined(flow) };
        assert_eq!((delayed(&diagnosis), slowdown(&diagnosis)), (what, factor));
    }

    #[test]
    fn a_delay_is_above_what_was_expected() {
        check(TriggerReason::SlowRtt, None, "delay of the victim above its base round trip", Some(6.0));
        let of_operations = "delay of the victim's operations above the expected time";
        check(TriggerReason::SlowOperation, Some(20_000), of_operations, Some(3.0));
        check(TriggerReason::SlowOperation, None, of_operations, None);
        let of_job = "delay of the job's iterations above the expected time";
        check(TriggerReason::SlowJob, Some(40_000), of_job, Some(1.5));
    }
}
