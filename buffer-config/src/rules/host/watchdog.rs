//! # HOST007 nic-watchdog
//!
//! Severity: warning. Rows: WD-19.
//!
//! A host's NIC has its storm watchdog on, and the switch does not act before it.
//!
//! ## Why it matters
//!
//! The NIC's watchdog (100 ms) ends a storm at its source; without it the switch's is the only defence.
//!
//! ## Example
//!
//! ```toml
//! [[host]]
//! name = "h1"
//! switch = "s1"
//! port = "Ethernet0"
//! watchdog = false
//! ```
//!
//! ## Fix
//!
//! Turn it on.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale 4.3.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "HOST007", name: "nic-watchdog", severity: Severity::Warning, ids: &["WD-19"] };

/// It takes more than one file: [`crate::hosts::check`] reports it.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
