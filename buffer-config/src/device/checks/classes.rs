//! Classes and queues: whether lossless classes receive packets, and only those of RDMA.

use std::collections::BTreeMap;

use super::{Found, RDMA_DSCP, lossless_ports};
use crate::device::eos::default_class;
use crate::device::{Device, DevicePort, Repair, System, Trust};
use crate::finding::Severity;

/// DSCPs of traffic that is not RDMA (RFC 4594, as PFC015).
const ORDINARY: [(u8, &str); 4] =
    [(0, "best effort"), (46, "expedited forwarding"), (48, "network control"), (56, "network control")];

pub(super) fn check<'d>(device: &'d Device, out: &mut Found<'d>) {
    for port in lossless_ports(device) {
        trust(port, out);
        unreachable(device, port, out);
        ordinary(port, out);
        shared_queue(port, out);
        strict(port, out);
    }
}

fn trust<'d>(port: &'d DevicePort, out: &mut Found<'d>) {
    let Some(trust) = port.qos.trust else { return };
    let message = match trust.value {
        Trust::Nothing => "ignores DSCPs and 802.1p priorities: all packets have the default class",
        Trust::Cos => {
            "trusts 802.1p priorities: routed RDMA packets without a VLAN tag have the default class"
        }
        Trust::Dscp | Trust::Both => return,
    };
    // Lossless classes of tagged traffic are legitimate.
    let is_tagged = trust.value == Trust::Cos && !port.qos.class_of_cos.is_empty();
    if !is_tagged {
        let severity = if trust.value == Trust::Nothing { Severity::Error } else { Severity::Warning };
        out.port("PFC008", port, (trust.span, "qos/trust"), message.to_string())
            .severity(severity)
            .repair(Repair::TrustDscp);
    }
}

/// A lossless class that no DSCP and no 802.1p priority reaches.
fn unreachable<'d>(device: &Device, port: &'d DevicePort, out: &mut Found<'d>) {
    let qos = &port.qos;
    if qos.trust.is_some_and(|trust| trust.value == Trust::Nothing) {
        return;
    }
    for (class, priority) in &qos.lossless {
        let is_stated =
            |map: &BTreeMap<u8, crate::device::Placed<u8>>| map.values().any(|to| to.value == *class);
        // DSCPs that the file does not map: a known default, or unknown.
        let rest = || (0..64).filter(|dscp| !qos.class_of_dscp.contains_key(dscp));
        let may_be_reached = match device.system {
            System::Eos => rest().any(|dscp| default_class(dscp) == *class),
            // Without a profile, switch priorities come from 802.1p priorities.
            System::Nvue => qos.class_of_dscp.is_empty() || (qos.trust.is_none() && rest().next().is_some()),
            System::Nxos => qos.class_of_dscp.is_empty() && qos.class_of_cos.is_empty(),
        };
        let by_other = qos.classes_by_other.contains(class);
        if by_other || is_stated(&qos.class_of_dscp) || is_stated(&qos.class_of_cos) || may_be_reached {
            continue;
        }
        let message =
            format!("no DSCP maps to lossless class {class}: PFC priority {} is never used", priority.value);
        let dscp = qos.class_of_dscp.get(&RDMA_DSCP).map_or(priority.span, |to| to.span);
        out.port("PFC008", port, (dscp, "qos/map"), message)
            .repair(Repair::MapDscp { dscp: RDMA_DSCP, class: *class });
    }
}

fn ordinary<'d>(port: &'d DevicePort, out: &mut Found<'d>) {
    let map = &port.qos.class_of_dscp;
    for (dscp, what) in ORDINARY {
        let Some(class) = map.get(&dscp).filter(|class| port.qos.lossless.contains_key(&class.value)) else {
            continue;
        };
        let message = format!("DSCP {dscp} ({what}) maps to lossless class {}", class.value);
        out.port("PFC015", port, (class.span, "qos/map"), message)
            .repair(Repair::MapDscp { dscp, class: if dscp == 0 { 0 } else { dscp / 8 } });
    }
}

/// Two classes in one queue, of which one is lossless.
fn shared_queue<'d>(port: &'d DevicePort, out: &mut Found<'d>) {
    let qos = &port.qos;
    for (class, queue) in &qos.queue_of_class {
        let is_lossless = qos.lossless.contains_key(class);
        let other = qos.lossless.keys().find(|l| *l != class && qos.queue_of(**l) == queue.value);
        let Some(lossless) = other else { continue };
        let (message, own) = match is_lossless {
            true if class > lossless => {
                (format!("lossless classes {lossless} and {class} share queue {}", queue.value), *class)
            }
            true => continue,
            false => (
                format!("lossy class {class} shares queue {} with lossless class {lossless}", queue.value),
                // The class that left its own queue.
                if qos.queue_of(*lossless) == *lossless { *class } else { *lossless },
            ),
        };
        out.port("PFC014", port, (queue.span, "qos/queue"), message).repair(Repair::OwnQueue { class: own });
    }
}

fn strict<'d>(port: &'d DevicePort, out: &mut Found<'d>) {
    for class in port.qos.lossless.keys() {
        let number = port.qos.queue_of(*class);
        let queue = port.qos.queues.get(&number).copied().unwrap_or_default();
        if let Some(strict) = queue.is_strict.filter(|strict| strict.value) {
            let message = format!("lossless queue {number} has strict priority");
            out.port("SCHED002", port, (strict.span, "queue"), message)
                .repair(Repair::Weight { queue: number });
        }
    }
}
