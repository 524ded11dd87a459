//! Neighbours appear, age and move; cables that differ from the plan are findings.

use std::sync::Arc;

use harrier_controller::discovery::{
    Cables, Change, HostPort, INTERVAL, Neighbours, Sighting, TTL_S, announcement, cable_findings, learn,
    ttl_s, withdrawal,
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
    let expired: Vec<PortRef> = neighbours.expire(end).into_iter().map(|(port, _)| port).collect();
    assert_eq!(expired, std::slice::from_ref(&at));
    assert!(neighbours.at(&at).is_none());
}

/// The frame by which a port announces itself.
fn frame(far: &str) -> Vec<u8> {
    let frame = announcement(&port(far)).to_frame([2; 6]);
    let mut bytes = frame.head.to_vec();
    bytes.resize(frame.len() as usize, 0);
    bytes
}

const SECOND: Time = Time::from_ms(1_000);
const SWITCHES: [&str; 3] = ["leaf1", "leaf2", "spine"];

/// The cables of a controller of all switches, which are up since time 0.
fn cables() -> Cables {
    let mut cables = Cables::new(Arc::new(plan()), SWITCHES.map(String::from), SECOND);
    SWITCHES.iter().for_each(|switch| cables.up(Time::ZERO, switch));
    cables
}

fn announce(cables: &mut Cables, now: Time, pairs: &[(&str, &str)]) {
    for (near, far) in pairs {
        cables.receive(now, &port(near), &frame(far)).expect("a valid frame");
    }
}

fn check_findings(cables: &Cables, now: Time, expected: &[&str]) {
    let findings: Vec<String> = cables.findings(now).iter().map(ToString::to_string).collect();
    assert_eq!(findings, expected);
}

#[test]
fn a_silent_port_is_a_finding_after_two_intervals() {
    let mut cables = cables();
    announce(&mut cables, Time::ZERO, &[("leaf1:2", "spine:1"), ("spine:1", "leaf1:2")]);
    check_findings(&cables, SECOND, &[]);
    let settled = SECOND + SECOND;
    assert_eq!(cables.next_wake(), Some(settled));
    cables.wake(settled);
    let silent = [
        "leaf2:2 has no LLDP neighbour; the plan says spine:2",
        "spine:2 has no LLDP neighbour; the plan says leaf2:2",
    ];
    check_findings(&cables, settled, &silent);
    // Nothing is known about the ports of a switch without a session, and its neighbours do not hear it.
    cables.down("leaf2");
    check_findings(&cables, settled, &[]);
    cables.up(settled, "leaf2");
    check_findings(&cables, settled + SECOND, &[]);
    check_findings(&cables, settled + settled, &silent);
}

#[test]
fn a_link_has_failed_when_its_neighbour_has_gone() {
    let mut cables = cables();
    let all =
        [("leaf1:2", "spine:1"), ("spine:1", "leaf1:2"), ("leaf2:2", "spine:2"), ("spine:2", "leaf2:2")];
    announce(&mut cables, Time::ZERO, &all);
    let end = Time::from_ms(u64::from(TTL_S) * 1_000);
    let failed = |cables: &Cables, now| -> Vec<String> {
        cables.failed_links(now).iter().map(|link| link.a.to_string()).collect()
    };
    announce(&mut cables, Time(end.0 - 1), &all[..2]);
    assert_eq!(failed(&cables, Time(end.0 - 1)), Vec::<String>::new());
    assert!(cables.wake(end));
    assert_eq!(failed(&cables, end), ["leaf2:2"]);
    // It is back.
    announce(&mut cables, end, &all[2..]);
    assert_eq!(failed(&cables, end), Vec::<String>::new());
    // A controller that hears nothing at all concludes nothing.
    assert!(cables.wake(end + end));
    assert_eq!(failed(&cables, end + end), Vec::<String>::new());
}

#[test]
fn ports_beyond_the_plan_announce_themselves_when_they_have_a_neighbour() {
    let mut cables = cables();
    assert_eq!(cables.ports_of("leaf1"), [1, 2]);
    announce(&mut cables, Time::ZERO, &[("leaf1:7", "rogue:1")]);
    assert_eq!(cables.ports_of("leaf1"), [1, 2, 7]);
    check_findings(&cables, Time::ZERO, &["leaf1:7 is cabled to rogue:1; the plan has no cable there"]);
    assert!(cables.receive(Time::ZERO, &port("leaf1:2"), &[0; 60]).is_err());
    assert_eq!(
        [ttl_s(INTERVAL), ttl_s(SECOND), ttl_s(Time::from_ms(u64::MAX / 1_000_000_000_000))],
        [TTL_S, 5, u16::MAX]
    );
}

#[test]
fn a_network_without_links_is_learned() {
    let mut cables =
        Cables::new(Arc::new(Topology::default()), SWITCHES.map(String::from), SECOND).learning(4);
    assert_eq!(cables.ports_of("leaf1"), [1, 2, 3, 4]);
    announce(&mut cables, Time::ZERO, &[("leaf1:2", "spine:1")]);
    check_findings(&cables, Time::ZERO, &[]);
}

/// Returns links and problems of a learned topology. h1 has an agent.
fn check_learned(seen: &[(&str, &str)], rate: Option<Rate>, links: &[&str], problems: &[&str]) {
    let sighting =
        |(at, far): &(&str, &str)| Sighting { port: port(at), announced: far.to_string(), rate: None };
    let seen: Vec<_> = seen.iter().map(sighting).collect();
    let h1 = HostPort {
        host: "h1".into(),
        mac: "02:00:00:00:00:01".into(),
        addresses: vec![[10, 0, 0, 1].into()],
        rate: Some(Rate::from_gbps(25)),
    };
    let (topology, found) = learn(&seen, &[h1], rate, Time::ZERO);
    let show = |link: &Link| format!("{} {} {}", link.a, link.b, link.rate.0 / 1_000_000_000);
    assert_eq!((topology.links.iter().map(show).collect::<Vec<_>>(), found), (owned(links), owned(problems)));
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| text.to_string()).collect()
}

#[test]
fn a_topology_is_learned_from_both_ends_of_cables_and_from_agents() {
    let trunk = [("leaf1:2", "spine:1"), ("spine:1", "leaf1:2")];
    let gbps = Some(Rate::from_gbps(100));
    check_learned(&trunk, gbps, &["leaf1:2 spine:1 100"], &[]);
    check_learned(&trunk, None, &[], &["the rate of the link leaf1:2 - spine:1 is unknown"]);
    let host = ("leaf1:1", "localhost:02:00:00:00:00:01");
    check_learned(&[host], None, &["leaf1:1 h1:1 25"], &[]);
    check_learned(
        &[("leaf1:1", "h2:eth0")],
        gbps,
        &["leaf1:1 h2:1 100"],
        &["host `h2` has no address: no agent reports the interface that announces it"],
    );
    check_learned(
        &[("leaf1:2", "spine:1"), ("spine:1", "leaf2:2"), ("leaf2:2", "spine:1")],
        gbps,
        &["leaf2:2 spine:1 100"],
        &["leaf1:2 sees spine:1, but spine:1 does not see leaf1:2"],
    );
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
