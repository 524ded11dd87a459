//! Connections whose ends wait for each other's acknowledgement.
//!
//! Source: X-RDMA (Ma et al., CLUSTER 2019), section V-B.

use model::{Cause, HostReport};

use crate::xrdma::is_deadlocked;
use crate::{Claim, Detector, Explains, Fabric, HostFinding, HostPart, Outcome, Section};

/// Full windows are normal for a round trip under load. Without any traffic for this long, they do not drain: choice,
/// far above round trips of a data centre (2 ms between regions).
const IDLE_NS: u64 = 10_000_000;

pub(super) const DETECTOR: Detector = Detector {
    name: "window_deadlock",
    source: "X-RDMA, CLUSTER 2019, section V-B",
    needs: &[Section::Polls],
    explains: Explains::State,
    check,
};

fn check(report: &HostReport, _: &Fabric) -> Outcome {
    let windows = report.polls.iter().flat_map(|polls| &polls.windows).enumerate();
    let stuck = windows.filter(|(_, window)| {
        let (depth, sent, received) = (window.depth, window.sent, window.received);
        is_deadlocked(depth.into(), sent.into(), received.into()) && window.idle_ns >= IDLE_NS
    });
    let findings = stuck.map(|(at, window)| HostFinding {
        detector: DETECTOR.name.to_string(),
        host: report.host.clone(),
        part: HostPart::Connection(window.connection.clone()),
        cause: Cause::Undetermined,
        summary: format!(
            "the windows of connection {} are full in both directions, so that neither end may send: a deadlock of the application's protocol",
            window.connection
        ),
        confidence: 1.0,
        evidence: vec![Claim::new(
            format!(
                "{} of {} messages in flight and {} received without acknowledgement, for {} ms",
                window.sent, window.depth, window.received, window.idle_ns / 1_000_000
            ),
            [format!("/polls/windows/{at}")],
        )],
        missing: Vec::new(),
        advice: vec![
            "send a NOP message with the newest acknowledgement, for which a buffer is reserved".to_string(),
            "acknowledge after fewer messages than the depth of the window".to_string(),
        ],
    });
    Outcome::of(findings.collect())
}
