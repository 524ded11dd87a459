//! Verdicts about pauses that end nowhere: followed by the queues, they return to where they began, and the counters do
//! not show whether packets stay there.

use model::{Diagnosis, Severity};

use super::{confidence, severity};
use crate::case::{Case, Counter};
use crate::causality::Cluster;
use crate::pressure::{Level, Pressure};
use crate::text;
use crate::thresholds as t;
use crate::wiring::PortId;

/// Returns the verdict about a cluster without an end. Its cause is undetermined: a deadlock, or congestion that moves.
pub(super) fn verdict(case: &Case<'_>, cluster: &Cluster) -> Diagnosis {
    let mut verdict = Diagnosis::undetermined(None);
    let shown = match cluster.ring.is_empty() {
        true => &cluster.paused,
        false => &cluster.ring,
    };
    let rows: Vec<&Pressure> = shown.iter().filter_map(|port| case.row(*port, cluster.priority)).collect();
    let may_be_storm = |row: &&Pressure| row.paused_part.level().is_none_or(|level| level == Level::Storm);
    let least = if rows.iter().all(may_be_storm) { Severity::Major } else { Severity::Minor };
    verdict.severity = severity::of_pauses(rows.iter().copied(), cluster.paused.len()).max(least);
    verdict.confidence = confidence::RING * confidence::of_span(case.window.span);
    verdict.pause_path = shown.iter().map(|port| case.wiring.ports[*port].at.clone()).collect();
    let names: Vec<String> = shown.iter().map(|port| case.shown(*port)).collect();
    let what = match cluster.ring.is_empty() {
        true => "are paused, and no end of the pauses was found",
        false => "pause each other in a ring: a deadlock, or congestion that still moves",
    };
    verdict.summary = format!("the ports {} {what} (priority {})", text::list(&names), cluster.priority);
    for row in rows.iter().take(t::MOST_LISTED) {
        let counters =
            [Counter::PausesReceived, Counter::PausedTime, Counter::QueuePackets, Counter::QueuePeak];
        verdict.evidence.push(case.evidence(row, &counters, text::ring_claim(case, row)));
    }
    verdict.missing = missing(case, &rows);
    verdict.advice.push(
        "read the counters again some seconds later: if the queues of the ring send no packet in between and their ports \
         stay paused, it is a deadlock"
            .to_string(),
    );
    verdict
}

/// What would tell whether packets stay in the ring.
fn missing(case: &Case<'_>, rows: &[&Pressure]) -> Vec<String> {
    let ports = |is_kind: &dyn Fn(&Pressure) -> bool| -> Option<String> {
        let found: Vec<PortId> = rows.iter().filter(|row| is_kind(row)).map(|row| row.port).collect();
        let shown: Vec<String> = found.iter().map(|port| case.shown(*port)).collect();
        (!found.is_empty()).then(|| text::list(&shown))
    };
    let mut lines = Vec::new();
    if let Some(ports) = ports(&|row| row.change.queue_packets.is_none()) {
        lines.push(format!(
            "whether {ports} sent packets: add `show queue counters`, or a dump of COUNTERS_DB"
        ));
    }
    if let Some(ports) = ports(&|row| row.change.queue_packets > Some(0)) {
        lines.push(format!("whether {ports} still send packets: they did at some time in the interval"));
    }
    let holds = |row: &Pressure| row.change.occupancy_bytes.is_some_and(|bytes| bytes > 0);
    let may_hold = |row: &Pressure| holds(row) || row.change.queue_peak.is_some_and(|peak| peak.bytes > 0);
    if let Some(ports) = ports(&|row| !may_hold(row)) {
        lines.push(format!(
            "whether the queues of {ports} hold packets: their occupancy is unknown or 0, and their watermarks are missing \
             or 0"
        ));
    } else if ports(&|row| !holds(row)).is_some() {
        lines.push("whether the queues hold packets at the end: their occupancy is unknown or 0".to_string());
    }
    if rows.iter().any(|row| row.change.pause_rx_ns.is_none()) {
        lines.push("the time of pauses: some of these ports count frames only".to_string());
    }
    lines.push("where the pauses end: followed by the queues, they return to where they began".to_string());
    lines
}
