//! Which switch, and which of its readings, a table belongs to.

use std::collections::{BTreeMap, BTreeSet};

use super::columns::Kind;
use super::command::{Command, Repeat};
use crate::problem::Problem;
use crate::reading::{LocalNeighbour, Reading, Source};
use crate::sonic::natural;

/// The maximum number of readings in one input: a thousand switches before and after.
const MAX_READINGS: usize = 2_000;
/// What a switch is called whose name neither a prompt nor the caller gives.
const UNNAMED: &str = "switch";

/// The readings of a paste in the order in which they begin.
pub(super) struct Sections<'p> {
    default_switch: Option<&'p str>,
    time_ns: u64,
    readings: Vec<Section>,
    current: Option<usize>,
    /// The command whose output follows.
    command: Command,
    /// The ports of the current table.
    table_ports: BTreeSet<String>,
    /// Neighbours of each switch and port, by the table that names them first.
    cables: BTreeMap<(String, String), BTreeSet<String>>,
    /// Switches whose tables contradict each other, and how.
    mixed: BTreeMap<String, String>,
    is_full: bool,
}

struct Section {
    reading: Reading,
    /// The tables, and the commands that printed them.
    kinds: BTreeMap<Kind, Command>,
    /// The ports of tables that are split by port.
    ports: BTreeMap<String, Command>,
}

impl<'p> Sections<'p> {
    pub(super) fn new(default_switch: Option<&'p str>, time_ns: u64) -> Sections<'p> {
        Sections {
            default_switch,
            time_ns,
            readings: Vec::new(),
            current: None,
            command: Command::default(),
            table_ports: BTreeSet::new(),
            cables: BTreeMap::new(),
            mixed: BTreeMap::new(),
            is_full: false,
        }
    }

    /// A command, whose output follows.
    pub(super) fn command(&mut self, text: &str) {
        self.command = self.command.next(text);
    }

    /// Continues with the last reading of a switch.
    pub(super) fn enter(&mut self, switch: &str) {
        let known = self.readings.iter().rposition(|section| section.reading.switch == switch);
        self.current = known.or_else(|| self.begin(switch));
    }

    /// A time that the switch printed: that of its next counters, so it begins a reading once there are counters.
    pub(super) fn time(&mut self, time_ns: u64) {
        self.ensure();
        self.command = self.command.again();
        let has_counters =
            self.current.is_some_and(|at| self.readings[at].kinds.keys().any(|kind| kind.is_counted()));
        if has_counters {
            self.repeat();
        }
        if let Some(section) = self.current.and_then(|at| self.readings.get_mut(at)) {
            section.reading.time_ns = time_ns;
            section.reading.time_is_assumed = false;
        }
    }

    /// A table begins. If the same command printed it before, it begins a new reading. `is_part` says that the table is
    /// one of several of a command: of an ASIC of a switch with several.
    pub(super) fn begin_table(&mut self, kind: Kind, is_part: bool) {
        self.ensure();
        self.table_ports.clear();
        let known = self.current.and_then(|at| self.readings[at].kinds.get(&kind));
        // `show queue counters` prints one table for each port.
        if let Some(known) = known.filter(|_| kind.is_counted() && !kind.is_split_by_port() && !is_part) {
            self.repeated(self.command.repeats(known), "a table");
        } else if let Some(known) = known.filter(|_| is_part)
            && self.command.repeats(known) == Repeat::Reading
        {
            self.repeat();
        }
        let command = self.command.clone();
        if let Some(section) = self.current.and_then(|at| self.readings.get_mut(at)) {
            section.kinds.insert(kind, command);
            section.reading.lacks_watchdog &= kind != Kind::Watchdog;
        }
    }

    /// A row of a port in a table that is split by port. The second table of a port begins a new reading.
    pub(super) fn port(&mut self, kind: Kind, port: &str) {
        self.ensure();
        if !self.table_ports.insert(port.to_string()) {
            return;
        }
        if let Some(known) = self.current.and_then(|at| self.readings[at].ports.get(port)) {
            self.repeated(self.command.repeats(known), port);
        }
        let command = self.command.clone();
        if let Some(section) = self.current.and_then(|at| self.readings.get_mut(at)) {
            section.kinds.insert(kind, command.clone());
            section.ports.insert(port.to_string(), command);
        }
    }

    /// A table, or that of a port, appears again.
    fn repeated(&mut self, repeat: Repeat, what: &str) {
        match repeat {
            Repeat::Addition => {}
            Repeat::Reading => self.repeat(),
            Repeat::Contradiction => {
                self.contradict(format!("{what} appears twice without a command or a date in between"));
                self.repeat();
            }
        }
    }

    /// Adds the neighbours of one table, or of one output of `lldpctl`. Two systems at one port are one cable if one table
    /// names them: NICs send LLDP beside their hosts. Two tables that name different ones are of two switches.
    pub(super) fn add_neighbours(&mut self, neighbours: Vec<LocalNeighbour>) {
        let Some(reading) = self.current() else { return };
        let switch = reading.switch.clone();
        reading.neighbours.extend(neighbours.iter().cloned());
        let mut systems: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for neighbour in neighbours {
            let name = neighbour.system.split('.').next().unwrap_or_default().to_ascii_lowercase();
            systems.entry(neighbour.port).or_default().insert(name);
        }
        for (port, systems) in systems {
            let known = self.cables.entry((switch.clone(), port.clone())).or_insert_with(|| systems.clone());
            if known.is_disjoint(&systems) {
                let name = |systems: &BTreeSet<String>| systems.first().cloned().unwrap_or_default();
                let message = format!(
                    "{port} has neighbour {} in one table and {} in another",
                    name(known),
                    name(&systems)
                );
                self.contradict(message);
                return;
            }
        }
    }

    /// The tables of the current switch are of several switches, or of several times.
    fn contradict(&mut self, message: String) {
        let Some(section) = self.current.and_then(|at| self.readings.get(at)) else { return };
        self.mixed.entry(section.reading.switch.clone()).or_insert(message);
    }

    /// The reading that rows are added to.
    pub(super) fn current(&mut self) -> Option<&mut Reading> {
        self.ensure();
        Some(&mut self.readings.get_mut(self.current?)?.reading)
    }

    fn ensure(&mut self) {
        if self.current.is_none() && !self.is_full {
            self.current = self.begin(self.default_switch.unwrap_or(UNNAMED));
        }
    }

    fn repeat(&mut self) {
        let switch = self.current.map(|at| self.readings[at].reading.switch.clone());
        self.current = switch.and_then(|switch| self.begin(&switch));
    }

    fn begin(&mut self, switch: &str) -> Option<usize> {
        if self.readings.len() >= MAX_READINGS {
            self.is_full = true;
            return None;
        }
        let reading = Reading {
            switch: switch.to_string(),
            time_ns: self.time_ns,
            time_is_assumed: true,
            source: Source::SonicShow,
            lacks_watchdog: true,
            polled: Default::default(),
            ports: Default::default(),
            neighbours: Vec::new(),
            addresses: Vec::new(),
        };
        self.readings.push(Section { reading, kinds: BTreeMap::new(), ports: BTreeMap::new() });
        Some(self.readings.len() - 1)
    }

    /// The readings that have anything. What does not change between readings of a switch (neighbours, aliases, speeds)
    /// is given to all of them, and ports are numbered.
    pub(super) fn finish(self) -> (Vec<Reading>, Vec<Problem>) {
        let mut problems = Vec::new();
        if self.is_full {
            problems.push(Problem::new(format!("more than {MAX_READINGS} readings; the rest is left out")));
        }
        for (switch, message) in &self.mixed {
            problems.push(Problem::new(format!(
                "{switch}: {message}, as if tables of several switches or several times were mixed; all tables of {switch} \
                 are left out; put the prompt (`admin@leaf1:~$`, `leaf1#`) or the command (`ssh leaf1 show ...`) before the \
                 tables of each switch, and `date` before each time"
            )));
        }
        let mixed = self.mixed;
        let is_used = |section: &Section| {
            (!section.kinds.is_empty() || !section.reading.neighbours.is_empty())
                && !mixed.contains_key(&section.reading.switch)
        };
        let mut readings: Vec<Reading> = self
            .readings
            .into_iter()
            .filter(is_used)
            .map(|section| section.reading.with_plain_names())
            .collect();
        if readings.iter().any(|reading| reading.switch == UNNAMED) && self.default_switch.is_none() {
            problems.push(Problem::new(format!(
                "no prompt such as `admin@leaf1:~$` names the switch; it is called `{UNNAMED}`"
            )));
        }
        let names: BTreeSet<String> = readings.iter().map(|reading| reading.switch.clone()).collect();
        for name in names {
            let mut own: Vec<&mut Reading> =
                readings.iter_mut().filter(|reading| reading.switch == name).collect();
            share(&mut own);
            order(&mut own);
        }
        // A reading of its own for what has no counters would be the first of two.
        let mut counted = BTreeSet::new();
        counted.extend(readings.iter().filter(|reading| has_counters(reading)).map(|r| r.switch.clone()));
        readings.retain(|reading| has_counters(reading) || !counted.contains(&reading.switch));
        (readings, problems)
    }
}

fn has_counters(reading: &Reading) -> bool {
    let blank = crate::reading::PriorityReading::default();
    reading.ports.values().any(|port| {
        port.rx_drops.is_some()
            || port.tx_drops.is_some()
            || port.priorities.iter().any(|priority| *priority != blank)
    })
}

/// Gives all readings of a switch the neighbours, aliases and speeds that one of them has.
fn share(readings: &mut [&mut Reading]) {
    let mut neighbours: Vec<LocalNeighbour> = Vec::new();
    for neighbour in readings.iter().flat_map(|reading| &reading.neighbours) {
        if !neighbours.contains(neighbour) {
            neighbours.push(neighbour.clone());
        }
    }
    let mut names: BTreeSet<String> = BTreeSet::new();
    names.extend(readings.iter().flat_map(|reading| reading.ports.keys().cloned()));
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort_by(|a, b| natural::compare(a, b));
    for (name, number) in sorted.into_iter().zip(1..=u16::MAX) {
        let ports = || readings.iter().filter_map(|reading| reading.ports.get(name));
        let alias = ports().find_map(|port| port.alias.clone());
        let speed = ports().find_map(|port| port.speed);
        for port in readings.iter_mut().filter_map(|reading| reading.ports.get_mut(name)) {
            port.alias = port.alias.take().or_else(|| alias.clone());
            port.speed = port.speed.or(speed);
            port.number = Some(number);
        }
    }
    for reading in readings.iter_mut() {
        reading.neighbours.clone_from(&neighbours);
    }
}

/// Readings without a time of their own get times that keep their order.
fn order(readings: &mut [&mut Reading]) {
    let mut last = None;
    for reading in readings.iter_mut() {
        if reading.time_is_assumed
            && let Some(last) = last
            && reading.time_ns <= last
        {
            reading.time_ns = last.saturating_add(1);
        }
        last = Some(reading.time_ns);
    }
}
