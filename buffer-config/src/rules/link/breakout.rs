//! # LINK019 breakout-mode
//!
//! Severity: warning.
//!
//! BREAKOUT_CFG names a port that does not exist, or a breakout mode that does not allow the speed of the port.
//!
//! ## Why it matters
//!
//! The entry is from another layout of the port. The next change of the breakout mode starts from it: it removes ports
//! that are in use together with their buffers, or leaves entries of ports that no longer exist.
//!
//! ## Example
//!
//! ```json
//! {"BREAKOUT_CFG": {"Ethernet0": {"brkout_mode": "4x25G[10G]"}}}
//! ```
//!
//! ## Fix
//!
//! Set the mode that matches the ports (`config interface breakout`).
//!
//! ## Source
//!
//! [Dynamic port
//! breakout](https://github.com/sonic-net/SONiC/blob/master/doc/dynamic-port-breakout/sonic-dynamic-port-breakout-HLD.md).

use super::super::context::{Context, Findings, field, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "LINK019", name: "breakout-mode", severity: Severity::Warning, effect: effect::LINK };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if cx.sw.ports.is_empty() {
        return;
    }
    for entry in cx.db.rows("BREAKOUT_CFG") {
        let Some(port) = cx.sw.ports.iter().find(|port| port.name == entry.key) else {
            let message = format!("{} is not in PORT", entry.key);
            cx.report(out, &META, row("BREAKOUT_CFG", &entry.key), message);
            continue;
        };
        let mode = cx.db.field(entry, "brkout_mode").map_or("", |field| field.value);
        let speeds = speeds_mbps(mode);
        if !speeds.is_empty() && port.speed_mbps != 0 && !speeds.contains(&port.speed_mbps) {
            let message = format!("{} has {} Mb/s, but breakout mode {mode}", port.name, port.speed_mbps);
            cx.report(out, &META, field("BREAKOUT_CFG", &entry.key, "brkout_mode"), message);
        }
    }
}

/// The speeds of a mode such as `4x25G[10G]` or `1x100G(4)+2x50G(4)`, Mb/s; empty if it cannot be read.
fn speeds_mbps(mode: &str) -> Vec<u32> {
    let mut speeds = Vec::new();
    for part in mode.split('+') {
        let Some((_, rates)) = part.split_once('x') else { return Vec::new() };
        let rates = rates.split('(').next().unwrap_or_default();
        for rate in rates.split(['[', ',', ']']).map(str::trim).filter(|rate| !rate.is_empty()) {
            let Some(speed) = rate.strip_suffix('G').and_then(|g| g.parse::<u32>().ok()) else {
                return Vec::new();
            };
            speeds.push(speed.saturating_mul(1000));
        }
    }
    speeds
}
