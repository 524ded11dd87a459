//! Compares both ends of a link. What one of them does not state is not compared.

use model::config_finding::Deviation;

use super::kept::{Kept, Link, NONE};
use super::{Finding, Fleet, finding};
use crate::device::Repair;
use crate::finding::Severity;
use crate::source::Position;

/// The largest RoCEv2 packet: a path MTU of 4096 bytes, and the headers of IPv6 (40), UDP (8), BTH (12), RETH (16) and
/// immediate data (4), with the invariant CRC (4).
const LARGEST_ROCE_PACKET_BYTES: u32 = 4180;

/// The value that a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
            Self::Cable | Self::Speed | Self::Mtu | Self::Fec | Self::Negotiation | Self::State => "PORT",
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
            Self::Classes => "qos/map",
            Self::Marking => "queue/ecn",
            Self::Watchdog => "pfc-watchdog",
        }
    }
}

/// One end of a link.
pub(super) type End<'f> = (&'f Kept, &'f Link);

impl Fleet {
    /// Compares both ends of a link. A finding is reported for the end that has to change.
    /// [`Fleet::priorities`] and [`Fleet::classes`] compare what several links of a switch may share.
    pub(super) fn ends(&self, one: End<'_>, other: End<'_>, found: &mut Vec<Finding>) {
        self.cable(one, other, found);
        self.speed_and_mtu(one, other, found);
        self.fec_and_state(one, other, found);
        self.negotiation(one, other, found);
        // SONiC switches of one role are compared with each other; between roles, thresholds may differ.
        if one.0.system.is_some() || other.0.system.is_some() {
            self.marking(one, other, found);
            self.watchdog(one, other, found);
        }
    }

    fn cable(&self, one: End<'_>, other: End<'_>, found: &mut Vec<Finding>) {
        let (Some(p), Some(q)) = (one.1.cable_m, other.1.cable_m) else { return };
        if p != q {
            let names = self.names_of(one, other);
            let message = format!("{names} have cable lengths {p} m and {q} m for the same link");
            let shorter = if p < q { one } else { other };
            let base = self.at(shorter, ("FLEET004", Severity::Error, What::Cable), message);
            found.push(Finding { deviation: Some(Deviation::Less), ..base });
        }
    }

    fn speed_and_mtu(&self, one: End<'_>, other: End<'_>, found: &mut Vec<Finding>) {
        let (x, y) = (one.1, other.1);
        let differ = |x: Option<u32>, y: Option<u32>| x.zip(y).filter(|(x, y)| x != y);
        let (speeds, mtus) = (differ(x.speed_mbps, y.speed_mbps), differ(x.mtu_bytes, y.mtu_bytes));
        let names = self.names_of(one, other);
        if let (None, None, Some(_), Some(_)) = (one.0.system, other.0.system, x.speed_mbps, y.speed_mbps) {
            if speeds.is_some() || mtus.is_some() {
                let of = |value: Option<u32>| value.unwrap_or(0);
                let message = format!(
                    "{names} have speeds {} and {} Mb/s and MTUs {} and {}",
                    of(x.speed_mbps),
                    of(y.speed_mbps),
                    of(x.mtu_bytes),
                    of(y.mtu_bytes)
                );
                found.push(self.at(one, ("FLEET005", Severity::Error, What::Speed), message));
            }
            return;
        }
        if let Some((p, q)) = speeds {
            let message = format!("{names} have speeds {p} and {q} Mb/s");
            found.push(self.at(one, ("FLEET005", Severity::Error, What::Speed), message));
        }
        if let Some((p, q)) = mtus {
            let (smaller, bytes) = if p < q { (one, q) } else { (other, p) };
            let drops = p.min(q) < LARGEST_ROCE_PACKET_BYTES;
            let severity = if drops { Severity::Error } else { Severity::Warning };
            let what = if drops { "RoCE packets with a path MTU of 4096" } else { "larger packets" };
            let message = format!("{names} have MTUs {p} and {q}: the smaller one drops {what}");
            let base = self.at(smaller, ("FLEET005", severity, What::Mtu), message);
            found.push(self.repaired(base, smaller, Repair::Mtu { bytes }));
        }
    }

    fn fec_and_state(&self, one: End<'_>, other: End<'_>, found: &mut Vec<Finding>) {
        let names = self.names_of(one, other);
        let [p, q] = [one.1.fec, other.1.fec].map(|n| self.names.of(n));
        if p != q && !p.is_empty() && !q.is_empty() {
            let message = format!("{names} have FEC {p} and {q}: the link stays down");
            let base = self.at(one, ("FLEET005", Severity::Error, What::Fec), message);
            found.push(self.repaired(base, one, Repair::Fec { name: q.to_string() }));
        }
        if let (Some(x), Some(y)) = (one.1.is_up, other.1.is_up)
            && x != y
        {
            let end = if x { other } else { one };
            let message = format!("{names} are the ends of a link, but {} is down", self.end(end));
            found.push(self.at(end, ("FLEET005", Severity::Warning, What::State), message));
        }
    }

    /// Auto-negotiation and link training, which take both ends. A port of SONiC without the setting has neither.
    fn negotiation(&self, one: End<'_>, other: End<'_>, found: &mut Vec<Finding>) {
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
            found.push(self.at(without, ("FLEET012", severity, What::Negotiation), message));
        }
    }

    fn marking(&self, one: End<'_>, other: End<'_>, found: &mut Vec<Finding>) {
        let [x, y] = [one.1.marking, other.1.marking].map(|n| self.names.of(n));
        if x == y || x.is_empty() || y.is_empty() {
            return;
        }
        let (a, b) = (self.end(one), self.end(other));
        if x == NONE || y == NONE {
            let (end, marks) = if x == NONE { (one, &b) } else { (other, &a) };
            let message = format!("{marks} marks lossless packets (ECN), {} does not", self.end(end));
            let base = self.at(end, ("FLEET010", Severity::Warning, What::Marking), message);
            let queue = end.1.pfc.map_or(3, |mask| mask.trailing_zeros().min(7) as u8);
            found.push(self.repaired(base, end, Repair::Mark { queue }));
        } else if x != "on" && y != "on" && one.1.speed_mbps == other.1.speed_mbps {
            let message = format!("Kmin/Kmax/Pmax are {x} at {a}, but {y} at {b}");
            found.push(self.at(one, ("FLEET010", Severity::Info, What::Marking), message));
        }
    }

    fn watchdog(&self, one: End<'_>, other: End<'_>, found: &mut Vec<Finding>) {
        let [x, y] = [one.1.watchdog, other.1.watchdog].map(|n| self.names.of(n));
        if x == y || x.is_empty() || y.is_empty() {
            return;
        }
        let (a, b) = (self.end(one), self.end(other));
        if x == NONE || y == NONE {
            let (end, has) = if x == NONE { (one, &b) } else { (other, &a) };
            let message = format!("{has} has a PFC watchdog, {} does not", self.end(end));
            let base = self.at(end, ("FLEET011", Severity::Warning, What::Watchdog), message);
            found.push(self.repaired(base, end, Repair::Watch));
        } else if x != "on" && y != "on" {
            let message = format!("a storm is detected after {x} ms at {a}, but after {y} ms at {b}");
            found.push(self.at(one, ("FLEET011", Severity::Info, What::Watchdog), message));
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

    fn names_of(&self, one: End<'_>, other: End<'_>) -> String {
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
        What::Neighbour => places.port,
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
