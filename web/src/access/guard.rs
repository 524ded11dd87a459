//! The middleware that lets a request through or rejects it.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use tokio::time::Instant;

use super::{Access, Author, Identity, Peer, Role, host_of, login};
use crate::headers;
use crate::problem::Problem;

/// Paths that need no token: they say only whether the server works.
const PUBLIC: [&str; 2] = ["/healthz", "/readyz"];
const QUERIES: &str = "/api/v1/queries";
/// Names and roles of tokens are for admins, too.
const TOKENS: &str = "/api/v1/tokens";

/// Protects a service.
pub(crate) fn protect(router: Router, access: Arc<Access>) -> Router {
    let router = router.merge(login::routes(access.clone()));
    headers::secure(router.layer(from_fn_with_state(access, guard)))
}

async fn guard(State(access): State<Arc<Access>>, mut request: Request, next: Next) -> Response {
    let path = request.uri().path().to_string();
    let peer = request.extensions().get::<Peer>().copied();
    match admit(&access, &request) {
        Ok(identity) => {
            let method = request.method().clone();
            if let Some(identity) = &identity {
                request.extensions_mut().insert(Author(identity.name.clone()));
            }
            let response = next.run(request).await;
            if !is_read(&method) {
                audit(identity.as_ref(), peer, &method, &path, response.status());
            }
            response
        }
        Err(rejection) => {
            let response = rejection.into_response(&path);
            audit(None, peer, request.method(), &path, response.status());
            response
        }
    }
}

/// Changes and rejections are logged with their owner and the address of the connection: that of the proxy, if there is one.
fn audit(identity: Option<&Identity>, peer: Option<Peer>, method: &Method, path: &str, status: StatusCode) {
    let peer = peer.map(|Peer(address)| address.to_canonical().to_string());
    let name = identity.map_or("unknown", |identity| identity.name.as_str());
    let role = identity.map_or("none", |identity| identity.role.name());
    let via = identity.map_or("none", |identity| identity.via);
    tracing::info!(target: "audit", name, role, via, peer, %method, path, status = status.as_u16(), "request");
}

/// Why a request does not proceed.
enum Rejection {
    /// It is answered with a problem.
    Problem(Problem),
    /// A browser without a token is sent to the login page.
    LogIn,
}

impl Rejection {
    fn new(status: StatusCode, name: &str, title: &str, detail: impl Into<String>) -> Rejection {
        Rejection::Problem(Problem::new(status, name, title, detail))
    }

    fn into_response(self, path: &str) -> Response {
        match self {
            Rejection::LogIn => Redirect::to(login::PATH).into_response(),
            Rejection::Problem(problem) => {
                let is_unknown = problem.status == StatusCode::UNAUTHORIZED.as_u16();
                let mut response = Problem { instance: path.to_string(), ..problem }.into_response();
                if is_unknown {
                    response
                        .headers_mut()
                        .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
                }
                response
            }
        }
    }
}

/// Returns the owner of a request that may proceed; `None` for public paths.
fn admit(access: &Access, request: &Request) -> Result<Option<Identity>, Rejection> {
    let (headers, path) = (request.headers(), request.uri().path());
    let host = request.uri().authority().map(|a| a.as_str()).or_else(|| text(headers, &header::HOST));
    if let Some(host) = host.filter(|host| !access.allows_host(host)) {
        let detail = format!(
            "this server is not `{}`; use its IP address or localhost, or allow the name (--host NAME; `hosts` of \
             harrier serve)",
            host_of(host)
        );
        return Err(Rejection::new(StatusCode::MISDIRECTED_REQUEST, "unknown-host", "Unknown host", detail));
    }
    if !is_read(request.method()) && !is_same_origin(headers, host) {
        let detail = "pages of other sites must not change anything here";
        return Err(Rejection::new(StatusCode::FORBIDDEN, "other-origin", "Request of another site", detail));
    }
    if PUBLIC.contains(&path) || login::PATHS.contains(&path) {
        return Ok(None);
    }
    let identity = identify(access, request)?;
    let needed = match is_read(request.method()) {
        _ if path.starts_with(TOKENS) => Role::Admin,
        true => Role::Viewer,
        false => Role::Operator,
    };
    if identity.role < needed {
        let detail =
            format!("this needs the role {}; `{}` is {}", needed.name(), identity.name, identity.role.name());
        return Err(Rejection::new(StatusCode::FORBIDDEN, "role", "Not allowed", detail));
    }
    if request.method() == Method::POST
        && path == QUERIES
        && let Err(seconds) = access.questions.take(Instant::now())
    {
        let detail = "every question freezes telemetry on switches; there were too many";
        let (status, title) = (StatusCode::TOO_MANY_REQUESTS, "Too many questions");
        let problem = Problem::new(status, "too-many-questions", title, detail);
        return Err(Rejection::Problem(problem.retry_after(seconds)));
    }
    Ok(Some(identity))
}

/// Returns the owner of a request: the user that a proxy names, or else the owner of its token.
fn identify(access: &Access, request: &Request) -> Result<Identity, Rejection> {
    let peer = request.extensions().get::<Peer>().copied();
    let by_proxy = access.proxies.as_ref().and_then(|proxies| proxies.identify(peer, request.headers()));
    match by_proxy {
        Some(Ok(identity)) => Ok(identity),
        Some(Err(error)) => {
            Err(Rejection::new(StatusCode::FORBIDDEN, "proxy-user", "Not allowed", error.to_string()))
        }
        None => access.identify(token(request.headers())).ok_or_else(|| {
            let ignored =
                access.proxies.as_ref().and_then(|proxies| proxies.ignored(peer, request.headers()));
            unauthenticated(request, ignored)
        }),
    }
}

/// A browser is sent to the login page, a program told what is missing. `ignored` is the header of a proxy in a request from
/// an address that is none, with that address: an attack, or a proxy that is not configured.
fn unauthenticated(request: &Request, ignored: Option<(IpAddr, &HeaderName)>) -> Rejection {
    if let Some((address, header)) = ignored {
        tracing::warn!(target: "audit", peer = %address, %header, "a header that only `proxies` may send is ignored");
    }
    let accept = text(request.headers(), &header::ACCEPT).unwrap_or_default();
    if accept.contains("text/html") && is_read(request.method()) {
        return Rejection::LogIn;
    }
    let mut detail =
        "this server needs a token: `Authorization: Bearer TOKEN`; `harrier token create` makes one"
            .to_string();
    if let Some((address, header)) = ignored {
        detail +=
            &format!("; `{header}` from {address} is ignored, because that address is not in `proxies`");
    }
    Rejection::new(StatusCode::UNAUTHORIZED, "token", "No valid token", detail)
}

/// Whether a request cannot change anything (RFC 9110, section 9.2.1).
fn is_read(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Whether a request comes from a page of this server or from no page at all. Browsers send `Sec-Fetch-Site` (Fetch
/// Metadata), and `Origin` with every request that is not a read (Fetch, section 3.2).
fn is_same_origin(headers: &HeaderMap, host: Option<&str>) -> bool {
    if let Some(site) = text(headers, "sec-fetch-site") {
        return matches!(site, "same-origin" | "none");
    }
    let Some(origin) = text(headers, &header::ORIGIN) else { return true };
    let authority = origin.split_once("://").map(|(_, authority)| authority);
    authority.is_some_and(|authority| host.is_some_and(|host| authority.eq_ignore_ascii_case(host)))
}

fn token(headers: &HeaderMap) -> Option<&str> {
    let bearer = text(headers, &header::AUTHORIZATION).and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
    });
    bearer.or_else(|| login::token(headers))
}

fn text(headers: &HeaderMap, name: impl header::AsHeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}
