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

/// Two flows with 40 packets each had a queue of 60 packets for 42 us at sw2:1, which the ACKs met, while `others` packets of another
/// class took 0.1 us each there.
fn beside_another_class(others: u64) -> Story {
    let story = bursts(0, 0);
    let queue = |story: Story, (host, ingress): (&str, u16), (packets, class): (u64, u8)| {
        let sent = at(story.flow(host, "h1"), ingress, "sw2:1", packets, (880, 922));
        story.saw(sent.queued(packets, 60, (880, 922)).class(class))
    };
    let story = queue(story, ("a1", 3), (40, 3));
    let story = queue(story, ("h4", 2), (40, 3));
    queue(story, ("a2", 3), (others, 4))
}

#[test]
fn another_class_is_named_for_a_queue_that_delays_acks_and_that_few_packets_cannot_have_built() {
    let class = Expect {
        anomaly: Anomaly::ClassContention,
        root: Some("sw2:1"),
        culprits: &["a2-h1"],
        ..Expect::default()
    };
    let own = || burst_at("sw2:1", &["a1-h1", "h4-h1"]);
    // 80 packets take 8 of 42 us, and 320 take 32.
    check(&beside_another_class(320), std::slice::from_ref(&class));
    check_without(&["class_contention.light"], &beside_another_class(320), &[own()]);
    check_without(&["class_contention.reverse"], &beside_another_class(320), &[own()]);
    // 60 packets are fewer than those of the own class.
    check(&beside_another_class(60), &[own()]);
}
