//! Packets that leave with another DSCP or 802.1p priority: the next switch puts them into another class.
//!
//! The maps of the next switch are assumed to be those of this one, as in a fabric with one design.

use std::collections::BTreeSet;

use super::{Found, RDMA_DSCP, lossless_ports};
use crate::device::eos::default_class;
use crate::device::treatment::Treatment;
use crate::device::{Device, DevicePort, Placed, Repair, System, Trust};

/// DSCPs of traffic that is not RDMA, on every switch (RFC 4594).
const ORDINARY: [u8; 4] = [0, 46, 48, 56];

/// The classes of each DSCP on ports with lossless classes.
struct Maps {
    classes: Vec<BTreeSet<u8>>,
    /// Whether a port states a map.
    is_stated: bool,
}

impl Maps {
    fn of(device: &Device) -> Self {
        let mut classes = vec![BTreeSet::new(); 64];
        let mut is_stated = false;
        for port in lossless_ports(device) {
            let qos = &port.qos;
            is_stated |= !qos.class_of_dscp.is_empty();
            for (dscp, known) in (0u8..).zip(&mut classes) {
                let stated = qos.class_of_dscp.get(&dscp).map(|class| class.value);
                known.extend(stated.or_else(|| default(device.system, port, dscp)));
            }
        }
        Self { classes, is_stated }
    }

    fn of_dscp(&self, dscp: u8) -> impl Iterator<Item = u8> + '_ {
        self.classes.get(usize::from(dscp)).into_iter().flatten().copied()
    }

    /// Whether packets of a class with this DSCP certainly are in another class.
    fn leaves(&self, class: u8, dscp: u8) -> bool {
        let stays = self.of_dscp(dscp).any(|known| known == class);
        !stays && (self.is_stated || ORDINARY.contains(&dscp))
    }
}

/// The class of a DSCP that a port does not map, where its guide states it.
fn default(system: System, port: &DevicePort, dscp: u8) -> Option<u8> {
    let trusts = port.qos.trust.is_none_or(|trust| matches!(trust.value, Trust::Dscp | Trust::Both));
    match system {
        System::Eos => trusts.then(|| default_class(dscp)),
        System::Nvue => (port.qos.trust.is_some() && trusts).then_some(dscp / 8),
        System::Nxos => None,
    }
}

pub(super) fn check<'d>(device: &'d Device, out: &mut Found<'d>) {
    let maps = Maps::of(device);
    for port in lossless_ports(device).filter(|port| !port.is_shut()) {
        for (class, dscp) in &port.qos.dscp_of_class {
            new_dscp(&maps, port, Some(*class), *dscp, own_dscp(port, *class), out);
        }
        for (class, cos) in &port.qos.cos_of_class {
            let repair =
                port.qos.lossless.get(class).map(|cos| Repair::KeepCos { class: *class, cos: cos.value });
            new_cos(device.system, port, (*class, *cos), repair, out);
        }
        for treatment in &port.qos.treatments {
            of_policy(device.system, &maps, port, treatment, out);
        }
    }
}

/// The repair that keeps the DSCP of a class: that of RDMA, or the first one of the class.
fn own_dscp(port: &DevicePort, class: u8) -> Option<Repair> {
    let map = &port.qos.class_of_dscp;
    let mut dscps = map.iter().filter(|(_, to)| to.value == class).map(|(dscp, _)| *dscp);
    let is_usual = map.get(&RDMA_DSCP).is_some_and(|to| to.value == class);
    let dscp = if is_usual { Some(RDMA_DSCP) } else { dscps.next() };
    dscp.map(|dscp| Repair::KeepDscp { class, dscp })
}

fn of_policy<'d>(system: System, maps: &Maps, port: &'d DevicePort, of: &Treatment, out: &mut Found<'d>) {
    let classes = super::classes_of(system, port, of);
    let remove = |command: &String| {
        let (policy, class) = (of.policy.clone(), of.class.clone());
        Some(Repair::NoAction { policy, class, command: command.clone() })
    };
    let [dscp_command, cos_command, _] = &of.commands;
    if let Some(dscp) = of.new_dscp {
        // RoCEv2 without a class of this policy is in the lossless one.
        let is_roce = classes.is_empty() && super::takes_roce(of);
        if is_roce && !maps.of_dscp(dscp.value).any(|class| port.qos.lossless.contains_key(&class)) {
            new_dscp(maps, port, None, dscp, remove(dscp_command), out);
        }
        for class in &classes {
            new_dscp(maps, port, Some(*class), dscp, remove(dscp_command), out);
        }
    }
    if let Some(cos) = of.new_cos {
        for class in &classes {
            new_cos(system, port, (*class, cos), remove(cos_command), out);
        }
    }
}

/// Reports a new DSCP of a lossless class, or a lossless one of another class. Without a class, the packets are RoCEv2.
fn new_dscp<'d>(
    maps: &Maps,
    port: &'d DevicePort,
    class: Option<u8>,
    dscp: Placed<u8>,
    repair: Option<Repair>,
    out: &mut Found<'d>,
) {
    let is_lossless = |class: u8| port.qos.lossless.contains_key(&class);
    let value = dscp.value;
    let others: Vec<String> = maps.of_dscp(value).map(|class| class.to_string()).collect();
    let to = match others.as_slice() {
        [] => "which no DSCP map puts into a lossless class".to_string(),
        all => format!("which is in class {}", all.join(" or ")),
    };
    let message = match class {
        None if maps.is_stated || ORDINARY.contains(&value) => {
            format!("changes the DSCP of RoCEv2 to {value}, {to}")
        }
        Some(class) if is_lossless(class) && maps.leaves(class, value) => {
            format!("changes the DSCP of lossless class {class} to {value}, {to}")
        }
        Some(class) if !is_lossless(class) => {
            let Some(lossless) = maps.of_dscp(value).find(|other| is_lossless(*other)) else { return };
            format!(
                "changes the DSCP of lossy class {class} to {value}, which is in lossless class {lossless}"
            )
        }
        _ => return,
    };
    let reported = out.port("MAP012", port, (dscp.span, "qos/remark"), message);
    // The right DSCP of a lossy class is not known.
    if let Some(repair) = repair.filter(|repair| class.is_none_or(is_lossless) || repair.removes_action()) {
        reported.repair(repair);
    }
}

/// Reports a new 802.1p priority of a lossless class that is not its own.
fn new_cos<'d>(
    system: System,
    port: &'d DevicePort,
    (class, cos): (u8, Placed<u8>),
    repair: Option<Repair>,
    out: &mut Found<'d>,
) {
    let Some(priority) = port.qos.lossless.get(&class) else { return };
    let is_own = match port.qos.class_of_cos.get(&cos.value) {
        Some(to) => to.value == class,
        // By default, EOS exchanges priorities 0 and 1.
        None if system == System::Eos => default_class(cos.value * 8) == class,
        None => cos.value == priority.value,
    };
    if is_own {
        return;
    }
    let message = format!("changes the 802.1p priority of lossless class {class} to {}", cos.value);
    let reported = out.port("MAP012", port, (cos.span, "qos/remark"), message);
    if let Some(repair) = repair {
        reported.repair(repair);
    }
}
