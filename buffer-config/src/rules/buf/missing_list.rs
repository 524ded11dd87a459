//! # BUF052 missing-profile-list
//!
//! Severity: error (a warning where the file has neither table).
//!
//! On Spectrum, a port that is up has no entry in BUFFER_PORT_INGRESS_PROFILE_LIST or
//! BUFFER_PORT_EGRESS_PROFILE_LIST, or its entry has no list, or no profile of a pool that its traffic uses.
//!
//! ## Why it matters
//!
//! The lists give a port its limits in each pool. Without them, the SAI keeps its defaults for the port, which do
//! not belong to the configured pools.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {"localhost": {"platform": "x86_64-mlnx_msn4700-r0"}},
//!   "BUFFER_PORT_INGRESS_PROFILE_LIST": {"Ethernet0": {"profile_list": "ingress_lossy_profile"}},
//!   "BUFFER_PORT_EGRESS_PROFILE_LIST": {
//!     "Ethernet0": {"profile_list": "egress_lossless_profile,egress_lossy_profile"},
//!     "Ethernet4": {"profile_list": "egress_lossless_profile,egress_lossy_profile"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Give every port that is up the lists of the other ports.
//!
//! ## Source
//!
//! `defs.generate_profile_lists` in
//! [buffers_config.j2](https://github.com/sonic-net/sonic-buildimage/blob/master/files/build_templates/buffers_config.j2)
//! and the templates of Spectrum switches, which have both lists.

use super::super::context::{Context, Findings, Hit, hit, hit_as};
use super::super::{Meta, effect};
use crate::asic::Vendor;
use crate::db::Entry;
use crate::finding::Severity;
use crate::resolved::ResolvedPort;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF052",
    name: "missing-profile-list",
    severity: Severity::Error,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// The tables with the limits of each port.
const TABLES: [&str; 2] = ["BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST"];

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if !cx.is(Vendor::Nvidia) || cx.db.rows("BUFFER_PG").is_empty() {
        return;
    }
    let severity = match TABLES.iter().all(|table| cx.db.rows(table).is_empty()) {
        true => Severity::Warning,
        false => Severity::Error,
    };
    for table in TABLES {
        let joined = || cx.db.rows(table).iter().filter(|e| e.key.contains(','));
        let has_list = |e: &Entry<'_>| cx.db.field(e, "profile_list").is_some();
        let has = |name: &str| {
            cx.db.row(table, name).is_some_and(has_list)
                || joined().any(|e| has_list(e) && e.key.split(',').any(|n| n == name))
        };
        cx.by_port_entry(out, &META, |port, _| {
            let is_bare = port.is_up && port.priority_groups.iter().any(Option::is_some) && !has(&port.name);
            if let Some(list) = cx.value(table, &port.name, "profile_list") {
                return incomplete(cx, port, table, list);
            }
            let absent = || match cx.db.row(table, &port.name) {
                Some(_) => format!("has no profile_list in {table}"),
                None => format!("has no entry in {table}"),
            };
            is_bare.then(|| hit_as(severity, "PORT", &port.name, "admin_status", absent())).flatten()
        });
    }
}

/// Reports a list without a profile of a pool that the port's groups or queues use.
fn incomplete(cx: &Context<'_, '_>, port: &ResolvedPort, table: &'static str, list: &str) -> Option<Hit> {
    let named: Vec<_> = list
        .split(',')
        .map(|name| cx.profile_named(crate::schema::reference("BUFFER_PROFILE", name)))
        .collect();
    // A profile that does not exist has its own rule.
    if !port.is_up || named.iter().any(Option::is_none) {
        return None;
    }
    let of_lossless = lossless_pools(cx, port, table).into_iter().map(|pool| (pool, "lossless"));
    let of_lossy = lossy_pools(cx, port, table).into_iter().map(|pool| (pool, "lossy"));
    let (pool, traffic) = of_lossless
        .chain(of_lossy)
        .find(|(pool, _)| !named.iter().flatten().any(|profile| profile.pool == *pool))?;
    let pool = &cx.sw.pools.get(pool)?.name;
    let message = format!("has no profile of {pool} in {table}, but {traffic} traffic uses it");
    hit(table, &port.name, "profile_list", message)
}

/// The pools of the lossless groups or queues of a port.
fn lossless_pools(cx: &Context<'_, '_>, port: &ResolvedPort, table: &str) -> Vec<usize> {
    let is_ingress = table == TABLES[0];
    if is_ingress && cx.gets_groups(port) {
        return cx.sw.pools.iter().position(|pool| pool.name == crate::LOSSLESS_POOL).into_iter().collect();
    }
    if is_ingress {
        return cx.lossless_priorities(port).map(|(_, group)| group.pool).collect();
    }
    let queues = cx.lossless_classes(port).map(|class| usize::from(port.tc_to_queue[class]));
    queues.filter_map(|queue| cx.queue_profile(port, queue)).map(|profile| profile.pool).collect()
}

/// The pools of all groups or queues of a port, but pools for nothing.
fn lossy_pools(cx: &Context<'_, '_>, port: &ResolvedPort, table: &str) -> Vec<usize> {
    let profiles = if table == TABLES[0] { port.priority_groups.as_slice() } else { port.queues.as_slice() };
    let has_traffic = |pool: &usize| cx.sw.pools.get(*pool).is_some_and(|pool| !pool.name.contains("zero"));
    let pools = profiles.iter().filter_map(|profile| cx.profile(*profile)).map(|profile| profile.pool);
    pools.filter(has_traffic).collect()
}
