//! # HOST005 cnp-window
//!
//! Severity: warning.
//!
//! NIC generations are mixed, and a later NIC does not coalesce CNPs at the sender with the smallest window.
//!
//! ## Why it matters
//!
//! With a larger window, the NIC ignores CNPs that an older receiver has already coalesced.
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
//! cnp_coalescing_window_us = 55
//! ```
//!
//! ## Fix
//!
//! Set the window to its minimum.
//!
//! ## Source
//!
//! Empowering Azure Storage with RDMA, 6.3.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "HOST005", name: "cnp-window", severity: Severity::Warning, effect: effect::HOST };

/// [`crate::hosts::check`] reports violations, because they concern a host file and a switch.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
