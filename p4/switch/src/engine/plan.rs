//! Lists of small steps that one operation executes: moves of bits, and accesses to the fields of a header.

use super::code::At;
use crate::limbs::low_mask;

/// A move of bits: `dst = base | (a` rotated left and masked`)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) mask: u64,
    pub(crate) a: u16,
    pub(crate) base: u16,
    pub(crate) dst: u16,
    pub(crate) turn: u8,
}

impl Piece {
    /// Returns the bits at their destination, given the source limb.
    #[inline]
    pub(crate) fn of(&self, limb: u64) -> u64 {
        limb.rotate_left(u32::from(self.turn)) & self.mask
    }
}

/// The part of a field that is in one limb, and its position in the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) limb: At,
    /// Its first bit in the header.
    pub(crate) bit: u32,
    pub(crate) width: u8,
    /// First of eight bytes of the header that contain it.
    pub(crate) window: u32,
    /// Its first bit in these eight bytes; [`u8::MAX`] if no eight bytes contain all of it.
    pub(crate) lead: u8,
}

/// Eight bytes of a header and the fields that are loaded from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// The first byte.
    pub(crate) at: u32,
    /// Index after the last of its [`Extraction::cuts`].
    pub(crate) end: u32,
}

/// A field loaded from eight bytes: shifted left, then right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) limb: u16,
    pub(crate) left: u8,
    pub(crate) right: u8,
}

/// Extraction of a header of whole bytes.
#[derive(Clone, Debug)]
pub(crate) struct Extraction {
    pub(crate) bytes: u32,
    /// The extracted parts.
    pub(crate) loads: Vec<Part>,
    /// The same parts with as few loads as possible; empty if a part does not lie in eight bytes of the header.
    pub(crate) windows: Vec<Window>,
    pub(crate) cuts: Vec<Cut>,
    /// Limbs that are set to one: the validity.
    pub(crate) ones: Vec<At>,
    /// Limbs that are cleared: the validity of the other members of its union.
    pub(crate) zeros: Vec<At>,
    /// Limb that receives the position in the packet, in bits counted from 1.
    pub(crate) origin: Option<At>,
}

impl Extraction {
    /// Computes windows and cuts for the remaining parts.
    pub(crate) fn settle(&mut self) {
        self.windows.clear();
        self.cuts.clear();
        let last = self.bytes.saturating_sub(8);
        let narrow = self.loads.iter().any(|load| load.limb > u32::from(u16::MAX));
        if self.bytes < 8 || narrow || self.loads.iter().any(|load| load.lead == u8::MAX) {
            return;
        }
        let mut loads = self.loads.clone();
        loads.sort_by_key(|load| load.bit);
        for load in &loads {
            let width = u32::from(load.width);
            let inside = |at: u32| load.bit >= at * 8 && load.bit + width <= (at + 8) * 8;
            let at = match self.windows.last() {
                Some(window) if inside(window.at) => window.at,
                _ => {
                    let at = (load.bit / 8).min(last);
                    self.windows.push(Window { at, end: 0 });
                    at
                }
            };
            let left = (load.bit - at * 8) as u8;
            self.cuts.push(Cut { limb: load.limb as u16, left, right: 64 - load.width });
            if let Some(window) = self.windows.last_mut() {
                window.end = self.cuts.len() as u32;
            }
        }
    }
}

/// Emission of a header of whole bytes.
#[derive(Clone, Debug)]
pub(crate) struct Emission {
    pub(crate) valid: At,
    /// Limb of the position where it was extracted, in bits counted from 1; the limb is 0 if it was not extracted.
    pub(crate) origin: At,
    pub(crate) bytes: u32,
    /// The parts that may have changed.
    pub(crate) stores: Vec<Part>,
    /// The same parts by eight bytes of the header; empty for shorter headers.
    pub(crate) patches: Vec<Patch>,
    pub(crate) pieces: Vec<Piece>,
}

/// Eight bytes of a header that may have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patch {
    /// The first byte.
    pub(crate) at: u32,
    /// Index after the last of its [`Emission::pieces`].
    pub(crate) end: u32,
    /// Mask of the bits that do not change.
    pub(crate) kept: u64,
}

impl Emission {
    /// Computes patches and pieces. The last eight bytes may overlap the previous ones; the overlap is written twice.
    pub(crate) fn settle(&mut self) {
        let Some(last) = self.bytes.checked_sub(8) else { return };
        if self.stores.iter().any(|store| store.limb > u32::from(u16::MAX)) {
            return;
        }
        for at in (0..last).step_by(8).chain([last]) {
            let (start, end) = (at * 8, at * 8 + 64);
            let mut kept = u64::MAX;
            for store in &self.stores {
                let (from, to) = (store.bit.max(start), (store.bit + u32::from(store.width)).min(end));
                if from >= to {
                    continue;
                }
                let mask = low_mask(to - from) << (end - to);
                let turn = (end + 64 - store.bit - u32::from(store.width)) % 64;
                let (a, turn) = (store.limb as u16, turn as u8);
                self.pieces.push(Piece { mask, a, base: 0, dst: 0, turn });
                kept &= !mask;
            }
            if kept != u64::MAX {
                self.patches.push(Patch { at, end: self.pieces.len() as u32, kept });
            }
        }
    }
}
