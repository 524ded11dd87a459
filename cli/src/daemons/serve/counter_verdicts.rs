//! Uploaded verdicts from counters on their way to the store: each is brought to the network time of the store, continued
//! inside the host that it ends at, stored as a diagnosis, and removed from the inbox. After a crash the next start
//! continues with what the inbox still has; a verdict that is stored already has no effect.
//!
//! They need no topology and no analysis, so that they wait for neither.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use analyzer::incident::is_ordinary;
use model::{Diagnosis, ProvenanceGraph};
use proto::{counter_verdict, v1};
use store::{DiagnosisFilter, DiagnosisRow, InboxRow};
use tokio::time::interval;
use tracing::{error, info, warn};

use super::awaiting_reports::Awaited;
use super::{Shared, counted_events};
use crate::daemons::operations::wall_ns;
use crate::daemons::time_base::TimeBase;

/// The kind of the senders.
pub(crate) const WATCHER: &str = "watcher";
/// Maximum verdicts that are read from the store at once.
const BATCH: u32 = 64;
/// Maximum verdicts that wait for the report of a host; a further one is stored without it.
const WAITING: usize = 1024;
/// Interval at which verdicts that wait are looked at, and the inbox if nothing notified of a change.
const TICK: Duration = Duration::from_millis(100);

/// A verdict that waits for the reports of hosts.
struct Waiting {
    arrival: u64,
    verdict: Diagnosis,
    awaited: Awaited,
    until_ns: u64,
}

/// Processes verdicts from counters until the server stops.
pub(crate) struct CounterVerdicts {
    shared: Arc<Shared>,
    /// The last record that was read.
    last: u64,
    waiting: Vec<Waiting>,
    /// Whether the store has failed since the last look at the inbox.
    has_failed: bool,
    /// How long a verdict that ends at a host waits for the host's report, in nanoseconds.
    wait_ns: u64,
}

impl CounterVerdicts {
    /// Starts before the first record of the inbox.
    pub(crate) fn new(shared: Arc<Shared>, wait_ns: u64) -> CounterVerdicts {
        CounterVerdicts { shared, last: 0, waiting: Vec::new(), has_failed: false, wait_ns }
    }

    /// Runs until `stop` resolves. Verdicts that have not been stored then stay in the inbox.
    pub(crate) async fn run(mut self, stop: impl Future<Output = ()>) {
        tokio::pin!(stop);
        self.recall().await;
        let mut tick = interval(TICK);
        loop {
            tokio::select! {
                () = self.shared.verdict_arrived.notified() => {}
                _ = tick.tick() => {}
                () = &mut stop => return,
            }
            self.read().await;
            self.settle().await;
        }
    }

    /// Notes the latest verdicts of the store: telemetry that arrives after a restart may be of the same event.
    async fn recall(&self) {
        let latest =
            DiagnosisFilter { limit: Some(counted_events::MOST as u32), ..DiagnosisFilter::default() };
        let rows = match self.shared.live.store().diagnoses(&latest).await {
            Ok(page) => page.rows,
            Err(error) => {
                return warn!(%error, "the store failed; earlier verdicts from counters are not known");
            }
        };
        // The latest come first.
        for DiagnosisRow { diagnosis, wall_ns, .. } in rows.into_iter().rev() {
            // A verdict of telemetry that counters have continued has a victim.
            if diagnosis.counters.is_some() && diagnosis.victim.is_none() {
                self.shared.counted_events.note(&diagnosis, wall_ns);
            }
        }
    }

    /// Reads the new records, until there are none or the store fails.
    async fn read(&mut self) {
        self.has_failed = false;
        while !self.has_failed {
            let rows = match self.shared.live.store().inbox(WATCHER, self.last, BATCH).await {
                Ok(rows) => rows,
                Err(error) => return error!(%error, "the store failed"),
            };
            let Some(last) = rows.last() else { return };
            self.last = last.arrival;
            for row in rows {
                match prepared(&row, self.shared.time) {
                    Ok(verdict) if is_ordinary(&verdict) => self.done(row.arrival).await,
                    Ok(verdict) => self.take(row.arrival, verdict).await,
                    Err(why) => {
                        // It was checked on arrival, by another version perhaps.
                        warn!(sender = row.sender, why, "a stored verdict from counters cannot be read");
                        self.done(row.arrival).await;
                    }
                }
            }
        }
    }

    /// Stores a verdict, at once or when the report of the host that it ends at has arrived.
    async fn take(&mut self, arrival: u64, verdict: Diagnosis) {
        self.shared.request_reports(std::iter::once(&verdict));
        let hosts = self.shared.hosts_of(std::iter::once(&verdict));
        let awaited = self.shared.hosts.awaited(&hosts);
        if awaited.is_empty() || self.waiting.len() >= WAITING {
            return self.store(arrival, verdict).await;
        }
        let until_ns = wall_ns().saturating_add(self.wait_ns);
        self.waiting.push(Waiting { arrival, verdict, awaited, until_ns });
    }

    /// Stores the verdicts whose reports have arrived or do not arrive in time.
    async fn settle(&mut self) {
        let now_ns = wall_ns();
        let hosts = &self.shared.hosts;
        let is_over =
            |waiting: &mut Waiting| now_ns >= waiting.until_ns || hosts.have_arrived(&waiting.awaited);
        let settled: Vec<Waiting> = self.waiting.extract_if(.., is_over).collect();
        for Waiting { arrival, verdict, .. } in settled {
            self.store(arrival, verdict).await;
        }
    }

    async fn store(&mut self, arrival: u64, verdict: Diagnosis) {
        let topology = self.shared.live.topology();
        let verdict = self.shared.hosts.unite(verdict, topology.as_deref(), wall_ns());
        self.shared.counted_events.note(&verdict, wall_ns());
        // Counters have no records of flows, which a graph is made of: the path of the pauses is in the verdict itself.
        match self.shared.live.push_diagnosis(&verdict, &ProvenanceGraph::default(), None).await {
            Ok(stored) => {
                if stored.new {
                    self.shared.counter_verdicts.fetch_add(1, Ordering::Relaxed);
                    info!(verdict = verdict.summary, "diagnosed from counters");
                }
                self.done(arrival).await;
            }
            Err(error) => {
                error!(%error, "the store failed; a verdict from counters is not stored yet");
                // It is still in the inbox, and is read again.
                self.has_failed = true;
                self.last = self.last.min(arrival.saturating_sub(1));
                self.waiting.retain(|waiting| waiting.arrival < arrival);
            }
        }
    }

    async fn done(&self, arrival: u64) {
        if let Err(error) = self.shared.live.store().processed(arrival).await {
            error!(%error, "the store failed; a verdict from counters will be read again after a restart");
        }
    }
}

/// Reads a verdict of the inbox, with its times on the clocks of the server and of the store.
fn prepared(row: &InboxRow, time: TimeBase) -> Result<Diagnosis, String> {
    let message = v1::CounterVerdict { json: row.body.clone() };
    let mut verdict = counter_verdict::read(&message).map_err(|error| error.to_string())?;
    let name = row.sender.rsplit('/').next().unwrap_or_default();
    let on_server =
        |sender_ns: u64| sender_ns.saturating_add_signed(row.offset_ns.unwrap_or(0)).min(row.received_ns);
    // Two watchers may name verdicts alike.
    verdict.id = format!("{name}-{}", verdict.id);
    verdict.time_ns = time.network_ns(on_server(verdict.time_ns));
    if let Some(interval) = &mut verdict.counters {
        (interval.from_ns, interval.to_ns) = (on_server(interval.from_ns), on_server(interval.to_ns));
        interval.watcher = Some(name.to_string());
    }
    Ok(verdict)
}

#[cfg(test)]
mod tests {
    use model::diagnosis::CounterInterval;

    use super::*;

    #[test]
    fn times_are_those_of_the_server_and_never_in_the_future() {
        let check = |offset_ns: Option<i64>, received_ns: u64, expected: (u64, u64, u64)| {
            let verdict = Diagnosis {
                id: "counters-5".into(),
                time_ns: 5_000,
                counters: Some(CounterInterval { from_ns: 4_000, to_ns: 5_000, watcher: None }),
                ..Diagnosis::undetermined(None)
            };
            let row = InboxRow {
                arrival: 1,
                sender: "watcher/w1".into(),
                boot_id: "ab".into(),
                time_ns: 5_000,
                offset_ns,
                error_ns: 0,
                received_ns,
                body: serde_json::to_vec(&verdict).unwrap(),
            };
            let found = prepared(&row, TimeBase { zero_ns: 1_000, scale: 1 }).unwrap();
            assert_eq!(found.id, "w1-counters-5");
            let interval = found.counters.unwrap();
            assert_eq!((found.time_ns, interval.from_ns, interval.to_ns), expected);
            assert_eq!(interval.watcher.as_deref(), Some("w1"));
        };
        check(None, 9_000, (4_000, 4_000, 5_000));
        check(Some(500), 9_000, (4_500, 4_500, 5_500));
        check(Some(-500), 9_000, (3_500, 3_500, 4_500));
        check(Some(9_000), 9_000, (8_000, 9_000, 9_000));
    }
}
