//! # FLEET009 link-classes
//!
//! Severity: error.
//!
//! The two ends of a link have different DSCPs in a lossless priority. Only DSCPs that both files map are compared.
//!
//! ## Why it matters
//!
//! One end pauses a priority, and the other continues to send the packets in another class: they are dropped, or lossy
//! traffic fills the lossless queues.
//!
//! ## Example
//!
//! Of each switch:
//!
//! ```eos
//! hostname a
//! qos map dscp 26 to traffic-class 3
//! interface Ethernet1
//!    description to b Ethernet1
//!    priority-flow-control on
//!    priority-flow-control priority 3 no-drop
//! ```
//!
//! ```eos
//! hostname b
//! qos map dscp 26 to traffic-class 4
//! interface Ethernet1
//!    description to a Ethernet1
//!    priority-flow-control on
//!    priority-flow-control priority 3 no-drop
//! ```
//!
//! ## Fix
//!
//! Map the DSCP to the same priority at both ends.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale 3, DSCP-based PFC.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "FLEET009",
    name: "link-classes",
    severity: Severity::Error,
    effect: effect::DSCP_NOT_AS_INTENDED,
};

/// [`crate::fleet::Fleet::check`] reports violations, because they concern several switches.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
