//! Entries and values that SONiC's daemons reject, ignore or never find, and what only looks like them.

use serde_json::{Value, json};

use super::Expect::{Error, Harmless, Warning};
use super::settings::lossy_profile;
use super::tables::own_system_port;
use super::{Operator, one_of_many, watched};
use crate::config::Config;

/// Replaces a field by a value that need not be text.
fn put(c: &mut Config, table: &str, key: &str, field: &str, value: Value) -> Option<()> {
    c.get(table, key, field)?;
    c.table(table)?.get_mut(key)?.as_object_mut()?.insert(field.to_string(), value);
    Some(())
}

/// Makes an entry of a table empty.
fn empty(c: &mut Config, table: &str, key: &str) -> Option<()> {
    let entry = c.table(table)?.get_mut(key)?;
    (entry.as_object()? != &serde_json::Map::new()).then(|| *entry = json!({}))
}

/// Adds a zero profile in the pool of another profile.
fn zero(c: &mut Config, like: &str) -> Option<String> {
    let pool = c.get("BUFFER_PROFILE", like, "pool")?;
    let name = "a_lossy_zero_profile";
    let mut profile = json!({"pool": pool, "size": "0"});
    match c.get("BUFFER_PROFILE", like, "static_th") {
        Some(_) => profile["static_th"] = json!("0"),
        None => profile["dynamic_th"] = json!("-8"),
    }
    c.table("BUFFER_PROFILE")?.insert(name.to_string(), profile);
    Some(name.to_string())
}

/// Puts a zero profile into the list of one port.
fn zero_in_list(c: &mut Config, table: &str) -> Option<()> {
    let p = c.port()?;
    let list = c.get(table, &p, "profile_list").filter(|list| !list.contains('['))?;
    let (first, rest) = list.split_once(',').unwrap_or((&list, ""));
    let name = zero(c, first)?;
    let list = if rest.is_empty() { name } else { format!("{name},{rest}") };
    c.set(table, &p, "profile_list", &list)
}

/// Renames the keys of a table.
fn rename(c: &mut Config, table: &str, of: impl Fn(&str) -> Option<String>) -> Option<()> {
    let names: Vec<(String, String)> =
        c.keys(table).into_iter().filter_map(|key| Some((key.clone(), of(&key)?))).collect();
    for (old, new) in &names {
        let entry = c.remove(table, old)?;
        c.table(table)?.insert(new.clone(), entry);
    }
    (!names.is_empty()).then_some(())
}

/// The last two parts of a key with four.
fn two_parts(key: &str) -> Option<String> {
    let parts: Vec<&str> = key.split('|').collect();
    (parts.len() == 4).then(|| parts[2..].join("|"))
}

/// Replaces the DSCP maps of all ports by a map of 802.1p priorities.
fn only_priorities(c: &mut Config) -> Option<String> {
    let p = c.port()?;
    let own = c.priority.clone();
    (own == "3" || own == "4").then_some(())?;
    let map: serde_json::Map<String, Value> = (0..8).map(|n| (n.to_string(), json!(n.to_string()))).collect();
    c.put("DOT1P_TO_TC_MAP", json!({"L2": map}));
    c.remove("PORT_QOS_MAP", "global");
    c.unset("PORT_QOS_MAP", &p, "dscp_to_tc_map")?;
    c.set("PORT_QOS_MAP", &p, "dot1p_to_tc_map", "L2")?;
    for table in ["VLAN_MEMBER", "INTERFACE", "PORTCHANNEL_MEMBER"] {
        for key in c.keys(table).iter().filter(|key| key.split('|').any(|part| part == p)) {
            c.remove(table, key);
        }
    }
    Some(p)
}

/// Writes the reference of one lossless queue as before database version 3, and states a version.
fn bracket(c: &mut Config, version: &str) -> Option<()> {
    let key = c.lossless_queue()?;
    let name = c.get("BUFFER_QUEUE", &key, "profile").filter(|name| !name.starts_with('['))?;
    c.put("VERSIONS", json!({"DATABASE": {"VERSION": version}}));
    c.set("BUFFER_QUEUE", &key, "profile", &format!("[BUFFER_PROFILE|{name}]"))
}

/// Adds a QUEUE entry for the queues 3 and 4 of the first port beside those of each queue.
fn second_range(c: &mut Config, wred: &str) -> Option<()> {
    let (p, q) = (c.port()?, c.queue()?);
    (q == format!("{p}|3")).then_some(())?;
    c.table("QUEUE")?.insert(format!("{p}|3-4"), json!({"wred_profile": wred}));
    Some(())
}

pub(super) const OPERATORS: &[Operator] = &[
    ("remove", "`profile` of the lossless queues of one port", Error(&["BUF016"]), |c| {
        let key = c.lossless_queue()?;
        empty(c, "BUFFER_QUEUE", &key)
    }),
    ("remove", "`profile` of the lossless queues, with SONiC's NULL field", Error(&["BUF016"]), |c| {
        let key = c.lossless_queue()?;
        *c.table("BUFFER_QUEUE")?.get_mut(&key)? = json!({"NULL": "NULL"});
        Some(())
    }),
    ("remove", "`profile_list` of one port (Spectrum)", Error(&["BUF052"]), |c| {
        c.is_nvidia().then_some(())?;
        let p = c.port()?;
        empty(c, "BUFFER_PORT_EGRESS_PROFILE_LIST", &p)
    }),
    ("retype", "`profile_list` as a list", Error(&["BUF015"]), |c| {
        let p = c.port()?;
        let list = c.get("BUFFER_PORT_EGRESS_PROFILE_LIST", &p, "profile_list")?;
        let list: Vec<&str> = list.split(',').collect();
        put(c, "BUFFER_PORT_EGRESS_PROFILE_LIST", &p, "profile_list", json!(list))
    }),
    ("retype", "cable length as a list", Error(&["LINK002"]), |c| {
        let (p, t) = (c.port()?, c.keys("CABLE_LENGTH").first().cloned()?);
        let length = c.get("CABLE_LENGTH", &t, &p)?;
        put(c, "CABLE_LENGTH", &t, &p, json!([length]))
    }),
    ("retype", "`wred_green_enable` as JSON's true", Error(&["ECN004"]), |c| {
        let w = c.wred()?;
        put(c, "WRED_PROFILE", &w, "wred_green_enable", json!(true))
    }),
    ("retype", "`wred_yellow_enable` yes", Error(&["ECN004"]), |c| {
        let w = c.wred()?;
        c.set("WRED_PROFILE", &w, "wred_yellow_enable", "yes")
    }),
    ("retype", "`autoneg` as JSON's false", Error(&["LINK009"]), |c| {
        let p = c.port()?;
        c.table("PORT")?.get_mut(&p)?.as_object_mut()?.insert("autoneg".into(), json!(false));
        Some(())
    }),
    ("retype", "`xoff` of the lossless pool: 40K", Error(&["BUF004"]), |c| {
        let p = c.pool()?;
        c.set("BUFFER_POOL", &p, "xoff", "40K")
    }),
    ("retype", "`xoff` of the lossless pool beyond 64 bits", Error(&["BUF004"]), |c| {
        let p = c.pool()?;
        c.set("BUFFER_POOL", &p, "xoff", "18446744073709551617")
    }),
    ("retype", "`speed` in Gb/s", Error(&["LINK003"]), |c| {
        let p = c.port()?;
        c.get("PORT", &p, "lanes").filter(|lanes| lanes.contains(','))?;
        let speed: u32 = c.get("PORT", &p, "speed")?.parse().ok()?;
        c.set("PORT", &p, "speed", &(speed / 1000).to_string())
    }),
    // Zero profiles.
    ("contradict", "zero profile in the egress list of a port that is up", Error(&["BUF059"]), |c| {
        zero_in_list(c, "BUFFER_PORT_EGRESS_PROFILE_LIST")
    }),
    ("contradict", "zero profile in the ingress list of a port that is up", Error(&["BUF059"]), |c| {
        zero_in_list(c, "BUFFER_PORT_INGRESS_PROFILE_LIST")
    }),
    ("contradict", "zero profile for priority group 0 of a port that is up", Error(&["BUF059"]), |c| {
        let (p, like) = (c.port()?, lossy_profile(c, "BUFFER_PG")?);
        let (key, name) = (c.group_key(&p, "0")?, zero(c, &like)?);
        c.set("BUFFER_PG", &key, "profile", &name)
    }),
    ("contradict", "zero profile for a lossy queue of a port that is up", Error(&["BUF059"]), |c| {
        let (p, like) = (c.port()?, lossy_profile(c, "BUFFER_QUEUE")?);
        let key = c.keys("BUFFER_QUEUE").into_iter().find(|key| {
            key.rsplit('|').nth(1) == Some(p.as_str())
                && c.get("BUFFER_QUEUE", key, "profile").as_ref() == Some(&like)
        })?;
        let name = zero(c, &like)?;
        c.set("BUFFER_QUEUE", &key, "profile", &name)
    }),
    ("reorder", "a zero profile that no port uses (Spectrum)", Harmless, |c| {
        c.is_nvidia().then_some(())?;
        let like = lossy_profile(c, "BUFFER_QUEUE")?;
        zero(c, &like).map(|_| ())
    }),
    // A chassis.
    ("rename", "keys of BUFFER_QUEUE without host and ASIC (chassis)", Error(&["BUF034"]), |c| {
        own_system_port(c)?;
        rename(c, "BUFFER_QUEUE", two_parts)
    }),
    ("rename", "keys of QUEUE without host and ASIC (chassis)", Error(&["MAP007"]), |c| {
        own_system_port(c)?;
        rename(c, "QUEUE", two_parts)
    }),
    ("rename", "keys of BUFFER_QUEUE with host and ASIC (no chassis)", Error(&["BUF034"]), |c| {
        c.port()?;
        c.get("DEVICE_METADATA", "localhost", "switch_type").is_none().then_some(())?;
        let host = c.get("DEVICE_METADATA", "localhost", "hostname")?;
        rename(c, "BUFFER_QUEUE", |key| Some(format!("{host}|Asic0|{key}")))
    }),
    ("remove", "WRED profiles of all queues (chassis)", Error(&["ECN007"]), |c| {
        own_system_port(c)?;
        c.unset_all("QUEUE", "wred_profile")
    }),
    ("contradict", "core of a system port (chassis)", Error(&["LINK015"]), |c| {
        let key = own_system_port(c)?;
        let core = c.get("PORT", &c.port()?, "core_id")?;
        let index = if core == "0" { "1" } else { "0" };
        // The other system ports have the field as well.
        for key in c.keys("SYSTEM_PORT") {
            let port = key.rsplit('|').next()?.to_string();
            let own = c.get("PORT", &port, "core_id").unwrap_or("0".into());
            let _ = c.set("SYSTEM_PORT", &key, "core_index", &own);
        }
        c.set("SYSTEM_PORT", &key, "core_index", index)
    }),
    // What the rest of the file depends on.
    ("dangle", "reference with brackets in a migrated database", Error(&["SRC010"]), |c| {
        bracket(c, "version_202411_01")
    }),
    ("reorder", "reference with brackets in a database that is migrated", Harmless, |c| {
        bracket(c, "version_3_0_1")
    }),
    ("remove", "table DEVICE_METADATA", Warning(&["SRC016"]), |c| {
        c.port()?;
        c.remove_table("DEVICE_METADATA")
    }),
    ("rename", "`localhost` of DEVICE_METADATA as Localhost", Warning(&["SRC016"]), |c| {
        c.port()?;
        rename(c, "DEVICE_METADATA", |key| (key == "localhost").then(|| "Localhost".to_string()))
    }),
    ("remove", "table PFC_WD (dynamic model)", Error(&["WD013"]), |c| {
        watched(c).filter(|_| c.is_dynamic())?;
        c.remove_table("PFC_WD")
    }),
    ("rename", "table PFC_WD as PFCWD (dynamic model)", Error(&["WD013"]), |c| {
        watched(c).filter(|_| c.is_dynamic())?;
        let table = c.value("PFC_WD")?.clone();
        c.put("PFCWD", table);
        c.remove_table("PFC_WD")
    }),
    ("contradict", "a second range of QUEUE with another WRED profile", Warning(&["BUF035"]), |c| {
        let w = c.wred()?;
        let mut other = c.value("WRED_PROFILE")?.get(&w)?.clone();
        other["green_drop_probability"] = json!("7");
        second_range(c, "OTHER")?;
        c.table("WRED_PROFILE")?.insert("OTHER".into(), other);
        Some(())
    }),
    ("reorder", "a second range of QUEUE with the same WRED profile", Harmless, |c| {
        let w = c.get("QUEUE", &c.queue()?, "wred_profile")?;
        c.get("QUEUE", &format!("{}|4", c.port()?), "wred_profile").filter(|other| *other == w)?;
        second_range(c, &w)
    }),
    // 802.1p priorities.
    ("contradict", "802.1p map without a DSCP map on a routed port", Error(&["PFC008"]), |c| {
        let p = only_priorities(c)?;
        c.put("INTERFACE", json!({p.clone(): {}, format!("{p}|10.0.0.0/31"): {}}));
        Some(())
    }),
    ("contradict", "802.1p map without a DSCP map on an untagged port", Error(&["PFC008"]), |c| {
        let p = only_priorities(c)?;
        c.put("VLAN", json!({"Vlan10": {"vlanid": "10"}}));
        c.put("VLAN_MEMBER", json!({format!("Vlan10|{p}"): {"tagging_mode": "untagged"}}));
        Some(())
    }),
    ("reorder", "a DSCP map beside the 802.1p map of a routed port", Harmless, |c| {
        let p = one_of_many(c)?;
        c.get("PORT_QOS_MAP", &p, "dscp_to_tc_map")?;
        let map: serde_json::Map<String, Value> =
            (0..8).map(|n| (n.to_string(), json!(n.to_string()))).collect();
        c.put("DOT1P_TO_TC_MAP", json!({"L2": map}));
        c.set("PORT_QOS_MAP", &p, "dot1p_to_tc_map", "L2")
    }),
];
