//! ECN and WRED of lossless queues.

use super::{Found, lossless_ports};
use crate::device::{Device, DevicePort, Queue, Repair};
use crate::finding::Severity;

/// The largest packet where the file states no MTU.
const USUAL_PACKET_BYTES: u32 = 1_500;

pub(super) fn check<'d>(device: &'d Device, out: &mut Found<'d>) {
    for port in device.ports.iter().filter(|port| !port.is_shut()) {
        for (number, queue) in &port.qos.queues {
            thresholds(port, *number, queue, out);
        }
    }
    for port in lossless_ports(device) {
        for class in port.qos.lossless.keys() {
            let number = port.qos.queue_of(*class);
            let queue = port.qos.queues.get(&number).copied().unwrap_or_default();
            lossless(port, number, &queue, out);
        }
    }
}

fn thresholds<'d>(port: &'d DevicePort, number: u8, queue: &Queue, out: &mut Found<'d>) {
    if !queue.marks.is_some_and(|marks| marks.value) {
        return;
    }
    let place = "queue/ecn";
    if let (Some(min), Some(max)) = (queue.min, queue.max)
        && min.value.unit == max.value.unit
    {
        let (low, high) = (min.value.count, max.value.count);
        if low > high {
            let message = format!("queue {number}: Kmax {high} is below Kmin {low}");
            out.port("ECN001", port, (max.span, place), message).repair(Repair::Mark { queue: number });
        } else if low == high {
            let message = format!("queue {number}: Kmin and Kmax are both {low}: marking begins in a step");
            out.port("ECN006", port, (max.span, place), message).repair(Repair::Mark { queue: number });
        }
    }
    if let Some(min) = queue.min.filter(|min| min.value.count == 0) {
        let message = format!("queue {number}: Kmin is 0: marking begins with the first packet");
        out.port("ECN005", port, (min.span, place), message).repair(Repair::Mark { queue: number });
    }
    let packet_bytes = port.mtu_bytes.map_or(USUAL_PACKET_BYTES, |mtu| mtu.value);
    let bytes = queue.min.and_then(|min| Some((min.span, min.value.bytes().filter(|bytes| *bytes > 0)?)));
    if let Some((span, bytes)) = bytes.filter(|(_, bytes)| *bytes < u64::from(packet_bytes)) {
        let message = format!("queue {number}: Kmin {bytes} B is less than one packet of {packet_bytes} B");
        out.port("ECN013", port, (span, place), message)
            .severity(Severity::Error)
            .repair(Repair::Mark { queue: number });
    }
    if let Some(percent) = queue.percent.filter(|percent| percent.value == 0) {
        let message = format!("queue {number}: the marking probability is 0: ECN has no effect below Kmax");
        out.port("ECN002", port, (percent.span, place), message).repair(Repair::Mark { queue: number });
    }
}

fn lossless<'d>(port: &'d DevicePort, number: u8, queue: &Queue, out: &mut Found<'d>) {
    let does = |state: Option<crate::device::Placed<bool>>| state.filter(|state| state.value);
    if let (Some(drops), None) = (does(queue.drops), does(queue.marks)) {
        let message = format!("WRED drops packets of lossless queue {number} instead of marking them");
        out.port("ECN008", port, (drops.span, "queue/wred"), message)
            .severity(Severity::Error)
            .repair(Repair::Mark { queue: number });
    } else if does(queue.marks).is_none() {
        let span = queue.marks.map_or(port.qos.pfc.map_or(port.span, |pfc| pfc.span), |marks| marks.span);
        let message = format!("lossless queue {number} has no ECN: PFC alone controls congestion");
        // The file may leave out a default of the model; an explicit statement is certain.
        let severity = if queue.marks.is_some() { Severity::Error } else { Severity::Warning };
        out.port("ECN007", port, (span, "queue/ecn"), message)
            .severity(severity)
            .repair(Repair::Mark { queue: number });
    }
}
