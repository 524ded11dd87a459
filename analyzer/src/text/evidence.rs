//! Evidence: the claims of a verdict, each with the records it is based on.

use std::collections::BTreeMap;

use model::diagnosis::{Evidence, Record};
use model::telemetry::FlowRecord;
use model::{Anomaly, FlowKey, Job, LossReason, LossRecord, PortRef, Transfer, Trigger, TriggerReason};

use crate::facts::span::pause_span;
use crate::facts::topology_index::TopologyIndex;
use crate::facts::view::{PortIx, flow_order};
use crate::facts::wording::why_lost;
use crate::findings::contention::Contention;
use crate::findings::signatures::{Finding, class_contention, packet_loss, path_change};
use crate::graph::context::Context;
use crate::graph::port_graph::Reason;
use crate::round;
use crate::text::phrase::{self, Phrase, count, moment, name, number, share, time};
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
        let records = vec![Record::Trigger(trigger.clone())];
        claims.push(measured(context.view.index, trigger).evidence(None, None, None, records));
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

/// What the agent measured.
fn measured(index: &TopologyIndex<'_>, trigger: &Trigger) -> Phrase {
    let (host, flow) = (name(&trigger.host), phrase::flow(index, trigger.flow));
    let (rtt, base) = (time(trigger.rtt_ns), time(trigger.base_rtt_ns));
    let expected = time(trigger.expected_ns.unwrap_or(trigger.base_rtt_ns));
    match trigger.reason {
        TriggerReason::SlowRtt => {
            let times = number(trigger.rtt_ns as f64 / trigger.base_rtt_ns.max(1) as f64, 1);
            Phrase::new(
                "host {} measured a round trip of {} for {}, {} times the base RTT of {}",
                [host, rtt, flow, times, base],
            )
        }
        TriggerReason::Silence => Phrase::new(
            "host {} sent data of {}, and no ACK arrived for {} (base RTT {})",
            [host, flow, rtt, base],
        ),
        TriggerReason::SlowOperation => Phrase::new(
            "host {} measured an operation of {} that took {} instead of {} at most, with normal round trips (base RTT {})",
            [host, flow, rtt, expected, base],
        ),
        TriggerReason::SlowJob => Phrase::new(
            "iterations of the job of {} at host {} take {} on average instead of the {} that the job states, with normal \
             round trips (base RTT {})",
            [flow, host, rtt, expected, base],
        ),
    }
}

/// Returns the claims about jobs: that the victim is the transfer that delays a job, and which culprits are transfers
/// of a job.
pub(crate) fn of_jobs(jobs: &[Job], victim: FlowKey, culprits: &[FlowKey], now_ns: u64) -> Vec<Evidence> {
    let claim = |claim: Phrase, transfers: Vec<&Transfer>| {
        let records = transfers.into_iter().cloned().map(Record::Transfer).collect();
        claim.evidence(None, None, None, records)
    };
    let mut claims = Vec::new();
    for job in jobs {
        let slow = collective::holds_up(job, collective::latest_ns(job, now_ns))
            .filter(|slow| slow.transfer.flow == victim);
        if let Some(slow) = slow {
            claims.push(claim(
                Phrase::new(
                    &format!(
                        "job `{{}}` depends on the victim: its transfer in step {} of {} has taken {{}}; the median for its \
                         size is {{}}; {{}} {} on it",
                        slow.transfer.step,
                        job.steps(),
                        if slow.waiting == 1 { "depends" } else { "depend" },
                    ),
                    [
                        name(&job.name),
                        time(slow.took_ns),
                        time(slow.usual_ns),
                        count(slow.waiting as u64, "transfer"),
                    ],
                ),
                vec![slow.transfer],
            ));
        }
        let of_job: Vec<&Transfer> =
            culprits.iter().filter_map(|flow| collective::transfer_of(job, *flow, now_ns)).collect();
        if let Some(first) = of_job.first() {
            claims.push(claim(
                Phrase::new(
                    &format!(
                        "{{}} {} of job `{{}}`, the first in step {} of {}",
                        if of_job.len() == 1 { "is a transfer" } else { "are transfers" },
                        first.step,
                        job.steps()
                    ),
                    [count(of_job.len() as u64, "culprit"), name(&job.name)],
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
    let (events, losses) = match finding.anomaly {
        Anomaly::PathChange => {
            path_change::of(context).map(|change| (change.events, change.losses)).unwrap_or_default()
        }
        Anomaly::PacketLoss => {
            packet_loss::of(context).map(|loss| (Vec::new(), loss.records)).unwrap_or_default()
        }
        _ => return Vec::new(),
    };
    let logged = events.into_iter().take(limit).map(|event| Evidence {
        claim: event.to_string(),
        template: None,
        switch: Some(event.switch.clone()),
        port: event.link_port(),
        epoch: None,
        records: vec![Record::Event(event.clone())],
    });
    let lost = losses.into_iter().take(limit).map(|loss| {
        let port = loss.ingress_port.or(loss.egress_port).map(|port| PortRef::new(&loss.switch, port));
        let place = port.as_ref().map_or_else(|| name(&loss.switch), phrase::port);
        let template = format!("{{}} lost {{}}{} ({{}} to {{}})", why_lost(loss.reason));
        let words = [place, count(loss.packets, "packet"), moment(loss.lost_ns.0), moment(loss.lost_ns.1)];
        let records = vec![Record::Loss(loss.clone())];
        Phrase::new(&template, words).evidence(Some(&loss.switch), port, None, records)
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
            template: None,
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
        let records = records.map(|loss| Record::Loss(loss.clone())).collect();
        let template = format!("{{}} lost {{}}{}", why_lost(reason));
        let lost = Phrase::new(&template, [name(switch), count(packets, "packet")]);
        claims.push(lost.evidence(Some(switch), None, None, records));
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
    let victim = || phrase::flow(context.view.index, ranked.victim);
    let mut crossed = finding.path.iter().chain(&finding.pause_loop).copied();
    if let Some((port, records, packets)) = crossed.find_map(|port| paused_at(context, port, ranked.victim)) {
        let template = format!("{{}} of {{}} {} enqueued while the port was paused", was(packets));
        let claim = Phrase::new(&template, [count(packets, "packet"), victim()]);
        return Some(records_evidence(context, port, records, claim));
    }
    let part = finding.contention.as_ref().and_then(|c| Some((c.port, c.part(ranked.victim)?)));
    if let Some((port, part)) = part {
        let words = [victim(), number(part.depth, 1)];
        let claim = Phrase::new("packets of {} found {} packets ahead of them on average", words);
        return Some(flow_evidence(context, port, ranked.victim, claim));
    }
    let port = *context.path.ports.first()?;
    let claim = Phrase::new("{} crosses this port; none of its packets was counted as paused", [victim()]);
    let evidence = flow_evidence(context, port, ranked.victim, claim);
    (!evidence.records.is_empty()).then_some(evidence)
}

pub(crate) fn flow_evidence(
    context: &Context<'_, '_>,
    port: PortIx,
    flow: FlowKey,
    claim: Phrase,
) -> Evidence {
    records_evidence(context, port, context.view.records_of(port, flow), claim)
}

fn records_evidence(
    context: &Context<'_, '_>,
    port: PortIx,
    records: Vec<&FlowRecord>,
    claim: Phrase,
) -> Evidence {
    let records: Vec<_> = records.into_iter().take(context.settings.evidence_records).collect();
    let epoch = match records.as_slice() {
        [one] => Some(one.epoch),
        _ => None,
    };
    let records = records.into_iter().map(|r| Record::Flow(r.clone())).collect();
    claim.evidence(None, Some(context.view.port_ref(port)), epoch, records)
}

/// Returns the claim that the victim's class was held back at the root port of a finding, with the victim's records.
pub(crate) fn of_other_classes(context: &Context<'_, '_>, finding: &Finding) -> Option<Evidence> {
    let port = context.path.ports.iter().find(|port| Some(context.view.port_ref(**port)) == finding.root)?;
    let (held, victim) = (class_contention::held(context, *port)?, context.victim?);
    let claim = Phrase::new(
        "{} of {} of {} met a queue of their own class at {}",
        [
            number(held.queued.round(), 0),
            count(held.packets.round() as u64, "packet"),
            phrase::flow(context.view.index, victim),
            phrase::port(&context.view.port_ref(*port)),
        ],
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
    let paused = view.port_ref(port);
    let spans = pauses.iter().map(|p| pause_span(p, frozen_ns));
    let paused_ns = spans.fold(0, |sum: u64, s| sum.saturating_add(s.to - s.from));
    let claim = if pauses.is_empty() {
        let template = format!("{{}} was paused: {{}} {} enqueued meanwhile", was(packets));
        Phrase::new(&template, [phrase::port(&paused), count(packets, "packet")])
    } else {
        let often = if pauses.len() == 1 { "once".to_string() } else { format!("{} times", pauses.len()) };
        let template =
            format!("{{}} was paused {often}, {{}} in total; {{}} {} enqueued meanwhile", was(packets));
        Phrase::new(&template, [phrase::port(&paused), time(paused_ns), count(packets, "packet")])
    };
    let slots = view
        .slots(port)
        .iter()
        .filter(|s| s.paused_packets > 0 && view.epoch_in(port, s.epoch, when))
        .map(|s| Record::Port((*s).clone()));
    let total = (!pauses.is_empty()).then(|| {
        let pauses = pauses.len() as u64;
        Record::PauseTotal { port: paused.clone(), pauses, paused_ns }
    });
    let recorded = slots
        .chain(pauses.iter().map(|p| Record::Pause((**p).clone())))
        .take(context.settings.evidence_records);
    let records: Vec<Record> = total.into_iter().chain(recorded).collect();
    claim.evidence(None, Some(paused), None, records)
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
    let (from, to) = (view.port_ref(from), view.port_ref(to));
    let ports = [phrase::port(&from), phrase::port(&to)];
    let claim = Phrase::new("{} is paused because traffic arriving from it is queued at {}", ports);
    Some(claim.evidence(None, Some(to), None, records))
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
            let ports = [phrase::port(&from), phrase::port(&to)];
            let claim = Phrase::new(&format!("{{}} does not wait for {{}}: {why}"), ports);
            let edge = Record::PortEdge { from, to: to.clone(), weight: round(x.weight) };
            let slots = view.slots(x.to).iter().take(4).map(|s| Record::Port((*s).clone()));
            claim.evidence(None, Some(to), None, std::iter::once(edge).chain(slots).collect())
        })
        .collect()
}

/// How many flows built the queue, and how deep it was.
fn contention_claim(context: &Context<'_, '_>, contention: &Contention) -> Evidence {
    let port = context.view.port_ref(contention.port);
    let flows = contention.contributors().count() as u64;
    let (template, mut words) = match flows {
        _ if contention.depth == 0.0 => ("{} passed {} without a queue", vec![count(flows, "flow")]),
        0 if contention.self_made => ("the victim itself built the queue at {}", vec![]),
        0 => ("the records do not show which flow built the queue at {}", vec![]),
        _ => ("{} built the queue at {}", vec![count(flows, "flow")]),
    };
    let mut rest = String::new();
    words.push(phrase::port(&port));
    if contention.depth > 0.0 {
        rest.push_str(" (mean depth {} packets");
        words.push(number(contention.depth, 1));
    }
    if let Some(when) = contention.when {
        rest.push_str(" over {}");
        words.push(time(when.length_ns().round() as u64));
    }
    if contention.depth > 0.0 {
        rest.push(')');
        let own = context.victim.map_or(0.0, |victim| contention.share(victim));
        if own >= OWN_SHARE {
            rest.push_str("; {} of its packets are the victim's");
            words.push(share(own));
        }
    }
    let claim = Phrase::new(&format!("{template}{rest}"), words);
    let records = contention
        .flows
        .iter()
        .take(context.settings.evidence_records)
        .map(|p| Record::Contribution { flow: p.flow, weight: round(p.weight) });
    let slots = context.view.slots(contention.port).iter();
    let slots = slots.filter(|s| context.view.epoch_in(contention.port, s.epoch, contention.when)).take(4);
    let records = records.chain(slots.map(|s| Record::Port((*s).clone()))).collect();
    claim.evidence(None, Some(port), None, records)
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
            let name = phrase::flow(context.view.index, *flow);
            let enqueued = count(part.packets.round() as u64, "packet");
            let claim = if contention.history && contention.changed {
                let words = [name, enqueued, number(part.excess, 0)];
                Phrase::new("{} enqueued {}, {} above its previous rate", words)
            } else {
                Phrase::new("{} enqueued {} in that time", [name, enqueued])
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
        let template =
            format!("{{}} {spread} the congestion: {{}} of them {} paused on the pause path", was(packets));
        let words = [count(others.len() as u64, "more flow"), count(packets, "packet")];
        claims.push(Phrase::new(&template, words).instead_of(claim));
    }
    claims
}

fn spreader_claim(context: &Context<'_, '_>, finding: &Finding, flow: FlowKey) -> Option<Evidence> {
    let mut crossed = finding.pause_loop.iter().rev().chain(finding.path.iter().rev()).copied();
    let (port, records, packets) = crossed.find_map(|port| paused_at(context, port, flow))?;
    let template = format!(
        "{{}} spreads the congestion: {{}} of it {} paused here, and it continues to the next port",
        was(packets)
    );
    let claim = Phrase::new(&template, [phrase::flow(context.view.index, flow), count(packets, "packet")]);
    Some(records_evidence(context, port, records, claim))
}

fn was(count: u64) -> &'static str {
    if count == 1 { "was" } else { "were" }
}
