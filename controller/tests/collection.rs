//! Collection of events, without and with failures.

use std::collections::BTreeMap;

use crate::support::*;
use harrier_controller::collect::{CollectSettings, Input, RequestId};
use model::{MissingData, Snapshot, Trigger, TriggerReason};
use proptest::prelude::*;

const MS: u64 = 1_000_000;

fn on_path(ingress_port: u16, victim_port: u16) -> Report {
    Report { followed: 1, ingress_port, victim_port }
}

fn yes(_: &str, _: &str) -> Answer {
    Answer::Yes
}

fn settings() -> CollectSettings {
    CollectSettings { audit_ns: 0, ..CollectSettings::default() }
}

/// Polls both switches of the victim's path at 10 ms, with one flow in each.
fn poll_path(world: &mut World, answer: &mut dyn FnMut(&str, &str) -> Answer) {
    world.pass(10 * MS, answer);
    for (name, ingress_port, victim_port) in [("s1", 1, 2), ("s2", 1, 2)] {
        world.switch(name).set_flow(0, victim(), 9, 0, 5);
        world.poll(name, 77, on_path(ingress_port, victim_port), answer);
    }
}

#[test]
fn an_event_results_in_one_snapshot() {
    let mut world = World::new(settings());
    let trigger = trigger();
    world.input(Input::Trigger { event: 77, priority: 3, trigger: trigger.clone() }, &mut yes);
    world.pass(8 * MS, &mut yes);
    assert_eq!(world.snapshots, [], "the first report may take longer than the others");
    world.poll("s1", 77, on_path(1, 2), &mut yes);
    poll_path(&mut world, &mut yes);
    assert_eq!(world.snapshots, []);
    world.pass(100 * MS, &mut yes);
    let [snapshot] = world.snapshots.as_slice() else { panic!("{:?}", world.snapshots) };
    assert_eq!((snapshot.event, snapshot.polls, snapshot.victim), (77, 3, Some(victim())));
    assert_eq!(snapshot.trigger, Some(trigger));
    assert_eq!(snapshot.missing, Vec::<MissingData>::new());
    let names: Vec<_> = snapshot.switches.iter().map(|s| (s.switch.as_str(), s.on_victim_path)).collect();
    assert_eq!(names, [("s1", true), ("s2", true)]);
    let record = &snapshot.switches[1].flows[0];
    assert_eq!((record.flow, record.epoch, record.packets, record.egress_port), (victim(), 9, 5, 2));
    assert!(world.switches.values().all(|s| !s.is_locked()));
    assert_eq!(world.switches["s2"].collected(0), 1);
}

#[test]
fn a_lost_digest_is_detected_by_the_freeze_state() {
    let mut world = World::new(settings());
    world.now_ns = 10 * MS;
    world.poll("s1", 77, on_path(1, 2), &mut yes);
    world.switch("s2").set_flow(0, victim(), 9, 0, 5);
    world.switch("s2").poll(77, 10 * MS, on_path(1, 2));
    world.pass(100 * MS, &mut yes);
    let snapshot = &world.snapshots[0];
    assert_eq!(
        texts(&snapshot.missing),
        ["s2: its report was lost, so the ports from which it was polled are unknown"]
    );
    assert_eq!(snapshot.switch("s2").unwrap().flows[0].packets, 5);
    assert!(snapshot.switch("s2").unwrap().on_victim_path);
    assert!(!world.switches["s2"].is_locked());
}

#[test]
fn a_switch_that_should_have_been_polled_is_missing() {
    let mut world = World::new(settings());
    world.now_ns = 10 * MS;
    world.poll("s1", 77, on_path(1, 2), &mut yes);
    world.pass(100 * MS, &mut yes);
    assert_eq!(
        texts(&world.snapshots[0].missing),
        ["s2: sent no report, although it lies on the victim's path"]
    );
    // A switch without the program cannot be polled.
    let mut world = World::with(settings(), &["s1", "s3"]);
    world.now_ns = 10 * MS;
    world.poll("s1", 77, on_path(1, 2), &mut yes);
    world.pass(100 * MS, &mut yes);
    assert_eq!(
        texts(&world.snapshots[0].missing),
        ["s2: does not run the switch program, although it lies on the victim's path"]
    );
}

#[test]
fn a_lost_pause_trace_is_missing() {
    let mut world = World::new(settings());
    world.now_ns = 10 * MS;
    let switch = world.switch("s1");
    // Port 3 of s1 was paused, and port 1, from which pauses are followed, feeds it.
    let status = [("paused", 1), ("start_ns", 9_900_000), ("until_ns", 20_000_000), ("frames", 2)];
    let fields = "paused:1,start_ns:48,until_ns:48,frames:32,ended_ns:48,intervals:32";
    switch.set("pause_status", 2 * 8 + 3, word(fields, &status));
    let meter = word(METER, &[("epoch", 9), ("packets", 4), ("bytes", 400)]);
    switch.set("meter_bank0", (9 % EPOCHS * PORTS) * PORTS + 2, meter);
    world.poll("s1", 77, Report { followed: 3, ingress_port: 1, victim_port: 2 }, &mut yes);
    world.poll("s2", 77, on_path(1, 2), &mut yes);
    world.pass(100 * MS, &mut yes);
    let snapshot = &world.snapshots[0];
    assert_eq!(texts(&snapshot.missing), ["s3: sent no report, although the pauses lead there from s1:3"]);
    let pause = &snapshot.switch("s1").unwrap().pauses[0];
    assert_eq!((pause.port, pause.priority, pause.start_ns, pause.end_ns), (3, 3, 9_900_000, None));
    assert!(world.log.contains(&("s3".into(), "audit".into())));
}

#[test]
fn an_unreachable_switch_is_omitted_and_released_later() {
    let mut world = World::new(settings());
    let mut dead = |switch: &str, _: &str| if switch == "s2" { Answer::Silent } else { Answer::Yes };
    poll_path(&mut world, &mut dead);
    world.pass(200 * MS, &mut dead);
    let snapshot = &world.snapshots[0];
    assert_eq!(
        texts(&snapshot.missing),
        ["s2: its registers could not be read: no response within 100000 us"]
    );
    assert!(snapshot.switch("s2").is_none());
    assert!(world.switches["s2"].is_locked());
    // When it is reachable again, it is released and keeps its counts.
    world.pass(3_000 * MS, &mut yes);
    assert!(!world.switches["s2"].is_locked());
    assert_eq!(world.switches["s2"].collected(0), 0);
}

#[test]
fn a_failed_read_is_retried_once() {
    let mut failures = 1;
    let mut flaky = |switch: &str, what: &str| {
        if switch == "s2" && what == "read" && failures > 0 {
            failures -= 1;
            return Answer::Refuse;
        }
        Answer::Yes
    };
    let mut world = World::new(settings());
    poll_path(&mut world, &mut flaky);
    world.pass(100 * MS, &mut flaky);
    assert_eq!(world.snapshots[0].missing, Vec::<MissingData>::new());

    let mut broken = |switch: &str, what: &str| {
        if switch == "s2" && what == "read" { Answer::Refuse } else { Answer::Yes }
    };
    let mut world = World::new(settings());
    poll_path(&mut world, &mut broken);
    world.pass(100 * MS, &mut broken);
    assert_eq!(texts(&world.snapshots[0].missing), ["s2: its registers could not be read: refused"]);
    assert!(!world.switches["s2"].is_locked());
    assert_eq!(world.log.last(), Some(&("s2".into(), "unlock".into())));

    // The next event, on the other bank, reports the missing counts; the one after it, on the same bank, has all.
    for (event, expected) in [
        (
            78,
            &["s2: counts from before 10.000 ms may be missing: its registers could not be read: refused"][..],
        ),
        (79, &[]),
    ] {
        world.now_ns = 11 * MS + u64::from(event);
        world.poll("s1", event, on_path(1, 2), &mut yes);
        world.poll("s2", event, on_path(1, 2), &mut yes);
        world.pass(world.now_ns + 10 * MS, &mut yes);
        assert_eq!(texts(&world.snapshots.last().unwrap().missing), expected);
        world.snapshots.clear();
    }
}

#[test]
fn a_retried_read_keeps_its_deadline_and_that_of_other_requests() {
    let mut world = World::new(settings());
    world.now_ns = 10 * MS;
    let mut silent = |_: &str, _: &str| Answer::Silent;
    world.poll("s1", 77, on_path(1, 2), &mut silent);
    world.now_ns = 30 * MS;
    world.poll("s2", 77, on_path(1, 2), &mut silent);
    // Requests 0 to 2 read the freeze state of the three switches when they connected. The read of s1 fails at 50 ms.
    world.now_ns = 50 * MS;
    world.input(Input::Failed { request: RequestId(3), reason: "refused".into() }, &mut silent);
    let reads = |world: &World, name: &str| {
        world.log.iter().filter(|(switch, what)| switch == name && what == "read").count()
    };
    assert_eq!((reads(&world, "s1"), reads(&world, "s2")), (2, 1));
    // The timeout of reads is 100 ms.
    world.pass(110 * MS - 1, &mut silent);
    assert_eq!(world.log.iter().filter(|(_, what)| what == "unlock").count(), 0);
    world.pass(110 * MS, &mut silent);
    assert_eq!(world.log.last(), Some(&("s1".into(), "unlock".into())));
    world.pass(130 * MS - 1, &mut silent);
    assert_eq!(world.log.iter().filter(|entry| **entry == ("s2".into(), "unlock".into())).count(), 0);
    world.pass(130 * MS, &mut silent);
    assert_eq!(world.log.iter().filter(|entry| **entry == ("s2".into(), "unlock".into())).count(), 1);
}

#[test]
fn a_restarted_controller_reads_frozen_banks() {
    let mut world = World::new(settings());
    world.now_ns = 10 * MS;
    world.switch("s2").set_flow(0, victim(), 9, 0, 5);
    let report = world.switch("s2").poll(77, 10 * MS, on_path(1, 2));
    let switches = world.switches.clone();
    let mut world = World::new(settings());
    world.switches = switches;
    world.now_ns = 11 * MS;
    world.input(Input::Connected { switch: "s2".into() }, &mut yes);
    let log: Vec<&str> = world.log.iter().map(|(_, what)| what.as_str()).collect();
    assert_eq!(log, ["audit", "read", "unlock collected"]);
    assert!(!world.switches["s2"].is_locked());
    // The reports of that event arrive later and refer to the frozen bank.
    let fields = report;
    world.input(Input::Digest { switch: "s2".into(), name: "poll_report_t".into(), fields }, &mut yes);
    world.poll("s1", 77, on_path(1, 2), &mut yes);
    world.pass(100 * MS, &mut yes);
    let [snapshot] = world.snapshots.as_slice() else { panic!("{:?}", world.snapshots) };
    assert_eq!(snapshot.missing, Vec::<MissingData>::new());
    assert_eq!(snapshot.switch("s2").unwrap().flows[0].packets, 5);
}

#[test]
fn a_restarted_controller_releases_banks_that_it_cannot_read() {
    let mut world = World::new(settings());
    world.now_ns = 10 * MS;
    world.switch("s2").set_flow(0, victim(), 9, 0, 5);
    world.switch("s2").poll(77, 10 * MS, on_path(1, 2));
    let switches = world.switches.clone();
    let mut world = World::new(settings());
    world.switches = switches;
    world.now_ns = 11 * MS;
    let mut broken = |_: &str, what: &str| if what == "read" { Answer::Refuse } else { Answer::Yes };
    world.input(Input::Connected { switch: "s2".into() }, &mut broken);
    assert!(!world.switches["s2"].is_locked());
    // The rows are still in the switch and must not be marked as collected.
    assert_eq!(world.switches["s2"].collected(0), 0);
}

#[test]
fn earlier_banks_are_part_of_the_ring() {
    let mut world = World::new(settings());
    poll_path(&mut world, &mut yes);
    world.pass(16 * MS, &mut yes);
    // Two epochs later, in the other bank: the same flow and a new one.
    world.now_ns = 12 * MS;
    world.switch("s2").set_flow(0, victim(), 9, 1, 2);
    world.switch("s2").set_flow(1, flow(1), 11, 1, 3);
    world.poll("s1", 78, on_path(1, 2), &mut yes);
    world.poll("s2", 78, on_path(1, 2), &mut yes);
    world.pass(30 * MS, &mut yes);
    let counts = |n: usize| -> Vec<_> {
        let telemetry = world.snapshots[n].switch("s2").unwrap();
        telemetry.flows.iter().map(|f| (f.flow, f.epoch, f.packets)).collect()
    };
    assert_eq!(counts(0), [(victim(), 9, 5)]);
    // Two reads of an epoch result in two records.
    assert_eq!(counts(1), [(victim(), 9, 5), (victim(), 9, 2), (flow(1), 11, 3)]);
    // Nothing was counted in epochs 8 and 10, and the records cover them.
    let epochs = world.snapshots[1].switch("s2").unwrap().epochs.iter().map(|epoch| epoch.id);
    assert_eq!(epochs.collect::<Vec<_>>(), [8, 9, 10, 11]);
}

#[test]
fn a_second_event_on_a_frozen_switch_shares_the_bank() {
    let mut world = World::new(settings());
    let mut slow = |_: &str, _: &str| Answer::Silent;
    world.now_ns = 10 * MS;
    world.switch("s2").set_flow(0, victim(), 9, 0, 5);
    world.poll("s1", 77, on_path(1, 2), &mut yes);
    world.poll("s2", 77, on_path(1, 2), &mut slow);
    world.now_ns = 10 * MS + 500;
    world.poll("s1", 78, on_path(1, 2), &mut yes);
    world.poll("s2", 78, on_path(1, 2), &mut slow);
    let reads = world.log.iter().filter(|(s, what)| s == "s2" && what == "read").count();
    assert_eq!(reads, 1, "one bank is read once");
    world.pass(300 * MS, &mut yes);
    assert_eq!(world.snapshots.len(), 2);
    assert!(world.switches.values().all(|s| !s.is_locked()));
}

#[test]
fn a_bank_frozen_for_another_event_is_used_and_reported() {
    let mut world = World::new(settings());
    world.now_ns = 10 * MS;
    world.switch("s2").set_flow(0, victim(), 9, 0, 5);
    let first = world.switch("s2").poll(77, 10 * MS, on_path(1, 2));
    world.now_ns += 500;
    let second = world.switch("s2").poll(78, 10 * MS + 500, on_path(1, 2));
    world.poll("s1", 77, on_path(1, 2), &mut yes);
    world.poll("s1", 78, on_path(1, 2), &mut yes);
    for fields in [first, second] {
        let digest = Input::Digest { switch: "s2".into(), name: "poll_report_t".into(), fields };
        world.input(digest, &mut yes);
    }
    world.pass(100 * MS, &mut yes);
    let missing: Vec<_> = world.snapshots.iter().map(|s| texts(&s.missing)).collect();
    assert_eq!(missing[0], Vec::<String>::new());
    assert_eq!(
        missing[1],
        [
            "s2: already frozen at 10.000 ms for the poll of 10.0.0.1:1000>10.0.0.2:4791/udp; records of the 500 ns until this poll are not included"
        ]
    );
    assert_eq!(world.snapshots[1].switch("s2").unwrap().flows[0].packets, 5);
}

#[test]
fn a_switch_that_was_frozen_for_another_event_is_polled_again_after_its_release() {
    let mut world = World::new(CollectSettings { poll_retries: 3, ..settings() });
    world.now_ns = 10 * MS;
    world.reachable = BTreeMap::from([("s2".to_string(), 2)]);
    world.switch("s2").set_flow(0, victim(), 9, 0, 5);
    let first = world.switch("s2").poll(77, 10 * MS, on_path(1, 2));
    world.now_ns += 500;
    // Packets of the active bank, which the first freeze does not include.
    world.switch("s2").set_flow(1, victim(), 9, 1, 3);
    let second = world.switch("s2").poll(78, 10 * MS + 500, on_path(1, 2));
    world.poll("s1", 77, on_path(1, 2), &mut yes);
    world.poll("s1", 78, on_path(1, 2), &mut yes);
    // The bank is read and released after the first digest here.
    for fields in [second, first] {
        let digest = Input::Digest { switch: "s2".into(), name: "poll_report_t".into(), fields };
        world.input(digest, &mut yes);
    }
    world.pass(100 * MS, &mut yes);
    let polled: Vec<_> = world.polled.iter().map(|(s, packet)| (s.as_str(), packet.polling.event)).collect();
    assert_eq!(polled, [("s2", 78)], "once, and only for the event that lacks records");
    assert_eq!(world.collector.stats().polls_after_release, 1);
    let packets = |snapshot: &Snapshot| -> u64 {
        snapshot.switch("s2").expect("s2 reported").flows.iter().map(|flow| flow.packets).sum()
    };
    assert_eq!(world.snapshots.iter().map(packets).collect::<Vec<_>>(), [5, 8]);
    assert!(world.snapshots.iter().all(|snapshot| snapshot.missing.is_empty()));
    assert!(world.switches.values().all(|switch| !switch.is_locked()));
}

#[test]
fn the_id_of_an_old_event_can_be_used_again() {
    // An agent that restarts numbers its events from the beginning. Switches forget a polling packet after 1.07 s.
    let mut world = World::new(settings());
    poll_path(&mut world, &mut yes);
    world.pass(3_000 * MS, &mut yes);
    let trigger = Trigger {
        host: "h1".into(),
        flow: victim(),
        time_ns: 3_000 * MS,
        reason: TriggerReason::Silence,
        base_rtt_ns: 9_000,
        expected_ns: None,
        follows: None,
        rtt_ns: 60_000,
    };
    world.input(Input::Trigger { event: 77, priority: 3, trigger: trigger.clone() }, &mut yes);
    for name in ["s1", "s2"] {
        world.poll(name, 77, on_path(1, 2), &mut yes);
    }
    world.pass(3_100 * MS, &mut yes);
    let [first, second] = world.snapshots.as_slice() else { panic!("{:?}", world.snapshots) };
    assert_eq!((first.trigger.clone(), second.trigger.clone()), (None, Some(trigger)));
    assert_eq!(second.missing, Vec::<MissingData>::new());
    assert_eq!(world.collector.stats().late_polls, 0);
}

#[test]
fn many_simultaneous_events_share_one_freeze() {
    // All hosts of a large network poll at once, each for several flows: one freeze serves all of them.
    let mut world = World::new(settings());
    world.now_ns = 10 * MS;
    world.switch("s2").set_flow(0, victim(), 9, 0, 5);
    for event in 0..2_560 {
        world.now_ns += 10;
        for name in ["s1", "s2"] {
            let now_ns = world.now_ns;
            let fields = world.switch(name).poll(event, now_ns, on_path(1, 2));
            let digest = Input::Digest { switch: name.into(), name: "poll_report_t".into(), fields };
            // The registers arrive after all polls.
            world.input(digest, &mut |_, _| Answer::Silent);
        }
    }
    assert_eq!(world.log.len(), 2, "each bank is read once");
    // The first three requests read the freeze state of the switches that connected.
    for (request, name) in [(RequestId(3), "s1"), (RequestId(4), "s2")] {
        world.answer_read(request, name);
    }
    world.pass(20 * MS, &mut yes);
    assert_eq!(world.snapshots.len(), 2_560);
    for snapshot in &world.snapshots {
        let late = |gap: &MissingData| !matches!(gap, MissingData::FrozenBefore { event: 0, .. });
        assert!(snapshot.missing.iter().all(|gap| !late(gap)), "{:?}", snapshot.missing);
        assert_eq!(snapshot.switch("s2").unwrap().flows[0].packets, 5);
    }
}

#[test]
fn an_event_that_is_emitted_early_reports_the_reason() {
    let mut world = World::new(CollectSettings { max_events: 2, ..settings() });
    world.now_ns = 10 * MS;
    for event in [77, 78, 79] {
        world.poll("s1", event, on_path(1, 2), &mut |_, _| Answer::Silent);
    }
    let [snapshot] = world.snapshots.as_slice() else { panic!("{:?}", world.snapshots) };
    assert_eq!(snapshot.event, 77);
    assert_eq!(
        texts(&snapshot.missing),
        [
            "s2: sent no report, although it lies on the victim's path",
            "s1: its registers had not been read when the snapshot was emitted early: more than 2 events were open"
        ]
    );
    assert_eq!(world.collector.stats().emitted_early, 1);
}

#[test]
fn lost_evictions_are_reported() {
    let mut world = World::new(settings());
    world.now_ns = 10 * MS;
    for (sequence, n) in [(1u32, 1), (3, 2)] {
        let [id, counts, marks] = FakeSwitch::slot(flow(n), 9, 0, 4, 9 * EPOCH_NS);
        let fields =
            vec![id, counts, marks, sequence.to_be_bytes().to_vec(), (10 * MS).to_be_bytes().to_vec()];
        let digest = Input::Digest { switch: "s2".into(), name: "flow_eviction_t".into(), fields };
        world.input(digest, &mut yes);
    }
    world.switch("s2").evictions = 5;
    poll_path(&mut world, &mut yes);
    world.pass(100 * MS, &mut yes);
    let snapshot = &world.snapshots[0];
    assert_eq!(texts(&snapshot.missing), ["s2: 3 evicted flow records did not arrive"]);
    let found: Vec<_> = snapshot.switch("s2").unwrap().flows.iter().map(|f| (f.packets, f.evicted)).collect();
    assert_eq!(found, [(5, false), (4, true), (4, true)]);
}

#[test]
fn a_late_report_releases_the_switch_without_a_second_snapshot() {
    let mut world = World::new(settings());
    poll_path(&mut world, &mut yes);
    world.pass(100 * MS, &mut yes);
    world.poll("s3", 77, on_path(1, 2), &mut yes);
    world.pass(300 * MS, &mut yes);
    assert_eq!(world.snapshots.len(), 1);
    assert!(!world.switches["s3"].is_locked());
    assert_eq!(world.collector.stats().late_polls, 1);
}

proptest! {
    /// For any failures of the switches: every event results in one snapshot, and no switch stays frozen.
    #[test]
    fn every_event_is_emitted_once_and_every_switch_is_released(
        answers in prop::collection::vec(0u8..4, 0..60),
        polls in prop::collection::vec((0usize..3, 0u32..4, any::<bool>(), 0u64..20_000_000), 1..20),
    ) {
        let mut answers = answers.into_iter();
        let mut moody = |_: &str, _: &str| match answers.next() {
            Some(0) => Answer::Silent,
            Some(1) => Answer::Refuse,
            _ => Answer::Yes,
        };
        let mut world = World::new(CollectSettings { audit_ns: 1_000 * MS, ..settings() });
        let mut events = std::collections::BTreeSet::new();
        for (switch, event, is_lost, gap) in polls {
            let until = world.now_ns + gap;
            world.pass(until, &mut moody);
            let name = ["s1", "s2", "s3"][switch];
            if is_lost {
                let now_ns = world.now_ns;
                world.switch(name).poll(event, now_ns, on_path(1, 2));
            } else {
                world.poll(name, event, on_path(1, 2), &mut moody);
                events.insert(event);
            }
        }
        let until = world.now_ns + 20_000 * MS;
        world.pass(until, &mut moody);
        let mut emitted: Vec<u32> = world.snapshots.iter().map(|s| s.event).collect();
        emitted.sort_unstable();
        prop_assert_eq!(emitted, events.into_iter().collect::<Vec<_>>());
        // A lost digest without an open event is detected by the periodic read of the freeze state.
        let until = world.now_ns + 3_000 * MS;
        world.collector.handle(until, Input::UnlockDone { request: RequestId(u64::MAX) });
        world.pass(until, &mut moody);
        for (name, switch) in &world.switches {
            prop_assert!(!switch.is_locked(), "{} stays frozen", name);
        }
    }
}
