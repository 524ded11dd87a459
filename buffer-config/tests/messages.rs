//! Wording of findings: verbs, and names that are suggested.

use crate::support::switch::{TD2, switch};
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;

/// Checks the correct switch after the replacements in `change`. Every finding of the rule must have the message, and
/// there must be one.
#[track_caller]
fn check(change: &[(&str, &str)], code: &str, is_right: impl Fn(&str) -> bool) {
    let text = switch(TD2, change);
    let source = SourceText { name: "a.json", text: &text };
    let found = rules::check_file(source, None, &Options::default()).findings;
    let messages: Vec<&str> = found.iter().filter(|f| f.code == code).map(|f| f.message.as_str()).collect();
    assert!(!messages.is_empty() && messages.iter().all(|message| is_right(message)), "{code}: {messages:?}");
}

#[test]
fn messages_about_several_ports_have_verbs_in_the_plural() {
    let cables = "\"Ethernet0\": \"40m\", \"Ethernet4\": \"40m\"";
    check(&[(cables, "\"Ethernet8\": \"40m\"")], "LINK001", |message| {
        message.contains("Ethernet0 and Ethernet4: enable PFC, but have no cable length")
    });
    check(&[(cables, "\"Ethernet0\": \"40m\"")], "LINK001", |message| {
        message.contains("Ethernet4: enables PFC, but has no cable length")
    });
}

#[test]
fn a_port_in_lower_case_is_meant_and_a_removed_port_has_no_suggestion() {
    let group = "\"Ethernet0|3-4\": {\"profile\": \"pg";
    check(&[(group, &group.replace("Eth", "eth"))], "BUF017", |message| {
        message.contains("`ethernet0` is not in PORT (1 key); did you mean `Ethernet0`?")
    });
    let port =
        r#""Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "mtu": "9100", "admin_status": "up"},"#;
    check(&[(port, "")], "BUF017", |message| !message.contains("did you mean"));
}
