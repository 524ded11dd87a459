//! # MAP017 acl-reference
//!
//! Severity: error.
//!
//! A rule of an access list belongs to a table that does not exist, or uses a mirror session or a policer that does not
//! exist.
//!
//! ## Why it matters
//!
//! orchagent does not create the rule: packets that it is to drop, mark or police pass as if there were no access list.
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
//! Define the table in ACL_TABLE, the session in MIRROR_SESSION or the policer in POLICER, or correct its name.
//!
//! ## Source
//!
//! `doAclRuleTask` and `AclRuleMirror` in
//! [aclorch.cpp](https://github.com/sonic-net/sonic-swss/blob/master/orchagent/aclorch.cpp).

use super::super::context::{Context, Findings, field, row};
use super::super::{Meta, effect};
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
    }
}
