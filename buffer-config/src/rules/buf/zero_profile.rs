//! # BUF059 zero-profile
//!
//! Severity: error.
//!
//! A port that is up uses a zero profile, which is meant for ports that are down, in its profile lists, or for a
//! priority group or queue.
//!
//! ## Why it matters
//!
//! A zero profile takes the buffer away from a port without traffic. On a port that is up, nearly all packets that it
//! applies to are dropped.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {
//!     "egress_lossy_zero_profile": {"pool": "egress_lossy_pool", "size": "0", "dynamic_th": "-8"}
//!   },
//!   "BUFFER_QUEUE": {"Ethernet0|0-2": {"profile": "egress_lossy_zero_profile"}}
//! }
//! ```
//!
//! ## Fix
//!
//! Use the profile that other ports have, or set the port down.
//!
//! ## Source
//!
//! [Reclaim reserved buffer](https://github.com/sonic-net/SONiC/blob/master/doc/qos/reclaim-reserved-buffer.md).

use super::super::context::{Context, Findings, Hit, hit};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::{ResolvedPort, ResolvedProfile, Threshold};

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF059",
    name: "zero-profile",
    severity: Severity::Error,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if !cx.sw.profiles.iter().any(is_zero) {
        return;
    }
    cx.by_port(out, &META, |port| group_or_queue(cx, port));
    for table in ["BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST"] {
        cx.by_port_entry(out, &META, |port, _| {
            let list = cx.value(table, &port.name, "profile_list").filter(|_| port.is_up)?;
            let names = list.split(',').map(|name| crate::schema::reference("BUFFER_PROFILE", name));
            let profile = names.filter_map(|name| cx.profile_named(name)).find(|profile| is_zero(profile))?;
            let message = format!("is up, but has {} in {table}", profile.name);
            hit(table, &port.name, "profile_list", message)
        });
    }
}

/// A zero profile of a priority group or queue of a port that is up.
fn group_or_queue(cx: &Context<'_, '_>, port: &ResolvedPort) -> Option<Hit> {
    let find = |profiles: &[Option<usize>]| {
        let zero = |at: Option<usize>| cx.profile(at).filter(|profile| is_zero(profile));
        profiles.iter().enumerate().find_map(|(number, at)| Some((number, zero(*at)?)))
    };
    let of_group = find(&port.priority_groups).map(|found| ("BUFFER_PG", "priority group", found));
    let of_queue = || find(&port.queues).map(|found| ("BUFFER_QUEUE", "queue", found));
    let (table, what, (number, profile)) = of_group.or_else(of_queue).filter(|_| port.is_up)?;
    let key = cx.group_key(table, &port.name, number);
    hit(table, key, "profile", format!("is up, but {what} {number} has {}", profile.name))
}

/// Whether a profile leaves a port no buffer: by convention, its name says so.
fn is_zero(profile: &ResolvedProfile) -> bool {
    let is_none = match profile.threshold {
        Some(Threshold::Static { bytes }) => bytes == 0,
        Some(Threshold::Dynamic { exponent }) => exponent <= -8,
        None => true,
    };
    profile.name.contains("zero") && profile.reserved_bytes == 0 && is_none
}
