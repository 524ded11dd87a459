//! The compared values of a switch that does not run SONiC. What its file does not state is not compared.

use super::kept::{Kept, LOSSY, Link, NONE, Names, PROPERTIES, Places, Shared, UNKNOWN};
use crate::device::{Device, DevicePort, Trust, position_of};
use crate::source::{SourceText, position};

impl Kept {
    /// The values of a device, with the positions of those that a finding may name.
    pub(super) fn of_device(source: SourceText<'_>, device: &Device, names: &mut Names) -> Self {
        let mut ports: Vec<u32> = device.ports.iter().map(|port| names.number(&port.name)).collect();
        ports.sort_unstable();
        ports.dedup();
        let links =
            device.ports.iter().enumerate().map(|(index, port)| link(port, index as u32, names)).collect();
        let places = device.ports.iter().map(|port| places(source.text, port)).collect();
        let none = names.number("");
        Self {
            file: source.name.into(),
            system: Some(device.system),
            name: names.number(&device.hostname),
            chip: none,
            role: "".into(),
            kind: none,
            neighbour_roles: Box::default(),
            shared: Shared::default(),
            asic: "",
            sku: none,
            pause: None,
            values: [None; PROPERTIES.len()],
            headroom: Box::default(),
            ports: ports.into(),
            links,
            places,
        }
    }
}

fn link(port: &DevicePort, place: u32, names: &mut Names) -> Link {
    let (peer, peer_port) = port.neighbour.as_ref().map_or(("", ""), |(peer, port)| (peer, port));
    let marking = marking(port);
    Link {
        port: names.number(&port.name),
        also: names.number(""),
        speed_mbps: port.speed_mbps.map(|speed| speed.value),
        mtu_bytes: port.mtu_bytes.map(|mtu| mtu.value),
        cable_m: port.cable_m.map(|cable| cable.value),
        pfc: port.qos.pfc_priorities(),
        is_up: port.is_up.map(|up| up.value),
        fec: names.number(port.fec.map_or("", |fec| fec.value.name())),
        autoneg: port.autoneg.map(|autoneg| autoneg.value),
        link_training: None,
        port_channel: Some(names.number(port.port_channel.as_ref().map_or("", |c| &c.value.name))),
        has_lacp: port.port_channel.as_ref().is_some_and(|channel| channel.value.has_lacp),
        peer: names.number(peer),
        peer_port: names.number(peer_port),
        classes: names.number(&classes(port)),
        marking: names.number(&marking),
        watchdog: names.number(&watchdog(port)),
        place,
    }
}

/// The PFC priority of each DSCP ([`Link::classes`]); empty if DSCPs do not determine it.
fn classes(port: &DevicePort) -> String {
    let qos = &port.qos;
    let uses_dscp = qos.trust.is_none_or(|trust| matches!(trust.value, Trust::Dscp | Trust::Both));
    if !uses_dscp || !qos.has_pfc() {
        return String::new();
    }
    let of = |dscp: u8| match qos.class_of_dscp.get(&dscp) {
        None => UNKNOWN,
        Some(class) => match qos.lossless.get(&class.value) {
            Some(priority) => char::from(b'0' + priority.value.min(7)),
            None => LOSSY,
        },
    };
    (0..64).map(of).collect()
}

/// Kmin, Kmax and Pmax of the first lossless class.
fn marking(port: &DevicePort) -> String {
    let qos = &port.qos;
    let Some(class) = qos.lossless.keys().next().filter(|_| qos.has_pfc()) else { return String::new() };
    let Some(queue) = qos.queues.get(&qos.queue_of(*class)) else { return String::new() };
    match queue.marks.map(|marks| marks.value) {
        None => String::new(),
        Some(false) => NONE.to_string(),
        Some(true) => {
            let bytes = |amount: Option<crate::device::Placed<crate::device::Amount>>| amount?.value.bytes();
            match (bytes(queue.min), bytes(queue.max), queue.percent) {
                (Some(min), Some(max), Some(percent)) => format!("{min}/{max}/{}", percent.value),
                _ => "on".to_string(),
            }
        }
    }
}

fn watchdog(port: &DevicePort) -> String {
    match port.qos.watchdog.map(|watchdog| watchdog.value).filter(|_| port.qos.has_pfc()) {
        None => String::new(),
        Some(false) => NONE.to_string(),
        Some(true) => port.qos.detection_ms.map_or("on".to_string(), |ms| ms.value.to_string()),
    }
}

fn places(text: &str, port: &DevicePort) -> Places {
    let qos = &port.qos;
    let of_class = qos.class_of_dscp.values().next().copied();
    let queue = qos.lossless.keys().next().and_then(|class| qos.queues.get(&qos.queue_of(*class)));
    let marks = queue.and_then(|queue| queue.marks);
    Places {
        port: position(text, port.span.start),
        pfc: position_of(text, port, qos.pfc),
        speed: position_of(text, port, port.speed_mbps),
        mtu: position_of(text, port, port.mtu_bytes),
        fec: position_of(text, port, port.fec),
        autoneg: position_of(text, port, port.autoneg),
        port_channel: position_of(text, port, port.port_channel.clone()),
        cable: position_of(text, port, port.cable_m),
        state: position_of(text, port, port.is_up),
        classes: position_of(text, port, of_class),
        marking: position_of(text, port, marks),
        watchdog: position_of(text, port, qos.watchdog),
    }
}
