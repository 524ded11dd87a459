//! Percentiles of RDMA Pingmesh by scope.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may panic")]

use host_diagnosis::pingmesh::by_scope;
use model::host::HostProbes;
use model::host::probes::{ProbeResult, ProbeScope};

fn probe(scope: Option<ProbeScope>, rtt_us: Option<u64>) -> ProbeResult {
    ProbeResult {
        from: "h1".into(),
        to: "h2".into(),
        scope,
        rtt_ns: rtt_us.map(|rtt| rtt * 1000),
        error: None,
    }
}

/// The service of the source: p99 of 90 us and p99.9 of 200 us.
#[test]
fn percentiles_are_by_scope_and_losses_are_counted_apart() {
    let mut results = Vec::new();
    // 10,000 replies in the fabric: 9,900 up to 90 us, 90 up to 200 us, 10 slower.
    let times =
        (0..9_900).map(|at| 10 + at % 81).chain((0..90).map(|at| 111 + at)).chain((0..10).map(|at| 500 + at));
    results.extend(times.map(|time| probe(Some(ProbeScope::Fabric), Some(time))));
    results.extend([7, 5, 6].map(|time| probe(Some(ProbeScope::Tor), Some(time))));
    results.push(probe(Some(ProbeScope::Tor), None));
    results.push(probe(None, None));
    let found = by_scope(&HostProbes { results });
    let scopes: Vec<_> = found.iter().map(|latency| (latency.scope, latency.probes, latency.lost)).collect();
    assert_eq!(scopes, [(Some(ProbeScope::Tor), 4, 1), (Some(ProbeScope::Fabric), 10_000, 0), (None, 1, 1)]);
    assert_eq!((found[0].p50_ns, found[0].p99_ns, found[0].p999_ns), (Some(6_000), Some(7_000), Some(7_000)));
    assert_eq!((found[1].p99_ns, found[1].p999_ns), (Some(90_000), Some(200_000)));
    assert_eq!((found[2].p50_ns, found[2].p999_ns), (None, None));
}
