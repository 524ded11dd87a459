//! Answers that never change: a diagnosis, its graph and its snapshot. Clients keep them and revalidate by entity tag
//! (RFC 9110, sections 8.8.3 and 13.1.2).

use axum::Json;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// Returns `body`, the only answer that there ever is for `id` (of something and its version), or status 304 for a client that has it.
pub(super) fn immutable(headers: &HeaderMap, id: &str, body: impl Serialize) -> Response {
    let Some(tag) = entity_tag(id) else { return Json(body).into_response() };
    let has_it = headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .any(|listed| names(listed, &tag));
    // Browsers keep the answer and revalidate it: the row may have been removed.
    let caching =
        [(header::ETAG, tag), (header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"))];
    match has_it {
        true => (StatusCode::NOT_MODIFIED, caching).into_response(),
        false => (caching, Json(body)).into_response(),
    }
}

/// Returns the entity tag of an id. A later version may write other fields, so that it is part of the tag. The tag is weak,
/// because a compressed answer has the same. An id with characters that a tag cannot have gets none.
fn entity_tag(id: &str) -> Option<HeaderValue> {
    let is_allowed = id.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"');
    let tag = format!("W/\"{}-{id}\"", env!("CARGO_PKG_VERSION"));
    is_allowed.then_some(tag)?.parse().ok()
}

/// Whether an `If-None-Match` list names a tag, by the weak comparison.
fn names(listed: &str, tag: &HeaderValue) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_string();
    let tag = tag.to_str().map(opaque).unwrap_or_default();
    listed.split(',').any(|other| other.trim() == "*" || opaque(other) == tag)
}
