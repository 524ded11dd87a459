//! Configuration findings and losses are nodes of the provenance graph if they explain the verdict.

use crate::support::stories::early_poll;
use crate::support::{Story, T0, US};
use harrier_analyzer::{Settings, analyze};
use model::config_finding::Deviation;
use model::diagnosis::AdviceTarget;
use model::provenance::{EdgeKind, Node};
use model::{Cause, ConfigFinding, LossReason, LossRecord, PortRef, Setting, TriggerReason};

/// The priority of the flows in the story.
const PRIORITY: u8 = 3;
/// When packets are lost: while the slow packet of the story is in flight.
const LOST_NS: (u64, u64) = (T0 + 900 * US, T0 + 910 * US);

fn finding(switch: &str, setting: Setting) -> ConfigFinding {
    let mut finding = ConfigFinding::new(switch, setting, "it is too small", "make it larger");
    finding.deviation = Deviation::Less;
    finding
}

/// The victim waits for an ACK, so that one of its packets may be lost.
fn silent() -> Story {
    let mut story = early_poll();
    story.snapshot.trigger.as_mut().unwrap().reason = TriggerReason::Silence;
    story
}

fn loss(switch: &str, reason: LossReason, packets: u64) -> LossRecord {
    LossRecord {
        switch: switch.to_string(),
        ingress_port: Some(1),
        egress_port: Some(2),
        priority: None,
        reason,
        packets,
        lost_ns: LOST_NS,
    }
}

/// Checks the cause, the identifiers of the attributed findings, and the graph's edges from or to findings and losses.
fn check(story: &Story, cause: Cause, attributed: &[&str], expected: &[(Node, Node, EdgeKind, f64)]) {
    let found = analyze(&story.snapshot, &story.topology, &Settings::default());
    let graph = &found[0].graph;
    let is_about = |node: &Node| matches!(node, Node::Finding(_) | Node::Loss(_));
    let edges: Vec<(Node, Node, EdgeKind, f64)> = graph
        .edges
        .iter()
        .map(|e| (graph.nodes[e.from].clone(), graph.nodes[e.to].clone(), e.kind, e.weight))
        .filter(|(from, to, ..)| is_about(from) || is_about(to))
        .collect();
    assert_eq!(edges, expected);
    assert_eq!(found[0].diagnosis.cause, cause);
    assert_eq!(found[0].diagnosis.root_cause.config, attributed);
}

fn root() -> Node {
    Node::Port(PortRef::new("sw4", 2))
}

/// A port of the victim's path.
fn on_path() -> Node {
    Node::Port(PortRef::new("sw3", 2))
}

#[test]
fn a_low_threshold_is_attached_to_the_root_port() {
    let mut story = early_poll();
    story.snapshot.configuration = vec![finding("sw4", Setting::Alpha), finding("sw3", Setting::Alpha)];
    let id = "sw4/alpha";
    let edge = (root(), Node::Finding(id.to_string()), EdgeKind::PortSetByFinding, 1.0);
    check(&story, Cause::Misconfiguration, &[id], &[edge]);
}

/// F2 leaves by the congested port: it waits for that port with or without pauses.
#[test]
fn a_low_threshold_does_not_delay_a_flow_that_uses_the_congested_port() {
    let story = early_poll();
    let f2 = story.flow("h1", "h3");
    let mut story = story.triggered(f2, 923, 9, 25);
    story.snapshot.configuration = vec![finding("sw4", Setting::Alpha)];
    check(&story, Cause::Incast, &[], &[]);
}

#[test]
fn a_loss_is_between_its_port_and_the_finding_that_explains_it() {
    let mut story = silent();
    story.snapshot.configuration = vec![finding("sw3", Setting::Headroom)];
    let mut elsewhere = loss("sw3", LossReason::Headroom, 2);
    elsewhere.ingress_port = Some(3);
    story.snapshot.losses = vec![loss("sw3", LossReason::Headroom, 5), elsewhere];
    let (lost, id) = (Node::Loss("sw3:2 headroom".to_string()), "sw3/headroom");
    let edges = [
        (on_path(), lost.clone(), EdgeKind::PortLosesPackets, 7.0),
        (lost, Node::Finding(id.to_string()), EdgeKind::LossSetByFinding, 7.0),
    ];
    check(&story, Cause::Misconfiguration, &[id], &edges);
}

#[test]
fn a_rule_is_named_by_its_code_and_only_at_its_port() {
    let mut story = silent();
    let by_rule = |setting, code, port| finding("sw3", setting).by_rule(code, port);
    story.snapshot.configuration = vec![
        by_rule(Setting::Headroom, "PG004", Some(1)),
        by_rule(Setting::Headroom, "PG005", Some(3)),
        by_rule(Setting::Lossless, "PFC003", Some(3)),
        by_rule(Setting::Ecn, "ECN007", None),
    ];
    story.snapshot.losses = vec![loss("sw3", LossReason::Headroom, 5)];
    let (lost, id) = (Node::Loss("sw3:2 headroom".to_string()), "sw3:1/PG004");
    let edges = [
        (on_path(), lost.clone(), EdgeKind::PortLosesPackets, 5.0),
        (lost, Node::Finding(id.to_string()), EdgeKind::LossSetByFinding, 5.0),
    ];
    check(&story, Cause::Misconfiguration, &[id], &edges);
    let settings = Settings::default();
    let verdict = &analyze(&story.snapshot, &story.topology, &settings)[0].diagnosis;
    assert_eq!(verdict.blamed_settings().into_iter().collect::<Vec<_>>(), ["sw3/headroom"]);
}

#[test]
fn pfc_on_one_side_of_a_link_explains_losses_at_either_end() {
    let mut story = silent();
    let at = PortRef::new("sw3", 1);
    let peer = story.topology.peer(&at).expect("sw3:1 has a link").clone();
    let finding_at = |at: &PortRef| finding(&at.switch, Setting::Lossless).by_rule("FLEET003", Some(at.port));
    let elsewhere = PortRef::new(&peer.switch, peer.port + 1);
    story.snapshot.losses = vec![loss("sw3", LossReason::Headroom, 5)];
    let lost = Node::Loss("sw3:2 headroom".to_string());
    let losing = (on_path(), lost.clone(), EdgeKind::PortLosesPackets, 5.0);
    for end in [&peer, &at] {
        story.snapshot.configuration = vec![finding_at(end), finding_at(&elsewhere)];
        let id = format!("{end}/FLEET003");
        let explained = (lost.clone(), Node::Finding(id.clone()), EdgeKind::LossSetByFinding, 5.0);
        check(&story, Cause::Misconfiguration, &[&id], &[losing.clone(), explained]);
    }
    story.snapshot.configuration = vec![finding_at(&elsewhere)];
    check(&story, Cause::Incast, &[], &[losing]);
}

#[test]
fn losses_of_another_priority_explain_nothing() {
    let mut story = silent();
    let of_priority = |priority| LossRecord { priority, ..loss("sw3", LossReason::Headroom, 5) };
    story.snapshot.configuration = vec![finding("sw3", Setting::Headroom)];
    let (lost, id) = (Node::Loss("sw3:2 headroom".to_string()), "sw3/headroom");
    let edges = [
        (on_path(), lost.clone(), EdgeKind::PortLosesPackets, 5.0),
        (lost, Node::Finding(id.to_string()), EdgeKind::LossSetByFinding, 5.0),
    ];
    for own in [None, Some(PRIORITY)] {
        story.snapshot.losses = vec![of_priority(own), of_priority(Some(PRIORITY + 1))];
        check(&story, Cause::Misconfiguration, &[id], &edges);
    }
    story.snapshot.losses = vec![of_priority(Some(PRIORITY + 1))];
    check(&story, Cause::Incast, &[], &[]);
}

/// Neither the victim nor the culprits leave sw2 by port 3.
#[test]
fn losses_of_other_flows_are_a_risk_and_no_cause() {
    let mut story = silent();
    story.snapshot.configuration = vec![finding("sw2", Setting::Headroom)];
    story.snapshot.losses = vec![LossRecord { egress_port: Some(3), ..loss("sw2", LossReason::Headroom, 5) }];
    let lost = Node::Loss("sw2:3 headroom".to_string());
    let port = Node::Port(PortRef::new("sw2", 3));
    check(&story, Cause::Incast, &[], &[(port, lost, EdgeKind::PortLosesPackets, 5.0)]);
    let diagnosis = &analyze(&story.snapshot, &story.topology, &Settings::default())[0].diagnosis;
    let advice = &diagnosis.advice;
    assert!(advice[0].starts_with("stop the losses first"), "{advice:?}");
    // The finding that the advice is about is cited, and is no root cause.
    let records = diagnosis.evidence.iter().flat_map(|evidence| &evidence.records);
    let cited: Vec<&str> = records
        .filter_map(|record| match record {
            model::diagnosis::Record::Configuration(finding) => Some(finding.id.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!((cited, &diagnosis.root_cause.config), (vec!["sw2/headroom"], &Vec::new()));
    let target = AdviceTarget::Finding { id: "sw2/headroom".to_string() };
    assert_eq!(diagnosis.advice_target, Some(target));
}

/// The culprits send again what was lost at the root port, also if the slow packet was not lost.
#[test]
fn losses_of_the_culprits_lengthen_the_congestion() {
    let mut story = early_poll();
    let id = "sw4/headroom";
    story.snapshot.configuration = vec![finding("sw4", Setting::Headroom)];
    story.snapshot.losses = vec![loss("sw4", LossReason::Headroom, 5)];
    let lost = Node::Loss("sw4:2 headroom".to_string());
    let edges = [
        (root(), lost.clone(), EdgeKind::PortLosesPackets, 5.0),
        (lost.clone(), Node::Finding(id.to_string()), EdgeKind::LossSetByFinding, 5.0),
    ];
    check(&story, Cause::Misconfiguration, &[id], &edges);
    // Later than the slow packet.
    story.snapshot.losses[0].lost_ns = (T0 + 924 * US, T0 + 925 * US);
    check(&story, Cause::Incast, &[], &[(root(), lost, EdgeKind::PortLosesPackets, 5.0)]);
}

/// The packet of which the round trip was measured arrived.
#[test]
fn a_measured_round_trip_is_no_effect_of_a_loss() {
    let mut story = early_poll();
    story.snapshot.configuration = vec![finding("sw3", Setting::Headroom)];
    story.snapshot.losses = vec![loss("sw3", LossReason::Headroom, 5)];
    let lost = Node::Loss("sw3:2 headroom".to_string());
    check(&story, Cause::Incast, &[], &[(on_path(), lost, EdgeKind::PortLosesPackets, 5.0)]);
}

#[test]
fn findings_without_effect_are_no_nodes() {
    let mut story = silent();
    // A loss is a node even if no finding explains it; a finding without an effect is none.
    story.snapshot.configuration = vec![finding("sw4", Setting::Headroom), finding("sw4", Setting::Ecn)];
    story.snapshot.losses = vec![loss("sw4", LossReason::Watchdog, 4), loss("sw9", LossReason::Headroom, 9)];
    let lost = Node::Loss("sw4:2 watchdog".to_string());
    check(&story, Cause::Incast, &[], &[(root(), lost, EdgeKind::PortLosesPackets, 4.0)]);
}
