//! What is read of each system.

use buffer_config::device::{self, Fec, PfcMode, System, Trust, system_of};
use buffer_config::input;
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;
use proptest::prelude::*;

use crate::{COMMANDS, EOS, NVUE, NXOS, device, found};

#[track_caller]
fn check(text: &str, system: System, hostname: &str, ports: &[&str]) {
    assert_eq!(system_of(text), Some(system));
    let device = device(text);
    let names: Vec<&str> = device.ports.iter().map(|port| port.name.as_str()).collect();
    assert_eq!((device.hostname.as_str(), names.as_slice()), (hostname, ports));
    let found = found(text);
    assert!(found.is_empty(), "a correct file has findings: {found:#?}");
}

#[test]
fn correct_files_are_recognised_and_have_no_findings() {
    check(
        EOS,
        System::Eos,
        "leaf1",
        &["Ethernet1/1", "Ethernet2/1", "Ethernet3/1", "Ethernet4/1", "Ethernet5/1"],
    );
    check(NVUE, System::Nvue, "spine1", &["swp1", "swp2", "swp3", "swp4"]);
    check(COMMANDS, System::Nvue, "leaf3", &["swp1", "swp2", "swp3", "swp4"]);
    check(NXOS, System::Nxos, "leaf2", &["Ethernet1/1", "Ethernet1/2", "Ethernet1/3", "Ethernet1/4"]);
}

#[test]
fn other_texts_are_no_devices() {
    for text in
        ["", "{}", "[]", "{\"PORT\": {}}", "speed cable\n", "a: b\n", "[check]\nselect = []\n", "\u{feff}{}"]
    {
        assert_eq!(system_of(text), None, "{text:?}");
    }
}

#[test]
fn port_channels_and_negotiation_are_read() {
    let check = |text: &str, from: &str, to: &str, channel: Option<(&str, bool)>, autoneg: Option<bool>| {
        assert!(text.contains(from), "`{from}`");
        let device = device(&text.replacen(from, to, 1));
        let port = &device.ports[0];
        let read = port.port_channel.as_ref().map(|c| (c.value.name.as_str(), c.value.has_lacp));
        assert_eq!((read, port.autoneg.map(|on| on.value)), (channel, autoneg), "{to}");
    };
    let eos = "   description P2P_LINK_TO_spine1_swp1\n";
    for (line, channel) in [
        ("", None),
        ("   channel-group 3 mode active\n", Some(("Port-Channel3", true))),
        ("   channel-group 3 mode on\n", Some(("Port-Channel3", false))),
    ] {
        check(EOS, eos, &format!("{eos}{line}"), channel, Some(false));
    }
    let nxos = "  description spine1:swp2\n";
    for (lines, channel, autoneg) in [
        ("", None, None),
        ("  channel-group 3 mode passive\n", Some(("port-channel3", true)), None),
        ("  channel-group 3\n  no negotiate auto\n", Some(("port-channel3", false)), Some(false)),
        ("  negotiate auto 25000\n", None, Some(true)),
    ] {
        check(NXOS, nxos, &format!("{nxos}{lines}"), channel, autoneg);
    }
    let last = "nv config apply";
    for (commands, channel, autoneg) in [
        ("", None, None),
        ("nv set interface bond0 bond member swp1-2\n", Some(("bond0", true)), None),
        (
            "nv set interface bond0 bond member swp1\nnv set interface bond0 bond mode static\n",
            Some(("bond0", false)),
            None,
        ),
        ("nv set interface swp1 link auto-negotiate on\n", None, Some(true)),
    ] {
        check(COMMANDS, last, &format!("{commands}{last}"), channel, autoneg);
    }
}

#[test]
fn values_and_positions_of_eos_are_read() {
    let device = device(EOS);
    let port = &device.ports[0];
    assert_eq!(port.mtu_bytes.map(|mtu| mtu.value), Some(9214));
    assert_eq!(port.speed_mbps.map(|speed| speed.value), Some(400_000));
    assert_eq!(port.fec.map(|fec| fec.value), Some(Fec::Rs));
    assert_eq!(port.neighbour, Some(("spine1".to_string(), "swp1".to_string())));
    assert_eq!(port.qos.pfc.map(|pfc| pfc.value), Some(PfcMode::On));
    assert_eq!(port.qos.trust.map(|trust| trust.value), Some(Trust::Dscp));
    assert_eq!(port.qos.lossless.keys().copied().collect::<Vec<_>>(), [3]);
    assert_eq!(port.qos.detection_ms.map(|time| time.value), Some(200));
    let queue = port.qos.queues[&3];
    assert_eq!(queue.min.and_then(|min| min.value.bytes()), Some(150_000));
    let span = queue.max.expect("a threshold").span;
    assert_eq!(&EOS[span.start as usize..span.end as usize], "1500");
    // Not stated, hence not known.
    assert!(device.ports[1].fec.is_none() && port.cable_m.is_none() && port.is_up.is_none());
    assert_eq!(device.ports[4].is_up.map(|up| up.value), Some(false));
}

#[test]
fn blocks_of_one_eos_interface_add_up() {
    let check = |lines: &[&str], expected: &[u8]| {
        let profile = "hostname x\nqos profile P\n   priority-flow-control priority 5 no-drop\n";
        let parts: Vec<&[&str]> = match lines.len() {
            0 | 1 => vec![lines],
            n => vec![&lines[..n - 1], &lines[n - 1..]],
        };
        let block = |lines: &[&str]| format!("interface Ethernet1\n   {}\n", lines.join("\n   "));
        let apart: String = parts.iter().map(|lines| block(lines)).collect();
        for text in [profile.to_string() + &block(lines), profile.to_string() + &apart] {
            let lossless = device(&text).ports[0].qos.lossless.clone();
            assert_eq!(lossless.into_keys().collect::<Vec<_>>(), expected, "{text}");
        }
    };
    let no_drop = ["3", "4"].map(|n| format!("priority-flow-control priority {n} no-drop"));
    let no_drop: Vec<&str> = no_drop.iter().map(String::as_str).collect();
    check(&no_drop, &[3, 4]);
    check(&[no_drop[0], no_drop[1], "no priority-flow-control priority 3 no-drop"], &[4]);
    check(&[no_drop[0], no_drop[1], "priority-flow-control priority 4 drop"], &[3]);
    // The settings of a port replace those of its profile, in whatever order.
    check(&["service-profile P"], &[5]);
    check(&["service-profile P", no_drop[0]], &[3]);
    check(&[no_drop[0], "service-profile P"], &[3]);
    check(&["service-profile P", "no service-profile P"], &[]);
    check(&["service-profile P", "priority-flow-control priority 5 drop"], &[]);
    check(&["service-profile P", "priority-flow-control priority 4 drop"], &[5]);
}

#[test]
fn a_banner_ends_at_its_delimiter_or_is_reported() {
    let check = |banner: &str, mtu_bytes: Option<u32>, unclosed: &[&str]| {
        let before = "hostname x\nqos map dscp 26 to traffic-class 3\n";
        let text = format!("{before}{banner}\ninterface Ethernet1\n   mtu 9000\n");
        for (text, system) in [(text.clone(), System::Eos), (text.replace("mtu", "  mtu"), System::Nxos)] {
            let device = device::read(system, &text);
            let read = device.ports.iter().find_map(|port| Some(port.mtu_bytes?.value));
            assert_eq!(read, mtu_bytes, "{text}");
            let found = device::check(SourceText { name: "x", text: &text }, &device);
            let places: Vec<String> =
                found.iter().filter(|f| f.code == "SRC001").map(|f| f.position.to_string()).collect();
            assert_eq!(places, unclosed, "{text}");
        }
    };
    check("banner login\nmtu 1\nEOF", Some(9000), &[]);
    check("banner motd ^C\nno ^ end\n^C", Some(9000), &[]);
    check("banner motd ^CWelcome, ^ is no end\nhere^C", Some(9000), &[]);
    check("banner motd ^CWelcome^C", Some(9000), &[]);
    check("banner motd \u{3}\ntext\n\u{3}", Some(9000), &[]);
    check("banner motd #text#", Some(9000), &[]);
    check("banner exec é\ntext\né", Some(9000), &[]);
    check("banner login # one\n!\ntwo #", Some(9000), &[]);
    // Never closed: reported, and the rest is read.
    check("banner login\ntext", Some(9000), &["3:1"]);
    check("banner motd ^C\ntext", Some(9000), &["3:1"]);
    check("banner motd %\nbanner login\ntext", Some(9000), &["3:1", "4:1"]);
    check(&vec!["banner motd %"; 3000].join("\n"), Some(9000), &[]);
    // Each search for an end reads the rest of the file, so that only the first banners are looked at.
    let many = vec!["banner login"; 3000].join("\n");
    let places: Vec<String> = (3..19).map(|line| format!("{line}:1")).collect();
    check(&many, Some(9000), &places.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn link_pause_has_two_directions() {
    let check = |text: &str, expected: (Option<bool>, Option<bool>)| {
        let qos = device(text).ports[0].qos.clone();
        let shown = [qos.sends_link_pause, qos.obeys_link_pause].map(|pause| pause.map(|pause| pause.value));
        assert_eq!((shown[0], shown[1]), expected, "{text}");
    };
    let eos = "qos profile P\ninterface Ethernet1\n   flowcontrol send on\n   flowcontrol receive off\n";
    check(eos, (Some(true), Some(false)));
    check(
        &eos.replace("send on", "send off").replace("receive off", "receive on"),
        (Some(false), Some(true)),
    );
    check(&format!("{eos}interface Ethernet1\n   no flowcontrol send\n"), (Some(false), Some(false)));
    let nxos = "feature lldp\ninterface Ethernet1/1\n  flowcontrol receive on\n  no flowcontrol send\n";
    check(nxos, (Some(false), Some(true)));
    check(&nxos.replace("  no flowcontrol send\n", ""), (None, Some(true)));
    let nvue = "nv set qos link-pause P rx enable\nnv set interface swp1 qos link-pause profile P\n";
    check(nvue, (None, Some(true)));
    check(&format!("{nvue}nv set qos link-pause P tx disable\n"), (Some(false), Some(true)));
}

#[test]
fn the_roce_profile_of_nvue_sets_what_its_guide_documents() {
    let device = device(NVUE);
    let port = &device.ports[1];
    assert_eq!(port.qos.class_of_dscp[&26].value, 3);
    assert_eq!(port.qos.queue_of_class[&5].value, 0);
    assert_eq!(port.qos.queues[&3].max.and_then(|max| max.value.bytes()), Some(1_500_000));
    assert_eq!(port.qos.detection_ms.map(|time| time.value), Some(200));
    // The command changes the lossless priority.
    let other = NVUE.replace(
        "      roce:\n",
        "      pfc:\n        default-global:\n          switch-priority:\n            '2': {}\n      roce:\n",
    );
    assert_eq!(crate::device(&other).ports[0].qos.lossless.keys().copied().collect::<Vec<_>>(), [2]);
}

#[test]
fn yaml_json_and_commands_of_nvue_are_the_same_settings() {
    let yaml = "- set:\n    qos:\n      pfc:\n        P:\n          switch-priority:\n            '3': {}\n          tx: enable\n          rx: enable\n    interface:\n      swp1:\n        link:\n          mtu: 9000\n        qos:\n          pfc:\n            profile: P\n";
    let json = r#"[{"set": {"qos": {"pfc": {"P": {"switch-priority": {"3": {}}, "tx": "enable", "rx": "enable"}}},
        "interface": {"swp1": {"link": {"mtu": 9000}, "qos": {"pfc": {"profile": "P"}}}}}}]"#;
    let commands = "nv set qos pfc P switch-priority 3\nnv set qos pfc P tx enable\nnv set qos pfc P rx enable\n\
        nv set interface swp1 link mtu 1500\nnv set interface swp1 link mtu 9000\nnv set interface swp1 qos pfc profile P\n\
        nv set interface swp2 link mtu 9000\nnv unset interface swp2\n";
    let shown = |text: &str| serde_json::to_value(device(text)).expect("JSON");
    assert_eq!(shown(yaml), shown(json));
    assert_eq!(shown(yaml), shown(commands));
}

#[test]
fn invalid_values_are_reported_with_their_positions() {
    let text = "hostname x\nqos map dscp 64 to traffic-class 3\nqos map dscp 26 to traffic-class 9\ninterface Ethernet1\n   mtu big\n   speed forced fast\n   priority-flow-control priority 8 no-drop\n";
    let places: Vec<(String, &str)> = found(text).iter().map(|f| (f.position.to_string(), f.code)).collect();
    let expected = ["2:14", "3:34", "5:8", "6:17", "7:35"].map(|at| (at.to_string(), "SRC006"));
    for (at, code) in &expected[..4] {
        assert!(places.contains(&(at.clone(), code)), "{at}: {places:?}");
    }
    assert_eq!(places.iter().filter(|(_, code)| *code == "SRC006").count(), 5, "{places:?}");
    let yaml = "- set:\n    interface:\n      swp1:\n        link:\n          mtu: 10\n          mtu: 9000\n          speed: quick\n";
    let codes: Vec<&str> = found(yaml).iter().map(|f| f.code).collect();
    assert_eq!(codes, ["SRC003", "SRC006"], "{:#?}", found(yaml));
}

#[test]
fn broken_yaml_is_not_judged() {
    let broken = NVUE.replace("        mode: lossless", "      \t mode: [lossless");
    let refusal = input::refusal(&broken).expect("a reason");
    assert!(refusal.contains("the text is not YAML"), "{refusal}");
    assert_eq!(input::refusal(NVUE), None);
    assert_eq!(input::refusal(EOS), None);
    // Aliases could grow without limit.
    let alias = NVUE.replace("- set:", "- set: &all").replace("mode: lossless", "mode: *all");
    assert!(
        found(&alias).iter().any(|f| f.code == "SRC001" && f.message.contains("aliases")),
        "{:#?}",
        found(&alias)
    );
}

#[test]
fn neighbours_are_read_from_descriptions() {
    let check = |description: &str, expected: Option<(&str, &str)>| {
        let text = format!("hostname x\nqos profile P\ninterface Ethernet1\n   description {description}\n");
        let neighbour = device(&text).ports[0].neighbour.clone();
        let expected = expected.map(|(host, port)| (host.to_string(), port.to_string()));
        assert_eq!(neighbour, expected, "{description}");
    };
    check("spine1:swp3", Some(("spine1", "swp3")));
    check("to spine1 Ethernet4/1", Some(("spine1", "Ethernet4/1")));
    check("P2P_LINK_TO_DC1-SPINE1_Ethernet1", Some(("DC1-SPINE1", "Ethernet1")));
    check("P2P_DC1-SPINE1_Ethernet1", Some(("DC1-SPINE1", "Ethernet1")));
    check("uplink to leaf-2, port Et1/3", Some(("leaf-2", "Ethernet1/3")));
    check("BB: esr1b.rk07.p01.se4:Ethernet50/1 [local wire]", Some(("esr1b.rk07.p01.se4", "Ethernet50/1")));
    check("server h1", None);
    check("Ethernet1", None);
    check("uplink Ethernet7", None);
}

proptest! {
    /// No text makes a reader panic, and every position is inside the text.
    #[test]
    fn any_text_is_read(lines in proptest::collection::vec("[ ]{0,4}(interface|qos map dscp|priority-flow-control|nv set qos|- set:|random-detect ecn|class-map type qos|policy-map type network-qos|banner|description|mtu|speed|[a-zé\"':{}0-9-]{1,9}) ?[a-zA-Z0-9/,:{}\\[\\]&*é. -]{0,24}", 0..40)) {
        let text = lines.join("\n");
        for system in [System::Nvue, System::Eos, System::Nxos] {
            let read = device::read(system, &text);
            for finding in device::check(SourceText { name: "any", text: &text }, &read) {
                prop_assert!(finding.span.end as usize <= text.len(), "{finding:?}");
                prop_assert!(text.is_char_boundary(finding.span.start as usize), "{finding:?}");
            }
        }
        rules::check_file(SourceText { name: "any", text: &text }, None, &Options::default());
    }

    /// A file that is cut anywhere is read.
    #[test]
    fn any_part_of_a_file_is_read(file in 0usize..4, cut in 0usize..2000) {
        let text = [EOS, NVUE, COMMANDS, NXOS][file];
        let part = text.get(..cut.min(text.len())).unwrap_or(text);
        rules::check_file(SourceText { name: "part", text: part }, None, &Options::default());
    }
}

#[test]
fn rates_and_new_dscps_are_read() {
    let port = |text: &str, name: &str| {
        let device = device(text);
        device.ports.into_iter().find(|port| port.name == name).expect("a port").qos
    };
    let eos = EOS.replacen(
        "qos map dscp 26",
        "qos rewrite dscp\nqos map traffic-class 4 to dscp 46\nqos map dscp 26",
        1,
    );
    let dscps: Vec<u8> = port(&eos, "Ethernet1/1").dscp_of_class.values().map(|dscp| dscp.value).collect();
    assert_eq!(dscps, [8, 0, 16, 24, 46, 40, 48, 56]);
    let shaped = EOS
        .replacen("   qos trust dscp\n", "   qos trust dscp\n   shape rate 25 gbps\n", 1)
        .replacen("   description host h1\n", "   description host h1\n   no shape rate\n", 1);
    let rate = |text: &str, name: &str| port(text, name).port_rate_bps.map(|rate| rate.value);
    assert_eq!(rate(&shaped, "Ethernet1/1"), Some(25_000_000_000));
    assert_eq!(rate(&shaped, "Ethernet2/1"), Some(u64::MAX));
    let nvue = COMMANDS.replacen(
        "nv config apply",
        "nv set qos egress-shaper S port-max-rate 2147483647\nnv set qos egress-shaper S traffic-class 2,3 max-rate 500\n\
         nv set interface swp1-2 qos egress-shaper profile S\nnv set qos remark R switch-priority 1,2 dscp 40\n\
         nv set qos remark R switch-priority 1,2 dscp 41\nnv set interface swp1 qos remark profile R\nnv config apply",
        1,
    );
    let qos = port(&nvue, "swp1");
    assert_eq!(qos.port_rate_bps.map(|rate| rate.value), Some(u64::MAX));
    assert_eq!(qos.queues.get(&3).and_then(|queue| queue.max_rate_bps).map(|rate| rate.value), Some(500_000));
    assert_eq!(qos.dscp_of_class.get(&2).map(|dscp| dscp.value), Some(41));
    assert_eq!(rate(&nvue, "swp3"), None);
}
