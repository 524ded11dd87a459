//! Decoded rows of a bank.

use std::collections::BTreeMap;

use model::telemetry::{FlowRecord, MeterRecord, PauseInterval, PortRecord};

use super::{FlowFields, PauseLogFields, PauseStatusFields, TelemetryLayout};

/// Elements read from one register. Elements that are zero may be omitted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegisterRows {
    /// Full name of the register.
    pub register: String,
    /// Index and value (big-endian bytes, leading zeros optional) of each element, in any order.
    pub rows: Vec<(u64, Vec<u8>)>,
}

/// Errors of decoding register rows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// A register is missing from the rows.
    #[error("the read returned no register `{0}`")]
    Missing(String),
}

/// The freeze state of a switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LockState {
    /// Number of freezes; the lowest bit is the bank that packets write.
    pub generation: u16,
    /// Generation that the controller has released.
    pub released: u16,
    /// For each bank: rows of earlier generations have been read.
    pub collected: [u16; 2],
    /// Event of the last freeze.
    pub event: u32,
    /// Time of the last freeze.
    pub frozen_ns: u64,
    /// Flow slots exported so far.
    pub evictions: u32,
}

impl LockState {
    /// Whether a bank is frozen and not released.
    pub fn is_locked(&self) -> bool {
        self.generation != self.released
    }

    /// Returns the generation of the bank that was frozen last.
    pub fn frozen_generation(&self) -> u16 {
        self.generation.wrapping_sub(1)
    }
}

/// A flow slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowRow {
    /// Generation that last wrote it.
    pub generation: u16,
    /// The record.
    pub record: FlowRecord,
}

/// A port slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortRow {
    /// Generation that last wrote it.
    pub generation: u16,
    /// The record.
    pub record: PortRecord,
}

/// A row of the causality meter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeterRow {
    /// Generation that last wrote it.
    pub generation: u16,
    /// The record.
    pub record: MeterRecord,
}

/// A closed pause interval with its number at the port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedPause {
    /// Number among all priorities since the start of the switch, modulo 2^16.
    pub number: u16,
    /// The interval.
    pub interval: PauseInterval,
}

/// The pauses of one port in one bank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PauseLog {
    /// The egress port.
    pub port: u16,
    /// Closed intervals, by start. Intervals that lasted at the freeze are in both banks.
    pub closed: Vec<LoggedPause>,
    /// Open intervals, at most one per priority. `end_ns` is the expiry of the pause, `None` without a time limit.
    pub open: Vec<PauseInterval>,
    /// Whether the numbers have wrapped around.
    pub wrapped: bool,
}

/// All rows read from one bank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BankContent {
    /// The freeze state at the time of the read.
    pub lock: LockState,
    /// Generation of the bank.
    pub generation: u16,
    /// Flow slots that had not been collected before.
    pub flows: Vec<FlowRow>,
    /// Port slots that had not been collected before.
    pub ports: Vec<PortRow>,
    /// Meter rows that had not been collected before.
    pub meters: Vec<MeterRow>,
    /// Pauses up to the freeze, and those that lasted at the time of the read.
    pub pauses: Vec<PauseLog>,
}

/// Whether generation `a` is `b` or later; generations wrap.
pub(crate) fn at_or_after(a: u16, b: u16) -> bool {
    a.wrapping_sub(b) < 0x8000
}

impl FlowRow {
    pub(crate) fn read(fields: &FlowFields, id: &[u8], counts: &[u8], marks: &[u8]) -> FlowRow {
        let count = |slice: super::Slice| slice.get(counts) as u64;
        let mark = |slice: super::Slice| slice.get(marks) as u64;
        let queued_packets = count(fields.count.queued_packets);
        let queued_ns = (mark(fields.mark.queued_first), mark(fields.mark.queued_last));
        FlowRow {
            generation: fields.id.generation.get(id) as u16,
            record: FlowRecord {
                flow: fields.id.flow(id),
                epoch: fields.id.epoch.get(id) as u64,
                ingress_port: Some(fields.id.ingress_port.get(id) as u16),
                egress_port: fields.id.egress_port.get(id) as u16,
                priority: Some(fields.id.priority.get(id) as u8),
                packets: count(fields.count.packets),
                bytes: Some(count(fields.count.bytes)),
                queued_packets: Some(queued_packets),
                depth_sum: count(fields.count.depth_sum),
                paused_packets: count(fields.count.paused_packets),
                psn_first: mark(fields.mark.psn_first) as u32,
                psn_last: mark(fields.mark.psn_last) as u32,
                seen_ns: Some((mark(fields.mark.seen_first), mark(fields.mark.seen_last))),
                queued_ns: (queued_packets > 0).then_some(queued_ns),
                evicted: false,
            },
        }
    }
}

/// Registers by name, each with its rows by index.
struct Arrays<'r>(BTreeMap<&'r str, BTreeMap<u64, &'r [u8]>>);

impl<'r> Arrays<'r> {
    fn new(read: &'r [RegisterRows]) -> Arrays<'r> {
        let mut arrays: BTreeMap<&str, BTreeMap<u64, &[u8]>> = BTreeMap::new();
        for part in read {
            let rows = part.rows.iter().map(|(index, value)| (*index, value.as_slice()));
            arrays.entry(&part.register).or_default().extend(rows);
        }
        Arrays(arrays)
    }

    fn get(&self, register: &str) -> Result<&BTreeMap<u64, &'r [u8]>, ReadError> {
        self.0.get(register).ok_or_else(|| ReadError::Missing(register.to_string()))
    }
}

impl TelemetryLayout {
    /// Decodes the freeze state from a read of [`TelemetryLayout::lock_registers`]; other registers are ignored.
    ///
    /// # Errors
    /// If a register is missing.
    pub fn read_lock(&self, read: &[RegisterRows]) -> Result<LockState, ReadError> {
        self.lock(&Arrays::new(read))
    }

    /// Decodes the bank of the last freeze from a read of [`TelemetryLayout::bank_registers`].
    ///
    /// # Errors
    /// If a register is missing.
    pub fn read_bank(&self, read: &[RegisterRows]) -> Result<BankContent, ReadError> {
        let arrays = Arrays::new(read);
        let generation = self.lock(&arrays)?.frozen_generation();
        self.bank_of(&arrays, generation)
    }

    /// Decodes the rows of the bank of `generation` that have not been collected, up to that generation. Rows that
    /// packets write during the read are inconsistent; a frozen bank has none.
    ///
    /// # Errors
    /// If a register is missing.
    pub fn read_uncollected(&self, read: &[RegisterRows], generation: u16) -> Result<BankContent, ReadError> {
        self.bank_of(&Arrays::new(read), generation)
    }

    fn bank_of(&self, arrays: &Arrays<'_>, generation: u16) -> Result<BankContent, ReadError> {
        let lock = self.lock(arrays)?;
        let bank = usize::from(generation & 1);
        let current = |row: u16| at_or_after(row, lock.collected[bank]) && at_or_after(generation, row);

        let mut flows = self.flow_rows(arrays, bank)?;
        flows.retain(|row| current(row.generation));
        let mut ports = self.port_rows(arrays, bank)?;
        ports.retain(|row| current(row.generation));
        let mut meters = self.meter_rows(arrays, bank)?;
        meters.retain(|row| current(row.generation));
        Ok(BankContent { lock, generation, flows, ports, meters, pauses: self.pause_logs(arrays, bank)? })
    }

    fn lock(&self, arrays: &Arrays<'_>) -> Result<LockState, ReadError> {
        let state = &self.freeze_state;
        let word = arrays.get(&state.register.name)?.get(&0).copied().unwrap_or_default();
        let number = |register: &super::Register, index: u64| -> Result<u16, ReadError> {
            let value = arrays.get(&register.name)?.get(&index).copied().unwrap_or_default();
            Ok(value.iter().fold(0, |n: u16, byte| n << 8 | u16::from(*byte)))
        };
        Ok(LockState {
            generation: state.generation.get(word) as u16,
            released: number(&self.released, 0)?,
            collected: [number(&self.collected, 0)?, number(&self.collected, 1)?],
            event: state.event.get(word) as u32,
            frozen_ns: state.frozen_ns.get(word) as u64,
            evictions: state.evictions.get(word) as u32,
        })
    }

    fn flow_rows(&self, arrays: &Arrays<'_>, bank: usize) -> Result<Vec<FlowRow>, ReadError> {
        let fields = &self.flows[bank];
        let counts = arrays.get(&fields.counts.name)?;
        let marks = arrays.get(&fields.marks.name)?;
        let rows = arrays.get(&fields.ids.name)?.iter().map(|(index, id)| {
            let count = counts.get(index).copied().unwrap_or_default();
            FlowRow::read(fields, id, count, marks.get(index).copied().unwrap_or_default())
        });
        Ok(rows.filter(|row| row.record.packets > 0).collect())
    }

    fn port_rows(&self, arrays: &Arrays<'_>, bank: usize) -> Result<Vec<PortRow>, ReadError> {
        let fields = &self.port_slots[bank];
        let rows = arrays.get(&fields.register.name)?.iter().map(|(index, word)| PortRow {
            generation: fields.generation.get(word) as u16,
            record: PortRecord {
                port: (index % self.ports) as u16 + 1,
                epoch: fields.epoch.get(word) as u64,
                packets: Some(fields.packets.get(word) as u64),
                depth_sum: fields.depth_sum.get(word) as u64,
                paused_packets: fields.paused_packets.get(word) as u64,
            },
        });
        Ok(rows.filter(|row| row.record.packets != Some(0)).collect())
    }

    fn meter_rows(&self, arrays: &Arrays<'_>, bank: usize) -> Result<Vec<MeterRow>, ReadError> {
        let fields = &self.meters[bank];
        let rows = arrays.get(&fields.register.name)?.iter().map(|(index, word)| MeterRow {
            generation: fields.generation.get(word) as u16,
            record: MeterRecord {
                ingress_port: (index / self.ports % self.ports) as u16 + 1,
                egress_port: (index % self.ports) as u16 + 1,
                epoch: fields.epoch.get(word) as u64,
                packets: Some(fields.packets.get(word) as u64),
                bytes: fields.bytes.get(word) as u64,
            },
        });
        Ok(rows.filter(|row| row.record.packets != Some(0)).collect())
    }

    fn pause_logs(&self, arrays: &Arrays<'_>, bank: usize) -> Result<Vec<PauseLog>, ReadError> {
        let entries = arrays.get(&self.pauses[bank].register.name)?;
        let counts = arrays.get(&self.pause_counts.register.name)?;
        let mut logs: BTreeMap<u16, PauseLog> = BTreeMap::new();
        for (index, entry) in entries {
            let port = (index / self.pause_log) as u16 + 1;
            let pause = self.pauses[bank].read(entry, port);
            if pause.interval.frames > 0 {
                logs.entry(port).or_default().closed.push(pause);
            }
        }
        for (queue, word) in arrays.get(&self.pause_status.register.name)? {
            let (port, priority) = ((queue / 8) as u16 + 1, (queue % 8) as u8);
            let Some(open) = self.pause_status.open(word, port, priority) else { continue };
            let log = logs.entry(port).or_default();
            // The status is read before the log, so an interval that was closed in between is in both.
            let is_closed = |pause: &LoggedPause| {
                (pause.interval.priority, pause.interval.start_ns) == (priority, open.start_ns)
            };
            if !log.closed.iter().any(is_closed) {
                log.open.push(open);
            }
        }
        for (port, log) in &mut logs {
            log.port = *port;
            log.closed.sort_by_key(|pause| (pause.interval.start_ns, pause.interval.priority));
            let intervals =
                counts.get(&(u64::from(*port) - 1)).map(|word| self.pause_counts.intervals.get(word));
            log.wrapped = intervals.is_some_and(|intervals| intervals > u128::from(u16::MAX));
        }
        Ok(logs.into_values().collect())
    }
}

impl PauseLogFields {
    fn read(&self, entry: &[u8], port: u16) -> LoggedPause {
        let start_ns = self.start.get(entry) as u64;
        LoggedPause {
            number: self.number.get(entry) as u16,
            interval: PauseInterval {
                port,
                priority: self.priority.get(entry) as u8,
                start_ns,
                end_ns: Some(start_ns.saturating_add(self.lasted.get(entry) as u64)),
                frames: self.frames.get(entry) as u64,
            },
        }
    }
}

impl PauseStatusFields {
    fn open(&self, word: &[u8], port: u16, priority: u8) -> Option<PauseInterval> {
        if self.paused.get(word) == 0 {
            return None;
        }
        let forever = u64::MAX >> (64 - self.until.width.min(64));
        let until_ns = self.until.get(word) as u64;
        Some(PauseInterval {
            port,
            priority,
            start_ns: self.start.get(word) as u64,
            end_ns: (until_ns != forever).then_some(until_ns),
            frames: self.frames.get(word) as u64,
        })
    }
}
