//! Plans for the poster's topology and for one with equal-cost paths.

use harrier_controller::plan::{
    MatchValue, POLL_GROUP, PlanChange, PlanError, PlanSettings, SwitchPlan, TableEntry, change,
    keep_group_numbers, plan,
};
use model::topology::{Link, Node, NodeKind};
use model::{Rate, Time, Topology};

/// Switches 9 to 12 and hosts 0 to 8 as the poster's file lists them; a link is `a b gbps`.
fn poster() -> Topology {
    let links = [
        (9, 10, 100),
        (1, 9, 50),
        (2, 9, 50),
        (10, 11, 100),
        (10, 12, 100),
        (3, 12, 100),
        (4, 11, 50),
        (5, 12, 100),
        (6, 12, 100),
    ];
    let switches: Vec<u8> = vec![9, 10, 11, 12];
    let mut used = std::collections::BTreeMap::new();
    let mut port = |node: u8| {
        let next = used.entry(node).or_insert(0u16);
        *next += 1;
        format!("n{node}:{next}").parse().unwrap()
    };
    let links = links
        .into_iter()
        .map(|(a, b, gbps)| Link {
            a: port(a),
            b: port(b),
            rate: Rate::from_gbps(gbps),
            delay: Time::from_us(1),
        })
        .collect();
    let nodes = (1..=12)
        .filter(|n| switches.contains(n) || *n <= 6)
        .map(|n| Node {
            name: format!("n{n}"),
            kind: if switches.contains(&n) { NodeKind::Switch } else { NodeKind::Host },
            addresses: vec![[11, 0, n, 1].into()],
        })
        .collect();
    Topology { nodes, links }
}

/// Two hosts on two switches with two links between them.
fn twin(second: [u8; 4]) -> Topology {
    let link = |a: &str, b: &str| Link {
        a: a.parse().unwrap(),
        b: b.parse().unwrap(),
        rate: Rate::from_gbps(100),
        delay: Time::from_us(1),
    };
    let node =
        |name: &str, kind, addresses: Vec<std::net::IpAddr>| Node { name: name.into(), kind, addresses };
    Topology {
        nodes: vec![
            node("h1", NodeKind::Host, vec![[10, 0, 0, 1].into(), "fd00::1".parse().unwrap()]),
            node("h2", NodeKind::Host, vec![second.into()]),
            node("s1", NodeKind::Switch, vec![]),
            node("s2", NodeKind::Switch, vec![]),
        ],
        links: vec![link("h1:1", "s1:1"), link("s1:2", "s2:2"), link("s1:3", "s2:3"), link("s2:1", "h2:1")],
    }
}

fn routes(plan: &SwitchPlan) -> Vec<String> {
    let number = |bytes: &[u8]| bytes.iter().fold(0u64, |n, b| n << 8 | u64::from(*b));
    let show = |entry: &TableEntry| {
        let key: Vec<String> = entry
            .key
            .iter()
            .map(|(_, value)| match value {
                MatchValue::Exact(v) => number(v).to_string(),
                MatchValue::Lpm { value, prefix_length } => format!("{value:?}/{prefix_length}"),
            })
            .collect();
        let params: Vec<String> = entry.params.iter().map(|(n, v)| format!("{n}={}", number(v))).collect();
        format!("{} {} {}({})", entry.table, key.join(","), entry.action, params.join(","))
    };
    plan.entries.iter().filter(|e| e.table != "dscp_priorities").map(show).collect()
}

#[test]
fn the_plans_of_the_poster_contain_routes_groups_and_port_settings() {
    let settings = PlanSettings { roce_ports: vec![100], pause_timer: false, ..PlanSettings::default() };
    let plans = plan(&poster(), &settings, &crate::support::layout()).unwrap();
    assert_eq!(plans.keys().collect::<Vec<_>>(), ["n10", "n11", "n12", "n9"]);
    let sw2 = &plans["n10"];
    assert_eq!(
        routes(sw2),
        [
            "ipv4_routes [11, 0, 1, 1]/32 set_port(port=1)",
            "ipv4_routes [11, 0, 2, 1]/32 set_port(port=1)",
            "ipv4_routes [11, 0, 3, 1]/32 set_port(port=3)",
            "ipv4_routes [11, 0, 4, 1]/32 set_port(port=2)",
            "ipv4_routes [11, 0, 5, 1]/32 set_port(port=3)",
            "ipv4_routes [11, 0, 6, 1]/32 set_port(port=3)",
        ]
    );
    assert_eq!((sw2.groups[0].id, sw2.groups[0].ports.as_slice()), (POLL_GROUP, &[1, 2, 3][..]));
    assert_eq!(plans["n12"].groups[0].ports, [1], "polls stop at ports towards hosts");
    assert_eq!(sw2.value_sets[0].value, [0, 100]);
    // DSCP 26 is class 3.
    let dscp = sw2.entries.iter().find(|e| e.key == [("dscp", MatchValue::Exact(vec![26]))]).unwrap();
    assert_eq!(dscp.params, [("priority", vec![3])]);
    let config: Vec<_> =
        plans["n12"].registers.iter().filter(|r| r.register == "port_config").map(|r| r.value[0]).collect();
    assert_eq!(config, [0, 0x80, 0x80, 0x80]);
    assert_ne!(plans["n9"].registers.last(), plans["n10"].registers.last(), "seeds differ");
}

#[test]
fn a_pause_quantum_follows_from_the_rate() {
    let plans = plan(&poster(), &PlanSettings::default(), &crate::support::layout()).unwrap();
    // 5.12 ns at 100 Gb/s, twice that at 50, in 2^-16 ns.
    let quantum = |port: usize| {
        let value = &plans["n9"].registers[port - 1].value;
        value[1..].iter().fold(0u64, |n, b| n << 8 | u64::from(*b))
    };
    assert_eq!((quantum(1), quantum(2)), (335_544, 671_089));
}

#[test]
fn equal_cost_paths_become_a_group() {
    let plans = plan(&twin([10, 0, 0, 2]), &PlanSettings::default(), &crate::support::layout()).unwrap();
    assert_eq!(
        routes(&plans["s1"]),
        [
            "ecmp_members 1,0 set_port(port=2)",
            "ecmp_members 1,1 set_port(port=3)",
            "ipv4_routes [10, 0, 0, 1]/32 set_port(port=1)",
            "ipv6_routes [253, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]/128 set_port(port=1)",
            "ipv4_routes [10, 0, 0, 2]/32 set_group(group_id=1,size=2)",
        ]
    );
}

/// Returns the present plan of s1 with and without a link, and what differs.
fn without(link: &str, present: &SwitchPlan) -> (SwitchPlan, PlanChange) {
    let settings = PlanSettings { unused_links: vec![link.parse().unwrap()], ..PlanSettings::default() };
    let mut plans = plan(&twin([10, 0, 0, 2]), &settings, &crate::support::layout()).unwrap();
    let new = keep_group_numbers(present, plans.remove("s1").unwrap());
    let difference = change(present, &new);
    (new, difference)
}

#[test]
fn a_failed_link_changes_only_the_routes_over_it() {
    let mut plans = plan(&twin([10, 0, 0, 2]), &PlanSettings::default(), &crate::support::layout()).unwrap();
    let usual = plans.remove("s1").unwrap();
    let show =
        |entries: &[TableEntry]| routes(&SwitchPlan { entries: entries.to_vec(), ..SwitchPlan::default() });
    let (failed, difference) = without("s1:3", &usual);
    assert_eq!(show(&difference.inserts), Vec::<String>::new());
    assert_eq!(show(&difference.modifies), ["ipv4_routes [10, 0, 0, 2]/32 set_port(port=2)"]);
    let members = ["ecmp_members 1,1 set_port(port=3)", "ecmp_members 1,0 set_port(port=2)"];
    assert_eq!(show(&difference.deletes), members, "after the route that refers to them");
    assert!(difference.groups.is_empty() && difference.registers.is_empty());

    // The link is back.
    let back = keep_group_numbers(&failed, usual.clone());
    let difference = change(&failed, &back);
    assert_eq!(
        show(&difference.inserts),
        ["ecmp_members 1,0 set_port(port=2)", "ecmp_members 1,1 set_port(port=3)"]
    );
    assert_eq!(show(&difference.modifies), ["ipv4_routes [10, 0, 0, 2]/32 set_group(group_id=1,size=2)"]);
    assert!(change(&back, &usual).is_empty());
}

#[test]
fn groups_with_the_same_members_keep_their_numbers() {
    let member = |group: u16, member: u16, port: u16| TableEntry {
        table: "ecmp_members",
        key: vec![
            ("group", MatchValue::Exact(group.to_be_bytes().to_vec())),
            ("member", MatchValue::Exact(member.to_be_bytes().to_vec())),
        ],
        action: "set_port",
        params: vec![("port", port.to_be_bytes().to_vec())],
    };
    let plan = |entries: Vec<TableEntry>| SwitchPlan { entries, ..SwitchPlan::default() };
    let old = plan(vec![member(1, 0, 5), member(1, 1, 6), member(2, 0, 7), member(2, 1, 8)]);
    let new = plan(vec![member(1, 0, 7), member(1, 1, 8), member(2, 0, 5), member(2, 1, 9)]);
    assert_eq!(
        routes(&keep_group_numbers(&old, new)),
        [
            "ecmp_members 2,0 set_port(port=7)",
            "ecmp_members 2,1 set_port(port=8)",
            "ecmp_members 3,0 set_port(port=5)",
            "ecmp_members 3,1 set_port(port=9)",
        ]
    );
}

#[test]
fn invalid_settings_are_rejected() {
    let error = |topology: &Topology, settings: &PlanSettings| {
        plan(topology, settings, &crate::support::layout()).unwrap_err().to_string()
    };
    let usual = PlanSettings::default();
    let mut nameless = twin([10, 0, 0, 2]);
    nameless.nodes[1].addresses.clear();
    assert_eq!(error(&nameless, &usual), "host `h2` has no address");
    assert_eq!(error(&twin([10, 0, 0, 1]), &usual), "hosts `h1` and `h2` share the address 10.0.0.1");
    let mut wide = twin([10, 0, 0, 2]);
    wide.links[0].b.port = 5;
    assert_eq!(error(&wide, &usual), "port s1:5 has no telemetry: the program is compiled for ports 1 to 4");
    let short = PlanSettings { dscp_priorities: vec![0; 3], ..usual.clone() };
    assert_eq!(error(&poster(), &short), "dscp_priorities: 3 entries; expected 64 priorities from 0 to 7");
    let many = PlanSettings { roce_ports: (1..=9).collect(), ..usual };
    assert_eq!(plan(&poster(), &many, &crate::support::layout()), Err(PlanError::RocePorts(9)));
}
