//! # FLEET005 link-speed-mtu
//!
//! Severity: error (a warning where one end is down).
//!
//! The two ends of a link have different speeds, MTUs or forward error correction, or only one of them is up.
//!
//! ## Why it matters
//!
//! Frames larger than the peer's MTU are dropped, headroom is sized for another speed, or the link stays down.
//!
//! ## Example
//!
//! Of each switch:
//!
//! ```json
//! {
//!   "DEVICE_NEIGHBOR": {"Ethernet0": {"name": "b", "port": "Ethernet0"}},
//!   "PORT": {
//!     "Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "mtu": "9100", "admin_status": "up"}
//!   }
//! }
//! ```
//!
//! ```json
//! {
//!   "DEVICE_NEIGHBOR": {"Ethernet0": {"name": "a", "port": "Ethernet0"}},
//!   "PORT": {
//!     "Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "mtu": "1500", "admin_status": "up"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Make them equal.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale 5.1.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "FLEET005", name: "link-speed-mtu", severity: Severity::Error, effect: effect::LINK };

/// [`crate::fleet::Fleet::check`] reports violations, because they concern several switches.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
