//! Commits the records of all daemons in groups, and acknowledges them: one transaction for everything that has arrived
//! meanwhile, so that the medium does not limit the number of records a second.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use proto::v1::{self, from_server};
use store::{Arrival, Content};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tonic::Status;
use tracing::{error, warn};

use super::Shared;
use super::counter_verdicts::WATCHER;
use super::intake::Effects;
use super::senders::Outgoing;

/// Maximum records that wait for the commit; then their connections wait.
const QUEUED: usize = 1024;
/// Maximum records of one transaction.
const GROUP: usize = 256;
/// Maximum kibibytes of records that wait for the commit.
const QUEUED_KIB: usize = 256 << 10;

/// Where the acknowledgements of a connection go.
#[derive(Clone)]
pub(crate) struct Reply {
    outgoing: mpsc::Sender<Outgoing>,
    /// A record of this connection could not be stored. Acknowledgements cover all earlier records, so no later record
    /// of the connection may be acknowledged; the daemon reconnects and sends them again.
    failed: Arc<AtomicBool>,
}

impl Reply {
    /// For a new connection.
    pub(crate) fn new(outgoing: mpsc::Sender<Outgoing>) -> Reply {
        Reply { outgoing, failed: Arc::default() }
    }

    /// Whether a record could not be stored.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    fn fail(&self, why: &str) {
        self.failed.store(true, Ordering::Relaxed);
        self.send(Err(Status::unavailable(why)));
    }

    /// Never waits: a daemon that does not read must not delay the others.
    fn send(&self, message: Outgoing) {
        if let Err(mpsc::error::TrySendError::Full(message)) = self.outgoing.try_send(message) {
            let outgoing = self.outgoing.clone();
            tokio::spawn(async move { outgoing.send(message).await });
        }
    }
}

/// A record, and where its acknowledgement goes.
struct Queued {
    arrival: Arrival,
    /// Why it is not accepted; then only its number is stored.
    rejected: String,
    effects: Effects,
    reply: Reply,
    _room: OwnedSemaphorePermit,
}

/// Takes records; clones send to the same task.
#[derive(Clone)]
pub(crate) struct Writer {
    queue: mpsc::Sender<Queued>,
    room: Arc<Semaphore>,
}

impl Writer {
    /// Starts the task that commits. It ends when the last writer is gone.
    pub(crate) fn start(shared: Arc<Shared>) -> Writer {
        let (queue, queued) = mpsc::channel(QUEUED);
        tokio::spawn(run(shared, queued));
        Writer { queue, room: Arc::new(Semaphore::new(QUEUED_KIB)) }
    }

    /// Queues a record. `rejected` is why it is not accepted, if it is not. The acknowledgement goes to `reply` once the
    /// record, or the number of a rejected one, is stored.
    pub(crate) async fn push(&self, arrival: Arrival, rejected: String, effects: Effects, reply: Reply) {
        let bytes = match &arrival.content {
            Content::Inbox(body) => body.len(),
            Content::Report(_, body) | Content::Latest(_, body) => body.len(),
            Content::Nothing => 0,
        };
        let kib = u32::try_from(bytes.div_ceil(1024).min(QUEUED_KIB)).unwrap_or(u32::MAX);
        // The semaphore is never closed, and the task ends only with the server.
        if let Ok(room) = self.room.clone().acquire_many_owned(kib).await {
            let _ = self.queue.send(Queued { arrival, rejected, effects, reply, _room: room }).await;
        }
    }
}

async fn run(shared: Arc<Shared>, mut queued: mpsc::Receiver<Queued>) {
    let mut group = Vec::with_capacity(GROUP);
    while queued.recv_many(&mut group, GROUP).await > 0 {
        if shared.live.store().inbox_is_full() {
            refuse_snapshots(&group);
        }
        group.retain(|queued| !queued.reply.has_failed());
        commit(&shared, &mut group).await;
    }
}

/// Ends the connections of those who send snapshots. They keep them in their spools and try again, less and less often,
/// until the inbox has room; the reports of agents are stored meanwhile.
fn refuse_snapshots(group: &[Queued]) {
    for Queued { arrival, reply, .. } in group {
        if matches!(arrival.content, Content::Inbox(_)) && !reply.has_failed() {
            warn!(
                sender = arrival.sender,
                "the inbox is full; a snapshot is not stored and waits with its sender"
            );
            reply.fail("the inbox is full");
        }
    }
}

async fn commit(shared: &Shared, group: &mut Vec<Queued>) {
    let (arrivals, rest): (Vec<Arrival>, Vec<_>) =
        group.drain(..).map(|q| (q.arrival, (q.rejected, q.effects, q.reply, q._room))).unzip();
    let new = match shared.live.store().accept(&arrivals).await {
        Ok(new) => new,
        Err(error) => {
            error!(%error, records = arrivals.len(), "the store failed; uploads are not acknowledged");
            return rest.iter().for_each(|(_, _, reply, _)| reply.fail("the store failed"));
        }
    };
    for ((arrival, (rejected, effects, reply, _room)), is_new) in arrivals.iter().zip(rest).zip(new) {
        if is_new {
            stored(shared, arrival, effects);
        }
        let (boot_id, sequence) = (arrival.boot_id.clone(), arrival.sequence);
        let ack = from_server::Message::Ack(v1::Ack { boot_id, sequence, rejected });
        reply.send(Ok(v1::FromServer { message: Some(ack) }));
    }
}

fn stored(shared: &Shared, arrival: &Arrival, effects: Effects) {
    if matches!(arrival.content, Content::Inbox(_)) {
        let is_verdict = arrival.sender.starts_with(WATCHER);
        let arrived = if is_verdict { &shared.verdict_arrived } else { &shared.arrived };
        arrived.notify_one();
    }
    if let Some(ports) = &effects.ports {
        let taken_ns = arrival.time_ns.saturating_add_signed(arrival.offset_ns.unwrap_or(0));
        // A controller's clock may be ahead.
        shared.push_ports(taken_ns.min(arrival.received_ns), ports);
    }
    if let (Some(report), Content::Latest(_, json)) = (effects.host_report, &arrival.content) {
        let made_ns = arrival.time_ns.saturating_add_signed(arrival.offset_ns.unwrap_or(0));
        shared.hosts.put(made_ns.min(arrival.received_ns), report, json.len());
    }
}
