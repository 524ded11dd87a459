//! # CHG002 refused-live
//!
//! Severity: warning.
//!
//! `config apply-patch` rejects the change on a live switch of this ASIC.
//!
//! ## Why it matters
//!
//! The rollout stops halfway. Pools can never be patched; of a profile, most ASICs allow only `dynamic_th` and
//! `xoff`.
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
//! Roll the change out with a reload, in a maintenance window.
//!
//! ## Source
//!
//! gcu_field_operation_validators.conf.json.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "CHG002", name: "refused-live", severity: Severity::Warning, effect: effect::CHANGE };

/// [`crate::diff::compare`] reports violations, because they concern two revisions.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
