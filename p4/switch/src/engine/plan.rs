//! Lists of small steps that one operation carries out: moves of bits, fields taken out of a header or put into it.

use super::code::At;

/// What [`super::code::Op::Place`] does, where several are done by one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) dst: u16,
    pub(crate) a: u16,
    pub(crate) base: u16,
    pub(crate) cut: u8,
    pub(crate) by: u8,
    pub(crate) to: u8,
}

/// A part of a field in one limb, and where it is in its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) limb: At,
    /// First bit in the header.
    pub(crate) bit: u32,
    pub(crate) width: u8,
    /// First of eight bytes of the header that contain it.
    pub(crate) window: u32,
    /// Its first bit in these eight bytes, [`u8::MAX`] when no eight bytes contain all of it.
    pub(crate) lead: u8,
}

/// Extraction of a header of whole bytes.
#[derive(Clone, Debug)]
pub(crate) struct Extraction {
    pub(crate) bytes: u32,
    /// Whether every part has eight bytes of the header that contain it.
    pub(crate) simple: bool,
    pub(crate) loads: Vec<Part>,
    /// Limbs that become one: the validity.
    pub(crate) ones: Vec<At>,
    /// Limbs that become zero: validities of the other members of its union.
    pub(crate) zeros: Vec<At>,
    /// Receives the place in the packet, counted in bits from 1.
    pub(crate) origin: Option<At>,
}

/// Emission of a header of whole bytes.
#[derive(Clone, Debug)]
pub(crate) struct Emission {
    pub(crate) valid: At,
    /// Where in the packet it was extracted, counted in bits from 1; 0 when it was not.
    pub(crate) origin: At,
    pub(crate) bytes: u32,
    /// What may differ from the packet.
    pub(crate) stores: Vec<Part>,
}
