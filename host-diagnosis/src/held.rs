//! Pauses that a switch sends to a host: the packets and ACKs of the host wait in its NIC meanwhile.
//!
//! Switches record the pauses that they obey, and not those that they send. Where every recorded hop of a path was clean, only
//! the counters of the hosts at its ends show such pauses. The fabric delays the flow then, and no part of a host is at fault.

use model::diagnosis::{Evidence, Record};
use model::host::counters::PriorityPauses;
use model::{Anomaly, Diagnosis, HostReport, PortRef};

/// A host is held if its switch pauses it for at least this share of the delay. Choice: the least majority, as for its other
/// traffic (`host_only.own_traffic`).
const HELD_SHARE: f64 = 0.5;
/// A report counts the pauses of an interval that is longer than the delay, not when they were. Pauses at a random time of it
/// that would coincide with the delay with less than this probability are ignored: the level of significance of 5 % (Fisher,
/// Statistical Methods for Research Workers, 1925).
const LEAST_CHANCE: f64 = 0.05;

/// The part of its confidence that a withdrawn verdict keeps: as one with missing telemetry (`host_only.undetermined`).
const CONFIDENCE_KEPT: f64 = 0.5;

/// The pauses that one RNIC received in one priority.
struct Held<'r> {
    report: &'r HostReport,
    switch_port: Option<&'r PortRef>,
    pauses: PriorityPauses,
    paused_ns: u64,
    pointer: String,
}

/// The longest pauses that may explain a delay.
fn held(reports: &[HostReport], delay_ns: u64) -> Option<Held<'_>> {
    let nics = reports.iter().flat_map(|report| {
        let nics = report.counters.iter().flat_map(|counters| &counters.nics).enumerate();
        nics.map(move |(at, nic)| (report, at, nic))
    });
    let all = nics.flat_map(|(report, at, nic)| {
        nic.received_pauses.iter().enumerate().filter_map(move |(row, pauses)| {
            let paused_ns = pauses.longest_ns.or(pauses.paused_ns)?;
            let pointer = format!("/counters/nics/{at}/received_pauses/{row}");
            Some(Held { report, switch_port: nic.switch_port.as_ref(), pauses: *pauses, paused_ns, pointer })
        })
    });
    let may_explain = |held: &Held<'_>| {
        let meets_ns = held.paused_ns.saturating_add(delay_ns) as f64;
        held.paused_ns as f64 >= HELD_SHARE * delay_ns as f64
            && meets_ns >= LEAST_CHANCE * held.report.interval_ns as f64
    };
    all.filter(|held| held.paused_ns > 0 && may_explain(held)).max_by_key(|held| held.paused_ns)
}

/// Returns the verdict that the fabric was clean as undetermined, if a switch paused a host at an end of the path for long
/// enough to explain the delay.
pub(crate) fn withdrawn(verdict: &Diagnosis, reports: &[HostReport]) -> Option<Diagnosis> {
    if verdict.anomaly != Anomaly::HostOnly {
        return None;
    }
    let held = held(reports, verdict.cost.delay_ns)?;
    let (host, priority) = (&held.report.host, held.pauses.priority);
    let by = held.switch_port.map_or_else(|| "its switch".to_string(), ToString::to_string);
    let paused_us = held.paused_ns as f64 / 1e3;
    let interval_us = held.report.interval_ns as f64 / 1e3;
    let claim = format!(
        "{by} paused priority {priority} of {host} for {paused_us:.1} us of {interval_us:.1} us: packets and ACKs of \
         that priority waited in its NIC"
    );
    let mut open = verdict.clone();
    open.anomaly = Anomaly::Undetermined;
    open.confidence *= CONFIDENCE_KEPT;
    open.summary = format!("{}, but {claim}", verdict.summary);
    open.missing.push(format!(
        "which queue made {by} pause {host}: switches do not record the pauses that they send"
    ));
    open.advice = vec![match held.switch_port {
        Some(port) => {
            format!("check what congests {}, and the pauses that {port} sends to {host}", port.switch)
        }
        None => format!("check what congests the switch of {host}, and the pauses that it sends"),
    }];
    open.evidence.push(Evidence {
        claim,
        template: None,
        switch: held.switch_port.map(|port| port.switch.clone()),
        port: held.switch_port.cloned(),
        epoch: None,
        records: vec![record(&held)],
    });
    Some(open)
}

fn record(held: &Held<'_>) -> Record {
    let value = serde_json::to_value(held.pauses).unwrap_or_default().to_string();
    Record::Host { host: held.report.host.clone(), pointer: held.pointer.clone(), value }
}
