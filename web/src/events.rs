//! The live stream's hub: numbered events, a bounded past for clients that come back, and a bounded backlog
//! for each client that reads slowly.
//!
//! Events that tell of something that happened carry an id and are replayed; port samples are a state that
//! `GET /ports` returns at any time, so they carry none and are not replayed.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use tokio::sync::broadcast;

use crate::limits::{EVENT_BACKLOG, EVENT_RING};

/// What an event tells of; the name on the wire is the lower-case name here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// First event of a stream: the id of the latest event.
    Hello,
    /// A new diagnosis.
    Diagnosis,
    /// An incident started, went on or ended.
    Incident,
    /// A port became paused, or is no longer.
    Pause,
    /// A batch of port samples.
    Ports,
    /// The topology was replaced.
    Topology,
    /// Events between the client's last one and the oldest kept are gone.
    Gap,
    /// The client read too slowly, and events were dropped.
    Dropped,
}

impl EventKind {
    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::Hello => "hello",
            EventKind::Diagnosis => "diagnosis",
            EventKind::Incident => "incident",
            EventKind::Pause => "pause",
            EventKind::Ports => "ports",
            EventKind::Topology => "topology",
            EventKind::Gap => "gap",
            EventKind::Dropped => "dropped",
        }
    }

    fn is_replayed(self) -> bool {
        self != EventKind::Ports
    }
}

/// One event, ready to be written to any number of clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its number; absent for what is not replayed.
    pub id: Option<u64>,
    /// What it tells of.
    pub kind: EventKind,
    /// Its JSON.
    pub data: Arc<str>,
}

/// Where events go in and clients subscribe.
#[derive(Debug)]
pub(crate) struct EventHub {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    last_id: u64,
    ring: VecDeque<Event>,
    /// Absent after [`EventHub::close`].
    sender: Option<broadcast::Sender<Event>>,
}

/// What a client starts with, and what follows.
#[derive(Debug)]
pub(crate) struct Subscription {
    /// To be sent first.
    pub(crate) replay: Vec<Event>,
    /// What happens from now on; nothing lies between the two.
    pub(crate) live: broadcast::Receiver<Event>,
}

impl EventHub {
    pub(crate) fn new() -> EventHub {
        let (sender, _) = broadcast::channel(EVENT_BACKLOG);
        EventHub { inner: Mutex::new(Inner { last_id: 0, ring: VecDeque::new(), sender: Some(sender) }) }
    }

    /// Sends an event to every client. Numbers rise in the order in which clients see them.
    pub(crate) fn publish(&self, kind: EventKind, payload: &impl Serialize) {
        let data: Arc<str> = match serde_json::to_string(payload) {
            Ok(json) => json.into(),
            Err(error) => {
                tracing::error!(kind = kind.name(), %error, "an event cannot be written as JSON");
                return;
            }
        };
        let mut inner = self.lock();
        let id = kind.is_replayed().then(|| {
            inner.last_id += 1;
            inner.last_id
        });
        let event = Event { id, kind, data };
        if id.is_some() {
            if inner.ring.len() == EVENT_RING {
                inner.ring.pop_front();
            }
            inner.ring.push_back(event.clone());
        }
        if let Some(sender) = &inner.sender {
            // Without a client nobody receives it, which is fine.
            let _ = sender.send(event);
        }
    }

    /// A new client. With the id of the last event it saw, everything after that is replayed, as far as it is
    /// kept. `None` after [`EventHub::close`].
    pub(crate) fn subscribe(&self, last_seen: Option<u64>) -> Option<Subscription> {
        let inner = self.lock();
        let live = inner.sender.as_ref()?.subscribe();
        let mut replay = Vec::new();
        if let Some(seen) = last_seen {
            // An id from the future was given out before a restart: replay all.
            let seen = if seen > inner.last_id { 0 } else { seen };
            let oldest = inner.ring.front().and_then(|e| e.id).unwrap_or(inner.last_id + 1);
            let missed = oldest.saturating_sub(seen + 1);
            if missed > 0 {
                replay.push(note(EventKind::Gap, &format!("{{\"missed\":{missed}}}")));
            }
            replay.extend(inner.ring.iter().filter(|e| e.id.is_some_and(|id| id > seen)).cloned());
        }
        // Without an id of its own: a client that is cut off during the replay must not skip the rest of it.
        let mut hello = note(EventKind::Hello, &format!("{{\"last_id\":{}}}", inner.last_id));
        hello.id = replay.is_empty().then_some(inner.last_id);
        replay.insert(0, hello);
        Some(Subscription { replay, live })
    }

    /// Ends every stream and accepts no new one.
    pub(crate) fn close(&self) {
        self.lock().sender = None;
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nothing inside the lock can panic half-way, so what it guards is whole.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An event for one client only.
pub(crate) fn note(kind: EventKind, json: &str) -> Event {
    Event { id: None, kind, data: json.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(published: u64, last_seen: Option<u64>, expected: &[&str]) {
        let hub = EventHub::new();
        for n in 1..=published {
            hub.publish(EventKind::Pause, &n);
            hub.publish(EventKind::Ports, &n);
        }
        let replay = hub.subscribe(last_seen).unwrap().replay;
        let texts: Vec<String> = replay
            .iter()
            .map(|e| format!("{} {} {}", e.id.map_or("-".into(), |id| id.to_string()), e.kind.name(), e.data))
            .collect();
        let head: Vec<&str> = texts.iter().map(String::as_str).take(expected.len()).collect();
        assert_eq!(head, expected);
        let replayed = replay.len() as u64 - 1;
        assert!(replayed <= EVENT_RING as u64 + 1);
    }

    #[test]
    fn clients_that_come_back_get_what_they_missed() {
        check(0, None, &["0 hello {\"last_id\":0}"]);
        check(3, None, &["3 hello {\"last_id\":3}"]);
        check(3, Some(3), &["3 hello {\"last_id\":3}"]);
        check(3, Some(1), &["- hello {\"last_id\":3}", "2 pause 2", "3 pause 3"]);
        let many = EVENT_RING as u64 + 10;
        check(
            many,
            Some(2),
            &[&format!("- hello {{\"last_id\":{many}}}"), "- gap {\"missed\":8}", "11 pause 11"],
        );
        check(
            many,
            Some(many - 1),
            &[&format!("- hello {{\"last_id\":{many}}}"), &format!("{many} pause {many}")],
        );
    }

    #[test]
    fn ids_from_before_a_restart_replay_everything() {
        check(2, Some(500), &["- hello {\"last_id\":2}", "1 pause 1", "2 pause 2"]);
    }

    #[test]
    fn closing_ends_streams() {
        let hub = EventHub::new();
        let mut subscription = hub.subscribe(None).unwrap();
        hub.close();
        assert!(matches!(subscription.live.try_recv(), Err(broadcast::error::TryRecvError::Closed)));
        assert!(hub.subscribe(None).is_none());
        hub.publish(EventKind::Pause, &1);
    }
}
