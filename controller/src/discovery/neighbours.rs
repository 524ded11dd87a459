//! The table of neighbours, and its ageing.

use std::collections::BTreeMap;

use model::wire::lldp::Lldp;
use model::{PortRef, Time};

/// Ports with neighbours that are kept. Neighbours of further ports are ignored and counted.
pub const MAX_NEIGHBOURS: usize = 65_536;

/// What is at the other end of a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// Its last announcement.
    pub lldp: Lldp,
    /// When it is forgotten.
    pub expires: Time,
}

/// What an announcement changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The port had no neighbour.
    Appeared,
    /// The neighbour announces the same chassis and port as before.
    Refreshed,
    /// The port has another neighbour than before.
    Replaced,
    /// The neighbour has withdrawn itself, or its time has passed.
    Gone,
    /// Nothing: a withdrawal without a neighbour, or the table is full.
    Ignored,
}

/// The neighbours of all ports. A port has one neighbour, the last that announced itself; a cable has two ends.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    table: BTreeMap<PortRef, Neighbour>,
    ignored: u64,
}

impl Neighbours {
    /// Stores an announcement that arrived at a port.
    pub fn receive(&mut self, now: Time, at: &PortRef, lldp: Lldp) -> Change {
        if lldp.ttl_s == 0 {
            return if self.table.remove(at).is_some() { Change::Gone } else { Change::Ignored };
        }
        let before = self.table.get(at);
        let change = match before {
            None if self.table.len() >= MAX_NEIGHBOURS => {
                self.ignored += 1;
                return Change::Ignored;
            }
            None => Change::Appeared,
            Some(known) if known.lldp.chassis == lldp.chassis && known.lldp.port == lldp.port => {
                Change::Refreshed
            }
            Some(_) => Change::Replaced,
        };
        let ttl = Time::from_ms(u64::from(lldp.ttl_s) * 1_000);
        let expires = Time(now.0.saturating_add(ttl.0));
        self.table.insert(at.clone(), Neighbour { lldp, expires });
        change
    }

    /// Forgets neighbours whose time has passed, and returns them with their ports.
    pub fn expire(&mut self, now: Time) -> Vec<(PortRef, Neighbour)> {
        let over: Vec<PortRef> =
            self.table.iter().filter(|(_, known)| known.expires <= now).map(|(at, _)| at.clone()).collect();
        over.into_iter().filter_map(|at| self.table.remove_entry(&at)).collect()
    }

    /// Forgets the neighbour of a port whose link is down.
    pub fn link_down(&mut self, at: &PortRef) -> Change {
        if self.table.remove(at).is_some() { Change::Gone } else { Change::Ignored }
    }

    /// Forgets all neighbours of a switch.
    pub fn forget(&mut self, switch: &str) {
        self.table.retain(|at, _| at.switch != switch);
    }

    /// Returns when the next neighbour is forgotten.
    pub fn next_expiry(&self) -> Option<Time> {
        self.table.values().map(|known| known.expires).min()
    }

    /// Returns the neighbour at a port.
    pub fn at(&self, port: &PortRef) -> Option<&Neighbour> {
        self.table.get(port)
    }

    /// Returns all neighbours by port.
    pub fn iter(&self) -> impl Iterator<Item = (&PortRef, &Neighbour)> {
        self.table.iter()
    }

    /// Number of announcements ignored because the table was full.
    pub fn ignored(&self) -> u64 {
        self.ignored
    }
}
