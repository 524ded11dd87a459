//! Every route and every error, without a socket.

mod fixture;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use fixture::{contention, flow, incast, incast_graph, port, snapshot, storm, topology, victim};
use harrier_web::{
    AppState, BODY_BYTES, LiveState, PortPoint, PortSample, QueryAnswer, QueryBackend, QueryError,
    QueryFuture, router,
};
use http_body_util::BodyExt as _;
use model::FlowKey;
use serde_json::{Value, json};
use store::Store;
use tower::ServiceExt as _;

/// Answers about the fixture's victim; other flows meet one error each.
struct Backend;

impl QueryBackend for Backend {
    fn ask(&self, asked: FlowKey) -> QueryFuture<'_> {
        Box::pin(async move {
            match asked.src.to_string().as_str() {
                "11.0.2.1" => Ok(QueryAnswer {
                    diagnosis: incast("asked", 5_000, asked),
                    graph: incast_graph(),
                    snapshot: Some(snapshot()),
                }),
                "11.0.1.1" => Err(QueryError::Busy { retry_after_s: 3 }),
                "11.0.6.1" => Err(QueryError::Clean("nothing waits on the flow's path".into())),
                "11.0.5.1" => Err(QueryError::Failed("sw4 did not answer".into())),
                _ => Err(QueryError::UnknownFlow(format!("no host sends `{asked}`"))),
            }
        })
    }
}

async fn live() -> Arc<LiveState> {
    let live = LiveState::new(Store::open("sqlite::memory:").await.unwrap()).await.unwrap();
    live.set_topology(topology()).await.unwrap();
    live.push_diagnosis(&incast("d1", 1_000, victim()), &incast_graph(), Some(&snapshot())).await.unwrap();
    live.push_diagnosis(&incast("d2", 2_000, flow(1, 3)), &incast_graph(), None).await.unwrap();
    let (diagnosis, graph) = storm("d3", 3_000);
    live.push_diagnosis(&diagnosis, &graph, None).await.unwrap();
    let (diagnosis, graph) = contention("d4", 4_000);
    live.push_diagnosis(&diagnosis, &graph, None).await.unwrap();
    live
}

struct Answer {
    status: StatusCode,
    headers: axum::http::HeaderMap,
    text: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|e| panic!("{e}: {}", self.text))
    }
}

async fn send(app: Router, request: Request<Body>) -> Answer {
    let response = app.oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let text = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
    Answer { status: parts.status, headers: parts.headers, text }
}

async fn get(path: &str) -> Answer {
    let app = router(AppState::new(live().await));
    send(app, Request::get(path).body(Body::empty()).unwrap()).await
}

async fn post(path: &str, body: &str) -> Answer {
    let app = router(AppState::new(live().await).with_query_backend(Arc::new(Backend)));
    let request = Request::post(path).header(header::CONTENT_TYPE, "application/json");
    send(app, request.body(Body::from(body.to_string())).unwrap()).await
}

fn ids(page: &Value, list: &str) -> Vec<String> {
    page[list].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_string()).collect()
}

async fn check_ids(path: &str, list: &str, expected: &[&str]) {
    let answer = get(path).await;
    assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.text);
    assert_eq!(ids(&answer.json(), list), expected, "{path}");
}

/// The answer is a problem with this status and kind, and its detail says this.
fn check_problem(answer: &Answer, status: u16, kind: &str, instance: &str, detail: &str) {
    let problem = answer.json();
    assert_eq!(answer.status.as_u16(), status, "{problem}");
    assert_eq!(answer.headers[header::CONTENT_TYPE], "application/problem+json");
    assert_eq!(problem["status"], status);
    assert_eq!(problem["type"], format!("urn:harrier:problem:{kind}"));
    assert_eq!(problem["instance"], instance);
    assert!(problem["title"].as_str().is_some_and(|title| !title.is_empty()));
    let said = problem["detail"].as_str().unwrap();
    assert!(said.contains(detail), "`{said}` does not say `{detail}`");
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
async fn one_diagnosis_comes_with_graph_and_snapshot() {
    let one = get("/api/v1/diagnoses/d1").await;
    assert_eq!(one.json(), serde_json::to_value(incast("d1", 1_000, victim())).unwrap());
    assert_eq!(one.headers[header::CONTENT_TYPE], "application/json");
    let graph = get("/api/v1/diagnoses/d1/graph").await;
    assert_eq!(graph.json(), serde_json::to_value(incast_graph()).unwrap());
    let telemetry = get("/api/v1/diagnoses/d1/snapshot").await;
    assert_eq!(telemetry.json(), serde_json::to_value(snapshot()).unwrap());
}

#[tokio::test]
async fn incidents_group_what_one_culprit_did() {
    check_ids("/api/v1/incidents", "incidents", &["i-d4", "i-d3", "i-d1"]).await;
    check_ids("/api/v1/incidents?open=true&limit=1", "incidents", &["i-d4"]).await;
    check_ids("/api/v1/incidents?since=3000", "incidents", &["i-d4", "i-d3"]).await;
    let one = get("/api/v1/incidents/i-d1").await.json();
    assert_eq!((&one["count"], &one["start_ns"], &one["update_ns"]), (&json!(2), &json!(1000), &json!(2000)));
    assert_eq!(one["victims"], json!([flow(1, 3), victim()]));
    assert_eq!(one["diagnosis"], "d2");
}

#[tokio::test]
async fn the_network_is_shown_with_its_recent_past() {
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
    let series = send(app.clone(), path("/api/v1/ports/sw1:1/series")).await.json();
    assert_eq!(series["samples"], json!([]), "a port that was never sampled");
    let ports = send(app.clone(), path("/api/v1/ports")).await.json();
    assert_eq!(ports["ports"][0]["port"], "sw4:2");
    assert_eq!(ports["ports"][0]["queue_bytes"], 30);
    let metrics = send(app, path("/metrics")).await;
    for line in [
        "harrier_port_pauses_total{switch=\"sw4\",port=\"2\"} 1",
        "harrier_port_queue_bytes{switch=\"sw4\",port=\"2\"} 30",
        "harrier_diagnoses_total{anomaly=\"pfc_backpressure_flow_contention\",cause=\"incast\"} 2",
        "harrier_incidents_total 3",
        "harrier_http_responses_total{route=\"/api/v1/ports/{port}/series\",status=\"200\"} 2",
    ] {
        assert!(metrics.text.lines().any(|l| l == line), "{line} is not in\n{}", metrics.text);
    }
    assert!(metrics.text.ends_with("# EOF\n"));
    assert!(!metrics.text.contains("11.0."), "flows are no labels");
}

#[tokio::test]
async fn findings_are_empty_until_there_are_some() {
    assert_eq!(get("/api/v1/findings").await.json(), json!({"findings": []}));
}

#[tokio::test]
async fn a_question_is_answered_stored_and_found_again() {
    let live = live().await;
    let app = router(AppState::new(live.clone()).with_query_backend(Arc::new(Backend)));
    let body = json!({"victim": victim()}).to_string();
    let request = Request::post("/api/v1/queries").header(header::CONTENT_TYPE, "application/json");
    let answer = send(app.clone(), request.body(Body::from(body)).unwrap()).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    assert_eq!(answer.json()["id"], "asked");
    let location = answer.headers[header::LOCATION].to_str().unwrap().to_string();
    let stored = send(app, Request::get(location).body(Body::empty()).unwrap()).await;
    assert_eq!(stored.json(), answer.json());
}

#[tokio::test]
async fn questions_that_cannot_be_answered_say_why() {
    let path = "/api/v1/queries";
    let ask = |src: u8| json!({"victim": flow(src, 3)}).to_string();
    check_problem(&post(path, &ask(9)).await, 404, "unknown-flow", path, "no host sends `11.0.9.1:10000>");
    let busy = post(path, &ask(1)).await;
    check_problem(&busy, 503, "busy", path, "ask again in 3 s");
    assert_eq!(busy.headers[header::RETRY_AFTER], "3");
    check_problem(&post(path, &ask(6)).await, 404, "no-anomaly", path, "nothing waits on the flow's path");
    check_problem(&post(path, &ask(5)).await, 502, "query-failed", path, "sw4 did not answer");
    let bad = post(path, r#"{"victim": "10.0.0.1:1-10.0.0.2:2/udp"}"#).await;
    let message =
        "`10.0.0.1:1-10.0.0.2:2/udp` is not a flow: no `>` between the two ends; expected `src:sport>dst";
    check_problem(&bad, 422, "bad-body", path, message);
    check_problem(&post(path, r#"{"flow": "x"}"#).await, 422, "bad-body", path, "unknown field `flow`");
    check_problem(&post(path, r#"{"victim": "#).await, 400, "bad-request", path, "line 1 column");
    let large = format!("{{\"victim\": \"{}\"}}", "x".repeat(BODY_BYTES));
    check_problem(&post(path, &large).await, 413, "body-too-large", path, "limit");
    let app = router(AppState::new(live().await));
    let untyped = Request::post(path).body(Body::from(ask(2))).unwrap();
    check_problem(&send(app.clone(), untyped).await, 415, "not-json", path, "application/json");
    let request = Request::post(path).header(header::CONTENT_TYPE, "application/json");
    let nobody = send(app, request.body(Body::from(ask(2))).unwrap()).await;
    check_problem(&nobody, 503, "no-network", path, "connected to no network");
}

#[tokio::test]
async fn every_error_is_a_problem() {
    let check = async |path: &str, status, kind, detail| {
        let instance = path.split('?').next().unwrap();
        check_problem(&get(path).await, status, kind, instance, detail);
    };
    check("/api/v1/diagnoses/nobody", 404, "not-found", "there is no diagnosis `nobody`").await;
    check("/api/v1/diagnoses/nobody/graph", 404, "not-found", "there is no diagnosis `nobody`").await;
    check("/api/v1/diagnoses/d2/snapshot", 404, "not-found", "there is no snapshot `d2`").await;
    check("/api/v1/incidents/nobody", 404, "not-found", "there is no incident `nobody`").await;
    check("/api/v1/ports/sw4:99/series", 404, "not-found", "the topology has no port `sw4:99`").await;
    check("/api/v1/ports/sw4/series", 400, "bad-query", "`sw4` is not a port; expected `switch:port`").await;
    check("/api/v1/diagnoses?cursor=x", 400, "bad-query", "`x` is not a cursor").await;
    check("/api/v1/diagnoses?src=10.0.0", 400, "bad-request", "src").await;
    check("/api/v1/diagnoses?sport=70000", 400, "bad-request", "sport").await;
    check("/api/v1/diagnoses?proto=sctpx", 400, "bad-request", "protocol `sctpx` is not").await;
    check("/api/v1/diagnoses?source=1", 400, "bad-request", "unknown field `source`, expected one of `src`")
        .await;
    check("/api/v1/incidents?open=perhaps", 400, "bad-request", "open").await;
    check("/api/v1/nothing", 404, "not-found", "there is nothing at `/api/v1/nothing`").await;
    check("/nothing", 404, "not-found", "there is nothing at `/nothing`").await;
    check("/assets/../Cargo.toml", 404, "not-found", "there is nothing at").await;
    let method = post("/api/v1/topology", "{}").await;
    check_problem(&method, 405, "method-not-allowed", "/api/v1/topology", "");
    assert_eq!(method.headers[header::ALLOW], "GET,HEAD");
    check_problem(
        &post("/api/v1/checks", "{}").await,
        501,
        "no-checker",
        "/api/v1/checks",
        "`harrier check`",
    );
}

#[tokio::test]
async fn health_and_readiness_differ() {
    assert_eq!(get("/healthz").await.text, "ok\n");
    assert_eq!(get("/readyz").await.text, "ready\n");
    let empty = LiveState::new(Store::open("sqlite::memory:").await.unwrap()).await.unwrap();
    let app = router(AppState::new(empty));
    let path = |path: &str| Request::get(path).body(Body::empty()).unwrap();
    let ready = send(app.clone(), path("/readyz")).await;
    check_problem(&ready, 503, "not-ready", "/readyz", "no topology was loaded yet");
    let none = send(app.clone(), path("/api/v1/topology")).await;
    check_problem(&none, 503, "no-topology", "/api/v1/topology", "no topology was loaded yet");
    assert_eq!(send(app, path("/healthz")).await.status, StatusCode::OK);
}

#[tokio::test]
async fn every_response_is_guarded() {
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

/// With or without Node there is a page, and it is the dashboard's where there is one to show.
#[tokio::test]
async fn the_dashboard_or_how_to_build_it() {
    let page = get("/").await;
    assert!(page.text.contains("<div id=\"app\">") || page.text.contains("make ui"), "{}", page.text);
    for path in ["/incidents/i-d1", "/diagnoses/d1", "/ports/sw1:1", "/query?flow=x"] {
        assert_eq!(get(path).await.text, page.text, "{path}");
    }
    let script = page.text.split('"').find(|part| part.starts_with("/assets/") && part.ends_with(".js"));
    let Some(script) = script else { return };
    let script = get(script).await;
    assert_eq!(script.headers[header::CONTENT_TYPE], "text/javascript; charset=utf-8");
    assert_eq!(script.headers[header::CACHE_CONTROL], "public, max-age=31536000, immutable");
}

#[tokio::test]
async fn the_description_is_current_and_whole() {
    let served = get("/api/v1/openapi.json").await.json();
    let committed: Value = serde_json::from_str(include_str!("../../docs/api/openapi.json")).unwrap();
    assert!(
        served == committed,
        "run `cargo run -p harrier-web --example openapi > docs/api/openapi.json` and look at the difference"
    );
    assert_eq!(served["openapi"], "3.1.0");
    let mut operations: Vec<&str> = served["paths"]
        .as_object()
        .unwrap()
        .values()
        .flat_map(|path| path.as_object().unwrap().values())
        .filter_map(|operation| operation["operationId"].as_str())
        .collect();
    let count = operations.len();
    operations.sort_unstable();
    operations.dedup();
    assert_eq!((operations.len(), count), (12, 12), "operation ids are unique");
}
