//! Questions of operators: a polling packet for a flow that nobody has complained about.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

use model::wire::polling::{Follow, Polling};
use model::{FlowKey, Snapshot};
use scenario::Scenario;
use tokio::sync::oneshot;
use web::{QueryAnswer, QueryBackend, QueryError, QueryFuture};

/// Questions that may be under way.
const OPEN_QUESTIONS: usize = 16;
/// Hosts number their events from their own number times 2^16; this one belongs to no host.
const FIRST_EVENT: u32 = 0xffff_0000;
/// Switches that a polling packet may cross.
const HOP_LIMIT: u8 = 16;

/// A polling packet and the host that is to send it.
pub(super) type Poll = (String, Polling);

/// What the analyzer made of an event's snapshot: the first verdict, or why there is none.
pub(super) type Answer = Result<QueryAnswer, QueryError>;

/// Asks the network, and hands answers back to who asked.
pub(super) struct Asker {
    /// Sender and class of every flow of the network.
    flows: BTreeMap<FlowKey, (String, u8)>,
    polls: mpsc::Sender<Poll>,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    asked: u16,
    waiting: BTreeMap<u32, oneshot::Sender<Answer>>,
}

impl Asker {
    /// An asker about the flows of a scenario; polling packets come out of the receiver.
    pub(super) fn new(scenario: &Scenario) -> (Arc<Asker>, mpsc::Receiver<Poll>) {
        let (polls, receiver) = mpsc::channel();
        let flows = scenario.flows.iter();
        let flows = flows.filter_map(|flow| Some((scenario.key(flow)?, (flow.src.clone(), flow.priority))));
        (Arc::new(Asker { flows: flows.collect(), polls, open: Mutex::default() }), receiver)
    }

    /// Whether an event is one of this asker's.
    pub(super) fn is_own(&self, snapshot: &Snapshot) -> bool {
        snapshot.event >= FIRST_EVENT
    }

    /// Answers whoever asked for the event of `snapshot`; who has given up is not missed.
    pub(super) fn answer(&self, snapshot: &Snapshot, answer: Answer) {
        if let Some(waiting) = self.open().waiting.remove(&snapshot.event) {
            let _ = waiting.send(answer);
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        // Nothing inside the lock can panic half-way, so what it guards is whole.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start(&self, victim: FlowKey) -> Result<oneshot::Receiver<Answer>, QueryError> {
        let unknown = || QueryError::UnknownFlow(format!("no host of this network sends `{victim}`"));
        let (host, priority) = self.flows.get(&victim).ok_or_else(unknown)?;
        let mut open = self.open();
        open.waiting.retain(|_, waiting| !waiting.is_closed());
        if open.waiting.len() >= OPEN_QUESTIONS {
            return Err(QueryError::Busy { retry_after_s: 1 });
        }
        let event = FIRST_EVENT | u32::from(open.asked);
        open.asked = open.asked.wrapping_add(1);
        let (sender, receiver) = oneshot::channel();
        open.waiting.insert(event, sender);
        let polling = Polling {
            follow: Follow::VictimPath,
            hop_limit: HOP_LIMIT,
            priority: *priority,
            event,
            flow: victim,
        };
        let stopped = |_| QueryError::Failed("the network has stopped".into());
        self.polls.send((host.clone(), polling)).map_err(stopped)?;
        Ok(receiver)
    }
}

impl QueryBackend for Asker {
    fn ask(&self, victim: FlowKey) -> QueryFuture<'_> {
        Box::pin(async move {
            let stopped = |_| QueryError::Failed("the controller has stopped".into());
            self.start(victim)?.await.map_err(stopped)?
        })
    }
}
