//! Findings about configurations and losses are nodes of the provenance graph, where they have to do with the verdict.

mod support;

use harrier_analyzer::{Settings, analyze};
use model::circumstances::Deviation;
use model::provenance::{EdgeKind, Node};
use model::{Cause, ConfigFinding, LossReason, LossRecord, PortRef, Setting};
use support::Story;
use support::stories::early_poll;

fn finding(switch: &str, setting: Setting) -> ConfigFinding {
    let mut finding = ConfigFinding::new(switch, setting, "it is too small", "make it larger");
    finding.deviation = Deviation::Less;
    finding
}

fn loss(switch: &str, reason: LossReason, packets: u64) -> LossRecord {
    LossRecord {
        switch: switch.to_string(),
        ingress_port: 1,
        egress_port: 2,
        reason,
        packets,
        lost_ns: (1, 2),
    }
}

/// The edges from or to findings and losses of the verdict's graph, the cause, and the findings that it blames.
fn check(story: &Story, cause: Cause, blamed: &[&str], expected: &[(Node, Node, EdgeKind, f64)]) {
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
    assert_eq!(found[0].diagnosis.root_cause.config, blamed);
}

fn root() -> Node {
    Node::Port(PortRef::new("sw4", 2))
}

#[test]
fn a_threshold_that_made_it_happen_stands_at_the_root() {
    let mut story = early_poll();
    story.snapshot.configuration = vec![finding("sw4", Setting::Alpha), finding("sw3", Setting::Alpha)];
    let id = "sw4/alpha";
    let edge = (root(), Node::Finding(id.to_string()), EdgeKind::PortSetByFinding, 1.0);
    check(&story, Cause::Misconfiguration, &[id], &[edge]);
}

#[test]
fn a_loss_stands_between_the_port_and_the_finding_that_explains_it() {
    let mut story = early_poll();
    story.snapshot.configuration = vec![finding("sw4", Setting::Headroom)];
    let mut elsewhere = loss("sw4", LossReason::Headroom, 2);
    elsewhere.ingress_port = 3;
    story.snapshot.losses = vec![loss("sw4", LossReason::Headroom, 5), elsewhere];
    let (lost, id) = (Node::Loss("sw4:2 headroom".to_string()), "sw4/headroom");
    let edges = [
        (root(), lost.clone(), EdgeKind::PortLosesPackets, 7.0),
        (lost, Node::Finding(id.to_string()), EdgeKind::LossSetByFinding, 7.0),
    ];
    check(&story, Cause::Misconfiguration, &[id], &edges);
}

#[test]
fn what_has_nothing_to_do_with_it_is_no_node() {
    let mut story = early_poll();
    // A loss without a finding is there and blames no setting; a finding without a loss is not.
    story.snapshot.configuration = vec![finding("sw4", Setting::Headroom), finding("sw4", Setting::Ecn)];
    story.snapshot.losses = vec![loss("sw4", LossReason::Watchdog, 4), loss("sw9", LossReason::Headroom, 9)];
    let lost = Node::Loss("sw4:2 watchdog".to_string());
    check(&story, Cause::Incast, &[], &[(root(), lost, EdgeKind::PortLosesPackets, 4.0)]);
}
