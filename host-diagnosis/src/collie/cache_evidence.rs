//! What a NIC's own counters say about an anomaly that is attributed to its cache of receive WQEs.
//!
//! The conditions of an anomaly were found on one subsystem; the counters show whether this NIC waits for host memory. Collie
//! itself maximises the counter of receive WQE cache misses (section 7.2). Anomalies of RDMA READ are left out, although they
//! are attributed to the same cache: a READ consumes no receive WQE.

use model::HostReport;
use model::host::descriptor::{Opcode, Workload};

use crate::Claim;
use crate::cache_misses::is_harmless;
use crate::pauses;

use super::matching::Match;
use super::monitor::Symptom;
use super::table::Bottleneck;

/// What the counters say.
#[derive(Clone, Debug, PartialEq)]
pub enum CacheEvidence {
    /// The hardware does not count it, or the anomaly is not attributed to this cache.
    Unknown,
    /// The cache misses, and the receive pipeline waits for host memory while the NIC pauses.
    Confirmed(Vec<Claim>),
    /// The cache hardly misses, or the receive pipeline waits for something else.
    Refuted,
}

/// Compares an anomaly with the counters of the workload's device.
pub fn of(report: &HostReport, workload: &Workload, found: &Match) -> CacheEvidence {
    let is_about_cache = found.bottleneck == Bottleneck::ReceiveWqeCache && workload.opcode == Opcode::Send;
    if !is_about_cache || found.symptom != Symptom::PauseFrames {
        return CacheEvidence::Unknown;
    }
    let nics = report.counters.iter().flat_map(|counters| counters.nics.iter().enumerate());
    let mut own = nics.filter(|(_, nic)| workload.device.as_ref() == Some(&nic.nic));
    let Some((at, nic)) = own.next() else { return CacheEvidence::Unknown };
    let waits: Vec<bool> = pauses::sent(report)
        .filter(|row| row.nic.nic == nic.nic)
        .filter_map(|row| row.has_waited_reads())
        .collect();
    let misses = nic.caches.and_then(|caches| caches.receive_wqe);
    if misses.is_some_and(|row| row.misses == 0 || is_harmless(&row)) || waits.contains(&false) {
        return CacheEvidence::Refuted;
    }
    let (Some(misses), false) = (misses, waits.is_empty()) else { return CacheEvidence::Unknown };
    let waited_us = nic.waited_reads_ns.unwrap_or(0) / 1_000;
    CacheEvidence::Confirmed(vec![
        Claim::new(
            format!("{} receive WQE cache misses of {}", misses.misses, nic.nic),
            [format!("/counters/nics/{at}/caches/receive_wqe")],
        ),
        Claim::new(
            format!("the receive pipeline of {} waited for host memory for {waited_us} us", nic.nic),
            [format!("/counters/nics/{at}/waited_reads_ns")],
        ),
    ])
}
