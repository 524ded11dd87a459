//! Diagnoses snapshots, and stores the diagnoses.

use std::collections::VecDeque;
use std::sync::Arc;

use analyzer::{Analysis, Settings, Standstills, TopologyIndex};
use controller::collect::CollectSettings;
use controller::live::{Collected, Controller};
use host_diagnosis::{AgedReport, continue_in_hosts};
use model::{Snapshot, Topology};
use scenario::AgentSettings;
use store::NewDiagnosis;
use tokio::sync::mpsc;
use tracing::{error, info};
use web::{LiveState, QueryError, QueryResult};

use super::pace::Progress;
use super::queries::Outcome;
use super::records::Records;
use super::sampler::Sampled;
use crate::daemons::analysis::{AnalysedEvent, Jobs, PendingFirst, Worker};
use crate::daemons::operations::wall_ns;
use crate::daemons::serve::HostReports;

/// The controller retries lost polls after this fraction (1/n) of the time after which polling counts as complete.
const QUIET_TO_RETRY: u64 = 5;
/// How long a first diagnosis waits for the follow-up poll, in simulated time: agents poll again after 400 us, and the
/// collection takes time as well.
const HOLD_NS: u64 = 2_400_000;
/// Maximum snapshots that wait for the analysis. Further ones stay with the controller, whose queue is bounded too.
const QUEUED_SNAPSHOTS: usize = 64;

/// Analyses snapshots on a separate thread.
pub(super) type AnalysisWorker = Worker<Input, Analysed>;

/// An input of the analysis.
pub(super) enum Input {
    Snapshot(Box<Snapshot>),
    /// Simulated time. It passes through the queue unchanged: at this time, all earlier snapshots have been analysed.
    Time(u64),
}

/// A result of the analysis.
pub(super) enum Analysed {
    Event(Box<AnalysedEvent>),
    Time(u64),
}

/// Returns the settings of a collector that runs on the clock of the network.
pub(super) fn collect_settings(agents: &AgentSettings) -> CollectSettings {
    let quiet_ns = agents.quiet.as_ns();
    CollectSettings {
        quiet_ns,
        poll_retry_ns: quiet_ns / QUIET_TO_RETRY,
        // Switches do not restart here, so that idle switches need no audit.
        audit_ns: 0,
        ..CollectSettings::default()
    }
}

/// Starts the thread that analyses snapshots of a network.
pub(super) fn analysis(topology: Arc<Topology>) -> anyhow::Result<AnalysisWorker> {
    Worker::spawn("analysis", QUEUED_SNAPSHOTS, move |jobs: Jobs<Input, Analysed>| {
        let settings = Settings::default();
        let index = TopologyIndex::new(&topology);
        jobs.process(|input| match input {
            Input::Time(now_ns) => Analysed::Time(now_ns),
            Input::Snapshot(snapshot) => {
                let analyses = analyzer::analyze_indexed(&snapshot, &index, &settings);
                Analysed::Event(Box::new(AnalysedEvent {
                    arrivals: Vec::new(),
                    snapshot: *snapshot,
                    analyses,
                }))
            }
        });
    })
}

/// What happens in the system.
pub(super) enum Seen {
    /// The state of all ports.
    Ports(Sampled),
    /// An event that the caller has claimed.
    Own(Box<AnalysedEvent>),
    /// Events whose diagnoses are final.
    Final(Vec<AnalysedEvent>),
    /// Simulated time in nanoseconds. All snapshots up to it have been analysed.
    Time(u64),
}

/// Diagnoses the snapshots of the controller.
pub(super) struct Watch {
    controller: Controller,
    progress: mpsc::Receiver<Progress>,
    /// Whether the network's thread has ended.
    has_ended: bool,
    records: Records,
    topology: Arc<Topology>,
    analysis: AnalysisWorker,
    /// Inputs of the analysis without a result.
    queued: usize,
    pending: PendingFirst,
    standstills: Standstills,
    /// What has happened and was not returned yet.
    waiting: VecDeque<Seen>,
    /// The latest report of each host, for its page.
    host_reports: Arc<HostReports>,
}

impl Watch {
    pub(super) fn new(
        controller: Controller,
        progress: mpsc::Receiver<Progress>,
        records: Records,
        topology: Arc<Topology>,
        analysis: AnalysisWorker,
    ) -> Watch {
        Watch {
            controller,
            progress,
            has_ended: false,
            records,
            topology,
            analysis,
            queued: 0,
            pending: PendingFirst::default(),
            standstills: Standstills::default(),
            waiting: VecDeque::new(),
            host_reports: Arc::default(),
        }
    }

    /// The latest report of each host.
    pub(super) fn host_reports(&self) -> Arc<HostReports> {
        self.host_reports.clone()
    }

    /// Returns what happens next; `None` when the network's thread has ended and all snapshots are analysed. Events for
    /// which `is_own` returns true are not paired with follow-up polls.
    pub(super) async fn next(&mut self, is_own: impl Fn(&Snapshot) -> bool) -> Option<Seen> {
        loop {
            if let Some(seen) = self.waiting.pop_front() {
                return Some(seen);
            }
            if self.has_ended && self.queued == 0 {
                match self.controller.try_snapshot() {
                    Some(collected) => self.analyse(collected),
                    None => {
                        let last = self.pending.expired(u64::MAX);
                        self.finish(last);
                        return self.waiting.pop_front();
                    }
                }
            }
            tokio::select! {
                Ok(collected) = self.controller.snapshot(), if self.analysis.has_room() => {
                    self.analyse(collected);
                }
                analysed = self.analysis.next() => {
                    let Some(analysed) = analysed else {
                        error!("the analysis has stopped; there will be no further diagnoses");
                        return None;
                    };
                    self.queued -= 1;
                    self.analysed(analysed, &is_own);
                }
                reported = self.progress.recv(), if !self.has_ended => match reported {
                    Some(Progress { now, samples }) => {
                        self.waiting.push_back(Seen::Ports(samples));
                        while self.analysis.has_room()
                            && let Some(collected) = self.controller.try_snapshot()
                        {
                            self.analyse(collected);
                        }
                        // Without room this time is skipped; the next one follows soon.
                        self.queued += usize::from(self.analysis.push(Input::Time(now.as_ns())));
                    }
                    None => {
                        self.has_ended = true;
                    }
                },
            }
        }
    }

    fn analyse(&mut self, Collected { mut snapshot, .. }: Collected) {
        self.records.complete(&mut snapshot);
        let event = snapshot.event;
        match self.analysis.push(Input::Snapshot(Box::new(snapshot))) {
            true => self.queued += 1,
            false => error!(event, "the analysis has stopped; the snapshot is lost"),
        }
    }

    /// The diagnoses of these events are final.
    fn finish(&mut self, mut events: Vec<AnalysedEvent>) {
        for event in &mut events {
            event.unify(&mut self.standstills);
            self.continue_in_hosts(event);
        }
        if !events.is_empty() {
            self.waiting.push_back(Seen::Final(events));
        }
    }

    /// Continues verdicts that end at a host with the reports of hosts, as the server does with those of agents.
    fn continue_in_hosts(&self, event: &mut AnalysedEvent) {
        let reports = self.records.take_reports(event.snapshot.event);
        for report in &reports {
            let bytes = serde_json::to_string(report).map_or(0, |json| json.len());
            self.host_reports.put(wall_ns(), report.clone(), bytes);
        }
        for analysis in &mut event.analyses {
            let reports = reports.iter().map(|report| AgedReport { report, age_ns: 0 });
            let verdict = analysis.diagnosis.clone();
            analysis.diagnosis = continue_in_hosts(verdict, Some(&self.topology), reports);
        }
    }

    fn analysed(&mut self, analysed: Analysed, is_own: impl Fn(&Snapshot) -> bool) {
        match analysed {
            Analysed::Event(mut event) if is_own(&event.snapshot) => {
                self.continue_in_hosts(&mut event);
                self.waiting.push_back(Seen::Own(event));
            }
            Analysed::Event(event) => {
                let triggered_ns = event.snapshot.trigger.as_ref().map_or(0, |trigger| trigger.time_ns);
                let due_ns = triggered_ns.saturating_add(HOLD_NS);
                let last = self.pending.add(*event, due_ns);
                self.finish(last);
            }
            Analysed::Time(now_ns) => {
                let last = self.pending.expired(now_ns);
                self.finish(last);
                self.waiting.push_back(Seen::Time(now_ns));
            }
        }
    }
}

/// Returns the best diagnosis of a query's victim. The web server stores it.
pub(super) fn outcome(analyses: Vec<Analysis>, snapshot: &Snapshot) -> Outcome {
    let Some(Analysis { diagnosis, graph, .. }) = analyses.into_iter().next() else {
        let mut text = "no queue and no pause on the flow's path".to_string();
        for missing in &snapshot.missing {
            text.push_str("; ");
            text.push_str(&missing.to_string());
        }
        return Err(QueryError::Clean(text));
    };
    Ok(QueryResult { diagnosis, graph, snapshot: Some(snapshot.clone()) })
}

/// Stores and publishes diagnoses, without those of ordinary queueing.
pub(super) async fn store(live: &LiveState, events: Vec<AnalysedEvent>) {
    for AnalysedEvent { snapshot, analyses, .. } in &events {
        if analyses.is_empty() {
            info!(event = snapshot.event, missing = ?snapshot.missing, "no diagnosis for this event");
        }
    }
    let reported: Vec<NewDiagnosis<'_>> = events.iter().flat_map(AnalysedEvent::reported).collect();
    match live.push_diagnoses(&reported).await {
        Ok(results) => {
            for (new, result) in reported.iter().zip(results) {
                match result {
                    Ok(_) => info!(verdict = new.diagnosis.summary, "diagnosed"),
                    Err(error) => error!(%error, "a diagnosis cannot be stored"),
                }
            }
        }
        Err(error) => error!(%error, "the store failed; diagnoses are lost"),
    }
}
