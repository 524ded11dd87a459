//! What `show` commands print in the releases between 201811 and 202505, and after: their columns differ.
//!
//! Commands, titles and columns are those of sonic-utilities at the branches of these names (`tests/*_test.py`, `*_input`); the values
//! are not.

use counters::WatchdogState;
use counters::sonic::parse_show;

/// What every release prints, derived from one number, and what differs between releases.
struct Expected {
    switch: &'static str,
    number: u64,
    queue_peak: u64,
    rx_drops: u64,
    tx_drops: u64,
    queue: (Option<u64>, Option<u64>, Option<u64>),
    pause_ns: Option<u64>,
}

fn check(text: &str, expected: &Expected) {
    let (readings, problems) = parse_show(text, None, 1_800_000_000_000_000_000);
    assert!(problems.is_empty(), "{}: {problems:#?}", expected.switch);
    let [reading] = readings.as_slice() else { panic!("{}: {} readings", expected.switch, readings.len()) };
    assert_eq!(reading.switch, expected.switch);
    let port = &reading.ports["Ethernet0"];
    let (three, n) = (&port.priorities[3], expected.number);
    // `12,013` is printed with its separator.
    assert_eq!(three.pause_rx_frames, Some(n * 1_000 + n + 1));
    assert_eq!(three.pause_tx_frames, Some(n + 3));
    assert_eq!(port.priorities[4].pause_rx_frames, Some(2));
    assert_eq!(three.pause_rx_ns, expected.pause_ns);
    assert_eq!(three.group.shared_watermark_bytes, Some(n * 1_000));
    assert_eq!(three.group.headroom_watermark_bytes, Some(n * 100));
    assert_eq!(three.group.dropped_packets, Some(n + 5));
    assert_eq!(three.queue.watermark_bytes, Some(expected.queue_peak));
    let queue = (three.queue.packets, three.queue.bytes, three.queue.dropped_packets);
    assert_eq!(queue, expected.queue, "{}", expected.switch);
    let watchdog = three.watchdog.expect("statistics of the watchdog");
    assert_eq!((watchdog.state, watchdog.detected, watchdog.restored), (WatchdogState::Stormed, n, n - 1));
    assert_eq!((watchdog.tx_dropped_packets, watchdog.rx_dropped_packets), (Some(n + 6), Some(n + 7)));
    assert_eq!(
        (port.rx_drops, port.tx_drops, port.rx_errors),
        (Some(expected.rx_drops), Some(expected.tx_drops), Some(3))
    );
    assert_eq!(port.tx_bytes_per_s, Some(250_500_000));
    let other = &reading.ports["Ethernet4"].priorities[3];
    assert_eq!((other.pause_rx_frames, other.pause_tx_frames), (None, Some(8)), "N/A is no counter");
}

const NO_QUEUE: (Option<u64>, Option<u64>, Option<u64>) = (None, None, None);

#[test]
fn commands_of_release_202012() {
    let expected = Expected {
        switch: "t0-12",
        number: 12,
        queue_peak: 12_400,
        rx_drops: 41,
        tx_drops: 17,
        queue: NO_QUEUE,
        pause_ns: None,
    };
    check(include_str!("fixtures/release-202012.txt"), &expected);
}

#[test]
fn commands_of_release_202205() {
    let expected = Expected {
        switch: "t0-22",
        number: 22,
        queue_peak: 22_400,
        rx_drops: 42,
        tx_drops: 18,
        queue: (Some(2_200_000), Some(2_310_000_000), Some(22)),
        pause_ns: None,
    };
    check(include_str!("fixtures/release-202205.txt"), &expected);
}

#[test]
fn commands_of_releases_202305_and_202311() {
    let of = |switch, number, rx_drops| Expected {
        switch,
        number,
        queue_peak: number * 1_000 + 400,
        rx_drops,
        tx_drops: 19,
        queue: NO_QUEUE,
        pause_ns: None,
    };
    check(include_str!("fixtures/release-202305.txt"), &of("t0-32", 32, 43));
    check(include_str!("fixtures/release-202311.txt"), &of("t0-31", 31, 44));
}

#[test]
fn commands_of_release_202405() {
    let expected = Expected {
        switch: "t2-42",
        number: 42,
        queue_peak: 42_400,
        rx_drops: 45,
        tx_drops: 20,
        queue: (Some(4_200), Some(4_410_000), Some(0)),
        pause_ns: None,
    };
    check(include_str!("fixtures/release-202405.txt"), &expected);
}

#[test]
fn commands_of_release_202511() {
    let expected = Expected {
        switch: "t0-51",
        number: 51,
        queue_peak: 51_400,
        rx_drops: 46,
        tx_drops: 21,
        queue: (Some(5_100), Some(5_355_000), Some(51)),
        pause_ns: Some(5_100_000),
    };
    check(include_str!("fixtures/release-202511.txt"), &expected);
}
