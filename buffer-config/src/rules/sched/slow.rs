//! # SCHED005 slow-lossless-queue
//!
//! Severity: warning.
//!
//! A shaper limits a lossless queue or its port to less than the speed of the port or lets less than a frame pass at once,
//! the scheduler of a lossless queue
//! has less than a tenth of the weight of another queue or no share at all, or best effort has strict priority over it.
//!
//! ## Why it matters
//!
//! Packets of a slow queue fill the buffer although the link is idle or serves other queues. The switch then pauses the
//! senders: the port behaves as a slow receiver.
//!
//! ## Example
//!
//! ```json
//! {
//!   "SCHEDULER": {"s1": {"type": "DWRR", "weight": "15", "meter_type": "bytes", "cir": "1000", "pir": "1250000"}}
//! }
//! ```
//!
//! ## Fix
//!
//! Remove `pir` and `cir`, and give lossless queues at least the weight of lossy ones.
//!
//! ## Source
//!
//! `pir` is in bytes/s with `meter_type` bytes, in packets/s with packets:
//! [qosorch.cpp](https://github.com/sonic-net/sonic-swss/blob/master/orchagent/qosorch.cpp),
//! `SAI_SCHEDULER_ATTR_MAX_BANDWIDTH_RATE`. A token bucket that is smaller than a packet never has the tokens for it
//! ([RFC 2697](https://www.rfc-editor.org/rfc/rfc2697) section 2). NVUE gives no bandwidth to a queue without a share, and shapes in kbit/s:
//! [Cumulus Linux, egress scheduler and
//! shaping](https://docs.nvidia.com/networking-ethernet-software/cumulus-linux-519/Layer-1-and-Switch-Ports/Quality-of-Service/).

use super::super::context::{Context, Findings, bytes, hit, priorities};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::{ResolvedPort, Schedule};

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "SCHED005",
    name: "slow-lossless-queue",
    severity: Severity::Warning,
    effect: effect::SCHEDULING,
};

/// The quotient of two weights above which the smaller one is reported. Shipped ratios are at most 5.
const WEIGHT_RATIO: u32 = 10;

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let has_shaper = cx.db.rows("SCHEDULER").iter().any(|entry| cx.db.field(entry, "pir").is_some());
    if has_shaper {
        cx.by_port_entry(out, &META, |port, _| shaped(cx, port));
    }
    cx.by_port(out, &META, |port| {
        let weight = |queue: usize| match port.queue_schedule.get(queue).copied().flatten()? {
            Schedule::Weighted { weight } => Some(u32::from(weight)),
            Schedule::Strict => None,
        };
        let lossless = cx.lossless_classes(port).map(|class| usize::from(port.tc_to_queue[class]));
        let (queue, least) =
            lossless.filter_map(|q| Some((q, weight(q)?))).min_by_key(|(_, weight)| *weight)?;
        let class = port.dscp_to_tc.0.first().copied().unwrap_or(0);
        let best_effort = usize::from(port.tc_to_queue[usize::from(class & 15)]);
        if port.queue_schedule.get(best_effort).copied().flatten() == Some(Schedule::Strict) {
            let message = format!(
                "queue {best_effort} of DSCP 0 (best effort) has strict priority over lossless queue {queue}"
            );
            return hit("QUEUE", cx.group_key("QUEUE", &port.name, best_effort), "scheduler", message);
        }
        let most = (0..port.queue_schedule.len()).filter_map(weight).max()?;
        if least == 0 || least.saturating_mul(WEIGHT_RATIO) > most {
            return None;
        }
        let message = format!("lossless queue {queue} has weight {least}, another queue {most}");
        hit("QUEUE", cx.group_key("QUEUE", &port.name, queue), "scheduler", message)
    });
}

/// Reports a shaper of the port or of a lossless queue.
fn shaped(cx: &Context<'_, '_>, port: &ResolvedPort) -> Option<super::super::context::Hit> {
    cx.lossless_classes(port).next()?;
    let speed = u64::from(port.speed_mbps).saturating_mul(1_000_000);
    let limit = |scheduler: Option<&str>| {
        let name = crate::schema::reference("SCHEDULER", scheduler?);
        // A limit in packets is highest for the largest packets.
        let is_bytes = cx.value("SCHEDULER", name, "meter_type").is_none_or(|kind| kind == "bytes");
        let unit_bytes = if is_bytes { 1 } else { u64::from(port.mtu_bytes) };
        let units: u64 = cx.value("SCHEDULER", name, "pir")?.trim().parse().ok()?;
        let bits = units.saturating_mul(unit_bytes).saturating_mul(8);
        (bits > 0 && bits < speed).then(|| (name.to_string(), bits))
    };
    let small = |scheduler: Option<&str>| {
        let name = crate::schema::reference("SCHEDULER", scheduler?);
        let value = |field| cx.value("SCHEDULER", name, field);
        let is_bytes = value("meter_type").is_none_or(|kind| kind == "bytes");
        let burst: u64 = value("pbs").filter(|_| is_bytes && value("pir").is_some())?.trim().parse().ok()?;
        let frame = u64::from(cx.lossless_mtu().min(port.mtu_bytes));
        let message = || {
            format!(
                "scheduler {name} lets {} pass at once, less than a frame of {}",
                bytes(burst),
                bytes(frame)
            )
        };
        (burst > 0 && burst < frame).then(|| hit("SCHEDULER", name, "pbs", message())).flatten()
    };
    let text = |what: &str, name: &str, bits: u64| {
        format!("scheduler {name} limits {what} to {} Mb/s of {} Mb/s", bits / 1_000_000, port.speed_mbps)
    };
    if let Some((name, bits)) = limit(cx.value("PORT_QOS_MAP", &port.name, "scheduler")) {
        return hit("PORT_QOS_MAP", &port.name, "scheduler", text("the port", &name, bits));
    }
    if let Some(found) = small(cx.value("PORT_QOS_MAP", &port.name, "scheduler")) {
        return Some(found);
    }
    priorities(port.pfc_priorities).find_map(|priority| {
        let queue = usize::from(port.tc_to_queue[priority]);
        let key = cx.group_key("QUEUE", &port.name, queue);
        if let Some(found) = small(cx.value("QUEUE", &key, "scheduler")) {
            return Some(found);
        }
        let (name, bits) = limit(cx.value("QUEUE", &key, "scheduler"))?;
        hit("SCHEDULER", name.as_str(), "pir", text(&format!("lossless queue {queue}"), &name, bits))
    })
}
