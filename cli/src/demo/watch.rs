//! Diagnoses snapshots, stores the diagnoses, and forwards port samples to the dashboard.

use std::sync::Arc;

use analyzer::incident::is_ordinary;
use analyzer::{Analysis, Settings, TopologyIndex};
use controller::collect::CollectSettings;
use controller::live::{Collected, Controller};
use fabric::OperatorRecords;
use model::{Snapshot, Time};
use scenario::Scenario;
use tokio::sync::mpsc;
use tracing::{error, info};
use web::{LiveState, QueryError, QueryResult};

use super::network::Progress;
use super::queries::{Outcome, Queries};
use crate::daemons::analysis::{AnalysedEvent, Jobs, PendingFirst, Worker};

/// Maximum time of a polling packet from one switch to the next, in microseconds of simulated time.
const HOP_US: u64 = 20;
/// How long a first diagnosis waits for the follow-up poll, in simulated time: agents poll again after 400 us, and the
/// collection takes time as well.
const HOLD_NS: u64 = 800_000;
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

/// Returns the settings of a collector for a network whose time is stretched. A hop of microseconds takes far longer on
/// the wall clock, and an event must not end while its polling packet is between two switches.
pub(super) fn collect_settings(pace_us: u64) -> CollectSettings {
    let hop_ns = HOP_US * 1_000_000_000 / pace_us;
    let defaults = CollectSettings::default();
    CollectSettings {
        quiet_ns: defaults.quiet_ns + 2 * hop_ns,
        poll_retry_ns: defaults.poll_retry_ns + hop_ns,
        read_timeout_ns: 30_000_000_000,
        event_timeout_ns: 60_000_000_000 + 10 * hop_ns,
        // Switches store a polling packet's event for 2^30 ns of simulated time.
        straggler_ns: defaults.straggler_ns.saturating_mul(1_000_000) / pace_us.max(1),
        ..defaults
    }
}

/// Starts the thread that analyses snapshots of the scenario's network.
pub(super) fn analysis(scenario: Arc<Scenario>) -> anyhow::Result<AnalysisWorker> {
    Worker::spawn("analysis", QUEUED_SNAPSHOTS, move |jobs: Jobs<Input, Analysed>| {
        let settings = Settings::default();
        let index = TopologyIndex::new(&scenario.topology);
        jobs.process(|input| match input {
            Input::Time(now_ns) => Analysed::Time(now_ns),
            Input::Snapshot(snapshot) => {
                let analyses = analyzer::analyze_indexed(&snapshot, &index, &settings);
                Analysed::Event(Box::new(AnalysedEvent { arrival: 0, snapshot: *snapshot, analyses }))
            }
        });
    })
}

/// Diagnoses and stores snapshots and forwards samples, until the network's thread ends.
pub(super) async fn run(
    live: Arc<LiveState>,
    scenario: Arc<Scenario>,
    mut controller: Controller,
    mut progress: mpsc::Receiver<Progress>,
    queries: Arc<Queries>,
    mut analysis: AnalysisWorker,
) {
    let mut pending = PendingFirst::default();
    let mut known = OperatorRecords::default();
    let mut now = Time::ZERO;
    loop {
        tokio::select! {
            Ok(Collected { mut snapshot, .. }) = controller.snapshot(), if analysis.has_room() => {
                known.clone().complete(&scenario, &mut snapshot, now);
                let event = snapshot.event;
                if !analysis.push(Input::Snapshot(Box::new(snapshot))) {
                    error!(event, "the analysis has stopped; the snapshot is lost");
                }
            }
            analysed = analysis.next() => {
                match analysed {
                    None => {
                        error!("the analysis has stopped; there will be no further diagnoses");
                        return;
                    }
                    Some(Analysed::Event(event)) if queries.is_own(&event.snapshot) => {
                        let AnalysedEvent { snapshot, analyses, .. } = *event;
                        queries.complete(&snapshot, outcome(analyses, &snapshot));
                    }
                    Some(Analysed::Event(event)) => {
                        let triggered_ns = event.snapshot.trigger.as_ref().map_or(0, |trigger| trigger.time_ns);
                        let due_ns = triggered_ns.saturating_add(HOLD_NS);
                        store(&live, pending.add(*event, due_ns)).await;
                    }
                    Some(Analysed::Time(now_ns)) => {
                        store(&live, pending.expired(now_ns)).await;
                        if let Err(error) = live.advance(now_ns).await {
                            error!(%error, "the store failed");
                        }
                    }
                }
            }
            reported = progress.recv() => {
                let Some(Progress { now: then, samples, records }) = reported else { return };
                (now, known) = (then, records);
                live.push_ports(&samples);
                // Without room this time is skipped; the next one follows soon.
                let _ = analysis.push(Input::Time(now.as_ns()));
            }
        }
    }
}

/// Returns the best diagnosis of a query's victim. The web server stores it.
fn outcome(analyses: Vec<Analysis>, snapshot: &Snapshot) -> Outcome {
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

async fn store(live: &LiveState, events: Vec<AnalysedEvent>) {
    for AnalysedEvent { snapshot, analyses, .. } in events {
        if analyses.is_empty() {
            info!(event = snapshot.event, missing = ?snapshot.missing, "no diagnosis for this event");
        }
        for analysis in analyses.into_iter().filter(|analysis| !is_ordinary(&analysis.diagnosis)) {
            match live.push_diagnosis(&analysis.diagnosis, &analysis.graph, Some(&snapshot)).await {
                Ok(_) => info!(verdict = analysis.diagnosis.summary, "diagnosed"),
                Err(error) => error!(%error, "the store failed; the diagnosis is lost"),
            }
        }
    }
}
