//! # HOST006 burst-limit
//!
//! Severity: warning.
//!
//! NIC generations are mixed, and a sender does not limit its rate per burst, as the first generation does.
//!
//! ## Why it matters
//!
//! Per-packet rate limiting of later generations causes cache misses in older receivers and reduces throughput.
//!
//! ## Example
//!
//! ```toml
//! [[host]]
//! name = "old"
//! switch = "s1"
//! port = "Ethernet0"
//! nic = "cx3"
//!
//! [[host]]
//! name = "new"
//! switch = "s1"
//! port = "Ethernet4"
//! nic = "cx5"
//! cnp_min_interval_us = 50
//! rate_limit = "packet"
//! ```
//!
//! ## Fix
//!
//! Enable per-burst rate limiting.
//!
//! ## Source
//!
//! Empowering Azure Storage with RDMA, 6.3.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "HOST006", name: "burst-limit", severity: Severity::Warning, effect: effect::HOST };

/// [`crate::hosts::check`] reports violations, because they concern a host file and a switch.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
