//! The comparison of the live path with the batch path: what users of the demo see, with what `harrier run` prints.
//!
//! Both run the same instance with agents on all sending hosts, and the same judge grades both.

use std::collections::BTreeMap;
use std::sync::Arc;

use analyzer::incident::is_ordinary;
use eval::table::Row;
use fabric::pipeline::Pipeline;
use model::Diagnosis;
use scenario::Scenario;

use super::observe::{Diagnosed, diagnose_with, judge_all};
use super::{Contestant, Evaluated, Instance, Plan, Subject};
use crate::demo::{LiveRound, live_rounds};

/// The name of the live path in tables.
const LIVE: &str = "live";
/// How far precision and recall of the live path may be below those of the batch path.
const TOLERANCE: f64 = 0.01;

/// Evaluates a run and as many rounds of the demo.
pub(super) fn evaluate(
    plan: &Plan,
    pipeline: &Pipeline,
    judges: &Pipeline,
    subject: &Subject,
    rounds: usize,
) -> anyhow::Result<Evaluated> {
    let mut scenario: Scenario = subject.scenario.instance(subject.seed)?.into_owned();
    scenario.source = None;
    scenario.agents.hosts = None;
    let subject = Subject { scenario: Arc::new(scenario.clone()), ..subject.clone() };
    let instance = Instance::draw(plan, pipeline, &subject)?;
    let mut diagnosed = vec![diagnose_with(Contestant::Harrier, &Contestant::Harrier.settings(), &instance)];
    let rounds = live_rounds(scenario, subject.seed, rounds)?;
    diagnosed.extend(rounds.into_iter().map(of_round));
    judge_all(plan, judges, &subject, &instance, &diagnosed, LIVE)
}

fn of_round(round: LiveRound) -> Diagnosed {
    let analyses = round.analyses.into_iter().filter(|analysis| !is_ordinary(&analysis.diagnosis));
    let (mut verdicts, mut features) = (Vec::<Diagnosis>::new(), BTreeMap::new());
    for analysis in analyses {
        // Both polls of an event may give one verdict; the store keeps the first diagnosis with an identifier.
        if features.insert(analysis.diagnosis.id.clone(), analysis.features).is_none() {
            verdicts.push(analysis.diagnosis);
        }
    }
    verdicts.sort_by_key(|verdict| verdict.time_ns);
    // The time of a snapshot is not recorded, so there is no time to diagnosis.
    Diagnosed::new(LIVE, round.snapshots, Vec::new(), verdicts, features)
}

/// Compares the totals of both paths. Returns a line of text, and whether the live path is as good.
pub(crate) fn compare(totals: &[Row]) -> Option<(String, bool)> {
    let of = |name: &str| totals.iter().find(|row| row.method == name);
    let (live, batch) = (of(LIVE)?, of(Contestant::Harrier.name())?);
    let pairs = [("precision", live.precision, batch.precision), ("recall", live.recall, batch.recall)];
    let texts = pairs
        .map(|(what, live, batch)| format!("{what} {:.1} % (batch {:.1} %)", 100.0 * live, 100.0 * batch));
    let is_as_good = pairs.iter().all(|(_, live, batch)| *live >= batch - TOLERANCE);
    Some((format!("live: {}", texts.join(", ")), is_as_good))
}
