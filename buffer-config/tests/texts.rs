//! Texts: which ones are judged, edits that keep the rest of a text, and secrets in excerpts.

use buffer_config::finding::PatchOp;
use buffer_config::fix_patch::apply_to_text;
use buffer_config::input::{has_known_table, refusal};
use buffer_config::report::{self, Format};
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;
use serde_json::{Value, json};

/// Checks whether a text is refused, and a part of the reason.
#[track_caller]
fn check(text: &str, expected: Option<&str>) {
    let found = refusal(text);
    match expected {
        None => assert_eq!(found, None, "{text}"),
        Some(words) => assert!(found.as_deref().is_some_and(|why| why.contains(words)), "{text}: {found:?}"),
    }
}

#[test]
fn truncated_empty_and_foreign_texts_are_refused() {
    let good = "{\"BUFFER_POOL\": {\"p\": {\"type\": \"in{gress\", \"size\": \"1\"}}}";
    check(good, None);
    for end in 1..good.len() {
        assert!(refusal(&good[..end]).is_some(), "{}", &good[..end]);
    }
    check("", Some("empty"));
    check("\u{feff}\n", Some("empty"));
    check("{}", Some("no table"));
    check("[]", Some("no table"));
    check("\"a\"", Some("not an object"));
    check("PORT:\n  Ethernet0:\n    speed: 1\n", Some("neither JSON nor"));
    check("<a><b/></a>", Some("neither JSON nor"));
    check("{\0\"\0P\0", Some("UTF-16"));
    check("{\"PORT\": {\"Ethernet0\": {\"speed\": \"1\"}", Some("1:"));
    check("{\"PORT\": {\"Ethernet0\": {\"speed\": \"1\",}}} // comment", None);
    check("{{ template }}\n{\"A\": 1,}", None);
}

#[test]
fn other_json_files_have_no_known_table() {
    assert!(has_known_table("{\"BUFFER_POOL\": {}}"));
    assert!(has_known_table("{\"PORT|Ethernet0\": {\"speed\": \"1\"}}"));
    assert!(has_known_table("{\"localhost\": {}, \"asic0\": {\"PORT\": {}}}"));
    assert!(!has_known_table("{\"name\": \"a\", \"version\": \"1\", \"scripts\": {\"test\": \"x\"}}"));
}

fn set(pointer: &str, value: Value) -> PatchOp {
    PatchOp::new("add", pointer.into(), Some(value))
}

fn remove(pointer: &str) -> PatchOp {
    PatchOp::new("remove", pointer.into(), None)
}

#[test]
fn edits_keep_the_rest_of_the_text() {
    #[track_caller]
    fn edited(text: &str, op: &PatchOp, expected: &str) {
        assert_eq!(apply_to_text(text, op).as_deref(), Ok(expected));
    }
    let text = "{\n\t\"b\": {\"x\" : 1,  \"y\": [1.0, 2]},\r\n\t\"a\": {}\n}\n";
    edited(text, &set("/b/x", json!("7")), &text.replace(" 1,", " \"7\","));
    edited(text, &set("/b/z", json!("7")), &text.replace("2]}", "2],  \"z\": \"7\"}"));
    edited(text, &set("/a/z", json!("7")), &text.replace("{}", "{\"z\": \"7\"}"));
    let object = "{},\r\n\t\"c\": {\n\t\t\"d\": \"1\"\n\t}\n";
    edited(text, &set("/c", json!({"d": "1"})), &text.replace("{}\n", object));
    edited(text, &remove("/b/x"), &text.replace("\"x\" : 1,  ", ""));
    edited(text, &remove("/b/y"), &text.replace(",  \"y\": [1.0, 2]", ""));
    edited(text, &remove("/a"), "{\n\t\"b\": {\"x\" : 1,  \"y\": [1.0, 2]}\n}\n");
    edited("{\"a\": 1}", &remove("/a"), "{}");
    edited("\u{feff}{\"a\":1}", &set("/b", json!(2)), "\u{feff}{\"a\":1,\"b\":2}");
    edited("[{\"k\": {\"f\": \"1\"}}]", &set("/0/k/f", json!("2")), "[{\"k\": {\"f\": \"2\"}}]");
    // SONiC uses the last of two members; without it, the first must not take effect.
    edited("{\"a/b\": 1, \"a/b\": 2, \"c\": 3}", &remove("/a~1b"), "{\"c\": 3}");
    for (text, pointer) in
        [("{\"a\": 1}", "/b"), ("{\"a\": 1}", "/a/b"), ("{\"a\": 1,}", "/a"), ("[1]", "/0"), ("{}", "")]
    {
        assert!(apply_to_text(text, &remove(pointer)).is_err(), "{text} {pointer}");
    }
}

/// Checks that no format of a report on a text contains `s3cr3t`, and that the `full` one contains the excerpt.
#[track_caller]
fn hides(text: &str, shown: &str) {
    let findings = rules::check_file(SourceText { name: "a", text }, None, &Options::default()).findings;
    let full = Format::Full { is_coloured: false };
    for format in
        [full, Format::Concise, Format::Json, Format::Sarif, Format::Junit, Format::Github, Format::Gitlab]
    {
        let report = report::of_file(format, "a", text, &findings);
        assert!(!report.contains("s3cr3t"), "{format:?}: {report}");
        assert!(format != full || report.contains(shown), "{report}");
    }
    let report = report::of_file(full, "a", text, &findings);
    let lengths: Vec<usize> = text.lines().map(|line| line.chars().count() + 5).collect();
    let lines = report.lines().filter(|line| line.starts_with(" 1 | ") && lengths[0] <= 120);
    lines.for_each(|line| assert_eq!(line.chars().count(), lengths[0], "{report}"));
}

/// A line with secrets before a pool of a wrong type, and with nothing else.
fn beside_a_pool(secret: &str) -> String {
    format!("{{{secret}, \"BUFFER_POOL\": {{\"p\": {{\"type\": \"x\"}}}}}}")
}

#[test]
fn reports_have_no_secrets_and_carets_stay_in_place() {
    for (secret, shown) in [
        (
            r#""TACPLUS": {"global": {"passkey": "s3cr3t\"et", "src": "eth0"}}"#,
            r#""passkey": "**********", "src": "eth0""#,
        ),
        (r#""TACPLUS": {"global": {"pass_key": "s3cr3t"}}"#, r#""pass_key": "******"}"#),
        (
            r#""SNMP_USER": {"s3cr3t": {"SNMP_USER_AUTH_PASSWORD" : "s3cr3t"}}"#,
            r#""******": {"SNMP_USER_AUTH_PASSWORD" : "******""#,
        ),
        (r#""SNMP_USER|s3cr3t": {"a": "1"}"#, r#""SNMP_USER|******": {"a": "*"}"#),
        (r#""NTP_KEY": {"1": {"type": "md5", "value": "s3cr3t"}}"#, r#""value": "******""#),
        (r#""USER": {"x": {"secrets": ["s3cr3t", "s3cr3t"]}}"#, r#"["******", "******"]"#),
        (r#""password_policy": {"size": "1"}"#, r#""password_policy": {"size": "1"}"#),
    ] {
        hides(&beside_a_pool(secret), shown);
    }
}

#[test]
fn messages_about_the_text_have_no_secrets() {
    hides(&beside_a_pool(r#""TACPLUS": {"global": {"passkey": s3cr3t-unquoted}}"#), "\"passkey\": ****");
    hides(&beside_a_pool(r#""TACPLUS": {"global": {"passkey": "abc"s3cr3t",x"}}"#), "\"passkey\": \"***");
    hides(&beside_a_pool(r#""TACPLUS": {"global": {"passkey": 's3cr3t, s3cr3t'}}"#), "\"passkey\": ****");
    let twice = r#""SNMP_COMMUNITY": {"s3cr3t": {"TYPE": "RO"}, "s3cr3t": {"TYPE": "RW"}}"#;
    hides(&beside_a_pool(twice), "duplicate name `***` with another content");
    hides(
        r#"{"SNMP_COMMUNITY|s3cr3t": {"T": "a"}, "SNMP_COMMUNITY|s3cr3t": {"T": "b"}}"#,
        "`SNMP_COMMUNITY|***`",
    );
    hides(&beside_a_pool(r#""SNMP_COMMUNITY": {"s3cr3t": "RO"}"#), "\"******\": \"**\"");
    hides(
        "{\n\"TACPLUS\": {\"global\": {\"passkey\":\n s3cr3t}},\n\"PORT\": {\"Ethernet0\": {}}}",
        "3 |  ******",
    );
    let nvue = "- set:\n    system:\n      snmp-server:\n        readonly-community:\n          s3cr3t: {}\n          s3cr3t: {}\n    qos:\n      roce:\n        enable: on\n";
    hides(nvue, "the key `***` is repeated");
}
