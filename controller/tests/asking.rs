//! What the collector asks again itself, and what it does not.

mod support;

use harrier_controller::collect::{CollectSettings, Input};
use model::MissingData;
use model::wire::polling::{Follow, Polling};
use proptest::prelude::*;
use support::*;

const MS: u64 = 1_000_000;
const EVENT: u32 = 77;

fn yes(_: &str, _: &str) -> Answer {
    Answer::Yes
}

fn settings() -> CollectSettings {
    CollectSettings { audit_ns: 0, ask_attempts: 3, ..CollectSettings::default() }
}

/// A world at 10 ms in which the reports of `hears` arrive when the collector asks.
fn world(settings: CollectSettings, hears: &[(&str, u16)]) -> World {
    let mut world = World::new(settings);
    world.now_ns = 10 * MS;
    world.hears = hears.iter().map(|(switch, port)| (switch.to_string(), *port)).collect();
    world
}

fn on_path(followed: u8) -> Report {
    Report { followed, ingress_port: 1, victim_port: 2 }
}

/// An agent at h1 complains about the victim.
fn complain(world: &mut World) {
    let trigger = complaint();
    world.input(Input::Trigger { event: EVENT, priority: 3, trigger }, &mut yes);
}

/// Port 3 of s1 was paused until `end_ns` (0: still is), and port 1 feeds it.
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

/// Lets the event end and compares what was asked - switch, port, what to follow - and what is missing in the end.
fn check(world: &mut World, asked: &[(&str, u16, Follow)], missing: &[&str]) {
    world.pass(300 * MS, &mut yes);
    let found: Vec<_> = world
        .asked
        .iter()
        .map(|(s, question)| (s.as_str(), question.port, question.polling.follow))
        .collect();
    assert_eq!(found, asked);
    let [snapshot] = world.snapshots.as_slice() else { panic!("{:?}", world.snapshots) };
    assert_eq!(texts(&snapshot.missing), missing);
    assert_eq!(world.collector.stats().questions, asked.len() as u64);
    assert!(world.switches.values().all(|switch| !switch.is_locked()));
}

#[test]
fn what_arrives_is_not_asked_again() {
    let mut world = world(settings(), &[("s1", 2), ("s2", 2), ("s3", 2)]);
    complain(&mut world);
    world.poll("s1", EVENT, on_path(1), &mut yes);
    world.poll("s2", EVENT, on_path(1), &mut yes);
    check(&mut world, &[], &[]);
}

#[test]
fn a_switch_behind_a_lost_packet_is_asked_by_the_port_it_would_have_come_by() {
    let mut world = world(settings(), &[("s2", 2)]);
    world.poll("s1", EVENT, on_path(1), &mut yes);
    check(&mut world, &[("s2", 1, Follow::VictimPath)], &[]);
    let polling =
        Polling { follow: Follow::VictimPath, hop_limit: 16, priority: 3, event: EVENT, flow: victim() };
    assert_eq!(world.asked[0].1.polling, polling);
    assert!(world.snapshots[0].switch("s2").is_some_and(|s2| s2.on_victim_path && s2.polled_from == [1]));
}

#[test]
fn where_the_agents_own_packet_got_lost_the_wave_is_carried_hop_by_hop() {
    let mut world = world(settings(), &[("s1", 2), ("s2", 2)]);
    complain(&mut world);
    let asked = [("s1", 1, Follow::VictimPath), ("s2", 1, Follow::VictimPath)];
    check(&mut world, &asked, &[]);
    assert_eq!(world.snapshots[0].switches.len(), 2);
}

#[test]
fn who_does_not_answer_is_asked_so_often_and_no_more() {
    let mut world = world(settings(), &[]);
    world.poll("s1", EVENT, on_path(1), &mut yes);
    let asked = [("s2", 1, Follow::VictimPath); 3];
    check(&mut world, &asked, &["s2: sent no report, although it lies on the victim's path"]);
}

#[test]
fn a_switch_that_takes_no_question_is_not_asked_a_second_time() {
    let mut world = world(settings(), &[]);
    let mut deaf = |_: &str, what: &str| if what == "ask" { Answer::Refuse } else { Answer::Yes };
    world.poll("s1", EVENT, on_path(1), &mut deaf);
    world.pass(20 * MS, &mut deaf);
    let missing = ["s2: sent no report, although it lies on the victim's path"];
    check(&mut world, &[("s2", 1, Follow::VictimPath)], &missing);
}

#[test]
fn nobody_is_asked_when_that_is_not_wanted() {
    let mut world = world(CollectSettings { ask_attempts: 0, ..settings() }, &[("s2", 2)]);
    world.poll("s1", EVENT, on_path(1), &mut yes);
    check(&mut world, &[], &["s2: sent no report, although it lies on the victim's path"]);
}

#[test]
fn an_event_has_so_many_questions_and_what_is_not_asked_is_counted() {
    let mut world = world(CollectSettings { max_questions: 2, ..settings() }, &[]);
    world.poll("s1", EVENT, on_path(1), &mut yes);
    let missing = ["s2: sent no report, although it lies on the victim's path"];
    check(&mut world, &[("s2", 1, Follow::VictimPath); 2], &missing);
    assert_eq!(world.collector.stats().limited_questions, 1);
}

#[test]
fn a_lost_trace_of_pauses_is_taken_up_where_it_ended() {
    let mut world = world(settings(), &[("s3", 2)]);
    pause_s1(&mut world, 0);
    world.poll("s1", EVENT, on_path(3), &mut yes);
    world.poll("s2", EVENT, on_path(1), &mut yes);
    check(&mut world, &[("s3", 1, Follow::Pauses)], &[]);
}

#[test]
fn a_switch_that_was_only_asked_for_the_path_is_asked_for_the_pauses() {
    let mut world = world(settings(), &[("s3", 2)]);
    pause_s1(&mut world, 0);
    world.poll("s1", EVENT, on_path(3), &mut yes);
    world.poll("s2", EVENT, on_path(1), &mut yes);
    world.poll("s3", EVENT, on_path(1), &mut yes);
    check(&mut world, &[("s3", 1, Follow::Pauses)], &[]);
    // It was frozen once more: the later bank includes what the earlier one held.
    assert_eq!(world.switches["s3"].generation(), 2);
}

#[test]
fn a_pause_that_the_switches_no_longer_follow_is_not_followed() {
    // The ring holds four epochs: 6 to 9 at the freeze.
    for (end_ns, asked) in [(6 * EPOCH_NS, vec![("s3", 1, Follow::Pauses)]), (6 * EPOCH_NS - 1, Vec::new())] {
        let mut world = world(settings(), &[("s3", 2)]);
        pause_s1(&mut world, u128::from(end_ns));
        world.poll("s1", EVENT, on_path(3), &mut yes);
        world.poll("s2", EVENT, on_path(1), &mut yes);
        check(&mut world, &asked, &[]);
    }
}

#[test]
fn a_switch_without_the_program_is_not_asked() {
    let mut world = World::with(settings(), &["s1", "s3"]);
    world.now_ns = 10 * MS;
    world.poll("s1", EVENT, on_path(1), &mut yes);
    check(&mut world, &[], &["s2: does not run the switch program, although it lies on the victim's path"]);
}

#[test]
fn a_lost_report_is_told_again() {
    // s2 was asked and frozen; only its digest is gone.
    let mut world = world(settings(), &[("s2", 2)]);
    world.poll("s1", EVENT, on_path(1), &mut yes);
    let now_ns = world.now_ns;
    world.switch("s2").poll(EVENT, now_ns, on_path(1));
    world.switch("s2").set_flow(0, victim(), 9, 0, 5);
    check(&mut world, &[("s2", 1, Follow::VictimPath)], &[]);
    assert_eq!(world.snapshots[0].switch("s2").unwrap().flows[0].packets, 5);
}

proptest! {
    /// Whatever gets lost, and whatever of the answers to it: nothing is asked more often than it may, nothing that was
    /// answered is asked again, and the snapshot lacks only what never answered.
    #[test]
    fn questions_are_bounded_and_never_repeat_what_was_answered(
        arrives in prop::collection::vec(any::<bool>(), 2),
        answers in prop::collection::vec(any::<bool>(), 0..12),
        attempts in 0u32..5,
    ) {
        let settings = CollectSettings { ask_attempts: attempts, ..settings() };
        let mut world = world(settings, &[("s1", 2), ("s2", 2)]);
        complain(&mut world);
        for (name, arrives) in ["s1", "s2"].into_iter().zip(&arrives) {
            if *arrives {
                world.poll(name, EVENT, on_path(1), &mut yes);
            }
        }
        let mut answers = answers.into_iter();
        let mut moody = |_: &str, what: &str| match what {
            "ask" if answers.next() == Some(false) => Answer::Silent,
            _ => Answer::Yes,
        };
        world.pass(600 * MS, &mut moody);
        for (name, arrived) in ["s1", "s2"].into_iter().zip(&arrives) {
            let asked = world.asked.iter().filter(|(switch, _)| switch == name).count();
            prop_assert!(asked as u32 <= attempts);
            prop_assert!(!arrived || asked == 0, "{} had answered", name);
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
