//! Connections whose peer is gone, but whose queue pairs and buffers are still held.
//!
//! Source: X-RDMA (Ma et al., CLUSTER 2019), sections III (issue 2) and V-A.

use model::host::polls::SilentConnection;
use model::{Cause, HostReport};

use crate::{Claim, Detector, Explains, Fabric, HostFinding, HostPart, Outcome, Section};

use super::support::{conclude, time};

/// A connection without keepalive is worth a question after this time without anything from its peer. Choice: a minute, the
/// interval of an agent's reports.
const SILENT_NS: u64 = 60_000_000_000;

pub(super) const DETECTOR: Detector = Detector {
    name: "dead_connection",
    source: "X-RDMA, CLUSTER 2019, section V-A",
    needs: &[Section::Polls],
    explains: Explains::State,
    check,
};

fn check(report: &HostReport, _: &Fabric) -> Outcome {
    let silent = report.polls.iter().flat_map(|polls| &polls.silent_connections).enumerate();
    let (mut findings, mut missing) = (Vec::new(), Vec::new());
    for (at, connection) in silent {
        match connection.is_acknowledged {
            Some(true) => {}
            Some(false) => findings.push(finding(report, at, connection)),
            None if connection.keepalive_ns.is_none() && connection.silent_ns >= SILENT_NS => {
                missing.push(format!(
                    "whether the peer of connection {} exists: nothing has arrived for {}, and it has no keepalive",
                    connection.connection,
                    time(connection.silent_ns as f64)
                ));
            }
            None => {}
        }
    }
    conclude(findings, missing)
}

fn finding(report: &HostReport, at: usize, connection: &SilentConnection) -> HostFinding {
    let held = connection.held_bytes.map(|bytes| format!(" and {:.1} MB of buffers", bytes as f64 / 1e6));
    HostFinding {
        detector: DETECTOR.name.to_string(),
        host: report.host.clone(),
        part: HostPart::Connection(connection.connection.clone()),
        cause: Cause::Undetermined,
        summary: format!(
            "the peer of connection {} is gone: its queue pair{} are still held",
            connection.connection,
            held.unwrap_or_else(|| " and its buffers".to_string())
        ),
        confidence: 1.0,
        evidence: vec![Claim::new(
            format!(
                "its last keepalive probe was not acknowledged, and nothing has arrived for {}",
                time(connection.silent_ns as f64)
            ),
            [format!("/polls/silent_connections/{at}")],
        )],
        missing: Vec::new(),
        advice: vec![
            "release the connection when the probe fails: queue pair, completion queue and buffers"
                .to_string(),
        ],
    }
}
