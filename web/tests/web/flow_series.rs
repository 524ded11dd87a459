//! `GET /flows/{flow}/series`: what snapshots record of a flow, in memory and rolled up.

use std::sync::Arc;

use axum::body::Body;
use axum::http::Request;
use harrier_web::{AppState, LiveState, WallClock, router};
use model::Snapshot;
use model::snapshot::{SwitchTelemetry, Trigger, TriggerReason};
use model::telemetry::{EpochInfo, FlowRecord};
use serde_json::{Value, json};
use store::Store;

use crate::answer;
use crate::fixture::{flow, incast, incast_graph, snapshot, topology, victim};

const SECOND_NS: u64 = 1_000_000_000;

/// A snapshot with one epoch of the victim, and a measurement of its agent.
fn recorded(second: u64) -> Snapshot {
    let start_ns = second * SECOND_NS;
    let record = FlowRecord {
        flow: victim(),
        epoch: second,
        ingress_port: Some(1),
        egress_port: 2,
        priority: Some(3),
        packets: 100,
        bytes: Some(100_000),
        queued_packets: Some(60),
        depth_sum: 1_000,
        paused_packets: 25,
        psn_first: 0,
        psn_last: 99,
        seen_ns: None,
        queued_ns: None,
        evicted: false,
    };
    let telemetry = SwitchTelemetry {
        switch: "sw4".into(),
        frozen_ns: start_ns,
        clock_error_ns: None,
        polled_from: vec![1],
        on_victim_path: true,
        back_port: None,
        epochs: vec![EpochInfo { id: second, start_ns, end_ns: start_ns + 1_000_000 }],
        flows: vec![record],
        ports: vec![],
        meters: vec![],
        pauses: vec![],
        bytes: 512,
    };
    let trigger = Trigger {
        host: "h2".into(),
        flow: victim(),
        time_ns: start_ns + 500,
        reason: TriggerReason::SlowRtt,
        base_rtt_ns: 9_000,
        rtt_ns: 30_000,
        expected_ns: None,
        follows: None,
    };
    Snapshot { switches: vec![telemetry], trigger: Some(trigger), ..snapshot() }
}

async fn live(store: &Store) -> Arc<LiveState> {
    let live = LiveState::with_clock(store.clone(), || 7_300 * SECOND_NS).await.unwrap();
    live.set_wall_clock(WallClock { zero_ns: 0, scale: 1 });
    live.set_topology(topology()).await.unwrap();
    live
}

async fn get(live: &Arc<LiveState>, flow: &str, query: &str) -> (u16, Value) {
    // `>` and `/` are escaped, as a browser does it.
    let flow = flow.replace('>', "%3E").replace('/', "%2F");
    let request = Request::get(format!("/api/v1/flows/{flow}/series{query}")).body(Body::empty()).unwrap();
    answer(router(AppState::new(live.clone())), request).await
}

#[tokio::test]
async fn the_series_of_a_flow_follow_from_the_snapshots_of_diagnoses_and_survive_a_restart() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let running = live(&store).await;
    for second in [100, 7_290, 7_291] {
        let diagnosis = incast(&format!("d{second}"), second * SECOND_NS, victim());
        running.push_diagnosis(&diagnosis, &incast_graph(), Some(&recorded(second))).await.unwrap();
    }
    // The first three are stored by the periodic call; one more is not stored yet, and comes twice.
    running.advance(7_292 * SECOND_NS).await.unwrap();
    for id in ["d4", "d5"] {
        let diagnosis = incast(id, 7_295 * SECOND_NS, victim());
        running.push_diagnosis(&diagnosis, &incast_graph(), Some(&recorded(7_295))).await.unwrap();
    }
    let name = victim().to_string();
    let (status, answer) = get(&running, &name, "").await;
    assert_eq!((status, &answer["flow"], &answer["resolution"]), (200, &json!(name), &json!("epoch")));
    let epoch = json!({
        "time_ns": 100 * SECOND_NS, "interval_ns": 1_000_000, "packets": 100, "bytes": 100_000, "queued_packets": 60,
        "paused_packets": 25, "time": "1970-01-01T00:01:40Z",
    });
    assert_eq!((answer["epochs"].as_array().unwrap().len(), &answer["epochs"][0]), (4, &epoch));
    let trip = json!({
        "time_ns": 100 * SECOND_NS + 500, "rtt_ns": 30_000, "base_rtt_ns": 9_000, "time": "1970-01-01T00:01:40Z",
    });
    assert_eq!((answer["round_trips"].as_array().unwrap().len(), &answer["round_trips"][0]), (4, &trip));
    let (_, answer) = get(&running, &name, &format!("?since={}", 7_291 * SECOND_NS)).await;
    assert_eq!(answer["epochs"].as_array().unwrap().len(), 2);
    let (_, answer) = get(&running, &name, "?resolution=epoch&range_s=60").await;
    assert_eq!(answer["epochs"].as_array().unwrap().len(), 3);

    let check = async |live: &Arc<LiveState>, query: &str, resolution: &str, expected: &[(u64, u64)]| {
        let (_, answer) = get(live, &name, query).await;
        let read = |interval: &Value| {
            (interval["wall_ns"].as_u64().unwrap() / SECOND_NS, interval["packets"].as_u64().unwrap())
        };
        let found: Vec<_> = answer["intervals"].as_array().unwrap().iter().map(read).collect();
        assert_eq!(
            (answer["resolution"].as_str(), found.as_slice()),
            (Some(resolution), expected),
            "{query}"
        );
    };
    check(&running, "?range_s=60", "second", &[(7_290, 100), (7_291, 100), (7_295, 100)]).await;
    check(&running, "?range_s=86400", "minute", &[(60, 100), (7_260, 300)]).await;
    check(
        &running,
        &format!("?resolution=second&since={}", 7_291 * SECOND_NS),
        "second",
        &[(7_291, 100), (7_295, 100)],
    )
    .await;
    check(&running, "", "epoch", &[]).await;

    running.store_series().await.unwrap();
    let again = live(&store).await;
    check(&again, "?range_s=60", "second", &[(7_290, 100), (7_291, 100), (7_295, 100)]).await;
    let (_, answer) = get(&again, &name, "?range_s=86400").await;
    let expected = json!({
        "wall_ns": 7_260 * SECOND_NS, "time": "1970-01-01T02:01:00Z", "time_ns": 7_295 * SECOND_NS + 500, "epochs": 3,
        "interval_ns": 3_000_000, "packets": 300, "bytes": 300_000, "rate_bps": 800_000_000, "queued_packets": 180,
        "paused_packets": 75, "round_trips": 3, "rtt_mean_ns": 30_000, "rtt_max_ns": 30_000, "base_rtt_ns": 9_000,
    });
    assert_eq!(answer["intervals"][1], expected);
    let (_, answer) = get(&again, &name, "").await;
    assert_eq!(answer["epochs"], json!([]), "epochs are in memory");
}

#[tokio::test]
async fn a_flow_without_records_has_empty_lists_and_a_malformed_one_is_a_problem() {
    let live = live(&Store::open("sqlite::memory:").await.unwrap()).await;
    let name = flow(1, 3).to_string();
    let (status, answer) = get(&live, &name, "?range_s=60").await;
    let expected = json!({
        "flow": name, "resolution": "second", "epochs": [], "round_trips": [], "intervals": [],
    });
    assert_eq!((status, answer), (200, expected));
    let (status, problem) = get(&live, "h1", "").await;
    assert_eq!((status, &problem["type"]), (400, &json!("urn:harrier:problem:bad-query")), "{problem}");
}
