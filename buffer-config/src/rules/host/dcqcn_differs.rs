//! # HOST009 dcqcn-differs
//!
//! Severity: warning. Rows: none.
//!
//! Hosts of one NIC generation have the same parameters of congestion control.
//!
//! ## Why it matters
//!
//! Senders that recover faster take the share of those that recover slower, whatever the switches do.
//!
//! ## Example
//!
//! ```toml
//! [[host]]
//! name = "h1"
//! switch = "s1"
//! port = "Ethernet0"
//! nic = "cx5"
//! dcqcn = { rp_ai_rate = 5 }
//!
//! [[host]]
//! name = "h2"
//! switch = "s1"
//! port = "Ethernet4"
//! nic = "cx5"
//! dcqcn = { rp_ai_rate = 40 }
//! ```
//!
//! ## Fix
//!
//! Set the same values, those that were tested on the fabric.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale, 5.1 (configurations are compared with the desired ones).

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "HOST009", name: "dcqcn-differs", severity: Severity::Warning, ids: &[] };

/// It takes more than one file: [`crate::hosts::check`] reports it.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
