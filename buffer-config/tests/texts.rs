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

#[test]
fn excerpts_have_no_secrets_and_carets_stay_in_place() {
    for (secret, shown) in [
        (
            r#""TACPLUS": {"global": {"passkey": "s3\"et", "src": "eth0"}}"#,
            r#""passkey": "******", "src": "eth0""#,
        ),
        (
            r#""SNMP_USER": {"u": {"SNMP_USER_AUTH_PASSWORD" : "abc"}}"#,
            r#""SNMP_USER_AUTH_PASSWORD" : "***""#,
        ),
        (r#""password_policy": {"size": "1"}"#, r#""password_policy": {"size": "1"}"#),
    ] {
        let text = format!("{{{secret}, \"BUFFER_POOL\": {{\"p\": {{\"type\": \"x\"}}}}}}");
        let findings =
            rules::check_file(SourceText { name: "a", text: &text }, None, &Options::default()).findings;
        let report = report::of_file(Format::Full { is_coloured: false }, "a", &text, &findings);
        let lines: Vec<&str> = report.lines().filter(|line| line.starts_with(" 1 | ")).collect();
        assert!(!lines.is_empty() && lines.iter().all(|line| line.contains(shown)), "{report}");
        assert!(lines.iter().all(|line| line.chars().count() == text.chars().count() + 5), "{report}");
    }
}
