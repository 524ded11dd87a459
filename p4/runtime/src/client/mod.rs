//! An asynchronous P4Runtime client with typed errors.
//!
//! A [`Client`] makes calls; a [`Session`] is the stream for arbitration, digests and
//! packets; a [`Schema`] turns names into identifiers. [`Client::read_register`] reads whole registers into
//! compact bytes without a message per element.

mod error;
mod raw;
mod registers;
mod schema;
mod session;
mod tls;

pub use error::{ClientError, UpdateError, connection_causes};
pub use registers::{Elements, RegisterBytes};
pub use schema::{ActionArgs, DigestSchema, KeyMatch, RegisterSchema, Schema, SchemaError};
pub use session::{Arbitrated, Session, SessionEvent, SessionSender};
pub use tls::ClientTls;

use crate::device_state;
use crate::error::DETAIL_BYTES_HEADER;
use crate::proto::p4::config::v1::P4Info;
use crate::proto::p4::v1::{
    self, entity::Entity as Kind, get_forwarding_pipeline_config_request::ResponseType,
    p4_runtime_client::P4RuntimeClient, set_forwarding_pipeline_config_request::Action, update::Type,
    write_request::Atomicity,
};
use crate::proto::p4switch::v1::DeviceState;
use std::time::Duration;
use tonic::Code;
use tonic::transport::{Channel, Endpoint};

/// Maximum size of a header list in bytes. A failed batch has one error per update in a header; the default of 16 KiB
/// is enough for about a hundred.
const HEADER_LIST_BYTES: u32 = 1 << 20;
/// Maximum size of error details in bytes, which take a third more in a header.
const DETAIL_BYTES: u32 = HEADER_LIST_BYTES / 3 * 2;
/// Maximum size of a received message in bytes.
const MESSAGE_BYTES: usize = 256 << 20;

/// Settings of a client.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientConfig {
    /// The device id.
    pub device_id: u64,
    /// The role; empty for the default role.
    pub role: String,
    /// The role configuration ([`crate::server::RoleConfig::to_any`] for this crate's server); without it, full access.
    pub role_config: Option<prost_types::Any>,
    /// The initial election id.
    pub election_id: u128,
    /// Timeout of a call.
    pub timeout: Duration,
    /// Timeout of connecting.
    pub connect_timeout: Duration,
    /// Certificates, for an `https` endpoint.
    pub tls: Option<ClientTls>,
    /// Interval and timeout of HTTP/2 keepalives, which end a stream to a server that has been cut off; absent: none.
    pub keepalive: Option<Duration>,
}

impl ClientConfig {
    /// Default role, election id 1, timeouts of 10 s for calls and 5 s for connecting.
    pub fn new(device_id: u64) -> ClientConfig {
        ClientConfig {
            device_id,
            role: String::new(),
            role_config: None,
            election_id: 1,
            timeout: Duration::from_secs(10),
            connect_timeout: Duration::from_secs(5),
            tls: None,
            keepalive: None,
        }
    }
}

/// A connection to a P4Runtime server. Clones share the connection.
#[derive(Clone, Debug)]
pub struct Client {
    grpc: P4RuntimeClient<Channel>,
    channel: Channel,
    config: ClientConfig,
    election_id: u128,
}

impl Client {
    /// Connects to an endpoint such as `http://127.0.0.1:9559`.
    ///
    /// # Errors
    /// If the endpoint is malformed or cannot be reached.
    pub async fn connect(endpoint: &str, config: ClientConfig) -> Result<Client, ClientError> {
        let connect = |source| ClientError::Connect { endpoint: endpoint.to_string(), source };
        let mut target = Endpoint::from_shared(endpoint.to_string()).map_err(connect)?;
        if let Some(tls) = &config.tls {
            target = target.tls_config(tls.config()).map_err(connect)?;
        }
        if let Some(keepalive) = config.keepalive {
            target = target
                .http2_keep_alive_interval(keepalive)
                .keep_alive_timeout(keepalive)
                .keep_alive_while_idle(true);
        }
        let channel = target
            .http2_max_header_list_size(HEADER_LIST_BYTES)
            .connect_timeout(config.connect_timeout)
            .tcp_nodelay(true)
            .http2_adaptive_window(true)
            .connect()
            .await
            .map_err(connect)?;
        let grpc = P4RuntimeClient::new(channel.clone())
            .max_decoding_message_size(MESSAGE_BYTES)
            .max_encoding_message_size(MESSAGE_BYTES);
        let election_id = config.election_id;
        Ok(Client { grpc, channel, config, election_id })
    }

    /// Returns the election id of writes.
    pub fn election_id(&self) -> u128 {
        self.election_id
    }

    /// Changes the election id of writes, after [`Session::arbitrate`].
    pub fn set_election_id(&mut self, election_id: u128) {
        self.election_id = election_id;
    }

    /// Returns the generated client, for calls without a method here.
    pub fn grpc(&self) -> P4RuntimeClient<Channel> {
        self.grpc.clone()
    }

    fn election(&self) -> Option<v1::Uint128> {
        Some(uint128(self.election_id))
    }

    fn request<T>(&self, message: T) -> tonic::Request<T> {
        let mut request = tonic::Request::new(message);
        request.set_timeout(self.config.timeout);
        request.metadata_mut().insert(DETAIL_BYTES_HEADER, DETAIL_BYTES.into());
        request
    }

    /// Opens the stream and sends an arbitration message; the result shows whether this controller is primary.
    ///
    /// # Errors
    /// If the stream ends before the response.
    pub async fn open(&mut self) -> Result<(Session, Arbitrated), ClientError> {
        let mut session = Session::open(&mut self.grpc, &self.config, self.election_id).await?;
        let arbitrated = session.wait_for_arbitration().await?;
        Ok((session, arbitrated))
    }

    /// Opens the stream and becomes primary, if necessary with an election id above the highest one used so far.
    ///
    /// # Errors
    /// If the stream ends, or another controller repeatedly uses a higher election id.
    pub async fn become_primary(&mut self) -> Result<Session, ClientError> {
        const ATTEMPTS: u32 = 8;
        let mut highest = None;
        for _ in 0..ATTEMPTS {
            match self.open().await {
                Ok((session, arbitrated)) if arbitrated.is_primary => return Ok(session),
                Ok((_, arbitrated)) => highest = arbitrated.highest,
                // Another connected controller uses this election id.
                Err(error) if error.code() == Some(Code::InvalidArgument) => {}
                Err(error) => return Err(error),
            }
            self.election_id = highest.unwrap_or(0).max(self.election_id).saturating_add(1);
        }
        Err(ClientError::NotPrimary { election_id: self.election_id, highest })
    }

    /// Sets the pipeline (`VERIFY_AND_COMMIT`); forwarding state is cleared.
    ///
    /// # Errors
    /// If the server rejects it; the running pipeline stays.
    pub async fn set_pipeline(
        &mut self,
        p4info: P4Info,
        p4_device_config: Vec<u8>,
        cookie: u64,
    ) -> Result<(), ClientError> {
        let cookie = Some(v1::forwarding_pipeline_config::Cookie { cookie });
        let config = v1::ForwardingPipelineConfig { p4info: Some(p4info), p4_device_config, cookie };
        self.pipeline_action(Action::VerifyAndCommit, Some(config)).await
    }

    /// Sets, saves, commits or verifies a pipeline.
    ///
    /// # Errors
    /// If the server rejects it.
    pub async fn pipeline_action(
        &mut self,
        action: Action,
        config: Option<v1::ForwardingPipelineConfig>,
    ) -> Result<(), ClientError> {
        let message = v1::SetForwardingPipelineConfigRequest {
            device_id: self.config.device_id,
            role: self.config.role.clone(),
            election_id: self.election(),
            action: action as i32,
            config,
            ..Default::default()
        };
        let request = self.request(message);
        self.grpc.set_forwarding_pipeline_config(request).await?;
        Ok(())
    }

    /// Returns the requested parts of the pipeline configuration; `None` if no pipeline is set.
    ///
    /// # Errors
    /// If the call fails.
    pub async fn pipeline(
        &mut self,
        parts: ResponseType,
    ) -> Result<Option<v1::ForwardingPipelineConfig>, ClientError> {
        let message = v1::GetForwardingPipelineConfigRequest {
            device_id: self.config.device_id,
            response_type: parts as i32,
        };
        let request = self.request(message);
        Ok(self.grpc.get_forwarding_pipeline_config(request).await?.into_inner().config)
    }

    /// Returns the P4Runtime version of the server.
    ///
    /// # Errors
    /// If the call fails.
    pub async fn api_version(&mut self) -> Result<String, ClientError> {
        let request = self.request(v1::CapabilitiesRequest::default());
        Ok(self.grpc.capabilities(request).await?.into_inner().p4runtime_api_version)
    }

    /// Applies updates independently of each other (`CONTINUE_ON_ERROR`).
    ///
    /// # Errors
    /// [`ClientError::Batch`] with one result per failed update.
    pub async fn write(&mut self, updates: Vec<v1::Update>) -> Result<(), ClientError> {
        self.write_atomic(updates, Atomicity::ContinueOnError).await
    }

    /// Applies updates with the given atomicity.
    ///
    /// # Errors
    /// [`ClientError::Batch`] with one result per failed update.
    pub async fn write_atomic(
        &mut self,
        updates: Vec<v1::Update>,
        atomicity: Atomicity,
    ) -> Result<(), ClientError> {
        let message = v1::WriteRequest {
            device_id: self.config.device_id,
            role: self.config.role.clone(),
            election_id: self.election(),
            updates,
            atomicity: atomicity as i32,
            ..Default::default()
        };
        let request = self.request(message);
        self.grpc.write(request).await?;
        Ok(())
    }

    /// Inserts entities.
    ///
    /// # Errors
    /// As [`Client::write`].
    pub async fn insert(&mut self, entities: impl IntoIterator<Item = Kind>) -> Result<(), ClientError> {
        self.write(updates(Type::Insert, entities)).await
    }

    /// Modifies entities.
    ///
    /// # Errors
    /// As [`Client::write`].
    pub async fn modify(&mut self, entities: impl IntoIterator<Item = Kind>) -> Result<(), ClientError> {
        self.write(updates(Type::Modify, entities)).await
    }

    /// Deletes entities.
    ///
    /// # Errors
    /// As [`Client::write`].
    pub async fn delete(&mut self, entities: impl IntoIterator<Item = Kind>) -> Result<(), ClientError> {
        self.write(updates(Type::Delete, entities)).await
    }

    /// Reads entities; unset parts of a key are wildcards.
    ///
    /// # Errors
    /// [`ClientError::Batch`] with one result per failed request.
    pub async fn read(&mut self, requests: impl IntoIterator<Item = Kind>) -> Result<Vec<Kind>, ClientError> {
        let request = self.request(self.read_request(requests));
        let mut messages = self.grpc.read(request).await?.into_inner();
        let mut found = Vec::new();
        while let Some(message) = messages.message().await? {
            found.extend(message.entities.into_iter().filter_map(|entity| entity.entity));
        }
        Ok(found)
    }

    /// Reads what the switch knows beside its program ([`device_state`]); `None` if the server does not offer it.
    ///
    /// # Errors
    /// If the call fails.
    pub async fn device_state(&mut self) -> Result<Option<DeviceState>, ClientError> {
        match self.read([device_state::request()]).await {
            Ok(entities) => Ok(entities.iter().find_map(device_state::of_entity)),
            Err(error) if error.code().is_some_and(is_unknown_entity) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn read_request(&self, requests: impl IntoIterator<Item = Kind>) -> v1::ReadRequest {
        let entities = requests.into_iter().map(|kind| v1::Entity { entity: Some(kind) }).collect();
        v1::ReadRequest { device_id: self.config.device_id, role: self.config.role.clone(), entities }
    }

    /// Reads a whole register.
    ///
    /// # Errors
    /// If the call fails or the response is incomplete.
    pub async fn read_register(&mut self, register: &RegisterSchema) -> Result<RegisterBytes, ClientError> {
        let all = Elements::Range(0..register.size);
        let mut read = self.read_registers(&[(register, all)]).await?;
        read.pop().ok_or(ClientError::Incomplete { register: register.name.clone() })
    }

    /// Reads registers or parts of them in one call, at one point in time.
    ///
    /// # Errors
    /// If the call fails or the response is incomplete.
    pub async fn read_registers(
        &mut self,
        wanted: &[(&RegisterSchema, Elements)],
    ) -> Result<Vec<RegisterBytes>, ClientError> {
        let requests = wanted.iter().flat_map(|(register, elements)| registers::requests(register, elements));
        let request = self.request(self.read_request(requests));
        let mut arrays: Vec<_> =
            wanted.iter().map(|(r, elements)| registers::PartialRegister::new(r, elements.clone())).collect();
        let mut messages = raw::read(self.channel.clone(), request, MESSAGE_BYTES).await?;
        while let Some(message) = messages.message().await? {
            registers::take(&message, &mut arrays)?;
        }
        arrays.into_iter().map(registers::PartialRegister::finish).collect()
    }
}

/// Whether servers return this code for an extern that they do not have.
fn is_unknown_entity(code: Code) -> bool {
    matches!(
        code,
        Code::Unimplemented
            | Code::NotFound
            | Code::InvalidArgument
            | Code::OutOfRange
            | Code::PermissionDenied
    )
}

fn updates(kind: Type, entities: impl IntoIterator<Item = Kind>) -> Vec<v1::Update> {
    let update =
        |entity| v1::Update { r#type: kind as i32, entity: Some(v1::Entity { entity: Some(entity) }) };
    entities.into_iter().map(update).collect()
}

fn uint128(number: u128) -> v1::Uint128 {
    v1::Uint128 { high: (number >> 64) as u64, low: number as u64 }
}
