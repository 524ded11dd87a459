//! A round trip is delayed on the way of the data and on the way of the ACKs: both queues are named if neither accounts for
//! the delay. The victim is h2 -> h4; its slow packet was in flight from 898 to 923 us of the epoch and lost 16 us.

use crate::support::stories::background;
use crate::support::{Expect, Story, at, check, check_without, line_network};
use model::{Anomaly, Cause};

/// A burst to h4 that the data met at sw2:2, and one to h1 that the ACKs met at sw2:1, with as many packets of 0.1 us ahead.
fn bursts(of_data: u64, of_acks: u64) -> Story {
    let mut story = background(Story::new(line_network()), 925);
    for switch in &mut story.snapshot.switches {
        switch.back_port = match switch.switch.as_str() {
            "sw1" => Some(3),
            "sw2" | "sw3" => Some(1),
            _ => None,
        };
    }
    let queue = |story: Story, to: &str, egress: &str, depth: u64| {
        let senders = [("a1", 3), ("a2", 3)];
        senders.into_iter().filter(|_| depth > 0).fold(story, |story, (host, ingress)| {
            let sent = at(story.flow(host, to), ingress, egress, 90, (880, 922));
            story.saw(sent.queued(90, depth, (880, 922)))
        })
    };
    let victim = story.flow("h2", "h4");
    let story = queue(story, "h4", "sw2:2", of_data);
    let story = story.saw(at(victim, 1, "sw2:2", 40, (880, 922)).queued(40, of_data, (880, 922)));
    queue(story, "h1", "sw2:1", of_acks)
}

fn burst_at(root: &'static str, culprits: &'static [&'static str]) -> Expect<'static> {
    let root = Some(root);
    Expect { anomaly: Anomaly::FlowContention, cause: Cause::Incast, root, culprits, ..Expect::default() }
}

#[test]
fn queues_of_both_ways_are_named_if_neither_accounts_for_the_delay() {
    let data = || burst_at("sw2:2", &["a1-h4", "a2-h4"]);
    let acks = || burst_at("sw2:1", &["a1-h1", "a2-h1"]);
    let both = bursts(90, 60);
    check(&both, &[data(), acks()]);
    let shares: Vec<bool> = both.diagnose().iter().map(|d| d.summary.contains("% of the delay")).collect();
    assert_eq!(shares, [true, true]);
    check_without(&["accounting.both_ways"], &both, &[data()]);
    // The longer one first, and alone if the other is a small part.
    check(&bursts(60, 120), &[data(), acks()]);
    check(&bursts(140, 20), &[data()]);
    check(&bursts(20, 140), &[acks()]);
}
