//! Groups of counters that a switch polls, and those that it does not.

use std::collections::BTreeMap;

use counters::sonic::{DatabaseName, Databases, parse_dump, reading};
use counters::{Network, PollIntervals, Reading, diagnose};

use crate::support::{INTERVAL_NS, PRIORITY, incast};

/// Groups with the fields of their hashes, in FLEX_COUNTER_DB and CONFIG_DB.
fn polling(running: &[(&str, &[(&str, &str)])], configured: &[(&str, &[(&str, &str)])]) -> Databases {
    let mut all = Databases::default();
    for (text, name) in [
        (include_str!("fixtures/COUNTERS_DB.json"), "COUNTERS_DB"),
        (include_str!("fixtures/APPL_DB.json"), "APPL_DB"),
        (include_str!("fixtures/CONFIG_DB.json"), "CONFIG_DB"),
    ] {
        all.merge(parse_dump(text, DatabaseName::named(name)).0);
    }
    let fields = |fields: &[(&str, &str)]| -> BTreeMap<String, String> {
        fields.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    };
    for (group, own) in running {
        all.add(DatabaseName::FlexCounter, format!("FLEX_COUNTER_GROUP_TABLE:{group}"), fields(own));
    }
    for (group, own) in configured {
        all.add(DatabaseName::Config, format!("FLEX_COUNTER_TABLE|{group}"), fields(own));
    }
    all
}

const DISABLED: &[(&str, &str)] = &[("FLEX_COUNTER_STATUS", "disable"), ("POLL_INTERVAL", "1000")];
const ENABLED: &[(&str, &str)] = &[("FLEX_COUNTER_STATUS", "enable")];

/// Checks whether sent pauses, bytes of a queue, its watermark, and drops and watermark of a priority group are measured, and how
/// many groups are reported.
fn check(databases: &Databases, measured: [bool; 5], reported: &[&str]) -> Reading {
    let (reading, problems) = reading(databases, None, 7);
    let three = &reading.ports["Ethernet0"].priorities[3];
    let found = [
        three.pause_tx_frames.is_some(),
        three.queue.bytes.is_some(),
        three.queue.watermark_bytes.is_some(),
        three.group.dropped_packets.is_some(),
        three.group.shared_watermark_bytes.is_some(),
    ];
    assert_eq!(found, measured, "{problems:?}");
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(lines.len(), reported.len(), "{lines:?}");
    for (line, group) in lines.iter().zip(reported) {
        assert!(line.contains("not measured") && line.contains(group), "{line}");
    }
    reading
}

#[test]
fn counters_of_a_disabled_group_are_not_measured() {
    let all = [true; 5];
    check(&polling(&[], &[]), all, &[]);
    let group = |name| polling(&[(name, DISABLED)], &[]);
    check(&group("QUEUE_STAT_COUNTER"), [true, false, true, true, true], &["QUEUE_STAT_COUNTER"]);
    check(&group("QUEUE_WATERMARK_STAT_COUNTER"), [true, true, false, true, true], &["QUEUE_WATERMARK"]);
    check(&group("PG_DROP_STAT_COUNTER"), [true, true, true, false, true], &["PG_DROP"]);
    check(&group("PG_WATERMARK_STAT_COUNTER"), [true, true, true, true, false], &["PG_WATERMARK"]);
    // The watchdog polls the pauses that a port receives as well.
    let ports = check(&group("PORT_STAT_COUNTER"), [false, true, true, true, true], &["PORT_STAT_COUNTER"]);
    let port = &ports.ports["Ethernet0"];
    assert_eq!((port.tx_bytes, port.priorities[3].pause_rx_frames), (None, Some(120)));
    let both = polling(&[("PORT_STAT_COUNTER", DISABLED), ("PFC_WD", DISABLED)], &[]);
    let both = check(&both, [false, true, true, true, true], &["PORT_STAT_COUNTER", "PFC_WD"]);
    let three = &both.ports["Ethernet0"].priorities[3];
    assert_eq!((three.pause_rx_frames, three.pause_rx_ns, three.queue.occupancy_bytes), (None, None, None));
    assert!(three.watchdog.is_some(), "its statistics are written, not polled");
}

#[test]
fn what_is_configured_counts_where_flex_counter_db_says_nothing() {
    let queue = [true, false, true, true, true];
    check(&polling(&[], &[("QUEUE", DISABLED)]), queue, &["QUEUE"]);
    check(
        &polling(&[("QUEUE_STAT_COUNTER", &[("STATS_MODE", "STATS_MODE_READ")])], &[("QUEUE", DISABLED)]),
        queue,
        &["QUEUE"],
    );
    check(&polling(&[("QUEUE_STAT_COUNTER", ENABLED)], &[("QUEUE", DISABLED)]), [true; 5], &[]);
}

#[test]
fn intervals_are_those_of_enabled_groups() {
    let every = |interval| vec![("FLEX_COUNTER_STATUS", "enable"), ("POLL_INTERVAL", interval)];
    let (ports, queues, watermarks) = (every("1000"), every("10000"), every("60000"));
    let odd = every("soon");
    let databases = polling(
        &[
            ("PORT_STAT_COUNTER", &ports),
            ("QUEUE_STAT_COUNTER", &queues),
            ("QUEUE_WATERMARK_STAT_COUNTER", &odd),
            ("PG_WATERMARK_STAT_COUNTER", &watermarks),
        ],
        &[],
    );
    let expected =
        PollIntervals { ports_ms: Some(1_000), queues_ms: Some(10_000), watermarks_ms: Some(60_000) };
    assert_eq!(check(&databases, [true; 5], &[]).polled, expected);
    let disabled = polling(&[("PORT_STAT_COUNTER", DISABLED)], &[]);
    assert_eq!(reading(&disabled, None, 7).0.polled, PollIntervals::default());
}

/// An incast whose watermarks show its peaks only two minutes later.
fn peaks_after_two_minutes(watermarks_ms: Option<u32>) -> Vec<Reading> {
    let story = incast();
    let (mut during, mut later) = (story.after.clone(), story.after.clone());
    for reading in &mut during {
        for port in reading.ports.values_mut() {
            port.priorities[PRIORITY].queue.watermark_bytes = Some(0);
        }
    }
    let mut quiet = during.clone();
    for reading in &mut quiet {
        reading.time_ns += 119 * INTERVAL_NS;
    }
    for reading in &mut later {
        reading.time_ns += 120 * INTERVAL_NS;
    }
    let mut all = [story.before, during, quiet, later].concat();
    all.iter_mut().for_each(|reading| reading.polled.watermarks_ms = watermarks_ms);
    all
}

#[test]
fn watermarks_are_as_old_as_the_switch_polls_them() {
    let check = |watermarks_ms, is_by_peaks: bool| {
        let report = diagnose(&peaks_after_two_minutes(watermarks_ms), &[], &Network::default());
        let verdict = report.diagnoses.first().unwrap_or_else(|| panic!("{report:#?}"));
        assert_eq!(verdict.root_cause.port.as_ref().map(ToString::to_string).as_deref(), Some("leaf2:1"));
        assert_eq!(verdict.confidence > 0.8, is_by_peaks, "{watermarks_ms:?}: {}", verdict.confidence);
    };
    // The default is a minute.
    check(None, false);
    check(Some(1_000), false);
    check(Some(150_000), true);
}
