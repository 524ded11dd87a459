//! Rules on small configurations: every defect that was reported upstream is found, and correct configurations pass.

use crate::support::switch::{TABLE, TD2, switch};
use buffer_config::finding::{Finding, Severity};
use buffer_config::lookup::{self, Lookup};
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;
use buffer_config::{diff, input};

/// Codes, severities and messages of all findings.
fn run(text: &str, table: Option<&str>) -> Vec<(&'static str, Severity, String)> {
    let table: Option<Lookup> = table.map(lookup::parse);
    let db = input::load(text);
    let found =
        rules::check(SourceText { name: "test.json", text }, &db, table.as_ref(), &Options::default());
    found.into_iter().map(|f| (f.code, f.severity, f.message)).collect()
}

/// Asserts that the rule reports a finding of that severity whose message contains `word`.
#[track_caller]
fn check(text: &str, table: Option<&str>, code: &str, severity: Severity, word: &str) {
    let found = run(text, table);
    let hit = found.iter().any(|(c, s, m)| *c == code && *s == severity && m.contains(word));
    assert!(hit, "{code} with `{word}` expected, found {found:#?}");
}

/// Asserts that the rule reports no error and no warning.
#[track_caller]
fn passes(text: &str, table: Option<&str>, code: &str) {
    let found = run(text, table);
    let hit = found.iter().find(|(c, s, _)| *c == code && *s > Severity::Info);
    assert!(hit.is_none(), "{code} not expected, found {hit:?}");
}

#[test]
fn a_healthy_switch_passes() {
    let found = run(&switch(TD2, &[]), Some(TABLE));
    let bad: Vec<_> = found.iter().filter(|(_, s, _)| *s > Severity::Info).collect();
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn defect_1_pool_beyond_the_memory_is_reported() {
    let text = switch(
        "x86_64-nexthop_4210-r0",
        &[("\"10000000\", \"xoff\": \"2000000\"", "\"258035400\", \"xoff\": \"81553920\"")],
    );
    check(&text, None, "BUF023", Severity::Error, "808546 of 636183 cells");
}

#[test]
fn defect_2_egress_lossless_pool_smaller_than_ingress_is_reported() {
    let text = switch(TD2, &[("\"size\": \"12766208\"}", "\"size\": \"9999999\"}")]);
    check(&text, None, "BUF025", Severity::Error, "lossless packets are dropped at egress");
}

#[test]
fn defect_3_no_room_for_the_sai_reserve_is_reported() {
    let text = switch(TD2, &[("\"10000000\", \"xoff\"", "\"10766208\", \"xoff\"")]);
    check(&text, None, "BUF032", Severity::Warning, "the SAI may reserve");
}

#[test]
fn defects_4_and_6_no_row_in_the_lookup_table_are_reported() {
    let table = "100000 5m 1248 2288 60000 -2 2288\n100000 50m 1248 2288 110000 -2 2288\n40000 5m 1248 2288 50000 -2 2288\n";
    check(&switch(TD2, &[]), Some(table), "PG010", Severity::Error, "no row for 100000 Mb/s and 40m");
    check(&switch(TD2, &[]), Some(table), "PG030", Severity::Warning, "no row at 40000 Mb/s for 50m");
}

#[test]
fn defect_5_odd_xon_offset_is_reported() {
    let table = "100000 5m 1 0 60000 0 3556\n100000 40m 1 0 100000 0 3556\n50000 5m 1 0 60000 0 3356\n50000 40m 1 0 70000 0 3556\n";
    check("{}", Some(table), "PG014", Severity::Warning, "xon_offset is 3356, but");
}

#[test]
fn defect_7_headroom_too_small_is_reported() {
    let change = [
        ("\"xoff\": \"100000\"", "\"xoff\": \"80000\""),
        ("\"100000\", \"mtu\"", "\"400000\", \"mtu\""),
        ("40m", "50m"),
        ("100000_50m", "400000_50m"),
    ];
    check(
        &switch(TD2, &change),
        None,
        "PG006",
        Severity::Error,
        "the worst case at 400000 Mb/s over 50 m needs",
    );
}

#[test]
fn frames_of_dnx_share_blocks_of_memory() {
    // 100,000 bytes hold the worst case of 40 frames of 1,024 bytes, but not 40 blocks of 4,096 bytes.
    let jericho = "x86_64-arista_7800r3a_36d2_lc";
    passes(&switch(jericho, &[]), None, "PG006");
    let little = [("\"xoff\": \"100000\"", "\"xoff\": \"35000\"")];
    check(&switch(jericho, &little), None, "PG006", Severity::Error, "(frames of 1024 B): ");
    check(&switch(TD2, &little), None, "PG006", Severity::Error, "(frames of 1024 B in cells of 208 B): ");
}

#[test]
fn defect_8_silent_default_cable_is_reported() {
    let text = switch(TD2, &[("\"Ethernet4\": \"40m\"", "\"Ethernet4\": \"300m\"")]);
    check(&text, None, "LINK005", Severity::Warning, "300 m, SONiC's default");
}

#[test]
fn defects_9_and_10_stale_profile_are_reported() {
    let text = switch(TD2, &[("\"Ethernet4\": \"40m\"", "\"Ethernet4\": \"30m\"")]);
    check(&text, None, "PG020", Severity::Error, "runs at 100000 Mb/s over 30 m");
    let broken_out = switch(
        TD2,
        &[("\"lanes\": \"5,6,7,8\", \"speed\": \"100000\"", "\"lanes\": \"5,6\", \"speed\": \"50000\"")],
    );
    check(&broken_out, None, "PG020", Severity::Error, "runs at 50000 Mb/s");
}

#[test]
fn defects_11_and_12_detection_faster_than_polling_are_reported() {
    let text = switch(TD2, &[("\"detection_time\": \"400\"", "\"detection_time\": \"100\"")]);
    check(&text, None, "WD004", Severity::Error, "100 ms is shorter than POLL_INTERVAL 200 ms");
    let no_poll = switch(TD2, &[("{\"POLL_INTERVAL\": \"200\"}", "{}")]);
    check(&no_poll, None, "WD004", Severity::Error, "no POLL_INTERVAL");
}

#[test]
fn defect_13_big_red_switch_is_reported() {
    let text = switch(TD2, &[("{\"POLL_INTERVAL\"", "{\"BIG_RED_SWITCH\": \"enable\", \"POLL_INTERVAL\"")]);
    check(&text, None, "WD009", Severity::Error, "all lossless traffic");
}

#[test]
fn defect_14_watchdog_mask_is_reported() {
    let missing = switch(TD2, &[(", \"pfcwd_sw_enable\": \"3,4\"", "")]);
    check(&missing, None, "WD010", Severity::Error, "no port has pfcwd_sw_enable");
    let empty = switch(TD2, &[("\"pfcwd_sw_enable\": \"3,4\"", "\"pfcwd_sw_enable\": \"\"")]);
    check(&empty, None, "WD010", Severity::Error, "is empty");
}

#[test]
fn defect_15_storm_loop_is_reported() {
    let text = switch(
        "x86_64-nokia_ixr7220_h4-r0",
        &[("\"restoration_time\": \"800\"", "\"restoration_time\": \"400\"")],
    );
    check(&text, None, "WD021", Severity::Warning, "not longer than detection");
}

#[test]
fn defect_16_action_changed_on_the_fly_is_reported() {
    let (old, new) = (switch(TD2, &[("\"drop\"", "\"forward\"")]), switch(TD2, &[]));
    changes(&old, &new, "CHG004", "drop");
}

#[test]
fn defect_17_false_alarms_is_reported() {
    // 100 ports: one round of polling takes longer than 200 ms.
    let ports: Vec<String> = (2..100)
        .map(|i| format!("\"Ethernet{}\": {{\"lanes\": \"9\", \"speed\": \"100000\"}}", i * 4))
        .collect();
    let text = switch(TD2, &[("\"PORT\": {", &format!("\"PORT\": {{{},", ports.join(",")))]);
    check(&text, None, "WD022", Severity::Warning, "`pfcwd start_default` uses 800 ms");
}

#[test]
fn defect_18_dangling_profile_is_reported() {
    let text = switch(TD2, &[("\"egress_lossless_profile\": {\"pool\"", "\"other\": {\"pool\"")]);
    check(
        &text,
        None,
        "BUF016",
        Severity::Error,
        "`egress_lossless_profile` is not in BUFFER_PROFILE (2 queue keys)",
    );
}

#[test]
fn defect_19_static_threshold_as_dynamic_is_reported() {
    let text = switch(
        TD2,
        &[("\"dynamic_th\": \"-2\"", "\"static_th\": \"12766208\", \"dynamic_th\": \"12766208\"")],
    );
    check(&text, None, "BUF011", Severity::Error, "both dynamic_th and static_th");
    check(&text, None, "BUF008", Severity::Error, "expected an integer in -8..=7");
}

#[test]
fn defect_20_wrong_static_threshold_is_reported() {
    let text = switch(TD2, &[("\"static_th\": \"12766208\"", "\"static_th\": \"6000000\"")]);
    check(&text, None, "BUF026", Severity::Error, "below the 12,766,208 B");
}

#[test]
fn defect_21_thresholds_without_colour_is_reported() {
    let text = switch(TD2, &[("\"wred_green_enable\": \"true\"", "\"wred_green_enable\": \"false\"")]);
    check(&text, None, "ECN004", Severity::Error, "green has thresholds but is not enabled");
}

#[test]
fn defect_22_placeholder_and_blank_is_reported() {
    let text = switch(TD2, &[("\"1000000\"", "\" 166912\"")]);
    check(&text, None, "SRC004", Severity::Warning, "` 166912`");
    let placeholder = switch(TD2, &[("\"1000000\"", "\"9000000\""), ("\"1500000\"", "\"9000000\"")]);
    check(&placeholder, None, "ECN018", Severity::Warning, "no packet is ever marked");
}

#[test]
fn defect_23_minimum_above_maximum_is_reported() {
    let text = switch(TD2, &[("\"1000000\"", "\"1600000\"")]);
    check(&text, None, "ECN001", Severity::Error, "1500000 is below the minimum 1600000");
}

#[test]
fn defect_24_profile_slips_past_the_updater_is_reported() {
    let new = switch(
        TD2,
        &[(
            "\"ingress_lossy_profile\": {",
            "\"pg_lossless_x\": {\"pool\": \"ingress_lossless_pool\", \"size\": \"0\", \"xoff\": \"-5\", \"dynamic_th\": \"9\"}, \"ingress_lossy_profile\": {",
        )],
    );
    changes(&switch(TD2, &[]), &new, "CHG007", "pg_lossless_x is added as a whole");
    changes(&switch(TD2, &[]), &new, "BUF008", "`dynamic_th` is `9`");
}

#[test]
fn defect_25_template_not_rendered_is_reported() {
    let text = "{\n{% include 'buffers_defaults_x.j2' %}\n\"BUFFER_POOL\": {}\n}";
    check(text, None, "SRC001", Severity::Error, "not rendered");
}

#[test]
fn headroom_that_falls_with_cable_length_is_an_error() {
    let table = "100000 1500m 1 0 366592 0\n100000 2000m 1 0 234496 0\n";
    check("{}", Some(table), "PG007", Severity::Error, "366,592 B for 1500 m, but only 234,496 B for 2000 m");
    check("{}", Some(table), "PG005", Severity::Error, "are in flight on the cable");
}

#[test]
fn an_empty_egress_lossless_pool_is_an_error() {
    let text = switch(TD2, &[("\"size\": \"12766208\"}", "\"size\": \"0\"}")]);
    check(&text, None, "BUF033", Severity::Error, "size 0");
}

/// Listing 1 of the Azure paper, with its typing errors corrected.
fn azure(change: &[(&str, &str)]) -> String {
    let mut text = r#"{
 "BUFFER_POOL": {
  "ingress_pool": {"type": "ingress", "mode": "dynamic", "size": "18000000", "xoff": "6000000"},
  "egress_lossy_pool": {"type": "egress", "mode": "dynamic", "size": "14000000"},
  "egress_lossless_pool": {"type": "egress", "mode": "static", "size": "24000000"}
 },
 "BUFFER_PROFILE": {
  "ingress_lossless_profile": {"pool": "ingress_pool", "size": "1248", "dynamic_th": "-3", "xon": "1248", "xon_offset": "2496", "xoff": "96928"},
  "ingress_lossy_profile": {"pool": "ingress_pool", "size": "0", "static_th": "24000000"},
  "egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "static_th": "24000000"},
  "egress_lossy_profile": {"pool": "egress_lossy_pool", "size": "1518", "dynamic_th": "-1"}
 }
}"#
    .to_string();
    for (from, to) in change {
        assert!(text.contains(from), "the listing has no `{from}`");
        text = text.replace(from, to);
    }
    text
}

#[test]
fn the_azure_configuration_passes_and_its_faulty_variants_do_not() {
    let bad: Vec<_> = run(&azure(&[]), None).into_iter().filter(|(_, s, _)| *s > Severity::Info).collect();
    assert!(bad.is_empty(), "{bad:#?}");
    check(&azure(&[("14000000", "19000000")]), None, "BUF027", Severity::Error, "19,000,000 B");
    check(&azure(&[("\"6000000\"", "\"7000000\"")]), None, "BUF023", Severity::Warning, "= 25,000,000 B");
    let limit = azure(&[(
        "egress_lossless_pool\", \"size\": \"0\", \"static_th\": \"24000000\"",
        "egress_lossless_pool\", \"size\": \"0\", \"static_th\": \"23000000\"",
    )]);
    check(&limit, None, "BUF026", Severity::Error, "23,000,000 B");
    let slack = run(&azure(&[("\"6000000\"", "\"5000000\"")]), None);
    assert!(slack.iter().all(|(_, s, _)| *s < Severity::Error), "{slack:#?}");
    check(&azure(&[("\"6000000\"", "\"5000000\"")]), None, "BUF036", Severity::Warning, "1,000,000 B");
}

#[test]
fn ecn_before_pfc_is_checked_with_its_group_limit() {
    // alpha 1/4, pool 10 MB: one group pauses at 2 MB; n* = 10 - 4 = 6.
    let (_, severity, message) =
        run(&switch(TD2, &[]), None).into_iter().find(|(c, ..)| *c == "ECN009").expect("a report");
    assert_eq!(severity, Severity::Info);
    assert!(message.contains("more than 6 equally congested groups"), "{message}");
    let late = switch(TD2, &[("\"1000000\"", "\"2500000\""), ("\"1500000\"", "\"3000000\"")]);
    check(&late, None, "ECN009", Severity::Error, "PFC pauses before ECN marks");
}

#[test]
fn inconsistent_maps_and_groups_are_reported() {
    let other_queue = switch(
        TD2,
        &[(
            "\"MAP_PFC_PRIORITY_TO_QUEUE\": {\"AZURE\": {\"3\": \"3\"",
            "\"MAP_PFC_PRIORITY_TO_QUEUE\": {\"AZURE\": {\"3\": \"5\"",
        )],
    );
    check(&other_queue, None, "PFC006", Severity::Error, "stops queue 5, but its traffic is in queue 3");
    let no_headroom = switch(
        TD2,
        &[(
            "\"Ethernet0|3-4\": {\"profile\": \"pg_lossless_100000_40m_profile\"}",
            "\"Ethernet0|3-4\": {\"profile\": \"ingress_lossy_profile\"}",
        )],
    );
    check(&no_headroom, None, "PFC002", Severity::Error, "Ethernet0: PFC on 3,4");
    let no_pfc = switch(TD2, &[("\"pfc_enable\": \"3,4\", \"pfcwd", "\"pfc_enable\": \"3\", \"pfcwd")]);
    check(&no_pfc, None, "PFC003", Severity::Error, "group 4 has lossless profile");
    let lossy_in = switch(
        TD2,
        &[(
            "\"TC_TO_PRIORITY_GROUP_MAP\": {\"AZURE\": {\"0\": \"0\"",
            "\"TC_TO_PRIORITY_GROUP_MAP\": {\"AZURE\": {\"0\": \"3\"",
        )],
    );
    check(&lossy_in, None, "PFC004", Severity::Error, "lossy traffic class 0 maps to lossless group 3");
    passes(&switch(TD2, &[]), None, "PFC004");
}

#[track_caller]
fn changes(old: &str, new: &str, code: &str, word: &str) {
    let revision = |name, text| diff::Revision { name, text, lookup: None };
    let result = diff::compare(revision("old.json", old), revision("new.json", new), &Options::default());
    let hit = result.findings.iter().any(|f| f.code == code && f.message.contains(word));
    assert!(hit, "{code} with `{word}` expected, found {:#?}", result.findings);
}

#[test]
fn the_same_change_of_several_ports_is_one_finding() {
    let (old, new) = (switch(TD2, &[]), switch(TD2, &[("\"action\": \"drop\"", "\"action\": \"forward\"")]));
    let revision = |name, text| diff::Revision { name, text, lookup: None };
    let result = diff::compare(revision("old.json", &old), revision("new.json", &new), &Options::default());
    let found: Vec<&Finding> = result.findings.iter().filter(|f| f.code == "CHG004").collect();
    let [finding] = found.as_slice() else { panic!("one finding expected: {found:#?}") };
    assert_eq!(finding.ports, ["Ethernet0", "Ethernet4"]);
    assert!(finding.message.starts_with("Ethernet0 and Ethernet4: watchdog action"), "{}", finding.message);
}

#[test]
fn create_only_and_rejected_changes_are_reported() {
    let new = switch(
        TD2,
        &[("\"mode\": \"dynamic\", \"size\": \"7000000\"", "\"mode\": \"static\", \"size\": \"7000000\"")],
    );
    changes(&switch(TD2, &[]), &new, "CHG001", "`mode` is create-only");
    changes(&switch(TD2, &[]), &new, "CHG002", "cannot be changed on a live switch");
    let cable = switch(TD2, &[("\"Ethernet4\": \"40m\"", "\"Ethernet4\": \"5m\"")]);
    changes(&switch(TD2, &[]), &cable, "CHG008", "group 3 keeps its lossless profile");
}

#[test]
fn a_lookup_table_is_checked_with_its_file() {
    // The file has neither profile nor group: buffermgrd creates them from the row, whose headroom is too small.
    let text = switch(
        TD2,
        &[
            ("\"BUFFER_PG\": {", "\"BUFFER_PG_OF_ANOTHER_FILE\": {"),
            (
                "\"pg_lossless_100000_40m_profile\": {\"pool\": \"ingress_lossless_pool\", \"size\": \"1248\", \"dynamic_th\": \"-2\", \"xon\": \"2288\", \"xon_offset\": \"2288\", \"xoff\": \"100000\"},",
                "",
            ),
        ],
    );
    let table = TABLE.replace(" 100000 -2", " 20000 -2");
    check(
        &text,
        Some(&table),
        "PG006",
        Severity::Error,
        "pg_lossless_100000_40m_profile has headroom 20,000 B",
    );
    passes(&text, Some(TABLE), "PG006");
}

#[test]
fn groups_are_found_through_the_tc_to_pg_map() {
    // Classes 3 and 4 go to groups 5 and 6.
    let text = switch(
        "x86_64-mlnx_msn4700-r0",
        &[
            (
                "\"TC_TO_PRIORITY_GROUP_MAP\": {\"AZURE\": {\"0\": \"0\", \"3\": \"3\", \"4\": \"4\"}}",
                "\"TC_TO_PRIORITY_GROUP_MAP\": {\"AZURE\": {\"0\": \"0\", \"3\": \"5\", \"4\": \"6\"}}",
            ),
            ("Ethernet0|3-4\": {\"profile\": \"pg", "Ethernet0|5-6\": {\"profile\": \"pg"),
            ("Ethernet4|3-4\": {\"profile\": \"pg", "Ethernet4|5-6\": {\"profile\": \"pg"),
            ("\"xoff\": \"100000\"", "\"xoff\": \"20000\""),
        ],
    );
    check(
        &text,
        None,
        "PG004",
        Severity::Error,
        "Ethernet0 and Ethernet4: profile pg_lossless_100000_40m_profile",
    );
    check(
        &text,
        None,
        "PG006",
        Severity::Error,
        "Ethernet0 and Ethernet4: profile pg_lossless_100000_40m_profile",
    );
}

#[test]
fn valid_unusual_files_cause_no_false_positives() {
    // Half of the pool on an unknown chip: the chip may have two halves. A quarter has no such reason.
    check(
        &azure(&[(
            "\"size\": \"0\", \"static_th\": \"24000000\"},\n  \"egress_lossy",
            "\"size\": \"0\", \"static_th\": \"12050000\"},\n  \"egress_lossy",
        )]),
        None,
        "BUF026",
        Severity::Warning,
        "12,050,000 B",
    );
    check(
        &azure(&[(
            "\"size\": \"0\", \"static_th\": \"24000000\"},\n  \"egress_lossy",
            "\"size\": \"0\", \"static_th\": \"6000000\"},\n  \"egress_lossy",
        )]),
        None,
        "BUF026",
        Severity::Error,
        "6,000,000 B",
    );
    // An egress lossless pool above the packet memory only disables a limit.
    let pool = switch("x86_64-mlnx_msn2700-r0", &[("\"size\": \"12766208\"}", "\"size\": \"16777152\"}")]);
    check(&pool, None, "BUF024", Severity::Warning, "16,777,152 B");
    // The output of the buffer template: neither DEVICE_METADATA nor PORT_QOS_MAP.
    let rendered = r#"{"BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic"}},
        "DEFAULT_LOSSLESS_BUFFER_PARAMETER": {"AZURE": {"default_dynamic_th": "0"}},
        "BUFFER_PG": {"Ethernet0|3-4": {"profile": "NULL"}}}"#;
    let errors: Vec<_> = run(rendered, None).into_iter().filter(|(_, s, _)| *s == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    check(rendered, None, "BUF047", Severity::Warning, "its contents are those of the dynamic model");
    // A virtual switch has the SKU of the switch that it emulates.
    let virtual_switch =
        switch("x86_64-kvm_x86_64-r0", &[("\"hwsku\": \"sku\"", "\"hwsku\": \"Force10-S6000\"")]);
    passes(&virtual_switch, None, "BUF032");
}

#[test]
fn a_file_without_known_tables_is_reported() {
    for text in ["{}", "[]", "{\"VLAN\": {\"Vlan10\": {\"vlanid\": \"10\"}}}"] {
        check(text, None, "SRC014", Severity::Warning, "nothing was checked");
    }
}

#[test]
fn of_duplicate_tables_the_last_one_is_checked() {
    let healthy = switch(TD2, &[]);
    let bad = "\"BUFFER_POOL\": {\"p\": {\"type\": \"in\"}}";
    let errors = |text: &str| -> Vec<&'static str> {
        let found = run(text, Some(TABLE));
        found.into_iter().filter(|(_, s, _)| *s == Severity::Error).map(|(code, ..)| code).collect()
    };
    assert_eq!(errors(&healthy.replacen('{', &format!("{{{bad},"), 1)), ["SRC003"]);
    let last = format!("{},{bad}}}", healthy.trim_end().trim_end_matches('}'));
    let found = errors(&last);
    for code in ["SRC003", "BUF001", "BUF014"] {
        assert!(found.contains(&code), "{code} expected, found {found:?}");
    }
    // Entries and fields; equal copies are only a warning.
    let entry = "\"Ethernet0|3-4\": {\"profile\": \"pg_lossless_100000_40m_profile\"}";
    let again = healthy
        .replace(entry, &format!("\"Ethernet0|3-4\": {{\"profile\": \"ingress_lossy_profile\"}}, {entry}"));
    assert_eq!(errors(&again), ["SRC003"]);
    check(
        &healthy.replace(entry, &format!("{entry}, {entry}")),
        None,
        "SRC003",
        Severity::Warning,
        "same content",
    );
    let field = healthy
        .replace("\"detection_time\": \"400\"", "\"detection_time\": \"1\", \"detection_time\": \"400\"");
    assert_eq!(errors(&field), ["SRC003", "SRC003"]);
}

#[test]
fn groups_of_a_minigraph_that_is_not_loaded_are_assumed() {
    let bare = switch(TD2, &[])
        .replace(
            "\"platform\": \"x86_64-dell_s6000_s1220-r0\", \"hwsku\": \"sku\"",
            "\"hwsku\": \"Force10-S6000\"",
        )
        .replace("pg_lossless_100000_40m_profile\"}", "ingress_lossy_profile\"}")
        .replace("\"xoff\": \"100000\"", "\"xoff\": \"0\"");
    check(&bare, None, "PFC002", Severity::Info, "if buffermgrd creates them");
    passes(&bare, None, "PFC002");
    let loaded = bare.replace("\"hwsku\"", "\"platform\": \"x86_64-dell_s6000_s1220-r0\", \"hwsku\"");
    check(&loaded, None, "PFC002", Severity::Error, "no lossless profile");
}

#[test]
fn an_asic_is_known_by_its_sku_alone() {
    for (sku, asic) in [
        ("Mellanox-SN3800-D112C8", "spectrum-2"),
        ("Mellanox-SN4600C-C64", "spectrum-3"),
        ("Mellanox-SN4700-O28", "spectrum-3"),
        ("Mellanox-SN2700", "spectrum"),
        ("ACS-MSN4600C", "spectrum-3"),
        ("NH-4210-F-O256", "tomahawk-6"),
    ] {
        assert_eq!(buffer_config::asic::of_device("", sku).map(|a| a.name), Some(asic), "{sku}");
    }
}

#[test]
fn unknown_names_suggest_the_known_one() {
    for (from, to, code, meant) in [
        ("\"xoff\": \"100000\"", "\"xof\": \"100000\"", "SRC005", "`xoff`"),
        ("\"pfc_enable\"", "\"PFC_ENABLE\"", "SRC005", "`pfc_enable`"),
        ("\"pfc_enable\"", "\"pfc_enable \"", "SRC005", "`pfc_enable`"),
        ("\"PFC_WD\"", "\"PFCWD\"", "SRC009", "`PFC_WD`"),
        ("\"BUFFER_QUEUE\"", "\"BUFFER_QUEUES\"", "SRC009", "`BUFFER_QUEUE`"),
    ] {
        let found = run(&switch(TD2, &[(from, to)]), None);
        let hit = found.iter().find(|(c, ..)| *c == code).unwrap_or_else(|| panic!("{code} in {found:#?}"));
        assert!(hit.2.contains(&format!("did you mean {meant}?")), "{}", hit.2);
    }
}

#[test]
fn a_missing_map_of_the_whole_switch_is_not_counted_as_a_port() {
    let global = ("\"PORT_QOS_MAP\": {", "\"PORT_QOS_MAP\": {\"global\": {\"dscp_to_tc_map\": \"NONE\"},");
    let found = run(&switch(TD2, &[global]), None);
    let messages: Vec<&str> =
        found.iter().filter(|(c, ..)| *c == "MAP004").map(|(.., m)| m.as_str()).collect();
    assert_eq!(messages, ["dscp_to_tc_map `NONE` is not in DSCP_TO_TC_MAP: it is never applied"]);
}

#[test]
fn a_wrong_number_of_a_map_is_named_once() {
    let text = switch(
        TD2,
        &[("\"DSCP_TO_TC_MAP\": {\"AZURE\": {", "\"DSCP_TO_TC_MAP\": {\"AZURE\": {\"0x03\": \"3\", ")],
    );
    check(&text, None, "MAP001", Severity::Error, "AZURE: `0x03`; expected a DSCP");
}

#[test]
fn deep_nesting_is_reported_once() {
    let text = format!("{{\"PORT\": {}{}}}", "[".repeat(200_000), "]".repeat(200_000));
    let found = run(&text, None);
    let broken: Vec<&str> = found.iter().filter(|(c, ..)| *c == "SRC001").map(|(.., m)| m.as_str()).collect();
    assert!(broken.iter().any(|m| m.contains("nested deeper than 64 levels")), "{broken:#?}");
    assert!(broken.iter().all(|m| !m.contains("never closed")), "{broken:#?}");
}

#[test]
fn a_switch_without_its_own_entry_is_reported() {
    check(
        &switch(TD2, &[("\"localhost\"", "\"Localhost\"")]),
        None,
        "SRC016",
        Severity::Warning,
        "`Localhost`",
    );
    let absent = switch(TD2, &[("\"DEVICE_METADATA\"", "\"_DEVICE\"")]);
    check(&absent, None, "SRC016", Severity::Warning, "no entry `localhost`");
    // A part of a configuration.
    check(r#"{"PORT": {"Ethernet0": {}}}"#, None, "SRC016", Severity::Info, "no entry `localhost`");
}
