//! Lossless queues that are slower than their port: shapers, small shares of the bandwidth, and best effort that is served first.

use super::{Found, lossless_ports};
use crate::device::eos::default_class;
use crate::device::{Device, DevicePort, Queue, Repair, System};

/// The quotient of two shares above which the smaller one is reported (as SCHED005).
const SHARE_RATIO: u32 = 10;

pub(super) fn check<'d>(device: &'d Device, out: &mut Found<'d>) {
    for port in lossless_ports(device).filter(|port| !port.is_shut()) {
        for class in port.qos.lossless.keys() {
            let number = port.qos.queue_of(*class);
            let queue = port.qos.queues.get(&number).copied().unwrap_or_default();
            shaped(port, number, &queue, out);
            share(port, number, &queue, out);
            unnamed(port, number, &queue, out);
        }
        best_effort(device, port, out);
        shaped_port(port, out);
    }
}

fn shaped_port<'d>(port: &'d DevicePort, out: &mut Found<'d>) {
    let speed_bps = port.speed_mbps.map(|speed| u64::from(speed.value).saturating_mul(1_000_000));
    let Some(rate) = port.qos.port_rate_bps.filter(|rate| rate.value < speed_bps.unwrap_or(u64::MAX)) else {
        return;
    };
    let message = format!("a shaper limits the port to {} Mb/s", rate.value / 1_000_000);
    out.port("SCHED005", port, (rate.span, "qos/shaper"), message).repair(Repair::UnshapePort);
}

fn shaped<'d>(port: &'d DevicePort, number: u8, queue: &Queue, out: &mut Found<'d>) {
    let speed_bps = port.speed_mbps.map(|speed| u64::from(speed.value).saturating_mul(1_000_000));
    let is_slower = |rate_bps: u64| speed_bps.is_none_or(|speed_bps| rate_bps < speed_bps);
    if let Some(rate) = queue.max_rate_bps.filter(|rate| is_slower(rate.value)) {
        let message = format!("a shaper limits lossless queue {number} to {} Mb/s", rate.value / 1_000_000);
        out.port("SCHED005", port, (rate.span, "queue"), message).repair(Repair::Unshape { queue: number });
    }
}

fn share<'d>(port: &'d DevicePort, number: u8, queue: &Queue, out: &mut Found<'d>) {
    let Some(own) = queue.bandwidth_percent else { return };
    let shares = port.qos.queues.values().filter_map(|queue| queue.bandwidth_percent);
    let most = shares.map(|share| share.value).max().unwrap_or(0);
    if u32::from(own.value).saturating_mul(SHARE_RATIO) <= u32::from(most) {
        let message =
            format!("lossless queue {number} has {} % of the bandwidth, another queue {most} %", own.value);
        out.port("SCHED005", port, (own.span, "queue"), message).repair(Repair::Weight { queue: number });
    }
}

/// A queue that a scheduler with shares for others does not name.
fn unnamed<'d>(port: &'d DevicePort, number: u8, queue: &Queue, out: &mut Found<'d>) {
    let shares = port.qos.queues.values().filter_map(|queue| queue.bandwidth_percent);
    let Some(first) = shares.into_iter().next().filter(|_| port.qos.has_all_shares) else { return };
    if queue.bandwidth_percent.is_none() && queue.is_strict.is_none() {
        let message = format!("the scheduler gives no share to lossless queue {number}, but to other queues");
        out.port("SCHED005", port, (first.span, "queue"), message).repair(Repair::Weight { queue: number });
    }
}

/// The queue of DSCP 0 with strict priority over a lossless queue.
fn best_effort<'d>(device: &Device, port: &'d DevicePort, out: &mut Found<'d>) {
    let qos = &port.qos;
    let usual = if device.system == System::Eos { default_class(0) } else { 0 };
    let class = qos.class_of_dscp.get(&0).map_or(usual, |class| class.value);
    let number = qos.queue_of(class);
    let lossless = qos.lossless.keys().map(|class| qos.queue_of(*class));
    let is_strict = |number: u8| qos.queues.get(&number).and_then(|queue| queue.is_strict);
    let is_weighted = |other: &u8| *other != number && !is_strict(*other).is_some_and(|strict| strict.value);
    let Some(lossless) = lossless.into_iter().find(is_weighted) else { return };
    if let Some(strict) = is_strict(number).filter(|strict| strict.value) {
        let message = format!(
            "queue {number} of DSCP 0 (best effort) has strict priority over lossless queue {lossless}"
        );
        out.port("SCHED005", port, (strict.span, "queue"), message).repair(Repair::Weight { queue: number });
    }
}
