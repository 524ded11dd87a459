//! Neighbours appear, age and move; cables that differ from the plan are findings.

use harrier_controller::discovery::{
    Change, INTERVAL, Neighbours, TTL_S, announcement, cable_findings, withdrawal,
};
use model::topology::{Link, Node, NodeKind};
use model::wire::lldp::{ChassisId, Lldp, PortId};
use model::{PortRef, Rate, Time, Topology};

fn port(text: &str) -> PortRef {
    let (switch, number) = text.split_once(':').expect("NAME:PORT");
    PortRef::new(switch.to_owned(), number.parse().expect("a number"))
}

fn plan() -> Topology {
    let node = |name: &str, kind| Node { name: name.into(), kind, addresses: Vec::new() };
    let link =
        |a: &str, b: &str| Link { a: port(a), b: port(b), rate: Rate::from_gbps(1), delay: Time::ZERO };
    Topology {
        nodes: vec![
            node("leaf1", NodeKind::Switch),
            node("leaf2", NodeKind::Switch),
            node("spine", NodeKind::Switch),
            node("h1", NodeKind::Host),
        ],
        links: vec![link("leaf1:1", "h1:1"), link("leaf1:2", "spine:1"), link("leaf2:2", "spine:2")],
    }
}

/// Returns the findings when `far` announces itself at `near`, for each pair.
fn check(seen: &[(&str, Lldp)], expected: &[&str]) {
    let mut neighbours = Neighbours::default();
    for (near, lldp) in seen {
        neighbours.receive(Time::ZERO, &port(near), lldp.clone());
    }
    let findings: Vec<String> =
        cable_findings(&plan(), &neighbours).iter().map(ToString::to_string).collect();
    assert_eq!(findings, expected);
}

/// All cables between switches as planned.
fn planned() -> Vec<(&'static str, Lldp)> {
    [("leaf1:2", "spine:1"), ("spine:1", "leaf1:2"), ("leaf2:2", "spine:2"), ("spine:2", "leaf2:2")]
        .map(|(near, far)| (near, announcement(&port(far))))
        .into()
}

#[test]
fn a_network_as_planned_has_no_findings() {
    check(&planned(), &[]);
}

#[test]
fn swapped_cables_are_findings_at_every_end() {
    let seen =
        [("leaf1:2", "spine:2"), ("spine:2", "leaf1:2"), ("leaf2:2", "spine:1"), ("spine:1", "leaf2:2")];
    check(
        &seen.map(|(near, far)| (near, announcement(&port(far)))),
        &[
            "leaf1:2 is cabled to spine:2; the plan says spine:1",
            "leaf2:2 is cabled to spine:1; the plan says spine:2",
            "spine:1 is cabled to leaf2:2; the plan says leaf1:2",
            "spine:2 is cabled to leaf1:2; the plan says leaf2:2",
        ],
    );
}

#[test]
fn a_missing_cable_and_an_additional_one_are_findings() {
    let mut seen = planned();
    seen.retain(|(near, _)| *near != "leaf2:2");
    seen.push(("leaf2:7", announcement(&port("rogue:3"))));
    check(
        &seen,
        &[
            "leaf2:7 is cabled to rogue:3; the plan has no cable there",
            "leaf2:2 has no LLDP neighbour; the plan says spine:2",
        ],
    );
}

#[test]
fn a_host_is_known_by_its_system_name() {
    let host = |name: &str| Lldp {
        chassis: ChassisId::Mac([2, 0, 0, 0, 0, 1]),
        port: PortId::Mac([2, 0, 0, 0, 0, 1]),
        system_name: Some(name.into()),
        ..announcement(&port("h1:1"))
    };
    let with = |lldp: Lldp| [planned(), vec![("leaf1:1", lldp)]].concat();
    check(&with(host("h1")), &[]);
    check(&with(host("h2")), &["leaf1:1 is cabled to h2:02:00:00:00:00:01; the plan says h1:1"]);
}

#[test]
fn neighbours_are_refreshed_and_forgotten_after_their_time() {
    let mut neighbours = Neighbours::default();
    let (at, far) = (port("leaf1:2"), announcement(&port("spine:1")));
    assert_eq!(neighbours.receive(Time::ZERO, &at, far.clone()), Change::Appeared);
    assert_eq!(neighbours.receive(INTERVAL, &at, far), Change::Refreshed);
    let end = INTERVAL + Time::from_ms(u64::from(TTL_S) * 1000);
    assert_eq!(neighbours.next_expiry(), Some(end));
    assert!(neighbours.expire(Time(end.0 - 1)).is_empty());
    assert_eq!(neighbours.expire(end), std::slice::from_ref(&at));
    assert!(neighbours.at(&at).is_none());
}

#[test]
fn a_neighbour_moves_and_withdraws_itself() {
    let mut neighbours = Neighbours::default();
    let at = port("leaf1:2");
    neighbours.receive(Time::ZERO, &at, announcement(&port("spine:1")));
    assert_eq!(neighbours.receive(Time::ZERO, &at, announcement(&port("spine:2"))), Change::Replaced);
    assert_eq!(neighbours.receive(Time::ZERO, &at, withdrawal(&port("spine:2"))), Change::Gone);
    assert_eq!(neighbours.receive(Time::ZERO, &at, withdrawal(&port("spine:2"))), Change::Ignored);
    assert_eq!(neighbours.link_down(&at), Change::Ignored);
}
