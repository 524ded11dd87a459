//! Pauses that account for a small part of a delay, beside a queue of the same port. The victim is h2 -> h4; its slow packet was in
//! flight from 898 to 923 us of the epoch and lost 16 us.

use model::{Anomaly, Cause};

use crate::support::stories::background;
use crate::support::{Expect, Story, at, check, check_without, line_network};

/// A burst of h1 builds a queue at sw1:1, whose link is paused in this time because of a burst to h3.
fn queued_and_paused(pause: (u64, u64)) -> Story {
    let story = background(Story::new(line_network()), 925);
    let (victim, burst) = (story.flow("h2", "h4"), story.flow("h1", "h3"));
    let story = story
        .saw(at(victim, 3, "sw1:1", 40, (880, 925)).queued(30, 100, (898, 922)).paused(2))
        .saw(at(burst, 2, "sw1:1", 400, (880, 925)).queued(300, 100, (898, 922)).paused(10))
        .paused("sw1:1", pause)
        .saw(at(victim, 1, "sw2:2", 40, (880, 925)))
        .saw(at(burst, 1, "sw2:3", 390, (880, 925)).queued(60, 25, (906, 924)).paused(22))
        .paused("sw2:3", (pause.0 - 1, pause.1))
        .saw(at(burst, 1, "sw4:2", 380, (880, 925)).queued(100, 70, (900, 925)));
    ["a1", "a2", "a3", "a4"].iter().zip(3..).fold(story, |story, (host, ingress)| {
        let to_h3 = story.flow(host, "h3");
        story.saw(at(to_h3, ingress, "sw4:2", 60, (900, 925)).queued(58, 70, (901, 925)))
    })
}

#[test]
fn a_queue_of_a_paused_port_is_named_if_the_pauses_are_a_small_part_of_the_delay() {
    let own = Expect {
        anomaly: Anomaly::FlowContention,
        cause: Cause::ElephantCollision,
        root: Some("sw1:1"),
        culprits: &["h1-h3"],
        confidence: 0.0..=1.0,
        ..Expect::default()
    };
    check(&queued_and_paused((920, 922)), &[own]);
    let pauses = || Expect {
        anomaly: Anomaly::PfcBackpressureFlowContention,
        cause: Cause::Incast,
        root: Some("sw4:2"),
        culprits: &["a1-h3", "a2-h3", "a3-h3", "a4-h3", "h1-h3"],
        path: &["sw1:1", "sw2:3", "sw4:2"],
        confidence: 0.0..=1.0,
        ..Expect::default()
    };
    check_without(&["beside_pauses.same_port"], &queued_and_paused((920, 922)), &[pauses()]);
    check(&queued_and_paused((908, 922)), &[pauses()]);
}
