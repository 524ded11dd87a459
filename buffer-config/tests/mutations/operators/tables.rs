//! Defects that another table shows: of the device, access lists, mirror sessions and trimming, breakout, the second switch
//! of a rack, and ports that differ from nearly all others.

use serde_json::{Value, json};

use super::Expect::{Error, Harmless, Warning};
use super::{Operator, one_of_many, watched};
use crate::config::Config;

/// A port channel of the first port, with these fields.
fn channel(c: &mut Config, name: &str, fields: Value) -> Option<String> {
    let port = c.port()?;
    c.put("PORTCHANNEL", json!({name: fields}));
    c.put("PORTCHANNEL_MEMBER", json!({format!("{name}|{port}"): {}}));
    for key in c.keys("VLAN_MEMBER").iter().filter(|key| key.ends_with(&format!("|{port}"))) {
        c.remove("VLAN_MEMBER", key);
    }
    Some(port)
}

/// The first DSCP of the first lossless class, if that class has headroom.
pub(super) fn lossless_dscp(c: &Config) -> Option<String> {
    c.port()?;
    c.dscps(&c.priority).into_iter().next()
}

/// A DSCP of a class without PFC.
pub(super) fn lossy_dscp(c: &Config) -> Option<String> {
    let list = c.get("PORT_QOS_MAP", c.ports.first()?, "pfc_enable")?;
    let lossy = (0..8)
        .map(|class| class.to_string())
        .find(|class| !list.split(',').any(|priority| priority == class) && !c.dscps(class).is_empty())?;
    c.dscps(&lossy).into_iter().next()
}

pub(super) fn acl(c: &mut Config, rule: Value) -> Option<()> {
    let port = c.port()?;
    c.put("ACL_TABLE", json!({"T": {"type": "L3", "stage": "ingress", "ports": [port]}}));
    c.put("ACL_RULE", json!({"T|R": rule}));
    Some(())
}

fn mirror(c: &mut Config, field: &str, value: &str) -> Option<()> {
    let mut session = json!({"src_ip": "10.0.0.1", "dst_ip": "10.0.0.2", "gre_type": "0x88be", "ttl": "64"});
    session["dscp"] = json!(lossy_dscp(c)?);
    session[field] = json!(value);
    c.put("MIRROR_SESSION", json!({"everflow": session}));
    Some(())
}

fn trimming(c: &mut Config, field: &str, value: &str) -> Option<()> {
    super::copies::trimming(c, &[(field, value)])
}

/// A dual ToR without remapping of its tunnel.
pub(super) fn pair(c: &mut Config, peer: &str, named: &str) -> Option<()> {
    c.port()?;
    c.set("DEVICE_METADATA", "localhost", "subtype", "DualToR").or(Some(()))?;
    c.set("DEVICE_METADATA", "localhost", "peer_switch", named)?;
    c.put("PEER_SWITCH", json!({peer: {"address_ipv4": "10.1.0.33"}}));
    let tunnel = json!({"tunnel_type": "IPINIP", "dst_ip": "10.1.0.32", "dscp_mode": "uniform"});
    c.put("TUNNEL", json!({"MuxTunnel0": tunnel}));
    c.remove("SYSTEM_DEFAULTS", "tunnel_qos_remap");
    Some(())
}

pub(super) fn own_system_port(c: &Config) -> Option<String> {
    let port = c.port()?;
    c.keys("SYSTEM_PORT").into_iter().find(|key| key.rsplit('|').next() == Some(&port))
}

pub(super) const OPERATORS: &[Operator] = &[
    // The device.
    ("contradict", "SKU of a switch with another ASIC", Warning(&["SRC015"]), |c| {
        c.port()?;
        let sku = if c.is_nvidia() { "Arista-7060X6-64PE" } else { "ACS-MSN4700" };
        let platform = c.get("DEVICE_METADATA", "localhost", "platform")?;
        buffer_config::asic::of_device(&platform, "")?;
        c.set("DEVICE_METADATA", "localhost", "hwsku", sku)
    }),
    ("remove", "`switch_type` (chassis)", Error(&["LINK015"]), |c| {
        c.table("SYSTEM_PORT")?;
        c.unset("DEVICE_METADATA", "localhost", "switch_type")
    }),
    ("remove", "table SYSTEM_PORT (chassis)", Error(&["LINK015"]), |c| c.remove_table("SYSTEM_PORT")),
    ("contradict", "chip number of a system port (chassis)", Error(&["LINK015"]), |c| {
        let key = own_system_port(c)?;
        c.get("SYSTEM_PORT", &key, "switch_id")?;
        c.set("SYSTEM_PORT", &key, "switch_id", "77")
    }),
    ("contradict", "another name of the peer of a dual ToR", Warning(&["LINK020"]), |c| pair(c, "b", "a")),
    ("contradict", "a dual ToR that is its own peer", Warning(&["LINK020"]), |c| {
        let name = c.get("DEVICE_METADATA", "localhost", "hostname")?;
        pair(c, &name, &name)
    }),
    ("remove", "tunnel of a dual ToR", Warning(&["LINK020"]), |c| {
        pair(c, "b", "b")?;
        c.remove_table("TUNNEL")
    }),
    ("reorder", "a dual ToR with a peer and a tunnel", Harmless, |c| pair(c, "b", "b")),
    ("retype", "`ecn_mode` of a tunnel: \"copy\"", Warning(&["SRC006"]), |c| {
        pair(c, "b", "b")?;
        let fields = json!({"tunnel_type": "IPINIP", "dst_ip": "10.1.0.32", "ecn_mode": "copy"});
        c.put("TUNNEL", json!({"MuxTunnel0": fields}));
        Some(())
    }),
    // Ports and port channels.
    ("retype", "lane that is no number", Error(&["LINK003"]), |c| {
        let p = c.port()?;
        c.get("PORT", &p, "lanes")?;
        c.set("PORT", &p, "lanes", "1,2,x,4")
    }),
    ("contradict", "a lane twice in one port", Error(&["LINK003"]), |c| {
        let p = c.port()?;
        let lanes = c.get("PORT", &p, "lanes").filter(|lanes| lanes.contains(','))?;
        let mut all: Vec<&str> = lanes.split(',').collect();
        all[1] = all[0];
        c.set("PORT", &p, "lanes", &all.join(","))
    }),
    ("contradict", "FC-FEC for 100 Gb/s on four lanes", Warning(&["LINK014"]), |c| {
        let p = c.port()?;
        let lanes = c.get("PORT", &p, "lanes")?.split(',').count();
        (c.get("PORT", &p, "speed")? == "100000" && lanes == 4).then_some(())?;
        c.set("PORT", &p, "fec", "fc")
    }),
    ("remove", "a port with all its entries left", Error(&["BUF017"]), |c| {
        let p = one_of_many(c)?;
        c.remove("PORT", &p).map(|_| ())
    }),
    ("remove", "`admin_status` of a port channel", Error(&["LINK012"]), |c| {
        channel(c, "PortChannel1", json!({"mtu": "9100"})).map(|_| ())
    }),
    ("retype", "`min_links` \"one\"", Error(&["LINK012"]), |c| {
        channel(c, "PortChannel1", json!({"admin_status": "up", "min_links": "one"})).map(|_| ())
    }),
    ("retype", "name of a port channel: Po1", Error(&["LINK012"]), |c| {
        channel(c, "Po1", json!({"admin_status": "up"})).map(|_| ())
    }),
    ("contradict", "member of a port channel with an IP address", Error(&["LINK012"]), |c| {
        let p = channel(c, "PortChannel1", json!({"admin_status": "up"}))?;
        c.put("INTERFACE", json!({p.clone(): {}, format!("{p}|10.0.0.0/31"): {}}));
        Some(())
    }),
    ("reorder", "a port channel that is down", Harmless, |c| {
        c.port()?;
        c.put("PORTCHANNEL", json!({"PortChannel1": {"admin_status": "down"}}));
        Some(())
    }),
    ("contradict", "breakout mode of another speed", Warning(&["LINK019"]), |c| {
        let p = c.port()?;
        c.put("BREAKOUT_CFG", json!({p: {"brkout_mode": "4x1G"}}));
        Some(())
    }),
    ("dangle", "port of a breakout mode", Warning(&["LINK019"]), |c| {
        c.port()?;
        c.put("BREAKOUT_CFG", json!({"Ethernet9999": {"brkout_mode": "1x100G"}}));
        Some(())
    }),
    ("reorder", "breakout mode of the port", Harmless, |c| {
        let p = c.port()?;
        let speed: u32 = c.get("PORT", &p, "speed")?.parse().ok()?;
        c.put("BREAKOUT_CFG", json!({p: {"brkout_mode": format!("2x{}G[1G,10G]", speed / 1000)}}));
        Some(())
    }),
    ("contradict", "another cable length in a second table", Error(&["LINK002"]), |c| {
        let (p, t) = (c.port()?, c.keys("CABLE_LENGTH").first().cloned()?);
        let length = c.get("CABLE_LENGTH", &t, &p)?;
        let other = if length == "5m" { "300m" } else { "5m" };
        c.table("CABLE_LENGTH")?.insert("OTHER".into(), json!({p: other}));
        Some(())
    }),
    ("reorder", "the same cable length in a second table", Harmless, |c| {
        let (p, t) = (c.port()?, c.keys("CABLE_LENGTH").first().cloned()?);
        let length = c.get("CABLE_LENGTH", &t, &p)?;
        c.table("CABLE_LENGTH")?.insert("OTHER".into(), json!({p: length}));
        Some(())
    }),
    // Neighbours.
    ("dangle", "name of a neighbour", Warning(&["LINK016"]), |c| {
        let p = c.port()?;
        c.get("DEVICE_NEIGHBOR", &p, "port")?;
        (!c.keys("DEVICE_NEIGHBOR_METADATA").is_empty()).then_some(())?;
        c.set("DEVICE_NEIGHBOR", &p, "name", "absent")
    }),
    ("remove", "port of a neighbour", Warning(&["LINK016"]), |c| {
        let p = c.port()?;
        c.unset("DEVICE_NEIGHBOR", &p, "port")
    }),
    // Packets of the switch, and access lists.
    ("contradict", "mirrored packets with a lossless DSCP", Warning(&["PFC019"]), |c| {
        let dscp = lossless_dscp(c)?;
        mirror(c, "dscp", &dscp)
    }),
    ("contradict", "mirrored packets in a lossless class", Warning(&["PFC019"]), |c| {
        lossless_dscp(c)?;
        let class = c.priority.clone();
        mirror(c, "queue", &class)
    }),
    ("retype", "mirror session with DSCP 99", Warning(&["PFC019"]), |c| {
        lossless_dscp(c)?;
        mirror(c, "dscp", "99")
    }),
    ("reorder", "a mirror session with a lossy DSCP", Harmless, |c| mirror(c, "ttl", "32")),
    ("contradict", "trimmed packets with a lossless DSCP", Warning(&["PFC019"]), |c| {
        let dscp = lossless_dscp(c)?;
        trimming(c, "dscp_value", &dscp)
    }),
    ("contradict", "trimmed packets in a lossless queue", Warning(&["PFC019"]), |c| {
        let (map, class) = (c.map("tc_to_queue_map")?, c.priority.clone());
        lossless_dscp(c)?;
        let queue = c.get("TC_TO_QUEUE_MAP", &map, &class)?;
        trimming(c, "queue_index", &queue)
    }),
    ("reorder", "trimming with a lossy DSCP", Harmless, |c| trimming(c, "size", "128")),
    ("contradict", "access list that gives lossless packets a lossy DSCP", Warning(&["MAP013"]), |c| {
        let (from, to) = (lossless_dscp(c)?, lossy_dscp(c)?);
        acl(c, json!({"PRIORITY": "10", "DSCP": from, "DSCP_ACTION": to}))
    }),
    ("contradict", "access list that gives lossy packets a lossless DSCP", Warning(&["MAP013"]), |c| {
        let (from, to) = (lossy_dscp(c)?, lossless_dscp(c)?);
        acl(c, json!({"PRIORITY": "10", "DSCP": from, "DSCP_ACTION": to}))
    }),
    ("contradict", "access list that drops lossless packets", Warning(&["MAP013"]), |c| {
        let dscp = lossless_dscp(c)?;
        acl(c, json!({"PRIORITY": "10", "DSCP": dscp, "PACKET_ACTION": "DROP"}))
    }),
    ("contradict", "access list that drops RoCEv2", Warning(&["MAP013"]), |c| {
        acl(c, json!({"PRIORITY": "10", "IP_PROTOCOL": "17", "L4_DST_PORT": "4791", "PACKET_ACTION": "DROP"}))
    }),
    ("reorder", "an access list that drops lossy packets", Harmless, |c| {
        let dscp = lossy_dscp(c)?;
        acl(c, json!({"PRIORITY": "10", "DSCP": dscp, "PACKET_ACTION": "DROP"}))
    }),
    ("reorder", "an access list that forwards lossless packets", Harmless, |c| {
        let dscp = lossless_dscp(c)?;
        acl(c, json!({"PRIORITY": "10", "DSCP": dscp, "PACKET_ACTION": "FORWARD"}))
    }),
    // One port unlike the others.
    ("contradict", "one more lossless DSCP on one port", Warning(&["MAP014"]), |c| {
        let p = one_of_many(c)?;
        let (map, lossy) = (c.map("dscp_to_tc_map")?, lossy_dscp(c).filter(|dscp| dscp != "0")?);
        (!["0", "46", "48", "56"].contains(&lossy.as_str())).then_some(())?;
        let mut other = c.value("DSCP_TO_TC_MAP")?.get(map.as_str())?.clone();
        other[lossy.as_str()] = json!(c.priority);
        c.table("DSCP_TO_TC_MAP")?.insert("OTHER".into(), other);
        c.set("PORT_QOS_MAP", &p, "dscp_to_tc_map", "OTHER")
    }),
    ("contradict", "802.1p priority 0 in a lossless class", Warning(&["PFC015"]), |c| {
        let p = c.port()?;
        let map: serde_json::Map<String, Value> =
            (0..8).map(|priority| (priority.to_string(), json!(c.priority))).collect();
        c.put("DOT1P_TO_TC_MAP", json!({"L2": map}));
        c.set("PORT_QOS_MAP", &p, "dot1p_to_tc_map", "L2")
    }),
    ("reorder", "802.1p priorities in the classes of their numbers", Harmless, |c| {
        let p = c.port()?;
        let map: serde_json::Map<String, Value> =
            (0..8).map(|priority| (priority.to_string(), json!(priority.to_string()))).collect();
        c.put("DOT1P_TO_TC_MAP", json!({"L2": map}));
        c.set("PORT_QOS_MAP", &p, "dot1p_to_tc_map", "L2")
    }),
    ("reorder", "an equal DSCP map on one port", Harmless, |c| {
        let p = one_of_many(c)?;
        let map = c.map("dscp_to_tc_map")?;
        let other = c.value("DSCP_TO_TC_MAP")?.get(map.as_str())?.clone();
        c.table("DSCP_TO_TC_MAP")?.insert("OTHER".into(), other);
        c.set("PORT_QOS_MAP", &p, "dscp_to_tc_map", "OTHER")
    }),
    ("remove", "priority group 0 of one port", Warning(&["BUF054"]), |c| {
        let p = one_of_many(c)?;
        let k = c.group_key(&p, "0")?;
        (k != c.lossless_group()? && !c.is_dynamic()).then_some(())?;
        c.remove("BUFFER_PG", &k).map(|_| ())
    }),
    ("remove", "queue entry of best effort of one port", Warning(&["BUF054"]), |c| {
        let p = one_of_many(c)?;
        let class = (0..8).map(|c| c.to_string()).find(|class| c.dscps(class).iter().any(|d| d == "0"))?;
        let queue = c.get("TC_TO_QUEUE_MAP", &c.map("tc_to_queue_map")?, &class)?;
        let k = c.queue_key(&p, &queue)?;
        (k != c.lossless_queue()?).then_some(())?;
        c.remove("BUFFER_QUEUE", &k).map(|_| ())
    }),
    ("remove", "table BUFFER_QUEUE", Error(&["PFC005"]), |c| {
        c.queue_profile()?;
        c.remove_table("BUFFER_QUEUE")
    }),
    ("contradict", "half the headroom on one port", Warning(&["PG033", "PG004", "PG005", "PG006"]), |c| {
        let p = one_of_many(c)?;
        // A port with the same speed and cable length as most.
        let t = c.keys("CABLE_LENGTH").first().cloned()?;
        let link = |port: &String| (c.get("PORT", port, "speed"), c.get("CABLE_LENGTH", &t, port));
        let p = c
            .ports
            .iter()
            .find(|p| c.ports.iter().filter(|q| link(q) == link(p)).count() >= 4)
            .cloned()
            .filter(|_| !p.is_empty())?;
        let k = c.group_key(&p, &c.priority.clone())?;
        let name = c.get("BUFFER_PG", &k, "profile").filter(|name| !name.starts_with('['))?;
        let mut fields = c.value("BUFFER_PROFILE")?.get(name.as_str())?.clone();
        let xoff: u64 = c.get("BUFFER_PROFILE", &name, "xoff")?.parse().ok().filter(|xoff| *xoff > 0)?;
        fields["xoff"] = json!((xoff / 2).to_string());
        c.table("BUFFER_PROFILE")?.insert("test".into(), fields);
        c.set("BUFFER_PG", &k, "profile", "test")
    }),
    ("contradict", "other ECN thresholds on one port", Warning(&["ECN019"]), |c| {
        if c.has_virtual_output_queues() {
            return None;
        }
        one_of_many(c)?;
        let (w, q) = (c.wred()?, c.queue()?);
        let speed = c.get("PORT", c.ports.first()?, "speed");
        (c.ports.iter().filter(|p| c.get("PORT", p, "speed") == speed).count() >= 4).then_some(())?;
        (c.get("WRED_PROFILE", &w, "wred_green_enable")? == "true").then_some(())?;
        let mut fields = c.value("WRED_PROFILE")?.get(w.as_str())?.clone();
        let kmax: u64 = c.get("WRED_PROFILE", &w, "green_max_threshold")?.parse().ok()?;
        fields["green_max_threshold"] = json!((kmax + 100_000).to_string());
        c.table("WRED_PROFILE")?.insert("TEST".into(), fields);
        c.set("QUEUE", &q, "wred_profile", "TEST")
    }),
    ("contradict", "profile of another cable for the second lossless group", Warning(&["PG020"]), |c| {
        c.is_lossless_pair()?;
        let k = c.lossless_group().filter(|k| k.ends_with("|3-4"))?;
        let own = c.profile()?;
        let other =
            c.keys("BUFFER_PROFILE").into_iter().find(|n| n.starts_with("pg_lossless_") && *n != own)?;
        own.starts_with("pg_lossless_").then_some(())?;
        let v = c.remove("BUFFER_PG", &k)?;
        let port = k.strip_suffix("|3-4")?;
        c.table("BUFFER_PG")?.insert(format!("{port}|3"), v);
        c.table("BUFFER_PG")?.insert(format!("{port}|4"), json!({"profile": other}));
        Some(())
    }),
    ("retype", "`pfc_enable` as a list", Error(&["PFC001"]), |c| {
        let p = c.port()?;
        let list = c.get("PORT_QOS_MAP", &p, "pfc_enable")?;
        let list: Vec<&str> = list.split(',').collect();
        let list = json!(list);
        c.table("PORT_QOS_MAP")?.get_mut(&p)?.as_object_mut()?.insert("pfc_enable".into(), list);
        Some(())
    }),
    ("remove", "table PORT", Error(&["BUF017"]), |c| {
        c.port()?;
        c.get("DEVICE_METADATA", "localhost", "platform")?;
        c.remove_table("PORT")
    }),
    ("contradict", "speed of all system ports (chassis)", Error(&["LINK015"]), |c| {
        own_system_port(c)?;
        c.set_all("SYSTEM_PORT", "speed", "10000")
    }),
    // Pause, XON, schedulers.
    ("contradict", "`pfc_to_pg_map` that exchanges priorities (not Spectrum)", Warning(&["PFC007"]), |c| {
        (!c.is_nvidia()).then_some(())?;
        let p = c.port()?;
        c.is_lossless_pair()?;
        if c.get("PORT_QOS_MAP", &p, "pfc_to_pg_map").is_some() {
            return None;
        }
        c.put("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", json!({"X": {"3": "4", "4": "3"}}));
        c.set("PORT_QOS_MAP", &p, "pfc_to_pg_map", "X")
    }),
    ("remove", "`xon_offset` of one of two lossless profiles", Warning(&["PG013", "PG014"]), |c| {
        let p = c.profile()?;
        let mut offsets: Vec<Option<String>> = Vec::new();
        for name in c.keys("BUFFER_PROFILE") {
            if c.get("BUFFER_PROFILE", &name, "xoff").is_some_and(|xoff| xoff != "0") {
                offsets.push(c.get("BUFFER_PROFILE", &name, "xon_offset"));
            }
        }
        (offsets.len() > 1 && offsets.iter().all(Option::is_some)).then_some(())?;
        c.unset("BUFFER_PROFILE", &p, "xon_offset")
    }),
    ("contradict", "strict priority for best effort", Warning(&["SCHED005"]), |c| {
        if c.has_virtual_output_queues() {
            return None;
        }
        let (p, q) = (c.port()?, c.queue()?);
        c.get("SCHEDULER", &c.get("QUEUE", &q, "scheduler")?, "weight")?;
        let class = (0..8).map(|c| c.to_string()).find(|class| c.dscps(class).iter().any(|d| d == "0"))?;
        let queue = c.get("TC_TO_QUEUE_MAP", &c.map("tc_to_queue_map")?, &class)?;
        let key = c.keys("QUEUE").into_iter().find(|key| *key == format!("{p}|{queue}"))?;
        c.table("SCHEDULER")?.insert("first".into(), json!({"type": "STRICT"}));
        c.set("QUEUE", &key, "scheduler", "first")
    }),
    ("contradict", "shaper of a lossless queue: 1000 packets/s", Warning(&["SCHED005"]), |c| {
        let q = c.queue()?;
        c.port()?;
        let name = c.get("QUEUE", &q, "scheduler").filter(|name| !name.starts_with('['))?;
        let mut fields = c.value("SCHEDULER")?.get(name.as_str())?.clone();
        for (field, value) in [("meter_type", "packets"), ("cir", "10"), ("pir", "1000")] {
            fields[field] = json!(value);
        }
        c.table("SCHEDULER")?.insert("shaper".into(), fields);
        c.set("QUEUE", &q, "scheduler", "shaper")
    }),
    // The watchdog.
    ("retype", "`restoration_time` \"-1\"", Error(&["WD002"]), |c| {
        let p = watched(c)?;
        c.set("PFC_WD", &p, "restoration_time", "-1")
    }),
];
