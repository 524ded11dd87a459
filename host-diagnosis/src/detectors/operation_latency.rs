//! Operations that are slow, and the stage in which they spend the time: sender, network or receiver, or the application
//! that polls completions.
//!
//! Source: RDMA Estats (Bai et al., NSDI 2023, section 5). Operations are grouped by connection, kind and status in windows
//! of one minute, and compared with the fastest window of the same connection and kind.

use std::collections::BTreeMap;

use model::host::latency::{HostLatency, OperationKind, RdmaOperation};
use model::{Cause, HostReport};

use crate::estats::{DEFAULT_WINDOW_NS, Group, GroupKey, Side, Split, Stage, groups, slow_stage};
use crate::{Claim, Detector, Explains, Fabric, FabricState, HostFinding, HostPart, Outcome, Section};

use super::support::{conclude, is_about_pauses, percent, time};

/// Confidence in the stage: a measurement of the host's own clocks and of the NIC's.
const CONFIDENCE: f64 = 0.9;

pub(super) const DETECTOR: Detector = Detector {
    name: "operation_latency",
    source: "Empowering Azure Storage with RDMA, NSDI 2023, section 5",
    needs: &[Section::Latency],
    explains: Explains::Delay,
    check,
};

fn check(report: &HostReport, fabric: &Fabric) -> Outcome {
    if is_about_pauses(fabric) {
        return Outcome::FabricExplains;
    }
    let Some(latency) = &report.latency else { return Outcome::Clean };
    if latency.operations.is_empty() {
        return Outcome::Missing(vec!["`latency.operations` is empty".to_string()]);
    }
    let groups = groups(latency, DEFAULT_WINDOW_NS);
    let mut of_kind: BTreeMap<(&str, OperationKind), Vec<(&GroupKey, &Group)>> = BTreeMap::new();
    for (key, group) in groups.iter().filter(|(key, _)| key.success) {
        of_kind.entry((key.connection.as_str(), key.kind)).or_default().push((key, group));
    }
    let (mut findings, mut missing) = (Vec::new(), Vec::new());
    for windows in of_kind.values() {
        let fastest = windows.iter().min_by_key(|(_, group)| group.application.quantile_ns(0.5));
        for (key, group) in windows {
            let reference = fastest.filter(|(other, _)| other.window_ns != key.window_ns);
            let reference = reference.map(|(_, group)| members(latency, group)).unwrap_or_default();
            let Some(split) = slow_stage(&members(latency, group), &reference) else { continue };
            match split.side {
                Side::Unsplit => missing.push(format!(
                    "T2 to T4 of operations of connection {}: without them sender, network and receiver are one",
                    key.connection
                )),
                _ => findings.push(finding(report, fabric, key, group, &split)),
            }
        }
    }
    conclude(findings, missing)
}

fn members<'l>(latency: &'l HostLatency, group: &Group) -> Vec<&'l RdmaOperation> {
    group.operations.iter().filter_map(|at| latency.operations.get(*at)).collect()
}

fn finding(
    report: &HostReport,
    fabric: &Fabric,
    key: &GroupKey,
    group: &Group,
    split: &Split,
) -> HostFinding {
    let (cause, place, advice) = place(split, fabric);
    let quantile = |share| time(group.application.quantile_ns(share).unwrap_or(0) as f64);
    let summary = format!(
        "operations of connection {} take {} instead of {}; {} of the excess is {place}",
        key.connection,
        time(split.slow_ns as f64),
        time(split.usual_ns as f64),
        percent(split.share)
    );
    let claim = format!(
        "{} operations, p50 {}, p99 {}, p99.9 {}",
        group.application.count(),
        quantile(0.5),
        quantile(0.99),
        quantile(0.999)
    );
    let records = group.operations.iter().take(3).map(|at| format!("/latency/operations/{at}"));
    HostFinding {
        detector: DETECTOR.name.to_string(),
        host: report.host.clone(),
        part: HostPart::Connection(key.connection.clone()),
        cause,
        summary,
        confidence: CONFIDENCE,
        evidence: vec![Claim::new(claim, records)],
        missing: Vec::new(),
        advice: vec![advice.to_string()],
    }
}

/// The cause, the place as a phrase, and the advice.
fn place(split: &Split, fabric: &Fabric) -> (Cause, &'static str, &'static str) {
    match split.stage {
        Stage::Poll => (
            Cause::PollGap,
            "between completion and poll: the application polls late",
            "look for long code sections between polls, and for a thread that shares its core",
        ),
        Stage::Doorbell | Stage::Fetch => (
            Cause::IntraHostLink,
            "between the host and its NIC: PCIe of the sender",
            "run loopback tests of this host",
        ),
        Stage::Transmit => (
            Cause::Undetermined,
            "inside the sender's NIC: PCIe reads of data, rate limits or received pauses",
            "compare received pauses and CNPs of this NIC with the time; then run loopback tests",
        ),
        Stage::Network | Stage::Unsplit if fabric.state == FabricState::Clean => (
            Cause::Undetermined,
            "after the NIC, and every hop of the fabric was clean: the receiver",
            "collect the report of the receiving host",
        ),
        Stage::Network | Stage::Unsplit => (
            Cause::Undetermined,
            "after the NIC: the network or the receiver",
            "query the fabric for this flow",
        ),
    }
}
