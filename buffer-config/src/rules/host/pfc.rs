//! # HOST001 host-pfc
//!
//! Severity: error. Rows: PFC-09.
//!
//! A host's PFC priorities are those of the switch port it hangs on.
//!
//! ## Why it matters
//!
//! The NIC pauses a priority that the switch does not know, or the other way round.
//!
//! ## Example
//!
//! ```toml
//! [[host]]
//! name = "h1"
//! switch = "s1"
//! port = "Ethernet0"
//! pfc_priorities = [5]
//! ```
//!
//! ## Fix
//!
//! Configure the same priorities on both ends.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale 5.1.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "HOST001", name: "host-pfc", severity: Severity::Error, ids: &["PFC-09"] };

/// It takes more than one file: [`crate::hosts::check`] reports it.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
