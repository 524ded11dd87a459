//! Switches that do not run SONiC: what the configurations of Cumulus Linux (NVUE), Arista EOS and Cisco NX-OS state
//! about lossless traffic, with the position of each value.
//!
//! A value that a file does not state is absent here, and no rule draws a conclusion from it: defaults differ between
//! models and releases. The only exceptions are documented defaults that a stated command sets (`nv set qos roce`), and
//! the documented DSCP map of EOS, which counts only in the question whether a class receives any packet.
//!
//! Sources: Cumulus Linux 5 user guide, "Quality of Service" and "RDMA over Converged Ethernet"; Arista EOS user manual,
//! "Quality of Service" and "Priority Flow Control"; Cisco Nexus 9000 NX-OS QoS configuration guide.

mod access;
mod checks;
mod eos;
mod fix;
mod lines;
mod names;
mod nvue;
mod nxos;
mod policies;
mod qos;
mod repair;
mod system;
mod treatment;

pub use qos::{Amount, Fec, PfcMode, Qos, Queue, Trust, Unit};
pub use system::{System, system_of};

pub(crate) use fix::with_commands;
pub(crate) use repair::Repair;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::finding::{Finding, Severity};
use crate::source::{Position, SourceText, Span, position};

/// The most ports that one configuration may have; the rest is reported and left out. A modular chassis has fewer than
/// 1,200.
pub(crate) const MAX_PORTS: usize = 4096;
/// The most problems of one file that are listed.
const MAX_REMARKS: usize = 200;

/// A value and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// The bytes that state it.
    pub span: Span,
}

impl<T> Placed<T> {
    pub(crate) fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

impl<T: Serialize> Serialize for Placed<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

/// One switch.
#[derive(Clone, Debug, Serialize)]
pub struct Device {
    /// Its operating system.
    pub system: System,
    /// Its name, empty if the file does not state it.
    pub hostname: String,
    /// The physical ports, in the order of the file.
    pub ports: Vec<DevicePort>,
    /// Problems of the text and of values that belong to no port.
    #[serde(skip)]
    pub(crate) remarks: Vec<Remark>,
}

/// A port channel, or bond.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PortChannel {
    /// Its name or number.
    pub name: String,
    /// Whether its members are negotiated with LACP; without, all members are used at once.
    pub has_lacp: bool,
}

/// One physical port.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DevicePort {
    /// Its name, such as `Ethernet1/1` or `swp1`.
    pub name: String,
    /// The first mention of the port.
    #[serde(skip)]
    pub span: Span,
    /// Not shut down.
    pub is_up: Option<Placed<bool>>,
    /// Speed in Mbit/s.
    pub speed_mbps: Option<Placed<u32>>,
    /// MTU without the Ethernet header, bytes.
    pub mtu_bytes: Option<Placed<u32>>,
    /// Forward error correction.
    pub fec: Option<Placed<Fec>>,
    /// Auto-negotiation.
    pub autoneg: Option<Placed<bool>>,
    /// The port channel that it is a member of.
    pub port_channel: Option<Placed<PortChannel>>,
    /// Length of its cable, metres.
    pub cable_m: Option<Placed<u32>>,
    /// Name of the neighbour and of its port, from the description.
    pub neighbour: Option<(String, String)>,
    /// Flow control, classes, queues and watchdog.
    pub qos: Qos,
}

impl DevicePort {
    pub(crate) fn new(name: String, span: Span) -> Self {
        Self {
            name,
            span,
            is_up: None,
            speed_mbps: None,
            mtu_bytes: None,
            fec: None,
            autoneg: None,
            port_channel: None,
            cable_m: None,
            neighbour: None,
            qos: Qos::default(),
        }
    }

    /// The values of this port, and those of `before` where it states nothing: a later block of the same port adds to
    /// an earlier one.
    pub(crate) fn over(self, before: Self) -> Self {
        Self {
            name: before.name,
            span: before.span,
            is_up: self.is_up.or(before.is_up),
            speed_mbps: self.speed_mbps.or(before.speed_mbps),
            mtu_bytes: self.mtu_bytes.or(before.mtu_bytes),
            fec: self.fec.or(before.fec),
            autoneg: self.autoneg.or(before.autoneg),
            port_channel: self.port_channel.or(before.port_channel),
            cable_m: self.cable_m.or(before.cable_m),
            neighbour: self.neighbour.or(before.neighbour),
            qos: self.qos.over(&before.qos),
        }
    }

    /// Whether the file shuts the port down.
    pub(crate) fn is_shut(&self) -> bool {
        self.is_up.is_some_and(|up| !up.value)
    }
}

/// A finding of a device before it has the name of its file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Remark {
    pub(crate) code: &'static str,
    /// The severity; `None` for the rule's.
    pub(crate) severity: Option<Severity>,
    pub(crate) span: Span,
    /// The place in the configuration, as a path of its keywords.
    pub(crate) pointer: String,
    pub(crate) message: String,
    pub(crate) ports: Vec<String>,
    /// The repair as commands of the operating system.
    pub(crate) commands: Vec<String>,
}

impl Remark {
    pub(crate) fn new(code: &'static str, span: Span, pointer: impl Into<String>, message: String) -> Self {
        let (severity, ports, commands) = (None, Vec::new(), Vec::new());
        Self { code, severity, span, pointer: pointer.into(), message, ports, commands }
    }

    pub(crate) fn repair(self, commands: Vec<String>) -> Self {
        Self { commands, ..self }
    }
}

impl Device {
    pub(crate) fn new(system: System) -> Self {
        Self { system, hostname: String::new(), ports: Vec::new(), remarks: Vec::new() }
    }

    pub(crate) fn remark(&mut self, remark: Remark) {
        if self.remarks.len() < MAX_REMARKS {
            self.remarks.push(remark);
        }
    }

    /// Reports a value that the operating system does not accept.
    pub(crate) fn refused(&mut self, span: Span, pointer: &str, message: String) {
        self.remark(Remark::new("SRC006", span, pointer, message));
    }
}

/// The ports of a device while its file is read, found by name.
#[derive(Debug, Default)]
pub(crate) struct Ports {
    all: Vec<DevicePort>,
    by_name: BTreeMap<String, usize>,
}

impl Ports {
    /// The port with this name, which is added if it is new. `None` if there are too many ports.
    pub(crate) fn port(&mut self, name: &str, span: Span) -> Option<&mut DevicePort> {
        if let Some(index) = self.by_name.get(name) {
            return self.all.get_mut(*index);
        }
        if self.all.len() >= MAX_PORTS {
            return None;
        }
        self.by_name.insert(name.to_string(), self.all.len());
        self.all.push(DevicePort::new(name.to_string(), span));
        self.all.last_mut()
    }

    pub(crate) fn into_vec(self) -> Vec<DevicePort> {
        self.all
    }
}

/// Reads a configuration. Always returns what could be read; [`Device::remarks`] lists the rest.
pub fn read(system: System, text: &str) -> Device {
    match system {
        System::Nvue => nvue::read(text),
        System::Eos => eos::read(text),
        System::Nxos => nxos::read(text),
    }
}

/// Why a text of this system is not judged, or `None`: what remains of a broken YAML document would be misleading.
pub(crate) fn refusal(system: System, text: &str) -> Option<String> {
    (system == System::Nvue).then(|| nvue::refusal(text)).flatten()
}

/// Checks a configuration. Findings are in the order of the file.
pub fn check(source: SourceText<'_>, device: &Device) -> Vec<Finding> {
    let mut remarks = device.remarks.clone();
    checks::run(device, &mut remarks);
    remarks.sort_by(|a, b| (a.span, a.code, &a.message).cmp(&(b.span, b.code, &b.message)));
    remarks.dedup();
    let mut findings: Vec<Finding> = remarks.into_iter().map(|remark| finding(source, remark)).collect();
    crate::rules::note_causes_of_device(&mut findings);
    findings
}

fn finding(source: SourceText<'_>, remark: Remark) -> Finding {
    let rule = crate::rules::find(remark.code);
    let usual = rule.map_or(Severity::Warning, |rule| rule.meta.severity);
    Finding {
        code: remark.code,
        rule: rule.map_or("", |rule| rule.meta.name),
        severity: remark.severity.unwrap_or(usual),
        message: remark.message,
        file: source.name.to_string(),
        span: remark.span,
        position: position(source.text, remark.span.start),
        pointer: remark.pointer,
        ports: remark.ports,
        deviation: None,
        patch: Vec::new(),
        commands: remark.commands,
        causes: Vec::new(),
    }
}

/// The position of a value, or of the port if the file does not state the value.
pub(crate) fn position_of<T>(text: &str, port: &DevicePort, value: Option<Placed<T>>) -> Position {
    position(text, value.map_or(port.span, |value| value.span).start)
}
