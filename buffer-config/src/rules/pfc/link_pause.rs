//! # PFC017 pause-with-pfc
//!
//! Severity: error.
//!
//! A port with PFC also uses 802.3x pause frames (EOS and NX-OS `flowcontrol`, NVUE `link-pause`).
//!
//! ## Why it matters
//!
//! A pause frame of 802.3x stops all classes of the link, also lossy ones and congestion notifications. Most switches
//! obey only one of both mechanisms, so one of the two settings has no effect.
//!
//! ## Example
//!
//! ```eos
//! hostname leaf1
//! interface Ethernet1
//!    flowcontrol receive on
//!    priority-flow-control on
//!    priority-flow-control priority 3 no-drop
//! ```
//!
//! ## Fix
//!
//! Turn 802.3x pause off on ports with PFC.
//!
//! ## Source
//!
//! IEEE 802.1Q-2022, clause 36.1: PFC is used instead of the MAC control PAUSE operation.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "PFC017", name: "pause-with-pfc", severity: Severity::Error, effect: effect::NOT_LOSSLESS };

/// [`crate::device::check`] reports violations: SONiC has no such setting.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
