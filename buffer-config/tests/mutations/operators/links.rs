//! Defects of links: members of a port channel that differ, cages and values of ports that SONiC refuses, virtual output
//! queues of a chassis, and access lists that match several DSCPs.

use serde_json::json;

use super::Expect::{Error, Harmless, Warning};
use super::beyond::{channel, fec_of};
use super::tables::{acl, lossless_dscp, lossy_dscp, own_system_port};
use super::{Operator, one_of_many};
use crate::config::Config;

/// Lanes of the ports with this `index`.
fn lanes_of_cage(c: &Config, index: &str) -> usize {
    let ports = c.keys("PORT");
    let is_up = |port: &&String| c.get("PORT", port, "admin_status").as_deref() == Some("up");
    let here =
        ports.iter().filter(is_up).filter(|port| c.get("PORT", port, "index").as_deref() == Some(index));
    here.filter_map(|port| Some(c.get("PORT", port, "lanes")?.split(',').count())).sum()
}

/// A port channel of the first two ports to two neighbours.
fn to_two_neighbours(c: &mut Config) -> Option<()> {
    let [p, q] = channel(c)?;
    let ends = [(p, json!({"name": "peer-a", "port": "x"})), (q, json!({"name": "peer-b", "port": "x"}))];
    c.table("DEVICE_NEIGHBOR")?.extend(ends);
    let roles = json!({"type": "LeafRouter"});
    let metadata = c.table("DEVICE_NEIGHBOR_METADATA")?;
    metadata.extend([("peer-a".to_string(), roles.clone()), ("peer-b".to_string(), roles)]);
    Some(())
}

/// Queue keys of a system port of another chip, as the first port of this one has them.
fn remote_system_ports(c: &mut Config, count: usize, with_queues: usize) -> Option<()> {
    let own = own_system_port(c)?;
    let fields = c.value("SYSTEM_PORT")?.get(own.as_str())?.clone();
    let queues: Vec<(String, serde_json::Value)> = c
        .keys("QUEUE")
        .into_iter()
        .filter_map(|key| {
            let queue = key.strip_prefix(&format!("{own}|"))?.to_string();
            Some((queue, c.value("QUEUE")?.get(key.as_str())?.clone()))
        })
        .collect();
    queues.iter().any(|(_, fields)| fields.get("wred_profile").is_some()).then_some(())?;
    for number in 0..count {
        let key = format!("other|asic0|Ethernet{}", number * 8);
        let mut fields = fields.clone();
        fields["switch_id"] = json!("8");
        fields["system_port_id"] = json!((900 + number).to_string());
        c.table("SYSTEM_PORT")?.insert(key.clone(), fields);
        if number < with_queues {
            let all = queues.iter().map(|(queue, fields)| (format!("{key}|{queue}"), fields.clone()));
            c.table("QUEUE")?.extend(all);
        }
    }
    Some(())
}

pub(super) const OPERATORS: &[Operator] = &[
    // Port channels.
    ("contradict", "port channel members to two switches", Warning(&["LINK012"]), to_two_neighbours),
    ("reorder", "two port channels to a pair of switches", Harmless, |c| {
        let [_, _, r, s, ..] = c.ports.as_slice() else { return None };
        let (r, s) = (r.clone(), s.clone());
        (c.get("PORT", &r, "speed") == c.get("PORT", &s, "speed")).then_some(())?;
        to_two_neighbours(c)?;
        let ends = [
            (r.clone(), json!({"name": "peer-a", "port": "y"})),
            (s.clone(), json!({"name": "peer-b", "port": "y"})),
        ];
        c.table("DEVICE_NEIGHBOR")?.extend(ends);
        let fields = c.value("PORTCHANNEL")?.get("PortChannel1")?.clone();
        c.table("PORTCHANNEL")?.insert("PortChannel2".into(), fields);
        let members = [(format!("PortChannel2|{r}"), json!({})), (format!("PortChannel2|{s}"), json!({}))];
        c.table("PORTCHANNEL_MEMBER")?.extend(members);
        for key in c.keys("VLAN_MEMBER") {
            if key.ends_with(&format!("|{r}")) || key.ends_with(&format!("|{s}")) {
                c.remove("VLAN_MEMBER", &key);
            }
        }
        Some(())
    }),
    ("contradict", "FEC of one member of a port channel", Warning(&["LINK012"]), |c| {
        let [p, q] = channel(c)?;
        // Without PAM4, RS-FEC and none are both valid.
        let lanes = c.get("PORT", &p, "lanes")?.split(',').count() as u32;
        (c.get("PORT", &p, "speed")?.parse::<u32>().ok()? / lanes < 50_000).then_some(())?;
        let _ = c.set("PORT", &q, "fec", "none");
        let fec = fec_of(c, &p)?;
        let _ = c.set("PORT", &p, "fec", fec);
        Some(())
    }),
    ("reorder", "FEC of one member of a port channel alone stated", Harmless, |c| {
        let [p, _] = channel(c)?;
        let _ = c.unset_all("PORT", "fec");
        let fec = fec_of(c, &p)?;
        let _ = c.set("PORT", &p, "fec", fec);
        Some(())
    }),
    ("contradict", "lossless DSCPs of one member of a port channel", Warning(&["LINK012", "MAP014"]), |c| {
        let [p, _] = channel(c)?;
        let (map, dscp) = (c.map("dscp_to_tc_map")?, lossless_dscp(c)?);
        (c.dscps(&c.priority).len() > 1).then_some(())?;
        let mut other = c.value("DSCP_TO_TC_MAP")?.get(map.as_str())?.clone();
        other[dscp.as_str()] = json!("0");
        c.table("DSCP_TO_TC_MAP")?.insert("OTHER".into(), other);
        c.set("PORT_QOS_MAP", &p, "dscp_to_tc_map", "OTHER")
    }),
    ("contradict", "member of a port channel in a VLAN", Error(&["LINK012"]), |c| {
        let [p, _] = channel(c)?;
        c.put("VLAN", json!({"Vlan1000": {"vlanid": "1000"}}));
        c.put("VLAN_MEMBER", json!({format!("Vlan1000|{p}"): {"tagging_mode": "untagged"}}));
        Some(())
    }),
    ("reorder", "a port channel in a VLAN", Harmless, |c| {
        channel(c)?;
        c.put("VLAN", json!({"Vlan1000": {"vlanid": "1000"}}));
        c.put("VLAN_MEMBER", json!({"Vlan1000|PortChannel1": {"tagging_mode": "untagged"}}));
        Some(())
    }),
    // Ports.
    ("contradict", "`index` of another port", Warning(&["LINK021"]), |c| {
        let p = one_of_many(c)?;
        let index = c.get("PORT", &p, "index")?;
        let other =
            c.ports.iter().rev().find_map(|q| c.get("PORT", q, "index").filter(|own| *own != index))?;
        let lanes = c.get("PORT", &p, "lanes")?.split(',').count();
        let all = c.keys("PORT");
        let most =
            all.iter().filter_map(|port| c.get("PORT", port, "index")).map(|i| lanes_of_cage(c, &i)).max()?;
        // The lanes of both ports do not fit into one cage.
        (lanes_of_cage(c, &other) + lanes > most).then_some(())?;
        c.set("PORT", &p, "index", &other)
    }),
    ("contradict", "two ports with one `subport` of a cage", Warning(&["LINK021"]), |c| {
        let (p, all) = (c.port()?, c.keys("PORT"));
        let index = c.get("PORT", &p, "index")?;
        let q = all.into_iter().find(|q| {
            let is_up = c.get("PORT", q, "admin_status").as_deref() == Some("up");
            is_up && *q != p && c.get("PORT", q, "index").as_ref() == Some(&index)
        })?;
        let _ = c.set("PORT", &q, "subport", "1");
        let _ = c.set("PORT", &p, "subport", "1");
        Some(())
    }),
    ("retype", "`fec` RS", Error(&["LINK003"]), |c| {
        let p = c.port()?;
        c.set("PORT", &p, "fec", "RS")
    }),
    ("retype", "`autoneg` yes", Error(&["LINK009"]), |c| {
        let p = c.port()?;
        c.set("PORT", &p, "autoneg", "yes")
    }),
    ("retype", "`pfc_asym` ON", Error(&["LINK003"]), |c| {
        let p = c.port()?;
        c.set("PORT", &p, "pfc_asym", "ON")
    }),
    ("retype", "`role` external", Error(&["LINK003"]), |c| {
        let p = c.port()?;
        c.set("PORT", &p, "role", "external")
    }),
    ("retype", "`index` that is no number", Error(&["LINK003"]), |c| {
        let p = c.port()?;
        c.get("PORT", &p, "index")?;
        c.set("PORT", &p, "index", "1a")
    }),
    // Virtual output queues.
    ("remove", "ECN of the queues of one port (chassis)", Error(&["ECN007"]), |c| {
        let (key, one) = (own_system_port(c)?, one_of_many(c)?);
        key.ends_with(&format!("|{one}")).then_some(())?;
        let mut removed = false;
        for queue in c.keys("QUEUE").iter().filter(|queue| queue.starts_with(&format!("{key}|"))) {
            removed |= c.unset("QUEUE", queue, "wred_profile").is_some();
        }
        removed.then_some(())
    }),
    ("remove", "queues of one system port of another chip (chassis)", Error(&["ECN007"]), |c| {
        remote_system_ports(c, 6, 5)
    }),
    ("reorder", "system ports of another chip (chassis)", Harmless, |c| remote_system_ports(c, 6, 6)),
    ("reorder", "system ports of another chip without queues (chassis)", Harmless, |c| {
        remote_system_ports(c, 6, 0)
    }),
    ("rescale", "`num_voq` 2 (chassis)", Error(&["LINK015"]), |c| {
        own_system_port(c)?;
        let keys = c.keys("SYSTEM_PORT");
        for key in &keys {
            let _ = c.set("SYSTEM_PORT", key, "num_voq", "2");
        }
        Some(())
    }),
    // Access lists.
    ("contradict", "access list that drops a range of DSCPs by a mask", Warning(&["MAP013"]), |c| {
        let dscp = lossless_dscp(c)?;
        acl(c, json!({"PRIORITY": "10", "DSCP": format!("{dscp}/0x38"), "PACKET_ACTION": "DROP"}))
    }),
    ("contradict", "access list that remarks a range of DSCPs by a mask", Warning(&["MAP013"]), |c| {
        let (from, to) = (lossless_dscp(c)?, lossy_dscp(c)?);
        acl(c, json!({"PRIORITY": "10", "DSCP": format!("{from}/0x3e"), "DSCP_ACTION": to}))
    }),
    ("reorder", "access list that drops a lossy DSCP by a mask", Harmless, |c| {
        let dscp = lossy_dscp(c)?;
        acl(c, json!({"PRIORITY": "10", "DSCP": format!("{dscp}/0x3f"), "PACKET_ACTION": "DROP"}))
    }),
    ("contradict", "access list that drops a range of UDP ports", Warning(&["MAP013"]), |c| {
        acl(c, json!({"PRIORITY": "10", "L4_DST_PORT_RANGE": "4000-5000", "PACKET_ACTION": "DROP"}))
    }),
    ("reorder", "access list that drops other UDP ports", Harmless, |c| {
        acl(c, json!({"PRIORITY": "10", "L4_DST_PORT_RANGE": "5000-6000", "PACKET_ACTION": "DROP"}))
    }),
    ("contradict", "access list that drops a lossless traffic class", Warning(&["MAP013"]), |c| {
        lossless_dscp(c)?;
        let class = c.priority.clone();
        acl(c, json!({"PRIORITY": "10", "TC": class, "PACKET_ACTION": "DROP"}))
    }),
    ("contradict", "access list that polices a lossless class", Warning(&["MAP013"]), |c| {
        let dscp = lossless_dscp(c)?;
        let policer = json!({"meter_type": "bytes", "mode": "sr_tcm", "cir": "1000000", "cbs": "1000000",
            "red_packet_action": "drop"});
        c.put("POLICER", json!({"P": policer}));
        acl(c, json!({"PRIORITY": "10", "DSCP": dscp, "POLICER_ACTION": "P"}))
    }),
    ("reorder", "access list that polices a lossy class", Harmless, |c| {
        let dscp = lossy_dscp(c)?;
        let policer = json!({"meter_type": "bytes", "mode": "sr_tcm", "cir": "1000000", "cbs": "1000000",
            "red_packet_action": "drop"});
        c.put("POLICER", json!({"P": policer}));
        acl(c, json!({"PRIORITY": "10", "DSCP": dscp, "POLICER_ACTION": "P"}))
    }),
    // Tunnels.
    ("contradict", "DSCP 0 around packets of a lossless class in a tunnel", Warning(&["PFC018"]), |c| {
        lossless_dscp(c)?;
        let map: serde_json::Map<String, serde_json::Value> =
            (0..8).map(|tc| (tc.to_string(), json!("0"))).collect();
        let mut all = c.value("TC_TO_DSCP_MAP").cloned().unwrap_or(json!({}));
        all["OUTER"] = map.into();
        c.put("TC_TO_DSCP_MAP", all);
        super::beyond::tunnel(c, "encap_tc_to_dscp_map", "OUTER");
        Some(())
    }),
];
