//! What translated programs call.
//!
//! Everything here does what [`crate::engine::run`] does for the same operation. Arguments are literals in translated
//! code, so that functions are inlined and their loops unrolled.

use crate::engine::apply;
use crate::engine::code::Code;
use crate::engine::context::Context;
use crate::engine::run::{Limbs, run_rare};
use crate::state::State;

/// The packet, the program's state and its code, as a translated program sees them.
#[derive(Debug)]
pub struct Runtime<'a> {
    pub(crate) code: &'a Code,
    pub(crate) cx: &'a mut Context,
    pub(crate) state: &'a mut State,
}

impl Runtime<'_> {
    /// Carries out an operation that is not translated; fails with the number of a parser's error.
    #[inline]
    pub fn operation(&mut self, frame: &mut Limbs, pc: u32) -> Result<(), u64> {
        run_rare(self.code, &self.code.ops[pc as usize], frame, self.cx, self.state)
    }

    /// Whether one more jump backwards is allowed.
    #[inline]
    pub fn jump_back(&mut self) -> bool {
        match self.cx.jumps_left.checked_sub(1) {
            Some(left) => {
                self.cx.jumps_left = left;
                true
            }
            None => false,
        }
    }

    /// Applies a table; the number of the operation where its action begins, unless there is nothing to run.
    #[inline]
    pub fn apply(&mut self, frame: &mut Limbs, site: u32) -> Option<u32> {
        apply::apply(self.code, &self.code.applies[site as usize], frame, self.cx, self.state)
    }

    /// An element of a register of one limb; 0 when there is none.
    #[inline]
    pub fn read(&self, register: u32, index: u64) -> u64 {
        let values = self.state.registers.limbs(register);
        usize::try_from(index).ok().and_then(|index| values.get(index)).copied().unwrap_or(0)
    }

    /// Replaces an element of a register of one limb; nothing happens when there is none.
    #[inline]
    pub fn write(&mut self, register: u32, index: u64, value: u64) {
        let values = self.state.registers.limbs_mut(register);
        if let Some(slot) = usize::try_from(index).ok().and_then(|index| values.get_mut(index)) {
            *slot = value;
        }
    }

    /// An element of a register of `N` limbs; zeros when there is none.
    #[inline]
    pub fn read_limbs<const N: usize>(&self, register: u32, index: u64) -> [u64; N] {
        let values = self.state.registers.limbs(register);
        let start = usize::try_from(index).ok().and_then(|index| index.checked_mul(N));
        let element = start.and_then(|start| values.get(start..)).and_then(|rest| rest.first_chunk::<N>());
        element.copied().unwrap_or([0; N])
    }

    /// Replaces an element of a register of `N` limbs; nothing happens when there is none.
    #[inline]
    pub fn write_limbs<const N: usize>(&mut self, register: u32, index: u64, limbs: [u64; N]) {
        let values = self.state.registers.limbs_mut(register);
        let start = usize::try_from(index).ok().and_then(|index| index.checked_mul(N));
        let element =
            start.and_then(|start| values.get_mut(start..)).and_then(|rest| rest.first_chunk_mut::<N>());
        if let Some(element) = element {
            *element = limbs;
        }
    }

    /// Says that a checksum was wrong.
    #[inline]
    pub fn wrong_checksum(&mut self) {
        self.cx.requests.checksum_error = true;
    }

    /// The next `N` bytes of the packet, unless it has fewer that are kept or the parser stands inside of a byte.
    #[inline]
    pub fn header<const N: usize>(&self) -> Option<&[u8; N]> {
        let cursor = self.cx.cursor;
        if !cursor.is_multiple_of(8) {
            return None;
        }
        let start = usize::try_from(cursor / 8).ok()?;
        self.cx.packet.head.get(start..)?.first_chunk::<N>()
    }

    /// The parser's place in the packet in bits, counted from 1.
    #[inline]
    pub fn place(&self) -> u64 {
        self.cx.cursor + 1
    }

    /// Moves the parser on; the bits have been seen to be there.
    #[inline]
    pub fn advance(&mut self, bits: u64) {
        self.cx.cursor += bits;
    }

    /// Extracts a header wherever it is; fails with the number of the parser's error.
    #[inline]
    pub fn extract(&mut self, frame: &mut Limbs, plan: u32) -> Result<(), u64> {
        self.cx.extract_fields(frame, &self.code.extracts[plan as usize], &self.code.errors)
    }

    /// The `N` bytes of a header that leaves where it came in, which count as emitted then; nothing for others.
    #[inline]
    pub fn emitted_in_place<const N: usize>(&mut self, origin: u64) -> Option<&mut [u8; N]> {
        self.cx.emitted_in_place::<N>(origin)
    }

    /// Emits a header wherever it came from.
    #[inline]
    pub fn emit(&mut self, frame: &mut Limbs, plan: u32) {
        self.cx.emit_fields(frame, &self.code.emits[plan as usize]);
    }
}

/// Arithmetic on limbs. `cut` is 64 less the width of the result.
pub mod words {
    use crate::engine::hash as algorithms;

    /// The low `64 - cut` bits.
    #[inline]
    pub fn keep(value: u64, cut: u32) -> u64 {
        value << cut >> cut
    }

    /// Sign-extends a value of `64 - from` bits to `64 - cut` bits.
    #[inline]
    pub fn sign_extend(value: u64, from: u32, cut: u32) -> u64 {
        keep(((value << from) as i64 >> from) as u64, cut)
    }

    /// Shifts left; everything is gone from 64 bits on.
    #[inline]
    pub fn shift_left(value: u64, by: u64, cut: u32) -> u64 {
        let by = u32::try_from(by).unwrap_or(u32::MAX);
        keep(value.checked_shl(by).unwrap_or(0), cut)
    }

    /// Shifts right; everything is gone from 64 bits on.
    #[inline]
    pub fn shift_right(value: u64, by: u64) -> u64 {
        let by = u32::try_from(by).unwrap_or(u32::MAX);
        value.checked_shr(by).unwrap_or(0)
    }

    /// A sum of three with its carry.
    #[inline]
    pub fn add(a: u64, b: u64, carry: bool) -> (u64, bool) {
        a.carrying_add(b, carry)
    }

    /// A difference with its borrow.
    #[inline]
    pub fn subtract(a: u64, b: u64, borrow: bool) -> (u64, bool) {
        a.borrowing_sub(b, borrow)
    }

    /// Eight bytes of a header, the first one highest.
    #[inline]
    pub fn load<const N: usize>(header: &[u8; N], at: usize) -> u64 {
        header
            .get(at..)
            .and_then(|rest| rest.first_chunk::<8>())
            .map_or(0, |bytes| u64::from_be_bytes(*bytes))
    }

    /// Replaces eight bytes of a header.
    #[inline]
    pub fn store<const N: usize>(header: &mut [u8; N], at: usize, word: u64) {
        if let Some(bytes) = header.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<8>()) {
            *bytes = word.to_be_bytes();
        }
    }

    /// The CRC-32 of the first `bytes` bytes of limbs, the highest byte of the last limb first.
    #[inline]
    pub fn crc32<const N: usize>(limbs: [u64; N], bytes: usize) -> u64 {
        algorithms::crc32_limbs(&limbs, bytes)
    }

    /// The Internet checksum of a sum of terms ([`sum`]).
    #[inline]
    pub fn checksum(sum: u64) -> u64 {
        algorithms::csum16_limbs(&[sum])
    }

    /// A ones' complement sum.
    #[inline]
    pub fn sum(a: u64, b: u64) -> u64 {
        let (sum, carry) = a.overflowing_add(b);
        sum + u64::from(carry)
    }

    /// What remains of a hash for a range of `most` values; all of it for none means 0.
    #[inline]
    pub fn remainder(hash: u64, most: u64) -> u64 {
        if most.is_power_of_two() { hash & (most - 1) } else { hash.checked_rem(most).unwrap_or(0) }
    }
}
