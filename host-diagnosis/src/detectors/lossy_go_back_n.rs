//! Connections with go-back-N on a traffic class without PFC: each loss is multiplied.
//!
//! Source: SRNIC (Wang et al., NSDI 2023), section 6.3: goodput of go-back-N falls from 0.1 % of loss on. Selective repeat is
//! made for lossy classes and is no finding.

use model::host::transport::LossRecovery;
use model::{Cause, HostReport};

use crate::{Claim, Detector, Explains, Fabric, HostFinding, HostPart, Outcome, Section};

use super::support::conclude;

pub(super) const DETECTOR: Detector = Detector {
    name: "lossy_go_back_n",
    source: "SRNIC, NSDI 2023, section 6.3",
    needs: &[Section::Workload],
    explains: Explains::State,
    check,
};

fn check(report: &HostReport, _fabric: &Fabric) -> Outcome {
    let connections = report.workload.iter().flat_map(|workload| &workload.retransmissions);
    let (mut findings, mut missing) = (Vec::new(), Vec::new());
    let mut seen = false;
    for (at, connection) in connections.enumerate() {
        seen = true;
        if connection.recovery != LossRecovery::GoBackN {
            continue;
        }
        match connection.is_lossless {
            Some(true) => {}
            None => {
                missing.push(format!("flow {}: whether its class has PFC (`is_lossless`)", connection.flow))
            }
            Some(false) => {
                let summary = format!("{} uses go-back-N on a traffic class without PFC", connection.flow);
                findings.push(HostFinding {
                    detector: DETECTOR.name.to_string(),
                    host: report.host.clone(),
                    part: HostPart::Connection(connection.flow.to_string()),
                    cause: Cause::Misconfiguration,
                    summary: summary.clone(),
                    confidence: 1.0,
                    evidence: vec![Claim::new(summary, [format!("/workload/retransmissions/{at}")])],
                    missing: Vec::new(),
                    advice: vec![
                        "move the traffic to a class with PFC, or enable selective repeat on the NIC"
                            .to_string(),
                    ],
                });
            }
        }
    }
    if !seen {
        missing.push("`workload.retransmissions`: how connections recover losses".to_string());
    }
    conclude(findings, missing)
}
