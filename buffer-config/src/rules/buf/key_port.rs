//! # BUF017 key-port
//!
//! Severity: error.
//!
//! A key names a port that is not in PORT or SYSTEM_PORT, no key names the chip of this file, or PORT is empty.
//!
//! ## Why it matters
//!
//! The entry is never applied. After a breakout, for example, the ports with the new names have no entries.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_PG": {"Ethernet400|3-4": {"profile": "pg_lossless_100000_40m_profile"}}}
//! ```
//!
//! ## Fix
//!
//! Use a port of this file. A key whose letters resemble those of a port without an entry is corrected by `--fix`.
//!
//! ## Source
//!
//! YANG buffer-pg, YANG buffer-queue and YANG queue; VOQ entries of other line cards are exempt.

use super::super::context::{Context, Findings, field, row};
use super::super::repairs::copied;
use super::super::{Meta, effect};
use crate::finding::{PatchOp, Severity};
use crate::schema::nearest_name;
use model::units::counted;
use std::collections::BTreeMap;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "BUF017", name: "key-port", severity: Severity::Error, effect: effect::NOT_PORT_SPECIFIC };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if cx.sw.ports.is_empty() {
        without_ports(cx, out);
        return;
    }
    other_chip(cx, out);
    let mut by_table: BTreeMap<&str, (usize, &str, &str)> = BTreeMap::new();
    for violation in cx.violations.iter().filter(|v| v.code == META.code) {
        let Some(entry) = cx.db.rows(violation.table).get(violation.entry) else { continue };
        let count =
            by_table.entry(violation.table).or_insert((0, entry.key.as_ref(), violation.message.as_str()));
        count.0 += 1;
    }
    // A port that is missing in PORT has entries in many tables.
    let mut by_message: BTreeMap<&str, Vec<(&str, usize, &str)>> = BTreeMap::new();
    for (table, (count, key, message)) in by_table {
        by_message.entry(message).or_default().push((table, count, key));
    }
    for (message, tables) in by_message {
        let Some((table, count, key)) = tables.first().copied() else { continue };
        let keys = |count: usize| counted(count as u64, "key");
        let text = match tables.as_slice() {
            [_] => format!("{table}: {message} ({})", keys(count)),
            all => {
                let all: Vec<String> =
                    all.iter().map(|(table, count, _)| format!("{table} ({})", keys(*count))).collect();
                format!("{}: {message}", all.join(", "))
            }
        };
        let meant = meant(cx, table, key);
        let hint = meant.map(|port| format!("; did you mean `{port}`?")).unwrap_or_default();
        let operations = meant.map(|port| renamed(cx, &tables, key, port)).unwrap_or_default();
        cx.report(out, &META, row(table, key), format!("{text}{hint}")).operations(operations);
    }
}

/// The port that a key probably means: one without an entry in the table.
fn meant<'c>(cx: &'c Context<'_, '_>, table: &str, key: &str) -> Option<&'c str> {
    let name = key.split('|').next()?;
    let has_entry =
        |port: &str| cx.db.rows(table).iter().any(|entry| entry.key.split(['|', ',']).any(|n| n == port));
    let ports = cx.sw.ports.iter().map(|port| port.name.as_str());
    let absent: Vec<&str> = ports.filter(|port| !has_entry(port)).collect();
    if cx.sw.ports.iter().any(|port| port.name == name) {
        return None;
    }
    if let Some(port) = cx.sw.ports.iter().find(|port| port.name.eq_ignore_ascii_case(name)) {
        return Some(&port.name);
    }
    // A well-formed name of another number is that of a port that was removed, not a slip.
    let same: Vec<&str> = absent.iter().copied().filter(|port| number(port) == number(name)).collect();
    nearest_name(name, same.iter().copied())
}

/// The digits of a name.
fn number(name: &str) -> String {
    name.chars().filter(char::is_ascii_digit).collect()
}

/// Gives the keys with the same wrong port the right one, if the names differ in letters only.
fn renamed(cx: &Context<'_, '_>, tables: &[(&str, usize, &str)], key: &str, port: &str) -> Vec<PatchOp> {
    let wrong = key.split('|').next().unwrap_or_default();
    if number(wrong) != number(port) {
        return Vec::new();
    }
    let mut operations = Vec::new();
    for (table, ..) in tables {
        for entry in cx.db.rows(table) {
            let Some(rest) =
                entry.key.strip_prefix(wrong).filter(|rest| rest.is_empty() || rest.starts_with('|'))
            else {
                continue;
            };
            let Some(copy) = copied(cx, table, entry, &format!("{port}{rest}")) else { return Vec::new() };
            operations.push(copy);
            operations.push(PatchOp::new("remove", cx.db.pointer(table, entry, None), None));
        }
    }
    operations
}

/// Reports a switch without any port. A buffer template has none, and no platform.
fn without_ports(cx: &Context<'_, '_>, out: &mut Findings) {
    if cx.value("DEVICE_METADATA", "localhost", "platform").is_none() {
        return;
    }
    for table in ["PORT_QOS_MAP", "BUFFER_PG", "BUFFER_QUEUE"] {
        let names_port = |key: &str| key.split(['|', ',']).any(|part| part.starts_with("Ethernet"));
        if let Some(entry) = cx.db.rows(table).iter().find(|entry| names_port(&entry.key)) {
            let message = format!("{table} has entries of ports, but PORT has none");
            cx.report(out, &META, row(table, &entry.key), message);
            return;
        }
    }
}

/// In a chassis, keys name host and chip. If none names those of this file, none of them is applied to its ports.
fn other_chip(cx: &Context<'_, '_>, out: &mut Findings) {
    let of_device = |name| cx.value("DEVICE_METADATA", "localhost", name);
    let (Some(host), Some(chip)) = (of_device("hostname"), of_device("asic_name")) else { return };
    for table in ["BUFFER_QUEUE", "QUEUE"] {
        let rows = cx.db.rows(table);
        let is_here = |key: &str| {
            let parts: Vec<&str> = key.split('|').collect();
            !matches!(parts.as_slice(), [other, asic, _, _] if *other != host || *asic != chip)
        };
        if let Some(first) = rows.first().filter(|_| !rows.iter().any(|entry| is_here(&entry.key))) {
            let message =
                format!("{table} has no entry of {host}, {chip}; its first entry is `{}`", first.key);
            cx.report(out, &META, field("DEVICE_METADATA", "localhost", "asic_name"), message);
        }
    }
}
