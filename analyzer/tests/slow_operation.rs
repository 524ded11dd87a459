//! An operation that is slow although round trips are normal: its packets did not wait on the path, so that no queue of it
//! is named. The victim is h2 -> h4; its operation took from 723 to 923 us of the epoch instead of 40 us.

use crate::support::stories::background;
use crate::support::{Expect, Story, T0, US, at, check, line_network};
use model::{Anomaly, FlowKey, MissingData, TriggerReason};

fn operation(story: Story) -> Story {
    let victim = story.flow("h2", "h4");
    let mut story = story.triggered(victim, 923, 9, 200);
    let trigger = story.snapshot.trigger.as_mut().unwrap();
    (trigger.reason, trigger.expected_ns) = (TriggerReason::SlowOperation, Some(40 * US));
    story
}

fn story() -> Story {
    background(Story::new(line_network()), 925)
}

/// A queue of `depth` packets of another flow at a port of the path, for all of the time.
fn behind(story: Story, depth: u64) -> Story {
    let other = FlowKey { sport: 777, ..story.flow("h1", "h4") };
    story.saw(at(other, 3, "sw2:2", 900, (650, 925)).queued(880, depth, (650, 925)))
}

fn host_only() -> Expect<'static> {
    Expect { confidence: 0.8..=1.0, host: Some("h2"), ..Expect::default() }
}

fn undetermined() -> Expect<'static> {
    Expect { anomaly: Anomaly::Undetermined, confidence: 0.0..=0.5, ..Expect::default() }
}

#[test]
fn a_queue_that_is_shorter_than_the_delay_is_not_named() {
    check(&operation(story()), &[host_only()]);
    // 60 packets delay a packet by 5 us, in which an operation of 200 us has no part.
    check(&operation(behind(story(), 60)), &[host_only()]);
}

#[test]
fn what_lasted_for_most_of_the_delay_contradicts_the_agent() {
    check(&operation(behind(story(), 3_000)), &[undetermined()]);
    check(&operation(story().paused("sw2:2", (730, 850))), &[undetermined()]);
    check(&operation(story().paused("sw2:2", (730, 760))), &[host_only()]);
}

#[test]
fn missing_telemetry_leaves_the_fabric_open() {
    let mut story = operation(story());
    story.snapshot.switches.retain(|switch| switch.switch != "sw2");
    check(&story, &[undetermined()]);
}

/// The operation took 160 us longer than expected. sw2 was frozen for another poll before it ended.
#[test]
fn telemetry_that_lacks_less_than_most_of_the_delay_hides_nothing() {
    let lacking = |us: u64| {
        let mut story = operation(story());
        let frozen_ns = T0 + (923 - us) * US;
        let switch = story.snapshot.switches.iter_mut().find(|switch| switch.switch == "sw2").unwrap();
        switch.frozen_ns = frozen_ns;
        story.snapshot.missing.push(MissingData::FrozenBefore {
            switch: "sw2".to_string(),
            event: 9,
            victim: None,
            frozen_ns,
            asked_ns: T0 + 924 * US,
        });
        story
    };
    check(&lacking(9), &[host_only()]);
    check(&lacking(70), &[host_only()]);
    check(&lacking(90), &[undetermined()]);
    // A packet may have been late for all of the time that is missing.
    let mut packet = lacking(9);
    packet.snapshot.trigger.as_mut().unwrap().reason = TriggerReason::SlowRtt;
    check(&packet, &[undetermined()]);
}

#[test]
fn the_summary_says_that_packets_are_not_delayed() {
    let found = operation(story()).diagnose();
    let summary = &found[0].summary;
    assert!(summary.starts_with("operations of h2 -> h4"), "{summary}");
    assert!(summary.contains(" wait in h2, and their packets are not slow"), "{summary}");
    assert_eq!(found[0].cost.delay_ns, 160 * US, "beyond the time that the operation should take");
    let asked = &found[0].evidence[0].claim;
    assert!(asked.contains("took 200.0 us instead of 40.0 us at most"), "{asked}");
}

/// A job may compute for too long, or state more than its link carries: its host is named with a part only.
#[test]
fn a_slow_job_does_not_name_its_host() {
    let mut story = operation(story());
    story.snapshot.trigger.as_mut().unwrap().reason = TriggerReason::SlowJob;
    let found = story.diagnose();
    assert_eq!((found[0].anomaly, &found[0].root_cause.host), (Anomaly::HostOnly, &None));
    let claims: Vec<&str> = found[0].evidence.iter().map(|evidence| evidence.claim.as_str()).collect();
    assert!(claims[0].starts_with("iterations of the job of h2 -> h4"), "{claims:?}");
}
