//! What `nv set qos roce` sets.
//!
//! Source: Cumulus Linux 5 user guide, "RDMA over Converged Ethernet - RoCE", tables of the default configuration and the
//! output of `nv show qos roce`: DSCPs and 802.1p priorities are trusted, eight DSCPs each have one switch priority,
//! switch priority 3 has traffic class 3 and PFC, 6 (congestion notifications) has traffic class 6 with strict priority,
//! all others have traffic class 0. Traffic classes 0 and 3 are marked from 150,000 to 1,500,000 bytes.

use super::super::qos::{Amount, PfcMode, Qos, Queue, Trust, Unit};
use super::super::{Device, Placed};
use super::tree::Node;
use super::{is_on, placed};

/// The class of RDMA.
const RDMA: u8 = 3;
/// The class of congestion notification packets.
const NOTIFICATIONS: u8 = 6;
const MIN_BYTES: u64 = 150_000;
const MAX_BYTES: u64 = 1_500_000;
const PERCENT: u8 = 100;

/// The command that turns the profile on; `None` if it is off or not in the file.
fn command(qos: &Node) -> Option<&Node> {
    let roce = qos.get("roce")?;
    let state = is_on(roce.value(&["enable"])).or_else(|| is_on(roce.value(&["state"])));
    state.is_none_or(|state| state.value).then_some(roce)
}

/// The cable length of the profile, if the file states it.
pub(super) fn cable_m(qos: &Node) -> Option<Placed<u32>> {
    let length = command(qos)?.value(&["cable-length"])?;
    length.key.parse().ok().map(|metres| Placed::new(metres, length.span))
}

/// The settings of the profile.
pub(super) fn settings(qos: &Node, device: &mut Device) -> Option<Qos> {
    let roce = command(qos)?;
    let mode = roce.value(&["mode"]);
    let span = mode.map_or(roce.span, |mode| mode.span);
    let mut settings = Qos { trust: placed(Trust::Both, span), ..Qos::default() };
    let has_pfc = match mode.map(|mode| mode.key.as_str()) {
        None | Some("lossless" | "lossless-single-ipool") => true,
        Some("lossy") => false,
        // Its map and thresholds are others, and none of its classes is lossless.
        Some("lossy-multi-tc") => {
            settings.pfc = placed(PfcMode::Off, span);
            return Some(settings);
        }
        Some(other) => {
            let message = format!("`qos roce mode` is `{other}`; expected lossless or lossy");
            device.refused(span, "/qos/roce/mode", message);
            return None;
        }
    };
    for dscp in 0..64 {
        settings.class_of_dscp.insert(dscp, Placed::new(dscp / 8, span));
    }
    for class in 0..8 {
        let queue = if class == RDMA || class == NOTIFICATIONS { class } else { 0 };
        settings.queue_of_class.insert(class, Placed::new(queue, span));
    }
    let bytes = |count| placed(Amount { count, unit: Unit::Bytes }, span);
    let marked = Queue {
        marks: placed(true, span),
        min: bytes(MIN_BYTES),
        max: bytes(MAX_BYTES),
        percent: placed(PERCENT, span),
        is_strict: placed(false, span),
        ..Queue::default()
    };
    settings.queues.insert(0, marked);
    settings.queues.insert(RDMA, marked);
    settings.queues.insert(NOTIFICATIONS, Queue { is_strict: placed(true, span), ..Queue::default() });
    settings.pfc = placed(if has_pfc { PfcMode::On } else { PfcMode::Off }, span);
    if has_pfc {
        settings.lossless.insert(RDMA, Placed::new(RDMA, span));
        settings.sends_pfc = placed(true, span);
        settings.receives_pfc = placed(true, span);
    }
    Some(settings)
}
