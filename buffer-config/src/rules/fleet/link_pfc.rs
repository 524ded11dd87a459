//! # FLEET003 link-pfc
//!
//! Severity: error. Rows: PFC-09, X-02.
//!
//! In a fleet: both ends of a link enable PFC for the same priorities.
//!
//! ## Why it matters
//!
//! A pause of a priority that the other end does not know stops nothing: packets are lost in a class that is called
//! lossless.
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
//! Enable the same priorities on both ends.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale 5.1.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "FLEET003", name: "link-pfc", severity: Severity::Error, ids: &["PFC-09", "X-02"] };

/// It takes more than one file: [`crate::fleet::Fleet::check`] reports it.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
