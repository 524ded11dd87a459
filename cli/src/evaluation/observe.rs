//! Lets each method diagnose a run and judges the result.

use std::collections::{BTreeMap, BTreeSet};

use analyzer::incident::{incidents, settle, without_ordinary};
use analyzer::{Features, Settings, TopologyIndex, analyze_indexed};
use eval::judge::{
    Actor, Bench, Disturbance, Grade, Harm, Judgement, Urgency, grade_incident, gravest, harm, host_causes,
    judge, packets_ahead, rankings,
};
use eval::table::{Graded, Observation};
use eval::{GroundTruth, names_place};
use fabric::pipeline::Pipeline;
use model::diagnosis::Severity;
use model::{Anomaly, Diagnosis, FlowKey, Snapshot, Time};
use scenario::Scenario;

use super::verdict_lines::{Source, VerdictLine};
use super::{Contestant, Evaluated, Instance, Plan, Subject, counter_reading, mixed};
use crate::host_verdicts::{EventReports, Events};
use crate::output::{describe_truth, describe_verdict};

/// Length of a polling packet on the wire, a minimum-size frame.
const POLL_BYTES: u64 = 64;
/// Nanoseconds in an hour.
const HOUR_NS: f64 = 3.6e12;

/// The diagnoses of one method.
pub(super) struct Diagnosed {
    /// Its name in tables.
    pub(super) method: &'static str,
    pub(super) snapshots: Vec<(Time, Snapshot)>,
    /// Each verdict, with the time at which its collection was complete.
    times: Vec<(Time, Diagnosis)>,
    pub(super) verdicts: Vec<Diagnosis>,
    /// The verdicts of each incident, by position.
    incidents: Vec<Vec<usize>>,
    /// What the confidence of each verdict depends on, by its identifier.
    features: BTreeMap<String, Features>,
    /// Whether agents trigger the method.
    is_triggered: bool,
}

/// Diagnoses and judges a run with every method. Failures are described for the first method only.
pub(super) fn observe(
    plan: &Plan,
    pipeline: &Pipeline,
    subject: &Subject,
    instance: &Instance,
) -> anyhow::Result<Evaluated> {
    let of_method = |method: &Contestant| {
        let settings =
            Settings { without: plan.without.clone(), scale: plan.scale.clone(), ..method.settings() };
        diagnose_with(*method, &settings, instance)
    };
    let diagnosed: Vec<Diagnosed> = plan.methods.iter().map(of_method).collect();
    let described = plan.methods.first().map_or("", |method| method.name());
    judge_all(plan, pipeline, subject, instance, &diagnosed, described)
}

/// Judges the diagnoses of a run by several methods. Failures are described for the method called `described`.
pub(super) fn judge_all(
    plan: &Plan,
    pipeline: &Pipeline,
    subject: &Subject,
    instance: &Instance,
    diagnosed: &[Diagnosed],
    described: &str,
) -> anyhow::Result<Evaluated> {
    let scenario = &*subject.scenario.instance(instance.seed)?;
    let victims = diagnosed.iter().flat_map(|of| &of.verdicts).filter_map(|verdict| verdict.victim).collect();
    let mut bench = Bench::new(scenario, instance.seed, pipeline, victims);
    let disturbances = match &subject.disturbances {
        Some(known) => known.clone(),
        None => match &instance.truth {
            Some(truth) => disturbances_of(truth, scenario),
            None => disturbance_in_host(scenario).into_iter().collect(),
        },
    };
    let mut events: Vec<(Disturbance, Harm)> = Vec::new();
    for disturbance in disturbances {
        let harm = harm(&mut bench, &disturbance)?;
        if !harm.victims.is_empty() {
            events.push((disturbance, harm));
        }
    }
    let mut evaluated = Evaluated { observations: Vec::new(), failures: Vec::new(), lines: Vec::new() };
    let mut judged: Vec<Vec<Judgement>> = Vec::new();
    for of in diagnosed {
        judged.push(judge(&mut bench, scenario, &of.verdicts, &urgency(of), plan.budget)?);
    }
    let of_methods: Vec<(&[Diagnosis], &[Judgement])> = diagnosed
        .iter()
        .zip(&judged)
        .map(|(of, judgements)| (of.verdicts.as_slice(), judgements.as_slice()))
        .collect();
    // With one method, or one method live and not, there is nothing to compare.
    let rankings = match diagnosed.len() {
        count if count == 1 || plan.live.is_some() => vec![None; count],
        _ => rankings(&mut bench, scenario, &of_methods)?.into_iter().map(Some).collect(),
    };
    for (place, (of, ranking)) in diagnosed.iter().zip(rankings).enumerate() {
        let judgements = &judged[place];
        let missed: Vec<&(Disturbance, Harm)> =
            events.iter().filter(|(event, _)| !names(event, of, judgements)).collect();
        let is_false = |judgement: &Judgement| matches!(judgement.grade, Grade::Wrong | Grade::Partly);
        if of.method == described && (!missed.is_empty() || judgements.iter().any(is_false)) {
            evaluated.failures.push(failure(plan, subject, instance, of, judgements, &missed));
        }
        let source = Source {
            scenario,
            row: subject.row.clone(),
            repeat: plan.repeat_command(&subject.name, instance.seed),
            seed: instance.seed,
            method: of.method,
        };
        let lines = of.verdicts.iter().zip(judgements).enumerate().map(|(at, (verdict, judgement))| {
            let incident = of.incidents.iter().position(|members| members.contains(&at));
            let features = of.features.get(&verdict.id).copied().unwrap_or_default();
            VerdictLine::new(&source, verdict, incident, judgement, features)
        });
        evaluated.lines.extend(lines);
        let hosts = scenario.topology.nodes.iter().filter(|node| scenario.topology.is_host(&node.name));
        let triggers = of.snapshots.iter().filter_map(|(_, snapshot)| snapshot.trigger.as_ref());
        let asked: BTreeSet<FlowKey> = triggers.map(|trigger| trigger.flow).collect();
        let is_undetected =
            |(_, harm): &&(Disturbance, Harm)| of.is_triggered && harm.touched.is_disjoint(&asked);
        let undetected = events.iter().filter(is_undetected).count() as u64;
        let delaying = events.iter().map(|(event, _)| event);
        let host_causes = host_causes(&mut bench, scenario, &of.verdicts, delaying)?;
        let packets_ahead = match plan.packets_ahead {
            true => Some(packets_ahead(&mut bench, scenario, &of.verdicts, judgements)?),
            false => None,
        };
        let places: Vec<&GroundTruth> = truths(instance).filter(|truth| has_place(truth)).collect();
        let is_placed =
            |truth: &&&GroundTruth| of.verdicts.iter().any(|verdict| names_place(&verdict.root_cause, truth));
        evaluated.observations.push(Observation {
            scenario: subject.row.clone(),
            method: of.method.to_string(),
            drawn: instance.drawn,
            is_unexpected: !instance.deviations.is_empty(),
            verdicts: graded(of, judgements),
            incidents: of
                .incidents
                .iter()
                .map(|members| grade_incident(&of.verdicts, judgements, members))
                .collect(),
            ranking,
            events: events.len() as u64,
            named: (events.len() - missed.len()) as u64,
            undetected,
            places: places.len() as u64,
            placed: places.iter().filter(is_placed).count() as u64,
            host_hours: hosts.count() as f64 * instance.end.as_ns() as f64 / HOUR_NS,
            switches_collected: of.snapshots.iter().map(|(_, s)| s.switches.len() as u64).collect(),
            telemetry_bytes: of
                .snapshots
                .iter()
                .map(|(_, s)| s.switches.iter().map(|t| t.bytes).sum())
                .collect(),
            polling_bytes: of.snapshots.iter().map(|(_, s)| s.polls * POLL_BYTES).collect(),
            causal_coverage: truths(instance).filter_map(|t| coverage(t, &of.snapshots)).collect(),
            time_to_diagnosis_ns: time_to_diagnosis(of, judgements),
            host_causes,
            packets_ahead,
        });
    }
    Ok(evaluated)
}

/// Diagnoses the snapshots of a run as a method.
pub(super) fn diagnose_with(method: Contestant, settings: &Settings, instance: &Instance) -> Diagnosed {
    if method == Contestant::Mixed {
        return mixed::diagnose(method, settings, instance);
    }
    if let Some(source) = method.counter_source() {
        return counter_reading::diagnose(method.name(), source, instance);
    }
    let index = TopologyIndex::new(&instance.topology);
    let collected = if method.sees_everything() { &instance.surveys } else { &instance.snapshots };
    let snapshots: Vec<(Time, Snapshot)> =
        collected.iter().map(|(at, snapshot)| (*at, method.look(snapshot))).collect();
    let mut found_in: Vec<(&Snapshot, Vec<Diagnosis>)> = Vec::new();
    let mut times: Vec<(Time, Diagnosis)> = Vec::new();
    let mut features = BTreeMap::new();
    let mut events = Events::new();
    for (at, snapshot) in &snapshots {
        let analyses = analyze_indexed(snapshot, &index, settings);
        features.extend(analyses.iter().map(|of| (of.diagnosis.id.clone(), of.features)));
        let found: Vec<Diagnosis> = analyses.into_iter().map(|a| a.diagnosis).collect();
        times.extend(found.iter().map(|diagnosis| (*at, diagnosis.clone())));
        events.extend(found.iter().map(|diagnosis| (diagnosis.id.clone(), snapshot.event)));
        found_in.push((snapshot, found));
    }
    let (mut verdicts, _) = without_ordinary(settle(found_in));
    if method.has_host_reports() {
        let collected = instance.snapshots.iter().map(|(_, snapshot)| snapshot.event);
        EventReports::new(collected, &instance.host_reports).continue_all(
            &mut verdicts,
            &events,
            &instance.topology,
        );
    }
    Diagnosed::new(method.name(), snapshots, times, verdicts, features)
}

impl Diagnosed {
    /// Groups the verdicts of a method to incidents.
    pub(super) fn new(
        method: &'static str,
        snapshots: Vec<(Time, Snapshot)>,
        times: Vec<(Time, Diagnosis)>,
        verdicts: Vec<Diagnosis>,
        features: BTreeMap<String, Features>,
    ) -> Diagnosed {
        let groups = incidents(&verdicts);
        let position = |verdict: &&Diagnosis| verdicts.iter().position(|other| std::ptr::eq(other, *verdict));
        let incidents =
            groups.iter().map(|group| group.verdicts.iter().filter_map(position).collect()).collect();
        Diagnosed { method, times, verdicts, incidents, features, snapshots, is_triggered: true }
    }

    /// The verdicts of a method that no agent triggers.
    pub(super) fn untriggered(method: &'static str, verdicts: Vec<Diagnosis>) -> Diagnosed {
        let of = Diagnosed::new(method, Vec::new(), Vec::new(), verdicts, BTreeMap::new());
        Diagnosed { is_triggered: false, ..of }
    }
}

/// How urgent each verdict is for the judge.
pub(super) fn urgency(of: &Diagnosed) -> Vec<Urgency> {
    let represents: BTreeSet<usize> =
        of.incidents.iter().filter_map(|members| gravest(&of.verdicts, members)).collect();
    let urgency = |(at, verdict): (usize, &Diagnosis)| match verdict.severity {
        Severity::Info => Urgency::Info,
        _ if represents.contains(&at) => Urgency::Incident,
        _ => Urgency::Alarm,
    };
    of.verdicts.iter().enumerate().map(urgency).collect()
}

pub(super) fn graded(of: &Diagnosed, judgements: &[Judgement]) -> Vec<Graded> {
    let of_verdict = |(verdict, judgement): (&Diagnosis, &Judgement)| {
        Graded::new(judgement, verdict.confidence, verdict.severity > Severity::Info)
    };
    of.verdicts.iter().zip(judgements).map(of_verdict).collect()
}

/// The intended events of a scenario with an expectation. The recurrences of an event are one disturbance with it.
pub(super) fn disturbances_of(truth: &GroundTruth, scenario: &Scenario) -> Vec<Disturbance> {
    let intended = std::iter::once(truth).chain(&truth.others).filter(|truth| truth.anomaly.is_some());
    intended
        .map(|truth| {
            let all = std::iter::once(truth).chain(&truth.again);
            let mut actors: BTreeSet<Actor> = all.flat_map(eval::judge::actor::of_truth).collect();
            if truth.anomaly == Some(Anomaly::HostOnly) {
                let ends = truth.victims.iter().take(1).flat_map(|victim| [victim.src, victim.dst]);
                let hosts = ends.filter_map(|at| scenario.topology.host_of(at));
                actors.extend(hosts.map(|host| Actor::Host(host.name.clone())));
            }
            Disturbance { kind: String::new(), actors }
        })
        .filter(|disturbance| !disturbance.actors.is_empty())
        .collect()
}

/// The intended event of a scenario whose operations wait in a host, which the packet log does not show.
fn disturbance_in_host(scenario: &Scenario) -> Option<Disturbance> {
    let expect = scenario.expect.as_ref().filter(|expect| expect.anomaly == Some(Anomaly::HostOnly))?;
    let actors = BTreeSet::from([Actor::Host(expect.host.clone()?)]);
    Some(Disturbance { kind: String::new(), actors })
}

/// Whether a right or partly right verdict accuses an actor of the disturbance, and this actor is guilty.
pub(super) fn names(disturbance: &Disturbance, of: &Diagnosed, judgements: &[Judgement]) -> bool {
    of.verdicts.iter().zip(judgements).any(|(verdict, judgement)| {
        let innocent: BTreeSet<&Actor> = judgement.guilt.iter().flat_map(|guilt| guilt.innocent()).collect();
        let mut guilty = judgement.accused.iter().filter(|actor| !innocent.contains(actor));
        matches!(judgement.grade, Grade::Right | Grade::Partly)
            && guilty.any(|actor| match actor {
                Actor::Victim => {
                    verdict.victim.is_some_and(|victim| disturbance.actors.contains(&Actor::Flow(victim)))
                }
                other => disturbance.actors.contains(other),
            })
    })
}

fn truths(instance: &Instance) -> impl Iterator<Item = &GroundTruth> {
    let truth = instance.truth.as_ref();
    truth.into_iter().flat_map(|t| std::iter::once(t).chain(&t.others)).filter(|t| t.anomaly.is_some())
}

/// Whether an event has a root port or a root host.
fn has_place(truth: &GroundTruth) -> bool {
    truth.root_cause.port.is_some() || truth.root_cause.host.is_some()
}

/// Returns the share of the switches on the pause path that the most complete snapshot contains.
fn coverage(truth: &GroundTruth, snapshots: &[(Time, Snapshot)]) -> Option<f64> {
    let recurrences = truth.again.iter().filter_map(|again| coverage(again, snapshots));
    let best_recurrence = recurrences.reduce(f64::max);
    let ports = truth.pause_path.iter().chain(&truth.pause_loop).chain(&truth.root_cause.port);
    let wanted: BTreeSet<&str> = ports.map(|port| port.switch.as_str()).collect();
    if wanted.is_empty() {
        return None;
    }
    let contained =
        |snapshot: &Snapshot| wanted.iter().filter(|name| snapshot.switch(name).is_some()).count();
    let most = snapshots.iter().map(|(_, snapshot)| contained(snapshot)).max().unwrap_or(0);
    let share = most as f64 / wanted.len() as f64;
    Some(best_recurrence.map_or(share, |best| best.max(share)))
}

/// Returns the time from the trigger to the end of the first collection with a right verdict.
fn time_to_diagnosis(of: &Diagnosed, judgements: &[Judgement]) -> Option<u64> {
    let right: BTreeSet<&str> = of
        .verdicts
        .iter()
        .zip(judgements)
        .filter(|(_, judgement)| judgement.grade == Grade::Right)
        .map(|(verdict, _)| verdict.id.as_str())
        .collect();
    let mut times = of.times.iter().filter(|(_, verdict)| right.contains(verdict.id.as_str()));
    times.next().map(|(at, verdict)| at.as_ns().saturating_sub(verdict.time_ns))
}

/// Describes a failed run: the command that repeats it, the missed disturbances and the verdicts with their grades.
fn failure(
    plan: &Plan,
    subject: &Subject,
    instance: &Instance,
    of: &Diagnosed,
    judgements: &[Judgement],
    missed: &[&(Disturbance, Harm)],
) -> String {
    let mut text = format!("{}\n", plan.repeat_command(&subject.name, instance.seed));
    for deviation in &instance.deviations {
        text.push_str(&format!("    unlike the expectation: {deviation}\n"));
    }
    for truth in truths(instance) {
        text.push_str(&format!("    expected: {}\n", describe_truth(truth)));
    }
    for (disturbance, harm) in missed {
        let actors: Vec<String> = disturbance.actors.iter().take(12).map(ToString::to_string).collect();
        let (kind, flows) = (&disturbance.kind, harm.victims.len());
        text.push_str(&format!("    missed: {kind} {}, which delays {flows} flows\n", actors.join(", ")));
    }
    for (verdict, judgement) in of.verdicts.iter().zip(judgements) {
        let grade = format!("{:?}", judgement.grade).to_lowercase();
        text.push_str(&format!("    {grade}: {}\n", describe_verdict(verdict)));
        if judgement.grade != Grade::Right {
            text.push_str(&format!("        {}\n", judgement.reason));
        }
    }
    text
}
