//! Throughput that consists of retransmissions, because go-back-N sends everything from a lost packet on again.
//!
//! Source: SRNIC (Wang et al., NSDI 2023), section 6.3: at 1 % of loss, a ConnectX-6 carries 97 Gb/s on the wire and delivers
//! 25. Sequence ranges in the records of switches confirm or refute the repetition.

use model::host::transport::{LossRecovery, Retransmission};
use model::{Cause, HostReport};

use crate::repeated_packets::repetition;
use crate::{Claim, Detector, Explains, Fabric, HostFinding, HostPart, Outcome, Section};

use super::support::{conclude, is_about_pauses, percent, rate};

/// The least share of waste. A choice: headers are a few percent of small packets.
const WASTED_SHARE: f64 = 0.1;
/// Records confirm the waste if they show at least this part of it as repeated. By majority.
const CONFIRMING_SHARE: f64 = 0.5;
/// Confidence with and without the records of a switch.
const CONFIRMED: f64 = 0.95;
const UNCONFIRMED: f64 = 0.7;

pub(super) const DETECTOR: Detector = Detector {
    name: "go_back_n_waste",
    source: "SRNIC, NSDI 2023, section 6.3",
    needs: &[Section::Workload],
    explains: Explains::Delay,
    check,
};

fn check(report: &HostReport, fabric: &Fabric) -> Outcome {
    if is_about_pauses(fabric) {
        return Outcome::FabricExplains;
    }
    let connections = report.workload.iter().flat_map(|workload| &workload.retransmissions);
    let (mut findings, mut missing) = (Vec::new(), Vec::new());
    let mut seen = false;
    for (at, connection) in connections.enumerate() {
        seen = true;
        match judge(report, at, connection) {
            Ok(finding) => findings.extend(finding),
            Err(text) => missing.push(text),
        }
    }
    if !seen {
        missing.push("`workload.retransmissions`: raw throughput and goodput of connections".to_string());
    }
    conclude(findings, missing)
}

fn judge(report: &HostReport, at: usize, connection: &Retransmission) -> Result<Option<HostFinding>, String> {
    let raw = connection.raw_bits_per_s;
    if connection.recovery == LossRecovery::SelectiveRepeat || raw <= 0.0 {
        return Ok(None);
    }
    let wasted = 1.0 - connection.goodput_bits_per_s / raw;
    if wasted < WASTED_SHARE {
        return Ok(None);
    }
    let flow = connection.flow;
    let loss = connection.loss_ratio.ok_or_else(|| {
        format!("flow {flow}: the share of lost packets (`loss_ratio`); goodput below raw throughput has other causes too")
    })?;
    if loss <= 0.0 {
        return Ok(None);
    }
    let pointer = format!("/workload/retransmissions/{at}");
    let mut evidence = vec![Claim::new(
        format!(
            "the wire carries {} and the application receives {}, at {} of loss",
            rate(raw),
            rate(connection.goodput_bits_per_s),
            percent(loss)
        ),
        [pointer.clone()],
    )];
    let mut missing = Vec::new();
    if connection.records.is_empty() {
        missing.push("sequence ranges of the flow from a switch: whether packets are repeated".to_string());
    } else {
        let repetition = repetition(&connection.records);
        if repetition.share() < CONFIRMING_SHARE * wasted {
            return Ok(None);
        }
        evidence.push(Claim::new(
            format!(
                "at least {} of {} packets repeat a sequence number; {} ranges begin before the end of an earlier one",
                repetition.repeated, repetition.packets, repetition.returns
            ),
            [format!("{pointer}/records")],
        ));
    }
    Ok(Some(HostFinding {
        detector: DETECTOR.name.to_string(),
        host: report.host.clone(),
        part: HostPart::Connection(flow.to_string()),
        cause: Cause::GoBackNWaste,
        summary: format!("{} of the throughput of {flow} are retransmissions of go-back-N", percent(wasted)),
        confidence: if missing.is_empty() { CONFIRMED } else { UNCONFIRMED },
        evidence,
        missing,
        advice: vec![
            "find where packets are lost, and put the class under PFC".to_string(),
            "enable selective repeat, if the NIC has it".to_string(),
        ],
    }))
}
