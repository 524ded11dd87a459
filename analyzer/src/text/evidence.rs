//! Evidence: the claims of a verdict, each with the records it is based on.

use std::collections::BTreeMap;

use model::diagnosis::{Evidence, Record};
use model::telemetry::FlowRecord;
use model::units::counted;
use model::{Anomaly, FlowKey, Job, LossReason, LossRecord, PortRef, Transfer, Trigger, TriggerReason};

use crate::facts::span::pause_span;
use crate::facts::topology_index::TopologyIndex;
use crate::facts::view::{PortIx, flow_order};
use crate::facts::wording::{duration, duration_f64, flow_name, why_lost};
use crate::findings::contention::Contention;
use crate::findings::signatures::{Finding, class_contention, packet_loss, path_change};
use crate::graph::context::Context;
use crate::graph::port_graph::Reason;
use crate::round;
use crate::verdict::causes::{Case, misconfiguration};
use crate::verdict::collective;
use crate::verdict::ranking::{Ranked, most_paused_first, paused_packets_of};

/// Maximum number of excluded ports that a verdict lists.
const MAX_EXCLUSIONS: usize = 8;
/// Maximum number of flows that spread the congestion with a claim of their own.
const SPREADERS: usize = 8;
/// Minimum share of the victim in a queue that the evidence states.
const OWN_SHARE: f64 = 0.1;

pub(crate) fn evidence(context: &Context<'_, '_>, finding: &Finding, ranked: &Ranked) -> Vec<Evidence> {
    let mut claims = Vec::new();
    if let Some(trigger) = context.trigger {
        claims.push(Evidence {
            claim: trigger_text(context.view.index, trigger),
            switch: None,
            port: None,
            epoch: None,
            records: vec![Record::Trigger(trigger.clone())],
        });
    }
    claims.extend(victim_claim(context, finding, ranked));
    // The pauses of a queue that other classes cause are those of the victim's class.
    if finding.anomaly != Anomaly::ClassContention {
        claims.extend(of_pauses(context, finding));
    }
    claims.extend(exclusion_claims(context, &finding.path));
    if let Some(contention) = &finding.contention {
        claims.push(contention_claim(context, contention));
        claims.extend(flow_claims(context, contention, &ranked.culprits));
    }
    claims.extend(spreader_claims(context, finding, ranked));
    claims
}

/// Returns the claims about the pauses along the path of a finding.
pub(crate) fn of_pauses(context: &Context<'_, '_>, finding: &Finding) -> Vec<Evidence> {
    let mut claims = Vec::new();
    let mut listed: Vec<PortIx> = Vec::new();
    for port in finding.path.iter().chain(&finding.pause_loop) {
        if !listed.contains(port) && context.view.is_paused(*port, context.when(*port)) {
            claims.push(pause_claim(context, *port));
        }
        listed.push(*port);
    }
    for pair in finding.path.windows(2) {
        if let [from, to] = pair {
            claims.extend(edge_claim(context, *from, *to));
        }
    }
    claims
}

fn trigger_text(index: &TopologyIndex<'_>, trigger: &Trigger) -> String {
    let flow = flow_name(index, trigger.flow);
    let (rtt, base) = (duration(trigger.rtt_ns), duration(trigger.base_rtt_ns));
    match trigger.reason {
        TriggerReason::SlowRtt => {
            let times = trigger.rtt_ns as f64 / trigger.base_rtt_ns.max(1) as f64;
            format!(
                "host {} measured a round trip of {rtt} for {flow}, {times:.1} times the base RTT of {base}",
                trigger.host
            )
        }
        TriggerReason::Silence => format!(
            "host {} sent data of {flow}, and no ACK arrived for {rtt} (base RTT {base})",
            trigger.host
        ),
        TriggerReason::SlowOperation => format!(
            "host {} measured an operation of {flow} that took {rtt} instead of {} at most, with normal round trips (base RTT {base})",
            trigger.host,
            duration(trigger.expected_ns.unwrap_or(trigger.base_rtt_ns))
        ),
        TriggerReason::SlowJob => format!(
            "iterations of the job of {flow} at host {} take {rtt} on average instead of the {} that the job states, with normal \
             round trips (base RTT {base})",
            trigger.host,
            duration(trigger.expected_ns.unwrap_or(trigger.base_rtt_ns))
        ),
    }
}

/// Returns the claims about jobs: that the victim is the transfer that delays a job, and which culprits are transfers
/// of a job.
pub(crate) fn of_jobs(jobs: &[Job], victim: FlowKey, culprits: &[FlowKey], now_ns: u64) -> Vec<Evidence> {
    let claim = |claim: String, transfers: Vec<&Transfer>| Evidence {
        claim,
        switch: None,
        port: None,
        epoch: None,
        records: transfers.into_iter().cloned().map(Record::Transfer).collect(),
    };
    let mut claims = Vec::new();
    for job in jobs {
        let slow = collective::holds_up(job, collective::latest_ns(job, now_ns))
            .filter(|slow| slow.transfer.flow == victim);
        if let Some(slow) = slow {
            claims.push(claim(
                format!(
                    "job `{}` depends on the victim: its transfer in step {} of {} has taken {}; the median for its size is \
                     {}; {} on it",
                    job.name,
                    slow.transfer.step,
                    job.steps(),
                    duration(slow.took_ns),
                    duration(slow.usual_ns),
                    match slow.waiting {
                        1 => "1 transfer depends".to_string(),
                        many => format!("{many} transfers depend"),
                    }
                ),
                vec![slow.transfer],
            ));
        }
        let of_job: Vec<&Transfer> =
            culprits.iter().filter_map(|flow| collective::transfer_of(job, *flow, now_ns)).collect();
        if let Some(first) = of_job.first() {
            claims.push(claim(
                format!(
                    "{} of job `{}`, the first in step {} of {}",
                    match of_job.len() {
                        1 => "1 culprit is a transfer".to_string(),
                        many => format!("{many} culprits are transfers"),
                    },
                    job.name,
                    first.step,
                    job.steps()
                ),
                of_job,
            ));
        }
    }
    claims
}

/// Returns the log entries and losses of a path change or of lost packets.
pub(crate) fn of_the_path(context: &Context<'_, '_>, finding: &Finding) -> Vec<Evidence> {
    let limit = context.settings.evidence_records;
    let claim = |claim: String, port: Option<PortRef>, switch: &str, record: Record| Evidence {
        claim,
        switch: Some(switch.to_string()),
        port,
        epoch: None,
        records: vec![record],
    };
    let (events, losses) = match finding.anomaly {
        Anomaly::PathChange => {
            path_change::of(context).map(|change| (change.events, change.losses)).unwrap_or_default()
        }
        Anomaly::PacketLoss => {
            packet_loss::of(context).map(|loss| (Vec::new(), loss.records)).unwrap_or_default()
        }
        _ => return Vec::new(),
    };
    let logged = events.into_iter().take(limit).map(|event| {
        claim(event.to_string(), event.link_port(), &event.switch, Record::Event(event.clone()))
    });
    let lost = losses.into_iter().take(limit).map(|loss| {
        let port = loss.ingress_port.or(loss.egress_port).map(|port| PortRef::new(&loss.switch, port));
        let place = port.as_ref().map_or_else(|| loss.switch.clone(), ToString::to_string);
        let (from, to) = (duration(loss.lost_ns.0), duration(loss.lost_ns.1));
        let packets = counted(loss.packets, "packet");
        let text = format!("{place} lost {packets}{} ({from} to {to})", why_lost(loss.reason));
        claim(text, port, &loss.switch, Record::Loss(loss.clone()))
    });
    logged.chain(lost).collect()
}

/// Returns the configuration findings of the root cause and those that the advice is about, and the losses at the switches
/// of the event.
pub(crate) fn of_configuration(case: &Case<'_, '_, '_>, attributed: &[String]) -> Vec<Evidence> {
    let findings = case.context.view.configuration().iter();
    let risks = misconfiguration::risks(case);
    let mut claims: Vec<Evidence> = findings
        .filter(|finding| attributed.contains(&finding.id) || risks.contains(finding))
        .map(|finding| Evidence {
            claim: finding.message.clone(),
            switch: Some(finding.switch.clone()),
            port: finding.port.map(|port| PortRef::new(&finding.switch, port)),
            epoch: None,
            records: vec![Record::Configuration(finding.clone())],
        })
        .collect();
    let mut losses: BTreeMap<(&str, LossReason), Vec<&LossRecord>> = BTreeMap::new();
    // A verdict about the path lists its losses itself.
    let is_listed = matches!(case.finding.anomaly, Anomaly::PathChange | Anomaly::PacketLoss);
    for loss in misconfiguration::losses(case).filter(|_| !is_listed) {
        losses.entry((&loss.switch, loss.reason)).or_default().push(loss);
    }
    for ((switch, reason), losses) in losses {
        let packets = losses.iter().fold(0, |sum: u64, loss| sum.saturating_add(loss.packets));
        let records = losses.into_iter().take(case.context.settings.evidence_records);
        claims.push(Evidence {
            claim: format!("{switch} lost {}{}", counted(packets, "packet"), why_lost(reason)),
            switch: Some(switch.to_string()),
            port: None,
            epoch: None,
            records: records.map(|loss| Record::Loss(loss.clone())).collect(),
        });
    }
    claims
}

/// Returns the records of a flow that was paused at a port in the time under analysis, with the number of its packets that
/// were enqueued meanwhile.
fn paused_at<'a>(
    context: &Context<'_, 'a>,
    port: PortIx,
    flow: FlowKey,
) -> Option<(PortIx, Vec<&'a FlowRecord>, u64)> {
    let mut records = context.view.records_of(port, flow);
    let when = context.when(port);
    records.retain(|record| record.paused_packets > 0 && context.view.flow_in(port, record, when));
    let packets = records.iter().fold(0, |sum: u64, record| sum.saturating_add(record.paused_packets));
    (packets > 0).then_some((port, records, packets))
}

/// Returns where the victim itself was paused or queued.
fn victim_claim(context: &Context<'_, '_>, finding: &Finding, ranked: &Ranked) -> Option<Evidence> {
    let victim = flow_name(context.view.index, ranked.victim);
    let mut crossed = finding.path.iter().chain(&finding.pause_loop).copied();
    if let Some((port, records, packets)) = crossed.find_map(|port| paused_at(context, port, ranked.victim)) {
        let claim = format!(
            "{} of {victim} {} enqueued while the port was paused",
            counted(packets, "packet"),
            was(packets)
        );
        return Some(records_evidence(context, port, records, claim));
    }
    let part = finding.contention.as_ref().and_then(|c| Some((c.port, c.part(ranked.victim)?)));
    if let Some((port, part)) = part {
        let claim = format!("packets of {victim} found {:.1} packets ahead of them on average", part.depth);
        return Some(flow_evidence(context, port, ranked.victim, claim));
    }
    let port = *context.path.ports.first()?;
    let claim = format!("{victim} crosses this port; none of its packets was counted as paused");
    let evidence = flow_evidence(context, port, ranked.victim, claim);
    (!evidence.records.is_empty()).then_some(evidence)
}

pub(crate) fn flow_evidence(
    context: &Context<'_, '_>,
    port: PortIx,
    flow: FlowKey,
    claim: String,
) -> Evidence {
    records_evidence(context, port, context.view.records_of(port, flow), claim)
}

fn records_evidence(
    context: &Context<'_, '_>,
    port: PortIx,
    records: Vec<&FlowRecord>,
    claim: String,
) -> Evidence {
    let records: Vec<_> = records.into_iter().take(context.settings.evidence_records).collect();
    let epoch = match records.as_slice() {
        [one] => Some(one.epoch),
        _ => None,
    };
    Evidence {
        claim,
        switch: Some(context.view.switch_of(port).name.to_string()),
        port: Some(context.view.port_ref(port)),
        epoch,
        records: records.into_iter().map(|r| Record::Flow(r.clone())).collect(),
    }
}

/// Returns the claim that the victim's class was held back at the root port of a finding, with the victim's records.
pub(crate) fn of_other_classes(context: &Context<'_, '_>, finding: &Finding) -> Option<Evidence> {
    let port = context.path.ports.iter().find(|port| Some(context.view.port_ref(**port)) == finding.root)?;
    let (held, victim) = (class_contention::held(context, *port)?, context.victim?);
    let claim = format!(
        "{} of {} of {} met a queue of their own class at {}",
        held.queued.round(),
        counted(held.packets.round() as u64, "packet"),
        flow_name(context.view.index, victim),
        context.view.port_ref(*port)
    );
    Some(flow_evidence(context, *port, victim, claim))
}

/// Whether, how often and for how long a port was paused.
fn pause_claim(context: &Context<'_, '_>, port: PortIx) -> Evidence {
    let when = context.when(port);
    let view = context.view;
    let frozen_ns = view.switch_of(port).frozen_ns;
    let pauses: Vec<_> = view
        .pauses(port)
        .iter()
        .filter(|p| when.is_none_or(|w| w.overlaps(pause_span(p, frozen_ns))))
        .collect();
    let packets = view.paused_packets(port, when);
    let name = view.port_ref(port);
    let spans = pauses.iter().map(|p| pause_span(p, frozen_ns));
    let paused_ns = spans.fold(0, |sum: u64, s| sum.saturating_add(s.to - s.from));
    let claim = if pauses.is_empty() {
        format!("{name} was paused: {} {} enqueued meanwhile", counted(packets, "packet"), was(packets))
    } else {
        format!(
            "{name} was paused {}, {} in total; {} {} enqueued meanwhile",
            if pauses.len() == 1 { "once".to_string() } else { format!("{} times", pauses.len()) },
            duration(paused_ns),
            counted(packets, "packet"),
            was(packets)
        )
    };
    let slots = view
        .slots(port)
        .iter()
        .filter(|s| s.paused_packets > 0 && view.epoch_in(port, s.epoch, when))
        .map(|s| Record::Port((*s).clone()));
    let total = (!pauses.is_empty()).then(|| {
        let pauses = pauses.len() as u64;
        Record::PauseTotal { port: name.clone(), pauses, paused_ns }
    });
    let recorded = slots
        .chain(pauses.iter().map(|p| Record::Pause((**p).clone())))
        .take(context.settings.evidence_records);
    let records: Vec<Record> = total.into_iter().chain(recorded).collect();
    Evidence {
        claim,
        switch: Some(view.switch_of(port).name.to_string()),
        port: Some(name),
        epoch: None,
        records,
    }
}

/// The wait-for edge between two ports of the pause path.
fn edge_claim(context: &Context<'_, '_>, from: PortIx, to: PortIx) -> Option<Evidence> {
    let v = context.vertex(from)?;
    let next = context.vertex(to)?;
    let edge = context.graph.edges(v).iter().find(|e| e.to == next)?;
    let view = context.view;
    let ingress = view.topo(from).and_then(|p| view.index.peer(p)).map(|p| p.number);
    let meters = ingress.map_or(&[][..], |i| view.meters_between(view.switch_of(to), i, view.number(to)));
    let mut records = vec![Record::PortEdge {
        from: view.port_ref(from),
        to: view.port_ref(to),
        weight: round(edge.weight),
    }];
    let own = meters.iter().filter(|m| m.bytes > 0 && view.epoch_in(to, m.epoch, context.when(from)));
    records.extend(own.take(context.settings.evidence_records).map(|m| Record::Meter((*m).clone())));
    Some(Evidence {
        claim: format!(
            "{} is paused because traffic arriving from it is queued at {}",
            view.port_ref(from),
            view.port_ref(to)
        ),
        switch: Some(view.switch_of(to).name.to_string()),
        port: Some(view.port_ref(to)),
        epoch: None,
        records,
    })
}

/// Ports for which the published rule has an edge, and why there is none here.
fn exclusion_claims(context: &Context<'_, '_>, path: &[PortIx]) -> Vec<Evidence> {
    let view = context.view;
    let of_path = context.graph.excluded.iter().filter(|x| path.contains(&x.from));
    of_path
        .take(MAX_EXCLUSIONS)
        .map(|x| {
            let (from, to) = (view.port_ref(x.from), view.port_ref(x.to));
            let why = match x.reason {
                Reason::CannotQueue => {
                    "it was never paused, and the links that feed it are no faster than its own, so it cannot have had a queue (the recorded depth is that of the ingress queue)"
                }
                Reason::NoQueue => "it was not paused and had no queue at that time",
                Reason::HoldsNothing => "it was paused, but no traffic from there was queued at it",
            };
            Evidence {
                claim: format!("{from} does not wait for {to}: {why}"),
                switch: Some(view.switch_of(x.to).name.to_string()),
                port: Some(to.clone()),
                epoch: None,
                records: std::iter::once(Record::PortEdge { from, to, weight: round(x.weight) })
                    .chain(view.slots(x.to).iter().take(4).map(|s| Record::Port((*s).clone())))
                    .collect(),
            }
        })
        .collect()
}

/// How many flows built the queue, and how deep it was.
fn contention_claim(context: &Context<'_, '_>, contention: &Contention) -> Evidence {
    let port = context.view.port_ref(contention.port);
    let flows: Vec<FlowKey> = contention.contributors().map(|p| p.flow).collect();
    let builders = match flows.len() {
        0 if contention.self_made => "the victim itself built".to_string(),
        0 => "the records do not show which flow built".to_string(),
        1 => "1 flow built".to_string(),
        many => format!("{many} flows built"),
    };
    let time = contention.when.map_or_else(String::new, |w| format!(" over {}", duration_f64(w.length_ns())));
    let own = match context.victim.map_or(0.0, |victim| contention.share(victim)) {
        share if share >= OWN_SHARE => format!("; {:.0} % of its packets are the victim's", 100.0 * share),
        _ => String::new(),
    };
    let records = contention
        .flows
        .iter()
        .take(context.settings.evidence_records)
        .map(|p| Record::Contribution { flow: p.flow, weight: round(p.weight) });
    let slots = context.view.slots(contention.port).iter();
    let slots = slots.filter(|s| context.view.epoch_in(contention.port, s.epoch, contention.when)).take(4);
    Evidence {
        claim: if contention.depth == 0.0 {
            format!("{} passed {port} without a queue{time}", counted(flows.len() as u64, "flow"))
        } else {
            format!("{builders} the queue at {port} (mean depth {:.1} packets{time}){own}", contention.depth)
        },
        switch: Some(context.view.switch_of(contention.port).name.to_string()),
        port: Some(port),
        epoch: None,
        records: records.chain(slots.map(|s| Record::Port((*s).clone()))).collect(),
    }
}

/// One claim for each culprit at the root port, with its records.
fn flow_claims(context: &Context<'_, '_>, contention: &Contention, culprits: &[FlowKey]) -> Vec<Evidence> {
    let limit = context.settings.evidence_records;
    culprits
        .iter()
        .take(limit)
        .filter_map(|flow| {
            // A single packet shows that a flow was there, not that it built a queue.
            let part = contention.part(*flow).filter(|part| part.packets.round() > 1.0)?;
            let name = flow_name(context.view.index, *flow);
            let enqueued = counted(part.packets.round() as u64, "packet");
            let claim = if contention.history && contention.changed {
                format!("{name} enqueued {enqueued}, {:.0} above its previous rate", part.excess)
            } else {
                format!("{name} enqueued {enqueued} in that time")
            };
            let mut evidence = flow_evidence(context, contention.port, *flow, claim);
            let during = context.view.records_of(contention.port, *flow);
            let mut during: Vec<_> = during
                .into_iter()
                .filter(|r| context.view.flow_in(contention.port, r, contention.when))
                .collect();
            during.sort_by_key(|r| flow_order(r));
            if !during.is_empty() {
                evidence.records = during.into_iter().take(limit).map(|r| Record::Flow(r.clone())).collect();
            }
            Some(evidence)
        })
        .collect()
}

/// Returns a claim for each of the flows that spread the congestion with most paused packets, and one for all others.
fn spreader_claims(context: &Context<'_, '_>, finding: &Finding, ranked: &Ranked) -> Vec<Evidence> {
    let flows = most_paused_first(context, finding, &ranked.spreaders);
    let (listed, others) = flows.split_at(flows.len().min(SPREADERS));
    let mut claims: Vec<Evidence> =
        listed.iter().filter_map(|flow| spreader_claim(context, finding, *flow)).collect();
    let [first, ..] = others else { return claims };
    let packets = others.iter().map(|flow| paused_packets_of(context, finding, *flow)).sum();
    if let Some(claim) = spreader_claim(context, finding, *first) {
        let spread = if others.len() == 1 { "spreads" } else { "spread" };
        let text = format!(
            "{} {spread} the congestion: {} of them {} paused on the pause path",
            counted(others.len() as u64, "more flow"),
            counted(packets, "packet"),
            was(packets)
        );
        claims.push(Evidence { claim: text, ..claim });
    }
    claims
}

fn spreader_claim(context: &Context<'_, '_>, finding: &Finding, flow: FlowKey) -> Option<Evidence> {
    let mut crossed = finding.pause_loop.iter().rev().chain(finding.path.iter().rev()).copied();
    let (port, records, packets) = crossed.find_map(|port| paused_at(context, port, flow))?;
    let claim = format!(
        "{} spreads the congestion: {} of it {} paused here, and it continues to the next port",
        flow_name(context.view.index, flow),
        counted(packets, "packet"),
        was(packets)
    );
    Some(records_evidence(context, port, records, claim))
}

fn was(count: u64) -> &'static str {
    if count == 1 { "was" } else { "were" }
}
