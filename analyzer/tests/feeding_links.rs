//! What the links that feed a port can and cannot have built: a queue of packets that one link of the port's own rate delivers is
//! that of another class, of a pause, or of flows that are gone. The victim is v -> r over 100 Gb/s links; its slow packet
//! was in flight from 898 to 923 us of the epoch and lost 16 us.

use crate::support::{Expect, Story, at, check, check_without, network, set_host_rate};
use model::{Anomaly, Cause};

/// Two switches with the victim's records, and a pause of the link between them. `far` is the rate of that link in Gb/s.
fn story(far: u64) -> Story {
    let topology = network(
        &[
            ("v", "10.0.0.1"),
            ("w", "10.0.0.2"),
            ("x", "10.0.0.3"),
            ("r", "10.0.1.1"),
            ("o", "10.0.1.2"),
            ("y", "10.0.1.3"),
        ],
        &[
            ("s1:1", "s2:1", far),
            ("v:1", "s1:2", 100),
            ("w:1", "s1:3", 100),
            ("x:1", "s1:4", 100),
            ("r:1", "s2:2", 100),
            ("o:1", "s2:3", 100),
            ("y:1", "s2:4", 100),
        ],
    );
    let story = ["s1", "s2"].iter().fold(Story::new(topology), |story, name| story.switch(name, 925));
    let victim = story.flow("v", "r");
    story
        .triggered(victim, 923, 9, 25)
        .saw(at(victim, 2, "s1:1", 4_600, (0, 1_040)).epoch_before())
        .saw(at(victim, 1, "s2:2", 4_600, (0, 1_040)).epoch_before())
}

/// The victim's packets are queued at the port of its receiver, to which `o` sends `packets` in another priority.
fn beside_another_class(packets: u64) -> Story {
    let story = story(100);
    let (victim, other) = (story.flow("v", "r"), story.flow("o", "r"));
    story
        .saw(at(victim, 2, "s1:1", 2_000, (0, 925)).queued(20, 8, (905, 920)).paused(15))
        .paused("s1:1", (905, 915))
        .saw(at(victim, 1, "s2:2", 1_990, (0, 925)).queued(40, 12, (900, 920)))
        .saw(at(other, 3, "s2:2", packets, (900, 920)).class(4))
}

#[test]
fn another_class_causes_a_queue_that_one_link_of_the_ports_rate_cannot_have_built() {
    let class = Expect {
        anomaly: Anomaly::ClassContention,
        root: Some("s2:2"),
        culprits: &["o-r"],
        path: &["s1:1", "s2:2"],
        confidence: 0.3..=1.0,
        ..Expect::default()
    };
    // The victim arrives no faster than the port sends, so the queue is not its own either.
    let open = Expect {
        anomaly: Anomaly::PfcBackpressureFlowContention,
        root: Some("s2:2"),
        path: &["s1:1", "s2:2"],
        confidence: 0.1..=0.7,
        ..Expect::default()
    };
    // 120 packets of 1348 bytes take 13 of 20 us.
    check(&beside_another_class(120), std::slice::from_ref(&class));
    check_without(&["class_contention.behind"], &beside_another_class(120), std::slice::from_ref(&open));
    // 20 packets take 2 us: less than the victim's own.
    check(&beside_another_class(20), std::slice::from_ref(&open));
    let missing = beside_another_class(20).diagnose()[0].missing.join("\n");
    assert!(missing.contains("does not record what s2:2 sent"), "{missing}");
    let summary = &beside_another_class(120).diagnose()[0].summary;
    assert!(summary.contains("at s2:2, whose PFC pauses spread to s1:1"), "{summary}");
}

/// The victim's packets are queued at the port of its receiver behind `depth` others, beside a flow with 60 packets. `gbps` is
/// the rate of the receiver's link.
fn beside_a_thin_flow(gbps: u64, depth: u64) -> Story {
    let mut story = story(400);
    for host in ["v", "r"] {
        set_host_rate(&mut story.topology, host, if host == "v" { 100 } else { gbps });
    }
    let (victim, thin) = (story.flow("v", "r"), story.flow("o", "r"));
    story
        .saw(at(victim, 2, "s1:1", 600, (860, 925)))
        .saw(at(victim, 1, "s2:2", 590, (860, 925)).queued(580, depth, (862, 925)))
        .saw(at(thin, 3, "s2:2", 60, (860, 925)).queued(60, depth, (862, 925)))
}

#[test]
fn a_queue_is_the_victims_own_only_if_its_host_and_links_are_faster_than_the_port() {
    let named = |anomaly, culprits| Expect {
        anomaly,
        root: Some("s2:2"),
        culprits,
        confidence: 0.3..=1.0,
        ..Expect::default()
    };
    let own = named(Anomaly::SelfInflicted, &["v-r"]);
    let other = named(Anomaly::FlowContention, &["o-r"]);
    // 60 us of 1348 bytes at 100 Gb/s are 556 packets, and 278 at 50 Gb/s.
    check(&beside_a_thin_flow(50, 120), std::slice::from_ref(&own));
    check_without(&["verdict.doubtful"], &beside_a_thin_flow(100, 60), std::slice::from_ref(&other));
    check_without(&["attribution.line_rate"], &beside_a_thin_flow(100, 60), std::slice::from_ref(&own));
    // 60 packets cannot be a queue of 120: what was sent before them is not recorded.
    let open = Expect { anomaly: Anomaly::Undetermined, confidence: 0.1..=1.0, ..Expect::default() };
    check(&beside_a_thin_flow(100, 120), &[open]);
}

/// The receiver pauses its port for `pauses` microseconds; before that, `w` and `x` fill the link to the other switch.
fn behind_a_busy_link(pauses: &[(u64, u64)]) -> Story {
    let story = story(400);
    let mut story = pauses.iter().fold(story, |story, pause| story.paused("s2:2", *pause));
    for link in story.topology.links.iter_mut().filter(|link| link.a.switch == "s1") {
        link.rate = model::Rate::from_gbps(100);
    }
    let (victim, one, two) = (story.flow("v", "r"), story.flow("w", "y"), story.flow("x", "o"));
    story
        .saw(at(victim, 2, "s1:1", 2_000, (0, 925)).queued(40, 120, (890, 920)))
        .saw(at(one, 3, "s1:1", 900, (890, 925)).queued(890, 120, (891, 925)))
        .saw(at(two, 4, "s1:1", 900, (890, 925)).queued(890, 120, (891, 925)))
        .saw(at(victim, 1, "s2:2", 1_990, (0, 925)).queued(6, 3, (910, 920)).paused(6))
}

#[test]
fn pauses_that_account_for_little_do_not_hide_a_queue_of_another_port() {
    let host = Expect {
        anomaly: Anomaly::PfcStormHostInjection,
        root: Some("s2:2"),
        host: Some("r"),
        path: &["s2:2"],
        confidence: 0.3..=1.0,
        ..Expect::default()
    };
    let queue = Expect {
        anomaly: Anomaly::FlowContention,
        cause: Cause::ElephantCollision,
        root: Some("s1:1"),
        culprits: &["w-y", "x-o"],
        confidence: 0.3..=1.0,
        ..Expect::default()
    };
    let short = [(916, 919)];
    check(&behind_a_busy_link(&short), std::slice::from_ref(&queue));
    check_without(&["signatures.beside_pauses"], &behind_a_busy_link(&short), std::slice::from_ref(&host));
    let long = [(905, 916)];
    check(&behind_a_busy_link(&long), std::slice::from_ref(&host));
}
