//! # FLEET003 link-pfc
//!
//! Severity: error.
//!
//! The two ends of a link enable PFC for different priorities.
//!
//! ## Why it matters
//!
//! A pause for a priority that the other end does not enable has no effect: packets are lost in a class that is
//! configured as lossless.
//!
//! ## Example
//!
//! Of each switch:
//!
//! ```json
//! {
//!   "DEVICE_NEIGHBOR": {"Ethernet0": {"name": "b", "port": "Ethernet0"}},
//!   "PORT_QOS_MAP": {
//!     "Ethernet0": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
//!       "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4", "pfcwd_sw_enable": "3,4"}
//!   }
//! }
//! ```
//!
//! ```json
//! {
//!   "DEVICE_NEIGHBOR": {"Ethernet0": {"name": "a", "port": "Ethernet0"}},
//!   "PORT_QOS_MAP": {
//!     "Ethernet0": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
//!       "pfc_to_queue_map": "AZURE", "pfc_enable": "3", "pfcwd_sw_enable": "3,4"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Enable the same priorities at both ends.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale 5.1.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "FLEET003", name: "link-pfc", severity: Severity::Error, effect: effect::NOT_LOSSLESS };

/// [`crate::fleet::Fleet::check`] reports violations, because they concern several switches.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
