//! Report formats, suppressions, baselines and syntax errors.

use buffer_config::baseline::{Baseline, FindingFilter, Selection, Suppressions};
use buffer_config::finding::{Finding, Severity};
use buffer_config::report::{self, Format};
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;
use buffer_config::{ResolveOptions, explain, input, json, resolve};
use proptest::prelude::*;

const TEXT: &str = "{\n  \"BUFFER_POOL\": {\n    \"p\": {\"type\": \"ingres\", \"mode\": \"dynamic\", \"size\": \"1\"}\n  }\n}\n";

fn findings(text: &str) -> Vec<Finding> {
    rules::check_file(SourceText { name: "a/b.json", text }, None, &Options::default()).findings
}

fn report(format: Format, text: &str) -> String {
    report::of_file(format, "a/b.json", text, &findings(text))
}

#[test]
fn a_finding_points_to_the_value() {
    let all = findings(TEXT);
    let [f] = all.as_slice() else { panic!("{all:#?}") };
    assert_eq!((f.code, f.pointer.as_str()), ("BUF001", "/BUFFER_POOL/p/type"));
    assert_eq!((f.position.line, f.position.column), (3, 19));
    let full = report(Format::Full { is_coloured: false }, TEXT);
    assert!(full.contains("3 |     \"p\": {\"type\": \"ingres\""), "{full}");
    assert!(full.contains("  |                   ^^^^^^^^\n"), "{full}");
    assert!(full.contains("= why:") && full.contains("= fix:"), "{full}");
    assert!(report(Format::Concise, TEXT).starts_with("a/b.json:3:19: error[BUF001] "));
}

/// A finding about a whole host has no source.
#[test]
fn a_finding_without_a_source_has_no_position_unless_it_is_known() {
    let place = |line: u32| {
        let mut found = findings(TEXT);
        found[0].position.line = line;
        found[0].position.column = 1;
        let text = report::Writer::new(Format::Full { is_coloured: false }).file("a/b.json", None, &found);
        text.lines().find(|line| line.contains("-->")).map(str::to_string)
    };
    assert_eq!(place(1).as_deref(), Some("  --> a/b.json  /BUFFER_POOL/p/type"));
    assert_eq!(place(3).as_deref(), Some("  --> a/b.json:3:1  /BUFFER_POOL/p/type"));
}

#[test]
fn a_report_for_people_says_once_where_rules_are_explained() {
    let hint = "harrier check --explain BUF001 prints the page of a rule";
    let several = |format: Format, files: usize| {
        let mut writer = report::Writer::new(format);
        let parts: String =
            (0..files).map(|_| writer.file("a/b.json", Some(TEXT), &findings(TEXT))).collect();
        writer.begin() + &parts + &writer.end(&report::Summary::default())
    };
    let full = Format::Full { is_coloured: false };
    let text = several(full, 2);
    assert!(
        text.matches(hint).count() == 1 && text.lines().last().is_some_and(|line| line.starts_with(hint))
    );
    assert_eq!(several(full, 0), "");
    for format in
        [Format::Concise, Format::Json, Format::Sarif, Format::Junit, Format::Github, Format::Gitlab]
    {
        assert!(!several(format, 2).contains("--explain BUF001"), "{format:?}");
    }
}

#[test]
fn machine_formats_are_well_formed() {
    let json: serde_json::Value = serde_json::from_str(&report(Format::Json, TEXT)).expect("JSON");
    assert_eq!(json["findings"][0]["line"], 3);
    assert_eq!(json["summary"]["errors"], 1);
    let sarif: serde_json::Value = serde_json::from_str(&report(Format::Sarif, TEXT)).expect("JSON");
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    assert_eq!(rules.len(), rules::all().count());
    let result = &sarif["runs"][0]["results"][0];
    let index = result["ruleIndex"].as_u64().expect("an index") as usize;
    assert_eq!(rules[index]["id"], result["ruleId"]);
    let junit = report(Format::Junit, TEXT);
    let suite = junit.lines().find(|line| line.contains("<testsuite ")).expect("a suite");
    for attribute in ["name=\"a/b.json\"", "tests=\"1\"", "failures=\"1\"", "errors=\"0\""] {
        assert!(suite.contains(attribute), "{suite}");
    }
    assert!(
        report(Format::Github, TEXT)
            .starts_with("::error file=a/b.json,line=3,col=19,title=BUF001 pool-type::")
    );
}

#[test]
fn sarif_has_the_commands_of_a_repair_as_a_property() {
    let text = "hostname x\nqos map dscp 26 to traffic-class 3\ninterface Ethernet1\n   priority-flow-control on\n   \
        priority-flow-control priority 3 no-drop\n   flowcontrol send on\n";
    let sarif: serde_json::Value = serde_json::from_str(&report(Format::Sarif, text)).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let pause = results.iter().find(|result| result["ruleId"] == "PFC017").expect("PFC017");
    let expected = ["interface Ethernet1", "   flowcontrol receive off", "   flowcontrol send off"];
    assert_eq!(pause["properties"]["commands"], serde_json::json!(expected));
    let sonic: serde_json::Value = serde_json::from_str(&report(Format::Sarif, TEXT)).expect("JSON");
    assert!(sonic["runs"][0]["results"][0].get("properties").is_none());
}

#[test]
fn text_of_a_file_cannot_control_the_terminal() {
    let text = "hostname x\nqos map dscp 26 to traffic-class \u{1b}[2J\u{9b}9\n";
    for format in [Format::Full { is_coloured: false }, Format::Concise] {
        let shown = report(format, text);
        assert!(shown.contains("SRC006") && shown.contains("\\u{1b}[2J\\u{9b}9"), "{shown}");
        assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{shown:?}");
    }
}

#[test]
fn github_gets_ten_annotations_per_kind_and_a_count_of_the_rest() {
    let pools: Vec<String> =
        (0..30).map(|i| format!("\"p{i}\": {{\"mode\": \"x{i}\", \"size\": \"1\"}}")).collect();
    let text = report(Format::Github, &format!("{{\"BUFFER_POOL\": {{{}}}}}", pools.join(",")));
    assert_eq!(text.matches("::error ").count(), 10);
    assert!(text.lines().last().is_some_and(|l| l.contains("more findings are not shown")), "{text}");
}

#[test]
fn suppressions_remove_findings_expire_and_must_be_used() {
    let side = |extra: &str| {
        format!("[[suppress]]\ncode = \"BUF001\"\nfile = \"*.json\"\nreason = \"known\"\n{extra}")
    };
    let apply = |text: &str, today: &str| {
        let mut all = findings(TEXT);
        let all_entries = Suppressions::parse(text).expect("a good file");
        let mut holder = FindingFilter::new(all_entries, Baseline::default(), today);
        holder.apply(&mut all);
        all.extend(holder.remarks("s.toml"));
        (holder.suppressed, all.into_iter().map(|f| f.code).collect::<Vec<_>>())
    };
    assert_eq!(apply(&side(""), "2026-01-01"), (1, vec![]));
    assert_eq!(apply(&side("until = \"2026-06-30\""), "2026-06-30"), (1, vec![]));
    assert_eq!(apply(&side("until = \"2026-06-30\""), "2026-07-01"), (0, vec!["BUF001", "SRC013"]));
    assert_eq!(apply(&side("pointer = \"/BUFFER_POOL/q\""), "2026-01-01"), (0, vec!["BUF001", "SRC012"]));
    assert!(Suppressions::parse("[[suppress]]\ncode = \"A\"\nfile = \"b\"\n").is_err(), "a reason is needed");
    // A finding about a suppression has its position.
    let two = format!("{}\n[[suppress]]\ncode = \"BUF1\"\nfile = \"*\"\nreason = \"r\"\n", side(""));
    let mut holder = FindingFilter::new(
        Suppressions::parse(&two).expect("a good file"),
        Baseline::default(),
        "2026-01-01",
    );
    holder.apply(&mut findings(TEXT));
    let remarks = holder.remarks("s.toml");
    let [remark] = remarks.as_slice() else { panic!("{remarks:#?}") };
    assert_eq!((remark.position.line, remark.position.column), (7, 8));
    assert!(remark.message.contains("is not a rule"), "{}", remark.message);
}

#[test]
fn selection_accepts_codes_names_and_prefixes() {
    let words = |s: &[&str]| s.iter().map(ToString::to_string).collect();
    let check = |select: &[&str], ignore: &[&str], code: &str, name: &str| {
        Selection { select: words(select), ignore: words(ignore) }.wants(code, name)
    };
    assert!(check(&[], &[], "BUF001", "pool-type"));
    assert!(check(&["BUF"], &[], "BUF001", "pool-type") && !check(&["PG"], &[], "BUF001", "pool-type"));
    assert!(
        !check(&["BUF"], &["BUF001"], "BUF001", "pool-type")
            && check(&["BUF001"], &["BUF"], "BUF001", "pool-type")
    );
    assert!(check(&["pool-type"], &[], "BUF001", "pool-type"));
}

#[test]
fn syntax_errors_have_positions() {
    let first = |text: &str| {
        let f = findings(text).into_iter().find(|f| f.code == "SRC001").expect("a report");
        (f.position.line, f.position.column, f.message)
    };
    assert_eq!(
        first("{\"A\": {\"b\": {}\n \"c\": {}}}"),
        (1, 15, "expected `,` between members".to_string())
    );
    assert_eq!((first("{\"A\": {},}").0, first("{\"A\": {},}").1), (1, 9));
    assert_eq!(first("").2, "the text is empty; expected `{`");
    assert!(first("{\"A\": {\"b\": {\"c\": \"d}}}").2.contains("never closed"));
    let Some(folder) = crate::support::data("not_json") else { return };
    for path in crate::support::files(&folder, ".txt") {
        let text = crate::support::read(&path);
        let all = findings(&text);
        let broken = all.iter().filter(|f| f.code == "SRC001" && f.severity == Severity::Error).count();
        assert!((1..=5).contains(&broken), "{}: {broken} problems", path.display());
    }
}

#[test]
fn all_input_formats_read_the_same() {
    let nested = r#"{"BUFFER_POOL": {"p": {"type": "x", "mode": "dynamic", "size": "1"}}}"#;
    let forms_of = [
        (nested, "/BUFFER_POOL/p/type"),
        (r#"{"BUFFER_POOL|p": {"type": "x", "mode": "dynamic", "size": "1"}}"#, "/BUFFER_POOL|p/type"),
        (
            r#"[{"BUFFER_POOL_TABLE:p": {"type": "x", "mode": "dynamic", "size": "1"}, "OP": "SET"}]"#,
            "/0/BUFFER_POOL_TABLE:p/type",
        ),
        (
            r#"{"sonic-buffer-pool:sonic-buffer-pool": {"sonic-buffer-pool:BUFFER_POOL": {"BUFFER_POOL_LIST":
                [{"name": "p", "type": "x", "mode": "dynamic", "size": 1}]}}}"#,
            "/sonic-buffer-pool:sonic-buffer-pool/sonic-buffer-pool:BUFFER_POOL/BUFFER_POOL_LIST/0/type",
        ),
        (
            r#"{"sonic-buffer-pool:sonic-buffer-pool": {"sonic-buffer-pool:BUFFER_POOL": {"BUFFER_POOL_LIST":
                [{"name": "p", "sonic-buffer-pool:type": "x", "mode": "dynamic", "size": "1"}]}}}"#,
            "/sonic-buffer-pool:sonic-buffer-pool/sonic-buffer-pool:BUFFER_POOL/BUFFER_POOL_LIST/0/sonic-buffer-pool:type",
        ),
        (
            r#"{"BUFFER_POOL_TABLE:p": {"type": "hash", "value": {"type": "x", "mode": "dynamic", "size": "1"}}}"#,
            "/BUFFER_POOL_TABLE:p/value/type",
        ),
        (
            r#"[{"BUFFER_POOL": {"p": {"type": "x", "mode": "dynamic", "size": "1"}}}]"#,
            "/0/BUFFER_POOL/p/type",
        ),
        (
            r#"{"localhost": {}, "asic0": {"BUFFER_POOL": {"p": {"type": "x", "mode": "dynamic", "size": "1"}}}}"#,
            "/asic0/BUFFER_POOL/p/type",
        ),
    ];
    for (text, pointer) in forms_of {
        let all = findings(text);
        let [f] = all.as_slice() else { panic!("{text}: {all:#?}") };
        assert_eq!((f.code, f.pointer.as_str()), ("BUF001", pointer), "{text}");
    }
}

#[test]
fn names_with_another_spelling_keep_their_pointers() {
    let pointer = |text: &str, code: &str| {
        let all = findings(text);
        all.iter().find(|f| f.code == code).unwrap_or_else(|| panic!("{all:#?}")).pointer.clone()
    };
    // Lists with SONiC's mark for Redis.
    let list = |name: &str| {
        format!(
            "{{\"BUFFER_PORT_EGRESS_PROFILE_LIST\": {{\"Ethernet0\": {{\"{name}\": [\"none\"]}}}}, \"PORT\": {{\"Ethernet0\": {{}}}}}}"
        )
    };
    assert_eq!(
        pointer(&list("profile_list"), "BUF015"),
        "/BUFFER_PORT_EGRESS_PROFILE_LIST/Ethernet0/profile_list"
    );
    assert_eq!(
        pointer(&list("profile_list@"), "BUF015"),
        "/BUFFER_PORT_EGRESS_PROFILE_LIST/Ethernet0/profile_list@"
    );
    // In YANG, a row of a map is an element of a list.
    let map = r#"{"sonic-dscp-tc-map:sonic-dscp-tc-map": {"sonic-dscp-tc-map:DSCP_TO_TC_MAP": {"DSCP_TO_TC_MAP_LIST":
        [{"name": "A", "DSCP_TO_TC_MAP": [{"dscp": "1", "tc": "1"}, {"dscp": "2", "tc": "99"}]}]}}}"#;
    let row = "/sonic-dscp-tc-map:sonic-dscp-tc-map/sonic-dscp-tc-map:DSCP_TO_TC_MAP/DSCP_TO_TC_MAP_LIST/0/DSCP_TO_TC_MAP/1/tc";
    assert_eq!(pointer(map, "MAP001"), row);
}

#[test]
fn references_in_all_notations_are_resolved() {
    let text = |reference: &str| {
        format!(
            r#"{{"BUFFER_POOL_TABLE:q": {{"type": "egress", "mode": "static", "size": "9"}},
            "BUFFER_PROFILE_TABLE:p": {{"pool": "[BUFFER_POOL_TABLE:q]", "size": "0", "static_th": "9"}},
            "BUFFER_QUEUE_TABLE:Ethernet0:3-4": {{"profile": "{reference}"}}}}"#
        )
    };
    let errors = |text: &str| {
        let all = findings(text).into_iter().filter(|f| f.severity == Severity::Error);
        all.map(|f| f.code).collect::<Vec<_>>()
    };
    assert_eq!(errors(&text("[BUFFER_PROFILE_TABLE:p]")), Vec::<&str>::new());
    assert_eq!(errors(&text("[BUFFER_PROFILE_TABLE:x]")), ["BUF016"]);
}

#[test]
fn an_unknown_asic_does_not_pass() {
    let codes = |platform: &str| {
        let text = crate::support::switch::switch(platform, &[]);
        let all = findings(&text).into_iter().filter(|f| f.severity == Severity::Warning);
        all.map(|f| f.code).filter(|c| matches!(*c, "BUF050" | "PG031")).collect::<Vec<_>>()
    };
    assert_eq!(codes("x86_64-new_vendor-r0"), ["BUF050", "PG031"]);
    assert_eq!(codes(crate::support::switch::TD2), Vec::<&str>::new());
}

/// For an ASIC without arithmetic, `--explain-headroom` never calls the headroom sufficient.
#[test]
fn a_headroom_explanation_has_a_verdict_per_group() {
    let check = |platform: &str, xoff: &str, verdict: &str| {
        let text = crate::support::switch::switch(
            platform,
            &[("\"xoff\": \"100000\"", &format!("\"xoff\": \"{xoff}\""))],
        );
        let db = input::load(&text);
        let switch = resolve(&db, ResolveOptions::default());
        let output = explain::headroom_of(&db, &switch, "Ethernet0", &Options::default()).expect("a port");
        let found: Vec<&str> = output.lines().filter_map(|l| l.trim().strip_prefix("verdict: ")).collect();
        assert_eq!(found.len(), 2, "{output}");
        assert!(found.iter().all(|f| f.starts_with(verdict)), "{output}");
        assert_eq!(output.contains("not provable beyond the floors"), !platform.contains("mlnx"), "{output}");
    };
    const SPECTRUM: &str = "x86_64-mlnx_msn4700-r0";
    check(SPECTRUM, "100000", "sufficient");
    check(SPECTRUM, "9000", "too little");
    check(crate::support::switch::TD2, "100000", "above the floors; NOT PROVABLE to be sufficient");
    check("x86_64-new_vendor-r0", "100000", "above the floors; NOT PROVABLE to be sufficient");
    check("x86_64-new_vendor-r0", "9000", "too little");
}

#[test]
fn json_states_what_a_live_switch_rejects() {
    let text = crate::support::switch::switch(crate::support::switch::TD2, &[("\"7000000\"", "\"7000001\"")]);
    let json: serde_json::Value = serde_json::from_str(&report(Format::Json, &text)).expect("JSON");
    let all = json["findings"].as_array().expect("findings");
    let odd = all.iter().find(|f| f["code"] == "BUF030").expect("an odd size");
    let reason = odd["patch"][0]["refused_live"].as_str().expect("a reason");
    assert!(reason.contains("BUFFER_POOL cannot be changed on a live switch"), "{reason}");
    assert!(report(Format::Full { is_coloured: false }, &text).contains("= live: the fix requires a reload"));
}

proptest! {
    /// Text that serde_json accepts is read with the same values.
    #[test]
    fn json_agrees_with_serde(keys in prop::collection::vec("\\PC{0,8}", 0..6), value in "\\PC*") {
        let object: serde_json::Map<String, serde_json::Value> =
            keys.iter().map(|k| (k.clone(), serde_json::json!({"f": value, "g": [1, true, null]}))).collect();
        let text = serde_json::to_string_pretty(&object).expect("JSON");
        let parsed = json::parse(&text);
        prop_assert_eq!(&parsed.problems, &[]);
        let root = parsed.root.as_ref().expect("a value");
        for (node, (key, _)) in parsed.children(&root.value).iter().zip(&object) {
            prop_assert_eq!(&node.key, key);
            let inner = parsed.children(&node.value);
            let json::Value::Text(text) = &inner[0].value else { panic!("{inner:?}") };
            prop_assert_eq!(text, &value);
        }
    }

    /// No input makes the rules panic.
    #[test]
    fn nothing_panics(text in "[{}\\[\\]:,\"a-zA-Z0-9|\\\\ \n_-]{0,200}") {
        findings(&text);
    }
}
