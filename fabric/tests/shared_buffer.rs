//! Switches whose memory is set up by a SONiC configuration: the buffer configuration of the Azure paper (Bai et al.,
//! NSDI 2023, appendix A, listing 1), read as `harrier check` reads it, under traffic.

use std::sync::Arc;

use crate::common::plain::PlainSwitch;
use crate::common::{check_conservation, plain_fabric};
use buffer_config::resolved::{ResolvedSwitch, Threshold as ConfiguredThreshold};
use buffer_config::{ResolveOptions, input, resolve};
use fabric::{BuildError, Fabric};
use model::{Rate, Time};
use p4_switch::tm::{Ecn, PauseEnd, Service, Threshold, TmConfig, WatchdogAction};
use scenario::{Problems, Scenario};
use scenario::{SonicError, SwitchPort, SwitchSettings};

const LISTING: &str = r#"{
    "DEVICE_METADATA": {"localhost": {"hostname": "tor"}},
    "PORT": {
        "Ethernet0": {"lanes": "1", "speed": "40000", "admin_status": "up"},
        "Ethernet4": {"lanes": "2", "speed": "40000", "admin_status": "up"},
        "Ethernet8": {"lanes": "3", "speed": "40000", "admin_status": "up"}
    },
    "DEVICE_NEIGHBOR": {"Ethernet8": {"name": "h1", "port": "eth0"}},
    "BUFFER_POOL": {
        "ingress_pool": {"size": "18000000", "type": "ingress", "mode": "dynamic", "xoff": "6000000"},
        "egress_lossy_pool": {"size": "14000000", "type": "egress", "mode": "dynamic"},
        "egress_lossless_pool": {"size": "24000000", "type": "egress", "mode": "static"}
    },
    "BUFFER_PROFILE": {
        "ingress_lossless_profile": {"pool": "ingress_pool", "size": "1248", "dynamic_th": "-3",
            "xoff": "96928", "xon": "1248", "xon_offset": "2496"},
        "ingress_lossy_profile": {"pool": "ingress_pool", "size": "0", "static_th": "24000000"},
        "egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "static_th": "24000000"},
        "egress_lossy_profile": {"pool": "egress_lossy_pool", "size": "1664", "dynamic_th": "-1"}
    },
    "BUFFER_PG": {
        "Ethernet0|0": {"profile": "ingress_lossy_profile"}, "Ethernet0|3-4": {"profile": "ingress_lossless_profile"},
        "Ethernet4|0": {"profile": "ingress_lossy_profile"}, "Ethernet4|3-4": {"profile": "ingress_lossless_profile"},
        "Ethernet8|0": {"profile": "ingress_lossy_profile"}, "Ethernet8|3-4": {"profile": "ingress_lossless_profile"}
    },
    "BUFFER_QUEUE": {
        "Ethernet0|0-2": {"profile": "egress_lossy_profile"}, "Ethernet0|3-4": {"profile": "egress_lossless_profile"},
        "Ethernet4|0-2": {"profile": "egress_lossy_profile"}, "Ethernet4|3-4": {"profile": "egress_lossless_profile"},
        "Ethernet8|0-2": {"profile": "egress_lossy_profile"}, "Ethernet8|3-4": {"profile": "egress_lossless_profile"}
    },
    "DSCP_TO_TC_MAP": {"AZURE": {"24": "3", "32": "4", "0": "0", "8": "1"}},
    "TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {"0": "0", "1": "0", "3": "3", "4": "4"}},
    "TC_TO_QUEUE_MAP": {"AZURE": {"0": "0", "1": "1", "3": "3", "4": "4"}},
    "WRED_PROFILE": {"AZURE_LOSSLESS": {"ecn": "ecn_all", "wred_green_enable": "true",
        "green_min_threshold": "1000000", "green_max_threshold": "2000000", "green_drop_probability": "5"}},
    "SCHEDULER": {"scheduler.0": {"type": "DWRR", "weight": "40"}, "scheduler.1": {"type": "STRICT"}},
    "QUEUE": {"Ethernet0|3": {"wred_profile": "AZURE_LOSSLESS", "scheduler": "scheduler.0"},
        "Ethernet0|0": {"scheduler": "scheduler.1"}},
    "PORT_QOS_MAP": {
        "Ethernet0": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
            "pfc_enable": "3,4", "pfcwd_sw_enable": "3,4"},
        "Ethernet4": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
            "pfc_enable": "3,4"},
        "Ethernet8": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
            "pfc_enable": "3,4"}
    },
    "PFC_WD": {"Ethernet0": {"detection_time": "200", "restoration_time": "400", "action": "drop"}}
}"#;

fn resolved(text: &str) -> ResolvedSwitch {
    let db = input::load(text);
    assert!(db.problems.is_empty(), "{:?}", db.problems);
    resolve(&db, ResolveOptions::default())
}

fn config(switch: ResolvedSwitch, ports: u16) -> Result<TmConfig, SonicError> {
    let settings = SwitchSettings { sonic: Some(Arc::new(switch)), ..SwitchSettings::default() };
    let port = |number| SwitchPort {
        number,
        rate: Rate::from_gbps(40),
        delay: Time::from_us(1),
        peer: format!("h{number}"),
    };
    settings.traffic_manager(&(1..=ports).map(port).collect::<Vec<_>>(), 510, PauseEnd::Quanta, 1)
}

#[test]
fn the_tables_configure_the_traffic_manager() {
    let tm = config(resolved(LISTING), 3).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(tm.memory_bytes, 24_000_000);
    assert_eq!(tm.ingress_pools.len(), 1);
    assert_eq!(tm.ingress_pools[0].shared_headroom_bytes, Some(6_000_000));
    assert_eq!(
        tm.egress_pools.iter().map(|pool| pool.size_bytes).collect::<Vec<_>>(),
        [14_000_000, 24_000_000]
    );
    // Port 1 leads to h1, whose neighbour is Ethernet8; ports 2 and 3 use the remaining Ethernet0 and Ethernet4.
    let [one, two] = [&tm.ports[0], &tm.ports[1]];
    assert_eq!(
        (one.watchdog, two.watchdog.map(|watchdog| watchdog.action)),
        (None, Some(WatchdogAction::Drop))
    );
    assert_eq!(two.watchdog.and_then(|watchdog| watchdog.restoration), Some(Time::from_ms(400)));
    assert_eq!(two.watchdog.map(|watchdog| watchdog.priorities), Some(0b1_1000));
    assert_eq!(two.pfc_enabled, 0b1_1000);
    assert_eq!(
        two.queues[3].ecn,
        Some(Ecn { kmin_bytes: 1_000_000, kmax_bytes: 2_000_000, pmax_ppm: 50_000 })
    );
    assert_eq!(
        (two.queues[0].service, two.queues[3].service),
        (Service::Strict, Service::Weighted(40 * 1_518))
    );
    assert_eq!((two.queues[3].pool, two.queues[0].pool), (1, 0));
    assert_eq!(two.queues[0].threshold, Some(Threshold::Dynamic { alpha_exponent: -1 }));
    assert_eq!((two.maps.group[1], two.maps.queue[1]), (0, 1));
    let group = &two.groups[3];
    assert_eq!(tm.profiles[usize::from(group.profile)], "ingress_lossless_profile");
    let lossless = group.lossless.expect("it has headroom");
    assert_eq!(
        (lossless.headroom_bytes, lossless.xon_bytes, lossless.xon_offset_bytes),
        (96_928, 1_248, 2_496)
    );
    assert_eq!(two.groups[0].lossless, None);
}

#[test]
fn dscp_classes_are_those_of_the_configuration() {
    let classes = scenario::dscp_classes(&resolved(LISTING)).expect("there are ports");
    assert_eq!((classes[24], classes[32], classes[8]), (3, 4, 1));
}

#[test]
fn a_configuration_that_does_not_fit_is_rejected_with_the_reason() {
    let error = config(resolved(LISTING), 4).unwrap_err();
    assert_eq!(error, SonicError::TooFewPorts { configured: 3, needed: 4 });
    let mut sizeless = resolved(LISTING);
    sizeless.pools[0].size_bytes = None;
    assert_eq!(config(sizeless, 3).unwrap_err(), SonicError::PoolSize("ingress_pool".to_string()));
    let mut wrong = resolved(LISTING);
    let lossy = wrong.profiles.iter().position(|p| p.name == "egress_lossy_profile");
    wrong.ports[1].priority_groups[0] = lossy;
    let error = config(wrong, 3).unwrap_err().to_string();
    assert_eq!(
        error,
        "Ethernet4: profile `egress_lossy_profile` is used for ingress, its pool `egress_lossy_pool` is not"
    );
    let mut scenario = network();
    let mut few = resolved(LISTING);
    few.ports.truncate(1);
    scenario.switch.sonic = Some(Arc::new(few));
    let built =
        Fabric::<PlainSwitch>::new(&scenario, 1, |name, config| PlainSwitch::new(&scenario, name, config));
    assert!(matches!(built, Err(BuildError::Sonic { .. })));
}

/// h1 sends to h2 at 40 Gb/s through a switch with the listing's configuration.
fn network() -> Scenario {
    let mut scenario = scenario::parse(
        "listing.toml",
        r#"
        name = "listing"
        stop = "20ms"
        [topology]
        switches = ["s"]
        hosts = ["h1", "h2"]
        [[link]]
        a = "h1:1"
        b = "s:1"
        rate = "40Gbps"
        [[link]]
        a = "h2:1"
        b = "s:2"
        rate = "40Gbps"
        [host]
        payload = 1000
        headers = 58
        congestion_control = false
        [[flow]]
        from = "h1"
        to = "h2"
        size = "8MB"
        "#,
    )
    .unwrap_or_else(|problems| panic!("{problems}"));
    scenario.switch.sonic = Some(Arc::new(resolved(LISTING)));
    scenario
}

/// Blocks the port to h2 and returns the fabric after 2 ms of traffic.
fn with_blocked_port(scenario: &Scenario) -> Fabric<PlainSwitch> {
    let mut fabric = plain_fabric(scenario, 1);
    let switch = fabric.switch_mut("s").expect("it exists");
    assert!(switch.tm_mut().block(2));
    switch.tm_mut().clear_watermarks();
    fabric.run_until(Time::from_ms(2));
    fabric
}

#[test]
fn a_blocked_port_uses_headroom_after_xoff_and_drops_no_packets() {
    let scenario = network();
    let mut fabric = with_blocked_port(&scenario);
    let group = fabric.switches().next().expect("it exists").1.tm().group(1, 3).expect("it exists");
    // XOFF is 1/8 of the free buffer: 2,000,000 B and the reservation, to within a packet.
    assert!((2_000_000 - 1_058..=2_000_000 + 1_248).contains(&group.watermark_bytes), "{group:?}");
    assert!(group.headroom_watermark_bytes > 0 && group.headroom_watermark_bytes <= 96_928, "{group:?}");
    assert_eq!(fabric.lossless_drops().count(), 0);
    let switch = fabric.switch_mut("s").expect("it exists");
    assert!(switch.tm_mut().release(2));
    fabric.poll_switches();
    fabric.run_until(scenario.stop);
    check_conservation(&fabric);
    let flow = &fabric.flows()[0];
    assert!(flow.finish.is_some());
    assert_eq!((flow.sent_packets, flow.retransmitted_packets), (8_000, 0));
}

/// A third host sends lossy traffic to h2 first, until it fills the pool of lossy queues; then h1 sends lossless
/// traffic.
fn lossy_before_lossless(lossy_threshold: ConfiguredThreshold) -> Fabric<PlainSwitch> {
    let mut scenario = network();
    let mut switch = resolved(LISTING);
    // At alpha 1/2 a queue takes only a third of a pool. The other threshold lets one queue represent the hundreds of a
    // full switch.
    for profile in switch.profiles.iter_mut().filter(|profile| profile.name == "egress_lossy_profile") {
        profile.threshold = Some(lossy_threshold);
    }
    scenario.switch.sonic = Some(Arc::new(switch));
    let third = scenario::parse(
        "third.toml",
        "name=\"t\"\nstop=\"20ms\"\n[topology]\nswitches=[\"s\"]\nhosts=[\"h1\",\"h2\",\"h3\"]\n\
         [[link]]\na=\"h1:1\"\nb=\"s:1\"\nrate=\"40Gbps\"\n[[link]]\na=\"h2:1\"\nb=\"s:2\"\nrate=\"40Gbps\"\n\
         [[link]]\na=\"h3:1\"\nb=\"s:3\"\nrate=\"40Gbps\"\n\
         [[flow]]\nfrom=\"h3\"\nto=\"h2\"\nsize=\"16MB\"\npriority=0\n\
         [[flow]]\nfrom=\"h1\"\nto=\"h2\"\nsize=\"8MB\"\nstart=\"4ms\"\n",
    )
    .unwrap_or_else(|problems| panic!("{problems}"));
    let scenario = Scenario { topology: third.topology, flows: third.flows, ..scenario };
    let mut fabric = plain_fabric(&scenario, 1);
    assert!(fabric.switch_mut("s").expect("it exists").tm_mut().block(2));
    fabric.run_until(Time::from_ms(6));
    fabric
}

#[test]
fn a_lossless_group_pauses_at_444_kb_while_the_lossy_pool_is_full() {
    let fabric = lossy_before_lossless(ConfiguredThreshold::Static { bytes: 14_000_000 });
    let tm = fabric.switches().next().expect("it exists").1.tm();
    let lossy = tm.egress_pools().next().expect("there are two").bytes;
    assert!((14_000_000 - 1_058..=14_000_000).contains(&lossy), "{lossy}");
    // (18 MB - 14 MB) / 9, and the reservation of the lossy queue that its pool does not count.
    let group = tm.group(1, 3).expect("it exists");
    let range = 444_444 - 1_058 - 1_664 / 9..=444_444 + 1_248 + 1_058 / 9;
    assert!(range.contains(&group.watermark_bytes), "{group:?}");
    assert!(group.headroom_watermark_bytes > 0 && group.headroom_watermark_bytes <= 96_928, "{group:?}");
    assert_eq!(fabric.lossless_drops().count(), 0);
    let first = fabric.pauses().iter().find(|pause| pause.on).expect("h1 is paused");
    assert_eq!((first.port.to_string().as_str(), first.priority), ("h1:1", 3));
}

#[test]
fn too_little_headroom_for_the_cable_drops_packets_and_names_the_profile() {
    // 10 km of fibre hold 250 kB at 40 Gb/s; the profile has headroom for 300 m.
    let mut scenario = network();
    scenario.topology.links[0].delay = Time::from_us(50);
    let fabric = with_blocked_port(&scenario);
    let [drops] = &fabric.lossless_drops().collect::<Vec<_>>()[..] else { panic!("one record") };
    assert_eq!((drops.profile.as_str(), drops.reason.as_str()), ("ingress_lossless_profile", "HeadroomFull"));
    assert_eq!((drops.ingress.to_string(), drops.egress.to_string()), ("s:1".to_string(), "s:2".to_string()));
    // Packets in flight when the pause is sent, and those sent until it arrives, minus the headroom.
    let in_flight = 2 * 50 * 40_000 / 8;
    let lost = drops.packets * 1_058;
    assert!(lost.abs_diff(in_flight - 96_928) < 5_000, "{lost} B lost");
}

#[test]
fn a_smaller_alpha_pauses_earlier() {
    let mut switch = resolved(LISTING);
    for profile in switch.profiles.iter_mut().filter(|profile| profile.is_lossless()) {
        profile.threshold = Some(ConfiguredThreshold::Dynamic { exponent: -6 });
    }
    let mut scenario = network();
    scenario.switch.sonic = Some(Arc::new(switch));
    let fabric = with_blocked_port(&scenario);
    let group = fabric.switches().next().expect("it exists").1.tm().group(1, 3).expect("it exists");
    assert!(
        (18_000_000 / 65 - 1_058..=18_000_000 / 65 + 1_248).contains(&group.watermark_bytes),
        "{group:?}"
    );
}

/// A scenario with three hosts at a switch that has this SONiC configuration, and these lines in addition.
fn with_switch(rest: &str, json: &str) -> Result<Scenario, Problems> {
    let text = format!(
        "name = \"x\"\nstop = \"1us\"\n[topology]\nrate = \"40Gbps\"\ndelay = \"1us\"\nswitches = [\"s1\"]\nhosts = \
         [\"h1\", \"h2\", \"h3\"]\n[[link]]\na = \"h1:1\"\nb = \"s1\"\n[[link]]\na = \"h2:1\"\nb = \"s1\"\n[[link]]\na = \
         \"h3:1\"\nb = \"s1\"\n[switch]\nsonic = \"tor.json\"\n{rest}"
    );
    scenario::parse_with("x.toml", &text, |name| Ok((format!("dir/{name}"), json.to_string())))
}

#[test]
fn all_reasons_why_a_configuration_does_not_fit_the_switch_are_reported() {
    let unfit = LISTING
        .replacen("\"Ethernet8\": {\"lanes\"", "\"Ethernet99\": {\"lanes\"", 1)
        .replace("\"type\": \"egress\"", "\"type\": \"ingress\"");
    let report = with_switch("sonic_errors = \"run\"\n", &unfit).expect_err("no egress pool").to_string();
    assert!(
        report.contains("x.toml:18:9: the configuration does not fit switch `s1`: there is no egress pool"),
        "{report}"
    );
    assert!(report.contains("profile `egress_lossy_profile` is used for egress, its pool"), "{report}");
    assert!(report.contains("profile `egress_lossless_profile` is used for egress, its pool"), "{report}");
}

#[test]
fn settings_that_a_configuration_overrides_are_reported() {
    let more = "sonic_errors = \"run\"\nmemory = \"1MB\"\nalpha_exponent = 0\n[switch.watchdog]\n";
    let report = with_switch(more, LISTING).expect_err("three keys without effect").to_string();
    let lines: Vec<&str> = report.lines().collect();
    assert_eq!(lines.len(), 3, "{report}");
    for (line, expected) in lines.iter().zip([
        "x.toml:20:10: `memory` has",
        "x.toml:21:18: `alpha_exponent` has",
        "x.toml:22:1: `watchdog` has",
    ]) {
        assert!(line.starts_with(expected), "no `{expected}` in `{line}`");
    }
    let inherited = "sonic_errors = \"run\"\n[switches.s1]\nlossless = [3]\n";
    let report = with_switch(inherited, LISTING).expect_err("a key without effect").to_string();
    assert!(report.starts_with("x.toml:21:12: `lossless` has no effect"), "{report}");
    assert_eq!(
        with_switch("sonic_errors = \"run\"\n[switches.s1]\ndscp = { 24 = 4 }\n", LISTING).map(|_| ()),
        Ok(())
    );
}

#[test]
fn a_configuration_with_errors_is_rejected_unless_sonic_errors_is_run() {
    // The profile of the lossless groups refers to a pool that does not exist.
    let wrong = LISTING.replacen(
        "ingress_lossless_profile\": {\"pool\": \"ingress_pool\"",
        "ingress_lossless_profile\": {\"pool\": \"no_pool\"",
        1,
    );
    let scenario = with_switch;
    let report = scenario("", &wrong).expect_err("the pool is not there").to_string();
    let line = 1 + wrong[..wrong.find("no_pool").unwrap()].matches('\n').count();
    assert!(report.contains(&format!("dir/tor.json:{line}:")), "{report}");
    assert!(report.contains("no_pool") && report.contains("sonic_errors = \"run\""), "{report}");
    let kept = scenario("sonic_errors = \"run\"\n", &wrong).unwrap_or_else(|report| panic!("{report}"));
    assert!(kept.switch.sonic_findings.iter().any(|finding| finding.message.contains("no_pool")));
    // The listing lacks ECN and watchdogs on some ports; with both, no rule reports an error.
    let report = scenario("", LISTING).expect_err("no watchdog, no ECN").to_string();
    assert!(report.contains("(WD013)") && report.contains("(ECN007)"), "{report}");
    let watchdog = "{\"detection_time\": \"200\", \"restoration_time\": \"400\", \"action\": \"drop\"}";
    let whole = LISTING
        .replace(
            "\"Ethernet0|3\": {",
            "\"Ethernet4,Ethernet8|3-4\": {\"wred_profile\": \"AZURE_LOSSLESS\"}, \"Ethernet0|3-4\": {",
        )
        .replace("\"pfc_enable\": \"3,4\"}", "\"pfc_enable\": \"3,4\", \"pfcwd_sw_enable\": \"3,4\"}")
        .replace(
            "\"PFC_WD\": {",
            &format!("\"PFC_WD\": {{\"Ethernet4\": {watchdog}, \"Ethernet8\": {watchdog}, "),
        );
    let good = scenario("", &whole).unwrap_or_else(|report| panic!("{report}"));
    assert!(good.switch.sonic.is_some());
    let alone = scenario("sonic_errors = \"run\"\n", LISTING).map(|_| ());
    assert_eq!(alone, Ok(()));
}
