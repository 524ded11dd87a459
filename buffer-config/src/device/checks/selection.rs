//! Whether the access lists and policy maps of a port put RoCEv2, and only RoCEv2, into a lossless class.

use super::{Found, lossless_ports};
use crate::device::access::{ROCE_PORT, Reach};
use crate::device::eos::default_class;
use crate::device::treatment::{ListUse, Treatment};
use crate::device::{Device, DevicePort, Repair, System};
use crate::finding::Severity;

pub(super) fn check<'d>(device: &'d Device, out: &mut Found<'d>) {
    for port in lossless_ports(device).filter(|port| !port.is_shut()) {
        let mut takes_rdma = false;
        for treatment in port.qos.treatments.iter().filter(|treatment| !treatment.is_output) {
            let Some(class) = treatment.number else { continue };
            let is_lossless = port.qos.lossless.contains_key(&class);
            if is_lossless {
                lists(device.system, port, class, treatment, out);
                rest(port, class, treatment, out);
            } else if !takes_rdma {
                lossy(port, class, treatment, out);
            }
            takes_rdma |= is_lossless;
        }
    }
}

/// Access lists of a lossless class that match no packet of RoCEv2, or packets that they should leave out.
fn lists<'d>(system: System, port: &'d DevicePort, class: u8, of: &Treatment, out: &mut Found<'d>) {
    let is_reached = of.by_other || is_reached(system, port, class, of);
    for list in &of.lists {
        let name = &list.name;
        if of.roce == Reach::None && list.reach == Reach::None {
            if list.is_iscsi {
                continue;
            }
            // A class for other lossless traffic may be intended.
            let is_certain = !is_reached && (list.is_empty || list.names_roce_port);
            let why = match list.is_empty {
                true => "has no rules".to_string(),
                false => format!("matches no packet of RoCEv2 (UDP destination port {ROCE_PORT})"),
            };
            let message =
                format!("access list {name} of class {}, for lossless class {class}, {why}", of.class);
            out.port("MAP018", port, (list.span, "qos/map"), message)
                .severity(if is_certain { Severity::Error } else { Severity::Warning })
                .repair(Repair::PermitRoce { list: name.clone() });
        } else {
            wrongly_taken(system, port, class, list, out);
        }
    }
}

/// A list that gives the class packets that it should not, or whose deny rules mean something else.
fn wrongly_taken<'d>(system: System, port: &'d DevicePort, class: u8, list: &ListUse, out: &mut Found<'d>) {
    let name = &list.name;
    if let Some((rule, number, span)) = &list.ignored_deny {
        let message = match system {
            System::Nxos => format!(
                "access list {name} has `{rule}`, but a class map matches deny rules as permit rules: these packets are in \
                 lossless class {class}"
            ),
            _ => format!(
                "access list {name} has `{rule}` before it permits RoCEv2, but class maps of EOS disregard deny rules: RoCEv2 \
                 is in lossless class {class}"
            ),
        };
        let reported = out.port("MAP018", port, (*span, "qos/map"), message).severity(Severity::Warning);
        if let Some(number) = number {
            reported.repair(Repair::RemoveRule { list: name.clone(), number: *number });
        }
    } else if list.is_everything {
        let message =
            format!("access list {name} matches every packet: all traffic is in lossless class {class}");
        out.port("PFC015", port, (list.span, "qos/map"), message);
    }
}

/// Packets that no other class takes, in a lossless class.
fn rest<'d>(port: &'d DevicePort, class: u8, of: &Treatment, out: &mut Found<'d>) {
    if of.takes_rest {
        let message = format!("packets that no class of {} matches are in lossless class {class}", of.policy);
        out.port("PFC015", port, (of.span, "qos/map"), message);
    }
}

/// A lossy class that takes RoCEv2 by an access list, before any lossless class of the policy map.
fn lossy<'d>(port: &'d DevicePort, class: u8, of: &Treatment, out: &mut Found<'d>) {
    let Some(list) = of.lists.iter().find(|list| list.reach > Reach::None && list.names_roce_port) else {
        return;
    };
    let message =
        format!("access list {} puts RoCEv2 (UDP port {ROCE_PORT}) into lossy class {class}", list.name);
    let reported = out.port("MAP018", port, (list.span, "qos/map"), message).severity(Severity::Warning);
    let mut lossless = port.qos.lossless.keys();
    if let (Some(only), None) = (lossless.next(), lossless.next()) {
        let (policy, class) = (of.policy.clone(), of.class.clone());
        reported.repair(Repair::SetClass { policy, class, number: *only });
    }
}

/// Whether packets get into a class by a DSCP or an 802.1p priority, or by another class of the policy map.
fn is_reached(system: System, port: &DevicePort, class: u8, of: &Treatment) -> bool {
    let qos = &port.qos;
    let by_map = |map: &std::collections::BTreeMap<u8, crate::device::Placed<u8>>| {
        map.values().any(|to| to.value == class)
    };
    let by_default = system == System::Eos
        && (0..64).any(|dscp| !qos.class_of_dscp.contains_key(&dscp) && default_class(dscp) == class);
    let by_other = |other: &Treatment| {
        other.number == Some(class)
            && (&other.policy, &other.class) != (&of.policy, &of.class)
            && other.roce > Reach::None
    };
    by_map(&qos.class_of_dscp)
        || by_map(&qos.class_of_cos)
        || by_default
        || qos.treatments.iter().any(by_other)
}
