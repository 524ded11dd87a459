//! Rolled-up records of flows: parts of an interval add up, and old intervals are removed with those of ports.

use std::collections::BTreeMap;

use harrier_store::{FlowRollup, FlowRollupKey, Limits, Resolution, Store};

use crate::support::{self, OTHER, VICTIM, flow};

const SECOND_NS: u64 = 1_000_000_000;

fn key(resolution: Resolution, name: &str, interval: u64) -> FlowRollupKey {
    FlowRollupKey { resolution, flow: flow(name), wall_ns: interval * resolution.interval_ns() }
}

async fn add(store: &Store, key: FlowRollupKey, sum: FlowRollup) {
    store.add_flow_rollups(&BTreeMap::from([(key, sum)])).await.unwrap();
}

async fn found(store: &Store, name: &str, resolution: Resolution) -> BTreeMap<u64, FlowRollup> {
    store.flow_rollups(&flow(name), resolution, 0, u64::MAX, 100).await.unwrap()
}

#[tokio::test]
async fn parts_of_an_interval_add_up_in_any_order() {
    let epochs = FlowRollup {
        time_ns: 9,
        epochs: 2,
        interval_ns: 200,
        packets: 30,
        bytes: Some(30_000),
        queued_packets: Some(7),
        paused_packets: 4,
        ..FlowRollup::default()
    };
    let without_bytes = FlowRollup { time_ns: 3, epochs: 1, packets: 5, ..FlowRollup::default() };
    let trip = FlowRollup {
        time_ns: 5,
        round_trips: 2,
        rtt_sum_ns: 50_000,
        rtt_max_ns: 30_000,
        base_rtt_ns: 9_000,
        ..FlowRollup::default()
    };
    let expected = FlowRollup {
        time_ns: 9,
        epochs: 5,
        interval_ns: 400,
        packets: 65,
        bytes: Some(60_000),
        queued_packets: Some(14),
        paused_packets: 8,
        round_trips: 2,
        rtt_sum_ns: 50_000,
        rtt_max_ns: 30_000,
        base_rtt_ns: 9_000,
    };
    for order in [[epochs, without_bytes, trip, epochs], [trip, without_bytes, epochs, epochs]] {
        let store = Store::open(&support::fresh().await).await.unwrap();
        let mut added = FlowRollup::default();
        for part in order {
            add(&store, key(Resolution::Second, VICTIM, 5), part).await;
            added.add(&part);
        }
        assert_eq!(
            found(&store, VICTIM, Resolution::Second).await,
            BTreeMap::from([(5 * SECOND_NS, expected)])
        );
        assert_eq!(added, expected, "in memory as in the database");
        assert!(found(&store, OTHER, Resolution::Second).await.is_empty());
        assert!(found(&store, VICTIM, Resolution::Minute).await.is_empty());
    }
}

#[tokio::test]
async fn counts_without_bytes_stay_without_them() {
    let store = Store::open(&support::fresh().await).await.unwrap();
    let sum = FlowRollup { epochs: 1, packets: 5, ..FlowRollup::default() };
    for _ in 0..2 {
        add(&store, key(Resolution::Second, VICTIM, 5), sum).await;
    }
    let found = found(&store, VICTIM, Resolution::Second).await;
    assert_eq!((found[&(5 * SECOND_NS)].packets, found[&(5 * SECOND_NS)].bytes), (10, None));
}

#[tokio::test]
async fn extreme_sums_are_limited() {
    let store = Store::open(&support::fresh().await).await.unwrap();
    let extreme = FlowRollup {
        time_ns: u64::MAX,
        epochs: u64::MAX,
        interval_ns: u64::MAX,
        packets: u64::MAX,
        bytes: Some(u64::MAX),
        queued_packets: Some(u64::MAX),
        paused_packets: u64::MAX,
        round_trips: u64::MAX,
        rtt_sum_ns: u64::MAX,
        rtt_max_ns: u64::MAX,
        base_rtt_ns: u64::MAX,
    };
    for _ in 0..3 {
        add(&store, key(Resolution::Second, VICTIM, 0), extreme).await;
    }
    let sum = found(&store, VICTIM, Resolution::Second).await[&0];
    assert_eq!((sum.epochs, sum.packets, sum.bytes), (1 << 19, 1 << 43, Some(1 << 43)));
}

#[tokio::test]
async fn old_intervals_and_those_above_the_number_of_rows_are_removed() {
    let limits = Limits { series_second_age_ns: 10 * SECOND_NS, series_rows: 12, ..Limits::default() };
    let store = Store::open_with(&support::fresh().await, limits).await.unwrap();
    let sum = FlowRollup { epochs: 1, ..FlowRollup::default() };
    for second in 580..600 {
        for name in [VICTIM, OTHER] {
            add(&store, key(Resolution::Second, name, second), sum).await;
        }
    }
    add(&store, key(Resolution::Minute, VICTIM, 1), sum).await;
    // Ten seconds by age; then of the 20 rows that are left the oldest until at most 12 are left.
    assert_eq!(store.prune(600 * SECOND_NS).await.unwrap().series, 20 + 8);
    let left: Vec<_> =
        found(&store, OTHER, Resolution::Second).await.into_keys().map(|ns| ns / SECOND_NS).collect();
    assert_eq!(left, [594, 595, 596, 597, 598, 599]);
    assert_eq!(found(&store, VICTIM, Resolution::Minute).await.len(), 1);
}
