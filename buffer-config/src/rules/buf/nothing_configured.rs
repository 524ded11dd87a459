//! # BUF049 no-buffers
//!
//! Severity: warning. Rows: TPL-02.
//!
//! A switch with PFC has buffer pools and profiles.
//!
//! ## Why it matters
//!
//! Without them the chip's defaults hold: no headroom, and lossless traffic is dropped.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {"Ethernet0": {"lanes": "1", "speed": "100000", "admin_status": "up"}},
//!   "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,4"}}
//! }
//! ```
//!
//! ## Fix
//!
//! Add the platform's buffer templates for this role.
//!
//! ## Source
//!
//! thirty SKUs ship none; buffers_config.j2.

use super::super::Meta;
use super::super::context::{Context, Findings, field};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF049", name: "no-buffers", severity: Severity::Warning, ids: &["TPL-02"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let uses_pfc = cx.sw.ports.iter().find(|p| p.pfc_priorities != 0);
    if let (Some(port), true) = (uses_pfc, cx.db.rows("BUFFER_POOL").is_empty()) {
        let message = "ports enable PFC, but the file has no buffer pools at all".to_string();
        cx.report(out, &META, field("PORT_QOS_MAP", &port.name, "pfc_enable"), message);
    }
}
