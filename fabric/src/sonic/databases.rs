//! The counters of a switch in the tables of COUNTERS_DB.

use std::collections::BTreeMap;

use p4_switch::tm::{CLASSES, Watchdog, WatchdogAction};
use serde_json::{Map, Value, json};

use super::asic::Asic;
use super::configuration;
use super::polling::Reading;
use super::switch_counters::{ClassCounters, PeakBytes, PortCounters};

/// Fields of a hash.
pub(super) type Fields = BTreeMap<String, String>;
/// The hashes of a database, by their keys.
pub(super) type Hashes = BTreeMap<String, Fields>;

/// A database of SONiC, with its number in Redis (`database_config.json`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Database {
    /// APPL_DB: ports and LLDP neighbours.
    Appl,
    /// COUNTERS_DB.
    Counters,
    /// CONFIG_DB.
    Config,
    /// FLEX_COUNTER_DB: what is polled, and how often.
    FlexCounter,
    /// STATE_DB.
    State,
}

impl Database {
    /// SONiC's name of the database.
    pub fn name(self) -> &'static str {
        match self {
            Database::Appl => "APPL_DB",
            Database::Counters => "COUNTERS_DB",
            Database::Config => "CONFIG_DB",
            Database::FlexCounter => "FLEX_COUNTER_DB",
            Database::State => "STATE_DB",
        }
    }

    /// Its number in Redis.
    pub fn number(self) -> u8 {
        match self {
            Database::Appl => 0,
            Database::Counters => 2,
            Database::Config => 4,
            Database::FlexCounter => 5,
            Database::State => 6,
        }
    }
}

/// The databases of a switch: hashes of text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SonicDatabases(pub BTreeMap<Database, Hashes>);

impl SonicDatabases {
    /// Adds fields to a hash.
    pub(super) fn add<'f>(
        &mut self,
        database: Database,
        key: impl Into<String>,
        fields: impl IntoIterator<Item = (&'f str, String)>,
    ) {
        let hash = self.0.entry(database).or_default().entry(key.into()).or_default();
        hash.extend(fields.into_iter().map(|(name, value)| (name.to_string(), value)));
    }

    /// A database as `redis-dump` writes it, and SONiC's `show techsupport` and `sonic-db-dump` with it.
    pub fn dump(&self, database: Database) -> Value {
        let hashes = self.0.get(&database).into_iter().flatten();
        let entry = |(key, fields): (&String, &Fields)| {
            (key.clone(), json!({ "expireat": 0.0, "ttl": -0.001, "type": "hash", "value": fields }))
        };
        Value::Object(hashes.map(entry).collect::<Map<String, Value>>())
    }
}

/// SONiC's name of a port: four lanes a port.
pub fn port_name(number: u16) -> String {
    format!("Ethernet{}", 4 * number.saturating_sub(1))
}

/// The name on the front panel, as on Spectrum.
pub(super) fn alias(number: u16) -> String {
    format!("etp{number}")
}

/// Writes the counters of a switch as a SONiC switch with its ASIC does. A watermark that the ASIC has not
/// delivered yet is 0.
pub fn databases(reading: &Reading) -> SonicDatabases {
    let mut databases = SonicDatabases::default();
    let counters = &reading.counters;
    configuration::add(&mut databases, counters);
    configuration::add_polling(&mut databases, reading.interval);
    for port in &counters.ports {
        add_port(&mut databases, reading.asic, port);
        for class in 0..CLASSES as u16 {
            add_queue(&mut databases, reading.asic, port, class);
            add_group(&mut databases, reading.asic, port, class);
        }
    }
    databases
}

/// The SAI object id: the type in the upper bits (`SAI_OBJECT_TYPE_PORT` is 1, of a queue 21, of a priority group 26).
fn object_id(object_type: u64, index: u64) -> String {
    format!("oid:0x{:x}", object_type << 48 | index)
}

const OBJECT_PORT: u64 = 0x1;
const OBJECT_QUEUE: u64 = 0x15;
const OBJECT_GROUP: u64 = 0x1a;
/// Index of the first front-panel port; lower ones are of the CPU and of the switch itself.
const FIRST_OBJECT: u64 = 0x11;

fn port_id(port: &PortCounters) -> String {
    object_id(OBJECT_PORT, FIRST_OBJECT + u64::from(port.number))
}

fn class_id(object_type: u64, port: &PortCounters, class: u16) -> String {
    object_id(object_type, FIRST_OBJECT + u64::from(port.number) * CLASSES as u64 + u64::from(class))
}

fn add_port(databases: &mut SonicDatabases, asic: Asic, port: &PortCounters) {
    let id = port_id(port);
    let name = port_name(port.number);
    databases.add(Database::Counters, "COUNTERS_PORT_NAME_MAP", [(name.as_str(), id.clone())]);
    let counts = [
        ("SAI_PORT_STAT_IF_IN_OCTETS", port.rx_bytes),
        ("SAI_PORT_STAT_IF_IN_UCAST_PKTS", port.rx_packets),
        ("SAI_PORT_STAT_IF_IN_NON_UCAST_PKTS", 0),
        ("SAI_PORT_STAT_IF_IN_DISCARDS", port.rx_discards),
        ("SAI_PORT_STAT_IF_IN_ERRORS", port.rx_errors),
        ("SAI_PORT_STAT_IF_OUT_OCTETS", port.tx_bytes),
        ("SAI_PORT_STAT_IF_OUT_UCAST_PKTS", port.tx_packets),
        ("SAI_PORT_STAT_IF_OUT_NON_UCAST_PKTS", 0),
        ("SAI_PORT_STAT_IF_OUT_DISCARDS", port.tx_discards),
        ("SAI_PORT_STAT_IF_OUT_ERRORS", 0),
    ];
    let mut fields: Fields =
        counts.into_iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    for (priority, class) in port.classes.iter().enumerate() {
        let mut stat = |name: &str, value: u64| {
            fields.insert(format!("SAI_PORT_STAT_PFC_{priority}_{name}"), value.to_string());
        };
        stat("RX_PKTS", class.pfc_rx_frames);
        stat("TX_PKTS", class.pfc_tx_frames);
        // The watchdog polls it, so that it exists on ports with lossless priorities.
        match asic {
            _ if port.lossless == 0 => {}
            Asic::Spectrum => stat("RX_PAUSE_DURATION_US", class.paused.as_ns() / 1_000),
            Asic::Tomahawk => stat("ON2OFF_RX_PKTS", class.pauses_begun),
        }
    }
    let fields = fields.iter().map(|(name, value)| (name.as_str(), value.clone()));
    databases.add(Database::Counters, format!("COUNTERS:{id}"), fields);
}

fn add_queue(databases: &mut SonicDatabases, asic: Asic, port: &PortCounters, number: u16) {
    let id = class_id(OBJECT_QUEUE, port, number);
    let name = format!("{}:{number}", port_name(port.number));
    let counters = Database::Counters;
    databases.add(counters, "COUNTERS_QUEUE_NAME_MAP", [(name.as_str(), id.clone())]);
    databases.add(counters, "COUNTERS_QUEUE_PORT_MAP", [(id.as_str(), port_id(port))]);
    databases.add(counters, "COUNTERS_QUEUE_INDEX_MAP", [(id.as_str(), number.to_string())]);
    databases.add(counters, "COUNTERS_QUEUE_TYPE_MAP", [(id.as_str(), "SAI_QUEUE_TYPE_UNICAST".to_string())]);
    let Some(class) = port.classes.get(usize::from(number)) else { return };
    let queue = class.queue;
    let key = format!("COUNTERS:{id}");
    let counts = [
        ("SAI_QUEUE_STAT_PACKETS", queue.packets),
        ("SAI_QUEUE_STAT_BYTES", queue.bytes),
        ("SAI_QUEUE_STAT_DROPPED_PACKETS", queue.dropped_packets),
        ("SAI_QUEUE_STAT_DROPPED_BYTES", queue.dropped_bytes),
        ("SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS", queue.ecn_marked_packets),
    ];
    databases.add(counters, key.clone(), counts.map(|(name, value)| (name, value.to_string())));
    add_watermarks(databases, asic, &id, &[("SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES", queue.shared)]);
    if port.lossless >> number & 1 == 1 {
        // Polled for the watchdog.
        let occupancy = cells(asic, queue.occupancy_bytes).to_string();
        databases.add(counters, key.clone(), [("SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES", occupancy)]);
        if asic == Asic::Tomahawk {
            databases.add(
                counters,
                key.clone(),
                [("SAI_QUEUE_ATTR_PAUSE_STATUS", class.is_paused.to_string())],
            );
        }
    }
    let watchdog = port.watchdog.filter(|watchdog| watchdog.priorities >> number & 1 == 1);
    if let Some(settings) = watchdog {
        databases.add(counters, key, watchdog_fields(&settings, class));
    }
}

fn watchdog_fields(settings: &Watchdog, class: &ClassCounters) -> Vec<(&'static str, String)> {
    let micros = |time: model::Time| (time.as_ns() / 1_000).to_string();
    let (counted, queue) = (class.watchdog, class.queue);
    let status = if counted.is_stormed { "stormed" } else { "operational" };
    let mut fields = vec![
        ("PFC_WD_STATUS", status.to_string()),
        ("PFC_WD_ACTION", action(settings.action).to_string()),
        ("PFC_WD_DETECTION_TIME", micros(settings.detection)),
        ("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", counted.detected.to_string()),
        ("PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED", counted.restored.to_string()),
        ("PFC_WD_QUEUE_STATS_TX_PACKETS", queue.packets.to_string()),
        ("PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS", counted.tx_dropped_packets.to_string()),
        ("PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS", counted.rx_dropped_packets.to_string()),
        ("SAI_QUEUE_ATTR_PAUSE_STATUS", class.is_paused.to_string()),
    ];
    // Without a restoration time, the hash has an empty field.
    fields.push(("PFC_WD_RESTORATION_TIME", settings.restoration.map_or_else(String::new, micros)));
    fields
}

/// SONiC's name of a watchdog action.
pub(super) fn action(action: WatchdogAction) -> &'static str {
    match action {
        WatchdogAction::Drop => "drop",
        WatchdogAction::Forward => "forward",
        WatchdogAction::Alert => "alert",
    }
}

fn add_group(databases: &mut SonicDatabases, asic: Asic, port: &PortCounters, number: u16) {
    let id = class_id(OBJECT_GROUP, port, number);
    let name = format!("{}:{number}", port_name(port.number));
    let counters = Database::Counters;
    databases.add(counters, "COUNTERS_PG_NAME_MAP", [(name.as_str(), id.clone())]);
    databases.add(counters, "COUNTERS_PG_PORT_MAP", [(id.as_str(), port_id(port))]);
    databases.add(counters, "COUNTERS_PG_INDEX_MAP", [(id.as_str(), number.to_string())]);
    let Some(class) = port.classes.get(usize::from(number)) else { return };
    let dropped =
        ("SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS", class.group.dropped_packets.to_string());
    databases.add(counters, format!("COUNTERS:{id}"), [dropped]);
    let watermarks = [
        ("SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES", class.group.shared),
        ("SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES", class.group.headroom),
    ];
    add_watermarks(databases, asic, &id, &watermarks);
}

/// The watermarks of an object: that of the last poll, and the maxima of all polls. They are equal unless an operator
/// clears one of them.
fn add_watermarks(databases: &mut SonicDatabases, asic: Asic, id: &str, peaks: &[(&str, PeakBytes)]) {
    let tables = [
        ("COUNTERS", false),
        ("PERIODIC_WATERMARKS", true),
        ("PERSISTENT_WATERMARKS", true),
        ("USER_WATERMARKS", true),
    ];
    for (table, is_of_all_polls) in tables {
        let bytes = |peak: PeakBytes| if is_of_all_polls { peak.all_polls } else { peak.last_poll };
        let fields = peaks.iter().map(|(name, peak)| (*name, cells(asic, bytes(*peak)).to_string()));
        databases.add(Database::Counters, format!("{table}:{id}"), fields);
    }
}

/// Bytes in whole cells.
fn cells(asic: Asic, bytes: u64) -> u64 {
    bytes.div_ceil(asic.cell_bytes()) * asic.cell_bytes()
}
