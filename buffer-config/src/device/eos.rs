//! Reads running configurations of Arista EOS.
//!
//! Source: Arista EOS user manual, "Quality of Service", "Priority Flow Control" and "Ethernet Ports"; the templates of
//! arista.avd list the order and form of the commands in a running configuration.

use std::collections::BTreeMap;

use super::lines::{self, Command, Word};
use super::policies::{Policies, undefined};
use super::qos::{Amount, Fec, PfcMode, Qos, Trust, Unit};
use super::{Device, DevicePort, MAX_PORTS, Placed, PortChannel, Ports, Remark, System, names};
use crate::resolved::WatchdogAction;
use crate::source::Span;

/// The class of a DSCP that the file does not map, on all platforms of EOS.
pub(super) fn default_class(dscp: u8) -> u8 {
    match dscp / 8 {
        0 => 1,
        1 => 0,
        class => class,
    }
}

/// The 802.1p priority, and the first three bits of the DSCP, to which a rewrite changes packets of a class by default.
fn default_code(class: u8) -> u8 {
    default_class(class * 8)
}

/// The name in `service-policy type qos input ...`.
fn input_policy<'c, 'a>(line: &'c Command<'a>) -> Option<&'c [Word<'a>]> {
    let begin = ["service-policy", "type", "qos", "input"];
    line.after(&begin).or_else(|| line.after(&["service-policy", "type", "quality-of-service", "input"]))
}

/// What all blocks of one interface state together.
#[derive(Default)]
struct Own<'a> {
    qos: Qos,
    profile: Option<Word<'a>>,
    /// The policy map of received packets, and that of sent ones.
    policy: Option<Word<'a>>,
    output_policy: Option<Word<'a>>,
    /// The access lists of packets, by direction.
    filters: BTreeMap<&'a str, Word<'a>>,
}

/// A QoS profile.
#[derive(Clone, Default)]
struct Profile<'a> {
    qos: Qos,
    span: Span,
    /// The policy map of received packets.
    policy: Option<Word<'a>>,
    /// Whether a port uses it.
    is_used: bool,
}

/// A reader of one file.
struct Reader<'a> {
    text: &'a str,
    device: Device,
    ports: Ports,
    /// The QoS settings of ports by name, until profiles and policies are added.
    own: BTreeMap<String, Own<'a>>,
    policies: Policies<'a>,
    /// Settings of the whole switch.
    global: Qos,
    /// `priority-flow-control pause watchdog override action drop`: the action of all watchdogs.
    watchdogs_drop: Option<Span>,
    /// `qos rewrite dscp` and `qos rewrite cos`.
    rewrites: [Option<Span>; 2],
    profiles: BTreeMap<&'a str, Profile<'a>>,
}

/// Reads a running configuration.
pub(super) fn read(text: &str) -> Device {
    let mut device = Device::new(System::Eos);
    let commands = lines::read(text, &mut device);
    let mut reader = Reader {
        text,
        device,
        ports: Ports::default(),
        own: BTreeMap::new(),
        policies: Policies::new(text),
        global: Qos::default(),
        watchdogs_drop: None,
        rewrites: [None; 2],
        profiles: BTreeMap::new(),
    };
    // Ports refer to profiles and policies, which may come later.
    for command in &commands {
        reader.global(command);
    }
    for command in &commands {
        if let Some(names) = command.after(&["interface"]) {
            reader.interfaces(names, command);
        }
    }
    reader.finish()
}

impl<'a> Reader<'a> {
    fn global(&mut self, command: &Command<'a>) {
        if self.policies.read(command, &mut self.device) {
            return;
        }
        if let Some([name, ..]) = command.after(&["hostname"]) {
            self.device.hostname = name.text.to_string();
        } else if let Some([name]) = command.after(&["qos", "profile"]) {
            let mut profile = Profile { span: name.span, ..Profile::default() };
            for line in &command.block {
                if let Some([policy, ..]) = input_policy(line) {
                    profile.policy = Some(*policy);
                }
                self.setting(line, &mut profile.qos, &format!("/qos profile/{}", name.text));
            }
            self.profiles.insert(name.text, profile);
        } else if command.is(&["qos", "rewrite", "dscp"]) {
            self.rewrites[0] = Some(command.span);
        } else if command.is(&["qos", "rewrite", "cos"]) {
            self.rewrites[1] = Some(command.span);
        } else if let Some(rest) = command.after(&["qos", "map"]) {
            self.map(rest);
        } else if command.is(&["priority-flow-control", "all", "off"]) {
            self.global.pfc = Some(Placed::new(PfcMode::Off, command.span));
        } else if command.is(&["priority-flow-control", "pause", "watchdog", "override", "action", "drop"]) {
            self.watchdogs_drop = Some(command.span);
        } else if let Some(rest) = command.after(&["priority-flow-control", "pause", "watchdog"]) {
            watchdog(rest, command.span, &mut self.global, &mut self.device, "/priority-flow-control");
        }
    }

    /// `qos map dscp 24 26 to traffic-class 3` and the like.
    fn map(&mut self, words: &[Word<'a>]) {
        let Some(to) = words.iter().position(|word| word.text == "to") else { return };
        let (Some(from), Some([kind, number, ..])) = (words.get(..to), words.get(to + 1..)) else { return };
        let [what, list @ ..] = from else { return };
        let (most, map) = match (what.text, kind.text) {
            ("dscp", "traffic-class") => (63, &mut self.global.class_of_dscp),
            ("cos", "traffic-class") => (7, &mut self.global.class_of_cos),
            ("traffic-class", "tx-queue" | "uc-tx-queue") => (7, &mut self.global.queue_of_class),
            ("traffic-class", "dscp") => (7, &mut self.global.dscp_of_class),
            ("traffic-class", "cos") => (7, &mut self.global.cos_of_class),
            _ => return,
        };
        let pointer = format!("/qos map/{} to {}", what.text, kind.text);
        let last = if kind.text == "dscp" { 63 } else { 7 };
        let Some(target) = number.text.parse::<u8>().ok().filter(|n| *n <= last) else {
            let message = format!("`{}` is no {}; expected 0 to {last}", number.text, kind.text);
            return self.device.refused(number.span, &pointer, message);
        };
        for word in list {
            match names::numbers(word.text, most) {
                Some(all) => all.into_iter().for_each(|n| {
                    map.insert(n, Placed::new(target, number.span));
                }),
                None => {
                    let message = format!("`{}` is no {}; expected 0 to {most}", word.text, what.text);
                    self.device.refused(word.span, &pointer, message);
                }
            }
        }
    }

    fn interfaces(&mut self, names: &[Word<'a>], command: &Command<'a>) {
        let list: String = names.iter().map(|word| word.text).collect();
        for name in names::ports(&list) {
            // Other interfaces, such as Vlan10 and Port-Channel1, and subinterfaces have no queues of their own.
            let Some(name) = names::interface(&name).filter(|name| !name.contains('.')) else { continue };
            let span = names.first().map_or(command.span, |word| word.span);
            if self.ports.port(&name, span).is_none() {
                let message = format!("more than {MAX_PORTS} ports; the rest is not checked");
                return self.device.remark(Remark::new("SRC001", span, "", message));
            }
            let pointer = format!("/interface/{}", crate::db::escape(&name));
            let mut port = DevicePort::new(name.clone(), span);
            // A later block of the same interface changes what an earlier one has set.
            let mut own = self.own.remove(&name).unwrap_or_default();
            for line in &command.block {
                self.line(line, &mut port, &mut own, &pointer);
            }
            if let Some(known) = self.ports.port(&name, span) {
                let before = std::mem::replace(known, DevicePort::new(String::new(), span));
                *known = port.over(before);
            }
            self.own.insert(name, own);
        }
    }

    /// The settings of an interface with those of its policy map and QoS profile.
    fn with_profile(&mut self, own: Own<'a>, pointer: &str) -> Qos {
        let mut qos = own.qos;
        if let Some(policy) = own.policy {
            self.policies.apply(policy, pointer, &mut qos, &mut self.device);
        }
        if let Some(policy) = own.output_policy {
            self.policies.apply_output(policy, pointer, &mut qos, &mut self.device);
        }
        own.filters.values().for_each(|list| self.policies.filter(*list, &mut qos));
        match own.profile {
            Some(profile) => qos.over(&self.profile(profile, pointer)),
            None => qos,
        }
    }

    fn profile(&mut self, name: Word<'a>, pointer: &str) -> Qos {
        match self.profiles.get_mut(name.text) {
            Some(profile) => {
                profile.is_used = true;
                let mut qos = profile.qos.clone();
                if let Some(policy) = profile.policy {
                    self.policies.apply(policy, pointer, &mut qos, &mut self.device);
                }
                qos
            }
            None => {
                undefined(&mut self.device, name.span, pointer, "QoS profile", name.text);
                Qos::default()
            }
        }
    }

    /// A command of an interface.
    fn line(&mut self, line: &Command<'a>, port: &mut DevicePort, own: &mut Own<'a>, pointer: &str) {
        let words: Vec<&str> = line.words.iter().map(|word| word.text).collect();
        let at = line.words.last().map_or(line.span, |word| word.span);
        match words.as_slice() {
            ["description", ..] => port.neighbour = names::neighbour(line.text_after(self.text, 1)),
            ["shutdown"] => port.is_up = Some(Placed::new(false, line.span)),
            ["no", "shutdown"] => port.is_up = Some(Placed::new(true, line.span)),
            ["mtu", number] => match number.parse::<u32>().ok().filter(|n| (68..=10_240).contains(n)) {
                Some(mtu) => port.mtu_bytes = Some(Placed::new(mtu, at)),
                None => {
                    let message = format!("`mtu` is `{number}`; expected 68 to 10240");
                    self.device.refused(at, &format!("{pointer}/mtu"), message);
                }
            },
            ["speed", "auto"] => port.autoneg = Some(Placed::new(true, line.span)),
            ["speed", "sfp-1000baset", ..] => {}
            ["channel-group", number, "mode", mode] => {
                let channel = PortChannel { name: format!("Port-Channel{number}"), has_lacp: *mode != "on" };
                port.port_channel = Some(Placed::new(channel, line.span));
            }
            ["speed", "forced" | "auto", speed] | ["speed", speed] => match names::speed_mbps(speed) {
                Some(speed) => {
                    port.speed_mbps = Some(Placed::new(speed, at));
                    // Without a keyword, the speed is forced.
                    port.autoneg = Some(Placed::new(words.contains(&"auto"), line.span));
                }
                None => {
                    let message = format!("`speed` is `{speed}`; expected a speed such as `100g-4`");
                    self.device.refused(at, &format!("{pointer}/speed"), message);
                }
            },
            ["error-correction", "encoding", "reed-solomon"] => port.fec = Some(Placed::new(Fec::Rs, at)),
            ["error-correction", "encoding", "fire-code"] => {
                // Both encodings may be allowed; Reed-Solomon takes precedence where the speed has it.
                port.fec = port.fec.or(Some(Placed::new(Fec::Fc, at)));
            }
            ["no", "error-correction", "encoding"] => port.fec = Some(Placed::new(Fec::None, line.span)),
            ["service-profile", _] => own.profile = line.words.get(1).copied(),
            ["no", "service-profile", ..] => own.profile = None,
            ["service-policy", "type", "qos" | "quality-of-service", "input", _] => {
                own.policy = line.words.get(4).copied();
            }
            ["service-policy", "type", "qos" | "quality-of-service", "output", _] => {
                own.output_policy = line.words.get(4).copied();
            }
            ["no", "service-policy", "type", "qos" | "quality-of-service", "input", ..] => own.policy = None,
            ["no", "service-policy", "type", "qos" | "quality-of-service", "output", ..] => {
                own.output_policy = None;
            }
            ["ip", "access-group", _, direction @ ("in" | "out")] => {
                let direction = if *direction == "in" { "in" } else { "out" };
                own.filters.extend(line.words.get(2).map(|list| (direction, *list)));
            }
            ["no", "ip", "access-group", .., direction] => {
                own.filters.remove(direction);
            }
            _ => self.setting(line, &mut own.qos, pointer),
        }
    }

    /// A command of an interface or of a QoS profile.
    fn setting(&mut self, line: &Command<'a>, qos: &mut Qos, pointer: &str) {
        let words: Vec<&str> = line.words.iter().map(|word| word.text).collect();
        let span = line.span;
        match words.as_slice() {
            ["qos", "trust", "dscp"] => qos.trust = Some(Placed::new(Trust::Dscp, span)),
            ["qos", "trust", "cos"] => qos.trust = Some(Placed::new(Trust::Cos, span)),
            ["no", "qos", "trust"] => qos.trust = Some(Placed::new(Trust::Nothing, span)),
            ["priority-flow-control", "on"] | ["priority-flow-control", "mode", "on"] => {
                qos.pfc = Some(Placed::new(PfcMode::On, span));
            }
            ["no", "priority-flow-control"] | ["no", "priority-flow-control", "on" | "mode", ..] => {
                qos.pfc = Some(Placed::new(PfcMode::Off, span));
            }
            // Each command makes one priority lossless or lossy; the others stay as they are.
            ["priority-flow-control", "priority", number, "no-drop"] => {
                if let Some(priority) = self.priority(number, line, pointer) {
                    qos.lossless.insert(priority, Placed::new(priority, span));
                    qos.lossy.remove(&priority);
                }
            }
            // On an interface, `drop` also applies to a priority that its QoS profile makes lossless.
            ["priority-flow-control", "priority", number, "drop"] => {
                if let Some(priority) = self.priority(number, line, pointer) {
                    qos.lossless.remove(&priority);
                    qos.lossy.insert(priority);
                }
            }
            ["no" | "default", "priority-flow-control", "priority", number, ..] => {
                if let Some(priority) = self.priority(number, line, pointer) {
                    qos.lossless.remove(&priority);
                    qos.lossy.remove(&priority);
                }
            }
            ["priority-flow-control", "pause", "watchdog", ..] => {
                let rest = line.words.get(3..).unwrap_or_default();
                watchdog(rest, span, qos, &mut self.device, pointer);
            }
            ["no", "priority-flow-control", "pause", "watchdog"] => {
                qos.watchdog = Some(Placed::new(false, span));
            }
            ["flowcontrol", "send", state] => {
                qos.sends_link_pause = Some(Placed::new(*state != "off", span));
            }
            ["flowcontrol", "receive", state] => {
                qos.obeys_link_pause = Some(Placed::new(*state != "off", span));
            }
            ["no" | "default", "flowcontrol", "send", ..] => {
                qos.sends_link_pause = Some(Placed::new(false, span));
            }
            ["no" | "default", "flowcontrol", "receive", ..] => {
                qos.obeys_link_pause = Some(Placed::new(false, span));
            }
            ["shape", "rate", ..] => qos.port_rate_bps = shape(line, "rate"),
            ["no", "shape", ..] => qos.port_rate_bps = Some(Placed::new(u64::MAX, span)),
            ["tx-queue" | "uc-tx-queue", number] => match number.parse::<u8>() {
                Ok(number) if number < 8 => self.queue(line, number, qos, pointer),
                _ => {
                    let message = format!("`{number}` is no transmit queue; expected 0 to 7");
                    self.device.refused(span, &format!("{pointer}/tx-queue"), message);
                }
            },
            _ => {}
        }
    }

    /// The PFC priority that a command names.
    fn priority(&mut self, number: &str, line: &Command<'a>, pointer: &str) -> Option<u8> {
        let priority = number.parse::<u8>().ok().filter(|priority| *priority < 8);
        if priority.is_none() {
            let at = line.words.iter().find(|word| word.text == number).map_or(line.span, |word| word.span);
            let message = format!("`{number}` is no PFC priority; expected 0 to 7");
            self.device.refused(at, &format!("{pointer}/priority-flow-control"), message);
        }
        priority
    }

    fn queue(&mut self, command: &Command<'a>, number: u8, qos: &mut Qos, pointer: &str) {
        let queue = qos.queues.entry(number).or_default();
        let pointer = format!("{pointer}/tx-queue/{number}");
        for line in &command.block {
            let words: Vec<&str> = line.words.iter().map(|word| word.text).collect();
            match words.as_slice() {
                ["priority", "strict"] | ["priority"] => queue.is_strict = Some(Placed::new(true, line.span)),
                ["no", "priority"] => queue.is_strict = Some(Placed::new(false, line.span)),
                ["bandwidth", "percent", percent] | ["bandwidth", "guaranteed", "percent", percent] => {
                    match percent.parse::<u8>().ok().filter(|n| *n <= 100) {
                        Some(percent) => queue.bandwidth_percent = Some(Placed::new(percent, line.span)),
                        None => {
                            let message = format!("bandwidth of {percent} percent; expected 0 to 100");
                            self.device.refused(line.span, &pointer, message);
                        }
                    }
                }
                ["shape", "rate", ..] => queue.max_rate_bps = shape(line, "rate"),
                ["no", "shape", ..] => queue.max_rate_bps = Some(Placed::new(u64::MAX, line.span)),
                ["no", "random-detect", "ecn"] => queue.marks = Some(Placed::new(false, line.span)),
                ["random-detect", "ecn", "count"] => {}
                ["random-detect", "ecn", ..] => {
                    queue.marks = Some(Placed::new(true, line.span));
                    queue.min = threshold(line, "minimum-threshold", &mut self.device, &pointer);
                    queue.max = threshold(line, "maximum-threshold", &mut self.device, &pointer);
                    if let Some(word) = line.value("max-mark-probability") {
                        queue.percent = percent(word, &mut self.device, &pointer);
                    }
                }
                ["random-detect", "drop", ..] => queue.drops = Some(Placed::new(true, line.span)),
                _ => {}
            }
        }
    }

    /// Adds the values with which packets leave where the map of a rewrite does not state them.
    fn rewritten(&mut self) {
        let [dscp, cos] = self.rewrites;
        for class in 0..8 {
            let default = default_code(class);
            if let Some(span) = dscp {
                self.global.dscp_of_class.entry(class).or_insert(Placed::new(default * 8, span));
            }
            if let Some(span) = cos {
                self.global.cos_of_class.entry(class).or_insert(Placed::new(default, span));
            }
        }
    }

    fn finish(mut self) -> Device {
        let mut ports = std::mem::take(&mut self.ports).into_vec();
        for port in &mut ports {
            let own = self.own.remove(&port.name).unwrap_or_default();
            port.qos = self.with_profile(own, &format!("/interface/{}", crate::db::escape(&port.name)));
        }
        for (name, Profile { qos, span, is_used, .. }) in &self.profiles {
            if !is_used && !qos.lossless.is_empty() {
                let pointer = format!("/qos profile/{name}");
                let message = format!("no port uses the QoS profile `{name}`, which has lossless priorities");
                self.device.remarks.push(Remark::new("MAP011", *span, pointer, message));
            }
        }
        self.rewritten();
        for port in &mut ports {
            let own = std::mem::take(&mut port.qos);
            let is_all_off = self.global.pfc.filter(|_| own.pfc.is_some());
            port.qos = own.over(&self.global);
            // `priority-flow-control all off` overrides the ports.
            port.qos.pfc = is_all_off.or(port.qos.pfc);
            if let Some(span) = self.watchdogs_drop {
                port.qos.watchdog_action = Some(Placed::new(WatchdogAction::Drop, span));
                port.qos.watchdog_shuts_port = Some(Placed::new(false, span));
            }
        }
        let is_lossless =
            |class: u8| ports.iter().any(|port| port.qos.has_pfc() && port.qos.lossless.contains_key(&class));
        // A trusted DSCP gives a class, too.
        let is_needed = |class: u8| is_lossless(class) && ports.iter().all(|port| port.qos.trust.is_none());
        self.device.remarks.extend(self.policies.unapplied(is_needed));
        self.device.ports = ports;
        self.device
    }
}

/// The settings of `priority-flow-control pause watchdog ...`, whose times are in seconds.
fn watchdog(words: &[Word<'_>], span: Span, qos: &mut Qos, device: &mut Device, pointer: &str) {
    if words.is_empty() {
        qos.watchdog = Some(Placed::new(true, span));
    }
    let pointer = format!("{pointer}/pause watchdog");
    for pair in words.windows(2) {
        let [name, value] = pair else { continue };
        let mut time = |limits: (f64, f64)| {
            let seconds = value.text.parse::<f64>().ok().filter(|s| (limits.0..=limits.1).contains(s));
            if seconds.is_none() && value.text != "auto" {
                let message = format!(
                    "`{}` is `{}`; expected seconds from {} to {}",
                    name.text, value.text, limits.0, limits.1
                );
                device.refused(value.span, &pointer, message);
            }
            seconds.map(|seconds| Placed::new((seconds * 1000.0).round() as u32, value.span))
        };
        match name.text {
            "timeout" => {
                qos.detection_ms = time((0.01, 60.0));
                qos.watchdog = qos.watchdog.or(Some(Placed::new(true, span)));
            }
            "recovery-time" => qos.restoration_ms = time((0.01, 60.0)),
            "polling-interval" => qos.polling_ms = time((0.005, 30.0)),
            "action" => {
                let action = match value.text {
                    "drop" => Some(WatchdogAction::Drop),
                    "no-drop" => Some(WatchdogAction::Forward),
                    "notify-only" => Some(WatchdogAction::Alert),
                    "errdisable" => None,
                    other => {
                        let message = format!(
                            "unknown watchdog action `{other}`; expected drop, no-drop, notify-only or errdisable"
                        );
                        device.refused(value.span, &pointer, message);
                        continue;
                    }
                };
                qos.watchdog_action = action.map(|action| Placed::new(action, value.span));
                qos.watchdog_shuts_port = Some(Placed::new(action.is_none(), value.span));
            }
            _ => {}
        }
    }
}

/// A queue threshold: the number after `name`, and its unit.
pub(super) fn threshold(
    line: &Command<'_>,
    name: &str,
    device: &mut Device,
    pointer: &str,
) -> Option<Placed<Amount>> {
    let at = line.words.iter().position(|word| word.text == name)?;
    let number = line.words.get(at + 1)?;
    let Ok(count) = number.text.parse::<u64>() else {
        let message = format!("`{name}` is `{}`; expected a number", number.text);
        device.refused(number.span, pointer, message);
        return None;
    };
    let (factor, unit) = match line.words.get(at + 2).map_or("bytes", |word| word.text) {
        "bytes" => (1, Unit::Bytes),
        "kbytes" => (1_000, Unit::Bytes),
        "mbytes" => (1_000_000, Unit::Bytes),
        "milliseconds" => (1_000, Unit::Microseconds),
        "microseconds" => (1, Unit::Microseconds),
        "percent" => (1, Unit::Percent),
        "segments" | "packets" => (1, Unit::Segments),
        _ => (1, Unit::Bytes),
    };
    Some(Placed::new(Amount { count: count.saturating_mul(factor), unit }, number.span))
}

/// The rate of a shaper behind a keyword, bit/s; `None` for a rate in packets or percent. Without a unit, kbit/s (EOS).
pub(super) fn shape(line: &Command<'_>, keyword: &str) -> Option<Placed<u64>> {
    let at = line.words.iter().position(|word| word.text == keyword)?;
    let number = line.words.get(at + 1)?;
    let factor = match line.words.get(at + 2).map_or("kbps", |word| word.text) {
        "bps" => 1,
        "kbps" => 1_000,
        "mbps" => 1_000_000,
        "gbps" => 1_000_000_000,
        _ => return None,
    };
    let rate: u64 = number.text.parse().ok()?;
    Some(Placed::new(rate.saturating_mul(factor), number.span))
}

/// A marking probability.
pub(super) fn percent(word: Word<'_>, device: &mut Device, pointer: &str) -> Option<Placed<u8>> {
    let number = word.text.parse::<u8>().ok().filter(|n| *n <= 100);
    if number.is_none() {
        let message = format!("marking probability `{}`; expected 0 to 100 percent", word.text);
        device.refused(word.span, pointer, message);
    }
    number.map(|number| Placed::new(number, word.span))
}
