//! A scenario while it is generated: the network, the settings, and the traffic, faults, routes and outages so far,
//! with an estimate of what the run costs.

use std::collections::BTreeSet;
use std::fmt::Write;

use model::Rate;

use super::dice::Dice;
use super::network::Net;
use super::settings::{Devices, HEADERS};
use super::{Actor, Disturbance, text};

/// Fewest and most packet hops of a run, of data and ACKs together, at about 1 us of CPU time each.
const HOPS: (f64, f64) = (250e3, 1.6e6);

/// A `[[flow]]` entry.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub(super) label: String,
    pub(super) from: Vec<String>,
    pub(super) to: Vec<String>,
    pub(super) bytes: f64,
    pub(super) start_ns: f64,
    pub(super) priority: u8,
    pub(super) window: Option<f64>,
    pub(super) through: Option<String>,
    pub(super) repeat: u64,
    pub(super) every_ns: f64,
    pub(super) keys: Vec<(&'static str, String)>,
}

impl Flow {
    /// A flow of priority 3 that starts at `start_ns`.
    pub(super) fn new(label: &str, from: &[String], to: &[String], bytes: f64, start_ns: f64) -> Flow {
        Flow {
            label: label.to_string(),
            from: from.to_vec(),
            to: to.to_vec(),
            bytes,
            start_ns,
            priority: 3,
            window: None,
            through: None,
            repeat: 1,
            every_ns: 0.0,
            keys: Vec::new(),
        }
    }

    fn pairs(&self) -> Vec<(&String, &String)> {
        if self.from.len() == self.to.len() {
            return self.from.iter().zip(&self.to).collect();
        }
        self.from.iter().flat_map(|src| self.to.iter().map(move |dst| (src, dst))).collect()
    }

    fn write(&self, jitter_ns: f64) -> String {
        let mut out = format!(
            "\n[[flow]]\nlabel = {}\nfrom = {}\nto = {}\nsize = {}\nstart = {}\njitter = {}\n",
            text::name(&self.label),
            text::names(&self.from),
            text::names(&self.to),
            text::size(self.bytes),
            text::time(self.start_ns),
            text::time(jitter_ns)
        );
        if self.priority != 3 {
            let _ = writeln!(out, "priority = {}", self.priority);
        }
        if let Some(window) = self.window {
            let _ = writeln!(out, "window = {}", text::size(window));
        }
        if let Some(switch) = &self.through {
            let _ = writeln!(out, "through = {}", text::name(switch));
        }
        if self.repeat > 1 {
            let _ = writeln!(out, "repeat = {}\nevery = {}", self.repeat, text::time(self.every_ns));
        }
        self.keys.iter().for_each(|(key, value)| {
            let _ = writeln!(out, "{key} = {value}");
        });
        out
    }
}

/// The scenario so far.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) dice: Dice,
    pub(super) net: Net,
    pub(super) devices: Devices,
    pub(super) stop_ns: f64,
    pub(super) load: f64,
    flows: Vec<Flow>,
    workloads: Vec<String>,
    tenants: Vec<String>,
    jobs: Vec<String>,
    faults: Vec<String>,
    routes: Vec<String>,
    failures: Vec<String>,
    pub(super) alike: bool,
    pub(super) disturbances: Vec<Disturbance>,
    used: BTreeSet<String>,
    /// Packet hops that are left.
    room: f64,
    /// Disturbances so far, for labels.
    number: usize,
}

impl Plan {
    /// Draws settings and duration for a network.
    pub(super) fn new(mut dice: Dice, net: Net) -> Plan {
        let hosts = net.hosts();
        let pairs: Vec<f64> = (0..12)
            .filter_map(|_| {
                let pair = dice.some(&hosts, 2);
                let [src, dst] = pair.as_slice() else { return None };
                Some(rtt_ns(&net, src, dst, 1082.0))
            })
            .collect();
        let mut sorted = pairs.clone();
        sorted.sort_by(f64::total_cmp);
        let usual = sorted.get(sorted.len() / 2).copied().unwrap_or(10e3);
        let longest = sorted.last().copied().unwrap_or(usual);
        let devices = Devices::draw(&mut dice, &net, usual);
        let fastest = hosts.iter().map(|host| net.host_rate(host).0).max().unwrap_or(0);
        // Fast networks carry as many packets in less time.
        let pace = (2e11 / fastest as f64).clamp(0.4, 1.0);
        let stop_ns = (dice.log(2e6, 8e6) * pace).max(usual * 20.0).max(longest * 8.0);
        let room = dice.log(HOPS.0, HOPS.1);
        Plan {
            dice,
            net,
            devices,
            stop_ns,
            load: 0.0,
            flows: Vec::new(),
            workloads: Vec::new(),
            tenants: Vec::new(),
            jobs: Vec::new(),
            faults: Vec::new(),
            routes: Vec::new(),
            failures: Vec::new(),
            alike: false,
            disturbances: Vec::new(),
            used: BTreeSet::new(),
            room,
            number: 0,
        }
    }

    /// Starts a disturbance and returns the prefix of its labels.
    pub(super) fn begin(&mut self, kind: &'static str) -> String {
        self.number += 1;
        self.disturbances.push(Disturbance { kind, actors: Vec::new(), victims: Vec::new() });
        format!("d{}", self.number)
    }

    /// Adds an actor to the disturbance that was started last.
    pub(super) fn actor(&mut self, actor: Actor) {
        if let Some(last) = self.disturbances.last_mut() {
            last.actors.push(actor);
        }
    }

    /// Up to `count` hosts that no disturbance uses yet and that meet a condition, in random order.
    pub(super) fn hosts(&mut self, count: usize, condition: impl Fn(&Net, &str) -> bool) -> Vec<String> {
        let mut free = self.net.hosts();
        free.retain(|host| !self.used.contains(host) && condition(&self.net, host));
        let drawn = self.dice.some(&free, count);
        self.used.extend(drawn.iter().cloned());
        drawn
    }

    /// A host that no disturbance uses yet and that meets a condition.
    pub(super) fn host(&mut self, condition: impl Fn(&Net, &str) -> bool) -> Option<String> {
        self.hosts(1, condition).pop()
    }

    /// Bytes of a full packet on the wire.
    pub(super) fn frame(&self) -> f64 {
        (self.devices.payload + HEADERS) as f64
    }

    /// The base RTT between two hosts.
    pub(super) fn rtt_ns(&self, src: &str, dst: &str) -> f64 {
        rtt_ns(&self.net, src, dst, self.frame())
    }

    /// The lowest rate on a path in bytes a nanosecond.
    pub(super) fn narrowest(&self, src: &str, dst: &str) -> f64 {
        let rates = self.net.path(src, dst).into_iter().map(|link| link.rate.0);
        bytes_per_ns(Rate(rates.min().unwrap_or(0)))
    }

    /// The bandwidth-delay product of a path, at least four packets.
    pub(super) fn bdp(&self, src: &str, dst: &str) -> f64 {
        (self.narrowest(src, dst) * self.rtt_ns(src, dst)).max(4.0 * self.frame())
    }

    /// The rate at which a flow can send, in bytes a nanosecond.
    fn attainable(&self, src: &str, dst: &str, window: Option<f64>) -> f64 {
        let line = self.narrowest(src, dst);
        match window.or(self.devices.window) {
            Some(window) => line.min(window / self.rtt_ns(src, dst)),
            None => line,
        }
    }

    /// The packet hops of a flow's data and ACKs until the end of the run.
    fn cost(&self, flow: &Flow) -> f64 {
        let rest = self.stop_ns - flow.start_ns;
        let one = |(src, dst): (&String, &String)| {
            let bytes =
                (flow.bytes * flow.repeat as f64).min(self.attainable(src, dst, flow.window) * rest.max(0.0));
            (bytes / self.devices.payload as f64).ceil() * 2.0 * self.net.path(src, dst).len() as f64
        };
        flow.pairs().into_iter().map(one).sum()
    }

    /// Adds a flow. If it costs more than `share` of the hops that are left, its bytes are reduced.
    pub(super) fn flow(&mut self, mut flow: Flow, share: f64) {
        let cost = self.cost(&flow);
        let most = self.room * share;
        if cost > most {
            let rest = self.stop_ns - flow.start_ns;
            let pairs = flow.pairs();
            let rate = pairs.iter().map(|(src, dst)| self.attainable(src, dst, flow.window));
            let sent = rate.fold(0.0, f64::max) * rest;
            flow.bytes = (flow.bytes.min(sent) * most / cost).max(self.frame());
        }
        self.room = (self.room - self.cost(&flow)).max(0.0);
        self.flows.push(flow);
    }

    /// Adds a long flow with a small window that a disturbance may slow down, and notes it as a victim.
    pub(super) fn victim(&mut self, label: &str, src: &str, dst: &str, through: Option<&str>) {
        let start = self.dice.even(0.0, 0.2) * self.stop_ns;
        let start = if self.dice.chance(0.5) { 0.0 } else { start };
        let product = self.bdp(src, dst);
        let mut window = product * self.dice.log(0.15, 1.5);
        let rest = self.stop_ns - start;
        // A fifth of the budget at most: a victim must last as long as what slows it down.
        let hops = 2.0 * self.net.path(src, dst).len() as f64;
        let most = self.room * 0.2 / hops * self.devices.payload as f64 / rest;
        window = window.min(most * self.rtt_ns(src, dst)).max(2.0 * self.frame());
        let rate = self.attainable(src, dst, Some(window));
        let mut flow = Flow::new(
            label,
            &[src.to_string()],
            &[dst.to_string()],
            rate * rest * self.dice.even(0.5, 1.2),
            start,
        );
        flow.window = Some(window);
        flow.through = through.map(str::to_string);
        if self.dice.chance(0.2) {
            flow.keys.push(("operation", text::name("send")));
        }
        if self.dice.chance(0.3) {
            let message = self.dice.log(8.0, 256.0) * self.frame();
            flow.keys.push(("message", text::size(message)));
        }
        self.flow(flow, 0.5);
        if let Some(last) = self.disturbances.last_mut() {
            last.victims.push(label.to_string());
        }
    }

    /// When a disturbance starts, in nanoseconds: after an undisturbed part, with time left for its effect.
    pub(super) fn onset(&mut self) -> f64 {
        self.dice.even(0.15, 0.6) * self.stop_ns
    }

    /// A duration between `low` and `high` nanoseconds, at most what is left of the run.
    pub(super) fn duration(&mut self, onset: f64, low: f64, high: f64) -> f64 {
        let rest = (self.stop_ns - onset).max(2_000.0);
        self.dice.log(low.min(rest), high.min(rest))
    }

    /// Adds the lines of a `[[fault]]` entry of a host.
    pub(super) fn fault(
        &mut self,
        kind: &str,
        host: &str,
        onset: f64,
        duration: f64,
        keys: &[(&str, String)],
    ) {
        let mut out = format!(
            "\n[[fault]]\nkind = {}\nhost = {}\nstart = {}\nduration = {}\n",
            text::name(kind),
            text::name(host),
            text::time(onset),
            text::time(duration)
        );
        for (key, value) in keys {
            let _ = writeln!(out, "{key} = {value}");
        }
        let position = self.faults.len();
        self.faults.push(out);
        self.actor(Actor::Fault { position, host: host.to_string() });
    }

    /// Adds a `[[route]]` entry; without `via` there is no route.
    pub(super) fn route(&mut self, switch: &str, to: &[String], via: Option<&str>, time: Option<(f64, f64)>) {
        let via = via.map_or("[]".to_string(), text::name);
        let mut out =
            format!("\n[[route]]\nswitch = {}\nto = {}\nvia = {via}\n", text::name(switch), text::names(to));
        if let Some((start, duration)) = time {
            let _ = writeln!(out, "start = {}\nduration = {}", text::time(start), text::time(duration));
        }
        self.routes.push(out);
        self.actor(Actor::Route { switch: switch.to_string(), hosts: to.to_vec() });
    }

    /// Adds a `[[failure]]` entry of the links between two nodes.
    pub(super) fn failure(&mut self, between: (&str, &str), onset: f64, keys: &[(&str, String)]) {
        let (a, b) = between;
        let mut out = format!(
            "\n[[failure]]\nbetween = [{}, {}]\nstart = {}\n",
            text::name(a),
            text::name(b),
            text::time(onset)
        );
        for (key, value) in keys {
            let _ = writeln!(out, "{key} = {value}");
        }
        self.failures.push(out);
        self.actor(Actor::Link { between: [a.to_string(), b.to_string()] });
    }

    /// Adds a setting of one switch.
    pub(super) fn setting(&mut self, switch: &str, key: &'static str, value: String) {
        self.devices.set_switch(switch, key, value);
        self.actor(Actor::Setting { switch: switch.to_string(), key });
    }

    /// Adds a `[[workload]]` entry with its cost in packet hops.
    pub(super) fn workload(&mut self, keys: &[(&str, String)], cost: f64) {
        let lines: String = keys.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
        self.workloads.push(format!("\n[[workload]]\n{lines}"));
        self.room = (self.room - cost).max(0.0);
    }

    /// Adds a `[[tenant]]` entry of a host.
    pub(super) fn tenant(&mut self, name: &str, host: &str, keys: &[(&str, String)]) {
        let lines: String = keys.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
        let (name, host) = (text::name(name), text::name(host));
        self.tenants.push(format!("\n[[tenant]]\nname = {name}\nhost = {host}\n{lines}"));
    }

    /// Adds a `[[job]]` entry of a host.
    pub(super) fn job(&mut self, name: &str, host: &str, keys: &[(&str, String)]) {
        let lines: String = keys.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
        let (name, host) = (text::name(name), text::name(host));
        self.jobs.push(format!("\n[[job]]\nname = {name}\nhost = {host}\n{lines}"));
    }

    /// The packet hops that are left.
    pub(super) fn room(&self) -> f64 {
        self.room
    }

    /// Whether there is no traffic yet.
    pub(super) fn is_idle(&self) -> bool {
        self.flows.is_empty() && self.workloads.is_empty()
    }

    /// The text of the scenario after its head.
    pub(super) fn write(&self, ecmp_seed: u64, jitter_ns: f64) -> String {
        let (links, section) = self.net.write();
        let mut out = format!("{links}\n[topology]\n{section}");
        out += &self.devices.write();
        let _ = write!(out, "\n[routing]\necmp_seed = {ecmp_seed}\n");
        if self.alike {
            out += "alike = true\n";
        }
        // The last route of a switch to a host applies: those of disturbances follow those of the network.
        for (switch, hosts, via) in self.net.one_way_routes() {
            let (switch, via) = (text::name(&switch), text::name(&via));
            let _ =
                write!(out, "\n[[route]]\nswitch = {switch}\nto = {}\nvia = {via}\n", text::names(&hosts));
        }
        self.routes.iter().chain(&self.failures).for_each(|entry| out += entry);
        self.flows.iter().for_each(|flow| out += &flow.write(jitter_ns));
        self.workloads
            .iter()
            .chain(&self.tenants)
            .chain(&self.jobs)
            .chain(&self.faults)
            .for_each(|entry| out += entry);
        out
    }
}

/// Bytes a nanosecond.
pub(super) fn bytes_per_ns(rate: Rate) -> f64 {
    rate.0 as f64 / 8e9
}

/// The base RTT: propagation, a full packet one way and an ACK of 64 bytes the other, stored and forwarded.
fn rtt_ns(net: &Net, src: &str, dst: &str, frame: f64) -> f64 {
    let path = net.path(src, dst);
    path.iter().map(|link| 2.0 * link.delay.0 as f64 / 1e3 + (frame + 64.0) / bytes_per_ns(link.rate)).sum()
}
