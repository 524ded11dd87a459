//! The streams: connected controllers, primaries, and their outgoing messages.
//!
//! No operation blocks. Messages are put into bounded queues, one per stream, while the hub is locked, so that all
//! controllers see changes of the primary in the same order.

use super::arbitration::{Arbitration, ClientId, Notice, RoleKey, WriteTicket};
use super::digests::{DigestQueue, List, Values};
use super::limits::Limits;
use crate::error::Refusal;
use crate::proto::p4::v1::{self, stream_message_response::Update};
use p4_switch::control::DigestConfig;
use std::collections::BTreeMap;
use tokio::sync::mpsc;
use tonic::{Code, Status};

/// Messages of a stream.
pub(crate) type Outgoing = Result<v1::StreamMessageResponse, Status>;

pub(crate) struct Hub {
    pub(crate) arbitration: Arbitration,
    limits: Limits,
    outboxes: BTreeMap<ClientId, mpsc::Sender<Outgoing>>,
    next_client: u64,
    digests: Vec<(DigestQueue, Option<DigestConfig>)>,
    /// Messages dropped because a controller did not read.
    pub(crate) dropped: u64,
}

impl Hub {
    pub(crate) fn new(device_id: u64, limits: &Limits) -> Hub {
        Hub {
            arbitration: Arbitration::new(device_id, limits.streams_per_role, limits.roles),
            limits: limits.clone(),
            outboxes: BTreeMap::new(),
            next_client: 1,
            digests: Vec::new(),
            dropped: 0,
        }
    }

    /// Adds a stream.
    ///
    /// # Errors
    /// `RESOURCE_EXHAUSTED` at the limit of streams.
    pub(crate) fn connect(&mut self) -> Result<(ClientId, mpsc::Receiver<Outgoing>), Refusal> {
        if self.outboxes.len() >= self.limits.streams {
            let message = format!("there are {} streams already", self.limits.streams);
            return Err(Refusal::new(Code::ResourceExhausted, message));
        }
        let client = ClientId(self.next_client);
        self.next_client += 1;
        let (sender, receiver) = mpsc::channel(self.limits.stream_queue + self.limits.stream_reserve + 1);
        self.outboxes.insert(client, sender);
        Ok((client, receiver))
    }

    /// Removes a stream, optionally with a status that ends it.
    pub(crate) fn disconnect(&mut self, client: ClientId, status: Option<Status>) {
        if let Some(outbox) = self.outboxes.remove(&client)
            && let Some(status) = status
        {
            // One place beyond the reserve is kept for this message.
            let _ = outbox.try_send(Err(status));
        }
        let before = self.primaries();
        let notices = self.arbitration.disconnect(client);
        self.deliver(notices);
        self.reset_digests_if_changed(&before);
    }

    /// Ends all streams.
    pub(crate) fn close(&mut self) {
        let clients: Vec<ClientId> = self.outboxes.keys().copied().collect();
        for client in clients {
            self.disconnect(client, Some(Status::unavailable("the switch is shutting down")));
        }
    }

    /// Processes an arbitration message.
    pub(crate) fn arbitrate(
        &mut self,
        client: ClientId,
        update: v1::MasterArbitrationUpdate,
    ) -> Result<(), Refusal> {
        let config = update.role.as_ref().and_then(|role| role.config.as_ref());
        let (bytes, limit) = (config.map_or(0, |any| any.value.len()), self.limits.role_config_bytes);
        if bytes > limit {
            return Err(Refusal::invalid(format!(
                "the role's configuration has {bytes} bytes, the limit is {limit}"
            )));
        }
        let before = self.primaries();
        let notices = self.arbitration.update(client, update)?;
        self.deliver(notices);
        self.reset_digests_if_changed(&before);
        Ok(())
    }

    /// Requests permission to write.
    pub(crate) fn begin_write(
        &mut self,
        device_id: u64,
        role: RoleKey,
        election_id: Option<v1::Uint128>,
    ) -> Result<WriteTicket, Refusal> {
        self.arbitration.begin_write(device_id, role, election_id)
    }

    /// Ends a write.
    pub(crate) fn end_write(&mut self, ticket: WriteTicket) {
        let before = self.primaries();
        let notices = self.arbitration.end_write(ticket);
        self.deliver(notices);
        self.reset_digests_if_changed(&before);
    }

    fn primaries(&self) -> Vec<ClientId> {
        self.arbitration.primaries().collect()
    }

    /// Clears the digest queues if the primaries have changed: a new primary has received none of the unacknowledged
    /// messages.
    fn reset_digests_if_changed(&mut self, before: &[ClientId]) {
        if self.primaries() != before {
            self.digests.iter_mut().for_each(|(queue, _)| queue.reset());
        }
    }

    fn deliver(&mut self, notices: Vec<Notice>) {
        let mut stuck = Vec::new();
        for notice in notices {
            let Some(outbox) = self.outboxes.get(&notice.client) else { continue };
            let message = v1::StreamMessageResponse { update: Some(Update::Arbitration(notice.update)) };
            // One place is kept for the status that ends the stream.
            if outbox.capacity() <= 1 || outbox.try_send(Ok(message)).is_err() {
                stuck.push(notice.client);
            }
        }
        for client in stuck {
            tracing::warn!(client = client.0, "a controller does not read its stream and is disconnected");
            let status =
                Status::resource_exhausted("the stream's queue is full: the controller does not read");
            self.disconnect(client, Some(status));
        }
    }

    /// Sends a message to one controller, or drops it if the queue is full.
    pub(crate) fn send(&mut self, client: ClientId, update: Update) {
        let Some(outbox) = self.outboxes.get(&client) else { return };
        let message = v1::StreamMessageResponse { update: Some(update) };
        if outbox.capacity() <= self.limits.stream_reserve + 1 || outbox.try_send(Ok(message)).is_err() {
            self.dropped += 1;
        }
    }

    /// Sends a packet to the primaries of all roles that receive it. Packets use at most half of a stream's queue, so
    /// that a flood of them does not displace digests.
    pub(crate) fn send_packet(&mut self, packet: v1::PacketIn) {
        for client in self.primaries() {
            let is_half_full = |outbox: &mpsc::Sender<Outgoing>| {
                outbox.capacity() <= self.limits.stream_reserve + 1 + self.limits.stream_queue / 2
            };
            if self.outboxes.get(&client).is_some_and(is_half_full) {
                self.dropped += 1;
            } else if self.arbitration.scope_of(client).receives(&packet) {
                self.send(client, Update::Packet(packet.clone()));
            }
        }
    }

    /// Sends a digest list to the primaries of all roles that have the digest.
    pub(crate) fn send_digest(&mut self, list: v1::DigestList) {
        for client in self.primaries() {
            if self.arbitration.scope_of(client).has(list.digest_id) {
                self.send(client, Update::Digest(list.clone()));
            }
        }
    }

    /// Sends a notification to the primaries, each with the entries of its role's tables.
    pub(crate) fn send_idle(&mut self, notification: &v1::IdleTimeoutNotification) {
        for client in self.primaries() {
            let scope = self.arbitration.scope_of(client);
            let mut theirs = notification.clone();
            theirs.table_entry.retain(|entry| scope.has(entry.table_id));
            if !theirs.table_entry.is_empty() {
                self.send(client, Update::IdleTimeoutNotification(theirs));
            }
        }
    }

    /// Whether any role has a primary, which receives digests and packets.
    pub(crate) fn has_primary(&self) -> bool {
        self.arbitration.primaries().next().is_some()
    }

    /// Sets the enabled digests.
    pub(crate) fn set_digest_configs(&mut self, configs: Vec<Option<DigestConfig>>, new_pipeline: bool) {
        if new_pipeline {
            self.digests.clear();
        }
        let limits = &self.limits;
        self.digests.resize_with(configs.len(), || {
            (DigestQueue::new(limits.digest_list, limits.digest_unacknowledged), None)
        });
        for ((queue, current), config) in self.digests.iter_mut().zip(configs) {
            if config.is_none() {
                queue.reset();
            }
            *current = config;
        }
    }

    /// Adds a digest message of the switch; returns the list that it completes.
    pub(crate) fn push_digest(&mut self, digest: usize, now_ns: u64, values: Values) -> Option<List> {
        match self.digests.get_mut(digest) {
            Some((queue, Some(config))) => queue.push(now_ns, values, config),
            _ => None,
        }
    }

    /// Returns the lists that are due.
    pub(crate) fn due_digests(&mut self, now_ns: u64) -> Vec<(usize, List)> {
        let due = |(digest, (queue, config)): (usize, &mut (DigestQueue, Option<DigestConfig>))| {
            Some((digest, queue.poll(now_ns, config.as_ref()?)?))
        };
        self.digests.iter_mut().enumerate().filter_map(due).collect()
    }

    /// Returns the time at which the next list is due.
    pub(crate) fn digest_deadline_ns(&self) -> Option<u64> {
        self.digests.iter().filter_map(|(queue, config)| queue.deadline_ns(config.as_ref()?)).min()
    }

    /// Processes the acknowledgement of a list.
    pub(crate) fn acknowledge(&mut self, digest: usize, list: u64) {
        if let Some((queue, _)) = self.digests.get_mut(digest) {
            queue.acknowledge(list);
        }
    }
}
