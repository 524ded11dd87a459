//! SONiC's databases over gNMI: what the server answers is what the client reads. The paths and the form of the values are
//! those of sonic-gnmi; the client is also tested with values written down here, and the server by other clients
//! (`gnmi/tests/subscribe.rs`).

use std::collections::{BTreeMap, BTreeSet};

use counters::sonic::gnmi::{COUNTER_PATHS, SETTING_PATHS, absorb, answer, config_hashes};
use counters::sonic::{DatabaseName, Databases, parse_dump, reading};
use proptest::prelude::*;

const COUNTERS: &str = include_str!("fixtures/COUNTERS_DB.json");
const APPL: &str = include_str!("fixtures/APPL_DB.json");
const CONFIG: &str = include_str!("fixtures/CONFIG_DB.json");

fn leaf1() -> Databases {
    let mut all = Databases::default();
    for (text, name) in [(COUNTERS, "COUNTERS_DB"), (APPL, "APPL_DB"), (CONFIG, "CONFIG_DB")] {
        all.merge(parse_dump(text, DatabaseName::named(name)).0);
    }
    all
}

fn elements(path: &str) -> Vec<String> {
    path.split('/').map(str::to_owned).collect()
}

/// All paths that the switch has, read one after the other.
fn over_gnmi(switch: &Databases) -> Databases {
    let mut read = Databases::default();
    let counters = COUNTER_PATHS.map(|path| (DatabaseName::Counters, path));
    for (database, path) in SETTING_PATHS.into_iter().chain(counters) {
        let path = elements(path);
        if let Ok(value) = answer(switch, database.name(), &path) {
            absorb(&mut read, database, &path, value).expect("it is understood");
        }
    }
    read
}

#[test]
fn a_switch_reads_the_same_over_gnmi_but_for_what_has_no_path() {
    let switch = leaf1();
    let (mut expected, _) = reading(&switch, None, 7);
    let (found, problems) = reading(&over_gnmi(&switch), None, 7);
    assert_eq!(problems, []);
    for port in expected.ports.values_mut() {
        port.tx_bytes_per_s = None;
        for (number, priority) in port.priorities.iter_mut().enumerate() {
            priority.group.dropped_packets = None;
            let read = &found.ports["Ethernet0"].priorities[number];
            // The watermarks that operators clear have no path: those of the last poll count.
            priority.group.shared_watermark_bytes = read.group.shared_watermark_bytes;
            priority.group.headroom_watermark_bytes = read.group.headroom_watermark_bytes;
            priority.queue.watermark_bytes = read.queue.watermark_bytes;
        }
    }
    assert_eq!(found.ports["Ethernet0"], expected.ports["Ethernet0"]);
    assert_eq!(found.neighbours, expected.neighbours);
    assert_eq!(found.switch, "leaf1");
}

#[test]
fn what_a_switch_polls_is_the_same_over_gnmi() {
    let mut switch = leaf1();
    let field = |name: &str, value: &str| (name.to_string(), value.to_string());
    let ports = [field("POLL_INTERVAL", "2000"), field("FLEX_COUNTER_STATUS", "enable")];
    switch.add(DatabaseName::FlexCounter, "FLEX_COUNTER_GROUP_TABLE:PORT_STAT_COUNTER", ports.into());
    let queues = [field("FLEX_COUNTER_STATUS", "disable")];
    switch.add(DatabaseName::Config, "FLEX_COUNTER_TABLE|QUEUE", queues.into());
    let (found, problems) = reading(&over_gnmi(&switch), None, 7);
    assert_eq!(found.polled, counters::PollIntervals { ports_ms: Some(2_000), ..Default::default() });
    assert_eq!(found.ports["Ethernet0"].priorities[3].queue.bytes, None);
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert!(lines.len() == 1 && lines[0].contains("QUEUE_STAT_COUNTER"), "{lines:?}");
}

#[test]
fn a_configuration_is_the_same_over_gnmi() {
    let mut switch = leaf1();
    let list = [("ports@".to_string(), "Ethernet0,Ethernet4".to_string())];
    switch.add(DatabaseName::Config, "ACL_TABLE|data", list.into());
    // Redis has no hashes without fields.
    switch.add(DatabaseName::Config, "LOOPBACK_INTERFACE|Loopback9", [("NULL".into(), "NULL".into())].into());
    let expected = &switch.tables[&DatabaseName::Config];
    let tables: BTreeSet<&str> = expected.keys().filter_map(|key| Some(key.split_once('|')?.0)).collect();
    let read = tables.into_iter().flat_map(|table| {
        let value = answer(&switch, "CONFIG_DB", &[table.to_string()]).expect("a table");
        config_hashes(table, value).expect("a table")
    });
    let read: BTreeMap<String, BTreeMap<String, String>> =
        read.map(|(key, fields)| (key, fields.into_iter().collect())).collect();
    assert_eq!(read, *expected);
    assert!(config_hashes("PORT", serde_json::Value::from("x")).is_err());
}

#[test]
fn ports_are_called_by_alias_or_name() {
    let mut read = Databases::default();
    let mut take = |database: DatabaseName, path: &str, json: &str| {
        absorb(&mut read, database, &elements(path), serde_json::from_str(json).expect("JSON"))
    };
    take(DatabaseName::Counters, "COUNTERS_PORT_NAME_MAP", r#"{"Ethernet0": "oid:0x1"}"#).expect("a hash");
    take(DatabaseName::Counters, "COUNTERS_QUEUE_NAME_MAP", r#"{"Ethernet0:3": "oid:0x2"}"#).expect("a hash");
    take(DatabaseName::Appl, "PORT_TABLE", r#"{"Ethernet0": {"alias": "etp1"}}"#).expect("a table");
    let port = r#"{"etp1": {"SAI_PORT_STAT_PFC_3_RX_PKTS": "9"}}"#;
    take(DatabaseName::Counters, "COUNTERS/Ethernet*", port).expect("objects");
    let queues = r#"{"etp1:3": {"SAI_QUEUE_STAT_PACKETS": "5"},
        "Ethernet0:3:periodic": {"SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES": "4096"}, "etp9:3": {"x": "1"}}"#;
    take(DatabaseName::Counters, "COUNTERS/Ethernet*/Queues", queues).expect("objects");
    assert!(take(DatabaseName::Counters, "COUNTERS/Ethernet*", "[]").is_err());
    let (found, _) = reading(&read, Some("leaf1"), 7);
    let three = &found.ports["Ethernet0"].priorities[3];
    assert_eq!(three.pause_rx_frames, Some(9));
    assert_eq!((three.queue.packets, three.queue.watermark_bytes), (Some(5), Some(4_096)));
}

#[test]
fn unknown_paths_are_refused() {
    let switch = leaf1();
    for (target, path) in [
        ("NO_DB", "PORT"),
        ("CONFIG_DB", "NO_TABLE"),
        ("COUNTERS_DB", "COUNTERS/Ethernet99"),
        ("APPL", "PORT_TABLE"),
    ] {
        assert!(answer(&switch, target, &elements(path)).is_err(), "{target} {path}");
    }
    let one = answer(&switch, "COUNTERS_DB", &elements("COUNTERS/Ethernet0")).expect("a port");
    assert_eq!(one["SAI_PORT_STAT_PFC_3_RX_PKTS"], "120");
}

proptest! {
    #[test]
    fn any_value_is_no_panic(path in proptest::collection::vec("[A-Za-z*_]{0,12}|Ethernet\\*|Queues|COUNTERS", 0..4), json in "etp1|Ethernet0|.{0,20}") {
        for database in DatabaseName::ALL {
            let mut read = leaf1();
            let _ = absorb(&mut read, database, &path, serde_json::json!({ json.as_str(): { json.as_str(): json.as_str() } }));
            let _ = answer(&read, database.name(), &path);
        }
    }
}
