//! # LINK010 odd-mtu
//!
//! Severity: warning.
//!
//! A port that uses PFC has a smaller MTU than most ports or than the packets of hosts (1500 bytes), the MTU of a port
//! channel differs from that of a member, or a VLAN has a smaller MTU than a member. On NX-OS also a lossless network QoS class with a smaller MTU than
//! another class.
//!
//! ## Why it matters
//!
//! The port drops larger frames, also of lossless traffic, without a pause. The MTU of a VLAN is that of its router
//! interface: larger packets are not routed. Path MTU discovery does not help RDMA.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {
//!     "Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "mtu": "1500", "admin_status": "up"},
//!     "Ethernet8": {"lanes": "9", "speed": "100000", "mtu": "9100", "admin_status": "up"},
//!     "Ethernet12": {"lanes": "10", "speed": "100000", "mtu": "9100", "admin_status": "up"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set the MTU of the other ports, or reduce the MTU of the hosts.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale 5.1; RFC 894 (1500 bytes);
//! `addRouterIntfs` in [intfsorch.cpp](https://github.com/sonic-net/sonic-swss/blob/master/orchagent/intfsorch.cpp);
//! [sonic-portchannel.yang](https://github.com/sonic-net/sonic-buildimage/blob/master/src/sonic-yang-models/yang-models/sonic-portchannel.yang).

use super::super::context::{Context, Findings, field, hit};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "LINK010", name: "odd-mtu", severity: Severity::Warning, effect: effect::LINK };

/// The usual MTU of hosts, bytes (RFC 894).
const SMALLEST_BYTES: u32 = 1500;

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let is_up = || cx.sw.ports.iter().filter(|port| port.is_up);
    let mut mtus: Vec<u32> = is_up().map(|port| port.mtu_bytes).collect();
    mtus.sort_unstable();
    // The median: the MTU of at least half of the ports is not smaller.
    let usual = mtus.get(mtus.len() / 2).copied().unwrap_or(0);
    let (all, equal) = (mtus.len(), mtus.iter().filter(|mtu| **mtu == usual).count());
    cx.by_port(out, &META, |port| {
        let is_odd = port.is_up && port.pfc_priorities != 0 && port.mtu_bytes < usual;
        let message = format!("MTU {}, but {equal} of {all} ports have {usual}", port.mtu_bytes);
        (is_odd && equal * 4 >= all * 3).then(|| hit("PORT", &port.name, "mtu", message)).flatten()
    });
    cx.by_port(out, &META, |port| {
        // A smaller MTU than that of other ports is reported already.
        let is_small = port.mtu_bytes < SMALLEST_BYTES && (port.mtu_bytes >= usual || equal * 4 < all * 3);
        let message = format!(
            "MTU {}: hosts send packets of {SMALLEST_BYTES} B unless configured otherwise",
            port.mtu_bytes
        );
        let is_reported = port.is_up && port.pfc_priorities != 0 && is_small;
        is_reported.then(|| hit("PORT", &port.name, "mtu", message)).flatten()
    });
    for member in cx.db.rows("PORTCHANNEL_MEMBER") {
        let Some((channel, name)) = member.key.split_once('|') else { continue };
        let Some(port) = cx.sw.ports.iter().find(|port| port.name == name) else { continue };
        let mtu = cx.value("PORTCHANNEL", channel, "mtu").and_then(crate::resolve::number);
        if let Some(mtu) = mtu.filter(|mtu| *mtu != u64::from(port.mtu_bytes)) {
            let message = format!("{channel} has MTU {mtu}, but its member {name} has {}", port.mtu_bytes);
            cx.report(out, &META, field("PORTCHANNEL", channel, "mtu"), message);
        }
    }
    vlans(cx, out);
}

/// Reports VLANs with a smaller MTU than a member that uses PFC.
fn vlans(cx: &Context<'_, '_>, out: &mut Findings) {
    for entry in cx.db.rows("VLAN") {
        let Some(mtu) = cx.db.field(entry, "mtu").and_then(|field| crate::resolve::number(field.value))
        else {
            continue;
        };
        let is_member = |port: &str| cx.db.row("VLAN_MEMBER", &format!("{}|{port}", entry.key)).is_some();
        let is_larger = |port: &&crate::resolved::ResolvedPort| {
            port.is_up && port.pfc_priorities != 0 && u64::from(port.mtu_bytes) > mtu && is_member(&port.name)
        };
        if let Some(port) = cx.sw.ports.iter().find(is_larger) {
            let message =
                format!("{} has MTU {mtu}, but its member {} has {}", entry.key, port.name, port.mtu_bytes);
            cx.report(out, &META, field("VLAN", &entry.key, "mtu"), message);
        }
    }
}
