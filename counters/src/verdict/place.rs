//! Verdicts about the places where pauses end.

use std::collections::{BTreeMap, BTreeSet};

use model::diagnosis::{Evidence, Record};
use model::units::{counted, readable_ns};
use model::{Anomaly, Cause, Diagnosis, FlowKey, Severity};

use super::configuration::{self, About};
use super::{confidence, flows, host_cause, ring, severity, unread};
use crate::case::{Case, Counter};
use crate::causality::{Basis, Cluster, End, EndKind};
use crate::pressure::{PausedPart, Pressure};
use crate::text;
use crate::thresholds as t;
use crate::wiring::{Neighbour, PortId};

/// An end of the pauses of a cluster: a port, and what dominates there.
struct Place<'c> {
    end: &'c End,
    share: f64,
}

/// Returns the verdicts about a cluster: about its largest place, and about others that are a cause of their own. Pauses
/// without an end are a verdict as well.
pub(super) fn verdicts(case: &Case<'_>, cluster: &Cluster) -> Vec<Diagnosis> {
    let places = places(cluster);
    if places.is_empty() {
        return vec![ring::verdict(case, cluster)];
    }
    let is_root = |number: usize, place: &Place<'_>| {
        number == 0 || place.share >= t::ROOT_SHARE || has_storm(case, cluster, place)
    };
    let roots = places.iter().enumerate().filter(|(number, place)| is_root(*number, place));
    let mut verdicts: Vec<Diagnosis> = roots.map(|(_, place)| verdict(case, cluster, place)).collect();
    let minor: Vec<String> = places
        .iter()
        .enumerate()
        .filter(|(number, place)| !is_root(*number, place) && place.share >= 0.01)
        .map(|(_, place)| format!("{} ({:.0} %)", case.shown(place.end.port), place.share * 100.0))
        .collect();
    if !minor.is_empty()
        && let Some(first) = verdicts.first_mut()
    {
        first.evidence.push(Evidence {
            claim: format!("smaller parts of the pauses end at {}", text::list(&minor)),
            template: None,
            switch: None,
            port: None,
            epoch: None,
            records: Vec::new(),
        });
    }
    verdicts
}

/// The ends by port. Where a host pauses a port that is congested as well, what ends more pauses counts.
fn places(cluster: &Cluster) -> Vec<Place<'_>> {
    let mut by_port: BTreeMap<PortId, (f64, &End)> = BTreeMap::new();
    // The largest end of a port comes first.
    for end in &cluster.ends {
        by_port.entry(end.port).or_insert((0.0, end)).0 += end.share;
    }
    let mut places: Vec<Place<'_>> = by_port.into_values().map(|(share, end)| Place { end, share }).collect();
    places.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.end.port.cmp(&b.end.port)));
    places
}

fn verdict(case: &Case<'_>, cluster: &Cluster, place: &Place<'_>) -> Diagnosis {
    let neighbour = &case.wiring.ports[place.end.port].neighbour;
    let is_unread = row(case, cluster, place).is_some_and(|row| !row.knows_pauses());
    let mut verdict = match (&place.end.kind, neighbour) {
        (EndKind::Congestion, _) if is_unread => unread_pauses(case, cluster, place),
        (EndKind::Congestion, _) => congestion(case, cluster, place),
        (EndKind::Nothing, _) => nothing(case, cluster, place),
        (
            EndKind::Neighbour,
            Neighbour::Host(_) | Neighbour::System(_) | Neighbour::Unknown { others_are_known: true },
        ) => host(case, cluster, place),
        (EndKind::Neighbour, _) => beyond(case, cluster, place),
    };
    spread_evidence(case, cluster, place, &mut verdict);
    add_missing(case, cluster, place, &mut verdict);
    verdict
}

/// The row of the place.
fn row<'c>(case: &Case<'c>, cluster: &Cluster, place: &Place<'_>) -> Option<&'c Pressure> {
    case.row(place.end.port, cluster.priority)
}

/// Whether the watchdog shows that the neighbour of the place caused a storm, however many pauses end there.
fn has_storm(case: &Case<'_>, cluster: &Cluster, place: &Place<'_>) -> bool {
    place.end.kind == EndKind::Neighbour && row(case, cluster, place).is_some_and(Pressure::has_storm)
}

/// The fields that all verdicts of a cluster have.
fn base(case: &Case<'_>, cluster: &Cluster, place: &Place<'_>) -> Diagnosis {
    let mut verdict = Diagnosis::undetermined(None);
    verdict.root_cause.port = Some(case.wiring.ports[place.end.port].at.clone());
    verdict.pause_path = place.end.path.iter().map(|port| case.wiring.ports[*port].at.clone()).collect();
    let is_unread = |port: &&PortId| case.wiring.peer(**port).is_none();
    let links = cluster.paused.len() + cluster.pausing.iter().filter(is_unread).count();
    verdict.severity = severity::of_pauses(paused_rows(case, cluster), links);
    let span = row(case, cluster, place).map_or(case.window.span, |row| span_of(case, row));
    let share = if has_storm(case, cluster, place) { 1.0 } else { place.share };
    verdict.confidence = confidence::BEST * confidence::of_share(share) * confidence::of_span(span);
    verdict
}

fn span_of(case: &Case<'_>, row: &Pressure) -> crate::interval::Span {
    let switch = &case.wiring.ports[row.port].switch;
    case.window.switches.get(switch).map_or(case.window.span, |change| change.span)
}

fn paused_rows<'c>(case: &'c Case<'_>, cluster: &'c Cluster) -> impl Iterator<Item = &'c Pressure> {
    cluster.paused.iter().filter_map(|port| case.row(*port, cluster.priority))
}

/// A host pauses its port.
fn host(case: &Case<'_>, cluster: &Cluster, place: &Place<'_>) -> Diagnosis {
    let port = place.end.port;
    let mut verdict = base(case, cluster, place);
    verdict.anomaly = Anomaly::PfcStormHostInjection;
    verdict.root_cause.host = case.host(port).map(str::to_owned);
    verdict.confidence *= confidence::of_neighbour(&case.wiring.ports[port].neighbour);
    let Some(row) = row(case, cluster, place) else { return verdict };
    let judged = host_cause::judge(row);
    verdict.cause = judged.cause;
    verdict.missing.extend(judged.missing);
    // A part of the time that is known has its own rung.
    if judged.cause == Cause::NicStorm && !matches!(row.paused_part, PausedPart::Measured(_)) {
        verdict.severity = verdict.severity.max(Severity::Major);
    }
    verdict.summary = text::host(case, cluster, port, row, &judged.because);
    let counters = [
        Counter::PausesReceived,
        Counter::PausesBegun,
        Counter::PausedTime,
        Counter::QueuePackets,
        Counter::Occupancy,
    ];
    paused_evidence(case, row, &counters, &mut verdict);
    let about = related_ports(case, cluster, port);
    cite(case, &about, About::Host, &mut verdict);
    name_affected(case, row, &mut verdict);
    verdict.advice.extend(text::host_advice(case, row, judged.cause));
    verdict
}

/// Flows that left by the paused port are affected by its pauses.
fn name_affected(case: &Case<'_>, row: &Pressure, verdict: &mut Diagnosis) {
    let sampled = flows::likely(case, row.port, row.from_ns, row.to_ns);
    verdict.victims = sampled.iter().map(|flow| flow.flow).collect();
}

/// A queue grew at a port that no neighbour pauses, or pauses for a shorter time.
fn congestion(case: &Case<'_>, cluster: &Cluster, place: &Place<'_>) -> Diagnosis {
    let port = place.end.port;
    let mut verdict = base(case, cluster, place);
    verdict.anomaly = Anomaly::PfcBackpressureFlowContention;
    verdict.confidence *= confidence::of_basis(place.end.basis);
    let Some(row) = row(case, cluster, place) else { return verdict };
    let sampled = flows::likely(case, port, row.from_ns, row.to_ns);
    verdict.root_cause.flows = sampled.iter().map(|flow| flow.flow).collect();
    let ingresses = pausing_at(case, cluster, port);
    verdict.cause = cause_of_congestion(
        case,
        port,
        &sampled.iter().map(|flow| flow.flow).collect::<Vec<_>>(),
        &ingresses,
    );
    verdict.summary =
        text::congestion(case, cluster, port, row, &sampled.iter().map(|f| f.flow).collect::<Vec<_>>());
    verdict.evidence.push(case.evidence(
        row,
        &[
            Counter::QueuePeak,
            Counter::EcnMarked,
            Counter::QueueDrops,
            Counter::Occupancy,
            Counter::QueuePackets,
        ],
        text::queue_claim(case, row, place.end.basis),
    ));
    if row.counts_pauses() {
        let claim = text::paused_claim(case, row);
        let claim = format!("{claim}, which explains a part of the pauses");
        verdict.evidence.push(case.evidence(row, &[Counter::PausesReceived, Counter::PausedTime], claim));
    }
    for flow in &sampled {
        verdict.evidence.push(flow_evidence(case, row, flow));
    }
    if sampled.is_empty() {
        verdict.missing.push(format!(
            "which flows are queued at {}: counters have no flows; samples (sFlow, IPFIX) of {} would name the likely \
             ones",
            case.shown(port),
            case.wiring.ports[port].switch
        ));
    }
    unread::doubt(case, cluster, port, place.end.basis, &mut verdict);
    let about = related_ports(case, cluster, port);
    cite(case, &about, About::Congestion, &mut verdict);
    verdict.advice = text::congestion_advice(case, port, sampled.is_empty());
    verdict
}

fn flow_evidence(case: &Case<'_>, row: &Pressure, sampled: &flows::Sampled) -> Evidence {
    let info = &case.wiring.ports[row.port];
    let basis = match sampled.is_exact {
        true => counted(sampled.samples, "packet"),
        false => {
            let samples = counted(sampled.samples, "sample");
            format!("{samples}, an error of {:.0} % of that", sampled.error_percent())
        }
    };
    Evidence {
        claim: format!(
            "{} has {:.0} % of the {} bytes that left by {} ({basis})",
            sampled.flow,
            sampled.share * 100.0,
            if sampled.is_exact { "counted" } else { "sampled" },
            case.shown(row.port),
        ),
        template: None,
        switch: Some(info.switch.clone()),
        port: Some(info.at.clone()),
        epoch: None,
        records: vec![Record::Contribution { flow: sampled.flow, weight: sampled.share }],
    }
}

/// Several senders to one receiver: sampled flows with one destination, or several ports that the switch pauses because
/// of one port with a host.
fn cause_of_congestion(case: &Case<'_>, port: PortId, flows: &[FlowKey], ingresses: &[PortId]) -> Cause {
    let sources: BTreeSet<_> = flows.iter().map(|flow| flow.src).collect();
    let targets: BTreeSet<_> = flows.iter().map(|flow| flow.dst).collect();
    let is_incast = match flows.is_empty() {
        false => sources.len() > 1 && targets.len() == 1,
        true => ingresses.len() > 1 && case.wiring.is_at_edge(port),
    };
    if is_incast { Cause::Incast } else { Cause::Undetermined }
}

/// The ports of the place's switch that send pauses in this cluster.
fn pausing_at(case: &Case<'_>, cluster: &Cluster, port: PortId) -> Vec<PortId> {
    let own = case.wiring.ports_of(&case.wiring.ports[port].switch);
    cluster.pausing.iter().copied().filter(|pausing| own.contains(pausing)).collect()
}

/// Ports whose configuration can explain the verdict: the place, and the ports of its switch that send pauses.
fn related_ports(case: &Case<'_>, cluster: &Cluster, port: PortId) -> Vec<PortId> {
    let mut ports = pausing_at(case, cluster, port);
    ports.push(port);
    ports
}

/// Cites findings about the configuration. A congested port has other causes as well, so that none of them is the cause.
fn cite(case: &Case<'_>, ports: &[PortId], about: About, verdict: &mut Diagnosis) {
    for (_, evidence, finding) in configuration::related(case, ports, about) {
        verdict.evidence.push(evidence);
        verdict.advise_fix(&finding);
    }
}

/// A queue grew at a port, and no counter shows whether its neighbour pauses it.
fn unread_pauses(case: &Case<'_>, cluster: &Cluster, place: &Place<'_>) -> Diagnosis {
    let port = place.end.port;
    let mut verdict = base(case, cluster, place);
    verdict.confidence *= confidence::of_basis(place.end.basis);
    verdict.confidence = verdict.confidence.min(confidence::MOST_UNDETERMINED);
    let Some(row) = row(case, cluster, place) else { return verdict };
    verdict.summary = text::unread(case, cluster, port, row);
    let counters = [Counter::QueuePeak, Counter::EcnMarked, Counter::QueueDrops, Counter::Occupancy];
    verdict.evidence.push(case.evidence(row, &counters, text::queue_claim(case, row, place.end.basis)));
    verdict.missing.push(unread::line(case, &[port], cluster.priority));
    unread::doubt(case, cluster, port, place.end.basis, &mut verdict);
    verdict
}

/// A switch sends pauses and none of its egress ports shows why.
fn nothing(case: &Case<'_>, cluster: &Cluster, place: &Place<'_>) -> Diagnosis {
    let port = place.end.port;
    let mut verdict = base(case, cluster, place);
    // Where the congestion is, is not known: the port is the one that sends pauses.
    verdict.root_cause.port = None;
    verdict.confidence = verdict.confidence.min(confidence::MOST_UNDETERMINED);
    let switch = &case.wiring.ports[port].switch;
    let shows_none = "the readings show no egress port of it that is paused or whose queue grew";
    match row(case, cluster, place).filter(|row| row.sent() > 0) {
        Some(row) => {
            let sent = text::sent_by(case, &pausing_at(case, cluster, port), cluster.priority);
            verdict.summary = format!("{switch} sends pauses ({sent}), and {shows_none}");
            let counters = [Counter::PausesSent, Counter::HeadroomPeak];
            verdict.evidence.push(case.evidence(row, &counters, text::sent_claim(case, row)));
        }
        // Only the other end of the cable shows the pauses.
        None => {
            let paused = case.wiring.peer(port).and_then(|peer| case.row(peer, cluster.priority));
            let shown = case.shown(port);
            verdict.summary = match paused {
                Some(row) => format!("{shown} pauses {}, and {shows_none}", case.shown(row.port)),
                None => format!("{shown} sends pauses, and {shows_none}"),
            };
            if let Some(row) = paused {
                let counters = [Counter::PausesReceived, Counter::PausedTime];
                paused_evidence(case, row, &counters, &mut verdict);
            }
        }
    }
    let unread = unread::others(case, cluster, port, place.end.basis);
    if !unread.is_empty() {
        verdict.missing.push(unread::line(case, &unread, cluster.priority));
    }
    verdict.missing.push(format!(
        "the congested port of {switch}: add `show queue watermark unicast` and `show queue counters`, or a dump of \
         COUNTERS_DB"
    ));
    verdict
}

/// The pauses come from a switch without readings, or from a device that may be one.
fn beyond(case: &Case<'_>, cluster: &Cluster, place: &Place<'_>) -> Diagnosis {
    let port = place.end.port;
    let mut verdict = base(case, cluster, place);
    verdict.confidence = verdict.confidence.min(confidence::MOST_UNDETERMINED);
    let Some(row) = row(case, cluster, place) else { return verdict };
    verdict.summary = text::beyond(case, cluster, port, row);
    let counters = [Counter::PausesReceived, Counter::PausedTime, Counter::QueuePeak];
    paused_evidence(case, row, &counters, &mut verdict);
    verdict.missing.push(match &case.wiring.ports[port].neighbour {
        Neighbour::Unread(name) | Neighbour::Switch(name) => {
            format!("where the pauses of {name} come from: add its counters, and its neighbours")
        }
        _ => format!("what is connected to {}: add `show lldp table`, or a topology", case.shown(port)),
    });
    verdict
}

/// The pauses that a port received, and what the watchdog did about them.
fn paused_evidence(case: &Case<'_>, row: &Pressure, counters: &[Counter], verdict: &mut Diagnosis) {
    if row.counts_pauses() {
        verdict.evidence.push(case.evidence(row, counters, text::paused_claim(case, row)));
    } else if row.has_storm() {
        verdict.missing.push(format!(
            "how many pauses {} received: it counted none in this time, and the watchdog shows the storm; some ASICs do \
             not count pauses while the watchdog ignores them",
            case.shown(row.port)
        ));
    }
    watchdog_evidence(case, row, verdict);
}

/// The watchdog's events belong to the pauses that caused them.
fn watchdog_evidence(case: &Case<'_>, row: &Pressure, verdict: &mut Diagnosis) {
    if row.has_storm() {
        let counters = [Counter::StormsDetected, Counter::WatchdogTxDrops, Counter::WatchdogRxDrops];
        verdict.evidence.push(case.evidence(row, &counters, text::watchdog_claim(case, row)));
        verdict.severity = Severity::Critical;
    }
}

/// Evidence of how far the pauses spread: what the switch of the place sends, and each hop of the pause path.
fn spread_evidence(case: &Case<'_>, cluster: &Cluster, place: &Place<'_>, verdict: &mut Diagnosis) {
    // The switch of the place first, then those that its pauses reach.
    for on_path in place.end.path.iter().rev() {
        for port in pausing_at(case, cluster, *on_path).iter().take(t::MOST_LISTED) {
            let Some(row) = case.row(*port, cluster.priority).filter(|row| row.sent() > 0) else { continue };
            let claim = text::sent_claim(case, row);
            if !verdict.evidence.iter().any(|known| known.claim == claim) {
                verdict.evidence.push(case.evidence(row, &[Counter::PausesSent], claim));
            }
        }
    }
    for port in place.end.path.iter().rev().skip(1) {
        if let Some(row) = case.row(*port, cluster.priority) {
            let counters = [Counter::PausesReceived, Counter::PausedTime, Counter::QueuePeak];
            paused_evidence(case, row, &counters, verdict);
        }
    }
}

/// What the source could not show.
fn add_missing(case: &Case<'_>, cluster: &Cluster, place: &Place<'_>, verdict: &mut Diagnosis) {
    let span = row(case, cluster, place).map_or(case.window.span, |row| span_of(case, row));
    if span.is_total {
        verdict.missing.push(
            "when this was: a single reading has totals since the switch booted or its counters were cleared"
                .to_string(),
        );
    } else if !span.is_timed {
        verdict.missing.push(
            "for which part of the time ports were paused: the readings have no times (add `date` to the paste, or use \
             --time)"
                .to_string(),
        );
    }
    verdict.missing.extend(unknown_times(case, cluster));
    let lacks_peaks =
        place.end.kind == EndKind::Congestion && !matches!(place.end.basis, Basis::Peaks | Basis::LatePeaks);
    if lacks_peaks {
        verdict.missing.push(
            "the peaks of the queues in this time: watermarks are missing, or did not change because they were not \
             cleared before; the congested port is found by weaker signs"
                .to_string(),
        );
    }
    verdict.missing.extend(contradictions(case, cluster));
    if cluster.looping > 0.01 {
        verdict.missing.push(format!(
            "where {:.0} % of the pauses end: followed by the queues, they return to where they began",
            cluster.looping * 100.0
        ));
    }
}

/// Paused ports whose time of pauses is unknown.
fn unknown_times(case: &Case<'_>, cluster: &Cluster) -> Vec<String> {
    let impossible = paused_rows(case, cluster).filter_map(|row| Some((row, row.impossible_ns?)));
    let mut lines: Vec<String> = impossible
        .take(t::MOST_LISTED)
        .map(|(row, ns)| {
            format!(
                "the time of pauses of {}: its counter grew by {}{}, which is impossible; check the times of the readings",
                case.shown(row.port),
                readable_ns(ns),
                text::in_time(row)
            )
        })
        .collect();
    let lacks_time = |row: &&Pressure| row.change.pause_rx_ns.is_none() && row.impossible_ns.is_none();
    let without: Vec<String> =
        paused_rows(case, cluster).filter(lacks_time).map(|row| case.shown(row.port)).collect();
    if !without.is_empty() {
        lines.push(format!(
            "the time of pauses of {}: only frames are counted, and a pause of any length is one frame or more",
            text::list(&without)
        ));
    }
    lines
}

/// Cables whose ends contradict each other about the pauses.
fn contradictions(case: &Case<'_>, cluster: &Cluster) -> Vec<String> {
    let rows = cluster.pausing.iter().filter_map(|port| case.row(*port, cluster.priority));
    let is_contradicted = |row: &&Pressure| row.sent() > 0 && row.other_end.received == Some(0);
    let lines = rows.filter(is_contradicted).take(t::MOST_LISTED).map(|row| {
        format!(
            "why {} counted no pause frame, although {} counted {} sent to it: compare the cables, and the times of the \
             readings",
            case.neighbour(row.port),
            case.shown(row.port),
            counted(row.sent(), "frame")
        )
    });
    lines.collect()
}
