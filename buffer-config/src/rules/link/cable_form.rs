//! # LINK002 cable-form
//!
//! Severity: error.
//!
//! A cable length is not an integer followed by `m`, is a list, belongs to a port that does not exist, or differs
//! between two entries of CABLE_LENGTH; or, in the traditional model, starts with a zero.
//!
//! ## Why it matters
//!
//! The script removes the last letter and parses a number: `40.5m` works by chance; `xm` makes the script fail, and
//! headroom is not computed. The traditional model finds the row of the lookup table by the text of the length: `05m` has
//! none, and the port gets no lossless priority groups.
//!
//! ## Example
//!
//! ```json
//! {"CABLE_LENGTH": {"AZURE": {"Ethernet0": "forty", "Ethernet4": "40m"}}}
//! ```
//!
//! ## Fix
//!
//! Write whole metres, such as `40m`.
//!
//! ## Source
//!
//! YANG cable-length; buffer_headroom_mellanox.lua; `doSpeedUpdateTask` in
//! [buffermgr.cpp](https://github.com/sonic-net/sonic-swss/blob/master/cfgmgr/buffermgr.cpp).

use std::collections::BTreeMap;

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "LINK002",
    name: "cable-form",
    severity: Severity::Error,
    effect: effect::HEADROOM_FOR_ANOTHER_LINK,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for violation in cx.violations.iter().filter(|v| v.code == META.code) {
        let unknown_ports = violation.kind == crate::schema::Kind::Reference && cx.sw.ports.is_empty();
        let Some(entry) = cx.db.rows(violation.table).get(violation.entry).filter(|_| !unknown_ports) else {
            continue;
        };
        let name = violation.field.as_deref().unwrap_or_default();
        cx.report(out, &META, field("CABLE_LENGTH", &entry.key, name), violation.message.clone());
    }
    leading_zeros(cx, out);
    let mut lengths: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    for entry in cx.db.rows("CABLE_LENGTH") {
        for length in cx.db.fields_of(entry) {
            let (name, table) = (length.name, entry.key.as_ref());
            let Some((other, before)) = lengths.insert(name, (table, length.value)) else { continue };
            if other != table && before != length.value {
                let message = format!(
                    "{name} has cable length {before} in {other}, and {} in {table}: the one that is loaded last counts",
                    length.value
                );
                cx.report(out, &META, field("CABLE_LENGTH", table, name), message);
            }
        }
    }
}

/// Reports lengths that start with a zero: no row of a lookup table has such a text.
fn leading_zeros(cx: &Context<'_, '_>, out: &mut Findings) {
    if cx.is_dynamic {
        return;
    }
    for entry in cx.db.rows("CABLE_LENGTH") {
        for length in cx.db.fields_of(entry) {
            let metres = length.value.strip_suffix('m').and_then(|digits| digits.parse::<u32>().ok());
            let Some(metres) = metres.filter(|metres| length.value != format!("{metres}m")) else { continue };
            let message = format!(
                "{} has cable length {}, which no row of a lookup table has: expected {metres}m",
                length.name, length.value
            );
            cx.report(out, &META, field("CABLE_LENGTH", &entry.key, length.name), message)
                .replace(format!("{metres}m"));
        }
    }
}
