//! Reads the lines of a dump.

use std::net::{IpAddr, Ipv4Addr};

use model::FlowKey;
use model::telemetry::{FlowRecord, PortRecord};

use super::problem::{Problem, ProblemKind};
use super::{DumpFile, Reading, TIMED_EPOCH_NS};
use crate::topology_index::{NodeId, TopologyIndex};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Block {
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
            TableKind::Port(_) => &["enqQdepth", "pfcPausedPacketNum", "packetNum"],
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

/// The epoch of the following tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Epoch {
    /// No epoch line yet.
    Unknown,
    /// An epoch before the clock started: its slot was never used.
    Never,
    /// This epoch.
    Id(u64),
}

/// The table of the following rows.
struct Table {
    kind: TableKind,
    line: usize,
    /// Position of each known column in the rows; absent before the line of column names.
    columns: Option<Vec<&'static str>>,
    rows: usize,
    /// Its heading or column names were wrong: its rows are skipped without further messages.
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

pub(super) struct Reader<'i, 't> {
    file: String,
    index: &'i TopologyIndex<'t>,
    pub(super) switch: Option<String>,
    node: Option<NodeId>,
    block: Option<Block>,
    /// The epoch's id in the snapshot. Without times, the current slot follows the previous slot.
    epoch: Epoch,
    /// The time of the reading and the line that has it; absent in dumps of the poster's prototype.
    time: Option<(u64, usize)>,
    table: Option<Table>,
    line: usize,
    pub(super) problems: Vec<Problem>,
}

impl<'i, 't> Reader<'i, 't> {
    pub(super) fn new(file: &DumpFile<'_>, index: &'i TopologyIndex<'t>) -> Reader<'i, 't> {
        let switch = file.switch.map(str::to_string).or_else(|| trailing_number(file.name));
        let node = switch.as_deref().and_then(|s| index.node(s)).filter(|n| !index.is_host(*n));
        let mut reader = Reader {
            file: file.name.to_string(),
            index,
            switch,
            node,
            block: None,
            epoch: Epoch::Unknown,
            time: None,
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

    /// Reads a file and adds it to its switch: tables before any time, and every reading with its time.
    pub(super) fn read(&mut self, text: &str, known: Reading) -> (Reading, Vec<(u64, Reading)>) {
        let mut before = known;
        let mut timed: Vec<(u64, Reading)> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            self.line = number + 1;
            let words = words(line);
            if let [Word { text: "time", .. }, time] = words.as_slice() {
                self.finish_reading();
                let at = self.number(*time, "the time", u64::MAX - TIMED_EPOCH_NS);
                self.time = Some((at.unwrap_or(0), self.line));
                timed.push((at.unwrap_or(0), Reading::default()));
            } else if !words.is_empty() {
                let reading = timed.last_mut().map_or(&mut before, |(_, reading)| reading);
                self.read_line(&words, reading);
            }
        }
        self.finish_reading();
        if self.block.is_none() && timed.is_empty() && self.problems.is_empty() {
            self.line = 1;
            self.problem(1, ProblemKind::Empty);
        }
        (before, timed)
    }

    /// Another reading begins, or the file ends: the previous one must have ended.
    fn finish_reading(&mut self) {
        self.end_table();
        if let Some((_, line)) = self.time.take() {
            let here = std::mem::replace(&mut self.line, line);
            self.problem(1, ProblemKind::NoEnd);
            self.line = here;
        }
        self.epoch = Epoch::Unknown;
    }

    fn read_line(&mut self, words: &[Word<'_>], reading: &mut Reading) {
        let texts: Vec<&str> = words.iter().map(|w| w.text).collect();
        match texts.as_slice() {
            ["polling"] => self.start_block(Block::Polling, reading),
            ["signal"] => self.start_block(Block::Signal, reading),
            ["end"] if self.time.is_some() => {
                self.end_table();
                self.time = None;
                self.epoch = Epoch::Unknown;
            }
            ["epoch", "now" | "last"] => self.start_timed_epoch(words[1], reading),
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
        self.epoch = Epoch::Unknown;
        if self.time.is_some() {
            return self.problem(1, ProblemKind::SlotAfterTime(format!("epoch {}", slot.text)));
        }
        let Some(slot) = self.number(slot, "the epoch", u64::from(u32::MAX)) else { return };
        if in_use {
            if reading.slot_in_use.is_some_and(|before| before != slot) {
                reading.generation += 1;
            }
            reading.slot_in_use = Some(slot);
        }
        let id = reading.generation + u64::from(in_use);
        reading.epochs.insert(id);
        self.epoch = Epoch::Id(id);
    }

    /// Handles `epoch now` or `epoch last` of a reading with a known time.
    fn start_timed_epoch(&mut self, name: Word<'_>, reading: &mut Reading) {
        self.end_table();
        let Some((at, _)) = self.time else {
            self.epoch = Epoch::Unknown;
            return self.problem(name.column, ProblemKind::NoTime(name.text.to_string()));
        };
        let now = at / TIMED_EPOCH_NS;
        let id = if name.text == "now" { Some(now) } else { now.checked_sub(1) };
        reading.epochs.extend(id);
        self.epoch = id.map_or(Epoch::Never, Epoch::Id);
    }

    fn start_table(&mut self, kind: Option<TableKind>) {
        let mut broken = kind.is_none();
        if self.epoch == Epoch::Unknown && !broken {
            self.problem(1, ProblemKind::NoEpoch);
            broken = true;
        }
        // Rows below an unreadable heading still belong to it.
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
        let timed = self.time.is_some();
        let is_optional = |column: &str| match table.kind {
            TableKind::Port(_) => column == "packetNum" && !timed,
            _ => column == "flowIdx",
        };
        for column in expected.iter().filter(|c| !is_optional(c) && !columns.contains(c)) {
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
        let epoch = match self.epoch {
            Epoch::Id(id) => id,
            Epoch::Never | Epoch::Unknown => return,
        };
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
                let packets = self.field(&row, "packetNum", u64::from(u32::MAX));
                if let (Some(depth_sum), Some(paused_packets)) = (depth, paused) {
                    let record = PortRecord { port, epoch, packets, depth_sum, paused_packets };
                    reading.ports.insert((epoch, port), record);
                }
            }
            TableKind::Flow(port) => {
                if let Some((slot, record)) = self.flow_row(&row, port, epoch) {
                    reading.flows.insert((epoch, port, record.flow, slot), record);
                }
            }
        }
    }

    /// A flow's record, and its slot.
    fn flow_row(&mut self, row: &Row<'_, '_>, port: u16, epoch: u64) -> Option<(u64, FlowRecord)> {
        const COUNT: u64 = u32::MAX as u64;
        let slot = match row.columns.contains(&"flowIdx") {
            true => self.field(row, "flowIdx", COUNT),
            false => Some(0),
        };
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
        let record = FlowRecord {
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
        };
        Some((slot?, record))
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
