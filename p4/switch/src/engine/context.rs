//! State of a pass outside the frame: packet, requests of the program, time, random numbers, events.

use std::mem::offset_of;

use model::Time;
use model::wire::Frame;
use p4_lang::ir::Bits;
use rand_core::SeedableRng;
use rand_xoshiro::SplitMix64;

use super::bits::{self, BitWriter};
use super::code::{Emission, ErrorNumbers, Extraction};
use super::hash::{Crc, CrcParameters};
use super::layout::HeaderLayout;
use super::run::Limbs;
use crate::event::Event;
use crate::ports::DownPorts;
use crate::trace::{Step, TraceLog};

/// Operations that the program requested in a pass; the switch executes them at the end of the block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requests {
    /// Session and field list.
    pub(crate) clone: Option<(u32, Option<u8>)>,
    /// Field list.
    pub(crate) resubmit: Option<Option<u8>>,
    /// Field list.
    pub(crate) recirculate: Option<Option<u8>>,
    /// Length in bytes to truncate to.
    pub(crate) truncate: Option<u64>,
    pub(crate) digests: Vec<(u32, Vec<Bits>)>,
    pub(crate) checksum_error: bool,
}

impl Requests {
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.clone = None;
        self.resubmit = None;
        self.recirculate = None;
        self.truncate = None;
        self.digests.clear();
        self.checksum_error = false;
    }
}

/// A buffer of events with a limit.
#[derive(Clone, Debug)]
pub(crate) struct Events {
    pub(crate) waiting: Vec<Event>,
    pub(crate) lost: u64,
    limit: usize,
}

impl Events {
    pub(crate) fn new(limit: usize) -> Events {
        Events { waiting: Vec::new(), lost: 0, limit }
    }

    pub(crate) fn push(&mut self, event: Event) {
        if self.waiting.len() < self.limit {
            self.waiting.push(event);
        } else {
            self.lost += 1;
        }
    }
}

/// The custom CRC algorithms, whose parameters a driver may set.
#[derive(Clone, Debug)]
pub(crate) struct CustomCrc {
    pub(crate) crc16: Crc,
    pub(crate) crc32: Crc,
}

impl Default for CustomCrc {
    fn default() -> CustomCrc {
        CustomCrc { crc16: Crc::new(16, CrcParameters::CRC16), crc32: Crc::new(32, CrcParameters::CRC32) }
    }
}

/// Everything that a pass uses except the frame.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) now: Time,
    /// The received packet. Boxed, because it moves through the queue.
    pub(crate) packet: Box<Frame>,
    /// Number of bits that the parser has consumed.
    pub(crate) cursor: u64,
    /// Number of bits that were emitted in place, in the packet itself; all other output is in `out`.
    in_place: u64,
    /// Output of the deparser.
    pub(crate) out: BitWriter,
    pub(crate) requests: Requests,
    /// Packet length in bytes, for counters and meters.
    pub(crate) packet_bytes: u64,
    /// Colour of the direct meter of the last matching entry.
    pub(crate) colour: u64,
    /// Backward jumps that are left, and the number at the start of the pass.
    pub(crate) jumps_left: u32,
    pub(crate) jumps_allowed: u32,
    pub(crate) events: Events,
    pub(crate) random: SplitMix64,
    pub(crate) down: DownPorts,
    pub(crate) custom_crc: CustomCrc,
    /// Buffer for data to be hashed.
    pub(crate) data: BitWriter,
    pub(crate) calls: Vec<u32>,
    /// When an entry may have become idle.
    pub(crate) idle_check: Option<Time>,
    /// Packet number, for traces.
    pub(crate) packet_id: u64,
    /// The trace log; `None` if tracing is disabled.
    pub(crate) trace: Option<TraceLog>,
}

/// Offsets of the fields of a context that machine code accesses.
pub(crate) const CURSOR: usize = offset_of!(Context, cursor);
pub(crate) const IN_PLACE: usize = offset_of!(Context, in_place);
pub(crate) const JUMPS_LEFT: usize = offset_of!(Context, jumps_left);
pub(crate) const CHECKSUM_ERROR: usize = offset_of!(Context, requests.checksum_error);

impl Context {
    pub(crate) fn new(events: usize, seed: u64) -> Context {
        Context {
            now: Time::ZERO,
            packet: Box::default(),
            cursor: 0,
            in_place: 0,
            out: BitWriter::default(),
            requests: Requests::default(),
            packet_bytes: 0,
            colour: 0,
            jumps_left: 0,
            jumps_allowed: 0,
            events: Events::new(events),
            random: SplitMix64::seed_from_u64(seed),
            down: DownPorts::default(),
            custom_crc: CustomCrc::default(),
            data: BitWriter::default(),
            calls: Vec::new(),
            idle_check: None,
            packet_id: 0,
            trace: None,
        }
    }

    pub(crate) fn restart_random(&mut self, seed: u64) {
        self.random = SplitMix64::seed_from_u64(seed);
    }

    /// Records a trace step, if tracing is enabled.
    #[inline]
    pub(crate) fn note(&mut self, step: impl FnOnce() -> Step) {
        if let Some(trace) = &mut self.trace {
            trace.push(self.now, self.packet_id, step());
        }
    }

    fn bits_left(&self) -> u64 {
        (self.packet.len() * 8).saturating_sub(self.cursor)
    }

    /// Skips bits. Fails with the number of a parser error.
    pub(crate) fn advance(&mut self, bits: u64, errors: &ErrorNumbers) -> Result<(), u64> {
        if bits > self.bits_left() {
            return Err(errors.packet_too_short);
        }
        self.cursor += bits;
        Ok(())
    }

    /// Reads bits without consuming them. Fails with the number of a parser error.
    pub(crate) fn lookahead(
        &self,
        target: &mut [u64],
        offset: u32,
        width: u32,
        errors: &ErrorNumbers,
    ) -> Result<(), u64> {
        if u64::from(offset) + u64::from(width) > self.bits_left() {
            return Err(errors.packet_too_short);
        }
        bits::load_limbs(&self.packet.head, self.cursor + u64::from(offset), width, target);
        Ok(())
    }

    /// Extracts a header, with a varbit field (if any) of `varbit` bits. Fails with the number of a parser error.
    pub(crate) fn extract(
        &mut self,
        frame: &mut [u64],
        header: &HeaderLayout,
        varbit: u64,
        errors: &ErrorNumbers,
    ) -> Result<(), u64> {
        // A varbit field must end at a byte boundary, as in the reference switch.
        if !varbit.is_multiple_of(8) {
            return Err(errors.invalid_argument);
        }
        let most =
            header.varbit.and_then(|at| header.fields.get(at)).map_or(0, |f| u64::from(f.slot.width()));
        if varbit > most {
            return Err(errors.header_too_short);
        }
        let bits = u64::from(header.fixed_bits) + varbit;
        if bits > self.bits_left() {
            return Err(errors.packet_too_short);
        }
        let bytes = self.packet.head.as_slice();
        let mut after_varbit = 0;
        for field in &header.fields {
            let at = self.cursor + u64::from(field.bit_offset) + after_varbit;
            let slot = field.slot;
            let index = slot.at as usize;
            if slot.is_varbit() {
                let limbs = slot.limbs() as usize;
                bits::load_limbs(bytes, at, varbit as u32, &mut frame[index..index + limbs]);
                frame[index + limbs] = varbit;
                after_varbit = varbit;
            } else if slot.width() <= 64 {
                frame[index] = bits::load(bytes, at, slot.width());
            } else {
                bits::load_limbs(bytes, at, slot.width(), &mut frame[index..index + slot.limbs() as usize]);
            }
        }
        frame[header.valid as usize] = 1;
        for sibling in &header.siblings {
            frame[*sibling as usize] = 0;
        }
        self.cursor += bits;
        Ok(())
    }

    /// Extracts the fields of a header that are read. Fails with the number of a parser error.
    #[inline(never)]
    pub(crate) fn extract_fields(
        &mut self,
        frame: &mut Limbs,
        plan: &Extraction,
        errors: &ErrorNumbers,
    ) -> Result<(), u64> {
        let bits = u64::from(plan.bytes) * 8;
        if bits > self.bits_left() {
            return Err(errors.packet_too_short);
        }
        let bytes = self.packet.head.as_slice();
        let start = (self.cursor / 8) as usize;
        let aligned = self.cursor.is_multiple_of(8) && !plan.windows.is_empty();
        match bytes.get(start..start + plan.bytes as usize).filter(|_| aligned) {
            Some(header) => load_parts(frame, plan, header),
            None => {
                for load in &plan.loads {
                    let at = self.cursor + u64::from(load.bit);
                    frame[load.limb as usize] = bits::load(bytes, at, u32::from(load.width));
                }
            }
        }
        for at in &plan.ones {
            frame[*at as usize] = 1;
        }
        for at in &plan.zeros {
            frame[*at as usize] = 0;
        }
        if let Some(at) = plan.origin {
            frame[at as usize] = self.cursor + 1;
        }
        self.cursor += bits;
        Ok(())
    }

    /// Emits a header if it is valid: the received bytes, or zeros, with the fields that may have changed.
    #[inline(never)]
    pub(crate) fn emit_fields(&mut self, frame: &Limbs, plan: &Emission) {
        if frame[plan.valid as usize] & 1 == 0 {
            return;
        }
        let (length, origin) = (plan.bytes as usize, frame[plan.origin as usize]);
        if self.is_in_place(origin) {
            let from = (self.in_place / 8) as usize;
            if let Some(header) = self.packet.head.get_mut(from..from + length) {
                patch(frame, plan, header);
                self.in_place += u64::from(plan.bytes) * 8;
                return;
            }
        }
        self.leave_place();
        if !self.out.is_aligned() {
            return self.emit_unaligned(frame, plan, origin);
        }
        let at = self.out.bytes.len();
        let source = origin.checked_sub(1).filter(|bit| bit.is_multiple_of(8)).map(|bit| (bit / 8) as usize);
        match source.and_then(|from| self.packet.head.get(from..from + length)) {
            Some(bytes) => self.out.bytes.extend_from_slice(bytes),
            None => {
                for byte in 0..u64::from(plan.bytes) {
                    let value = origin
                        .checked_sub(1)
                        .map_or(0, |bit| bits::load(&self.packet.head, bit + byte * 8, 8));
                    self.out.bytes.push(value as u8);
                }
            }
        }
        if let Some(header) = self.out.bytes.get_mut(at..) {
            patch(frame, plan, header);
        }
    }

    /// Whether a header that was extracted at `origin` is emitted at the same position.
    #[inline]
    fn is_in_place(&self, origin: u64) -> bool {
        origin == self.in_place + 1 && self.out.is_empty() && origin % 8 == 1
    }

    /// Moves the output that was emitted in place to `out`.
    ///
    /// Headers at their original position are patched in the packet itself. Headers that are emitted later do not
    /// overlap them: each was extracted from other bytes, and a header that is emitted twice is patched in the same
    /// way.
    fn leave_place(&mut self) {
        let bytes = std::mem::take(&mut self.in_place) / 8;
        if let Some(emitted) = self.packet.head.get(..bytes as usize).filter(|emitted| !emitted.is_empty()) {
            self.out.bytes.extend_from_slice(emitted);
        }
    }

    /// Emits a header after one that does not end at a byte boundary.
    fn emit_unaligned(&mut self, frame: &Limbs, plan: &Emission, origin: u64) {
        let byte =
            |at: u64| origin.checked_sub(1).map_or(0, |bit| bits::load(&self.packet.head, bit + at * 8, 8));
        let mut header: Vec<u8> = (0..u64::from(plan.bytes)).map(|at| byte(at) as u8).collect();
        patch(frame, plan, &mut header);
        for byte in header {
            self.out.push(u64::from(byte), 8);
        }
    }

    /// Emits a header if it is valid.
    pub(crate) fn emit(&mut self, frame: &[u64], header: &HeaderLayout) {
        if frame[header.valid as usize] & 1 == 0 {
            return;
        }
        self.leave_place();
        for field in &header.fields {
            let slot = field.slot;
            if slot.is_varbit() {
                let length = frame[(slot.at + slot.limbs()) as usize] as u32;
                self.out.push_limbs(slot.of(frame), length.min(slot.width()));
            } else if slot.width() <= 64 {
                self.out.push(frame[slot.at as usize], slot.width());
            } else {
                self.out.push_limbs(slot.of(frame), slot.width());
            }
        }
    }

    /// Returns the bytes that the parser has not consumed, and the number of zero bytes after them.
    pub(crate) fn payload(&self) -> (&[u8], u32) {
        let consumed = self.cursor.div_ceil(8);
        let head = self.packet.head.as_slice();
        match usize::try_from(consumed).ok().and_then(|at| head.get(at..)) {
            Some(rest) => (rest, self.packet.tail),
            None => (&[], self.packet.len().saturating_sub(consumed) as u32),
        }
    }

    /// Clears the output of the deparser.
    pub(crate) fn begin_deparser(&mut self) {
        self.in_place = 0;
        self.out.clear();
    }

    /// Builds the outgoing packet: the emitted headers and the payload, truncated to `truncate` bytes.
    pub(crate) fn deparse(&mut self, truncate: Option<u64>) {
        if self.in_place != self.cursor || !self.out.is_empty() {
            self.leave_place();
            self.replace_headers();
        }
        if let Some(bytes) = truncate {
            cut(&mut self.packet, bytes);
        }
    }

    /// Replaces the consumed bytes by the emitted headers.
    fn replace_headers(&mut self) {
        self.out.finish();
        let consumed = usize::try_from(self.cursor.div_ceil(8)).unwrap_or(usize::MAX);
        let head = self.packet.head.get_mut(..consumed);
        match head.filter(|headers| headers.len() == self.out.bytes.len()) {
            // The length is unchanged, so the payload stays in place.
            Some(headers) => headers.copy_from_slice(&self.out.bytes),
            None => *self.packet = self.put_together(),
        }
    }

    fn put_together(&self) -> Frame {
        let received = &self.packet;
        let consumed = self.cursor.div_ceil(8);
        let mut head = smallvec::SmallVec::from_slice(&self.out.bytes);
        let payload = usize::try_from(consumed).ok().and_then(|at| received.head.get(at..));
        let tail = match payload {
            Some(payload) => {
                head.extend_from_slice(payload);
                received.tail
            }
            None => received.len().saturating_sub(consumed) as u32,
        };
        Frame { head, tail }
    }
}

/// Loads fields from the bytes of a header.
#[inline]
fn load_parts(frame: &mut Limbs, plan: &Extraction, header: &[u8]) {
    let mut cuts = plan.cuts.as_slice();
    let mut made = 0;
    for window in &plan.windows {
        let Some(bytes) = header.get(window.at as usize..).and_then(|rest| rest.first_chunk::<8>()) else {
            continue;
        };
        let word = u64::from_be_bytes(*bytes);
        let Some((here, rest)) = cuts.split_at_checked((window.end - made) as usize) else { continue };
        for cut in here {
            frame[usize::from(cut.limb)] = word << cut.left >> cut.right;
        }
        (cuts, made) = (rest, window.end);
    }
}

/// Writes the fields that may have changed into the bytes of a header.
#[inline]
fn patch(frame: &Limbs, plan: &Emission, header: &mut [u8]) {
    if plan.patches.is_empty() {
        for part in &plan.stores {
            bits::store(header, part.bit, u32::from(part.width), frame[part.limb as usize]);
        }
        return;
    }
    let mut pieces = plan.pieces.as_slice();
    let mut placed = 0;
    let mut made = None;
    for patch in &plan.patches {
        let Some((here, rest)) = pieces.split_at_checked((patch.end - placed) as usize) else { return };
        (pieces, placed) = (rest, patch.end);
        let bytes = header.get(patch.at as usize..).and_then(|rest| rest.first_chunk::<8>());
        let mut word = bytes.map_or(0, |bytes| u64::from_be_bytes(*bytes)) & patch.kept;
        for piece in here {
            word |= piece.of(frame[usize::from(piece.a)]);
        }
        // The store is delayed until the next eight bytes are loaded, because a load that overlaps a pending store
        // stalls.
        if let Some((at, word)) = made.replace((patch.at, word)) {
            store_word(header, at, word);
        }
    }
    if let Some((at, word)) = made {
        store_word(header, at, word);
    }
}

#[inline]
fn store_word(header: &mut [u8], at: u32, word: u64) {
    if let Some(bytes) = header.get_mut(at as usize..).and_then(|rest| rest.first_chunk_mut::<8>()) {
        *bytes = word.to_be_bytes();
    }
}

/// Truncates a frame to `bytes` bytes.
pub(crate) fn cut(frame: &mut Frame, bytes: u64) {
    let head = frame.head.len() as u64;
    if bytes < head {
        frame.head.truncate(bytes as usize);
        frame.tail = 0;
    } else {
        frame.tail = frame.tail.min(u32::try_from(bytes - head).unwrap_or(u32::MAX));
    }
}
