//! The operators that make switches contradict each other: three linked switches are made of each file, and one of them
//! is changed.

use serde_json::json;

use crate::config::Config;
use crate::operators::Expect::{self, Error, Harmless, Warning};

/// An operator on the second of three linked switches; `None` where it does not apply.
pub(crate) type FleetOperator = (&'static str, Expect, fn(&mut Config) -> Option<()>);

/// Three switches in a ring: the first lossless port of each leads to the second of the next.
pub(crate) fn ring(base: &Config) -> Option<[Config; 3]> {
    let first = base.port()?;
    // A file without a role is a template.
    base.get("DEVICE_METADATA", "localhost", "type")?;
    let table = base.keys("CABLE_LENGTH").first().cloned()?;
    let of = |port: &str| (base.get("PORT", port, "speed"), base.get("CABLE_LENGTH", &table, port));
    let second = base.ports.iter().skip(1).find(|port| of(port) == of(&first))?.clone();
    let names = ["ring-a", "ring-b", "ring-c"];
    let make = |i: usize| {
        // Keys of a chassis contain its name.
        let old = base.get("DEVICE_METADATA", "localhost", "hostname")?;
        let text = base.text().replace(&format!("\"{old}|"), &format!("\"{}|", names[i]));
        let mut switch = Config::new(serde_json::from_str(&text).expect("JSON"));
        switch.set("DEVICE_METADATA", "localhost", "hostname", names[i])?;
        for port in base.keys("PORT") {
            let _ = switch.set("PORT", &port, "fec", "rs");
        }
        let (next, previous) = (names[(i + 1) % 3], names[(i + 2) % 3]);
        let neighbours = json!({
            first.as_str(): {"name": next, "port": second},
            second.as_str(): {"name": previous, "port": first},
        });
        switch.put("DEVICE_NEIGHBOR", neighbours);
        switch
            .put("MACSEC_PROFILE", json!({"uplink": {"cipher_suite": "GCM-AES-128", "primary_ckn": "6162"}}));
        for port in [&first, &second] {
            switch.set("PORT", port, "macsec", "uplink")?;
        }
        let _ = switch.set("DEVICE_METADATA", "localhost", "mac", &format!("00:11:22:33:44:0{i}"));
        Some(switch)
    };
    let mut all = [make(0)?, make(1)?, make(2)?];
    pair(&mut all, &first, &second);
    chassis(&mut all);
    Some(all)
}

/// Makes the first two switches a dual ToR with two servers.
fn pair(switches: &mut [Config; 3], first: &str, second: &str) {
    let tunnel = json!({"tunnel_type": "IPINIP", "dscp_mode": "pipe", "decap_tc_to_pg_map": "TUNNEL"});
    switches[2].put("LOOPBACK_INTERFACE", json!({"Loopback0": {}, "Loopback0|10.1.0.34/32": {}}));
    let cable = |host: u8| json!({"server_ipv4": format!("192.168.0.{host}/32"), "state": "auto"});
    for (own, (peer, name)) in [(0, (1, "ring-b")), (1, (0, "ring-a"))] {
        let switch = &mut switches[own];
        switch.put("PEER_SWITCH", json!({name: {"address_ipv4": format!("10.1.0.{}", 32 + peer)}}));
        switch.put("TUNNEL", json!({"MuxTunnel0": tunnel}));
        if switch.table("TC_TO_PRIORITY_GROUP_MAP").is_some_and(|table| !table.contains_key("TUNNEL")) {
            let maps = switch.table("TC_TO_PRIORITY_GROUP_MAP").expect("a table");
            maps.insert("TUNNEL".into(), json!({"3": "2", "4": "6"}));
        }
        switch.put(
            "LOOPBACK_INTERFACE",
            json!({"Loopback0": {}, format!("Loopback0|10.1.0.{}/32", 32 + own): {}}),
        );
        switch.put("MUX_CABLE", json!({first: cable(2), second: cable(3)}));
    }
}

/// Makes the switches the cards of one chassis, if they have system ports: each lists the ports of all.
fn chassis(switches: &mut [Config; 3]) {
    let mut all = serde_json::Map::new();
    for (number, switch) in switches.iter().enumerate() {
        for (key, fields) in
            switch.value("SYSTEM_PORT").and_then(|table| table.as_object()).into_iter().flatten()
        {
            let mut fields = fields.clone();
            let id = fields["system_port_id"].as_str().and_then(|id| id.parse::<usize>().ok()).unwrap_or(0);
            fields["system_port_id"] = json!((number * 1000 + id).to_string());
            all.insert(key.clone(), fields);
        }
    }
    if !all.is_empty() {
        switches.iter_mut().for_each(|switch| switch.put("SYSTEM_PORT", json!(all)));
    }
}

/// The first system port of the card itself.
fn system_port(c: &Config) -> Option<String> {
    let port = c.port()?;
    c.keys("SYSTEM_PORT")
        .into_iter()
        .find(|key| key.starts_with("ring-b|") && key.ends_with(&format!("|{port}")))
}

fn map(c: &mut Config, table: &str, field: &str, from: &str, to: &str) -> Option<()> {
    let name = c.map(field)?;
    c.set(table, &name, from, to)
}

/// Makes the switch one of another role.
fn with_other_role(c: &mut Config) -> Option<()> {
    let role = c.get("DEVICE_METADATA", "localhost", "type")?;
    c.port()?;
    let other = if role == "LeafRouter" { "SpineRouter" } else { "LeafRouter" };
    c.set("DEVICE_METADATA", "localhost", "type", other)
}

pub(crate) const OPERATORS: &[FleetOperator] = &[
    ("DSCP 26 in class 3", Warning(&["FLEET002"]), |c| map(c, "DSCP_TO_TC_MAP", "dscp_to_tc_map", "26", "3")),
    ("DSCP 3 and 4 exchanged", Warning(&["FLEET002"]), |c| {
        let m = c.map("dscp_to_tc_map")?;
        c.swap("DSCP_TO_TC_MAP", &m, "3", "4")
    }),
    ("class 5 in queue 6", Warning(&["FLEET002"]), |c| {
        map(c, "TC_TO_QUEUE_MAP", "tc_to_queue_map", "5", "6")
    }),
    ("class 1 in priority group 7", Warning(&["FLEET002"]), |c| {
        map(c, "TC_TO_PRIORITY_GROUP_MAP", "tc_to_pg_map", "1", "7")
    }),
    ("watchdog action forward", Warning(&["FLEET002"]), |c| c.set_all("PFC_WD", "action", "forward")),
    ("watchdog times", Warning(&["FLEET002"]), |c| c.set_all("PFC_WD", "restoration_time", "1700")),
    ("a port without a neighbour that is down", Harmless, |c| {
        let p = c.ports.get(2)?.clone();
        c.set("PORT", &p, "admin_status", "down")
    }),
    ("lossless pool of 10 MB", Warning(&["FLEET002"]), |c| {
        if c.is_dynamic() {
            return None;
        }
        let p = c.pool().filter(|p| p == "ingress_lossless_pool")?;
        c.set("BUFFER_POOL", &p, "size", "10000000")
    }),
    ("weight of a scheduler", Warning(&["FLEET002"]), |c| {
        let q = c.queue()?;
        let s = c.get("QUEUE", &q, "scheduler")?;
        if s.starts_with('[') {
            return None;
        }
        c.set("SCHEDULER", &s, "weight", "80")
    }),
    ("Kmin", Warning(&["FLEET002"]), |c| {
        let w = c.wred()?;
        (c.get("WRED_PROFILE", &w, "wred_green_enable")? == "true").then_some(())?;
        c.scale("WRED_PROFILE", &w, "green_min_threshold", 0.5)
    }),
    ("PFC of all ports", Warning(&["FLEET002", "FLEET003"]), |c| {
        c.port()?;
        c.set_all("PORT_QOS_MAP", "pfc_enable", "3")
    }),
    ("PFC of one end", Error(&["FLEET003"]), |c| {
        let p = c.port()?;
        c.set("PORT_QOS_MAP", &p, "pfc_enable", "")
    }),
    ("alpha of the lossless profiles / 16", Error(&["FLEET001"]), |c| {
        let names: Vec<String> =
            c.keys("BUFFER_PROFILE").into_iter().filter(|n| n.starts_with("pg_lossless")).collect();
        for name in &names {
            let exponent: i32 = c.get("BUFFER_PROFILE", name, "dynamic_th")?.trim().parse().ok()?;
            (-3..=3).contains(&exponent).then_some(())?;
            c.set("BUFFER_PROFILE", name, "dynamic_th", &(exponent - 4).to_string())?;
        }
        (!names.is_empty() && c.profile()?.starts_with("pg_lossless")).then_some(())
    }),
    ("headroom * 3/4", Warning(&["FLEET002"]), |c| {
        let names: Vec<String> = c
            .keys("BUFFER_PROFILE")
            .into_iter()
            .filter(|n| c.get("BUFFER_PROFILE", n, "xoff").is_some_and(|xoff| xoff != "0"))
            .collect();
        c.profile()?;
        names.iter().try_for_each(|name| c.scale("BUFFER_PROFILE", name, "xoff", 0.75))
    }),
    ("MTU of all ports", Error(&["FLEET005"]), |c| {
        c.port()?;
        (!c.is_dynamic()).then_some(())?;
        c.keys("PORT").iter().for_each(|port| {
            let _ = c.set("PORT", port, "mtu", "1500");
        });
        Some(())
    }),
    ("FEC of all ports", Error(&["FLEET005"]), |c| {
        c.port()?;
        c.set_all("PORT", "fec", "none")
    }),
    ("cable of one end", Error(&["FLEET004"]), |c| {
        let (p, t) = (c.port()?, c.keys("CABLE_LENGTH").first().cloned()?);
        c.get("CABLE_LENGTH", &t, &p)?;
        c.set("CABLE_LENGTH", &t, &p, "77m")
    }),
    ("speed of one end", Error(&["FLEET005"]), |c| {
        let p = c.port()?;
        c.scale("PORT", &p, "speed", 2.0)
    }),
    ("MTU of one end", Error(&["FLEET005"]), |c| {
        let p = c.port()?;
        c.set("PORT", &p, "mtu", "1500")
    }),
    ("FEC of one end", Error(&["FLEET005"]), |c| {
        let p = c.port()?;
        c.set("PORT", &p, "fec", "fc")
    }),
    ("no FEC at one end", Error(&["FLEET005"]), |c| {
        let p = c.port()?;
        c.set("PORT", &p, "fec", "none")
    }),
    ("FEC chosen by the chip at one end", Harmless, |c| {
        let p = c.port()?;
        c.set("PORT", &p, "fec", "auto")
    }),
    ("no FEC stated at one end", Harmless, |c| {
        let p = c.port()?;
        c.unset("PORT", &p, "fec")
    }),
    ("auto-negotiation at one end, not stated at the other", Warning(&["FLEET012"]), |c| {
        let p = c.port()?;
        c.set("PORT", &p, "autoneg", "on")
    }),
    ("auto-negotiation stated as off", Harmless, |c| {
        let p = c.port()?;
        c.set("PORT", &p, "autoneg", "off")
    }),
    ("link training at one end", Warning(&["FLEET012"]), |c| {
        let p = c.port()?;
        c.set("PORT", &p, "link_training", "on")
    }),
    ("port channel at one end", Error(&["FLEET013"]), |c| {
        let p = c.port()?;
        c.put("PORTCHANNEL", json!({"PortChannel1": {"admin_status": "up", "mtu": "9100"}}));
        c.put("PORTCHANNEL_MEMBER", json!({format!("PortChannel1|{p}"): {}}));
        Some(())
    }),
    ("one end down", Warning(&["FLEET005"]), |c| {
        let p = c.port()?;
        c.set("PORT", &p, "admin_status", "down")
    }),
    ("neighbour port that does not exist", Error(&["FLEET006"]), |c| {
        let p = c.port()?;
        c.set("DEVICE_NEIGHBOR", &p, "port", "Ethernet9999")
    }),
    ("neighbour entry that contradicts the other end", Error(&["FLEET007"]), |c| {
        let p = c.port()?;
        c.set("DEVICE_NEIGHBOR", &p, "name", "ring-a")
    }),
    ("another role of a neighbour", Warning(&["FLEET014"]), |c| {
        let role = c.get("DEVICE_METADATA", "localhost", "type")?;
        let other = if role == "LeafRouter" { "SpineRouter" } else { "LeafRouter" };
        c.put("DEVICE_NEIGHBOR_METADATA", json!({"ring-a": {"type": other}, "ring-c": {"type": role}}));
        Some(())
    }),
    ("the roles of the neighbours", Harmless, |c| {
        let role = c.get("DEVICE_METADATA", "localhost", "type")?;
        c.put("DEVICE_NEIGHBOR_METADATA", json!({"ring-a": {"type": role}, "elsewhere": {"type": "Server"}}));
        Some(())
    }),
    ("hostname of another switch", Warning(&["FLEET008"]), |c| {
        c.set("DEVICE_METADATA", "localhost", "hostname", "ring-a")
    }),
    ("another role, and DSCP 3 and 4 exchanged", Error(&["FLEET009"]), |c| {
        with_other_role(c)?;
        let m = c.map("dscp_to_tc_map")?;
        c.is_lossless_pair()?;
        (!c.dscps("3").is_empty() && !c.dscps("4").is_empty()).then_some(())?;
        let swapped: Vec<(String, &str)> = c
            .dscps("3")
            .into_iter()
            .map(|d| (d, "4"))
            .chain(c.dscps("4").into_iter().map(|d| (d, "3")))
            .collect();
        swapped.iter().try_for_each(|(dscp, class)| c.set("DSCP_TO_TC_MAP", &m, dscp, class))
    }),
    ("another role, and a lossless DSCP in class 0", Error(&["FLEET009"]), |c| {
        with_other_role(c)?;
        let (m, dscps) = (c.map("dscp_to_tc_map")?, c.dscps(&c.priority.clone()));
        c.set("DSCP_TO_TC_MAP", &m, dscps.first()?, "0")
    }),
    ("another role", Harmless, |c| with_other_role(c)),
    ("another description of a port", Harmless, |c| {
        let p = c.port()?;
        c.set("PORT", &p, "description", "x")
    }),
    ("another order of priorities", Harmless, |c| {
        let p = c.port()?;
        (c.get("PORT_QOS_MAP", &p, "pfc_enable")? == "3,4").then_some(())?;
        c.set("PORT_QOS_MAP", &p, "pfc_enable", "4,3")
    }),
    ("MAC address of another switch", Warning(&["FLEET015"]), |c| {
        // The cards of a chassis may have one address.
        c.keys("SYSTEM_PORT").is_empty().then_some(())?;
        c.set("DEVICE_METADATA", "localhost", "mac", "00:11:22:33:44:00")
    }),
    ("peer of a dual ToR that is another switch", Error(&["FLEET016"]), |c| {
        c.put("PEER_SWITCH", json!({"ring-c": {"address_ipv4": "10.1.0.34"}}));
        Some(())
    }),
    ("address of the peer of a dual ToR", Error(&["FLEET016"]), |c| {
        c.set("PEER_SWITCH", "ring-a", "address_ipv4", "10.1.0.99")
    }),
    ("no peer of a dual ToR", Error(&["FLEET016"]), |c| c.remove_table("PEER_SWITCH")),
    ("`dscp_mode` of the tunnel of a dual ToR", Warning(&["FLEET016"]), |c| {
        c.set("TUNNEL", "MuxTunnel0", "dscp_mode", "uniform")
    }),
    ("map of the tunnel of a dual ToR", Warning(&["FLEET016"]), |c| {
        c.set("TC_TO_PRIORITY_GROUP_MAP", "TUNNEL", "3", "0")
    }),
    ("another name of the map of the tunnel of a dual ToR", Harmless, |c| {
        let map = c.table("TC_TO_PRIORITY_GROUP_MAP")?;
        let entries = map.get("TUNNEL")?.clone();
        map.insert("OTHER".into(), entries);
        c.set("TUNNEL", "MuxTunnel0", "decap_tc_to_pg_map", "OTHER")
    }),
    ("server with a cable to one switch of a dual ToR", Warning(&["FLEET016"]), |c| {
        let port = c.port()?;
        c.remove("MUX_CABLE", &port).map(|_| ())
    }),
    ("type of a cable to a dual ToR", Warning(&["FLEET016"]), |c| {
        let port = c.port()?;
        c.set("MUX_CABLE", &port, "cable_type", "active-active")
    }),
    ("state of a cable to a dual ToR", Harmless, |c| {
        let port = c.port()?;
        c.set("MUX_CABLE", &port, "state", "standby")
    }),
    ("default type of a cable to a dual ToR", Harmless, |c| {
        let port = c.port()?;
        c.set("MUX_CABLE", &port, "cable_type", "active-standby")
    }),
    ("speed of a system port on one card (chassis)", Error(&["FLEET017"]), |c| {
        let key = system_port(c)?;
        c.scale("SYSTEM_PORT", &key, "speed", 2.0)
    }),
    ("number of a system port on one card (chassis)", Error(&["FLEET017"]), |c| {
        let key = system_port(c)?;
        c.set("SYSTEM_PORT", &key, "system_port_id", "9999")
    }),
    ("no system port of another card (chassis)", Error(&["FLEET017"]), |c| {
        let port = c.port()?;
        let key = c
            .keys("SYSTEM_PORT")
            .into_iter()
            .find(|key| key.starts_with("ring-a|") && key.ends_with(&format!("|{port}")))?;
        c.remove("SYSTEM_PORT", &key).map(|_| ())
    }),
    ("Loopback0 of another switch", Warning(&["FLEET015"]), |c| {
        c.keys("SYSTEM_PORT").is_empty().then_some(())?;
        c.put("LOOPBACK_INTERFACE", json!({"Loopback0|10.1.0.33/32": {}, "Loopback0|10.1.0.34/32": {}}));
        Some(())
    }),
    ("another loopback with the address of another switch", Harmless, |c| {
        c.table("LOOPBACK_INTERFACE")?.insert("Loopback5|10.1.0.34/32".into(), json!({}));
        Some(())
    }),
    ("MACsec at one end", Error(&["FLEET018"]), |c| {
        let p = c.port()?;
        c.unset("PORT", &p, "macsec")
    }),
    ("name of a MACsec key", Error(&["FLEET018"]), |c| {
        c.set("MACSEC_PROFILE", "uplink", "primary_ckn", "6263")
    }),
    ("length of a MACsec key", Error(&["FLEET018"]), |c| {
        c.set("MACSEC_PROFILE", "uplink", "cipher_suite", "GCM-AES-256")
    }),
    ("a MACsec key that only this switch has besides", Harmless, |c| {
        c.set("MACSEC_PROFILE", "uplink", "fallback_ckn", "6263")
    }),
    ("name of a MACsec profile", Harmless, |c| {
        let profiles = c.table("MACSEC_PROFILE")?;
        let profile = profiles.remove("uplink")?;
        profiles.insert("own".into(), profile);
        c.set_all("PORT", "macsec", "own")
    }),
    ("VLAN tag type of one end", Warning(&["FLEET018"]), |c| {
        let p = c.port()?;
        c.set("PORT", &p, "tpid", "0x88a8")
    }),
    ("VLAN tag type stated", Harmless, |c| {
        let p = c.port()?;
        c.set("PORT", &p, "tpid", "0x8100").or(Some(()))
    }),
    ("another MAC address", Harmless, |c| c.set("DEVICE_METADATA", "localhost", "mac", "00:11:22:33:44:99")),
];
