//! Low-rate attack: repeated short bursts of flows with a low mean rate (LoRDMA, the "low-rate RDMA attack" that
//! Hawkeye lists among the causes it does not distinguish).
//!
//! Each burst pauses the victim's path for microseconds; between bursts the network looks idle. It is a repeated
//! incast: the pause events recur, and every culprit takes part in several of them although it uses a small share of
//! its link.

use model::{Cause, FlowKey};

use super::{Case, Judged, host_names};
use crate::facts::span::Span;
use crate::facts::view::{PortIx, saturating};
use crate::findings::contention::Contention;
use crate::thresholds as t;

/// Assumed packet size where records hold no bytes.
const NOMINAL_PACKET_BYTES: u64 = 1_000;

pub(super) fn judge(case: &Case<'_, '_, '_>) -> Option<Judged> {
    let contention = case.finding.contention.as_ref()?;
    if case.culprits.len() < 2 || case.finding.path.len() < 2 {
        return None;
    }
    let bursts = most_events(case)?;
    let of_flow: Option<Vec<(f64, Span)>> =
        case.culprits.iter().map(|flow| use_of_link(case, contention, *flow)).collect();
    let of_flow = of_flow?;
    // Every culprit must take part in several bursts.
    let recurs = |span: &Span| {
        bursts
            .iter()
            .filter(|burst| burst.widened(case.context.settings.ns(&t::BURST_SLACK)).overlaps(*span))
            .count()
            >= case.context.settings.count(&t::BURSTS)
    };
    if bursts.len() < case.context.settings.count(&t::BURSTS)
        || of_flow
            .iter()
            .any(|(share, span)| *share > case.context.settings.value(&t::LOW_SHARE) || !recurs(span))
    {
        return None;
    }
    let mean = of_flow.iter().map(|(share, _)| share).sum::<f64>() / of_flow.len() as f64;
    let from = host_names(case, case.culprits.iter().map(|flow| flow.src));
    Some(Judged {
        cause: Cause::LowRateAttack,
        factor: 1.0,
        because: format!(
            "{} flows from {from} send simultaneous bursts to that port, {} times so far, and use {:.1} % of their links on average",
            case.culprits.len(),
            bursts.len(),
            mean * 100.0
        ),
        advice: vec![
            format!("find out what runs on {from}: simultaneous low-rate bursts are not ordinary traffic"),
            "limit the burst size of these hosts at their NICs: a rate limit alone does not stop such bursts"
                .to_string(),
        ],
        config: Vec::new(),
    })
}

/// Returns the pause events of the port of the path that has the most.
fn most_events<'c>(case: &Case<'c, '_, '_>) -> Option<&'c [Span]> {
    let ports = case.finding.path.iter();
    ports.map(|port| case.context.view.pause_events(*port)).max_by_key(|events| events.len())
}

/// Returns the share of its host's link that a flow used from its first to its last packet at the root port, and that
/// time.
fn use_of_link(case: &Case<'_, '_, '_>, contention: &Contention, flow: FlowKey) -> Option<(f64, Span)> {
    let view = case.context.view;
    let records = view.records_of(contention.port, flow);
    let seen = records.iter().filter_map(|r| r.seen_ns).map(|(a, b)| Span::new(a, b)).reduce(Span::hull)?;
    let size = |packets: u64| packets.saturating_mul(NOMINAL_PACKET_BYTES);
    let bytes = saturating(records.iter().map(|r| r.bytes.unwrap_or(size(r.packets))));
    let rate_bps = link_of(case, contention.port, flow)?;
    Some((bytes as f64 * 8e9 / seen.length_ns() / rate_bps, seen))
}

/// Returns the rate of the sender's link, else of the root port, in bits per second.
fn link_of(case: &Case<'_, '_, '_>, root: PortIx, flow: FlowKey) -> Option<f64> {
    let index = case.context.view.index;
    let of_host =
        index.host_of(flow.src).and_then(|host| index.ports_of(host).first()).map(|port| port.rate.0);
    let rate = of_host.or_else(|| case.context.view.topo(root).map(|port| index.info(port).rate.0))?;
    (rate > 0).then_some(rate as f64)
}
