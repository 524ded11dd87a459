//! What becomes of snapshots and samples: verdicts in the store, points on the dashboard.

use std::sync::Arc;

use analyzer::{Analysis, Settings, TopologyIndex};
use controller::collect::CollectSettings;
use controller::live::Controller;
use fabric::OperatorRecords;
use model::{Snapshot, Time};
use scenario::Scenario;
use tokio::sync::mpsc;
use tracing::{error, info, warn};
use web::{LiveState, QueryAnswer, QueryError};

use super::answers::{Answered, Answers};
use super::ask::{Answer, Asker};
use super::network::News;

/// The longest that a polling packet needs from one switch to the next, in microseconds of network time.
const HOP_US: u64 = 20;

/// Settings of a collector whose network's time is stretched: a hop of microseconds takes far longer on the wall
/// clock, and the wave of polling packets must not count as over between two hops.
pub(super) fn collect_settings(pace_us: u64) -> CollectSettings {
    let hop_ns = HOP_US * 1_000_000_000 / pace_us;
    let defaults = CollectSettings::default();
    CollectSettings {
        quiet_ns: defaults.quiet_ns + 2 * hop_ns,
        ask_after_ns: defaults.ask_after_ns + hop_ns,
        read_timeout_ns: 30_000_000_000,
        event_timeout_ns: 60_000_000_000 + 10 * hop_ns,
        // Switches remember a polling packet for 2^30 ns of network time.
        straggler_ns: defaults.straggler_ns.saturating_mul(1_000_000) / pace_us.max(1),
        ..defaults
    }
}

/// Analyses and stores snapshots, and passes samples on, until both sources end.
pub(super) async fn run(
    live: Arc<LiveState>,
    scenario: Arc<Scenario>,
    mut controller: Controller,
    mut news: mpsc::Receiver<News>,
    asker: Arc<Asker>,
) {
    let settings = Settings::default();
    let index = TopologyIndex::new(&scenario.topology);
    let mut answers = Answers::default();
    let mut known = OperatorRecords::default();
    let mut now = Time::ZERO;
    loop {
        tokio::select! {
            Ok(mut snapshot) = controller.snapshot() => {
                known.clone().complete(&scenario, &mut snapshot, now);
                let analyses = analyzer::analyze_indexed(&snapshot, &index, &settings);
                match asker.is_own(&snapshot) {
                    true => asker.answer(&snapshot, answer(analyses, &snapshot)),
                    false => keep(&live, answers.take(snapshot, analyses)).await,
                }
            }
            Some(News { now: then, samples, records }) = news.recv() => {
                (now, known) = (then, records);
                keep(&live, answers.settled(now.as_ns())).await;
                live.push_ports(&samples);
                if let Err(error) = live.advance(now.as_ns()).await {
                    error!(%error, "the store failed");
                }
            }
            else => return,
        }
    }
}

/// The best verdict about the flow that was asked about. The server that asked stores it.
fn answer(analyses: Vec<Analysis>, snapshot: &Snapshot) -> Answer {
    let Some(Analysis { diagnosis, graph }) = analyses.into_iter().next() else {
        let mut text = "nothing waits or is paused on the flow's path".to_string();
        for missing in &snapshot.missing {
            text.push_str("; ");
            text.push_str(&missing.to_string());
        }
        return Err(QueryError::Clean(text));
    };
    Ok(QueryAnswer { diagnosis, graph, snapshot: Some(snapshot.clone()) })
}

async fn keep(live: &LiveState, answers: Vec<Answered>) {
    for Answered { snapshot, analyses } in answers {
        if analyses.is_empty() {
            warn!(event = snapshot.event, missing = ?snapshot.missing, "a collection without a verdict");
        }
        for analysis in analyses {
            match live.push_diagnosis(&analysis.diagnosis, &analysis.graph, Some(&snapshot)).await {
                Ok(_) => info!(verdict = analysis.diagnosis.summary, "diagnosed"),
                Err(error) => error!(%error, "the store failed; the verdict is lost"),
            }
        }
    }
}
