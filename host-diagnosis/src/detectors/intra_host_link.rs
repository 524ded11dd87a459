//! A link inside the host: PCIe of an RNIC or GPU, a root port, a memory channel, a link between sockets.
//!
//! Needs loopback tests with baselines ([`crate::hostping`]). When every path is normal, the inside of the host is
//! fine and the network is the place to look. Source: Hostping, NSDI 2023.

use model::host::loopback::LoopbackTest;
use model::{Cause, HostReport};

use crate::hostping::{self, LinkFinding, LinkProblem, Verdict};
use crate::pause_ratio::HOST_TEST_RATIO;
use crate::pauses;
use crate::{Claim, Detector, Explains, Fabric, HostFinding, HostPart, Outcome, Section};

/// Confidence in a single accused link on an idle host. Choice: the paper's deployment reports no wrong link.
const IDLE: f64 = 0.95;
/// Confidence in a single accused link on a busy host. Choice: paths of busy RNICs are compared among themselves only.
const BUSY: f64 = 0.85;
/// Confidence in the PCIe link of a busy RNIC that pauses although no path is abnormal: it is what is left.
const LEFT_OVER: f64 = 0.6;

pub(super) const DETECTOR: Detector = Detector {
    name: "intra_host_link",
    source: "Hostping: Diagnosing Intra-host Network Bottlenecks in RDMA Servers, NSDI 2023, section 4.3",
    needs: &[Section::Loopback],
    explains: Explains::Delay,
    check,
};

fn check(report: &HostReport, _fabric: &Fabric) -> Outcome {
    let Some(loopback) = &report.loopback else { return Outcome::Clean };
    let paused: Vec<&str> = pauses::sent(report)
        .filter(|row| row.ratio().is_some_and(|ratio| ratio > HOST_TEST_RATIO))
        .map(|row| row.nic.nic.as_str())
        .collect();
    match hostping::judge(loopback, &paused) {
        Verdict::NoTest => {
            Outcome::Missing(vec!["a loopback test between RNICs and endpoints, with baselines".to_string()])
        }
        Verdict::Doubtful(links) => Outcome::Missing(vec![format!(
            "{} consecutive loopback tests: {} may be flapping",
            hostping::FLAPPING_TESTS,
            links.join(", ")
        )]),
        Verdict::Network => Outcome::Clean,
        Verdict::Links(links) => {
            let last = loopback.tests.len() - 1;
            Outcome::of(links.iter().map(|link| finding(report, &loopback.tests[last], last, link)).collect())
        }
    }
}

fn finding(report: &HostReport, test: &LoopbackTest, at: usize, link: &LinkFinding) -> HostFinding {
    let usual = match (test.busy.is_empty(), link.paths.is_empty()) {
        (_, true) => LEFT_OVER,
        (true, false) => IDLE,
        (false, false) => BUSY,
    };
    let what: Vec<&str> = link.bottlenecks.iter().map(|bottleneck| bottleneck.text()).collect();
    let what = match (what.is_empty(), link.problem) {
        (true, _) => "it is overloaded, probably with loopback traffic".to_string(),
        (false, LinkProblem::Flapping) => format!("it comes and goes: {}", what.join(", or ")),
        (false, _) => what.join(", or "),
    };
    let mut missing = Vec::new();
    if link.problem == LinkProblem::FailedOrMisconfigured {
        missing.push("the settings of RNIC and PCIe bridges: failure and setting look the same".to_string());
    }
    if !test.busy.is_empty() && link.utilisation.is_none() {
        missing.push(format!("the utilisation of {}: a full link is overloaded, not broken", link.link));
    }
    HostFinding {
        detector: DETECTOR.name.to_string(),
        host: report.host.clone(),
        part: HostPart::Link(link.link.clone()),
        cause: Cause::IntraHostLink,
        summary: format!("the link {} limits {}: {what}", link.link, report.host),
        confidence: usual / (link.ties + 1) as f64,
        evidence: claims(test, at, link),
        missing,
        advice: link.bottlenecks.iter().map(|bottleneck| bottleneck.advice().to_string()).collect(),
    }
}

fn claims(test: &LoopbackTest, at: usize, link: &LinkFinding) -> Vec<Claim> {
    let mut claims: Vec<Claim> = link
        .paths
        .iter()
        .map(|row| {
            let path = &test.paths[*row];
            let claim = format!(
                "{} reaches {} with {:.1} Gb/s, usually {:.1} Gb/s",
                path.nic,
                path.endpoint,
                path.bandwidth_bps as f64 / 1e9,
                path.baseline_bandwidth_bps as f64 / 1e9
            );
            Claim::new(claim, [format!("/loopback/tests/{at}/paths/{row}")])
        })
        .collect();
    if link.accusers > 1 {
        claims.push(Claim::new(
            format!("{} RNICs are slow over {}", link.accusers, link.link),
            [format!("/loopback/tests/{at}/paths")],
        ));
    }
    let row = test.utilisation.iter().position(|row| row.link == link.link);
    if let (Some(row), Some(share)) = (row, link.utilisation) {
        let claim = format!("{} is used to {:.0} %", link.link, share * 100.0);
        claims.push(Claim::new(claim, [format!("/loopback/tests/{at}/utilisation/{row}")]));
    }
    if claims.is_empty() {
        let claim = "no path is abnormal although the RNIC pauses its switch".to_string();
        claims.push(Claim::new(claim, [format!("/loopback/tests/{at}/paths")]));
    }
    claims
}
