//! Extraction and emission of headers.
//!
//! The usual case is compiled: the header starts at a byte boundary and lies in the stored bytes of the packet, and it leaves
//! where it arrived. All other cases call the functions of bytecode.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, types};

use super::lower::{Location, Lower};
use super::runtime::Helper;
use super::value::Condition;
use super::value::Known::{self, Constant, Value};
use crate::engine::code::{At, Emission, Extraction, Op};
use crate::engine::context;
use crate::engine::optimise::effects::effects;
use crate::limbs::low_mask;

impl Lower<'_, '_, '_> {
    pub(super) fn packet(&mut self, op: Op) -> bool {
        match op {
            Op::ExtractFields(plan) => self.extract(op, plan),
            Op::EmitFields(plan) => self.emit(plan),
            _ => return false,
        }
        true
    }

    /// The address in the packet of `bytes` bytes from a bit on, and whether they are stored and start at a byte.
    fn stored(&mut self, bit: Known, bytes: u32) -> (Condition, ir::Value) {
        let remainder = self.and(bit, Constant(7));
        let is_aligned = self.condition(IntCC::Equal, remainder, Constant(0));
        let start = self.right(bit, 3);
        let end = self.add(start, Constant(u64::from(bytes)));
        let is_stored = self.condition(IntCC::UnsignedLessThanOrEqual, end, Value(self.head_bytes));
        let start = self.ir(start);
        let head = self.head();
        let address = self.b.ins().iadd(head, start);
        (self.both(is_aligned, is_stored), address)
    }

    fn both(&mut self, one: Condition, other: Condition) -> Condition {
        match (one, other) {
            (Condition::Always(true), other) | (other, Condition::Always(true)) => other,
            (Condition::Always(false), _) | (_, Condition::Always(false)) => Condition::Always(false),
            (Condition::If(one), Condition::If(other)) => Condition::If(self.b.ins().band(one, other)),
        }
    }

    fn condition_ir(&mut self, condition: Condition) -> ir::Value {
        match condition {
            Condition::Always(is_true) => self.b.ins().iconst(types::I8, i64::from(is_true)),
            Condition::If(bit) => bit,
        }
    }

    fn extract(&mut self, op: Op, number: u32) {
        let code = self.code;
        let plan = &code.extracts[number as usize];
        let bits = u64::from(plan.bytes) * 8;
        let cursor = self.value_at(Location::Cursor);
        let (next, origin) = (self.add(cursor, Constant(bits)), self.add(cursor, Constant(1)));
        self.limit_known();
        let before = self.known.clone();
        let (other, done) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(other);
        // Without windows, a longer header has a field that is not in eight bytes of it.
        if !plan.windows.is_empty() || plan.loads.is_empty() || plan.bytes < 8 {
            let (is_usual, address) = self.stored(cursor, plan.bytes);
            let is_usual = self.condition_ir(is_usual);
            let usual = self.b.create_block();
            self.b.ins().brif(is_usual, usual, &[], other, &[]);
            self.b.switch_to_block(usual);
            match plan.bytes < 8 {
                true => self.load_short_header(plan, address),
                false => self.load_header(plan, address),
            }
            plan.ones.iter().for_each(|at| self.put(*at, Constant(1)));
            plan.zeros.iter().for_each(|at| self.put(*at, Constant(0)));
            if let Some(at) = plan.origin {
                self.put(at, origin);
            }
            self.set_value_at(Location::Cursor, next);
            self.b.ins().jump(done, &[]);
        } else {
            self.b.ins().jump(other, &[]);
        }
        self.b.switch_to_block(other);
        let result = self.call(Helper::Extract, &[u64::from(number)]);
        self.return_if(result);
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(done);
        self.known = before;
        self.forget(&effects(code, &op).writes);
        // Memory has these values on both ways.
        let limb = |at: &At| Location::Limb(*at);
        self.known.extend(plan.ones.iter().map(|at| (limb(at), Constant(1))));
        self.known.extend(plan.zeros.iter().map(|at| (limb(at), Constant(0))));
        self.known.extend(plan.origin.iter().map(|at| (limb(at), origin)));
        self.known.insert(Location::Cursor, next);
    }

    /// Loads the fields of a header of eight bytes or more.
    fn load_header(&mut self, plan: &Extraction, address: ir::Value) {
        let mut cuts = plan.cuts.iter();
        let mut made = 0;
        for window in &plan.windows {
            assert!(window.at + 8 <= plan.bytes, "invariant: a window is inside its header");
            let word = self.load_bytes(address, window.at);
            for cut in cuts.by_ref().take((window.end - made) as usize) {
                let field = self.keep(Value(word), cut.left);
                // `word << left >> right`
                let field = match cut.right.checked_sub(cut.left) {
                    Some(down) => self.right(field, u32::from(down)),
                    None => self.left(field, u32::from(cut.left - cut.right)),
                };
                self.put(At::from(cut.limb), field);
            }
            made = window.end;
        }
    }

    /// Loads the fields of a header of less than eight bytes.
    fn load_short_header(&mut self, plan: &Extraction, address: ir::Value) {
        if plan.loads.is_empty() {
            return;
        }
        let word = self.load_short(address, plan.bytes);
        for load in &plan.loads {
            let field = self.right(word, plan.bytes * 8 - load.bit - u32::from(load.width));
            let field = self.keep(field, 64 - load.width);
            self.put(load.limb, field);
        }
    }

    /// Writes the fields of a header of eight bytes or more that may have changed.
    fn store_header(&mut self, plan: &Emission, address: ir::Value) {
        let mut pieces = plan.pieces.iter();
        let mut placed = 0;
        // All words are loaded before one is stored, because a load that overlaps a recent store takes long. Overlapping
        // words have the same values there.
        let mut words = Vec::new();
        for patch in &plan.patches {
            assert!(patch.at + 8 <= plan.bytes, "invariant: a patch is inside its header");
            let word = self.load_bytes(address, patch.at);
            let mut word = self.and(Value(word), Constant(patch.kept));
            for piece in pieces.by_ref().take((patch.end - placed) as usize) {
                let a = self.get(At::from(piece.a));
                let bits = self.turn(a, u32::from(piece.turn), piece.mask);
                word = self.or(word, bits);
            }
            words.push((self.ir(word), patch.at));
            placed = patch.end;
        }
        words.into_iter().for_each(|(word, at)| self.store_bytes(word, address, at));
    }

    /// Writes the fields of a header of less than eight bytes that may have changed.
    fn store_short_header(&mut self, plan: &Emission, address: ir::Value) {
        if plan.stores.is_empty() {
            return;
        }
        let mut word = self.load_short(address, plan.bytes);
        for store in &plan.stores {
            let by = plan.bytes * 8 - store.bit - u32::from(store.width);
            let mask = low_mask(u32::from(store.width)) << by;
            let field = self.get(store.limb);
            let field = self.left(field, by);
            let field = self.and(field, Constant(mask));
            let kept = self.and(word, Constant(!mask));
            word = self.or(kept, field);
        }
        self.store_short(word, address, plan.bytes);
    }

    /// Loads less than eight bytes in network byte order as the low bits of a word.
    fn load_short(&mut self, address: ir::Value, bytes: u32) -> Known {
        let mut word = Constant(0);
        for (ty, at) in parts(bytes) {
            let part = self.load_part(ty, address, at);
            word = self.left(word, ty.bits());
            word = self.or(word, Value(part));
        }
        word
    }

    fn store_short(&mut self, word: Known, address: ir::Value, bytes: u32) {
        for (ty, at) in parts(bytes) {
            let part = self.right(word, (bytes - at) * 8 - ty.bits());
            let part = self.ir(part);
            self.store_part(ty, part, address, at);
        }
    }

    fn emit(&mut self, number: u32) {
        let code = self.code;
        let plan = &code.emits[number as usize];
        let valid = self.get(plan.valid);
        let valid = self.and(valid, Constant(1));
        if valid == Constant(0) {
            return;
        }
        let valid = self.ir(valid);
        let (emits, other, done) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(other);
        self.b.ins().brif(valid, emits, &[], done, &[]);
        self.limit_known();
        let before = self.known.clone();
        self.b.switch_to_block(emits);
        if !plan.patches.is_empty() || plan.stores.is_empty() || plan.bytes < 8 {
            let origin = self.get(plan.origin);
            let in_place = self.value_at(Location::InPlace);
            let expected = self.add(in_place, Constant(1));
            let is_place = self.condition(IntCC::Equal, origin, expected);
            let all_in_place = self.value_at(Location::AllInPlace);
            let is_first = self.condition(IntCC::NotEqual, all_in_place, Constant(0));
            let (is_stored, address) = self.stored(in_place, plan.bytes);
            let is_usual = self.both(is_place, is_first);
            let is_usual = self.both(is_usual, is_stored);
            let is_usual = self.condition_ir(is_usual);
            let usual = self.b.create_block();
            self.b.ins().brif(is_usual, usual, &[], other, &[]);
            self.b.switch_to_block(usual);
            match plan.bytes < 8 {
                true => self.store_short_header(plan, address),
                false => self.store_header(plan, address),
            }
            let end = self.add(in_place, Constant(u64::from(plan.bytes) * 8));
            self.set_value_at(Location::InPlace, end);
            self.b.ins().jump(done, &[]);
        } else {
            self.b.ins().jump(other, &[]);
        }
        self.b.switch_to_block(other);
        self.call(Helper::Emit, &[u64::from(number)]);
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(done);
        self.known = before;
        self.known.remove(&Location::InPlace);
        self.known.remove(&Location::AllInPlace);
    }

    /// Compares a computed checksum with a field, and reports a difference.
    pub(super) fn report_checksum(&mut self, computed: Known, field: Known) {
        let is_wrong = match self.condition(IntCC::NotEqual, computed, field) {
            Condition::Always(false) => return,
            other => self.condition_ir(other),
        };
        let (wrong, next) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(wrong);
        self.b.ins().brif(is_wrong, wrong, &[], next, &[]);
        self.b.switch_to_block(wrong);
        let yes = self.b.ins().iconst(types::I8, 1);
        self.store_other(yes, self.cx, context::CHECKSUM_ERROR);
        self.b.ins().jump(next, &[]);
        self.b.switch_to_block(next);
    }
}

/// Divides less than eight bytes into loads of four, two and one: types and offsets.
fn parts(bytes: u32) -> impl Iterator<Item = (ir::Type, u32)> {
    debug_assert!(bytes < 8, "invariant: longer headers are loaded eight bytes at a time");
    [(types::I32, 4), (types::I16, 2), (types::I8, 1)].into_iter().filter_map(move |(ty, size)| {
        // The larger parts come first.
        let at = bytes & !(2 * size - 1);
        (bytes & size != 0).then_some((ty, at))
    })
}
