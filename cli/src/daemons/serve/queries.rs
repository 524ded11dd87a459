//! Queries of operators: the agent of the flow's sender sends a polling packet, and the snapshot of its event is the
//! answer.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use analyzer::Analysis;
use model::wire::polling::Follow;
use model::{FlowKey, Snapshot};
use proto::convert::flow_message;
use proto::v1::{self, from_server};
use tokio::sync::oneshot;
use web::{QueryBackend, QueryError, QueryFuture, QueryResult};

use super::Shared;
use crate::daemons::analysis::AnalysedEvent;

/// Maximum number of open queries.
const OPEN_QUERIES: usize = 16;
/// First event id of queries. Agents number their events from their host's number times 2^16; no host has this one.
const FIRST_EVENT: u32 = 0xffff_0000;
/// Maximum number of switches on the path of a polling packet.
const HOP_LIMIT: u32 = 16;

type Outcome = Result<QueryResult, QueryError>;

/// The open queries.
#[derive(Default)]
pub(crate) struct Queries {
    open: Mutex<Open>,
    shared: OnceLock<Weak<Shared>>,
}

#[derive(Default)]
struct Open {
    next_event: u16,
    waiting: BTreeMap<u32, oneshot::Sender<Outcome>>,
}

impl Queries {
    /// Connects the queries to the server's state.
    pub(crate) fn attach(&self, shared: &Arc<Shared>) {
        // There is one server in a process, so this is never set twice.
        let _ = self.shared.set(Arc::downgrade(shared));
    }

    /// Whether the event of `snapshot` belongs to a query.
    pub(crate) fn is_own(&self, snapshot: &Snapshot) -> bool {
        snapshot.event >= FIRST_EVENT
    }

    /// Completes the query of an event; does nothing if it was cancelled.
    pub(crate) fn complete(&self, event: AnalysedEvent) {
        if let Some(waiting) = self.lock().waiting.remove(&event.snapshot.event) {
            let _ = waiting.send(outcome(event.analyses, event.snapshot));
        }
    }

    fn start(&self, victim: FlowKey) -> Result<oneshot::Receiver<Outcome>, QueryError> {
        let stopped = || QueryError::Failed("the server stops".into());
        let shared = self.shared.get().and_then(Weak::upgrade).ok_or_else(stopped)?;
        let topology = shared.live.topology();
        let host =
            topology.as_ref().and_then(|topology| topology.host_of(victim.src)).map(|host| host.name.clone());
        let unknown =
            || QueryError::UnknownFlow(format!("no host of this network has the address {}", victim.src));
        let host = host.ok_or_else(unknown)?;
        let mut open = self.lock();
        open.waiting.retain(|_, waiting| !waiting.is_closed());
        if open.waiting.len() >= OPEN_QUERIES {
            return Err(QueryError::Busy { retry_after_s: 1 });
        }
        let event = FIRST_EVENT | u32::from(open.next_event);
        let poll = v1::Poll {
            event,
            flow: Some(flow_message(&victim)),
            priority: None,
            hop_limit: HOP_LIMIT,
            follow: Follow::VictimPath as u32,
        };
        if !shared.senders.send_to_agent(&host, from_server::Message::Poll(poll)) {
            return Err(QueryError::Failed(format!("the agent of {host} is not connected")));
        }
        open.next_event = open.next_event.wrapping_add(1);
        let (sender, receiver) = oneshot::channel();
        open.waiting.insert(event, sender);
        Ok(receiver)
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        // No critical section can panic half-way, so a poisoned lock still guards consistent data.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueryBackend for Queries {
    fn query(&self, victim: FlowKey) -> QueryFuture<'_> {
        Box::pin(async move {
            let stopped = |_| QueryError::Failed("the server stops".into());
            self.start(victim)?.await.map_err(stopped)?
        })
    }
}

/// Returns the best diagnosis of a query's victim. The web server stores it.
fn outcome(analyses: Vec<Analysis>, snapshot: Snapshot) -> Outcome {
    let Some(Analysis { diagnosis, graph, .. }) = analyses.into_iter().next() else {
        let mut text = "no queue and no pause on the flow's path".to_string();
        for missing in &snapshot.missing {
            text.push_str("; ");
            text.push_str(&missing.to_string());
        }
        return Err(QueryError::Clean(text));
    };
    Ok(QueryResult { diagnosis, graph, snapshot: Some(snapshot) })
}
