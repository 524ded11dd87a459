//! The dashboard, embedded. Without it (it is built by Node, and `cargo build` must not need Node) its place
//! holds a page that says how to build it.

use axum::http::{HeaderValue, Uri, header};
use axum::response::{Html, IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::problem::Problem;

#[derive(RustEmbed)]
#[folder = "ui/dist"]
#[allow_missing = true]
struct Dashboard;

/// Paths that the dashboard itself resolves.
const PAGES: [&str; 4] = ["/incidents/", "/diagnoses/", "/ports/", "/query"];
/// Vite writes the content's hash into these names, so a name never changes its content.
const HASHED: &str = "assets/";

const NOT_BUILT: &str = include_str!("not_built.html");

/// Answers for everything that no route answers: a file of the dashboard, one of its pages, or 404.
pub(crate) async fn serve(uri: Uri) -> Response {
    let path = uri.path();
    let file = path.trim_start_matches('/');
    if let Some(asset) = Dashboard::get(file).filter(|_| file != "index.html") {
        return answer(file, asset);
    }
    if path != "/" && !PAGES.iter().any(|page| path.starts_with(page)) {
        return Problem::not_found(format!("there is nothing at `{path}`")).into_response();
    }
    match Dashboard::get("index.html") {
        Some(page) => answer("index.html", page),
        None => Html(NOT_BUILT).into_response(),
    }
}

fn answer(name: &str, file: EmbeddedFile) -> Response {
    let keep = if name.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type(name))),
        (header::CACHE_CONTROL, HeaderValue::from_static(keep)),
    ];
    (headers, file.data).into_response()
}

/// The kinds of files that a build of the dashboard has.
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
