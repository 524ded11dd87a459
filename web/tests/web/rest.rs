//! Every route and every error, without a socket.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use harrier_web::{
    AppState, BODY_BYTES, LiveState, PortPoint, PortSample, QueryBackend, QueryError, QueryFuture,
    QueryResult, WhatIf, WhatIfBackend, WhatIfBusy, WhatIfFuture, router,
};
use http_body_util::BodyExt as _;
use model::{Diagnosis, FlowKey, Verification};
use serde_json::{Value, json};
use store::Store;
use tower::ServiceExt as _;

use crate::fixture::{contention, flow, incast, incast_graph, port, snapshot, storm, topology, victim};

/// Diagnoses the fixture's victim; each of the other flows returns one kind of error.
pub(crate) struct Backend;

impl QueryBackend for Backend {
    fn query(&self, victim: FlowKey) -> QueryFuture<'_> {
        Box::pin(async move {
            match victim.src.to_string().as_str() {
                "11.0.2.1" => Ok(QueryResult {
                    diagnosis: incast("queried", 5_000, victim),
                    graph: incast_graph(),
                    snapshot: Some(snapshot()),
                }),
                "11.0.1.1" => Err(QueryError::Busy { retry_after_s: 3 }),
                "11.0.6.1" => Err(QueryError::Clean("the flow's path shows no anomaly".into())),
                "11.0.5.1" => Err(QueryError::Failed("sw4 did not reply".into())),
                _ => Err(QueryError::UnknownFlow(format!("no host sends `{victim}`"))),
            }
        })
    }
}

/// The wall clock of these tests.
const TIME: &str = "2023-11-14T22:13:20Z";

fn clock() -> u64 {
    1_700_000_000_000_000_000
}

pub(crate) async fn live() -> Arc<LiveState> {
    let live = LiveState::with_clock(Store::open("sqlite::memory:").await.unwrap(), clock).await.unwrap();
    live.set_topology(topology()).await.unwrap();
    live.push_diagnosis(&incast("d1", 1_000, victim()), &incast_graph(), Some(&snapshot())).await.unwrap();
    live.push_diagnosis(&incast("d2", 2_000, flow(1, 3)), &incast_graph(), None).await.unwrap();
    let (diagnosis, graph) = storm("d3", 3_000);
    live.push_diagnosis(&diagnosis, &graph, None).await.unwrap();
    let (diagnosis, graph) = contention("d4", 4_000);
    live.push_diagnosis(&diagnosis, &graph, None).await.unwrap();
    live
}

pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    headers: axum::http::HeaderMap,
    text: String,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|e| panic!("{e}: {}", self.text))
    }
}

pub(crate) async fn send(app: Router, request: Request<Body>) -> Reply {
    let response = app.oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let text = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
    Reply { status: parts.status, headers: parts.headers, text }
}

async fn get(path: &str) -> Reply {
    let app = router(AppState::new(live().await));
    send(app, Request::get(path).body(Body::empty()).unwrap()).await
}

async fn post(path: &str, body: &str) -> Reply {
    let app = router(AppState::new(live().await).with_query_backend(Arc::new(Backend)));
    let request = Request::post(path).header(header::CONTENT_TYPE, "application/json");
    send(app, request.body(Body::from(body.to_string())).unwrap()).await
}

fn ids(page: &Value, list: &str) -> Vec<String> {
    page[list].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_string()).collect()
}

async fn check_ids(path: &str, list: &str, expected: &[&str]) {
    let reply = get(path).await;
    assert_eq!(reply.status, StatusCode::OK, "{path}: {}", reply.text);
    assert_eq!(ids(&reply.json(), list), expected, "{path}");
}

/// The response is a problem with this status and type, and its detail contains this text.
fn check_problem(reply: &Reply, status: u16, kind: &str, instance: &str, detail: &str) {
    let problem = reply.json();
    assert_eq!(reply.status.as_u16(), status, "{problem}");
    assert_eq!(reply.headers[header::CONTENT_TYPE], "application/problem+json");
    assert_eq!(problem["status"], status);
    assert_eq!(problem["type"], format!("urn:harrier:problem:{kind}"));
    assert_eq!(problem["instance"], instance);
    assert!(problem["title"].as_str().is_some_and(|title| !title.is_empty()));
    let found = problem["detail"].as_str().unwrap();
    assert!(found.contains(detail), "`{found}` does not contain `{detail}`");
}

#[tokio::test]
async fn diagnoses_are_listed_filtered_and_paged() {
    let list = "diagnoses";
    check_ids("/api/v1/diagnoses", list, &["d4", "d3", "d2", "d1"]).await;
    check_ids("/api/v1/diagnoses?src=11.0.2.1&dst=11.0.4.1", list, &["d4", "d1"]).await;
    check_ids("/api/v1/diagnoses?sport=10000&dport=100&proto=udp&limit=2", list, &["d4", "d3"]).await;
    check_ids("/api/v1/diagnoses?proto=6", list, &[]).await;
    check_ids("/api/v1/diagnoses?since=2000&until=4000", list, &["d3", "d2"]).await;
    check_ids("/api/v1/diagnoses?incident=i-d1", list, &["d2", "d1"]).await;
    let page = get("/api/v1/diagnoses?limit=3").await.json();
    let next = page["next"].as_str().unwrap();
    check_ids(&format!("/api/v1/diagnoses?limit=3&cursor={next}"), list, &["d1"]).await;
    assert_eq!(get("/api/v1/diagnoses").await.json()["next"], Value::Null);
}

#[tokio::test]
async fn a_diagnosis_has_its_graph_and_its_snapshot() {
    let one = get("/api/v1/diagnoses/d1").await;
    let mut expected = serde_json::to_value(incast("d1", 1_000, victim())).unwrap();
    expected["time"] = json!(TIME);
    let text = "Incast of 4 flows to h3 pauses 2 flows";
    expected["headline"] = json!({ "culprit": "Incast of 4 flows to h3", "text": text, "place": "sw4:2" });
    assert_eq!(one.json(), expected);
    assert_eq!(one.headers[header::CONTENT_TYPE], "application/json");
    let graph = get("/api/v1/diagnoses/d1/graph").await;
    assert_eq!(graph.json(), serde_json::to_value(incast_graph()).unwrap());
    let telemetry = get("/api/v1/diagnoses/d1/snapshot").await;
    assert_eq!(telemetry.json(), serde_json::to_value(snapshot()).unwrap());
}

#[tokio::test]
async fn diagnoses_are_filtered_by_their_verdict() {
    let list = "diagnoses";
    check_ids("/api/v1/diagnoses?anomaly=pfc_storm_host_injection", list, &["d3"]).await;
    check_ids("/api/v1/diagnoses?cause=incast", list, &["d2", "d1"]).await;
    check_ids("/api/v1/diagnoses?host=h3", list, &["d3"]).await;
    check_ids("/api/v1/diagnoses?port=sw4:2", list, &["d3", "d2", "d1"]).await;
    check_ids("/api/v1/diagnoses?severity=critical", list, &[]).await;
    check_ids("/api/v1/diagnoses?severity=info&limit=1", list, &["d4"]).await;
    check_ids("/api/v1/diagnoses?min_confidence=0.95", list, &["d2", "d1"]).await;
    let victim = victim().to_string().replace('>', "%3E").replace('/', "%2F");
    check_ids(&format!("/api/v1/diagnoses?victim={victim}"), list, &["d4", "d1"]).await;
}

#[tokio::test]
async fn a_list_has_the_diagnoses_as_their_own_addresses_have_them() {
    let page = get("/api/v1/diagnoses").await;
    assert_eq!(page.headers[header::CONTENT_TYPE], "application/json");
    let listed = page.json()["diagnoses"].as_array().unwrap().clone();
    assert_eq!(listed.len(), 4);
    for diagnosis in listed {
        let id = diagnosis["id"].as_str().unwrap();
        assert_eq!(diagnosis, get(&format!("/api/v1/diagnoses/{id}")).await.json(), "{id}");
    }
}

#[tokio::test]
async fn a_summary_has_the_verdict_without_its_evidence() {
    let full = get("/api/v1/diagnoses?limit=1").await.json()["diagnoses"][0].clone();
    let summary = get("/api/v1/diagnoses?limit=1&view=summary").await.json()["diagnoses"][0].clone();
    for (field, value) in summary.as_object().unwrap() {
        assert_eq!(value, &full[field], "{field}");
    }
    let without = ["advice", "evidence", "missing", "spreaders", "verified", "victims"];
    let missing: Vec<_> = full.as_object().unwrap().keys().filter(|key| summary.get(key).is_none()).collect();
    assert_eq!(missing, without);
}

/// A diagnosis, its graph and its snapshot never change.
#[tokio::test]
async fn what_never_changes_is_revalidated_by_its_entity_tag() {
    let app = router(AppState::new(live().await));
    let request = |path: &str, tag: &str| {
        Request::get(path).header(header::IF_NONE_MATCH, tag).body(Body::empty()).unwrap()
    };
    for path in ["/api/v1/diagnoses/d1", "/api/v1/diagnoses/d1/graph", "/api/v1/diagnoses/d1/snapshot"] {
        let first = send(app.clone(), request(path, "\"other\"")).await;
        assert_eq!(first.status, StatusCode::OK, "{path}");
        let tag = first.headers[header::ETAG].to_str().unwrap().to_string();
        assert_eq!(first.headers[header::CACHE_CONTROL], "private, no-cache");
        for listed in [tag.clone(), format!("\"a\", {tag}"), tag.replace("W/", ""), "*".into()] {
            let again = send(app.clone(), request(path, &listed)).await;
            assert_eq!(
                (again.status, again.text.as_str()),
                (StatusCode::NOT_MODIFIED, ""),
                "{path} {listed}"
            );
            assert_eq!(again.headers[header::ETAG], *tag);
        }
    }
    let gone = send(app.clone(), request("/api/v1/diagnoses/none", "*")).await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
    let list = send(app, request("/api/v1/incidents", "*")).await;
    assert_eq!(list.status, StatusCode::OK, "incidents change");
}

#[tokio::test]
async fn incidents_are_filtered_and_counted() {
    let check = async |query: &str, expected: &[&str], total: u64| {
        let path = format!("/api/v1/incidents?{query}");
        let page = get(&path).await.json();
        assert_eq!(ids(&page, "incidents"), expected, "{path}");
        assert_eq!((&page["total"], &page["open_total"]), (&json!(total), &json!(total)), "{path}");
    };
    check("limit=1", &["i-d4"], 3).await;
    check("anomaly=flow_contention", &["i-d4"], 1).await;
    check("cause=nic_storm", &["i-d3"], 1).await;
    check("severity=major", &[], 0).await;
    check("port=sw2:3", &["i-d3", "i-d1"], 2).await;
    check("flow=11.0.5.1:10000%3E11.0.3.1:100/udp", &["i-d1"], 1).await;
    // The root host of the storm, and the receiver of the incast.
    check("host=h3", &["i-d4", "i-d3", "i-d1"], 3).await;
    check("host=h5", &["i-d1"], 1).await;
    check("host=nowhere", &[], 0).await;
}

#[tokio::test]
async fn incidents_group_diagnoses_of_one_root() {
    check_ids("/api/v1/incidents", "incidents", &["i-d4", "i-d3", "i-d1"]).await;
    check_ids("/api/v1/incidents?open=true&limit=1", "incidents", &["i-d4"]).await;
    check_ids("/api/v1/incidents?since=3000", "incidents", &["i-d4", "i-d3"]).await;
    let one = get("/api/v1/incidents/i-d1").await.json();
    assert_eq!((&one["count"], &one["start_ns"], &one["update_ns"]), (&json!(2), &json!(1000), &json!(2000)));
    assert_eq!((&one["victims"], &one["victim_count"]), (&json!([flow(1, 3), victim()]), &json!(2)));
    assert_eq!(
        (&one["diagnosis"], &one["severity"], &one["recurrences"]),
        (&json!("d1"), &json!("info"), &json!(1))
    );
    assert_eq!((&one["pause_path"], &one["loop"]), (&json!(["sw1:1", "sw2:3", "sw4:2"]), &json!([])));
    let occurrence = json!({"start_ns": 1000, "end_ns": null, "start_time": TIME});
    assert_eq!(one["occurrences"], json!([occurrence]));
    assert_eq!((&one["start_time"], &one["update_time"]), (&json!(TIME), &json!(TIME)));
    assert_eq!((&one["end_ns"], one.get("end_time")), (&Value::Null, None));
}

/// The clock of a demo's network says nothing about that of the network whose server reads its store.
#[tokio::test]
async fn times_of_another_run_are_those_that_are_stored() {
    const WALL_NS: u64 = 1_700_000_000_000_000_000;
    let store = Store::open("sqlite::memory:").await.unwrap();
    let live = LiveState::with_clock(store.clone(), || WALL_NS).await.unwrap();
    live.set_wall_clock(harrier_web::WallClock { zero_ns: 0, scale: 1 });
    live.push_diagnosis(&incast("own", 1_000_000_000, victim()), &incast_graph(), None).await.unwrap();
    let times = async |path: &str| {
        let request = Request::get(format!("/api/v1/{path}")).body(Body::empty()).unwrap();
        let answer = send(router(AppState::new(live.clone())), request).await.json();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        (text(&answer["time"]), text(&answer["start_time"]), text(&answer["occurrences"][0]["start_time"]))
    };
    let switch_time = "1970-01-01T00:00:01Z".to_string();
    assert_eq!(times("diagnoses/own").await.0, switch_time);
    assert_eq!(times("incidents/i-own").await.1, switch_time);
    store.begin_run().await.unwrap();
    let stored = "2023-11-14T22:13:20Z".to_string();
    assert_eq!(times("diagnoses/own").await.0, stored);
    assert_eq!(times("incidents/i-own").await, (String::new(), stored.clone(), stored));
}

#[tokio::test]
async fn incidents_with_a_common_flow_are_related() {
    check_ids("/api/v1/incidents/i-d1/related", "incidents", &["i-d4", "i-d3"]).await;
    let none = get("/api/v1/incidents/i-none/related").await;
    check_problem(
        &none,
        404,
        "not-found",
        "/api/v1/incidents/i-none/related",
        "there is no incident `i-none`",
    );
}

#[tokio::test]
async fn the_network_is_returned_with_its_recent_samples() {
    assert_eq!(get("/api/v1/topology").await.json(), serde_json::to_value(topology()).unwrap());
    let live = live().await;
    for time_ns in [10, 20, 30] {
        let point =
            PortPoint { time_ns, queue_bytes: time_ns, paused: time_ns == 20, ..PortPoint::default() };
        live.push_ports(&[PortSample { port: port("sw4:2"), point }]);
    }
    let app = router(AppState::new(live));
    let path = |path: &str| Request::get(path).body(Body::empty()).unwrap();
    let series = send(app.clone(), path("/api/v1/ports/sw4:2/series?since=20")).await.json();
    assert_eq!((&series["peer"], &series["rate_bps"]), (&json!("h3:1"), &json!(100_000_000_000_u64)));
    let times: Vec<_> = series["samples"].as_array().unwrap().iter().map(|s| s["time_ns"].clone()).collect();
    assert_eq!(times, [20, 30]);
    // Its switch time has no wall clock, so a sample has that of its arrival.
    assert_eq!(
        (&series["samples"][0]["queue_bytes"], &series["samples"][0]["time"]),
        (&json!(20), &json!(TIME))
    );
    let series = send(app.clone(), path("/api/v1/ports/sw1:1/series")).await.json();
    assert_eq!(series["samples"], json!([]), "a port without samples");
    let ports = send(app.clone(), path("/api/v1/ports")).await.json();
    assert_eq!(ports["ports"][0]["port"], "sw4:2");
    assert_eq!((&ports["ports"][0]["queue_bytes"], &ports["ports"][0]["time"]), (&json!(30), &json!(TIME)));
}

#[tokio::test]
async fn the_series_of_a_port_are_rolled_up_by_the_second_and_the_minute_and_survive_a_restart() {
    const SECOND_NS: u64 = 1_000_000_000;
    let store = Store::open("sqlite::memory:").await.unwrap();
    let clock = || 7_300 * SECOND_NS;
    let live = LiveState::with_clock(store.clone(), clock).await.unwrap();
    live.set_topology(topology()).await.unwrap();
    live.set_wall_clock(harrier_web::WallClock { zero_ns: 0, scale: 1 });
    for second in [100, 7_200, 7_290, 7_291, 7_291] {
        let point = PortPoint {
            time_ns: second * SECOND_NS,
            interval_ns: SECOND_NS,
            queue_bytes: second,
            tx_bps: 8_000,
            ..PortPoint::default()
        };
        live.push_ports(&[PortSample { port: port("sw4:2"), point }]);
    }
    // The first is stored by the periodic call, one more is not stored yet.
    live.advance(7_300 * SECOND_NS).await.unwrap();
    let point = PortPoint { time_ns: 7_295 * SECOND_NS, interval_ns: SECOND_NS, ..PortPoint::default() };
    live.push_ports(&[PortSample { port: port("sw4:2"), point }]);

    let starts = async |live: &Arc<LiveState>, query: &str| {
        let request =
            Request::get(format!("/api/v1/ports/sw4:2/series?{query}")).body(Body::empty()).unwrap();
        let answer = send(router(AppState::new(live.clone())), request).await.json();
        let start = |interval: &Value| interval["wall_ns"].as_u64().unwrap() / SECOND_NS;
        let starts: Vec<_> = answer["intervals"].as_array().unwrap().iter().map(start).collect();
        (answer["resolution"].as_str().unwrap().to_string(), starts)
    };
    let check = async |live: &Arc<LiveState>, query: &str, resolution: &str, expected: &[u64]| {
        assert_eq!(starts(live, query).await, (resolution.to_string(), expected.to_vec()), "{query}");
    };
    check(&live, "range_s=60", "second", &[7_290, 7_291, 7_295]).await;
    check(&live, "range_s=3600", "second", &[7_200, 7_290, 7_291, 7_295]).await;
    check(&live, "range_s=86400", "minute", &[60, 7_200, 7_260]).await;
    check(&live, "resolution=second", "second", &[100, 7_200, 7_290, 7_291, 7_295]).await;
    // A switch time is that of the first sample from then on; before the first sample it is not known.
    let since = |s: u64| format!("resolution=second&since={}", s * SECOND_NS);
    check(&live, &since(99), "second", &[100, 7_200, 7_290, 7_291, 7_295]).await;
    check(&live, &since(7_201), "second", &[7_290, 7_291, 7_295]).await;
    check(&live, &format!("{}&range_s=9", since(7_201)), "second", &[7_291, 7_295]).await;
    check(&live, &since(8_000), "second", &[]).await;
    check(&live, "", "epoch", &[]).await;
    // With a wall clock of switch time, a sample has the time at which it was taken.
    let request = Request::get("/api/v1/ports/sw4:2/series").body(Body::empty()).unwrap();
    let answer = send(router(AppState::new(live.clone())), request).await.json();
    let times: Vec<_> = answer["samples"].as_array().unwrap().iter().map(|s| s["time"].clone()).collect();
    assert_eq!(
        (times.len(), &times[0], &times[5]),
        (6, &json!("1970-01-01T00:01:40Z"), &json!("1970-01-01T02:01:35Z"))
    );

    live.store_series().await.unwrap();
    let again = LiveState::with_clock(store, clock).await.unwrap();
    check(&again, "range_s=60", "second", &[7_290, 7_291, 7_295]).await;
    let request = Request::get("/api/v1/ports/sw4:2/series?range_s=60").body(Body::empty()).unwrap();
    let answer = send(router(AppState::new(again)), request).await.json();
    let second = &answer["intervals"][1];
    assert_eq!(
        (&second["samples"], &second["tx_bps"], &second["queue_max_bytes"]),
        (&json!(2), &json!(8_000), &json!(7_291))
    );
    assert_eq!(second["time"], "1970-01-01T02:01:31Z");
}

#[tokio::test]
async fn findings_are_empty_at_first() {
    assert_eq!(get("/api/v1/findings").await.json(), json!({"findings": []}));
}

#[tokio::test]
async fn a_query_stores_its_diagnosis_and_returns_where() {
    let live = live().await;
    let app = router(AppState::new(live.clone()).with_query_backend(Arc::new(Backend)));
    let body = json!({"victim": victim()}).to_string();
    let request = Request::post("/api/v1/queries").header(header::CONTENT_TYPE, "application/json");
    let reply = send(app.clone(), request.body(Body::from(body)).unwrap()).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    assert_eq!(reply.json()["id"], "queried");
    let location = reply.headers[header::LOCATION].to_str().unwrap().to_string();
    let stored = send(app, Request::get(location).body(Body::empty()).unwrap()).await;
    assert_eq!(stored.json(), reply.json());
}

/// A flow that nothing slows down is an answer, not an error.
#[tokio::test]
async fn a_query_about_a_flow_without_anomaly_says_what_was_looked_at() {
    let reply = post("/api/v1/queries", &json!({"victim": flow(6, 3)}).to_string()).await;
    let expected = json!({
        "anomaly": null, "victim": flow(6, 3), "detail": "the network does not slow this flow down now",
        "looked_at": "the flow's path shows no anomaly", "time": TIME,
    });
    assert_eq!((reply.status, reply.json()), (StatusCode::OK, expected));
    assert!(!reply.headers.contains_key(header::LOCATION));
}

/// Repeats the run of the first diagnosis; the run of the second one is over, and for others there is no room.
struct Repeats;

fn verification() -> Verification {
    Verification {
        without: vec!["4 flows are not sent".into()],
        shown: "the victim recovers".into(),
        window_ns: (500, 1_000),
        base_rtt_ns: Some(8_000),
        rtt_before_ns: 16_800,
        rtt_after_ns: Some(8_700),
        finish_before_ns: None,
        finish_after_ns: Some(9_000),
        paused_before_ns: 400,
        paused_after_ns: 0,
        corrected: None,
    }
}

impl WhatIfBackend for Repeats {
    fn repeat(&self, diagnosis: Diagnosis, others: Vec<Diagnosis>) -> WhatIfFuture<'_> {
        Box::pin(async move {
            assert!(others.iter().all(|other| other.victim == diagnosis.victim && other.id != diagnosis.id));
            match diagnosis.id.as_str() {
                "d1" => Ok(WhatIf::Repeated { verified: true, verification: verification() }),
                "d2" => Ok(WhatIf::NotRepeated { reason: "it is over".into() }),
                _ => Err(WhatIfBusy { retry_after_s: 2 }),
            }
        })
    }
}

#[tokio::test]
async fn a_simulated_run_is_repeated_without_the_root_cause() {
    let ask = async |id: &str| {
        let app = router(AppState::new(live().await).with_what_if_backend(Arc::new(Repeats)));
        let request = Request::get(format!("/api/v1/diagnoses/{id}/what-if"));
        send(app, request.body(Body::empty()).unwrap()).await
    };
    let repeated = json!({ "outcome": "repeated", "verified": true, "verification": verification() });
    assert_eq!(ask("d1").await.json(), repeated);
    assert_eq!(ask("d2").await.json(), json!({ "outcome": "not_repeated", "reason": "it is over" }));
    let busy = ask("d3").await;
    check_problem(&busy, 503, "busy", "/api/v1/diagnoses/d3/what-if", "too many runs");
    assert_eq!(busy.headers[header::RETRY_AFTER], "2");
    check_problem(&ask("d9").await, 404, "not-found", "/api/v1/diagnoses/d9/what-if", "d9");
}

#[tokio::test]
async fn a_real_network_is_not_repeated() {
    let reply = get("/api/v1/diagnoses/d1/what-if").await;
    assert_eq!((reply.status, reply.json()), (StatusCode::OK, json!({ "outcome": "not_simulated" })));
}

#[tokio::test]
async fn a_failed_query_returns_the_reason() {
    let path = "/api/v1/queries";
    let body = |src: u8| json!({"victim": flow(src, 3)}).to_string();
    check_problem(&post(path, &body(9)).await, 404, "unknown-flow", path, "no host sends `11.0.9.1:10000>");
    let busy = post(path, &body(1)).await;
    check_problem(&busy, 503, "busy", path, "retry in 3 s");
    assert_eq!(busy.headers[header::RETRY_AFTER], "3");
    check_problem(&post(path, &body(5)).await, 502, "query-failed", path, "sw4 did not reply");
    let bad = post(path, r#"{"victim": "10.0.0.1:1-10.0.0.2:2/udp"}"#).await;
    let message =
        "`10.0.0.1:1-10.0.0.2:2/udp` is not a flow: no `>` between the two ends; expected `src:sport>dst";
    check_problem(&bad, 422, "bad-body", path, message);
    check_problem(
        &post(path, r#"{"flow": "x"}"#).await,
        422,
        "bad-body",
        path,
        "in the body: flow: unknown field `flow`",
    );
    check_problem(&post(path, r#"{"victim": "#).await, 400, "bad-request", path, "the body is not JSON: ");
    let large = format!("{{\"victim\": \"{}\"}}", "x".repeat(BODY_BYTES));
    check_problem(&post(path, &large).await, 413, "body-too-large", path, "limit");
    let app = router(AppState::new(live().await));
    let untyped = Request::post(path).body(Body::from(body(2))).unwrap();
    check_problem(&send(app.clone(), untyped).await, 415, "not-json", path, "application/json");
    let request = Request::post(path).header(header::CONTENT_TYPE, "application/json");
    let unconnected = send(app, request.body(Body::from(body(2))).unwrap()).await;
    check_problem(&unconnected, 503, "no-network", path, "not connected to a network");
}

#[tokio::test]
async fn every_error_is_a_problem() {
    let check = async |path: &str, status, kind, detail| {
        let instance = path.split('?').next().unwrap();
        check_problem(&get(path).await, status, kind, instance, detail);
    };
    check("/api/v1/diagnoses/none", 404, "not-found", "there is no diagnosis `none`").await;
    check("/api/v1/diagnoses/none/graph", 404, "not-found", "there is no diagnosis `none`").await;
    check("/api/v1/diagnoses/d2/snapshot", 404, "not-found", "there is no snapshot `d2`").await;
    check("/api/v1/incidents/none", 404, "not-found", "there is no incident `none`").await;
    check("/api/v1/ports/sw4:99/series", 404, "not-found", "the topology has no port `sw4:99`").await;
    check("/api/v1/ports/sw4:99/series?range_s=60", 404, "not-found", "the topology has no port `sw4:99`")
        .await;
    check("/api/v1/diagnoses?limit=501", 400, "bad-request", "limit 501 is not between 1 and 500").await;
    check("/api/v1/ports/sw4/series", 400, "bad-query", "`sw4` is not a port; expected `switch:port`").await;
    check("/api/v1/diagnoses?cursor=x", 400, "bad-query", "`x` is not a cursor").await;
    check("/api/v1/diagnoses?src=10.0.0", 400, "bad-request", "in the query: src").await;
    check("/api/v1/diagnoses?sport=70000", 400, "bad-request", "sport").await;
    check("/api/v1/diagnoses?proto=sctpx", 400, "bad-request", "protocol `sctpx` is not").await;
    check(
        "/api/v1/diagnoses?source=1",
        400,
        "bad-request",
        "unknown field `source`, expected one of `victim`",
    )
    .await;
    check("/api/v1/incidents?open=perhaps", 400, "bad-request", "open").await;
    check("/api/v1/incidents?severity=bad", 400, "bad-request", "unknown variant `bad`").await;
    check("/api/v1/incidents?port=sw4", 400, "bad-request", "`sw4` is not a port").await;
    check("/api/v1/incidents?flow=x", 400, "bad-request", "`x` is not a flow").await;
    check("/api/v1/diagnoses?view=short", 400, "bad-request", "unknown variant `short`").await;
    check("/api/v1/events?kinds=ports,pings", 400, "bad-query", "`pings` is not a kind of event").await;
    check("/api/v1/nothing", 404, "not-found", "there is nothing at `/api/v1/nothing`").await;
    check("/nothing", 404, "not-found", "there is nothing at `/nothing`").await;
    check("/assets/../Cargo.toml", 404, "not-found", "there is nothing at").await;
    let method = post("/api/v1/topology", "{}").await;
    check_problem(&method, 405, "method-not-allowed", "/api/v1/topology", "");
    assert_eq!(method.headers[header::ALLOW], "GET,HEAD");
    check_problem(
        &post("/api/v1/checks", "{\"files\":[]}").await,
        501,
        "no-checker",
        "/api/v1/checks",
        "`harrier check`",
    );
}

#[tokio::test]
async fn a_server_without_a_topology_is_alive_but_not_ready() {
    assert_eq!(get("/healthz").await.text, "ok\n");
    assert_eq!(get("/readyz").await.text, "ready\n");
    let empty = LiveState::new(Store::open("sqlite::memory:").await.unwrap()).await.unwrap();
    let app = router(AppState::new(empty));
    let path = |path: &str| Request::get(path).body(Body::empty()).unwrap();
    let ready = send(app.clone(), path("/readyz")).await;
    check_problem(&ready, 503, "not-ready", "/readyz", "no topology has been loaded yet");
    let none = send(app.clone(), path("/api/v1/topology")).await;
    check_problem(&none, 503, "no-topology", "/api/v1/topology", "no topology has been loaded yet");
    assert_eq!(send(app, path("/healthz")).await.status, StatusCode::OK);
}

#[tokio::test]
async fn every_response_has_security_headers() {
    for path in ["/", "/incidents/i-d1", "/api/v1/topology", "/api/v1/nothing", "/metrics"] {
        let headers = get(path).await.headers;
        assert!(
            headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap().starts_with("default-src 'none'"),
            "{path}"
        );
        assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff", "{path}");
        assert!(!headers.contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN), "{path}");
    }
    assert_eq!(get("/").await.headers[header::CONTENT_TYPE], "text/html; charset=utf-8");
}

/// A build without Node serves a page with instructions instead of the dashboard.
#[tokio::test]
async fn the_dashboard_is_served_or_a_page_that_explains_how_to_build_it() {
    let page = get("/").await;
    assert!(page.text.contains("<div id=\"app\">") || page.text.contains("make ui"), "{}", page.text);
    for path in ["/incidents/i-d1", "/diagnoses/d1", "/ports/sw1:1", "/query?flow=x", "/daemons"] {
        assert_eq!(get(path).await.text, page.text, "{path}");
    }
    let script = page.text.split('"').find(|part| part.starts_with("/assets/") && part.ends_with(".js"));
    let Some(script) = script else { return };
    let script = get(script).await;
    assert_eq!(script.headers[header::CONTENT_TYPE], "text/javascript; charset=utf-8");
    assert_eq!(script.headers[header::CACHE_CONTROL], "public, max-age=31536000, immutable");
}
