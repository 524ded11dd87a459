//! A value as a sequence of pieces of limbs.
//!
//! Slices, concatenations, casts and shifts by constants only rearrange bits. The compiler represents such values as
//! lists of pieces and generates code once, for the resulting limbs: a chain of ten concatenations costs one
//! operation per piece instead of ten copies of a growing value.

use smallvec::SmallVec;

use super::super::code::At;
use crate::limbs;

/// The source of a piece's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BitSource {
    /// Constant bits.
    Number(u64),
    /// Bits of a limb from `low` on; those from `bits` on are zero.
    Limb { at: At, low: u32, bits: u32 },
}

/// Adjacent bits from one source, at most 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) source: BitSource,
    pub(super) width: u32,
}

impl Piece {
    /// Returns bits `low..low + width` of the piece.
    fn cut(self, low: u32, width: u32) -> Piece {
        let source = match self.source {
            BitSource::Number(value) => BitSource::Number((value >> low) & limbs::low_mask(width)),
            BitSource::Limb { at, low: first, bits } => BitSource::Limb { at, low: first + low, bits },
        };
        Piece { source, width }
    }

    /// Joins this piece with `next` above it, if they are adjacent in one source.
    fn join(self, next: Piece) -> Option<Piece> {
        let width = self.width + next.width;
        if width > 64 {
            return None;
        }
        let source = match (self.source, next.source) {
            (BitSource::Number(low), BitSource::Number(high)) => BitSource::Number(low | high << self.width),
            (BitSource::Limb { at, low, bits }, BitSource::Limb { at: other, low: above, .. })
                if at == other && low + self.width == above =>
            {
                BitSource::Limb { at, low, bits }
            }
            _ => return None,
        };
        Some(Piece { source, width })
    }
}

/// A piece and its position in the target limb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) piece: Piece,
    /// Its lowest bit in the target limb.
    pub(super) at: u32,
}

/// A value as pieces, least significant first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pieces {
    list: SmallVec<[Piece; 4]>,
}

impl Pieces {
    /// Returns a value that is stored in limbs from `at` on.
    pub(super) fn of_limbs(at: At, width: u32) -> Pieces {
        let mut made = Pieces::default();
        let mut left = width;
        for limb in 0..limbs::count(width) as u32 {
            let bits = left.min(64);
            made.push(Piece { source: BitSource::Limb { at: at + limb, low: 0, bits }, width: bits });
            left = left.saturating_sub(64);
        }
        made
    }

    /// Returns a constant.
    pub(super) fn of_number(value: &[u64], width: u32) -> Pieces {
        let mut made = Pieces::default();
        for limb in 0..limbs::count(width) {
            let bits = (width - limb as u32 * 64).min(64);
            let value = value.get(limb).copied().unwrap_or(0) & limbs::low_mask(bits);
            made.push(Piece { source: BitSource::Number(value), width: bits });
        }
        made
    }

    pub(super) fn width(&self) -> u32 {
        self.list.iter().map(|p| p.width).sum()
    }

    fn push(&mut self, piece: Piece) {
        if piece.width == 0 {
            return;
        }
        match self.list.last_mut().and_then(|last| Some((last.join(piece)?, last))) {
            Some((joined, last)) => *last = joined,
            None => self.list.push(piece),
        }
    }

    /// Appends a value in the high bits.
    pub(super) fn append(&mut self, high: &Pieces) {
        for piece in &high.list {
            self.push(*piece);
        }
    }

    /// Appends zeros in the high bits.
    pub(super) fn append_zeros(&mut self, width: u32) {
        self.append(&Pieces::of_number(&[], width));
    }

    /// Returns bits `low..low + width`; missing bits are zero.
    pub(super) fn slice(&self, low: u32, width: u32) -> Pieces {
        let mut made = Pieces::default();
        let (mut start, end) = (0, low.saturating_add(width));
        for piece in &self.list {
            let (from, to) = (start.max(low), (start + piece.width).min(end));
            if from < to {
                made.push(piece.cut(from - start, to - from));
            }
            start += piece.width;
        }
        let missing = width - made.width();
        made.append_zeros(missing);
        made
    }

    /// Returns the first limb of the value, if it is already stored in consecutive limbs.
    pub(super) fn in_place(&self) -> Option<At> {
        let Some(Piece { source: BitSource::Limb { at: first, .. }, .. }) = self.list.first() else {
            return None;
        };
        let fits = |limb: u32| match self.limb(limb).as_slice() {
            [
                Placed { piece: Piece { source: BitSource::Limb { at, low: 0, bits }, width }, .. },
                rest @ ..,
            ] => {
                let zeros = |p: &Placed| p.piece.source == BitSource::Number(0);
                *at == first + limb && *width == *bits && rest.iter().all(zeros)
            }
            _ => false,
        };
        (0..limbs::count(self.width()) as u32).all(fits).then_some(*first)
    }

    /// Returns the pieces of limb number `limb`, each inside that limb.
    pub(super) fn limb(&self, limb: u32) -> SmallVec<[Placed; 4]> {
        let width = self.width().saturating_sub(limb * 64).min(64);
        let mut at = 0;
        let placed = |piece: &Piece| {
            let placed = Placed { piece: *piece, at };
            at += piece.width;
            placed
        };
        self.slice(limb * 64, width).list.iter().map(placed).collect()
    }

    /// Whether any bit comes from limb `at`.
    pub(super) fn reads(&self, at: At) -> bool {
        self.list.iter().any(|p| matches!(p.source, BitSource::Limb { at: limb, .. } if limb == at))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FRAME: [u64; 4] =
        [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 0x0f1e_2d3c_4b5a_6978, 0x1122_3344_5566_7788];

    /// Returns the bits of a value, least significant first.
    fn bits(pieces: &Pieces) -> Vec<bool> {
        let mut made = Vec::new();
        for limb in 0..limbs::count(pieces.width()) as u32 {
            for placed in pieces.limb(limb) {
                assert_eq!(made.len() as u32, limb * 64 + placed.at);
                let value = match placed.piece.source {
                    BitSource::Number(value) => value,
                    BitSource::Limb { at, low, .. } => FRAME[at as usize] >> low,
                };
                made.extend((0..placed.piece.width).map(|bit| value >> bit & 1 == 1));
            }
        }
        made
    }

    fn value(limb: u32, number: u64, width: u32, constant: bool) -> (Pieces, Vec<bool>) {
        let (pieces, limbs) = match constant {
            true => (Pieces::of_number(&[number, !number], width), vec![number, !number]),
            false => (Pieces::of_limbs(limb, width), FRAME[limb as usize..].to_vec()),
        };
        let expected = (0..width as usize).map(|i| limbs[i / 64] >> (i % 64) & 1 == 1).collect();
        (pieces, expected)
    }

    proptest! {
        #[test]
        fn slices_and_concatenations_rearrange_bits(parts: Vec<(u8, u64, u8, bool, u8, u8)>) {
            let (mut whole, mut expected) = (Pieces::default(), Vec::<bool>::new());
            for (limb, number, width, constant, low, cut) in parts {
                let width = u32::from(width) % 128 + 1;
                let (part, mut part_bits) = value(u32::from(limb) % 3, number, width, constant);
                let (low, cut) = (u32::from(low) % 130, u32::from(cut) % 130);
                part_bits.resize(260, false);
                whole.append(&part.slice(low, cut));
                expected.extend(&part_bits[low as usize..(low + cut) as usize]);
                prop_assert_eq!(bits(&whole), expected.clone());
            }
        }
    }

    #[test]
    fn detects_values_that_are_already_in_place() {
        let whole = Pieces::of_limbs(7, 150);
        assert_eq!(whole.in_place(), Some(7));
        assert_eq!(whole.slice(0, 64).in_place(), Some(7));
        assert_eq!(whole.slice(64, 86).in_place(), Some(8));
        assert_eq!(whole.slice(1, 64).in_place(), None);
        assert_eq!(whole.slice(0, 63).in_place(), None);
        let mut wider = Pieces::of_limbs(7, 10);
        wider.append_zeros(22);
        assert_eq!(wider.in_place(), Some(7));
        wider.append_zeros(40);
        assert_eq!(wider.in_place(), None);
        let mut other = whole.slice(0, 64);
        other.append(&Pieces::of_limbs(9, 5));
        assert_eq!(other.in_place(), None);
        let mut again = whole.slice(0, 70);
        again.append(&whole.slice(70, 80));
        assert_eq!(again, whole);
    }
}
