//! Times: queues that had drained, packets that arrived too late, and which of two deadlocks delayed a packet.

use crate::support::stories::{background, contention, early_poll, ring};
use crate::support::*;
use harrier_analyzer::Settings;
use model::{Anomaly, Cause, FlowKey, FollowUp, TriggerReason};

const CONTENTION: Expect<'static> = Expect {
    anomaly: Anomaly::FlowContention,
    cause: Cause::Incast,
    root: Some("sw4:2"),
    host: None,
    culprits: &["a1-h3", "a2-h3"],
    path: &[],
    pause_loop: &[],
    spreaders: &[],
    confidence: 0.9..=1.0,
};

#[test]
fn a_queue_that_had_drained_before_the_slow_packet_left_is_no_cause() {
    check(&contention((900, 925)), &[CONTENTION]);
    check(&contention((820, 845)), &[Expect::default()]);
}

#[test]
fn a_flow_that_arrives_after_the_queue_drained_is_no_culprit() {
    // According to the victim's records there was a queue until 925 us, but it had almost drained at 915 us.
    let mut story = contention((900, 925));
    let mut late = story.flow("a3", "h3");
    late.sport = 20_000;
    story = story.saw(at(late, 5, "sw4:2", 30, (915, 925)).queued(30, 1, (915, 925)));
    check(&story, &[CONTENTION]);
}

/// The victim's port waits for sw4:2, where the queue goes on, and another flow joins it, after the packet that the follow-up poll
/// is about was acknowledged.
#[test]
fn a_burst_after_the_measurement_of_a_follow_up_poll_is_no_culprit() {
    let late = FlowKey { sport: 20_000, ..early_poll().flow("a1", "h3") };
    let is_named = |reason| {
        let mut story = early_poll();
        for switch in &mut story.snapshot.switches {
            switch.frozen_ns = T0 + 1_000 * US;
            let open = switch.epochs.iter_mut().filter(|epoch| epoch.id == EPOCH);
            open.for_each(|epoch| epoch.end_ns = T0 + 1_000 * US);
        }
        let trigger = story.snapshot.trigger.as_mut().expect("a trigger");
        trigger.follows = Some(FollowUp { event: 1, since_ns: T0 + 880 * US });
        trigger.reason = reason;
        let story = story.saw(at(late, 3, "sw4:2", 300, (933, 990)).queued(300, 70, (933, 990)));
        let verdict = story.diagnose().remove(0);
        assert_eq!(verdict.anomaly, Anomaly::PfcBackpressureFlowContention, "{}", verdict.summary);
        verdict.root_cause.flows.contains(&late)
    };
    assert!(!is_named(TriggerReason::SlowRtt));
    // A silent flow may still wait for what came since.
    assert!(is_named(TriggerReason::Silence));
}

#[test]
fn two_queues_on_the_victims_path_give_two_verdicts() {
    let mut story = contention((900, 925));
    let burst = FlowKey { sport: 20_000, ..story.flow("h2", "h3") };
    let f2 = story.flow("h1", "h3");
    for switch in story.snapshot.switches.iter_mut().filter(|s| s.switch == "sw1") {
        for f in switch.flows.iter_mut().filter(|f| f.flow == f2 && f.epoch == EPOCH) {
            (f.queued_packets, f.depth_sum) = (Some(90), 90 * 40);
            f.queued_ns = Some((T0 + 902 * US, T0 + 925 * US));
        }
    }
    story = story.saw(at(burst, 3, "sw1:1", 60, (900, 925)).queued(58, 40, (901, 925)));
    let first =
        Expect { cause: Cause::Undetermined, root: Some("sw1:1"), culprits: &["h2-h3"], ..CONTENTION };
    check(&story, &[CONTENTION, Expect { confidence: 0.8..=0.9, ..first }]);
}

#[test]
fn a_minor_contribution_is_not_named() {
    let mut story = contention((900, 925));
    for (host, packets) in [("a3", 50), ("a4", 9)] {
        let to = if host == "a4" { "h4" } else { "h3" };
        let burst = FlowKey { sport: 20_000, ..story.flow(host, to) };
        story = story.saw(at(burst, 5, "sw4:2", packets, (900, 925)).queued(packets, 70, (901, 925)));
    }
    let culprits = &["a1-h3", "a2-h3", "a3-h3"];
    check(&story, &[Expect { culprits, ..CONTENTION }]);
    let summary = &story.diagnose()[0].summary;
    assert!(summary.contains("an incast of 3 flows from a1, a2 and a3 to h3"), "{summary}");
}

#[test]
fn the_deadlock_that_delayed_an_acknowledged_packet_is_named() {
    // The loop was deadlocked from 400 to 570 us because of q2's burst at r2:1, and from 630 us on because of q3's
    // burst at r3:1.
    let story = ["r1:1", "r2:1", "r3:1"].iter().fold(ring(), |story, port| story.paused(port, (400, 570)));
    let story = story.still_paused("r1:1", 612).still_paused("r2:1", 606).still_paused("r3:1", 630);
    let (first, second) = (story.flow("q2", "p1"), story.flow("q3", "p1"));
    let steady = FlowKey { sport: 20_000, ..story.flow("p2", "p1") };
    let story = story
        .saw(at(steady, 3, "r2:1", 300, (10, 410)).queued(30, 40, (364, 410)).paused(5))
        .saw(at(first, 4, "r2:1", 150, (360, 410)).queued(140, 50, (362, 410)).paused(10))
        .saw(at(second, 4, "r3:1", 150, (590, 640)).queued(140, 50, (592, 640)).paused(10));
    let victim = story.flow("p1", "p3");
    let root = |us, rtt_us| {
        let Story { topology, snapshot } = &story;
        let story = Story { topology: topology.clone(), snapshot: snapshot.clone() };
        let found = story.triggered(victim, us, 9, rtt_us).diagnose();
        found[0].root_cause.port.as_ref().map(ToString::to_string)
    };
    // One packet was sent at 390 us and acknowledged; another one was sent at 620 us.
    assert_eq!(root(580, 190).as_deref(), Some("r2:1"));
    assert_eq!(root(690, 70).as_deref(), Some("r3:1"));
}

#[test]
fn a_pause_behind_a_deadlock_counts_only_if_it_paused_packets_of_the_victim() {
    // The loop is deadlocked; behind it, on the victim's path, p3 pauses r3:3 as well. `paused`: packets of the
    // victim that arrived during that pause.
    let verdicts = |paused: u64| {
        let story = ring().still_paused("r1:1", 612).still_paused("r2:1", 606).still_paused("r3:1", 630);
        let (victim, burst) = (story.flow("p1", "p3"), story.flow("q3", "p1"));
        let story = story
            .triggered(victim, 690, 9, 60)
            .saw(at(burst, 4, "r3:1", 150, (590, 640)).queued(140, 50, (592, 640)).paused(10))
            .saw(at(victim, 2, "r3:3", 900, (100, 640)).queued(paused, 3, (632, 640)).paused(paused))
            .still_paused("r3:3", 632);
        let found = story.diagnose();
        found.into_iter().map(|d| (d.anomaly, d.root_cause.host)).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(0), [(Anomaly::DeadlockInLoopContention, None)]);
    // The loop has not stood still for longer than a pause lasts, so it may wait for p3 alone.
    assert_eq!(verdicts(20), [(Anomaly::PfcStormHostInjection, Some("p3".to_string()))]);
}

/// sw2:3 is congested itself, and paused for 1 us of the 16 us for which it keeps sw1:1 paused.
#[test]
fn a_brief_pause_does_not_lead_further_than_a_congested_port() {
    let story = |until_us: u64| {
        let story = background(Story::new(line_network()), 925);
        let (f1, f2) = (story.flow("h2", "h4"), story.flow("h1", "h3"));
        let (joined, beyond) = (story.flow("a2", "h3"), story.flow("a1", "h3"));
        story
            .saw(at(f1, 3, "sw1:1", 4_000, (0, 925)).queued(30, 20, (903, 924)).paused(26))
            .saw(at(f2, 2, "sw1:1", 4_300, (0, 925)).queued(30, 20, (903, 924)).paused(22))
            .paused("sw1:1", (903, 919))
            .saw(at(f1, 1, "sw2:2", 3_970, (0, 925)).queued(200, 1, (10, 925)))
            .saw(at(f2, 1, "sw2:3", 4_280, (0, 925)).queued(60, 60, (900, 924)).paused(4))
            .saw(at(joined, 3, "sw2:3", 200, (895, 925)).queued(190, 60, (897, 924)).paused(4))
            .paused("sw2:3", (908, until_us))
            .saw(at(f2, 1, "sw4:2", 4_400, (0, 925)).queued(100, 70, (900, 925)))
            .saw(at(beyond, 3, "sw4:2", 60, (900, 925)).queued(58, 70, (901, 925)))
    };
    let root = |story: &Story, without: &[&str]| {
        let settings =
            Settings { without: without.iter().map(ToString::to_string).collect(), ..Settings::default() };
        let verdicts = harrier_analyzer::diagnose(&story.snapshot, &story.topology, &settings);
        verdicts.iter().map(|v| v.root_cause.port.clone().unwrap().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(root(&story(909), &[]), ["sw2:3"]);
    assert_eq!(root(&story(909), &["port_graph.brief"]), ["sw4:2"]);
    assert_eq!(root(&story(916), &[]), ["sw4:2"], "half of the time");
}
