//! # MAP004 missing-map
//!
//! Severity: error.
//!
//! A port, or the whole switch (`global`), refers to a map that does not exist.
//!
//! ## Why it matters
//!
//! orchagent retries the PORT_QOS_MAP entry indefinitely and logs at INFO level only: the port's `pfc_enable` is
//! never applied.
//!
//! ## Example
//!
//! ```json
//! {"PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc_map": "AZUR"}}}
//! ```
//!
//! ## Fix
//!
//! Add the map, or use an existing one.
//!
//! ## Source
//!
//! qosorch.cpp.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use model::units::counted;
use std::collections::BTreeMap;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "MAP004",
    name: "missing-map",
    severity: Severity::Error,
    effect: effect::DSCP_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let mut first: BTreeMap<String, (usize, &str, &str)> = BTreeMap::new();
    for violation in cx.violations.iter().filter(|v| v.code == META.code) {
        let Some(entry) = cx.db.rows(violation.table).get(violation.entry) else { continue };
        let name = violation.field.as_deref().unwrap_or_default();
        // The map of the whole switch is no port's.
        if entry.key == GLOBAL {
            let message = format!("{name} {}: it is never applied", violation.message);
            cx.report(out, &META, field(violation.table, GLOBAL, name), message);
            continue;
        }
        first.entry(format!("{name} {}", violation.message)).or_insert((0, entry.key.as_ref(), name)).0 += 1;
    }
    for (message, (count, key, name)) in first {
        cx.report(
            out,
            &META,
            field("PORT_QOS_MAP", key, name),
            format!("{message}: PFC is never applied on {}", counted(count as u64, "port")),
        );
    }
}

/// The key of the map of the whole switch.
const GLOBAL: &str = "global";
