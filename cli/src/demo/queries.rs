//! Queries of operators: each sends a polling packet for a flow, whether or not an agent reported it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

use model::wire::polling::{Follow, Polling};
use model::{FlowKey, Snapshot};
use scenario::Scenario;
use tokio::sync::oneshot;
use web::{QueryBackend, QueryError, QueryFuture, QueryResult};

/// Maximum number of open queries, and of polling packets that wait for the network's thread.
const OPEN_QUERIES: usize = 16;
/// First event id of queries. Agents number their events from their host's number times 2^16; no host has this one.
const FIRST_EVENT: u32 = 0xffff_0000;
/// Maximum number of switches on the path of a polling packet.
const HOP_LIMIT: u8 = 16;

/// A polling packet and the name of the host that sends it.
pub(super) type Poll = (String, Polling);

/// The diagnosis of a query, or the reason why there is none.
pub(super) type Outcome = Result<QueryResult, QueryError>;

/// Sends polling packets for queries and matches snapshots with them.
pub(super) struct Queries {
    /// Sender and priority of every flow of the network.
    flows: BTreeMap<FlowKey, (String, u8)>,
    polls: mpsc::SyncSender<Poll>,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    next_event: u16,
    waiting: BTreeMap<u32, oneshot::Sender<Outcome>>,
}

impl Queries {
    /// Creates the queries for the flows of scenarios on one network, and the receiver of their polling packets.
    pub(super) fn new(scenarios: &[Arc<Scenario>]) -> (Arc<Queries>, mpsc::Receiver<Poll>) {
        let (polls, receiver) = mpsc::sync_channel(OPEN_QUERIES);
        let flows =
            scenarios.iter().flat_map(|scenario| scenario.flows.iter().map(move |flow| (scenario, flow)));
        let flows = flows.filter_map(|(of, flow)| Some((of.key(flow)?, (flow.src.clone(), flow.priority))));
        (Arc::new(Queries { flows: flows.collect(), polls, open: Mutex::default() }), receiver)
    }

    /// Whether the event of `snapshot` belongs to a query.
    pub(super) fn is_own(&self, snapshot: &Snapshot) -> bool {
        snapshot.event >= FIRST_EVENT
    }

    /// Completes the query for the event of `snapshot`; does nothing if it was cancelled.
    pub(super) fn complete(&self, snapshot: &Snapshot, outcome: Outcome) {
        if let Some(waiting) = self.open().waiting.remove(&snapshot.event) {
            let _ = waiting.send(outcome);
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        // No critical section can panic half-way, so a poisoned lock still guards consistent data.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start(&self, victim: FlowKey) -> Result<oneshot::Receiver<Outcome>, QueryError> {
        let unknown = || QueryError::UnknownFlow(format!("no host of this network sends `{victim}`"));
        let (host, priority) = self.flows.get(&victim).ok_or_else(unknown)?;
        let mut open = self.open();
        open.waiting.retain(|_, waiting| !waiting.is_closed());
        if open.waiting.len() >= OPEN_QUERIES {
            return Err(QueryError::Busy { retry_after_s: 1 });
        }
        let event = FIRST_EVENT | u32::from(open.next_event);
        let polling = Polling {
            follow: Follow::VictimPath,
            hop_limit: HOP_LIMIT,
            priority: *priority,
            event,
            flow: victim,
        };
        // Polling packets of cancelled queries may still fill the channel.
        self.polls.try_send((host.clone(), polling)).map_err(|error| match error {
            mpsc::TrySendError::Full(_) => QueryError::Busy { retry_after_s: 1 },
            mpsc::TrySendError::Disconnected(_) => QueryError::Failed("the network has stopped".into()),
        })?;
        open.next_event = open.next_event.wrapping_add(1);
        let (sender, receiver) = oneshot::channel();
        open.waiting.insert(event, sender);
        Ok(receiver)
    }
}

impl QueryBackend for Queries {
    fn query(&self, victim: FlowKey) -> QueryFuture<'_> {
        Box::pin(async move {
            let stopped = |_| QueryError::Failed("the controller has stopped".into());
            self.start(victim)?.await.map_err(stopped)?
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancelled_queries_do_not_fill_memory() {
        let scenario = scenario::builtin("poster-fig1").expect("a built-in scenario");
        let (queries, polls) = Queries::new(&[Arc::new(scenario)]);
        let victim = *queries.flows.keys().next().expect("the scenario has flows");
        // The receiver of each query is dropped at once, and the network's thread takes no polling packet.
        for _ in 0..OPEN_QUERIES {
            assert!(queries.start(victim).is_ok());
        }
        let busy = queries.start(victim).map(|_| ());
        assert_eq!(busy, Err(QueryError::Busy { retry_after_s: 1 }));
        assert_eq!(polls.try_iter().count(), OPEN_QUERIES);
        assert!(queries.start(victim).is_ok());
    }

    #[test]
    fn open_queries_are_limited() {
        let scenario = scenario::builtin("poster-fig1").expect("a built-in scenario");
        let (queries, polls) = Queries::new(&[Arc::new(scenario)]);
        let victim = *queries.flows.keys().next().expect("the scenario has flows");
        let open: Vec<_> = (0..OPEN_QUERIES)
            .map(|_| {
                let receiver = queries.start(victim);
                assert_eq!(polls.try_iter().count(), 1);
                receiver
            })
            .collect();
        assert!(open.iter().all(Result::is_ok));
        assert_eq!(queries.start(victim).map(|_| ()), Err(QueryError::Busy { retry_after_s: 1 }));
    }
}
