//! DCQCN between NICs of different generations: settings that fit one side only, and what they cause.
//!
//! Source: Bai et al., "Empowering Azure Storage with RDMA", NSDI 2023, section 7.2. The first generation coalesces CNPs at
//! the notification point and limits bursts; later ones coalesce at the reaction point and limit packets. Later generations
//! must behave like the first. `harrier check --hosts` finds the same settings in a host file before they are used (HOST004
//! to HOST006).

use model::host::transport::{CnpPeer, RateLimitUnit};
use model::{Cause, HostReport};

use crate::{Claim, Detector, Explains, Fabric, HostFinding, HostPart, Outcome, Section};

use super::support::{conclude, time};

/// The CNP timer of the first generation if it is not configured, in nanoseconds.
const GEN1_TIMER_NS: u64 = 50_000;
/// The largest window of the reaction point that counts as minimal, in nanoseconds, as in rule HOST005.
const MINIMAL_WINDOW_NS: u64 = 1_000;
/// CNPs for each marked packet above which they are not coalesced: by majority.
const UNCOALESCED: f64 = 0.5;
/// Cache misses have risen if they are this many times the usual ones. A choice.
const RISEN: u64 = 2;
/// Confidence in a setting alone, and with the symptom that it causes.
const SETTING: f64 = 0.7;
const WITH_SYMPTOM: f64 = 0.9;

pub(super) const DETECTOR: Detector = Detector {
    name: "cnp_interoperability",
    source: "Empowering Azure Storage with RDMA, NSDI 2023, section 7.2",
    needs: &[Section::Workload],
    explains: Explains::State,
    check,
};

fn check(report: &HostReport, _fabric: &Fabric) -> Outcome {
    let peers = report.workload.iter().flat_map(|workload| &workload.cnp_peers);
    let (mut findings, mut missing) = (Vec::new(), Vec::new());
    let mut seen = false;
    for (at, peer) in peers.enumerate() {
        seen = true;
        let pointer = format!("/workload/cnp_peers/{at}");
        let mut judge = Judge { report, peer, pointer, findings: Vec::new(), missing: Vec::new() };
        match (peer.sender.generation, peer.receiver.generation) {
            (1, 2..) => judge.first_sends_to_later(),
            (2.., 1) => judge.later_sends_to_first(),
            _ => {}
        }
        findings.append(&mut judge.findings);
        missing.append(&mut judge.missing);
    }
    if !seen {
        missing.push("`workload.cnp_peers`: generations of NICs and their DCQCN settings".to_string());
    }
    conclude(findings, missing)
}

struct Judge<'r> {
    report: &'r HostReport,
    peer: &'r CnpPeer,
    pointer: String,
    findings: Vec<HostFinding>,
    missing: Vec<String>,
}

impl Judge<'_> {
    /// A later receiver sends a CNP for every marked packet, and the sender reduces its rate for each.
    fn first_sends_to_later(&mut self) {
        let timer = self.peer.sender.cnp_interval_ns.unwrap_or(GEN1_TIMER_NS);
        let receiver = &self.peer.receiver;
        match receiver.cnp_interval_ns {
            None => self.missing.push(format!("the minimum CNP interval of {}", receiver.host)),
            Some(interval) if interval < timer => {
                let coalesced =
                    self.peer.cnps.zip(self.peer.marked_packets).filter(|(_, marked)| *marked > 0);
                let symptom = coalesced
                    .filter(|(cnps, marked)| *cnps as f64 > UNCOALESCED * *marked as f64)
                    .map(|(cnps, marked)| format!("{cnps} CNPs for {marked} marked packets"));
                let host = receiver.host.clone();
                self.find(
                    format!(
                        "{host} sends CNPs of a queue pair {} apart; the first-generation sender {} expects {}",
                        time(interval as f64),
                        self.peer.sender.host,
                        time(timer as f64)
                    ),
                    "minimum CNP interval",
                    symptom,
                    format!("set the minimum CNP interval of {host} to {}", time(timer as f64)),
                );
            }
            Some(_) => {}
        }
    }

    /// A later sender limits packets, so that all queue pairs of the receiver are active at once; and it ignores CNPs that
    /// the receiver has coalesced already.
    fn later_sends_to_first(&mut self) {
        let sender = self.peer.sender.clone();
        match sender.rate_limit {
            None => self.missing.push(format!("the unit of the rate limit of {}", sender.host)),
            Some(RateLimitUnit::Packet) => {
                let misses = self.peer.receiver_misses.zip(self.peer.usual_receiver_misses);
                let symptom =
                    misses.filter(|(misses, usual)| *misses >= RISEN.saturating_mul((*usual).max(1))).map(
                        |(misses, usual)| format!("{misses} cache misses of the receiver instead of {usual}"),
                    );
                self.find(
                    format!(
                        "{} limits its rate for each packet, which exceeds the caches of the first-generation receiver {}",
                        sender.host, self.peer.receiver.host
                    ),
                    "rate limit",
                    symptom,
                    format!("enable rate limits for bursts on {}", sender.host),
                );
            }
            Some(RateLimitUnit::Burst) => {}
        }
        if let Some(window) = sender.reduction_window_ns.filter(|window| *window > MINIMAL_WINDOW_NS) {
            self.find(
                format!(
                    "{} reduces a rate at most once in {}, although {} coalesces CNPs already",
                    sender.host,
                    time(window as f64),
                    self.peer.receiver.host
                ),
                "rate reduction window",
                None,
                format!("set the rate reduction window of {} to its minimum", sender.host),
            );
        }
    }

    fn find(&mut self, summary: String, setting: &str, symptom: Option<String>, advice: String) {
        let confidence = if symptom.is_some() { WITH_SYMPTOM } else { SETTING };
        let mut missing = Vec::new();
        if symptom.is_none() {
            missing
                .push("a symptom: CNPs for each marked packet, or cache misses of the receiver".to_string());
        }
        let mut evidence = vec![Claim::new(summary.clone(), [self.pointer.clone()])];
        evidence.extend(symptom.map(|text| Claim::new(text, [self.pointer.clone()])));
        self.findings.push(HostFinding {
            detector: DETECTOR.name.to_string(),
            host: self.report.host.clone(),
            part: HostPart::Setting(setting.to_string()),
            cause: Cause::Misconfiguration,
            summary,
            confidence,
            evidence,
            missing,
            advice: vec![advice],
        });
    }
}
