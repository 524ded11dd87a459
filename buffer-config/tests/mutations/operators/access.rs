//! Access lists: rules that drop RoCEv2 together with other packets, and tables and rules that do not.

use serde_json::{Value, json};

use super::Expect::{Harmless, Warning};
use super::Operator;
use super::tables::{acl, lossless_dscp};
use crate::config::Config;

/// Drops what a rule with this condition matches.
fn drop_all(c: &mut Config, field: &str, value: &str) -> Option<()> {
    acl(c, json!({"PRIORITY": "1", field: value, "PACKET_ACTION": "DROP"}))
}

/// Drops RoCEv2 in a table with these fields.
fn drop_in(c: &mut Config, table: Value) -> Option<()> {
    acl(c, json!({"PRIORITY": "1", "IP_PROTOCOL": "17", "L4_DST_PORT": "4791", "PACKET_ACTION": "DROP"}))?;
    c.put("ACL_TABLE", json!({"T": table}));
    Some(())
}

/// Drops everything after a rule that forwards a part of it.
fn forward(c: &mut Config, rule: Value) -> Option<()> {
    drop_all(c, "ETHER_TYPE", "2048")?;
    c.table("ACL_RULE")?.insert("T|P".into(), rule);
    Some(())
}

pub(super) const OPERATORS: &[Operator] = &[
    ("contradict", "access list that drops IPv4", Warning(&["MAP013"]), |c| {
        drop_all(c, "ETHER_TYPE", "2048")
    }),
    ("contradict", "access list that drops any type of IP", Warning(&["MAP013"]), |c| {
        drop_all(c, "IP_TYPE", "ANY")
    }),
    ("contradict", "access list that drops all of IPv4", Warning(&["MAP013"]), |c| {
        drop_all(c, "IP_TYPE", "IPV4ANY")
    }),
    ("contradict", "access list that drops every source address", Warning(&["MAP013"]), |c| {
        drop_all(c, "SRC_IP", "0.0.0.0/0")
    }),
    ("contradict", "access list that drops every destination address", Warning(&["MAP013"]), |c| {
        drop_all(c, "DST_IP", "0.0.0.0/0")
    }),
    ("contradict", "access list that forwards SSH and drops the rest", Warning(&["MAP013"]), |c| {
        forward(
            c,
            json!({"PRIORITY": "10", "IP_PROTOCOL": "6", "L4_DST_PORT": "22", "PACKET_ACTION": "FORWARD"}),
        )
    }),
    ("reorder", "an access list that forwards RoCEv2 and drops the rest", Harmless, |c| {
        forward(
            c,
            json!({"PRIORITY": "10", "IP_PROTOCOL": "17", "L4_DST_PORT": "4791", "PACKET_ACTION": "FORWARD"}),
        )
    }),
    ("reorder", "an access list that forwards a lossless DSCP before it drops it", Harmless, |c| {
        let dscp = lossless_dscp(c)?;
        acl(c, json!({"PRIORITY": "1", "DSCP": dscp, "PACKET_ACTION": "DROP"}))?;
        let permit = json!({"PRIORITY": "10", "DSCP": dscp, "PACKET_ACTION": "FORWARD"});
        c.table("ACL_RULE")?.insert("T|P".into(), permit);
        Some(())
    }),
    ("reorder", "an access list of the control plane that drops RoCEv2", Harmless, |c| {
        drop_in(c, json!({"type": "CTRLPLANE", "services": ["SSH"]}))
    }),
    ("reorder", "an access list without ports that drops RoCEv2", Harmless, |c| {
        drop_in(c, json!({"type": "L3", "stage": "ingress", "ports": []}))
    }),
    ("reorder", "an access list of a port that is down", Harmless, |c| {
        let is_down = |port: &String| c.get("PORT", port, "admin_status").as_deref() == Some("down");
        let port = c.keys("PORT").into_iter().find(is_down)?;
        drop_in(c, json!({"type": "L3", "stage": "ingress", "ports": [port]}))
    }),
];
