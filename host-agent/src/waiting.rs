//! Polls that the host's rate limit delays.
//!
//! When tokens are short, many flows of a host are slow at the same time. The next token is spent on a flow whose delay is above
//! that of ordinary queueing, if there is one, and of such flows on the one with the largest slowdown relative to its base round
//! trip, not on the first one that is seen.

use std::collections::BTreeMap;

use model::TriggerReason;

use crate::agent::FlowId;

/// Polls that can be delayed at the same time; beyond it, the one with the smallest slowdown is dropped. At the default
/// rate limit they are 64 ms of polls.
const CAPACITY: usize = 64;

/// The measurement behind a poll that is to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Measured {
    pub(crate) time_ns: u64,
    pub(crate) reason: TriggerReason,
    pub(crate) base_ns: u64,
    pub(crate) rtt_ns: u64,
    /// Whether an ordinary queue can cause such a delay ([`crate::rule::is_ordinary`]).
    pub(crate) is_ordinary: bool,
}

impl Measured {
    /// How much the round trip exceeds the base.
    pub(crate) fn excess_ns(&self) -> u64 {
        self.rtt_ns.saturating_sub(self.base_ns)
    }

    /// Whether the delay is above that of an ordinary queue and `other` is not; of equal ones, whether the round trip is a larger
    /// multiple of its base.
    fn is_worse(&self, other: &Measured) -> bool {
        if self.is_ordinary != other.is_ordinary {
            return other.is_ordinary;
        }
        u128::from(self.rtt_ns) * u128::from(other.base_ns)
            > u128::from(other.rtt_ns) * u128::from(self.base_ns)
    }
}

/// The flows for which a poll is to be sent, with the slowest round trip of each.
#[derive(Clone, Debug, Default)]
pub(crate) struct WaitingPolls(BTreeMap<FlowId, Measured>);

impl WaitingPolls {
    pub(crate) fn contains(&self, id: FlowId) -> bool {
        self.0.contains_key(&id)
    }

    /// Adds a flow, or a slower round trip of it.
    pub(crate) fn add(&mut self, id: FlowId, measured: Measured) {
        let known = self.0.entry(id).or_insert(measured);
        if measured.is_worse(known) {
            *known = measured;
        }
        if self.0.len() > CAPACITY {
            let mut mildest = (id, measured);
            for (id, measured) in &self.0 {
                if mildest.1.is_worse(measured) {
                    mildest = (*id, *measured);
                }
            }
            self.0.remove(&mildest.0);
        }
    }

    pub(crate) fn remove(&mut self, id: FlowId) {
        self.0.remove(&id);
    }

    /// Removes polls whose measurement is older than `since_ns`.
    pub(crate) fn forget_before(&mut self, since_ns: u64) {
        self.0.retain(|_, measured| measured.time_ns >= since_ns);
    }

    /// Returns the flow that is to be polled next: the worst one; of equal ones, the one that was opened first.
    pub(crate) fn worst(&self) -> Option<(FlowId, Measured)> {
        let mut worst: Option<(FlowId, Measured)> = None;
        for (id, measured) in &self.0 {
            if worst.is_none_or(|(_, known)| measured.is_worse(&known)) {
                worst = Some((*id, *measured));
            }
        }
        worst
    }
}
