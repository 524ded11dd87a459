//! The task that forwards the switch's events to controllers.

use super::access::{EventSource, SwitchAccess};
use super::digests::List;
use super::hub::Hub;
use super::pipeline::Pipeline;
use super::{Inner, packet_io};
use crate::proto::p4::v1;
use model::Time;
use p4_lang::ir::{DigestId, TableId};
use p4_switch::Event;
use p4_switch::control::EntryKey;
use std::sync::{Arc, Weak};
use tokio::time::{Duration, Instant, sleep_until};

/// Maximum number of events processed at once.
const BATCH: usize = 1024;

/// Runs until the server or the driver is dropped.
pub(super) async fn run<A: SwitchAccess>(server: Weak<Inner<A>>, mut source: EventSource) {
    let start = Instant::now();
    let mut batch = Vec::with_capacity(BATCH);
    let mut driver_alive = true;
    loop {
        let Some(inner) = server.upgrade() else { return };
        let deadline = inner.hub().digest_deadline_ns();
        let changed = inner.digests_changed.notified();
        let wait = async {
            match deadline {
                Some(at) => sleep_until(start + Duration::from_nanos(at)).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            taken = source.events.recv_many(&mut batch, BATCH), if driver_alive => driver_alive = taken > 0,
            () = wait => {}
            () = changed => {}
            else => return,
        }
        let now_ns = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        inner.handle(now_ns, &mut batch).await;
    }
}

impl<A: SwitchAccess> Inner<A> {
    async fn handle(self: &Arc<Self>, now_ns: u64, batch: &mut Vec<Event>) {
        let Some(pipeline) = self.device.running() else {
            batch.clear();
            return;
        };
        let mut idle: Vec<(Time, TableId, EntryKey)> = Vec::new();
        {
            let mut hub = self.hub();
            // Without a controller the events are discarded.
            let has_primary = hub.has_primary();
            for event in batch.drain(..) {
                match event {
                    _ if !has_primary => {}
                    Event::Digest { at, digest, values } => {
                        if let Some(list) = hub.push_digest(digest.index(), now_ns, values) {
                            self.send_digest(&mut hub, &pipeline, digest, list, at);
                        }
                    }
                    Event::PacketIn { frame, .. } => {
                        if let Some(packet) = packet_io::packet_in(&pipeline, &frame) {
                            hub.send_packet(packet);
                        }
                    }
                    Event::EntryIdle { at, table, key } => idle.push((at, table, key)),
                    _ => {}
                }
            }
            for (digest, list) in hub.due_digests(now_ns) {
                self.send_digest(&mut hub, &pipeline, DigestId(digest as u32), list, Time(0));
            }
        }
        self.send_idle(idle).await;
    }

    fn send_digest(&self, hub: &mut Hub, pipeline: &Pipeline, digest: DigestId, list: List, at: Time) {
        let Some((digest_id, codec)) = pipeline.digest_codec(digest) else { return };
        let list = v1::DigestList {
            digest_id,
            list_id: list.id,
            data: list.messages.iter().map(|values| codec.encode(values)).collect(),
            timestamp: self.timestamp(at),
        };
        hub.send_digest(list);
    }

    fn timestamp(&self, at: Time) -> i64 {
        i64::try_from(self.epoch_ns.saturating_add(at.as_ns())).unwrap_or(i64::MAX)
    }

    /// Builds one notification for all idle entries.
    async fn send_idle(self: &Arc<Self>, idle: Vec<(Time, TableId, EntryKey)>) {
        let Some(at) = idle.iter().map(|(at, ..)| *at).max() else { return };
        let inner = self.clone();
        let described = tokio::task::spawn_blocking(move || {
            let keys: Vec<(TableId, EntryKey)> =
                idle.into_iter().map(|(_, table, key)| (table, key)).collect();
            inner.device.describe_idle(&keys)
        });
        let table_entry = described.await.unwrap_or_default();
        if !table_entry.is_empty() {
            let timestamp = self.timestamp(at);
            let notification = v1::IdleTimeoutNotification { table_entry, timestamp };
            self.hub().send_idle(&notification);
        }
    }
}
