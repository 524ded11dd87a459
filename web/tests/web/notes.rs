//! The handling of incidents over REST.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, header};
use harrier_web::{Access, AppState, Credential, LiveState, Role, TokenHash, service};
use serde_json::{Value, json};
use store::Store;

use crate::answer;
use crate::fixture::{incast, incast_graph, snapshot, topology, victim};

async fn server() -> Router {
    let live = LiveState::new(Store::open("sqlite::memory:").await.unwrap()).await.unwrap();
    live.set_topology(topology()).await.unwrap();
    live.push_diagnosis(&incast("d1", 1_000, victim()), &incast_graph(), Some(&snapshot())).await.unwrap();
    let credential = |name: &str, role| Credential { name: name.into(), role, hash: TokenHash::of(name) };
    let access = Access::tokens(vec![credential("eve", Role::Operator), credential("screen", Role::Viewer)]);
    service(AppState::new(live).with_access(Arc::new(access)))
}

/// Sends a request as the owner of a token; returns status and body.
async fn send(server: &Router, who: &str, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let request = Request::builder()
        .method(method)
        .uri(format!("/api/v1/incidents{}{path}", if path.starts_with('?') { "" } else { "/" }))
        .header(header::AUTHORIZATION, format!("Bearer {who}"))
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(body.to_string()))
        .unwrap();
    answer(server.clone(), request).await
}

#[tokio::test]
async fn operators_handle_incidents_and_their_names_are_kept() {
    let server = server().await;
    let note = json!({ "handling": "acknowledged", "feedback": "right", "text": "replaced the NIC" });
    let (status, incident) = send(&server, "eve", "POST", "i-d1/notes", &note).await;
    assert_eq!(status, 201, "{incident}");
    assert_eq!((&incident["handling"], &incident["feedback"]), (&json!("acknowledged"), &json!("right")));
    let (_, notes) = send(&server, "screen", "GET", "i-d1/notes", &Value::Null).await;
    let note = &notes["notes"][0];
    assert_eq!((&note["author"], &note["text"]), (&json!("eve"), &json!("replaced the NIC")));
    assert!(note["time"].as_str().is_some_and(|time| time.ends_with('Z')), "{note}");
    let (_, page) = send(&server, "screen", "GET", "?handling=acknowledged", &Value::Null).await;
    assert_eq!(page["incidents"].as_array().map(Vec::len), Some(1), "{page}");
    // A viewer reads only.
    assert_eq!(send(&server, "screen", "POST", "i-d1/notes", &json!({ "text": "x" })).await.0, 403);
}

#[tokio::test]
async fn an_incident_is_exported_as_a_case() {
    let server = server().await;
    send(&server, "eve", "POST", "i-d1/notes", &json!({ "feedback": "wrong" })).await;
    let (status, case) = send(&server, "screen", "GET", "i-d1/case", &Value::Null).await;
    assert_eq!(status, 200);
    assert_eq!((&case["format"], &case["feedback"]), (&json!(1), &json!("wrong")));
    assert_eq!((&case["diagnosis"]["id"], &case["notes"][0]["diagnosis"]), (&json!("d1"), &json!("d1")));
    assert_eq!(case["snapshot"]["format"], model::snapshot::SNAPSHOT_FORMAT);
    assert!(case["topology"]["links"].as_array().is_some_and(|links| !links.is_empty()));
}

#[tokio::test]
async fn a_note_that_says_nothing_or_too_much_is_rejected() {
    let server = server().await;
    let check = async |body: Value, expected: u16| {
        let (status, problem) = send(&server, "eve", "POST", "i-d1/notes", &body).await;
        assert_eq!(status, expected, "{problem}");
        assert_eq!(problem["status"], expected);
    };
    check(json!({}), 422).await;
    check(json!({ "text": "  " }), 422).await;
    check(json!({ "text": "x".repeat(4097) }), 422).await;
    check(json!({ "handling": "fixed" }), 422).await;
    check(json!({ "feedback": "right", "diagnosis": "of another incident" }), 404).await;
    check(json!({ "text": "x", "author": "mallory" }), 422).await;
    assert_eq!(send(&server, "eve", "POST", "i-none/notes", &json!({ "text": "x" })).await.0, 404);
    assert_eq!(send(&server, "screen", "GET", "i-none/notes", &Value::Null).await.0, 404);
    assert_eq!(send(&server, "screen", "GET", "i-none/case", &Value::Null).await.0, 404);
}
