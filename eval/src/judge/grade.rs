//! Grades verdicts: right, partly right, wrong, silent or unjudged.

use std::collections::{BTreeMap, BTreeSet};

use fabric::RunError;
use model::diagnosis::Record;
use model::{Anomaly, Cause, Diagnosis, FlowKey, PortRef, Time};
use scenario::{FaultKind, Scenario};
use serde::{Deserialize, Serialize};

use super::actor::{Actor, Claim, claim};
use super::bench::{Bench, OnVictim};
use super::guilt::{EXPLAINS, Experiment, Guilt, guilt, is_explained, own_guilt};
use super::place::{Beside, Named, located};
use super::sample::{Budget, Urgency, price, size};
use super::standstill::stood_still;

/// The grade of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// What it claims is true: the accused explain the delay and none of them is innocent, or the fabric was clean.
    Right,
    /// Some of it is true.
    Partly,
    /// Nothing of it is true.
    Wrong,
    /// It claims nothing.
    Silent,
    /// It names a port and no culprit, and the delay disappears without the traffic of that port.
    Located,
    /// It names a port and no culprit, and the delay does not arise there.
    Mislocated,
    /// It was not judged: its delay does not recur, or it was not drawn.
    Unjudged,
}

/// A verdict with its grade.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The grade.
    pub grade: Grade,
    /// The guilt that was measured; absent for claims without accused actors.
    pub guilt: Option<Guilt>,
    /// The accused actors.
    pub accused: BTreeSet<Actor>,
    /// The victim's excess delay in nanoseconds; absent if it was not measured.
    pub excess_ns: Option<u64>,
    /// The number of verdicts of the run that it stands for: 0 if it was not drawn.
    pub weight: f64,
    /// Why, for people.
    pub reason: String,
}

impl Judgement {
    pub(super) fn plain(grade: Grade, reason: impl Into<String>) -> Judgement {
        Judgement {
            grade,
            guilt: None,
            accused: BTreeSet::new(),
            excess_ns: None,
            weight: 1.0,
            reason: reason.into(),
        }
    }
}

/// The reason why a verdict was not judged.
const NOT_DRAWN: &str = "it was not drawn for the sample of judged verdicts";

/// Judges the verdicts of a run, each with its urgency, as far as `budget` allows (see [`super::sample`]).
///
/// Verdicts of one victim and time share its delay: each is judged by its own actors, and the delay is explained if all
/// of them together explain it.
///
/// # Errors
/// A run that cannot be repeated.
pub fn judge(
    bench: &mut Bench<'_>,
    scenario: &Scenario,
    verdicts: &[Diagnosis],
    urgency: &[Urgency],
    budget: Budget,
) -> Result<Vec<Judgement>, RunError> {
    let undrawn = Judgement { weight: 0.0, ..Judgement::plain(Grade::Unjudged, NOT_DRAWN) };
    let mut judgements = vec![undrawn; verdicts.len()];
    let prices: Vec<usize> = verdicts.iter().map(|verdict| price(&claim(verdict, scenario))).collect();
    let mut order: Vec<usize> = (0..verdicts.len()).collect();
    order.sort_by_key(|at| (urgency[*at], &verdicts[*at].id));
    let (free, paid): (Vec<usize>, Vec<usize>) = order.into_iter().partition(|at| prices[*at] == 0);
    for at in free {
        judgements[at] = judge_one(bench, scenario, verdicts, at)?;
    }
    let (mut places, paid): (Vec<usize>, Vec<usize>) =
        paid.into_iter().partition(|at| claim(&verdicts[*at], scenario) == Claim::PlaceOnly);
    let (mut info, mut alarms): (Vec<usize>, Vec<usize>) =
        paid.into_iter().partition(|at| urgency[*at] == Urgency::Info);
    let drawn = size(&info.iter().map(|at| prices[*at]).collect::<Vec<_>>(), budget.info);
    // Which verdicts are judged is settled, and repeated runs are continued rather than started again.
    info[..drawn].sort_by_key(|at| verdicts[*at].time_ns);
    if budget.alarms.is_none() {
        alarms.sort_by_key(|at| verdicts[*at].time_ns);
    }
    let before = bench.runs();
    let mut judged = 0;
    for at in &alarms {
        if budget.alarms.is_some_and(|most| bench.runs() - before > most) {
            break;
        }
        judgements[*at] = judge_one(bench, scenario, verdicts, *at)?;
        judged += 1;
    }
    weigh(&mut judgements, &alarms[..judged], alarms.len());
    for at in &info[..drawn] {
        judgements[*at] = judge_one(bench, scenario, verdicts, *at)?;
    }
    weigh(&mut judgements, &info[..drawn], info.len());
    places.sort_by_key(|at| &verdicts[*at].id);
    let located = &places[..places.len().min(budget.places)];
    for at in located {
        judgements[*at] = judge_one(bench, scenario, verdicts, *at)?;
    }
    weigh(&mut judgements, located, places.len());
    Ok(judgements)
}

/// The drawn verdicts stand for all.
fn weigh(judgements: &mut [Judgement], drawn: &[usize], all: usize) {
    for at in drawn {
        judgements[*at].weight = all as f64 / drawn.len() as f64;
    }
}

/// The other verdicts about the delay of a verdict.
fn others<'v>(verdicts: &'v [Diagnosis], verdict: &'v Diagnosis) -> impl Iterator<Item = &'v Diagnosis> {
    verdicts.iter().filter(|other| {
        other.victim == verdict.victim && other.time_ns == verdict.time_ns && other.id != verdict.id
    })
}

/// What the other verdicts about the delay of a verdict accuse.
fn partners(scenario: &Scenario, verdicts: &[Diagnosis], verdict: &Diagnosis) -> BTreeSet<Actor> {
    let accused = others(verdicts, verdict).filter_map(|other| match claim(other, scenario) {
        Claim::Accused(accused) => Some(accused),
        _ => None,
    });
    accused.flatten().collect()
}

/// The ports that the other verdicts about the delay of a verdict name, of those that name no culprit.
fn other_places<'v>(
    scenario: &Scenario,
    verdicts: &'v [Diagnosis],
    verdict: &'v Diagnosis,
) -> Vec<&'v PortRef> {
    let open = others(verdicts, verdict).filter(|other| claim(other, scenario) == Claim::PlaceOnly);
    open.filter_map(|other| other.root_cause.port.as_ref()).collect()
}

/// Whether no other verdict is about the delay of a verdict.
pub(super) fn is_alone(verdicts: &[Diagnosis], verdict: &Diagnosis) -> bool {
    others(verdicts, verdict).next().is_none()
}

/// Judges one of the verdicts of a run.
pub(super) fn judge_one(
    bench: &mut Bench<'_>,
    scenario: &Scenario,
    verdicts: &[Diagnosis],
    at: usize,
) -> Result<Judgement, RunError> {
    let verdict = &verdicts[at];
    match claim(verdict, scenario) {
        Claim::Silent => Ok(Judgement::plain(Grade::Silent, "it claims nothing")),
        claim => match verdict.victim {
            Some(victim) => judge_claim(bench, scenario, verdicts, &Case { verdict, victim }, claim),
            None => {
                Ok(Judgement::plain(Grade::Unjudged, "it names no victim, so there is no delay to measure"))
            }
        },
    }
}

/// A verdict about the delay of a flow.
struct Case<'v> {
    verdict: &'v Diagnosis,
    victim: FlowKey,
}

impl Case<'_> {
    /// Returns the experiment on what the agent measured.
    fn on<'b, 's>(&self, bench: &'b mut Bench<'s>, window: (Time, Time)) -> OnVictim<'b, 's> {
        match self.verdict.trigger().is_some_and(|trigger| trigger.reason.is_about_operation()) {
            true => bench.on_operations(self.victim, window),
            false => bench.on(self.victim, window),
        }
    }
}

fn judge_claim(
    bench: &mut Bench<'_>,
    scenario: &Scenario,
    verdicts: &[Diagnosis],
    case: &Case<'_>,
    claim: Claim,
) -> Result<Judgement, RunError> {
    match claim {
        Claim::Accused(accused) => {
            let partners = partners(scenario, verdicts, case.verdict);
            convicted(bench, scenario, case, accused, &partners)
        }
        Claim::PlaceOnly => {
            let beside = Beside {
                accused: partners(scenario, verdicts, case.verdict),
                ports: other_places(scenario, verdicts, case.verdict),
            };
            placed(bench, case, &beside)
        }
        Claim::FabricIsClean | Claim::Silent => clean(bench, scenario, case),
    }
}

/// The reason why a delay is not judged.
const DOES_NOT_RECUR: &str = "the delay does not recur without polling packets";

/// The window in which the delay of a verdict is measured: that of the verdict, widened by twice its length to both sides
/// if the victim does not wait in it. Polling packets shift random draws of the run, and with them the time of a wait.
/// Absent if it does not wait there either.
fn window_of_delay(bench: &mut Bench<'_>, case: &Case<'_>) -> Result<Option<(Time, Time)>, RunError> {
    let (from, to) = window(case.verdict);
    let length = Time(2 * (to - from).0);
    for window in [(from, to), (from.saturating_sub(length), Time(to.0.saturating_add(length.0)))] {
        if case.on(bench, window).excess_ns(&BTreeSet::new())? > 0 {
            return Ok(Some(window));
        }
    }
    Ok(None)
}

/// The window that a verdict explains: from the departure of the slow packet to the measurement, or the interval of its
/// counters.
pub(super) fn window(verdict: &Diagnosis) -> (Time, Time) {
    let to = Time::from_ns(verdict.time_ns);
    let records = || verdict.evidence.iter().flat_map(|evidence| &evidence.records);
    let counted = records().filter_map(|record| match record {
        Record::Counter { from_ns, .. } => Some(*from_ns),
        _ => None,
    });
    let from_ns = match verdict.trigger() {
        Some(trigger) => {
            let departed_ns = trigger.time_ns.saturating_sub(trigger.rtt_ns);
            trigger.follows.map_or(departed_ns, |first| first.since_ns.min(departed_ns))
        }
        None => counted.min().unwrap_or(verdict.time_ns),
    };
    (Time::from_ns(from_ns).min(to), to)
}

/// Judges the claim that nothing in the fabric delayed the victim. It is right if the delay stays without all other
/// flows, faults of other hosts, losses, outages and static routes, and either disappears without the faults of its own
/// hosts or stays when the victim has one packet outstanding: otherwise its own packets are the queue.
fn clean(bench: &mut Bench<'_>, scenario: &Scenario, case: &Case<'_>) -> Result<Judgement, RunError> {
    let everything = everything_but_the_ends(scenario, case.victim);
    let Some(window) = window_of_delay(bench, case)? else {
        return Ok(Judgement::plain(Grade::Unjudged, DOES_NOT_RECUR));
    };
    let mut accused = BTreeSet::new();
    let mut experiment = case.on(bench, window);
    let excess_ns = experiment.excess_ns(&BTreeSet::new())?;
    let left_ns = experiment.excess_ns(&everything)?;
    let stays = |left_ns: u64| excess_ns > 0 && left_ns as f64 >= EXPLAINS * excess_ns as f64;
    let mut is_right = stays(left_ns);
    if is_right {
        accused = ends(scenario, case.victim).into_iter().map(Actor::Host).collect();
        let without_faults_ns = experiment.excess_ns(&accused)?;
        let mut thin = everything;
        thin.insert(Actor::Victim);
        is_right = is_explained(excess_ns, without_faults_ns) || stays(experiment.excess_ns(&thin)?);
    }
    let grade = if is_right { Grade::Right } else { Grade::Wrong };
    let reason = format!("of {excess_ns} ns of delay, {left_ns} ns stay without everything but its hosts");
    Ok(Judgement { grade, guilt: None, accused, excess_ns: Some(excess_ns), weight: 1.0, reason })
}

/// Judges the claim that the delay arises at a port.
fn placed(bench: &mut Bench<'_>, case: &Case<'_>, beside: &Beside<'_>) -> Result<Judgement, RunError> {
    let (verdict, victim) = (case.verdict, case.victim);
    let Some(port) = &verdict.root_cause.port else {
        return Ok(Judgement::plain(Grade::Silent, "it claims nothing"));
    };
    match window_of_delay(bench, case)? {
        Some(window) => located(bench, victim, window, &Named { anomaly: verdict.anomaly, port }, beside),
        None => Ok(Judgement::plain(Grade::Unjudged, DOES_NOT_RECUR)),
    }
}

fn everything_but_the_ends(scenario: &Scenario, victim: FlowKey) -> BTreeSet<Actor> {
    let mut all = BTreeSet::new();
    let keys = scenario.flows.iter().filter_map(|flow| scenario.key(flow));
    all.extend(keys.filter(|key| *key != victim).map(Actor::Flow));
    let ends = ends(scenario, victim);
    let faulty = scenario.faults.iter().map(|fault| &fault.host).chain(scenario.hosts.keys());
    all.extend(faulty.filter(|host| !ends.contains(*host)).cloned().map(Actor::Host));
    let links = &scenario.topology.links;
    let lossy = scenario.loss_ppt.keys().copied().chain(scenario.routing.failures.iter().map(|f| f.link));
    all.extend(lossy.filter_map(|at| Some(Actor::Link(links.get(at)?.a.clone()))));
    all.extend(scenario.routing.routes.iter().map(|timed| Actor::Routes(timed.route.switch.clone())));
    all
}

fn ends(scenario: &Scenario, victim: FlowKey) -> BTreeSet<String> {
    let hosts = [victim.src, victim.dst].into_iter().filter_map(|at| scenario.topology.host_of(at));
    hosts.map(|host| host.name.clone()).collect()
}

/// Judges the claim that the accused delayed the victim, together with those that its other verdicts accuse.
fn convicted(
    bench: &mut Bench<'_>,
    scenario: &Scenario,
    case: &Case<'_>,
    accused: BTreeSet<Actor>,
    partners: &BTreeSet<Actor>,
) -> Result<Judgement, RunError> {
    let Some(window) = window_of_delay(bench, case)? else {
        return Ok(Judgement::plain(Grade::Unjudged, DOES_NOT_RECUR));
    };
    let is_own = accused.iter().eq([&Actor::Victim]);
    let mut guilt = if is_own {
        let others = everything_but_the_ends(scenario, case.victim);
        own_guilt(&mut case.on(bench, window), &others)?
    } else {
        let order = heaviest_first(bench, &accused)?;
        guilt(&mut case.on(bench, window), &order)?
    };
    let mut explains = guilt.explains();
    if !partners.is_empty() {
        let all: BTreeSet<Actor> = accused.union(partners).cloned().collect();
        let mut experiment = case.on(bench, window);
        let left_ns = experiment.excess_ns(&all)?;
        explains |= is_explained(guilt.excess_ns, left_ns);
        if explains && !is_own {
            guilt.beside(&mut experiment, partners, &all)?;
        }
    }
    let innocent: Vec<String> = guilt.innocent().map(ToString::to_string).collect();
    let names_guilty = guilt.parts.len() > innocent.len();
    let contradiction = contradiction(bench, scenario, case.verdict)?;
    let grade = match (explains, innocent.is_empty(), names_guilty) {
        (true, true, _) if contradiction.is_none() => Grade::Right,
        (_, _, true) => Grade::Partly,
        _ => Grade::Wrong,
    };
    let mut reason = format!(
        "{:.0} % of {} ns of delay disappear without the accused",
        100.0 * guilt.covered,
        guilt.excess_ns
    );
    if !innocent.is_empty() {
        reason.push_str(&format!("; innocent: {}", innocent.join(", ")));
    }
    if let Some(contradiction) = contradiction {
        reason.push_str(&format!("; {contradiction}"));
    }
    let excess_ns = Some(guilt.excess_ns);
    Ok(Judgement { grade, excess_ns, guilt: Some(guilt), accused, weight: 1.0, reason })
}

/// The accused, flows by the bytes that they sent in the run with all actors.
fn heaviest_first(bench: &mut Bench<'_>, accused: &BTreeSet<Actor>) -> Result<Vec<Actor>, RunError> {
    let run = bench.base()?;
    let sent: BTreeMap<FlowKey, u64> = run.flows.iter().map(|flow| (flow.flow, flow.sent_packets)).collect();
    let mut order: Vec<Actor> = accused.iter().cloned().collect();
    order.sort_by_key(|actor| match actor {
        Actor::Flow(flow) => std::cmp::Reverse(sent.get(flow).copied().unwrap_or(0)),
        _ => std::cmp::Reverse(u64::MAX),
    });
    Ok(order)
}

/// A physical fact that contradicts the verdict's anomaly or cause.
fn contradiction(
    bench: &mut Bench<'_>,
    scenario: &Scenario,
    verdict: &Diagnosis,
) -> Result<Option<String>, RunError> {
    let is_deadlock = matches!(
        verdict.anomaly,
        Anomaly::DeadlockInLoopContention
            | Anomaly::DeadlockOutOfLoopContention
            | Anomaly::DeadlockOutOfLoopInjection
    );
    if is_deadlock {
        let run = bench.base()?;
        let stood = run.log.as_ref().is_some_and(|log| {
            let ports = &verdict.pause_loop;
            stood_still(&scenario.topology, run, log, ports, window(verdict))
        });
        if !stood {
            return Ok(Some("the loop did not stand still".to_string()));
        }
    }
    if verdict.cause == Cause::NicStorm
        && let Some(host) = &verdict.root_cause.host
        && !injects_pauses(scenario, host)
    {
        return Ok(Some(format!("{host} pauses because its receive path is full")));
    }
    Ok(None)
}

/// Whether a host sends pauses without a full receive path behind them.
fn injects_pauses(scenario: &Scenario, host: &str) -> bool {
    let injects = |kind: &FaultKind| matches!(kind, FaultKind::Storm { .. } | FaultKind::StoppedPipeline);
    scenario.faults.iter().any(|fault| fault.host == host && injects(&fault.kind))
}
