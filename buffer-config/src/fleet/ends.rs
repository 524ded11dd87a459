//! Compares both ends of a link. What one of them does not state is not compared.

use std::collections::BTreeMap;

use model::config_finding::Deviation;

use super::kept::{Kept, Link, NONE};
use super::priorities::{Id, id};
use super::{Finding, Fleet, finding};
use crate::device::Repair;
use crate::finding::Severity;
use crate::source::Position;

/// The largest RoCEv2 packet: a path MTU of 4096 bytes, and the headers of IPv6 (40), UDP (8), BTH (12), RETH (16) and
/// immediate data (4), with the invariant CRC (4).
const LARGEST_ROCE_PACKET_BYTES: u32 = 4180;

/// The value that a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    Neighbour,
    Pfc,
    Cable,
    Speed,
    Mtu,
    Fec,
    Negotiation,
    PortChannel,
    State,
    Framing,
    Classes,
    Marking,
    Watchdog,
}

impl What {
    /// SONiC's table.
    fn table(self) -> &'static str {
        match self {
            Self::Neighbour => "DEVICE_NEIGHBOR",
            Self::Pfc | Self::Classes => "PORT_QOS_MAP",
            Self::Cable
            | Self::Speed
            | Self::Mtu
            | Self::Fec
            | Self::Negotiation
            | Self::State
            | Self::Framing => "PORT",
            Self::PortChannel => "PORTCHANNEL_MEMBER",
            Self::Marking => "QUEUE",
            Self::Watchdog => "PFC_WD",
        }
    }

    /// The keyword below the interface, for other systems.
    fn keyword(self) -> &'static str {
        match self {
            Self::Neighbour => "description",
            Self::Pfc => "pfc",
            Self::Cable => "cable-length",
            Self::Speed => "speed",
            Self::Mtu => "mtu",
            Self::Fec => "fec",
            Self::Negotiation => "autoneg",
            Self::PortChannel => "channel-group",
            Self::State => "state",
            Self::Framing => "macsec",
            Self::Classes => "qos/map",
            Self::Marking => "queue/ecn",
            Self::Watchdog => "pfc-watchdog",
        }
    }
}

/// One end of a link.
pub(super) type End<'f> = (&'f Kept, &'f Link);

/// A difference between the ends of one link.
pub(super) struct Difference<'f> {
    ends: [End<'f>; 2],
    /// The end that has to change, if other links do not say otherwise.
    wrong: usize,
    /// Whether other links cannot say otherwise.
    is_certain: bool,
    code: &'static str,
    severity: Severity,
    what: What,
    /// The message for one link.
    message: String,
    /// What the ports of each end have in common, after their names: the message for several links of a switch.
    of_several: [String; 2],
    /// The repair of each end.
    repairs: [Option<Repair>; 2],
    deviation: Option<Deviation>,
}

impl<'f> Difference<'f> {
    pub(super) fn new(
        ends: [End<'f>; 2],
        (code, severity, what): (&'static str, Severity, What),
        message: String,
        of_several: [String; 2],
    ) -> Self {
        let repairs = [None, None];
        Self {
            ends,
            wrong: 0,
            is_certain: false,
            code,
            severity,
            what,
            message,
            of_several,
            repairs,
            deviation: None,
        }
    }

    /// Names the end that probably has to change.
    pub(super) fn probably(self, wrong: usize) -> Self {
        Self { wrong, ..self }
    }

    /// Names the end that has to change.
    fn certainly(self, wrong: usize) -> Self {
        Self { wrong, is_certain: true, ..self }
    }
}

/// The same difference on several links of one switch, each with the end of that switch first.
struct Group<'d, 'f> {
    first: &'d Difference<'f>,
    at: usize,
    ends: Vec<End<'f>>,
}

impl Fleet {
    /// Compares both ends of each link. Findings are for the end that has to change; the same difference on several links of
    /// a switch is one finding. [`Fleet::priorities`] and [`Fleet::classes`] report the rest.
    pub(super) fn ends(&self, links: &[(End<'_>, End<'_>)], found: &mut Vec<Finding>) {
        let mut all = Vec::new();
        for (one, other) in links.iter().copied() {
            self.cable(one, other, &mut all);
            self.speed_and_mtu(one, other, &mut all);
            self.fec_and_state(one, other, &mut all);
            self.negotiation(one, other, &mut all);
            self.framing(one, other, &mut all);
            // SONiC switches of one role are compared with each other; between roles, thresholds may differ.
            if one.0.system.is_some() || other.0.system.is_some() {
                self.marking(one, other, &mut all);
                self.watchdog(one, other, &mut all);
            }
        }
        let mut counts: BTreeMap<(&str, What, Id), usize> = BTreeMap::new();
        for difference in &all {
            for (switch, _) in difference.ends {
                *counts.entry((difference.code, difference.what, id(switch))).or_default() += 1;
            }
        }
        let mut groups: Vec<Group<'_, '_>> = Vec::new();
        let mut known: BTreeMap<(Id, &str, What, Severity, &str), usize> = BTreeMap::new();
        for difference in &all {
            let Difference { ends, wrong, code, what, severity, .. } = difference;
            // A switch that differs on more of its links than the other one has to change.
            let count = |at: usize| {
                ends.get(at).and_then(|end| counts.get(&(*code, *what, id(end.0)))).copied().unwrap_or(0)
            };
            let is_other = !difference.is_certain && count(1 - wrong) > count(*wrong);
            let at = if is_other { 1 - wrong } else { *wrong };
            let (Some(end), Some(text)) = (ends.get(at).copied(), difference.of_several.get(at)) else {
                continue;
            };
            let key = (id(end.0), *code, *what, *severity, text.as_str());
            let index = *known.entry(key).or_insert(groups.len());
            match groups.get_mut(index) {
                Some(group) => group.ends.push(end),
                None => groups.push(Group { first: difference, at, ends: vec![end] }),
            }
        }
        found.extend(groups.iter().filter_map(|group| self.merged(group)));
    }

    fn merged(&self, group: &Group<'_, '_>) -> Option<Finding> {
        let Group { first, at, ends } = group;
        let end = *ends.first()?;
        let ports: Vec<&str> = ends.iter().map(|(_, link)| self.names.of(link.port)).collect();
        let message = match ports.as_slice() {
            [_] => first.message.clone(),
            all => {
                let text = first.of_several.get(*at)?;
                format!("{}: {} {text}", self.name_of(end.0), crate::rules::names(all))
            }
        };
        let base = self.at(end, (first.code, first.severity, first.what), message);
        let repair = first.repairs.get(*at).and_then(Option::as_ref);
        let commands = end.0.system.zip(repair).map(|(system, repair)| repair.commands(system, &ports));
        Some(Finding {
            ports: ports.iter().map(ToString::to_string).collect(),
            commands: commands.unwrap_or_default(),
            deviation: first.deviation,
            ..base
        })
    }

    fn cable<'f>(&self, one: End<'f>, other: End<'f>, found: &mut Vec<Difference<'f>>) {
        let (Some(p), Some(q)) = (one.1.cable_m, other.1.cable_m) else { return };
        if p != q {
            let names = self.names_of(one, other);
            let message = format!("{names} have cable lengths {p} m and {q} m for the same link");
            let text = |own: u32, other: u32| format!("have cable length {own} m, the other ends {other} m");
            let about = ("FLEET004", Severity::Error, What::Cable);
            let base = Difference::new([one, other], about, message, [text(p, q), text(q, p)]);
            // The shorter end has too little headroom if the other one is right.
            let base = base.certainly(usize::from(p > q));
            found.push(Difference { deviation: Some(Deviation::Less), ..base });
        }
    }

    fn speed_and_mtu<'f>(&self, one: End<'f>, other: End<'f>, found: &mut Vec<Difference<'f>>) {
        let (x, y) = (one.1, other.1);
        let differ = |x: Option<u32>, y: Option<u32>| x.zip(y).filter(|(x, y)| x != y);
        let (speeds, mtus) = (differ(x.speed_mbps, y.speed_mbps), differ(x.mtu_bytes, y.mtu_bytes));
        let names = self.names_of(one, other);
        let about = ("FLEET005", Severity::Error, What::Speed);
        if let (None, None, Some(_), Some(_)) = (one.0.system, other.0.system, x.speed_mbps, y.speed_mbps) {
            if speeds.is_some() || mtus.is_some() {
                let of = |value: Option<u32>| value.unwrap_or(0);
                let different = [
                    speeds.map(|(p, q)| format!("speeds {p} and {q} Mb/s")),
                    mtus.map(|(p, q)| format!("MTUs {p} and {q}")),
                ];
                let different: Vec<String> = different.into_iter().flatten().collect();
                let message = format!("{names} have {}", different.join(" and "));
                let text = |own: &Link, other: &Link| {
                    let speed = |link: &Link| format!("{} Mb/s", of(link.speed_mbps));
                    let mtu = |link: &Link| format!("MTU {}", of(link.mtu_bytes));
                    let both = |link: &Link| match (speeds, mtus) {
                        (Some(_), None) => speed(link),
                        (None, _) => mtu(link),
                        (Some(_), Some(_)) => format!("{} and {}", speed(link), mtu(link)),
                    };
                    format!("have {}, the other ends {}", both(own), both(other))
                };
                found.push(Difference::new([one, other], about, message, [text(x, y), text(y, x)]));
            }
            return;
        }
        if let Some((p, q)) = speeds {
            let message = format!("{names} have speeds {p} and {q} Mb/s");
            let text = |own: u32, other: u32| format!("have {own} Mb/s, the other ends {other} Mb/s");
            found.push(Difference::new([one, other], about, message, [text(p, q), text(q, p)]));
        }
        if let Some((p, q)) = mtus {
            let drops = p.min(q) < LARGEST_ROCE_PACKET_BYTES;
            let severity = if drops { Severity::Error } else { Severity::Warning };
            let what = if drops { "RoCE packets with a path MTU of 4096" } else { "larger packets" };
            let message = format!("{names} have MTUs {p} and {q}: the smaller one drops {what}");
            let text = |own: u32, other: u32| {
                format!("have MTU {own}, the other ends {other}: the smaller one drops {what}")
            };
            let about = ("FLEET005", severity, What::Mtu);
            let base = Difference::new([one, other], about, message, [text(p, q), text(q, p)]);
            let repairs = [Some(Repair::Mtu { bytes: q }), Some(Repair::Mtu { bytes: p })];
            found.push(Difference { repairs, ..base.probably(usize::from(p > q)) });
        }
    }

    fn fec_and_state<'f>(&self, one: End<'f>, other: End<'f>, found: &mut Vec<Difference<'f>>) {
        let names = self.names_of(one, other);
        let [p, q] = [one.1.fec, other.1.fec].map(|n| self.names.of(n));
        if p != q && !p.is_empty() && !q.is_empty() {
            let message = format!("{names} have FEC {p} and {q}: the link stays down");
            let text = |own: &str, other: &str| {
                format!("have FEC {own}, the other ends {other}: the links stay down")
            };
            let about = ("FLEET005", Severity::Error, What::Fec);
            let base = Difference::new([one, other], about, message, [text(p, q), text(q, p)]);
            let repair = |name: &str| Some(Repair::Fec { name: name.to_string() });
            found.push(Difference { repairs: [repair(q), repair(p)], ..base });
        }
        if let (Some(x), Some(y)) = (one.1.is_up, other.1.is_up)
            && x != y
        {
            let down = usize::from(x);
            let end = if x { other } else { one };
            let message = format!("{names} are the ends of a link, but {} is down", self.end(end));
            let about = ("FLEET005", Severity::Warning, What::State);
            let text = || "are down, the other ends are up".to_string();
            found.push(Difference::new([one, other], about, message, [text(), text()]).certainly(down));
        }
    }

    /// Auto-negotiation and link training, which take both ends. A port of SONiC without the setting has neither.
    fn negotiation<'f>(&self, one: End<'f>, other: End<'f>, found: &mut Vec<Difference<'f>>) {
        type Setting = fn(&Link) -> Option<bool>;
        let settings: [(&str, Setting); 2] =
            [("auto-negotiation", |link| link.autoneg), ("link training", |link| link.link_training)];
        for (what, of) in settings {
            let state = |end: End<'_>| of(end.1).or(end.0.system.is_none().then_some(false));
            let (Some(x), Some(y)) = (state(one), state(other)) else { continue };
            if x == y {
                continue;
            }
            let (with, without) = if x { (one, other) } else { (other, one) };
            let message = format!("{} uses {what}, {} does not", self.end(with), self.end(without));
            // An explicit off is certain.
            let is_certain = what == "auto-negotiation" && of(without.1).is_some();
            let severity = if is_certain { Severity::Error } else { Severity::Warning };
            let text = |uses: bool| match uses {
                true => format!("use {what}, the other ends do not"),
                false => format!("do not use {what}, the other ends do"),
            };
            let about = ("FLEET012", severity, What::Negotiation);
            let base = Difference::new([one, other], about, message, [text(x), text(y)]);
            found.push(base.probably(usize::from(x)));
        }
    }

    fn marking<'f>(&self, one: End<'f>, other: End<'f>, found: &mut Vec<Difference<'f>>) {
        let [x, y] = [one.1.marking, other.1.marking].map(|n| self.names.of(n));
        if x == y || x.is_empty() || y.is_empty() {
            return;
        }
        let (a, b) = (self.end(one), self.end(other));
        if x == NONE || y == NONE {
            let without = usize::from(x != NONE);
            let (end, marks) = if x == NONE { (one, &b) } else { (other, &a) };
            let message = format!("{marks} marks lossless packets (ECN), {} does not", self.end(end));
            let text = || "do not mark lossless packets (ECN), the other ends do".to_string();
            let about = ("FLEET010", Severity::Warning, What::Marking);
            let base = Difference::new([one, other], about, message, [text(), text()]);
            let queue = end.1.pfc.map_or(3, |mask| mask.trailing_zeros().min(7) as u8);
            let repairs = [Some(Repair::Mark { queue }), Some(Repair::Mark { queue })];
            found.push(Difference { repairs, ..base.certainly(without) });
        } else if x != "on" && y != "on" && one.1.speed_mbps == other.1.speed_mbps {
            let message = format!("Kmin/Kmax/Pmax are {x} at {a}, but {y} at {b}");
            let text = |own: &str, other: &str| format!("have Kmin/Kmax/Pmax {own}, the other ends {other}");
            let about = ("FLEET010", Severity::Info, What::Marking);
            found.push(Difference::new([one, other], about, message, [text(x, y), text(y, x)]));
        }
    }

    fn watchdog<'f>(&self, one: End<'f>, other: End<'f>, found: &mut Vec<Difference<'f>>) {
        let [x, y] = [one.1.watchdog, other.1.watchdog].map(|n| self.names.of(n));
        if x == y || x.is_empty() || y.is_empty() {
            return;
        }
        let (a, b) = (self.end(one), self.end(other));
        if x == NONE || y == NONE {
            let without = usize::from(x != NONE);
            let (end, has) = if x == NONE { (one, &b) } else { (other, &a) };
            let message = format!("{has} has a PFC watchdog, {} does not", self.end(end));
            let text = || "have no PFC watchdog, the other ends have one".to_string();
            let about = ("FLEET011", Severity::Warning, What::Watchdog);
            let base = Difference::new([one, other], about, message, [text(), text()]);
            let repairs = [Some(Repair::Watch), Some(Repair::Watch)];
            found.push(Difference { repairs, ..base.certainly(without) });
        } else if x != "on" && y != "on" {
            let message = format!("a storm is detected after {x} ms at {a}, but after {y} ms at {b}");
            let text = |own: &str, other: &str| {
                format!("detect a storm after {own} ms, the other ends after {other} ms")
            };
            let about = ("FLEET011", Severity::Info, What::Watchdog);
            found.push(Difference::new([one, other], about, message, [text(x, y), text(y, x)]));
        }
    }

    /// Adds the commands of a repair if the end does not run SONiC.
    pub(super) fn repaired(&self, finding: Finding, end: End<'_>, repair: Repair) -> Finding {
        let port = self.names.of(end.1.port);
        let commands = end.0.system.map(|system| repair.commands(system, &[port]));
        Finding { commands: commands.unwrap_or_default(), ..finding }
    }

    /// The name of an end for messages.
    pub(super) fn end(&self, (switch, link): End<'_>) -> String {
        let [name, chip, port] = [switch.name, switch.chip, link.port].map(|n| self.names.of(n));
        if chip.is_empty() { format!("{name}:{port}") } else { format!("{name}/{chip}:{port}") }
    }

    pub(super) fn names_of(&self, one: End<'_>, other: End<'_>) -> String {
        format!("{} and {}", self.end(one), self.end(other))
    }

    /// A finding at a port.
    pub(super) fn at(
        &self,
        (switch, link): End<'_>,
        (code, severity, what): (&'static str, Severity, What),
        message: String,
    ) -> Finding {
        let port = self.names.of(link.port);
        let pointer = match switch.system {
            None => format!("/{}/{port}", what.table()),
            Some(_) => format!("/interface/{}/{}", crate::db::escape(port), what.keyword()),
        };
        let base = finding(code, severity, &switch.file, &pointer, message);
        let position = position(switch, link, what).unwrap_or(base.position);
        Finding { ports: vec![port.to_string()], position, ..base }
    }
}

/// The position of a value in a file that is not SONiC's.
fn position(switch: &Kept, link: &Link, what: What) -> Option<Position> {
    let places = switch.places.get(link.place as usize)?;
    Some(match what {
        What::Neighbour | What::Framing => places.port,
        What::Pfc => places.pfc,
        What::Cable => places.cable,
        What::Speed => places.speed,
        What::Mtu => places.mtu,
        What::Fec => places.fec,
        What::Negotiation => places.autoneg,
        What::PortChannel => places.port_channel,
        What::State => places.state,
        What::Classes => places.classes,
        What::Marking => places.marking,
        What::Watchdog => places.watchdog,
    })
}
