//! Fleets and hosts.

use buffer_config::finding::Finding;
use buffer_config::fleet::Fleet;
use buffer_config::{Beside, forms, hosts, resolve};

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
        fleet.add(&format!("{i}.json"), &resolve(&forms::load(text), Beside::default()));
    }
    fleet.check()
}

#[track_caller]
fn check(switches: &[String], code: &str, file: &str, word: &str) {
    let all = found(switches);
    let hit = all.iter().any(|f| f.code == code && f.file == file && f.message.contains(word));
    assert!(hit, "{code} in {file} with `{word}` expected, found {all:#?}");
}

#[test]
fn the_alpha_incident_is_seen() {
    let mut fleet: Vec<String> = (0..3).map(|i| switch(&format!("t{i}"), "-4", "5m", "3", "none")).collect();
    assert_eq!(found(&fleet).len(), 0);
    fleet.push(switch("new", "-6", "5m", "3", "none"));
    check(
        &fleet,
        "FLEET001",
        "3.json",
        "2^-6, other switches of role ToRRouter have 2^-4: it pauses 4 times as early",
    );
}

#[test]
fn both_ends_of_a_link_agree() {
    let ends = |cable, pfc| [switch("a", "0", "5m", "3", "b"), switch("b", "0", cable, pfc, "a")];
    assert_eq!(found(&ends("5m", "3")).len(), 0);
    check(
        &ends("40m", "3"),
        "FLEET004",
        "0.json",
        "a:Ethernet0 and b:Ethernet0 are configured with 5 m and 40 m",
    );
    check(&ends("5m", "4"), "FLEET003", "0.json", "enable PFC for 3 and for 4");
}

#[test]
fn hosts_agree_with_their_port() {
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
    let found = hosts::check(&hosts, "a.json", &resolve(&forms::load(&text), Beside::default()));
    let codes: Vec<&str> = found.iter().map(|f| f.code).collect();
    assert_eq!(codes, ["HOST001", "HOST002", "HOST003", "HOST004", "HOST006"], "{found:#?}");
    assert!(found.iter().all(|f| f.message.starts_with("host h1 on Ethernet0")));
    assert!(hosts::parse("[[host]]\nname = 1").is_err());
}
