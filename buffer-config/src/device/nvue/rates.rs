//! Rates of queues and ports: profiles of `egress-scheduler` and `egress-shaper`.
//!
//! Source: Cumulus Linux 5 user guide, "Quality of Service", "Egress Scheduler" and "Shaping": shares are 100 % at most, a
//! queue without a share has none, and rates are in kbit/s.

use super::super::Placed;
use super::super::qos::{Qos, Queue};
use super::tree::Node;
use super::{Reader, children};

/// The rate of a shaper that is not configured, kbit/s.
const NO_LIMIT_KBPS: u64 = 2_147_483_647;

impl Reader {
    /// The shares and priorities of a scheduler.
    pub(super) fn scheduler(&mut self, profile: &Node) -> Qos {
        let mut to = Qos::default();
        for class in children(profile, "traffic-class") {
            let mode = class.value(&["mode"]);
            let is_strict = mode.map(|mode| Placed::new(mode.key == "strict", mode.span));
            let share = class.value(&["bw-percent"]);
            let bandwidth_percent = share.and_then(|node| self.number(node, "bw-percent", (0u8, 100)));
            for number in self.numbers(class, "traffic-class", 7) {
                to.queues.insert(number, Queue { is_strict, bandwidth_percent, ..Queue::default() });
            }
        }
        let mut shares = to.queues.values().filter_map(|queue| queue.bandwidth_percent);
        let sum: u32 = shares.clone().map(|share| u32::from(share.value)).sum();
        to.has_all_shares = sum > 0;
        if let Some(last) = shares.next_back().filter(|_| sum > 100) {
            let message =
                format!("the shares of scheduler {} are {sum} %; expected 100 at most", profile.key);
            self.device.refused(last.span, &format!("/qos/egress-scheduler/{}", profile.key), message);
        }
        to
    }

    /// The rates of a shaper.
    pub(super) fn shaper(&mut self, profile: &Node) -> Qos {
        let mut to = Qos { port_rate_bps: self.rate(profile.value(&["port-max-rate"])), ..Qos::default() };
        for class in children(profile, "traffic-class") {
            let max_rate_bps = self.rate(class.value(&["max-rate"]));
            for number in self.numbers(class, "traffic-class", 7) {
                to.queues.insert(number, Queue { max_rate_bps, ..Queue::default() });
            }
        }
        to
    }

    fn rate(&mut self, node: Option<&Node>) -> Option<Placed<u64>> {
        let kbps = self.number(node?, "egress-shaper", (0u64, NO_LIMIT_KBPS))?;
        let bps = if kbps.value == NO_LIMIT_KBPS { u64::MAX } else { kbps.value * 1_000 };
        Some(Placed::new(bps, kbps.span))
    }
}
