//! Misspelt names of tables, ports and fields, and pools whose mode contradicts their profiles.

use serde_json::json;

use super::Expect::{Error, Harmless, Warning};
use super::{Operator, one_of_many};
use crate::config::Config;

/// Gives a table another name.
fn rename_table(c: &mut Config, from: &str, to: &str) -> Option<()> {
    c.port()?;
    let value = c.value(from)?.clone();
    c.remove_table(from)?;
    c.put(to, value);
    Some(())
}

/// Gives a field of the PORT_QOS_MAP entry of one port another name.
fn rename_field(c: &mut Config, from: &str, to: &str) -> Option<()> {
    let port = c.port()?;
    let value = c.get("PORT_QOS_MAP", &port, from)?;
    c.unset("PORT_QOS_MAP", &port, from)?;
    c.set("PORT_QOS_MAP", &port, to, &value)
}

/// Gives the PORT_QOS_MAP entry of one port another key.
fn rename_port(c: &mut Config, new: fn(&str) -> String) -> Option<()> {
    let port = one_of_many(c)?;
    let value = c.remove("PORT_QOS_MAP", &port)?;
    c.table("PORT_QOS_MAP")?.insert(new(&port), value);
    Some(())
}

/// Whether lossless groups use a dynamic pool with dynamic thresholds.
fn is_dynamic_pool(c: &Config) -> Option<(String, String)> {
    let (pool, profile) = (c.pool()?, c.profile()?);
    c.get("BUFFER_PROFILE", &profile, "dynamic_th")?;
    (c.get("BUFFER_POOL", &pool, "mode")? == "dynamic").then_some((pool, profile))
}

pub(super) const OPERATORS: &[Operator] = &[
    ("retype", "member of a port channel with `:` in its key", Error(&["LINK012"]), |c| {
        let [port, _] = super::beyond::channel(c)?;
        let entry = c.remove("PORTCHANNEL_MEMBER", &format!("PortChannel1|{port}"))?;
        c.table("PORTCHANNEL_MEMBER")?.insert(format!("PortChannel1:{port}"), entry);
        Some(())
    }),
    ("retype", "member of a port channel without port", Error(&["LINK012"]), |c| {
        let [port, _] = super::beyond::channel(c)?;
        let entry = c.remove("PORTCHANNEL_MEMBER", &format!("PortChannel1|{port}"))?;
        c.table("PORTCHANNEL_MEMBER")?.insert("PortChannel1".into(), entry);
        Some(())
    }),
    ("retype", "member of a VLAN with `:` in its key", Error(&["LINK026"]), |c| {
        let port = c.port()?;
        c.put("VLAN", json!({"Vlan10": {"vlanid": "10"}}));
        c.put("VLAN_MEMBER", json!({format!("Vlan10:{port}"): {"tagging_mode": "untagged"}}));
        Some(())
    }),
    ("contradict", "lossless pool of mode static", Warning(&["BUF022"]), |c| {
        let (pool, _) = is_dynamic_pool(c)?;
        c.set("BUFFER_POOL", &pool, "mode", "static")
    }),
    ("contradict", "`static_th` of a lossless profile in a dynamic pool", Warning(&["BUF022"]), |c| {
        let (_, profile) = is_dynamic_pool(c)?;
        c.unset("BUFFER_PROFILE", &profile, "dynamic_th")?;
        c.set("BUFFER_PROFILE", &profile, "static_th", "4000000")
    }),
    ("retype", "misspelt port of a PORT_QOS_MAP entry", Error(&["BUF017"]), |c| {
        rename_port(c, |port| port.replacen("Ethernet", "Ethernt", 1))
    }),
    ("retype", "port of a PORT_QOS_MAP entry in lower case", Error(&["BUF017"]), |c| {
        rename_port(c, str::to_lowercase)
    }),
    ("dangle", "port of a PORT_QOS_MAP entry", Error(&["BUF017"]), |c| {
        rename_port(c, |_| "Ethernet9999".to_string())
    }),
    ("retype", "misspelt `pfc_enable`", Error(&["SRC005"]), |c| rename_field(c, "pfc_enable", "pfc_enabled")),
    ("retype", "misspelt `dscp_to_tc_map`", Error(&["SRC005"]), |c| {
        rename_field(c, "dscp_to_tc_map", "dscp_to_tc")
    }),
    ("retype", "misspelt `tc_to_pg_map`", Error(&["SRC005"]), |c| {
        rename_field(c, "tc_to_pg_map", "tc_to_pgmap")
    }),
    ("retype", "misspelt `tc_to_queue_map`", Error(&["SRC005"]), |c| {
        rename_field(c, "tc_to_queue_map", "tc_to_queues_map")
    }),
    ("retype", "misspelt `pfc_to_queue_map`", Error(&["SRC005"]), |c| {
        rename_field(c, "pfc_to_queue_map", "pfc_to_que_map")
    }),
    ("retype", "misspelt `pfcwd_sw_enable`", Error(&["SRC005"]), |c| {
        rename_field(c, "pfcwd_sw_enable", "pfcwd_enable")
    }),
    ("retype", "misspelt table PORT_QOS_MAP", Error(&["SRC009"]), |c| {
        rename_table(c, "PORT_QOS_MAP", "PORT_QOS_MAPS")
    }),
    ("retype", "table PORT_QOS_MAP in lower case", Error(&["SRC009"]), |c| {
        rename_table(c, "PORT_QOS_MAP", "port_qos_map")
    }),
    ("retype", "misspelt table BUFFER_PG", Error(&["SRC009"]), |c| {
        rename_table(c, "BUFFER_PG", "BUFFER_PGS")
    }),
    ("retype", "misspelt table BUFFER_QUEUE", Error(&["SRC009"]), |c| {
        rename_table(c, "BUFFER_QUEUE", "BUFFER_QUEUES")
    }),
    ("retype", "misspelt table QUEUE", Error(&["SRC009"]), |c| rename_table(c, "QUEUE", "QUEUES")),
    ("retype", "misspelt table PFC_WD", Error(&["SRC009"]), |c| rename_table(c, "PFC_WD", "PFCWD")),
    ("retype", "misspelt table WRED_PROFILE", Error(&["SRC009"]), |c| {
        rename_table(c, "WRED_PROFILE", "WRED_PROFILES")
    }),
    ("retype", "misspelt table DSCP_TO_TC_MAP", Error(&["SRC009"]), |c| {
        rename_table(c, "DSCP_TO_TC_MAP", "DSCP_TC_MAP")
    }),
    ("retype", "misspelt table CABLE_LENGTH", Error(&["SRC009"]), |c| {
        rename_table(c, "CABLE_LENGTH", "CABLE_LENGHT") // typos: allow
    }),
    ("reorder", "a table of another feature", Harmless, |c| {
        c.put("SITE_NOTES", serde_json::json!({"row": {"text": "rack 7"}}));
        Some(())
    }),
];
