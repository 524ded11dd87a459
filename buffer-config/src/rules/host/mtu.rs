//! # HOST003 host-mtu
//!
//! Severity: error.
//!
//! A host's RDMA MTU plus headers exceeds the MTU of its switch port.
//!
//! ## Why it matters
//!
//! Larger frames are dropped, and a connection hangs after its first large message.
//!
//! ## Example
//!
//! ```toml
//! [[host]]
//! name = "h1"
//! switch = "s1"
//! port = "Ethernet0"
//! rdma_mtu = 9080
//! ```
//!
//! ## Fix
//!
//! Reduce the RDMA MTU or increase the port's MTU.
//!
//! ## Source
//!
//! The headers of RoCEv2 and the Ethernet header take up to 58 bytes
//! ([InfiniBand Architecture](https://www.infinibandta.org/ibta-specification/), annex A17).

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "HOST003", name: "host-mtu", severity: Severity::Error, effect: effect::HOST };

/// [`crate::hosts::check`] reports violations, because they concern a host file and a switch.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
