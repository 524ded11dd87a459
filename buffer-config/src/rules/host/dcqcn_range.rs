//! # HOST008 dcqcn-range
//!
//! Severity: error. Rows: none.
//!
//! The parameters of a host's congestion control are within what the NIC takes, rates within the port's speed, and the
//! hyper increase is not slower than the additive one.
//!
//! ## Why it matters
//!
//! The driver refuses such a value and keeps the one from before, or the sender never reaches line rate again.
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

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "HOST008", name: "dcqcn-range", severity: Severity::Error, ids: &[] };

/// It takes more than one file: [`crate::hosts::check`] reports it.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
