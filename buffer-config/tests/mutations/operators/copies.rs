//! Defects of mirror sessions, packet trimming, MACsec, the DSCP map of the switch, control packets, and blanks.

use serde_json::{Map, Value, json};

use super::Expect::{Error, Harmless, Warning};
use super::tables::{acl, lossless_dscp, lossy_dscp};
use super::{Operator, one_of_many};
use crate::config::Config;

/// A mirror session to a port, which has no address, VLAN or port channel.
fn span(c: &mut Config, port: &str, source: &str) -> Option<()> {
    c.port()?;
    for name in ["VLAN_MEMBER", "INTERFACE", "PORTCHANNEL_MEMBER"] {
        let is_of = |key: &String| key.split('|').any(|part| part == port);
        for key in c.keys(name).iter().filter(|key| is_of(key)) {
            c.remove(name, key);
        }
    }
    let session = json!({"type": "SPAN", "dst_port": port, "src_port": source, "direction": "RX"});
    c.put("MIRROR_SESSION", json!({"span": session}));
    Some(())
}

/// A port without PFC and without headroom.
fn lossy_port(c: &mut Config) -> Option<String> {
    let port = one_of_many(c)?;
    let key = c.lossless_group()?;
    c.remove("BUFFER_PG", &key);
    c.remove("PFC_WD", &port);
    c.remove("DEVICE_NEIGHBOR", &port);
    let _ = c.unset("PORT_QOS_MAP", &port, "pfcwd_sw_enable");
    c.set("PORT_QOS_MAP", &port, "pfc_enable", "")?;
    c.set("PORT", &port, "admin_status", "up").or(Some(()))?;
    Some(port)
}

/// Makes the first port a member of these VLANs, of which 10 and 11 exist.
fn vlan(c: &mut Config, members: &[(&str, &str)]) -> Option<()> {
    let port = c.port()?;
    for name in ["VLAN_MEMBER", "INTERFACE"] {
        let is_of = |key: &String| key.split('|').any(|part| part == port);
        for key in c.keys(name).iter().filter(|key| is_of(key)) {
            c.remove(name, key);
        }
    }
    // Members that the file has stay.
    for table in ["VLAN", "VLAN_MEMBER"] {
        if c.table(table).is_none() {
            c.put(table, json!({}));
        }
    }
    for id in [10, 11] {
        c.table("VLAN")?.insert(format!("Vlan{id}"), json!({"vlanid": id.to_string()}));
    }
    for (vlan, mode) in members {
        c.table("VLAN_MEMBER")?.insert(format!("{vlan}|{port}"), json!({"tagging_mode": mode}));
    }
    Some(())
}

fn second(c: &Config) -> Option<String> {
    c.ports.get(1).cloned()
}

/// Settings of trimming for lossy packets, and a profile of the queues of best effort that trims.
pub(super) fn trimming(c: &mut Config, fields: &[(&str, &str)]) -> Option<()> {
    let dscp = lossy_dscp(c)?;
    let mut all = json!({"size": "256", "dscp_value": dscp, "queue_index": "dynamic"});
    for (name, value) in fields {
        all[*name] = json!(value);
    }
    c.put("SWITCH_TRIMMING", json!({"GLOBAL": all}));
    trims(c, &best_effort(c)?)
}

/// The queue of best effort.
fn best_effort(c: &Config) -> Option<String> {
    let class = c.get("DSCP_TO_TC_MAP", &c.map("dscp_to_tc_map")?, "0")?;
    c.get("TC_TO_QUEUE_MAP", &c.map("tc_to_queue_map")?, &class)
}

/// A port with a MACsec profile of these fields.
fn macsec(c: &mut Config, fields: Value) -> Option<()> {
    let port = c.port()?;
    c.put("MACSEC_PROFILE", json!({"test": fields}));
    c.set("PORT", &port, "macsec", "test")
}

fn key_of(bytes: usize) -> Value {
    let (key, name) = (format!("01{}", "ab".repeat(bytes)), "cd".repeat(16));
    json!({"cipher_suite": "GCM-AES-128", "primary_cak": key, "primary_ckn": name, "policy": "security"})
}

/// A second DSCP map, which `global` uses: that of the ports after a change.
fn global_map(c: &mut Config, change: impl Fn(&mut Map<String, Value>) -> Option<()>) -> Option<()> {
    c.port()?;
    let own = c.map("dscp_to_tc_map")?;
    c.get("PORT_QOS_MAP", c.ports.first()?, "dscp_to_tc_map")?;
    let mut map = c.value("DSCP_TO_TC_MAP")?.get(own.as_str())?.as_object()?.clone();
    change(&mut map)?;
    c.table("DSCP_TO_TC_MAP")?.insert("SWITCH".into(), Value::Object(map));
    c.table("PORT_QOS_MAP")?.insert("global".into(), json!({"dscp_to_tc_map": "SWITCH"}));
    Some(())
}

/// The queues of best effort and of DSCP 48, if they differ.
fn control_queue(c: &Config) -> Option<[String; 2]> {
    c.port()?;
    let of = |dscp: &str| {
        let class = c.get("DSCP_TO_TC_MAP", &c.map("dscp_to_tc_map")?, dscp)?;
        c.get("TC_TO_QUEUE_MAP", &c.map("tc_to_queue_map")?, &class)
    };
    let (best_effort, control) = (of("0")?, of("48")?);
    (best_effort != control).then_some([best_effort, control])
}

fn has_scheduler(c: &Config, queue: &str) -> Option<()> {
    let port = c.port()?;
    let is_it = |key: &String| key.split('|').any(|part| part == port) && covers(key, queue);
    let key = c.keys("QUEUE").into_iter().find(is_it)?;
    c.get("QUEUE", &key, "scheduler").map(|_| ())
}

/// Whether DSCP 48 is alone in its class.
fn has_one_dscp(c: &Config) -> Option<()> {
    let class = c.get("DSCP_TO_TC_MAP", &c.map("dscp_to_tc_map")?, "48")?;
    (c.dscps(&class) == ["48"]).then_some(())
}

fn padded(c: &mut Config, field: &str, change: fn(&str) -> String) -> Option<()> {
    let port = c.port()?;
    let value = c.get("PORT", &port, field)?;
    c.set("PORT", &port, field, &change(&value))
}

pub(super) const OPERATORS: &[Operator] = &[
    // Mirror sessions.
    ("contradict", "mirror session to a port with lossless traffic", Warning(&["LINK025"]), |c| {
        let (port, source) = (c.port()?, second(c)?);
        span(c, &port, &source)
    }),
    ("dangle", "destination port of a mirror session", Error(&["LINK025"]), |c| {
        let source = second(c)?;
        span(c, "Ethernet9999", &source)
    }),
    ("dangle", "source port of a mirror session", Error(&["LINK025"]), |c| {
        let port = lossy_port(c)?;
        span(c, &port, "Ethernet9999")
    }),
    ("contradict", "mirror session of a port to itself", Error(&["LINK025"]), |c| {
        let port = lossy_port(c)?;
        span(c, &port, &port)
    }),
    ("contradict", "mirror session to a port with an address", Error(&["LINK025"]), |c| {
        let (port, source) = (lossy_port(c)?, second(c)?);
        span(c, &port, &source)?;
        c.put("INTERFACE", json!({port.clone(): {}, format!("{port}|10.0.0.0/31"): {}}));
        Some(())
    }),
    ("dangle", "policer of a mirror session", Error(&["LINK025"]), |c| {
        let (port, source) = (lossy_port(c)?, second(c)?);
        span(c, &port, &source)?;
        c.set("MIRROR_SESSION", "span", "policer", "none")
    }),
    ("remove", "destination of a mirror session", Error(&["LINK025"]), |c| {
        let (port, source) = (lossy_port(c)?, second(c)?);
        span(c, &port, &source)?;
        c.unset("MIRROR_SESSION", "span", "dst_port")
    }),
    ("reorder", "mirror session to a lossy port", Harmless, |c| {
        let source = second(c)?;
        c.table("PORT")?
            .insert("Ethernet9996".into(), json!({"lanes": "9996", "speed": "10000", "mtu": "9100"}));
        span(c, "Ethernet9996", &source)
    }),
    ("reorder", "mirror session to the CPU", Harmless, |c| {
        let source = second(c)?;
        span(c, "CPU", &source)
    }),
    // Packet trimming.
    ("contradict", "packets trimmed to more than the MTU", Warning(&["BUF058"]), |c| {
        trimming(c, &[("size", "9500")])
    }),
    ("contradict", "packets trimmed to 20 bytes", Warning(&["BUF058"]), |c| trimming(c, &[("size", "20")])),
    ("retype", "size of trimmed packets \"half\"", Error(&["BUF058"]), |c| trimming(c, &[("size", "half")])),
    ("retype", "queue of trimmed packets 300", Error(&["BUF058"]), |c| {
        trimming(c, &[("queue_index", "300")])
    }),
    ("contradict", "queue of trimmed packets without a buffer profile", Warning(&["BUF058"]), |c| {
        c.port()?;
        (c.port().and_then(|port| c.queue_key(&port, "9"))).is_none().then_some(())?;
        c.queue_profile()?;
        trimming(c, &[("queue_index", "9")])
    }),
    ("contradict", "trimmed packets in the queue of best effort, which trims", Warning(&["BUF058"]), |c| {
        let [queue, _] = control_queue(c)?;
        trims(c, &queue)?;
        trimming(c, &[("dscp_value", "48"), ("queue_index", &queue)])
    }),
    ("remove", "class of trimmed packets with a DSCP from the class", Error(&["BUF058"]), |c| {
        trimming(c, &[("dscp_value", "from-tc")])
    }),
    ("dangle", "DSCP of the class of trimmed packets without a map", Warning(&["BUF058"]), |c| {
        let class = (0..8).rev().map(|class| class.to_string()).find(|class| *class != c.priority)?;
        c.get("PORT_QOS_MAP", c.ports.first()?, "tc_to_dscp_map").is_none().then_some(())?;
        (!c.get("PORT_QOS_MAP", c.ports.first()?, "pfc_enable")?.contains(&class)).then_some(())?;
        trimming(c, &[("dscp_value", "from-tc"), ("tc_value", &class)])
    }),
    ("reorder", "trimmed packets in the queue of control packets", Harmless, |c| {
        let [queue, control] = control_queue(c)?;
        c.queue_key(&c.port()?, &control)?;
        trims(c, &queue)?;
        trimming(c, &[("dscp_value", "48"), ("queue_index", &control)])
    }),
    ("remove", "profile that trims packets", Warning(&["BUF058"]), |c| {
        c.lossless_queue()?;
        c.put("SWITCH_TRIMMING", json!({"GLOBAL": {"size": "256", "dscp_value": "48"}}));
        Some(())
    }),
    ("remove", "SWITCH_TRIMMING of a profile that trims packets", Warning(&["BUF058"]), |c| {
        trims(c, &best_effort(c)?)
    }),
    // MACsec.
    ("dangle", "MACsec profile of a port", Error(&["LINK024"]), |c| {
        let port = c.port()?;
        c.set("PORT", &port, "macsec", "test")
    }),
    ("remove", "key of a MACsec profile", Error(&["LINK024"]), |c| {
        let mut fields = key_of(32);
        fields.as_object_mut()?.remove("primary_cak");
        macsec(c, fields)
    }),
    ("contradict", "MACsec key of another cipher suite", Error(&["LINK024"]), |c| macsec(c, key_of(64))),
    ("reorder", "a port with a MACsec profile", Harmless, |c| macsec(c, key_of(32))),
    // The DSCP map of the switch.
    ("contradict", "DSCP map of the switch without lossless classes", Warning(&["MAP015"]), |c| {
        let dscp = lossless_dscp(c)?;
        global_map(c, |map| map.insert(dscp.clone(), json!("0")).map(|_| ()))
    }),
    ("contradict", "DSCP map of the switch with another lossy class", Warning(&["MAP015"]), |c| {
        let dscp = lossy_dscp(c)?;
        global_map(c, |map| {
            let old = map.get(&dscp)?.as_str()?.to_string();
            map.insert(dscp.clone(), json!(if old == "1" { "2" } else { "1" })).map(|_| ())
        })
    }),
    ("reorder", "DSCP map of the switch with the content of that of the ports", Harmless, |c| {
        global_map(c, |_| Some(()))
    }),
    // Control packets.
    ("contradict", "DSCP 48 in the class of best effort", Warning(&["MAP016"]), |c| {
        has_scheduler(c, &control_queue(c)?[1])?;
        has_one_dscp(c)?;
        let (map, class) =
            (c.map("dscp_to_tc_map")?, c.get("DSCP_TO_TC_MAP", &c.map("dscp_to_tc_map")?, "0")?);
        c.set("DSCP_TO_TC_MAP", &map, "48", &class)
    }),
    ("contradict", "class of control packets in the queue of best effort", Warning(&["MAP016"]), |c| {
        let [queue, control] = control_queue(c)?;
        has_scheduler(c, &control)?;
        has_one_dscp(c)?;
        let class = c.get("DSCP_TO_TC_MAP", &c.map("dscp_to_tc_map")?, "48")?;
        let map = c.map("tc_to_queue_map")?;
        c.set("TC_TO_QUEUE_MAP", &map, &class, &queue)
    }),
    ("contradict", "lossless profile on the queue of control packets", Error(&["PFC014"]), |c| {
        let [_, control] = control_queue(c)?;
        let (profile, port) = (c.queue_profile()?, c.port()?);
        let key = c.queue_key(&port, &control).unwrap_or(format!("{port}|{control}"));
        c.table("BUFFER_QUEUE")?.insert(key, json!({"profile": profile}));
        Some(())
    }),
    ("contradict", "PFC and headroom for control packets", Warning(&["PFC015", "PFC013", "PFC008"]), |c| {
        let [_, control] = control_queue(c)?;
        lossless_class(c, &control)
    }),
    ("contradict", "PFC and headroom for class 7", Warning(&["PFC015", "PFC013", "PFC008"]), |c| {
        control_queue(c)?;
        lossless_class(c, "7")
    }),
    ("contradict", "best effort in the queue of the switch's own packets", Warning(&["MAP016"]), |c| {
        c.port()?;
        let class = c.get("DSCP_TO_TC_MAP", &c.map("dscp_to_tc_map")?, "0")?;
        let map = c.map("tc_to_queue_map")?;
        c.set("TC_TO_QUEUE_MAP", &map, &class, "7")
    }),
    (
        "contradict",
        "a pause stops the queue of the switch's own packets",
        Error(&["MAP016", "PFC006"]),
        |c| {
            c.port()?;
            let (map, priority) = (c.map("pfc_to_queue_map")?, c.priority.clone());
            c.set("MAP_PFC_PRIORITY_TO_QUEUE", &map, &priority, "7")
        },
    ),
    ("contradict", "a lossless class in the queue of the switch's own packets", Error(&["MAP016"]), |c| {
        let port = c.port()?;
        let (pause, queues, class) =
            (c.map("pfc_to_queue_map")?, c.map("tc_to_queue_map")?, c.priority.clone());
        let queue_profile = c.queue_profile()?;
        c.set("MAP_PFC_PRIORITY_TO_QUEUE", &pause, &class, "7")?;
        c.set("TC_TO_QUEUE_MAP", &queues, &class, "7")?;
        // Queue 7 has what the lossless queue had.
        let scheduled = c.queue()?;
        let fields = c.value("QUEUE")?.get(scheduled.as_str())?.clone();
        for port in c.keys("PORT_QOS_MAP") {
            let key = format!("{port}|7");
            let old = c.queue_key(&port, "7").unwrap_or(key.clone());
            (old == key).then_some(())?;
            c.table("BUFFER_QUEUE")?.insert(key.clone(), json!({"profile": queue_profile}));
            c.table("QUEUE")?.insert(key, fields.clone());
        }
        c.table("PORT")?.contains_key(&port).then_some(())
    }),
    // Access lists.
    ("contradict", "access list that drops all UDP", Warning(&["MAP013"]), |c| {
        acl(c, json!({"PRIORITY": "10", "IP_PROTOCOL": "17", "PACKET_ACTION": "DROP"}))
    }),
    ("reorder", "access list that drops UDP of one source", Harmless, |c| {
        acl(
            c,
            json!({"PRIORITY": "10", "IP_PROTOCOL": "17", "SRC_IP": "10.9.9.9/32", "PACKET_ACTION": "DROP"}),
        )
    }),
    ("dangle", "table of a rule of an access list", Error(&["MAP017"]), |c| {
        acl(c, json!({"PRIORITY": "10", "SRC_IP": "10.9.9.9/32", "PACKET_ACTION": "FORWARD"}))?;
        c.put("ACL_TABLE", json!({"OTHER": {"type": "L3", "stage": "ingress", "ports": []}}));
        Some(())
    }),
    ("dangle", "mirror session of an access list", Error(&["MAP017"]), |c| {
        acl(c, json!({"PRIORITY": "10", "SRC_IP": "10.9.9.9/32", "MIRROR_INGRESS_ACTION": "none"}))
    }),
    ("dangle", "policer of an access list", Error(&["MAP017"]), |c| {
        acl(c, json!({"PRIORITY": "10", "SRC_IP": "10.9.9.9/32", "POLICER_ACTION": "none"}))
    }),
    ("reorder", "access list that mirrors the packets of one host", Harmless, |c| {
        let dscp = lossy_dscp(c)?;
        acl(c, json!({"PRIORITY": "10", "SRC_IP": "10.9.9.9/32", "MIRROR_INGRESS_ACTION": "everflow"}))?;
        let session = json!({"src_ip": "10.0.0.1", "dst_ip": "10.0.0.2", "ttl": "64", "dscp": dscp});
        c.put("MIRROR_SESSION", json!({"everflow": session}));
        Some(())
    }),
    // VLANs.
    ("dangle", "VLAN of a member", Error(&["LINK026"]), |c| vlan(c, &[("Vlan20", "untagged")])),
    ("dangle", "port of a VLAN member", Error(&["LINK026"]), |c| {
        vlan(c, &[("Vlan10", "untagged")])?;
        c.table("VLAN_MEMBER")?.insert("Vlan10|Ethernet9999".into(), json!({"tagging_mode": "untagged"}));
        Some(())
    }),
    ("contradict", "a port without tags in two VLANs", Error(&["LINK026"]), |c| {
        vlan(c, &[("Vlan10", "untagged"), ("Vlan11", "untagged")])
    }),
    ("retype", "tagging mode of a VLAN member: access", Error(&["LINK026"]), |c| {
        vlan(c, &[("Vlan10", "access")])
    }),
    ("reorder", "a port with tags in a second VLAN", Harmless, |c| {
        vlan(c, &[("Vlan10", "untagged"), ("Vlan11", "tagged")])
    }),
    // Blanks.
    ("reorder", "blank before the lanes of a port", Harmless, |c| {
        padded(c, "lanes", |lanes| format!(" {lanes}"))
    }),
    ("reorder", "blanks between the lanes of a port", Harmless, |c| {
        let port = c.port()?;
        c.get("PORT", &port, "lanes").filter(|lanes| lanes.contains(','))?;
        padded(c, "lanes", |lanes| lanes.replace(',', ", "))
    }),
    ("retype", "blank after the lanes of a port", Error(&["SRC004"]), |c| {
        padded(c, "lanes", |lanes| format!("{lanes} "))
    }),
    ("retype", "blank after the speed of a port", Error(&["SRC004"]), |c| {
        padded(c, "speed", |speed| format!("{speed} "))
    }),
    ("retype", "blank before the alias of a port", Warning(&["SRC004"]), |c| {
        padded(c, "alias", |alias| format!(" {alias}"))
    }),
    ("retype", "blank after the alias of a port", Warning(&["SRC004"]), |c| {
        padded(c, "alias", |alias| format!("{alias} "))
    }),
    ("retype", "blank after `admin_status`", Error(&["LINK003"]), |c| {
        padded(c, "admin_status", |status| format!("{status} "))
    }),
    ("retype", "blank after the name of a map", Error(&["MAP004"]), |c| {
        let port = c.port()?;
        let map = c.get("PORT_QOS_MAP", &port, "tc_to_pg_map").filter(|map| !map.starts_with('['))?;
        c.set("PORT_QOS_MAP", &port, "tc_to_pg_map", &format!("{map} "))
    }),
];

/// Gives the queue of the first port a profile that trims.
fn trims(c: &mut Config, queue: &str) -> Option<()> {
    let key = c.queue_key(&c.port()?, queue)?;
    let name = c.get("BUFFER_QUEUE", &key, "profile").filter(|name| !name.starts_with('['))?;
    if name == "trimmed" {
        return Some(());
    }
    let mut fields = c.value("BUFFER_PROFILE")?.get(name.as_str())?.clone();
    fields["packet_discard_action"] = json!("trim");
    c.table("BUFFER_PROFILE")?.insert("trimmed".into(), fields);
    // The profile of the first queue only: lists of ports may use the old one.
    for key in c.keys("BUFFER_QUEUE") {
        if c.get("BUFFER_QUEUE", &key, "profile").as_deref() == Some(name.as_str()) && covers(&key, queue) {
            c.set("BUFFER_QUEUE", &key, "profile", "trimmed")?;
        }
    }
    Some(())
}

/// Whether the key ends with a range of queues that contains one.
fn covers(key: &str, queue: &str) -> bool {
    let numbers = key.rsplit('|').next().unwrap_or_default();
    let (low, high) = numbers.split_once('-').unwrap_or((numbers, numbers));
    match [low, high, queue].map(|number| number.parse::<u32>().ok()) {
        [Some(low), Some(high), Some(queue)] => (low..=high).contains(&queue),
        _ => false,
    }
}

/// Makes a class lossless on the first port, in all tables.
fn lossless_class(c: &mut Config, class: &str) -> Option<()> {
    let port = c.port()?;
    let [profile, queue_profile] = [c.profile()?, c.queue_profile()?];
    let group = c.get("TC_TO_PRIORITY_GROUP_MAP", &c.map("tc_to_pg_map")?, class)?;
    let queue = c.get("TC_TO_QUEUE_MAP", &c.map("tc_to_queue_map")?, class)?;
    (group == class && queue == class).then_some(())?;
    let list = c.get("PORT_QOS_MAP", &port, "pfc_enable")?;
    for (table, profile) in [("BUFFER_PG", profile), ("BUFFER_QUEUE", queue_profile)] {
        let old = if table == "BUFFER_PG" { c.group_key(&port, class) } else { c.queue_key(&port, class) };
        if let Some(old) = old {
            old.ends_with(&format!("|{class}")).then_some(())?;
        }
        c.table(table)?.insert(format!("{port}|{class}"), json!({"profile": profile}));
    }
    c.set("PORT_QOS_MAP", &port, "pfc_enable", &format!("{list},{class}"))?;
    let _ = c.set("PORT_QOS_MAP", &port, "pfcwd_sw_enable", &format!("{list},{class}"));
    Some(())
}
