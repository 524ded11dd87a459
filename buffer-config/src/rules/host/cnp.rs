//! # HOST004 cnp-interval
//!
//! Severity: error. Rows: none.
//!
//! Where NICs of the first generation are present, NICs of later ones send CNPs no more often than these do: their
//! minimum interval per queue pair equals the first generation's timer.
//!
//! ## Why it matters
//!
//! The first generation coalesces CNPs at the receiver and reacts to each; later ones coalesce at the sender and
//! send one for every marked packet. Mixed, the older sender slows down far too much.
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
//! Set the interval of the later NICs to the timer of the first generation.
//!
//! ## Source
//!
//! Empowering Azure Storage with RDMA, 6.3.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "HOST004", name: "cnp-interval", severity: Severity::Error, ids: &[] };

/// It takes more than one file: [`crate::hosts::check`] reports it.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
