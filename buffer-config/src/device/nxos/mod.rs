//! Reads running configurations of Cisco NX-OS (Nexus 9000 and 3000).
//!
//! Source: Cisco Nexus 9000 Series NX-OS Quality of Service Configuration Guide: a policy map of type `qos` gives
//! packets a QoS group, one of type `network-qos` makes groups lossless for the whole switch, one of type `queuing` sets
//! queues, and `priority-flow-control mode` uses PFC on a port.

mod network;
mod queuing;

use std::collections::BTreeMap;

use network::Network;
use queuing::Queuing;

use super::lines::{self, Command, Word};
use super::policies::{Policies, undefined};
use super::qos::{Fec, PfcMode, Qos, Queue};
use super::{Device, DevicePort, MAX_PORTS, Placed, PortChannel, Ports, Remark, System, names};

/// A reader of one file.
struct Reader<'a> {
    text: &'a str,
    device: Device,
    ports: Ports,
    policies: Policies<'a>,
    /// QoS groups of class maps of type `network-qos`, and of type `queuing`.
    groups: BTreeMap<&'a str, u8>,
    queues: BTreeMap<&'a str, u8>,
    networks: BTreeMap<&'a str, Network>,
    queuing: BTreeMap<&'a str, Queuing>,
    /// Settings of the whole switch.
    global: Qos,
    /// The policy map that `system qos` applies.
    network: Option<Word<'a>>,
}

/// Reads a running configuration.
pub(super) fn read(text: &str) -> Device {
    let mut device = Device::new(System::Nxos);
    let commands = lines::read(text, &mut device);
    let mut reader = Reader {
        text,
        device,
        ports: Ports::default(),
        policies: Policies::new(text),
        groups: BTreeMap::new(),
        queues: BTreeMap::new(),
        networks: BTreeMap::new(),
        queuing: BTreeMap::new(),
        global: Qos::default(),
        network: None,
    };
    // Ports refer to policies, and policies to classes; all of them may come later.
    commands.iter().for_each(|command| reader.class_map(command));
    commands.iter().for_each(|command| reader.global(command));
    commands.iter().for_each(|command| reader.system(command));
    for command in &commands {
        if let Some(names) = command.after(&["interface"]) {
            reader.interfaces(names, command);
        }
    }
    reader.finish()
}

/// The number at the end of the name of a class or queue that the system defines: `c-8q-nq3`, `c-out-8q-q3`.
fn system_number(name: &str) -> Option<u8> {
    let number = name.strip_prefix("c-")?.rsplit_once('q')?.1;
    number.parse().ok().filter(|n| *n < 8)
}

/// Reports that ports have the PFC watchdog, but the switch as a whole does not: both must have it.
///
/// Source: Cisco Nexus 9000 NX-OS QoS configuration guide, "Configuring a Priority Flow Control Watchdog Interval".
fn unwatched(ports: &[DevicePort], of_switch: Option<Placed<bool>>) -> Option<Remark> {
    if of_switch.is_some_and(|on| on.value) {
        return None;
    }
    let watched = ports.iter().find_map(|port| port.qos.watchdog.filter(|on| on.value))?;
    let command = "priority-flow-control watch-dog-interval on";
    let span = of_switch.map_or(watched.span, |off| off.span);
    let message = format!("`{command}` is missing outside of the interfaces: the watchdog monitors no port");
    let remark = Remark::new("WD013", span, "/priority-flow-control", message);
    Some(remark.repair(vec![command.to_string()]))
}

impl<'a> Reader<'a> {
    fn class_map(&mut self, command: &Command<'a>) {
        for (kind, groups) in [("network-qos", &mut self.groups), ("queuing", &mut self.queues)] {
            let Some(rest) = command.after(&["class-map", "type", kind]) else { continue };
            let group = command.block.iter().find_map(|line| line.after(&["match", "qos-group"])?.first());
            if let (Some(name), Some(group)) = (rest.last(), group.and_then(|word| word.text.parse().ok())) {
                groups.insert(name.text, group);
            }
        }
    }

    fn global(&mut self, command: &Command<'a>) {
        if self.policies.read(command, &mut self.device) {
            return;
        }
        let name = command.after(&["hostname"]).or_else(|| command.after(&["switchname"]));
        if let Some([name, ..]) = name {
            self.device.hostname = name.text.to_string();
        } else if let Some([name]) = command.after(&["policy-map", "type", "network-qos"]) {
            let network = self.networks.entry(name.text).or_default();
            network.read(name, command, &self.groups, &mut self.device);
        } else if let Some([name]) = command.after(&["policy-map", "type", "queuing"]) {
            let policy = Queuing::read(name, command, &self.queues, &mut self.device);
            self.queuing.insert(name.text, policy);
        } else if let Some([state]) = command.after(&["priority-flow-control", "watch-dog-interval"]) {
            self.global.watchdog = Some(Placed::new(state.text == "on", command.span));
        } else if let Some([interval]) = command.after(&["priority-flow-control", "watch-dog", "interval"]) {
            self.global.polling_ms = interval.text.parse().ok().map(|ms| Placed::new(ms, interval.span));
        }
    }

    /// `system qos`: the policies of the whole switch.
    fn system(&mut self, command: &Command<'a>) {
        if !command.is(&["system", "qos"]) {
            return;
        }
        for line in &command.block {
            if let Some([name, ..]) = line.after(&["service-policy", "type", "network-qos"]) {
                self.network = Some(*name);
                if self.networks.contains_key(name.text) {
                    continue;
                }
                // The policies that the system defines are not in the file.
                if !name.text.starts_with("default-") {
                    undefined(
                        &mut self.device,
                        name.span,
                        "/system qos",
                        "network-qos policy map",
                        name.text,
                    );
                }
            } else if let Some([name, ..]) = line.after(&["service-policy", "type", "queuing", "output"]) {
                let queues = self.queues_of(*name, "/system qos");
                self.global.queues = queues;
            } else if let Some([name, ..]) = line.after(&["service-policy", "type", "queuing", "input"]) {
                self.input_queues(*name, "/system qos");
            } else if let Some([name, ..]) = line.after(&["service-policy", "type", "qos", "input"]) {
                self.policies.apply(*name, "/system qos", &mut self.global, &mut self.device);
            } else if let Some([name, ..]) = line.after(&["service-policy", "type", "qos", "output"]) {
                self.policies.apply_output(*name, "/system qos", &mut self.global, &mut self.device);
            }
        }
    }

    fn queuing(&mut self, name: Word<'a>, pointer: &str) -> Queuing {
        let known = self.queuing.get(name.text).cloned();
        if known.is_none() && !name.text.starts_with("default-") {
            undefined(&mut self.device, name.span, pointer, "queuing policy map", name.text);
        }
        known.unwrap_or_default()
    }

    fn queues_of(&mut self, name: Word<'a>, pointer: &str) -> BTreeMap<u8, Queue> {
        self.queuing(name, pointer).queues
    }

    /// Reports what is wrong with a policy map that is applied to received packets.
    fn input_queues(&mut self, name: Word<'a>, pointer: &str) {
        for remark in self.queuing(name, pointer).of_input {
            if !self.device.remarks.contains(&remark) {
                self.device.remark(remark);
            }
        }
    }

    fn interfaces(&mut self, names: &[Word<'a>], command: &Command<'a>) {
        let list: String = names.iter().map(|word| word.text).collect();
        for name in names::ports(&list) {
            let Some(name) = names::interface(&name).filter(|name| !name.contains('.')) else { continue };
            let span = names.first().map_or(command.span, |word| word.span);
            let pointer = format!("/interface/{}", crate::db::escape(&name));
            let mut port = DevicePort::new(name.clone(), span);
            for line in &command.block {
                self.line(line, &mut port, &pointer);
            }
            let Some(known) = self.ports.port(&name, span) else {
                let message = format!("more than {MAX_PORTS} ports; the rest is not checked");
                return self.device.remark(Remark::new("SRC001", span, "", message));
            };
            let before = std::mem::replace(known, DevicePort::new(String::new(), span));
            *known = port.over(before);
        }
    }

    fn line(&mut self, line: &Command<'a>, port: &mut DevicePort, pointer: &str) {
        let words: Vec<&str> = line.words.iter().map(|word| word.text).collect();
        let at = line.words.last().map_or(line.span, |word| word.span);
        let qos = &mut port.qos;
        match words.as_slice() {
            ["description", ..] => port.neighbour = names::neighbour(line.text_after(self.text, 1)),
            ["shutdown"] => port.is_up = Some(Placed::new(false, line.span)),
            ["no", "shutdown"] => port.is_up = Some(Placed::new(true, line.span)),
            ["mtu", number] => match number.parse::<u32>().ok().filter(|n| (576..=9_216).contains(n)) {
                Some(mtu) => port.mtu_bytes = Some(Placed::new(mtu, at)),
                None => {
                    let message = format!("`mtu` is `{number}`; expected 576 to 9216");
                    self.device.refused(at, &format!("{pointer}/mtu"), message);
                }
            },
            ["negotiate", "auto", ..] => port.autoneg = Some(Placed::new(true, line.span)),
            ["no", "negotiate", "auto", ..] => port.autoneg = Some(Placed::new(false, line.span)),
            ["channel-group", number, rest @ ..] => {
                let has_lacp = rest.contains(&"active") || rest.contains(&"passive");
                let channel = PortChannel { name: format!("port-channel{number}"), has_lacp };
                port.port_channel = Some(Placed::new(channel, line.span));
            }
            ["speed", "auto", ..] => {}
            ["speed", speed] => match speed.parse::<u32>().ok().filter(|n| (10..=1_600_000).contains(n)) {
                Some(speed) => port.speed_mbps = Some(Placed::new(speed, at)),
                None => {
                    let message = format!("`speed` is `{speed}`; expected Mbit/s");
                    self.device.refused(at, &format!("{pointer}/speed"), message);
                }
            },
            ["fec", "rs-fec" | "rs-cons16" | "rs-ieee"] => port.fec = Some(Placed::new(Fec::Rs, at)),
            ["fec", "fc-fec"] => port.fec = Some(Placed::new(Fec::Fc, at)),
            ["fec", "off"] => port.fec = Some(Placed::new(Fec::None, at)),
            ["priority-flow-control", "mode", "on", ..] => {
                qos.pfc = Some(Placed::new(PfcMode::On, line.span))
            }
            ["priority-flow-control", "mode", "off"] => qos.pfc = Some(Placed::new(PfcMode::Off, line.span)),
            ["priority-flow-control", "mode", "auto"] => {
                qos.pfc = Some(Placed::new(PfcMode::Negotiated, line.span));
            }
            ["priority-flow-control", "watch-dog-interval", state, ..] => {
                qos.watchdog = Some(Placed::new(*state == "on", line.span));
            }
            ["flowcontrol", "send", state] => {
                qos.sends_link_pause = Some(Placed::new(*state == "on", line.span));
            }
            ["flowcontrol", "receive", state] => {
                qos.obeys_link_pause = Some(Placed::new(*state == "on", line.span));
            }
            ["no", "flowcontrol", "send", ..] => qos.sends_link_pause = Some(Placed::new(false, line.span)),
            ["no", "flowcontrol", "receive", ..] => {
                qos.obeys_link_pause = Some(Placed::new(false, line.span));
            }
            ["service-policy", "type", "qos", "input", ..] => {
                if let Some(name) = line.words.get(4) {
                    self.policies.apply(*name, pointer, &mut port.qos, &mut self.device);
                }
            }
            ["service-policy", "type", "qos", "output", ..] => {
                if let Some(name) = line.words.get(4) {
                    self.policies.apply_output(*name, pointer, &mut port.qos, &mut self.device);
                }
            }
            ["service-policy", "type", "queuing", "input", ..] => {
                if let Some(name) = line.words.get(4) {
                    self.input_queues(*name, pointer);
                }
            }
            ["ip", "access-group", ..] | ["ip", "port", "access-group", ..] => {
                let list = line.words.iter().rev().nth(1);
                list.into_iter().for_each(|list| self.policies.filter(*list, &mut port.qos));
            }
            ["service-policy", "type", "queuing", "output", ..] => {
                if let Some(name) = line.words.get(4) {
                    let queues = self.queues_of(*name, pointer);
                    port.qos.queues = queues;
                }
            }
            _ => {}
        }
    }

    fn finish(mut self) -> Device {
        let applied = self.network.and_then(|name| self.networks.get(name.text));
        if let Some(network) = applied {
            self.global.lossless = network.lossless.clone();
            self.device.remarks.extend(network.small_mtus());
        }
        for (name, network) in &self.networks {
            if !network.lossless.is_empty() && self.network.is_none_or(|applied| applied.text != *name) {
                let message = format!(
                    "`system qos` does not apply the policy map `{name}`, which has lossless classes"
                );
                let pointer = format!("/policy-map/{name}");
                self.device.remarks.push(Remark::new("MAP011", network.span, pointer, message).repair(vec![
                    "system qos".to_string(),
                    format!("  service-policy type network-qos {name}"),
                ]));
            }
        }
        let (lossless, has_pfc) = (&self.global.lossless, |port: &DevicePort| port.qos.has_pfc());
        let mut ports = self.ports.into_vec();
        if ports.iter().any(has_pfc) {
            let unapplied = self.policies.unapplied(|class| lossless.contains_key(&class));
            let repaired = unapplied.into_iter().map(|remark| {
                let name = remark.pointer.rsplit('/').next().unwrap_or_default();
                let command = format!("  service-policy type qos input {name}");
                remark.repair(vec!["system qos".to_string(), command])
            });
            self.device.remarks.extend(repaired);
        }
        self.device.remarks.extend(unwatched(&ports, self.global.watchdog));
        for port in &mut ports {
            port.qos = std::mem::take(&mut port.qos).over(&self.global);
            // A port with an own MTU is routed; the MTU of switched ports is that of the network-qos class.
            port.mtu_bytes = port.mtu_bytes.or(applied.and_then(|network| network.mtu_bytes));
        }
        self.device.ports = ports;
        self.device
    }
}
