//! Who may do what: host names, origins, tokens, the rate of questions.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderName, Request, Response, StatusCode, header};
use harrier_web::{
    Access, AppState, Credential, LiveState, Proxies, Role, TokenBackend, TokenError, TokenHash, TokenInfo,
    service,
};
use http_body_util::BodyExt as _;
use serde_json::Value;
use store::Store;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tower::ServiceExt as _;

use crate::answer;
use crate::fixture::topology;

const VIEWER: &str = "hrr_viewer";
const OPERATOR: &str = "hrr_operator";
const ADMIN: &str = "hrr_admin";
const FLOW: &str = r#"{"victim":"11.0.2.1:10000>11.0.5.1:4791/udp"}"#;

async fn server(access: Access) -> Router {
    let live = LiveState::new(Store::open("sqlite::memory:").await.unwrap()).await.unwrap();
    live.set_topology(topology()).await.unwrap();
    service(AppState::new(live).with_access(Arc::new(access)))
}

fn with_tokens() -> Access {
    let credential =
        |name: &str, role, token| Credential { name: name.into(), role, hash: TokenHash::of(token) };
    Access::tokens(vec![
        credential("grafana", Role::Viewer, VIEWER),
        credential("on-call", Role::Operator, OPERATOR),
    ])
}

/// A request: method and path, and headers as `name: value`.
fn request(line: &str, headers: &[String]) -> Request<Body> {
    let (method, path) = line.split_once(' ').unwrap();
    let mut request = Request::builder().method(method).uri(path);
    for header in headers {
        let (name, value) = header.split_once(": ").unwrap();
        request = request.header(name, value);
    }
    let body = if path == "/login" { format!("token={VIEWER}") } else { FLOW.to_string() };
    let media_type = if path == "/login" { "application/x-www-form-urlencoded" } else { "application/json" };
    request.header(header::CONTENT_TYPE, media_type).body(Body::from(body)).unwrap()
}

async fn send(server: &Router, line: &str, headers: &[&str]) -> Response<Body> {
    let headers: Vec<String> = headers.iter().map(ToString::to_string).collect();
    server.clone().oneshot(request(line, &headers)).await.unwrap()
}

/// Checks the status of a request, and the type of the problem if there is one.
async fn check(server: &Router, line: &str, headers: &[&str], expected: (u16, &str)) {
    let response = send(server, line, headers).await;
    let (status, content) =
        (response.status().as_u16(), response.headers().get(header::CONTENT_TYPE).cloned());
    assert!(response.headers().contains_key(header::CONTENT_SECURITY_POLICY), "{line} {headers:?}");
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    let kind = match content.is_some_and(|content| content == "application/problem+json") {
        true => {
            let problem: Value = serde_json::from_slice(&bytes).unwrap();
            problem["type"].as_str().unwrap().trim_start_matches("urn:harrier:problem:").to_string()
        }
        false => String::new(),
    };
    assert_eq!((status, kind.as_str()), expected, "{line} {headers:?}");
}

#[tokio::test]
async fn a_name_that_is_not_the_servers_is_refused() {
    let server = server(Access::open(["harrier.example".to_string()])).await;
    let topology = "GET /api/v1/topology";
    check(&server, topology, &["host: 127.0.0.1:8080"], (200, "")).await;
    check(&server, topology, &["host: localhost:8080"], (200, "")).await;
    check(&server, topology, &["host: harrier.example"], (200, "")).await;
    check(&server, topology, &["host: evil.test:8080"], (421, "unknown-host")).await;
    check(&server, "GET /", &["host: evil.test"], (421, "unknown-host")).await;
    check(&server, "POST /api/v1/queries", &["host: evil.test"], (421, "unknown-host")).await;
}

#[tokio::test]
async fn pages_of_other_sites_cannot_ask() {
    let server = server(Access::open([])).await;
    let ask = "POST /api/v1/queries";
    let here = "host: 127.0.0.1:8080";
    // 503: no network is connected, so the question has passed.
    check(&server, ask, &[here], (503, "no-network")).await;
    check(&server, ask, &[here, "origin: http://127.0.0.1:8080"], (503, "no-network")).await;
    check(&server, ask, &[here, "sec-fetch-site: same-origin"], (503, "no-network")).await;
    check(&server, ask, &[here, "origin: http://127.0.0.1:9090"], (403, "other-origin")).await;
    check(&server, ask, &[here, "origin: null"], (403, "other-origin")).await;
    check(&server, ask, &[here, "sec-fetch-site: cross-site"], (403, "other-origin")).await;
    check(&server, ask, &[here, "sec-fetch-site: same-site"], (403, "other-origin")).await;
}

#[tokio::test]
async fn a_token_is_needed_for_all_but_health() {
    let server = server(with_tokens()).await;
    check(&server, "GET /healthz", &[], (200, "")).await;
    check(&server, "GET /readyz", &[], (200, "")).await;
    for path in ["/", "/api/v1/topology", "/api/v1/openapi.json", "/api/v1/events", "/metrics", "/nope"] {
        let line = format!("GET {path}");
        check(&server, &line, &[], (401, "token")).await;
        check(&server, &line, &["authorization: Bearer wrong"], (401, "token")).await;
        check(&server, &line, &["cookie: __Host-harrier=wrong"], (401, "token")).await;
        // A browser is sent to the login page.
        check(&server, &line, &["accept: text/html,*/*;q=0.8"], (303, "")).await;
    }
    for header in [format!("authorization: Bearer {VIEWER}"), format!("cookie: a=b; __Host-harrier={VIEWER}")]
    {
        check(&server, "GET /api/v1/topology", &[&header], (200, "")).await;
        check(&server, "POST /api/v1/queries", &[&header], (403, "role")).await;
    }
    let operator = format!("authorization: Bearer {OPERATOR}");
    check(&server, "POST /api/v1/queries", &[&operator], (503, "no-network")).await;
}

#[tokio::test]
async fn without_a_connection_of_a_proxy_its_headers_do_not_count() {
    let proxies = Proxies {
        networks: vec!["127.0.0.1".parse().unwrap()],
        user_header: HeaderName::from_static("x-forwarded-user"),
        groups_header: HeaderName::from_static("x-forwarded-groups"),
        roles: vec!["*=admin".parse().unwrap()],
    };
    // A server without tokens is not open any more: only the proxy's users may enter.
    let server = server(Access::open([]).with_proxies(proxies, [])).await;
    let user = ["x-forwarded-user: alice", "x-forwarded-groups: noc"];
    check(&server, "GET /api/v1/topology", &user, (401, "token")).await;
    check(&server, "GET /api/v1/topology", &[], (401, "token")).await;
}

/// Sends a request over a connection; returns the answer's head.
async fn over_tcp(address: SocketAddr, request: &str) -> String {
    let mut socket = TcpStream::connect(address).await.unwrap();
    socket.write_all(format!("{request}\r\nconnection: close\r\n\r\n").as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn a_proxy_names_the_user_on_its_connections() {
    let serve = async |network: &str| {
        let proxies = Proxies {
            networks: vec![network.parse().unwrap()],
            user_header: HeaderName::from_static("x-forwarded-user"),
            groups_header: HeaderName::from_static("x-forwarded-groups"),
            roles: vec!["noc=viewer".parse().unwrap(), "ops=operator".parse().unwrap()],
        };
        let live = LiveState::new(Store::open("sqlite::memory:").await.unwrap()).await.unwrap();
        live.set_topology(topology()).await.unwrap();
        let state = AppState::new(live)
            .with_access(Arc::new(with_tokens().with_proxies(proxies, ["harrier.example".to_string()])));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(harrier_web::serve(listener, state, std::future::pending()));
        address
    };
    let status = async |address: SocketAddr, method: &str, headers: &str| {
        let path = if method == "GET" { "topology" } else { "queries" };
        let request = format!("{method} /api/v1/{path} HTTP/1.1\r\nhost: harrier.example{headers}");
        over_tcp(address, &request).await.split(' ').nth(1).unwrap().to_string()
    };
    let viewer = "\r\nx-forwarded-user: alice\r\nx-forwarded-groups: staff,noc";
    let operator = "\r\nx-forwarded-user: bob\r\nx-forwarded-groups: ops";
    let stranger = "\r\nx-forwarded-user: eve\r\nx-forwarded-groups: staff";
    let token = format!("\r\nauthorization: Bearer {VIEWER}");
    let trusted = serve("127.0.0.0/8").await;
    assert_eq!(status(trusted, "GET", viewer).await, "200");
    assert_eq!(status(trusted, "POST", viewer).await, "403", "a viewer only reads");
    assert_eq!(status(trusted, "POST", operator).await, "415", "an operator may ask; the body is no JSON");
    assert_eq!(status(trusted, "GET", stranger).await, "403");
    assert_eq!(status(trusted, "GET", "").await, "401");
    assert_eq!(status(trusted, "GET", &token).await, "200", "a program behind the proxy has a token");
    let rebound = "GET /api/v1/topology HTTP/1.1\r\nhost: evil.test";
    let answer = over_tcp(trusted, &format!("{rebound}{viewer}")).await;
    assert!(answer.starts_with("HTTP/1.1 421 "), "{answer}");
    let other = serve("192.0.2.1").await;
    assert_eq!(status(other, "GET", viewer).await, "401", "not a connection of the proxy");
    assert_eq!(status(other, "GET", &token).await, "200");
}

#[tokio::test]
async fn the_login_page_keeps_the_token_in_a_cookie() {
    let server = server(with_tokens()).await;
    check(&server, "GET /login", &[], (200, "")).await;
    check(&server, "GET /login.css", &[], (200, "")).await;
    let response = send(&server, "POST /login", &[]).await;
    assert_eq!(response.status(), StatusCode::SEE_OTHER);
    let cookie = response.headers()[header::SET_COOKIE].to_str().unwrap().to_string();
    for part in ["; Secure", "; HttpOnly", "; SameSite=Strict", "; Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let cookie = format!("cookie: {}", cookie.split(';').next().unwrap());
    check(&server, "GET /api/v1/topology", &[&cookie], (200, "")).await;
    check(&server, "POST /login", &["sec-fetch-site: cross-site"], (403, "other-origin")).await;
    let response = send(&server, "POST /logout", &[&cookie]).await;
    assert!(response.headers()[header::SET_COOKIE].to_str().unwrap().contains("Max-Age=0"));
}

#[tokio::test]
async fn questions_have_a_rate() {
    let server = server(Access::open([])).await;
    tokio::time::pause();
    let mut passed = 0;
    let refused = loop {
        let response = send(&server, "POST /api/v1/queries", &[]).await;
        if response.status() == StatusCode::TOO_MANY_REQUESTS {
            break response;
        }
        passed += 1;
        assert!(passed < 1000, "no limit");
    };
    assert_eq!((passed, refused.headers()[header::RETRY_AFTER].to_str().unwrap()), (16, "1"));
    tokio::time::advance(std::time::Duration::from_secs(1)).await;
    check(&server, "POST /api/v1/queries", &[], (503, "no-network")).await;
}

#[tokio::test]
async fn pages_are_read_only_and_unknown_ones_are_pages_with_status_404() {
    let server = server(Access::open([])).await;
    check(&server, "DELETE /", &[], (405, "method-not-allowed")).await;
    check(&server, "PUT /incidents/x", &[], (405, "method-not-allowed")).await;
    check(&server, "HEAD /", &[], (200, "")).await;
    check(&server, "GET /nope", &[], (404, "not-found")).await;
    check(&server, "GET /api/v1/nope", &["accept: text/html"], (404, "not-found")).await;
    let page = send(&server, "GET /nope", &["accept: text/html"]).await;
    assert_eq!(page.status(), StatusCode::NOT_FOUND);
    assert_eq!(page.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
}

/// Has one token, and accepts any change of others.
struct OneToken;

impl TokenBackend for OneToken {
    fn list(&self) -> Result<Vec<TokenInfo>, TokenError> {
        Ok(vec![TokenInfo { name: "root".into(), role: Role::Admin, created: "2026-01-01T00:00:00Z".into() }])
    }

    fn create(&self, name: &str, role: Role) -> Result<(TokenInfo, String), TokenError> {
        match name {
            "root" => Err(TokenError::Exists(name.into())),
            "full" => Err(TokenError::Failed("the medium is full".into())),
            _ => Ok((TokenInfo { name: name.into(), role, created: "now".into() }, "hrr_secret".into())),
        }
    }

    fn revoke(&self, name: &str) -> Result<(), TokenError> {
        match name {
            "root" => Err(TokenError::LastAdmin(name.into())),
            "eve" => Ok(()),
            _ => Err(TokenError::Unknown(name.into())),
        }
    }
}

async fn server_of_admins() -> Router {
    let live = LiveState::new(Store::open("sqlite::memory:").await.unwrap()).await.unwrap();
    let credential =
        |name: &str, role, token| Credential { name: name.into(), role, hash: TokenHash::of(token) };
    let access = Access::tokens(vec![
        credential("on-call", Role::Operator, OPERATOR),
        credential("root", Role::Admin, ADMIN),
    ]);
    service(AppState::new(live).with_access(Arc::new(access)).with_tokens(Arc::new(OneToken)))
}

/// Sends a body to the tokens; returns the status and the answer.
async fn change(server: &Router, line: &str, token: &str, body: &str) -> (u16, Value) {
    let (method, path) = line.split_once(' ').unwrap();
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::AUTHORIZATION, format!("Bearer {token}"))
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(body.to_string()));
    answer(server.clone(), request.unwrap()).await
}

#[tokio::test]
async fn only_admins_see_and_change_tokens() {
    let server = server_of_admins().await;
    for line in
        ["GET /api/v1/tokens", "POST /api/v1/tokens", "DELETE /api/v1/tokens/eve", "HEAD /api/v1/tokens"]
    {
        let (status, _) = change(&server, line, OPERATOR, r#"{"name":"eve","role":"admin"}"#).await;
        assert_eq!(status, 403, "{line}");
    }
    let (status, listed) = change(&server, "GET /api/v1/tokens", ADMIN, "").await;
    let root = serde_json::json!({ "name": "root", "role": "admin", "created": "2026-01-01T00:00:00Z" });
    assert_eq!((status, &listed["tokens"]), (200, &serde_json::json!([root])));
    let (status, created) =
        change(&server, "POST /api/v1/tokens", ADMIN, r#"{"name":"eve","role":"viewer"}"#).await;
    let expected =
        serde_json::json!({ "name": "eve", "role": "viewer", "created": "now", "secret": "hrr_secret" });
    assert_eq!((status, created), (201, expected));
    assert_eq!(change(&server, "DELETE /api/v1/tokens/eve", ADMIN, "").await.0, 204);
}

#[tokio::test]
async fn a_change_of_tokens_that_is_not_possible_is_a_problem() {
    let server = server_of_admins().await;
    let long = format!(r#"{{"name":"{}","role":"viewer"}}"#, "a".repeat(65));
    for (line, body, expected, kind) in [
        ("POST /api/v1/tokens", r#"{"name":"root","role":"viewer"}"#, 409, "token-exists"),
        ("POST /api/v1/tokens", r#"{"name":"full","role":"viewer"}"#, 500, "tokens"),
        ("POST /api/v1/tokens", r#"{"name":"","role":"viewer"}"#, 422, "bad-body"),
        ("POST /api/v1/tokens", r#"{"name":"a b","role":"viewer"}"#, 422, "bad-body"),
        ("POST /api/v1/tokens", r#"{"name":"eve","role":"king"}"#, 422, "bad-body"),
        ("POST /api/v1/tokens", &long, 422, "bad-body"),
        ("POST /api/v1/tokens", "{", 400, "bad-request"),
        ("DELETE /api/v1/tokens/root", "", 409, "last-admin"),
        ("DELETE /api/v1/tokens/bob", "", 404, "not-found"),
    ] {
        let (status, problem) = change(&server, line, ADMIN, body).await;
        assert_eq!(
            (status, &problem["type"]),
            (expected, &format!("urn:harrier:problem:{kind}").into()),
            "{line} {body}"
        );
    }
    let open = self::server(Access::open([])).await;
    assert_eq!(change(&open, "GET /api/v1/tokens", "", "").await.1["type"], "urn:harrier:problem:no-tokens");
}
