//! Which resource of an RNIC is exhausted, and how much of it each tenant uses (Husky, section 3 and table 3).
//!
//! Tenants are ranked by their use of that resource, never by bytes: deregistering memory moves none, and a tenant
//! with half a gigabit of failing SENDs stalls all others.

use model::host::counters::{Misses, NicCounters};
use model::host::tenants::{DataVerb, RdmaTransport, SharedNic, Tenant};

use super::pcie::{Sizes, pcie_bytes};
use crate::cache_misses::have_risen;

/// A resource that is used to more than this share is exhausted (Hostping's limit for an overloaded bus).
const EXHAUSTED_SHARE: f64 = 0.9;
/// Misses above the usual number by this factor exhaust a cache. Choice: the paper's harmless attack raises the miss
/// rate by a third (17.2 to 22.9 %), the harmful one by a factor of 2.9 (49.1 %; table 1).
const MISS_FACTOR: f64 = 1.5;

/// Receiver-not-ready errors a second from which they stall the processing units. Choice: a queue pair without receive requests
/// has about 1,500 a second with the timer of 0.64 ms that perftest sets (`min_rnr_timer` 12), so that a hundred are one queue
/// pair that lacks them for a fifteenth of the time.
const STALLING_ERRORS: f64 = 100.0;

/// A resource of an RNIC, as in table 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// Processing units, busy with errors (receiver not ready).
    ErrorHandling,
    /// The cache of memory translations, emptied by control verbs.
    EmptiedTranslationCache,
    /// The cache of memory translations, filled by data verbs.
    TranslationCache,
    /// The cache of connection contexts, filled by data verbs.
    ContextCache,
    /// The cache of receive requests, filled by data verbs.
    ReceiveCache,
    /// The PCIe link.
    Pcie,
    /// Processing units, busy with data verbs.
    ProcessingUnits,
}

impl Resource {
    /// Its name, for people.
    pub fn text(self) -> &'static str {
        match self {
            Resource::ErrorHandling => "processing units, which handle receiver-not-ready errors",
            Resource::EmptiedTranslationCache => {
                "cache of memory translations (MTT), which deregistrations empty"
            }
            Resource::TranslationCache => "cache of memory translations (MTT)",
            Resource::ContextCache => "cache of connection contexts (ICM)",
            Resource::ReceiveCache => "cache of receive requests",
            Resource::Pcie => "PCIe link",
            Resource::ProcessingUnits => "processing units, which execute data verbs",
        }
    }

    /// What the operator can do about it.
    pub fn advice(self) -> &'static str {
        match self {
            Resource::ErrorHandling => {
                "post enough receive requests, or close the queue pairs of this tenant"
            }
            Resource::EmptiedTranslationCache => "keep memory registered instead of deregistering it",
            Resource::TranslationCache => "register fewer regions, with larger pages",
            Resource::ContextCache => "share fewer queue pairs, completion queues and memory regions in turn",
            Resource::ReceiveCache => "post shorter receive queues, or share one receive queue",
            Resource::Pcie => {
                "send larger messages, or at most 28 bytes, which need no transaction of their own"
            }
            Resource::ProcessingUnits => "replace READ and atomic operations by WRITE or SEND where possible",
        }
    }
}

/// A resource that is exhausted, with the reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Exhausted {
    /// The resource.
    pub resource: Resource,
    /// Why it counts as exhausted, one sentence.
    pub reason: String,
    /// The field of the RNIC's counters that shows it; `None` if the tenants' verbs show it.
    pub counter: Option<&'static str>,
}

/// Returns how many requests per second of this verb occupy all processing units of a 100 Gb/s RNIC (section 3.3: FAA
/// 5.2, CAS 4.8, READ about 60, SEND and WRITE above 90 million).
pub fn most_requests(verb: DataVerb) -> f64 {
    match verb {
        DataVerb::FetchAdd => 5.2e6,
        DataVerb::CompareSwap => 4.8e6,
        DataVerb::Read => 60e6,
        DataVerb::Send | DataVerb::Write => 90e6,
    }
}

/// Returns the share of the processing units that a tenant's verbs occupy.
pub fn processing_share(tenant: &Tenant) -> f64 {
    tenant.verbs.iter().map(|row| row.requests / most_requests(row.verb)).sum()
}

/// Returns the PCIe bandwidth of a tenant in bits per second: measured, or what its verbs need at least.
pub fn pcie_bps(tenant: &Tenant) -> f64 {
    let of_verb = |row: &model::host::tenants::VerbRate| {
        row.requests * pcie_bytes(row.bytes, row.transport, Sizes::default()) as f64 * 8.0
    };
    tenant.pcie_bps.map_or_else(|| tenant.verbs.iter().map(of_verb).sum(), |measured| measured as f64)
}

/// Returns the resource that limits the tenants; `None` if no counter shows one.
///
/// The order is that of the damage in section 3: errors stall everything, misses halve the bandwidth, and the PCIe
/// link and the processing units are shared in proportion.
pub fn exhausted(nic: &SharedNic, counters: Option<&NicCounters>, interval_ns: u64) -> Option<Exhausted> {
    errors(nic)
        .or_else(|| counters.and_then(|counters| caches(nic, counters)))
        .or_else(|| pcie(nic, counters, interval_ns))
        .or_else(|| processing(nic))
}

fn errors(nic: &SharedNic) -> Option<Exhausted> {
    let rate: f64 = nic.tenants.iter().map(|tenant| tenant.rnr_errors).sum();
    let reason = format!("{rate:.0} receiver-not-ready errors a second");
    (rate >= STALLING_ERRORS).then_some(Exhausted {
        resource: Resource::ErrorHandling,
        reason,
        counter: None,
    })
}

fn caches(nic: &SharedNic, counters: &NicCounters) -> Option<Exhausted> {
    let caches = counters.caches?;
    let deregisters = nic.tenants.iter().any(|tenant| tenant.deregistrations > 0.0);
    let translations =
        if deregisters { Resource::EmptiedTranslationCache } else { Resource::TranslationCache };
    let rows = [
        (caches.mtt, translations, "/caches/mtt"),
        (caches.receive_wqe, Resource::ReceiveCache, "/caches/receive_wqe"),
        (caches.icm, Resource::ContextCache, "/caches/icm"),
    ];
    let rises =
        |misses: &Misses| misses.usual_misses.filter(|_| have_risen(misses, MISS_FACTOR) == Some(true));
    let (misses, usual, resource, counter) = rows.into_iter().find_map(|(misses, resource, counter)| {
        let misses = misses?;
        Some((misses, rises(&misses)?, resource, counter))
    })?;
    let any_use = nic.tenants.iter().any(|tenant| use_of(tenant, resource) > 0.0);
    let reason = format!("{} misses, usually {usual}", misses.misses);
    any_use.then_some(Exhausted { resource, reason, counter: Some(counter) })
}

fn pcie(nic: &SharedNic, counters: Option<&NicCounters>, interval_ns: u64) -> Option<Exhausted> {
    let link = counters?.pcie?;
    let seconds = interval_ns as f64 / 1e9;
    let counted = if seconds > 0.0 { link.to_nic_bytes as f64 * 8.0 / seconds } else { 0.0 };
    let computed: f64 = nic.tenants.iter().map(pcie_bps).sum();
    let used = counted.max(computed);
    let share = if link.capacity_bps == 0 { 0.0 } else { used / link.capacity_bps as f64 };
    let reason =
        format!("{:.1} of {:.1} Gb/s towards the RNIC are used", used / 1e9, link.capacity_bps as f64 / 1e9);
    let exhausted = Exhausted { resource: Resource::Pcie, reason, counter: Some("/pcie") };
    (share > EXHAUSTED_SHARE).then_some(exhausted)
}

fn processing(nic: &SharedNic) -> Option<Exhausted> {
    let share: f64 = nic.tenants.iter().map(processing_share).sum();
    let reason = format!("the verbs of all tenants need {:.0} % of them", share * 100.0);
    let exhausted = Exhausted { resource: Resource::ProcessingUnits, reason, counter: None };
    (share > EXHAUSTED_SHARE).then_some(exhausted)
}

/// Returns how much of a resource a tenant uses, comparable between tenants only.
pub fn use_of(tenant: &Tenant, resource: Resource) -> f64 {
    match resource {
        Resource::ErrorHandling => tenant.rnr_errors,
        // A registration is nearly free, a deregistration empties entries (table 1).
        Resource::EmptiedTranslationCache => tenant.deregistrations,
        Resource::TranslationCache => tenant.memory_regions as f64,
        Resource::ContextCache => {
            (tenant.queue_pairs + tenant.completion_queues + tenant.memory_regions) as f64
        }
        // UD SEND and RC atomic operations (section 3.5, finding 1).
        Resource::ReceiveCache => {
            let is_heavy = tenant.verbs.iter().any(|row| match row.verb {
                DataVerb::Send => row.transport == RdmaTransport::Ud,
                DataVerb::CompareSwap | DataVerb::FetchAdd => true,
                DataVerb::Read | DataVerb::Write => false,
            });
            if is_heavy { tenant.queue_pairs as f64 } else { 0.0 }
        }
        Resource::Pcie => pcie_bps(tenant),
        Resource::ProcessingUnits => processing_share(tenant),
    }
}

/// Returns the indices of the tenants that use the resource, the largest use first, with their uses.
pub fn ranked(nic: &SharedNic, resource: Resource) -> Vec<(usize, f64)> {
    let uses = nic.tenants.iter().enumerate().map(|(at, tenant)| (at, use_of(tenant, resource)));
    let mut ranked: Vec<(usize, f64)> = uses.filter(|(_, amount)| *amount > 0.0).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    ranked
}
