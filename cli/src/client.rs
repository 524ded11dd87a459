//! A client of the server's REST interface, for commands in a terminal.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::{Request, Response, StatusCode, Uri, header};
use hyper_util::rt::TokioIo;
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, ServerName};
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::server_sent::{EventReader, Received};

/// Maximum bytes of an answer.
const ANSWER_BYTES: usize = 64 << 20;
/// Maximum time of each step of connecting: TCP, TLS, HTTP.
const CONNECT: Duration = Duration::from_secs(5);
/// Maximum time for an answer: longer than the server takes for a question.
const ANSWER: Duration = Duration::from_secs(60);
/// Maximum time without a byte on the live stream, which has a comment every [`web::HEARTBEAT`] at least.
const SILENCE: Duration = Duration::from_secs(3 * web::HEARTBEAT.as_secs());

/// How a command reaches the server.
#[derive(clap::Args)]
pub(crate) struct ServerArgs {
    /// Address of the server: of `harrier serve` or `harrier demo`
    #[arg(long, env = "HARRIER_SERVER", default_value = "http://127.0.0.1:8080", value_name = "URL")]
    server: Uri,
    /// File with the token (`harrier token create`); or the token itself in the variable HARRIER_TOKEN
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Certificates of the authorities that the server's certificate is checked against (PEM), for https
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
}

/// A client; each request has a connection of its own.
pub(crate) struct Client {
    host: String,
    authority: String,
    port: u16,
    token: Option<String>,
    tls: Option<TlsConnector>,
}

impl Client {
    /// Reads the arguments.
    ///
    /// # Errors
    /// The address is no URL of a server, or a file cannot be read.
    pub(crate) fn new(args: &ServerArgs) -> anyhow::Result<Client> {
        let server = &args.server;
        let is_https = match server.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => bail!("--server {server}: expected a URL, e.g. https://harrier.example:8080"),
        };
        let host = server.host().with_context(|| format!("--server {server}: there is no host"))?;
        let authority = server.authority().map_or(host, |authority| authority.as_str()).to_owned();
        let token = match &args.token_file {
            Some(path) => Some(crate::input::read_text(path)?.trim().to_owned()),
            None => std::env::var("HARRIER_TOKEN").ok(),
        };
        let tls = match (is_https, &args.ca) {
            (false, _) => None,
            (true, Some(ca)) => Some(connector(ca)?),
            (true, None) => bail!("--server {server}: https also needs --ca"),
        };
        let host = host.trim_matches(['[', ']']).to_owned();
        if token.is_some() && !is_https && !is_loopback(&host) {
            bail!("--server {server}: a token is sent over https only, because others could read it");
        }
        Ok(Client {
            host,
            authority,
            port: server.port_u16().unwrap_or(if is_https { 443 } else { 80 }),
            token,
            tls,
        })
    }

    /// Returns what the server has at a path.
    ///
    /// # Errors
    /// The server cannot be reached, rejects the request, or answers something else.
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> anyhow::Result<T> {
        let (status, body) = self.answer("GET", path, Bytes::new()).await?;
        self.read(path, status, &body)
    }

    /// Sends JSON to a path and returns the answer.
    ///
    /// # Errors
    /// As [`Client::get`].
    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &serde_json::Value,
    ) -> anyhow::Result<T> {
        let (status, body) = self.answer("POST", path, body.to_string().into()).await?;
        self.read(path, status, &body)
    }

    /// Opens the live stream.
    ///
    /// # Errors
    /// The server cannot be reached, or rejects the request.
    pub(crate) async fn events(&self, path: &str) -> anyhow::Result<EventStream> {
        let response = tokio::time::timeout(ANSWER, self.send("GET", path, Bytes::new()));
        let response = response.await.with_context(|| format!("{} does not answer", self.authority))??;
        let (status, body) = (response.status(), response.into_body());
        if !status.is_success() {
            let body = Limited::new(body, ANSWER_BYTES).collect().await.map_err(anyhow::Error::from_boxed)?;
            return Err(problem(path, status, &body.to_bytes()));
        }
        Ok(EventStream { body, reader: EventReader::default(), deadline: Instant::now() + SILENCE })
    }

    /// Returns host and port of the server as they were given.
    pub(crate) fn authority(&self) -> &str {
        &self.authority
    }

    fn read<T: DeserializeOwned>(&self, path: &str, status: StatusCode, body: &[u8]) -> anyhow::Result<T> {
        if !status.is_success() {
            return Err(problem(path, status, body));
        }
        serde_json::from_slice(body).with_context(|| {
            format!("{} is no server of this version: {path} has another form", self.authority)
        })
    }

    async fn answer(&self, method: &str, path: &str, body: Bytes) -> anyhow::Result<(StatusCode, Bytes)> {
        let answer = async {
            let response = self.send(method, path, body).await?;
            let status = response.status();
            let body = Limited::new(response.into_body(), ANSWER_BYTES).collect().await;
            Ok((status, body.map_err(anyhow::Error::from_boxed)?.to_bytes()))
        };
        let answer = tokio::time::timeout(ANSWER, answer).await;
        answer.with_context(|| format!("{} does not answer within {} s", self.authority, ANSWER.as_secs()))?
    }

    async fn send(&self, method: &str, path: &str, body: Bytes) -> anyhow::Result<Response<Incoming>> {
        let mut request = Request::builder().method(method).uri(path).header(header::HOST, &self.authority);
        if !body.is_empty() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let request = request.body(Full::new(body)).context("the token cannot be sent")?;
        let connect = async {
            let socket = within(TcpStream::connect((self.host.as_str(), self.port))).await?;
            let Some(tls) = &self.tls else { return self.over(socket, request).await };
            let name = ServerName::try_from(self.host.clone())?;
            self.over(within(tls.connect(name, socket)).await?, request).await
        };
        connect.await.with_context(|| format!("cannot reach the server at {}", self.authority))
    }

    async fn over<S>(&self, stream: S, request: Request<Full<Bytes>>) -> anyhow::Result<Response<Incoming>>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (mut sender, connection) = within(http1::handshake(TokioIo::new(stream))).await?;
        tokio::spawn(connection);
        Ok(sender.send_request(request).await?)
    }
}

/// The live stream of a server.
pub(crate) struct EventStream {
    body: Incoming,
    reader: EventReader,
    /// When the stream ends with an error unless a byte arrives.
    deadline: Instant,
}

impl EventStream {
    /// Returns the next part; `None` at the end of the stream. Dropping the future loses nothing.
    ///
    /// # Errors
    /// The connection broke, or the server has sent nothing for 45 s.
    pub(crate) async fn next(&mut self) -> anyhow::Result<Option<Received>> {
        loop {
            if let Some(received) = self.reader.pop() {
                return Ok(Some(received));
            }
            let frame = tokio::time::timeout_at(self.deadline, self.body.frame()).await;
            let frame =
                frame.with_context(|| format!("the server has sent nothing for {} s", SILENCE.as_secs()))?;
            let Some(frame) = frame else { return Ok(None) };
            self.deadline = Instant::now() + SILENCE;
            if let Some(data) = frame.context("the stream broke off")?.data_ref() {
                self.reader.push(data)?;
            }
        }
    }
}

/// Waits for a step of connecting.
async fn within<T, E>(step: impl Future<Output = Result<T, E>>) -> anyhow::Result<T>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let done = tokio::time::timeout(CONNECT, step).await;
    Ok(done.with_context(|| format!("no answer within {} s", CONNECT.as_secs()))??)
}

/// Whether a host is this machine, so that what is sent to it crosses no network.
fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
}

/// Returns a text as a value of a query: all but letters, digits and `-._~` is percent-encoded (RFC 3986, section 2.1).
pub(crate) fn query_value(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}

/// Trusts the authorities of a file.
pub(crate) fn connector(path: &Path) -> anyhow::Result<TlsConnector> {
    Ok(TlsConnector::from(Arc::new(trusting(path)?)))
}

/// The TLS settings of a client that trusts the authorities of a file (PEM).
pub(crate) fn trusting(path: &Path) -> anyhow::Result<ClientConfig> {
    let read = || -> anyhow::Result<ClientConfig> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_file_iter(path)? {
            roots.add(certificate?)?;
        }
        anyhow::ensure!(!roots.is_empty(), "there is no certificate in it; expected PEM");
        Ok(ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth())
    };
    read().with_context(|| format!("{}: cannot be used as certificates", path.display()))
}

/// Returns the error of an answer, which is a problem (RFC 9457) if it comes from this server.
fn problem(path: &str, status: StatusCode, body: &[u8]) -> anyhow::Error {
    let problem: Option<serde_json::Value> = serde_json::from_slice(body).ok();
    let text = |key: &str| problem.as_ref().and_then(|problem| problem[key].as_str()).map(str::to_owned);
    match (text("title"), text("detail")) {
        (Some(title), Some(detail)) => anyhow::anyhow!("{title}: {detail}"),
        _ => anyhow::anyhow!("{path}: the server answers {status}"),
    }
}
