//! # MAP015 odd-switch-map
//!
//! Severity: warning.
//!
//! The DSCP map of the switch (PORT_QOS_MAP|global) differs from those of all ports.
//!
//! ## Why it matters
//!
//! The map of the switch applies where a port has none, and to packets that leave a tunnel. A DSCP is then in one class
//! on a port and in another one elsewhere: packets of a lossless flow are dropped under congestion, or lossy packets
//! fill lossless queues. The difference shows first when a port loses its own map.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DSCP_TO_TC_MAP": {"OLD": {"0": "0", "3": "0", "4": "0"}},
//!   "PORT_QOS_MAP": {"global": {"dscp_to_tc_map": "OLD"}}
//! }
//! ```
//!
//! ## Fix
//!
//! Use the map of the ports for global.
//!
//! ## Source
//!
//! `handleGlobalQosMap` in qosorch.cpp, which sets `SAI_SWITCH_ATTR_QOS_DSCP_TO_TC_MAP`.

use std::collections::BTreeMap;

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::schema::reference;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "MAP015",
    name: "odd-switch-map",
    severity: Severity::Warning,
    effect: effect::DSCP_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(own) = cx.value("PORT_QOS_MAP", "global", "dscp_to_tc_map") else { return };
    let own = reference("DSCP_TO_TC_MAP", own);
    let Some(of_switch) = classes(cx, own) else { return };
    let mut of_ports: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in cx.db.rows("PORT_QOS_MAP").iter().filter(|entry| entry.key != "global") {
        if let Some(map) = cx.db.field(entry, "dscp_to_tc_map") {
            *of_ports.entry(reference("DSCP_TO_TC_MAP", map.value)).or_default() += 1;
        }
    }
    let maps: Vec<(&str, BTreeMap<u8, u8>)> =
        of_ports.keys().filter_map(|name| Some((*name, classes(cx, name)?))).collect();
    let usual = of_ports.iter().max_by_key(|(_, count)| **count).map(|(name, _)| *name);
    let Some((name, usual)) = maps.iter().find(|(name, _)| Some(*name) == usual) else { return };
    if maps.iter().any(|(_, map)| *map == of_switch) {
        return;
    }
    let class = |map: &BTreeMap<u8, u8>, dscp: u8| map.get(&dscp).copied().unwrap_or(0);
    let Some(dscp) = (0..64).find(|dscp| class(&of_switch, *dscp) != class(usual, *dscp)) else { return };
    let message = format!(
        "DSCP {dscp} is in class {} in map {own} of the switch, but in class {} in map {name} of the ports",
        class(&of_switch, dscp),
        class(usual, dscp)
    );
    let at = field("PORT_QOS_MAP", "global", "dscp_to_tc_map");
    cx.report(out, &META, at, message).replace(*name);
}

/// The traffic class of each DSCP of a map; `None` if the map does not exist.
fn classes(cx: &Context<'_, '_>, map: &str) -> Option<BTreeMap<u8, u8>> {
    let entry = cx.db.row("DSCP_TO_TC_MAP", map)?;
    let number = |text: &str| text.trim().parse::<u8>().ok();
    Some(cx.db.fields_of(entry).filter_map(|f| Some((number(f.name)?, number(f.value)?))).collect())
}
