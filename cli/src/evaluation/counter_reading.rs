//! The methods that read counters of ordinary switches: what SONiC's databases contain in a run, and the verdicts.
//!
//! The fabric writes the databases, the crate `counters` reads them as from a real switch. A run takes milliseconds, so a
//! monitor sees one interval, or two if a poll falls into the run.

use std::borrow::Borrow;
use std::collections::BTreeSet;

use counters::sonic::{DatabaseName, Databases, reading};
use counters::{
    FlowSample, GroupReading, Network, PollIntervals, PortReading, PriorityReading, QueueReading, Source,
    diagnose as diagnose_counters,
};
use fabric::sonic::{
    Asic, ClassCounters, Database, FlowSampling, Polling, PollingSettings, PortCounters, SonicDatabases,
    databases, port_name,
};
use fabric::{Fabric, RunOptions, Tap, Watch};
use model::diagnosis::Record;
use model::{Diagnosis, Time, Topology};
use p4_switch::Switch;
use scenario::Scenario;
use serde::{Deserialize, Serialize};

use super::contestant::CounterSource;
use super::observe::Diagnosed;
use super::{Instance, Plan};

/// What a monitor has read in a run.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Counted {
    interval: Time,
    sampling_rate: Option<u32>,
    /// The readings of all switches, in order of time.
    readings: Vec<counters::Reading>,
    /// The same switches as P4 switches, which give the state of their devices.
    #[serde(default)]
    p4_readings: Vec<counters::Reading>,
    /// Sampled packets.
    samples: Vec<FlowSample>,
}

/// The time of a run's start on the clock of the readings, in nanoseconds: more than the longest interval, so that the
/// reading before the run has a time.
const START_NS: u64 = 100_000_000_000;

/// The ways of reading that the methods of a plan need.
pub(super) fn sources(plan: &Plan) -> Vec<CounterSource> {
    let mut sources: Vec<CounterSource> = Vec::new();
    for source in plan.methods.iter().filter_map(|method| method.counter_source()) {
        // Two methods may read the same.
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    sources
}

/// Repeats a run for each way of reading that the methods of a plan need. The observers do not change the run.
pub(super) fn read(
    plan: &Plan,
    scenario: &Scenario,
    seed: u64,
    options: &RunOptions,
    topology: &Topology,
) -> anyhow::Result<Vec<Counted>> {
    let mut counted = Vec::new();
    for CounterSource { interval, sampling_rate } in sources(plan) {
        let settings = PollingSettings { interval, seed, start_ns: START_NS, asic: Asic::Spectrum };
        let sampling = sampling_rate.map(|rate| FlowSampling::new(rate, seed, topology));
        let mut monitor = Monitor { polling: Polling::new(settings, topology), sampling: sampling.clone() };
        fabric::run_observed(scenario, seed, options, &plan.trial, &mut monitor)?;
        let readings = monitor.polling.into_readings();
        counted.push(Counted {
            interval,
            sampling_rate,
            readings: readings.iter().map(as_read).collect(),
            p4_readings: readings.iter().map(as_p4).collect(),
            samples: sampling.map(|sampling| samples(&sampling, sampling_rate)).unwrap_or_default(),
        });
    }
    Ok(counted)
}

/// Polls counters and samples packets.
struct Monitor {
    polling: Polling,
    sampling: Option<FlowSampling>,
}

impl Watch for Monitor {
    fn tap(&mut self) -> Option<Box<dyn Tap>> {
        self.sampling.as_ref().map(FlowSampling::tap)
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

/// Reads the databases of a simulated switch as those of a real one.
fn as_read(simulated: &fabric::sonic::Reading) -> counters::Reading {
    let databases = as_text(databases(simulated));
    reading(&databases, Some(&simulated.counters.switch), simulated.time_ns).0
}

/// Reads a simulated switch as a P4 switch, whose device offers fewer counters than SONiC: of priority groups the headroom alone, none
/// of marks and the watchdog.
fn as_p4(simulated: &fabric::sonic::Reading) -> counters::Reading {
    let priority = |class: &ClassCounters| PriorityReading {
        pause_rx_frames: Some(class.pfc_rx_frames),
        pause_tx_frames: Some(class.pfc_tx_frames),
        pause_rx_ns: Some(class.paused.as_ns()),
        is_paused: Some(class.is_paused),
        queue: QueueReading {
            packets: Some(class.queue.packets),
            bytes: Some(class.queue.bytes),
            watermark_bytes: Some(class.queue.shared.last_poll),
            occupancy_bytes: Some(class.queue.occupancy_bytes),
            ..QueueReading::default()
        },
        group: GroupReading {
            headroom_watermark_bytes: Some(class.group.headroom.last_poll),
            ..GroupReading::default()
        },
        ..PriorityReading::default()
    };
    let port = |port: &PortCounters| PortReading {
        number: Some(port.number),
        speed: port.rate,
        up: Some(port.is_up),
        tx_bytes: Some(port.tx_bytes),
        priorities: port.classes.each_ref().map(priority),
        ..PortReading::default()
    };
    let ports = simulated.counters.ports.iter().map(|own| (own.number.to_string(), port(own)));
    counters::Reading {
        switch: simulated.counters.switch.clone(),
        time_ns: simulated.time_ns,
        time_is_assumed: false,
        source: Source::P4Runtime,
        lacks_watchdog: false,
        ports: ports.collect(),
        neighbours: Vec::new(),
        addresses: Vec::new(),
        polled: PollIntervals { ports_ms: Some(0), queues_ms: Some(0), watermarks_ms: Some(0) },
    }
}

/// The same databases in the type of the reader.
pub(crate) fn as_text(simulated: SonicDatabases) -> Databases {
    let name = |database| match database {
        Database::Appl => DatabaseName::Appl,
        Database::Counters => DatabaseName::Counters,
        Database::Config => DatabaseName::Config,
        Database::FlexCounter => DatabaseName::FlexCounter,
        Database::State => DatabaseName::State,
    };
    Databases { tables: simulated.0.into_iter().map(|(database, hashes)| (name(database), hashes)).collect() }
}

fn samples(sampling: &FlowSampling, rate: Option<u32>) -> Vec<FlowSample> {
    let rate = rate.unwrap_or(1);
    let sample = |packet: fabric::sonic::SampledPacket| FlowSample {
        time_ns: START_NS + packet.at.as_ns(),
        flow: packet.flow,
        ingress: Some(port_name(packet.ingress.port)),
        egress: packet.egress.map(port_name),
        dscp: Some(packet.dscp),
        bytes: packet.bytes * u64::from(rate),
        packets: u64::from(rate),
        duration_ns: 0,
        sampling_rate: rate,
        switch: packet.ingress.switch,
    };
    sampling.samples().into_iter().map(sample).collect()
}

/// Diagnoses the readings of a run. Times of the verdicts are those of the run.
pub(super) fn diagnose(method: &'static str, source: CounterSource, instance: &Instance) -> Diagnosed {
    let is_wanted = |counted: &&Counted| {
        (counted.interval, counted.sampling_rate) == (source.interval, source.sampling_rate)
    };
    let Some(counted) = instance.counted.iter().find(is_wanted) else {
        return Diagnosed::untriggered(method, Vec::new());
    };
    // Verdicts of severity info stay: pauses of a millisecond are one thousandth of a second.
    Diagnosed::untriggered(method, verdicts(&counted.readings, &counted.samples, instance))
}

/// The verdicts from the counters of a network in which the switches `p4` are P4 switches.
pub(super) fn of_mixed_network(
    source: CounterSource,
    p4: &BTreeSet<String>,
    instance: &Instance,
) -> Vec<Diagnosis> {
    let is_wanted = |counted: &&Counted| {
        (counted.interval, counted.sampling_rate) == (source.interval, source.sampling_rate)
    };
    let Some(counted) = instance.counted.iter().find(is_wanted) else { return Vec::new() };
    let ordinary = counted.readings.iter().filter(|reading| !p4.contains(&reading.switch));
    let all = ordinary.chain(counted.p4_readings.iter().filter(|reading| p4.contains(&reading.switch)));
    verdicts(&all.collect::<Vec<_>>(), &[], instance)
}

/// The verdicts from readings. Times are those of the run.
fn verdicts<R: Borrow<counters::Reading>>(
    readings: &[R],
    samples: &[FlowSample],
    instance: &Instance,
) -> Vec<Diagnosis> {
    let network = Network { topology: instance.topology.clone(), ..Network::default() };
    let report = diagnose_counters(readings, samples, &network);
    let mut ids = BTreeSet::new();
    report.diagnoses.into_iter().map(in_run).filter(|verdict| ids.insert(verdict.id.clone())).collect()
}

/// Returns a verdict with the times of the run.
fn in_run(mut verdict: Diagnosis) -> Diagnosis {
    let shift = |ns: &mut u64| *ns = ns.saturating_sub(START_NS);
    shift(&mut verdict.time_ns);
    for record in verdict.evidence.iter_mut().flat_map(|evidence| &mut evidence.records) {
        if let Record::Counter { from_ns, to_ns, .. } = record {
            shift(from_ns);
            shift(to_ns);
        }
    }
    verdict
}
