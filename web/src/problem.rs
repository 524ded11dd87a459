//! All errors as `application/problem+json` (RFC 9457).
//!
//! Handlers return a [`Problem`]. The framework itself rejects malformed queries and bodies and unknown methods, in
//! plain text; [`fill`] converts these responses too, and adds `instance` to every problem. HTML pages stay as they are.

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
/// Maximum bytes of a plain-text error that become `detail`.
const DETAIL_BYTES: usize = 4096;
/// How rejections of axum begin, and what the problem says instead: where in the request the mistake is.
const REJECTIONS: [(&str, &str); 3] = [
    ("Failed to deserialize query string: ", "in the query: "),
    ("Failed to deserialize the JSON body into the target type: ", "in the body: "),
    ("Failed to parse the request body as JSON: ", "the body is not JSON: "),
];

/// An error response (RFC 9457).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// The problem type: `urn:harrier:problem:NAME`.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// The problem type in words.
    pub(crate) title: String,
    /// The HTTP status.
    pub(crate) status: u16,
    /// What is wrong with this request, and what to do.
    pub(crate) detail: String,
    /// The path of the request.
    pub(crate) instance: String,
    /// When to retry, in seconds.
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
        // `Json` sets its own content type. `fill` takes the problem from the extensions and adds the path.
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        response.extensions_mut().insert(self);
        response
    }
}

/// Middleware: converts every error response to a problem with the path as its instance.
pub(crate) async fn fill(request: Request, next: Next) -> Response {
    let instance = request.uri().path().to_string();
    let mut response = next.run(request).await;
    let is_error = response.status().is_client_error() || response.status().is_server_error();
    // The page that says that there is no such page is for browsers.
    let is_page = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    if !is_error || is_page {
        return response;
    }
    let problem = match response.extensions_mut().remove::<Problem>() {
        Some(problem) => problem,
        None => {
            let (mut parts, body) = response.into_parts();
            let problem = rejection(parts.status, body).await;
            parts.headers.remove(header::CONTENT_LENGTH);
            response = Response::from_parts(parts, Body::empty());
            problem
        }
    };
    let mut filled = Problem { instance, ..problem }.into_response();
    // Other headers of the original response stay, e.g. `allow` of status 405.
    for (name, value) in response.headers() {
        if !filled.headers().contains_key(name) {
            filled.headers_mut().insert(name, value.clone());
        }
    }
    filled
}

async fn rejection(status: StatusCode, body: Body) -> Problem {
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
    let begun = |(theirs, ours): &(&str, &str)| Some(format!("{ours}{}", text.strip_prefix(theirs)?));
    let detail = match REJECTIONS.iter().find_map(begun) {
        Some(located) => located,
        None if text.is_empty() => title.to_string(),
        None => text,
    };
    Problem::new(status, name, title, detail)
}
