//! Traffic of another class at a port of the victim's path, sw4:2. The victim is h1 -> h3; its slow packet returned at 923 us of
//! the epoch.

use model::{Anomaly, Cause};

use crate::support::stories::{background, flood_of_another_class};
use crate::support::{Expect, Story, at, check, check_without, line_network};

fn by(culprits: &'static [&'static str]) -> Expect<'static> {
    Expect {
        anomaly: Anomaly::ClassContention,
        cause: Cause::Incast,
        root: Some("sw4:2"),
        culprits,
        confidence: 0.0..=1.0,
        ..Expect::default()
    }
}

/// The victim has a round trip of 80 us; `a1` and `a2` send these packets of class 4 in these times, in microseconds.
fn held_back(victim_queued: (u64, u64), a1: (u64, (u64, u64)), a2: (u64, (u64, u64))) -> Story {
    let story = background(Story::new(line_network()), 960);
    let victim = story.flow("h1", "h3");
    let story = story
        .triggered(victim, 923, 9, 80)
        .saw(at(victim, 1, "sw4:2", 60, (860, 960)).queued(29, 15, victim_queued).class(3));
    [("a1", a1), ("a2", a2)].into_iter().zip(3..).fold(story, |story, ((host, (packets, seen)), ingress)| {
        let flow = story.flow(host, "h3");
        story.saw(at(flow, ingress, "sw4:2", packets, seen).queued(packets, 100, seen).class(4))
    })
}

#[test]
fn a_flood_of_another_class_is_named_where_the_victims_class_is_held_back() {
    check(&flood_of_another_class(), &[by(&["a1-h3", "a2-h3"])]);
}

#[test]
fn a_queue_that_began_after_the_measurement_did_not_delay_it() {
    let flood = (700, (926, 959));
    let later = held_back((930, 958), flood, flood);
    check(&later, &[Expect { confidence: 0.0..=1.0, ..Expect::default() }]);
    let in_time = held_back((862, 920), (700, (855, 923)), (700, (855, 923)));
    check(&in_time, &[by(&["a1-h3", "a2-h3"])]);
}

/// `a1` has kept its class busy for most of the epoch, and `a2` joins with fewer packets.
#[test]
fn steady_flows_of_another_class_take_the_port_as_new_ones_do() {
    let joined = held_back((862, 920), (9_000, (10, 930)), (300, (850, 925)));
    check(&joined, &[by(&["a1-h3", "a2-h3"])]);
    let newcomer = Expect { cause: Cause::Undetermined, ..by(&["a2-h3"]) };
    check_without(&["class_contention.steady"], &joined, &[newcomer]);
}
