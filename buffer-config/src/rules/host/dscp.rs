//! # HOST002 host-dscp
//!
//! Severity: error. Rows: PFC-08.
//!
//! The DSCP that a host's RDMA traffic carries maps to a lossless priority on its switch.
//!
//! ## Why it matters
//!
//! Otherwise RDMA runs in a lossy class and is dropped under load.
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
//! Mark with a DSCP that maps to a lossless class (3 and 4 by default).
//!
//! ## Source
//!
//! qos_config.j2.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "HOST002", name: "host-dscp", severity: Severity::Error, ids: &["PFC-08"] };

/// It takes more than one file: [`crate::hosts::check`] reports it.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
