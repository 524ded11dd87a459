//! Webhooks: sends what an [`Outbox`] holds for each receiver, in a task of its own, so that a receiver that is slow or
//! away delays neither the server nor other receivers.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, bail};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::{Request, StatusCode, Uri, header};
use hyper_util::rt::TokioIo;
use model::Severity;
use rustls_pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_rustls::TlsConnector;
use tracing::{debug, warn};
use web::webhooks::{Counts, Format, Outbox, Outcome, Receiver, Request as Notification};
use web::{Alerts, Metric};

use super::Shared;
use crate::daemons::config::settings::Settings;
use crate::daemons::operations;
use crate::input::read_text;

/// Maximum time of a request, connecting included.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long a receiver without anything to send waits for an alert.
const IDLE: Duration = Duration::from_secs(3_600);
/// The path of Alertmanager's API, for an address without a path.
const ALERTS: &str = "/api/v2/alerts";

/// A receiver and how it is reached.
pub(crate) struct Target {
    uri: Uri,
    /// Host and port, for logs and metrics: the path of a Slack webhook is a secret.
    name: String,
    tls: Option<TlsConnector>,
    receiver: Receiver,
}

/// Reads `FORMAT=URL`.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse(text: &str) -> Result<(Format, Uri), String> {
    let (format, url) = text.split_once('=').ok_or("there is no `=`")?;
    let format = match format {
        "alertmanager" => Format::Alertmanager,
        "slack" => Format::Slack,
        _ => return Err("the format is neither `alertmanager` nor `slack`".into()),
    };
    let uri: Uri = url.parse().map_err(|_| "this is no http or https URL")?;
    let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
    match uri.authority() {
        Some(authority) if is_http && !authority.as_str().contains('@') => Ok((format, uri)),
        Some(_) if is_http => Err("a URL with a user name is not supported".into()),
        _ => Err("this is no http or https URL".into()),
    }
}

/// Returns the receivers of a configuration.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn targets(settings: &Settings) -> anyhow::Result<Vec<Target>> {
    let secret = settings.path("webhook_secret").map(read_text).transpose();
    let secret = secret.with_context(|| format!("{}: webhook_secret", settings.origin("webhook_secret")))?;
    let secret = secret.map(|secret| secret.trim().as_bytes().to_vec());
    if secret.as_ref().is_some_and(Vec::is_empty) {
        bail!("{}: webhook_secret: the file is empty", settings.origin("webhook_secret"));
    }
    let min_severity = match settings.text("webhook_severity") {
        Some("critical") => Severity::Critical,
        Some("minor") => Severity::Minor,
        _ => Severity::Major,
    };
    let link = settings.text("webhook_link").map(|link| link.trim_end_matches('/').to_string());
    let target = |text| {
        let (format, uri) = parse(text).map_err(anyhow::Error::msg)?;
        let tls = match (uri.scheme_str(), settings.path("webhook_ca")) {
            (Some("https"), Some(path)) => Some(crate::client::connector(path)?),
            (Some("https"), None) => bail!("an https URL needs `webhook_ca`"),
            _ => None,
        };
        let receiver = Receiver { format, min_severity, link: link.clone(), secret: secret.clone() };
        let name = uri.authority().map(ToString::to_string).unwrap_or_default();
        Ok(Target { uri, name, tls, receiver })
    };
    let targets: anyhow::Result<Vec<Target>> = settings.texts("webhooks").into_iter().map(target).collect();
    targets.with_context(|| format!("{}: webhooks", settings.origin("webhooks")))
}

/// Starts a task for each receiver. Alerts from now on are sent.
///
/// # Errors
/// The store cannot be read.
pub(crate) async fn start<S>(
    shared: &Arc<Shared>,
    targets: Vec<Target>,
    until_stopped: impl Fn() -> S,
) -> anyhow::Result<Vec<JoinHandle<()>>>
where
    S: Future<Output = ()> + Send + 'static,
{
    let mut tasks = Vec::with_capacity(targets.len());
    for target in targets {
        let alerts = shared.live.alerts();
        let open = shared.live.open_alerts().await?;
        let sender = Sender {
            shared: shared.clone(),
            outbox: Outbox::new(target.receiver.clone(), open, 0),
            target,
            start: Instant::now(),
        };
        sender.report();
        let stopped = until_stopped();
        tasks.push(tokio::spawn(async move {
            tokio::select! {
                () = sender.run(alerts) => {}
                () = stopped => {}
            }
        }));
    }
    Ok(tasks)
}

/// Sends the notifications of one receiver.
struct Sender {
    shared: Arc<Shared>,
    outbox: Outbox,
    target: Target,
    /// Time is counted from here: a wall clock may jump.
    start: Instant,
}

impl Sender {
    async fn run(mut self, mut alerts: Alerts) {
        loop {
            if let Some(request) = self.outbox.request(self.now_ns()) {
                self.send(&request).await;
            }
            self.report();
            let due = self.outbox.due_ns().map(|due_ns| self.start + Duration::from_nanos(due_ns));
            tokio::select! {
                received = alerts.recv() => match received {
                    Ok(alert) => self.outbox.observe(alert),
                    Err(RecvError::Lagged(_)) => self.resync().await,
                    Err(RecvError::Closed) => return,
                },
                () = tokio::time::sleep_until(due.unwrap_or_else(|| Instant::now() + IDLE)) => {}
            }
        }
    }

    fn now_ns(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Reads the open incidents again: more alerts have arrived during a request than are kept.
    async fn resync(&mut self) {
        match self.shared.live.open_alerts().await {
            Ok(open) => self.outbox.resync(open),
            Err(error) => warn!(%error, "webhooks lack changes of incidents"),
        }
    }

    async fn send(&mut self, request: &Notification) {
        let receiver = &self.target.name;
        let answer = tokio::time::timeout(TIMEOUT, self.target.post(request)).await;
        let outcome = match answer {
            Ok(Ok((status, retry_after_s))) => {
                let outcome = outcome(status, retry_after_s);
                match outcome {
                    Outcome::Accepted => debug!(receiver, "notified"),
                    Outcome::Rejected => {
                        warn!(receiver, %status, "the receiver of a webhook rejects a notification; it is dropped");
                    }
                    Outcome::Failed { .. } => warn!(receiver, %status, "a webhook fails and is repeated"),
                }
                outcome
            }
            Ok(Err(error)) => {
                warn!(receiver, error = format!("{error:#}"), "a webhook fails and is repeated");
                Outcome::Failed { retry_after_ns: None }
            }
            Err(_) => {
                warn!(receiver, "a webhook has no answer within {} s and is repeated", TIMEOUT.as_secs());
                Outcome::Failed { retry_after_ns: None }
            }
        };
        // Without randomness the delay is the shortest.
        let random = operations::random().unwrap_or(0);
        self.outbox.done(request, outcome, self.now_ns(), random);
    }

    /// Shows the counts in the metrics.
    fn report(&self) {
        let mut webhooks = self.shared.webhooks.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (self.target.name.clone(), self.target.receiver.format.name());
        webhooks.insert(key, self.outbox.counts());
    }
}

/// What a status means for a notification.
fn outcome(status: StatusCode, retry_after_s: Option<u64>) -> Outcome {
    let is_temporary = status.is_server_error() || matches!(status.as_u16(), 408 | 425 | 429);
    match status {
        _ if status.is_success() => Outcome::Accepted,
        _ if is_temporary => {
            Outcome::Failed { retry_after_ns: retry_after_s.map(|s| s.saturating_mul(1_000_000_000)) }
        }
        _ => Outcome::Rejected,
    }
}

impl Target {
    /// Posts a notification; returns the status and the header `Retry-After`, in seconds.
    async fn post(&self, notification: &Notification) -> anyhow::Result<(StatusCode, Option<u64>)> {
        let host = self.uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let port = self.uri.port_u16().unwrap_or(if self.tls.is_some() { 443 } else { 80 });
        let request = self.request(notification)?;
        let socket = TcpStream::connect((host.as_str(), port)).await.context("cannot connect")?;
        match &self.tls {
            None => exchange(socket, request).await,
            Some(tls) => {
                let name = ServerName::try_from(host)?;
                exchange(tls.connect(name, socket).await.context("TLS fails")?, request).await
            }
        }
    }

    fn request(&self, notification: &Notification) -> anyhow::Result<Request<Full<Bytes>>> {
        let path = match (self.receiver.format, self.uri.path_and_query()) {
            (Format::Alertmanager, Some(path)) if path.as_str() == "/" => ALERTS,
            (_, path) => path.map_or("/", |path| path.as_str()),
        };
        let mut request = Request::post(path)
            .header(header::HOST, &self.name)
            .header(header::USER_AGENT, concat!("harrier/", env!("CARGO_PKG_VERSION")))
            .header(header::CONTENT_TYPE, "application/json");
        if let Some(signature) = &notification.signature {
            request = request.header("x-hub-signature-256", signature);
        }
        Ok(request.body(Full::new(notification.body.clone().into()))?)
    }
}

async fn exchange<S>(stream: S, request: Request<Full<Bytes>>) -> anyhow::Result<(StatusCode, Option<u64>)>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let response = sender.send_request(request).await.context("no answer")?;
    let retry_after = response.headers().get(header::RETRY_AFTER);
    let retry_after_s = retry_after.and_then(|value| value.to_str().ok()?.trim().parse().ok());
    Ok((response.status(), retry_after_s))
}

/// Returns the metrics of all receivers; those of one name are adjacent.
pub(crate) fn metrics(shared: &Shared) -> Vec<Metric> {
    type Value = fn(&Counts) -> u64;
    let kinds: [(&'static str, &'static str, bool, Value); 4] = [
        ("webhook_requests_accepted", "Requests that the receiver of a webhook has accepted", true, |c| {
            c.accepted
        }),
        ("webhook_requests_failed", "Requests of a webhook that failed and are repeated", true, |c| c.failed),
        ("webhook_alerts_dropped", "Alerts that a receiver rejects or that cannot wait longer", true, |c| {
            c.dropped
        }),
        ("webhook_alerts_waiting", "Alerts that wait for the receiver of a webhook", false, |c| c.waiting),
    ];
    let webhooks = shared.webhooks.lock().unwrap_or_else(PoisonError::into_inner);
    let metric = |(name, help, is_counter, value): (&'static str, &'static str, bool, Value)| {
        let of_receiver = move |((receiver, format), counts): (&(String, &str), &Counts)| Metric {
            name,
            help,
            is_counter,
            labels: vec![("receiver", receiver.clone()), ("format", (*format).to_string())],
            value: i64::try_from(value(counts)).unwrap_or(i64::MAX),
        };
        webhooks.iter().map(of_receiver).collect::<Vec<_>>()
    };
    kinds.into_iter().flat_map(metric).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_is_a_format_and_an_address() {
        let (format, uri) = parse("slack=https://hooks.slack.com/services/a=b").unwrap();
        assert_eq!((format, uri.path()), (Format::Slack, "/services/a=b"));
        for (text, expected) in [
            ("https://host/?a=b", "neither `alertmanager` nor `slack`"),
            ("slack", "no `=`"),
            ("slack=hooks.slack.com/x", "no http or https URL"),
            ("alertmanager=ftp://host/", "no http or https URL"),
            ("alertmanager=http://user@host/", "user name"),
        ] {
            let error = parse(text).map(drop).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn the_status_decides_whether_a_notification_is_repeated() {
        let of = |status: u16| outcome(StatusCode::from_u16(status).unwrap(), Some(2));
        let failed = Outcome::Failed { retry_after_ns: Some(2_000_000_000) };
        assert_eq!([200, 202, 204].map(of), [Outcome::Accepted; 3]);
        assert_eq!([429, 500, 503, 408].map(of), [failed; 4]);
        assert_eq!([302, 400, 403, 404, 410].map(of), [Outcome::Rejected; 5]);
    }
}
