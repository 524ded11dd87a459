//! A gNMI server over tables in JSON, as a SONiC switch offers its databases: Capabilities, Get, and Subscribe once, by poll,
//! sampled and on change. It refuses Set.
//!
//! Limits: [`MAX_PATHS`] paths a subscription, [`LEAST_SAMPLE`] as the shortest interval. A client that does not read gets no
//! more than the messages of its HTTP/2 window and one channel.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::Value as Json;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{Stream, StreamExt as _};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status, Streaming};

use crate::proto::g_nmi_server::GNmi;
pub use crate::proto::g_nmi_server::GNmiServer;
use crate::proto::subscribe_request::Request as Kind;
use crate::proto::subscribe_response::Response as Answer;
use crate::proto::typed_value::Value;
use crate::proto::{
    CapabilityRequest, CapabilityResponse, Encoding, GetRequest, GetResponse, ModelData, Notification, Path,
    SetRequest, SetResponse, SubscribeRequest, SubscribeResponse, Subscription, SubscriptionList,
    SubscriptionMode, TypedValue, Update, subscription_list,
};

/// The maximum number of paths of a request.
pub const MAX_PATHS: usize = 1_024;
/// The shortest interval of samples; shorter ones are refused, 0 stands for it. SONiC has the same.
pub const LEAST_SAMPLE: Duration = Duration::from_secs(1);
/// Messages that wait for a client.
const QUEUED: usize = 64;

/// What the server serves.
pub trait Tables: Send + Sync + 'static {
    /// The values at a path of a target, each with its path; a path with wildcards may have several.
    ///
    /// # Errors
    /// There is no such target or path.
    fn values(&self, target: &str, path: &Path) -> Result<Vec<(Path, Json)>, String>;

    /// Sees a new number whenever a value may have changed.
    fn changes(&self) -> watch::Receiver<u64>;
}

/// The service.
pub struct Server<T> {
    tables: Arc<T>,
    credentials: Option<(String, String)>,
}

impl<T: Tables> Server<T> {
    /// Serves tables; with credentials, to clients that send this user and password.
    pub fn new(tables: Arc<T>, credentials: Option<(String, String)>) -> Server<T> {
        Server { tables, credentials }
    }

    fn authenticate(&self, metadata: &MetadataMap) -> Result<(), Status> {
        let Some((user, password)) = &self.credentials else { return Ok(()) };
        let is = |name: &str, expected: &String| {
            metadata.get(name).is_some_and(|value| value.as_bytes() == expected.as_bytes())
        };
        if metadata.get("username").is_none() {
            return Err(Status::unauthenticated("No Username Provided"));
        }
        // The statuses are SONiC's.
        if is("username", user) && is("password", password) {
            Ok(())
        } else {
            Err(Status::permission_denied("Invalid Password"))
        }
    }
}

/// The paths of a request, with the prefix of the request.
struct Query<T> {
    tables: Arc<T>,
    prefix: Path,
}

impl<T: Tables> Query<T> {
    fn new(tables: &Arc<T>, prefix: Option<Path>, paths: usize) -> Result<Query<T>, Status> {
        if paths > MAX_PATHS {
            return Err(Status::resource_exhausted(format!("more than {MAX_PATHS} paths")));
        }
        Ok(Query { tables: tables.clone(), prefix: prefix.unwrap_or_default() })
    }

    /// The values of a path, now.
    fn values(&self, path: &Path) -> Result<Vec<(Path, Json)>, Status> {
        let elem = self.prefix.elem.iter().chain(&path.elem).cloned().collect();
        let whole = Path { elem, ..Path::default() };
        self.tables.values(&self.prefix.target, &whole).map_err(Status::not_found)
    }

    fn notification(&self, values: &[(Path, Json)]) -> Notification {
        let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        let updates = values.iter().map(|(path, json)| Update {
            path: Some(path.clone()),
            val: Some(TypedValue { value: Some(Value::JsonIetfVal(json.to_string().into_bytes())) }),
            ..Update::default()
        });
        let prefix = Path { target: self.prefix.target.clone(), ..Path::default() };
        Notification {
            timestamp: i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
            prefix: Some(prefix),
            update: updates.collect(),
            ..Notification::default()
        }
    }

    fn update(&self, path: &Path) -> Result<SubscribeResponse, Status> {
        Ok(response(Answer::Update(self.notification(&self.values(path)?))))
    }
}

fn response(answer: Answer) -> SubscribeResponse {
    SubscribeResponse { response: Some(answer), extension: Vec::new() }
}

type Sender = mpsc::Sender<Result<SubscribeResponse, Status>>;

#[tonic::async_trait]
impl<T: Tables> GNmi for Server<T> {
    type SubscribeStream = Pin<Box<dyn Stream<Item = Result<SubscribeResponse, Status>> + Send>>;

    async fn capabilities(
        &self,
        request: Request<CapabilityRequest>,
    ) -> Result<Response<CapabilityResponse>, Status> {
        self.authenticate(request.metadata())?;
        Ok(Response::new(CapabilityResponse {
            supported_models: vec![ModelData { name: "sonic-db".into(), ..ModelData::default() }],
            supported_encodings: vec![Encoding::JsonIetf.into(), Encoding::Json.into()],
            g_nmi_version: "0.7.0".into(),
            extension: Vec::new(),
        }))
    }

    async fn get(&self, request: Request<GetRequest>) -> Result<Response<GetResponse>, Status> {
        self.authenticate(request.metadata())?;
        let request = request.into_inner();
        let query = Query::new(&self.tables, request.prefix, request.path.len())?;
        let read = |path: &Path| Ok(query.notification(&query.values(path)?));
        let notification = request.path.iter().map(read).collect::<Result<Vec<_>, Status>>()?;
        Ok(Response::new(GetResponse { notification, ..GetResponse::default() }))
    }

    async fn set(&self, _: Request<SetRequest>) -> Result<Response<SetResponse>, Status> {
        Err(Status::unimplemented("this switch is read only"))
    }

    async fn subscribe(
        &self,
        request: Request<Streaming<SubscribeRequest>>,
    ) -> Result<Response<Self::SubscribeStream>, Status> {
        self.authenticate(request.metadata())?;
        let mut requests = request.into_inner();
        let first =
            requests.next().await.ok_or_else(|| Status::aborted("stream EOF received before init"))??;
        let Some(Kind::Subscribe(list)) = first.request else {
            return Err(Status::invalid_argument("first message must be SubscriptionList"));
        };
        let query = Arc::new(Query::new(&self.tables, list.prefix.clone(), list.subscription.len())?);
        let (sender, receiver) = mpsc::channel(QUEUED);
        tokio::spawn(async move {
            if let Err(status) = serve(&query, &list, &mut requests, &sender).await {
                // A client that is gone needs no status.
                let _ = sender.send(Err(status)).await;
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(receiver))))
    }
}

/// Serves a subscription to its end: its last value, or the client that is gone.
async fn serve<T: Tables>(
    query: &Arc<Query<T>>,
    list: &SubscriptionList,
    requests: &mut Streaming<SubscribeRequest>,
    sender: &Sender,
) -> Result<(), Status> {
    let paths: Vec<Path> =
        list.subscription.iter().map(|subscription| subscription.path.clone().unwrap_or_default()).collect();
    let all = async || {
        for path in &paths {
            send(sender, query.update(path)?).await?;
        }
        send(sender, response(Answer::SyncResponse(true))).await
    };
    match list.mode() {
        subscription_list::Mode::Once => all().await,
        subscription_list::Mode::Poll => {
            while let Some(request) = requests.next().await {
                match request?.request {
                    Some(Kind::Poll(_)) => all().await?,
                    _ => return Err(Status::invalid_argument("expected Poll")),
                }
            }
            Ok(())
        }
        subscription_list::Mode::Stream => {
            let subscriptions = list.subscription.iter().zip(paths.iter());
            let intervals = subscriptions.clone().map(|(subscription, _)| sample_interval(subscription));
            let intervals = intervals.collect::<Result<Vec<_>, Status>>()?;
            all().await?;
            let mut followed = JoinSet::new();
            for (path, interval) in paths.iter().zip(intervals) {
                followed.spawn(follow(Arc::clone(query), path.clone(), interval, sender.clone()));
            }
            let ended = async {
                while let Some(result) = followed.join_next().await {
                    result.map_err(|error| Status::internal(error.to_string()))??;
                }
                Ok(())
            };
            tokio::select! {
                result = ended => result,
                // The client may close its side and go on reading; only its end matters.
                () = sender.closed() => Ok(()),
            }
        }
    }
}

/// The interval of a sampled path; `None` for one on change.
fn sample_interval(subscription: &Subscription) -> Result<Option<Duration>, Status> {
    let interval = Duration::from_nanos(subscription.sample_interval);
    match subscription.mode() {
        SubscriptionMode::OnChange | SubscriptionMode::TargetDefined => Ok(None),
        SubscriptionMode::Sample if interval.is_zero() => Ok(Some(LEAST_SAMPLE)),
        SubscriptionMode::Sample if interval < LEAST_SAMPLE => Err(Status::invalid_argument(format!(
            "invalid interval: {interval:?}. It cannot be less than {LEAST_SAMPLE:?}"
        ))),
        SubscriptionMode::Sample => Ok(Some(interval)),
    }
}

/// Sends a path again and again, at an interval or when it changes.
async fn follow<T: Tables>(
    query: Arc<Query<T>>,
    path: Path,
    interval: Option<Duration>,
    sender: Sender,
) -> Result<(), Status> {
    if let Some(interval) = interval {
        let mut ticks = interval_at(Instant::now() + interval, interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            ticks.tick().await;
            send(&sender, query.update(&path)?).await?;
        }
    }
    let mut changes = query.tables.changes();
    let mut known = query.values(&path)?;
    while changes.changed().await.is_ok() {
        let values = query.values(&path)?;
        if values != known {
            send(&sender, response(Answer::Update(query.notification(&values)))).await?;
            known = values;
        }
    }
    Ok(())
}

async fn send(sender: &Sender, message: SubscribeResponse) -> Result<(), Status> {
    sender.send(Ok(message)).await.map_err(|_| Status::cancelled("the client is gone"))
}
