//! A host pauses its port for a part of the delay, and flows contend there for the rest. The victim is h2 -> h4; its slow
//! packet was in flight from 898 to 923 us of the epoch and lost 16 us to the pauses that begin at sw4:2, the port of h3.

use crate::support::stories::early_poll;
use crate::support::{Expect, Story, check, check_without};
use model::{Anomaly, Cause};

/// Four flows send a burst to h3, which pauses its port for these spans, in microseconds.
fn paused_by_h3(pauses: &[(u64, u64)]) -> Story {
    pauses.iter().fold(early_poll(), |story, pause| story.paused("sw4:2", *pause))
}

const HOST: Expect<'static> = Expect {
    anomaly: Anomaly::PfcStormHostInjection,
    cause: Cause::SlowReceiver,
    root: Some("sw4:2"),
    host: Some("h3"),
    culprits: &[],
    path: &["sw1:1", "sw2:3", "sw4:2"],
    pause_loop: &[],
    spreaders: &["h1-h3"],
    confidence: 0.3..=1.0,
};

const BURST: Expect<'static> = Expect {
    anomaly: Anomaly::PfcBackpressureFlowContention,
    cause: Cause::Incast,
    host: None,
    culprits: &["a1-h3", "a2-h3", "a3-h3", "a4-h3"],
    ..HOST
};

/// Returns the share of the delay that each verdict states.
fn shares(story: &Story) -> Vec<String> {
    let share = |summary: &str| {
        let (_, text) = summary.split_once("; this is about ")?;
        Some(text.split_once(" of the delay")?.0.to_string())
    };
    story.diagnose().iter().filter_map(|found| share(&found.summary)).collect()
}

#[test]
fn a_host_that_pauses_for_a_part_of_the_delay_shares_it_with_the_flows_that_contend_there() {
    let half = paused_by_h3(&[(902, 906), (910, 914)]);
    check(&half, &[HOST, BURST]);
    assert_eq!(shares(&half), ["50 %", "50 %"]);
    check_without(&["signatures.beside_host"], &half, &[HOST]);
    let less = paused_by_h3(&[(902, 905), (910, 913)]);
    check(&less, &[BURST, HOST]);
    assert_eq!(shares(&less), ["63 %", "38 %"]);
}

#[test]
fn a_host_that_pauses_for_most_of_the_delay_is_named_alone() {
    check(&paused_by_h3(&[(900, 907), (909, 916), (918, 922)]), &[HOST]);
}

#[test]
fn a_host_that_pauses_for_a_small_part_of_the_delay_is_not_named() {
    check(&paused_by_h3(&[(902, 903), (910, 911)]), &[BURST]);
}
