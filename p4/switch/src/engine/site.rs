//! Operations with many operands: externs, and headers that are selected at run time.

use p4_lang::ir::HashAlgorithm;

use super::code::At;
use super::layout::Slot;

/// The unit of a meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MeterUnit {
    Packets,
    Bytes,
}

/// Data to be hashed.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    /// Consecutive fields.
    Fields(Vec<Slot>),
    /// A value of `bytes` bytes, padded with zeros to whole limbs; the first byte is the highest of the last limb.
    Packed { at: At, limbs: u32, bytes: u32 },
    /// The terms of an Internet checksum, a range of [`super::code::Code::pieces`]. Their sum equals that of the
    /// 16-bit words of the value ([`super::hash::csum16_pieces`]).
    Sum { first: u32, count: u32 },
}

/// An operation with many operands.
#[derive(Clone, Debug)]
pub(crate) enum Site {
    RegisterRead {
        register: u32,
        targets: Vec<Slot>,
        index: At,
    },
    RegisterWrite {
        register: u32,
        index: At,
        values: Vec<Slot>,
    },
    MeterExecute {
        meter: u32,
        index: At,
        unit: MeterUnit,
        dst: Slot,
    },
    DirectMeterRead {
        dst: Slot,
    },
    Hash {
        dst: Slot,
        algorithm: HashAlgorithm,
        base: Slot,
        data: Data,
        max: Slot,
    },
    Random {
        dst: Slot,
        low: Slot,
        high: Slot,
    },
    Digest {
        digest: u32,
        fields: Vec<Slot>,
    },
    Clone {
        session: At,
        field_list: Option<u8>,
    },
    Resubmit {
        field_list: Option<u8>,
    },
    Recirculate {
        field_list: Option<u8>,
    },
    Truncate {
        bytes: At,
    },
    Checksum {
        data: Data,
        field: Slot,
        algorithm: HashAlgorithm,
        with_payload: bool,
        update: bool,
    },
    Assert {
        text: String,
        assume: bool,
    },
    LogMsg {
        format: String,
        args: Vec<Slot>,
    },
    /// Returns the number of the header at an index of a stack; [`super::code::NO_HEADER`] if it is out of bounds.
    Element {
        dst: At,
        headers: Vec<u32>,
        index: At,
    },
    /// Returns the number of the next (or, with `last`, the last) header of a stack; rejects with `error` if there is
    /// none.
    NextOrLast {
        dst: At,
        headers: Vec<u32>,
        next_index: At,
        last: bool,
        error: At,
    },
    /// Loads a field of the header whose number is in a limb.
    LoadField {
        dst: Slot,
        header: At,
        offset: u32,
    },
    StoreField {
        header: At,
        offset: u32,
        src: Slot,
    },
    Push {
        stack: u32,
        count: u32,
    },
    Pop {
        stack: u32,
        count: u32,
    },
    /// Tests whether a key is a member of a value set.
    InValueSet {
        dst: At,
        set: u32,
        key_at: At,
        key_limbs: u32,
    },
}
