//! The telemetry dumps of the Hawkeye poster's ns-3 prototype (lixiao19/Hawkeye-NS3), one text file a switch.
//!
//! A file is a sequence of blocks. Each is headed `polling` (the switch saw the polling packet) or `signal` (it saw
//! the packet that traces PFC), and holds one of
//!
//! ```text
//! epoch N                                    the ring slot in use: what follows is about it
//! last epoch N                               the slot before it
//! traffic meter form port A to port B        then `portToPortBytes` and one number
//! port telemetry data for port N             then column names and one row
//! flow telemetry data for port N             then column names and a row a flow
//! ```
//!
//! Addresses are hexadecimal, everything else decimal. What such a dump cannot support is listed in
//! [`LIMITS`] and becomes part of the snapshot's `missing`.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};

use model::snapshot::{SNAPSHOT_FORMAT, Source};
use model::telemetry::{EpochInfo, FlowRecord, MeterRecord, PortRecord};
use model::{FlowKey, Snapshot, SwitchTelemetry, Topology};

use crate::topology_index::{NodeId, TopologyIndex};

/// The prototype's epoch: bits 20 and up of the nanosecond clock.
const EPOCH_NS: u64 = 1 << 20;
/// Bytes of a row in the prototype's registers, to say how much was read.
const FLOW_ROW_BYTES: u64 = 33;
const PORT_ROW_BYTES: u64 = 8;
const METER_ROW_BYTES: u64 = 4;

/// What these dumps cannot support, whatever is in them.
pub const LIMITS: [&str; 5] = [
    "depths in this dump are those of the input port's queue: they neither describe the output queue nor compare across flows, so no claim rests on them",
    "the dump gives ring slots without epoch ids: what it calls `last epoch` may be stale and was not used",
    "the dump has no times: when a flow started, and how long a queue or a pause lasted, is not recorded, and the whole epoch is replayed",
    "the dump has no pause intervals: that a port was paused is known from its paused packets alone, in which order ports were paused is not",
    "traffic meters were dumped only for the traced pairs of ports: a pair without one is unknown, not zero",
];

/// A dump and where it came from.
#[derive(Clone, Copy, Debug)]
pub struct DumpFile<'a> {
    /// The file's name, for messages and (if `switch` is absent) for the switch: its trailing number.
    pub name: &'a str,
    /// The switch that wrote it.
    pub switch: Option<&'a str>,
    /// Its text.
    pub text: &'a str,
}

/// What was read, and everything that was wrong with it.
#[derive(Clone, Debug)]
pub struct Imported {
    /// All that could be read.
    pub snapshot: Snapshot,
    /// By file and line. If there are any, the snapshot lacks what they speak of.
    pub problems: Vec<Problem>,
}

/// Something wrong at a place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {kind}")]
pub struct Problem {
    /// The file's name.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub kind: ProblemKind,
}

/// What can be wrong with a dump.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each says what it is")]
pub enum ProblemKind {
    #[error("the file's name does not end in a switch number, as in `telemetry_9.txt`; name the switch")]
    NoSwitch,
    #[error("the topology has no switch `{0}`")]
    UnknownSwitch(String),
    #[error("switch {switch} has no port {port} in the topology")]
    UnknownPort { switch: String, port: u16 },
    #[error("the file holds no telemetry")]
    Empty,
    #[error(
        "`{0}` is no heading of a telemetry dump; expected `polling`, `signal`, `epoch N`, or a table's name"
    )]
    UnknownHeading(String),
    #[error("expected a number up to {max} for {field}, found `{found}`")]
    BadNumber { field: String, max: u64, found: String },
    #[error("expected an IPv4 address as eight hexadecimal digits for {field}, found `{found}`")]
    BadAddress { field: String, found: String },
    #[error("a row outside of a table")]
    StrayRow,
    #[error("a table before any `epoch N`: which epoch it belongs to is unknown")]
    NoEpoch,
    #[error("unknown column `{0}`")]
    UnknownColumn(String),
    #[error("column `{0}` is given twice")]
    RepeatedColumn(String),
    #[error("the table has no column `{0}`")]
    MissingColumn(&'static str),
    #[error("the row has {found} fields, its table has {expected} columns")]
    FieldCount { expected: usize, found: usize },
    #[error("the table has more than its one row")]
    ExtraRow,
    #[error("the table ends without its row")]
    NoRow,
}

/// Reads dumps of one event. `victim` becomes the snapshot's question.
pub fn import(files: &[DumpFile<'_>], topology: &Topology, victim: Option<FlowKey>) -> Imported {
    let index = TopologyIndex::new(topology);
    let mut problems = Vec::new();
    let mut switches: BTreeMap<String, Reading> = BTreeMap::new();
    for file in files {
        let mut reader = Reader::new(file, &index);
        if let Some(switch) = reader.switch.clone() {
            let reading = switches.entry(switch).or_default();
            reader.read(file.text, reading);
        }
        problems.extend(reader.problems);
    }
    let mut missing: Vec<String> = LIMITS.iter().map(|l| (*l).to_string()).collect();
    for (switch, reading) in &switches {
        if reading.generation > 0 {
            missing.push(format!("the dump of switch {switch} holds several polls: the last one was used"));
        }
    }
    let polls = switches.values().map(|r| r.blocks.len() as u64).sum();
    let switches = switches.into_iter().map(|(name, reading)| reading.finish(name)).collect();
    let snapshot = Snapshot {
        format: SNAPSHOT_FORMAT,
        event: 0,
        source: Source::HawkeyeNs3,
        victim,
        trigger: None,
        epoch_ns: EPOCH_NS,
        switches,
        missing,
        polls,
        configuration: vec![],
        losses: vec![],
    };
    Imported { snapshot, problems }
}

/// What one switch's dump says. Tables are dumped again under every packet that asked, so each is kept once,
/// by what it is about; of two different readings the later one holds (counters of a slot only grow).
#[derive(Default)]
struct Reading {
    blocks: BTreeSet<Block>,
    generation: u64,
    slot_in_use: Option<u64>,
    epochs: BTreeSet<u64>,
    flows: BTreeMap<(u64, u16, FlowKey), FlowRecord>,
    ports: BTreeMap<(u64, u16), PortRecord>,
    meters: BTreeMap<(u64, u16, u16), u64>,
    signalled_from: BTreeSet<u16>,
}

impl Reading {
    fn finish(self, switch: String) -> SwitchTelemetry {
        let flow_rows = self.flows.values().filter(|f| f.packets > 0).count() as u64;
        let port_rows =
            self.ports.values().filter(|p| p.depth_sum > 0 || p.paused_packets > 0).count() as u64;
        let meter_rows = self.meters.values().filter(|bytes| **bytes > 0).count() as u64;
        SwitchTelemetry {
            switch,
            frozen_ns: 0,
            polled_from: self.signalled_from.into_iter().collect(),
            on_victim_path: self.blocks.contains(&Block::Polling),
            epochs: self
                .epochs
                .into_iter()
                .map(|id| EpochInfo { id, start_ns: id * EPOCH_NS, end_ns: (id + 1) * EPOCH_NS })
                .collect(),
            flows: self.flows.into_values().collect(),
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Block {
    Polling,
    Signal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TableKind {
    Meter { ingress: u16, egress: u16 },
    Port(u16),
    Flow(u16),
}

impl TableKind {
    fn columns(self) -> &'static [&'static str] {
        match self {
            TableKind::Meter { .. } => &["portToPortBytes"],
            TableKind::Port(_) => &["enqQdepth", "pfcPausedPacketNum"],
            TableKind::Flow(_) => &[
                "flowIdx",
                "srcIp",
                "dstIp",
                "srcPort",
                "dstPort",
                "protocol",
                "minSeq",
                "maxSeq",
                "packetNum",
                "enqQdepth",
                "pfcPausedPacketNum",
            ],
        }
    }
}

/// The table that rows now belong to.
struct Table {
    kind: TableKind,
    line: usize,
    /// Position of each known column in the rows; absent before the line of column names.
    columns: Option<Vec<&'static str>>,
    rows: usize,
    /// Its heading or column names were wrong: its rows are passed over without a message each.
    broken: bool,
}

/// A word of a line with its column.
#[derive(Clone, Copy)]
struct Word<'t> {
    text: &'t str,
    column: usize,
}

fn words(line: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut start: Option<(usize, usize)> = None;
    for (column, (at, c)) in line.char_indices().enumerate() {
        match (c.is_whitespace(), start) {
            (false, None) => start = Some((at, column)),
            (true, Some((from, first))) => {
                words.push(Word { text: &line[from..at], column: first + 1 });
                start = None;
            }
            _ => {}
        }
    }
    if let Some((from, first)) = start {
        words.push(Word { text: &line[from..], column: first + 1 });
    }
    words
}

struct Reader<'i, 't> {
    file: String,
    index: &'i TopologyIndex<'t>,
    switch: Option<String>,
    node: Option<NodeId>,
    block: Option<Block>,
    /// The epoch's id in the snapshot: its slot in use is one above the slot before.
    epoch: Option<u64>,
    table: Option<Table>,
    line: usize,
    problems: Vec<Problem>,
}

impl<'i, 't> Reader<'i, 't> {
    fn new(file: &DumpFile<'_>, index: &'i TopologyIndex<'t>) -> Reader<'i, 't> {
        let switch = file.switch.map(str::to_string).or_else(|| trailing_number(file.name));
        let node = switch.as_deref().and_then(|s| index.node(s)).filter(|n| !index.is_host(*n));
        let mut reader = Reader {
            file: file.name.to_string(),
            index,
            switch,
            node,
            block: None,
            epoch: None,
            table: None,
            line: 1,
            problems: Vec::new(),
        };
        match (&reader.switch, reader.node) {
            (None, _) => reader.problem(1, ProblemKind::NoSwitch),
            (Some(switch), None) => {
                let switch = switch.clone();
                reader.problem(1, ProblemKind::UnknownSwitch(switch));
            }
            _ => {}
        }
        reader
    }

    fn problem(&mut self, column: usize, kind: ProblemKind) {
        self.problems.push(Problem { file: self.file.clone(), line: self.line, column, kind });
    }

    fn read(&mut self, text: &str, reading: &mut Reading) {
        for (number, line) in text.lines().enumerate() {
            self.line = number + 1;
            let words = words(line);
            if !words.is_empty() {
                self.read_line(&words, reading);
            }
        }
        self.end_table();
        if self.block.is_none() && self.problems.is_empty() {
            self.line = 1;
            self.problem(1, ProblemKind::Empty);
        }
    }

    fn read_line(&mut self, words: &[Word<'_>], reading: &mut Reading) {
        let texts: Vec<&str> = words.iter().map(|w| w.text).collect();
        match texts.as_slice() {
            ["polling"] => self.start_block(Block::Polling, reading),
            ["signal"] => self.start_block(Block::Signal, reading),
            ["epoch", _] => self.start_epoch(words[1], true, reading),
            ["last", "epoch", _] => self.start_epoch(words[2], false, reading),
            ["traffic", "meter", "form" | "from", "port", _, "to", "port", _] => {
                self.end_table();
                let ingress = self.port(words[4]);
                let egress = self.port(words[7]);
                if let (Some(Block::Signal), Some(ingress)) = (self.block, ingress) {
                    reading.signalled_from.insert(ingress);
                }
                let kind = ingress.zip(egress).map(|(ingress, egress)| TableKind::Meter { ingress, egress });
                self.start_table(kind);
            }
            ["port", "telemetry", "data", "for", "port", _] => {
                self.end_table();
                let kind = self.port(words[5]).map(TableKind::Port);
                self.start_table(kind);
            }
            ["flow", "telemetry", "data", "for", "port", _] => {
                self.end_table();
                let kind = self.port(words[5]).map(TableKind::Flow);
                self.start_table(kind);
            }
            _ => self.read_in_table(words, reading),
        }
    }

    fn start_block(&mut self, block: Block, reading: &mut Reading) {
        self.end_table();
        self.block = Some(block);
        reading.blocks.insert(block);
    }

    fn start_epoch(&mut self, slot: Word<'_>, in_use: bool, reading: &mut Reading) {
        self.end_table();
        self.epoch = None;
        let Some(slot) = self.number(slot, "the epoch", u64::from(u32::MAX)) else { return };
        if in_use {
            if reading.slot_in_use.is_some_and(|before| before != slot) {
                reading.generation += 1;
            }
            reading.slot_in_use = Some(slot);
        }
        let id = reading.generation + u64::from(in_use);
        reading.epochs.insert(id);
        self.epoch = Some(id);
    }

    fn start_table(&mut self, kind: Option<TableKind>) {
        let mut broken = kind.is_none();
        if self.epoch.is_none() && !broken {
            self.problem(1, ProblemKind::NoEpoch);
            broken = true;
        }
        // A heading that could not be read still owns the rows below it.
        let kind = kind.unwrap_or(TableKind::Flow(0));
        self.table = Some(Table { kind, line: self.line, columns: None, rows: 0, broken });
    }

    fn end_table(&mut self) {
        let Some(table) = self.table.take() else { return };
        let needs_row = !matches!(table.kind, TableKind::Flow(_)) || table.columns.is_none();
        if !table.broken && table.rows == 0 && needs_row {
            let here = self.line;
            self.line = table.line;
            self.problem(1, ProblemKind::NoRow);
            self.line = here;
        }
    }

    fn read_in_table(&mut self, words: &[Word<'_>], reading: &mut Reading) {
        let Some(first) = words.first() else { return };
        let Some(mut table) = self.table.take() else {
            let numeric = first.text.bytes().all(|b| b.is_ascii_hexdigit());
            let line = words.iter().map(|w| w.text).collect::<Vec<_>>().join(" ");
            let kind = if numeric { ProblemKind::StrayRow } else { ProblemKind::UnknownHeading(line) };
            return self.problem(first.column, kind);
        };
        if !table.broken {
            match &table.columns {
                None => self.read_columns(words, &mut table),
                Some(_) => self.read_row(words, &mut table, reading),
            }
        }
        self.table = Some(table);
    }

    fn read_columns(&mut self, words: &[Word<'_>], table: &mut Table) {
        let expected = table.kind.columns();
        let before = self.problems.len();
        let mut columns: Vec<&'static str> = Vec::new();
        for word in words {
            match expected.iter().find(|c| **c == word.text) {
                None => self.problem(word.column, ProblemKind::UnknownColumn(word.text.to_string())),
                Some(c) if columns.contains(c) => {
                    self.problem(word.column, ProblemKind::RepeatedColumn(word.text.to_string()));
                }
                Some(c) => columns.push(c),
            }
        }
        for column in expected.iter().filter(|c| **c != "flowIdx" && !columns.contains(c)) {
            self.problem(1, ProblemKind::MissingColumn(column));
        }
        table.broken = self.problems.len() > before;
        table.columns = Some(columns);
    }

    fn read_row(&mut self, words: &[Word<'_>], table: &mut Table, reading: &mut Reading) {
        let columns = table.columns.clone().unwrap_or_default();
        if words.len() != columns.len() {
            let column = words.get(columns.len()).or(words.last()).map_or(1, |w| w.column);
            let first = words.first().map_or("", |w| w.text);
            // A line of words below a table is a misspelt heading, not a row.
            let kind = if first.bytes().all(|b| b.is_ascii_hexdigit()) {
                ProblemKind::FieldCount { expected: columns.len(), found: words.len() }
            } else {
                let line = words.iter().map(|w| w.text).collect::<Vec<_>>().join(" ");
                ProblemKind::UnknownHeading(line)
            };
            return self.problem(column, kind);
        }
        table.rows += 1;
        if table.rows > 1 && !matches!(table.kind, TableKind::Flow(_)) {
            return self.problem(1, ProblemKind::ExtraRow);
        }
        let row = Row { columns: &columns, words };
        let Some(epoch) = self.epoch else { return };
        // All fields are read before any is used, so that every wrong one is reported.
        match table.kind {
            TableKind::Meter { ingress, egress } => {
                if let Some(bytes) = self.field(&row, "portToPortBytes", u64::from(u32::MAX)) {
                    reading.meters.insert((epoch, ingress, egress), bytes);
                }
            }
            TableKind::Port(port) => {
                let depth = self.field(&row, "enqQdepth", u64::from(u32::MAX));
                let paused = self.field(&row, "pfcPausedPacketNum", u64::from(u32::MAX));
                if let (Some(depth_sum), Some(paused_packets)) = (depth, paused) {
                    let record = PortRecord { port, epoch, packets: None, depth_sum, paused_packets };
                    reading.ports.insert((epoch, port), record);
                }
            }
            TableKind::Flow(port) => {
                if let Some(record) = self.flow_row(&row, port, epoch) {
                    reading.flows.insert((epoch, port, record.flow), record);
                }
            }
        }
    }

    fn flow_row(&mut self, row: &Row<'_, '_>, port: u16, epoch: u64) -> Option<FlowRecord> {
        const COUNT: u64 = u32::MAX as u64;
        if row.columns.contains(&"flowIdx") {
            self.field(row, "flowIdx", COUNT);
        }
        let src = self.address(row, "srcIp");
        let dst = self.address(row, "dstIp");
        let sport = self.field(row, "srcPort", u64::from(u16::MAX));
        let dport = self.field(row, "dstPort", u64::from(u16::MAX));
        let proto = self.field(row, "protocol", u64::from(u8::MAX));
        let psn_first = self.field(row, "minSeq", COUNT);
        let psn_last = self.field(row, "maxSeq", COUNT);
        let packets = self.field(row, "packetNum", COUNT);
        let depth_sum = self.field(row, "enqQdepth", COUNT);
        let paused = self.field(row, "pfcPausedPacketNum", COUNT);
        let flow =
            FlowKey { src: src?, dst: dst?, sport: sport? as u16, dport: dport? as u16, proto: proto? as u8 };
        Some(FlowRecord {
            flow,
            epoch,
            ingress_port: None,
            egress_port: port,
            priority: None,
            packets: packets?,
            bytes: None,
            queued_packets: None,
            depth_sum: depth_sum?,
            paused_packets: paused?,
            psn_first: psn_first? as u32,
            psn_last: psn_last? as u32,
            seen_ns: None,
            queued_ns: None,
            evicted: false,
        })
    }

    fn port(&mut self, word: Word<'_>) -> Option<u16> {
        let port = self.number(word, "the port", 510)? as u16;
        let node = self.node?;
        if self.index.port(node, port).is_none() {
            let switch = self.index.name(node).to_string();
            self.problem(word.column, ProblemKind::UnknownPort { switch, port });
            return None;
        }
        Some(port)
    }

    fn field(&mut self, row: &Row<'_, '_>, field: &str, max: u64) -> Option<u64> {
        let word = row.get(field)?;
        self.number(word, field, max)
    }

    fn number(&mut self, word: Word<'_>, field: &str, max: u64) -> Option<u64> {
        let number = word.text.parse::<u64>().ok().filter(|n| *n <= max);
        if number.is_none() {
            let (field, found) = (field.to_string(), word.text.to_string());
            self.problem(word.column, ProblemKind::BadNumber { field, max, found });
        }
        number
    }

    fn address(&mut self, row: &Row<'_, '_>, field: &str) -> Option<IpAddr> {
        let word = row.get(field)?;
        let digits = word.text.len() == 8 && word.text.bytes().all(|b| b.is_ascii_hexdigit());
        let bits = u32::from_str_radix(word.text, 16).ok().filter(|_| digits);
        if bits.is_none() {
            let (field, found) = (field.to_string(), word.text.to_string());
            self.problem(word.column, ProblemKind::BadAddress { field, found });
        }
        bits.map(|b| IpAddr::V4(Ipv4Addr::from(b)))
    }
}

/// A row's words by column name.
struct Row<'r, 't> {
    columns: &'r [&'static str],
    words: &'r [Word<'t>],
}

impl<'t> Row<'_, 't> {
    fn get(&self, column: &str) -> Option<Word<'t>> {
        let at = self.columns.iter().position(|c| *c == column)?;
        self.words.get(at).copied()
    }
}

/// The number at the end of a file's name without its extension.
fn trailing_number(name: &str) -> Option<String> {
    let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = base.split_once('.').map_or(base, |(stem, _)| stem);
    let digits = stem.len() - stem.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    (digits > 0).then(|| stem[stem.len() - digits..].to_string())
}
