//! # HOST008 dcqcn-range
//!
//! Severity: error.
//!
//! A host's congestion control parameter is outside the range that the NIC supports, a rate exceeds the port's
//! speed, or the hyper increase is slower than the additive increase.
//!
//! ## Why it matters
//!
//! The driver rejects the value and keeps the previous one, or the sender never returns to line rate.
//!
//! ## Example
//!
//! ```toml
//! [[host]]
//! name = "h1"
//! switch = "s1"
//! port = "Ethernet0"
//! dcqcn = { rp_dce_tcp_g = 2000, rp_ai_rate = 50, rp_hai_rate = 5 }
//! ```
//!
//! ## Fix
//!
//! Use a value within the range.
//!
//! ## Source
//!
//! NVIDIA DOCA SDK, "DCQCN CC Parameters"; Zhu et al., SIGCOMM 2015, section 3 (DCQCN).

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "HOST008", name: "dcqcn-range", severity: Severity::Error, effect: effect::HOST };

/// [`crate::hosts::check`] reports violations, because they concern a host file and a switch.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
