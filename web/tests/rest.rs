//! Every route and every error, without a socket.

mod fixture;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use fixture::{contention, flow, incast, incast_graph, port, snapshot, storm, topology, victim};
use harrier_web::{
    AppState, BODY_BYTES, LiveState, PortPoint, PortSample, QueryBackend, QueryError, QueryFuture,
    QueryResult, router,
};
use http_body_util::BodyExt as _;
use model::FlowKey;
use serde_json::{Value, json};
use store::Store;
use tower::ServiceExt as _;

/// Diagnoses the fixture's victim; each of the other flows returns one kind of error.
struct Backend;

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

struct Reply {
    status: StatusCode,
    headers: axum::http::HeaderMap,
    text: String,
}

impl Reply {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|e| panic!("{e}: {}", self.text))
    }
}

async fn send(app: Router, request: Request<Body>) -> Reply {
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
    assert_eq!(one.json(), serde_json::to_value(incast("d1", 1_000, victim())).unwrap());
    assert_eq!(one.headers[header::CONTENT_TYPE], "application/json");
    let graph = get("/api/v1/diagnoses/d1/graph").await;
    assert_eq!(graph.json(), serde_json::to_value(incast_graph()).unwrap());
    let telemetry = get("/api/v1/diagnoses/d1/snapshot").await;
    assert_eq!(telemetry.json(), serde_json::to_value(snapshot()).unwrap());
}

#[tokio::test]
async fn incidents_group_diagnoses_of_one_root() {
    check_ids("/api/v1/incidents", "incidents", &["i-d4", "i-d3", "i-d1"]).await;
    check_ids("/api/v1/incidents?open=true&limit=1", "incidents", &["i-d4"]).await;
    check_ids("/api/v1/incidents?since=3000", "incidents", &["i-d4", "i-d3"]).await;
    let one = get("/api/v1/incidents/i-d1").await.json();
    assert_eq!((&one["count"], &one["start_ns"], &one["update_ns"]), (&json!(2), &json!(1000), &json!(2000)));
    assert_eq!(one["victims"], json!([flow(1, 3), victim()]));
    assert_eq!(one["diagnosis"], "d2");
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
    let series = send(app.clone(), path("/api/v1/ports/sw1:1/series")).await.json();
    assert_eq!(series["samples"], json!([]), "a port without samples");
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
    assert!(!metrics.text.contains("11.0."), "a flow is a label");
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

#[tokio::test]
async fn a_failed_query_returns_the_reason() {
    let path = "/api/v1/queries";
    let body = |src: u8| json!({"victim": flow(src, 3)}).to_string();
    check_problem(&post(path, &body(9)).await, 404, "unknown-flow", path, "no host sends `11.0.9.1:10000>");
    let busy = post(path, &body(1)).await;
    check_problem(&busy, 503, "busy", path, "retry in 3 s");
    assert_eq!(busy.headers[header::RETRY_AFTER], "3");
    check_problem(&post(path, &body(6)).await, 404, "no-anomaly", path, "the flow's path shows no anomaly");
    check_problem(&post(path, &body(5)).await, 502, "query-failed", path, "sw4 did not reply");
    let bad = post(path, r#"{"victim": "10.0.0.1:1-10.0.0.2:2/udp"}"#).await;
    let message =
        "`10.0.0.1:1-10.0.0.2:2/udp` is not a flow: no `>` between the two ends; expected `src:sport>dst";
    check_problem(&bad, 422, "bad-body", path, message);
    check_problem(&post(path, r#"{"flow": "x"}"#).await, 422, "bad-body", path, "unknown field `flow`");
    check_problem(&post(path, r#"{"victim": "#).await, 400, "bad-request", path, "line 1 column");
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

/// Calls `visit` with every object in a JSON value.
fn objects<'v>(value: &'v Value, visit: &mut dyn FnMut(&'v serde_json::Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            visit(object);
            object.values().for_each(|value| objects(value, visit));
        }
        Value::Array(list) => list.iter().for_each(|value| objects(value, visit)),
        _ => {}
    }
}

#[tokio::test]
async fn the_openapi_document_describes_every_operation() {
    let served = get("/api/v1/openapi.json").await.json();
    assert_eq!(served, serde_json::to_value(harrier_web::openapi()).unwrap());
    assert_eq!(served["openapi"], "3.1.0");
    let mut operations: Vec<&str> = vec![];
    for (path, methods) in served["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            operations.push(operation["operationId"].as_str().unwrap());
            assert!(operation["summary"].is_string() && operation["tags"][0].is_string(), "{method} {path}");
            assert!(operation["responses"]["200"].is_object(), "{method} {path}");
            // A parameter in the path is described.
            for name in path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')) {
                let described = operation["parameters"].as_array().unwrap();
                let is_it = |p: &&Value| p["name"] == name && p["in"] == "path" && p["required"] == true;
                assert!(described.iter().any(|p| is_it(&p)), "{method} {path}");
            }
        }
    }
    operations.sort_unstable();
    assert_eq!(
        operations,
        [
            "ask_about_flow",
            "get_diagnosis",
            "get_diagnosis_graph",
            "get_diagnosis_snapshot",
            "get_incident",
            "get_port_series",
            "get_topology",
            "list_daemons",
            "list_diagnoses",
            "list_findings",
            "list_incidents",
            "list_ports",
            "stream_events",
        ],
        "operation ids are public"
    );
}

/// The names of components are public, and every reference resolves to one.
/// The values of `kind` below a schema.
fn kinds(schema: &Value, found: &mut Vec<String>) {
    match schema {
        Value::Object(fields) => {
            let values = fields.get("kind").and_then(|kind| kind["enum"].as_array());
            found.extend(values.into_iter().flatten().filter_map(Value::as_str).map(String::from));
            fields.values().for_each(|field| kinds(field, found));
        }
        Value::Array(items) => items.iter().for_each(|item| kinds(item, found)),
        _ => {}
    }
}

#[tokio::test]
async fn the_dashboard_has_a_row_for_every_kind_of_record() {
    let served = get("/api/v1/openapi.json").await.json();
    let mut found = Vec::new();
    kinds(&served["components"]["schemas"]["Record"], &mut found);
    assert!(found.len() >= 11, "{found:?}");
    let rows = include_str!("../ui/src/domain/records.ts");
    let without: Vec<_> = found.iter().filter(|kind| !rows.contains(&format!("case '{kind}':"))).collect();
    assert!(
        without.is_empty(),
        "web/ui/src/domain/records.ts shows these kinds field by field only: {without:?}"
    );
}

#[tokio::test]
async fn the_openapi_document_has_no_dangling_reference() {
    let served = get("/api/v1/openapi.json").await.json();
    let components = &served["components"]["schemas"];
    for name in
        ["Diagnosis", "Incident", "PortPoint", "PortSample", "Problem", "Question", "Snapshot", "Topology"]
    {
        assert!(components[name].is_object(), "{name} is missing");
    }
    let mut references = 0;
    objects(&served, &mut |object| {
        if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
            let name = reference.strip_prefix("#/components/schemas/");
            assert!(name.is_some_and(|name| components[name].is_object()), "{reference}");
            references += 1;
        }
    });
    assert!(references > 20, "{references} references");
}
