//! # LINK009 autoneg-value
//!
//! Severity: warning.
//!
//! `autoneg` is neither on nor off, an advertised speed or interface type is unknown, or all advertised speeds are below
//! the speed of the port.
//!
//! ## Why it matters
//!
//! Several shipped port files contain 0 and 1, which portsorch rejects: the port keeps its default.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {
//!     "Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "mtu": "9100", "admin_status": "up", "autoneg": "1"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Write on or off.
//!
//! ## Source
//!
//! YANG port.

use super::super::context::{Context, Findings, field, hit};
use super::super::{Meta, effect};
use crate::finding::Severity;
use model::units::counted;
use std::collections::BTreeMap;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "LINK009", name: "autoneg-value", severity: Severity::Warning, effect: effect::LINK };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let mut first: BTreeMap<String, (usize, &str, &str)> = BTreeMap::new();
    for violation in cx.violations.iter().filter(|v| v.code == META.code) {
        let Some(entry) = cx.db.rows("PORT").get(violation.entry) else { continue };
        let name = violation.field.as_deref().unwrap_or_default();
        first.entry(violation.message.clone()).or_insert((0, entry.key.as_ref(), name)).0 += 1;
    }
    for (message, (count, key, name)) in first {
        cx.report(
            out,
            &META,
            field("PORT", key, name),
            format!("{message} ({})", counted(count as u64, "port")),
        );
    }
    cx.by_port_entry(out, &META, |port, entry| {
        cx.db.field(entry, "autoneg").filter(|f| f.value == "on")?;
        let speeds = cx.db.field(entry, "adv_speeds").filter(|f| f.value != "all")?;
        let is_slower = |speed: u32| speed < port.speed_mbps;
        let mut all = speeds.value.split(',').filter_map(|s| s.trim().parse::<u32>().ok()).peekable();
        all.peek()?;
        // A higher speed has its own rule.
        if port.pfc_priorities == 0 || !all.all(is_slower) {
            return None;
        }
        let message = format!("advertises {} Mb/s, but not its speed {}", speeds.value, port.speed_mbps);
        hit("PORT", &port.name, "adv_speeds", message)
    });
}
