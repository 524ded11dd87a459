//! Decoder of the registers and digests of a loaded pipeline.
//!
//! The layout of a register is an annotation in the switch program: `@fields("epoch:32,packets:32")` lists the fields
//! of an element, most significant first. [`TelemetryLayout::new`] finds the registers that collection needs by name
//! and derives sizes and positions from the pipeline, so that a program compiled with other sizes is decoded correctly.
//! It rejects a program that does not match and reports all problems.

mod build;
mod digest;
mod error;
mod losses;
mod records;
mod sparse;
mod word;

pub use digest::{Digest, DigestError, Eviction, PollReport};
pub use error::{LayoutError, LayoutProblem};
pub use losses::LossCounter;
pub(crate) use records::at_or_after;
pub use records::{
    BankContent, FlowRow, LockState, LoggedPause, MeterRow, PauseLog, PortRow, ReadError, RegisterRows,
};
pub use sparse::Rows;
pub use word::{Slice, Word};

use model::{FlowKey, LossReason};

use crate::plan::RegisterWrite;

/// A register array as the pipeline describes it (IR or P4Info).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegisterInfo {
    /// Full name.
    pub name: String,
    /// Bits of an element.
    pub width: u32,
    /// Number of elements.
    pub size: u64,
    /// Annotations as text, e.g. `@fields("a:8,b:24")`.
    pub annotations: Vec<String>,
}

/// A digest as the pipeline describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigestInfo {
    /// Full name.
    pub name: String,
    /// Names and widths of its fields, in order.
    pub fields: Vec<(String, u32)>,
}

/// The parts of a pipeline that the layout depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PipelineInfo {
    /// Its register arrays.
    pub registers: Vec<RegisterInfo>,
    /// Its digests.
    pub digests: Vec<DigestInfo>,
}

/// A register array that collection reads or writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Full name in the pipeline.
    pub name: String,
    /// Its element.
    pub word: Word,
    /// Number of elements.
    pub size: u64,
}

/// Positions of all registers, fields and digests in a pipeline that runs the switch program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TelemetryLayout {
    /// An epoch lasts `2^epoch_shift` ns.
    pub epoch_shift: u32,
    /// Epochs in the ring.
    pub epochs: u64,
    /// Flow slots per epoch.
    pub flow_slots: u64,
    /// Ports with telemetry, from port 1 on.
    pub ports: u64,
    /// Closed pause intervals kept per bank and port.
    pub pause_log: u64,
    pub(crate) freeze_state: LockFields,
    pub(crate) released: Register,
    pub(crate) collected: Register,
    pub(crate) port_config: PortConfigFields,
    pub(crate) ecmp_seed: Register,
    pub(crate) flows: [FlowFields; 2],
    pub(crate) port_slots: [PortFields; 2],
    pub(crate) meters: [MeterFields; 2],
    pub(crate) pause_status: PauseStatusFields,
    pub(crate) pauses: [PauseLogFields; 2],
    pub(crate) pause_counts: PauseCountFields,
    pub(crate) losses: LossFields,
    pub(crate) poll: digest::PollFields,
    pub(crate) eviction: digest::EvictionFields,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LockFields {
    pub(crate) register: Register,
    pub(crate) generation: Slice,
    pub(crate) event: Slice,
    pub(crate) frozen_ns: Slice,
    pub(crate) evictions: Slice,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PortConfigFields {
    pub(crate) register: Register,
    pub(crate) host_facing: Slice,
    pub(crate) quantum: Slice,
}

/// Flow slots of a bank: three registers with a common index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FlowFields {
    pub(crate) ids: Register,
    pub(crate) counts: Register,
    pub(crate) marks: Register,
    pub(crate) id: FlowIdFields,
    pub(crate) count: FlowCountFields,
    pub(crate) mark: FlowMarkFields,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlowIdFields {
    pub(crate) epoch: Slice,
    pub(crate) generation: Slice,
    pub(crate) ingress_port: Slice,
    pub(crate) egress_port: Slice,
    pub(crate) priority: Slice,
    pub(crate) source: Slice,
    pub(crate) destination: Slice,
    pub(crate) source_port: Slice,
    pub(crate) destination_port: Slice,
    pub(crate) protocol: Slice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlowCountFields {
    pub(crate) packets: Slice,
    pub(crate) bytes: Slice,
    pub(crate) queued_packets: Slice,
    pub(crate) depth_sum: Slice,
    pub(crate) paused_packets: Slice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlowMarkFields {
    pub(crate) psn_first: Slice,
    pub(crate) psn_last: Slice,
    pub(crate) seen_first: Slice,
    pub(crate) seen_last: Slice,
    pub(crate) queued_first: Slice,
    pub(crate) queued_last: Slice,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PortFields {
    pub(crate) register: Register,
    pub(crate) epoch: Slice,
    pub(crate) generation: Slice,
    pub(crate) packets: Slice,
    pub(crate) depth_sum: Slice,
    pub(crate) paused_packets: Slice,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MeterFields {
    pub(crate) register: Register,
    pub(crate) epoch: Slice,
    pub(crate) generation: Slice,
    pub(crate) packets: Slice,
    pub(crate) bytes: Slice,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PauseStatusFields {
    pub(crate) register: Register,
    pub(crate) paused: Slice,
    pub(crate) start: Slice,
    pub(crate) until: Slice,
    pub(crate) frames: Slice,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PauseLogFields {
    pub(crate) register: Register,
    pub(crate) start: Slice,
    pub(crate) lasted: Slice,
    pub(crate) frames: Slice,
    pub(crate) priority: Slice,
    pub(crate) number: Slice,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PauseCountFields {
    pub(crate) register: Register,
    pub(crate) intervals: Slice,
}

/// The counters of the program's own losses: rows by ingress port, then reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LossFields {
    pub(crate) register: Register,
    pub(crate) packets: Slice,
    pub(crate) first: Slice,
    pub(crate) last: Slice,
    /// The reason of each row of a port; `None`: one that this version does not know, or an unused row.
    pub(crate) reasons: Vec<Option<LossReason>>,
}

impl FlowIdFields {
    pub(crate) fn flow(&self, word: &[u8]) -> FlowKey {
        FlowKey::from_bits(
            self.source.get(word),
            self.destination.get(word),
            self.source_port.get(word) as u16,
            self.destination_port.get(word) as u16,
            self.protocol.get(word) as u8,
        )
    }
}

impl TelemetryLayout {
    /// Length of an epoch in nanoseconds.
    pub fn epoch_ns(&self) -> u64 {
        1 << self.epoch_shift
    }

    /// Full names of the registers that hold the freeze state.
    pub fn lock_registers(&self) -> Vec<&str> {
        [&self.freeze_state.register, &self.released, &self.collected].map(|r| r.name.as_str()).to_vec()
    }

    /// Full names of the registers that make up a collection of `bank` (0 or 1).
    pub fn bank_registers(&self, bank: usize) -> Vec<&str> {
        let bank = bank & 1;
        let flows = &self.flows[bank];
        let mut names = self.lock_registers();
        names.extend(
            [
                &flows.ids,
                &flows.counts,
                &flows.marks,
                &self.port_slots[bank].register,
                &self.meters[bank].register,
                &self.pause_status.register,
                &self.pauses[bank].register,
                &self.pause_counts.register,
            ]
            .map(|r| r.name.as_str()),
        );
        names
    }

    /// Full name of the register that counts the program's own losses.
    pub fn loss_register(&self) -> &str {
        &self.losses.register.name
    }

    /// Returns the writes that release the frozen bank of a switch whose generation is `generation`; `collected`: the
    /// bank has been read completely and may be cleared.
    pub fn unlock(&self, generation: u16, collected: bool) -> Vec<RegisterWrite> {
        let value = generation.to_be_bytes().to_vec();
        let mut writes = Vec::new();
        // `collected` before `released`: in the other order a freeze could happen in between.
        if collected {
            let index = u64::from(generation.wrapping_sub(1) & 1);
            writes.push(RegisterWrite { register: self.collected.name.clone(), index, value: value.clone() });
        }
        writes.push(RegisterWrite { register: self.released.name.clone(), index: 0, value });
        writes
    }

    /// Returns the register with the full name `name`, if collection or configuration uses it.
    pub fn register(&self, name: &str) -> Option<&Register> {
        let flows = self.flows.iter().flat_map(|f| [&f.ids, &f.counts, &f.marks]);
        let slots = self.port_slots.iter().map(|p| &p.register);
        let meters = self.meters.iter().map(|m| &m.register);
        let pauses = self.pauses.iter().map(|p| &p.register);
        flows
            .chain(slots)
            .chain(meters)
            .chain(pauses)
            .chain([
                &self.freeze_state.register,
                &self.released,
                &self.collected,
                &self.port_config.register,
                &self.ecmp_seed,
                &self.pause_status.register,
                &self.pause_counts.register,
                &self.losses.register,
            ])
            .find(|r| r.name == name)
    }
}
