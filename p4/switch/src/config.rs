//! Configuration of a switch.

use std::sync::Arc;

use model::Time;
use p4_lang::ir::Program;

use crate::error::LoadError;
use crate::prepared::Prepared;
use crate::tm::TmConfig;

/// Resolution of the timestamps that P4 programs read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimestampUnit {
    /// Nanoseconds, because a packet takes less than a microsecond on a fast link.
    #[default]
    Nanoseconds,
    /// Microseconds, as in the reference switch.
    Microseconds,
}

impl TimestampUnit {
    /// Converts a time to this unit, rounded down.
    pub fn count(self, time: Time) -> u64 {
        match self {
            TimestampUnit::Nanoseconds => time.as_ns(),
            TimestampUnit::Microseconds => time.as_ns() / 1_000,
        }
    }
}

/// How programs are executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Machine code made from optimised bytecode. Where there is none ([`crate::Prepared::why_bytecode`]), bytecode.
    #[default]
    MachineCode,
    /// Optimised bytecode.
    Bytecode,
    /// Bytecode without the optimiser.
    Unoptimised,
    /// The plain interpreter: slow, and written to be compared with the specification.
    Interpreter,
}

/// Settings of a switch. Its ports are those of the traffic manager.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchConfig {
    /// Ports, queues, buffers, flow control.
    pub tm: TmConfig,
    /// Port of the controller: packets sent to it become [`crate::Event::PacketIn`], and
    /// [`crate::Switch::packet_out`] injects packets there.
    pub cpu_port: u16,
    /// Value of `egress_spec` that drops a packet.
    pub drop_port: u16,
    /// MAC address of the switch. The source address of a PFC frame is this address with the port number XORed into
    /// the last two bytes.
    pub address: [u8; 6],
    /// Seed of `random()` and of the `Random` hash.
    pub seed: u64,
    /// Unit of the timestamps that programs read.
    pub timestamp_unit: TimestampUnit,
    /// How programs are executed.
    pub engine: Engine,
    /// Whether packets are traced ([`crate::trace`]). Tracing runs programs on the interpreter.
    pub trace: bool,
    /// Resource limits.
    pub limits: Limits,
}

/// Resource limits. [`crate::event::Counters`] counts how often the run-time limits are reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Passes through ingress or egress that one received packet may cause by resubmit, recirculate, clone and
    /// multicast. Copies share the remaining passes, so a program can neither loop forever nor flood the switch.
    pub passes_per_packet: u32,
    /// Backward jumps (loops, repeated parser states) that one received packet may cause in all its passes. Copies
    /// share the remaining jumps, so the work per received packet is bounded.
    pub jumps_per_packet: u32,
    /// Events that are buffered; further events are counted and discarded.
    pub events: usize,
    /// Entries that a table may hold, whatever size the program declares.
    pub table_entries: u64,
    /// Total size of the register, counter and meter arrays that a program may declare, in bytes.
    pub array_bytes: u64,
    /// Number of multicast groups, and number of clone sessions.
    pub replication_groups: usize,
    /// Replicas in one group or session.
    pub replicas: usize,
    /// Minimum interval between two scans for idle entries; a scan visits every entry. Shorter timeouts are reported
    /// at this interval.
    pub idle_scan: Time,
    /// Trace records that are buffered; further records are counted and discarded.
    pub trace_records: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            passes_per_packet: 4_096,
            jumps_per_packet: 100_000,
            events: 65_536,
            table_entries: 1 << 22,
            array_bytes: 1 << 32,
            replication_groups: 65_536,
            replicas: 1_024,
            idle_scan: Time::from_ms(10),
            trace_records: 1 << 20,
        }
    }
}

impl SwitchConfig {
    /// The default drop port, that of the reference switch.
    pub const DROP_PORT: u16 = 511;

    /// Default settings for a traffic manager: CPU port 510, drop port 511, seed 1, timestamps in nanoseconds.
    pub fn new(tm: TmConfig) -> SwitchConfig {
        SwitchConfig {
            tm,
            cpu_port: 510,
            drop_port: SwitchConfig::DROP_PORT,
            address: [2, 0, 0, 0, 0, 0],
            seed: 1,
            timestamp_unit: TimestampUnit::default(),
            engine: Engine::default(),
            trace: false,
            limits: Limits::default(),
        }
    }

    /// Compiles a program for switches with this configuration, so that loading it takes little time.
    ///
    /// # Errors
    /// If the program is malformed.
    pub fn prepare(&self, program: Arc<Program>) -> Result<Prepared, LoadError> {
        Prepared::for_switch(program, self)
    }
}
