//! # LINK027 vxlan-tunnel
//!
//! Severity: error (a warning for an address that is not in the file).
//!
//! A VXLAN tunnel has no source address, or one that no loopback of the switch has; or VXLAN_TUNNEL_MAP and
//! VXLAN_EVPN_NVO name a tunnel or a VLAN that does not exist.
//!
//! ## Why it matters
//!
//! `vxlanmgrd` and orchagent retry until the missing entry exists, and log that at DEBUG level only. Packets to the
//! VLAN behind the tunnel are dropped or flooded, lossless ones included.
//!
//! ## Example
//!
//! ```json
//! {
//!   "VXLAN_TUNNEL": {"vtep1": {"src_ip": "10.1.0.32"}},
//!   "VXLAN_TUNNEL_MAP": {"vtep2|map_1000_Vlan1000": {"vlan": "Vlan1000", "vni": "1000"}}
//! }
//! ```
//!
//! ## Fix
//!
//! Define the tunnel in VXLAN_TUNNEL with the address of a loopback as `src_ip`, and the VLAN in VLAN.
//!
//! ## Source
//!
//! `doVxlanTunnelMapCreateTask` in
//! [vxlanmgr.cpp](https://github.com/sonic-net/sonic-swss/blob/master/cfgmgr/vxlanmgr.cpp);
//! [sonic-vxlan.yang](https://github.com/sonic-net/sonic-buildimage/blob/master/src/sonic-yang-models/yang-models/sonic-vxlan.yang).

use super::super::context::{Context, Findings, field, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "LINK027", name: "vxlan-tunnel", severity: Severity::Error, effect: effect::LINK };

const TUNNELS: &str = "VXLAN_TUNNEL";
const MAPS: &str = "VXLAN_TUNNEL_MAP";
const OVERLAYS: &str = "VXLAN_EVPN_NVO";

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    sources(cx, out);
    let has_vlans = !cx.db.rows("VLAN").is_empty();
    for map in cx.db.rows(MAPS) {
        let tunnel = map.key.split('|').next().unwrap_or_default();
        if cx.db.row(TUNNELS, tunnel).is_none() {
            let message = format!("{}: tunnel {tunnel} is not in VXLAN_TUNNEL", map.key);
            cx.report(out, &META, row(MAPS, &map.key), message);
            continue;
        }
        let vlan = cx.db.field(map, "vlan").map(|field| field.value);
        if let Some(vlan) = vlan.filter(|vlan| has_vlans && cx.db.row("VLAN", vlan).is_none()) {
            let message = format!("{}: {vlan} is not in VLAN", map.key);
            cx.report(out, &META, field(MAPS, &map.key, "vlan"), message);
        }
    }
    for overlay in cx.db.rows(OVERLAYS) {
        let source = cx.db.field(overlay, "source_vtep").map(|field| field.value).unwrap_or_default();
        if cx.db.row(TUNNELS, source).is_none() {
            let message = format!("{}: source_vtep `{source}` is not in VXLAN_TUNNEL", overlay.key);
            cx.report(out, &META, field(OVERLAYS, &overlay.key, "source_vtep"), message);
        }
    }
}

/// Reports tunnels without a source address of the switch.
fn sources(cx: &Context<'_, '_>, out: &mut Findings) {
    let address =
        |key: &'_ str| -> Option<String> { Some(key.split_once('|')?.1.split('/').next()?.to_string()) };
    let own: Vec<String> =
        cx.db.rows("LOOPBACK_INTERFACE").iter().filter_map(|entry| address(&entry.key)).collect();
    for tunnel in cx.db.rows(TUNNELS) {
        let source = cx.db.field(tunnel, "src_ip").map(|field| field.value.trim()).unwrap_or_default();
        if source.is_empty() {
            let message = format!("{} has no src_ip", tunnel.key);
            cx.report(out, &META, row(TUNNELS, &tunnel.key), message);
        } else if !own.is_empty() && !own.iter().any(|address| address == source) {
            let message =
                format!("{} has src_ip {source}, which is no address in LOOPBACK_INTERFACE", tunnel.key);
            cx.report(out, &META, field(TUNNELS, &tunnel.key, "src_ip"), message).severity(Severity::Warning);
        }
    }
}
