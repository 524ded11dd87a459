//! # PFC016 pfc-off
//!
//! Severity: error (a warning where DCBX decides).
//!
//! A port of EOS or NX-OS has lossless priorities, but PFC is off, or on only if DCBX negotiates it; or PFC is on, but
//! no priority is lossless. On NX-OS, the network QoS policy makes classes lossless for the whole switch, but each port
//! uses PFC only with `priority-flow-control mode on`.
//!
//! ## Why it matters
//!
//! The port neither sends nor obeys PFC frames. Packets of the class are dropped as soon as a queue is full.
//!
//! ## Example
//!
//! ```eos
//! hostname leaf1
//! interface Ethernet1
//!    mtu 9214
//!    priority-flow-control priority 3 no-drop
//! ```
//!
//! ## Fix
//!
//! Turn PFC on: `priority-flow-control on` (EOS), `priority-flow-control mode on` (NX-OS). Make a priority lossless:
//! `priority-flow-control priority 3 no-drop` (EOS), `pause pfc-cos 3` in the network QoS policy (NX-OS).
//!
//! ## Source
//!
//! Arista EOS user manual, Priority Flow Control; [NX-OS QoS configuration
//! guide](https://www.cisco.com/c/en/us/td/docs/dcn/nx-os/nexus9000/106x/configuration/qos/cisco-nexus-9000-series-nx-os-quality-of-service-configuration-guide-106x.pdf).

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "PFC016", name: "pfc-off", severity: Severity::Error, effect: effect::NOT_LOSSLESS };

/// [`crate::device::check`] reports violations: SONiC has no such setting.
pub(super) fn check(_: &Context<'_, '_>, _: &mut Findings) {}
