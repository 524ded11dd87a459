//! The section `tenants` of the report of a simulated host: what each tenant of its NIC got and posted in the interval.
//!
//! Bandwidths are those of acknowledged payload. Requests without packets are those that the processing units had time for:
//! they have what the requests of flows leave, in proportion to what each tenant posts.

use model::host::HostTenants;
use model::host::counters::Misses;
use model::host::tenants::{DataVerb, RdmaTransport, SharedNic, Tenant, VerbRate};
use model::{Rate, Time};
use scenario::nic::{Operation, PostedVerb, TenantSpec};

use crate::nic::shared::SharedTotals;

/// Payload of a request without packets, in bytes.
const SMALL_BYTES: u64 = 8;

/// What the tenants of a NIC have done up to a time.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedReading {
    /// What the part of the NIC that they share has counted.
    pub totals: SharedTotals,
    /// The share of lookups of translations that misses without deregistrations, 0 to 1.
    pub usual_miss_share: f64,
    /// The tenants.
    pub tenants: Vec<TenantReading>,
}

/// What a tenant has done up to a time.
#[derive(Clone, Debug, PartialEq)]
pub struct TenantReading {
    /// The tenant.
    pub spec: TenantSpec,
    /// Its flows.
    pub flows: Vec<TenantFlow>,
}

/// A flow of a tenant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TenantFlow {
    /// The operation of its messages.
    pub operation: Operation,
    /// Bytes of a message.
    pub message_bytes: u64,
    /// Messages completed.
    pub messages: u64,
    /// Payload bytes acknowledged.
    pub acknowledged_bytes: u64,
}

/// The misses of the cache that tenants share, between two readings.
pub(crate) fn misses(first: &SharedReading, last: &SharedReading) -> Option<Misses> {
    let lookups = last.totals.lookups.saturating_sub(first.totals.lookups);
    (lookups > 0).then(|| Misses {
        misses: last.totals.misses.saturating_sub(first.totals.misses),
        lookups: Some(lookups),
        usual_misses: Some((lookups as f64 * last.usual_miss_share) as u64),
    })
}

/// The tenants of `nic` at a link of `line_rate` between two readings.
pub(crate) fn tenants(
    nic: &str,
    line_rate: Rate,
    (first_at, first): (Time, &SharedReading),
    (last_at, last): (Time, &SharedReading),
) -> Option<HostTenants> {
    let seconds = last_at.saturating_sub(first_at).as_secs_f64();
    if seconds <= 0.0 {
        return None;
    }
    let busy = last.totals.units_busy.saturating_sub(first.totals.units_busy).as_secs_f64();
    let between =
        Between { first_at, last_at, seconds, served: served_share(last, (first_at, last_at), busy) };
    let rows = first.tenants.iter().zip(&last.tenants);
    let shared = SharedNic {
        nic: nic.to_string(),
        bandwidth_limit_bps: line_rate.0,
        request_limit: PostedVerb::Write.most_requests() as f64,
        tenants: rows.map(|(before, after)| between.tenant(before, after)).collect(),
    };
    Some(HostTenants { nics: vec![shared] })
}

/// The share of the requests without packets that the units had time for, when flows occupied them for `busy` seconds.
fn served_share(last: &SharedReading, (from, to): (Time, Time), busy: f64) -> f64 {
    let needed = |spec: &TenantSpec| {
        active_seconds(spec, from, to) * spec.requests as f64 / spec.verb.most_requests() as f64
    };
    let needed: f64 = last.tenants.iter().map(|tenant| needed(&tenant.spec)).sum();
    let left = (to.saturating_sub(from).as_secs_f64() - busy).max(0.0);
    if needed > left { left / needed } else { 1.0 }
}

fn active_seconds(spec: &TenantSpec, from: Time, to: Time) -> f64 {
    spec.active(to).saturating_sub(spec.active(from)).as_secs_f64()
}

struct Between {
    first_at: Time,
    last_at: Time,
    seconds: f64,
    served: f64,
}

impl Between {
    fn tenant(&self, before: &TenantReading, after: &TenantReading) -> Tenant {
        let spec = &after.spec;
        let posted = active_seconds(spec, self.first_at, self.last_at) * spec.requests as f64;
        let small = posted * self.served / self.seconds;
        let mut verbs: Vec<VerbRate> = before
            .flows
            .iter()
            .zip(&after.flows)
            .map(|(then, now)| self.flow_verb(then, now))
            .filter(|row| row.requests > 0.0)
            .collect();
        if small > 0.0 {
            let (verb, transport) = (data_verb(spec.verb), RdmaTransport::Rc);
            verbs.push(VerbRate { verb, transport, requests: small, bytes: SMALL_BYTES });
        }
        let bytes = |reading: &TenantReading| -> u64 {
            reading.flows.iter().map(|flow| flow.acknowledged_bytes).sum()
        };
        let of_flows = bytes(after).saturating_sub(bytes(before)) as f64 / self.seconds;
        let deregistered = spec.deregistered(self.last_at).saturating_sub(spec.deregistered(self.first_at));
        Tenant {
            name: spec.name.clone(),
            bandwidth_bps: ((of_flows + small * SMALL_BYTES as f64) * 8.0) as u64,
            requests: verbs.iter().map(|row| row.requests).sum(),
            alone_bandwidth_bps: spec.alone.map(|rate| rate.0),
            guaranteed_bandwidth_bps: spec.guaranteed.map(|rate| rate.0),
            verbs,
            queue_pairs: after.flows.len() as u64,
            memory_regions: spec.pages,
            deregistrations: deregistered as f64 / self.seconds,
            ..Tenant::default()
        }
    }

    fn flow_verb(&self, before: &TenantFlow, after: &TenantFlow) -> VerbRate {
        VerbRate {
            verb: match after.operation {
                Operation::Write => DataVerb::Write,
                Operation::Send => DataVerb::Send,
                Operation::Read => DataVerb::Read,
            },
            transport: RdmaTransport::Rc,
            requests: after.messages.saturating_sub(before.messages) as f64 / self.seconds,
            bytes: after.message_bytes,
        }
    }
}

fn data_verb(verb: PostedVerb) -> DataVerb {
    match verb {
        PostedVerb::Write => DataVerb::Write,
        PostedVerb::Read => DataVerb::Read,
        PostedVerb::CompareSwap => DataVerb::CompareSwap,
        PostedVerb::FetchAdd => DataVerb::FetchAdd,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The requests a second, in millions, of a tenant that posts `posted` million compare-and-swaps a second while flows
    /// occupy the units for `busy_us` of 1 ms.
    fn check(posted: u64, busy_us: u64, expected: f64) {
        let spec = TenantSpec {
            name: "atomics".to_string(),
            host: "h1".to_string(),
            flows: Vec::new(),
            alone: None,
            guaranteed: None,
            pages: 0,
            start: Time::ZERO,
            end: Time::MAX,
            deregistrations: 0,
            verb: PostedVerb::CompareSwap,
            requests: posted * 1_000_000,
        };
        let reading = |busy| SharedReading {
            totals: SharedTotals { units_busy: Time::from_us(busy), ..SharedTotals::default() },
            usual_miss_share: 0.0,
            tenants: vec![TenantReading { spec: spec.clone(), flows: Vec::new() }],
        };
        let ends = ((Time::from_ms(1), &reading(0)), (Time::from_ms(2), &reading(busy_us)));
        let found = tenants("nic0", Rate::from_gbps(100), ends.0, ends.1).unwrap();
        let requests = found.nics[0].tenants[0].requests / 1e6;
        assert!((requests - expected).abs() < 0.01, "{requests}");
    }

    #[test]
    fn requests_without_packets_have_the_time_that_flows_leave() {
        check(1, 0, 1.0);
        check(10, 0, 4.8);
        check(10, 250, 3.6);
        check(2, 250, 2.0);
    }
}
