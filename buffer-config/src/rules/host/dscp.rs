//! # HOST002 host-dscp
//!
//! Severity: error.
//!
//! The DSCP of a host's RDMA traffic does not map to a lossless priority on its switch.
//!
//! ## Why it matters
//!
//! RDMA traffic runs in a lossy class and is dropped under load.
//!
//! ## Example
//!
//! ```toml
//! [[host]]
//! name = "h1"
//! switch = "s1"
//! port = "Ethernet0"
//! pfc_priorities = [3]
//! dscp = 10
//! ```
//!
//! ## Fix
//!
//! Use a DSCP that maps to a lossless class (3 and 4 by default).
//!
//! ## Source
//!
//! qos_config.j2.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "HOST002", name: "host-dscp", severity: Severity::Error, effect: effect::HOST };

/// [`crate::hosts::check`] reports violations, because they concern a host file and a switch.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
