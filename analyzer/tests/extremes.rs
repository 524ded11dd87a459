//! Snapshots with every kind of content (a follow-up poll, missing data, findings, losses and a job), in which any
//! number may be as small or as large as its type allows. Nothing overflows, and every number of a verdict is finite.

use crate::support::Story;
use crate::support::stories::{early_poll, ring, storm};
use harrier_analyzer::{Settings, analyze, unanswered};
use model::{Snapshot, Topology};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Returns three stories with every kind of content that a snapshot may have.
fn stories() -> [(Value, Topology); 3] {
    let ring = ring();
    let stuck = ring.flow("p1", "p3");
    [early_poll(), storm(), ring.triggered(stuck, 690, 9, 60)].map(|story: Story| {
        let mut snapshot = serde_json::to_value(&story.snapshot).unwrap();
        let flow = snapshot["trigger"]["flow"].clone();
        let switch = snapshot["switches"][0]["switch"].clone();
        let name = switch.as_str().unwrap();
        snapshot["trigger"]["follows"] = json!({"event": 1, "since_ns": 10_300_000});
        snapshot["missing"] = json!([
            {"gap": "pauses_overwritten", "port": format!("{name}:1"), "priority": 3, "before_ns": 10_400_000},
            {"gap": "frozen_before", "switch": name, "event": 2, "frozen_ns": 10_500_000, "asked_ns": 10_500_010},
            {"gap": "evictions_lost", "switch": name, "slots": 3},
        ]);
        snapshot["configuration"] = json!([
            {"id": format!("{name}/headroom"), "switch": name, "port": 1, "setting": "headroom",
             "deviation": "less", "message": "too little", "fix": "more"},
        ]);
        snapshot["losses"] = json!([
            {"switch": name, "ingress_port": 1, "egress_port": 2, "reason": "headroom", "packets": 9,
             "lost_ns": [10_400_000, 10_410_000]},
        ]);
        snapshot["jobs"] = json!([{"name": "ring", "transfers": [
            {"step": 1, "flow": flow, "bytes": 4_000_000, "start_ns": 10_000_000, "finish_ns": 10_200_000},
            {"step": 2, "flow": flow, "bytes": 4_000_000, "after": [0], "start_ns": 10_200_000},
        ]}]);
        (snapshot, story.topology)
    })
}

/// Collects JSON pointers to all numbers of a document.
fn numbers(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(at.to_string()),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(n, v)| numbers(v, &format!("{at}/{n}"), found))
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(name, v)| numbers(v, &format!("{at}/{name}"), found));
        }
        _ => {}
    }
}

const EXTREMES: [u64; 9] = [
    0,
    1,
    u8::MAX as u64,
    u16::MAX as u64,
    u32::MAX as u64,
    i64::MAX as u64,
    1 << 63,
    u64::MAX - 1,
    u64::MAX,
];

#[test]
fn the_unchanged_stories_have_verdicts() {
    for (document, topology) in stories() {
        let snapshot: Snapshot = serde_json::from_value(document).unwrap();
        assert_eq!(snapshot.problems(&topology), Vec::<String>::new());
        assert_ne!(analyze(&snapshot, &topology, &Settings::default()), vec![]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn extreme_numbers_do_not_overflow(
        which in 0..3_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..EXTREMES.len()), 1..6),
    ) {
        let [a, b, c] = stories();
        let (mut document, topology) = [a, b, c].into_iter().nth(which).unwrap();
        let mut places = Vec::new();
        numbers(&document, "", &mut places);
        for (place, extreme) in changes {
            *document.pointer_mut(place.get::<String>(&places)).unwrap() = json!(EXTREMES[extreme]);
        }
        // Numbers outside a type's range and inconsistent snapshots are rejected.
        let Ok(snapshot) = serde_json::from_value::<Snapshot>(document) else { return Ok(()) };
        if !snapshot.problems(&topology).is_empty() {
            return Ok(());
        }
        for analysis in analyze(&snapshot, &topology, &Settings::default()) {
            prop_assert!((0.0..=1.0).contains(&analysis.diagnosis.confidence));
            prop_assert!(analysis.graph.edges.iter().all(|edge| edge.weight.is_finite()));
        }
        unanswered(&snapshot, &topology);
    }
}
