//! # LINK023 odd-port
//!
//! Severity: warning.
//!
//! One port or a few have weaker FEC, another auto-negotiation, link training or VLAN tag type (`tpid`) than nearly all
//! other ports with the same speed, number of lanes and cable length.
//!
//! ## Why it matters
//!
//! Both ends of a link must agree: without, the link stays down, or frames arrive with errors and are dropped on a
//! lossless class, which makes RDMA send everything again that follows. With another `tpid`, tagged frames are not
//! recognised, and their 802.1p priority is lost.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {
//!     "Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "fec": "none", "mtu": "9100", "admin_status": "up"},
//!     "Ethernet4": {"lanes": "5,6,7,8", "speed": "100000", "fec": "rs", "mtu": "9100", "admin_status": "up"},
//!     "Ethernet8": {"lanes": "9,10,11,12", "speed": "100000", "fec": "rs", "mtu": "9100", "admin_status": "up"},
//!     "Ethernet12": {"lanes": "13,14,15,16", "speed": "100000", "fec": "rs", "mtu": "9100", "admin_status": "up"}
//!   },
//!   "CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m", "Ethernet4": "40m", "Ethernet8": "40m", "Ethernet12": "40m"}}
//! }
//! ```
//!
//! ## Fix
//!
//! Use the setting of the other ports, unless the cable of this one requires it.
//!
//! ## Source
//!
//! IEEE 802.3 clauses 73 and 91; `fec`, `autoneg`, `link_training` and `tpid` in YANG port.

use super::super::context::{Context, Findings, hit};
use super::super::{Meta, effect, siblings};
use crate::db::Entry;
use crate::finding::Severity;
use crate::resolved::ResolvedPort;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "LINK023", name: "odd-port", severity: Severity::Warning, effect: effect::LINK };

/// The TPID of a port that states none.
const TPID: &str = "0x8100";

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let kind = |port: &ResolvedPort| (port.speed_mbps, port.lanes, port.cable_m);
    let up = || cx.port_kinds().filter(|(port, _)| port.is_up);
    let is_stated = |port: &ResolvedPort| !matches!(port.fec.as_str(), "" | "auto");
    let with_fec = up().filter(|(port, _)| is_stated(port));
    let fec = siblings::usual_counted(with_fec.map(|(port, n)| (kind(port), port.fec.as_str(), n)));
    let all_fec = siblings::usual_counted(up().map(|(port, n)| (kind(port), port.fec.as_str(), n)));
    let is_on = |setting: Option<bool>| setting == Some(true);
    let autoneg = siblings::usual_counted(up().map(|(port, n)| (kind(port), is_on(port.autoneg), n)));
    let training = siblings::usual_counted(up().map(|(port, n)| (kind(port), is_on(port.link_training), n)));
    let word = |on: bool| if on { "on" } else { "off" };
    cx.by_port(out, &META, |port| {
        let kind = kind(port);
        let is_odd =
            |usual: Option<&bool>, own: Option<bool>| usual.is_some_and(|usual| *usual != is_on(own));
        if !port.is_up {
            None
        } else if port.fec == "none"
            && let Some(usual) = fec.get(&kind).filter(|usual| **usual != "none")
        {
            let message = format!("FEC none, but {usual} on most ports with {} Mb/s", port.speed_mbps);
            hit("PORT", &port.name, "fec", message)
        } else if port.fec.is_empty()
            && let Some(usual) = all_fec.get(&kind).filter(|usual| matches!(**usual, "rs" | "fc"))
        {
            let message = format!("no `fec`, but {usual} on most ports with {} Mb/s", port.speed_mbps);
            hit("PORT", &port.name, "fec", message)
        } else if is_odd(autoneg.get(&kind), port.autoneg) {
            let (own, usual) = (word(is_on(port.autoneg)), word(!is_on(port.autoneg)));
            let message = format!(
                "auto-negotiation is {own}; most ports with {} Mb/s have it {usual}",
                port.speed_mbps
            );
            hit("PORT", &port.name, "autoneg", message)
        } else if is_odd(training.get(&kind), port.link_training) {
            let (own, usual) = (word(is_on(port.link_training)), word(!is_on(port.link_training)));
            let message =
                format!("link training is {own}; most ports with {} Mb/s have it {usual}", port.speed_mbps);
            hit("PORT", &port.name, "link_training", message)
        } else {
            None
        }
    });
    tag_types(cx, out);
}

/// Reports ports with another VLAN tag type. Few files state it.
fn tag_types(cx: &Context<'_, '_>, out: &mut Findings) {
    let rows = cx.db.rows("PORT");
    if !rows.iter().any(|entry| cx.db.field(entry, "tpid").is_some()) {
        return;
    }
    let up = cx.sw.ports.iter().zip(rows).filter(|(port, _)| port.is_up);
    let Some(usual) = siblings::usual(up.map(|(_, entry)| tag_type(cx, entry))) else { return };
    cx.by_port_entry(out, &META, |port, entry| {
        let own = Some(tag_type(cx, entry)).filter(|own| port.is_up && *own != usual)?;
        hit("PORT", &port.name, "tpid", format!("`tpid` {own}, but {usual} on most ports"))
    });
}

fn tag_type<'a>(cx: &Context<'_, 'a>, entry: &Entry<'a>) -> String {
    cx.db.field(entry, "tpid").map_or(TPID.to_string(), |field| field.value.to_ascii_lowercase())
}
