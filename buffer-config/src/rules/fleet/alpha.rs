//! # FLEET001 alpha-drift
//!
//! Severity: error. Rows: ALPHA-02.
//!
//! In a fleet: switches of one role have the same alpha for lossless traffic.
//!
//! ## Why it matters
//!
//! A new model of switch came with 1/64 where the fleet had 1/16: its ports paused four times as early, and pauses
//! spread through the network.
//!
//! ## Example
//!
//! Of each switch:
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {
//!     "pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool", "size": "1248", "dynamic_th": "-4",
//!       "xon": "2288", "xon_offset": "2288", "xoff": "100000"}
//!   }
//! }
//! ```
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {
//!     "pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool", "size": "1248", "dynamic_th": "-4",
//!       "xon": "2288", "xon_offset": "2288", "xoff": "100000"}
//!   }
//! }
//! ```
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {
//!     "pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool", "size": "1248", "dynamic_th": "-6",
//!       "xon": "2288", "xon_offset": "2288", "xoff": "100000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Give it the alpha of its siblings.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale 6.2.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "FLEET001", name: "alpha-drift", severity: Severity::Error, ids: &["ALPHA-02"] };

/// It takes more than one file: [`crate::fleet::Fleet::check`] reports it.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
