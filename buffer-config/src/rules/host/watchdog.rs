//! # HOST007 nic-watchdog
//!
//! Severity: warning.
//!
//! A host's NIC watchdog is off, or the switch's watchdog acts before it.
//!
//! ## Why it matters
//!
//! The NIC watchdog (100 ms) ends a pause storm at its source. Without it, only the switch's watchdog protects the
//! fabric.
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
//! Enable the NIC watchdog.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale 4.3.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "HOST007", name: "nic-watchdog", severity: Severity::Warning, effect: effect::HOST };

/// [`crate::hosts::check`] reports violations, because they concern a host file and a switch.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
