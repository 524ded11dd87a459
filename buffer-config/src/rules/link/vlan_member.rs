//! # LINK026 vlan-member
//!
//! Severity: error.
//!
//! An entry of VLAN_MEMBER names no port, or a VLAN, a port or a port channel that does not exist, or a routed port, or
//! has another `tagging_mode` than untagged, tagged or priority_tagged; a port is an untagged member of several VLANs; or
//! a VLAN has a name other than Vlan2 to Vlan4094, or another `vlanid` than its name.
//!
//! ## Why it matters
//!
//! `vlanmgrd` retries until both exist, and drops an entry whose mode it does not know: the port is in no VLAN, and
//! hosts behind it have no connection. A port with an entry in INTERFACE is routed: it cannot join a bridge. A port sends packets without a tag of one VLAN only; those of the other VLANs
//! reach the wrong hosts.
//!
//! ## Example
//!
//! ```json
//! {
//!   "VLAN": {"Vlan1000": {"vlanid": "1000"}},
//!   "VLAN_MEMBER": {"Vlan2000|Ethernet0": {"tagging_mode": "untagged"}}
//! }
//! ```
//!
//! ## Fix
//!
//! Define the VLAN in VLAN, correct its name or the mode, or remove the entry.
//!
//! ## Source
//!
//! `doVlanMemberTask` in [vlanmgr.cpp](https://github.com/sonic-net/sonic-swss/blob/master/cfgmgr/vlanmgr.cpp);
//! [sonic-vlan.yang](https://github.com/sonic-net/sonic-buildimage/blob/master/src/sonic-yang-models/yang-models/sonic-vlan.yang);
//! IEEE 802.1Q 6.9: one port VLAN identifier.

use std::collections::BTreeMap;

use super::super::context::{Context, Findings, field, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "LINK026", name: "vlan-member", severity: Severity::Error, effect: effect::LINK };

/// The values of `tagging_mode` that `vlanmgrd` knows. Without one, a member is untagged.
const MODES: [&str; 3] = ["untagged", "tagged", "priority_tagged"];

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    // The output of the minigraph parser for buffers has members, but no VLANs.
    let has_vlans = !cx.db.rows("VLAN").is_empty();
    names_of_vlans(cx, out);
    let mut untagged: BTreeMap<&str, &str> = BTreeMap::new();
    for entry in cx.db.rows("VLAN_MEMBER") {
        let Some((vlan, port)) = entry.key.split_once('|').filter(|(_, port)| !port.is_empty()) else {
            let message = format!("`{}` names no port; expected a key such as Vlan1000|Ethernet0", entry.key);
            cx.report(out, &META, row("VLAN_MEMBER", &entry.key), message);
            continue;
        };
        let is_unknown = !cx.sw.ports.is_empty()
            && ["PORT", "PORTCHANNEL"].iter().all(|table| cx.db.row(table, port).is_none());
        let message = if has_vlans && cx.db.row("VLAN", vlan).is_none() {
            format!("{port} is a member of {vlan}, which is not in VLAN")
        } else if is_unknown {
            format!("{port} is a member of {vlan}, but is in neither PORT nor PORTCHANNEL")
        } else if cx.db.row("INTERFACE", port).is_some() {
            format!("{port} is a member of {vlan}, but has an entry in INTERFACE: it is routed")
        } else if let Some(mode) =
            cx.db.field(entry, "tagging_mode").filter(|mode| !MODES.contains(&mode.value))
        {
            format!("{port} has tagging_mode `{}` in {vlan}; expected {}", mode.value, MODES.join(", "))
        } else if cx.db.field(entry, "tagging_mode").is_some_and(|mode| mode.value == "untagged") {
            let Some(other) = untagged.insert(port, vlan) else { continue };
            format!("{port} is an untagged member of {other} and {vlan}")
        } else {
            continue;
        };
        cx.report(out, &META, row("VLAN_MEMBER", &entry.key), message);
    }
}

/// Reports VLANs whose name has no number from 2 to 4094, or another one than `vlanid`.
fn names_of_vlans(cx: &Context<'_, '_>, out: &mut Findings) {
    for entry in cx.db.rows("VLAN") {
        let digits = entry.key.strip_prefix("Vlan").filter(|digits| !digits.starts_with(['0', '+']));
        let number = digits.and_then(|digits| digits.parse::<u32>().ok()).filter(|n| (2..=4094).contains(n));
        let Some(number) = number else {
            let message = format!("`{}` is not a VLAN from Vlan2 to Vlan4094", entry.key);
            cx.report(out, &META, row("VLAN", &entry.key), message);
            continue;
        };
        let stated = cx.db.field(entry, "vlanid").map(|field| field.value.trim());
        if let Some(stated) = stated.filter(|stated| stated.parse() != Ok(number)) {
            let message = format!("{} has vlanid {stated}", entry.key);
            cx.report(out, &META, field("VLAN", &entry.key, "vlanid"), message).replace(number.to_string());
        }
    }
}
