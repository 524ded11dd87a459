//! Fleets and hosts.

use buffer_config::finding::Finding;
use buffer_config::fleet::Fleet;
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;
use buffer_config::{ResolveOptions, hosts, input, resolve};

fn switch(name: &str, alpha: &str, cable: &str, pfc: &str, peer: &str) -> String {
    format!(
        r#"{{"DEVICE_METADATA": {{"localhost": {{"hostname": "{name}", "type": "ToRRouter", "platform": "x86_64-dell_s6000_s1220-r0"}}}},
        "PORT": {{"Ethernet0": {{"lanes": "1", "speed": "40000", "mtu": "9100", "admin_status": "up"}}}},
        "CABLE_LENGTH": {{"AZURE": {{"Ethernet0": "{cable}"}}}},
        "DEVICE_NEIGHBOR": {{"Ethernet0": {{"name": "{peer}", "port": "Ethernet0"}}}},
        "BUFFER_POOL": {{"ingress_lossless_pool": {{"type": "ingress", "mode": "dynamic", "size": "9000000", "xoff": "1000000"}}}},
        "BUFFER_PROFILE": {{"p": {{"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "{alpha}", "xoff": "90000"}}}},
        "BUFFER_PG": {{"Ethernet0|3": {{"profile": "p"}}}},
        "DSCP_TO_TC_MAP": {{"A": {{"26": "3"}}}},
        "PORT_QOS_MAP": {{"Ethernet0": {{"pfc_enable": "{pfc}", "dscp_to_tc_map": "A"}}}}}}"#
    )
}

fn found(switches: &[String]) -> Vec<Finding> {
    let mut fleet = Fleet::default();
    for (i, text) in switches.iter().enumerate() {
        fleet.add(&format!("{i}.json"), &resolve(&input::load(text), ResolveOptions::default()));
    }
    let mut found = fleet.check();
    rules::one_per_defect(&mut found);
    found
}

#[track_caller]
fn check(switches: &[String], code: &str, file: &str, word: &str) {
    let all = found(switches);
    let hit = all.iter().any(|f| f.code == code && f.file == file && f.message.contains(word));
    assert!(hit, "{code} in {file} with `{word}` expected, found {all:#?}");
}

#[test]
fn a_lower_alpha_than_the_role_is_an_error() {
    let mut fleet: Vec<String> = (0..3).map(|i| switch(&format!("t{i}"), "-4", "5m", "3", "none")).collect();
    assert_eq!(found(&fleet).len(), 0);
    fleet.push(switch("new", "-6", "5m", "3", "none"));
    check(
        &fleet,
        "FLEET001",
        "3.json",
        "pauses at 138,461 B (dynamic_th -6 of 9,000,000 B), on 3 other trident-2 switches of role ToRRouter at 529,411 B",
    );
}

#[test]
fn the_same_deviation_of_several_switches_is_one_finding() {
    let mut fleet: Vec<String> = (0..6).map(|i| switch(&format!("t{i}"), "-4", "5m", "3", "none")).collect();
    for i in [2, 4] {
        fleet[i] = fleet[i].replace("\"26\": \"3\"", "\"26\": \"3\", \"0\": \"1\"");
    }
    let all = found(&fleet);
    let messages: Vec<&str> = all.iter().map(|f| f.message.as_str()).collect();
    assert_eq!(
        messages,
        ["t2 and t4: DSCP map 0 → 1, but 0 → 0 on 4 of 6 switches of role ToRRouter"],
        "{all:#?}"
    );
    assert_eq!((all[0].code, all[0].file.as_str()), ("FLEET002", "2.json"));
}

#[test]
fn two_switches_of_a_role_have_no_majority() {
    let mut fleet: Vec<String> = (0..2).map(|i| switch(&format!("t{i}"), "-4", "5m", "3", "none")).collect();
    fleet[1] = fleet[1].replace("\"26\": \"3\"", "\"26\": \"3\", \"0\": \"1\"");
    let text = "DSCP map 0 → 0 on t0 (0.json), but 0 → 1 on t1 (1.json): 2 switches of role ToRRouter have no majority";
    check_all(&fleet, &[("FLEET002", "0.json", &[], text)]);
}

#[test]
fn a_file_that_is_given_twice_counts_once() {
    let mut fleet = Fleet::default();
    let switch = resolve(&input::load(&switch("a", "-4", "5m", "3", "none")), ResolveOptions::default());
    for file in ["fleet/a.json", "./fleet/a.json"] {
        fleet.add(file, &switch);
    }
    assert_eq!(fleet.check(), Vec::new());
}

#[test]
fn thresholds_are_compared_in_bytes_for_each_asic() {
    // Another ASIC with another alpha, and a pool that makes up for another alpha.
    let mut fleet: Vec<String> = (0..3).map(|i| switch(&format!("t{i}"), "-4", "5m", "3", "none")).collect();
    fleet.push(
        switch("spine", "-6", "5m", "3", "none").replace("dell_s6000_s1220-r0", "arista_7060x6_64pe-r0"),
    );
    fleet.push(switch("large", "-5", "5m", "3", "none").replace("\"9000000\"", "\"17000000\""));
    let codes: Vec<_> = found(&fleet).into_iter().map(|f| f.code).collect();
    assert!(!codes.contains(&"FLEET001"), "{codes:?}");
}

#[test]
fn neighbours_that_do_not_exist_or_contradict_each_other_are_reported() {
    let unknown =
        switch("a", "0", "5m", "3", "b").replace("\"port\": \"Ethernet0\"", "\"port\": \"Ethernet9\"");
    check(&[unknown, switch("b", "0", "5m", "3", "a")], "FLEET006", "0.json", "b has no such port");
    let three = [
        switch("a", "0", "5m", "3", "b"),
        switch("b", "0", "5m", "3", "c"),
        switch("c", "0", "5m", "3", "b"),
    ];
    check(&three, "FLEET007", "0.json", "but b:Ethernet0 has neighbour c:Ethernet0");
    let twice = [switch("a", "0", "5m", "3", "none"), switch("a", "0", "5m", "3", "none")];
    check(&twice, "FLEET008", "1.json", "2 files have the hostname a: 0.json and 1.json");
}

#[test]
fn differences_between_link_ends_are_reported() {
    let ends = |cable, pfc| [switch("a", "0", "5m", "3", "b"), switch("b", "0", cable, pfc, "a")];
    assert_eq!(found(&ends("5m", "3")).len(), 0);
    check(
        &ends("40m", "3"),
        "FLEET004",
        "0.json",
        "a:Ethernet0 and b:Ethernet0 have cable lengths 5 m and 40 m",
    );
    check(
        &ends("5m", "4"),
        "FLEET003",
        "0.json",
        "a:Ethernet0 enables PFC for priority 3, b:Ethernet0 for priority 4",
    );
}

/// The code, file, ports and message of each finding.
#[track_caller]
fn check_all(switches: &[String], expected: &[(&str, &str, &[&str], &str)]) {
    let all = found(switches);
    let shown: Vec<(&str, &str, Vec<&str>, &str)> = all
        .iter()
        .map(|f| (f.code, f.file.as_str(), f.ports.iter().map(String::as_str).collect(), f.message.as_str()))
        .collect();
    let wanted: Vec<(&str, &str, Vec<&str>, &str)> =
        expected.iter().map(|(code, file, ports, text)| (*code, *file, ports.to_vec(), *text)).collect();
    assert_eq!(shown, wanted);
}

#[test]
fn pfc_priorities_of_one_switch_are_one_finding() {
    let hub = |pfc: &str| {
        let port = |n: u32| {
            format!(
                r#""Ethernet{n}": {{"lanes": "{n}", "speed": "40000", "mtu": "9100", "admin_status": "up"}}"#
            )
        };
        let qos = |n: u32| format!(r#""Ethernet{n}": {{"pfc_enable": "{pfc}", "dscp_to_tc_map": "A"}}"#);
        format!(
            r#"{{"DEVICE_METADATA": {{"localhost": {{"hostname": "hub", "type": "ToRRouter"}}}},
            "PORT": {{{}, {}}}, "PORT_QOS_MAP": {{{}, {}}}, "DSCP_TO_TC_MAP": {{"A": {{"26": "3"}}}},
            "DEVICE_NEIGHBOR": {{"Ethernet0": {{"name": "a", "port": "Ethernet0"}}, "Ethernet4": {{"name": "b", "port": "Ethernet0"}}}}}}"#,
            port(0),
            port(4),
            qos(0),
            qos(4)
        )
    };
    let ends = || [switch("a", "0", "5m", "3", "hub"), switch("b", "0", "5m", "3", "hub")];
    // The neighbour entry of b names the other port of the hub.
    let fleet = |pfc: &str| {
        let [a, b] = ends();
        let b = b.replace(r#""hub", "port": "Ethernet0""#, r#""hub", "port": "Ethernet4""#);
        [a, b, hub(pfc)]
    };
    let both: &[&str] = &["Ethernet0", "Ethernet4"];
    let of_hub = |text| [("FLEET003", "2.json", both, text)];
    check_all(&fleet("3"), &[]);
    check_all(
        &fleet("4"),
        &of_hub("hub: Ethernet0 and Ethernet4 enable PFC for priority 4, their neighbours for priority 3"),
    );
    // The switch that differs from its neighbours has to change, also where it has more priorities.
    check_all(
        &fleet("3,4"),
        &of_hub(
            "hub: Ethernet0 and Ethernet4 enable PFC for priorities 3,4, their neighbours for priority 3",
        ),
    );
    // An ignored rule hides nothing.
    let mut all = {
        let mut fleet_of = Fleet::default();
        for (i, text) in fleet("4").iter().enumerate() {
            fleet_of.add(&format!("{i}.json"), &resolve(&input::load(text), ResolveOptions::default()));
        }
        fleet_of.check()
    };
    all.retain(|finding| finding.code != "FLEET003");
    rules::one_per_defect(&mut all);
    let codes: Vec<&str> = all.iter().map(|f| f.code).collect();
    assert_eq!(codes, ["FLEET002"], "{all:#?}");
}

#[test]
fn the_same_difference_on_several_links_is_one_finding() {
    let check = |one: &str, other: &str, message: &str, file: &str| {
        let ends = pair(["", ""], ["", ""], [one, other]);
        check_all(&ends, &[("FLEET005", file, &["Ethernet0", "Ethernet4"], message)]);
    };
    check(
        r#", "mtu": "9100""#,
        r#", "mtu": "1500""#,
        "a: Ethernet0 and Ethernet4 have MTU 9100, the other ends MTU 1500",
        "0.json",
    );
    check(
        r#", "fec": "rs""#,
        r#", "fec": "none""#,
        "a: Ethernet0 and Ethernet4 have FEC rs, the other ends none: the links stay down",
        "0.json",
    );
}

#[test]
fn roles_of_neighbours_are_those_that_they_state() {
    let make = |name: &str, role: &str, stated: &[(&str, &str)]| {
        let stated: Vec<String> =
            stated.iter().map(|(name, role)| format!(r#""{name}": {{"type": "{role}"}}"#)).collect();
        format!(
            r#"{{"DEVICE_METADATA": {{"localhost": {{"hostname": "{name}", "type": "{role}"}}}},
            "DEVICE_NEIGHBOR_METADATA": {{{}}}}}"#,
            stated.join(",")
        )
    };
    let (tor, leaf) = ("ToRRouter", "LeafRouter");
    let fleet = |role_of_c: &str, stated_by_b: &str| {
        [
            make("a", tor, &[("c", leaf), ("elsewhere", "Server")]),
            make("b", tor, &[("c", stated_by_b)]),
            make("c", role_of_c, &[("a", tor)]),
        ]
    };
    check_all(&fleet(leaf, leaf), &[]);
    let text = "b states that its neighbour c is a SpineRouter, but c is a LeafRouter";
    check_all(&fleet(leaf, "SpineRouter"), &[("FLEET014", "1.json", &[], text)]);
    let text = "c is a SpineRouter, but a LeafRouter for its neighbours a and b";
    check_all(&fleet("SpineRouter", leaf), &[("FLEET014", "2.json", &[], text)]);
}

#[test]
fn headroom_of_one_role_and_link_is_compared() {
    let mut fleet: Vec<String> = (0..3).map(|i| switch(&format!("t{i}"), "-4", "5m", "3", "none")).collect();
    fleet.push(switch("far", "-4", "40m", "3", "none").replace("\"90000\"", "\"120000\""));
    check_all(&fleet, &[]);
    fleet[1] = fleet[1].replace("\"90000\"", "\"45000\"");
    // Of two switches, either may be right.
    check_all(&fleet[..2], &[]);
    let text = "headroom for 40000 Mb/s over 5 m is 45000 B, but 90000 B on 2 of 3 trident-2 switches of role ToRRouter";
    check_all(&fleet, &[("FLEET002", "1.json", &[], text)]);
}

/// Two switches with two links, whose ports are members of these port channels; empty: of none.
fn pair(one: [&str; 2], other: [&str; 2], extra: [&str; 2]) -> [String; 2] {
    let make = |name: &str, peer: &str, channels: [&str; 2], extra: &str| {
        let mut ports = Vec::new();
        let mut neighbours = Vec::new();
        let mut members = Vec::new();
        for (port, channel) in ["Ethernet0", "Ethernet4"].iter().zip(channels) {
            ports.push(format!(
                r#""{port}": {{"lanes": "1", "speed": "40000", "admin_status": "up"{extra}}}"#
            ));
            neighbours.push(format!(r#""{port}": {{"name": "{peer}", "port": "{port}"}}"#));
            if !channel.is_empty() {
                members.push(format!(r#""{channel}|{port}": {{}}"#));
            }
        }
        format!(
            r#"{{"DEVICE_METADATA": {{"localhost": {{"hostname": "{name}"}}}}, "PORT": {{{}}},
            "DEVICE_NEIGHBOR": {{{}}}, "PORTCHANNEL_MEMBER": {{{}}}}}"#,
            ports.join(","),
            neighbours.join(","),
            members.join(",")
        )
    };
    [make("a", "b", one, extra[0]), make("b", "a", other, extra[1])]
}

#[test]
fn both_ends_of_a_link_form_one_port_channel() {
    let both = ["PortChannel1", "PortChannel1"];
    let two = ["PortChannel1", "PortChannel2"];
    let check = |one, other, expected: &[(&str, &str, &[&str], &str)]| {
        check_all(&pair(one, other, ["", ""]), expected);
    };
    check(both, ["PortChannel7", "PortChannel7"], &[]);
    check(two, two, &[]);
    check(["", ""], ["", ""], &[]);
    let text = "a:Ethernet4 is a member of PortChannel1, b:Ethernet4 of no port channel";
    check(both, ["PortChannel1", ""], &[("FLEET013", "1.json", &["Ethernet4"], text)]);
    let text = "members of PortChannel1 of a lead to PortChannel1 and PortChannel2 of b";
    check(both, two, &[("FLEET013", "0.json", &["Ethernet4"], text)]);
    let text = "members of PortChannel1 of b lead to PortChannel1 and PortChannel2 of a";
    check(two, both, &[("FLEET013", "1.json", &["Ethernet4"], text)]);
}

#[test]
fn both_ends_of_a_link_negotiate_or_neither() {
    let check = |extra, expected: &[(&str, &str, &[&str], &str)]| {
        let [a, b] = pair(["", ""], ["", ""], extra);
        // One link is enough.
        let one = |text: String| text.replace("\"Ethernet4\": {\"name\"", "\"Ethernet8\": {\"name\"");
        check_all(&[one(a), one(b)], expected);
    };
    let (on, off) = (r#", "autoneg": "on""#, r#", "autoneg": "off""#);
    check([on, on], &[]);
    check([off, ""], &[]);
    let text = "a:Ethernet0 uses auto-negotiation, b:Ethernet0 does not";
    check([on, off], &[("FLEET012", "1.json", &["Ethernet0"], text)]);
    check([on, ""], &[("FLEET012", "1.json", &["Ethernet0"], text)]);
    let text = "b:Ethernet0 uses link training, a:Ethernet0 does not";
    check(["", r#", "link_training": "on""#], &[("FLEET012", "0.json", &["Ethernet0"], text)]);
}

#[test]
fn differences_between_host_and_port_are_reported() {
    let file = r#"
        [[host]]
        name = "h1"
        switch = "a"
        port = "Ethernet0"
        nic = "cx5"
        pfc_priorities = [4]
        dscp = 10
        rdma_mtu = 9050
        cnp_min_interval_us = 4
        rate_limit = "packet"
        [[host]]
        name = "h2"
        switch = "a"
        port = "Ethernet0"
        nic = "cx3"
        pfc_priorities = [3]
        dscp = 26
        cnp_min_interval_us = 50
    "#;
    let hosts = hosts::parse(file).expect("a good file");
    let text = switch("a", "0", "5m", "3", "none");
    let found = hosts::check(&hosts, "a.json", &resolve(&input::load(&text), ResolveOptions::default()));
    let codes: Vec<&str> = found.iter().map(|f| f.code).collect();
    assert_eq!(codes, ["HOST001", "HOST002", "HOST003", "HOST004", "HOST006"], "{found:#?}");
    assert!(found.iter().all(|f| f.message.starts_with("host h1 on Ethernet0")));
    assert!(hosts::parse("[[host]]\nname = 1").is_err());
    let odd = "[[host]]\nname = \"h\"\nswitch = \"a\"\nport = \"E\"\ndcqcn = { rp_ai_rat = 5 }";
    assert!(hosts::parse(odd).is_err_and(|e| e.contains("`rp_ai_rat`; expected one of rp_ai_rate, ")));
}

/// A switch with two chips, each in its own file, with a link between them and one to `peer`.
fn chips(cable: &str, peer: &str) -> Vec<String> {
    let chip = |n: usize, other: usize, cable: &str| {
        switch("c", "0", cable, "3", &format!("ASIC{other}"))
            .replace(
                "\"hostname\"",
                &format!("\"asic_name\": \"asic{n}\", \"sub_role\": \"BackEnd\", \"hostname\""),
            )
            .replace("\"lanes\": \"1\"", &format!("\"lanes\": \"1\", \"asic_port_name\": \"Eth0-ASIC{n}\""))
            .replace("\"port\": \"Ethernet0\"", &format!("\"port\": \"Eth0-ASIC{other}\""))
    };
    let outside = switch("c", "0", "5m", "3", peer)
        .replace("\"hostname\"", "\"asic_name\": \"asic2\", \"sub_role\": \"FrontEnd\", \"hostname\"")
        .replace("\"Ethernet0\": {\"lanes\"", "\"Ethernet0\": {\"alias\": \"etp1\", \"lanes\"");
    vec![chip(0, 1, "5m"), chip(1, 0, cable), outside]
}

#[test]
fn chips_of_a_switch_are_one_neighbour_and_neighbours_of_each_other() {
    assert_eq!(found(&chips("5m", "none")).len(), 0);
    check(
        &chips("40m", "none"),
        "FLEET004",
        "0.json",
        "c/ASIC0:Ethernet0 and c/ASIC1:Ethernet0 have cable lengths",
    );
    // The neighbour names the switch, not the chip, and the port by its alias.
    let mut fleet = chips("5m", "b");
    fleet.push(switch("b", "0", "300m", "3", "c").replace("\"port\": \"Ethernet0\"", "\"port\": \"etp1\""));
    // Reported for the end with the shorter cable.
    check(&fleet, "FLEET004", "2.json", "b:Ethernet0 and c/ASIC2:Ethernet0 have cable lengths 300 m and 5 m");
}

#[test]
fn one_file_can_contain_all_chips() {
    let [a, b, _] = chips("40m", "none").try_into().expect("three chips");
    let text = format!("{{\"localhost\": {{\"DEVICE_METADATA\": {{}}}},\n\"asic0\": {a},\n\"asic1\": {b}}}");
    let all = input::load_all(&text);
    let names: Vec<&str> = all.iter().map(|n| n.name.as_str()).collect();
    assert_eq!(names, ["localhost", "asic0", "asic1"]);
    let source = SourceText { name: "all.json", text: &text };
    let checked = rules::check_file(source, None, &Options::default());
    assert_eq!(checked.switches.len(), 3);
    // Positions are those of the whole file; pointers start with the chip, as `config apply-patch` requires.
    for finding in checked.findings.iter().filter(|f| f.code != "SRC005") {
        let chip = finding.pointer.split('/').nth(1).unwrap_or_default();
        assert!(chip.starts_with("asic"), "{finding:?}");
        let at = text.find(&format!("\"{chip}\"")).expect("the chip is there");
        assert!(finding.span.start as usize > at, "{finding:?} is before {at}");
    }
    assert!(checked.findings.iter().any(|f| f.pointer.starts_with("/asic1/")));
    let mut fleet = Fleet::default();
    checked.switches.iter().for_each(|switch| fleet.add("all.json", switch));
    assert!(fleet.check().iter().any(|f| f.code == "FLEET004"), "{:#?}", fleet.check());
}

/// A switch with a peer, the address of its own loopback, and a server.
fn half_of_a_pair(name: &str, peer: &str, peer_address: &str, own_address: &str) -> String {
    format!(
        r#"{{"DEVICE_METADATA": {{"localhost": {{"hostname": "{name}", "mac": "00:11:22:33:44:{name}"}}}},
        "PEER_SWITCH": {{"{peer}": {{"address_ipv4": "{peer_address}"}}}},
        "LOOPBACK_INTERFACE": {{"Loopback0|{own_address}/32": {{}}}},
        "MUX_CABLE": {{"Ethernet0": {{"server_ipv4": "192.168.0.2/32"}}}}}}"#
    )
}

#[test]
fn a_switch_whose_peer_names_another_one_is_reported_once() {
    let right = half_of_a_pair("01", "02", "10.0.0.2", "10.0.0.1");
    let wrong = half_of_a_pair("02", "03", "10.0.0.3", "10.0.0.2");
    let other = half_of_a_pair("03", "04", "10.0.0.4", "10.0.0.3");
    let last = half_of_a_pair("04", "03", "10.0.0.3", "10.0.0.4");
    let all = found(&[right.clone(), wrong, other, last]);
    let messages: Vec<&str> = all.iter().map(|f| f.message.as_str()).collect();
    assert_eq!(messages, ["02 has peer 03, but the peer of 03 is 04"]);
    let pair = [right, half_of_a_pair("02", "01", "10.0.0.1", "10.0.0.2")];
    assert_eq!(found(&pair), []);
    let alone = [half_of_a_pair("01", "02", "10.0.0.2", "10.0.0.1")];
    assert_eq!(found(&alone), [], "the peer is in no file");
}

#[test]
fn chips_with_one_hostname_may_have_one_mac_address() {
    let chip = |name: &str| {
        format!(
            r#"{{"DEVICE_METADATA": {{"localhost": {{"hostname": "s", "asic_name": "{name}", "mac": "00:11:22:33:44:55"}}}}}}"#
        )
    };
    assert_eq!(found(&[chip("asic0"), chip("asic1")]), []);
}
