//! Links between switches of different systems.

use buffer_config::finding::{Finding, Severity};
use buffer_config::fleet::Fleet;
use buffer_config::rules::{self, Options};
use buffer_config::settings::Settings;
use buffer_config::source::SourceText;

use crate::support::switch::{TD2, switch};
use crate::{EOS, NVUE, NXOS};

/// A SONiC switch `tor1` whose port Ethernet0 is like port Ethernet4/1 of the EOS leaf.
fn sonic(changes: &[(&str, &str)]) -> String {
    let mut text = switch(
        TD2,
        &[("\"s1\", \"type\"", "\"tor1\", \"type\""), ("\"mtu\": \"9100\"", "\"mtu\": \"9214\"")],
    );
    let mut all: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    all["PORT"]["Ethernet0"]["speed"] = "400000".into();
    all["PORT"]["Ethernet0"]["fec"] = "rs".into();
    all["PORT"]["Ethernet0"]["mtu"] = "9214".into();
    for port in ["Ethernet0", "Ethernet4"] {
        all["PORT_QOS_MAP"][port]["pfc_enable"] = "3".into();
    }
    all["DSCP_TO_TC_MAP"]["AZURE"]["26"] = "3".into();
    all["DSCP_TO_TC_MAP"]["AZURE"]["48"] = "6".into();
    text = all.to_string();
    for (from, to) in changes {
        assert!(text.contains(from), "`{from}` in {text}");
        text = text.replace(from, to);
    }
    text
}

/// The findings that compare the switches, without notes.
fn compared(files: &[(&str, &str)], settings: &str) -> Vec<Finding> {
    let mut fleet = Fleet::default();
    for (name, text) in files {
        let source = SourceText { name, text };
        let checked = rules::check_file(source, None, &Options::default());
        checked.switches.iter().for_each(|switch| fleet.add(name, switch));
        if let Some(device) = &checked.device {
            fleet.add_device(source, device);
        }
    }
    for ends in &Settings::parse(settings).expect("settings").links {
        fleet.connect(ends);
    }
    let mut found = fleet.check();
    found.retain(|finding| finding.severity > Severity::Info);
    rules::one_per_defect(&mut found);
    found
}

/// Changes one of the switches; the check must report exactly this.
#[track_caller]
fn check(file: &str, from: &str, to: &str, expected: &[(&str, &str, Severity, &str)]) {
    let tor = sonic(&[]);
    let mut files = [
        ("leaf1", EOS.to_string()),
        ("spine1", NVUE.to_string()),
        ("leaf2", NXOS.replace("9216", "9214")),
        ("tor1", tor),
    ];
    for (name, text) in &mut files {
        if *name == file {
            assert!(text.contains(from), "`{from}` is in {text}");
            *text = text.replacen(from, to, 1);
        }
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let found = compared(&files, "");
    let shown: Vec<(&str, &str, Severity)> =
        found.iter().map(|f| (f.code, f.file.as_str(), f.severity)).collect();
    let wanted: Vec<(&str, &str, Severity)> = expected.iter().map(|e| (e.0, e.1, e.2)).collect();
    assert_eq!(shown, wanted, "{found:#?}");
    for (finding, (.., part)) in found.iter().zip(expected) {
        assert!(finding.message.contains(part), "`{part}` in {finding:#?}");
        assert!(finding.file == "tor1" || finding.position.line > 1, "no position: {finding:#?}");
    }
}

#[test]
fn a_mixed_fleet_without_differences_has_no_findings() {
    check("", "", "", &[]);
}

#[test]
fn both_ends_of_a_link_are_compared_across_systems() {
    use Severity::{Error, Warning};
    check(
        "leaf1",
        "priority 3 no-drop",
        "priority 4 no-drop",
        &[(
            "FLEET003",
            "leaf1",
            Error,
            "leaf1: Ethernet1/1 and Ethernet4/1 enable PFC for priority 4, their neighbours for priority 3",
        )],
    );
    check(
        "leaf1",
        "qos map dscp 26 to traffic-class 3",
        "qos map dscp 26 to traffic-class 1",
        &[
            ("FLEET009", "leaf1", Error, "DSCP 26: lossy at leaf1:Ethernet1/1, priority 3 at spine1:swp1"),
            ("FLEET009", "leaf1", Error, "tor1:Ethernet0"),
        ],
    );
    check(
        "spine1",
        "mtu: 9214\n          speed",
        "mtu: 1500\n          speed",
        &[("FLEET005", "spine1", Error, "MTUs 9214 and 1500")],
    );
    check(
        "spine1",
        "mtu: 9214\n          speed",
        "mtu: 9000\n          speed",
        &[("FLEET005", "spine1", Warning, "MTUs 9214 and 9000: the smaller one drops larger packets")],
    );
    check("spine1", "speed: 400G", "speed: 200G", &[("FLEET005", "leaf1", Error, "400000 and 200000 Mb/s")]);
    check("spine1", "fec: rs", "fec: baser", &[("FLEET005", "leaf1", Error, "FEC rs and fc")]);
    check(
        "spine1",
        "            state: enable\n        type: swp\n      swp2-4",
        "            state: disable\n        type: swp\n      swp2-4",
        &[("FLEET011", "spine1", Warning, "leaf1:Ethernet1/1 has a PFC watchdog, spine1:swp1 does not")],
    );
    check(
        "leaf1",
        "random-detect ecn minimum-threshold 150 kbytes maximum-threshold 1500 kbytes max-mark-probability 100 weight 0",
        "no random-detect ecn",
        &[(
            "FLEET010",
            "leaf1",
            Warning,
            "leaf1: Ethernet1/1 and Ethernet4/1 do not mark lossless packets (ECN), the other ends do",
        )],
    );
    check(
        "leaf1",
        "to tor1:Ethernet0",
        "to tor1:Ethernet9",
        &[("FLEET006", "leaf1", Warning, "tor1 has no such port")],
    );
    check(
        "leaf1",
        "   description to tor1:Ethernet0\n",
        "   description to tor1:Ethernet0\n   channel-group 7 mode active\n",
        &[(
            "FLEET013",
            "tor1",
            Error,
            "leaf1:Ethernet4/1 is a member of Port-Channel7, tor1:Ethernet0 of no port channel",
        )],
    );
    check(
        "leaf1",
        "   description to tor1:Ethernet0\n   mtu 9214\n   speed 400g-8",
        "   description to tor1:Ethernet0\n   mtu 9214\n   speed auto 400g-8",
        &[("FLEET012", "tor1", Warning, "leaf1:Ethernet4/1 uses auto-negotiation, tor1:Ethernet0 does not")],
    );
    check(
        "tor1",
        "\"pfc_enable\":\"3\"",
        "\"pfc_enable\":\"\"",
        &[("FLEET003", "tor1", Error, "tor1:Ethernet0 enables PFC for no priority")],
    );
}

#[test]
fn findings_between_systems_have_commands_for_the_end_that_changes() {
    let spine = NVUE.replacen("mtu: 9214\n          speed", "mtu: 1500\n          speed", 1);
    let found = compared(&[("leaf1", EOS), ("spine1", &spine)], "");
    assert_eq!(found[0].commands, ["nv set interface swp1 link mtu 9214", "nv config apply"], "{found:#?}");
}

#[test]
fn cables_are_also_read_from_the_settings() {
    let leaf = EOS.replace("P2P_LINK_TO_spine1_swp1", "uplink").replace("mtu 9214", "mtu 4200");
    let spine = NVUE.replace("description: leaf1 Ethernet1/1", "description: downlink");
    let files = [("leaf1", leaf.as_str()), ("spine1", spine.as_str())];
    assert!(compared(&files, "").is_empty());
    let found = compared(&files, "[[check.link]]\nends = [\"leaf1:Ethernet1/1\", \"spine1:swp1\"]\n");
    assert_eq!(found.iter().map(|f| f.code).collect::<Vec<_>>(), ["FLEET005"], "{found:#?}");
    let problems =
        Settings::parse("[[check.link]]\nends = [\"leaf1\", \"spine1:swp1\"]\n").expect_err("a problem");
    assert!(problems[0].starts_with("2:8: expected two ends"), "{problems:?}");
}
