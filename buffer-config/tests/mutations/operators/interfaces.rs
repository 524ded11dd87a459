//! Interfaces, VLANs and access lists of ports that do not exist, classes that no map has, and values just beyond limits.

use serde_json::json;

use super::Expect::{Error, Harmless, Warning};
use super::Operator;
use super::tables::own_system_port;
use crate::config::Config;

/// Adds entries to a table, or the table.
fn with(c: &mut Config, table: &str, keys: &[&str]) -> Option<()> {
    c.port()?;
    if c.value(table).is_none() {
        c.put(table, json!({}));
    }
    for key in keys {
        c.table(table)?.insert((*key).to_string(), json!({}));
    }
    Some(())
}

/// Makes the first lossless port the only member of a VLAN.
fn vlan(c: &mut Config, name: &str, fields: serde_json::Value) -> Option<()> {
    let port = c.port()?;
    c.put("VLAN", json!({name: fields}));
    c.put("VLAN_MEMBER", json!({format!("{name}|{port}"): {"tagging_mode": "untagged"}}));
    Some(())
}

fn in_list(c: &mut Config, port: &str, action: &str) -> Option<()> {
    c.port()?;
    c.put("ACL_TABLE", json!({"T": {"type": "L3", "stage": "ingress", "ports": [port]}}));
    c.put("ACL_RULE", json!({"T|R": {"PRIORITY": "1", "DST_IP": "10.0.0.0/8", "PACKET_ACTION": action}}));
    Some(())
}

fn class_of_dscp(c: &mut Config, class: &str) -> Option<()> {
    let (dscps, queues) = (c.map("dscp_to_tc_map")?, c.map("tc_to_queue_map")?);
    // The maps of a dual ToR have class 8.
    c.get("TC_TO_QUEUE_MAP", &queues, class).is_none().then_some(())?;
    c.set("DSCP_TO_TC_MAP", &dscps, "10", class)
}

/// Writes the cable length of the first lossless port in another form.
fn cable(c: &mut Config, form: impl Fn(&str) -> String) -> Option<()> {
    let (port, table) = (c.port()?, c.keys("CABLE_LENGTH").first()?.clone());
    let length = c.get("CABLE_LENGTH", &table, &port)?;
    c.set("CABLE_LENGTH", &table, &port, &form(&length))
}

/// Limits the rate of a lossless queue to that of the port, with a burst.
fn burst(c: &mut Config, bytes: &str) -> Option<()> {
    let (port, key) = (c.port()?, c.queue()?);
    let name = c.get("QUEUE", &key, "scheduler").filter(|name| !name.starts_with('['))?;
    let speed: u64 = c.get("PORT", &port, "speed")?.parse().ok()?;
    let mut fields = c.value("SCHEDULER")?.get(name.as_str())?.clone();
    for (field, value) in [("meter_type", "bytes"), ("cir", "1000"), ("cbs", bytes), ("pbs", bytes)] {
        fields[field] = json!(value);
    }
    fields["pir"] = json!((speed * 125_000).to_string());
    c.table("SCHEDULER")?.insert("shaped".into(), fields);
    c.set("QUEUE", &key, "scheduler", "shaped")
}

fn list_of(c: &Config, table: &str) -> Option<(String, Vec<String>)> {
    let port = c.port()?;
    let list = c.get(table, &port, "profile_list").filter(|list| !list.contains('['))?;
    Some((port, list.split(',').map(str::to_string).collect()))
}

pub(super) const OPERATORS: &[Operator] = &[
    ("dangle", "port of a routed interface", Warning(&["LINK028"]), |c| {
        with(c, "INTERFACE", &["Ethernet9999", "Ethernet9999|10.0.0.0/31"])
    }),
    ("dangle", "port channel of a routed interface", Warning(&["LINK028"]), |c| {
        with(c, "PORTCHANNEL", &["PortChannel1"])?;
        with(c, "PORTCHANNEL_INTERFACE", &["PortChannel9999", "PortChannel9999|10.0.0.0/31"])
    }),
    ("dangle", "VLAN of a routed interface", Warning(&["LINK028"]), |c| {
        vlan(c, "Vlan1000", json!({"vlanid": "1000"}))?;
        with(c, "VLAN_INTERFACE", &["Vlan1001", "Vlan1001|10.0.0.1/24"])
    }),
    ("dangle", "port of a subinterface", Warning(&["LINK028"]), |c| {
        with(c, "VLAN_SUB_INTERFACE", &["Eth9999.10", "Eth9999.10|10.0.0.1/24"])
    }),
    ("reorder", "a routed interface", Harmless, |c| {
        let port = c.ports.last()?.clone();
        let _ = c.remove_table("VLAN_MEMBER");
        with(c, "INTERFACE", &[&port, &format!("{port}|10.0.0.0/31")])
    }),
    ("reorder", "a subinterface with a short name", Harmless, |c| {
        let port = c.port()?.replace("Ethernet", "Eth");
        with(c, "VLAN_SUB_INTERFACE", &[&format!("{port}.10"), &format!("{port}.10|10.0.0.1/24")])
    }),
    ("contradict", "routed port in a VLAN", Error(&["LINK026"]), |c| {
        vlan(c, "Vlan1000", json!({"vlanid": "1000"}))?;
        let port = c.port()?;
        with(c, "INTERFACE", &[&port, &format!("{port}|10.0.0.0/31")])
    }),
    ("contradict", "`vlanid` of another VLAN", Error(&["LINK026"]), |c| {
        vlan(c, "Vlan1000", json!({"vlanid": "1001"}))
    }),
    ("retype", "name of a VLAN: Vlan5000", Error(&["LINK026"]), |c| vlan(c, "Vlan5000", json!({}))),
    ("rescale", "MTU of a VLAN: 1500", Warning(&["LINK010"]), |c| {
        vlan(c, "Vlan1000", json!({"vlanid": "1000", "mtu": "1500"}))
    }),
    ("reorder", "a VLAN with an MTU", Harmless, |c| {
        let mtu = c.get("PORT", &c.port()?, "mtu").unwrap_or_else(|| "9100".into());
        vlan(c, "Vlan1000", json!({"vlanid": "1000", "mtu": mtu}))
    }),
    ("dangle", "port of an access list", Error(&["MAP017"]), |c| in_list(c, "Ethernet9999", "DROP")),
    ("dangle", "port that an access list redirects to", Error(&["MAP017"]), |c| {
        let port = c.port()?;
        in_list(c, &port, "REDIRECT:Ethernet9999")
    }),
    ("reorder", "an access list that redirects to a port", Harmless, |c| {
        let (port, other) = (c.port()?, c.ports.get(1)?.clone());
        in_list(c, &port, &format!("REDIRECT:{other}"))
    }),
    ("reorder", "an access list that redirects to a next hop", Harmless, |c| {
        let (port, other) = (c.port()?, c.ports.get(1)?.clone());
        in_list(c, &port, &format!("REDIRECT:10.0.0.1@{other}"))
    }),
    ("contradict", "a DSCP in class 8, which no other map has", Warning(&["MAP020"]), |c| {
        class_of_dscp(c, "8")
    }),
    ("contradict", "a DSCP in class 15, which no other map has", Warning(&["MAP020"]), |c| {
        class_of_dscp(c, "15")
    }),
    ("retype", "zero before a cable length", Error(&["LINK002"]), |c| {
        (!c.is_dynamic()).then_some(())?;
        cable(c, |length| format!("0{length}"))
    }),
    ("rescale", "bursts of a lossless queue: 100 bytes", Warning(&["SCHED005"]), |c| burst(c, "100")),
    ("reorder", "bursts of a lossless queue: 1 MB", Harmless, |c| burst(c, "1000000")),
    ("rescale", "`num_voq` of all system ports: 16 (chassis)", Error(&["LINK015"]), |c| {
        own_system_port(c)?;
        for key in c.keys("SYSTEM_PORT") {
            c.table("SYSTEM_PORT")?.get_mut(&key)?.as_object_mut()?.insert("num_voq".into(), json!("16"));
        }
        Some(())
    }),
    ("rescale", "`core_id` of a port: 9 (chassis)", Error(&["LINK015"]), |c| {
        own_system_port(c)?;
        let port = c.port()?;
        c.set("PORT", &port, "core_id", "9")
    }),
    ("remove", "lossy profile of an egress list (Spectrum)", Error(&["BUF052"]), |c| {
        let (port, list) = list_of(c, "BUFFER_PORT_EGRESS_PROFILE_LIST")?;
        let is_lossless = |name: &&String| name.contains("lossless");
        let kept: Vec<String> = list.iter().filter(is_lossless).cloned().collect();
        (!kept.is_empty() && kept.len() < list.len() && c.is_nvidia()).then_some(())?;
        c.set("BUFFER_PORT_EGRESS_PROFILE_LIST", &port, "profile_list", &kept.join(","))
    }),
    ("contradict", "a profile twice in an egress list (Spectrum)", Error(&["BUF052"]), |c| {
        let (port, list) = list_of(c, "BUFFER_PORT_EGRESS_PROFILE_LIST")?;
        let (first, _) = list.first().zip(list.get(1)).filter(|_| c.is_nvidia())?;
        c.set("BUFFER_PORT_EGRESS_PROFILE_LIST", &port, "profile_list", &format!("{first},{first}"))
    }),
    ("rescale", "reservation of each port in an egress list: 1 GB (Spectrum)", Error(&["BUF053"]), |c| {
        let (_, list) = list_of(c, "BUFFER_PORT_EGRESS_PROFILE_LIST").filter(|_| c.is_nvidia())?;
        c.set("BUFFER_PROFILE", list.last()?, "size", "1000000000")
    }),
];
