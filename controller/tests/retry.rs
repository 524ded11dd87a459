//! Retries of lost polling packets.

use crate::support::*;
use harrier_controller::collect::{CollectSettings, Input};
use model::MissingData;
use model::wire::polling::{Follow, Polling};
use proptest::prelude::*;

const MS: u64 = 1_000_000;
const EVENT: u32 = 77;

fn yes(_: &str, _: &str) -> Answer {
    Answer::Yes
}

fn settings() -> CollectSettings {
    CollectSettings { audit_ns: 0, poll_retries: 3, ..CollectSettings::default() }
}

/// A network at 10 ms in which retries reach the switches of `reachable`.
fn world(settings: CollectSettings, reachable: &[(&str, u16)]) -> World {
    let mut world = World::new(settings);
    world.now_ns = 10 * MS;
    world.reachable = reachable.iter().map(|(switch, port)| (switch.to_string(), *port)).collect();
    world
}

fn on_path(followed: u8) -> Report {
    Report { followed, ingress_port: 1, victim_port: 2 }
}

/// An agent at h1 reports the victim.
fn send_trigger(world: &mut World) {
    let trigger = trigger();
    world.input(Input::Trigger { event: EVENT, priority: 3, trigger }, &mut yes);
}

/// Port 3 of s1 was paused until `end_ns` (0: is still paused), and port 1 feeds it.
fn pause_s1(world: &mut World, end_ns: u128) {
    let switch = world.switch("s1");
    let status = match end_ns {
        0 => vec![("paused", 1), ("start_ns", 9_900_000), ("until_ns", 20_000_000), ("frames", 2)],
        end_ns => vec![("ended_ns", end_ns), ("intervals", 1)],
    };
    let fields = "paused:1,start_ns:48,until_ns:48,frames:32,ended_ns:48,intervals:32";
    switch.set("pause_status", 2 * 8 + 3, word(fields, &status));
    if end_ns > 0 {
        let log = [("start_ns", end_ns - 1_000), ("lasted_ns", 1_000), ("frames", 2), ("priority", 3)];
        let fields = "start_ns:48,lasted_ns:40,frames:5,priority:3,number:16";
        switch.set("pause_log_bank0", 2 * PAUSE_LOG, word(fields, &log));
        switch.set("pause_counts", 2, word("intervals:32", &[("intervals", 1)]));
    }
    let meter = word(METER, &[("epoch", 9), ("packets", 4), ("bytes", 400)]);
    switch.set("meter_bank0", (9 % EPOCHS * PORTS) * PORTS + 2, meter);
}

/// Completes the event and compares the retries (switch, port, what to follow) and the missing data.
fn check(world: &mut World, retries: &[(&str, u16, Follow)], missing: &[&str]) {
    world.pass(300 * MS, &mut yes);
    let found: Vec<_> =
        world.polled.iter().map(|(s, packet)| (s.as_str(), packet.port, packet.polling.follow)).collect();
    assert_eq!(found, retries);
    let [snapshot] = world.snapshots.as_slice() else { panic!("{:?}", world.snapshots) };
    assert_eq!(texts(&snapshot.missing), missing);
    assert_eq!(world.collector.stats().poll_retries_sent, retries.len() as u64);
    assert!(world.switches.values().all(|switch| !switch.is_locked()));
}

#[test]
fn polls_that_arrive_are_not_retried() {
    let mut world = world(settings(), &[("s1", 2), ("s2", 2), ("s3", 2)]);
    send_trigger(&mut world);
    world.poll("s1", EVENT, on_path(1), &mut yes);
    world.poll("s2", EVENT, on_path(1), &mut yes);
    check(&mut world, &[], &[]);
}

#[test]
fn a_lost_packet_is_retried_for_its_ingress_port() {
    let mut world = world(settings(), &[("s2", 2)]);
    world.poll("s1", EVENT, on_path(1), &mut yes);
    check(&mut world, &[("s2", 1, Follow::VictimPath)], &[]);
    let polling =
        Polling { follow: Follow::VictimPath, hop_limit: 16, priority: 3, event: EVENT, flow: victim() };
    assert_eq!(world.polled[0].1.polling, polling);
    assert!(world.snapshots[0].switch("s2").is_some_and(|s2| s2.on_victim_path && s2.polled_from == [1]));
}

#[test]
fn a_lost_polling_packet_of_the_agent_is_retried_hop_by_hop() {
    let mut world = world(settings(), &[("s1", 2), ("s2", 2)]);
    send_trigger(&mut world);
    let retries = [("s1", 1, Follow::VictimPath), ("s2", 1, Follow::VictimPath)];
    check(&mut world, &retries, &[]);
    assert_eq!(world.snapshots[0].switches.len(), 2);
}

#[test]
fn retries_end_at_their_limit() {
    let mut world = world(settings(), &[]);
    world.poll("s1", EVENT, on_path(1), &mut yes);
    let retries = [("s2", 1, Follow::VictimPath); 3];
    check(&mut world, &retries, &["s2: sent no report, although it lies on the victim's path"]);
}

#[test]
fn a_failed_packet_out_is_not_retried() {
    let mut world = world(settings(), &[]);
    let mut failing = |_: &str, what: &str| if what == "poll" { Answer::Refuse } else { Answer::Yes };
    world.poll("s1", EVENT, on_path(1), &mut failing);
    world.pass(20 * MS, &mut failing);
    let missing = ["s2: sent no report, although it lies on the victim's path"];
    check(&mut world, &[("s2", 1, Follow::VictimPath)], &missing);
}

#[test]
fn retries_can_be_disabled() {
    let mut world = world(CollectSettings { poll_retries: 0, ..settings() }, &[("s2", 2)]);
    world.poll("s1", EVENT, on_path(1), &mut yes);
    check(&mut world, &[], &["s2: sent no report, although it lies on the victim's path"]);
}

#[test]
fn retries_of_an_event_are_limited_and_counted() {
    let mut world = world(CollectSettings { max_poll_retries: 2, ..settings() }, &[]);
    world.poll("s1", EVENT, on_path(1), &mut yes);
    let missing = ["s2: sent no report, although it lies on the victim's path"];
    check(&mut world, &[("s2", 1, Follow::VictimPath); 2], &missing);
    assert_eq!(world.collector.stats().limited_poll_retries, 1);
}

#[test]
fn a_lost_pause_trace_is_retried_at_the_next_switch() {
    let mut world = world(settings(), &[("s3", 2)]);
    pause_s1(&mut world, 0);
    world.poll("s1", EVENT, on_path(3), &mut yes);
    world.poll("s2", EVENT, on_path(1), &mut yes);
    check(&mut world, &[("s3", 1, Follow::Pauses)], &[]);
}

#[test]
fn a_switch_polled_for_the_path_only_is_polled_for_the_pauses() {
    let mut world = world(settings(), &[("s3", 2)]);
    pause_s1(&mut world, 0);
    world.poll("s1", EVENT, on_path(3), &mut yes);
    world.poll("s2", EVENT, on_path(1), &mut yes);
    world.poll("s3", EVENT, on_path(1), &mut yes);
    check(&mut world, &[("s3", 1, Follow::Pauses)], &[]);
    // The switch was frozen again: the later bank includes the rows of the earlier one.
    assert_eq!(world.switches["s3"].generation(), 2);
}

#[test]
fn a_pause_older_than_the_ring_is_not_followed() {
    // The ring holds four epochs: 6 to 9 at the freeze.
    for (end_ns, retries) in [(6 * EPOCH_NS, vec![("s3", 1, Follow::Pauses)]), (6 * EPOCH_NS - 1, Vec::new())]
    {
        let mut world = world(settings(), &[("s3", 2)]);
        pause_s1(&mut world, u128::from(end_ns));
        world.poll("s1", EVENT, on_path(3), &mut yes);
        world.poll("s2", EVENT, on_path(1), &mut yes);
        check(&mut world, &retries, &[]);
    }
}

#[test]
fn a_switch_without_the_program_is_not_polled() {
    let mut world = World::with(settings(), &["s1", "s3"]);
    world.now_ns = 10 * MS;
    world.poll("s1", EVENT, on_path(1), &mut yes);
    check(&mut world, &[], &["s2: does not run the switch program, although it lies on the victim's path"]);
}

#[test]
fn a_lost_digest_is_recovered_by_a_retry() {
    // s2 was polled and frozen; only its digest was lost.
    let mut world = world(settings(), &[("s2", 2)]);
    world.poll("s1", EVENT, on_path(1), &mut yes);
    let now_ns = world.now_ns;
    world.switch("s2").poll(EVENT, now_ns, on_path(1));
    world.switch("s2").set_flow(0, victim(), 9, 0, 5);
    check(&mut world, &[("s2", 1, Follow::VictimPath)], &[]);
    assert_eq!(world.snapshots[0].switch("s2").unwrap().flows[0].packets, 5);
}

proptest! {
    /// For any loss of polling packets, digests and retries: retries stay within their limit, a reported poll is never
    /// retried, and only switches that never reported are missing.
    #[test]
    fn retries_are_bounded_and_never_repeat_a_reported_poll(
        arrives in prop::collection::vec(any::<bool>(), 2),
        answers in prop::collection::vec(any::<bool>(), 0..12),
        attempts in 0u32..5,
    ) {
        let settings = CollectSettings { poll_retries: attempts, ..settings() };
        let mut world = world(settings, &[("s1", 2), ("s2", 2)]);
        send_trigger(&mut world);
        for (name, arrives) in ["s1", "s2"].into_iter().zip(&arrives) {
            if *arrives {
                world.poll(name, EVENT, on_path(1), &mut yes);
            }
        }
        let mut answers = answers.into_iter();
        let mut unreliable = |_: &str, what: &str| match what {
            "poll" if answers.next() == Some(false) => Answer::Silent,
            _ => Answer::Yes,
        };
        world.pass(600 * MS, &mut unreliable);
        for (name, arrived) in ["s1", "s2"].into_iter().zip(&arrives) {
            let retries = world.polled.iter().filter(|(switch, _)| switch == name).count();
            prop_assert!(retries as u32 <= attempts);
            prop_assert!(!arrived || retries == 0, "{} had reported", name);
        }
        let [snapshot] = world.snapshots.as_slice() else {
            return Err(TestCaseError::fail(format!("{} snapshots", world.snapshots.len())));
        };
        for name in ["s1", "s2"] {
            let is_missing = snapshot.missing.iter().any(|gap| {
                matches!(gap, MissingData::NoReport { switch, .. } if switch == name)
            });
            prop_assert_eq!(snapshot.switch(name).is_none(), is_missing, "{}", name);
        }
    }
}
