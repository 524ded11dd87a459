//! Transfers whose time is the overhead of a processor that starts them and polls for their end.
//!
//! Source: ARK (Hwang et al., NSDI 2023), section 2.2 and table 1: size / rate + 151.6 us. A framework that records when it posted
//! the work request shows the overhead itself.

use std::collections::BTreeMap;

use model::host::latency::{TimedTransfer, TransferControl};
use model::{Cause, HostReport};

use crate::jobs::overhead::{controlled_ns, overhead_ns, wire_ns};
use crate::{Claim, Detector, Explains, Fabric, HostFinding, HostPart, Outcome, Section};

use super::support::{conclude, is_about_pauses, time};

/// The deviation from the model up to which it explains a transfer. A choice: the parts of the overhead vary with polling.
const TOLERANCE: f64 = 0.25;
/// The overhead matters if the transfer takes this many times its time on the wire.
const MATTERS: f64 = 1.5;
/// By majority: the time before the post is the larger part of what is not on the wire.
const MOST: f64 = 0.5;
/// Choices: the overhead of the model was measured on one system.
const MEASURED: f64 = 0.9;
const BY_MODEL: f64 = 0.8;

pub(super) const DETECTOR: Detector = Detector {
    name: "host_control_overhead",
    source: "ARK, NSDI 2023, section 2.2, table 1",
    needs: &[Section::Latency],
    explains: Explains::Delay,
    check,
};

fn check(report: &HostReport, fabric: &Fabric) -> Outcome {
    if is_about_pauses(fabric) {
        return Outcome::FabricExplains;
    }
    let Some(latency) = &report.latency else { return Outcome::Clean };
    if latency.transfers.is_empty() {
        return Outcome::Missing(vec!["`latency.transfers`: sizes and durations of transfers".to_string()]);
    }
    let mut missing = Vec::new();
    let mut by_name: BTreeMap<&str, Vec<(usize, &TimedTransfer)>> = BTreeMap::new();
    for (at, transfer) in latency.transfers.iter().enumerate() {
        if transfer.bits_per_s <= 0.0 {
            missing.push(format!("the rate of the slowest link of {} (`bits_per_s` above 0)", transfer.name));
        } else if transfer.control == TransferControl::Cpu {
            by_name.entry(&transfer.name).or_default().push((at, transfer));
        }
    }
    let findings = by_name.into_values().filter_map(|transfers| finding(report, transfers));
    conclude(findings.collect(), missing)
}

/// Why the overhead explains a transfer; `None` if it does not, or does not matter.
fn overhead(transfer: &TimedTransfer) -> Option<Shown> {
    let measured = transfer.duration_ns as f64;
    let wire = wire_ns(transfer.bytes, transfer.bits_per_s);
    if measured < MATTERS * wire {
        return None;
    }
    if let Some(posted_after_ns) = transfer.posted_after_ns {
        return (posted_after_ns as f64 >= MOST * (measured - wire)).then_some(Shown::Measured);
    }
    let model = controlled_ns(transfer.bytes, transfer.bits_per_s);
    ((measured - model).abs() <= TOLERANCE * model).then_some(Shown::ByModel)
}

/// How the overhead of a transfer shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// The time before the work request was posted was measured.
    Measured,
    /// The duration fits the model.
    ByModel,
}

/// The finding about the transfers of one job, if the overhead explains most of them: about the one of median duration.
fn finding(report: &HostReport, transfers: Vec<(usize, &TimedTransfer)>) -> Option<HostFinding> {
    let count = transfers.len();
    let mut found: Vec<(usize, &TimedTransfer, Shown)> = transfers
        .into_iter()
        .filter_map(|(at, transfer)| Some((at, transfer, overhead(transfer)?)))
        .collect();
    found.sort_by_key(|(_, transfer, _)| transfer.duration_ns);
    let (at, transfer, shown) = *found.get(found.len() / 2).filter(|_| found.len() * 2 > count)?;
    let wire = wire_ns(transfer.bytes, transfer.bits_per_s);
    let of_all = if count > 1 {
        format!(" ({} of {count} transfers are like it)", found.len())
    } else {
        String::new()
    };
    Some(HostFinding {
        detector: DETECTOR.name.to_string(),
        host: report.host.clone(),
        part: HostPart::Application(transfer.name.clone()),
        cause: Cause::HostControlOverhead,
        summary: format!(
            "a transfer of {} takes {}, of which the wire needs {}{of_all}: the rest is the processor's handling of events",
            transfer.name,
            time(transfer.duration_ns as f64),
            time(wire)
        ),
        confidence: if shown == Shown::Measured { MEASURED } else { BY_MODEL },
        evidence: vec![Claim::new(explanation(transfer, shown), [format!("/latency/transfers/{at}")])],
        missing: Vec::new(),
        advice: vec![
            "send fewer and larger transfers".to_string(),
            "let the GPU start transfers, where the framework can".to_string(),
        ],
    })
}

fn explanation(transfer: &TimedTransfer, shown: Shown) -> String {
    let wire = wire_ns(transfer.bytes, transfer.bits_per_s);
    match (shown, transfer.posted_after_ns) {
        (Shown::Measured, Some(posted_after_ns)) => format!(
            "the work request was posted {} after the data was ready; the wire needs {}",
            time(posted_after_ns as f64),
            time(wire)
        ),
        _ => format!(
            "the model of a transfer that a processor controls gives {} ({} on the wire and {} of overhead)",
            time(controlled_ns(transfer.bytes, transfer.bits_per_s)),
            time(wire),
            time(overhead_ns() as f64)
        ),
    }
}
