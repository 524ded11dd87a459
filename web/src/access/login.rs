//! The login page: it keeps a token in a cookie, because a browser's pages and streams send no other header.

use std::sync::Arc;

use axum::extract::{Form, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::{Router, routing::post};
use serde::Deserialize;

use super::Access;

pub(super) const PATH: &str = "/login";
/// Paths that need no token.
pub(super) const PATHS: [&str; 3] = [PATH, "/login.css", "/logout"];
/// The prefix makes browsers insist on `Secure`, `Path=/` and no domain (RFC 6265bis, section 4.1.3.2).
const COOKIE: &str = "__Host-harrier";
/// How long a browser keeps the cookie, in seconds: a shift.
const MAX_AGE_S: u32 = 12 * 3600;

const PAGE: &str = include_str!("login.html");
const STYLE: &str = include_str!("login.css");

pub(super) fn routes(access: Arc<Access>) -> Router {
    Router::new()
        .route(PATH, get(|| async { Html(PAGE.replace("{note}", "")) }).post(log_in))
        .route("/login.css", get(|| async { ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], STYLE) }))
        .route("/logout", post(log_out))
        .with_state(access)
}

#[derive(Deserialize)]
struct Login {
    token: String,
}

async fn log_in(State(access): State<Arc<Access>>, Form(login): Form<Login>) -> Response {
    let token = login.token.trim();
    // A token has no characters that end a cookie's value; a text that has is no token.
    let cookie = format!("{COOKIE}={token}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age={MAX_AGE_S}");
    let is_plain = token.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    match (access.identify(Some(token)), HeaderValue::from_str(&cookie)) {
        (Some(identity), Ok(cookie)) if is_plain => {
            tracing::info!(target: "audit", name = identity.name, role = identity.role.name(), "logged in");
            ([(header::SET_COOKIE, cookie)], Redirect::to("/")).into_response()
        }
        _ => {
            let note = "<p role=\"alert\">This is not a valid token.</p>";
            (StatusCode::UNAUTHORIZED, Html(PAGE.replace("{note}", note))).into_response()
        }
    }
}

async fn log_out() -> impl IntoResponse {
    let cookie = format!("{COOKIE}=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0");
    ([(header::SET_COOKIE, cookie)], Redirect::to(PATH))
}

/// Returns the token of the cookie.
pub(super) fn token(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.into_iter().find_map(|(name, value)| (name == COOKIE && !value.is_empty()).then_some(value))
}
