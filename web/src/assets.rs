//! Serves the embedded dashboard. Node builds it, and `cargo build` must not require Node: a binary that was compiled
//! without the dashboard serves a page that explains how to build it.

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::problem::Problem;

#[derive(RustEmbed)]
#[folder = "ui/dist"]
#[allow_missing = true]
struct Dashboard;

/// Path prefixes that the dashboard's own router resolves.
const PAGES: [&str; 14] = [
    "/incidents/",
    "/diagnoses/",
    "/ports/",
    "/switches/",
    "/hosts/",
    "/flows/",
    "/query",
    "/daemons",
    "/access",
    "/history",
    "/runbook",
    "/events",
    "/findings",
    "/compare",
];
/// Prefix of files with a content hash in their name (Vite): such a file never changes.
const HASHED: &str = "assets/";

const NOT_BUILT: &str = include_str!("not_built.html");

/// The fallback of all routes: returns a file of the dashboard, one of its pages, or 404; a browser gets a page with
/// that status.
pub(crate) async fn serve(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path();
    if !matches!(method, Method::GET | Method::HEAD) {
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "GET, HEAD")]).into_response();
    }
    let file = path.trim_start_matches('/');
    if let Some(asset) = Dashboard::get(file).filter(|_| file != "index.html") {
        return respond(file, asset);
    }
    let is_page = path == "/" || PAGES.iter().any(|page| path.starts_with(page));
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    if !is_page && (!accept.contains("text/html") || path.starts_with("/api/")) {
        return Problem::not_found(format!("there is nothing at `{path}`")).into_response();
    }
    let mut response = match Dashboard::get("index.html") {
        Some(page) => respond("index.html", page),
        None => Html(NOT_BUILT).into_response(),
    };
    if !is_page {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    response
}

fn respond(name: &str, file: EmbeddedFile) -> Response {
    let cache = if name.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type(name))),
        (header::CACHE_CONTROL, HeaderValue::from_static(cache)),
    ];
    (headers, file.data).into_response()
}

/// Returns the media type for a file name of the dashboard.
fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "json" | "map" => "application/json",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
