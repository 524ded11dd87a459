//! # CHG002 refused-live
//!
//! Severity: warning. Rows: GCU-01, GCU-02, GCU-03, GCU-04.
//!
//! Between two revisions: a change that `config apply-patch` refuses on a live switch of this ASIC.
//!
//! ## Why it matters
//!
//! The roll-out stops half way. Pools can never be patched; of a profile only dynamic_th and xoff on most ASICs.
//!
//! ## Example
//!
//! Before:
//!
//! ```json
//! {"BUFFER_POOL": {"egress_lossy_pool": {"type": "egress", "mode": "dynamic", "size": "7000000"}}}
//! ```
//!
//! After:
//!
//! ```json
//! {"BUFFER_POOL": {"egress_lossy_pool": {"type": "egress", "mode": "dynamic", "size": "6000000"}}}
//! ```
//!
//! ## Fix
//!
//! Roll the change out by reload, in a maintenance window.
//!
//! ## Source
//!
//! gcu_field_operation_validators.conf.json.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "CHG002", name: "refused-live", severity: Severity::Warning, ids: &["GCU-01", "GCU-02", "GCU-03", "GCU-04"] };

/// It takes more than one file: [`crate::diff::compare`] reports it.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
