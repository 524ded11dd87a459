//! Importer of the telemetry dumps of Hawkeye's two public ns-3 prototypes, one text file for each switch.
//!
//! A file is a sequence of blocks. Each starts with `polling` (the switch received the polling packet) or `signal`
//! (it received the packet that traces PFC), and contains one of
//!
//! ```text
//! epoch N                                    the current ring slot, which the following tables describe
//! last epoch N                               the previous slot
//! traffic meter form port A to port B        then `portToPortBytes` and one number
//! port telemetry data for port N             then column names and one row
//! flow telemetry data for port N             then column names and one row for each flow
//! ```
//!
//! That is the poster's prototype (lixiao19/Hawkeye-NS3). The paper's (wangshicheng1225/Hawkeye,
//! `simulation/src/point-to-point/model/switch-node.cc`) starts each reading with `time T`, in nanoseconds, and ends
//! it with `end`; its epochs are called `epoch now` and `epoch last`; the row of a port has a `packetNum`; depths are
//! those of the egress queue, in packets; flows are kept in 4096 slots for each port and epoch. A file holds all
//! readings of a run: readings within half a millisecond, on all switches, are one event, because the prototype polls
//! no port twice in that time.
//!
//! Addresses are hexadecimal, all other numbers decimal. [`LIMITS`] and [`EGRESS_LIMITS`] list what such a dump
//! cannot show; they become part of the snapshot's `missing`.

mod problem;
mod reader;

use std::collections::{BTreeMap, BTreeSet};

use model::snapshot::{SNAPSHOT_FORMAT, Source};
use model::telemetry::{EpochInfo, FlowRecord, MeterRecord, PortRecord};
use model::{FlowKey, MissingData, Snapshot, SwitchTelemetry, Topology};

pub use problem::{Problem, ProblemKind};

use crate::topology_index::TopologyIndex;
use reader::{Block, Reader};

/// The poster's epoch: bits 20 and up of the nanosecond clock.
const RING_EPOCH_NS: u64 = 1 << 20;
/// The paper's epoch.
const TIMED_EPOCH_NS: u64 = 1_000_000;
/// Readings that begin within this time of the first are one event: the paper's prototype polls no port twice in this
/// time.
const EVENT_NS: u64 = 500_000;
/// Bytes of a row in the prototypes' registers, to compute the size of a reading.
const FLOW_ROW_BYTES: u64 = 33;
const PORT_ROW_BYTES: u64 = 8;
const METER_ROW_BYTES: u64 = 4;

/// What the poster's dumps can never show.
pub const LIMITS: [&str; 5] = [
    "depths in this dump are those of the input port's queue: they do not describe the egress queue and are not comparable across flows, so no claim is based on them",
    "the dump gives ring slots without epoch ids: what it calls `last epoch` may be stale and was not used",
    "the dump has no times: when a flow started, and how long a queue or a pause lasted, is not recorded, and the whole epoch is replayed",
    "the dump has no pause intervals: only its paused packets show that a port was paused, and the order of the pauses is unknown",
    "traffic meters were dumped only for the traced pairs of ports: a pair without one is unknown, not zero",
];

/// What the paper's dumps can never show.
pub const EGRESS_LIMITS: [&str; 3] = [
    "the dump has no times within an epoch: when a flow started, and how long a queue or a pause lasted, is not recorded, and the whole epoch is replayed",
    "the dump has no pause intervals: only its paused packets show that a port was paused, and the order of the pauses is unknown",
    "switches that only the polling packet reached dumped only the victim's port, and no traffic meters",
];

/// A dump and where it came from.
#[derive(Clone, Copy, Debug)]
pub struct DumpFile<'a> {
    /// The file's name, for messages and, if `switch` is absent, for the switch: its trailing number.
    pub name: &'a str,
    /// The switch that wrote it.
    pub switch: Option<&'a str>,
    /// Its text.
    pub text: &'a str,
}

/// The result of an import, with all problems.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The snapshots, one for each event, in order of time; dumps of the poster's prototype are one event.
    pub snapshots: Vec<Snapshot>,
    /// Problems by file and line. The snapshots lack the records that these lines describe.
    pub problems: Vec<Problem>,
}

/// Reads the dumps of all switches of a run. `victim` becomes the victim of every snapshot.
pub fn import(files: &[DumpFile<'_>], topology: &Topology, victim: Option<FlowKey>) -> Imported {
    let index = TopologyIndex::new(topology);
    let mut problems = Vec::new();
    let mut untimed: BTreeMap<String, Reading> = BTreeMap::new();
    let mut timed: Vec<(u64, String, Reading)> = Vec::new();
    for file in files {
        let mut reader = Reader::new(file, &index);
        if let Some(switch) = reader.switch.clone() {
            let known = untimed.remove(&switch).unwrap_or_default();
            let (before, readings) = reader.read(file.text, known);
            timed.extend(readings.into_iter().map(|(at, reading)| (at, switch.clone(), reading)));
            // A file of the paper's prototype has nothing before its first time.
            if !before.is_empty() || timed.is_empty() {
                untimed.insert(switch, before);
            }
        }
        problems.extend(reader.problems);
    }
    let mut snapshots = Vec::new();
    if !untimed.is_empty() || timed.is_empty() {
        snapshots.push(ring_snapshot(untimed, victim));
    }
    timed.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    let mut event: Vec<(u64, String, Reading)> = Vec::new();
    for reading in timed {
        if event.first().is_some_and(|first| reading.0 - first.0 >= EVENT_NS) {
            let number = snapshots.len() as u32 + 1;
            snapshots.push(timed_snapshot(number, std::mem::take(&mut event), victim));
        }
        event.push(reading);
    }
    if !event.is_empty() {
        snapshots.push(timed_snapshot(snapshots.len() as u32 + 1, event, victim));
    }
    Imported { snapshots, problems }
}

/// Returns the only event of the poster's dumps.
fn ring_snapshot(switches: BTreeMap<String, Reading>, victim: Option<FlowKey>) -> Snapshot {
    let mut missing: Vec<MissingData> = LIMITS.iter().map(|l| MissingData::Other((*l).to_string())).collect();
    for (switch, reading) in &switches {
        if reading.generation > 0 {
            missing.push(MissingData::Other(format!(
                "the dump of switch {switch} holds several polls: the last one was used"
            )));
        }
    }
    let polls = switches.values().map(|r| r.blocks.len() as u64).sum();
    let switches = switches.into_iter().map(|(name, reading)| reading.finish(name, None)).collect();
    snapshot(0, Source::HawkeyeNs3, RING_EPOCH_NS, switches, missing, polls, victim)
}

/// Returns one event of the paper's dumps: readings by time.
fn timed_snapshot(event: u32, readings: Vec<(u64, String, Reading)>, victim: Option<FlowKey>) -> Snapshot {
    let mut missing: Vec<MissingData> =
        EGRESS_LIMITS.iter().map(|l| MissingData::Other((*l).to_string())).collect();
    let polls = readings.iter().map(|(.., reading)| reading.blocks.len() as u64).sum();
    let mut by_switch: BTreeMap<String, (u64, Reading)> = BTreeMap::new();
    for (at, switch, reading) in readings {
        let (last, known) = by_switch.entry(switch).or_default();
        *last = at;
        known.extend(reading);
    }
    let finish = |(name, (at, mut reading)): (String, (u64, Reading))| {
        for (port, epoch) in reading.drop_stale_ports() {
            missing.push(MissingData::Other(format!(
                "the row of {name}:{port} for epoch {epoch} is from an older one (no flow of its time is there) and was not used"
            )));
        }
        reading.finish(name, Some(at))
    };
    let switches = by_switch.into_iter().map(finish).collect();
    snapshot(event, Source::HawkeyeNs3Egress, TIMED_EPOCH_NS, switches, missing, polls, victim)
}

fn snapshot(
    event: u32,
    source: Source,
    epoch_ns: u64,
    switches: Vec<SwitchTelemetry>,
    missing: Vec<MissingData>,
    polls: u64,
    victim: Option<FlowKey>,
) -> Snapshot {
    Snapshot {
        format: SNAPSHOT_FORMAT,
        event,
        source,
        victim,
        trigger: None,
        epoch_ns,
        switches,
        missing,
        polls,
        configuration: vec![],
        losses: vec![],
        events: vec![],
        jobs: vec![],
    }
}

/// The content of one switch's dump. Tables are dumped again for every polling packet, so each is kept once by its
/// key; of two readings the later one wins (counters of a slot only grow).
#[derive(Default)]
struct Reading {
    blocks: BTreeSet<Block>,
    generation: u64,
    slot_in_use: Option<u64>,
    epochs: BTreeSet<u64>,
    /// By epoch, port, flow and slot: the prototypes hash padding bytes too, so a flow may have several slots.
    flows: BTreeMap<(u64, u16, FlowKey, u64), FlowRecord>,
    ports: BTreeMap<(u64, u16), PortRecord>,
    meters: BTreeMap<(u64, u16, u16), u64>,
    signalled_from: BTreeSet<u16>,
}

impl Reading {
    fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.epochs.is_empty()
    }

    /// Adds a later reading of the same event.
    fn extend(&mut self, later: Reading) {
        self.blocks.extend(later.blocks);
        self.epochs.extend(later.epochs);
        self.flows.extend(later.flows);
        self.ports.extend(later.ports);
        self.meters.extend(later.meters);
        self.signalled_from.extend(later.signalled_from);
    }

    /// Flows are dumped only while they are recent, ports always: a port with packets and without a recent flow
    /// describes another time. Removes those rows and returns their ports and epochs.
    fn drop_stale_ports(&mut self) -> Vec<(u16, u64)> {
        let fresh: BTreeSet<(u64, u16)> =
            self.flows.keys().map(|(epoch, port, ..)| (*epoch, *port)).collect();
        let counted = |record: &PortRecord| record.packets != Some(0);
        let stale: Vec<(u64, u16)> = self
            .ports
            .iter()
            .filter(|(at, record)| counted(record) && !fresh.contains(*at))
            .map(|(at, _)| *at)
            .collect();
        for at in &stale {
            self.ports.remove(at);
        }
        stale.into_iter().map(|(epoch, port)| (port, epoch)).collect()
    }

    /// Returns each flow with the sum of its slots.
    fn merged_flows(flows: BTreeMap<(u64, u16, FlowKey, u64), FlowRecord>) -> Vec<FlowRecord> {
        let mut merged: Vec<FlowRecord> = Vec::new();
        for record in flows.into_values() {
            let same = |last: &&mut FlowRecord| {
                (last.epoch, last.egress_port, last.flow) == (record.epoch, record.egress_port, record.flow)
            };
            match merged.last_mut().filter(same) {
                Some(last) => {
                    last.packets += record.packets;
                    last.depth_sum += record.depth_sum;
                    last.paused_packets += record.paused_packets;
                    last.psn_first = last.psn_first.min(record.psn_first);
                    last.psn_last = last.psn_last.max(record.psn_last);
                }
                None => merged.push(record),
            }
        }
        merged
    }

    /// `at` is the time of the reading, if the dump has it.
    fn finish(self, switch: String, at: Option<u64>) -> SwitchTelemetry {
        let flow_rows = self.flows.values().filter(|f| f.packets > 0).count() as u64;
        let port_rows =
            self.ports.values().filter(|p| p.depth_sum > 0 || p.paused_packets > 0).count() as u64;
        let meter_rows = self.meters.values().filter(|bytes| **bytes > 0).count() as u64;
        let epoch_ns = if at.is_some() { TIMED_EPOCH_NS } else { RING_EPOCH_NS };
        let end = |id: u64| (id + 1).saturating_mul(epoch_ns).min(at.unwrap_or(u64::MAX));
        SwitchTelemetry {
            switch,
            frozen_ns: at.unwrap_or(0),
            clock_error_ns: None,
            polled_from: self.signalled_from.into_iter().collect(),
            on_victim_path: self.blocks.contains(&Block::Polling),
            back_port: None,
            epochs: self
                .epochs
                .into_iter()
                .map(|id| EpochInfo { id, start_ns: id.saturating_mul(epoch_ns), end_ns: end(id) })
                .collect(),
            flows: Reading::merged_flows(self.flows),
            ports: self.ports.into_values().collect(),
            meters: self
                .meters
                .into_iter()
                .map(|((epoch, ingress_port, egress_port), bytes)| MeterRecord {
                    ingress_port,
                    egress_port,
                    epoch,
                    packets: None,
                    bytes,
                })
                .collect(),
            pauses: Vec::new(),
            bytes: flow_rows * FLOW_ROW_BYTES + port_rows * PORT_ROW_BYTES + meter_rows * METER_ROW_BYTES,
        }
    }
}
