//! Fixes: each one applies, removes its finding, and causes no new error or warning.

use std::collections::BTreeSet;

use crate::support::switch::{TD2, switch};
use buffer_config::finding::{Finding, Severity};
use buffer_config::lookup::{self, Lookup};
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;
use buffer_config::{fix_patch, input};
use serde_json::Value;

fn findings(text: &str, table: Option<&Lookup>) -> Vec<Finding> {
    rules::check(SourceText { name: "a.json", text }, &input::load(text), table, &Options::default())
}

/// Makes the patch and applies it; returns the codes that were fixed and those that were left out.
#[track_caller]
fn check(
    name: &str,
    text: &str,
    table: Option<&str>,
) -> (BTreeSet<&'static str>, Vec<(&'static str, String)>) {
    let table = table.map(lookup::parse);
    let before = findings(text, table.as_ref());
    let source = SourceText { name: "a.json", text };
    let plan = fix_patch::plan(source, &before, table.as_ref(), &Options::default())
        .unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut document: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{name}: {e}"));
    for op in &plan.operations {
        fix_patch::apply(&mut document, op).unwrap_or_else(|e| panic!("{name}: {op:?}: {e}"));
    }
    let after = findings(&document.to_string(), table.as_ref());
    let bad = |all: &[Finding]| -> BTreeSet<&'static str> {
        all.iter().filter(|f| f.severity > Severity::Info).map(|f| f.code).collect()
    };
    let new: Vec<_> = bad(&after).difference(&bad(&before)).copied().collect();
    assert!(new.is_empty(), "{name}: the repairs make {new:?}");
    let at = |all: &[Finding], f: &Finding| {
        all.iter().any(|g| g.code == f.code && g.pointer == f.pointer && g.severity > Severity::Info)
    };
    let gone = |f: &&Finding| f.severity > Severity::Info && !f.patch.is_empty() && !at(&after, f);
    (before.iter().filter(gone).map(|f| f.code).collect(), plan.left_out)
}

#[test]
fn every_fix_removes_its_finding_and_causes_no_other() {
    let offset = "\"xon_offset\": \"2288\"";
    let more = |offset: &str| {
        let one = |n: usize, o: &str| {
            format!(
                "\"q{n}\": {{\"pool\": \"ingress_lossless_pool\", \"size\": \"1248\", \"dynamic_th\": \"-2\", \"xon\": \"2288\", \"xon_offset\": \"{o}\", \"xoff\": \"100000\"}},"
            )
        };
        let all: String = (0..3).map(|n| one(n, "2288")).chain([one(3, offset)]).collect();
        format!("\"BUFFER_PROFILE\": {{{all}")
    };
    let tomahawk_6 = switch(
        "x86_64-nexthop_4210-r0",
        &[
            ("\"10000000\", \"xoff\": \"2000000\"", "\"258035400\", \"xoff\": \"81553920\""),
            ("\"7000000\"", "\"258035400\""),
        ],
    );
    let cases: Vec<(&str, String)> = vec![
        (
            "BUF020",
            switch(
                TD2,
                &[("\"static_th\": \"12766208\"", "\"static_th\": \"12766208\", \"xoff\": \"1000\"")],
            ),
        ),
        ("BUF023", tomahawk_6),
        ("BUF024", switch(TD2, &[("\"7000000\"", "\"99000000\"")])),
        ("BUF025", switch(TD2, &[("\"12766208\"", "\"9999999\"")])),
        ("BUF026", switch(TD2, &[("\"static_th\": \"12766208\"", "\"static_th\": \"6000000\"")])),
        ("BUF027", switch(TD2, &[("\"7000000\"", "\"11000000\"")])),
        ("BUF030", switch(TD2, &[("\"7000000\"", "\"7000001\"")])),
        (
            "BUF039",
            switch(
                TD2,
                &[(
                    "\"BUFFER_PROFILE\": {",
                    "\"DEFAULT_LOSSLESS_BUFFER_PARAMETER\": {\"AZURE\": {\"default_dynamic_th\": \"0\", \"max_headroom_size\": \"1\"}}, \"BUFFER_PROFILE\": {",
                )],
            ),
        ),
        (
            "BUF051",
            switch(
                TD2,
                &[
                    (
                        "\"egress_lossless_pool\": {",
                        "\"ingress_lossy_pool\": {\"type\": \"ingress\", \"mode\": \"dynamic\", \"size\": \"2000000\"}, \"egress_lossless_pool\": {",
                    ),
                    (
                        "\"pg_lossless_100000_40m_profile\": {\"pool\": \"ingress_lossless_pool\"",
                        "\"pg_lossless_100000_40m_profile\": {\"pool\": \"ingress_lossy_pool\"",
                    ),
                ],
            ),
        ),
        (
            "BUF056",
            switch(
                TD2,
                &[(
                    "\"egress_lossy_profile\": {\"pool\": \"egress_lossy_pool\"",
                    "\"egress_lossy_profile\": {\"pool\": \"egress_lossless_pool\"",
                )],
            ),
        ),
        ("BUF057", switch(TD2, &[("{\"type\": \"ingress\", \"mode\"", "{\"type\": \"both\", \"mode\"")])),
        (
            "MAP015",
            switch(
                TD2,
                &[
                    ("\"DSCP_TO_TC_MAP\": {", "\"DSCP_TO_TC_MAP\": {\"OLD\": {\"3\": \"0\", \"4\": \"4\"}, "),
                    ("\"PORT_QOS_MAP\": {", "\"PORT_QOS_MAP\": {\"global\": {\"dscp_to_tc_map\": \"OLD\"}, "),
                ],
            ),
        ),
        ("ECN002", switch(TD2, &[(", \"green_drop_probability\": \"5\"", "")])),
        ("ECN004", switch(TD2, &[("\"wred_green_enable\": \"true\"", "\"wred_green_enable\": true")])),
        ("PG014", switch(TD2, &[("\"BUFFER_PROFILE\": {", &more("2299"))])),
        ("PG015", switch(TD2, &[("\"10000000\", \"xoff\": \"2000000\"", "\"10000000\"")])),
        ("SRC004", switch(TD2, &[("\"1000000\"", "\" 1000000\"")])),
        ("SRC004", switch(TD2, &[("\"1,2,3,4\"", "\"1, 2,3,4 \"")])),
        (
            "SRC005",
            switch(TD2, &[("\"SCHEDULER\": {\"s1\": {", "\"SCHEDULER\": {\"s1\": {\"wieght\": \"3\", ")]),
        ),
        (
            "WD001",
            switch(TD2, &[("\"action\": \"drop\", \"detection_time\": \"400\"", "\"action\": \"drop\"")]),
        ),
        (
            "WD009",
            switch(TD2, &[("{\"POLL_INTERVAL\"", "{\"BIG_RED_SWITCH\": \"enable\", \"POLL_INTERVAL\"")]),
        ),
        (
            "WD016",
            switch(
                TD2,
                &[(
                    "\"PFC_WD\": {",
                    "\"FLEX_COUNTER_TABLE\": {\"PFCWD\": {\"FLEX_COUNTER_STATUS\": \"disable\"}}, \"PFC_WD\": {",
                )],
            ),
        ),
        (
            "WD016",
            switch(
                TD2,
                &[(
                    "\"PFC_WD\": {",
                    "\"FLEX_COUNTER_TABLE\": {\"PFCWD\": {\"FLEX_COUNTER_STATUS\": \"enable\", \"POLL_INTERVAL\": \"60000\"}}, \"PFC_WD\": {",
                )],
            ),
        ),
        (
            "LINK015",
            switch(
                TD2,
                &[
                    (
                        "\"hwsku\": \"sku\"",
                        "\"hwsku\": \"sku\", \"switch_type\": \"voq\", \"asic_name\": \"asic0\", \"switch_id\": \"4\"",
                    ),
                    (
                        "\"PFC_WD\": {",
                        "\"SYSTEM_PORT\": {\"s1|asic0|Ethernet0\": {\"system_port_id\": \"1\", \"switch_id\": \"0\", \"speed\": \"100000\"}, \"s1|asic0|Ethernet4\": {\"system_port_id\": \"2\", \"switch_id\": \"0\", \"speed\": \"100000\"}}, \"PFC_WD\": {",
                    ),
                ],
            ),
        ),
        (
            "WD017",
            switch(
                TD2,
                &[("\"hwsku\": \"sku\"", "\"hwsku\": \"sku\", \"default_pfcwd_status\": \"disable\"")],
            ),
        ),
        (
            "LINK012",
            switch(
                TD2,
                &[(
                    "\"PFC_WD\": {",
                    "\"PORTCHANNEL\": {\"PortChannel1\": {\"min_links\": \"one\"}}, \"PORTCHANNEL_MEMBER\": {\"PortChannel1|Ethernet0\": {}}, \"PFC_WD\": {",
                )],
            ),
        ),
        (
            "LINK015",
            switch(
                TD2,
                &[(
                    "\"PFC_WD\": {",
                    "\"SYSTEM_PORT\": {\"s1|asic0|Ethernet0\": {\"system_port_id\": \"1\", \"num_voq\": \"8\", \"speed\": \"40000\"}}, \"PFC_WD\": {",
                )],
            ),
        ),
        (
            "LINK017",
            switch(
                TD2,
                &[
                    (
                        "\"5,6,7,8\", \"speed\": \"100000\", \"mtu\": \"9100\", \"admin_status\": \"up\"}",
                        "\"5,6,7,8\", \"speed\": \"100000\", \"mtu\": \"9100\"}",
                    ),
                    (
                        "\"PFC_WD\": {",
                        "\"DEVICE_NEIGHBOR\": {\"Ethernet4\": {\"name\": \"t1\", \"port\": \"Ethernet8\"}}, \"PFC_WD\": {",
                    ),
                ],
            ),
        ),
        ("LINK002", switch(TD2, &[("\"40m\"", "\"040m\"")])),
        (
            "LINK026",
            switch(
                TD2,
                &[("\"PFC_WD\": {", "\"VLAN\": {\"Vlan1000\": {\"vlanid\": \"1001\"}}, \"PFC_WD\": {")],
            ),
        ),
        ("WD010", switch(TD2, &[("\"pfcwd_sw_enable\": \"3,4\"", "\"pfcwd_sw_enable\": \"\"")])),
        ("WD011", switch(TD2, &[("\"pfcwd_sw_enable\": \"3,4\"", "\"pfcwd_sw_enable\": \"3\"")])),
        ("WD022", switch(TD2, &[("\"POLL_INTERVAL\": \"200\"", "\"POLL_INTERVAL\": \"100\"")])),
    ];
    assert!(cases.iter().all(|(_, text)| text.contains(offset)));
    for (code, text) in &cases {
        let (repaired, left_out) = check(code, text, None);
        let is_note = |f: &&Finding| f.code == *code && f.severity == Severity::Info && !f.patch.is_empty();
        if findings(text, None).iter().any(|f| is_note(&f)) {
            // The fix of a note is part of the finding only; the patch contains those of warnings and errors.
            continue;
        }
        assert!(repaired.contains(code), "{code} has no fix, only {repaired:?}; left out {left_out:?}");
    }
    // Every rule with a fix has a case.
    let offers =
        |rule: &&rules::Rule| [".replace(", ".remove()", ".add("].iter().any(|call| rule.calls(call));
    let covered: BTreeSet<&str> = cases.iter().map(|(code, _)| *code).collect();
    let all: BTreeSet<&str> = rules::all().filter(offers).map(|r| r.meta.code).collect();
    assert_eq!(all.difference(&covered).collect::<Vec<_>>(), Vec::<&&str>::new());
}

/// A correct switch with six ports, each with a neighbour.
fn six_ports() -> Value {
    let mut all: Value = serde_json::from_str(&switch(TD2, &[])).expect("JSON");
    for number in [8, 12, 16, 20] {
        let name = format!("Ethernet{number}");
        for table in ["PORT", "PORT_QOS_MAP", "PFC_WD", "BUFFER_PG", "BUFFER_QUEUE", "QUEUE"] {
            let entries = all[table].as_object_mut().expect("a table");
            let is_copied = |key: &&String| key.split('|').next() == Some("Ethernet4");
            let keys: Vec<String> = entries.keys().filter(is_copied).cloned().collect();
            for key in keys {
                let copy = entries[&key].clone();
                entries.insert(key.replacen("Ethernet4", &name, 1), copy);
            }
        }
        let lanes: Vec<String> = (1..5).map(|lane| (number + lane).to_string()).collect();
        all["PORT"][&name]["lanes"] = Value::from(lanes.join(","));
        all["CABLE_LENGTH"]["AZURE"][&name] = Value::from("40m");
    }
    for (number, name) in ["Ethernet0", "Ethernet4", "Ethernet8"].into_iter().enumerate() {
        all["DEVICE_NEIGHBOR"][name] = serde_json::json!({"name": format!("t{number}"), "port": "Ethernet0"});
    }
    all
}

/// Repairs a switch after a change, and returns it.
#[track_caller]
fn repaired(code: &str, change: impl Fn(&mut Value)) -> Value {
    let mut all = six_ports();
    change(&mut all);
    let text = all.to_string();
    let (fixed, left_out) = check(code, &text, None);
    assert!(fixed.contains(code), "{code} has no fix, only {fixed:?}; left out {left_out:?}");
    let source = SourceText { name: "a.json", text: &text };
    let plan = fix_patch::plan(source, &findings(&text, None), None, &Options::default()).expect("a patch");
    serde_json::from_str(&plan.text).expect("JSON")
}

/// Removes an entry.
fn remove(all: &mut Value, table: &str, key: &str) {
    all[table].as_object_mut().expect("a table").remove(key).expect("an entry");
}

#[test]
fn repairs_copy_what_other_ports_have() {
    let right = six_ports();
    let copied = |code: &str, table: &str, key: &str| {
        assert_eq!(repaired(code, |all| remove(all, table, key))[table], right[table], "{code}");
    };
    copied("WD013", "PFC_WD", "Ethernet4");
    copied("PFC002", "BUFFER_PG", "Ethernet4|3-4");
    copied("PFC010", "PORT_QOS_MAP", "Ethernet4");
    copied("PFC005", "BUFFER_QUEUE", "Ethernet4|3-4");
    for (code, map) in [("PFC006", "pfc_to_queue_map"), ("MAP009", "tc_to_queue_map")] {
        let all = repaired(code, |all| {
            let entry = all["PORT_QOS_MAP"]["Ethernet8"].as_object_mut().expect("a port");
            entry.remove(map).expect("a map");
        });
        assert_eq!(all["PORT_QOS_MAP"], right["PORT_QOS_MAP"], "{code}");
    }
    for (code, mask) in [("WD010", ""), ("WD011", "3")] {
        let all =
            repaired(code, |all| all["PORT_QOS_MAP"]["Ethernet8"]["pfcwd_sw_enable"] = Value::from(mask));
        assert_eq!(all["PORT_QOS_MAP"], right["PORT_QOS_MAP"], "{code}");
    }
    let all = repaired("PG020", |all| {
        let long = "pg_lossless_100000_300m_profile";
        let mut profile = all["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"].clone();
        profile["xoff"] = Value::from("200000");
        all["BUFFER_PROFILE"][long] = profile;
        all["BUFFER_PG"]["Ethernet12|3-4"]["profile"] = Value::from(long);
    });
    assert_eq!(all["BUFFER_PG"], right["BUFFER_PG"]);
}

#[test]
fn ports_with_the_same_defect_are_one_finding_and_all_repaired() {
    for (code, field, wrong, meant) in [
        ("LINK017", "admin_status", None, "up"),
        ("LINK009", "autoneg", Some("1"), "on"),
        ("LINK009", "autoneg", Some("False"), "off"),
    ] {
        let ports = ["Ethernet4", "Ethernet8"];
        let change = |all: &mut Value| {
            for port in ports {
                let entry = all["PORT"][port].as_object_mut().expect("a port");
                match wrong {
                    Some(wrong) => drop(entry.insert(field.to_string(), Value::from(wrong))),
                    None => drop(entry.remove(field)),
                }
            }
        };
        let mut all = six_ports();
        change(&mut all);
        let found = findings(&all.to_string(), None);
        let found: Vec<&Finding> = found.iter().filter(|finding| finding.code == code).collect();
        assert_eq!(found.iter().map(|finding| &finding.ports[..]).collect::<Vec<_>>(), [ports], "{found:#?}");
        let fixed = repaired(code, change);
        assert!(ports.iter().all(|port| fixed["PORT"][port][field] == meant), "{fixed:#}");
    }
}

#[test]
fn a_misspelt_field_is_renamed_and_keeps_its_value() {
    let right = six_ports();
    let renamed = |table: &str, key: &str, field: &str, wrong: &str| {
        let fixed = repaired("SRC005", |all| {
            let entry = all[table][key].as_object_mut().expect("an entry");
            let value = entry.remove(field).expect("a field");
            entry.insert(wrong.to_string(), value);
        });
        assert_eq!(fixed[table], right[table], "{wrong}");
    };
    renamed("BUFFER_PG", "Ethernet4|3-4", "profile", "Profile");
    renamed("BUFFER_QUEUE", "Ethernet4|3-4", "profile", "profiles");
    renamed("PORT_QOS_MAP", "Ethernet4", "pfc_enable", "PFC_ENABLE");
    renamed("PORT_QOS_MAP", "Ethernet4", "pfc_enable", "pfc_enable ");
    renamed("BUFFER_PROFILE", "pg_lossless_100000_40m_profile", "xoff", "xof");
    renamed("QUEUE", "Ethernet4|3", "wred_profile", "wred_profle"); // typos: allow
}

#[test]
fn a_misspelt_copy_of_a_field_is_removed() {
    let right = six_ports();
    let fixed = repaired("SRC005", |all| all["BUFFER_PG"]["Ethernet4|3-4"]["Profile"] = Value::from("none"));
    assert_eq!(fixed, right);
}

#[test]
fn an_empty_watchdog_gets_the_times_of_other_ports() {
    let right = six_ports();
    let fixed = repaired("WD001", |all| all["PFC_WD"]["Ethernet4"] = serde_json::json!({}));
    assert_eq!(fixed["PFC_WD"], right["PFC_WD"]);
}

#[test]
fn a_number_with_blanks_in_a_map_is_renamed() {
    let right = six_ports();
    let fixed = repaired("SRC004", |all| {
        let map = all["TC_TO_PRIORITY_GROUP_MAP"]["AZURE"].as_object_mut().expect("a map");
        let group = map.remove("3").expect("a class");
        map.insert(" 3".to_string(), group);
    });
    assert_eq!(fixed, right);
}

/// The rules of the findings whose patch leaves the text as it is.
fn without_effect(text: &str) -> Vec<&'static str> {
    let document: Value = serde_json::from_str(text).expect("JSON");
    let is_idle = |finding: &&Finding| {
        let mut patched = document.clone();
        finding.patch.iter().for_each(|op| fix_patch::apply(&mut patched, op).expect("it applies"));
        !finding.patch.is_empty() && patched == document
    };
    findings(text, None).iter().filter(is_idle).map(|finding| finding.code).collect()
}

#[test]
fn no_patch_leaves_everything_as_it_is() {
    let mut cases: Vec<Value> = vec![six_ports(); 3];
    // The second entry for the group counts, and the first one is right.
    cases[0]["BUFFER_PG"]["Ethernet4|3"] = serde_json::json!({"profile": "ingress_lossy_profile"});
    // Two values of one class.
    cases[1]["TC_TO_PRIORITY_GROUP_MAP"]["AZURE"][" 3"] = Value::from("0");
    // The limit is the whole pool, and still less than arrives.
    for field in ["BUFFER_POOL", "BUFFER_PROFILE"] {
        let (key, name) = match field {
            "BUFFER_POOL" => ("egress_lossless_pool", "size"),
            _ => ("egress_lossless_profile", "static_th"),
        };
        cases[2][field][key][name] = Value::from("100000");
    }
    for case in cases {
        let text = case.to_string();
        assert!(findings(&text, None).iter().any(|f| f.severity > Severity::Info), "{text}");
        assert_eq!(without_effect(&text), Vec::<&str>::new());
    }
}

#[test]
fn a_fix_that_uncovers_a_consequence_is_left_out() {
    // Nothing resembles `losslessness`: without it, the port still has no PFC.
    let mut all = six_ports();
    let entry = all["PORT_QOS_MAP"]["Ethernet4"].as_object_mut().expect("an entry");
    let value = entry.remove("pfc_enable").expect("a field");
    entry.insert("losslessness".to_string(), value);
    let (fixed, left_out) = check("SRC005", &all.to_string(), None);
    assert!(!fixed.contains("SRC005") || left_out.iter().any(|(code, _)| *code == "SRC005"), "{left_out:?}");
}

#[test]
fn a_missing_field_is_not_replaced() {
    // The differing offset is in the lookup table and the poll interval is the default: neither is in the file.
    let table = "100000 5m 1 0 60000 0 3556\n100000 40m 1 0 100000 0 3556\n50000 5m 1 0 60000 0 3356\n50000 40m 1 0 70000 0 3556\n";
    let ports: Vec<String> = (2..100)
        .map(|i| format!("\"Ethernet{}\": {{\"lanes\": \"9\", \"speed\": \"100000\"}}", i * 4))
        .collect();
    let text = switch(
        TD2,
        &[
            ("\"PORT\": {", &format!("\"PORT\": {{{},", ports.join(","))),
            ("\"GLOBAL\": {\"POLL_INTERVAL\": \"200\"},", ""),
        ],
    );
    let found = findings(&text, Some(&lookup::parse(table)));
    for code in ["PG014", "WD022"] {
        let finding = found.iter().find(|f| f.code == code).unwrap_or_else(|| panic!("{code} in {found:#?}"));
        assert_eq!(finding.patch, []);
    }
}

#[test]
fn fixes_of_shipped_switches_apply() {
    let Some(folder) = crate::support::data("switches") else { return };
    let mut repaired = 0;
    for path in crate::support::files(&folder, ".json") {
        repaired += check(&path.display().to_string(), &crate::support::read(&path), None).0.len();
    }
    assert!(repaired > 10, "only {repaired}");
}

#[test]
fn fixes_of_findings_at_one_place_are_all_applied() {
    // Each colour lacks its drop probability: three findings of one rule at the same entry.
    let text = switch(
        TD2,
        &[(
            "\"green_drop_probability\": \"5\"",
            "\"wred_yellow_enable\": \"true\", \"yellow_min_threshold\": \"1048576\", \"yellow_max_threshold\": \"2097152\", \"wred_red_enable\": \"true\", \"red_min_threshold\": \"1048576\", \"red_max_threshold\": \"2097152\"",
        )],
    );
    let before = findings(&text, None);
    let missing = |all: &[Finding]| all.iter().filter(|f| f.code == "ECN002").count();
    assert!(missing(&before) > 1, "{before:#?}");
    let plan =
        fix_patch::plan(SourceText { name: "a.json", text: &text }, &before, None, &Options::default())
            .expect("a patch");
    assert_eq!(missing(&findings(&plan.text, None)), 0, "{:?}", plan.left_out);
}

#[test]
fn the_repaired_text_is_the_patched_document_and_keeps_its_form() {
    let Some(folder) = crate::support::data("switches") else { return };
    let mut changed = 0;
    for path in crate::support::files(&folder, ".json") {
        let text = crate::support::read(&path);
        let Ok(mut document) = serde_json::from_str::<Value>(&text) else { continue };
        let source = SourceText { name: "a.json", text: &text };
        let all = findings(&text, None);
        let plan = fix_patch::plan(source, &all, None, &Options::default()).expect("a patch");
        for op in &plan.operations {
            fix_patch::apply(&mut document, op).expect("it applies");
        }
        let repaired: Value = serde_json::from_str(&plan.text).expect("JSON");
        assert_eq!(repaired, document, "{}", path.display());
        let lines: BTreeSet<&str> = text.lines().collect();
        let new = plan.text.lines().filter(|line| !lines.contains(line)).count();
        let bound: usize = plan.operations.len() * 8;
        assert!(new <= bound, "{}: {new} lines differ", path.display());
        changed += usize::from(plan.text != text);
    }
    assert!(changed > 5, "only {changed}");
}
