//! # WD024 odd-watchdog
//!
//! Severity: warning.
//!
//! The watchdog of a few ports has other times or another action than that of the other ports of the switch.
//!
//! ## Why it matters
//!
//! The watchdog limits how long a storm of one host blocks a fabric. A single port with other times is usually a
//! leftover of a test: storms on it last longer, or ordinary congestion is taken for a storm.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {
//!     "Ethernet8": {"lanes": "9", "speed": "100000", "mtu": "9100", "admin_status": "up"},
//!     "Ethernet12": {"lanes": "10", "speed": "100000", "mtu": "9100", "admin_status": "up"}
//!   },
//!   "PFC_WD": {
//!     "Ethernet0": {"action": "drop", "detection_time": "3000", "restoration_time": "6000"},
//!     "Ethernet8": {"action": "drop", "detection_time": "400", "restoration_time": "800"},
//!     "Ethernet12": {"action": "drop", "detection_time": "400", "restoration_time": "800"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Use the times and the action of the other ports.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale 4.3; [PFC watchdog
//! design](https://github.com/sonic-net/SONiC/wiki/PFC-Watchdog-Design).

use super::super::context::{Context, Findings, hit};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::{ResolvedWatchdog, WatchdogAction};

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "WD024", name: "odd-watchdog", severity: Severity::Warning, effect: effect::WATCHDOG };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let mut counts: Vec<(ResolvedWatchdog, usize)> = Vec::new();
    for watchdog in cx.sw.ports.iter().filter_map(|port| port.watchdog) {
        match counts.iter_mut().find(|(other, _)| is_like(other, &watchdog)) {
            Some((_, count)) => *count += 1,
            None => counts.push((watchdog, 1)),
        }
    }
    let all: usize = counts.iter().map(|(_, count)| count).sum();
    // Three quarters of the ports: two kinds of links may have two settings.
    let Some((usual, _)) = counts.into_iter().find(|(_, count)| count * 4 >= all * 3 && *count < all) else {
        return;
    };
    cx.by_port(out, &META, |port| {
        let watchdog = port.watchdog.filter(|own| !is_like(own, &usual))?;
        let message = format!("watchdog with {}, but other ports have {}", text(&watchdog), text(&usual));
        hit("PFC_WD", &port.name, "detection_time", message)
    });
}

/// Whether two watchdogs have the same times and action; the priorities have their own rule.
fn is_like(one: &ResolvedWatchdog, other: &ResolvedWatchdog) -> bool {
    let of = |w: &ResolvedWatchdog| (w.detection_ms, w.restoration_ms, w.action);
    of(one) == of(other)
}

fn text(watchdog: &ResolvedWatchdog) -> String {
    let action = match watchdog.action {
        WatchdogAction::Drop => "drop",
        WatchdogAction::Forward => "forward",
        WatchdogAction::Alert => "alert",
    };
    let restoration = watchdog.restoration_ms.map_or("never".to_string(), |ms| format!("{ms} ms"));
    format!("detection {} ms, restoration {restoration}, action {action}", watchdog.detection_ms)
}
