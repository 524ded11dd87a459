//! Traces as JSON lines.

use std::sync::Arc;

use p4_lang::{MemoryLoader, Options, compile};
use p4_switch::stf::{Settings, run_on};
use p4_switch::trace::{Origin, Step};
use p4_switch::{Engine, Switch, TraceRecord};

const PROGRAM: &str = include_str!("trace/small.p4");

fn traced(test: &str) -> Vec<TraceRecord> {
    let loader = MemoryLoader::new().with("small.p4", PROGRAM);
    let compilation = compile("small.p4", &loader, &Options::default());
    let report = compilation.report(false);
    let program = Arc::new(compilation.program.unwrap_or_else(|| panic!("{report}")));
    let (mut observed, result) =
        run_on(&program, test, &Settings { engine: Engine::MachineCode, trace: true });
    result.unwrap_or_else(|failures| panic!("{failures:?}"));
    observed.switch.as_mut().map(Switch::take_trace).unwrap_or_default()
}

const ROUTE: &str = "add routes hdr.h.dst:0x0a000000/8 forward(port:3)\nmirroring_add 5 4\n";

#[test]
fn every_step_is_traced() {
    let test = format!(
        "{ROUTE}packet 1 0a000001 00 eeee\nexpect 3\npacket 1 0b000001 00\npacket 1 0a000001 01\nexpect 3\nexpect 4\n\
         packet 1 0a0000\npacket 1 0a000001 02\nexpect 3\n"
    );
    let lines: Vec<String> =
        traced(&test).iter().map(|r| serde_json::to_string(r).expect("records are JSON")).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

/// Every packet starts with an arrival or as a copy, and ends exactly once.
#[test]
fn every_packet_starts_and_ends_once() {
    let packets: String = (0..4).map(|op| format!("packet 1 0a000001 0{op} ee\n")).collect();
    let expected = "expect 3\nexpect 3\nexpect 4\nexpect 3\nexpect 3\n";
    let trace = traced(&format!("{ROUTE}{packets}{expected}"));
    let last = trace.iter().map(|record| record.packet).max().unwrap_or(0);
    assert!(last >= 6, "{last} packets");
    for packet in 1..=last {
        let life: Vec<&Step> = trace.iter().filter(|r| r.packet == packet).map(|r| &r.step).collect();
        let begins =
            matches!(life.first(), Some(Step::Ingress { .. } | Step::Queued { origin: Some(_), .. }));
        assert!(begins, "{life:?}");
        let moved_on =
            trace.iter().any(|r| matches!(r.step, Step::Ingress { parent: Some(p), .. } if p == packet));
        let ends = matches!(life.last(), Some(Step::Sent { .. } | Step::Dropped { .. }));
        assert!(ends != moved_on, "{life:?}");
    }
    let origins: Vec<Origin> = trace
        .iter()
        .filter_map(|r| match r.step {
            Step::Ingress { origin, .. } => Some(origin),
            _ => None,
        })
        .collect();
    assert!(origins.contains(&Origin::Recirculate) && origins.contains(&Origin::Port), "{origins:?}");
}
