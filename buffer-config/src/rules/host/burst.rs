//! # HOST006 burst-limit
//!
//! Severity: warning. Rows: none.
//!
//! Where generations are mixed, senders limit rate per burst, as the first generation does.
//!
//! ## Why it matters
//!
//! Per-packet limits of the later ones disturb the cache of an older receiver and cost throughput.
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
//! Turn per-burst limiting on.
//!
//! ## Source
//!
//! Empowering Azure Storage with RDMA, 6.3.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "HOST006", name: "burst-limit", severity: Severity::Warning, ids: &[] };

/// It takes more than one file: [`crate::hosts::check`] reports it.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
