//! # HOST001 host-pfc
//!
//! Severity: error.
//!
//! A host and its switch port enable PFC for different priorities.
//!
//! ## Why it matters
//!
//! The NIC pauses a priority that the switch does not enable, or the reverse.
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
//! Configure the same priorities at both ends.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale 5.1.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "HOST001", name: "host-pfc", severity: Severity::Error, effect: effect::HOST };

/// [`crate::hosts::check`] reports violations, because they concern a host file and a switch.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
