//! The examples of the OpenAPI document: each is sent, and its answer is that of the document.

#![allow(clippy::disallowed_methods, reason = "with HARRIER_WRITE_DOCS the test writes the answers")]

use std::sync::Arc;

use axum::body::Body;
use axum::http::{Request, header};
use harrier_web::{AppState, PortPoint, PortSample, PrioritySample, router};
use serde_json::{Value, json};
use store::Finding;

use crate::fixture::port;
use crate::rest::{Backend, live, send};

/// Operations without an example, and why.
const WITHOUT: [(&str, &str); 13] = [
    ("check_configurations", "its report is described by docs/check.schema.json"),
    ("create_token", "the token is random"),
    ("get_diagnosis_snapshot", "it is long"),
    ("get_diagnosis_what_if", "it needs a simulated network"),
    ("get_flow_series", "it is long"),
    ("get_host_report", "it is long, and docs/hosts.md describes it"),
    ("get_incident_case", "it has the whole snapshot"),
    ("get_incident_report", "it is no JSON"),
    ("list_daemons", "it needs daemons"),
    ("list_incident_notes", "add_incident_note shows one"),
    ("list_tokens", "it needs tokens"),
    ("revoke_token", "it has no answer"),
    ("stream_events", "it is no JSON"),
];

/// The server of the examples.
async fn server() -> axum::Router {
    let live = live().await;
    let point = PortPoint { time_ns: 4_000, interval_ns: 1_000, queue_bytes: 65_536, ..PortPoint::default() };
    let body = json!({
        "id": "sw4/alpha", "code": "alpha", "severity": "warning", "switch": "sw4",
        "text": "sw4 has alpha 1/64, and most switches have 1/8",
    });
    let (id, code, severity) = ("sw4/alpha".into(), "alpha".into(), "warning".into());
    live.store().replace_findings(&[Finding { id, code, severity, body }]).await.unwrap();
    live.push_ports(&[PortSample { port: port("sw4:2"), point }]);
    let priority = PrioritySample {
        priority: 3,
        pauses_received: Some(12),
        paused_ns: Some(90_000),
        pauses_sent: Some(0),
        queue_bytes: Some(65_536),
        queue_max_bytes: Some(196_608),
        ecn_marked_packets: Some(40),
        dropped_packets: Some(0),
        headroom_bytes: Some(0),
        headroom_max_bytes: Some(9_216),
    };
    live.push_priorities(&[(port("sw4:2"), vec![priority])]);
    router(AppState::new(live).with_query_backend(Arc::new(Backend)))
}

/// The request that an operation's examples are.
fn request(path: &str, method: &str, operation: &Value) -> Request<Body> {
    let (mut path, mut query) = (path.to_string(), Vec::new());
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let (Some(name), Some(value)) = (parameter["name"].as_str(), parameter.get("example")) else {
            continue;
        };
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
        match parameter["in"].as_str() {
            Some("path") => path = path.replace(&format!("{{{name}}}"), &text),
            _ => query.push(format!("{name}={text}")),
        }
    }
    if !query.is_empty() {
        path = format!("{path}?{}", query.join("&"));
    }
    let body = &operation["requestBody"]["content"]["application/json"]["example"];
    let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
    let request = Request::builder().method(method.to_uppercase().as_str()).uri(path);
    request.header(header::CONTENT_TYPE, "application/json").body(body).unwrap()
}

#[tokio::test]
async fn the_answers_of_the_document_are_those_of_a_server() {
    let document = serde_json::to_value(harrier_web::openapi()).unwrap();
    let is_written = std::env::var_os("HARRIER_WRITE_DOCS").is_some();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/routes/examples");
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap();
            let answers = operation["responses"].as_object().unwrap().iter();
            let mut answers = answers.filter_map(|(status, answer)| {
                Some((status, answer["content"]["application/json"].get("example")?))
            });
            let Some((status, expected)) = answers.next() else {
                assert!(WITHOUT.iter().any(|(without, _)| *without == id), "{id} has no example");
                continue;
            };
            assert!(WITHOUT.iter().all(|(without, _)| *without != id), "{id} has an example");
            let reply = send(server().await, request(path, method, operation)).await;
            assert_eq!(reply.status.as_str(), status, "{id}");
            if is_written {
                let text = serde_json::to_string_pretty(&reply.json()).unwrap() + "\n";
                std::fs::write(format!("{folder}/{id}.json"), text).unwrap();
            } else {
                assert_eq!(&reply.json(), expected, "{id}: HARRIER_WRITE_DOCS=1 writes the answer");
            }
        }
    }
}
