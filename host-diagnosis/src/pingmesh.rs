//! Probes between hosts as a matrix and as percentiles: XR-Ping (X-RDMA, CLUSTER 2019, section VI-B) and RDMA Pingmesh
//! (RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 5.3).

use std::collections::{BTreeMap, BTreeSet};

use model::host::HostProbes;
use model::host::probes::ProbeScope;
use serde::Serialize;

/// Round-trip times of the probes of one scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScopeLatency {
    /// The scope; `None` for probes without one.
    pub scope: Option<ProbeScope>,
    /// Probes.
    pub probes: u64,
    /// Probes without a reply.
    pub lost: u64,
    /// Half of the replies took at most this time; `None` without replies, as the others.
    pub p50_ns: Option<u64>,
    /// 99 % of the replies.
    pub p99_ns: Option<u64>,
    /// 99.9 % of the replies.
    pub p999_ns: Option<u64>,
}

/// Returns the percentiles of each scope, from near to far.
pub fn by_scope(probes: &HostProbes) -> Vec<ScopeLatency> {
    let mut scopes: BTreeMap<Option<ProbeScope>, (u64, Vec<u64>)> = BTreeMap::new();
    for probe in &probes.results {
        let (count, times) = scopes.entry(probe.scope).or_default();
        *count += 1;
        times.extend(probe.rtt_ns);
    }
    let mut all: Vec<ScopeLatency> = scopes
        .into_iter()
        .map(|(scope, (probes, mut times))| {
            times.sort_unstable();
            ScopeLatency {
                scope,
                probes,
                lost: probes - times.len() as u64,
                p50_ns: percentile(&times, 500),
                p99_ns: percentile(&times, 990),
                p999_ns: percentile(&times, 999),
            }
        })
        .collect();
    // Probes without a scope come last.
    all.sort_by_key(|latency| (latency.scope.is_none(), latency.scope));
    all
}

/// The smallest value that is not exceeded by this share, in thousandths, of the sorted values (nearest rank).
fn percentile(sorted: &[u64], permille: usize) -> Option<u64> {
    let rank = (sorted.len() * permille).div_ceil(1000);
    sorted.get(rank.checked_sub(1)?).copied()
}

/// What does not reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Dead {
    /// A host that no peer reaches, or that reaches none.
    Host {
        /// The host.
        host: String,
        /// Its peers.
        peers: usize,
        /// Positions of its probes.
        records: Vec<usize>,
    },
    /// A pair of hosts that reply to others.
    Pair {
        /// The host that sent the probes.
        from: String,
        /// The host that did not reply.
        to: String,
        /// Positions of the probes.
        records: Vec<usize>,
    },
}

impl Dead {
    /// The positions of the probes.
    pub fn records(&self) -> &[usize] {
        match self {
            Dead::Host { records, .. } | Dead::Pair { records, .. } => records,
        }
    }
}

/// The probes of one direction of a pair.
#[derive(Clone, Debug, Default)]
struct Cell {
    records: Vec<usize>,
    replies: u64,
}

/// The probes from a host and to it, by peer.
#[derive(Default)]
struct Lines<'c> {
    row: Vec<(&'c str, &'c Cell)>,
    column: Vec<(&'c str, &'c Cell)>,
}

/// Whether none of several peers has a reply.
fn is_dead(line: &[(&str, &Cell)]) -> bool {
    line.len() >= 2 && line.iter().all(|(_, cell)| cell.replies == 0)
}

/// Returns hosts with a dead row or column of at least two peers, and the dead pairs of the other hosts. A pair is dead
/// if none of its probes has a reply.
pub fn dead(probes: &HostProbes) -> Vec<Dead> {
    let mut matrix: BTreeMap<(&str, &str), Cell> = BTreeMap::new();
    for (at, probe) in probes.results.iter().enumerate() {
        let cell = matrix.entry((&probe.from, &probe.to)).or_default();
        cell.records.push(at);
        cell.replies += u64::from(probe.rtt_ns.is_some());
    }
    let mut hosts: BTreeMap<&str, Lines<'_>> = BTreeMap::new();
    for ((from, to), cell) in &matrix {
        hosts.entry(from).or_default().row.push((to, cell));
        hosts.entry(to).or_default().column.push((from, cell));
    }
    let mut found = Vec::new();
    let mut dead_hosts = BTreeSet::new();
    for (host, lines) in hosts {
        if is_dead(&lines.row) || is_dead(&lines.column) {
            let cells = || lines.row.iter().chain(&lines.column).filter(|(_, cell)| cell.replies == 0);
            let peers: BTreeSet<&str> = cells().map(|(peer, _)| *peer).collect();
            let mut records: Vec<usize> =
                cells().flat_map(|(_, cell)| cell.records.iter().copied()).collect();
            records.sort_unstable();
            dead_hosts.insert(host);
            found.push(Dead::Host { host: host.to_string(), peers: peers.len(), records });
        }
    }
    for ((from, to), cell) in &matrix {
        if cell.replies == 0 && !dead_hosts.contains(from) && !dead_hosts.contains(to) {
            let records = cell.records.clone();
            found.push(Dead::Pair { from: from.to_string(), to: to.to_string(), records });
        }
    }
    found
}
