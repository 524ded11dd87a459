//! # HOST009 dcqcn-differs
//!
//! Severity: warning.
//!
//! Hosts of one NIC generation have different congestion control parameters.
//!
//! ## Why it matters
//!
//! Senders that recover faster take bandwidth from senders that recover more slowly, whatever the switch
//! configuration is.
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
//! Use the same values on all hosts, those that were tested on the fabric.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale, 5.1 (configurations are compared with the desired ones).

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "HOST009", name: "dcqcn-differs", severity: Severity::Warning, effect: effect::HOST };

/// [`crate::hosts::check`] reports violations, because they concern a host file and a switch.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
