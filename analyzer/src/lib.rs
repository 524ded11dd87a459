//! Turns a snapshot into a verdict.
//!
//! The steps follow Hawkeye (SIGCOMM 2024 poster, SIGCOMM 2025 paper). Where its rules name the wrong flow, the modules
//! state which rule replaces them and why. See docs/diagnosis.md.
//!
//! Data goes one way through five stages, one folder each; a stage uses itself and earlier ones:
//!
//! 1. `facts`: `view` and [`topology_index`] sort the records for cheap look-ups; `span` and `path` find the time and
//!    the ports under analysis, `flow_paths` the paths of flows; `queue_episode` finds when a queue built up,
//!    `victim_links` losses and link events. [`validate`] checks a snapshot against the topology.
//! 2. `graph`: `port_graph` computes the wait-for edges, `pause_paths` their ends, loops and shares; `context` holds
//!    both with the time under analysis.
//! 3. `findings`: `replay` and `contention` find which flows built a queue, `standstill` when a loop stood still;
//!    `signatures` identify the anomaly, one file each.
//! 4. `verdict`: `ranking` lists culprits, spreaders and victims with a confidence; `causes` refine the anomaly, one
//!    file each; `severity` computes the cost and how urgent the verdict is; [`collective`] finds the step of a job
//!    that it concerns; [`incident`] decides which verdicts belong together.
//! 5. `text`: `evidence`, `explanation`, `provenance` and `graph_context` produce claims, text and graph; `coverage`
//!    states why a snapshot supports no verdict.
//!
//! Every result is a pure function of snapshot, topology and [`Settings`], and does not depend on the order of
//! records.

mod facts;
mod findings;
mod graph;
pub mod import;
pub mod method;
pub mod rules;
mod settings;
mod text;
pub mod thresholds;
mod verdict;

use std::hash::Hasher as _;

use fnv::FnvHasher;
use model::diagnosis::{Cost, Severity};
use model::{Anomaly, Diagnosis, PortRef, ProvenanceGraph, RootCause, Snapshot, Topology};
use serde::{Deserialize, Serialize};

pub use crate::facts::topology_index::{self, TopologyIndex};
pub use crate::facts::validate;
pub use crate::facts::wording::flow_name;
pub use crate::graph::{adjacency, graph_search};
pub use crate::method::Method;
pub use crate::settings::Settings;
pub use crate::text::coverage::unanswered;
pub use crate::verdict::confidence::Features;
pub use crate::verdict::standstills::Standstills;
pub use crate::verdict::{collective, incident};

use crate::facts::view::{View, classes};
use crate::facts::{flow_paths, path};
use crate::findings::accounting;
use crate::findings::signatures::{self, Finding, self_inflicted};
use crate::graph::context::Context;
use crate::settings::Tuning;
use crate::text::{evidence, explanation, graph_context, provenance};
use crate::thresholds as t;
use crate::verdict::causes::{self, Case};
use crate::verdict::{confidence, doubtful, ranking, severity};

/// A verdict and its provenance graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// The verdict.
    pub diagnosis: Diagnosis,
    /// Ports, flows and hosts with their wait-for edges.
    pub graph: ProvenanceGraph,
    /// What the confidence depends on; not stored.
    #[serde(skip)]
    pub features: Features,
}

/// Diagnoses a snapshot: one verdict for each independent root cause, the best explanation first.
///
/// With a victim (the snapshot's, else its trigger's) the verdicts explain its delay. Without one, every incident of
/// the snapshot is reported. A quiet network gives no verdict, unless an agent measured a slow flow: then the verdict
/// is `host_only` if every hop was clean at that time, else `undetermined`.
pub fn diagnose(snapshot: &Snapshot, topology: &Topology, settings: &Settings) -> Vec<Diagnosis> {
    analyze(snapshot, topology, settings).into_iter().map(|a| a.diagnosis).collect()
}

/// As [`diagnose`], with the provenance graph of each verdict.
pub fn analyze(snapshot: &Snapshot, topology: &Topology, settings: &Settings) -> Vec<Analysis> {
    analyze_indexed(snapshot, &TopologyIndex::new(topology), settings)
}

/// As [`analyze`], for many snapshots of one network.
pub fn analyze_indexed(snapshot: &Snapshot, index: &TopologyIndex<'_>, settings: &Settings) -> Vec<Analysis> {
    let tuning = Tuning::of(settings, snapshot);
    let mut analyses = Vec::new();
    for classes in classes(snapshot) {
        let view = View::new(snapshot, index, classes, &tuning);
        analyses.extend(analyze_classes(&Context::new(&view, &tuning)));
    }
    analyses
}

/// A finding on the victim's path or on that of its ACKs.
struct Part<'c, 's, 'a> {
    context: &'c Context<'s, 'a>,
    finding: Finding,
}

impl Part<'_, '_, '_> {
    fn delay_ns(&self) -> f64 {
        accounting::likely_ns(self.context, &self.finding)
    }
}

fn parts<'c, 's, 'a>(context: &'c Context<'s, 'a>, found: Vec<Finding>) -> Vec<Part<'c, 's, 'a>> {
    found.into_iter().map(|finding| Part { context, finding }).collect()
}

/// Analyses the traffic of some classes: the victim's path, then other classes and the reverse path if nothing on it
/// explains the delay.
fn analyze_classes(context: &Context<'_, '_>) -> Vec<Analysis> {
    let names_nothing =
        |finding: &Finding| matches!(finding.anomaly, Anomaly::HostOnly | Anomaly::Undetermined);
    let found = signatures::find(context);
    if context.is_about_operation() {
        return concluded(&parts(context, found));
    }
    if let Some(finding) = longer_path(context, &found) {
        return concluded(&parts(context, vec![finding]));
    }
    if let Some(analyses) = beside_detour(context, &found) {
        return analyses;
    }
    if let Some(analyses) = behind_other_classes(context, &found) {
        return analyses;
    }
    let without_culprits = |finding| self_inflicted::without_culprits_if_of_others(context, finding);
    let found: Vec<Finding> = found.into_iter().map(without_culprits).collect();
    let is_clean = found.iter().all(names_nothing);
    if !is_clean && !accounting::leaves_most(context, &found) {
        let Some((reverse, on_reverse)) = reverse_part(context, &found) else {
            return concluded(&parts(context, found));
        };
        let mut both = parts(context, found);
        both.extend(parts(&reverse, on_reverse));
        return concluded(&longest(both));
    }
    let applies = |rule: &'static str| context.settings.applies(rule);
    let of_others =
        if applies("signatures.class_contention") { of_other_classes(context) } else { Vec::new() };
    if !of_others.is_empty() {
        return of_others;
    }
    // Queues of both directions add up.
    let share = |context: &Context<'_, '_>| accounting::explained_share(context).unwrap_or(0.0);
    let here = if is_clean { 0.0 } else { share(context) };
    if applies("reverse_path")
        && let Some(reverse) = Context::of_reverse_path(context.view, context.settings)
    {
        let on_reverse = signatures::find(&reverse);
        if applies("class_contention.reverse")
            && let Some(analyses) = behind_other_classes(&reverse, &on_reverse)
        {
            return analyses;
        }
        let is_named = !on_reverse.iter().all(names_nothing);
        if is_named && (is_clean || accounting::is_enough(context, here + share(&reverse))) {
            let are_queues = accounting::are_queues(&found) && accounting::are_queues(&on_reverse);
            let mut both = parts(&reverse, on_reverse);
            if are_queues || here >= context.settings.value(&t::BRANCH_SHARE) {
                both.extend(parts(context, found));
            }
            return concluded(&if are_queues { longest(both) } else { both });
        }
    }
    match accounting::unexplained(context).filter(|_| !is_clean) {
        Some(finding) => concluded(&parts(context, vec![finding])),
        None => concluded(&parts(context, found)),
    }
}

/// Returns the finding that the delay is due to the length of the path rather than to its queues and pauses.
fn longer_path(context: &Context<'_, '_>, found: &[Finding]) -> Option<Finding> {
    let may_be_length =
        |finding: &Finding| accounting::is_accounted(finding) || finding.anomaly == Anomaly::Undetermined;
    let applies = !context.is_reverse_path
        && context.settings.applies("accounting.longer_path")
        && found.iter().all(may_be_length);
    applies.then(|| signatures::host_only::of_longer_path(context)).flatten()
}

/// Returns the verdicts about a delay that a detour causes together with queues: a longer path adds to the delay of queues,
/// so that neither alone explains it. Absent where one of them is no substantial part.
fn beside_detour(context: &Context<'_, '_>, found: &[Finding]) -> Option<Vec<Analysis>> {
    let is_detour_or_queues = accounting::are_queues(found)
        || matches!(found, [only] if matches!(only.anomaly, Anomaly::PathChange | Anomaly::HostOnly));
    if !is_detour_or_queues || !context.settings.applies("accounting.detour") {
        return None;
    }
    let (detour, longer_ns) = signatures::path_change::detour_part(context)?;
    let extra_ns = accounting::extra_ns(context);
    let least_ns = context.settings.branch_share * extra_ns;
    let (longer_ns, rest_ns) = (longer_ns as f64, extra_ns - longer_ns as f64);
    if longer_ns < least_ns || rest_ns < least_ns {
        return None;
    }
    let queues = signatures::queues_and_pauses(context);
    let reverse = context
        .settings
        .applies("reverse_path")
        .then(|| Context::of_reverse_path(context.view, context.settings))
        .flatten();
    let on_reverse = reverse.as_ref().map(signatures::queues_and_pauses).unwrap_or_default();
    let mut both = parts(context, queues.into_iter().filter(accounting::is_accounted).collect());
    if let Some(reverse) = &reverse {
        both.extend(parts(reverse, on_reverse.into_iter().filter(accounting::is_accounted).collect()));
    }
    let all_ns = longer_ns + both.iter().map(Part::delay_ns).sum::<f64>();
    both.retain(|part| part.delay_ns() >= least_ns);
    // Queues that are too small to be named add to the detour as well.
    if both.is_empty() && !accounting::is_enough(context, all_ns / extra_ns) {
        return None;
    }
    let mut all = parts(context, vec![detour]);
    all.extend(longest(both));
    Some(concluded(&all))
}

/// Returns the queues and pauses of both ways that are named, as a round trip is the sum of both: the longest delay first,
/// until they explain [`t::QUEUES_EXPLAIN`] of what all cause.
fn longest<'c, 's, 'a>(both: Vec<Part<'c, 's, 'a>>) -> Vec<Part<'c, 's, 'a>> {
    let delays_ns: Vec<f64> = both.iter().map(Part::delay_ns).collect();
    let settings = both.first().map(|part| part.context.settings);
    let is_named = settings.map_or_else(Vec::new, |settings| accounting::are_named(settings, &delays_ns));
    both.into_iter().zip(is_named).filter_map(|(part, is_named)| is_named.then_some(part)).collect()
}

/// Returns the verdicts about one delay. They accuse flows only if it is likely that all of them together are right.
fn concluded(parts: &[Part<'_, '_, '_>]) -> Vec<Analysis> {
    let delays_ns: Vec<f64> = parts.iter().map(Part::delay_ns).collect();
    let shares = shares(parts, &delays_ns);
    let verdicts: Vec<Option<Analysis>> = parts
        .iter()
        .zip(&shares)
        .map(|(part, share)| verdict_of(part.context, &part.finding, *share))
        .collect();
    let probabilities: Vec<Option<f64>> = parts
        .iter()
        .zip(&verdicts)
        .map(|(part, analysis)| {
            let analysis = analysis.as_ref()?;
            doubtful::probability(part.context, &part.finding, &analysis.diagnosis, &analysis.features)
        })
        .collect();
    let doubts = delays_ns.iter().zip(&probabilities);
    let doubts = doubts.filter_map(|(delay_ns, probability)| Some((*delay_ns, (*probability)?)));
    // A host that is accused of a part of the delay explains it only together with the flows that contend there.
    let accuses_host = parts.iter().any(|part| part.finding.host.is_some());
    let are_doubtful = !accuses_host
        && parts.first().is_some_and(|part| doubtful::are_doubtful(part.context.settings, doubts));
    let mut analyses = Vec::new();
    for (at, share) in shares.into_iter().enumerate() {
        let part = &parts[at];
        let withheld = are_doubtful && probabilities[at].is_some();
        let analysis = match withheld {
            true => verdict_of(part.context, &doubtful::without_culprits(part.context, &part.finding), share),
            false => verdicts[at].clone(),
        };
        let Some(mut analysis) = analysis else { continue };
        if let Some(share) = share {
            explanation::add_share(&mut analysis.diagnosis, share);
        }
        analyses.push(analysis);
    }
    analyses
}

/// Returns the share of each verdict in the delay that they explain together; absent where the parts are not comparable.
fn shares(parts: &[Part<'_, '_, '_>], delays_ns: &[f64]) -> Vec<Option<f64>> {
    let Some(first) = parts.first() else { return Vec::new() };
    let all_ns: f64 = delays_ns.iter().sum();
    let is_one_way = parts.iter().all(|part| part.context.is_reverse_path == first.context.is_reverse_path);
    // A port that delays packets and ACKs is one cause.
    let is_one_root =
        first.finding.root.is_some() && parts.iter().all(|part| part.finding.root == first.finding.root);
    if !is_one_way && is_one_root {
        return vec![None; parts.len()];
    }
    if !is_one_way && all_ns > 0.0 {
        return delays_ns.iter().map(|delay_ns| Some(delay_ns / all_ns)).collect();
    }
    signatures::shares(first.context, parts.iter().map(|part| &part.finding))
}

/// Returns the queues of the reverse path that may delay the ACKs of a packet that the queues of its own path delay.
fn reverse_part<'s, 'a>(
    context: &Context<'s, 'a>,
    found: &[Finding],
) -> Option<(Context<'s, 'a>, Vec<Finding>)> {
    let applies = |rule: &'static str| context.settings.applies(rule);
    if !applies("reverse_path") || !applies("accounting.both_ways") || !accounting::are_queues(found) {
        return None;
    }
    let reverse = Context::of_reverse_path(context.view, context.settings)?;
    let on_reverse = signatures::find(&reverse);
    accounting::are_queues(&on_reverse).then_some((reverse, on_reverse))
}

/// Returns the verdicts about traffic of other classes that holds back the victim's.
fn of_other_classes(context: &Context<'_, '_>) -> Vec<Analysis> {
    let Some(view) = context.victim.and_then(|_| context.view.of_other_classes()) else {
        return Vec::new();
    };
    let of_others = Context::of_other_classes(&view, context);
    let found = signatures::class_contention::find(context, &of_others);
    let concluded = found.iter().filter_map(|finding| {
        let part = Part { context: &of_others, finding: finding.clone() };
        let mut analysis = concluded(&[part]).pop()?;
        analysis.diagnosis.evidence.extend(evidence::of_other_classes(context, finding));
        Some(analysis)
    });
    concluded.collect()
}

/// Returns the verdicts about findings of which the first is a queue that other classes cause, with the pauses from there.
fn behind_other_classes(context: &Context<'_, '_>, found: &[Finding]) -> Option<Vec<Analysis>> {
    context.victim.filter(|_| context.settings.applies("class_contention.behind"))?;
    let view = context.view.of_other_classes()?;
    let others = Context::of_other_classes(&view, context);
    let behind = |finding: &Finding| signatures::class_contention::behind(context, &others, finding);
    behind(found.first()?)?;
    let mut analyses = Vec::new();
    for own in found {
        let Some(finding) = behind(own) else {
            analyses.extend(concluded(&parts(context, vec![own.clone()])));
            continue;
        };
        for mut analysis in concluded(&[Part { context: &others, finding: finding.clone() }]) {
            analysis.diagnosis.evidence.extend(evidence::of_other_classes(context, &finding));
            analysis.diagnosis.evidence.extend(evidence::of_pauses(context, own));
            analyses.push(analysis);
        }
    }
    Some(analyses).filter(|analyses| !analyses.is_empty())
}

/// The verdict that a finding supports, which is about this `share` of the delay if several findings explain it.
fn verdict_of(context: &Context<'_, '_>, finding: &Finding, share: Option<f64>) -> Option<Analysis> {
    let ranked = ranking::rank(context, finding)?;
    let case = Case { context, finding, culprits: &ranked.culprits };
    let judged = causes::judge(&case);
    let mut pause_path = path::port_refs(context.view, &finding.path);
    if let Some(root) = &finding.root
        && !pause_path.is_empty()
        && pause_path.last() != Some(root)
    {
        pause_path.push(root.clone());
    }
    let summary = explanation::summary(context, finding, &ranked, &judged, &pause_path);
    let time_ns = case.time_ns();
    let diagnosis = Diagnosis {
        id: String::new(),
        time_ns,
        victim: Some(ranked.victim),
        anomaly: finding.anomaly,
        cause: judged.cause,
        summary,
        confidence: round(ranked.confidence * judged.factor),
        severity: Severity::default(),
        cost: severity::cost(&case, ranked.victim, &ranked.victims),
        delay_share: None,
        root_cause: RootCause {
            port: finding.root.clone(),
            flows: ranked.culprits.clone(),
            host: finding.host.map(|h| context.view.index.name(h).to_string()),
            config: judged.config.clone(),
        },
        fault: causes::network::fault(&case),
        far_port: causes::network::far_port(&case),
        pause_path,
        pause_loop: path::port_refs(context.view, &finding.pause_loop),
        paths: flow_paths::paths(context.view, ranked.victim, context.is_reverse_path, &ranked.culprits),
        spreaders: ranked.spreaders.clone(),
        victims: ranked.victims.clone(),
        evidence: evidence::evidence(context, finding, &ranked)
            .into_iter()
            .chain(evidence::of_the_path(context, finding))
            .chain(evidence::of_configuration(&case, &judged.config))
            .chain(evidence::of_jobs(context.view.jobs(), ranked.victim, &ranked.culprits, time_ns))
            .collect(),
        missing: explanation::missing(context, finding),
        notes: Vec::new(),
        advice_target: causes::advice_target(&case, &judged),
        advice: judged.advice,
        collected: context.view.collected(),
        counters: None,
        steps: collective::steps(context.view.jobs(), ranked.victim, &ranked.culprits, time_ns),
        verified: None,
        verification: None,
    };
    let features = Features {
        share: share.unwrap_or(1.0),
        ..Features::of(context, finding, &diagnosis.root_cause, diagnosis.confidence)
    };
    let lost_packets = model::diagnosis::lost_packets(diagnosis.anomaly, &diagnosis.evidence);
    let diagnosis = Diagnosis {
        cost: Cost { lost_packets, ..diagnosis.cost },
        id: id(context.view.event(), &diagnosis),
        severity: severity::severity(&case, &diagnosis),
        confidence: round(features.confidence(confidence::kind(finding), diagnosis.cause)),
        ..diagnosis
    };
    let graph = graph_context::add(provenance::provenance(context, finding), &case, &judged.config);
    Some(Analysis { diagnosis, graph, features })
}

/// The identifier of a verdict: an FNV-1a hash of its claims, so that equal snapshots give equal identifiers.
fn id(event: u32, d: &Diagnosis) -> String {
    let list = |ports: &[PortRef]| ports.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let text = format!(
        "{event}|{}|{}|{:?}|{:?}|{:?}|{}|{}|{}",
        d.time_ns,
        d.victim.map(|flow| flow.to_string()).unwrap_or_default(),
        d.anomaly,
        d.cause,
        d.root_cause.host,
        d.root_cause.port.as_ref().map_or_else(String::new, ToString::to_string),
        list(&d.pause_path),
        d.root_cause.flows.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
    );
    let mut hasher = FnvHasher::default();
    hasher.write(text.as_bytes());
    format!("{:016x}", hasher.finish())
}

/// Rounds weights and confidences to three decimals, so that their text is short and stable.
pub(crate) fn round(value: f64) -> f64 {
    let rounded = (value * 1e3).round() / 1e3;
    // No negative zero, no infinity from absurd counts.
    if rounded == 0.0 { 0.0 } else { rounded.clamp(-1e15, 1e15) }
}
