//! Packets whose time to live expired: they went round a forwarding loop that the flow records no longer show.
//!
//! A sender sets a time to live of 64 (RFC 1700), which no path of a data centre uses up, so that a packet that lost it passed
//! some switch more than once. Each switch of the loop counts the packets that expire there; the wrong route is that of the one
//! that sent them by a port on no shortest path to their destination. Where switches count them before they choose a port, the
//! records do not show which switch of the loop that is.

use model::{Anomaly, LossReason, LossRecord, PortRef};

use super::packet_loss::Loss;
use super::{Caveat, Finding};
use crate::facts::span::Span;
use crate::graph::context::Context;
use crate::thresholds as t;

/// Returns the finding that the packets of `loss` went round a loop.
pub(super) fn find(context: &Context<'_, '_>, loss: &Loss<'_>) -> Option<Finding> {
    if !context.settings.applies("packet_loss.expired") {
        return None;
    }
    let receiver = context.view.index.host_of(context.victim?.dst)?;
    let mut caveats = vec![Caveat { factor: loss.factor, missing: None }];
    let wrong_turn = |loss: &LossRecord| {
        let port = PortRef::new(&loss.switch, loss.egress_port?);
        let is_wrong = !context.view.index.next_hops(&port.switch, receiver).contains(&port.port);
        is_wrong.then_some(port)
    };
    // The victim's own losses first. Those of other switches at that time may be of packets to other hosts.
    let is_of_time = |other: &&LossRecord| Span::new(other.lost_ns.0, other.lost_ns.1).overlaps(loss.when);
    let others = context.view.losses().iter().filter(|other| other.reason == LossReason::Ttl);
    let wrong = loss.records.iter().copied().chain(others.filter(is_of_time)).find_map(wrong_turn);
    if wrong.is_none() {
        caveats.push(Caveat::new(
            context.settings.value(&t::LOOP_WITHOUT_VICTIM),
            "packets expire anywhere in a forwarding loop: which of its switches has the wrong route is not recorded",
        ));
    }
    Some(Finding {
        anomaly: Anomaly::RoutingLoop,
        root: Some(wrong.unwrap_or_else(|| loss.root.clone())),
        path: Vec::new(),
        pause_loop: Vec::new(),
        host: None,
        contention: None,
        when: Some(loss.when),
        caveats,
    })
}
