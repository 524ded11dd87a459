//! Policers and filters that drop packets of lossless classes.

use super::{Found, lossless_ports};
use crate::device::access::ROCE_PORT;
use crate::device::treatment::{Filter, Treatment};
use crate::device::{Device, DevicePort, Repair, System};

pub(super) fn check<'d>(device: &'d Device, out: &mut Found<'d>) {
    for port in lossless_ports(device).filter(|port| !port.is_shut()) {
        for treatment in &port.qos.treatments {
            policed(device.system, port, treatment, out);
        }
        for filter in &port.qos.filters {
            filtered(port, filter, out);
        }
    }
}

fn policed<'d>(system: System, port: &'d DevicePort, of: &Treatment, out: &mut Found<'d>) {
    let Some(policer) = of.policer else { return };
    let classes = super::classes_of(system, port, of);
    let lossless = classes.iter().find(|class| port.qos.lossless.contains_key(class));
    let what = match lossless {
        Some(class) => format!("lossless class {class}"),
        None if classes.is_empty() && super::takes_roce(of) => format!("RoCEv2 (UDP port {ROCE_PORT})"),
        None => return,
    };
    let speed_bps = port.speed_mbps.map(|speed| u64::from(speed.value).saturating_mul(1_000_000));
    let limit = match (policer.value, speed_bps) {
        (Some(rate), Some(speed)) if rate >= speed => return,
        (Some(rate), _) => format!("above {} Mb/s", rate / 1_000_000),
        (None, _) => "above its rate".to_string(),
    };
    let [.., command] = &of.commands;
    let message =
        format!("the policer of class {} in {} drops packets of {what} {limit}", of.class, of.policy);
    out.port("MAP019", port, (policer.span, "qos/policer"), message).repair(Repair::NoAction {
        policy: of.policy.clone(),
        class: of.class.clone(),
        command: command.clone(),
    });
}

fn filtered<'d>(port: &'d DevicePort, filter: &Filter, out: &mut Found<'d>) {
    let class_of = |dscp: &u8| {
        let class = port.qos.class_of_dscp.get(dscp)?.value;
        port.qos.lossless.contains_key(&class).then_some((*dscp, class))
    };
    let what = match (filter.dscps.as_slice(), filter.dscps.iter().find_map(class_of)) {
        ([], _) => format!("RoCEv2 (UDP port {ROCE_PORT})"),
        (_, Some((dscp, class))) => format!("DSCP {dscp} of lossless class {class}"),
        (_, None) => return,
    };
    let why = match &filter.rule {
        Some(rule) => format!("`{rule}`"),
        None => "no rule permits them".to_string(),
    };
    let message = format!("access list {} drops packets of {what}: {why}", filter.list);
    out.port("MAP013", port, (filter.span, "access-group"), message);
}
