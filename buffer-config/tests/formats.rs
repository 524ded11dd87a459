//! Reports for programs match their formats: Harrier's JSON schema, SARIF 2.1.0 and JUnit.

use crate::support::schema::refusals;
use crate::support::switch::{TD2, switch};
use buffer_config::finding::{Finding, Severity};
use buffer_config::input;
use buffer_config::report::{self, Format, Summary, Unread, Writer};
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;
use serde_json::Value;

/// A file with its findings.
struct Report {
    name: String,
    text: String,
    findings: Vec<Finding>,
}

impl Report {
    fn as_text(&self, format: Format) -> String {
        report::of_file(format, &self.name, &self.text, &self.findings)
    }
}

/// Reports without findings, with findings of all severities, with invalid JSON, and with names that need escapes.
fn reports() -> Vec<Report> {
    let healthy = switch(TD2, &[]);
    // An invalid threshold, a number with a blank and a small pool: error, warning, error.
    let broken = switch(
        TD2,
        &[
            ("\"1000000\"", "\" 1000000\""),
            ("\"12766208\"}", "\"9999999\"}"),
            ("\"dynamic_th\": \"-2\"", "\"dynamic_th\": \"<9&>\\u0001\""),
        ],
    );
    let of = |name: &str, text: &str| {
        let db = input::load(text);
        let findings = rules::check(SourceText { name, text }, &db, None, &Options::default());
        Report { name: name.to_string(), text: text.to_string(), findings }
    };
    let all = vec![
        Report { name: "none.json".into(), text: "{}".into(), findings: Vec::new() },
        of("tor 1/config_db.json", &healthy),
        of("new/config_db.json", &switch("x86_64-new_vendor-r0", &[])),
        of("a&b/<c>/\"d\".json", &broken),
        of("t.json", "{{ template }}\n{\"A\": 1,}"),
        of("-", "{\"BUFFER_POOL\": {\"p\": {\"type\": \"x\"}}}"),
    ];
    let severities: Vec<Severity> = all.iter().flat_map(|r| &r.findings).map(|f| f.severity).collect();
    for wanted in [Severity::Info, Severity::Warning, Severity::Error] {
        assert!(severities.contains(&wanted), "no report has {wanted:?}");
    }
    all
}

#[track_caller]
fn check(schema: &str, text: &str) {
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    let value: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"));
    let found = refusals(&schema, &value);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn json_matches_its_schema() {
    for report in reports() {
        check(include_str!("../../docs/check.schema.json"), &report.as_text(Format::Json));
    }
}

#[test]
fn sarif_matches_the_standard() {
    for report in reports() {
        let text = report.as_text(Format::Sarif);
        check(include_str!("schemas/sarif.json"), &text);
        let log: Value = serde_json::from_str(&text).expect("JSON");
        let run = &log["runs"][0];
        assert_eq!(run["results"].as_array().map(Vec::len), Some(report.findings.len()));
        for result in run["results"].as_array().into_iter().flatten() {
            let index = result["ruleIndex"].as_u64().expect("an index") as usize;
            assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
            let uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str();
            let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.~/%".contains(&b);
            assert!(uri.is_some_and(|u| u.bytes().all(plain)), "RFC 3986: {uri:?}");
        }
    }
}

/// A report of one file and one input that could not be read.
fn with_unread(format: Format) -> String {
    let mut writer = Writer::new(format);
    let mut summary = Summary::default();
    let report = &reports()[3];
    summary.add(&report.name, &report.name, &report.findings);
    summary.unread = 1;
    let unread = Unread { file: "a,b:c/none.json".into(), reason: "cannot be read: 50% \u{fffe}".into() };
    writer.begin()
        + &writer.unread(unread)
        + &writer.file(&report.name, Some(&report.text), &report.findings)
        + &writer.end(&summary)
}

#[test]
fn every_format_lists_inputs_that_could_not_be_read() {
    let json = with_unread(Format::Json);
    check(include_str!("../../docs/check.schema.json"), &json);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(
        (&json["unread"][0]["file"], &json["summary"]["unread"]),
        (&"a,b:c/none.json".into(), &1.into())
    );
    let sarif = with_unread(Format::Sarif);
    check(include_str!("schemas/sarif.json"), &sarif);
    let sarif: Value = serde_json::from_str(&sarif).expect("JSON");
    let invocation = &sarif["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(invocation["toolExecutionNotifications"].as_array().map(Vec::len), Some(1));
    let junit = with_unread(Format::Junit);
    elements(&junit);
    assert!(junit.contains("<error message=\"cannot be read: 50%") && !junit.contains('\u{fffe}'), "{junit}");
    let github = with_unread(Format::Github);
    assert!(
        github.starts_with("::error file=a%2Cb%3Ac/none.json,title=not checked::cannot be read: 50%25"),
        "{github}"
    );
    let gitlab: Value = serde_json::from_str(&with_unread(Format::Gitlab)).expect("JSON");
    assert_eq!((&gitlab[0]["check_name"], &gitlab[0]["severity"]), (&"unread".into(), &"blocker".into()));
    for format in [Format::Full { is_coloured: false }, Format::Concise] {
        assert!(with_unread(format).starts_with("a,b:c/none.json: error: not checked: cannot be read"));
    }
}

#[test]
fn gitlab_reports_have_distinct_fingerprints() {
    let schema = r#"{"type": "array", "items": {"type": "object", "additionalProperties": false,
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {"description": {"type": "string", "minLength": 1}, "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1}, "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {"type": "object", "additionalProperties": false, "required": ["path", "lines"],
                "properties": {"path": {"type": "string", "minLength": 1}, "lines": {"type": "object", "required": ["begin"],
                    "additionalProperties": false, "properties": {"begin": {"type": "integer", "minimum": 1}}}}}}}}"#;
    for report in reports() {
        let text = report.as_text(Format::Gitlab);
        check(schema, &text);
        let issues: Vec<Value> = serde_json::from_str(&text).expect("a list");
        assert_eq!(issues.len(), report.findings.len());
        let distinct: std::collections::BTreeSet<&str> =
            issues.iter().filter_map(|i| i["fingerprint"].as_str()).collect();
        assert_eq!(distinct.len(), issues.len());
    }
}

#[test]
fn characters_that_xml_excludes_are_replaced() {
    let text = "{\"BUFFER_POOL\": {\"p\u{ffff}\": {\"type\": \"\u{fffe}\u{1}\"}}}";
    let findings =
        rules::check_file(SourceText { name: "a\u{fffe}.json", text }, None, &Options::default()).findings;
    let junit = report::of_file(Format::Junit, "a\u{fffe}.json", text, &findings);
    assert!(!findings.is_empty() && !junit.contains(['\u{fffe}', '\u{ffff}', '\u{1}']), "{junit}");
    elements(&junit);
}

#[test]
fn reports_for_people_can_leave_notes_out() {
    let report = &reports()[1];
    assert!(report.findings.iter().any(|f| f.severity == Severity::Info));
    for format in [Format::Full { is_coloured: false }, Format::Concise, Format::Github, Format::Gitlab] {
        let mut writer = Writer::new(format).without_notes();
        let text = writer.file(&report.name, Some(&report.text), &report.findings);
        let shown = report.findings.iter().filter(|f| f.severity > Severity::Info);
        for finding in &report.findings {
            let is_shown = shown.clone().any(|f| f.message == finding.message);
            assert_eq!(text.contains(finding.code) && is_shown, is_shown, "{text}");
        }
        assert!(
            !text.contains("info[") && !text.contains("::notice") && !text.contains("\"info\""),
            "{text}"
        );
    }
}

#[test]
fn the_schema_validator_rejects_invalid_reports() {
    let report = &reports()[1];
    for (from, to) in [
        ("\"2.1.0\"", "\"2.0.0\""),
        ("\"startLine\": ", "\"startLine\": -"),
        ("\"level\": \"note\"", "\"level\": \"info\""),
        ("\"ruleId\"", "\"rule\""),
    ] {
        let text = report.as_text(Format::Sarif).replacen(from, to, 1);
        let schema: Value = serde_json::from_str(include_str!("schemas/sarif.json")).expect("JSON");
        let value: Value = serde_json::from_str(&text).expect("JSON");
        assert!(!refusals(&schema, &value).is_empty(), "{from} -> {to} was not refused");
    }
}

/// Depth, name and attributes of an XML element.
type Element = (usize, String, Vec<(String, String)>);

/// The elements of an XML text; panics if it is not well-formed.
fn elements(text: &str) -> Vec<Element> {
    let mut found = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let body = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").expect("a declaration");
    for part in body.split('<').skip(1) {
        let (tag, content) = part.split_once('>').expect("a closed tag");
        assert!(!content.contains('>'), "a bare `>` in {content}");
        for reference in content.split('&').skip(1).chain(tag.split('&').skip(1)) {
            let name = reference.split_once(';').map(|(n, _)| n);
            assert!(
                name.is_some_and(|n| matches!(n, "amp" | "lt" | "gt" | "quot" | "apos" | "#10")),
                "&{reference}"
            );
        }
        assert!(tag.chars().chain(content.chars()).all(|c| c >= ' ' || c == '\n' || c == '\t'));
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            continue;
        }
        let (name, rest) = tag.split_once(' ').unwrap_or((tag, ""));
        let closed = rest.ends_with('/');
        let mut attributes = Vec::new();
        let mut rest = rest.trim_end_matches('/');
        while let Some((key, value)) = rest.split_once("=\"") {
            let (value, after) = value.split_once('"').expect("a quoted value");
            attributes.push((key.trim().to_string(), value.to_string()));
            rest = after;
        }
        assert!(rest.trim().is_empty(), "{rest}");
        found.push((open.len(), name.to_string(), attributes));
        if !closed {
            open.push(name.to_string());
        }
    }
    assert!(open.is_empty(), "{open:?} are never closed");
    found
}

#[test]
fn junit_totals_match_its_test_cases() {
    for report in reports() {
        let all = elements(&report.as_text(Format::Junit));
        let number = |attributes: &[(String, String)], name: &str| {
            let value = attributes.iter().find(|(n, _)| n == name).map(|(_, v)| v.parse::<usize>());
            value.expect("the attribute is there").expect("a number")
        };
        let count = |name: &str| all.iter().filter(|(_, n, _)| n == name).count();
        let (depth, name, _) = &all[0];
        assert_eq!((*depth, name.as_str()), (0, "testsuites"));
        let suites = all.iter().filter(|(depth, name, _)| *depth == 1 && name == "testsuite");
        let mut sums = [0; 3];
        for (_, _, attributes) in suites {
            for (sum, name) in sums.iter_mut().zip(["tests", "failures", "errors"]) {
                *sum += number(attributes, name);
            }
        }
        assert_eq!(sums, [count("testcase"), count("failure"), count("error")]);
        let unknown = report.findings.iter().filter(|f| f.is_not_provable()).count();
        assert_eq!((sums[2], unknown > 0), (unknown, report.name.starts_with("new/")));
        let (_, _, totals) = &all[0];
        assert_eq!(sums, ["tests", "failures", "errors"].map(|name| number(totals, name)));
        for (depth, name, attributes) in &all {
            let has = |wanted: &[&str]| wanted.iter().all(|w| attributes.iter().any(|(n, _)| n == w));
            match name.as_str() {
                "testcase" => assert!(*depth == 2 && has(&["classname", "name"]), "{attributes:?}"),
                "failure" | "error" => assert!(*depth == 3 && has(&["type", "message"]), "{attributes:?}"),
                "testsuites" => assert!(has(&["name"])),
                "testsuite" => assert!(has(&["name", "tests", "failures", "errors"])),
                "system-out" => assert_eq!(*depth, 3),
                other => panic!("JUnit has no {other}"),
            }
        }
    }
}
