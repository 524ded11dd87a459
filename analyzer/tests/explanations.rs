//! Pins the text of each kind of verdict: summary, claims, missing data and advice.

use std::fmt::Write as _;

use crate::support::stories::{background, early_poll, ring, storm};
use crate::support::{Story, line_network};
use model::units::counted;

fn check(name: &str, story: &Story) {
    let mut text = String::new();
    for d in story.diagnose() {
        let _ = writeln!(text, "{} (confidence {})", d.summary, d.confidence);
        for e in &d.evidence {
            let place = e.port.as_ref().map_or_else(String::new, |p| format!("[{p}] "));
            let records = counted(e.records.len() as u64, "record");
            let _ = writeln!(text, "  because {place}{} ({records})", e.claim);
        }
        for m in &d.missing {
            let _ = writeln!(text, "  missing {m}");
        }
        for a in &d.advice {
            let _ = writeln!(text, "  advice  {a}");
        }
    }
    insta::assert_snapshot!(name, text);
}

#[test]
fn an_incast_behind_pauses_is_explained() {
    check("incast", &early_poll());
}

#[test]
fn a_storm_of_a_host_is_explained() {
    check("storm", &storm());
}

#[test]
fn a_deadlock_is_explained() {
    let story = ring().still_paused("r1:1", 612).still_paused("r2:1", 606).still_paused("r3:1", 630);
    let victim = story.flow("p1", "p3");
    check("deadlock", &story.triggered(victim, 690, 9, 60));
}

#[test]
fn a_switch_without_telemetry_is_explained() {
    let mut story = early_poll().missing("switch sw4 did not answer within 80 ms");
    story.snapshot.switches.retain(|s| s.switch != "sw4");
    check("silent_switch", &story);
}

#[test]
fn a_slow_flow_in_a_quiet_fabric_is_explained() {
    check("clean", &background(Story::new(line_network()), 925));
}
