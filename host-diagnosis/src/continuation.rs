//! Which hosts' reports a verdict needs, and the verdict with them.
//!
//! The server passes the reports of agents, which are of some age, and a simulation those of its hosts.

use std::borrow::Cow;

use model::{Diagnosis, FlowKey, HostReport, Topology};

use crate::{Fabric, FabricState, unite};

/// Age from which on a report is not used for a verdict: it describes another time. Agents report on an interval of a minute
/// by default, so that a host whose agent is alive has a report of the last interval and a half.
const MAX_AGE_NS: u64 = 90_000_000_000;
/// Age up to which a report describes the time of a verdict: one that was requested for it takes a few seconds.
const FRESH_NS: u64 = 10_000_000_000;

/// A report, and how long before the verdict it was made.
#[derive(Clone, Copy, Debug)]
pub struct AgedReport<'r> {
    /// The report.
    pub report: &'r HostReport,
    /// Its age in nanoseconds.
    pub age_ns: u64,
}

/// The hosts whose reports continue a verdict: the one that pauses, or both ends of a victim for which
/// the fabric was clean. None for a verdict that the fabric explains.
pub fn hosts_in_question(verdict: &Diagnosis, topology: Option<&Topology>) -> Vec<String> {
    match Fabric::of_diagnosis(verdict).state {
        FabricState::PausedBy(host) => vec![host],
        FabricState::Clean => ends(verdict, topology),
        FabricState::Congested | FabricState::Unknown => Vec::new(),
    }
}

fn ends(verdict: &Diagnosis, topology: Option<&Topology>) -> Vec<String> {
    let addresses = verdict.victim.into_iter().flat_map(|victim| [victim.src, victim.dst]);
    addresses.filter_map(|at| Some(topology?.host_of(at)?.name.clone())).collect()
}

/// Continues a verdict that ends at a host inside it, with the latest report of each host. Every other verdict stays as it
/// is.
pub fn continue_in_hosts<'r>(
    verdict: Diagnosis,
    topology: Option<&Topology>,
    reports: impl Iterator<Item = AgedReport<'r>>,
) -> Diagnosis {
    let hosts = hosts_in_question(&verdict, topology);
    if hosts.is_empty() {
        return verdict;
    }
    let is_pausing = matches!(Fabric::of_diagnosis(&verdict).state, FabricState::PausedBy(_));
    // How many hosts pause at the same time is evidence about one that does.
    let is_wanted = |one: &AgedReport<'_>| is_pausing || hosts.contains(&one.report.host);
    let usable: Vec<AgedReport<'r>> =
        reports.filter(|one| one.age_ns < MAX_AGE_NS && is_wanted(one)).collect();
    let missing: Vec<String> = hosts.iter().filter_map(|host| missing(host, &usable, is_pausing)).collect();
    let reports: Vec<HostReport> = usable.into_iter().map(|one| one.report.clone()).collect();
    let mut united = unite(&verdict, &reports, None).diagnosis;
    if let Some(topology) = topology {
        name_hosts(&mut united, topology);
    }
    for sentence in missing {
        if !united.missing.contains(&sentence) {
            united.missing.push(sentence);
        }
    }
    united
}

/// Adds the names of hosts to the flows in a verdict's sentences. A host's report has addresses only; the analyzer has named the
/// flows of its own sentences.
fn name_hosts(verdict: &mut Diagnosis, topology: &Topology) {
    let claims = verdict.evidence.iter_mut().map(|evidence| &mut evidence.claim);
    let lists = verdict.missing.iter_mut().chain(&mut verdict.notes).chain(&mut verdict.advice);
    for text in [&mut verdict.summary].into_iter().chain(claims).chain(lists) {
        // Named ones are in brackets.
        let named: Vec<Cow<'_, str>> = text.split(' ').map(|word| with_hosts(word, topology)).collect();
        if named.iter().any(|word| matches!(word, Cow::Owned(_))) {
            *text = named.join(" ");
        }
    }
}

/// A word, with the names of both hosts if it is a flow between two of the topology. A punctuation mark may follow it.
fn with_hosts<'w>(word: &'w str, topology: &Topology) -> Cow<'w, str> {
    let flow = word.trim_end_matches([':', ',', ';', '.']);
    let hosts = flow.parse::<FlowKey>().ok().and_then(|flow| {
        Some((topology.host_of(flow.src)?.name.as_str(), topology.host_of(flow.dst)?.name.as_str()))
    });
    let mark = word.get(flow.len()..).unwrap_or_default();
    hosts.map_or(Cow::Borrowed(word), |(src, dst)| Cow::Owned(format!("{src} -> {dst} ({flow}){mark}")))
}

/// What is missing of a host in question.
fn missing(host: &str, usable: &[AgedReport<'_>], is_pausing: bool) -> Option<String> {
    match usable.iter().find(|one| one.report.host == host) {
        Some(one) if one.age_ns < FRESH_NS => None,
        Some(one) => Some(format!(
            "a report of {host} about the time of this verdict: its latest one is {} s older",
            one.age_ns / 1_000_000_000
        )),
        // `unite` says so in its own words.
        None if is_pausing => None,
        None => Some(format!("a report of {host}: whether the delay is inside it")),
    }
}
