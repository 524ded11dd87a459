//! The stream: arbitration, digests, packets.

use super::{ClientConfig, ClientError, uint128};
use crate::proto::p4::v1::{
    self, p4_runtime_client::P4RuntimeClient, stream_message_request::Update as Outgoing,
    stream_message_response::Update as Incoming,
};
use std::collections::VecDeque;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use tonic::{Code, Streaming};

/// Capacity of the queue of outgoing messages.
const QUEUE: usize = 256;

/// The result of arbitration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arbitrated {
    /// Whether this controller is primary.
    pub is_primary: bool,
    /// Whether any controller is primary.
    pub has_primary: bool,
    /// The highest election id that the server has seen.
    pub highest: Option<u128>,
}

/// An event of the stream.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionEvent {
    /// The primary has changed.
    Arbitration(Arbitrated),
    /// Digest messages, to be acknowledged with [`SessionSender::acknowledge`].
    Digest(v1::DigestList),
    /// A packet.
    Packet(v1::PacketIn),
    /// Entries whose idle timeout has expired.
    Idle(v1::IdleTimeoutNotification),
    /// The server rejected a message of this controller.
    Error(v1::StreamError),
}

/// A stream to the server. Dropping it closes the stream; the controller is then no longer primary.
#[derive(Debug)]
pub struct Session {
    sender: SessionSender,
    incoming: Streaming<v1::StreamMessageResponse>,
    /// Events received while waiting for arbitration.
    waiting: VecDeque<SessionEvent>,
}

/// The sending half of a [`Session`]; clones send on the same stream.
#[derive(Clone, Debug)]
pub struct SessionSender {
    outgoing: mpsc::Sender<v1::StreamMessageRequest>,
    device_id: u64,
    role: String,
    role_config: Option<prost_types::Any>,
}

impl Session {
    /// Opens a stream and sends the first arbitration message.
    pub(super) async fn open(
        grpc: &mut P4RuntimeClient<Channel>,
        config: &ClientConfig,
        election_id: u128,
    ) -> Result<Session, ClientError> {
        let (outgoing, requests) = mpsc::channel(QUEUE);
        let sender = SessionSender {
            outgoing,
            device_id: config.device_id,
            role: config.role.clone(),
            role_config: config.role_config.clone(),
        };
        // The message is queued before the call, because a server may respond only after it.
        sender.arbitrate(election_id).await?;
        let incoming = grpc.stream_channel(ReceiverStream::new(requests)).await?.into_inner();
        Ok(Session { sender, incoming, waiting: VecDeque::new() })
    }

    /// Returns the sending half.
    pub fn sender(&self) -> SessionSender {
        self.sender.clone()
    }

    /// Sends an arbitration message with another election id.
    ///
    /// # Errors
    /// If the stream has ended.
    pub async fn arbitrate(&self, election_id: u128) -> Result<(), ClientError> {
        self.sender.arbitrate(election_id).await
    }

    /// Waits for the next event.
    ///
    /// # Errors
    /// If the stream has ended.
    pub async fn next(&mut self) -> Result<SessionEvent, ClientError> {
        if let Some(event) = self.waiting.pop_front() {
            return Ok(event);
        }
        self.receive().await
    }

    /// Waits for the next result of arbitration; other events are kept for [`Session::next`].
    ///
    /// # Errors
    /// If the stream has ended.
    pub async fn wait_for_arbitration(&mut self) -> Result<Arbitrated, ClientError> {
        loop {
            match self.receive().await? {
                SessionEvent::Arbitration(arbitrated) => return Ok(arbitrated),
                other => self.waiting.push_back(other),
            }
        }
    }

    async fn receive(&mut self) -> Result<SessionEvent, ClientError> {
        loop {
            let Some(message) = self.incoming.message().await? else { return Err(ClientError::StreamClosed) };
            return Ok(match message.update {
                Some(Incoming::Arbitration(update)) => SessionEvent::Arbitration(arbitrated(&update)),
                Some(Incoming::Packet(packet)) => SessionEvent::Packet(packet),
                Some(Incoming::Digest(list)) => SessionEvent::Digest(list),
                Some(Incoming::IdleTimeoutNotification(idle)) => SessionEvent::Idle(idle),
                Some(Incoming::Error(error)) => SessionEvent::Error(error),
                Some(Incoming::Other(_)) | None => continue,
            });
        }
    }
}

fn arbitrated(update: &v1::MasterArbitrationUpdate) -> Arbitrated {
    let code = update.status.as_ref().map_or(Code::Ok, |status| Code::from(status.code));
    Arbitrated {
        is_primary: code == Code::Ok,
        has_primary: code != Code::NotFound,
        highest: update.election_id.map(|id| u128::from(id.high) << 64 | u128::from(id.low)),
    }
}

impl SessionSender {
    async fn send(&self, update: Outgoing) -> Result<(), ClientError> {
        let message = v1::StreamMessageRequest { update: Some(update) };
        self.outgoing.send(message).await.map_err(|_| ClientError::StreamClosed)
    }

    async fn arbitrate(&self, election_id: u128) -> Result<(), ClientError> {
        let role = (!self.role.is_empty()).then(|| v1::Role {
            name: self.role.clone(),
            config: self.role_config.clone(),
            ..Default::default()
        });
        self.send(Outgoing::Arbitration(v1::MasterArbitrationUpdate {
            device_id: self.device_id,
            role,
            election_id: Some(uint128(election_id)),
            status: None,
        }))
        .await
    }

    /// Sends a packet through the switch.
    ///
    /// # Errors
    /// If the stream has ended.
    pub async fn packet_out(&self, packet: v1::PacketOut) -> Result<(), ClientError> {
        self.send(Outgoing::Packet(packet)).await
    }

    /// Acknowledges a digest list; the server may then send equal messages again.
    ///
    /// # Errors
    /// If the stream has ended.
    pub async fn acknowledge(&self, list: &v1::DigestList) -> Result<(), ClientError> {
        let ack = v1::DigestListAck { digest_id: list.digest_id, list_id: list.list_id };
        self.send(Outgoing::DigestAck(ack)).await
    }
}
