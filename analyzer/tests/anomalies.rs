//! Every anomaly as a small hand-written snapshot, and the ways in which telemetry can mislead.

use crate::support::stories::{
    background, burst_into_a_standing_queue, contention, early_poll, own_queue, ring, storm,
};
use crate::support::*;
use model::{Anomaly, Cause, FlowKey, MissingData};

const INCAST: Expect<'static> = Expect {
    anomaly: Anomaly::PfcBackpressureFlowContention,
    cause: Cause::Incast,
    root: Some("sw4:2"),
    host: None,
    culprits: &["a1-h3", "a2-h3", "a3-h3", "a4-h3"],
    path: &["sw1:1", "sw2:3", "sw4:2"],
    pause_loop: &[],
    spreaders: &["h1-h3"],
    confidence: 0.9..=1.0,
};

#[test]
fn a_poll_early_in_a_burst_names_the_burst_and_not_the_long_running_flow() {
    check(&early_poll(), &[INCAST]);
}

#[test]
fn a_standing_queue_of_one_flow_is_not_the_event() {
    check(&burst_into_a_standing_queue(), &[INCAST]);
    let found = burst_into_a_standing_queue().diagnose();
    let claim =
        found[0].evidence.iter().map(|e| e.claim.as_str()).find(|c| c.contains("flows built the queue"));
    assert!(claim.is_some_and(|c| c.ends_with("over 24.0 us)")), "{claim:?}");
}

#[test]
fn a_burst_flow_that_is_paused_on_its_way_is_no_victim_though_the_records_are_too_short_to_name_it() {
    let mut story = early_poll();
    let spreader = story.flow("h1", "h3");
    let root = story.snapshot.switches.iter_mut().find(|s| s.switch == "sw4").unwrap();
    root.epochs.retain(|epoch| epoch.id == EPOCH);
    root.epochs[0].start_ns = T0 + 890 * US;
    root.flows.retain(|f| f.epoch == EPOCH);
    let record = root.flows.iter_mut().find(|f| f.flow == spreader).unwrap();
    (record.packets, record.seen_ns) = (100, Some((T0 + 900 * US, T0 + 925 * US)));
    check(&story, &[Expect { confidence: 0.3..=0.5, ..INCAST }]);
    let found = story.diagnose();
    assert!(!found[0].victims.contains(&spreader), "{:?}", found[0].victims);
    assert!(
        found[0].summary.ends_with("sends as much to that port and spreads the congestion"),
        "{found:#?}"
    );
    // The records begin 50 us before its first packet: a running flow would have sent, so it is a new one.
    let root = story.snapshot.switches.iter_mut().find(|s| s.switch == "sw4").unwrap();
    root.epochs[0].start_ns = T0 + 850 * US;
    root.ports.retain(|slot| slot.epoch == EPOCH);
    for slot in root.ports.iter_mut().filter(|slot| slot.port == 2) {
        slot.packets = Some(root.flows.iter().map(|f| f.packets).sum());
    }
    let culprits = &["a1-h3", "a2-h3", "a3-h3", "a4-h3", "h1-h3"];
    check(&story, &[Expect { confidence: 0.3..=1.0, culprits, spreaders: &[], ..INCAST }]);
}

#[test]
fn a_queue_of_the_victim_alone_is_no_root_if_there_is_a_burst() {
    let culprits = &["a1-h5", "a2-h5", "a3-h5", "a4-h5"];
    let path = &["sw2:2", "sw3:3"];
    check(&own_queue(true), &[Expect { root: Some("sw3:3"), culprits, path, spreaders: &[], ..INCAST }]);
}

#[test]
fn a_queue_of_the_victim_alone_is_reported_as_its_own() {
    let expected = Expect {
        anomaly: Anomaly::SelfInflicted,
        cause: Cause::Undetermined,
        root: Some("sw3:2"),
        culprits: &["h2-h4"],
        path: &["sw2:2", "sw3:2"],
        spreaders: &[],
        ..INCAST
    };
    check(&own_queue(false), &[expected]);
    let found = own_queue(false).diagnose();
    assert!(
        found[0].summary.ends_with(
            "100 % of the packets queued at that port are its own: it sends faster than the port drains"
        ),
        "{}",
        found[0].summary
    );
    assert_eq!(found[0].missing, Vec::<String>::new());
}

#[test]
fn a_thin_flow_in_a_queue_that_the_victim_made_is_not_named() {
    let mut topology = line_network();
    set_host_rate(&mut topology, "h1", 100);
    set_host_rate(&mut topology, "h3", 50);
    let mut story = background(Story::new(topology), 925);
    let (victim, thin) = (story.flow("h1", "h3"), story.flow("a1", "h3"));
    story = story
        .triggered(victim, 923, 9, 20)
        .saw(at(victim, 1, "sw4:2", 300, (900, 925)).queued(298, 70, (900, 925)))
        .saw(at(thin, 3, "sw4:2", 40, (0, 925)).queued(4, 70, (905, 924)));
    let own = Expect {
        anomaly: Anomaly::SelfInflicted,
        cause: Cause::Undetermined,
        root: Some("sw4:2"),
        culprits: &["h1-h3"],
        path: &[],
        spreaders: &[],
        ..INCAST
    };
    check(&story, &[own]);
    // With as many packets as the victim, neither flow alone made the queue: both are culprits, and the evidence states
    // the victim's share.
    let burst = story.flow("a2", "h3");
    story = story.saw(at(burst, 4, "sw4:2", 300, (900, 925)).queued(298, 70, (900, 925)));
    let contention = Expect {
        anomaly: Anomaly::FlowContention,
        cause: Cause::Incast,
        root: Some("sw4:2"),
        culprits: &["a2-h3", "h1-h3"],
        path: &[],
        spreaders: &[],
        confidence: 0.8..=1.0,
        ..INCAST
    };
    check(&story, &[contention]);
    let found = story.diagnose();
    assert!(found[0].evidence.iter().any(|e| e.claim.ends_with("50 % of its packets are the victim's")));
}

#[test]
fn a_victim_that_spreads_the_congestion_is_not_listed_as_spreader() {
    let mut story = early_poll();
    let f2 = story.flow("h1", "h3");
    story = story.triggered(f2, 923, 9, 30);
    check(&story, &[Expect { spreaders: &[], ..INCAST }]);
}

#[test]
fn a_snapshot_without_a_victim_gives_the_same_verdict() {
    let mut story = early_poll();
    (story.snapshot.victim, story.snapshot.trigger) = (None, None);
    check(&story, &[INCAST]);
    assert_eq!(names(&story.topology, story.diagnose()[0].victim.as_slice()), ["h2-h4"]);
}

#[test]
fn an_earlier_burst_of_the_same_epoch_is_another_event() {
    let mut story = early_poll();
    for host in ["a1", "a2"] {
        // The old burst came from the same hosts with other flows, and was larger.
        let mut old = story.flow(host, "h3");
        old.sport = 20_000;
        story = story.saw(at(old, 3, "sw4:2", 400, (200, 240)).queued(390, 200, (201, 240)));
    }
    story = story.paused("sw2:3", (205, 240)).paused("sw1:1", (210, 238));
    check(&story, &[INCAST]);
    // A trigger at the time of the earlier burst gives the verdict on that one.
    let f1 = story.flow("h2", "h4");
    story = story.triggered(f1, 240, 9, 30);
    let found = story.diagnose();
    assert!(found[0].root_cause.flows.iter().all(|f| f.sport == 20_000), "{:#?}", found[0].root_cause);
    assert_eq!(found[0].root_cause.flows.len(), 2);
}

#[test]
fn senders_that_are_paused_upstream_are_still_culprits() {
    // A new flow behind the same pause as the victim: h2 also sends to h3, as part of the burst.
    let mut story = early_poll();
    let mut burst = story.flow("h2", "h3");
    burst.sport = 30_000;
    story = story
        .saw(at(burst, 3, "sw1:1", 60, (898, 925)).queued(40, 20, (911, 924)).paused(20))
        .saw(at(burst, 1, "sw2:3", 58, (899, 925)).queued(40, 25, (906, 924)).paused(20))
        .saw(at(burst, 1, "sw4:2", 50, (900, 925)).queued(50, 70, (901, 925)));
    check(&story, &[Expect { culprits: &["a1-h3", "a2-h3", "a3-h3", "a4-h3", "h2-h3"], ..INCAST }]);
}

#[test]
fn recurring_congestion_is_not_a_previous_rate() {
    // The same four senders had filled the queue in the epoch before; one of them shares the victim's path.
    let mut story = early_poll();
    for (host, ingress) in [("a1", 3), ("a2", 4), ("a3", 5), ("a4", 6)] {
        let burst = story.flow(host, "h3");
        story = story
            .saw(at(burst, ingress, "sw4:2", 900, (400, 800)).queued(890, 60, (400, 800)).epoch_before());
    }
    check(&story, &[INCAST]);
}

#[test]
fn an_epoch_ring_that_starts_in_the_event_lowers_the_confidence_and_the_spreader_is_no_culprit() {
    let mut story = early_poll();
    for switch in &mut story.snapshot.switches {
        switch.epochs.remove(0);
        switch.epochs[0].start_ns = T0 + 895 * US;
        switch.flows.retain(|f| f.epoch == EPOCH);
        switch.ports.retain(|f| f.epoch == EPOCH);
        switch.meters.retain(|f| f.epoch == EPOCH);
        for f in &mut switch.flows {
            f.packets = f.packets.min(110);
            f.seen_ns = f.seen_ns.map(|(a, b)| (a.max(T0 + 896 * US), b));
            f.queued_ns = f.queued_ns.map(|(a, b)| (a.max(T0 + 896 * US), b));
        }
        for slot in &mut switch.ports {
            let of_port = switch.flows.iter().filter(|f| f.egress_port == slot.port);
            slot.packets = Some(of_port.map(|f| f.packets).sum());
        }
    }
    check(&story, &[Expect { confidence: 0.5..=0.9, ..INCAST }]);
    assert!(story.diagnose()[0].missing.iter().any(|m| m.contains("does not cover the time before")));
}

#[test]
fn lost_flow_records_are_reported_and_no_bystander_is_named() {
    let mut story = early_poll();
    let f2 = story.flow("h1", "h3");
    let sw4 = story.snapshot.switches.iter_mut().find(|s| s.switch == "sw4").unwrap();
    sw4.flows.retain(|f| f.flow == f2);
    check(&story, &[Expect { cause: Cause::Undetermined, culprits: &[], confidence: 0.1..=0.4, ..INCAST }]);
    assert!(
        story.diagnose()[0]
            .missing
            .iter()
            .any(|m| m.contains("no flow record shows which flows built the queue at sw4:2"))
    );
}

#[test]
fn a_switch_that_did_not_report_is_listed_as_missing() {
    let mut story = early_poll().missing("switch sw4 did not answer within 80 ms");
    story.snapshot.switches.retain(|s| s.switch != "sw4");
    check(&story, &[Expect { cause: Cause::Undetermined, culprits: &[], confidence: 0.1..=0.4, ..INCAST }]);
    let d = &story.diagnose()[0];
    assert!(d.missing.iter().any(|m| m.contains("switch sw4 sent no telemetry")), "{:?}", d.missing);
}

#[test]
fn a_missing_switch_off_the_pause_path_does_not_change_the_verdict() {
    let mut story = early_poll();
    story.snapshot.switches.retain(|s| s.switch != "sw3");
    check(&story, &[INCAST]);
    assert!(story.diagnose()[0].missing.iter().any(|m| m.contains("sw3")));
}

#[test]
fn flows_of_other_priorities_do_not_contribute() {
    let mut story = early_poll();
    let other = story.flow("a1", "h3").reversed();
    story = story.saw(at(other, 3, "sw4:2", 900, (900, 925)).queued(900, 90, (900, 925)).class(5));
    check(&story, &[INCAST]);
}

#[test]
fn two_branches_give_two_verdicts() {
    // sw3:2 is congested as well, by three flows from hosts behind sw3.
    let mut topology = line_network();
    let more = network(
        &[("b1", "10.0.2.1"), ("b2", "10.0.2.2"), ("b3", "10.0.2.3")],
        &[("b1:1", "sw3:3", 100), ("b2:1", "sw3:4", 100), ("b3:1", "sw3:5", 100)],
    );
    topology.nodes.extend(more.nodes.into_iter().filter(|n| n.name.starts_with('b')));
    topology.links.extend(more.links);
    let mut story = early_poll();
    story.topology = topology;
    for (host, ingress) in [("b1", 3), ("b2", 4), ("b3", 5)] {
        let burst = story.flow(host, "h4");
        story = story.saw(at(burst, ingress, "sw3:2", 80, (900, 925)).queued(79, 80, (900, 925)));
    }
    let f1 = story.flow("h2", "h4");
    for s in &mut story.snapshot.switches {
        for f in s.flows.iter_mut().filter(|f| f.flow == f1 && f.epoch == EPOCH) {
            match s.switch.as_str() {
                "sw2" => (f.paused_packets, f.queued_packets, f.depth_sum) = (20, Some(60), 1_500),
                "sw3" => (f.queued_packets, f.depth_sum) = (Some(60), 60 * 80),
                _ => continue,
            }
            f.queued_ns = Some((T0 + 903 * US, T0 + 925 * US));
        }
        if let Some(slot) = s.ports.iter_mut().find(|p| s.switch == "sw2" && p.port == 2 && p.epoch == EPOCH)
        {
            (slot.paused_packets, slot.depth_sum) = (20, 1_500);
        }
    }
    story = story.paused("sw2:2", (905, 920));
    let second = Expect {
        root: Some("sw3:2"),
        culprits: &["b1-h4", "b2-h4", "b3-h4"],
        path: &["sw1:1", "sw2:2", "sw3:2"],
        spreaders: &[],
        ..INCAST
    };
    let found = story.diagnose();
    if found[0].root_cause.port == Some(port("sw3:2")) {
        check(&story, &[second, INCAST]);
    } else {
        check(&story, &[INCAST, second]);
    }
}

#[test]
fn a_storming_nic_is_named_and_no_flow() {
    check(
        &storm(),
        &[Expect {
            anomaly: Anomaly::PfcStormHostInjection,
            cause: Cause::NicStorm,
            host: Some("h3"),
            culprits: &[],
            ..INCAST
        }],
    );
}

#[test]
fn many_short_pauses_are_a_slow_receiver() {
    let mut story = storm();
    let sw4 = story.snapshot.switches.iter_mut().find(|s| s.switch == "sw4").unwrap();
    sw4.pauses.clear();
    still_receives(sw4);
    for n in 0..9 {
        story = story.paused("sw4:2", (500 + 10 * n, 506 + 10 * n));
    }
    check(
        &story,
        &[Expect {
            anomaly: Anomaly::PfcStormHostInjection,
            cause: Cause::SlowReceiver,
            host: Some("h3"),
            culprits: &[],
            ..INCAST
        }],
    );
}

/// Packets arrive for h3 until just before the freeze.
fn still_receives(sw4: &mut model::SwitchTelemetry) {
    for record in sw4.flows.iter_mut().filter(|record| record.egress_port == 2) {
        record.seen_ns = record.seen_ns.map(|(from, _)| (from, T0 + 595 * US));
    }
}

/// Returns the storm's snapshot with other pauses of sw4:2: the times of each in microseconds and its number of frames.
fn paused_by_h3(pauses: &[((u64, Option<u64>), u64)]) -> Story {
    let mut story = storm();
    let sw4 = story.snapshot.switches.iter_mut().find(|s| s.switch == "sw4").unwrap();
    let one = sw4.pauses.pop().unwrap();
    still_receives(sw4);
    sw4.pauses.extend(pauses.iter().map(|((from, to), frames)| model::telemetry::PauseInterval {
        start_ns: T0 + from * US,
        end_ns: to.map(|to| T0 + to * US),
        frames: *frames,
        ..one.clone()
    }));
    story
}

#[test]
fn a_pause_with_a_resume_is_a_slow_receiver_and_one_without_end_a_storm() {
    let expect = |cause, confidence| Expect {
        anomaly: Anomaly::PfcStormHostInjection,
        cause,
        host: Some("h3"),
        culprits: &[],
        confidence,
        ..INCAST
    };
    // Read in the second and in the third pause of a slow receiver.
    let slow = || expect(Cause::SlowReceiver, 0.7..=0.8);
    check(&paused_by_h3(&[((500, Some(538)), 1), ((541, None), 1)]), &[slow()]);
    check(&paused_by_h3(&[((500, Some(538)), 3), ((541, Some(586)), 3), ((589, None), 2)]), &[slow()]);
    // A single pause without a refresh can be either.
    check(&paused_by_h3(&[((500, None), 1)]), &[expect(Cause::Undetermined, 0.5..=0.6)]);
    // A storm after a short pause.
    check(&paused_by_h3(&[((500, Some(504)), 1), ((508, None), 9)]), &[expect(Cause::NicStorm, 0.7..=0.8)]);
    // A storm whose pauses expire just before the next frame.
    check(&paused_by_h3(&[((500, Some(550)), 1), ((550, None), 1)]), &[expect(Cause::NicStorm, 0.9..=1.0)]);
}

const CONTENTION: Expect<'static> = Expect {
    anomaly: Anomaly::FlowContention,
    culprits: &["a1-h3", "a2-h3"],
    path: &[],
    spreaders: &[],
    ..INCAST
};

#[test]
fn contention_without_pauses_is_flow_contention() {
    check(&contention((900, 925)), &[CONTENTION]);
}

#[test]
fn contention_is_less_certain_if_a_switch_of_the_path_did_not_report() {
    let mut story = contention((900, 925));
    story.snapshot.switches.retain(|switch| switch.switch != "sw2");
    check(&story, &[Expect { confidence: 0.4..=0.5, ..CONTENTION }]);
    let missing = story.diagnose().remove(0).missing;
    assert!(missing.iter().any(|text| text.contains("switch sw2 on the victim's path")), "{missing:?}");
}

#[test]
fn the_time_of_a_pause_does_not_count_towards_a_previous_rate() {
    // a2 sends about three packets per microsecond whenever the port can send; a1 is new. While the port was paused,
    // neither could send.
    let story = background(Story::new(line_network()), 925);
    let (victim, steady, burst) = (story.flow("h1", "h3"), story.flow("a2", "h3"), story.flow("a1", "h3"));
    let story = story
        .triggered(victim, 923, 9, 20)
        .paused("sw4:2", (150, 800))
        .saw(at(victim, 1, "sw4:2", 1_000, (0, 925)).queued(20, 70, (900, 925)))
        .saw(at(steady, 3, "sw4:2", 830, (0, 925)).queued(75, 70, (900, 925)))
        .saw(at(burst, 4, "sw4:2", 130, (900, 925)).queued(128, 70, (901, 925)));
    let confidence = 0.85..=0.9;
    check(&story, &[Expect { cause: Cause::Undetermined, culprits: &["a1-h3"], confidence, ..CONTENTION }]);
}

#[test]
fn two_long_running_large_flows_are_an_elephant_collision() {
    let story = background(Story::new(line_network()), 925);
    let (f1, f2) = (story.flow("h2", "h4"), story.flow("h1", "h3"));
    let mut third = story.flow("h1", "h4");
    third.sport = 40_000;
    let both =
        |s: Story, f, ingress| s.saw(at(f, ingress, "sw1:1", 4_000, (0, 925)).queued(3_900, 60, (0, 925)));
    let story = both(both(story, f1, 3), f2, 2)
        .saw(at(third, 2, "sw1:1", 20, (100, 920)).queued(20, 60, (100, 920)))
        .triggered(third, 923, 9, 30);
    check(
        &story,
        &[Expect {
            anomaly: Anomaly::FlowContention,
            cause: Cause::ElephantCollision,
            root: Some("sw1:1"),
            culprits: &["h1-h3", "h2-h4"],
            path: &[],
            spreaders: &[],
            confidence: 0.7..=1.0,
            ..INCAST
        }],
    );
}

#[test]
fn a_slow_flow_on_a_path_without_queues_is_host_only() {
    let story = background(Story::new(line_network()), 925);
    check(&story, &[Expect::default()]);
}

#[test]
fn a_quiet_network_without_a_trigger_has_no_verdict() {
    let mut story = background(Story::new(line_network()), 925);
    story.snapshot.trigger = None;
    check(&story, &[]);
    story.snapshot.victim = None;
    check(&story, &[]);
    check(&Story::new(line_network()), &[]);
}

/// Adds the loop's pauses, and the burst of q3 that built a queue at r3:1 before r3:1 was paused.
fn burst_in_the_ring(story: Story) -> Story {
    let story = story.still_paused("r1:1", 612).still_paused("r2:1", 606).still_paused("r3:1", 630);
    let (victim, burst) = (story.flow("p1", "p3"), story.flow("q3", "p1"));
    story
        .triggered(victim, 690, 9, 60)
        .saw(at(burst, 4, "r3:1", 150, (590, 640)).queued(140, 50, (592, 640)).paused(10))
}

const IN_THE_RING: Expect<'static> = Expect {
    anomaly: Anomaly::DeadlockInLoopContention,
    cause: Cause::Undetermined,
    root: Some("r3:1"),
    culprits: &["q3-p1"],
    path: &["r1:1", "r2:1", "r3:1"],
    pause_loop: &["r1:1", "r2:1", "r3:1"],
    spreaders: &["p2-p1", "p3-p2"],
    // The loop was read 70 us after it closed.
    confidence: 0.7..=0.8,
    ..INCAST
};

#[test]
fn a_burst_in_the_loop_is_the_root_of_its_deadlock() {
    check(&burst_in_the_ring(ring()), &[IN_THE_RING]);
}

#[test]
fn a_loop_that_closed_again_has_a_root_cause_of_its_own() {
    let opened = ["r1:1", "r2:1", "r3:1"].iter().fold(ring(), |story, port| story.paused(port, (400, 570)));
    // The first deadlock began in the queue of r2:1, and that burst has ended; this one began at r3:1.
    let before = opened.flow("q2", "p1");
    let opened = opened.saw(at(before, 4, "r2:1", 150, (360, 410)).queued(140, 50, (362, 410)).paused(10));
    check(&burst_in_the_ring(opened), &[IN_THE_RING]);
}

/// Adds four flows that contend at r3:3, outside the loop.
fn contention_outside(story: Story) -> Story {
    let victim = story.flow("p1", "p3");
    let story = story.triggered(victim, 690, 9, 60);
    [("p2", 2), ("q2", 2), ("q1", 2), ("q3", 4)].into_iter().fold(story, |story, (host, ingress)| {
        let burst = FlowKey { sport: 777, ..story.flow(host, "p3") };
        story.saw(at(burst, ingress, "r3:3", 200, (590, 690)).queued(190, 60, (592, 690)))
    })
}

const OUT_OF_THE_RING: Expect<'static> = Expect {
    anomaly: Anomaly::DeadlockOutOfLoopContention,
    root: Some("r3:3"),
    culprits: &["p2-p3", "q1-p3", "q2-p3", "q3-p3"],
    path: &["r1:1", "r2:1", "r3:3"],
    pause_loop: &["r1:1", "r2:1", "r3:1"],
    spreaders: &["p2-p1", "p3-p2"],
    confidence: 0.7..=0.9,
    ..INCAST
};

#[test]
fn contention_outside_the_loop_is_the_root_of_a_deadlock() {
    let story = ring().still_paused("r1:1", 612).still_paused("r2:1", 606).still_paused("r3:1", 620);
    check(&contention_outside(story), &[OUT_OF_THE_RING]);
}

#[test]
fn a_loop_has_one_root_the_port_with_the_largest_share_of_the_pause() {
    // Fewer flows contend at r3:4, which is also outside the loop.
    let story = ring().still_paused("r1:1", 612).still_paused("r2:1", 606).still_paused("r3:1", 620);
    let story = contention_outside(story);
    let story = [("p2", 2), ("q2", 2), ("p3", 3)].into_iter().fold(story, |story, (host, ingress)| {
        let burst = FlowKey { sport: 888, ..story.flow(host, "q3") };
        story.saw(at(burst, ingress, "r3:4", 120, (590, 690)).queued(110, 40, (592, 690)))
    });
    check(&story, &[OUT_OF_THE_RING]);
}

#[test]
fn overwritten_pauses_are_inferred_from_records_of_paused_flows() {
    // The log of r2:1 begins at 640 us; a flow that was queued there only because of pauses was queued from 606 us on.
    let story = ring().still_paused("r1:1", 612).still_paused("r2:1", 640).still_paused("r3:1", 620);
    let waited = FlowKey { sport: 778, ..story.flow("p2", "p1") };
    let story = story.saw(at(waited, 3, "r2:1", 40, (606, 660)).queued(40, 40, (606, 660)).paused(40));
    let mut story = contention_outside(story);
    let by_pauses = story.diagnose().remove(0);
    assert_eq!(
        by_pauses.anomaly,
        Anomaly::DeadlockInLoopContention,
        "r1:1 was paused first, as far as recorded"
    );
    let before_ns = T0 + 640 * US;
    story.snapshot.missing.push(MissingData::PausesOverwritten {
        port: port("r2:1"),
        priority: 3,
        before_ns,
    });
    let by_records = story.diagnose().remove(0);
    assert_eq!(by_records.anomaly, Anomaly::DeadlockOutOfLoopContention);
    assert_eq!(by_records.root_cause.port, Some(port("r3:3")));
}

/// A ring that stands still, from `us` microseconds on, because p3 pauses r3:3.
fn ring_behind_a_storm(us: u64) -> Story {
    let story =
        ring().still_paused("r1:1", us + 12).still_paused("r2:1", us + 6).still_paused("r3:1", us + 20);
    let victim = story.flow("p1", "p3");
    story
        .triggered(victim, 690, 9, 690 - us - 30)
        .saw(at(victim, 2, "r3:3", 900, (100, us + 40)).queued(40, 30, (us, us + 40)).paused(40))
        .still_paused("r3:3", us)
}

/// What p3 is accused of.
const STORM_AT_P3: Expect<'_> = Expect {
    anomaly: Anomaly::DeadlockOutOfLoopInjection,
    cause: Cause::NicStorm,
    root: Some("r3:3"),
    host: Some("p3"),
    culprits: &[],
    path: &["r1:1", "r2:1", "r3:3"],
    pause_loop: &["r1:1", "r2:1", "r3:1"],
    spreaders: &["p2-p1", "p3-p2"],
    confidence: 0.7..=1.0,
};

#[test]
fn a_host_that_pauses_is_the_root_of_a_deadlock() {
    check(&ring_behind_a_storm(240), &[STORM_AT_P3]);
}

#[test]
fn a_loop_that_has_not_outlived_a_pause_may_wait_for_the_host_alone() {
    let story = ring_behind_a_storm(600);
    let anomaly = Anomaly::PfcStormHostInjection;
    check(
        &story,
        &[Expect { anomaly, pause_loop: &[], spreaders: &[], confidence: 0.4..=0.9, ..STORM_AT_P3 }],
    );
    let missing = story.diagnose()[0].missing.join("\n");
    assert!(missing.contains("has stood still for"), "{missing}");
}
