//! Tests of the server, one binary for all of them: each binary would be linked with the whole server.
//! `cargo test -p harrier-web --test web rest::` runs those of one file.

mod access;
mod checks;
mod examples;
mod findings;
mod fixture;
mod flow_series;
mod hosts;
mod metrics;
mod notes;
mod openapi;
mod priorities;
mod report;
mod rest;
mod stream;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt as _;
use serde_json::Value;
use tower::ServiceExt as _;

/// Sends a request; returns the status and the answer, `null` if it is no JSON.
async fn answer(server: Router, request: Request<Body>) -> (u16, Value) {
    let response = server.oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
}
