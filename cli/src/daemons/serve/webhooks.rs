//! Webhooks: sends what an [`Outbox`] holds for each receiver, in a task of its own, so that a receiver that is slow or
//! away delays neither the server nor other receivers. Alerts are stored before they are sent.

use std::collections::BTreeSet;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
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
use web::webhooks::{Counts, Format, Outbox, Outcome, Receiver, Request as Notification, receiver_id};
use web::{Alerts, Metric};

use super::Shared;
use crate::daemons::config::settings::Settings;
use crate::daemons::operations;
use crate::input::read_text;

/// Maximum time of a request, connecting included.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long a receiver without anything to send waits for an alert.
const IDLE: Duration = Duration::from_secs(3_600);
/// Interval at which alerts that could not be stored are stored again.
const SAVE_RETRY: Duration = Duration::from_secs(10);
/// The path of Alertmanager's API, for an address without a path.
const ALERTS: &str = "/api/v2/alerts";

/// A receiver and how it is reached.
pub(crate) struct Target {
    uri: Uri,
    /// Its name in the store.
    id: String,
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
    Ok((format, parse_url(url)?))
}

/// Reads a URL.
///
/// # Errors
/// It is none of http or https, or has a user name.
pub(crate) fn parse_url(url: &str) -> Result<Uri, String> {
    let uri: Uri = url.parse().map_err(|_| "this is no http or https URL")?;
    let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
    match uri.authority() {
        Some(authority) if is_http && !authority.as_str().contains('@') => Ok(uri),
        Some(_) if is_http => Err("a URL with a user name is not supported".into()),
        _ => Err("this is no http or https URL".into()),
    }
}

/// Reads the secret that signs webhooks.
///
/// # Errors
/// The file cannot be read, or is empty.
pub(crate) fn read_secret(path: &Path) -> anyhow::Result<Vec<u8>> {
    let text = read_text(path)?;
    match text.trim() {
        "" => bail!("{} is empty", path.display()),
        secret => Ok(secret.as_bytes().to_vec()),
    }
}

/// Returns the receivers of a configuration.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn targets(settings: &Settings) -> anyhow::Result<Vec<Target>> {
    let secret = settings.path("webhook_secret").map(read_secret).transpose();
    let secret = secret.with_context(|| format!("{}: webhook_secret", settings.origin("webhook_secret")))?;
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
        let id = receiver_id(format, &uri.to_string());
        Ok(Target { uri, id, name, tls, receiver })
    };
    let targets: anyhow::Result<Vec<Target>> = settings.texts("webhooks").into_iter().map(target).collect();
    targets.with_context(|| format!("{}: webhooks", settings.origin("webhooks")))
}

/// Starts a task for each receiver. It sends what an earlier server has not sent, and alerts from now on.
///
/// # Errors
/// The store cannot be read or written.
pub(crate) async fn start<S>(
    shared: &Arc<Shared>,
    targets: Vec<Target>,
    until_stopped: impl Fn() -> S,
) -> anyhow::Result<Vec<JoinHandle<()>>>
where
    S: Future<Output = ()> + Send + 'static,
{
    let mut tasks = Vec::with_capacity(targets.len());
    let ids: Vec<String> = targets.iter().map(|target| target.id.clone()).collect();
    shared.live.store().keep_webhooks(&ids).await?;
    for target in targets {
        let alerts = shared.live.alerts();
        let sender = Sender::new(shared, target).await?;
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
    target: Arc<Target>,
    /// Time is counted from here: a wall clock may jump.
    start: Instant,
    /// Whether the latest write has failed.
    is_unsaved: bool,
}

/// A request that is under way.
type Sending = Pin<Box<dyn Future<Output = (Notification, Outcome)> + Send>>;

impl Sender {
    /// Continues with what the store has of the receiver, and writes that it is known.
    async fn new(shared: &Arc<Shared>, target: Target) -> anyhow::Result<Sender> {
        let saved = shared.live.store().webhook(&target.id).await?;
        let outbox = match &saved {
            Some(saved) => Outbox::restore(target.receiver.clone(), saved),
            None => Outbox::new(target.receiver.clone(), shared.live.open_alerts().await?, 0),
        };
        let (shared, target) = (shared.clone(), Arc::new(target));
        let mut sender = Sender { shared, outbox, target, start: Instant::now(), is_unsaved: false };
        if saved.is_some() {
            sender.resync().await?;
        }
        sender.save().await;
        sender.report();
        Ok(sender)
    }

    async fn run(mut self, mut alerts: Alerts) {
        let mut sending: Option<Sending> = None;
        loop {
            self.save().await;
            if sending.is_none() {
                sending = self.outbox.request(self.now_ns()).map(|request| self.target.clone().send(request));
            }
            self.report();
            let due = self.due(sending.is_some());
            tokio::select! {
                received = alerts.recv() => match received {
                    Ok(alert) => self.observe(alert, &mut alerts),
                    Err(RecvError::Lagged(_)) => {
                        // More alerts have arrived during a write than are kept.
                        if let Err(error) = self.resync().await {
                            warn!(%error, "webhooks lack changes of incidents");
                        }
                    }
                    Err(RecvError::Closed) => return,
                },
                (request, outcome) = under_way(&mut sending) => {
                    sending = None;
                    // Without randomness the delay is the shortest.
                    let random = operations::random().unwrap_or(0);
                    self.outbox.done(&request, outcome, self.now_ns(), random);
                }
                () = tokio::time::sleep_until(due) => {}
            }
        }
    }

    /// When there is something to do that no alert and no answer announces.
    fn due(&self, is_sending: bool) -> Instant {
        let mut due = Instant::now() + if self.is_unsaved { SAVE_RETRY } else { IDLE };
        if let Some(due_ns) = self.outbox.due_ns().filter(|_| !is_sending) {
            due = due.min(self.start + Duration::from_nanos(due_ns));
        }
        due
    }

    /// Takes an alert and those that have arrived after it, so that they are written together.
    fn observe(&mut self, alert: web::webhooks::Alert, alerts: &mut Alerts) {
        self.outbox.observe(alert);
        // A gap is reported by the next call that waits.
        while let Ok(alert) = alerts.try_recv() {
            self.outbox.observe(alert);
        }
    }

    /// Stores what has changed. While the store fails, alerts are sent all the same.
    async fn save(&mut self) {
        let Some(changes) = self.outbox.unsaved() else { return };
        let store = self.shared.live.store();
        let saved = store.change_webhook(&self.target.id, &changes, operations::wall_ns()).await;
        if let Err(error) = &saved {
            self.outbox.not_saved();
            if !self.is_unsaved {
                warn!(receiver = self.target.name, %error, "alerts that wait are not stored: a restart would lose them");
            }
        }
        self.is_unsaved = saved.is_err();
    }

    fn now_ns(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Reads the open incidents again, because changes were missed.
    async fn resync(&mut self) -> Result<(), store::StoreError> {
        let open = self.shared.live.open_alerts().await?;
        let lasting: BTreeSet<&str> = open.iter().map(|alert| alert.incident.as_str()).collect();
        let ended = self.outbox.firing().filter(|incident| !lasting.contains(incident));
        // With their end; those of incidents that are removed have none.
        for incident in ended.map(str::to_string).collect::<Vec<_>>() {
            if let Some(alert) = self.shared.live.alert_of(&incident).await? {
                self.outbox.observe(alert);
            }
        }
        self.outbox.resync(open);
        Ok(())
    }

    /// Shows the counts in the metrics.
    fn report(&self) {
        let mut webhooks = self.shared.webhooks.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (self.target.name.clone(), self.target.receiver.format.name());
        webhooks.insert(key, self.outbox.counts());
    }
}

/// Waits for the result of the request that is under way; for ever without one.
async fn under_way(sending: &mut Option<Sending>) -> (Notification, Outcome) {
    match sending {
        Some(sending) => sending.await,
        None => std::future::pending().await,
    }
}

impl Target {
    /// Sends a request.
    fn send(self: Arc<Target>, request: Notification) -> Sending {
        Box::pin(async move {
            let outcome = self.outcome(&request).await;
            (request, outcome)
        })
    }

    async fn outcome(&self, request: &Notification) -> Outcome {
        let receiver = &self.name;
        match tokio::time::timeout(TIMEOUT, self.post(request)).await {
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
        }
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
