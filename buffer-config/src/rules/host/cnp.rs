//! # HOST004 cnp-interval
//!
//! Severity: error.
//!
//! NIC generations are mixed, and a later NIC sends CNPs more often than the first generation: its minimum interval
//! per queue pair is below the first generation's timer.
//!
//! ## Why it matters
//!
//! The first generation coalesces CNPs at the receiver and reacts to each one. Later generations coalesce at the
//! sender and send a CNP for every marked packet. In a mix, the older sender reduces its rate far too much.
//!
//! ## Example
//!
//! ```toml
//! [[host]]
//! name = "old"
//! switch = "s1"
//! port = "Ethernet0"
//! nic = "cx3"
//! cnp_min_interval_us = 50
//!
//! [[host]]
//! name = "new"
//! switch = "s1"
//! port = "Ethernet4"
//! nic = "cx5"
//! cnp_min_interval_us = 4
//! ```
//!
//! ## Fix
//!
//! Set the interval of later NICs to the timer of the first generation.
//!
//! ## Source
//!
//! Empowering Azure Storage with RDMA, 6.3.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "HOST004", name: "cnp-interval", severity: Severity::Error, effect: effect::HOST };

/// [`crate::hosts::check`] reports violations, because they concern a host file and a switch.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
