//! # LINK009 autoneg-value
//!
//! Severity: warning (an error where `autoneg` is neither on nor off).
//!
//! `autoneg` is neither on nor off, an advertised speed or interface type is unknown, or all advertised speeds are
//! below the speed of the port.
//!
//! ## Why it matters
//!
//! orchagent skips a port whose `autoneg` it cannot read: the port does not exist, and neither do its buffers. Some
//! shipped port files contain 0 and 1.
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
//! YANG port; `parsePortAutoneg` in
//! [porthlpr.cpp](https://github.com/sonic-net/sonic-swss/blob/master/orchagent/port/porthlpr.cpp).

use super::super::context::{Context, Findings, hit, hit_as};
use super::super::{Meta, effect};
use crate::finding::Severity;
use std::collections::BTreeMap;

/// The fields whose values the schema checks for this rule.
const FIELDS: [&str; 3] = ["autoneg", "adv_speeds", "adv_interface_types"];

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "LINK009", name: "autoneg-value", severity: Severity::Warning, effect: effect::LINK };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let rows = cx.db.rows("PORT");
    let mut by_field: BTreeMap<&'static str, BTreeMap<&str, &str>> = BTreeMap::new();
    for violation in cx.violations.iter().filter(|v| v.code == META.code) {
        let name = FIELDS.into_iter().find(|name| violation.field.as_deref() == Some(*name));
        let (Some(entry), Some(name)) = (rows.get(violation.entry), name) else { continue };
        by_field.entry(name).or_default().insert(entry.key.as_ref(), violation.message.as_str());
    }
    for (name, messages) in by_field {
        cx.by_port_entry(out, &META, |port, _| {
            let message = messages.get(port.name.as_str())?;
            match name {
                "autoneg" => {
                    let message = format!("{message}: orchagent skips the port");
                    hit_as(Severity::Error, "PORT", &port.name, name, message)
                }
                _ => hit("PORT", &port.name, name, (*message).to_string()),
            }
        });
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
