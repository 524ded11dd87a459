//! A pipeline is decoded correctly, or rejected with all problems.

use crate::support::pipeline;
use harrier_controller::layout::{PipelineInfo, RegisterInfo, RegisterRows, Rows, TelemetryLayout};

/// Changes a valid pipeline and compares the problems.
fn check(change: impl FnOnce(&mut PipelineInfo), expected: &[&str]) {
    let mut pipeline = pipeline();
    change(&mut pipeline);
    let error = TelemetryLayout::new(&pipeline).unwrap_err();
    let found: Vec<String> = error.0.iter().map(ToString::to_string).collect();
    assert_eq!(found, expected);
}

fn register<'p>(pipeline: &'p mut PipelineInfo, name: &str) -> &'p mut RegisterInfo {
    pipeline.registers.iter_mut().find(|r| r.name.ends_with(name)).unwrap()
}

#[test]
fn sizes_follow_from_the_registers() {
    let layout = TelemetryLayout::new(&pipeline()).unwrap();
    assert_eq!(
        (layout.ports, layout.epochs, layout.flow_slots, layout.pause_log, layout.epoch_ns()),
        (
            crate::support::PORTS,
            crate::support::EPOCHS,
            crate::support::FLOW_SLOTS,
            crate::support::PAUSE_LOG,
            1 << 20
        )
    );
    assert_eq!(layout.digests(), ["poll_report_t", "flow_eviction_t"]);
}

#[test]
fn all_missing_objects_are_reported() {
    check(
        |p| {
            p.registers.retain(|r| r.name != "released" && !r.name.ends_with("meter_bank1"));
            p.digests.remove(0);
        },
        &["no digest `poll_report_t`", "no register `released`", "no register `meter_bank1`"],
    );
}

#[test]
fn contradictions_are_reported() {
    check(
        |p| register(p, "flow_ids_bank0").annotations.clear(),
        &[
            "register `ingress.x.flow_ids_bank0` has no @fields annotation",
            "register `ingress.x.flow_ids_bank1` has no @fields annotation",
        ],
    );
    check(
        |p| p.digests[0].fields[12].1 = 48,
        &["field `epoch` of digest `poll_report_t` has 48 bits; expected at most 47"],
    );
    check(
        |p| register(p, "meter_bank0").width = 120,
        &[
            "register `meter_bank0`, @fields(\"epoch:32,generation:16,packets:32,bytes:48\"): the fields take more than the element's 120 bits",
        ],
    );
    check(
        |p| {
            register(p, "port_slots_bank0").annotations =
                vec!["@fields(\"epoch:32,generation:16,packets:32,depth:48,paused_packets:32\")".into()]
        },
        &[
            "register `ingress.x.port_slots_bank0` has no field `depth_sum`",
            "register `ingress.x.port_slots_bank1` has no field `depth_sum`",
        ],
    );
    check(|p| register(p, "meter_bank1").size = 7, &["register `meter_bank1` has 7 elements; expected 64"]);
    check(
        |p| {
            register(p, "meter_bank1").annotations =
                vec!["@fields(\"epoch:32,generation:16,bytes:48,packets:32\")".into()]
        },
        &["registers `meter_bank0` and `meter_bank1` must have the same fields"],
    );
    check(
        |p| {
            let mut twin = register(p, "released").clone();
            twin.name = "egress.released".into();
            p.registers.push(twin);
        },
        &["registers `released`, `egress.released` all match `released`"],
    );
    check(
        |p| p.digests[1].fields[0].1 = 364,
        &[
            "field `flow_ids` of digest `flow_eviction_t` has 364 bits; expected 365, as register `flow_ids_bank0`",
        ],
    );
    check(
        |p| drop(register(p, "losses").annotations.pop()),
        &["register `losses` has no @reasons annotation"],
    );
    check(
        |p| register(p, "losses").annotations[1] = "@reasons(\"other\")".into(),
        &["register `losses` has 8 elements; expected 4"],
    );
    check(
        |p| p.digests[0].fields[0].1 = 33,
        &["field `event` of digest `poll_report_t` has 33 bits; expected at most 32"],
    );
}

#[test]
fn malformed_digests_are_rejected() {
    let layout = crate::support::layout();
    let error = |name: &str, fields: &[Vec<u8>]| layout.decode_digest(name, fields).unwrap_err().to_string();
    assert_eq!(error("other_t", &[]), "unknown digest `other_t`");
    assert_eq!(error("poll_report_t", &[vec![1]]), "digest `poll_report_t` has 1 fields; expected 18");
}

/// Returns the rows of the second step of a read of bank 1, in which these flow and port slots are in use.
fn second_step(flows: &[u64], ports: &[u64]) -> Vec<(String, Rows)> {
    let layout = TelemetryLayout::new(&pipeline()).unwrap();
    let registers: Vec<String> = layout.bank_registers(1).iter().map(ToString::to_string).collect();
    let used = |rows: &[u64]| rows.iter().map(|row| (*row, vec![1])).collect();
    let first = layout.first_step(&registers).unwrap();
    assert!(first[0].ends_with("flow_ids_bank1") && first[1].ends_with("port_slots_bank1"), "{first:?}");
    let first = first.map(String::from).into_iter().zip([used(flows), used(ports)]);
    let first: Vec<RegisterRows> = first.map(|(register, rows)| RegisterRows { register, rows }).collect();
    let rows = layout.second_step(&registers, &first);
    rows.into_iter().map(|(name, rows)| (name.to_string(), rows)).collect()
}

#[test]
fn a_bank_is_read_without_rows_that_cannot_hold_anything() {
    let of = |steps: &[(String, Rows)], ending: &str| {
        steps.iter().find(|(name, _)| name.ends_with(ending)).map(|(_, rows)| rows.clone()).unwrap()
    };
    let ports = crate::support::PORTS;
    // The slot of the second port in the third position of the ring, which any port can have fed.
    let few = second_step(&[3, 5], &[2 * ports + 1]);
    assert_eq!(of(&few, "flow_counts_bank1"), Rows::Each(vec![3, 5]));
    assert_eq!(of(&few, "flow_marks_bank1"), Rows::Each(vec![3, 5]));
    let fed = (0..ports).map(|ingress| (2 * ports + ingress) * ports + 1).collect();
    assert_eq!(of(&few, "meter_bank1"), Rows::Each(fed));
    assert_eq!(of(&few, "pause_log_bank1"), Rows::All);
    assert_eq!(of(&few, "pause_status"), Rows::All);
    // The freeze state comes first: it shows that the bank was still frozen after the first step.
    assert!(few[0].0.ends_with("freeze_state"), "{few:?}");
    let all = crate::support::EPOCHS * crate::support::FLOW_SLOTS;
    assert_eq!(of(&second_step(&(0..all).collect::<Vec<_>>(), &[]), "flow_counts_bank1"), Rows::All);
    assert_eq!(of(&second_step(&[], &[]), "meter_bank1"), Rows::Each(Vec::new()));
}

#[test]
fn other_registers_are_read_in_one_step() {
    let layout = TelemetryLayout::new(&pipeline()).unwrap();
    let registers: Vec<String> = layout.lock_registers().iter().map(ToString::to_string).collect();
    assert_eq!(layout.first_step(&registers), None);
}
