//! What the search measures: a NIC in a server, or a model of one.

use std::collections::BTreeMap;

use model::host::descriptor::{CpuVendor, Factor, NicFamily, NicPerformance, ServerTraits, Workload};

use super::condition::Condition;
use super::monitor::Symptom;
use super::table::{ANOMALIES, Bottleneck, KnownAnomaly};

/// A measurement of one workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Pauses and throughput.
    pub performance: NicPerformance,
    /// Counters of unexpected events, by name: the search maximises them.
    pub diagnostic: BTreeMap<&'static str, f64>,
}

/// A measurement that was not possible.
#[derive(Debug, thiserror::Error)]
pub enum SubsystemError {
    /// This workload could not be run, as for lack of a resource; others can.
    #[error("the subsystem cannot run the workload: {0}")]
    NotRunnable(String),
    /// No workload can be run.
    #[error("the subsystem cannot be measured: {0}")]
    Failed(String),
}

/// A NIC in a server on which workloads can be run.
pub trait Subsystem {
    /// The NIC.
    fn nic(&self) -> NicFamily;

    /// The server.
    fn server(&self) -> ServerTraits;

    /// The factors that it does not vary: the search gives them the level of the reference workload, and the smallest message
    /// the size of the largest one.
    fn fixed(&self) -> &'static [Factor] {
        &[]
    }

    /// Whether a workload is within its limits.
    fn can_run(&self, _workload: &Workload) -> bool {
        true
    }

    /// Runs a workload in a network without congestion.
    ///
    /// # Errors
    /// If the workload cannot be run; [`SubsystemError::NotRunnable`] does not end a search.
    fn measure(&mut self, workload: &Workload) -> Result<Measurement, SubsystemError>;
}

/// The pause ratio of anomalies for which none was published, and the throughput of anomalies without pauses, as a share.
const UNPUBLISHED_PAUSE_RATIO: f64 = 0.05;
const LOW_SHARE: f64 = 0.5;
/// The throughput below which the model does not fall without an anomaly: within 20 % of the specification.
const NORMAL_SHARE: f64 = 0.85;

/// A model of a published subsystem: its anomalies are those of the table, which nothing but the measurements reveals.
///
/// Its counters are not those of a NIC. Each rises with the share of the conditions of one anomaly of its component that
/// hold, as cache misses and backpressure rise before they become visible outside.
#[derive(Clone, Debug)]
pub struct TableSubsystem {
    nic: NicFamily,
    server: ServerTraits,
}

impl TableSubsystem {
    /// A server in which every anomaly of this NIC's table can occur: no correction is installed.
    pub fn new(nic: NicFamily) -> TableSubsystem {
        let server = ServerTraits {
            cpu: Some(CpuVendor::Amd),
            relaxed_ordering_forced: Some(false),
            acs_redirects: Some(true),
            vendor_fixes: Some(false),
        };
        TableSubsystem { nic, server }
    }

    fn link_bits_per_s(&self) -> f64 {
        if self.nic == NicFamily::P2100 { 100e9 } else { 200e9 }
    }
}

impl Subsystem for TableSubsystem {
    fn nic(&self) -> NicFamily {
        self.nic
    }

    fn server(&self) -> ServerTraits {
        self.server.clone()
    }

    fn measure(&mut self, workload: &Workload) -> Result<Measurement, SubsystemError> {
        let rows = || ANOMALIES.iter().filter(|anomaly| anomaly.nic == self.nic);
        let triggered: Vec<&KnownAnomaly> =
            rows().filter(|anomaly| progress(anomaly, workload) >= 1.0).collect();
        let pause_ratio = triggered
            .iter()
            .filter(|anomaly| anomaly.symptom == Symptom::PauseFrames)
            .map(|anomaly| anomaly.worst_pause_ratio.unwrap_or(UNPUBLISHED_PAUSE_RATIO))
            .fold(0.0, f64::max);
        let towards_low = rows()
            .filter(|anomaly| anomaly.symptom == Symptom::LowThroughput)
            .map(|anomaly| progress(anomaly, workload))
            .fold(0.0, f64::max);
        let share = match triggered.is_empty() {
            true => 1.0 - (1.0 - NORMAL_SHARE) * towards_low,
            false => LOW_SHARE,
        };
        let link = self.link_bits_per_s();
        // The packets a second of minimal frames at the link's rate: 64 bytes and 20 of preamble and gap.
        let packets = link / (84.0 * 8.0);
        let performance = NicPerformance {
            pause_ratio,
            bits_per_s: share * link,
            packets_per_s: share * packets,
            specified_bits_per_s: link,
            specified_packets_per_s: packets,
            always_backlogged: Some(true),
        };
        let mut diagnostic = BTreeMap::new();
        for anomaly in rows() {
            let counter = diagnostic.entry(counter(anomaly.bottleneck)).or_insert(1.0_f64);
            *counter = counter.max(1.0 + 1_000.0 * progress(anomaly, workload).powi(3));
        }
        Ok(Measurement { performance, diagnostic })
    }
}

/// The share of an anomaly's conditions that hold.
fn progress(anomaly: &KnownAnomaly, workload: &Workload) -> f64 {
    let holds = |condition: &&Condition| condition.holds(workload) == Some(true);
    anomaly.conditions.iter().filter(holds).count() as f64 / anomaly.conditions.len() as f64
}

fn counter(bottleneck: Bottleneck) -> &'static str {
    match bottleneck {
        Bottleneck::ReceiveWqeCache => "receive_wqe_cache_misses",
        Bottleneck::IcmCache => "icm_cache_misses",
        Bottleneck::PcieOrdering => "pcie_backpressure",
        Bottleneck::PacketProcessing => "packet_processing_stalls",
        Bottleneck::HostTopology => "long_dma_reads",
        Bottleneck::InNicIncast => "in_nic_incast",
        Bottleneck::Unnamed => "vendor_events",
    }
}
