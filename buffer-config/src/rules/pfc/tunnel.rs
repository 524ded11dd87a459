//! # PFC018 lossy-tunnel
//!
//! Severity: error (a warning for the DSCP of the outer header).
//!
//! The maps of a tunnel put a DSCP of a lossless class into a lossy class, a lossless class into a priority group
//! without headroom or into a lossy queue, or give the outer header of its packets the DSCP of a lossy class.
//!
//! ## Why it matters
//!
//! In a dual ToR pair, packets for a server behind the other switch go through a tunnel. The maps of the tunnel replace
//! those of the port, so that the class is lossless on the link and lossy in the tunnel.
//!
//! ## Example
//!
//! ```json
//! {
//!   "TUNNEL": {"MuxTunnel0": {"tunnel_type": "IPINIP", "dscp_mode": "pipe", "decap_tc_to_pg_map": "TUNNEL"}},
//!   "TC_TO_PRIORITY_GROUP_MAP": {"TUNNEL": {"0": "0", "3": "0", "4": "0"}}
//! }
//! ```
//!
//! ## Fix
//!
//! Use the maps AZURE_TUNNEL of the template: classes 3 and 4 in priority groups and queues 2 and 6.
//!
//! ## Source
//!
//! [qos_config.j2](https://github.com/sonic-net/sonic-buildimage/blob/master/files/build_templates/qos_config.j2);
//! `decap_tc_to_pg_map` in
//! [tunneldecaporch.cpp](https://github.com/sonic-net/sonic-swss/blob/master/orchagent/tunneldecaporch.cpp).

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::ResolvedPort;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "PFC018", name: "lossy-tunnel", severity: Severity::Error, effect: effect::NOT_LOSSLESS };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    // The class that the port of the most priorities makes lossless.
    let Some(port) = cx.sw.ports.iter().filter(|p| p.is_up).max_by_key(|p| cx.lossless_classes(p).count())
    else {
        return;
    };
    let lossless: Vec<usize> = cx.lossless_classes(port).collect();
    for tunnel in cx.db.rows("TUNNEL") {
        if let Some((dscp, class, other)) = lossy_dscp(cx, port, &tunnel.key, &lossless) {
            let message = format!(
                "{}: DSCP {dscp} of lossless class {class} is in class {other} after the tunnel, which is lossy",
                tunnel.key
            );
            cx.report(out, &META, field("TUNNEL", &tunnel.key, "decap_dscp_to_tc_map"), message);
        }
        if let Some((class, dscp)) = lossy_outside(cx, &tunnel.key, &lossless) {
            let message = format!(
                "{}: packets of lossless class {class} get an outer header with DSCP {dscp}, which no port has in a lossless class",
                tunnel.key
            );
            cx.report(out, &META, field("TUNNEL", &tunnel.key, "encap_tc_to_dscp_map"), message)
                .severity(Severity::Warning);
        }
        for name in ["decap_tc_to_pg_map", "encap_tc_to_queue_map"] {
            let Some((class, target)) = lossy(cx, port, &tunnel.key, name, &lossless) else { continue };
            let what = if name == "decap_tc_to_pg_map" { "priority group" } else { "queue" };
            let message =
                format!("{}: lossless class {class} is in {what} {target}, which is lossy", tunnel.key);
            cx.report(out, &META, field("TUNNEL", &tunnel.key, name), message);
        }
    }
}

/// The first DSCP of a lossless class that the tunnel's map puts into a lossy class: the DSCP and both classes.
fn lossy_dscp(
    cx: &Context<'_, '_>,
    port: &ResolvedPort,
    tunnel: &str,
    lossless: &[usize],
) -> Option<(usize, usize, usize)> {
    let name = cx.value("TUNNEL", tunnel, "decap_dscp_to_tc_map")?;
    let map = crate::schema::reference("DSCP_TO_TC_MAP", name);
    cx.db.row("DSCP_TO_TC_MAP", map)?;
    port.dscp_to_tc.0.iter().enumerate().find_map(|(dscp, class)| {
        let class = usize::from(*class);
        // Classes 2 and 6 carry packets that went through the tunnel already.
        if matches!(class, 2 | 6) || !lossless.contains(&class) {
            return None;
        }
        let other = cx.value("DSCP_TO_TC_MAP", map, &dscp.to_string());
        let other = other.and_then(|n| n.trim().parse::<usize>().ok()).unwrap_or(0);
        (!lossless.contains(&other)).then_some((dscp, class, other))
    })
}

/// The first lossless class whose outer DSCP is in no lossless class of any port: class and DSCP.
fn lossy_outside(cx: &Context<'_, '_>, tunnel: &str, lossless: &[usize]) -> Option<(usize, usize)> {
    let name = cx.value("TUNNEL", tunnel, "encap_tc_to_dscp_map")?;
    let map = crate::schema::reference("TC_TO_DSCP_MAP", name);
    cx.db.row("TC_TO_DSCP_MAP", map)?;
    let is_lossless = |dscp: usize| {
        cx.sw.ports.iter().filter(|port| port.is_up).any(|port| {
            let class = port.dscp_to_tc.0.get(dscp).copied().map(usize::from);
            cx.lossless_classes(port).any(|lossless| Some(lossless) == class)
        })
    };
    // Classes 2 and 6 carry packets that went through the tunnel already.
    lossless.iter().copied().filter(|class| !matches!(class, 2 | 6)).find_map(|class| {
        let dscp = cx.value("TC_TO_DSCP_MAP", map, &class.to_string())?.trim().parse::<usize>().ok()?;
        (!is_lossless(dscp)).then_some((class, dscp))
    })
}

/// The first lossless class of a tunnel's map whose group or queue is lossy.
fn lossy(
    cx: &Context<'_, '_>,
    port: &ResolvedPort,
    tunnel: &str,
    name: &str,
    lossless: &[usize],
) -> Option<(usize, usize)> {
    let is_group = name == "decap_tc_to_pg_map";
    let table = if is_group { "TC_TO_PRIORITY_GROUP_MAP" } else { "TC_TO_QUEUE_MAP" };
    let map = crate::schema::reference(table, cx.value("TUNNEL", tunnel, name)?);
    cx.db.row(table, map)?;
    let target = |class: usize| {
        let value = cx.value(table, map, &class.to_string()).and_then(|n| n.trim().parse::<usize>().ok());
        // A map that lacks the class means 0.
        value.unwrap_or(0)
    };
    let is_lossless = |target: usize| match is_group {
        true => {
            cx.profile(port.priority_groups.get(target).copied().flatten()).is_some_and(|p| p.is_lossless())
        }
        false => lossless
            .iter()
            .any(|class| port.tc_to_queue.get(*class).is_some_and(|q| usize::from(*q) == target)),
    };
    // Classes 2 and 6 carry packets that went through the tunnel already.
    let classes = lossless.iter().copied().filter(|class| !matches!(class, 2 | 6));
    classes.map(|class| (class, target(class))).find(|(_, target)| !is_lossless(*target))
}
