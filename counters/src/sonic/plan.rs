//! Which fields of COUNTERS_DB a reading consists of, and where each belongs.
//!
//! A plan is made of the names, maps and settings in a switch's databases. It serves a dump once, and a live switch for as
//! long as names and settings are kept: polls then handle numbers only. It has few allocations, because it outlives the
//! databases: each would keep a page of them in use.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

use model::Rate;

use super::counter::{self, Counter, Malformed};
use super::database::{DatabaseName, Databases};
use super::flex_counter::Polled;
use super::qos_map::PriorityMaps;
use super::show::MAX_PORTS;
use super::switch_state;
use crate::problem::Problem;
use crate::reading::{PRIORITIES, PortReading, Reading, Source};

/// The tables with watermarks, the preferred first: since an operator cleared them, of all time, of the telemetry interval,
/// of the last poll.
const WATERMARK_TABLES: [&str; 4] =
    ["USER_WATERMARKS", "PERSISTENT_WATERMARKS", "PERIODIC_WATERMARKS", COUNTERS];
/// The table with the counters.
const COUNTERS: &str = "COUNTERS";
/// The table with the rates that SONiC computes.
const RATES: &str = "RATES";
/// The tables that a poll reads.
const POLLED_TABLES: [&str; 2] = ["USER_WATERMARKS", COUNTERS];

/// The fields that a reading consists of, and all of the reading except their values.
#[derive(Clone, Debug)]
pub struct Plan {
    reading: Reading,
    hashes: Vec<Hash>,
    /// The places of all hashes, one after the other.
    places: Vec<Place>,
    problems: Vec<Problem>,
}

/// The counters of one hash of COUNTERS_DB.
#[derive(Clone, Debug)]
struct Hash {
    table: &'static str,
    oid: ObjectId,
    /// Whether it is a port, or of a priority that may be lossless.
    is_polled: bool,
    /// Which of the places of the plan it has.
    places: Range<usize>,
}

/// The id of an object.
#[derive(Clone, Debug)]
enum ObjectId {
    /// As SONiC writes it, `oid:0x1000000000012`.
    Number(u64),
    /// Any other.
    Text(Box<str>),
}

impl ObjectId {
    fn of(text: &str) -> ObjectId {
        let number = text.strip_prefix("oid:0x").and_then(|hex| u64::from_str_radix(hex, 16).ok());
        let number = number.map(ObjectId::Number).filter(|number| number.to_string() == text);
        number.unwrap_or_else(|| ObjectId::Text(text.into()))
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ObjectId::Number(number) => write!(f, "oid:{number:#x}"),
            ObjectId::Text(text) => f.write_str(text),
        }
    }
}

/// Where the value of a field belongs.
#[derive(Clone, Copy, Debug)]
struct Place {
    counter: Counter,
    /// The position of the port among the ports of the reading.
    port: u16,
    priority: u8,
}

/// Values of fields. Not generic, so that what runs for each of them is compiled with this crate, for speed.
pub type Values<'i, 'v> = dyn Iterator<Item = Option<&'v [u8]>> + 'i;

/// The objects of a port: index to object id.
type Objects<'d> = BTreeMap<u8, &'d str>;

impl Plan {
    /// The plan for a switch's databases. `switch` is its name, if the caller knows it; else it is the `hostname` of
    /// CONFIG_DB.
    pub fn new(databases: &Databases, switch: Option<&str>) -> Plan {
        let polled = Polled::of(databases);
        let (hashes, places, problems) = (Vec::new(), Vec::new(), polled.problems().collect());
        let mut planner = Planner { databases, polled, hashes, places, problems };
        let switch = planner.switch_name(switch);
        let ports = planner.ports();
        let neighbours = switch_state::neighbours(databases, &ports);
        let reading = Reading {
            switch,
            time_ns: 0,
            time_is_assumed: false,
            source: Source::SonicDatabase,
            lacks_watchdog: false,
            ports,
            neighbours,
            addresses: switch_state::addresses(databases),
            polled: planner.polled.intervals(),
        };
        let Planner { hashes, places, problems, .. } = planner;
        Plan { reading: reading.with_plain_names(), hashes, places, problems }
    }

    /// The part that a monitor polls: ports, and the queues and priority groups of priorities with PFC; without a
    /// configuration of PFC, of all priorities.
    #[must_use]
    pub fn for_polls(mut self) -> Plan {
        self.keep(|hash, _| hash.is_polled && POLLED_TABLES.contains(&hash.table));
        self
    }

    /// Keeps the places for which `is_kept`, in their order, and the hashes that have any.
    fn keep(&mut self, mut is_kept: impl FnMut(&Hash, &Place) -> bool) {
        let mut places = Vec::new();
        for hash in &mut self.hashes {
            let from = places.len();
            let own = self.places.get(hash.places.clone()).unwrap_or_default();
            places.extend(own.iter().filter(|place| is_kept(hash, place)));
            hash.places = from..places.len();
        }
        places.shrink_to_fit();
        self.places = places;
        self.hashes.retain(|hash| !hash.places.is_empty());
        self.hashes.shrink_to_fit();
    }

    fn places_of(&self, hash: &Hash) -> &[Place] {
        self.places.get(hash.places.clone()).unwrap_or_default()
    }

    /// The keys of the hashes to read, with the fields of each.
    pub fn hashes(&self) -> impl Iterator<Item = (String, impl Iterator<Item = Cow<'static, str>>)> {
        self.hashes.iter().map(|hash| {
            (hash.key(), self.places_of(hash).iter().map(|place| place.counter.field(place.priority)))
        })
    }

    /// The reading of these values, one for each field in the order of [`Plan::hashes`]; `None` where the database has no
    /// such field. What is malformed counts as missing, and is a problem.
    pub fn reading<'v>(&self, time_ns: u64, values: &mut Values<'_, 'v>) -> (Reading, Vec<Problem>) {
        self.filled(self.reading.clone(), time_ns, values)
    }

    /// As [`Plan::reading`], in the memory of an earlier reading of this plan: a monitor would request and return that of
    /// hundreds of texts with every poll.
    pub fn reading_in<'v>(
        &self,
        mut earlier: Reading,
        time_ns: u64,
        values: &mut Values<'_, 'v>,
    ) -> (Reading, Vec<Problem>) {
        earlier.take_counters_of(&self.reading);
        self.filled(earlier, time_ns, values)
    }

    fn filled(
        &self,
        mut reading: Reading,
        time_ns: u64,
        values: &mut Values<'_, '_>,
    ) -> (Reading, Vec<Problem>) {
        reading.time_ns = time_ns;
        let mut ports: Vec<&mut PortReading> = reading.ports.values_mut().collect();
        let mut malformed = Malformed::default();
        for hash in &self.hashes {
            // All values are taken, so that each place gets its own.
            for (place, value) in self.places_of(hash).iter().zip(&mut *values) {
                let (Some(value), Some(port)) = (value, ports.get_mut(usize::from(place.port))) else {
                    continue;
                };
                let value = value.trim_ascii();
                match place.counter.parse(value) {
                    Ok(Some(value)) => place.counter.set(port, place.priority, value),
                    Ok(None) => {}
                    Err(expected) => {
                        let what = || format!("{}: {}", hash.key(), place.counter.field(place.priority));
                        malformed.note(what, &String::from_utf8_lossy(value), expected);
                    }
                }
            }
        }
        let mut problems = self.problems.clone();
        problems.extend(malformed.into_problems());
        (reading, problems)
    }

    /// Leaves out the fields that the switch does not have, by the answer to all fields: `is_known` says of each whether it
    /// has a value. A hash without any value may appear later, and keeps its fields. Of a watermark in several tables, the
    /// preferred one that the switch has stays.
    pub fn narrow(&mut self, is_known: &[bool]) {
        let has_any = |hash: &Hash| {
            let own = is_known.get(hash.places.clone());
            own.is_some_and(|own| own.contains(&true))
        };
        let mut known = is_known.iter();
        let mut found: BTreeSet<(u8, u16, u8)> = BTreeSet::new();
        self.keep(|hash, place| {
            let is_known = known.next() == Some(&true);
            let mut is_first = || {
                let is_watermark = place.counter.is_watermark();
                !is_watermark || found.insert((place.counter as u8, place.port, place.priority))
            };
            !has_any(hash) || is_known && is_first()
        });
    }
}

impl Hash {
    fn key(&self) -> String {
        format!("{}:{}", self.table, self.oid)
    }
}

/// Makes a plan of a switch's databases, and collects their problems.
struct Planner<'d> {
    databases: &'d Databases,
    polled: Polled,
    hashes: Vec<Hash>,
    places: Vec<Place>,
    problems: Vec<Problem>,
}

impl<'d> Planner<'d> {
    fn switch_name(&mut self, given: Option<&str>) -> String {
        let configured =
            || self.databases.value(DatabaseName::Config, "DEVICE_METADATA|localhost", "hostname");
        match given.or_else(configured) {
            Some(name) => name.to_string(),
            None => {
                self.problems.push(Problem::new(
                    "the switch's name is unknown: CONFIG_DB has no DEVICE_METADATA|localhost with a `hostname`; \
                     it is called `switch`",
                ));
                "switch".to_string()
            }
        }
    }

    /// The ports without their counters. Adds the hashes of their counters.
    fn ports(&mut self) -> BTreeMap<String, PortReading> {
        let databases = self.databases;
        let Some(names) = databases.hash(DatabaseName::Counters, "COUNTERS_PORT_NAME_MAP") else {
            self.problems.push(Problem::new(
                "COUNTERS_DB has no COUNTERS_PORT_NAME_MAP: expected a dump of a switch whose counters are polled \
                 (`counterpoll port enable`)",
            ));
            return BTreeMap::new();
        };
        let port_of: BTreeMap<&str, &str> =
            names.iter().map(|(name, oid)| (oid.as_str(), name.as_str())).collect();
        let queues = self.objects(
            "COUNTERS_QUEUE_NAME_MAP",
            "COUNTERS_QUEUE_PORT_MAP",
            "COUNTERS_QUEUE_INDEX_MAP",
            &port_of,
        );
        let groups =
            self.objects("COUNTERS_PG_NAME_MAP", "COUNTERS_PG_PORT_MAP", "COUNTERS_PG_INDEX_MAP", &port_of);
        let numbers = switch_state::numbers(databases, names.keys());
        let none = Objects::new();
        let mut ports = Vec::with_capacity(names.len());
        if names.len() > MAX_PORTS {
            self.problems.push(Problem::new(format!(
                "COUNTERS_PORT_NAME_MAP has {} ports; the first {MAX_PORTS} are read",
                names.len()
            )));
        }
        for ((name, oid), position) in names.iter().take(MAX_PORTS).zip(0..) {
            let maps = PriorityMaps::of(databases, name);
            self.add_port(oid, position);
            let (queues, groups) =
                (queues.get(name.as_str()).unwrap_or(&none), groups.get(name.as_str()).unwrap_or(&none));
            self.add_queues_and_groups(&maps, queues, groups, position);
            let mut port = self.port(name, &maps);
            port.number = numbers.get(name.as_str()).copied();
            ports.push((name.clone(), port));
        }
        // Made of all of them at once, the map has no half-empty nodes, and neither have its copies, the readings.
        ports.into_iter().collect()
    }

    /// A port without counters.
    fn port(&mut self, name: &str, maps: &PriorityMaps) -> PortReading {
        let state = switch_state::state_of(self.databases, name);
        let speed = state.speed_mbps.and_then(|text| {
            let mbps = text.parse::<u64>().ok();
            if mbps.is_none() {
                self.problems.push(Problem::new(format!(
                    "the speed of {name} is `{text}`; expected a number of Mb/s; it is left out"
                )));
            }
            mbps?.checked_mul(1_000_000)
        });
        let mut port = PortReading {
            alias: state.alias.map(str::to_owned),
            speed: speed.map(Rate),
            up: state.up,
            ..PortReading::default()
        };
        for (priority, of) in port.priorities.iter_mut().enumerate() {
            of.pfc_enabled = maps.pfc_enabled(priority);
        }
        port
    }

    /// The queues or priority groups of all ports. The name map gives `Ethernet0:3`; where the maps of ports and indexes
    /// know the object, they are used. Multicast queues are left out: PFC is about unicast.
    fn objects(
        &mut self,
        name_map: &str,
        port_map: &str,
        index_map: &str,
        port_of: &BTreeMap<&str, &'d str>,
    ) -> BTreeMap<&'d str, Objects<'d>> {
        let counters = DatabaseName::Counters;
        let mut objects: BTreeMap<&str, Objects<'_>> = BTreeMap::new();
        for (name, oid) in self.databases.hash(counters, name_map).into_iter().flatten() {
            let kind = self.databases.value(counters, "COUNTERS_QUEUE_TYPE_MAP", oid);
            if kind == Some("SAI_QUEUE_TYPE_MULTICAST") {
                continue;
            }
            let named = name.rsplit_once(':');
            let port =
                self.databases.value(counters, port_map, oid).and_then(|port| port_of.get(port).copied());
            let index = self.databases.value(counters, index_map, oid).or(named.map(|(_, index)| index));
            let Some(port) = port.or(named.map(|(port, _)| port)) else {
                self.problems.push(Problem::new(format!(
                    "{name_map}: `{name}` is not a port with an index, as `Ethernet0:3`; it is left out"
                )));
                continue;
            };
            match index.and_then(|text| text.trim().parse::<u8>().ok()) {
                Some(index) => {
                    objects.entry(port).or_default().insert(index, oid);
                }
                None => self.problems.push(Problem::new(format!(
                    "{name_map}: the index of `{name}` is not a number; it is left out"
                ))),
            }
        }
        objects
    }

    fn add_port(&mut self, oid: &str, port: u16) {
        let place = |counter, priority| Place { counter, port, priority };
        let mut places: Vec<Place> = counter::OF_PORT.map(|counter| place(counter, 0)).into();
        for priority in 0..PRIORITIES as u8 {
            places.extend(counter::OF_PRIORITY.map(|counter| place(counter, priority)));
        }
        self.add(COUNTERS, oid, true, places);
        self.add(RATES, oid, true, vec![place(Counter::TxRate, 0)]);
    }

    fn add_queues_and_groups(
        &mut self,
        maps: &PriorityMaps,
        queues: &Objects<'d>,
        groups: &Objects<'d>,
        port: u16,
    ) {
        for (priority, number) in (0..PRIORITIES).zip(0..) {
            let place = |counter: &Counter| Place { counter: *counter, port, priority: number };
            let is_polled = maps.pfc_enabled(priority) != Some(false);
            let queue = queues.get(&maps.queue_of[priority]);
            let group = groups.get(&maps.group_of[priority]);
            let objects: [(_, &[Counter], &[Counter]); 2] = [
                (queue, &counter::OF_QUEUE, &counter::QUEUE_WATERMARKS),
                (group, &counter::OF_GROUP, &counter::GROUP_WATERMARKS),
            ];
            for (oid, counters, watermarks) in objects {
                let Some(oid) = oid else { continue };
                for table in WATERMARK_TABLES {
                    let own: &[Counter] = if table == COUNTERS { counters } else { &[] };
                    let places = own.iter().chain(watermarks).map(place).collect();
                    self.add(table, oid, is_polled, places);
                }
            }
        }
    }

    /// Adds a hash with its counters, except those that the switch does not poll.
    fn add(&mut self, table: &'static str, oid: &str, is_polled: bool, places: Vec<Place>) {
        let from = self.places.len();
        self.places.extend(places.into_iter().filter(|place| !self.polled.lacks(place.counter)));
        let places = from..self.places.len();
        self.hashes.push(Hash { table, oid: ObjectId::of(oid), is_polled, places });
    }
}
