//! The reasons that are listed if no verdict is possible.

use crate::support::stories::{background, early_poll};
use crate::support::{Story, line_network};
use harrier_analyzer::unanswered;
use model::FlowKey;
use model::units::readable_ns;

/// Checks that the story has no verdict, for exactly these reasons.
#[track_caller]
fn check(story: &Story, reasons: &[&str]) {
    let summaries: Vec<String> = story.diagnose().into_iter().map(|d| d.summary).collect();
    assert_eq!(summaries, Vec::<String>::new());
    assert_eq!(unanswered(&story.snapshot, &story.topology), reasons);
}

#[test]
fn no_switch_reported() {
    let mut story = early_poll().missing("switch sw1 did not answer within 80 ms");
    story.snapshot.switches.clear();
    check(
        &story,
        &[
            "no switch reported, so there is no telemetry to diagnose from",
            "switch sw1 on the victim's path sent no telemetry",
            "switch sw2 on the victim's path sent no telemetry",
            "switch sw3 on the victim's path sent no telemetry",
            "switch sw1 did not answer within 80 ms",
        ],
    );
    (story.snapshot.victim, story.snapshot.trigger) = (None, None);
    check(
        &story,
        &[
            "no switch reported, so there is no telemetry to diagnose from",
            "switch sw1 did not answer within 80 ms",
        ],
    );
}

#[test]
fn only_switches_of_the_path_are_listed_as_missing() {
    let mut story = early_poll();
    story.snapshot.switches.retain(|s| s.switch == "sw4");
    let victim = story.snapshot.victim.unwrap();
    check(
        &story,
        &[
            &format!("no switch has a record of the victim h2 -> h4 ({victim})"),
            "switch sw1 on the victim's path sent no telemetry",
            "switch sw2 on the victim's path sent no telemetry",
            "switch sw3 on the victim's path sent no telemetry",
        ],
    );
}

#[test]
fn an_unknown_victim_is_reported() {
    let mut story = early_poll();
    let address = |text: &str| text.parse().unwrap();
    let stranger = FlowKey::udp(address("10.9.0.1"), 1, address("10.9.0.2"), 4_791);
    (story.snapshot.victim, story.snapshot.trigger) = (Some(stranger), None);
    check(
        &story,
        &[
            "no switch has a record of the victim 10.9.0.1:1>10.9.0.2:4791/udp",
            "the topology has no host with the victim's source address 10.9.0.1",
            "the topology has no host with the victim's destination address 10.9.0.2",
        ],
    );
}

#[test]
fn a_quiet_network_needs_no_reason() {
    let mut story = background(Story::new(line_network()), 925);
    story.snapshot.trigger = None;
    check(&story, &[]);
}

#[test]
fn records_of_other_times_are_reported() {
    let mut story = early_poll();
    let trigger = story.snapshot.trigger.as_mut().unwrap();
    trigger.time_ns += 5_000_000;
    // A quarter of the rest that separates two events, ten reaction times of a hundredth of an epoch at least.
    let slack_ns = story.snapshot.epoch_ns / 100 * 10 / 4;
    let from = trigger.time_ns - trigger.rtt_ns - slack_ns;
    let frozen_ns: std::collections::BTreeMap<String, u64> =
        story.snapshot.switches.iter().map(|s| (s.switch.clone(), s.frozen_ns)).collect();
    let expected = |name: &str| {
        format!(
            "switch {name} has records up to {} only; the slow round trip began after {}",
            readable_ns(frozen_ns[name]),
            readable_ns(from)
        )
    };
    check(&story, &[&expected("sw1"), &expected("sw2"), &expected("sw3")]);
}
