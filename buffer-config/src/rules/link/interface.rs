//! # LINK028 interface-without-port
//!
//! Severity: warning.
//!
//! An entry of INTERFACE, PORTCHANNEL_INTERFACE, VLAN_INTERFACE or VLAN_SUB_INTERFACE is for a port, a port channel or a
//! VLAN that does not exist.
//!
//! ## Why it matters
//!
//! `intfmgrd` waits for the port: its addresses and routes do not exist, and traffic takes other paths, or none. Such
//! entries remain after a breakout, or are misspelt.
//!
//! ## Example
//!
//! ```json
//! {"INTERFACE": {"Ethernet1": {}, "Ethernet1|10.0.0.0/31": {}}}
//! ```
//!
//! ## Fix
//!
//! Correct the name, or remove the entries.
//!
//! ## Source
//!
//! `isIntfStateOk` in [intfmgr.cpp](https://github.com/sonic-net/sonic-swss/blob/master/cfgmgr/intfmgr.cpp);
//! [sonic-interface.yang](https://github.com/sonic-net/sonic-buildimage/blob/master/src/sonic-yang-models/yang-models/sonic-interface.yang).

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "LINK028",
    name: "interface-without-port",
    severity: Severity::Warning,
    effect: effect::LINK,
};

/// The tables of interfaces, and those with what they belong to.
const TABLES: [(&str, &str); 3] =
    [("INTERFACE", "PORT"), ("PORTCHANNEL_INTERFACE", "PORTCHANNEL"), ("VLAN_INTERFACE", "VLAN")];

/// Beginnings of the names of subinterfaces, and the full names and tables of their parents.
const PARENTS: [(&str, &str, &str); 4] = [
    ("Ethernet", "Ethernet", "PORT"),
    ("Eth", "Ethernet", "PORT"),
    ("PortChannel", "PortChannel", "PORTCHANNEL"),
    ("Po", "PortChannel", "PORTCHANNEL"),
];

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for (table, of) in TABLES {
        let mut last = "";
        for entry in cx.db.rows(table) {
            let name = entry.key.split('|').next().unwrap_or_default();
            if name != last && is_absent(cx, of, name) {
                let message = format!("{table} has {name}, which is not in {of}");
                cx.report(out, &META, row(table, &entry.key), message);
            }
            last = name;
        }
    }
    let mut last = "";
    for entry in cx.db.rows("VLAN_SUB_INTERFACE") {
        let name = entry.key.split('|').next().unwrap_or_default();
        let Some((parent, _)) = name.split_once('.').filter(|_| name != last) else { continue };
        last = name;
        let full = PARENTS
            .iter()
            .find_map(|(short, full, of)| Some((format!("{full}{}", parent.strip_prefix(short)?), *of)));
        if let Some((parent, of)) = full.filter(|(parent, of)| is_absent(cx, of, parent)) {
            let message = format!("VLAN_SUB_INTERFACE has {name}, but {parent} is not in {of}");
            cx.report(out, &META, row("VLAN_SUB_INTERFACE", &entry.key), message);
        }
    }
}

/// Whether the table exists, but not the entry: a part of a configuration may have neither.
fn is_absent(cx: &Context<'_, '_>, table: &str, name: &str) -> bool {
    !cx.db.rows(table).is_empty() && cx.db.row(table, name).is_none()
}
