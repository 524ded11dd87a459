//! The buffers that a simulated switch writes into CONFIG_DB are those that it has.

use std::collections::BTreeMap;

use buffer_config::{ResolveOptions, input, resolve};
use fabric::sonic::{BufferSettings, Database, Reading, databases, port_name};
use model::{Rate, Time};
use p4_switch::tm::TmConfig;

use crate::sonic::run;

/// Pools, groups and queues that `harrier check` and the simulation read of what a switch writes are its own.
fn check_switch(reading: &Reading) {
    let text = databases(reading).dump(Database::Config).to_string();
    let switch = resolve(&input::load(&text), ResolveOptions::default());
    let buffers: &BufferSettings = &reading.counters.buffers;
    assert!(!buffers.ports.is_empty());
    for port in &buffers.ports {
        let name = port_name(port.number);
        let own = switch.ports.iter().find(|of| of.name == name).unwrap_or_else(|| panic!("no {name}"));
        let read: TmConfig = scenario::sonic::pair(&switch, own, [1, 2], Rate::from_gbps(100))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(read.ingress_pools, buffers.ingress_pools);
        assert_eq!(read.egress_pools, buffers.egress_pools);
        assert_eq!(read.ports[0].maps, port.maps, "{name}");
        for (class, (found, expected)) in read.ports[0].groups.iter().zip(&port.groups).enumerate() {
            let of = |group: &p4_switch::tm::GroupProfile| {
                (group.pool, group.reserved_bytes, group.threshold, group.lossless)
            };
            assert_eq!(of(found), of(expected), "{name}|{class}");
        }
        for (class, (found, expected)) in read.ports[0].queues.iter().zip(&port.queues).enumerate() {
            assert_eq!((found.pool, found.reserved_bytes), (expected.pool, expected.reserved_bytes));
            if expected.threshold.is_some() {
                assert_eq!(found.threshold, expected.threshold, "{name}|{class}");
            }
            // SONiC has whole per cents.
            let depths = |ecn: p4_switch::tm::Ecn| (ecn.kmin_bytes, ecn.kmax_bytes);
            assert_eq!(found.ecn.map(depths), expected.ecn.map(depths), "{name}|{class}");
            let above =
                found.ecn.zip(expected.ecn).map(|(found, ecn)| found.pmax_ppm.checked_sub(ecn.pmax_ppm));
            assert!(above.is_none_or(|above| above.is_some_and(|ppm| ppm < 10_000)), "{name}|{class}");
        }
    }
}

fn check(scenario: &str) {
    let (_, readings, _) = run(scenario, Time::from_ms(1_000), false);
    let last: BTreeMap<&str, &Reading> =
        readings.iter().map(|reading| (reading.counters.switch.as_str(), reading)).collect();
    last.values().for_each(|reading| check_switch(reading));
}

#[test]
fn a_switch_writes_its_fixed_thresholds() {
    check("deadlock-in-loop");
    check("incast-backpressure");
}

#[test]
fn a_switch_writes_its_dynamic_thresholds_and_marking() {
    check("poster-fig1");
    check("misconfigured-alpha");
    check("contention-only");
}
