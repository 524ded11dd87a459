//! What probes of all transports report of themselves.

use std::collections::BTreeMap;
use std::time::Duration;

use host_agent::mesh::{AcceptorStats, Outcome, Prober, ResponderStats, Scope, ScopeStats, Transport};
use web::Metric;

use super::counters::labelled;

/// Interval at which metrics are brought up to date.
pub(super) const REPORT: Duration = Duration::from_secs(1);
/// Reports after which the largest round trip starts anew.
const MAX_REPORTS: u32 = 10;

/// Counters of probes and replies of one transport.
#[derive(Clone, Debug, Default)]
pub(crate) struct MeshStats {
    scopes: BTreeMap<Scope, ScopeStats>,
    /// Packets that are no valid reply.
    invalid: u64,
    /// Requests of other agents.
    pub(super) responder: ResponderStats,
    /// The latest outcome of each path to each peer that has replied at some time.
    pub(super) outcomes: Vec<Outcome>,
    /// The exchange of queue pairs; nothing for UDP.
    pub(super) exchange: ExchangeStats,
}

/// Counters of the exchange of queue pairs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ExchangeStats {
    /// Peers and paths with a queue pair.
    pub(super) met: u64,
    /// Offers that are kept.
    pub(super) kept: u64,
    /// Offers of other agents.
    pub(super) acceptor: AcceptorStats,
    /// Calls of the device that failed.
    pub(super) device_errors: u64,
}

/// The largest round trips of the last 10 s.
#[derive(Debug, Default)]
pub(super) struct Largest {
    reports: u32,
    rtt_ns: BTreeMap<Scope, u64>,
}

impl Largest {
    /// Returns the counters of a prober. Called once in [`REPORT`].
    pub(super) fn stats(&mut self, prober: &mut Prober, responder: ResponderStats) -> MeshStats {
        if self.reports.is_multiple_of(MAX_REPORTS) {
            self.rtt_ns = prober.stats().0.iter().map(|(scope, s)| (*scope, s.rtt_max_ns)).collect();
            prober.take_max();
        }
        self.reports = self.reports.wrapping_add(1);
        let (scopes, invalid) = prober.stats();
        let mut scopes = scopes.clone();
        for (scope, stats) in &mut scopes {
            stats.rtt_max_ns = self.rtt_ns.get(scope).copied().unwrap_or(0);
        }
        let outcomes = prober.outcomes().collect();
        MeshStats { scopes, invalid, responder, outcomes, exchange: ExchangeStats::default() }
    }
}

/// Returns the metrics, those of one name adjacent.
pub(super) fn metrics(meshes: &[(Transport, MeshStats)]) -> Vec<Metric> {
    let by_scope = |name, help, is_counter, value: fn(&ScopeStats) -> u64| {
        let all = meshes.iter().flat_map(|(transport, mesh)| {
            mesh.scopes.iter().map(move |(scope, stats)| (transport, scope, stats))
        });
        all.map(move |(transport, scope, stats)| {
            let labels =
                vec![("scope", scope.name().to_string()), ("transport", transport.name().to_string())];
            labelled(name, help, is_counter, labels, value(stats))
        })
    };
    let mut all: Vec<Metric> = Vec::new();
    all.extend(by_scope("agent_probe_peers", "Hosts that are probed", false, |s| s.peers));
    all.extend(by_scope("agent_probes_sent", "Probes", true, |s| s.sent));
    all.extend(by_scope("agent_probes_answered", "Probes with a reply in time", true, |s| s.answered));
    all.extend(by_scope("agent_probes_lost", "Probes without a reply for 1 s", true, |s| s.lost));
    all.extend(by_scope(
        "agent_probe_round_trip_nanoseconds",
        "Sum of the round trips of answered probes",
        true,
        |s| s.rtt_sum_ns,
    ));
    all.extend(by_scope(
        "agent_probe_round_trip_max_nanoseconds",
        "Largest round trip within 10 s",
        false,
        |s| s.rtt_max_ns,
    ));
    all.extend(responder_metrics(meshes));
    all.extend(exchange_metrics(meshes));
    all
}

/// A metric of a mesh.
type OfMesh = (&'static str, &'static str, bool, fn(&MeshStats) -> u64);

fn by_transport<'m>(
    meshes: impl Iterator<Item = &'m (Transport, MeshStats)> + Clone,
    metrics: &[OfMesh],
) -> Vec<Metric> {
    let of = |(name, help, is_counter, value): &OfMesh| {
        let labels = |transport: &Transport| vec![("transport", transport.name().to_string())];
        let of_mesh = |(transport, mesh): &(Transport, MeshStats)| {
            labelled(name, help, *is_counter, labels(transport), value(mesh))
        };
        meshes.clone().map(of_mesh).collect::<Vec<_>>()
    };
    metrics.iter().flat_map(of).collect()
}

/// What other agents send. The NIC answers the probes of RC.
fn responder_metrics(meshes: &[(Transport, MeshStats)]) -> Vec<Metric> {
    let all: [OfMesh; 5] = [
        ("agent_probe_replies_invalid", "Packets that are no valid reply", true, |m| m.invalid),
        ("agent_probe_requests_answered", "Requests of other agents with a reply", true, |m| {
            m.responder.answered
        }),
        ("agent_probe_requests_unknown", "Requests of unknown addresses, ignored", true, |m| {
            m.responder.unknown
        }),
        ("agent_probe_requests_limited", "Requests beyond the limit of an address", true, |m| {
            m.responder.limited
        }),
        ("agent_probe_requests_malformed", "Packets that are no requests", true, |m| m.responder.malformed),
    ];
    by_transport(meshes.iter().filter(|(transport, _)| *transport != Transport::Rc), &all)
}

/// The exchange of queue pairs.
fn exchange_metrics(meshes: &[(Transport, MeshStats)]) -> Vec<Metric> {
    let all: [OfMesh; 8] = [
        ("agent_probe_queue_pairs_met", "Peers, for RC their paths, that have a queue pair", false, |m| {
            m.exchange.met
        }),
        ("agent_probe_offers_kept", "Queue pairs of other agents that are known", false, |m| m.exchange.kept),
        ("agent_probe_offers_accepted", "Offers of queue pairs with an answer", true, |m| {
            m.exchange.acceptor.accepted
        }),
        ("agent_probe_offers_unknown", "Offers of unknown addresses, ignored", true, |m| {
            m.exchange.acceptor.unknown
        }),
        ("agent_probe_offers_limited", "Offers beyond the limit of an address", true, |m| {
            m.exchange.acceptor.limited
        }),
        ("agent_probe_offers_refused", "Offers that name another host than their sender", true, |m| {
            m.exchange.acceptor.refused
        }),
        ("agent_probe_offers_full", "Offers beyond the limit of 4096", true, |m| m.exchange.acceptor.full),
        ("agent_probe_device_errors", "Calls of the RDMA device that failed", true, |m| {
            m.exchange.device_errors
        }),
    ];
    by_transport(meshes.iter().filter(|(transport, _)| *transport != Transport::Udp), &all)
}
