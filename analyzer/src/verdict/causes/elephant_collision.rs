//! Elephant collision: a few large flows together exceed the rate of a link. A collision needs two.

use crate::thresholds as t;
use model::{Cause, FlowKey};

use super::{Case, Judged, culprit_names, has_other_path};

/// Assumed packet size where records hold no bytes.
const NOMINAL_PACKET_BYTES: u64 = 1_000;

pub(super) fn judge(case: &Case<'_, '_, '_>) -> Option<Judged> {
    let contention = case.finding.contention.as_ref()?;
    if case.culprits.is_empty() || case.culprits.len() > case.context.settings.count(&t::COLLIDING) {
        return None;
    }
    let view = case.context.view;
    let rate_bps = view.topo(contention.port).map_or(0, |port| view.index.info(port).rate.0);
    let large = case.context.settings.bytes(&t::ELEPHANT, rate_bps);
    let is_elephant = |flow: FlowKey| {
        let records = view.records_of(contention.port, flow);
        let bytes = |packets: u64| packets.saturating_mul(NOMINAL_PACKET_BYTES);
        records.iter().map(|r| r.bytes.unwrap_or(bytes(r.packets)) as f64).sum::<f64>() >= large
    };
    let collide = contention.flows.iter().filter(|part| is_elephant(part.flow)).count();
    if collide < 2 || !case.culprits.iter().all(|flow| is_elephant(*flow)) {
        return None;
    }
    let names = culprit_names(case);
    let because = match case.culprits.len() {
        1 => format!("the large flow {names} joined and overloaded that port"),
        _ => format!("the large flows {names} together exceed the rate of that port"),
    };
    let advice = if case.culprits.iter().any(|flow| has_other_path(case, *flow)) {
        "move one of the large flows to another path: a different source port changes its ECMP hash"
    } else {
        "limit the rate of the large flows, or send them one after the other: no equal-cost path avoids that port"
    };
    Some(Judged {
        cause: Cause::ElephantCollision,
        factor: 1.0,
        because,
        advice: vec![advice.to_string()],
        config: Vec::new(),
    })
}
