//! Which configuration findings explain lost packets.
//!
//! Sources: RDMA over Commodity Ethernet at Scale (SIGCOMM 2016), and the buffer rules of SONiC, see docs/rules.

use model::config_finding::Deviation;
use model::{ConfigFinding, LossReason, LossRecord, PortRef, Setting};

use crate::graph::context::Context;

/// Whether a finding explains a loss. A finding about a port explains losses at that port only.
pub(crate) fn explains(context: &Context<'_, '_>, finding: &ConfigFinding, loss: &LossRecord) -> bool {
    let is_at = |port: Option<u16>| finding.port.is_none_or(|about| port.is_none_or(|port| about == port));
    let here = finding.switch == loss.switch;
    let arrived = here && is_at(loss.ingress_port);
    match (finding.setting, loss.reason) {
        (Setting::Headroom, LossReason::Headroom) => arrived,
        // The peer ignores the pauses of the switch that lost packets, or this switch sends none.
        (Setting::Lossless, LossReason::Headroom) => {
            feeds(context, loss).is_some_and(|from| from.switch == finding.switch && is_at(Some(from.port)))
                || arrived && finding.deviation == Deviation::Less
        }
        (Setting::Lossless, LossReason::Lossy) => arrived || here && is_at(loss.egress_port),
        (Setting::Dscp, LossReason::Lossy) => arrived,
        _ => false,
    }
}

/// Returns the port at the far end of the link by which the lost packets arrived.
fn feeds(context: &Context<'_, '_>, loss: &LossRecord) -> Option<PortRef> {
    let index = context.view.index;
    let port = index.port(index.node(&loss.switch)?, loss.ingress_port?)?;
    let peer = index.peer(port)?;
    Some(PortRef::new(index.name(peer.node), peer.number))
}
