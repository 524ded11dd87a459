//! The watchdog timeline of `harrier check --explain-watchdog` agrees with a replay on the traffic manager.

use buffer_config::explain::timeline;
use buffer_config::resolved::ResolvedSwitch;
use buffer_config::{ResolveOptions, input, resolve};
use fabric::storm::{Storm, replay};
use model::Time;

/// A port of that speed with that watchdog entry.
fn switch(speed: u32, poll: u32, watchdog: &str) -> ResolvedSwitch {
    let text = format!(
        r#"{{"PORT": {{"Ethernet0": {{"lanes": "1", "speed": "{speed}", "mtu": "9100", "admin_status": "up"}}}},
        "CABLE_LENGTH": {{"AZURE": {{"Ethernet0": "40m"}}}},
        "BUFFER_POOL": {{"ingress_lossless_pool": {{"type": "ingress", "mode": "dynamic", "size": "8000000", "xoff": "900000"}},
          "egress_lossless_pool": {{"type": "egress", "mode": "static", "size": "9000000"}}}},
        "BUFFER_PROFILE": {{"p": {{"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "-2", "xon_offset": "2496", "xoff": "90000"}}}},
        "BUFFER_PG": {{"Ethernet0|3": {{"profile": "p"}}}}, "TC_TO_PRIORITY_GROUP_MAP": {{"A": {{"3": "3"}}}},
        "TC_TO_QUEUE_MAP": {{"A": {{"3": "3"}}}}, "MAP_PFC_PRIORITY_TO_QUEUE": {{"A": {{"3": "3"}}}},
        "PORT_QOS_MAP": {{"Ethernet0": {{"pfc_enable": "3", "pfcwd_sw_enable": "3", "tc_to_pg_map": "A", "tc_to_queue_map": "A", "pfc_to_queue_map": "A"}}}},
        "PFC_WD": {{"GLOBAL": {{"POLL_INTERVAL": "{poll}"}}, "Ethernet0": {{{watchdog}}}}}}}"#
    );
    resolve(&input::load(&text), ResolveOptions::default())
}

fn storm(switch: &ResolvedSwitch, ms: u32) -> Storm {
    replay(switch, &switch.ports[0], 3, Time::from_ms(u64::from(ms)))
        .expect("the configuration sets a switch up")
}

/// The replay is within the windows of the timeline, and restoration is exact.
#[track_caller]
fn check(switch: &ResolvedSwitch, ms: u32) {
    let (by_rule, found) = (timeline(switch, "Ethernet0", ms).expect("a watchdog"), storm(switch, ms));
    let within = |time: Time, window: (u32, u32)| {
        Time::from_ms(u64::from(window.0)) <= time && time <= Time::from_ms(u64::from(window.1))
    };
    match (by_rule.detected_ms, found.detected) {
        (None, seen) => assert_eq!(seen, None, "{by_rule:?}"),
        (Some(window), Some(at)) => assert!(within(at, window), "{by_rule:?} {found:?}"),
        // The queue has to be paused for the whole time: a storm within the window may be missed.
        (Some(_), None) => assert!(!by_rule.is_certain, "{by_rule:?} {found:?}"),
    }
    assert_eq!(found.last_pause, Time::from_ms(u64::from(ms)));
    match (by_rule.restored_ms, found.restored) {
        (Some(window), Some(at)) => {
            assert!(within(at, window), "{by_rule:?} {found:?}");
            // A pause lasts longer than its frame: the storm may be detected just after the last frame, and the
            // restoration time then counts from the detection.
            let from =
                found.last_pause.max(found.detected.expect("a queue is restored only after a detection"));
            let wait = by_rule.watchdog.restoration_ms.expect("there is a window");
            assert_eq!(at.saturating_sub(from), Time::from_ms(u64::from(wait)), "{by_rule:?} {found:?}");
        }
        (Some(_), None) => assert_eq!(found.detected, None),
        (None, restored) => assert_eq!(restored, None),
    }
}

#[test]
fn the_defaults_of_2016_restore_after_exactly_200_ms() {
    // Guo et al., SIGCOMM 2016, section 4.3: restoration 200 ms after the last pause frame.
    let switch =
        switch(40_000, 100, r#""detection_time": "200", "restoration_time": "200", "action": "drop""#);
    for ms in [50, 99, 201, 250, 1000, 3333] {
        check(&switch, ms);
    }
    let found = storm(&switch, 1000);
    assert_eq!(found.detected, Some(Time::from_ms(200)));
    assert_eq!(found.restored.expect("it is restored").saturating_sub(found.last_pause), Time::from_ms(200));
    assert_eq!(found.dropped, 1);
}

#[test]
fn timeline_and_replay_agree_for_other_watchdogs() {
    for speed in [10_000, 100_000, 400_000] {
        for (detection, restoration, poll) in [(400, 800, 200), (600, 600, 600), (100, 2000, 100)] {
            for action in ["drop", "forward", "alert"] {
                let entry = format!(
                    r#""detection_time": "{detection}", "restoration_time": "{restoration}", "action": "{action}""#
                );
                let switch = switch(speed, poll, &entry);
                for ms in [1, detection - 1, detection + 10, detection + poll, 2000] {
                    check(&switch, ms);
                }
            }
        }
    }
}

#[test]
fn without_a_restoration_time_the_queue_is_not_restored() {
    let switch = switch(100_000, 100, r#""detection_time": "200", "action": "drop""#);
    check(&switch, 1000);
    assert_eq!(storm(&switch, 1000).restored, None);
}
