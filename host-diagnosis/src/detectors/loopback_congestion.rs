//! Congestion inside the RNIC by loopback traffic: packets from the host itself and from the network share the PCIe
//! link, two to one, and only pauses slow the network's down.
//!
//! Many servers pause at once, intermittently, and the PFC watchdog stays silent: an application does it, not one bad
//! RNIC. While the window of a flow is smaller than XOFF of the receive buffer, its packets queue there without pauses; that is
//! a cause only if every hop of the fabric was clean. Bursts fill a link that is not full on average: what counts is whether the
//! link held writes of the RNIC back while the RNIC paused, if the RNIC counts that. Sources: Bai et al., NSDI 2023, section 8; Collie, NSDI 2022, anomaly 13.

use model::host::counters::{NicCounters, PcieCounters};
use model::{Cause, HostReport};

use crate::pause_ratio::{HOST_TEST_RATIO, Step, ratio};
use crate::pauses::{self, SentPauses};
use crate::{Claim, Detector, Explains, Fabric, FabricState, HostFinding, HostPart, Outcome, Section};

/// A PCIe link that uses more than this share of its capacity is full (Hostping, section 5).
const FULL_SHARE: f64 = 0.9;
/// Confidence if the PCIe link is full.
const CERTAIN: f64 = 0.9;
/// Confidence if the use of the PCIe link is unknown.
const PCIE_UNKNOWN: f64 = 0.6;
/// Confidence without pauses in a clean fabric, if the RNIC does not count for how long the link took no write. Choice: a full
/// link delays packets, and no counter shows the queue before it.
const WITHOUT_PAUSES: f64 = 0.7;
/// Confidence is multiplied by this if a watchdog fired: loopback traffic slows a receiver, it does not stop it.
const WATCHDOG_FACTOR: f64 = 0.7;

/// The share of what an RNIC writes to its host up to which loopback traffic does not fill the link: a link that is full with it
/// is almost full without it.
const LEAST_LOOPBACK: f64 = 1.0 - FULL_SHARE;
/// Loopback traffic of a burst is less than that of a longer interval. If it is at least this share, it counts if it is
/// [`LEAST_LOOPBACK`] of what the link carries in the time in which it held writes back. Choice: what is steady and less than a
/// third of it fills no link.
const LEAST_OF_INTERVAL: f64 = LEAST_LOOPBACK / 3.0;

pub(super) const DETECTOR: Detector = Detector {
    name: "loopback_congestion",
    source: "Empowering Azure Storage with RDMA, NSDI 2023, section 8; Collie, NSDI 2022, anomaly 13",
    needs: &[Section::Counters],
    explains: Explains::Delay,
    check,
};

fn check(report: &HostReport, fabric: &Fabric) -> Outcome {
    let mut findings = Vec::new();
    let mut missing = Vec::new();
    for row in pauses::sent(report) {
        if !matches!(row.step(), Some(Step::Anomaly | Step::HostTest)) {
            continue;
        }
        let Some(has_both) = has_both(row.nic) else {
            missing.push(format!("loopback and received bytes of {}", row.nic.nic));
            continue;
        };
        let is_full = row.nic.pcie.map(|pcie| is_full(&pcie, report.interval_ns));
        // A full link on average is full in bursts as well; the other way round it is not.
        let limits = row.has_stalled_writes().or(is_full);
        if has_both && limits != Some(false) {
            let link = Link { nic: row.nic, at: row.nic_pointer(), is_known: limits.is_some() };
            findings.push(finding(report, fabric, &link, Some(&row)));
        }
    }
    if findings.is_empty() {
        findings = without_pauses(report, fabric);
    }
    if findings.is_empty() && !missing.is_empty() { Outcome::Missing(missing) } else { Outcome::of(findings) }
}

/// RNICs with both kinds of traffic whose PCIe links hold writes back for as long as pauses would have to last for a test of the
/// host, while the fabric is clean or was paused by this host outside the interval. Writes are held back before the buffer is full,
/// so that the limit is the same. In a clean fabric, a link that is full on average is enough.
fn without_pauses(report: &HostReport, fabric: &Fabric) -> Vec<HostFinding> {
    let nics = report.counters.iter().flat_map(|counters| &counters.nics).enumerate();
    let interval_ns = report.interval_ns;
    let is_full = |nic: &NicCounters| nic.pcie.is_some_and(|pcie| is_full(&pcie, interval_ns));
    let (is_clean, is_paused) = (fabric.state == FabricState::Clean, fabric.is_paused_by(&report.host));
    let is_limit = |nic: &NicCounters| {
        is_clean && is_full(nic) || (is_clean || is_paused) && is_stalled(nic, interval_ns)
    };
    let full = nics.filter(|(_, nic)| has_both(nic) == Some(true) && is_limit(nic));
    full.map(|(at, nic)| {
        let link = Link { nic, at: format!("/counters/nics/{at}"), is_known: true };
        finding(report, fabric, &link, None)
    })
    .collect()
}

/// Whether the link held writes back for so long that packets queued before it.
fn is_stalled(nic: &NicCounters, interval_ns: u64) -> bool {
    nic.stalled_writes_ns.is_some_and(|stalled| ratio(stalled, interval_ns) > HOST_TEST_RATIO)
}

/// Whether an RNIC carries much loopback traffic and traffic from the network; `None` if it does not count them.
fn has_both(nic: &NicCounters) -> Option<bool> {
    let (loopback, received) = (nic.loopback_bytes?, nic.wire?.received_bytes);
    let share = loopback as f64 / loopback.saturating_add(received).max(1) as f64;
    let is_much = share > LEAST_LOOPBACK || share > LEAST_OF_INTERVAL && fills_stalls(nic, loopback);
    Some(is_much && received > 0)
}

/// Whether loopback traffic is a large part of what the PCIe link carries in the time in which it held writes back.
fn fills_stalls(nic: &NicCounters, loopback_bytes: u64) -> bool {
    let (Some(stalled_ns), Some(pcie)) = (nic.stalled_writes_ns.filter(|ns| *ns > 0), nic.pcie) else {
        return false;
    };
    let carried_bits = pcie.capacity_bps as f64 * stalled_ns as f64 / 1e9;
    loopback_bytes as f64 * 8.0 > LEAST_LOOPBACK * carried_bits
}

/// The PCIe link of an RNIC.
struct Link<'r> {
    nic: &'r NicCounters,
    /// The JSON Pointer of the RNIC.
    at: String,
    /// Whether its use is known.
    is_known: bool,
}

fn is_full(pcie: &PcieCounters, interval_ns: u64) -> bool {
    use_of(pcie, interval_ns) > FULL_SHARE
}

/// The used share of the busier direction.
fn use_of(pcie: &PcieCounters, interval_ns: u64) -> f64 {
    let bits = pcie.to_host_bytes.max(pcie.to_nic_bytes) as f64 * 8.0;
    let capacity = pcie.capacity_bps as f64 * interval_ns as f64 / 1e9;
    if capacity > 0.0 { bits / capacity } else { 0.0 }
}

fn traffic(nic: &NicCounters, at: &str) -> Option<Claim> {
    let (loopback, received) = (nic.loopback_bytes?, nic.wire?.received_bytes);
    let claim = format!(
        "{} carries {:.1} MB of loopback traffic and {:.1} MB from the network at the same time",
        nic.nic,
        loopback as f64 / 1e6,
        received as f64 / 1e6
    );
    Some(Claim::new(claim, [format!("{at}/loopback_bytes"), format!("{at}/wire/received_bytes")]))
}

fn finding(
    report: &HostReport,
    fabric: &Fabric,
    link: &Link<'_>,
    pauses: Option<&SentPauses<'_>>,
) -> HostFinding {
    let (nic, at) = (&link.nic.nic, &link.at);
    let mut evidence: Vec<Claim> =
        pauses.map(|row| Claim::new(row.text(), [row.pointer()])).into_iter().collect();
    evidence.extend(traffic(link.nic, at));
    let mut missing = Vec::new();
    let has_queue = pauses.is_some() || is_stalled(link.nic, report.interval_ns);
    let mut confidence = if has_queue { CERTAIN } else { WITHOUT_PAUSES };
    if let Some(pcie) = link.nic.pcie {
        let claim = format!("its PCIe link is used to {:.0} %", use_of(&pcie, report.interval_ns) * 100.0);
        evidence.push(Claim::new(claim, [format!("{at}/pcie")]));
    }
    evidence.extend(pauses::stalled_writes(link.nic, at, report.interval_ns));
    if !link.is_known {
        confidence = PCIE_UNKNOWN;
        missing.push(format!("the use of the PCIe link of {nic}"));
    }
    match fabric.pausing_servers {
        Some(servers) if servers > 1 => {
            evidence
                .push(Claim::of_fabric(format!("{servers} servers pause their switches at the same time")));
        }
        Some(_) => {}
        None if pauses.is_none() => {}
        None => missing.push("how many servers pause their switches at the same time".to_string()),
    }
    if fabric.watchdog_fired == Some(true) {
        confidence *= WATCHDOG_FACTOR;
        evidence
            .push(Claim::of_fabric("a PFC watchdog fired, which loopback traffic usually does not cause"));
    }
    HostFinding {
        detector: DETECTOR.name.to_string(),
        host: report.host.clone(),
        part: HostPart::Application(format!("RDMA traffic within {}", report.host)),
        cause: Cause::LoopbackCongestion,
        summary: format!(
            "RDMA traffic between applications of {} competes with traffic from the network on the PCIe link of {nic}",
            report.host
        ),
        confidence,
        evidence,
        missing,
        advice: vec![
            "use shared memory instead of RDMA between processes of one host".to_string(),
            "disable RDMA loopback on one server: its pauses stop if this is the cause".to_string(),
        ],
    }
}
