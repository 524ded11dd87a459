//! # FLEET010 link-ecn
//!
//! Severity: warning.
//!
//! One end of a link marks packets of a lossless priority, and the other does not; a note where both mark, but at other
//! thresholds. Links between SONiC switches are compared by role (FLEET002).
//!
//! ## Why it matters
//!
//! Congestion at the end without ECN is controlled by PFC alone, so pauses spread. Thresholds that differ at the same
//! speed make the share of a flow depend on its path.
//!
//! ## Example
//!
//! Of each switch:
//!
//! ```eos
//! hostname a
//! interface Ethernet1
//!    description to b Ethernet1
//!    priority-flow-control on
//!    priority-flow-control priority 3 no-drop
//!    tx-queue 3
//!       random-detect ecn minimum-threshold 150 kbytes maximum-threshold 1500 kbytes
//! ```
//!
//! ```eos
//! hostname b
//! interface Ethernet1
//!    description to a Ethernet1
//!    priority-flow-control on
//!    priority-flow-control priority 3 no-drop
//!    tx-queue 3
//!       no random-detect ecn
//! ```
//!
//! ## Fix
//!
//! Mark packets at both ends, with thresholds for the speed of the link.
//!
//! ## Source
//!
//! DCQCN, SIGCOMM 2015, section 4.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "FLEET010",
    name: "link-ecn",
    severity: Severity::Warning,
    effect: effect::ECN_NOT_AS_INTENDED,
};

/// [`crate::fleet::Fleet::check`] reports violations, because they concern several switches.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
