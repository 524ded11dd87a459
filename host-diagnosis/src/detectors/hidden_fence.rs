//! A fence between requests that the application did not ask for: one request completes each round trip.
//!
//! Source: Bai et al., "Empowering Azure Storage with RDMA", NSDI 2023, section 8.3, FMR hidden fence. Latency that grows
//! with the round trip is no evidence alone: pipelined requests show it too. Both must hold, a deep queue and one completion
//! a round trip.

use model::{Cause, HostReport};

use crate::fence::{LEAST_ROUND_TRIPS, Pace, STRONG_CORRELATION, correlation, paces};
use crate::{Claim, Detector, Explains, Fabric, HostFinding, HostPart, Outcome, Section};

use super::support::{conclude, is_about_pauses, time};

/// Confidence with a strong correlation over several round trips, and from single round trips. Choices.
const CORRELATED: f64 = 0.9;
const SINGLE: f64 = 0.6;

pub(super) const DETECTOR: Detector = Detector {
    name: "hidden_fence",
    source: "Empowering Azure Storage with RDMA, NSDI 2023, section 8.3",
    needs: &[Section::Latency],
    explains: Explains::Delay,
    check,
};

fn check(report: &HostReport, fabric: &Fabric) -> Outcome {
    if is_about_pauses(fabric) {
        return Outcome::FabricExplains;
    }
    let Some(latency) = &report.latency else { return Outcome::Clean };
    let (paces, unknown) = paces(latency);
    let serialised: Vec<&Pace> = paces.iter().filter(|pace| pace.is_serialised()).collect();
    let mut missing: Vec<String> = unknown
        .into_iter()
        .map(|name| format!("the base round trip of connection {name}, or enough completions of it"))
        .collect();
    if paces.is_empty() && missing.is_empty() {
        missing.push("operations of a connection with a known round trip".to_string());
    }
    if serialised.is_empty() {
        return if paces.is_empty() { conclude(Vec::new(), missing) } else { Outcome::Clean };
    }
    let correlated = correlation(&serialised);
    if correlated.is_some_and(|value| value < STRONG_CORRELATION) {
        return Outcome::Clean;
    }
    Outcome::Found(vec![finding(report, &serialised, correlated)])
}

fn finding(report: &HostReport, serialised: &[&Pace], correlated: Option<f64>) -> HostFinding {
    let names: Vec<&str> = serialised.iter().map(|pace| pace.connection.as_str()).collect();
    let mut evidence: Vec<Claim> = serialised
        .iter()
        .map(|pace| {
            let text = format!(
                "connection {}: {:.2} requests complete each round trip of {} although {:.0} are outstanding",
                pace.connection,
                pace.per_rtt,
                time(pace.rtt_ns as f64),
                pace.outstanding
            );
            Claim::new(text, ["/latency/operations".to_string()])
        })
        .collect();
    let mut missing = Vec::new();
    match correlated {
        Some(value) => evidence.push(Claim::new(
            format!("T5 - T1 grows with the round trip (correlation {value:.2})"),
            ["/latency/connections".to_string()],
        )),
        None => missing.push(format!(
            "connections with {LEAST_ROUND_TRIPS} different round trips: whether latency grows with the round trip"
        )),
    }
    if serialised.iter().any(|pace| pace.link_share.is_none()) {
        missing.push("sizes of operations and rates of links: whether a link is busy".to_string());
    }
    HostFinding {
        detector: DETECTOR.name.to_string(),
        host: report.host.clone(),
        part: HostPart::Connection(names.join(", ")),
        cause: Cause::HiddenFence,
        summary: format!(
            "{} with deep send queues complete one request each round trip: the NIC or its driver starts a request only \
             after the previous one has completed",
            if names.len() == 1 { "a connection" } else { "connections" }
        ),
        confidence: if correlated.is_some() { CORRELATED } else { SINGLE },
        evidence,
        missing,
        advice: vec![
            "look for requests between the messages that fence them, e.g. fast memory registrations (FMR), and for fence \
             flags of the application"
                .to_string(),
            "register memory in advance, or update the NIC's driver".to_string(),
        ],
    }
}
