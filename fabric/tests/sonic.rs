//! What the fabric's switches count, in SONiC's databases: consistent on both ends of a link, and as SONiC writes it.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use fabric::sonic::{
    Asic, Database, FlowSampling, Polling, PollingSettings, Reading, SonicDatabases, SwitchCounters,
    databases,
};
use fabric::{Fabric, FaultInjection, Pipeline, RunOptions, RunOutcome, Tap, Watch, run_observed};
use model::Time;
use p4_switch::Switch;
use scenario::Scenario;

const START_NS: u64 = 10_000_000_000;

struct Monitor {
    polling: Polling,
    sampling: FlowSampling,
}

impl Watch for Monitor {
    fn tap(&mut self) -> Option<Box<dyn Tap>> {
        Some(self.sampling.tap())
    }

    fn next_look(&self) -> Option<Time> {
        self.polling.next_look()
    }

    fn look(&mut self, now: Time, fabric: &mut Fabric<Switch>) {
        self.polling.look(now, fabric);
    }

    fn after(&mut self, fabric: &mut Fabric<Switch>) {
        self.polling.after(fabric);
    }
}

/// Runs a built-in scenario and polls its switches.
pub(crate) fn run(name: &str, interval: Time, diagnose: bool) -> (RunOutcome, Vec<Reading>, FlowSampling) {
    static PIPELINE: OnceLock<Pipeline> = OnceLock::new();
    let pipeline = PIPELINE.get_or_init(|| Pipeline::hawkeye(&[]).unwrap_or_else(|error| panic!("{error}")));
    let scenario: Scenario = scenario::builtin(name).unwrap();
    let scenario = scenario.instance(1).unwrap().into_owned();
    let settings = PollingSettings { interval, seed: 1, start_ns: START_NS, asic: Asic::Spectrum };
    let sampling = FlowSampling::new(100, 1, &scenario.topology);
    let mut monitor =
        Monitor { polling: Polling::new(settings, &scenario.topology), sampling: sampling.clone() };
    let options = RunOptions { pipeline: pipeline.clone(), diagnose };
    let outcome = run_observed(&scenario, 1, &options, &FaultInjection::default(), &mut monitor)
        .unwrap_or_else(|error| panic!("{error}"));
    (outcome, monitor.polling.into_readings(), sampling)
}

#[test]
fn an_asic_of_broadcom_counts_pauses_that_begin_instead_of_their_time() {
    let (_, readings, _) = run("host-storm", Time::from_ms(1_000), false);
    let last = ends(&readings)["sw4"].1.clone();
    let databases = databases(&Reading { asic: Asic::Tomahawk, ..last });
    let id = value(&databases, Database::Counters, "COUNTERS_PORT_NAME_MAP", "Ethernet0");
    let counted = &databases.0[&Database::Counters][&format!("COUNTERS:{id}")];
    let count = |field: &str| counted[field].parse::<u64>().unwrap();
    let (frames, begun) = (count("SAI_PORT_STAT_PFC_3_RX_PKTS"), count("SAI_PORT_STAT_PFC_3_ON2OFF_RX_PKTS"));
    assert!((1..frames).contains(&begun), "{begun} pauses of {frames} frames: refreshes begin none");
    assert!(!counted.contains_key("SAI_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US"));
    let queue = value(&databases, Database::Counters, "COUNTERS_QUEUE_NAME_MAP", "Ethernet0:3");
    let key = format!("COUNTERS:{queue}");
    assert!(["true", "false"].contains(&value(
        &databases,
        Database::Counters,
        &key,
        "SAI_QUEUE_ATTR_PAUSE_STATUS"
    )));
    let peak = value(
        &databases,
        Database::Counters,
        &format!("USER_WATERMARKS:{queue}"),
        "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES",
    );
    assert!(peak.parse::<u64>().unwrap().is_multiple_of(254), "{peak}");
}

/// The first and the last reading of each switch.
fn ends(readings: &[Reading]) -> BTreeMap<&str, (&Reading, &Reading)> {
    let mut ends: BTreeMap<&str, (&Reading, &Reading)> = BTreeMap::new();
    for reading in readings {
        ends.entry(reading.counters.switch.as_str()).or_insert((reading, reading)).1 = reading;
    }
    ends
}

fn port(counters: &SwitchCounters, number: u16) -> &fabric::sonic::PortCounters {
    counters.ports.iter().find(|port| port.number == number).unwrap()
}

#[test]
fn both_ends_of_a_link_count_the_same_and_the_first_reading_is_of_an_idle_network() {
    let (_, readings, _) = run("host-storm", Time::from_ms(1_000), false);
    let ends = ends(&readings);
    let mut links = 0;
    for (first, last) in ends.values() {
        assert!(first.time_ns < last.time_ns && first.time_ns <= START_NS, "{}", first.time_ns);
        assert!(last.time_ns > START_NS);
        for counted in &first.counters.ports {
            assert_eq!((counted.rx_bytes, counted.tx_bytes), (0, 0));
        }
        for counted in &last.counters.ports {
            let of_queues: u64 = counted.classes.iter().map(|class| class.queue.packets).sum();
            assert_eq!(of_queues, counted.tx_packets, "{}:{}", last.counters.switch, counted.number);
            let Some(peer) =
                counted.peer.as_ref().and_then(|peer| Some((peer, ends.get(peer.switch.as_str())?)))
            else {
                continue;
            };
            let far = port(&peer.1.1.counters, peer.0.port);
            assert_eq!((counted.rx_bytes, counted.rx_packets), (far.tx_bytes, far.tx_packets));
            for (own, other) in counted.classes.iter().zip(&far.classes) {
                assert_eq!(own.pfc_rx_frames, other.pfc_tx_frames);
            }
            links += 1;
        }
    }
    assert!(links > 0);
}

#[test]
fn polling_changes_no_run_and_repeats_with_its_seed() {
    let (quiet, readings, _) = run("pfc-storm", Time::from_ms(100), true);
    let (again, same, _) = run("pfc-storm", Time::from_ms(100), true);
    assert_eq!(readings, same);
    assert_eq!(quiet.counters, again.counters);
    let pipeline = Pipeline::hawkeye(&[]).unwrap_or_else(|error| panic!("{error}"));
    let options = RunOptions { pipeline, diagnose: true };
    let unobserved = fabric::run(&scenario::builtin("pfc-storm").unwrap(), 1, &options).unwrap();
    assert_eq!(unobserved.counters, quiet.counters);
    assert_eq!(unobserved.end, quiet.end);
    assert_eq!(unobserved.flows, quiet.flows);
    // Watermarks are read every second: a switch is read until its watermarks have been.
    let of_first: Vec<u64> = readings
        .iter()
        .filter(|reading| reading.counters.switch == readings[0].counters.switch)
        .map(|reading| reading.time_ns)
        .collect();
    assert_eq!(of_first.len(), 11, "{of_first:?}");
}

fn value<'d>(databases: &'d SonicDatabases, database: Database, key: &str, field: &str) -> &'d str {
    databases.0[&database][key][field].as_str()
}

#[test]
fn a_storm_shows_in_the_tables_of_sonic() {
    let (outcome, readings, _) = run("host-storm", Time::from_ms(1_000), false);
    let ends = ends(&readings);
    // The host at sw4:1 sends pauses of priority 3.
    let (first, last) = ends["sw4"];
    let (before, after) = (databases(first), databases(last));
    let id = value(&after, Database::Counters, "COUNTERS_PORT_NAME_MAP", "Ethernet0");
    let key = format!("COUNTERS:{id}");
    let count = |databases: &SonicDatabases, field: &str| -> u64 {
        value(databases, Database::Counters, &key, field).parse().unwrap()
    };
    assert_eq!(count(&before, "SAI_PORT_STAT_PFC_3_RX_PKTS"), 0);
    assert!(count(&after, "SAI_PORT_STAT_PFC_3_RX_PKTS") > 0);
    assert_eq!(count(&after, "SAI_PORT_STAT_PFC_4_RX_PKTS"), 0);
    let paused_us = count(&after, "SAI_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US");
    let longest_us = outcome.end.as_ns() / 1_000;
    assert!((100..=longest_us).contains(&paused_us), "{paused_us} us of {longest_us} us");
    let queue = value(&after, Database::Counters, "COUNTERS_QUEUE_NAME_MAP", "Ethernet0:3");
    assert_eq!(value(&after, Database::Counters, "COUNTERS_QUEUE_INDEX_MAP", queue), "3");
    let watermark = |databases: &SonicDatabases, table: &str| -> u64 {
        let key = format!("{table}:{queue}");
        value(databases, Database::Counters, &key, "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES").parse().unwrap()
    };
    let peak = watermark(&after, "USER_WATERMARKS");
    assert!(peak > 0 && peak.is_multiple_of(144), "{peak}");
    assert_eq!(watermark(&before, "USER_WATERMARKS"), 0);
    assert_eq!(value(&after, Database::Config, "DEVICE_METADATA|localhost", "hostname"), "sw4");
    assert_eq!(value(&after, Database::Config, "PORT_QOS_MAP|Ethernet0", "pfc_enable"), "3");
    let neighbour = |field| value(&after, Database::Appl, "LLDP_ENTRY_TABLE:Ethernet0", field);
    let host = port(&last.counters, 1).peer.as_ref().unwrap().switch.as_str();
    assert_eq!((neighbour("lldp_rem_sys_name"), neighbour("lldp_rem_port_id")), (host, "eth0"));
    let dump = after.dump(Database::Counters);
    assert_eq!(dump["COUNTERS_PORT_NAME_MAP"]["type"], "hash");
    assert_eq!(dump["COUNTERS_PORT_NAME_MAP"]["value"]["Ethernet0"], id);
}

#[test]
fn samples_are_one_of_n_packets_with_their_ports() {
    let (_, readings, sampling) = run("poster-fig1", Time::from_ms(1_000), false);
    let samples = sampling.samples();
    let ends = ends(&readings);
    let packets: u64 =
        ends.values().flat_map(|(_, last)| &last.counters.ports).map(|port| port.rx_packets).sum();
    // The mean distance is 100; the number of samples has a relative deviation below one tenth.
    let expected = packets / 100;
    let found = samples.len() as u64;
    assert!(found.abs_diff(expected) * 10 < expected, "{found} samples of {packets} packets");
    let with_egress = samples.iter().filter(|sample| sample.egress.is_some()).count();
    assert!(with_egress * 10 > samples.len() * 9, "{with_egress} of {}", samples.len());
    assert!(samples.windows(2).all(|pair| pair[0].at <= pair[1].at));
    for sample in &samples {
        assert!(ends.contains_key(sample.ingress.switch.as_str()), "{sample:?}");
        assert_ne!(sample.egress, Some(sample.ingress.port), "{sample:?}");
    }
}
