//! The drop counters of the switches' traffic managers.

use std::collections::BTreeMap;

use model::{LossReason, LossRecord, Time};
use p4_switch::tm::DropReason;

/// Losses by switch, ingress port, egress port, reason and priority.
#[derive(Clone, Debug, Default)]
pub(crate) struct Losses(BTreeMap<(u32, u16, u16, LossReason, u8), LossRecord>);

impl Losses {
    /// Counts a packet of `priority` that `switch`, number `index`, dropped.
    pub(crate) fn count(
        &mut self,
        now: Time,
        (index, switch): (u32, &str),
        (ingress_port, egress_port): (u16, u16),
        priority: u8,
        reason: DropReason,
    ) {
        let reason = loss_reason(reason);
        let now_ns = now.as_ns();
        let key = (index, ingress_port, egress_port, reason, priority);
        let loss = self.0.entry(key).or_insert_with(|| LossRecord {
            switch: switch.to_string(),
            ingress_port,
            egress_port,
            priority: Some(priority),
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

fn loss_reason(reason: DropReason) -> LossReason {
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
