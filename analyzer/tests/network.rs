//! Losses, outages and route changes explain a delay that no queue or pause explains, and `host_only` needs evidence
//! for every hop. The victim is h2 -> h4; its slow packet was in flight from 889 to 923 us of the epoch.

use crate::support::stories::background;
use crate::support::{Expect, Story, T0, US, at, check, check_without, line_network, network, port};
use model::{
    Anomaly, Cause, FlowKey, LossReason, LossRecord, NetworkChange, NetworkEvent, PortRef, Time,
    TriggerReason,
};

fn story() -> Story {
    background(Story::new(line_network()), 925)
}

/// `packets` lost over `when` microseconds of the epoch.
fn loss(place: &str, egress: Option<u16>, reason: LossReason, packets: u64, when: (u64, u64)) -> LossRecord {
    let PortRef { switch, port } = port(place);
    LossRecord {
        switch,
        ingress_port: Some(port),
        egress_port: egress,
        priority: None,
        reason,
        packets,
        lost_ns: (T0 + when.0 * US, T0 + when.1 * US),
    }
}

fn event(switch: &str, us: u64, change: NetworkChange) -> NetworkEvent {
    NetworkEvent { time_ns: T0 + us * US, switch: switch.to_string(), change }
}

fn route(to: &str, before: &[u16], after: &[u16]) -> NetworkChange {
    NetworkChange::Route { prefix: format!("{to}/32"), before: before.to_vec(), after: after.to_vec() }
}

/// No ACK arrived, instead of a slow one.
fn silent(mut story: Story) -> Story {
    story.snapshot.trigger.as_mut().unwrap().reason = TriggerReason::Silence;
    story
}

fn undetermined() -> Expect<'static> {
    Expect { anomaly: Anomaly::Undetermined, confidence: 0.0..=0.5, ..Expect::default() }
}

fn change_at(root: &'static str, confidence: std::ops::RangeInclusive<f64>) -> Expect<'static> {
    Expect { anomaly: Anomaly::PathChange, root: Some(root), confidence, ..Expect::default() }
}

fn loss_at(root: &'static str, confidence: std::ops::RangeInclusive<f64>) -> Expect<'static> {
    Expect { anomaly: Anomaly::PacketLoss, root: Some(root), confidence, ..Expect::default() }
}

#[test]
fn the_host_is_named_only_if_every_hop_was_clean() {
    check(&story(), &[Expect { confidence: 0.9..=1.0, ..Expect::default() }]);
    // A switch of the path did not report.
    let mut silent = story();
    silent.snapshot.switches.retain(|switch| switch.switch != "sw2");
    check(&silent, &[undetermined()]);
    // A switch was frozen before the slow packet left.
    let mut early = story();
    early.snapshot.switches[1].frozen_ns = T0 + 880 * US;
    check(&early, &[undetermined()]);
    // The collection lacks data.
    check(&story().missing("something is missing"), &[undetermined()]);
}

/// Packets of the victim return from sw2 to sw1, at the time of the slow packet or after it arrived.
#[test]
fn packets_that_return_later_did_not_delay_the_slow_one() {
    let victim = story().flow("h2", "h4");
    let looping = |seen: (u64, u64)| {
        story().saw(at(victim, 1, "sw2:1", 20, seen)).saw(at(victim, 1, "sw1:1", 20, seen))
    };
    let in_loop = Expect {
        anomaly: Anomaly::RoutingLoop,
        root: Some("sw2:1"),
        pause_loop: &["sw2:1", "sw1:1"],
        confidence: 0.0..=1.0,
        ..Expect::default()
    };
    check(&looping((900, 920)), &[in_loop]);
    check(&looping((924, 925)), &[Expect { confidence: 0.0..=1.0, ..Expect::default() }]);
}

/// The watchdog of sw1 dropped ACKs for h2, whose NIC had paused the port.
#[test]
fn what_a_watchdog_dropped_is_blamed_on_the_host_that_paused_the_port() {
    let mut flushed = silent(story()).paused("sw1:3", (300, 900));
    flushed.snapshot.losses = vec![loss("sw1:1", Some(3), LossReason::Watchdog, 10, (890, 910))];
    let by_h2 = || Expect {
        anomaly: Anomaly::PfcStormHostInjection,
        cause: Cause::NicStorm,
        root: Some("sw1:3"),
        host: Some("h2"),
        path: &["sw1:3"],
        confidence: 0.3..=1.0,
        ..Expect::default()
    };
    check(&flushed, &[by_h2()]);
    assert!(flushed.diagnose()[0].evidence.iter().any(|evidence| evidence.claim.contains("watchdog")));
    check_without(&["packet_loss.flushed"], &flushed, &[loss_at("sw1:3", 0.5..=1.0)]);
    // Its pauses are no longer recorded, and no other host can have paused that port.
    let mut unrecorded = silent(story());
    unrecorded.snapshot.losses = flushed.snapshot.losses.clone();
    check(&unrecorded, &[Expect { cause: Cause::Undetermined, path: &[], ..by_h2() }]);
    // No record shows what paused a port between switches.
    unrecorded.snapshot.losses = vec![loss("sw1:3", Some(1), LossReason::Watchdog, 10, (890, 910))];
    check(&unrecorded, &[loss_at("sw1:1", 0.5..=1.0)]);
}

#[test]
fn a_queue_of_another_priority_leaves_the_host_undetermined() {
    let other = story().flow("a1", "h4");
    let flood = |seen: (u64, u64), queued: (u64, u64)| {
        story().saw(at(other, 1, "sw3:2", 300, seen).queued(290, 90, queued).class(4))
    };
    check(&flood((800, 920), (880, 920)), &[undetermined()]);
    check(&flood((700, 800), (700, 800)), &[Expect::default()]);
}

/// One packet of 1348 bytes takes 10.8 us at 1 Gb/s, most of the 16 us of delay, and 0.2 us at 50 Gb/s.
#[test]
fn a_single_packet_at_a_slow_link_is_a_queue() {
    let slow = |rate: model::Rate| {
        let mut story = story();
        for link in story.topology.links.iter_mut().filter(|link| link.b == port("sw3:2")) {
            link.rate = rate;
        }
        let victim = story.flow("h2", "h4");
        story.saw(at(victim, 1, "sw3:2", 5, (890, 925)).queued(4, 1, (892, 920)))
    };
    let own = Expect {
        anomaly: Anomaly::SelfInflicted,
        root: Some("sw3:2"),
        culprits: &["h2-h4"],
        ..Expect::default()
    };
    check(&slow(model::Rate::from_gbps(1)), &[Expect { confidence: 0.5..=1.0, ..own }]);
    check(&slow(model::Rate::from_gbps(50)), &[Expect::default()]);
}

/// A priority that is served first needs no queue to keep a port busy, and the ACKs of the victim have no records.
#[test]
fn traffic_of_another_priority_leaves_the_host_undetermined() {
    let sent = |packets, priority| {
        story().saw(at(story().flow("a1", "h4"), 1, "sw3:2", packets, (889, 923)).class(priority))
    };
    // 60 packets of 1348 bytes take 12.9 us at 50 Gb/s, more than half of the 16 us of delay; 20 packets take 4.3 us.
    check(&sent(60, 4), &[undetermined()]);
    check(&sent(20, 4), &[Expect::default()]);
    check(&sent(60, 3), &[Expect::default()]);
}

/// The ACKs of the victim leave h4, whose packets to b1 are queued at its switch, beside the path of the ACKs.
#[test]
fn a_queue_of_the_receivers_packets_leaves_the_host_undetermined() {
    let mut topology = line_network();
    let beside = network(&[("b1", "10.0.2.1")], &[("b1:1", "sw3:3", 100)]);
    topology.nodes.extend(beside.nodes.into_iter().filter(|node| node.name == "b1"));
    topology.links.extend(beside.links);
    let queue = |ingress: u16, depth: u64, until_us: u64| {
        let story = background(Story::new(topology.clone()), 925);
        let sent = at(story.flow("h4", "b1"), ingress, "sw3:3", 10, (860, until_us));
        story.saw(sent.queued(10, depth, (860, until_us)))
    };
    // 90 packets of 1348 bytes take 9.7 us at 100 Gb/s, more than half of the 16 us of delay, from 886 us on.
    check(&queue(2, 90, 886), &[undetermined()]);
    // Too short, drained before the slow packet left, and of a host that the ACKs do not leave.
    check(&queue(2, 60, 886), &[Expect::default()]);
    check(&queue(2, 90, 876), &[Expect::default()]);
    check(&queue(1, 90, 886), &[Expect::default()]);
}

#[test]
fn an_impossible_base_rtt_is_missing_evidence() {
    let mut story = story();
    story.snapshot.trigger.as_mut().unwrap().base_rtt_ns = 13;
    check(&story, &[undetermined()]);
    let verdict = &story.diagnose()[0];
    assert!(verdict.missing.iter().any(|text| text.contains("is impossible")), "{:?}", verdict.missing);
    assert!(!verdict.advice.is_empty());
}

#[test]
fn damaged_frames_count_on_the_path_and_at_the_time_of_the_slow_packet() {
    let damaged = |place, when| {
        let mut story = story();
        story.snapshot.losses = vec![loss(place, None, LossReason::Corrupted, 3, when)];
        story
    };
    check(&silent(damaged("sw3:1", (100, 900))), &[loss_at("sw3:1", 0.9..=1.0)]);
    // The ACKs cross the same link the other way.
    check(&silent(damaged("sw2:2", (100, 900))), &[loss_at("sw2:2", 0.9..=1.0)]);
    // Another link, and another time.
    check(&silent(damaged("sw4:1", (100, 900))), &[Expect::default()]);
    check(&silent(damaged("sw3:1", (100, 800))), &[Expect::default()]);
}

/// The slow packet was in flight for 34 us. With 9 losses in 1200 us, one in that time is no more likely than none, but a host
/// that stops is rarer.
#[test]
fn a_silence_that_nothing_else_explains_is_a_loss() {
    let damaged = |packets: u64, until: u64| {
        let mut story = silent(story());
        story.snapshot.losses =
            vec![loss("sw3:1", None, LossReason::Corrupted, packets, (until.saturating_sub(1_200), until))];
        story
    };
    check(&damaged(9, 1_500), &[loss_at("sw3:1", 0.5..=0.95)]);
    check_without(&["packet_loss.silence"], &damaged(9, 1_500), &[undetermined()]);
    // One loss in that time is rare, and one at another time is none.
    check(&damaged(2, 1_500), &[undetermined()]);
    check(&damaged(9, 880), &[Expect::default()]);
    // A round trip that was measured is no silence.
    let mut measured = damaged(9, 1_500);
    measured.snapshot.trigger.as_mut().unwrap().reason = TriggerReason::SlowRtt;
    check(&measured, &[undetermined()]);
}

/// A round trip of a packet that was sent once is not the time of a retransmission.
#[test]
fn a_packet_that_arrived_was_not_lost() {
    let damaged = |place, rtt_us: u64| {
        let mut story = story();
        story.snapshot.trigger.as_mut().unwrap().rtt_ns = rtt_us * US;
        story.snapshot.losses = vec![loss(place, None, LossReason::Corrupted, 3, (100, 920))];
        story
    };
    let base_us = story().snapshot.trigger.unwrap().base_rtt_ns / US;
    check(&damaged("sw3:1", 2 * base_us), &[undetermined()]);
    check_without(
        &["packet_loss.acknowledged"],
        &damaged("sw3:1", 2 * base_us),
        &[loss_at("sw3:1", 0.9..=1.0)],
    );
    // The ACK of the next packet follows a lost one: the victim sends 4 packets each microsecond, or one each 8 us.
    check(&damaged("sw2:2", 2 * base_us), &[undetermined()]);
    let sparse = |rtt_us: u64| {
        let story = ["sw1", "sw2", "sw3", "sw4"]
            .iter()
            .fold(Story::new(line_network()), |story, switch| story.switch(switch, 925));
        let victim = story.flow("h2", "h4");
        let mut story = [(3, "sw1:1"), (1, "sw2:2"), (1, "sw3:2")]
            .iter()
            .fold(story.triggered(victim, 923, base_us, rtt_us), |story, (ingress, port)| {
                story.saw(at(victim, *ingress, port, 6, (880, 920)))
            });
        story.snapshot.losses = vec![loss("sw2:2", None, LossReason::Corrupted, 3, (100, 920))];
        story
    };
    check(&sparse(base_us + 30), &[loss_at("sw2:2", 0.9..=1.0)]);
    check(&sparse(base_us + 40), &[undetermined()]);
}

#[test]
fn discards_by_lack_of_buffer_count_between_two_ports_of_the_path_and_name_what_filled_the_buffer() {
    let dropped = |mut story: Story, ingress, egress| {
        story.snapshot.losses = vec![loss(ingress, Some(egress), LossReason::Lossy, 3, (890, 910))];
        story
    };
    // No record shows what filled the buffer: the losses alone name nothing.
    check(&dropped(story(), "sw2:1", 2), &[undetermined()]);
    check(&dropped(story(), "sw2:1", 3), &[Expect::default()]);
    // The queue is too short for the delay, which is that of a retransmission.
    let culprits = &["a1-h4", "a2-h4"];
    let (one, two) = (story().flow("a1", "h4"), story().flow("a2", "h4"));
    let burst = |flow, ingress| at(flow, ingress, "sw2:2", 90, (880, 925)).queued(80, 12, (886, 915));
    let burst = story().saw(burst(one, 3)).saw(burst(two, 4));
    let mut slow = silent(dropped(burst, "sw2:1", 2));
    slow.snapshot.trigger.as_mut().unwrap().base_rtt_ns = 9 * US;
    slow.snapshot.trigger.as_mut().unwrap().rtt_ns = 400 * US;
    check(&slow, &[Expect { culprits, cause: Cause::Incast, ..loss_at("sw2:2", 0.5..=1.0) }]);
    // Records of two dozen flows do not show which of them filled the buffer.
    let crowd = (0..24).fold(story(), |crowd, number| {
        let flow = FlowKey { sport: 20_000 + number, ..crowd.flow("a1", "h4") };
        crowd.saw(at(flow, 3, "sw2:2", 12, (700, 925)).queued(8, 12, (700, 915)))
    });
    let mut crowd = silent(dropped(crowd, "sw2:1", 2));
    crowd.snapshot.trigger = slow.snapshot.trigger;
    check(&crowd, &[loss_at("sw2:2", 0.1..=0.7)]);
    let missing = crowd.diagnose()[0].missing.join("\n");
    assert!(missing.contains("which of the 24 flows in the queue of sw2:2 filled its buffer"), "{missing}");
}

#[test]
fn an_outage_of_a_link_of_the_path_explains_the_delay() {
    let outage = |switch: &str, number: u16, down: u64, up: u64| {
        let mut story = story();
        story.snapshot.events = vec![
            event(switch, down, NetworkChange::LinkDown { port: number }),
            event(switch, up, NetworkChange::LinkUp { port: number }),
        ];
        story
    };
    check(&outage("sw2", 2, 890, 910), &[change_at("sw2:2", 0.9..=1.0)]);
    // The log of the far end is enough.
    check(&outage("sw3", 1, 890, 910), &[change_at("sw2:2", 0.9..=1.0)]);
    // It ended before the slow packet left.
    check(&outage("sw2", 2, 800, 850), &[Expect::default()]);
    check(&outage("sw2", 2, 100, 200), &[Expect::default()]);
    check(&outage("sw2", 3, 890, 910), &[Expect::default()]);
}

#[test]
fn an_outage_is_doubtful_beside_a_queue_of_the_path_that_accounts_for_the_delay_as_well() {
    let outage_beside = |depth: u64| {
        let mut story = story();
        story.snapshot.events = vec![
            event("sw2", 890, NetworkChange::LinkDown { port: 2 }),
            event("sw2", 910, NetworkChange::LinkUp { port: 2 }),
        ];
        let other = story.flow("a1", "h4");
        story.saw(at(other, 1, "sw3:2", 90, (880, 925)).queued(80, depth, (886, 915)))
    };
    // 60 packets of 1348 bytes take 12.9 us at 50 Gb/s, and up to twice as long at the peak; the delay is 16 us.
    check(&outage_beside(60), &[change_at("sw2:2", 0.4..=0.5)]);
    let verdict = &outage_beside(60).diagnose()[0];
    assert!(verdict.confidence <= 0.5, "{}", verdict.confidence);
    assert!(verdict.missing.iter().any(|gap| gap.contains("sw3:2")), "{:?}", verdict.missing);
    check(&outage_beside(20), &[change_at("sw2:2", 0.9..=1.0)]);
    check_without(&["accounting.rival"], &outage_beside(60), &[change_at("sw2:2", 0.9..=1.0)]);
}

#[test]
fn an_outage_explains_a_delay_from_its_beginning_on() {
    // The packet left at 860 us and returned at 920 us.
    let outage = |down: u64, up: u64, losses: &[LossRecord]| {
        let mut story = story();
        story.snapshot.trigger.as_mut().unwrap().rtt_ns = 60 * US;
        story.snapshot.events = vec![
            event("sw2", down, NetworkChange::LinkDown { port: 2 }),
            event("sw2", up, NetworkChange::LinkUp { port: 2 }),
        ];
        story.snapshot.losses = losses.to_vec();
        story.diagnose().iter().any(|verdict| verdict.anomaly == Anomaly::PathChange)
    };
    let lost =
        [LossRecord { egress_port: Some(2), ..loss("sw2:2", Some(2), LossReason::LinkDown, 9, (862, 864)) }];
    assert!(outage(862, 915, &[]), "it held the packet for most of the delay");
    assert!(!outage(862, 864, &[]), "it was too short");
    assert!(outage(862, 864, &lost), "the packet waits for its retransmission");
    assert!(!outage(912, 980, &lost), "the packet had waited for most of the delay before");
}

/// The packet left at 863 us, should have returned at 872 us, and sw2 had no route from 895 us on.
#[test]
fn a_change_of_the_path_is_not_why_a_packet_was_late_before() {
    let mut story = silent(story());
    story.snapshot.trigger.as_mut().unwrap().rtt_ns = 60 * US;
    story.snapshot.events = vec![event("sw2", 895, route("10.0.0.4", &[2], &[]))];
    check(&story, &[Expect { confidence: 0.0..=1.0, ..Expect::default() }]);
    check_without(&["path_change.first"], &story, &[change_at("sw2:2", 0.9..=1.0)]);
    // The clock of a switch may be that wrong.
    let mut inexact = story.clone();
    inexact.snapshot.switches[1].clock_error_ns = Some(20 * US);
    check(&inexact, &[change_at("sw2:2", 0.9..=1.0)]);
    // A queue made it late: 120 packets of 1348 bytes take 26 us at 50 Gb/s.
    let other = story.flow("a1", "h4");
    let queued = story.clone().saw(at(other, 1, "sw3:2", 300, (864, 925)).queued(290, 120, (865, 915)));
    let contention = Expect {
        anomaly: Anomaly::FlowContention,
        root: Some("sw3:2"),
        culprits: &["a1-h4"],
        confidence: 0.0..=1.0,
        ..Expect::default()
    };
    check(&queued, &[Expect { cause: queued.diagnose()[0].cause, ..contention }]);
    // It began when the packet was on its way.
    story.snapshot.events = vec![event("sw2", 870, route("10.0.0.4", &[2], &[]))];
    check(&story, &[change_at("sw2:2", 0.9..=1.0)]);
}

/// Packets of the victim expired at both ends of the link between sw1 and sw2, while none of its records shows a loop.
#[test]
fn packets_whose_time_to_live_expired_went_round_a_loop() {
    let mut story = silent(story());
    story.snapshot.losses = vec![
        loss("sw1:3", Some(1), LossReason::Ttl, 9, (890, 910)),
        loss("sw2:1", Some(1), LossReason::Ttl, 4, (890, 910)),
    ];
    let looped = || Expect {
        anomaly: Anomaly::RoutingLoop,
        root: Some("sw2:1"),
        confidence: 0.5..=1.0,
        ..Expect::default()
    };
    check(&story, &[looped()]);
    check_without(&["packet_loss.expired"], &story, &[loss_at("sw1:1", 0.5..=1.0)]);
    // Those at sw2 are of another time, so that it is not recorded which switch of the loop has the wrong route.
    story.snapshot.losses[1].lost_ns = (T0, T0 + 10 * US);
    check(&story, &[Expect { root: Some("sw1:1"), confidence: 0.0..=0.75, ..looped() }]);
}

#[test]
fn a_withdrawn_route_is_a_black_hole_for_its_prefix_only() {
    let withdrawn = |to: &str| {
        let mut story = story();
        story.snapshot.events = vec![event("sw2", 880, route(to, &[2], &[]))];
        story.snapshot.losses = vec![loss("sw2:1", None, LossReason::NoRoute, 9, (881, 920))];
        story
    };
    check(&withdrawn("10.0.0.4"), &[change_at("sw2:2", 0.9..=1.0)]);
    let others = withdrawn("10.0.0.3").diagnose();
    assert!(others.iter().all(|verdict| verdict.anomaly != Anomaly::PathChange), "{others:#?}");
    // Without a log of routes, the counter does not name the destination.
    let mut unlogged = withdrawn("10.0.0.4");
    unlogged.snapshot.events.clear();
    check(&unlogged, &[change_at("sw2:2", 0.8..=0.9)]);
}

/// The usual link from sw2 to sw3 is short; the victim's records show the long one, 16 us longer for a round trip.
fn over_the_long_link() -> Story {
    let mut story = story();
    for (number, far, us) in [(2, "sw3:1", 9), (7, "sw3:7", 1)] {
        story.topology.links.retain(|link| link.a != port(&format!("sw2:{number}")));
        story.topology.links.push(model::topology::Link {
            a: port(&format!("sw2:{number}")),
            b: port(far),
            rate: model::Rate::from_gbps(100),
            delay: Time::from_us(us),
        });
    }
    story
}

/// Incidents are named by the link at fault: both of its ends, whichever is the root port.
#[test]
fn a_link_at_fault_is_named_by_both_ends() {
    let check = |story: &Story, root: &str, far: Option<&str>| {
        let found = &story.diagnose()[0];
        assert_eq!(
            (&found.root_cause.port, &found.far_port),
            (&Some(port(root)), &far.map(port)),
            "{found:#?}"
        );
    };
    let with = |events: Vec<NetworkEvent>, losses: Vec<LossRecord>| {
        let mut story = story();
        (story.snapshot.events, story.snapshot.losses) = (events, losses);
        story
    };
    let outage = vec![
        event("sw2", 890, NetworkChange::LinkDown { port: 2 }),
        event("sw2", 910, NetworkChange::LinkUp { port: 2 }),
    ];
    check(&with(outage, vec![]), "sw2:2", Some("sw3:1"));
    let damaged = loss("sw3:1", None, LossReason::Corrupted, 3, (889, 920));
    check(&silent(with(vec![], vec![damaged])), "sw3:1", Some("sw2:2"));
    let down = loss("sw2:1", Some(2), LossReason::LinkDown, 3, (889, 920));
    check(&silent(with(vec![], vec![down])), "sw2:2", Some("sw3:1"));
    let no_route = loss("sw2:1", None, LossReason::NoRoute, 9, (889, 920));
    check(&silent(with(vec![], vec![no_route])), "sw2:2", None);

    let mut detour = over_the_long_link();
    detour.snapshot.events = rerouted();
    check(&detour, "sw2:7", Some("sw3:7"));
    // The route has changed, and the link is up.
    detour.snapshot.events.remove(0);
    check(&detour, "sw2:7", None);
}

/// Why sw2 uses the long link.
fn rerouted() -> Vec<NetworkEvent> {
    vec![
        event("sw2", 500, NetworkChange::LinkDown { port: 7 }),
        event("sw2", 520, route("10.0.0.4", &[7], &[2])),
    ]
}

#[test]
fn a_path_that_is_longer_than_the_base_rtt_allows_is_a_detour() {
    let mut story = over_the_long_link();
    // Without a logged change, the base may be that of a path which the flow never took.
    check(&story, &[undetermined()]);
    let missing = story.diagnose()[0].missing.join(" ");
    assert!(missing.contains("no switch logged a change of its routes"), "{missing}");
    story.snapshot.events = rerouted();
    check(&story, &[change_at("sw2:7", 0.9..=1.0)]);
    // The last change led back from sw1 to a shortest path: the records of the longer one are older.
    story.snapshot.events.push(event("sw2", 590, NetworkChange::LinkUp { port: 7 }));
    story.snapshot.events.push(event("sw2", 600, route("10.0.0.4", &[1], &[2, 7])));
    check(&story, &[undetermined()]);
    check_without(&["path_change.returned"], &story, &[change_at("sw2:1", 0.9..=1.0)]);
}

/// 31 us of delay: 16 us of detour, and 70 packets of 1348 bytes at 50 Gb/s, 15 us.
#[test]
fn a_detour_and_a_queue_add_up() {
    let slow = || {
        let mut story = over_the_long_link();
        story.snapshot.events = rerouted();
        story.snapshot.trigger.as_mut().unwrap().rtt_ns = 40 * US;
        story
    };
    let queue = |depth| {
        let burst = at(slow().flow("a1", "h4"), 1, "sw3:2", 90, (870, 900));
        slow().saw(burst.queued(80, depth, (872, 898)))
    };
    check(&slow(), &[change_at("sw2:7", 0.9..=1.0)]);
    let contention = || Expect {
        anomaly: Anomaly::FlowContention,
        root: Some("sw3:2"),
        culprits: &["a1-h4"],
        confidence: 0.5..=1.0,
        ..Expect::default()
    };
    check(&queue(70), &[change_at("sw2:7", 0.5..=1.0), contention()]);
    check_without(&["accounting.detour"], &queue(70), &[contention()]);
    // A fifth of the delay is the least that is named.
    check(&queue(20), &[change_at("sw2:7", 0.9..=1.0)]);
}

/// Without a logged change, the path may have been the longer one all the time: a queue explains the rest of the delay only.
#[test]
fn a_queue_is_not_named_for_what_the_length_of_the_path_explains() {
    let delayed = |rtt_us: u64, depth: u64, from: u64| {
        let mut story = over_the_long_link();
        story.snapshot.trigger.as_mut().unwrap().rtt_ns = rtt_us * US;
        let burst = at(story.flow("a1", "h4"), 1, "sw3:2", depth + 20, (from, from + 30));
        story.saw(burst.queued(depth + 10, depth, (from + 2, from + 28)))
    };
    let contention = || Expect {
        anomaly: Anomaly::FlowContention,
        root: Some("sw3:2"),
        culprits: &["a1-h4"],
        confidence: 0.5..=1.0,
        ..Expect::default()
    };
    check(&delayed(40, 70, 870), &[undetermined()]);
    check_without(&["accounting.longer_path"], &delayed(40, 70, 870), &[contention()]);
    // 70 packets of 1348 bytes at 50 Gb/s take 15 of 31 us, and 300 take 65 of 81 us.
    check(&delayed(90, 300, 815), &[contention()]);
    // A silent packet may still be on the long link: the path behind it is not recorded, and the fastest one, like that of its ACKs.
    let mut silent = delayed(14, 20, 870);
    let victim = silent.snapshot.trigger.as_ref().unwrap().flow;
    silent.snapshot.trigger.as_mut().unwrap().reason = TriggerReason::Silence;
    for switch in silent.snapshot.switches.iter_mut().filter(|switch| switch.switch == "sw3") {
        switch.flows.retain(|record| record.flow != victim);
    }
    check(&silent, &[undetermined()]);
    let missing = silent.diagnose()[0].missing.join(" ");
    assert!(missing.contains("takes 7.1 us longer"), "{missing}");
}

/// sw1 sent packets 880 to 999 of the victim over a link that damaged three frames, since the slow packet left.
#[test]
fn a_link_over_which_all_packets_arrived_lost_none_of_them() {
    let arrived = |runs: &[(u64, (u32, u32))]| {
        let victim = story().flow("h2", "h4");
        let mut silent = silent(story()).saw(at(victim, 3, "sw1:1", 120, (890, 920)).numbered((880, 999)));
        for (index, (packets, psn)) in runs.iter().enumerate() {
            let seen = (891 + 10 * index as u64, 900 + 10 * index as u64);
            silent = silent.saw(at(victim, 1, "sw2:2", *packets, seen).numbered(*psn));
        }
        silent.snapshot.losses = vec![loss("sw2:1", None, LossReason::Corrupted, 3, (864, 920))];
        silent
    };
    let lost = || loss_at("sw2:1", 0.5..=1.0);
    let all = [(70, (850, 919)), (80, (920, 999))];
    check(&arrived(&all), &[undetermined()]);
    check_without(&["packet_loss.arrived"], &arrived(&all), &[lost()]);
    // The last packet did not arrive, one is missing in a record, one between two, and one was sent again.
    check(&arrived(&[(70, (850, 919)), (79, (920, 998))]), &[lost()]);
    check(&arrived(&[(69, (850, 919)), (80, (920, 999))]), &[lost()]);
    check(&arrived(&[(69, (850, 918)), (80, (920, 999))]), &[lost()]);
    check(&arrived(&[(70, (850, 919)), (81, (919, 999))]), &[lost()]);
    // It was sent at a time of which the switch has no records.
    let mut early = arrived(&all);
    early.snapshot.switches[0].frozen_ns = T0 + 921 * US;
    check(&early, &[lost()]);
}
