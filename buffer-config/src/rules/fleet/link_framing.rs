//! # FLEET018 link-framing
//!
//! Severity: error (a warning for VLAN tags).
//!
//! Only one end of a link uses MACsec, the ends have no common MACsec key, or they have different VLAN tag types.
//!
//! ## Why it matters
//!
//! A port with MACsec drops all frames without it, and without a common key no session starts. The link is up at both
//! ends, but carries no packet. A switch forwards frames with another tag type as untagged ones, in another VLAN and
//! class.
//!
//! ## Example
//!
//! Of each switch:
//!
//! ```json
//! {
//!   "DEVICE_NEIGHBOR": {"Ethernet0": {"name": "b", "port": "Ethernet0"}},
//!   "MACSEC_PROFILE": {
//!     "uplink": {"cipher_suite": "GCM-AES-128", "primary_ckn": "6162636465666768696a6b6c6d6e6f70", "primary_cak": "KEY"}
//!   },
//!   "PORT": {
//!     "Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "mtu": "9100", "admin_status": "up", "macsec": "uplink"}
//!   }
//! }
//! ```
//!
//! ```json
//! {"DEVICE_NEIGHBOR": {"Ethernet0": {"name": "a", "port": "Ethernet0"}}}
//! ```
//!
//! ## Fix
//!
//! Use a MACsec profile with the same key, key name and key length at both ends, or none, and the same `tpid`.
//!
//! ## Source
//!
//! IEEE 802.1AE 10.6 (frames without a SecTAG) and 802.1X 9.3 (names of keys);
//! [macsecmgr.cpp](https://github.com/sonic-net/sonic-swss/blob/master/cfgmgr/macsecmgr.cpp); `SAI_PORT_ATTR_TPID` in
//! [saiport.h](https://github.com/opencomputeproject/SAI/blob/master/inc/saiport.h).

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "FLEET018", name: "link-framing", severity: Severity::Error, effect: effect::LINK };

/// [`crate::fleet::Fleet::check`] reports violations, because they concern several switches.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
