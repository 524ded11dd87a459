//! What machine code reads besides the frame, and the functions that it calls for operations that it does not contain.

use std::mem::offset_of;

use super::ending;
use crate::engine::apply;
use crate::engine::code::Code;
use crate::engine::context::Context;
use crate::engine::hash;
use crate::engine::run::{Limbs, clear, copy_many, run_rare};
use crate::state::State;

/// The packet, the state and the bytecode of a pass, at fixed places for machine code.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Pass<'a> {
    /// The stored bytes of the packet. Functions that use the packet derive the pointer again.
    pub(super) head: *mut u8,
    pub(super) head_bytes: u64,
    /// The limbs of all register arrays.
    pub(super) registers: *mut u64,
    pub(super) cx: *mut Context,
    pub(super) state: *mut State,
    pub(super) code: &'a Code,
    /// Whether all headers so far were emitted in place: 0 or 1.
    pub(super) all_in_place: u64,
}

/// Offsets in [`Pass`].
pub(super) const HEAD: usize = offset_of!(Pass<'static>, head);
pub(super) const HEAD_BYTES: usize = offset_of!(Pass<'static>, head_bytes);
pub(super) const REGISTERS: usize = offset_of!(Pass<'static>, registers);
pub(super) const CX: usize = offset_of!(Pass<'static>, cx);
pub(super) const ALL_IN_PLACE: usize = offset_of!(Pass<'static>, all_in_place);

/// A function that machine code calls: frame, pass, and up to three numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Helper {
    /// Executes the operation with this number.
    Operation,
    /// Applies a table.
    Apply,
    /// Extracts a header by its plan.
    Extract,
    /// Emits a header by its plan.
    Emit,
    /// Copies limbs: destination, source, number.
    CopyMany,
    /// Clears limbs: first, number.
    Clear,
    /// Computes the CRC-32 of limbs: first, number, bytes.
    Crc32,
}

impl Helper {
    pub(super) const ALL: [Helper; 7] = [
        Helper::Operation,
        Helper::Apply,
        Helper::Extract,
        Helper::Emit,
        Helper::CopyMany,
        Helper::Clear,
        Helper::Crc32,
    ];

    /// Returns its name as a symbol, its address, and the number of its numbers.
    pub(super) fn symbol(self) -> (&'static str, *const u8, usize) {
        match self {
            Helper::Operation => ("operation", operation as *const u8, 1),
            Helper::Apply => ("apply", apply_table as *const u8, 1),
            Helper::Extract => ("extract", extract as *const u8, 1),
            Helper::Emit => ("emit", emit as *const u8, 1),
            Helper::CopyMany => ("copy_many", copy_limbs as *const u8, 3),
            Helper::Clear => ("clear", clear_limbs as *const u8, 2),
            Helper::Crc32 => ("crc32", crc32 as *const u8, 3),
        }
    }
}

// Each helper is `unsafe` because it takes pointers: machine code passes the two that `MachineCode::run` gave it, which are
// valid and not otherwise used while the code runs. A panic, which only a broken invariant causes, ends the process,
// because an `extern "C"` function does not unwind.

/// Returns 0, or the ending with a parser error.
unsafe extern "C" fn operation(frame: *mut Limbs, pass: *mut Pass<'_>, pc: u64) -> u64 {
    // SAFETY: see above.
    let (frame, pass) = unsafe { (&mut *frame, &mut *pass) };
    // SAFETY: the pointers in a pass are valid and not otherwise used while machine code runs.
    let (cx, state) = unsafe { (&mut *pass.cx, &mut *pass.state) };
    let result = run_rare(pass.code, &pass.code.ops[pc as usize], frame, cx, state);
    pass.all_in_place = u64::from(cx.out.is_empty());
    pass.head = cx.packet.head.as_mut_ptr();
    result.map_or_else(ending::rejected, |()| 0)
}

/// Returns 0 if there is nothing to run, or the start of the action's code and 1.
unsafe extern "C" fn apply_table(frame: *mut Limbs, pass: *mut Pass<'_>, site: u64) -> u64 {
    // SAFETY: see above.
    let (frame, pass) = unsafe { (&mut *frame, &mut *pass) };
    // SAFETY: the pointers in a pass are valid and not otherwise used while machine code runs.
    let (cx, state) = unsafe { (&mut *pass.cx, &mut *pass.state) };
    let entry = apply::apply(pass.code, &pass.code.applies[site as usize], frame, cx, state);
    entry.map_or(0, |pc| u64::from(pc) + 1)
}

/// Returns 0, or the ending with a parser error.
unsafe extern "C" fn extract(frame: *mut Limbs, pass: *mut Pass<'_>, plan: u64) -> u64 {
    // SAFETY: see above.
    let (frame, pass) = unsafe { (&mut *frame, &mut *pass) };
    // SAFETY: the pointer in a pass is valid and not otherwise used while machine code runs.
    let cx = unsafe { &mut *pass.cx };
    let result = cx.extract_fields(frame, &pass.code.extracts[plan as usize], &pass.code.errors);
    pass.head = cx.packet.head.as_mut_ptr();
    result.map_or_else(ending::rejected, |()| 0)
}

unsafe extern "C" fn emit(frame: *mut Limbs, pass: *mut Pass<'_>, plan: u64) -> u64 {
    // SAFETY: see above.
    let (frame, pass) = unsafe { (&mut *frame, &mut *pass) };
    // SAFETY: the pointer in a pass is valid and not otherwise used while machine code runs.
    let cx = unsafe { &mut *pass.cx };
    cx.emit_fields(frame, &pass.code.emits[plan as usize]);
    pass.all_in_place = u64::from(cx.out.is_empty());
    pass.head = cx.packet.head.as_mut_ptr();
    0
}

unsafe extern "C" fn copy_limbs(frame: *mut Limbs, _: *mut Pass<'_>, dst: u64, src: u64, count: u64) -> u64 {
    // SAFETY: see above.
    copy_many(unsafe { &mut *frame }, dst as u32, src as u32, count as u32);
    0
}

unsafe extern "C" fn clear_limbs(frame: *mut Limbs, _: *mut Pass<'_>, at: u64, count: u64) -> u64 {
    // SAFETY: see above.
    clear(unsafe { &mut *frame }, at as u32, count as u32);
    0
}

unsafe extern "C" fn crc32(frame: *mut Limbs, _: *mut Pass<'_>, at: u64, limbs: u64, bytes: u64) -> u64 {
    // SAFETY: see above.
    let frame = unsafe { &*frame };
    hash::crc32_limbs(&frame[at as usize..(at + limbs) as usize], bytes as usize)
}
