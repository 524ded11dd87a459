//! The gRPC service: performs checks in the order of the specification, then calls the device or the hub.

use super::access::SwitchAccess;
use super::arbitration::{ClientId, RoleKey, WriteTicket};
use super::client_names::may_change;
use super::device::Change;
use super::hub::Outgoing;
use super::role::Scope;
use super::{API_VERSION, Inner, Server};
use crate::error::{Refusal, accepted_detail_bytes, batch_status};
use crate::proto::p4::v1::{
    self, get_forwarding_pipeline_config_request::ResponseType, p4_runtime_server::P4Runtime,
    stream_error::Details, stream_message_request::Update as Incoming, stream_message_response::Update,
};
use p4_lang::Cancel;
use std::pin::Pin;
use std::sync::Arc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{Stream, StreamExt};
use tonic::{Code, Request, Response, Status, Streaming};

type ReadStream = Pin<Box<dyn Stream<Item = Result<v1::ReadResponse, Status>> + Send>>;

/// Permission to write. Dropping it ends the write, also when the client disconnects during it.
struct WritePermit<A: SwitchAccess> {
    inner: Arc<Inner<A>>,
    ticket: Option<WriteTicket>,
}

impl<A: SwitchAccess> WritePermit<A> {
    /// The access rights of the role.
    fn scope(&self) -> Arc<Scope> {
        self.ticket.as_ref().map(|ticket| ticket.scope.clone()).unwrap_or_default()
    }
}

impl<A: SwitchAccess> Drop for WritePermit<A> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            self.inner.hub().end_write(ticket);
        }
    }
}

/// Cancels a compilation for which no caller waits any longer.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl<A: SwitchAccess> Server<A> {
    fn begin_write(
        &self,
        device_id: u64,
        role: RoleKey,
        election_id: Option<v1::Uint128>,
    ) -> Result<WritePermit<A>, Status> {
        let ticket =
            self.inner.hub().begin_write(device_id, role, election_id).map_err(Refusal::into_status)?;
        Ok(WritePermit { inner: self.inner.clone(), ticket: Some(ticket) })
    }

    /// Compiles a pipeline. If the client disconnects, the compilation is cancelled.
    async fn prepare(
        &self,
        action: i32,
        config: Option<v1::ForwardingPipelineConfig>,
    ) -> Result<Change, Status> {
        let place = self.inner.compilations.clone().acquire_owned().await;
        let place = place.map_err(|_| Status::unavailable("the server is stopping"))?;
        let abandoned = CancelOnDrop(Cancel::default());
        let (inner, cancel) = (self.inner.clone(), abandoned.0.clone());
        let prepared = blocking(move || {
            let prepared = inner.device.prepare(action, config, &cancel);
            drop(place);
            prepared
        });
        prepared.await?.map_err(Refusal::into_status)
    }

    fn check_device(&self, device_id: u64) -> Result<(), Status> {
        self.inner.hub().arbitration.check_device(device_id).map_err(Refusal::into_status)
    }
}

/// Runs a blocking function on a thread for blocking tasks.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Status> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Status::internal(format!("the call failed: {error}")))
}

#[tonic::async_trait]
impl<A: SwitchAccess> P4Runtime for Server<A> {
    type ReadStream = ReadStream;
    type StreamChannelStream = ReceiverStream<Outgoing>;

    async fn write(&self, request: Request<v1::WriteRequest>) -> Result<Response<v1::WriteResponse>, Status> {
        may_change(&request)?;
        let detail_bytes = accepted_detail_bytes(request.metadata());
        let request = request.into_inner();
        #[allow(deprecated, reason = "clients before 1.4 know their role by number")]
        let role = RoleKey::of_request(&request.role, request.role_id);
        let permit = self.begin_write(request.device_id, role, request.election_id)?;
        let digests = request.updates.iter().any(touches_digest);
        let inner = self.inner.clone();
        let results = blocking(move || {
            let scope = permit.scope();
            let results = inner.device.write(request.updates, request.atomicity, &scope);
            if digests {
                inner.refresh_digests(false);
            }
            drop(permit);
            results
        })
        .await?
        .map_err(Refusal::into_status)?;
        batch_status("updates", &results, detail_bytes)?;
        Ok(Response::new(v1::WriteResponse {}))
    }

    async fn read(&self, request: Request<v1::ReadRequest>) -> Result<Response<ReadStream>, Status> {
        let detail_bytes = accepted_detail_bytes(request.metadata());
        let request = request.into_inner();
        self.check_device(request.device_id)?;
        let role = RoleKey::of_request(&request.role, 0);
        let scope = self.inner.hub().arbitration.scope(&role);
        let (inner, wanted) = (self.inner.clone(), scope.clone());
        let (output, results) = blocking(move || inner.device.read(&request.entities, &wanted))
            .await?
            .map_err(Refusal::into_status)?;
        let messages = output.into_messages(self.inner.limits.read_chunk_bytes, &scope).map(Ok);
        let status = batch_status("requests", &results, detail_bytes).err().map(Err);
        Ok(Response::new(Box::pin(tokio_stream::iter(messages.chain(status)))))
    }

    async fn set_forwarding_pipeline_config(
        &self,
        request: Request<v1::SetForwardingPipelineConfigRequest>,
    ) -> Result<Response<v1::SetForwardingPipelineConfigResponse>, Status> {
        may_change(&request)?;
        let request = request.into_inner();
        #[allow(deprecated, reason = "clients before 1.4 know their role by number")]
        let role = RoleKey::of_request(&request.role, request.role_id);
        if !self.begin_write(request.device_id, role.clone(), request.election_id)?.scope().may_set_pipeline()
        {
            return Err(Refusal::denied("this role may not set the pipeline").into_status());
        }
        // The next primary need not wait for a compilation: it takes long, and changes nothing.
        let change = self.prepare(request.action, request.config).await?;
        let permit = self.begin_write(request.device_id, role, request.election_id)?;
        let inner = self.inner.clone();
        blocking(move || {
            let before = inner.device.running();
            let result = inner.device.set_pipeline(change);
            let after = inner.device.running();
            let changed = match (&before, &after) {
                (Some(before), Some(after)) => !Arc::ptr_eq(before, after),
                (before, after) => before.is_some() != after.is_some(),
            };
            if changed {
                inner.refresh_digests(true);
            }
            drop(permit);
            result
        })
        .await?
        .map_err(Refusal::into_status)?;
        Ok(Response::new(v1::SetForwardingPipelineConfigResponse {}))
    }

    async fn get_forwarding_pipeline_config(
        &self,
        request: Request<v1::GetForwardingPipelineConfigRequest>,
    ) -> Result<Response<v1::GetForwardingPipelineConfigResponse>, Status> {
        let request = request.into_inner();
        self.check_device(request.device_id)?;
        let Ok(wanted) = ResponseType::try_from(request.response_type) else {
            return Err(Status::invalid_argument("there is no such response type"));
        };
        let inner = self.inner.clone();
        let config = blocking(move || inner.device.config()).await?;
        let config = config.map(|config| select(config, wanted));
        Ok(Response::new(v1::GetForwardingPipelineConfigResponse { config }))
    }

    async fn stream_channel(
        &self,
        request: Request<Streaming<v1::StreamMessageRequest>>,
    ) -> Result<Response<Self::StreamChannelStream>, Status> {
        may_change(&request)?;
        let (client, outgoing) = self.inner.hub().connect().map_err(Refusal::into_status)?;
        tokio::spawn(self.clone().follow(client, request.into_inner()));
        Ok(Response::new(ReceiverStream::new(outgoing)))
    }

    async fn capabilities(
        &self,
        request: Request<v1::CapabilitiesRequest>,
    ) -> Result<Response<v1::CapabilitiesResponse>, Status> {
        match request.into_inner().device_id {
            0 => {}
            device_id => self.check_device(device_id)?,
        }
        let p4runtime_api_version = API_VERSION.into();
        Ok(Response::new(v1::CapabilitiesResponse { p4runtime_api_version, experimental: None }))
    }
}

fn touches_digest(update: &v1::Update) -> bool {
    let entity = update.entity.as_ref().and_then(|entity| entity.entity.as_ref());
    matches!(entity, Some(v1::entity::Entity::DigestEntry(_)))
}

/// Returns the parts of a configuration that a client requests.
fn select(config: v1::ForwardingPipelineConfig, wanted: ResponseType) -> v1::ForwardingPipelineConfig {
    let info = matches!(wanted, ResponseType::All | ResponseType::P4infoAndCookie);
    let device = matches!(wanted, ResponseType::All | ResponseType::DeviceConfigAndCookie);
    v1::ForwardingPipelineConfig {
        p4info: config.p4info.filter(|_| info),
        p4_device_config: if device { config.p4_device_config } else { Vec::new() },
        cookie: config.cookie,
    }
}

impl<A: SwitchAccess> Inner<A> {
    /// Updates the enabled digests of the hub.
    pub(super) fn refresh_digests(&self, new_pipeline: bool) {
        let configs = self.device.digest_configs();
        self.hub().set_digest_configs(configs, new_pipeline);
        self.digests_changed.notify_one();
    }
}

impl<A: SwitchAccess> Server<A> {
    /// Processes a stream until it ends.
    async fn follow(self, client: ClientId, mut incoming: Streaming<v1::StreamMessageRequest>) {
        let mut status = None;
        while let Some(message) = incoming.next().await {
            let Ok(message) = message else { break };
            if let Err(refusal) = self.take(client, message).await {
                status = Some(refusal.into_status());
                break;
            }
        }
        self.inner.hub().disconnect(client, status);
    }

    /// Processes one message of a controller; an error ends its stream.
    async fn take(&self, client: ClientId, message: v1::StreamMessageRequest) -> Result<(), Refusal> {
        match message.update {
            Some(Incoming::Arbitration(update)) => self.inner.hub().arbitrate(client, update)?,
            Some(Incoming::Packet(packet)) => {
                if let Err(refusal) = self.packet_out(client, &packet).await {
                    let packet_out = Some(packet);
                    self.report(client, refusal, Details::PacketOut(v1::PacketOutError { packet_out }));
                }
            }
            Some(Incoming::DigestAck(ack)) => {
                if let Err(refusal) = self.acknowledge(client, &ack) {
                    let digest_list_ack = Some(ack);
                    let details = Details::DigestListAck(v1::DigestListAckError { digest_list_ack });
                    self.report(client, refusal, details);
                }
            }
            Some(Incoming::Other(other)) => {
                let refusal = Refusal::unimplemented(format!(
                    "stream messages of type {} are not supported",
                    other.type_url
                ));
                self.report(client, refusal, Details::Other(v1::StreamOtherError { other: Some(other) }));
            }
            None => {
                let refusal = Refusal::invalid("the stream message is empty");
                self.report(client, refusal, Details::Other(v1::StreamOtherError { other: None }));
            }
        }
        Ok(())
    }

    async fn packet_out(&self, client: ClientId, packet: &v1::PacketOut) -> Result<(), Refusal> {
        self.check_primary(client)?;
        let (inner, packet) = (self.inner.clone(), packet.clone());
        let sent = blocking(move || inner.device.packet_out(&packet)).await;
        sent.unwrap_or_else(|status| Err(Refusal::new(status.code(), status.message())))
    }

    fn acknowledge(&self, client: ClientId, ack: &v1::DigestListAck) -> Result<(), Refusal> {
        self.check_primary(client)?;
        let Some(pipeline) = self.inner.device.running() else {
            return Err(Refusal::new(Code::FailedPrecondition, "no forwarding pipeline is set"));
        };
        let (digest, _) = pipeline.digest(ack.digest_id).map_err(|error| Refusal::invalid(error.message))?;
        self.inner.hub().acknowledge(digest.index(), ack.list_id);
        Ok(())
    }

    fn check_primary(&self, client: ClientId) -> Result<(), Refusal> {
        match self.inner.hub().arbitration.is_primary(client) {
            true => Ok(()),
            false => Err(Refusal::denied("only the primary controller may do this")),
        }
    }

    fn report(&self, client: ClientId, refusal: Refusal, details: Details) {
        let error = v1::StreamError {
            canonical_code: refusal.code as i32,
            message: refusal.message,
            space: crate::error::SPACE.into(),
            code: 0,
            details: Some(details),
        };
        self.inner.hub().send(client, Update::Error(error));
    }
}
