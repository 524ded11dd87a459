//! The counters of lost packets: discards of the switches' traffic managers and pipelines, and damaged frames at the
//! ingress ports of switches and NICs.

use std::collections::BTreeMap;

use model::{LossReason, LossRecord, Time};
use p4_switch::tm::DropReason;

/// A counter: node, ingress port, egress port, reason and priority.
type Counter = (String, Option<u16>, Option<u16>, LossReason, Option<u8>);

/// Losses by node, ingress port, egress port, reason and priority.
#[derive(Clone, Debug, Default)]
pub(crate) struct Losses(BTreeMap<Counter, LossRecord>);

impl Losses {
    /// Counts a packet that `node` lost.
    pub(crate) fn count(
        &mut self,
        now: Time,
        node: &str,
        (ingress_port, egress_port): (Option<u16>, Option<u16>),
        priority: Option<u8>,
        reason: LossReason,
    ) {
        let now_ns = now.as_ns();
        let key = (node.to_string(), ingress_port, egress_port, reason, priority);
        let loss = self.0.entry(key).or_insert_with(|| LossRecord {
            switch: node.to_string(),
            ingress_port,
            egress_port,
            priority,
            reason,
            packets: 0,
            lost_ns: (now_ns, now_ns),
        });
        loss.packets += 1;
        loss.lost_ns.1 = now_ns;
    }

    /// All records, in a fixed order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &LossRecord> {
        self.0.values()
    }
}

/// The counter of a discard by a traffic manager.
pub(crate) fn loss_reason(reason: DropReason) -> LossReason {
    match reason {
        DropReason::HeadroomFull => LossReason::Headroom,
        DropReason::Watchdog => LossReason::Watchdog,
        DropReason::UnknownPort => LossReason::Other,
        DropReason::MemoryFull
        | DropReason::IngressThreshold
        | DropReason::EgressThreshold
        | DropReason::Early => LossReason::Lossy,
    }
}
