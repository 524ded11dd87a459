//! Stored snapshots on their way to diagnoses: each is aligned, completed, united with those of other controllers about
//! the same event, analysed, and removed from the inbox once its diagnoses are stored. After a crash the next start
//! continues with what the inbox still has.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use analyzer::{Settings, Standstills, TopologyIndex};
use counters::is_open;
use model::snapshot::SNAPSHOT_FORMAT;
use model::{Diagnosis, MissingData, Snapshot, SwitchTelemetry, Topology};
use prost::Message as _;
use proto::v1;
use store::{InboxRow, NewDiagnosis};
use tokio::time::interval;
use tracing::{error, info, warn};
use web::{Stage, SwitchClockError};

use super::awaiting_reports::{Awaited, AwaitingReports, Waiting};
use super::{Shared, cables, counted_events};
use crate::daemons::analysis::parts::{Added, Part, Parts, United};
use crate::daemons::analysis::{AnalysedEvent, Jobs, PendingFirst, Worker};
use crate::daemons::operations::wall_ns;
use crate::daemons::time_base::TimeBase;

/// Maximum snapshots in memory that wait for the analysis; further ones stay in the store. Each may have 20 MB.
const QUEUED: usize = 16;
/// Maximum snapshots that are read from the store at once.
const BATCH: usize = 4;
/// How long a snapshot without a trigger waits for it: more than the longest delay of a reconnect.
const TRIGGER_WAIT_NS: u64 = 6_000_000_000;
/// How long the answer to a query waits for the report of a host at most, well within the timeout of queries.
const QUERY_WAIT_NS: u64 = 10_000_000_000;
/// Interval at which quiet incidents are looked at.
const ADVANCE_NS: u64 = 1_000_000_000;
/// Interval at which pending diagnoses are looked at, and the inbox if nothing notified of a change.
const TICK: Duration = Duration::from_millis(100);

/// An input of the analysis: the snapshot with the numbers of its parts in the inbox, and the network at its time.
type Input = (United, Arc<Topology>);

/// Processes the inbox until the server stops.
pub(crate) struct Inbox {
    shared: Arc<Shared>,
    parts: Parts,
    /// Events that are complete and wait for the analysis.
    ready: VecDeque<United>,
    analysis: Worker<Input, AnalysedEvent>,
    pending: PendingFirst,
    awaiting: AwaitingReports,
    standstills: Standstills,
    /// How long a first diagnosis waits for that of the follow-up poll, and a verdict that ends at a host for the host's
    /// report, in nanoseconds of wall-clock time.
    follow_up_wait_ns: u64,
    /// The last record that was read.
    last: u64,
    /// Records that were read and have no result yet.
    under_analysis: usize,
    /// When incidents were last looked at.
    advanced_ns: u64,
    /// Whether the log says that there is no topology.
    is_blind: bool,
}

impl Inbox {
    /// Starts the thread that analyses.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(crate) fn new(shared: Arc<Shared>, follow_up_wait_ns: u64) -> anyhow::Result<Inbox> {
        let state = shared.clone();
        let analysis = Worker::spawn("analysis", QUEUED, move |jobs: Jobs<Input, AnalysedEvent>| {
            let settings = Settings::default();
            jobs.process(|(United { arrivals, snapshot }, topology)| {
                let analyse = AssertUnwindSafe(|| {
                    let index = TopologyIndex::new(&topology);
                    analyzer::analyze_indexed(&snapshot, &index, &settings)
                });
                let start = Instant::now();
                // One snapshot must not end all diagnosis, also after a restart: it would be read again.
                let analyses = catch_unwind(analyse).unwrap_or_else(|_| {
                    error!(event = snapshot.event, "the analysis of a snapshot has panicked; it is skipped");
                    state.count_bad_snapshot();
                    Vec::new()
                });
                state.live.observe(Stage::Analysis, start.elapsed());
                AnalysedEvent { arrivals, snapshot, analyses }
            });
        })?;
        Ok(Inbox {
            shared,
            parts: Parts::default(),
            ready: VecDeque::new(),
            analysis,
            pending: PendingFirst::default(),
            awaiting: AwaitingReports::default(),
            standstills: Standstills::default(),
            follow_up_wait_ns,
            last: 0,
            under_analysis: 0,
            advanced_ns: 0,
            is_blind: false,
        })
    }

    /// Runs until `stop` resolves; then what is under analysis is finished and stored.
    pub(crate) async fn run(mut self, stop: impl Future<Output = ()>) {
        tokio::pin!(stop);
        let mut tick = interval(TICK);
        loop {
            self.analyse_ready();
            if self.ready.is_empty() && self.under_analysis < QUEUED {
                self.read().await;
                self.analyse_ready();
            }
            tokio::select! {
                () = self.shared.arrived.notified() => {}
                event = self.analysis.next(), if self.under_analysis > 0 => {
                    let Some(event) = event else {
                        error!("the analysis has stopped; there will be no further diagnoses");
                        self.shared.analysis_failed();
                        return;
                    };
                    self.analysed(event).await;
                }
                _ = tick.tick() => self.tick().await,
                () = &mut stop => break,
            }
        }
        while self.under_analysis > 0
            && let Some(event) = self.analysis.next().await
        {
            self.analysed(event).await;
        }
        // Events that wait for a follow-up poll or a report stay in the store's inbox: the next start analyses them again.
    }

    /// Reads the next records.
    async fn read(&mut self) {
        let room = BATCH.min(QUEUED.saturating_sub(self.under_analysis)) as u32;
        let rows = match self.shared.live.store().inbox("controller", self.last, room).await {
            Ok(rows) => rows,
            Err(error) => {
                error!(%error, "the store failed");
                return;
            }
        };
        for row in rows {
            self.last = row.arrival;
            let Some(topology) = self.shared.live.topology() else {
                if !std::mem::replace(&mut self.is_blind, true) {
                    warn!("there is no topology; snapshots wait in the store");
                }
                self.last = row.arrival - 1;
                return;
            };
            self.is_blind = false;
            match self.prepared(&row, &topology) {
                Ok(snapshot) if self.must_wait(&row, &snapshot) => {
                    // Later rows wait as well, a short time: they are read again at the next tick.
                    self.last = row.arrival - 1;
                    return;
                }
                Ok(snapshot) => {
                    self.observe(&row, &snapshot);
                    self.unite(row, snapshot).await;
                }
                Err(why) => {
                    warn!(sender = row.sender, why, "a snapshot cannot be analysed");
                    self.shared.count_bad_snapshot();
                    self.done(row.arrival).await;
                }
            }
        }
    }

    /// Adds a snapshot to what is known of its event.
    async fn unite(&mut self, row: InboxRow, snapshot: Snapshot) {
        let (arrival, bytes) = (row.arrival, row.body.len());
        let part = Part { arrival, controller: row.sender, snapshot, bytes };
        match self.parts.add(part, &self.shared.senders.controllers(), wall_ns()) {
            Added::Analyse(events) => self.ready.extend(events),
            Added::Known => self.done(arrival).await,
        }
        self.shared.united_snapshots.store(self.parts.united(), Ordering::Relaxed);
    }

    /// Passes complete events to the analysis while it has room.
    fn analyse_ready(&mut self) {
        while self.analysis.has_room()
            && self.under_analysis < QUEUED
            && let Some(topology) = self.shared.live.topology()
            && let Some(event) = self.ready.pop_front()
        {
            // Fails only if the thread has ended, which ends the inbox as well.
            self.under_analysis += usize::from(self.analysis.push((event, topology)));
        }
    }

    /// Adds how long the freeze and the collection took to the metrics. The clocks of switches, hosts and controllers are
    /// compared, so that a duration below their errors counts as 0.
    fn observe(&self, row: &InboxRow, snapshot: &Snapshot) {
        let time = self.shared.time;
        let duration = |from_ns: u64, to_ns: u64| {
            Duration::from_nanos(to_ns.saturating_sub(from_ns).saturating_mul(time.scale))
        };
        let frozen = snapshot.switches.iter().map(|switch| switch.frozen_ns);
        if let Some(trigger) = &snapshot.trigger {
            for frozen_ns in frozen.clone() {
                self.shared.live.observe(Stage::Freeze, duration(trigger.time_ns, frozen_ns));
            }
        }
        let collected_ns = time.network_ns(row.time_ns.saturating_add_signed(row.offset_ns.unwrap_or(0)));
        if let Some(first_ns) = frozen.min() {
            self.shared.live.observe(Stage::Collection, duration(first_ns, collected_ns));
        }
    }

    /// Whether the trigger of a snapshot may still arrive. After an outage of the server, the controller may have
    /// reconnected before the agent.
    fn must_wait(&self, row: &InboxRow, snapshot: &Snapshot) -> bool {
        let is_young = wall_ns().saturating_sub(row.received_ns) < TRIGGER_WAIT_NS;
        snapshot.trigger.is_none() && !self.shared.queries.is_own(snapshot) && is_young
    }

    fn prepared(&self, row: &InboxRow, topology: &Topology) -> Result<Snapshot, String> {
        let upload = v1::Snapshot::decode(row.body.as_slice()).map_err(|error| error.to_string())?;
        let mut snapshot: Snapshot =
            serde_json::from_slice(&upload.json).map_err(|error| error.to_string())?;
        if snapshot.format != SNAPSHOT_FORMAT {
            return Err(format!("format {}; this version reads {SNAPSHOT_FORMAT}", snapshot.format));
        }
        let time = self.shared.time;
        // A switch without a clock cannot be compared with the others.
        let has_clock = |switch: &str| upload.clocks.iter().any(|clock| clock.switch == switch);
        let (known, unknown) = snapshot.switches.into_iter().partition(|s| has_clock(&s.switch));
        snapshot.switches = known;
        let unknown: Vec<SwitchTelemetry> = unknown;
        snapshot.missing.extend(unknown.into_iter().map(|telemetry| MissingData::Unread {
            switch: telemetry.switch,
            why: "its clock is not known yet".into(),
        }));
        snapshot.losses.retain(|loss| has_clock(&loss.switch));
        snapshot.events.retain(|event| has_clock(&event.switch));
        align(&mut snapshot, &upload.clocks, row.offset_ns.unwrap_or(0), time);
        let errors = clock_errors(&upload.clocks, row);
        for telemetry in &mut snapshot.switches {
            let known = errors.iter().find(|known| known.switch == telemetry.switch);
            let error_ns = known.and_then(|known| known.error_ns);
            telemetry.clock_error_ns = error_ns.map(|error_ns| error_ns.div_ceil(time.scale.max(1)));
        }
        self.shared.senders.switch_clocks(&row.sender, errors);
        self.shared.complete(&mut snapshot);
        let problems = snapshot.problems(topology);
        if !problems.is_empty() {
            return Err(problems.join("; "));
        }
        Ok(snapshot)
    }

    async fn analysed(&mut self, mut event: AnalysedEvent) {
        self.under_analysis -= 1;
        let cables = self.shared.senders.cable_findings();
        for analysis in &mut event.analyses {
            cables::cite(&mut analysis.diagnosis, &event.snapshot, &cables);
        }
        // The report arrives while a first diagnosis waits for the follow-up poll.
        self.shared.request_reports(event.analyses.iter().map(|analysis| &analysis.diagnosis));
        let events = match self.shared.queries.is_own(&event.snapshot) {
            true => vec![event],
            false => self.pending.add(event, wall_ns().saturating_add(self.follow_up_wait_ns)),
        };
        self.settled(events).await;
    }

    /// Continues with events whose analyses do not change any more: those that end at a host wait for its report.
    async fn settled(&mut self, events: Vec<AnalysedEvent>) {
        let now_ns = wall_ns();
        let mut complete = Vec::new();
        for event in events {
            let hosts = self.shared.hosts_of(event.analyses.iter().map(|analysis| &analysis.diagnosis));
            let reports = self.shared.hosts.awaited(&hosts);
            let waits = self.shared.senders.has_watcher() && has_open(&event);
            let counters_until_ns = if waits { now_ns.saturating_add(counted_events::WAIT_NS) } else { 0 };
            let waiting = Waiting { reports, counters_until_ns };
            match self.is_over(&waiting, &event, now_ns) {
                true => complete.push(event),
                false => complete.extend(self.awaiting.add(waiting, event)),
            }
        }
        self.finish(complete).await;
    }

    /// Whether an event need not wait any longer.
    fn is_over(&self, waiting: &Waiting, event: &AnalysedEvent, now_ns: u64) -> bool {
        let waits_for_counters = || {
            let mut verdicts = diagnoses(event);
            !self.shared.continue_by_counters(&mut verdicts)
        };
        let is_counted = now_ns >= waiting.counters_until_ns || !waits_for_counters();
        is_counted && !self.is_awaited(&waiting.reports, event, now_ns)
    }

    fn is_awaited(&self, awaited: &Awaited, event: &AnalysedEvent, now_ns: u64) -> bool {
        let most_ns = if self.shared.queries.is_own(&event.snapshot) { QUERY_WAIT_NS } else { u64::MAX };
        let wait_ns = self.follow_up_wait_ns.min(most_ns);
        let is_in_time = awaited.values().any(|requested_ns| now_ns < requested_ns.saturating_add(wait_ns));
        is_in_time && !self.shared.hosts.have_arrived(awaited)
    }

    /// Continues verdicts by the counters of other switches and inside hosts, and stores them or answers the query that they
    /// belong to.
    async fn finish(&mut self, events: Vec<AnalysedEvent>) {
        let topology = self.shared.live.topology();
        let mut to_store = Vec::new();
        for mut event in events {
            let mut verdicts = diagnoses(&event);
            self.shared.continue_by_counters(&mut verdicts);
            for (analysis, verdict) in event.analyses.iter_mut().zip(verdicts) {
                // What comes from counters has been continued in its host already.
                analysis.diagnosis = match verdict.counters {
                    Some(_) => verdict,
                    None => self.shared.hosts.unite(verdict, topology.as_deref(), wall_ns()),
                };
            }
            if !self.shared.queries.is_own(&event.snapshot) {
                to_store.push(event);
                continue;
            }
            let arrivals = event.arrivals.clone();
            self.shared.queries.complete(event);
            self.all_done(&arrivals).await;
        }
        self.store(to_store).await;
    }

    async fn tick(&mut self) {
        let now_ns = wall_ns();
        self.ready.extend(self.parts.expired(now_ns));
        let events = self.pending.expired(now_ns);
        self.settled(events).await;
        let mut awaiting = std::mem::take(&mut self.awaiting);
        let events = awaiting.take(|waiting, event| self.is_over(waiting, event, now_ns));
        self.awaiting = awaiting;
        self.finish(events).await;
        if now_ns.saturating_sub(self.advanced_ns) < ADVANCE_NS {
            return;
        }
        self.advanced_ns = now_ns;
        let lasting = self.shared.senders.lasting_ports();
        let network_ns = self.shared.time.network_ns(now_ns);
        if let Err(error) = self.shared.live.advance_while(network_ns, lasting).await {
            error!(%error, "the store failed");
        }
    }

    /// Stores the verdicts of events, all in one transaction.
    async fn store(&mut self, mut events: Vec<AnalysedEvent>) {
        for event in &mut events {
            event.unify(&mut self.standstills);
            if event.analyses.is_empty() {
                let AnalysedEvent { snapshot, .. } = event;
                info!(event = snapshot.event, missing = ?snapshot.missing, "no diagnosis for this event");
            }
        }
        let reported: Vec<Vec<NewDiagnosis<'_>>> = events.iter().map(AnalysedEvent::reported).collect();
        let mut results = match self.shared.live.push_diagnoses(&reported.concat()).await {
            Ok(results) => results.into_iter(),
            Err(error) => {
                error!(%error, "the store failed; diagnoses are not stored yet");
                events.iter().for_each(|event| self.repeat(&event.arrivals));
                return;
            }
        };
        for (event, reported) in events.iter().zip(&reported) {
            let mut is_stored = true;
            for (new, result) in reported.iter().zip(results.by_ref()) {
                match result {
                    Ok(_) => info!(verdict = new.diagnosis.summary, "diagnosed"),
                    Err(error) => {
                        error!(%error, "a diagnosis cannot be stored");
                        is_stored = false;
                    }
                }
            }
            match is_stored {
                true => self.all_done(&event.arrivals).await,
                false => self.repeat(&event.arrivals),
            }
        }
    }

    /// Leaves a snapshot in the inbox, so that it is analysed again.
    fn repeat(&mut self, arrivals: &[u64]) {
        let first = arrivals.iter().copied().min().unwrap_or(self.last);
        self.last = self.last.min(first.saturating_sub(1));
    }

    async fn all_done(&self, arrivals: &[u64]) {
        for arrival in arrivals {
            self.done(*arrival).await;
        }
    }

    async fn done(&self, arrival: u64) {
        if let Err(error) = self.shared.live.store().processed(arrival).await {
            error!(%error, "the store failed; a snapshot will be analysed again after a restart");
        }
    }
}

/// The verdicts of an event.
fn diagnoses(event: &AnalysedEvent) -> Vec<Diagnosis> {
    event.analyses.iter().map(|analysis| analysis.diagnosis.clone()).collect()
}

/// Whether a verdict of an event leads into switches without telemetry. It may be ordinary by what the telemetry shows.
fn has_open(event: &AnalysedEvent) -> bool {
    event.analyses.iter().any(|analysis| is_open(&analysis.diagnosis))
}

/// How well the clocks of switches are known: by the controller that has sent them, whose own clock is off as well.
fn clock_errors(clocks: &[v1::SwitchClock], row: &InboxRow) -> Vec<SwitchClockError> {
    let own_ns = row.offset_ns.map(|_| row.error_ns);
    let error = |clock: &v1::SwitchClock| SwitchClockError {
        switch: clock.switch.clone(),
        error_ns: clock
            .maximum_error_ns
            .zip(own_ns)
            .map(|(error_ns, own_ns)| error_ns.saturating_add(own_ns)),
    };
    clocks.iter().map(error).collect()
}

/// Brings all times of a snapshot to the network time of the store. The times of switches start at their zeros, that of
/// the trigger is the server's wall clock.
fn align(snapshot: &mut Snapshot, clocks: &[v1::SwitchClock], offset_ns: i64, time: TimeBase) {
    for clock in clocks {
        let zero_ns = clock.zero_ns.saturating_add(offset_ns);
        snapshot.shift_clock(&clock.switch, time.shift_ns(zero_ns));
    }
    if let Some(trigger) = &mut snapshot.trigger {
        trigger.time_ns = time.network_ns(trigger.time_ns);
        if let Some(first) = &mut trigger.follows {
            first.since_ns = time.network_ns(first.since_ns);
        }
    }
}
