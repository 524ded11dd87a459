//! What a switch is told when it is made.

use crate::tm::TmConfig;
use model::Time;

/// Resolution of the timestamps that P4 programs see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimestampUnit {
    /// Nanoseconds: a microsecond is longer than a packet on a fast link.
    #[default]
    Nanoseconds,
    /// Microseconds, as the reference switch has them.
    Microseconds,
}

impl TimestampUnit {
    /// A time in this unit, rounded down.
    pub fn count(self, time: Time) -> u64 {
        match self {
            TimestampUnit::Nanoseconds => time.as_ns(),
            TimestampUnit::Microseconds => time.as_ns() / 1_000,
        }
    }
}

/// What runs the programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Compiled code.
    #[default]
    Compiled,
    /// Code as it is compiled at first, without the passes that make it faster.
    Unoptimised,
    /// The plain interpreter: slow, and easy to read beside the specification.
    Interpreter,
}

/// Settings of a switch. Ports are those of the traffic manager.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchConfig {
    /// Ports, queues, buffers, flow control.
    pub tm: TmConfig,
    /// Port whose packets are [`crate::Event::PacketIn`] and where [`crate::Switch::packet_out`] arrives.
    pub cpu_port: u16,
    /// Value of `egress_spec` that means drop.
    pub drop_port: u16,
    /// Address of the switch; the source of its PFC frames is this with the port's number combined by exclusive or
    /// into the last two bytes.
    pub address: [u8; 6],
    /// Seed of `random()`, of the `Random` hash and of nothing else.
    pub seed: u64,
    /// Unit of the timestamps that programs see.
    pub timestamp_unit: TimestampUnit,
    /// What runs the programs.
    pub engine: Engine,
    /// Whether every packet's life is traced ([`crate::trace`]); it is the interpreter then that runs the programs.
    pub trace: bool,
    /// Limits.
    pub limits: Limits,
}

/// Named limits; [`crate::event::Counters`] counts what happened at each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Passes through ingress or egress that one received packet may cause by resubmit, recirculate, clone and
    /// multicast. Copies share what is left, so that no program keeps a packet for ever or floods the switch.
    pub passes_per_packet: u32,
    /// Jumps backwards (loops, parser states) that one received packet may cause in all its passes. Copies share what
    /// is left, so that the work for a received packet is bounded however often it goes round.
    pub jumps_per_packet: u32,
    /// Events that wait to be taken; further ones are counted and lost.
    pub events: usize,
    /// Entries that a table may hold whatever size its program asks for.
    pub table_entries: u64,
    /// Bytes of register, counter and meter arrays that a program may ask for.
    pub array_bytes: u64,
    /// Multicast groups, and clone sessions.
    pub replication_groups: usize,
    /// Replicas of one group or session.
    pub replicas: usize,
    /// Shortest time between two looks for entries that have timed out, each of which visits every entry. Timeouts
    /// below it are reported that often.
    pub idle_scan: Time,
    /// Trace records that wait to be taken; further ones are counted and lost.
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
    /// The usual drop port, that of the reference switch.
    pub const DROP_PORT: u16 = 511;

    /// Defaults around a traffic manager: CPU port 510, drop port 511, seed 1, nanoseconds.
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
}
