//! Rolled-up samples of ports: parts of an interval add up, and old intervals are removed.

use std::collections::BTreeMap;

use harrier_store::{Limits, Resolution, Rollup, RollupKey, Store};
use model::PortRef;

use crate::support;

const SECOND_NS: u64 = 1_000_000_000;
const MINUTE_NS: u64 = 60 * SECOND_NS;

fn port(text: &str) -> PortRef {
    text.parse().unwrap()
}

fn key(resolution: Resolution, name: &str, wall_ns: u64) -> RollupKey {
    RollupKey { resolution, port: port(name), wall_ns }
}

fn rollup(time_ns: u64, queue_bytes: u64) -> Rollup {
    Rollup {
        time_ns,
        samples: 1,
        interval_ns: 100,
        paused_ns: 40,
        priorities: 1 << (time_ns % 8),
        tx_bytes: 1_000,
        queue_max_bytes: queue_bytes,
        queue_sum_bytes: queue_bytes,
    }
}

async fn store(limits: Limits) -> Store {
    Store::open_with(&support::fresh().await, limits).await.unwrap()
}

async fn starts(store: &Store, name: &str, resolution: Resolution) -> Vec<u64> {
    let found = store.rollups(&port(name), resolution, 0, u64::MAX, 10_000).await.unwrap();
    found.into_keys().map(|wall_ns| wall_ns / resolution.interval_ns()).collect()
}

/// Adds one sum for each of these intervals.
async fn add(store: &Store, name: &str, resolution: Resolution, intervals: impl IntoIterator<Item = u64>) {
    let rows =
        intervals.into_iter().map(|n| (key(resolution, name, n * resolution.interval_ns()), rollup(n, n)));
    store.add_rollups(&rows.collect()).await.unwrap();
}

#[tokio::test]
async fn parts_of_an_interval_add_up_in_any_order() {
    for order in [[0, 1], [1, 0]] {
        let store = store(Limits::default()).await;
        let parts = [rollup(3, 500), rollup(7, 200)];
        for part in order {
            let one = BTreeMap::from([(key(Resolution::Second, "sw1:1", 5 * SECOND_NS), parts[part])]);
            store.add_rollups(&one).await.unwrap();
        }
        let found = store.rollups(&port("sw1:1"), Resolution::Second, 0, u64::MAX, 10).await.unwrap();
        let expected = Rollup {
            time_ns: 7,
            samples: 2,
            interval_ns: 200,
            paused_ns: 80,
            priorities: 0b1000_1000,
            tx_bytes: 2_000,
            queue_max_bytes: 500,
            queue_sum_bytes: 700,
        };
        assert_eq!(found, BTreeMap::from([(5 * SECOND_NS, expected)]));
        let mut added = parts[0];
        added.add(&parts[1]);
        assert_eq!(added, expected, "in memory as in the database");
    }
}

#[tokio::test]
async fn intervals_are_found_by_port_resolution_and_time_the_newest_first_at_the_limit() {
    let store = store(Limits::default()).await;
    add(&store, "sw1:1", Resolution::Second, 0..1_200).await;
    add(&store, "sw1:1", Resolution::Minute, 0..20).await;
    add(&store, "sw1:2", Resolution::Second, [7]).await;
    let found = async |since, until, limit| {
        let found = store.rollups(&port("sw1:1"), Resolution::Second, since, until, limit).await.unwrap();
        found.into_keys().map(|wall_ns| wall_ns / SECOND_NS).collect::<Vec<_>>()
    };
    assert_eq!(found(5 * SECOND_NS, 8 * SECOND_NS, 100).await, [5, 6, 7]);
    assert_eq!(found(0, u64::MAX, 2).await, [1_198, 1_199]);
    assert_eq!(starts(&store, "sw1:1", Resolution::Second).await.len(), 1_200);
    assert_eq!(starts(&store, "sw1:1", Resolution::Minute).await, (0..20).collect::<Vec<_>>());
    assert_eq!(starts(&store, "sw1:2", Resolution::Second).await, [7]);
    assert!(starts(&store, "sw9:1", Resolution::Second).await.is_empty());
}

#[tokio::test]
async fn each_resolution_has_an_age_of_its_own() {
    let limits = Limits {
        series_second_age_ns: 10 * SECOND_NS,
        series_minute_age_ns: 3 * MINUTE_NS,
        ..Limits::default()
    };
    let store = store(limits).await;
    add(&store, "sw1:1", Resolution::Second, 580..600).await;
    add(&store, "sw1:1", Resolution::Minute, 0..10).await;
    assert_eq!(store.prune(10 * MINUTE_NS).await.unwrap().series, 10 + 7);
    assert_eq!(starts(&store, "sw1:1", Resolution::Second).await, (590..600).collect::<Vec<_>>());
    assert_eq!(starts(&store, "sw1:1", Resolution::Minute).await, [7, 8, 9]);
}

#[tokio::test]
async fn above_the_number_of_rows_the_oldest_intervals_of_all_ports_are_removed() {
    let store = store(Limits { series_rows: 5, ..Limits::default() }).await;
    for name in ["sw1:1", "sw1:2"] {
        add(&store, name, Resolution::Second, 1..=4).await;
    }
    assert_eq!(store.prune(5 * SECOND_NS).await.unwrap().series, 4);
    for name in ["sw1:1", "sw1:2"] {
        assert_eq!(starts(&store, name, Resolution::Second).await, [3, 4]);
    }
}

#[tokio::test]
async fn a_store_that_is_too_large_loses_the_oldest_intervals() {
    if support::server().is_some() {
        // The size of a PostgreSQL store cannot be limited.
        return;
    }
    let unlimited = store(Limits::default()).await;
    let empty_bytes = unlimited.size().await.unwrap().used_bytes;
    let store = store(Limits { max_bytes: Some(empty_bytes + (64 << 10)), ..Limits::default() }).await;
    add(&store, "sw1:1", Resolution::Second, 0..3_000).await;
    assert!(store.prune(3_000 * SECOND_NS).await.unwrap().series > 0);
    let left = starts(&store, "sw1:1", Resolution::Second).await;
    assert_eq!(left.last(), Some(&2_999));
    assert!(left[0] > 0 && left.len() as u64 == 3_000 - left[0], "{left:?}");
}

#[tokio::test]
async fn extreme_sums_are_limited_and_do_not_keep_others_from_being_stored() {
    let store = store(Limits::default()).await;
    let extreme = Rollup {
        time_ns: u64::MAX,
        samples: u64::MAX,
        interval_ns: u64::MAX,
        paused_ns: u64::MAX,
        priorities: 255,
        tx_bytes: u64::MAX,
        queue_max_bytes: u64::MAX,
        queue_sum_bytes: u64::MAX,
    };
    for _ in 0..3 {
        let rows = [("sw1:1", extreme), ("sw1:2", rollup(1, 2))]
            .map(|(name, sum)| (key(Resolution::Second, name, 0), sum));
        store.add_rollups(&BTreeMap::from(rows)).await.unwrap();
    }
    let sum = store.rollups(&port("sw1:1"), Resolution::Second, 0, 1, 10).await.unwrap()[&0];
    assert_eq!((sum.samples, sum.tx_bytes, sum.interval_ns), (1 << 19, 1 << 43, 1 << 43));
    let sum = store.rollups(&port("sw1:2"), Resolution::Second, 0, 1, 10).await.unwrap()[&0];
    assert_eq!(sum.samples, 3);
}

#[tokio::test]
async fn a_restart_keeps_the_series() {
    let file = support::StoreFile::any("series").await;
    let store = Store::open(&file.url()).await.unwrap();
    add(&store, "sw1:1", Resolution::Minute, [3]).await;
    store.close().await;
    let again = Store::open(&file.url()).await.unwrap();
    assert_eq!(starts(&again, "sw1:1", Resolution::Minute).await, [3]);
    again.close().await;
}
