//! Deadlocks: loops of paused ports in which packets stay.
//!
//! The initial congestion is outside of the loop if a port outside, at a switch of the loop, is paused by a host or has a
//! queue as those in the loop; else a port of the loop was congested first.

use model::diagnosis::AdviceTarget;
use model::{Anomaly, Cause, Diagnosis, Severity};

use super::configuration::{self, About, Relation};
use super::first_of_loop::{self, First, FirstBasis};
use super::{confidence, unread};
use crate::case::{Case, Counter};
use crate::causality::Loop;
use crate::pressure::{Level, Pressure};
use crate::text;
use crate::thresholds as t;
use crate::wiring::{Neighbour, PortId};

/// Where the congestion of a loop began.
enum Origin {
    /// At a port outside that a host pauses.
    Host(PortId),
    /// At a port outside.
    Outside(PortId),
    /// In the loop.
    Inside(First),
}

pub(super) fn verdict(case: &Case<'_>, found: &Loop) -> Diagnosis {
    let mut verdict = Diagnosis::undetermined(None);
    verdict.severity = Severity::Critical;
    verdict.pause_loop = found.ports.iter().map(|port| case.wiring.ports[*port].at.clone()).collect();
    verdict.pause_path = verdict.pause_loop.clone();
    let rows: Vec<&Pressure> =
        found.ports.iter().filter_map(|port| case.row(*port, found.priority)).collect();
    let by_watchdog = rows.iter().any(|row| row.change.occupancy_bytes.is_none_or(|bytes| bytes == 0));
    // A watchdog that acted at every port of the loop does not show that all of them stood still at the same time.
    verdict.confidence = confidence::BEST * if by_watchdog { 0.75 } else { 0.95 };
    if found.is_standing {
        verdict.confidence *= confidence::STANDING;
        verdict.missing.push(
            "how many packets the queues hold: watermarks show that they held some before the first reading, and pauses \
             that go on although no packet arrives show that they still do; the occupancy of the queues would prove it"
                .to_string(),
        );
    }
    let origin = origin(case, found, &rows);
    let root = match origin {
        Origin::Host(port) | Origin::Outside(port) => port,
        Origin::Inside(ref first) => first.port,
    };
    verdict.root_cause.port = Some(case.wiring.ports[root].at.clone());
    let began = match origin {
        Origin::Host(port) => {
            verdict.anomaly = Anomaly::DeadlockOutOfLoopInjection;
            verdict.root_cause.host = case.host(port).map(str::to_owned);
            verdict.confidence *= confidence::of_neighbour(&case.wiring.ports[port].neighbour);
            verdict.pause_path.push(case.wiring.ports[port].at.clone());
            verdict.cause = match case.row(port, found.priority) {
                Some(row) => super::host_cause::judge(row).cause,
                None => Cause::Undetermined,
            };
            format!("{} paused {} outside of the loop", case.neighbour(port), case.shown(port))
        }
        Origin::Outside(port) => {
            verdict.anomaly = Anomaly::DeadlockOutOfLoopContention;
            verdict.pause_path.push(case.wiring.ports[port].at.clone());
            if case.row(port, found.priority).is_some_and(|row| !row.knows_pauses()) {
                verdict.confidence *= confidence::UNREAD;
                verdict.missing.push(unread::line(case, &[port], found.priority));
            }
            format!("a queue outside of the loop grew at {}", case.shown(port))
        }
        Origin::Inside(ref first) => {
            verdict.anomaly = Anomaly::DeadlockInLoopContention;
            verdict.confidence *= confidence::of_first(first.basis);
            let by = match first.basis {
                FirstBasis::Headroom => "the use of headroom and repeated pauses point to the port named",
                FirstBasis::LargestQueue => "the port named is the one with the largest queue",
            };
            verdict.missing.push(format!("at which port of the loop the congestion began: {by}"));
            format!("the congestion began in the loop, likely at {}", case.shown(first.port))
        }
    };
    let shown: Vec<String> = found.ports.iter().map(|port| case.shown(*port)).collect();
    verdict.summary = format!(
        "deadlock in priority {}: {} wait for each other and send no packet; {began}",
        found.priority,
        shown.join(", ")
    );
    for row in &rows {
        let counters = [
            Counter::PausesReceived,
            Counter::PausesBegun,
            Counter::PausedTime,
            Counter::Occupancy,
            Counter::QueuePeak,
            Counter::QueuePackets,
            Counter::StormsDetected,
        ];
        verdict.evidence.push(case.evidence(row, &counters, text::stuck_claim(case, row)));
    }
    if let Origin::Inside(First { basis: FirstBasis::Headroom, .. }) = origin {
        let ingress = found.ports.iter().filter_map(|port| case.wiring.peer(*port));
        for row in ingress.filter_map(|port| case.row(port, found.priority)) {
            verdict.evidence.push(case.evidence(
                row,
                &[Counter::HeadroomPeak],
                text::headroom_claim(case, row),
            ));
        }
    }
    if !found.ports.contains(&root)
        && let Some(row) = case.row(root, found.priority)
    {
        let claim = match origin {
            Origin::Host(_) => text::paused_claim(case, row),
            _ => text::queue_claim(case, row, crate::causality::Basis::Peaks),
        };
        let counters = [Counter::PausesReceived, Counter::PausedTime, Counter::QueuePeak];
        verdict.evidence.push(case.evidence(row, &counters, claim));
    }
    for (relation, evidence, finding) in configuration::related(case, &found.ports, About::Deadlock) {
        verdict.evidence.push(evidence);
        verdict.advise_fix(&finding);
        if relation == Relation::Explains {
            verdict.root_cause.config.push(finding.id);
        }
    }
    verdict.missing.push(
        "how the routes close the loop: counters have no paths; compare the routes of these switches"
            .to_string(),
    );
    let port = found.ports[0];
    verdict.advise(
        AdviceTarget::Port { port: case.wiring.ports[port].at.clone() },
        format!(
            "break the loop: stop traffic into {} or let the PFC watchdog drop there, then correct the routes that form it",
            case.shown(port)
        ),
    );
    verdict
}

fn origin(case: &Case<'_>, found: &Loop, rows: &[&Pressure]) -> Origin {
    let mut outside: Vec<&Pressure> = Vec::new();
    for port in &found.ports {
        let switch = &case.wiring.ports[*port].switch;
        let own = case.rows_of(switch).filter(|row| row.priority == found.priority);
        outside.extend(own.filter(|row| !found.ports.contains(&row.port)));
    }
    let is_host = |row: &&&Pressure| {
        let neighbour = &case.wiring.ports[row.port].neighbour;
        let is_edge =
            matches!(neighbour, Neighbour::Host(_) | Neighbour::System(_) | Neighbour::Unknown { .. });
        // Hosts pause their switches now and then: an ordinary amount explains no deadlock.
        let is_ordinary = row.paused_part.level() == Some(Level::Ordinary) && !row.has_storm();
        row.is_paused() && is_edge && !is_ordinary
    };
    let amount = |row: &Pressure| (row.change.pause_rx_ns.unwrap_or(0), row.received());
    if let Some(row) = outside.iter().filter(is_host).max_by_key(|row| amount(row)) {
        return Origin::Host(row.port);
    }
    let size = |row: &Pressure| row.queue_peak().or(row.change.occupancy_bytes).unwrap_or(0);
    let largest = rows.iter().map(|row| size(row)).max().unwrap_or(0);
    let congested = outside.iter().filter(|row| !row.is_paused()).max_by_key(|row| size(row));
    if let Some(row) = congested
        && largest > 0
        && size(row) as f64 >= t::OUTSIDE_QUEUE_PART * largest as f64
    {
        return Origin::Outside(row.port);
    }
    Origin::Inside(first_of_loop::find(case, found))
}
