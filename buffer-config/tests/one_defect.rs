//! One defect is one finding: the strongest of the selected ones, for each port.

use crate::support::switch::{TD2, switch};
use buffer_config::finding::{Finding, Severity};
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;

/// A platform with known arithmetic.
const SPECTRUM_3: &str = "x86_64-mlnx_msn4700-r0";

/// The errors and warnings of a file with `code` and ports, after `change` and the choice of the strongest.
fn found(text: &str, change: impl Fn(&mut Vec<Finding>)) -> Vec<(&'static str, Vec<String>)> {
    let source = SourceText { name: "a.json", text };
    let mut findings = rules::check_file(source, None, &Options::default()).findings;
    let is_asked = |code: &str| ["PG", "PFC", "ECN0", "MAP"].iter().any(|family| code.starts_with(family));
    findings.retain(|finding| finding.severity > Severity::Info && is_asked(finding.code));
    change(&mut findings);
    rules::one_per_defect(&mut findings);
    findings.into_iter().map(|finding| (finding.code, finding.ports)).collect()
}

#[track_caller]
fn check(text: &str, change: impl Fn(&mut Vec<Finding>), expected: &[(&'static str, &[&str])]) {
    let expected: Vec<(&str, Vec<String>)> = expected
        .iter()
        .map(|(code, ports)| (*code, ports.iter().map(ToString::to_string).collect()))
        .collect();
    assert_eq!(found(text, change), expected);
}

fn without(code: &'static str) -> impl Fn(&mut Vec<Finding>) {
    move |findings| findings.retain(|finding| finding.code != code)
}

#[test]
fn headroom_below_several_limits_is_one_finding() {
    // Less than the floor, and than SONiC's arithmetic; enough for the bytes on the wire.
    let text = switch(
        SPECTRUM_3,
        &[("\"xoff\": \"100000\"", "\"xoff\": \"15000\""), ("\"size\": \"1248\"", "\"size\": \"2288\"")],
    );
    let both: &[&str] = &["Ethernet0", "Ethernet4"];
    check(&text, |_| (), &[("PG006", both)]);
    // A rule that is ignored hides nothing, and neither does one with a lower severity.
    check(&text, without("PG006"), &[("PG004", both)]);
    let lower = |findings: &mut Vec<Finding>| {
        findings.iter_mut().filter(|f| f.code == "PG006").for_each(|f| f.severity = Severity::Warning);
    };
    check(&text, lower, &[("PG004", both)]);
}

#[test]
fn a_broken_reference_hides_its_consequence_for_its_own_port_only() {
    let dangling = (
        "\"Ethernet0|3-4\": {\"profile\": \"pg_lossless_100000_40m_profile\"}",
        "\"Ethernet0|3-4\": {\"profile\": \"none\"}",
    );
    let absent = (", \"Ethernet4|3-4\": {\"profile\": \"pg_lossless_100000_40m_profile\"}", "");
    check(&switch(TD2, &[dangling]), |_| (), &[("PG002", &[])]);
    check(&switch(TD2, &[dangling]), without("PG002"), &[("PFC002", &["Ethernet0"])]);
    check(&switch(TD2, &[dangling, absent]), |_| (), &[("PG002", &[]), ("PFC002", &["Ethernet4"])]);
}

#[test]
fn a_defect_of_another_object_stays() {
    // A dangling WRED profile on one queue, and a marking curve in the wrong order on the others.
    let text = switch(
        TD2,
        &[
            (
                "\"Ethernet0|3\": {\"scheduler\": \"s1\", \"wred_profile\": \"W\"}",
                "\"Ethernet0|3\": {\"scheduler\": \"s1\", \"wred_profile\": \"V\"}",
            ),
            ("\"green_max_threshold\": \"1500000\"", "\"green_max_threshold\": \"500000\""),
        ],
    );
    check(&text, |_| (), &[("ECN001", &[]), ("MAP006", &[])]);
}
