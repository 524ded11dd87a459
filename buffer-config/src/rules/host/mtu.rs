//! # HOST003 host-mtu
//!
//! Severity: error. Rows: X-02.
//!
//! A host's RDMA MTU with its headers fits the MTU of its switch port.
//!
//! ## Why it matters
//!
//! Larger frames are dropped, and the connection hangs after its first large message.
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
//! Lower the RDMA MTU or raise the port's.
//!
//! ## Source
//!
//! InfiniBand headers over UDP take up to 58 bytes and the Ethernet header.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "HOST003", name: "host-mtu", severity: Severity::Error, ids: &["X-02"] };

/// It takes more than one file: [`crate::hosts::check`] reports it.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
