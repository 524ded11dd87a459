//! The tables beside the counters: ports, neighbours, PFC and polling in CONFIG_DB, APPL_DB, STATE_DB and
//! FLEX_COUNTER_DB.

use model::Time;
use p4_switch::tm::CLASSES;

use super::buffers;
use super::databases::{Database, SonicDatabases, action, alias, port_name};
use super::polling::SHORTEST_WATERMARK_INTERVAL;
use super::switch_counters::{PortCounters, SwitchCounters};

/// The version of the schema (`db_migrator.py`), that of branch 202505.
const SCHEMA_VERSION: &str = "version_202505_01";
/// Speed of ports without a link, in Mb/s.
const UNUSED_SPEED_MBPS: u64 = 100_000;

pub(super) fn add(databases: &mut SonicDatabases, counters: &SwitchCounters) {
    let text = |text: &str| text.to_string();
    databases.add(Database::Config, "VERSIONS|DATABASE", [("VERSION", text(SCHEMA_VERSION))]);
    let metadata = [
        ("hostname", counters.switch.clone()),
        ("platform", text("x86_64-mlnx_msn3700-r0")),
        ("hwsku", text("ACS-MSN3700")),
        ("type", text("LeafRouter")),
    ];
    databases.add(Database::Config, "DEVICE_METADATA|localhost", metadata);
    buffers::add(databases, &counters.buffers);
    for port in &counters.ports {
        add_port(databases, port);
        add_neighbour(databases, port);
        add_pfc(databases, port);
    }
}

/// The groups of counters that syncd polls: their names in CONFIG_DB and FLEX_COUNTER_DB, and whether they are watermarks, which
/// reading clears (sonic-swss, `flexcounterorch.cpp`, `portsorch.h`, `pfcwdorch.h`).
const POLLED_GROUPS: [(&str, &str, bool); 6] = [
    ("PORT", "PORT_STAT_COUNTER", false),
    ("QUEUE", "QUEUE_STAT_COUNTER", false),
    ("QUEUE_WATERMARK", "QUEUE_WATERMARK_STAT_COUNTER", true),
    ("PG_WATERMARK", "PG_WATERMARK_STAT_COUNTER", true),
    ("PG_DROP", "PG_DROP_STAT_COUNTER", false),
    ("PFCWD", "PFC_WD", false),
];

/// What is polled at `interval`, as configured and as syncd does it.
pub(super) fn add_polling(databases: &mut SonicDatabases, interval: Time) {
    for (configured, running, is_watermark) in POLLED_GROUPS {
        let interval = if is_watermark { interval.max(SHORTEST_WATERMARK_INTERVAL) } else { interval };
        let mode = if is_watermark { "STATS_MODE_READ_AND_CLEAR" } else { "STATS_MODE_READ" };
        let enabled = [
            ("FLEX_COUNTER_STATUS", "enable".to_string()),
            ("POLL_INTERVAL", (interval.as_ns() / 1_000_000).to_string()),
        ];
        databases.add(Database::Config, format!("FLEX_COUNTER_TABLE|{configured}"), enabled.clone());
        let group = format!("FLEX_COUNTER_GROUP_TABLE:{running}");
        databases.add(Database::FlexCounter, group.clone(), enabled);
        databases.add(Database::FlexCounter, group, [("STATS_MODE", mode.to_string())]);
    }
}

fn add_port(databases: &mut SonicDatabases, port: &PortCounters) {
    let name = port_name(port.number);
    let first_lane = 4 * u32::from(port.number.saturating_sub(1));
    let lanes: Vec<String> = (first_lane..first_lane + 4).map(|lane| lane.to_string()).collect();
    let speed = port.rate.map_or(UNUSED_SPEED_MBPS, |rate| rate.0 / 1_000_000);
    let status = |up: bool| if up { "up" } else { "down" }.to_string();
    let configured = [
        ("alias", alias(port.number)),
        ("index", port.number.to_string()),
        ("lanes", lanes.join(",")),
        ("speed", speed.to_string()),
        ("mtu", "9100".to_string()),
        ("pfc_asym", "off".to_string()),
        ("admin_status", status(port.rate.is_some())),
    ];
    databases.add(Database::Config, format!("PORT|{name}"), configured.clone());
    let applied = configured.into_iter().chain([("oper_status", status(port.is_up))]);
    databases.add(Database::Appl, format!("PORT_TABLE:{name}"), applied);
    let state = [("netdev_oper_status", status(port.is_up)), ("state", "ok".to_string())];
    databases.add(Database::State, format!("PORT_TABLE|{name}"), state);
}

/// The neighbour, as configured and as LLDP finds it. A SONiC switch announces the alias of its port as a locally
/// assigned port id (subtype 7 of IEEE 802.1AB), a host with `lldpd` the name of its interface (subtype 5).
fn add_neighbour(databases: &mut SonicDatabases, port: &PortCounters) {
    let Some(peer) = &port.peer else { return };
    let (name, system) = (port_name(port.number), peer.switch.clone());
    let (remote, id, subtype) = match port.is_peer_host {
        true => ("eth0".to_string(), "eth0".to_string(), "5"),
        false => (port_name(peer.port), alias(peer.port), "7"),
    };
    let configured = [("name", system.clone()), ("port", remote.clone())];
    databases.add(Database::Config, format!("DEVICE_NEIGHBOR|{name}"), configured);
    let kind = if port.is_peer_host { "Server" } else { "LeafRouter" }.to_string();
    databases.add(Database::Config, format!("DEVICE_NEIGHBOR_METADATA|{system}"), [("type", kind)]);
    if !port.is_up {
        return;
    }
    let found = [
        ("lldp_rem_sys_name", system),
        ("lldp_rem_port_id", id),
        ("lldp_rem_port_id_subtype", subtype.to_string()),
        ("lldp_rem_port_desc", remote),
        ("lldp_rem_index", port.number.to_string()),
    ];
    databases.add(Database::Appl, format!("LLDP_ENTRY_TABLE:{name}"), found);
}

/// Lossless priorities, their queues, and the watchdog.
fn add_pfc(databases: &mut SonicDatabases, port: &PortCounters) {
    let name = port_name(port.number);
    let priorities = (0..CLASSES).filter(|priority| port.lossless >> priority & 1 == 1);
    let priorities: Vec<String> = priorities.map(|priority| priority.to_string()).collect();
    if priorities.is_empty() {
        return;
    }
    let mut fields = vec![("pfc_enable", priorities.join(",")), ("pfcwd_sw_enable", priorities.join(","))];
    let is_identity =
        port.paused_queue.iter().enumerate().all(|(priority, queue)| priority == usize::from(*queue));
    if !is_identity {
        let map = format!("port{}", port.number);
        let names: Vec<String> = (0..CLASSES).map(|priority| priority.to_string()).collect();
        let queues =
            names.iter().zip(port.paused_queue).map(|(name, queue)| (name.as_str(), queue.to_string()));
        databases.add(Database::Config, format!("MAP_PFC_PRIORITY_TO_QUEUE|{map}"), queues);
        fields.push(("pfc_to_queue_map", map));
    }
    databases.add(Database::Config, format!("PORT_QOS_MAP|{name}"), fields);
    if let Some(watchdog) = port.watchdog {
        let millis = |time: Time| (time.as_ns() / 1_000_000).to_string();
        let mut settings = vec![
            ("action", action(watchdog.action).to_string()),
            ("detection_time", millis(watchdog.detection)),
        ];
        settings.extend(watchdog.restoration.map(|time| ("restoration_time", millis(time))));
        databases.add(Database::Config, format!("PFC_WD|{name}"), settings);
    }
}
