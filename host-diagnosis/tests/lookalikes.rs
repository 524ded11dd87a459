//! Reports that look like a cause and have another one or none, beside the cause itself: the situations are those of the
//! papers' texts, with other numbers than their tables.

use host_diagnosis::{Fabric, FabricState};
use model::{Cause, HostReport};
use serde_json::{Value, json};

use crate::support::causes;

/// The causes that the detectors give for a report of h3 about one second with these sections.
#[track_caller]
fn check(what: &str, sections: Value, fabric: &Fabric, expected: &[Cause]) {
    let mut report = json!({ "version": 1, "host": "h3", "interval_ns": 1_000_000_000u64 });
    report.as_object_mut().unwrap().extend(sections.as_object().unwrap().clone());
    let report: HostReport = serde_json::from_value(report).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(causes(&report, fabric), expected, "{what}");
}

/// The counters of an RNIC of 100 Gb/s that receives 40 Gb/s, with further ones.
fn nic(more: Value) -> Value {
    let mut nic = json!({
        "nic": "mlx5_0", "line_rate_bps": 100_000_000_000u64,
        "wire": { "received_bytes": 5_000_000_000u64, "received_packets": 5_000_000, "sent_bytes": 0, "sent_packets": 0 },
    });
    nic.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({ "counters": { "nics": [nic] } })
}

/// Pauses of priority 3 in percent of the time.
fn pauses(percent: u64) -> Value {
    json!([{ "priority": 3, "frames": 400, "paused_ns": percent * 10_000_000, "longest_ns": 90_000 }])
}

fn with(mut report: Value, more: Value) -> Value {
    report.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    report
}

fn here() -> Fabric {
    Fabric::paused_by("h3")
}

#[test]
fn a_rise_of_misses_from_none_to_a_few_is_no_slow_receiver() {
    let misses = |misses: u64| {
        nic(json!({
            "sent_pauses": pauses(2),
            "memory": { "bytes": 64 << 20, "page_bytes": 4096, "mtt_entries": 2048 },
            "caches": { "mtt": { "misses": misses, "lookups": 1_200_000, "usual_misses": 0 } },
        }))
    };
    check("40 of 1.2 million", misses(40), &here(), &[]);
    check("a third", misses(400_000), &here(), &[Cause::SlowReceiver]);
    check("another host pauses", misses(400_000), &Fabric::paused_by("h9"), &[]);
}

#[test]
fn large_pages_that_reach_the_whole_memory_are_no_reason_for_misses() {
    let reach = |page_bytes: u64| {
        nic(json!({
            "sent_pauses": pauses(1),
            "memory": { "bytes": 3u64 << 30, "page_bytes": page_bytes, "mtt_entries": 2048 },
            "caches": { "mtt": { "misses": 300_000, "lookups": 500_000, "usual_misses": 10_000 } },
        }))
    };
    check("4 KiB", reach(4096), &here(), &[Cause::SlowReceiver]);
    check("2 MiB", reach(2 << 20), &here(), &[]);
}

#[test]
fn a_little_loopback_traffic_does_not_fill_a_link_that_the_network_fills() {
    let loopback = |bytes: u64, received: u64| {
        nic(json!({
            "sent_pauses": pauses(5), "stalled_writes_ns": 60_000_000, "loopback_bytes": bytes,
            "pcie": { "capacity_bps": 63_000_000_000u64, "to_nic_bytes": bytes, "to_host_bytes": bytes + received },
            "wire": { "received_bytes": received, "received_packets": 5_000_000, "sent_bytes": 0, "sent_packets": 0 },
        }))
    };
    check("probes of 2 MB", loopback(2_000_000, 7_600_000_000), &here(), &[]);
    // In the 60 ms without writes, the link carries 472 MB.
    check("a burst of 260 MB", loopback(260_000_000, 4_000_000_000), &here(), &[Cause::LoopbackCongestion]);
    check("a fortieth", loopback(100_000_000, 4_000_000_000), &here(), &[]);
    check(
        "a third of the link",
        loopback(2_600_000_000, 5_000_000_000),
        &here(),
        &[Cause::LoopbackCongestion],
    );
    check(
        "the fabric is congested",
        loopback(2_600_000_000, 5_000_000_000),
        &Fabric::new(FabricState::Congested),
        &[],
    );
}

/// Slow polls delay an application; the RNIC writes to memory meanwhile and pauses nothing.
#[test]
fn threads_that_poll_late_do_not_make_an_rnic_pause() {
    let polls = json!({ "polls": {
        "long_gap_ns": 100_000,
        "gaps": [
            { "thread": "io-1", "start_ns": 1_000_000, "duration_ns": 4_000_000 },
            { "thread": "io-2", "start_ns": 1_200_000, "duration_ns": 3_500_000 },
        ],
        "slow_segments": [{ "thread": "io-1", "location": "arena::alloc", "start_ns": 1_000_000, "duration_ns": 3_900_000 }],
    } });
    check("every hop is clean", polls.clone(), &Fabric::clean(), &[Cause::PollGap]);
    check("the host pauses", polls.clone(), &here(), &[]);
    check("another host pauses", polls, &Fabric::paused_by("h9"), &[]);
}

/// Requests of `bytes`, sixteen outstanding, of which one completes each `each_us` over a round trip of 20 us at 100 Gb/s.
fn requests(bytes: u64, each_us: u64, outstanding: u64) -> Value {
    let operation = |n: u64| {
        let done = (100 + n * each_us) * 1_000;
        let posted = done.saturating_sub(outstanding * each_us * 1_000);
        json!({ "connection": "c1", "kind": "write", "bytes": bytes, "t1_ns": posted, "t5_ns": done, "t6_ns": done })
    };
    let operations: Vec<Value> = (20..60).map(operation).collect();
    json!({ "latency": {
        "connections": [{ "name": "c1", "base_rtt_ns": 20_000, "bits_per_s": 100e9 }],
        "operations": operations,
    } })
}

/// A megabyte takes 84 us on the link. At a limit of 20 Gb/s one completes in 419 us: less than one in a round trip, and no
/// fence, which would be done in 104 us.
#[test]
fn a_rate_limit_is_no_fence() {
    check("one in a round trip", requests(4_096, 21, 16), &Fabric::clean(), &[Cause::HiddenFence]);
    check("20 Gb/s of megabytes", requests(1 << 20, 419, 16), &Fabric::clean(), &[]);
    check("half of the link", requests(1 << 17, 20, 16), &Fabric::clean(), &[]);
    check("one outstanding", requests(4_096, 21, 1), &Fabric::clean(), &[]);
    check("the host pauses", requests(4_096, 21, 16), &here(), &[]);
}

/// A window that holds little more than one request: the next one is transmitted before the previous one has completed.
#[test]
fn requests_that_overlap_have_no_fence() {
    let transmitted = |before_us: u64| {
        let mut report = requests(4_096, 21, 16);
        for operation in report["latency"]["operations"].as_array_mut().unwrap() {
            let done = operation["t5_ns"].as_u64().unwrap();
            operation["t4_ns"] = json!(done - before_us * 1_000);
        }
        report
    };
    check("19 of 21 us before", transmitted(19), &Fabric::clean(), &[Cause::HiddenFence]);
    check("before the previous completion", transmitted(24), &Fabric::clean(), &[]);
}

/// Each of three connections completes one request of 64 KiB in 17 us: 92 Gb/s together, and a busy link.
#[test]
fn connections_that_share_a_busy_link_have_no_fence() {
    let of = |name: &str| {
        let mut one = requests(1 << 16, 17, 16);
        one["latency"]["connections"][0]["name"] = json!(name);
        for operation in one["latency"]["operations"].as_array_mut().unwrap() {
            operation["connection"] = json!(name);
        }
        one
    };
    let mut all = of("c1");
    for name in ["c2", "c3"] {
        for list in ["connections", "operations"] {
            let more = of(name)["latency"][list].as_array().unwrap().clone();
            all["latency"][list].as_array_mut().unwrap().extend(more);
        }
    }
    check("three connections", all, &Fabric::clean(), &[]);
    check("one alone", of("c1"), &Fabric::clean(), &[Cause::HiddenFence]);
}

/// An RNIC of 100 Gb/s and 100 million requests: a tenant that gets 20 of 45 Gb/s, and another one.
fn tenants(other: Value, counters: Value) -> Value {
    let victim = json!({
        "name": "web", "bandwidth_bps": 20_000_000_000u64, "requests": 5e6,
        "alone_bandwidth_bps": 45_000_000_000u64, "guaranteed_bandwidth_bps": 45_000_000_000u64,
    });
    let shared = json!({ "nic": "mlx5_0", "bandwidth_limit_bps": 100_000_000_000u64, "request_limit": 100e6, "tenants": [victim, other] });
    with(nic(counters), json!({ "tenants": { "nics": [shared] } }))
}

fn atomics(rnr_errors: f64) -> Value {
    json!({
        "name": "locks", "bandwidth_bps": 300_000_000, "requests": 4.6e6, "rnr_errors": rnr_errors,
        "verbs": [{ "verb": "compare_swap", "transport": "rc", "requests": 4.6e6, "bytes": 8 }],
    })
}

#[test]
fn single_receiver_not_ready_errors_stall_nothing() {
    let summary = |other: Value| {
        let sections = tenants(other, json!({}));
        let mut report = json!({ "version": 1, "host": "h3", "interval_ns": 1_000_000_000u64 });
        report.as_object_mut().unwrap().extend(sections.as_object().unwrap().clone());
        let report: HostReport = serde_json::from_value(report).unwrap();
        let found = host_diagnosis::diagnose(&report, &Fabric::clean());
        found.findings.iter().find(|one| one.cause == Cause::NoisyTenant).map(|one| one.summary.clone())
    };
    let few = summary(atomics(2.0)).expect("atomic operations");
    assert!(few.contains("data verbs"), "{few}");
    let many = summary(atomics(300_000.0)).expect("errors");
    assert!(many.contains("receiver-not-ready"), "{many}");
    let idle = json!({ "name": "idle", "bandwidth_bps": 0, "requests": 0.0, "rnr_errors": 2.0 });
    check("two errors a second", tenants(idle, json!({})), &Fabric::clean(), &[]);
}

#[test]
fn misses_below_a_hundredth_exhaust_no_cache() {
    let caches = |misses: u64| json!({ "caches": { "icm": { "misses": misses, "lookups": 9_000_000, "usual_misses": 100 } } });
    let scanner = || json!({ "name": "scanner", "bandwidth_bps": 6_000_000_000u64, "requests": 3e6, "queue_pairs": 1536, "memory_regions": 12288 });
    check("5,000 of 9 million", tenants(scanner(), caches(5_000)), &Fabric::clean(), &[]);
    check("a third", tenants(scanner(), caches(3_000_000)), &Fabric::clean(), &[Cause::NoisyTenant]);
}

#[test]
fn a_tenant_behind_pauses_of_the_fabric_has_no_noisy_neighbour() {
    let paused = json!([{ "priority": 3, "frames": 900, "paused_ns": 300_000_000 }]);
    let sections = tenants(atomics(0.0), json!({ "received_pauses": paused }));
    check("paused for a third of the time", sections, &Fabric::clean(), &[]);
}

/// Throughput with many queue pairs that is half of that with few.
fn scaling(misses: u64, usual_misses: u64, extra_gbps: u64) -> Value {
    let sent = 6_000_000_000u64;
    let counters = nic(json!({
        "wire": { "received_bytes": 0, "received_packets": 0, "sent_bytes": sent, "sent_packets": 6_000_000 },
        "pcie": { "capacity_bps": 126_000_000_000u64, "to_nic_bytes": sent + extra_gbps * 125_000_000, "to_host_bytes": 0 },
        "caches": { "icm": { "misses": misses, "lookups": 12_000_000, "usual_misses": usual_misses } },
    }));
    with(
        counters,
        json!({ "workload": { "scaling": [{
        "nic": "mlx5_0", "queue_pairs": 9_000, "bits_per_s": 48e9, "usual_bits_per_s": 96e9, "usual_extra_pcie_bits_per_s": 3e9,
    }] } }),
    )
}

#[test]
fn many_queue_pairs_are_the_cause_only_with_misses_that_matter() {
    check("misses and PCIe", scaling(5_000_000, 20_000, 20), &Fabric::clean(), &[Cause::QpCacheThrash]);
    check("flat counters", scaling(21_000, 20_000, 3), &Fabric::clean(), &[]);
    check("a few misses instead of none", scaling(40, 0, 20), &Fabric::clean(), &[]);
    check("misses that cost no PCIe", scaling(5_000_000, 20_000, 3), &Fabric::clean(), &[]);
}

#[test]
fn a_buffer_tells_a_broken_rnic_from_a_slow_one() {
    let buffer = |full_ms: u64, stopped_us: u64| {
        nic(
            json!({ "sent_pauses": pauses(10), "receive_full_ns": full_ms * 1_000_000, "receive_stopped_ns": stopped_us * 1_000 }),
        )
    };
    check("empty", buffer(1, 0), &here(), &[Cause::NicStorm]);
    check("full and draining", buffer(99, 80), &here(), &[Cause::SlowReceiver]);
    check("full, and nothing leaves it", buffer(99, 90_000), &here(), &[]);
}

/// Most of the 40 Gb/s that the wire carries are sent again; a switch may contradict.
#[test]
fn goodput_below_the_wire_is_waste_only_with_losses_and_go_back_n() {
    let connection = |recovery: &str, loss: f64, goodput: f64| {
        json!({ "workload": { "retransmissions": [{
            "flow": "10.0.0.1:10000>10.0.0.3:4791/udp", "raw_bits_per_s": 40e9, "goodput_bits_per_s": goodput,
            "loss_ratio": loss, "recovery": recovery, "is_lossless": true,
        }] } })
    };
    let clean = Fabric::clean();
    check("one percent lost", connection("go_back_n", 0.01, 18e9), &clean, &[Cause::GoBackNWaste]);
    check("selective repeat", connection("selective_repeat", 0.01, 38e9), &clean, &[]);
    check("nothing lost", connection("go_back_n", 0.0, 18e9), &clean, &[]);
    check("goodput is fine", connection("go_back_n", 0.0001, 39e9), &clean, &[]);
}
