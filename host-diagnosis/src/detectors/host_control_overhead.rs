//! Transfers whose time is the overhead of a processor that starts them and polls for their end.
//!
//! Source: ARK (Hwang et al., NSDI 2023), section 2.2 and table 1: size / rate + 151.6 us.

use model::host::latency::{TimedTransfer, TransferControl};
use model::{Cause, HostReport};

use crate::jobs::overhead::{controlled_ns, overhead_ns, wire_ns};
use crate::{Claim, Detector, Explains, Fabric, HostFinding, HostPart, Outcome, Section};

use super::support::{conclude, is_about_pauses, time};

/// The deviation from the model up to which it explains a transfer. A choice: the parts of the overhead vary with polling.
const TOLERANCE: f64 = 0.25;
/// The overhead matters if the transfer takes this many times its time on the wire.
const MATTERS: f64 = 1.5;
/// A choice: the overhead was measured on one system.
const CONFIDENCE: f64 = 0.8;

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
    let (mut findings, mut missing) = (Vec::new(), Vec::new());
    for (at, transfer) in latency.transfers.iter().enumerate() {
        if transfer.bits_per_s <= 0.0 {
            missing.push(format!("the rate of the slowest link of {} (`bits_per_s` above 0)", transfer.name));
        } else if transfer.control == TransferControl::Cpu && is_overhead(transfer) {
            findings.push(finding(report, at, transfer));
        }
    }
    conclude(findings, missing)
}

fn is_overhead(transfer: &TimedTransfer) -> bool {
    let measured = transfer.duration_ns as f64;
    let model = controlled_ns(transfer.bytes, transfer.bits_per_s);
    (measured - model).abs() <= TOLERANCE * model
        && measured >= MATTERS * wire_ns(transfer.bytes, transfer.bits_per_s)
}

fn finding(report: &HostReport, at: usize, transfer: &TimedTransfer) -> HostFinding {
    let wire = wire_ns(transfer.bytes, transfer.bits_per_s);
    let model = controlled_ns(transfer.bytes, transfer.bits_per_s);
    HostFinding {
        detector: DETECTOR.name.to_string(),
        host: report.host.clone(),
        part: HostPart::Application(transfer.name.clone()),
        cause: Cause::HostControlOverhead,
        summary: format!(
            "{} takes {}, of which the wire needs {}: the rest is the processor's handling of events",
            transfer.name,
            time(transfer.duration_ns as f64),
            time(wire)
        ),
        confidence: CONFIDENCE,
        evidence: vec![Claim::new(
            format!(
                "the model of a transfer that a processor controls gives {} ({} on the wire and {} of overhead)",
                time(model),
                time(wire),
                time(overhead_ns() as f64)
            ),
            [format!("/latency/transfers/{at}")],
        )],
        missing: Vec::new(),
        advice: vec![
            "send fewer and larger transfers".to_string(),
            "let the GPU start transfers, where the framework can".to_string(),
        ],
    }
}
