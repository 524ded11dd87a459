//! All flows of a NIC are as slow as the slowest of them.
//!
//! Source: Bai et al., "Empowering Azure Storage with RDMA", NSDI 2023, section 8.3, congestion leaking: head-of-line
//! blocking in the NIC's firmware. Measured rates are compared with max-min fair ones (water-filling): nearly equal measured
//! rates close to the smallest fair one, although the fair rates differ.

use std::collections::BTreeMap;

use model::host::transport::FlowRates;
use model::{Cause, HostReport};

use crate::water_filling::rates;
use crate::{Claim, Detector, Explains, Fabric, HostFinding, HostPart, Outcome, Section};

use super::support::{is_about_pauses, rate};

/// Fair rates differ if the largest is this many times the smallest; otherwise equal rates are what is expected.
const DIFFERENT: f64 = 1.5;
/// Measured rates are equal within this ratio: "near identical".
const EQUAL: f64 = 1.15;
/// The deviation of the measured mean from the smallest fair rate: "very close".
const CLOSE: f64 = 0.15;
/// Flows of a NIC without which rates show no pattern.
const LEAST_FLOWS: usize = 3;
/// A choice: the pattern has no other published cause.
const CONFIDENCE: f64 = 0.85;

pub(super) const DETECTOR: Detector = Detector {
    name: "congestion_leaking",
    source: "Empowering Azure Storage with RDMA, NSDI 2023, section 8.3",
    needs: &[Section::Workload],
    explains: Explains::Delay,
    check,
};

/// A flow of a NIC: position, fair and measured rate.
type Rates = Vec<(usize, f64, f64)>;

fn check(report: &HostReport, fabric: &Fabric) -> Outcome {
    if is_about_pauses(fabric) {
        return Outcome::FabricExplains;
    }
    let Some(network) = report.workload.as_ref().and_then(|workload| workload.rates.as_ref()) else {
        return Outcome::Missing(vec![
            "`workload.rates`: measured rates of flows and the links they use".to_string(),
        ]);
    };
    let fair = match rates(network) {
        Ok(fair) => fair,
        Err(errors) => {
            return Outcome::Missing(
                errors.iter().map(|error| format!("`workload.rates`: {error}")).collect(),
            );
        }
    };
    let mut senders: BTreeMap<&str, Rates> = BTreeMap::new();
    for (at, (flow, fair)) in network.flows.iter().zip(fair).enumerate() {
        senders.entry(&flow.sender).or_default().push((at, fair, flow.bits_per_s));
    }
    let findings = senders.into_iter().filter(|(_, rates)| leaks(rates));
    Outcome::of(findings.map(|(sender, rates)| finding(report, network, sender, &rates)).collect())
}

fn extremes(rates: &Rates, of: fn(&(usize, f64, f64)) -> f64) -> (f64, f64) {
    rates.iter().map(of).fold((f64::INFINITY, 0.0), |(low, high), rate| (low.min(rate), high.max(rate)))
}

fn leaks(rates: &Rates) -> bool {
    if rates.len() < LEAST_FLOWS {
        return false;
    }
    let (slowest, fastest) = extremes(rates, |flow| flow.1);
    let (low, high) = extremes(rates, |flow| flow.2);
    let mean = rates.iter().map(|flow| flow.2).sum::<f64>() / rates.len() as f64;
    fastest >= DIFFERENT * slowest && high <= EQUAL * low && (mean - slowest).abs() <= CLOSE * slowest
}

fn finding(report: &HostReport, network: &FlowRates, sender: &str, rates: &Rates) -> HostFinding {
    let (slowest, fastest) = extremes(rates, |flow| flow.1);
    let (low, high) = extremes(rates, |flow| flow.2);
    let pointer = |at: usize| format!("/workload/rates/flows/{at}");
    let slow = rates.iter().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |flow| flow.0);
    HostFinding {
        detector: DETECTOR.name.to_string(),
        host: report.host.clone(),
        part: HostPart::Nic(sender.to_string()),
        cause: Cause::CongestionLeaking,
        summary: format!(
            "the NIC {sender} sends all {} flows at the rate of its slowest flow, about {}",
            rates.len(),
            rate(slowest)
        ),
        confidence: CONFIDENCE,
        evidence: vec![
            Claim::new(
                format!("measured rates are nearly equal, {} to {}", rate(low), rate(high)),
                rates.iter().map(|flow| pointer(flow.0)),
            ),
            Claim::new(
                format!("the links allow {} to {} (water-filling)", rate(slowest), rate(fastest)),
                ["/workload/rates/links".to_string()],
            ),
            Claim::new(format!("the slowest flow is {}", network.flows[slow].flow), [pointer(slow)]),
        ],
        missing: Vec::new(),
        advice: vec![
            "update the NIC's firmware: one congested flow must not delay the others".to_string(),
            "until then, send flows to congested destinations through another NIC".to_string(),
        ],
    }
}
