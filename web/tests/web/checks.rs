//! Checks of configurations over REST, with rules of the test.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, header};
use harrier_web::{AppState, CheckReport, Checker, ConfigurationFile, LiveState, router};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use store::Store;
use tower::ServiceExt as _;

/// Rules by which only the file `good` passes.
struct Rules;

impl Checker for Rules {
    fn check(&self, files: &[ConfigurationFile]) -> CheckReport {
        let passed = files.iter().all(|file| file.name == "good");
        CheckReport { passed, left_out: 0, report: json!({ "files": files.len() }) }
    }
}

async fn server(has_rules: bool) -> Router {
    let live = LiveState::new(Store::open("sqlite::memory:").await.unwrap()).await.unwrap();
    let state = AppState::new(live);
    router(if has_rules { state.with_checker(Arc::new(Rules)) } else { state })
}

async fn check(app: &Router, body: String) -> (u16, Value) {
    let request = Request::post("/api/v1/checks")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::HOST, "127.0.0.1")
        .body(Body::from(body))
        .unwrap();
    let response = app.clone().oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
}

fn files(names: &[&str], text: &str) -> String {
    let files: Vec<Value> = names.iter().map(|name| json!({ "name": name, "text": text })).collect();
    json!({ "files": files }).to_string()
}

#[tokio::test]
async fn files_are_checked_together() {
    let app = server(true).await;
    let (status, answer) = check(&app, files(&["good", "good"], "{}")).await;
    assert_eq!((status, answer), (200, json!({ "passed": true, "left_out": 0, "report": { "files": 2 } })));
    assert_eq!(check(&app, files(&["bad"], "{}")).await.1["passed"], false);
    // More than other requests may have.
    let (status, _) = check(&app, files(&["good"], &"x".repeat(harrier_web::BODY_BYTES))).await;
    assert_eq!(status, 200);
}

#[tokio::test]
async fn malformed_and_large_requests_are_problems() {
    let app = server(true).await;
    for (body, expected) in [
        (files(&[], ""), 422),
        (files(&["good"; 257], ""), 422),
        (files(&[&"x".repeat(1025)], ""), 422),
        (json!({ "files": [{ "name": "a" }] }).to_string(), 422),
        (json!({ "files": [], "rules": 1 }).to_string(), 422),
        ("[".to_string(), 400),
        (files(&["good"], &"x".repeat(5 << 20)), 413),
    ] {
        let (status, problem) = check(&app, body).await;
        assert_eq!((status, &problem["status"]), (expected, &json!(expected)), "{problem}");
    }
    let (status, problem) = check(&server(false).await, files(&["good"], "{}")).await;
    assert_eq!(
        (status, &problem["detail"]),
        (501, &json!("this server has no configuration checker; use the command `harrier check`"))
    );
}
