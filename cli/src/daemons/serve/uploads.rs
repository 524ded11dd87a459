//! The gRPC service: one stream for each agent, controller and watcher.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use controller::discovery::HostPort;
use model::Rate;
use proto::limits::MESSAGE_BYTES;
use proto::v1::collection_server::{Collection, CollectionServer};
use proto::v1::{self, from_sender, from_server};
use proto::{convert, version};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};
use tracing::{info, warn};
use web::HostInterface;

use super::Shared;
use super::cables::{self, Cables};
use super::discovery::{self, Discovery, is_routed};
use super::intake::{self, Accepted, Admitted, Effects};
use super::senders::{Outgoing, SenderId};
use super::writer::{Reply, Writer};
use crate::daemons::operations::wall_ns;
use crate::daemons::tls::PeerCertificate;

/// Messages that wait for a daemon; a daemon that does not keep up misses polls and triggers, but no acknowledgement.
const OUTGOING: usize = 1024;
/// Timeout of the first message.
const HELLO: Duration = Duration::from_secs(5);
/// Age from which on a trigger is not relayed to controllers: the switches have forgotten the polling packet.
const TRIGGER_AGE_NS: u64 = 2_000_000_000;

/// The service.
pub(crate) struct Uploads {
    shared: Arc<Shared>,
    writer: Writer,
}

impl Uploads {
    /// Returns the service for a router.
    pub(crate) fn service(shared: Arc<Shared>) -> CollectionServer<Uploads> {
        let writer = Writer::start(shared.clone());
        CollectionServer::new(Uploads { shared, writer })
            .max_decoding_message_size(MESSAGE_BYTES)
            .max_encoding_message_size(MESSAGE_BYTES)
    }
}

#[tonic::async_trait]
impl Collection for Uploads {
    type OpenStream = ReceiverStream<Outgoing>;

    async fn open(
        &self,
        request: Request<Streaming<v1::FromSender>>,
    ) -> Result<Response<Self::OpenStream>, Status> {
        let certificate =
            request.peer_certs().and_then(|chain| chain.first().cloned()).map(PeerCertificate::new);
        let mut incoming = request.into_inner();
        let first = timeout(HELLO, incoming.message()).await;
        let first = first.map_err(|_| Status::deadline_exceeded("no hello"))??;
        let Some(from_sender::Message::Hello(hello)) = first.and_then(|message| message.message) else {
            return Err(Status::invalid_argument("the first message is not a hello"));
        };
        let (sender, welcome) = self.admit(&hello, certificate)?;
        let (outgoing, replies) = mpsc::channel(OUTGOING);
        let permit = self.shared.connections.clone().try_acquire_owned();
        let permit =
            permit.map_err(|_| Status::resource_exhausted("too many connections (max_connections)"))?;
        let (connection, closed) =
            self.shared.senders.connected(&sender.id, &hello, welcome.version, outgoing.clone());
        info!(kind = sender.id.kind, name = sender.id.name, software = hello.software, "connected");
        send(&outgoing, from_server::Message::Welcome(welcome)).await;
        if hello.learns_network
            && let Some(network) =
                self.shared.live.topology().and_then(|topology| discovery::message(&topology))
        {
            send(&outgoing, network).await;
        }
        let reply = Reply::new(outgoing.clone());
        let writer = self.writer.clone();
        let stream = Stream { shared: self.shared.clone(), sender, connection, outgoing, writer, reply };
        tokio::spawn(async move {
            stream.run(incoming, closed).await;
            drop(permit);
        });
        Ok(Response::new(ReceiverStream::new(replies)))
    }
}

impl Uploads {
    fn admit(
        &self,
        hello: &v1::Hello,
        certificate: Option<PeerCertificate>,
    ) -> Result<(Admitted, v1::Welcome), Status> {
        convert::hello(hello).map_err(|error| Status::invalid_argument(error.to_string()))?;
        let id = SenderId::of(hello);
        let is_named = match &certificate {
            Some(certificate) => certificate.is_of(id.kind, &id.name),
            None => !self.shared.requires_certificates,
        };
        if !is_named {
            warn!(
                kind = id.kind,
                name = id.name,
                "the certificate does not name this daemon; it is rejected"
            );
            let name = crate::daemons::tls::identity_name(id.kind, &id.name);
            return Err(Status::permission_denied(format!(
                "the certificate does not have the DNS name {name}"
            )));
        }
        let version = version::negotiate(hello.min_version, hello.max_version)
            .map_err(|error| Status::unimplemented(error.to_string()))?;
        let number = self.shared.host_number(&id);
        let welcome = v1::Welcome {
            version,
            boot_id: self.shared.boot_id.clone(),
            software: env!("CARGO_PKG_VERSION").into(),
            record_bytes: proto::limits::RECORD_BYTES as u64,
            host_number: number,
        };
        let number = number.and_then(|number| u16::try_from(number).ok());
        Ok((Admitted { id, number, certificate }, welcome))
    }
}

/// A connection.
struct Stream {
    shared: Arc<Shared>,
    sender: Admitted,
    connection: u64,
    outgoing: mpsc::Sender<Outgoing>,
    writer: Writer,
    reply: Reply,
}

impl Stream {
    async fn run(self, mut incoming: Streaming<v1::FromSender>, mut closed: oneshot::Receiver<()>) {
        let why = loop {
            let message = tokio::select! {
                message = incoming.message() => message,
                () = self.outgoing.closed() => break "closed".to_string(),
                // Another connection of the same daemon has taken its place, or the server stops.
                _ = &mut closed => break "replaced".to_string(),
            };
            let received_ns = wall_ns();
            match message {
                Ok(Some(message)) => {
                    self.shared.senders.heard(&self.sender.id, self.connection);
                    if let Err(error) = self.received(received_ns, message).await {
                        break error.message().to_string();
                    }
                }
                Ok(None) => break "closed".into(),
                Err(status) => break status.message().to_string(),
            }
        };
        self.shared.senders.disconnected(&self.sender.id, self.connection);
        info!(kind = self.sender.id.kind, name = self.sender.id.name, why, "disconnected");
    }

    async fn received(&self, received_ns: u64, message: v1::FromSender) -> Result<(), Status> {
        let (id, senders) = (&self.sender.id, &self.shared.senders);
        match message.message {
            Some(from_sender::Message::Record(record)) => self.record(received_ns, record).await?,
            Some(from_sender::Message::Ping(ping)) => {
                senders.clock(id, self.connection, &ping);
                let pong = v1::Pong { sent_ns: ping.sent_ns, received_ns, replied_ns: wall_ns() };
                send(&self.outgoing, from_server::Message::Pong(pong)).await;
            }
            Some(from_sender::Message::Health(health)) => senders.problems(id, self.connection, health),
            Some(from_sender::Message::Cables(message)) if id.kind == "controller" => {
                senders.cables(id, self.connection, Cables::read(&message));
                self.network_changed();
            }
            Some(from_sender::Message::Interfaces(message)) if id.kind == "agent" => {
                let interfaces = cables::interfaces(&message);
                let own = self.own_ports(&interfaces);
                senders.interfaces(id, self.connection, interfaces, own);
                self.network_changed();
            }
            Some(from_sender::Message::Lasting(message)) if id.kind == "watcher" => {
                senders.lasting(id, self.connection, &message);
            }
            // A second hello, a report of the wrong kind of daemon, or a message of a later version.
            _ => {}
        }
        Ok(())
    }

    /// The interfaces of an agent's host, as far as it may speak for them: with a certificate, addresses that are in it.
    fn own_ports(&self, interfaces: &[HostInterface]) -> Vec<HostPort> {
        let certificate = self.sender.certificate.as_ref();
        let is_own = |address: &IpAddr| certificate.is_none_or(|known| known.has_address(*address));
        let port = |interface: &HostInterface| HostPort {
            host: self.sender.id.name.clone(),
            mac: interface.mac.clone(),
            addresses: interface.addresses.iter().copied().filter(is_routed).filter(is_own).collect(),
            rate: interface.speed_mbps.map(|mbps| Rate(mbps.saturating_mul(1_000_000))),
        };
        interfaces.iter().map(port).collect()
    }

    fn network_changed(&self) {
        self.shared.discovery.iter().for_each(Discovery::changed);
    }

    async fn record(&self, received_ns: u64, record: v1::Record) -> Result<(), Status> {
        if self.reply.has_failed() {
            return Err(Status::unavailable("the store failed"));
        }
        // The number of a rejected record is stored as well; it cannot be without a boot id.
        convert::boot_id(&record.boot_id).map_err(|error| Status::invalid_argument(error.to_string()))?;
        let id = &self.sender.id;
        let mut arrival = intake::arrival(id, received_ns, &record);
        self.shared.senders.lost(id, self.connection, &arrival);
        let topology = self.shared.live.topology();
        let (rejected, effects) = match intake::accept(&self.sender, topology.as_deref(), record) {
            Ok(Accepted { content, trigger, effects }) => {
                if let Some(trigger) = &trigger {
                    // Relayed at once, before it is stored.
                    let sent_ns = arrival.time_ns.saturating_add_signed(arrival.offset_ns.unwrap_or(0));
                    let is_fresh = received_ns.abs_diff(sent_ns) < TRIGGER_AGE_NS
                        && self.shared.senders.may_relay(id, &arrival.boot_id, arrival.sequence, received_ns);
                    self.shared.triggered(&id.name, trigger, is_fresh);
                }
                arrival.content = content;
                (String::new(), effects)
            }
            Err(why) => {
                self.shared.senders.rejected(id, self.connection);
                warn!(kind = id.kind, name = id.name, why, "a record is rejected");
                (why, Effects::default())
            }
        };
        self.writer.push(arrival, rejected, effects, self.reply.clone()).await;
        Ok(())
    }
}

async fn send(outgoing: &mpsc::Sender<Outgoing>, message: from_server::Message) {
    // Fails only after the daemon has gone.
    let _ = outgoing.send(Ok(v1::FromServer { message: Some(message) })).await;
}
