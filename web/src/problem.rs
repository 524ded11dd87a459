//! Errors as `application/problem+json` (RFC 9457), whoever made them.
//!
//! Handlers return a [`Problem`]. What the framework refuses on its own (unreadable queries and bodies,
//! unknown methods) answers in plain text; [`fill`] turns that into a problem too and adds `instance`.

use axum::Json;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use store::StoreError;
use utoipa::ToSchema;

/// Media type of a problem.
pub(crate) const PROBLEM_JSON: &str = "application/problem+json";
/// Bytes of a plain-text refusal that are kept as `detail`.
const DETAIL_BYTES: usize = 4096;

/// An error for people and programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// What kind of problem it is: `urn:harrier:problem:NAME`, or `about:blank` where the status says all.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// The kind in words.
    pub(crate) title: String,
    /// The HTTP status.
    pub(crate) status: u16,
    /// What is wrong this time, and what to do.
    pub(crate) detail: String,
    /// The path that was asked for.
    pub(crate) instance: String,
    /// When to ask again, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retry_after_s: Option<u32>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, name: &str, title: &str, detail: impl Into<String>) -> Problem {
        Problem {
            kind: format!("urn:harrier:problem:{name}"),
            title: title.to_string(),
            status: status.as_u16(),
            detail: detail.into(),
            instance: String::new(),
            retry_after_s: None,
        }
    }

    pub(crate) fn not_found(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, "not-found", "Not found", detail)
    }

    pub(crate) fn bad_query(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "bad-query", "The query cannot be read", detail)
    }

    pub(crate) fn retry_after(mut self, seconds: u32) -> Problem {
        self.retry_after_s = Some(seconds);
        self
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Problem {
        tracing::error!(%error, "the store failed");
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "store", "The store failed", error.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        if let Some(seconds) = self.retry_after_s {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        let mut response = (status, headers, Json(&self)).into_response();
        // `Json` sets its own type, and the path is known only to `fill`.
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        response.extensions_mut().insert(self);
        response
    }
}

/// Makes a problem of every error response, with the path as its instance.
pub(crate) async fn fill(request: Request, next: Next) -> Response {
    let instance = request.uri().path().to_string();
    let mut response = next.run(request).await;
    if !response.status().is_client_error() && !response.status().is_server_error() {
        return response;
    }
    let problem = match response.extensions_mut().remove::<Problem>() {
        Some(problem) => problem,
        None => {
            let (mut parts, body) = response.into_parts();
            let problem = refused(parts.status, body).await;
            parts.headers.remove(header::CONTENT_LENGTH);
            response = Response::from_parts(parts, Body::empty());
            problem
        }
    };
    let mut filled = Problem { instance, ..problem }.into_response();
    // What the refusal carried beside its text (`allow` of a 405) stays.
    for (name, value) in response.headers() {
        if !filled.headers().contains_key(name) {
            filled.headers_mut().insert(name, value.clone());
        }
    }
    filled
}

async fn refused(status: StatusCode, body: Body) -> Problem {
    let text = to_bytes(body, DETAIL_BYTES).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let (name, title) = match status {
        StatusCode::BAD_REQUEST => ("bad-request", "The request cannot be read"),
        StatusCode::NOT_FOUND => ("not-found", "Not found"),
        StatusCode::METHOD_NOT_ALLOWED => ("method-not-allowed", "Method not allowed"),
        StatusCode::PAYLOAD_TOO_LARGE => ("body-too-large", "The body is too large"),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => ("not-json", "The body must be JSON"),
        StatusCode::UNPROCESSABLE_ENTITY => ("bad-body", "The body is not what was expected"),
        _ => ("error", status.canonical_reason().unwrap_or("Error")),
    };
    let detail = if text.is_empty() { title.to_string() } else { text };
    Problem::new(status, name, title, detail)
}
