//! A collective operation that is slow while the same GPUs compute, in a network without pauses and queues.
//!
//! Source: ARK (Hwang et al., NSDI 2023), section 2.3: kernels of a communication library share the GPU with computation; an
//! all-reduce falls to 53.6 % of its rate alone (5.0 GB/s). Suspected, because nothing inside the GPU is measured.

use model::host::latency::{TimedTransfer, TransferControl};
use model::{Cause, HostReport};

use crate::{Claim, Detector, Explains, Fabric, FabricState, HostFinding, HostPart, Outcome, Section};

use super::support::{conclude, is_about_pauses, percent, rate};

/// The loss of rate from which a transfer is slow: that of the anomaly monitor of Collie.
const SLOW_SHARE: f64 = 0.2;
/// A suspicion by exclusion.
const CONFIDENCE: f64 = 0.6;

pub(super) const DETECTOR: Detector = Detector {
    name: "gpu_interference",
    source: "ARK, NSDI 2023, section 2.3",
    needs: &[Section::Latency],
    explains: Explains::Delay,
    check,
};

fn check(report: &HostReport, fabric: &Fabric) -> Outcome {
    if is_about_pauses(fabric) {
        return Outcome::FabricExplains;
    }
    let transfers = report.latency.iter().flat_map(|latency| latency.transfers.iter().enumerate());
    let (mut findings, mut missing) = (Vec::new(), Vec::new());
    for (at, transfer) in transfers.filter(|(_, transfer)| transfer.control == TransferControl::GpuKernel) {
        let Some(alone) = transfer.alone_bits_per_s.filter(|alone| *alone > 0.0) else {
            missing.push(format!("the rate of {} without computation (`alone_bits_per_s`)", transfer.name));
            continue;
        };
        if achieved(transfer) > (1.0 - SLOW_SHARE) * alone {
            continue;
        }
        match (transfer.overlaps_computation, &fabric.state) {
            (Some(false), _) => {}
            (None, _) => missing.push(format!("whether the GPUs of {} computed at that time", transfer.name)),
            // By exclusion: the network must be known to be clean.
            (Some(true), FabricState::Clean) => findings.push(finding(report, at, transfer, alone)),
            (Some(true), _) => missing.push("a verdict that the fabric was clean".to_string()),
        }
    }
    conclude(findings, missing)
}

fn achieved(transfer: &TimedTransfer) -> f64 {
    transfer.bytes as f64 * 8.0 * 1e9 / transfer.duration_ns.max(1) as f64
}

fn finding(report: &HostReport, at: usize, transfer: &TimedTransfer, alone: f64) -> HostFinding {
    let share = format!("{:.1} %", 100.0 * achieved(transfer) / alone);
    HostFinding {
        detector: DETECTOR.name.to_string(),
        host: report.host.clone(),
        part: HostPart::Application(transfer.name.clone()),
        cause: Cause::GpuCoLocation,
        summary: format!(
            "{} reaches {share} of its rate alone while its GPUs compute, and the network was clean: interference on the \
             GPUs is suspected",
            transfer.name
        ),
        confidence: CONFIDENCE,
        evidence: vec![
            Claim::new(
                format!("{} instead of {} ({share})", rate(achieved(transfer)), rate(alone)),
                [format!("/latency/transfers/{at}")],
            ),
            Claim::of_fabric("every hop was clean: no pause and no queue"),
        ],
        missing: vec![format!(
            "measurements inside the GPU; {} of the rate is lost to something that this report does not contain",
            percent(1.0 - achieved(transfer) / alone)
        )],
        advice: vec![
            "run the operation without computation, or let fewer GPU blocks communicate".to_string(),
        ],
    }
}
