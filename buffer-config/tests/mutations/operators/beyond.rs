//! Defects outside buffers and maps of single ports: ports and breakout, port channels, neighbours, schedulers and
//! shapers, tunnels, system ports of a chassis, parameters of the dynamic model.

use serde_json::{Value, json};

use super::Expect::{Error, Harmless, Warning};
use super::{Operator, one_of_many, watched};
use crate::config::Config;

/// A port channel of the first two ports to one neighbour.
pub(super) fn channel(c: &mut Config) -> Option<[String; 2]> {
    let [p, q, ..] = c.ports.as_slice() else { return None };
    let (p, q) = (p.clone(), q.clone());
    (c.get("PORT", &p, "speed") == c.get("PORT", &q, "speed")).then_some(())?;
    let mtu = c.get("PORT", &p, "mtu").unwrap_or("9100".into());
    c.put("PORTCHANNEL", json!({"PortChannel1": {"admin_status": "up", "mtu": mtu, "min_links": "1"}}));
    c.put("PORTCHANNEL_MEMBER", json!({format!("PortChannel1|{p}"): {}, format!("PortChannel1|{q}"): {}}));
    // Ports of a VLAN and routed ports cannot be members.
    for name in ["VLAN_MEMBER", "INTERFACE"] {
        let is_of = |key: &String| key.split('|').any(|part| part == p || part == q);
        for key in c.keys(name).iter().filter(|key| is_of(key)) {
            c.remove(name, key);
        }
    }
    if let Some(neighbour) = c.get("DEVICE_NEIGHBOR", &p, "name") {
        c.table("DEVICE_NEIGHBOR")?.insert(q.clone(), json!({"name": neighbour, "port": "second"}));
    }
    Some([p, q])
}

/// The strongest FEC that the lanes of a port have.
pub(super) fn fec_of(c: &Config, port: &str) -> Option<&'static str> {
    Some(if lane_mbps(c, port)? >= 25_000 { "rs" } else { "fc" })
}

pub(super) fn lane_mbps(c: &Config, port: &str) -> Option<u32> {
    let lanes = c.get("PORT", port, "lanes")?.split(',').count() as u32;
    Some(c.get("PORT", port, "speed")?.parse::<u32>().ok()? / lanes)
}

pub(super) fn tunnel(c: &mut Config, field: &str, map: &str) {
    let fields = json!({"tunnel_type": "IPINIP", "dst_ip": "10.1.0.32", "dscp_mode": "pipe", field: map});
    c.put("TUNNEL", json!({"MuxTunnel0": fields}));
    if c.get("DEVICE_METADATA", "localhost", "subtype").as_deref() == Some("DualToR") {
        c.put("PEER_SWITCH", json!({"peer": {"address_ipv4": "10.1.0.33"}}));
        c.remove("SYSTEM_DEFAULTS", "tunnel_qos_remap");
    }
}

/// A scheduler of its own for the first lossless queue, with a peak rate only.
fn peak(c: &mut Config, bytes_a_second: u64) -> Option<()> {
    shaped(c, bytes_a_second)?;
    c.unset("SCHEDULER", "shaper", "cir")
}

/// A scheduler of its own for the first lossless queue.
fn shaped(c: &mut Config, bytes_a_second: u64) -> Option<()> {
    let (queue, pir) = (c.queue()?, bytes_a_second.to_string());
    let name = c.get("QUEUE", &queue, "scheduler").filter(|name| !name.starts_with('['))?;
    let mut fields = c.value("SCHEDULER")?.get(name.as_str())?.clone();
    for (field, value) in [("meter_type", "bytes"), ("cir", "1000"), ("pir", pir.as_str())] {
        fields[field] = json!(value);
    }
    c.table("SCHEDULER")?.insert("shaper".into(), fields);
    c.set("QUEUE", &queue, "scheduler", "shaper")
}

fn system_port(c: &Config) -> Option<String> {
    let port = c.port()?;
    c.keys("SYSTEM_PORT").into_iter().find(|key| key.rsplit('|').next() == Some(&port))
}

/// Whether lossless groups have headroom of their own; without, several rules have nothing to judge.
fn with_headroom(c: &Config) -> Option<String> {
    let profile = c.profile()?;
    let has = c.get("BUFFER_PROFILE", &profile, "xoff").is_some_and(|xoff| xoff != "0") || c.is_dynamic();
    has.then(|| c.port()).flatten()
}

pub(super) const OPERATORS: &[Operator] = &[
    // Ports and breakout.
    ("contradict", "400 Gb/s on one lane", Error(&["LINK013"]), |c| {
        let p = c.port()?;
        c.set("PORT", &p, "lanes", "1001")?;
        c.set("PORT", &p, "speed", "400000")
    }),
    ("contradict", "fewer lanes than all other ports of the speed", Warning(&["LINK013"]), |c| {
        let p = one_of_many(c)?;
        let all = |field: &str| {
            let value = c.get("PORT", &p, field);
            c.keys("PORT").iter().all(|port| match field {
                "speed" => c.get("PORT", port, field) == value,
                _ => {
                    c.get("PORT", port, field).map(|l| l.split(',').count())
                        == value.as_ref().map(|l| l.split(',').count())
                }
            })
        };
        (all("speed") && all("lanes")).then_some(())?;
        let lanes = c.get("PORT", &p, "lanes")?;
        let first = lanes.split(',').next().filter(|first| first.len() < lanes.len())?.to_string();
        c.set("PORT", &p, "lanes", &first)
    }),
    ("contradict", "no FEC on lanes with PAM4", Warning(&["LINK014"]), |c| {
        let p = c.port()?;
        (lane_mbps(c, &p)? >= 50_000).then_some(())?;
        c.set("PORT", &p, "fec", "none")
    }),
    ("contradict", "FC-FEC on lanes with PAM4", Warning(&["LINK014"]), |c| {
        let p = c.port()?;
        (lane_mbps(c, &p)? >= 50_000).then_some(())?;
        c.set("PORT", &p, "fec", "fc")
    }),
    ("contradict", "RS-FEC", Harmless, |c| {
        let p = c.port()?;
        (lane_mbps(c, &p)? >= 25_000).then_some(())?;
        c.set("PORT", &p, "fec", "rs")
    }),
    ("contradict", "advertised speeds below the speed", Warning(&["LINK009"]), |c| {
        let p = c.port()?;
        c.set("PORT", &p, "autoneg", "on")?;
        c.set("PORT", &p, "adv_speeds", "1000")
    }),
    ("remove", "`admin_status` of one port with a neighbour", Warning(&["LINK017"]), |c| {
        let p = c.port()?;
        c.get("DEVICE_NEIGHBOR", &p, "name")?;
        c.unset("PORT", &p, "admin_status")
    }),
    ("contradict", "alias of another port", Warning(&["LINK018"]), |c| {
        let [p, q, ..] = c.ports.as_slice() else { return None };
        let (p, q) = (p.clone(), q.clone());
        let alias = c.get("PORT", &q, "alias").unwrap_or("etp1".into());
        let _ = c.set("PORT", &q, "alias", &alias);
        c.set("PORT", &p, "alias", &alias)
    }),
    // Port channels.
    ("reorder", "a port channel of two ports", Harmless, |c| channel(c).map(|_| ())),
    ("contradict", "port channel members with two speeds", Error(&["LINK012"]), |c| {
        let [p, _] = channel(c)?;
        c.scale("PORT", &p, "speed", 0.5)
    }),
    ("contradict", "port channel member without PFC", Warning(&["LINK012"]), |c| {
        let [p, _] = channel(c)?;
        let k = c.group_key(&p, &c.priority.clone())?;
        c.remove("BUFFER_PG", &k);
        c.remove("PFC_WD", &p);
        let _ = c.unset("PORT_QOS_MAP", &p, "pfcwd_sw_enable");
        c.set("PORT_QOS_MAP", &p, "pfc_enable", "")
    }),
    ("contradict", "port in two port channels", Error(&["LINK012"]), |c| {
        let [p, _] = channel(c)?;
        c.table("PORTCHANNEL")?.insert("PortChannel2".into(), json!({"admin_status": "up"}));
        c.table("PORTCHANNEL_MEMBER")?.insert(format!("PortChannel2|{p}"), json!({}));
        Some(())
    }),
    ("contradict", "`min_links` above the number of members", Error(&["LINK012"]), |c| {
        channel(c)?;
        c.set("PORTCHANNEL", "PortChannel1", "min_links", "3")
    }),
    ("dangle", "member of a port channel", Error(&["LINK012"]), |c| {
        channel(c)?;
        c.table("PORTCHANNEL_MEMBER")?.insert("PortChannel1|Ethernet9999".into(), json!({}));
        Some(())
    }),
    ("dangle", "port channel of a member", Error(&["LINK012"]), |c| {
        channel(c)?;
        c.put("PORTCHANNEL", json!({}));
        Some(())
    }),
    // Neighbours.
    ("dangle", "port of a neighbour entry", Warning(&["LINK016"]), |c| {
        c.table("DEVICE_NEIGHBOR")?.insert("Ethernet9999".into(), json!({"name": "x", "port": "Ethernet0"}));
        Some(())
    }),
    ("contradict", "two ports with one neighbour port", Warning(&["LINK016"]), |c| {
        let [p, q, ..] = c.ports.as_slice() else { return None };
        let end = json!({"name": "peer", "port": "Ethernet0"});
        let entries = [(p.clone(), end.clone()), (q.clone(), end)];
        c.table("DEVICE_NEIGHBOR")?.extend(entries);
        Some(())
    }),
    ("reorder", "another neighbour", Harmless, |c| {
        let p = c.port()?;
        c.table("DEVICE_NEIGHBOR")?.insert(p, json!({"name": "peer", "port": "Ethernet0"}));
        c.table("DEVICE_NEIGHBOR_METADATA")?.insert("peer".into(), json!({"type": "LeafRouter"}));
        Some(())
    }),
    // Schedulers and shapers.
    ("contradict", "shaper of a lossless queue: 1 Gb/s", Warning(&["SCHED005"]), |c| {
        with_headroom(c)?;
        shaped(c, 125_000_000)
    }),
    ("contradict", "peak rate of a lossless queue without `cir`: 1 Gb/s", Warning(&["SCHED005"]), |c| {
        with_headroom(c)?;
        peak(c, 125_000_000)
    }),
    ("contradict", "peak rate of a lossless queue without `cir`: 10 Tb/s", Harmless, |c| {
        peak(c, 1_250_000_000_000)
    }),
    ("contradict", "shaper of a lossless queue at 10 Tb/s", Harmless, |c| shaped(c, 1_250_000_000_000)),
    ("contradict", "shaper of a port: 1 Gb/s", Warning(&["SCHED005"]), |c| {
        let p = with_headroom(c)?;
        let shaper = json!({"type": "WRR", "meter_type": "bytes", "cir": "1000", "pir": "125000000"});
        c.table("SCHEDULER")?.insert("shaper".into(), shaper);
        c.set("PORT_QOS_MAP", &p, "scheduler", "shaper")
    }),
    ("dangle", "scheduler of a port", Error(&["MAP004"]), |c| {
        let p = c.port()?;
        c.set("PORT_QOS_MAP", &p, "scheduler", "none")
    }),
    // Remarking and tunnels.
    ("contradict", "a port changes the DSCP of a lossless class to 0", Warning(&["MAP012"]), |c| {
        let p = with_headroom(c)?;
        let lossless = c.priority.clone();
        (c.map("dscp_to_tc_map").is_some() && !c.dscps(&lossless).iter().any(|d| d == "0")).then_some(())?;
        let map: serde_json::Map<String, Value> = (0..8).map(|tc| (tc.to_string(), json!("0"))).collect();
        c.put("TC_TO_DSCP_MAP", json!({"REMARK": map}));
        c.set("PORT_QOS_MAP", &p, "tc_to_dscp_map", "REMARK")
    }),
    ("dangle", "`decap_dscp_to_tc_map` of a tunnel", Error(&["MAP004"]), |c| {
        c.port()?;
        tunnel(c, "decap_dscp_to_tc_map", "NONE");
        Some(())
    }),
    ("contradict", "lossless DSCP in a lossy class after a tunnel", Error(&["PFC018"]), |c| {
        with_headroom(c)?;
        let class = c.priority.clone();
        (!c.dscps(&class).is_empty()).then_some(())?;
        let map: serde_json::Map<String, Value> = (0..64).map(|d| (d.to_string(), json!("0"))).collect();
        c.table("DSCP_TO_TC_MAP")?.insert("TUNNEL".into(), Value::Object(map));
        tunnel(c, "decap_dscp_to_tc_map", "TUNNEL");
        Some(())
    }),
    ("reorder", "a tunnel with the DSCP map of the ports", Harmless, |c| {
        c.port()?;
        let map = c.map("dscp_to_tc_map")?;
        tunnel(c, "decap_dscp_to_tc_map", &map);
        Some(())
    }),
    ("contradict", "lossless class in a lossy group after a tunnel", Error(&["PFC018"]), |c| {
        with_headroom(c)?;
        let map: serde_json::Map<String, Value> = (0..8).map(|tc| (tc.to_string(), json!("0"))).collect();
        c.table("TC_TO_PRIORITY_GROUP_MAP")?.insert("LOSSY".into(), Value::Object(map));
        tunnel(c, "decap_tc_to_pg_map", "LOSSY");
        Some(())
    }),
    ("contradict", "lossless class in a lossy queue of a tunnel", Error(&["PFC018"]), |c| {
        with_headroom(c)?;
        let map: serde_json::Map<String, Value> = (0..8).map(|tc| (tc.to_string(), json!("1"))).collect();
        c.table("TC_TO_QUEUE_MAP")?.insert("LOSSY".into(), Value::Object(map));
        tunnel(c, "encap_tc_to_queue_map", "LOSSY");
        Some(())
    }),
    ("reorder", "a tunnel with the maps of the ports", Harmless, |c| {
        c.port()?;
        let map = c.map("tc_to_pg_map")?;
        tunnel(c, "decap_tc_to_pg_map", &map);
        Some(())
    }),
    // System ports.
    ("remove", "system port of one port (chassis)", Error(&["BUF017"]), |c| {
        let k = system_port(c)?;
        c.remove("SYSTEM_PORT", &k).map(|_| ())
    }),
    ("contradict", "speed of a system port (chassis)", Error(&["LINK015"]), |c| {
        let k = system_port(c)?;
        c.set("SYSTEM_PORT", &k, "speed", "10000")
    }),
    ("contradict", "two system ports with one number (chassis)", Error(&["LINK015"]), |c| {
        let (k, all) = (system_port(c)?, c.keys("SYSTEM_PORT"));
        let other = all.into_iter().find(|key| *key != k)?;
        let id = c.get("SYSTEM_PORT", &other, "system_port_id")?;
        c.set("SYSTEM_PORT", &k, "system_port_id", &id)
    }),
    // Buffers.
    ("contradict", "lossless queues in the lossy egress pool", Error(&["BUF051"]), |c| {
        with_headroom(c)?;
        let p = c.queue_profile()?;
        c.keys("BUFFER_POOL").iter().any(|pool| pool == "egress_lossy_pool").then_some(())?;
        (c.get("BUFFER_PROFILE", &p, "pool")? == "egress_lossless_pool").then_some(())?;
        c.set("BUFFER_PROFILE", &p, "pool", "egress_lossy_pool")
    }),
    ("contradict", "port list without the lossless egress profile (Spectrum)", Error(&["BUF052"]), |c| {
        c.is_nvidia().then_some(())?;
        let p = with_headroom(c)?;
        let list = c.get("BUFFER_PORT_EGRESS_PROFILE_LIST", &p, "profile_list")?;
        let lossy = list.split(',').find(|name| name.contains("lossy"))?.to_string();
        c.set("BUFFER_PORT_EGRESS_PROFILE_LIST", &p, "profile_list", &lossy)
    }),
    ("contradict", "lists of a port exchanged (Spectrum)", Error(&["BUF021"]), |c| {
        let p = c.port()?;
        let ingress = c.get("BUFFER_PORT_INGRESS_PROFILE_LIST", &p, "profile_list")?;
        let egress = c.get("BUFFER_PORT_EGRESS_PROFILE_LIST", &p, "profile_list")?;
        c.set("BUFFER_PORT_INGRESS_PROFILE_LIST", &p, "profile_list", &egress)?;
        c.set("BUFFER_PORT_EGRESS_PROFILE_LIST", &p, "profile_list", &ingress)
    }),
    ("contradict", "lossless queues trim packets", Warning(&["BUF013"]), |c| {
        with_headroom(c)?;
        let p = c.queue_profile()?;
        c.set("BUFFER_PROFILE", &p, "packet_discard_action", "trim")
    }),
    ("contradict", "profile of the queues in the ingress pool", Error(&["BUF019"]), |c| {
        let p = c.queue_profile()?;
        c.keys("BUFFER_POOL").iter().any(|pool| pool == "ingress_lossless_pool").then_some(())?;
        c.get("BUFFER_PROFILE", &p, "pool").filter(|pool| !pool.starts_with('['))?;
        c.set("BUFFER_PROFILE", &p, "pool", "ingress_lossless_pool")
    }),
    // The watchdog, and parameters of the dynamic model.
    ("contradict", "watchdog action alert on all ports", Warning(&["WD006"]), |c| {
        watched(c)?;
        c.set_all("PFC_WD", "action", "alert")
    }),
    ("remove", "DEFAULT_LOSSLESS_BUFFER_PARAMETER (dynamic model)", Error(&["BUF039"]), |c| {
        c.is_dynamic().then_some(())?;
        let k = c.lossless_group()?;
        (c.get("BUFFER_PG", &k, "profile")? == "NULL").then_some(())?;
        c.remove_table("DEFAULT_LOSSLESS_BUFFER_PARAMETER")
    }),
    ("remove", "LOSSLESS_TRAFFIC_PATTERN (dynamic model)", Error(&["BUF038"]), |c| {
        c.is_dynamic().then_some(())?;
        c.port()?;
        c.remove_table("LOSSLESS_TRAFFIC_PATTERN")
    }),
    ("contradict", "`buffer_model` traditional in a dynamic file", Error(&["BUF047"]), |c| {
        c.is_dynamic().then_some(())?;
        let k = c.lossless_group()?;
        (c.get("BUFFER_PG", &k, "profile")? == "NULL").then_some(())?;
        c.set("DEVICE_METADATA", "localhost", "buffer_model", "traditional")
    }),
];
