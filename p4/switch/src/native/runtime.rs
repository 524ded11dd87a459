//! Functions that translated programs call.
//!
//! Each has the same effect as the operation in [`crate::engine::run`]. Arguments are literals in translated code, so
//! functions are inlined and their loops unrolled.

use crate::engine::apply;
use crate::engine::code::Code;
use crate::engine::context::Context;
use crate::engine::run::{Limbs, run_rare};
use crate::state::State;

/// The packet, the state of the program and its bytecode, for a translated program.
#[derive(Debug)]
pub struct Runtime<'a> {
    pub(crate) code: &'a Code,
    pub(crate) cx: &'a mut Context,
    pub(crate) state: &'a mut State,
}

impl Runtime<'_> {
    /// Executes an operation that is not translated. Fails with the number of a parser error.
    #[inline]
    pub fn operation(&mut self, frame: &mut Limbs, pc: u32) -> Result<(), u64> {
        run_rare(self.code, &self.code.ops[pc as usize], frame, self.cx, self.state)
    }

    /// Counts a backward jump; returns false if the limit is reached.
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

    /// Applies a table. Returns the operation where its action starts, or `None` if there is nothing to run.
    #[inline]
    pub fn apply(&mut self, frame: &mut Limbs, site: u32) -> Option<u32> {
        apply::apply(self.code, &self.code.applies[site as usize], frame, self.cx, self.state)
    }

    /// Reads an element of a one-limb register; 0 if it is out of bounds.
    #[inline]
    pub fn read(&self, register: u32, index: u64) -> u64 {
        let values = self.state.registers.limbs(register);
        usize::try_from(index).ok().and_then(|index| values.get(index)).copied().unwrap_or(0)
    }

    /// Writes an element of a one-limb register; ignored if it is out of bounds.
    #[inline]
    pub fn write(&mut self, register: u32, index: u64, value: u64) {
        let values = self.state.registers.limbs_mut(register);
        if let Some(slot) = usize::try_from(index).ok().and_then(|index| values.get_mut(index)) {
            *slot = value;
        }
    }

    /// Reads an element of a register of `N` limbs; zeros if it is out of bounds.
    #[inline]
    pub fn read_limbs<const N: usize>(&self, register: u32, index: u64) -> [u64; N] {
        let values = self.state.registers.limbs(register);
        let start = usize::try_from(index).ok().and_then(|index| index.checked_mul(N));
        let element = start.and_then(|start| values.get(start..)).and_then(|rest| rest.first_chunk::<N>());
        element.copied().unwrap_or([0; N])
    }

    /// Writes an element of a register of `N` limbs; ignored if it is out of bounds.
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

    /// Reports a checksum error.
    #[inline]
    pub fn wrong_checksum(&mut self) {
        self.cx.requests.checksum_error = true;
    }

    /// Returns the next `N` bytes of the packet, unless fewer are stored or the parser is not at a byte boundary.
    #[inline]
    pub fn header<const N: usize>(&self) -> Option<&[u8; N]> {
        let cursor = self.cx.cursor;
        if !cursor.is_multiple_of(8) {
            return None;
        }
        let start = usize::try_from(cursor / 8).ok()?;
        self.cx.packet.head.get(start..)?.first_chunk::<N>()
    }

    /// Returns the position of the parser in the packet, in bits, counted from 1.
    #[inline]
    pub fn place(&self) -> u64 {
        self.cx.cursor + 1
    }

    /// Advances the parser; the caller has checked that the bits exist.
    #[inline]
    pub fn advance(&mut self, bits: u64) {
        self.cx.cursor += bits;
    }

    /// Extracts a header in any position. Fails with the number of a parser error.
    #[inline]
    pub fn extract(&mut self, frame: &mut Limbs, plan: u32) -> Result<(), u64> {
        self.cx.extract_fields(frame, &self.code.extracts[plan as usize], &self.code.errors)
    }

    /// Returns the `N` bytes of a header that leaves at its original position, and counts them as emitted; `None` for
    /// other headers.
    #[inline]
    pub fn emitted_in_place<const N: usize>(&mut self, origin: u64) -> Option<&mut [u8; N]> {
        self.cx.emitted_in_place::<N>(origin)
    }

    /// Emits a header in any position.
    #[inline]
    pub fn emit(&mut self, frame: &mut Limbs, plan: u32) {
        self.cx.emit_fields(frame, &self.code.emits[plan as usize]);
    }
}

/// Arithmetic on limbs. `cut` is 64 minus the width of the result.
pub mod words {
    use crate::engine::hash as algorithms;

    /// Returns the low `64 - cut` bits.
    #[inline]
    pub fn keep(value: u64, cut: u32) -> u64 {
        value << cut >> cut
    }

    /// Sign-extends a value of `64 - from` bits to `64 - cut` bits.
    #[inline]
    pub fn sign_extend(value: u64, from: u32, cut: u32) -> u64 {
        keep(((value << from) as i64 >> from) as u64, cut)
    }

    /// Shifts left; shifts of 64 and more give 0.
    #[inline]
    pub fn shift_left(value: u64, by: u64, cut: u32) -> u64 {
        let by = u32::try_from(by).unwrap_or(u32::MAX);
        keep(value.checked_shl(by).unwrap_or(0), cut)
    }

    /// Shifts right; shifts of 64 and more give 0.
    #[inline]
    pub fn shift_right(value: u64, by: u64) -> u64 {
        let by = u32::try_from(by).unwrap_or(u32::MAX);
        value.checked_shr(by).unwrap_or(0)
    }

    /// Adds two limbs and a carry.
    #[inline]
    pub fn add(a: u64, b: u64, carry: bool) -> (u64, bool) {
        a.carrying_add(b, carry)
    }

    /// Subtracts a limb and a borrow.
    #[inline]
    pub fn subtract(a: u64, b: u64, borrow: bool) -> (u64, bool) {
        a.borrowing_sub(b, borrow)
    }

    /// Loads eight bytes of a header in network byte order.
    #[inline]
    pub fn load<const N: usize>(header: &[u8; N], at: usize) -> u64 {
        header
            .get(at..)
            .and_then(|rest| rest.first_chunk::<8>())
            .map_or(0, |bytes| u64::from_be_bytes(*bytes))
    }

    /// Stores eight bytes of a header in network byte order.
    #[inline]
    pub fn store<const N: usize>(header: &mut [u8; N], at: usize, word: u64) {
        if let Some(bytes) = header.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<8>()) {
            *bytes = word.to_be_bytes();
        }
    }

    /// Computes the CRC-32 of the first `bytes` bytes of limbs, from the highest byte of the last limb on.
    #[inline]
    pub fn crc32<const N: usize>(limbs: [u64; N], bytes: usize) -> u64 {
        algorithms::crc32_limbs(&limbs, bytes)
    }

    /// Computes the Internet checksum from a sum of terms ([`sum`]).
    #[inline]
    pub fn checksum(sum: u64) -> u64 {
        algorithms::csum16_limbs(&[sum])
    }

    /// Adds in ones' complement.
    #[inline]
    pub fn sum(a: u64, b: u64) -> u64 {
        let (sum, carry) = a.overflowing_add(b);
        sum + u64::from(carry)
    }

    /// Reduces a hash to a range of `most` values; 0 if `most` is 0.
    #[inline]
    pub fn remainder(hash: u64, most: u64) -> u64 {
        if most.is_power_of_two() { hash & (most - 1) } else { hash.checked_rem(most).unwrap_or(0) }
    }
}
