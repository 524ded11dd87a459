//! Pairs and hosts that do not reply to probes.
//!
//! Source: X-RDMA (Ma et al., CLUSTER 2019), section VI-B (XR-Ping).

use model::{Cause, HostReport};

use crate::pingmesh::{Dead, dead};
use crate::{Claim, Detector, Explains, Fabric, HostFinding, HostPart, Outcome, Section};

pub(super) const DETECTOR: Detector = Detector {
    name: "probe_matrix",
    source: "X-RDMA, CLUSTER 2019, section VI-B",
    needs: &[Section::Probes],
    explains: Explains::State,
    check,
};

fn check(report: &HostReport, _: &Fabric) -> Outcome {
    let Some(probes) = &report.probes else { return Outcome::Clean };
    if probes.results.is_empty() {
        return Outcome::Missing(vec!["the report has no probe".to_string()]);
    }
    Outcome::of(dead(probes).into_iter().map(|dead| finding(report, &dead)).collect())
}

fn finding(report: &HostReport, dead: &Dead) -> HostFinding {
    let (host, part, summary, advice) = match dead {
        Dead::Host { host, peers, .. } => (
            host.clone(),
            HostPart::Host,
            format!("{host} answers none of its {peers} peers: the host, its NIC or its link"),
            format!(
                "look at {host}: power, link, RDMA device; release the resources of its connections (keepalive)"
            ),
        ),
        Dead::Pair { from, to, .. } => (
            report.host.clone(),
            HostPart::Connection(format!("{from}>{to}")),
            format!("{to} does not answer {from}, and both answer others: the path between them"),
            format!(
                "compare the paths of both directions between {from} and {to}: routes, access lists, a failed link of one of several paths"
            ),
        ),
    };
    HostFinding {
        detector: DETECTOR.name.to_string(),
        host,
        part,
        cause: Cause::Undetermined,
        summary,
        confidence: 1.0,
        evidence: vec![Claim::new(
            format!("{} probes without a reply", dead.records().len()),
            dead.records().iter().map(|at| format!("/probes/results/{at}")),
        )],
        missing: Vec::new(),
        advice: vec![advice],
    }
}
