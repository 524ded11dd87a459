//! Defects of tunnels, of slow lanes and small MTUs, and of fields of PORT_QOS_MAP that only orchagent knows.

use serde_json::json;

use super::Expect::{Error, Harmless, Warning};
use super::Operator;
use super::tables::{lossless_dscp, lossy_dscp, pair};
use crate::config::Config;

/// A dual ToR with a tunnel to its Loopback0 and these fields of the tunnel.
fn tor(c: &mut Config, fields: &[(&str, &str)]) -> Option<()> {
    pair(c, "b", "b")?;
    c.put("LOOPBACK_INTERFACE", json!({"Loopback0": {}, "Loopback0|10.1.0.32/32": {}}));
    for (name, value) in fields {
        let _ = c.set("TUNNEL", "MuxTunnel0", name, value);
    }
    Some(())
}

/// A dual ToR with remapping, whose tunnel has the maps of the ports.
fn remapped(c: &mut Config) -> Option<()> {
    let [dscps, groups, queues] =
        [c.map("dscp_to_tc_map")?, c.map("tc_to_pg_map")?, c.map("tc_to_queue_map")?];
    let outer: serde_json::Map<String, serde_json::Value> = (0..8)
        .filter_map(|class| Some((class.to_string(), json!(c.dscps(&class.to_string()).first()?))))
        .collect();
    c.put("TC_TO_DSCP_MAP", json!({"OUTER": outer}));
    tor(
        c,
        &[
            ("dscp_mode", "pipe"),
            ("decap_dscp_to_tc_map", &dscps),
            ("decap_tc_to_pg_map", &groups),
            ("encap_tc_to_queue_map", &queues),
            ("encap_tc_to_dscp_map", "OUTER"),
        ],
    )?;
    c.put("SYSTEM_DEFAULTS", json!({"tunnel_qos_remap": {"status": "enabled"}}));
    Some(())
}

/// A VXLAN tunnel from the loopback of the switch, with a VLAN behind it.
fn vxlan(c: &mut Config, fields: &[(&str, &str)]) -> Option<()> {
    c.port()?;
    let mut tunnel = json!({"src_ip": "10.1.0.32"});
    for (name, value) in fields {
        tunnel[*name] = json!(value);
    }
    c.put("VXLAN_TUNNEL", json!({"vtep": tunnel}));
    c.put("VXLAN_EVPN_NVO", json!({"nvo": {"source_vtep": "vtep"}}));
    c.put("VXLAN_TUNNEL_MAP", json!({"vtep|map_10_Vlan10": {"vlan": "Vlan10", "vni": "10"}}));
    c.put("LOOPBACK_INTERFACE", json!({"Loopback0": {}, "Loopback0|10.1.0.32/32": {}}));
    if c.table("VLAN").is_none() {
        c.put("VLAN", json!({}));
    }
    c.table("VLAN")?.insert("Vlan10".into(), json!({"vlanid": "10"}));
    Some(())
}

/// A field of PORT_QOS_MAP of the first port.
fn qos(c: &mut Config, field: &str, map: &str) -> Option<()> {
    let port = c.port()?;
    c.set("PORT_QOS_MAP", &port, field, map)
}

pub(super) const OPERATORS: &[Operator] = &[
    // The tunnel of a dual ToR.
    ("reorder", "a dual ToR with remapping and maps", Harmless, remapped),
    ("remove", "a map of a tunnel with remapping", Warning(&["LINK020"]), |c| {
        remapped(c)?;
        c.unset("TUNNEL", "MuxTunnel0", "encap_tc_to_dscp_map")
    }),
    ("contradict", "a map for the DSCP of a tunnel that copies it", Warning(&["LINK020"]), |c| {
        remapped(c)?;
        c.set("TUNNEL", "MuxTunnel0", "dscp_mode", "uniform")
    }),
    ("contradict", "a tunnel to another address than Loopback0", Warning(&["LINK020"]), |c| {
        tor(c, &[("dst_ip", "10.9.9.9")])
    }),
    ("contradict", "peer with the address of this switch", Warning(&["LINK020"]), |c| {
        tor(c, &[])?;
        c.set("PEER_SWITCH", "b", "address_ipv4", "10.1.0.32")
    }),
    // VXLAN.
    ("reorder", "a VXLAN tunnel", Harmless, |c| vxlan(c, &[])),
    ("reorder", "a VXLAN tunnel that copies the DSCP", Harmless, |c| vxlan(c, &[("qos-mode", "uniform")])),
    ("contradict", "a VXLAN tunnel with DSCP 0 for all packets", Warning(&["PFC020"]), |c| {
        lossless_dscp(c)?;
        vxlan(c, &[("qos-mode", "pipe")])
    }),
    ("contradict", "a VXLAN tunnel with a lossy DSCP for all packets", Warning(&["PFC020"]), |c| {
        let dscp = lossy_dscp(c)?;
        lossless_dscp(c)?;
        vxlan(c, &[("qos-mode", "pipe"), ("dscp", &dscp)])
    }),
    ("contradict", "a VXLAN tunnel with a lossless DSCP for all packets", Warning(&["PFC020"]), |c| {
        let dscp = lossless_dscp(c)?;
        vxlan(c, &[("qos-mode", "pipe"), ("dscp", &dscp)])
    }),
    ("remove", "`src_ip` of a VXLAN tunnel", Error(&["LINK027"]), |c| {
        vxlan(c, &[])?;
        c.unset("VXLAN_TUNNEL", "vtep", "src_ip")
    }),
    ("contradict", "address of a VXLAN tunnel that no loopback has", Warning(&["LINK027"]), |c| {
        vxlan(c, &[("src_ip", "10.9.9.9")])
    }),
    ("dangle", "VLAN of a VXLAN tunnel", Error(&["LINK027"]), |c| {
        vxlan(c, &[])?;
        c.set("VXLAN_TUNNEL_MAP", "vtep|map_10_Vlan10", "vlan", "Vlan4000")
    }),
    ("dangle", "tunnel of a VLAN", Error(&["LINK027"]), |c| {
        vxlan(c, &[])?;
        c.put("VXLAN_TUNNEL_MAP", json!({"none|map_10_Vlan10": {"vlan": "Vlan10", "vni": "10"}}));
        Some(())
    }),
    ("dangle", "VXLAN tunnel of EVPN", Error(&["LINK027"]), |c| {
        vxlan(c, &[])?;
        c.set("VXLAN_EVPN_NVO", "nvo", "source_vtep", "none")
    }),
    // Lanes and MTUs.
    ("contradict", "RS-FEC on lanes with less than 25 Gb/s", Warning(&["LINK014"]), |c| {
        let p = c.port()?;
        (super::beyond::lane_mbps(c, &p)? < 25_000).then_some(())?;
        c.set("PORT", &p, "fec", "rs")
    }),
    ("contradict", "MTU of all ports: 600", Warning(&["LINK010"]), |c| {
        c.port()?;
        for port in c.keys("PORT") {
            let _ = c.set("PORT", &port, "mtu", "600");
        }
        Some(())
    }),
    // Fields of PORT_QOS_MAP.
    ("reorder", "a map of MPLS classes", Harmless, |c| {
        c.put("MPLS_TC_TO_TC_MAP", json!({"M": {"0": "0", "1": "1"}}));
        qos(c, "mpls_tc_to_tc_map", "M")
    }),
    ("reorder", "a map to 802.1p priorities", Harmless, |c| {
        c.put("TC_TO_DOT1P_MAP", json!({"M": {"0": "0", "1": "1"}}));
        qos(c, "tc_to_dot1p_map", "M")
    }),
    ("dangle", "`mpls_tc_to_tc_map`", Error(&["MAP004"]), |c| qos(c, "mpls_tc_to_tc_map", "NONE")),
    ("dangle", "`tc_to_dot1p_map`", Error(&["MAP004"]), |c| qos(c, "tc_to_dot1p_map", "NONE")),
    ("retype", "an unknown field of all ports", Error(&["SRC005"]), |c| {
        c.port()?;
        for port in c.keys("PORT_QOS_MAP") {
            c.set("PORT_QOS_MAP", &port, "tc_to_queues_map", "AZURE")?;
        }
        Some(())
    }),
];
