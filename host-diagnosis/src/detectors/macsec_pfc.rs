//! A link with MACsec whose ends disagree about encrypted PFC frames, so that one counts PFC frames as corrupted packets.
//!
//! Source: Bai et al., "Empowering Azure Storage with RDMA", NSDI 2023, section 8.3: IEEE 802.1AE does not state whether PFC
//! frames are encrypted, and alerts about corruption began when PFC was enabled. Corruption that was there before has
//! another cause.

use model::host::transport::MacsecLink;
use model::{Cause, HostReport};

use crate::{Claim, Detector, Explains, Fabric, HostFinding, HostPart, Outcome, Section};

use super::support::conclude;

/// Corruption began with PFC if there is this many times as much, and at least [`LEAST_CORRUPTED`] packets. Choices.
const BEGAN: u64 = 10;
const LEAST_CORRUPTED: u64 = 10;
/// Confidence from settings alone, from corruption alone, and from both.
const SETTING: f64 = 0.8;
const CORRUPTION: f64 = 0.6;
const BOTH: f64 = 0.95;

pub(super) const DETECTOR: Detector = Detector {
    name: "macsec_pfc",
    source: "Empowering Azure Storage with RDMA, NSDI 2023, section 8.3",
    needs: &[Section::Workload],
    explains: Explains::State,
    check,
};

fn check(report: &HostReport, _fabric: &Fabric) -> Outcome {
    let links = report.workload.iter().flat_map(|workload| &workload.macsec_links);
    let (mut findings, mut missing) = (Vec::new(), Vec::new());
    let mut seen = false;
    for (at, link) in links.enumerate() {
        seen = true;
        if !link.pfc {
            continue;
        }
        let disagree = disagree(link);
        let began = began(link);
        match (disagree, began) {
            // Agreeing ends exonerate the link, whatever it counts.
            (Some(false), _) | (None, Some(false)) => {}
            (None, None) => missing.push(format!(
                "link {}: whether each end encrypts PFC frames and expects them encrypted, or corruption before and with PFC",
                link.name
            )),
            _ => findings.push(finding(report, at, link, disagree == Some(true), began == Some(true))),
        }
    }
    if !seen {
        missing.push("`workload.macsec_links`: links with MACsec".to_string());
    }
    conclude(findings, missing)
}

/// Whether an end sends PFC frames in another form than the other end expects; `None` if unknown.
fn disagree(link: &MacsecLink) -> Option<bool> {
    let (sends, expects) = link.encrypts_pfc.zip(link.expects_encrypted_pfc)?;
    Some(sends[0] != expects[1] || sends[1] != expects[0])
}

/// Whether corruption began with PFC; `None` if unknown.
fn began(link: &MacsecLink) -> Option<bool> {
    let (before, with) = link.corrupted_before_pfc.zip(link.corrupted_with_pfc)?;
    Some(with >= LEAST_CORRUPTED && with >= BEGAN.saturating_mul(before))
}

fn finding(report: &HostReport, at: usize, link: &MacsecLink, disagree: bool, began: bool) -> HostFinding {
    let pointer = format!("/workload/macsec_links/{at}");
    let mut evidence = Vec::new();
    let mut missing = Vec::new();
    if disagree {
        evidence.push(Claim::new(
            "one end sends PFC frames in another form than the other end expects (encrypted or not)",
            [pointer.clone()],
        ));
    } else {
        missing.push("whether each end encrypts PFC frames and expects them encrypted".to_string());
    }
    if let (true, Some((before, with))) = (began, link.corrupted_before_pfc.zip(link.corrupted_with_pfc)) {
        evidence.push(Claim::new(
            format!("{with} corrupted packets with PFC, {before} before it was enabled"),
            [pointer],
        ));
    }
    HostFinding {
        detector: DETECTOR.name.to_string(),
        host: report.host.clone(),
        part: HostPart::Setting(format!("MACsec of {}", link.name)),
        cause: Cause::Misconfiguration,
        summary: format!(
            "the ends of {} disagree about encrypted PFC frames, and count them as corrupted",
            link.name
        ),
        confidence: match (disagree, began) {
            (true, true) => BOTH,
            (true, false) => SETTING,
            _ => CORRUPTION,
        },
        evidence,
        missing,
        advice: vec![
            "configure both ends to send PFC frames outside MACsec, or both inside".to_string(),
            "do not replace the cable or the optics before that".to_string(),
        ],
    }
}
