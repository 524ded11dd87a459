//! Subscribes to what a device streams.
//!
//! [`Client::get`] and [`Client::once`] read a path, [`Client::stream`] subscribes to paths, sampled or on change. User and
//! password are sent as metadata with every call (gNMI authentication, openconfig/reference `rpc/gnmi/gnmi-authentication.md`).

use std::time::Duration;

use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};
use tonic::{Code, Request, Status, Streaming};

use crate::path;
use crate::proto::g_nmi_client::GNmiClient;
use crate::proto::subscribe_request::Request as Kind;
use crate::proto::subscribe_response::Response;
use crate::proto::{
    Encoding, GetRequest, Notification, Path, SubscribeRequest, SubscribeResponse, Subscription,
    SubscriptionList, SubscriptionMode, subscription_list,
};

/// Maximum size of a received message in bytes: all queues of a large switch in one JSON object.
const MESSAGE_BYTES: usize = 64 << 20;
/// Maximum size of what [`Client::once`] receives, in messages.
const ONCE_MESSAGES: usize = 500_000;
/// Maximum time of connecting, of the answer of [`Client::get`], and of that of [`Client::once`] without a further message.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Interval and timeout of keepalives, which end a stream to a device that was cut off.
const KEEPALIVE: Duration = Duration::from_secs(10);

/// How to reach a device.
#[derive(Clone, PartialEq, Eq)]
pub struct Settings {
    /// Host and port, `10.0.0.1:9339`.
    pub authority: String,
    /// Certificates of the authorities that the device's certificate is checked against (PEM); without them the connection
    /// is not encrypted.
    pub ca: Option<Vec<u8>>,
    /// User and password.
    pub credentials: Option<(String, String)>,
}

impl std::fmt::Debug for Settings {
    /// Omits the credentials.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings").field("authority", &self.authority).finish_non_exhaustive()
    }
}

/// Why a device cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The address or the credentials are malformed.
    #[error("{0}")]
    Malformed(&'static str),
    /// There is no connection.
    #[error("cannot connect: {0}")]
    Connect(String),
    /// The device knows neither the user nor the password.
    #[error(
        "authentication failed: {0}; give user and password as in gnmi://USER@HOST, HARRIER_GNMI_PASSWORD=..."
    )]
    Credentials(String),
    /// The device does not serve a path.
    #[error("the device refuses {path}: {reason}")]
    Path {
        /// The paths.
        path: String,
        /// What the device says.
        reason: String,
    },
    /// The device sends more than the limit.
    #[error("the device sent more than {ONCE_MESSAGES} messages for one path")]
    TooMuch,
    /// The device is silent.
    #[error("the device sent nothing for {0:?}")]
    Silent(Duration),
    /// The device has ended the subscription.
    #[error("the device has ended the subscription")]
    Ended,
    /// Any other error of the call.
    #[error("{0}")]
    Call(String),
}

impl ClientError {
    fn of(status: &Status, path: &str) -> ClientError {
        let reason = format!("{} ({:?})", status.message(), status.code());
        match status.code() {
            Code::Unauthenticated | Code::PermissionDenied => ClientError::Credentials(reason),
            Code::NotFound | Code::InvalidArgument | Code::Unimplemented | Code::OutOfRange => {
                ClientError::Path { path: path.to_string(), reason }
            }
            _ => ClientError::Call(reason),
        }
    }
}

/// A path to subscribe to.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// The path.
    pub path: Path,
    /// The interval at which it is sampled; absent: on change.
    pub sample: Option<Duration>,
}

/// A connection to a device.
#[derive(Clone)]
pub struct Client {
    grpc: GNmiClient<Channel>,
    credentials: Option<[MetadataValue<Ascii>; 2]>,
}

impl Client {
    /// Connects to a device.
    ///
    /// # Errors
    /// The address is malformed or cannot be reached, or its certificate is not trusted.
    pub async fn connect(settings: &Settings) -> Result<Client, ClientError> {
        let scheme = if settings.ca.is_some() { "https" } else { "http" };
        let endpoint = Endpoint::from_shared(format!("{scheme}://{}", settings.authority));
        let mut endpoint = endpoint.map_err(|_| ClientError::Malformed("expected HOST:PORT as address"))?;
        if let Some(ca) = &settings.ca {
            let tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(ca));
            endpoint = endpoint.tls_config(tls).map_err(|error| ClientError::Connect(chain(&error)))?;
        }
        let channel = endpoint
            .connect_timeout(TIMEOUT)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(KEEPALIVE)
            .keep_alive_timeout(KEEPALIVE)
            .keep_alive_while_idle(true)
            .connect()
            .await
            .map_err(|error| ClientError::Connect(chain(&error)))?;
        let value = |text: &str| {
            MetadataValue::try_from(text)
                .map_err(|_| ClientError::Malformed("user and password may have printable ASCII only"))
        };
        let credentials = match &settings.credentials {
            Some((user, password)) => Some([value(user)?, value(password)?]),
            None => None,
        };
        Ok(Client { grpc: GNmiClient::new(channel).max_decoding_message_size(MESSAGE_BYTES), credentials })
    }

    async fn subscribe(
        &mut self,
        target: &str,
        mode: subscription_list::Mode,
        wanted: &[Wanted],
    ) -> Result<Subscribed, ClientError> {
        let shown = wanted.iter().map(|wanted| path::shown(&wanted.path)).collect::<Vec<_>>().join(", ");
        let shown = with_target(target, shown);
        let subscription = wanted.iter().map(|wanted| Subscription {
            path: Some(wanted.path.clone()),
            mode: match (mode, wanted.sample) {
                (subscription_list::Mode::Stream, Some(_)) => SubscriptionMode::Sample,
                (subscription_list::Mode::Stream, None) => SubscriptionMode::OnChange,
                _ => SubscriptionMode::TargetDefined,
            }
            .into(),
            sample_interval: wanted
                .sample
                .map_or(0, |interval| u64::try_from(interval.as_nanos()).unwrap_or(u64::MAX)),
            ..Subscription::default()
        });
        let list = SubscriptionList {
            prefix: prefix(target),
            subscription: subscription.collect(),
            mode: mode.into(),
            encoding: Encoding::JsonIetf.into(),
            ..SubscriptionList::default()
        };
        let first = SubscribeRequest { request: Some(Kind::Subscribe(list)), extension: Vec::new() };
        // The stream of requests stays open: a device may take its end as the end of the subscription.
        let (sender, requests) = tokio::sync::mpsc::channel(1);
        sender.try_send(first).map_err(|_| ClientError::Ended)?;
        let request = self.request(tokio_stream::wrappers::ReceiverStream::new(requests));
        let call = tokio::time::timeout(TIMEOUT, self.grpc.subscribe(request));
        let responses = call.await.map_err(|_| ClientError::Silent(TIMEOUT))?;
        let responses = responses.map_err(|status| ClientError::of(&status, &shown))?.into_inner();
        Ok(Subscribed { responses, shown, _requests: sender })
    }

    /// A request with user and password.
    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        if let Some([user, password]) = &self.credentials {
            request.metadata_mut().insert("username", user.clone());
            request.metadata_mut().insert("password", password.clone());
        }
        request
    }

    /// Reads a path by Get; nothing if the device has no such path now (status NOT_FOUND).
    ///
    /// # Errors
    /// The device refuses the credentials or the path, is silent, or sends more than the limits.
    pub async fn get(&mut self, target: &str, path: &Path) -> Result<Vec<Notification>, ClientError> {
        let shown = with_target(target, path::shown(path));
        let message = GetRequest {
            prefix: prefix(target),
            path: vec![path.clone()],
            encoding: Encoding::JsonIetf.into(),
            ..GetRequest::default()
        };
        let request = self.request(message);
        let call = tokio::time::timeout(TIMEOUT, self.grpc.get(request));
        match call.await.map_err(|_| ClientError::Silent(TIMEOUT))? {
            Ok(response) => Ok(response.into_inner().notification),
            Err(status) if status.code() == Code::NotFound => Ok(Vec::new()),
            Err(status) => Err(ClientError::of(&status, &shown)),
        }
    }

    /// Reads a path once by Subscribe.
    ///
    /// # Errors
    /// The device refuses the credentials or the path, is silent, or sends more than the limits.
    pub async fn once(&mut self, target: &str, path: &Path) -> Result<Vec<Notification>, ClientError> {
        let wanted = Wanted { path: path.clone(), sample: None };
        let mut subscribed = self.subscribe(target, subscription_list::Mode::Once, &[wanted]).await?;
        let mut notifications = Vec::new();
        loop {
            match subscribed.next(TIMEOUT).await {
                Ok(Some(Event::Update(notification))) => notifications.push(notification),
                Ok(Some(Event::Synced)) | Err(ClientError::Ended) => return Ok(notifications),
                Ok(None) => return Err(ClientError::Silent(TIMEOUT)),
                Err(error) => return Err(error),
            }
            if notifications.len() > ONCE_MESSAGES {
                return Err(ClientError::TooMuch);
            }
        }
    }

    /// Subscribes to paths, each sampled or on change.
    ///
    /// # Errors
    /// The device refuses the credentials or a path.
    pub async fn stream(&mut self, target: &str, wanted: &[Wanted]) -> Result<Subscribed, ClientError> {
        self.subscribe(target, subscription_list::Mode::Stream, wanted).await
    }
}

fn prefix(target: &str) -> Option<Path> {
    (!target.is_empty()).then(|| Path { target: target.to_string(), ..Path::default() })
}

/// Paths for people, with their target.
fn with_target(target: &str, shown: String) -> String {
    if target.is_empty() { shown } else { format!("{target} {shown}") }
}

/// What a device sends.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Values.
    Update(Notification),
    /// All values were sent once.
    Synced,
}

/// A subscription; it ends when it is dropped.
pub struct Subscribed {
    responses: Streaming<SubscribeResponse>,
    /// The paths, for errors.
    shown: String,
    _requests: tokio::sync::mpsc::Sender<SubscribeRequest>,
}

impl Subscribed {
    /// Returns what the device sends next; `None` if it sends nothing in this time.
    ///
    /// # Errors
    /// The device has ended the subscription, or refuses a path.
    pub async fn next(&mut self, patience: Duration) -> Result<Option<Event>, ClientError> {
        loop {
            let Ok(received) = tokio::time::timeout(patience, self.responses.message()).await else {
                return Ok(None);
            };
            let received = received.map_err(|status| ClientError::of(&status, &self.shown))?;
            #[allow(deprecated, reason = "older devices send errors as messages")]
            match received.ok_or(ClientError::Ended)?.response {
                Some(Response::Update(notification)) => return Ok(Some(Event::Update(notification))),
                Some(Response::SyncResponse(_)) => return Ok(Some(Event::Synced)),
                Some(Response::Error(error)) => {
                    return Err(ClientError::Path { path: self.shown.clone(), reason: error.message });
                }
                None => {}
            }
        }
    }
}

/// An error with its sources: those of tonic say only "transport error" themselves.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}
