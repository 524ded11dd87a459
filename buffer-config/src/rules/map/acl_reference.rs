//! # MAP017 acl-reference
//!
//! Severity: error.
//!
//! A rule of an access list belongs to a table that does not exist, or uses a mirror session, a policer or a port for
//! redirection that does not exist; or an access list belongs to a port that does not exist.
//!
//! ## Why it matters
//!
//! orchagent does not create the rule: packets that it is to drop, mark, police or redirect pass as if there were no access
//! list. It applies a list to a port when the port is created: a misspelt port is not filtered.
//!
//! ## Example
//!
//! ```json
//! {
//!   "ACL_TABLE": {"EVERFLOW": {"type": "MIRROR", "stage": "ingress", "ports": ["Ethernet0"]}},
//!   "ACL_RULE": {"EVERFLOW|RULE_1": {"PRIORITY": "10", "SRC_IP": "10.0.0.9/32", "MIRROR_INGRESS_ACTION": "everflow"}}
//! }
//! ```
//!
//! ## Fix
//!
//! Define the table in ACL_TABLE, the session in MIRROR_SESSION or the policer in POLICER, or correct the name.
//!
//! ## Source
//!
//! `doAclRuleTask`, `AclRuleMirror`, `getRedirectObjectId` and `processAclTablePorts` in
//! [aclorch.cpp](https://github.com/sonic-net/sonic-swss/blob/master/orchagent/aclorch.cpp).

use super::super::context::{Context, Findings, field, row};
use super::super::{Meta, effect};
use crate::db::Entry;
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "MAP017",
    name: "acl-reference",
    severity: Severity::Error,
    effect: effect::DSCP_NOT_AS_INTENDED,
};

/// Actions that name an entry of a table.
const ACTIONS: [(&str, &str); 4] = [
    ("MIRROR_ACTION", "MIRROR_SESSION"),
    ("MIRROR_INGRESS_ACTION", "MIRROR_SESSION"),
    ("MIRROR_EGRESS_ACTION", "MIRROR_SESSION"),
    ("POLICER_ACTION", "POLICER"),
];

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    // A file without access lists may be a part of a configuration.
    let has_tables = !cx.db.rows("ACL_TABLE").is_empty();
    for entry in cx.db.rows("ACL_RULE") {
        let list = entry.key.split('|').next().unwrap_or_default();
        if has_tables && cx.db.row("ACL_TABLE", list).is_none() {
            let message = format!("{}: table {list} is not in ACL_TABLE", entry.key);
            cx.report(out, &META, row("ACL_RULE", &entry.key), message);
            continue;
        }
        for (action, table) in ACTIONS {
            let Some(name) = cx.db.field(entry, action).map(|field| field.value.trim()) else { continue };
            if cx.db.row(table, name).is_none() {
                let message = format!("{}: {name} is not in {table}", entry.key);
                cx.report(out, &META, field("ACL_RULE", &entry.key, action), message);
            }
        }
        if let Some(port) = redirected(cx, entry).filter(|port| is_unknown(cx, port)) {
            let message = format!("{}: {port} is neither in PORT nor in PORTCHANNEL", entry.key);
            cx.report(out, &META, field("ACL_RULE", &entry.key, "PACKET_ACTION"), message);
        }
    }
    for entry in cx.db.rows("ACL_TABLE") {
        let ports = cx.db.field(entry, "ports").map_or("", |field| field.value);
        if let Some(port) = ports.split(',').map(str::trim).find(|port| is_unknown(cx, port)) {
            let message = format!("{}: {port} is neither in PORT nor in PORTCHANNEL", entry.key);
            cx.report(out, &META, field("ACL_TABLE", &entry.key, "ports"), message);
        }
    }
}

/// The port that a rule redirects packets to: a next hop has an address.
fn redirected<'d>(cx: &'d Context<'_, '_>, rule: &Entry<'_>) -> Option<&'d str> {
    let actions = ["PACKET_ACTION", "REDIRECT_ACTION"].into_iter();
    let values = actions.filter_map(|name| Some(cx.value("ACL_RULE", &rule.key, name)?.trim()));
    let mut targets = values.filter_map(|value| value.strip_prefix("REDIRECT:").or(Some(value)));
    targets.find(|target| !target.contains(['@', '|']) && is_port_name(target))
}

fn is_port_name(name: &str) -> bool {
    ["Ethernet", "PortChannel"].iter().any(|kind| name.starts_with(kind))
}

/// Whether a name is that of a port or port channel, and the file has others, but not it.
fn is_unknown(cx: &Context<'_, '_>, name: &str) -> bool {
    let exists = |table| cx.db.row(table, name).is_some();
    is_port_name(name) && !cx.sw.ports.is_empty() && !exists("PORT") && !exists("PORTCHANNEL")
}
