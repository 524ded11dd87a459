//! Incast: several senders to one receiver at once.

use std::collections::BTreeSet;

use model::Cause;

use super::{Case, Judged, host_names};

/// From this many senders on it is an incast wherever they meet.
const SENDERS: usize = 3;

pub(super) fn judge(case: &Case<'_, '_, '_>) -> Option<Judged> {
    let contention = case.finding.contention.as_ref()?;
    let receiver = case.culprits.first()?.dst;
    if case.culprits.iter().any(|f| f.dst != receiver) {
        return None;
    }
    let senders: BTreeSet<_> = case.culprits.iter().map(|f| f.src).collect();
    let last_hop = {
        let index = case.scene.view.index;
        let peer = case.scene.view.topo(contention.port).and_then(|p| index.peer(p));
        peer.is_some_and(|p| index.host_of(receiver) == Some(p.node))
    };
    // Two senders that meet at the receiver's own port are an incast as well; two that meet before it collide.
    if senders.len() < SENDERS && !(senders.len() == 2 && last_hop) {
        return None;
    }
    let to = host_names(case, std::iter::once(receiver));
    let from = host_names(case, case.culprits.iter().map(|f| f.src));
    Some(Judged {
        cause: Cause::Incast,
        factor: 1.0,
        because: format!("an incast of {} flows from {from} to {to} congests it", case.culprits.len()),
        advice: vec![
            format!("spread the starts of the senders to {to}, or limit how many send at once"),
            "let congestion control act before PFC: ECN marking thresholds below the PFC threshold of the root port's switch".to_string(),
        ],
        config: Vec::new(),
    })
}
