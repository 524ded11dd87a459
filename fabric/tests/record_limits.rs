//! A fabric that runs for a long time keeps a bounded number of records.

use crate::common::plain::PlainSwitch;
use fabric::{Fabric, RECENT_RECORDS};
use model::Time;
use scenario::Scenario;

/// A pause storm of 250,000 frames, each of which is recorded at the switch.
const STORM: &str = r#"
name = "storm"
stop = "500ms"
[topology]
switches = ["s"]
hosts = ["a", "b"]
[[link]]
a = "a:1"
b = "s:1"
rate = "100Gbps"
[[link]]
a = "b:1"
b = "s:2"
rate = "100Gbps"
[[fault]]
kind = "storm"
host = "b"
priority = 3
interval = "2us"
duration = "500ms"
"#;

fn storm() -> Scenario {
    scenario::parse("storm.toml", STORM).unwrap()
}

fn fabric(scenario: &Scenario) -> Fabric<PlainSwitch> {
    Fabric::new(scenario, 1, |name, config| PlainSwitch::new(scenario, name, config)).unwrap()
}

#[test]
fn records_that_are_never_taken_stay_bounded() {
    let scenario = storm();
    let mut fabric = fabric(&scenario);
    for ms in 1..=500 {
        fabric.run_until(Time::from_ms(ms));
        assert!(fabric.pauses().len() < 2 * RECENT_RECORDS);
    }
    let recorded = fabric.discarded_records() + fabric.pauses().len() as u64;
    assert!(fabric.discarded_records() > 0 && recorded >= 250_000, "{recorded}");
    assert!(fabric.pauses().last().is_some_and(|pause| pause.at > Time::from_ms(499)), "the newest are kept");
}

#[test]
fn records_that_are_taken_are_not_kept() {
    let scenario = storm();
    let mut fabric = fabric(&scenario);
    let mut taken = 0;
    for ms in 1..=20 {
        fabric.run_until(Time::from_ms(ms));
        taken += fabric.take_pauses().len();
        assert!(fabric.pauses().is_empty());
    }
    // Frames come with jitter.
    assert!(taken >= 9_900, "{taken}");
    assert_eq!(fabric.discarded_records(), 0);
}

#[test]
fn a_fabric_that_keeps_all_records_discards_none() {
    let scenario = storm();
    let mut fabric = fabric(&scenario);
    fabric.keep_all_records();
    fabric.run_until(Time::from_ms(500));
    assert_eq!(fabric.discarded_records(), 0);
    assert!(fabric.pauses().len() >= 250_000);
}
