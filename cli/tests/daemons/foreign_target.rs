//! A P4Runtime target that a controller cannot use, as a server of its own.
//!
//! Its answers are those of `simple_switch_grpc` (p4lang/PI, `pi_server.cpp` and `device_mgr.cpp`), which has no
//! registers over P4Runtime; versions and the fixed program are added.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use p4runtime::proto::p4::v1::p4_runtime_server::{P4Runtime, P4RuntimeServer};
use p4runtime::proto::p4::v1::{
    self, forwarding_pipeline_config::Cookie, stream_message_request, stream_message_response,
};
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tokio_stream::{Stream, StreamExt};
use tonic::{Request, Response, Status, Streaming};

use crate::network::runtime;

/// What a target answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answers {
    /// Its version of P4Runtime; `None`: `Capabilities` is not implemented.
    pub(crate) version: Option<&'static str>,
    /// Whether it runs a program that cannot be replaced.
    pub(crate) has_fixed_program: bool,
}

/// What a controller has done with a target.
#[derive(Debug, Default)]
struct Seen {
    /// Times of its attempts.
    attempts: Vec<Instant>,
    /// Arbitrations.
    arbitrations: usize,
    /// Requests to write entities.
    writes: usize,
    pipeline: Option<v1::ForwardingPipelineConfig>,
}

/// A running target; it ends with the test.
pub(crate) struct Target {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Seen>>,
}

impl Target {
    pub(crate) fn start(answers: Answers) -> Target {
        let seen = Arc::<Mutex<Seen>>::default();
        let service = P4RuntimeServer::new(Service { answers, seen: seen.clone() });
        let (bound, address) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            runtime().block_on(async move {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
                bound.send(listener.local_addr().expect("it is bound")).expect("the test waits");
                let server = tonic::transport::Server::builder().add_service(service);
                server.serve_with_incoming(TcpListenerStream::new(listener)).await.expect("it serves");
            });
        });
        Target { address: address.recv().expect("it starts"), seen }
    }

    /// Times of the controller's attempts.
    pub(crate) fn attempts(&self) -> Vec<Instant> {
        lock(&self.seen).attempts.clone()
    }

    /// Number of arbitrations and of requests to write entities.
    pub(crate) fn touched(&self) -> (usize, usize) {
        let seen = lock(&self.seen);
        (seen.arbitrations, seen.writes)
    }
}

fn lock(seen: &Mutex<Seen>) -> std::sync::MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Service {
    answers: Answers,
    seen: Arc<Mutex<Seen>>,
}

type Answered<T> = Result<Response<T>, Status>;
type Messages<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl P4Runtime for Service {
    type ReadStream = Messages<v1::ReadResponse>;
    type StreamChannelStream = Messages<v1::StreamMessageResponse>;

    async fn capabilities(&self, _: Request<v1::CapabilitiesRequest>) -> Answered<v1::CapabilitiesResponse> {
        lock(&self.seen).attempts.push(Instant::now());
        let version = self.answers.version.ok_or_else(|| Status::unimplemented("unknown method"))?;
        Ok(Response::new(v1::CapabilitiesResponse {
            p4runtime_api_version: version.into(),
            ..Default::default()
        }))
    }

    /// Every bid wins.
    async fn stream_channel(
        &self,
        request: Request<Streaming<v1::StreamMessageRequest>>,
    ) -> Answered<Self::StreamChannelStream> {
        let (answers, answered) = tokio::sync::mpsc::channel(8);
        let (seen, mut messages) = (self.seen.clone(), request.into_inner());
        tokio::spawn(async move {
            while let Ok(Some(message)) = messages.message().await {
                let Some(stream_message_request::Update::Arbitration(mut bid)) = message.update else {
                    continue;
                };
                lock(&seen).arbitrations += 1;
                bid.status = Some(Default::default());
                let update = Some(stream_message_response::Update::Arbitration(bid));
                if answers.send(Ok(v1::StreamMessageResponse { update })).await.is_err() {
                    return;
                }
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(answered))))
    }

    async fn get_forwarding_pipeline_config(
        &self,
        _: Request<v1::GetForwardingPipelineConfigRequest>,
    ) -> Answered<v1::GetForwardingPipelineConfigResponse> {
        let fixed = v1::ForwardingPipelineConfig { cookie: Some(Cookie { cookie: 7 }), ..Default::default() };
        let running = lock(&self.seen).pipeline.clone().or(self.answers.has_fixed_program.then_some(fixed));
        match running {
            Some(config) => {
                Ok(Response::new(v1::GetForwardingPipelineConfigResponse { config: Some(config) }))
            }
            None => Err(Status::failed_precondition("No forwarding pipeline config set for this device")),
        }
    }

    async fn set_forwarding_pipeline_config(
        &self,
        request: Request<v1::SetForwardingPipelineConfigRequest>,
    ) -> Answered<v1::SetForwardingPipelineConfigResponse> {
        if self.answers.has_fixed_program {
            return Err(Status::invalid_argument("the P4Info is not that of the fixed pipeline"));
        }
        lock(&self.seen).pipeline = request.into_inner().config;
        Ok(Response::new(Default::default()))
    }

    async fn write(&self, _: Request<v1::WriteRequest>) -> Answered<v1::WriteResponse> {
        lock(&self.seen).writes += 1;
        Ok(Response::new(Default::default()))
    }

    /// An empty response, then the error.
    async fn read(&self, _: Request<v1::ReadRequest>) -> Answered<Self::ReadStream> {
        let error = Status::unimplemented("Register reads are not supported yet");
        let messages = tokio_stream::iter([Ok(v1::ReadResponse::default()), Err(error)]);
        Ok(Response::new(Box::pin(messages.fuse())))
    }
}
