//! Accusations that are too uncertain are withheld: the port is named, and a setting that does not depend on the flows.

use std::collections::{BTreeMap, BTreeSet};

use harrier_analyzer::{Settings, analyze};
use model::config_finding::Deviation;
use model::{Anomaly, Cause, ConfigFinding, Diagnosis, LossReason, LossRecord, Setting};

use crate::support::stories::{early_poll, flood_of_another_class};
use crate::support::{Story, T0, US};

/// The verdict if no accusation is certain enough, without the rules in `without`.
fn doubted(story: &Story, without: &[&str]) -> Diagnosis {
    let settings = Settings {
        scale: BTreeMap::from([("verdict.least_to_accuse".to_string(), 10.0)]),
        without: without.iter().map(ToString::to_string).collect::<BTreeSet<_>>(),
        ..Settings::default()
    };
    let mut found = analyze(&story.snapshot, &story.topology, &settings);
    assert_eq!(found.len(), 1);
    found.remove(0).diagnosis
}

/// Checks the number of flows that a verdict names, its settings, and that it says what the records leave open.
#[track_caller]
fn check(verdict: &Diagnosis, flows: usize, config: &[&str], cause: Cause) {
    let root = &verdict.root_cause;
    assert_eq!((root.flows.len(), verdict.cause), (flows, cause), "{}", verdict.summary);
    assert_eq!(root.config, config, "{}", verdict.summary);
    let leaves_open = verdict.missing.iter().any(|missing| missing.contains("does not record which of the"));
    assert_eq!(leaves_open, flows == 0, "{:?}", verdict.missing);
    assert!(root.port.is_some());
}

/// An incast at sw4:2, where a setting is wrong.
fn with_setting(setting: Setting) -> Story {
    let mut story = early_poll();
    let mut finding = ConfigFinding::new("sw4", setting, "it is too small", "make it larger");
    finding.deviation = Deviation::Less;
    story.snapshot.configuration = vec![finding];
    story
}

#[test]
fn a_queue_is_named_without_flows() {
    let open = doubted(&early_poll(), &[]);
    check(&open, 0, &[], Cause::Undetermined);
    let said = "does not record which of the 5 flows in the queue of sw4:2 were ahead of the slow packet; most packets are of";
    assert!(open.missing.iter().any(|missing| missing.contains(said)), "{:?}", open.missing);
    check(&doubted(&early_poll(), &["verdict.doubtful"]), 4, &[], Cause::Incast);
}

#[test]
fn a_setting_stays_named_without_flows() {
    let story = with_setting(Setting::Alpha);
    check(&doubted(&story, &[]), 0, &["sw4/alpha"], Cause::Misconfiguration);
    let named = doubted(&story, &["verdict.doubtful_beside_settings"]);
    check(&named, 4, &["sw4/alpha"], Cause::Misconfiguration);
}

/// Losses are attributed to the setting, and the culprits send the lost packets again.
#[test]
fn a_setting_that_is_blamed_for_the_losses_of_doubtful_flows_is_doubtful_as_well() {
    let mut story = with_setting(Setting::Headroom);
    story.snapshot.losses = vec![LossRecord {
        switch: "sw4".to_string(),
        ingress_port: Some(1),
        egress_port: Some(2),
        priority: None,
        reason: LossReason::Headroom,
        packets: 5,
        lost_ns: (T0 + 900 * US, T0 + 910 * US),
    }];
    check(&doubted(&story, &[]), 0, &[], Cause::Undetermined);
    let named = doubted(&story, &["verdict.doubtful_beside_settings"]);
    check(&named, 4, &["sw4/headroom"], Cause::Misconfiguration);
}

#[test]
fn flows_of_another_class_are_withheld_as_well() {
    let story = flood_of_another_class();
    for (without, flows) in [(&[][..], 0), (&["verdict.doubtful_classes"], 2)] {
        let verdict = doubted(&story, without);
        let named = (verdict.anomaly, verdict.root_cause.flows.len());
        assert_eq!(named, (Anomaly::ClassContention, flows), "{}", verdict.summary);
    }
}
