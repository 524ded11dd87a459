//! The task of a link: one connection after the other.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use p4runtime::client::connection_causes;
use proto::backoff::delay_ms;
use proto::clock::{ClockFilter, Exchange};
use proto::limits::{MESSAGE_BYTES, WINDOW};
use proto::v1::collection_client::CollectionClient;
use proto::v1::record::Body;
use proto::v1::{self, from_sender, from_server};
use proto::version::{COUNTER_VERDICTS, SPOKEN};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, Interval, interval, sleep_until, timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Streaming;
use tonic::transport::{Channel, Endpoint};
use tracing::{info, warn};

use super::{Incoming, LinkConfig, LinkStatus, SenderState};
use crate::daemons::operations::wall_ns;
use crate::daemons::spool::Spool;

/// Timeout of a connection until the server's welcome.
const CONNECT: Duration = Duration::from_secs(5);
/// Interval of pings.
const PING: Duration = Duration::from_secs(1);
/// Time without a message of the server after which the connection counts as lost.
const SILENCE: Duration = Duration::from_secs(10);
/// Messages that wait for the connection: the window, pings and health.
const OUTGOING: usize = WINDOW + 64;

/// The task.
pub(super) struct LinkTask {
    config: Arc<LinkConfig>,
    endpoint: Endpoint,
    spool: Spool,
    queued: mpsc::Receiver<(u64, Body)>,
    deliver: mpsc::Sender<Incoming>,
    published: watch::Sender<LinkStatus>,
    state: watch::Receiver<SenderState>,
    stopped: watch::Receiver<bool>,
    status: LinkStatus,
    clock: ClockFilter,
    /// The state that the server has, if `is_stated`.
    sent: SenderState,
    is_stated: bool,
    /// Whether all senders of records are gone.
    is_drained: bool,
    /// When the server's last message arrived.
    heard: Instant,
    /// Whether the server has acknowledged a record or a ping on this connection after some time.
    is_acknowledged: bool,
}

/// Why a connection ended.
enum End {
    Stopped,
    Lost(anyhow::Error),
}

impl LinkTask {
    pub(super) fn new(
        config: Arc<LinkConfig>,
        spool: Spool,
        queued: mpsc::Receiver<(u64, Body)>,
        deliver: mpsc::Sender<Incoming>,
        published: watch::Sender<LinkStatus>,
        state: watch::Receiver<SenderState>,
        stopped: watch::Receiver<bool>,
    ) -> anyhow::Result<LinkTask> {
        let endpoint = endpoint(&config)?;
        let status = published.borrow().clone();
        Ok(LinkTask {
            config,
            endpoint,
            spool,
            queued,
            deliver,
            published,
            state,
            stopped,
            status,
            clock: ClockFilter::default(),
            sent: SenderState::default(),
            is_stated: false,
            is_drained: false,
            heard: Instant::now(),
            is_acknowledged: false,
        })
    }

    /// Connects again and again until the link stops.
    pub(super) async fn run(mut self) {
        let mut failed = 0;
        loop {
            self.is_acknowledged = false;
            match self.connection().await {
                End::Stopped => return,
                End::Lost(error) => {
                    let why = format!("{error:#}");
                    if self.status.disconnected.as_ref() != Some(&why) {
                        warn!(server = self.config.server, why, "no connection to the server");
                    }
                    self.status.disconnected = Some(why);
                    self.publish();
                }
            }
            // A connection that brought nothing is a failed attempt, or a failing server would get everything again and again.
            failed = if self.is_acknowledged { 1 } else { failed + 1 };
            let until = Instant::now() + Duration::from_millis(delay_ms(failed, self.config.seed));
            if !self.collect_until(until).await {
                return;
            }
        }
    }

    /// Stores records until the next attempt. Returns `false` if the link stops.
    async fn collect_until(&mut self, until: Instant) -> bool {
        loop {
            tokio::select! {
                () = sleep_until(until) => return true,
                () = stop_requested(&mut self.stopped) => {
                    self.store_queued();
                    return false;
                }
                record = self.queued.recv(), if !self.is_drained => self.queue(record),
            }
        }
    }

    async fn connection(&mut self) -> End {
        let (outgoing, requests) = mpsc::channel(OUTGOING);
        let (mut incoming, welcome) = match self.open(&outgoing, requests).await {
            Ok(opened) => opened,
            Err(error) => return End::Lost(error),
        };
        info!(server = self.config.server, software = welcome.software, "connected to the server");
        self.status.disconnected = None;
        self.status.connections += 1;
        self.status.version = welcome.version;
        self.status.host_number = welcome.host_number.and_then(|number| u16::try_from(number).ok());
        self.heard = Instant::now();
        self.spool.rewind();
        // The server has forgotten the state.
        self.sent = SenderState::default();
        self.is_stated = false;
        self.state.mark_changed();
        let mut pings = interval(PING);
        loop {
            self.publish();
            if let Err(error) = self.step(&outgoing, &mut incoming, &mut pings).await {
                return End::Lost(error);
            }
            let is_stopped = *self.stopped.borrow();
            if is_stopped && self.is_drained && self.spool.queue().waiting() == 0 {
                return End::Stopped;
            }
        }
    }

    /// Connects. Records that arrive meanwhile are stored.
    async fn open(
        &mut self,
        outgoing: &mpsc::Sender<v1::FromSender>,
        requests: mpsc::Receiver<v1::FromSender>,
    ) -> anyhow::Result<(Streaming<v1::FromServer>, v1::Welcome)> {
        let hello = self.hello();
        let opening = timeout(CONNECT, open(self.endpoint.clone(), hello, outgoing.clone(), requests));
        tokio::pin!(opening);
        loop {
            tokio::select! {
                opened = &mut opening => return opened.context("the server does not reply")?,
                record = self.queued.recv(), if !self.is_drained => self.queue(record),
            }
        }
    }

    fn hello(&self) -> v1::Hello {
        v1::Hello {
            kind: self.config.kind.into(),
            name: self.config.name.clone(),
            boot_id: self.config.boot_id.clone(),
            min_version: self.min_version(),
            max_version: *SPOKEN.end(),
            software: env!("CARGO_PKG_VERSION").into(),
            addresses: self.config.addresses.clone(),
            switches: self.config.switches.clone(),
            learns_network: self.config.learns_network,
        }
    }

    fn min_version(&self) -> u32 {
        match self.config.kind {
            v1::SenderKind::Watcher => COUNTER_VERDICTS,
            _ => *SPOKEN.start(),
        }
    }

    /// Waits for one thing to do, and does it.
    async fn step(
        &mut self,
        outgoing: &mpsc::Sender<v1::FromSender>,
        incoming: &mut Streaming<v1::FromServer>,
        pings: &mut Interval,
    ) -> anyhow::Result<()> {
        // Records leave only while the connection takes them, so that pings and health have room.
        while outgoing.capacity() > OUTGOING - WINDOW
            && let Some(record) = self.spool.next_to_send(self.clock.estimate())
        {
            send(outgoing, from_sender::Message::Record(record)).await?;
        }
        let is_stopping = *self.stopped.borrow();
        tokio::select! {
            message = incoming.message() => {
                let message = message.map_err(status_error)?;
                self.received(message.context("the server has closed the connection")?);
            }
            () = sleep_until(self.heard + SILENCE) => bail!("the server has been silent for {} s", SILENCE.as_secs()),
            record = self.queued.recv(), if !self.is_drained => self.queue(record),
            _ = pings.tick() => send(outgoing, from_sender::Message::Ping(self.ping())).await?,
            Ok(()) = self.state.changed() => {
                let state = self.state.borrow_and_update().clone();
                for message in state.changes(&self.sent, !self.is_stated) {
                    send(outgoing, message).await?;
                }
                (self.sent, self.is_stated) = (state, true);
            }
            () = stop_requested(&mut self.stopped), if !is_stopping => self.queued.close(),
        }
        Ok(())
    }

    fn received(&mut self, message: v1::FromServer) {
        self.heard = Instant::now();
        let delivered = match message.message {
            Some(from_server::Message::Ack(ack)) => {
                if !ack.rejected.is_empty() {
                    self.status.rejected += 1;
                    warn!(sequence = ack.sequence, why = ack.rejected, "the server rejects a record");
                }
                self.spool.acknowledge(&ack.boot_id, ack.sequence);
                self.is_acknowledged = true;
                return;
            }
            Some(from_server::Message::Pong(pong)) => {
                let (sent_ns, received_ns, replied_ns) = (pong.sent_ns, pong.received_ns, pong.replied_ns);
                self.clock.add(&Exchange { sent_ns, received_ns, replied_ns, returned_ns: wall_ns() });
                return;
            }
            Some(from_server::Message::Poll(poll)) => Incoming::Poll(poll),
            Some(from_server::Message::Trigger(trigger)) => Incoming::Trigger(trigger),
            Some(from_server::Message::Report(_)) => Incoming::ReportRequest,
            Some(from_server::Message::Network(network)) => Incoming::Network(network),
            Some(from_server::Message::Welcome(_)) | None => return,
        };
        if self.deliver.try_send(delivered).is_err() {
            warn!("a message of the server is dropped: the daemon is busy");
        }
    }

    fn queue(&mut self, record: Option<(u64, Body)>) {
        match record {
            Some((time_ns, body)) => self.store(time_ns, body),
            None => self.is_drained = true,
        }
    }

    fn store_queued(&mut self) {
        while let Ok((time_ns, body)) = self.queued.try_recv() {
            self.store(time_ns, body);
        }
    }

    fn store(&mut self, time_ns: u64, body: Body) {
        self.spool.push(time_ns, self.clock.estimate(), body);
    }

    fn ping(&self) -> v1::Ping {
        let estimate = self.clock.estimate();
        v1::Ping {
            sent_ns: wall_ns(),
            clock_offset_ns: estimate.map(|clock| clock.offset_ns),
            clock_error_ns: estimate.map_or(0, |clock| clock.error_ns),
        }
    }

    fn publish(&mut self) {
        let queue = self.spool.queue();
        self.status.clock = self.clock.estimate();
        self.status.waiting = queue.waiting() as u64;
        self.status.waiting_bytes = queue.bytes();
        self.status.lost = queue.lost();
        self.published.send_if_modified(|known| {
            let is_new = *known != self.status;
            known.clone_from(&self.status);
            is_new
        });
    }
}

/// Connects, introduces this daemon and waits for the server's welcome.
async fn open(
    endpoint: Endpoint,
    hello: v1::Hello,
    outgoing: mpsc::Sender<v1::FromSender>,
    requests: mpsc::Receiver<v1::FromSender>,
) -> anyhow::Result<(Streaming<v1::FromServer>, v1::Welcome)> {
    let channel: Channel = endpoint.connect().await.map_err(connect_error)?;
    send(&outgoing, from_sender::Message::Hello(hello)).await?;
    let mut client = CollectionClient::new(channel)
        .max_decoding_message_size(MESSAGE_BYTES)
        .max_encoding_message_size(MESSAGE_BYTES);
    let mut incoming = client.open(ReceiverStream::new(requests)).await.map_err(status_error)?.into_inner();
    let first = incoming.message().await.map_err(status_error)?.and_then(|message| message.message);
    let Some(from_server::Message::Welcome(welcome)) = first else {
        bail!("the server's first message is not a welcome");
    };
    if !SPOKEN.contains(&welcome.version) {
        bail!("the server chose version {} of the protocol; this build speaks {SPOKEN:?}", welcome.version);
    }
    Ok((incoming, welcome))
}

/// Waits until the link is to stop; for ever if its handle is gone without a request.
async fn stop_requested(stopped: &mut watch::Receiver<bool>) {
    if stopped.wait_for(|stopped| *stopped).await.is_err() {
        std::future::pending::<()>().await;
    }
}

async fn send(outgoing: &mpsc::Sender<v1::FromSender>, message: from_sender::Message) -> anyhow::Result<()> {
    let message = v1::FromSender { message: Some(message) };
    outgoing.send(message).await.context("the connection to the server is closed")
}

fn endpoint(config: &LinkConfig) -> anyhow::Result<Endpoint> {
    let scheme = if config.tls.is_some() { "https" } else { "http" };
    let endpoint = Endpoint::from_shared(format!("{scheme}://{}", config.server))
        .with_context(|| format!("`{}` is not the address of a server", config.server))?
        .connect_timeout(CONNECT)
        .tcp_nodelay(true)
        .http2_adaptive_window(true);
    match &config.tls {
        Some(tls) => endpoint
            .tls_config(tls.client(config.server_name.as_deref()))
            .context("the certificates cannot be used (tls_ca, tls_certificate, tls_key)"),
        None => Ok(endpoint),
    }
}

fn connect_error(error: tonic::transport::Error) -> anyhow::Error {
    anyhow::anyhow!("cannot connect: {}", connection_causes(&error))
}

/// The server's own words; the description of a code, without them, is for programmers.
fn status_error(status: tonic::Status) -> anyhow::Error {
    match status.message() {
        "" => anyhow::anyhow!("{}", status.code().description()),
        message => anyhow::anyhow!("{message}"),
    }
}
