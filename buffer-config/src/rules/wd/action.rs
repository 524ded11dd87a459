//! # WD006 watchdog-action
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! `action` is not drop, forward or alert; or it is forward on Cisco 8000; or it is alert, which stops no storm (a
//! warning); or ports with hardware recovery use different actions.
//!
//! ## Why it matters
//!
//! The entry is rejected, or the first port's action applies to all ports.
//!
//! ## Example
//!
//! ```json
//! {"PFC_WD": {"Ethernet0": {"action": "ignore", "detection_time": "400", "restoration_time": "800"}}}
//! ```
//!
//! ## Fix
//!
//! Use drop.
//!
//! ## Source
//!
//! pfcwdorch.cpp.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::asic::Vendor;
use crate::finding::Severity;
use crate::resolved::ResolvedPort;
use crate::resolved::WatchdogAction;
use model::units::counted;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "WD006", name: "watchdog-action", severity: Severity::Error, effect: effect::WATCHDOG };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    let action = |p: &ResolvedPort| p.watchdog.map(|w| w.action);
    if cx.is(Vendor::Cisco)
        && let Some(port) = cx.sw.ports.iter().find(|p| action(p) == Some(WatchdogAction::Forward))
    {
        cx.report(
            out,
            &META,
            field("PFC_WD", &port.name, "action"),
            "this platform does not support forward".into(),
        );
    }
    let alerts = |port: &&ResolvedPort| action(port) == Some(WatchdogAction::Alert);
    if let Some(port) = cx.sw.ports.iter().find(alerts) {
        let count = counted(cx.sw.ports.iter().filter(alerts).count() as u64, "port");
        let message = format!("action alert on {count}: storms are logged, but not stopped");
        cx.report(out, &META, field("PFC_WD", &port.name, "action"), message).severity(Severity::Warning);
    }
    let mut used: Vec<WatchdogAction> = Vec::new();
    for port in &cx.sw.ports {
        if let Some(action) = action(port).filter(|a| !used.contains(a)) {
            used.push(action);
            if used.len() == 2 && cx.is(Vendor::BroadcomXgs) {
                let message =
                    "ports use different actions; with hardware recovery, the first port's action applies to all"
                        .to_string();
                cx.report(out, &META, field("PFC_WD", &port.name, "action"), message)
                    .severity(Severity::Warning);
            }
        }
    }
}
