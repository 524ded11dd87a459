//! SONiC's databases as text, and the reading that they contain.
//!
//! Tables and fields are those of sonic-swss: `COUNTERS:oid:0x...` hold the counters of an object, and
//! `COUNTERS_PORT_NAME_MAP`, `COUNTERS_QUEUE_NAME_MAP` and `COUNTERS_PG_NAME_MAP` its name. Watermarks are taken from
//! `USER_WATERMARKS`, which `sonic-clear` resets; `COUNTERS` has only the peak of the last poll.

use std::collections::{BTreeMap, BTreeSet};

use model::Rate;

use super::{natural, qos_map::PriorityMaps, switch_state};
use crate::problem::Problem;
use crate::reading::{
    GroupReading, PRIORITIES, PortReading, PriorityReading, QueueReading, Reading, Source, WatchdogReading,
    WatchdogState,
};

/// A database of SONiC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DatabaseName {
    /// What the orchestration agent is to apply: ports, LLDP neighbours.
    Appl,
    /// What the ASIC is to apply.
    Asic,
    /// Counters, watermarks, names of their objects.
    Counters,
    /// The configuration.
    Config,
    /// Which counters are polled, and how often.
    FlexCounter,
    /// The state of ports and of the switch.
    State,
}

impl DatabaseName {
    /// All databases.
    pub const ALL: [DatabaseName; 6] = [
        DatabaseName::Appl,
        DatabaseName::Asic,
        DatabaseName::Counters,
        DatabaseName::Config,
        DatabaseName::FlexCounter,
        DatabaseName::State,
    ];

    /// SONiC's name of the database, e.g. `COUNTERS_DB` (`database_config.json`).
    pub fn name(self) -> &'static str {
        match self {
            DatabaseName::Appl => "APPL_DB",
            DatabaseName::Asic => "ASIC_DB",
            DatabaseName::Counters => "COUNTERS_DB",
            DatabaseName::Config => "CONFIG_DB",
            DatabaseName::FlexCounter => "FLEX_COUNTER_DB",
            DatabaseName::State => "STATE_DB",
        }
    }

    /// The number of the database in Redis (`database_config.json`).
    pub fn number(self) -> i64 {
        match self {
            DatabaseName::Appl => 0,
            DatabaseName::Asic => 1,
            DatabaseName::Counters => 2,
            DatabaseName::Config => 4,
            DatabaseName::FlexCounter => 5,
            DatabaseName::State => 6,
        }
    }

    /// The database with this name, in any case, with or without `_DB`.
    pub fn named(name: &str) -> Option<DatabaseName> {
        let upper = name.to_ascii_uppercase();
        let bare = upper.strip_suffix("_DB").unwrap_or(&upper);
        DatabaseName::ALL.into_iter().find(|known| known.name().strip_suffix("_DB") == Some(bare))
    }
}

/// SONiC's databases as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Databases {
    /// Database to key to field to value. Keys are Redis keys, e.g. `COUNTERS:oid:0x1000000000012`,
    /// `PORT_TABLE:Ethernet0` (APPL_DB) or `PORT|Ethernet0` (CONFIG_DB).
    pub tables: BTreeMap<DatabaseName, BTreeMap<String, BTreeMap<String, String>>>,
}

impl Databases {
    /// Adds a hash; fields of a known key are added to it.
    pub fn add(&mut self, database: DatabaseName, key: impl Into<String>, fields: BTreeMap<String, String>) {
        self.tables.entry(database).or_default().entry(key.into()).or_default().extend(fields);
    }

    /// Adds all hashes of `other`; where both have a field, that of `other` stays.
    pub fn merge(&mut self, other: Databases) {
        for (database, hashes) in other.tables {
            for (key, fields) in hashes {
                self.add(database, key, fields);
            }
        }
    }

    /// The hash with this key.
    pub fn hash(&self, database: DatabaseName, key: &str) -> Option<&BTreeMap<String, String>> {
        self.tables.get(&database)?.get(key)
    }

    /// A field of a hash, without surrounding blanks; `None` if it is empty.
    pub fn value(&self, database: DatabaseName, key: &str, field: &str) -> Option<&str> {
        let value = self.hash(database, key)?.get(field)?.trim();
        Some(value).filter(|value| !value.is_empty())
    }

    /// The hashes whose key starts with `prefix`, with the rest of the key.
    pub(super) fn table<'d>(
        &'d self,
        database: DatabaseName,
        prefix: &'d str,
    ) -> impl Iterator<Item = (&'d str, &'d BTreeMap<String, String>)> {
        let hashes = self.tables.get(&database).into_iter();
        let from = hashes.flat_map(move |hashes| hashes.range(prefix.to_string()..));
        let found = from.map_while(move |(key, fields)| Some((key.strip_prefix(prefix)?, fields)));
        found.filter(|(rest, _)| !rest.is_empty())
    }
}

/// Returns the reading in a switch's databases. `switch` is its name, if the caller knows it; else it is the
/// `hostname` of CONFIG_DB. Counters that a database lacks are `None`; what is malformed is `None` too, and a problem.
pub fn reading(databases: &Databases, switch: Option<&str>, time_ns: u64) -> (Reading, Vec<Problem>) {
    let mut reader = Reader { databases, problems: Vec::new(), malformed: 0 };
    let switch = reader.switch_name(switch);
    let ports = reader.ports();
    let neighbours = switch_state::neighbours(databases, &ports);
    let reading = Reading {
        switch,
        time_ns,
        time_is_assumed: false,
        source: Source::SonicDatabase,
        lacks_watchdog: false,
        ports,
        neighbours,
        addresses: switch_state::addresses(databases),
    };
    (reading.with_plain_names(), reader.finish())
}

/// How many malformed values are listed one by one.
const MAX_LISTED: usize = 20;

/// Reads a switch's databases and collects their problems.
struct Reader<'d> {
    databases: &'d Databases,
    problems: Vec<Problem>,
    malformed: usize,
}

/// The objects of a port: index to object id.
type Objects<'d> = BTreeMap<u8, &'d str>;

impl<'d> Reader<'d> {
    fn finish(mut self) -> Vec<Problem> {
        if self.malformed > MAX_LISTED {
            let more = self.malformed - MAX_LISTED;
            self.problems
                .push(Problem::new(format!("{more} more values are not numbers; they are left out")));
        }
        self.problems
    }

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

    fn ports(&mut self) -> BTreeMap<String, PortReading> {
        let Some(names) = self.databases.hash(DatabaseName::Counters, "COUNTERS_PORT_NAME_MAP") else {
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
        let numbers = switch_state::numbers(self.databases, names.keys());
        let none = Objects::new();
        let mut ports = BTreeMap::new();
        for (name, oid) in names {
            let (queues, groups) =
                (queues.get(name.as_str()).unwrap_or(&none), groups.get(name.as_str()).unwrap_or(&none));
            let mut port = self.port(name, oid, queues, groups);
            port.number = numbers.get(name.as_str()).copied();
            ports.insert(name.clone(), port);
        }
        ports
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

    fn port(&mut self, name: &str, oid: &str, queues: &Objects<'_>, groups: &Objects<'_>) -> PortReading {
        let key = format!("COUNTERS:{oid}");
        let state = switch_state::state_of(self.databases, name);
        let speed = state.speed_mbps.and_then(|text| self.parse(text, &format!("speed of {name}")));
        let maps = PriorityMaps::of(self.databases, name);
        let priority = |reader: &mut Self, priority: usize| {
            let queue = queues.get(&maps.queue_of[priority]).copied();
            let group = groups.get(&maps.group_of[priority]).copied();
            reader.priority(&key, priority, queue, group, maps.pfc_enabled(priority))
        };
        let mut priorities = [PriorityReading::default(); PRIORITIES];
        for (number, slot) in priorities.iter_mut().enumerate() {
            *slot = priority(self, number);
        }
        PortReading {
            alias: state.alias.map(str::to_owned),
            number: None,
            speed: speed.and_then(|mbps: u64| mbps.checked_mul(1_000_000)).map(Rate),
            up: state.up,
            rx_bytes: self.count(&key, "SAI_PORT_STAT_IF_IN_OCTETS"),
            tx_bytes: self.count(&key, "SAI_PORT_STAT_IF_OUT_OCTETS"),
            tx_bytes_per_s: self.rate(oid, "TX_BPS"),
            rx_drops: self.count(&key, "SAI_PORT_STAT_IF_IN_DISCARDS"),
            tx_drops: self.count(&key, "SAI_PORT_STAT_IF_OUT_DISCARDS"),
            rx_errors: self.count(&key, "SAI_PORT_STAT_IF_IN_ERRORS"),
            priorities,
        }
    }

    fn priority(
        &mut self,
        port_key: &str,
        priority: usize,
        queue: Option<&str>,
        group: Option<&str>,
        pfc_enabled: Option<bool>,
    ) -> PriorityReading {
        let mut stat = |suffix: &str| self.count(port_key, &format!("SAI_PORT_STAT_PFC_{priority}_{suffix}"));
        let pause_rx_frames = stat("RX_PKTS");
        let pause_tx_frames = stat("TX_PKTS");
        let pause_rx_us = stat("RX_PAUSE_DURATION_US");
        let pause_tx_us = stat("TX_PAUSE_DURATION_US");
        // Where the ASIC has no duration, the watchdog's script for Broadcom estimates it.
        let estimate = format!("EST_PORT_STAT_PFC_{priority}_RX_PAUSE_DURATION_US");
        let pause_rx_us = pause_rx_us.or_else(|| self.count(port_key, &estimate));
        let in_ns = |us: Option<u64>| us.and_then(|us| us.checked_mul(1_000));
        PriorityReading {
            pause_rx_frames,
            pause_tx_frames,
            pause_rx_ns: in_ns(pause_rx_us),
            pause_tx_ns: in_ns(pause_tx_us),
            pfc_enabled,
            is_paused: queue.and_then(|oid| self.is_paused(oid)),
            queue: queue.map(|oid| self.queue(oid)).unwrap_or_default(),
            group: group.map(|oid| self.group(oid)).unwrap_or_default(),
            watchdog: queue.and_then(|oid| self.watchdog(oid)),
        }
    }

    /// The pause status that the watchdog polls on some ASICs.
    fn is_paused(&self, oid: &str) -> Option<bool> {
        let key = format!("COUNTERS:{oid}");
        match self.databases.value(DatabaseName::Counters, &key, "SAI_QUEUE_ATTR_PAUSE_STATUS")? {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    fn queue(&mut self, oid: &str) -> QueueReading {
        let key = format!("COUNTERS:{oid}");
        QueueReading {
            packets: self.count(&key, "SAI_QUEUE_STAT_PACKETS"),
            bytes: self.count(&key, "SAI_QUEUE_STAT_BYTES"),
            dropped_packets: self.count(&key, "SAI_QUEUE_STAT_DROPPED_PACKETS"),
            ecn_marked_packets: self.count(&key, "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS"),
            watermark_bytes: self.watermark(oid, "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES"),
            occupancy_bytes: self.count(&key, "SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES"),
        }
    }

    fn group(&mut self, oid: &str) -> GroupReading {
        let key = format!("COUNTERS:{oid}");
        GroupReading {
            shared_watermark_bytes: self
                .watermark(oid, "SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES"),
            headroom_watermark_bytes: self
                .watermark(oid, "SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES"),
            dropped_packets: self.count(&key, "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS"),
        }
    }

    /// The watermark since it was cleared: by the operator, else of all time, else of the telemetry interval.
    fn watermark(&mut self, oid: &str, field: &str) -> Option<u64> {
        let tables = ["USER_WATERMARKS", "PERSISTENT_WATERMARKS", "PERIODIC_WATERMARKS", "COUNTERS"];
        tables.iter().find_map(|table| self.count(&format!("{table}:{oid}"), field))
    }

    /// The watchdog's statistics, which orchagent keeps in the hash of the queue.
    fn watchdog(&mut self, oid: &str) -> Option<WatchdogReading> {
        let key = format!("COUNTERS:{oid}");
        let status = self.databases.value(DatabaseName::Counters, &key, "PFC_WD_STATUS");
        let detected = self.count(&key, "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED");
        if status.is_none() && detected.is_none() {
            return None;
        }
        let state = match status {
            Some("stormed") => WatchdogState::Stormed,
            None | Some("operational") => WatchdogState::Operational,
            Some(other) => {
                self.problems.push(Problem::new(format!(
                    "{key}: PFC_WD_STATUS is `{other}`; expected `operational` or `stormed`"
                )));
                WatchdogState::Operational
            }
        };
        Some(WatchdogReading {
            state,
            detected: detected.unwrap_or(0),
            restored: self.count(&key, "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED").unwrap_or(0),
            tx_dropped_packets: self.count(&key, "PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS"),
            rx_dropped_packets: self.count(&key, "PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS"),
        })
    }

    /// A rate that SONiC has computed, a decimal number of bytes a second.
    fn rate(&self, oid: &str, field: &str) -> Option<u64> {
        let text = self.databases.value(DatabaseName::Counters, &format!("RATES:{oid}"), field)?;
        let rate: f64 = text.parse().ok()?;
        (rate.is_finite() && rate >= 0.0).then(|| rate.round() as u64)
    }

    /// A counter. `N/A` stands for a counter that the ASIC does not have.
    fn count(&mut self, key: &str, field: &str) -> Option<u64> {
        let text = self.databases.value(DatabaseName::Counters, key, field)?;
        if text == "N/A" { None } else { self.parse(text, &format!("{key}: {field}")) }
    }

    fn parse(&mut self, text: &str, what: &str) -> Option<u64> {
        let value = text.parse().ok();
        if value.is_none() {
            self.malformed += 1;
            if self.malformed <= MAX_LISTED {
                let shown: String = text.chars().take(40).collect();
                self.problems.push(Problem::new(format!(
                    "{what} is `{shown}`; expected a number from 0 to 2^64 - 1; it is left out"
                )));
            }
        }
        value
    }
}

/// Port names in natural order, each once.
pub(super) fn in_natural_order<'n>(names: impl Iterator<Item = &'n String>) -> Vec<&'n str> {
    let mut names: Vec<&str> = names.map(String::as_str).collect::<BTreeSet<_>>().into_iter().collect();
    names.sort_by(|a, b| natural::compare(a, b));
    names
}
