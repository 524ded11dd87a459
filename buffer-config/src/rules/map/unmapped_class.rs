//! # MAP020 unmapped-class
//!
//! Severity: warning.
//!
//! A DSCP maps to a traffic class that the TC_TO_QUEUE_MAP of the port does not have.
//!
//! ## Why it matters
//!
//! The packets of the class use queue 0 and, without an entry in TC_TO_PRIORITY_GROUP_MAP, priority group 0, together with
//! the traffic that is there. A class above 7 has no PFC priority either, and chips with 8 traffic classes do not have it.
//!
//! ## Example
//!
//! ```json
//! {"DSCP_TO_TC_MAP": {"AZURE": {"0": "0", "3": "3", "4": "4", "10": "8"}}}
//! ```
//!
//! ## Fix
//!
//! Map the DSCP to a class that the other maps have, or add the class to them.
//!
//! ## Source
//!
//! `SAI_SWITCH_ATTR_QOS_MAX_NUMBER_OF_TRAFFIC_CLASSES` in
//! [saiswitch.h](https://github.com/opencomputeproject/SAI/blob/master/inc/saiswitch.h);
//! [qosorch.cpp](https://github.com/sonic-net/sonic-swss/blob/master/orchagent/qosorch.cpp).

use std::collections::BTreeMap;

use super::super::context::{Context, Findings, field, names};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::schema::reference;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "MAP020",
    name: "unmapped-class",
    severity: Severity::Warning,
    effect: effect::DSCP_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let of_all = cx.value("PORT_QOS_MAP", "global", "dscp_to_tc_map");
    let mut pairs: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for entry in cx.db.rows("PORT_QOS_MAP") {
        let own = |name| cx.db.field(entry, name).map(|field| field.value);
        if let Some(pair) = own("dscp_to_tc_map").or(of_all).zip(own("tc_to_queue_map")) {
            pairs.entry(pair).or_default().push(&entry.key);
        }
    }
    let mut reported: Vec<(&str, &str)> = Vec::new();
    for ((dscps, queues), ports) in pairs {
        let pair = (reference("DSCP_TO_TC_MAP", dscps), reference("TC_TO_QUEUE_MAP", queues));
        if reported.contains(&pair) {
            continue;
        }
        reported.push(pair);
        if let Some((dscp, class)) = unmapped(cx, pair) {
            let message = format!(
                "{}: DSCP {dscp} maps to traffic class {class}, which TC_TO_QUEUE_MAP {} does not have",
                names(&ports),
                pair.1
            );
            cx.report(out, &META, field("DSCP_TO_TC_MAP", pair.0, dscp), message).of_ports(&ports);
        }
    }
}

/// The first DSCP whose class the second map does not have. Maps that do not exist, and values that are no class, have
/// their own rules.
fn unmapped<'d>(cx: &'d Context<'_, '_>, (dscps, queues): (&str, &str)) -> Option<(&'d str, &'d str)> {
    let (dscps, queues) = (cx.db.row("DSCP_TO_TC_MAP", dscps)?, cx.db.row("TC_TO_QUEUE_MAP", queues)?);
    let is_class = |text: &str| text.trim().parse::<u8>().is_ok_and(|class| class < 16);
    let fields = || cx.db.fields_of(dscps).map(|field| (field.name, field.value.trim()));
    fields().find(|(_, class)| is_class(class) && cx.db.field(queues, class).is_none())
}
