//! The settings of switches and hosts of a generated scenario: buffers, thresholds, marking, scheduling, and the
//! transport.

use std::collections::{BTreeMap, BTreeSet};

use model::{PortRef, Rate, Time};
use p4_switch::tm::standard_reaction;

use super::dice::Dice;
use super::network::Net;
use super::text;

/// Keys of a section with their values as written.
pub(super) type Keys = BTreeMap<&'static str, String>;

/// Congestion controls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Control {
    None,
    Dcqcn,
    Dctcp,
    Timely,
}

/// The drawn settings.
#[derive(Clone, Debug)]
pub(super) struct Devices {
    pub(super) switch: Keys,
    pub(super) switches: BTreeMap<String, Keys>,
    pub(super) host: Keys,
    pub(super) hosts: BTreeMap<String, Keys>,
    pub(super) control: Control,
    pub(super) payload: u64,
    /// Bytes that a flow may have outstanding by default.
    pub(super) window: Option<f64>,
    /// Whether priority 4 is lossless, too.
    pub(super) two_lossless: bool,
    /// Whether all ports react to pauses after the longest time of the standard.
    standard_reaction: bool,
}

/// Header bytes of a packet.
pub(super) const HEADERS: u64 = crate::nic::ROCE_V4_BYTES as u64;

impl Devices {
    /// Draws the settings of a network whose typical base RTT is `rtt_ns`.
    pub(super) fn draw(dice: &mut Dice, net: &Net, rtt_ns: f64) -> Devices {
        let fast = net.topology.links.iter().any(|link| link.rate >= Rate::from_gbps(200));
        let payloads =
            if fast { [(1024, 10), (2048, 10), (4096, 80)] } else { [(1024, 45), (2048, 15), (4096, 40)] };
        let payload = dice.weighted(&payloads);
        let control = if rtt_ns > 50_000.0 {
            // The constants of TIMELY assume an RTT below 50 us.
            dice.weighted(&[(Control::None, 35), (Control::Dcqcn, 45), (Control::Dctcp, 20)])
        } else {
            let all =
                [(Control::None, 30), (Control::Dcqcn, 40), (Control::Dctcp, 15), (Control::Timely, 15)];
            dice.weighted(&all)
        };
        let rate = net.topology.links.iter().map(|link| link.rate.0).min().unwrap_or(0);
        let product = rate as f64 / 8e9 * rtt_ns;
        let least = (2 * (payload + HEADERS)) as f64;
        let window = dice.chance(0.6).then(|| (product * dice.log(0.5, 16.0)).max(least));
        let mut devices = Devices {
            switch: Keys::new(),
            switches: BTreeMap::new(),
            host: Keys::new(),
            hosts: BTreeMap::new(),
            control,
            payload,
            window,
            two_lossless: dice.chance(0.5),
            standard_reaction: dice.chance(0.4),
        };
        devices.buffers(dice, net);
        devices.marking(dice, net);
        devices.transport(dice, rtt_ns);
        devices
    }

    /// Bytes of headroom that a port needs: what arrives in a round trip of the link and the reaction time, and two
    /// packets. The formula of [`crate::Scenario::audit`].
    fn headroom_need(&self, rate: Rate, delay: Time) -> u64 {
        let reaction = if self.standard_reaction { standard_reaction(rate) } else { Time::ZERO };
        let bits = u128::from(rate.0) * u128::from(2 * delay.0 + reaction.0) / 1_000_000_000_000;
        (bits / 8) as u64 + 2 * (self.payload + HEADERS)
    }

    /// The headroom that every port of a switch needs.
    pub(super) fn headroom_needs(&self, net: &Net, switch: &str) -> Vec<u64> {
        let ports = net.topology.ports_of(switch);
        let links = ports.iter().filter_map(|(port, _)| net.topology.link_of(&PortRef::new(switch, *port)));
        links.map(|link| self.headroom_need(link.rate, link.delay)).collect()
    }

    fn buffers(&mut self, dice: &mut Dice, net: &Net) {
        let lossless = if self.two_lossless { "[3, 4]" } else { "[3]" };
        self.switch.insert("lossless", lossless.to_string());
        let memory = if dice.chance(0.15) { dice.log(128e6, 1e9) } else { dice.log(4e6, 64e6) };
        let spare = dice.even(1.0, 1.6);
        let alpha = dice.integer(0, 6) as i64 - 5;
        let xoff = dice.chance(0.3).then(|| dice.log(16e3, 1e6));
        match xoff {
            Some(bytes) => self.switch.insert("threshold", text::size(bytes)),
            None => self.switch.insert("alpha_exponent", alpha.to_string()),
        };
        // Remote sites need a headroom of their own; the others have that of the largest usual link.
        let needs: Vec<(String, u64, usize)> = net
            .switches()
            .into_iter()
            .map(|switch| {
                let needs = self.headroom_needs(net, &switch);
                (switch, needs.iter().copied().max().unwrap_or(0), needs.len())
            })
            .collect();
        let least = needs.iter().map(|(_, need, _)| *need).min().unwrap_or(0);
        let usual =
            needs.iter().map(|(_, need, _)| *need).filter(|need| *need <= 4 * least).max().unwrap_or(0);
        let classes = if self.two_lossless { 2 } else { 1 };
        let enough = |need: u64, ports: usize| {
            let groups = (ports * classes) as f64;
            let headroom = need as f64 * spare;
            // Free memory when all groups are at their limit must hold their headroom.
            let least = match xoff {
                Some(bytes) => groups * (headroom + bytes),
                None => {
                    groups
                        * headroom
                        * (1.0
                            + if alpha < 0 {
                                0.5_f64.powi(-alpha as i32)
                            } else {
                                2.0_f64.powi(alpha as i32)
                            } * groups)
                }
            };
            memory.max(least * 1.1)
        };
        let ports = needs.iter().map(|(_, _, ports)| *ports).max().unwrap_or(0);
        self.switch.insert("memory", text::size(enough(usual, ports)));
        self.switch.insert("headroom", text::size(usual as f64 * spare));
        for (switch, need, ports) in needs.into_iter().filter(|(_, need, _)| *need > usual) {
            self.set_switch(&switch, "headroom", text::size(need as f64 * spare));
            self.set_switch(&switch, "memory", text::size(enough(need, ports)));
        }
        if dice.chance(0.3) {
            self.switch.insert("xon_offset", text::size(dice.log(2_000.0, 32_000.0)));
        }
        if dice.chance(0.2) {
            self.switch.insert("pause_end", text::name("resume"));
        }
        if self.standard_reaction {
            self.switch.insert("pfc_reaction", text::name("standard"));
            self.host.insert("pfc_reaction", text::name("standard"));
        }
        if dice.chance(0.4) {
            let quantum = |dice: &mut Dice| text::size(dice.log(2_000.0, 16_000.0));
            let weights =
                format!("{{ 0 = {}, 3 = {}, 4 = {} }}", quantum(dice), quantum(dice), quantum(dice));
            self.switch.insert("weights", weights);
        }
    }

    /// Marking thresholds for every rate of the network: those that are usual for 100 Gb/s (400 kB to 1.6 MB), in
    /// proportion to the rate, times a random factor. DCTCP marks above one threshold.
    fn marking(&mut self, dice: &mut Dice, net: &Net) {
        if self.control == Control::None || dice.chance(0.1) {
            self.switch.insert("mark_congestion", "false".to_string());
            return;
        }
        let factor = dice.log(0.1, 1.5);
        let rates: BTreeSet<u64> = net.topology.links.iter().map(|link| link.rate.0).collect();
        let entry = |rate: &u64| {
            let kmin = 400e3 * (*rate as f64 / 1e11) * factor;
            let (kmax, pmax) = if self.control == Control::Dctcp { (kmin, "1") } else { (4.0 * kmin, "0.2") };
            format!(
                "    {{ rate = {}, kmin = {}, kmax = {}, pmax = {pmax} }},\n",
                text::rate(Rate(*rate)),
                text::size(kmin),
                text::size(kmax)
            )
        };
        let entries: String = rates.iter().map(entry).collect();
        self.switch.insert("ecn", format!("[\n{entries}]"));
    }

    fn transport(&mut self, dice: &mut Dice, rtt_ns: f64) {
        self.host.insert("payload", self.payload.to_string());
        let control = match self.control {
            Control::None => "none",
            Control::Dcqcn => "dcqcn",
            Control::Dctcp => "dctcp",
            Control::Timely => "timely",
        };
        self.host.insert("congestion_control", text::name(control));
        let window = self.window.map_or(text::name("none"), text::size);
        self.host.insert("window", window);
        if dice.chance(0.15) {
            self.host.insert("ack_every", dice.integer(2, 8).to_string());
        }
        if dice.chance(0.25) {
            self.host.insert("reliability", text::name("selective-repeat"));
        }
        let timeout = dice.log(200e3, 16e6).max(4.0 * rtt_ns);
        self.host.insert("retransmit_timeout", text::time(timeout));
        self.host.insert("refuse_interval", text::time((2.0 * rtt_ns).clamp(20e3, 500e3)));
    }

    /// Changes a setting of one switch.
    pub(super) fn set_switch(&mut self, switch: &str, key: &'static str, value: String) {
        self.switches.entry(switch.to_string()).or_default().insert(key, value);
    }

    /// Changes a setting of one host.
    pub(super) fn set_host(&mut self, host: &str, key: &'static str, value: String) {
        self.hosts.entry(host.to_string()).or_default().insert(key, value);
    }

    /// The `[switch]`, `[switches.NAME]`, `[host]` and `[hosts.NAME]` sections.
    pub(super) fn write(&self) -> String {
        let mut out = section("switch", &self.switch);
        for (name, keys) in &self.switches {
            out += &section(&format!("switches.{name}"), keys);
        }
        out += &section("host", &self.host);
        for (name, keys) in &self.hosts {
            out += &section(&format!("hosts.{name}"), keys);
        }
        out
    }
}

/// A section of a file.
pub(super) fn section(name: &str, keys: &Keys) -> String {
    let lines: String = keys.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
    format!("\n[{name}]\n{lines}")
}
