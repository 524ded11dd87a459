//! # FLEET001 alpha-drift
//!
//! Severity: error (a warning where a switch pauses later than the others).
//!
//! Switches of one role and ASIC have different alphas for lossless traffic, and pause at clearly different buffer
//! occupancies.
//!
//! ## Why it matters
//!
//! In one fleet, a new switch model came with 1/64 where the others had 1/16: its ports paused at a quarter of the
//! buffer occupancy, and congestion spread through the network. Harrier compares the occupancy at which one congested
//! group pauses, in bytes of its pool.
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
//! Use the alpha of the other switches of the role.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale 6.2.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "FLEET001",
    name: "alpha-drift",
    severity: Severity::Error,
    effect: effect::ALPHA_NOT_AS_INTENDED,
};

/// [`crate::fleet::Fleet::check`] reports violations, because they concern several switches.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
