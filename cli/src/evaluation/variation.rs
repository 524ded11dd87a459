//! What the numbers and the rules of the analyzer are worth: the snapshots of each run are collected once and analysed
//! again with one thing changed, and the judge grades the verdicts that differ.
//!
//! All variants of a run share the judge's repeated runs, so that a variant costs little more than its analyses. Verdicts
//! with the same claims get the same grade.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use analyzer::{Settings, rules, thresholds};
use eval::judge::{Bench, Disturbance, Harm, Judgement, harm, judge};
use eval::table::{Observation, Row, totals};
use fabric::pipeline::Pipeline;
use model::{Diagnosis, FlowKey};
use serde::Serialize;

use super::observe::{Diagnosed, diagnose_with, disturbances_of, graded, names, urgency};
use super::{Contestant, Instance, Plan, Subject};

/// The name of the unchanged analysis.
const BASELINE: &str = "unchanged";
/// The factors on each threshold.
const FACTORS: [f64; 2] = [0.5, 2.0];

/// One change of the analyzer.
pub(crate) struct Variant {
    name: String,
    /// What is changed, for people.
    about: String,
    settings: Settings,
}

/// Returns a variant for each half and double of each threshold of the analyzer.
pub(crate) fn of_thresholds() -> Vec<Variant> {
    let scaled = |factor: f64| {
        thresholds::ALL.iter().filter(move |t| t.scaled(factor) != t.value).map(move |t| Variant {
            name: format!("{} x{factor}", t.name),
            about: format!("{} {}", rounded(t.scaled(factor)), t.unit),
            settings: Settings {
                scale: BTreeMap::from([(t.name.to_string(), factor)]),
                ..Contestant::Harrier.settings()
            },
        })
    };
    let mut variants: Vec<Variant> = FACTORS.into_iter().flat_map(scaled).collect();
    // Stable: half and double of one threshold stay together.
    let place =
        |variant: &Variant| thresholds::ALL.iter().position(|t| variant.settings.scale.contains_key(t.name));
    variants.sort_by_key(place);
    variants
}

fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// Returns a variant without each rule of the analyzer.
pub(crate) fn of_rules() -> Vec<Variant> {
    rules::ALL
        .iter()
        .map(|rule| Variant {
            name: rule.name.to_string(),
            about: rule.does.to_string(),
            settings: Settings {
                without: BTreeSet::from([rule.name.to_string()]),
                ..Contestant::Harrier.settings()
            },
        })
        .collect()
}

/// What one change moves.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Effect {
    /// The threshold with its factor, or the rule that is left out.
    pub(crate) name: String,
    /// The changed value, or what the rule does.
    pub(crate) about: String,
    /// Verdicts whose claims differ: gone, new, or with another anomaly, cause, culprit or path.
    pub(crate) changed: u64,
    /// Verdicts with the same claims and another confidence.
    pub(crate) confidence_changed: u64,
    /// Right verdicts, compared with the unchanged analysis.
    pub(crate) right: i64,
    /// Wrong and partly right verdicts, compared with the unchanged analysis.
    pub(crate) wrong: i64,
    /// Precision, recall, and their differences from the unchanged analysis.
    pub(crate) precision: f64,
    pub(crate) precision_change: f64,
    pub(crate) recall: f64,
    pub(crate) recall_change: f64,
}

/// The result of all variants.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Effects {
    judge: &'static str,
    runs: usize,
    /// The unchanged analysis.
    baseline: Row,
    /// By variant, in the order of the table of thresholds or rules.
    pub(crate) effects: Vec<Effect>,
}

/// The verdicts of one variant in one run, graded.
struct Outcome {
    observation: Observation,
    changed: u64,
    confidence_changed: u64,
}

/// Analyses every run with every variant.
pub(crate) fn vary(plan: &Plan, variants: &[Variant]) -> anyhow::Result<Effects> {
    let pipeline = plan.pipeline()?;
    let judges = Pipeline::hawkeye(&[])?;
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<anyhow::Result<Vec<Outcome>>>> = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..plan.jobs.clamp(1, plan.subjects.len().max(1)) {
            scope.spawn(|| {
                while let Some(subject) = plan.subjects.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcomes = Instance::draw(plan, &pipeline, subject)
                        .and_then(|instance| outcomes(plan, &judges, subject, &instance, variants));
                    results.lock().unwrap_or_else(PoisonError::into_inner).push(outcomes);
                }
            });
        }
    });
    let runs = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    let runs: Vec<Vec<Outcome>> = runs.into_iter().collect::<anyhow::Result<_>>()?;
    summarised(&runs, variants)
}

/// Returns the outcome of the unchanged analysis, then that of each variant.
fn outcomes(
    plan: &Plan,
    judges: &Pipeline,
    subject: &Subject,
    instance: &Instance,
    variants: &[Variant],
) -> anyhow::Result<Vec<Outcome>> {
    let scenario = &*subject.scenario.instance(instance.seed)?;
    let unchanged = Contestant::Harrier.settings();
    let settings = std::iter::once(&unchanged).chain(variants.iter().map(|variant| &variant.settings));
    let all: Vec<Diagnosed> =
        settings.map(|settings| diagnose_with(Contestant::Harrier, settings, instance)).collect();
    let victims: BTreeSet<FlowKey> =
        all.iter().flat_map(|of| &of.verdicts).filter_map(|verdict| verdict.victim).collect();
    let mut bench = Bench::new(scenario, instance.seed, judges, victims);
    let disturbances = match &subject.disturbances {
        Some(known) => known.clone(),
        None => instance.truth.as_ref().map_or_else(Vec::new, |truth| disturbances_of(truth, scenario)),
    };
    let mut events: Vec<(Disturbance, Harm)> = Vec::new();
    for disturbance in disturbances {
        let harm = harm(&mut bench, &disturbance)?;
        if !harm.victims.is_empty() {
            events.push((disturbance, harm));
        }
    }
    let mut known: BTreeMap<Vec<&str>, Vec<Judgement>> = BTreeMap::new();
    let mut outcomes = Vec::new();
    for (at, of) in all.iter().enumerate() {
        let ids: Vec<&str> = of.verdicts.iter().map(|verdict| verdict.id.as_str()).collect();
        let judgements = match known.get(&ids) {
            Some(judgements) => judgements.clone(),
            None => judge(&mut bench, scenario, &of.verdicts, &urgency(of), plan.budget)?,
        };
        let named = events.iter().filter(|(event, _)| names(event, of, &judgements)).count() as u64;
        let (changed, confidence_changed) = differences(&all[0].verdicts, &of.verdicts);
        outcomes.push(Outcome {
            observation: Observation {
                scenario: subject.row.clone(),
                method: at.checked_sub(1).map_or(BASELINE, |at| &variants[at].name).to_string(),
                drawn: 1,
                verdicts: graded(of, &judgements),
                events: events.len() as u64,
                named,
                ..Observation::default()
            },
            changed,
            confidence_changed,
        });
        known.insert(ids, judgements);
    }
    Ok(outcomes)
}

/// Returns how many verdicts of two analyses differ in their claims, and how many only in their confidence.
fn differences(unchanged: &[Diagnosis], varied: &[Diagnosis]) -> (u64, u64) {
    let by_id = |verdicts: &[Diagnosis]| -> BTreeMap<String, f64> {
        verdicts.iter().map(|verdict| (verdict.id.clone(), verdict.confidence)).collect()
    };
    let (before, after) = (by_id(unchanged), by_id(varied));
    let gone = before.keys().filter(|id| !after.contains_key(*id)).count();
    let new = after.keys().filter(|id| !before.contains_key(*id)).count();
    let moved = after.iter().filter(|(id, confidence)| before.get(*id).is_some_and(|old| old != *confidence));
    (gone.max(new) as u64, moved.count() as u64)
}

fn summarised(runs: &[Vec<Outcome>], variants: &[Variant]) -> anyhow::Result<Effects> {
    let row = |at: usize| -> Option<Row> {
        let observations: Vec<Observation> =
            runs.iter().filter_map(|run| run.get(at)).map(|outcome| outcome.observation.clone()).collect();
        totals(&observations).into_iter().next()
    };
    let baseline = row(0).ok_or_else(|| anyhow::anyhow!("there is no run to analyse"))?;
    let sum = |at: usize, of: fn(&Outcome) -> u64| runs.iter().filter_map(|run| run.get(at)).map(of).sum();
    let effects = variants.iter().enumerate().filter_map(|(at, variant)| {
        let varied = row(at + 1)?;
        Some(Effect {
            name: variant.name.clone(),
            about: variant.about.clone(),
            changed: sum(at + 1, |outcome| outcome.changed),
            confidence_changed: sum(at + 1, |outcome| outcome.confidence_changed),
            right: varied.true_positive as i64 - baseline.true_positive as i64,
            wrong: varied.false_positive as i64 - baseline.false_positive as i64,
            precision: varied.precision,
            precision_change: varied.precision - baseline.precision,
            recall: varied.recall,
            recall_change: varied.recall - baseline.recall,
        })
    });
    let effects = effects.collect();
    Ok(Effects { judge: eval::judge::VERSION, runs: runs.len(), baseline, effects })
}

impl Effects {
    /// Returns the result as a table in Markdown: what moves a verdict first, then the names of the rest.
    pub(crate) fn text(&self, what: &str) -> String {
        let base = &self.baseline;
        let mut text = format!(
            "{} runs, judge {}: {} right, {} wrong or partly right, precision {:.1} %, recall {:.1} %\n\n",
            self.runs,
            self.judge,
            base.true_positive,
            base.false_positive,
            100.0 * base.precision,
            100.0 * base.recall
        );
        text.push_str(&format!(
            "| {what} | | verdicts changed | right | wrong | precision | recall |\n|---|---|--:|--:|--:|--:|--:|\n"
        ));
        let mut moving: Vec<&Effect> = self.effects.iter().filter(|effect| effect.changed > 0).collect();
        let weight = |effect: &Effect| {
            effect.precision_change.abs() + effect.recall_change.abs() + effect.changed as f64 / 1e6
        };
        moving.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
        for effect in moving {
            text.push_str(&format!(
                "| `{}` | {} | {} | {:+} | {:+} | {:+.1} % | {:+.1} % |\n",
                effect.name,
                effect.about,
                effect.changed,
                effect.right,
                effect.wrong,
                100.0 * effect.precision_change,
                100.0 * effect.recall_change
            ));
        }
        let still: Vec<String> =
            self.effects.iter().filter(|e| e.changed == 0).map(|e| format!("`{}`", e.name)).collect();
        if !still.is_empty() {
            text.push_str(&format!("\nNo verdict changes with: {}.\n", still.join(", ")));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_threshold_is_halved_and_doubled_unless_its_unit_forbids_it() {
        let variants = of_thresholds();
        for threshold in thresholds::ALL {
            let own: Vec<&Variant> =
                variants.iter().filter(|v| v.settings.scale.contains_key(threshold.name)).collect();
            assert!(!own.is_empty() && own.len() <= FACTORS.len(), "{}", threshold.name);
        }
    }

    #[test]
    fn every_rule_is_left_out_once() {
        let names: Vec<String> = of_rules().into_iter().map(|variant| variant.name).collect();
        assert_eq!(names, rules::ALL.iter().map(|rule| rule.name.to_string()).collect::<Vec<_>>());
    }
}
