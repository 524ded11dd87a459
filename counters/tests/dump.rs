//! Dumps of SONiC's databases, and the readings in them.

use counters::sonic::{DatabaseName, Databases, Plan, parse_dump, reading};
use counters::{Reading, WatchdogState};
use model::Rate;
use proptest::prelude::*;

const COUNTERS: &str = include_str!("fixtures/COUNTERS_DB.json");
const APPL: &str = include_str!("fixtures/APPL_DB.json");
const CONFIG: &str = include_str!("fixtures/CONFIG_DB.json");

fn databases() -> Databases {
    let mut all = Databases::default();
    for (text, name) in [(COUNTERS, "COUNTERS_DB"), (APPL, "APPL_DB"), (CONFIG, "CONFIG_DB")] {
        let (databases, problems) = parse_dump(text, DatabaseName::named(name));
        assert!(problems.is_empty(), "{problems:?}");
        all.merge(databases);
    }
    all
}

fn leaf1() -> Reading {
    let (reading, problems) = reading(&databases(), None, 7);
    assert!(problems.is_empty(), "{problems:?}");
    reading
}

#[test]
fn a_reading_in_the_memory_of_another_is_as_a_new_one() {
    let databases = databases();
    let plan = Plan::new(&databases, None);
    let value = |key: &str, field: &str| {
        let fields = databases.hash(DatabaseName::Counters, key)?;
        Some(fields.get(field)?.as_bytes())
    };
    let keys = || plan.hashes().flat_map(|(key, fields)| fields.map(move |field| (key.clone(), field)));
    let all = || keys().map(|(key, field)| value(&key, &field));
    // A third of the counters are gone, and another third have another value.
    let changed = || {
        all().enumerate().map(|(number, value)| match number % 3 {
            0 => None,
            1 => value.map(|_| b"123456".as_slice()),
            _ => value,
        })
    };
    let (mut earlier, _) = plan.reading(7, &mut all());
    assert_eq!(earlier, leaf1());
    earlier.switch = "renamed by a monitor".into();
    let (expected, _) = plan.reading(9, &mut changed());
    let (found, _) = plan.reading_in(earlier, 9, &mut changed());
    assert_eq!(found, expected);
    assert_ne!(found.ports, leaf1().ports);
}

#[test]
fn counters_names_and_neighbours_are_read() {
    let reading = leaf1();
    assert_eq!((reading.switch.as_str(), reading.time_ns), ("leaf1", 7));
    let port = &reading.ports["Ethernet0"];
    assert_eq!((port.alias.as_deref(), port.number, port.up), (Some("etp1"), Some(1), Some(true)));
    assert_eq!((port.speed, port.tx_bytes), (Some(Rate::from_gbps(100)), Some(9_000_000)));
    let three = &port.priorities[3];
    assert_eq!((three.pause_rx_frames, three.pause_tx_frames), (Some(120), Some(4)));
    assert_eq!(three.pause_rx_ns, Some(55_000_000), "microseconds");
    assert_eq!(three.pfc_enabled, Some(true));
    assert_eq!(port.priorities[0].pfc_enabled, Some(false));
    assert_eq!(three.queue.packets, Some(1_000));
    assert_eq!(three.queue.watermark_bytes, Some(20_800), "USER_WATERMARKS, not the last poll");
    assert_eq!(three.group.shared_watermark_bytes, Some(4_160));
    assert_eq!(three.group.dropped_packets, Some(2));
    let watchdog = three.watchdog.expect("statistics of the watchdog");
    assert_eq!((watchdog.state, watchdog.detected), (WatchdogState::Stormed, 1));
    // The map gives priority 4 the queue 5.
    assert_eq!(port.priorities[4].queue.packets, Some(77));
    let found: Vec<(&str, &str, Option<bool>)> = reading
        .neighbours
        .iter()
        .map(|neighbour| (neighbour.port.as_str(), neighbour.system.as_str(), neighbour.is_host))
        .collect();
    assert_eq!(found, [("Ethernet0", "h1", Some(true)), ("Ethernet4", "spine1", Some(false))]);
}

#[test]
fn keys_show_their_database_and_a_file_may_hold_several() {
    let (by_name, _) = parse_dump(APPL, DatabaseName::named("APPL_DB"));
    assert_eq!(parse_dump(APPL, None).0, by_name);
    let joined = format!("{{\"COUNTERS_DB\": {COUNTERS}, \"APPL_DB\": {APPL}}}");
    let (both, problems) = parse_dump(&joined, None);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(both.tables[&DatabaseName::Appl], by_name.tables[&DatabaseName::Appl]);
    assert!(both.tables.contains_key(&DatabaseName::Counters));
}

#[test]
fn a_dump_that_ends_early_is_used_as_far_as_it_goes() {
    let end = COUNTERS.find("USER_WATERMARKS").expect("a table");
    let (databases, problems) = parse_dump(&COUNTERS[..end], None);
    assert_eq!(problems.len(), 1);
    assert!(problems[0].position.is_some());
    assert!(problems[0].message.contains("are used"), "{}", problems[0]);
    assert!(databases.hash(DatabaseName::Counters, "COUNTERS_PORT_NAME_MAP").is_some());
}

#[test]
fn all_problems_are_reported_with_their_positions() {
    let text = "{\n  \"COUNTERS_PORT_NAME_MAP\": {\"type\": \"hash\", \"value\": {\"Ethernet0\": \"oid:0x1\"}},\n  \"COUNTERS:oid:0x1\": {\"type\": \"hash\", \"value\": {\"SAI_PORT_STAT_IF_OUT_OCTETS\": \"many\", \"x\": []}},\n  \"COUNTERS:oid:0x2\": 5\n}";
    let (databases, problems) = parse_dump(text, Some(DatabaseName::Counters));
    let positions: Vec<_> = problems.iter().map(|problem| problem.position).collect();
    assert_eq!(positions, [Some((3, 3)), Some((4, 3))], "{problems:?}");
    let (reading, problems) = reading(&databases, Some("leaf1"), 0);
    assert!(problems[0].message.contains("`many`"), "{problems:?}");
    assert_eq!(reading.ports["Ethernet0"].tx_bytes, None);
}

#[test]
fn a_database_without_names_is_reported() {
    let (databases, _) = parse_dump("{}", None);
    let (reading, problems) = reading(&databases, None, 0);
    assert!(reading.ports.is_empty());
    let has = |text: &str| problems.iter().any(|problem| problem.message.contains(text));
    assert!(has("COUNTERS_PORT_NAME_MAP") && has("name is unknown"), "{problems:?}");
}

proptest! {
    /// Text of any kind never makes the parser panic.
    #[test]
    fn any_text_is_read(text in "[{}\\[\\]\":,a-z0-9|. ]{0,200}") {
        let (databases, _) = parse_dump(&text, None);
        let _ = reading(&databases, None, 0);
    }

    /// Neither does a dump that was cut and in which a character was replaced.
    #[test]
    fn damaged_dumps_are_read(end in 0..COUNTERS.len(), at in 0..COUNTERS.len(), with in "[ -~]") {
        let mut text: String = COUNTERS.chars().take(end.max(at + 1)).collect();
        text.replace_range(at..=at, &with);
        let (databases, _) = parse_dump(&text, None);
        let _ = reading(&databases, None, 0);
    }
}
