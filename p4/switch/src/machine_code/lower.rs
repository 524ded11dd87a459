//! Compiles one function: the state of the compilation, and access to limbs and to the pass.

use std::collections::{BTreeMap, BTreeSet};

use cranelift_codegen::ir::{self, AliasRegionData, InstBuilder, MemFlagsData, types};
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Module};
use rustc_hash::FxHashMap;

use super::runtime::{self, Helper};
use super::scope::Scope;
use super::value::Known;
use crate::engine::code::{At, Code, Pc};
use crate::engine::context;
use crate::engine::optimise::effects::Range;
use crate::engine::run::FRAME_LIMBS;

/// Limbs of an element and the place of a register array among the limbs of all arrays.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArrayPlace {
    pub(super) start: usize,
    pub(super) stride: usize,
    pub(super) elements: usize,
}

/// What all functions of a program share.
pub(super) struct Program<'p> {
    pub(super) code: &'p Code,
    pub(super) scope: &'p Scope,
    pub(super) arrays: &'p [ArrayPlace],
    pub(super) helpers: [FuncId; Helper::ALL.len()],
    pub(super) functions: &'p BTreeMap<Pc, FuncId>,
}

/// Known values that are kept over a jump.
const MAX_KNOWN: usize = 1_000;

/// Something in memory whose value may be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Location {
    Limb(At),
    /// The position of the parser, in bits.
    Cursor,
    /// The number of bits that were emitted in place.
    InPlace,
    /// Whether all headers so far were emitted in place.
    AllInPlace,
}

/// The known values at a point of the function. Memory has the same values, except for private limbs.
pub(super) type Knowledge = BTreeMap<Location, Known>;

pub(super) struct Lower<'p, 'm, 'b> {
    pub(super) program: &'p Program<'p>,
    pub(super) code: &'p Code,
    pub(super) module: &'m mut JITModule,
    pub(super) b: FunctionBuilder<'b>,
    pub(super) known: Knowledge,
    pub(super) bounds: FxHashMap<ir::Value, u64>,
    private: &'p BTreeSet<At>,
    variables: BTreeMap<At, Variable>,
    pub(super) frame: ir::Value,
    pub(super) pass: ir::Value,
    pub(super) cx: ir::Value,
    pub(super) head_bytes: ir::Value,
    pub(super) registers: ir::Value,
    flags: Flags,
}

/// Memory that does not overlap.
#[derive(Clone, Copy)]
struct Flags {
    frame: MemFlagsData,
    registers: MemFlagsData,
    other: MemFlagsData,
}

impl<'p, 'm, 'b> Lower<'p, 'm, 'b> {
    /// Starts a function with its first block. Its second argument is a pass if `has_pass` is set.
    pub(super) fn new(
        program: &'p Program<'p>,
        module: &'m mut JITModule,
        mut b: FunctionBuilder<'b>,
        private: &'p BTreeSet<At>,
        has_pass: bool,
    ) -> Self {
        let mut region = |user_id, description: &'static str| {
            let data = AliasRegionData { user_id, description: description.into() };
            let region = b.func.dfg.alias_regions.insert(data);
            MemFlagsData::trusted().with_alias_region(Some(region))
        };
        let flags = Flags {
            frame: region(0, "frame"),
            registers: region(1, "registers"),
            other: region(2, "packet and pass"),
        };
        let block = b.create_block();
        b.append_block_params_for_function_params(block);
        b.switch_to_block(block);
        let (frame, pass) = (b.block_params(block)[0], b.block_params(block)[1]);
        // The fields of a pass that are read here do not change while machine code runs.
        let fixed = MemFlagsData::trusted().with_readonly().with_can_move();
        let mut field = |offset: usize| match has_pass {
            true => b.ins().load(types::I64, fixed, pass, offset as i32),
            false => frame,
        };
        let cx = field(runtime::CX);
        let (head_bytes, registers) = (field(runtime::HEAD_BYTES), field(runtime::REGISTERS));
        Lower {
            program,
            code: program.code,
            module,
            b,
            known: Knowledge::new(),
            bounds: FxHashMap::default(),
            private,
            variables: BTreeMap::new(),
            frame,
            pass,
            cx,
            head_bytes,
            registers,
            flags,
        }
    }

    /// Returns the value of a limb.
    pub(super) fn get(&mut self, at: At) -> Known {
        if let Some(value) = self.code.constant(at) {
            return Known::Constant(value);
        }
        self.value_at(Location::Limb(at))
    }

    pub(super) fn get_ir(&mut self, at: At) -> ir::Value {
        let known = self.get(at);
        self.ir(known)
    }

    /// Sets a limb.
    pub(super) fn put(&mut self, at: At, value: Known) {
        self.set_value_at(Location::Limb(at), value);
    }

    fn is_private(&self, location: Location) -> Option<At> {
        match location {
            Location::Limb(at) if self.private.contains(&at) => Some(at),
            _ => None,
        }
    }

    fn variable(&mut self, at: At) -> Variable {
        // A variable that is read before it is written is 0, as a private limb must be.
        let b = &mut self.b;
        *self.variables.entry(at).or_insert_with(|| b.declare_var(types::I64))
    }

    /// Returns the address of a location and its memory.
    fn address(&self, location: Location) -> (ir::Value, usize, MemFlagsData) {
        match location {
            Location::Limb(at) => {
                assert!((at as usize) < FRAME_LIMBS, "invariant: limb {at} is in the frame");
                (self.frame, at as usize * 8, self.flags.frame)
            }
            Location::Cursor => (self.cx, context::CURSOR, self.flags.other),
            Location::InPlace => (self.cx, context::IN_PLACE, self.flags.other),
            Location::AllInPlace => (self.pass, runtime::ALL_IN_PLACE, self.flags.other),
        }
    }

    pub(super) fn value_at(&mut self, location: Location) -> Known {
        if let Some(known) = self.known.get(&location) {
            return *known;
        }
        let value = match self.is_private(location) {
            Some(at) => {
                let variable = self.variable(at);
                self.b.use_var(variable)
            }
            None => {
                let (base, offset, flags) = self.address(location);
                self.b.ins().load(types::I64, flags, base, offset as i32)
            }
        };
        self.known.insert(location, Known::Value(value));
        Known::Value(value)
    }

    pub(super) fn set_value_at(&mut self, location: Location, value: Known) {
        self.known.insert(location, value);
        let value = self.ir(value);
        match self.is_private(location) {
            Some(at) => {
                let variable = self.variable(at);
                self.b.def_var(variable, value);
            }
            None => {
                let (base, offset, flags) = self.address(location);
                self.b.ins().store(flags, value, base, offset as i32);
            }
        }
    }

    /// Sets two limbs that are not private to the halves of a vector.
    pub(super) fn put_pair(&mut self, at: At, pair: ir::Value) {
        assert!(at as usize + 1 < FRAME_LIMBS, "invariant: limb {at} is in the frame");
        // The frame is aligned to limbs, not to pairs of them.
        let flags = MemFlagsData::new().with_notrap().with_alias_region(self.flags.frame.alias_region());
        self.b.ins().store(flags, pair, self.frame, at as i32 * 8);
    }

    /// Forgets everything if it is much, before it is copied: one copy is kept for each open jump.
    pub(super) fn limit_known(&mut self) {
        if self.known.len() > MAX_KNOWN {
            self.known.clear();
        }
    }

    /// Forgets the values of limbs that other code has changed.
    pub(super) fn forget(&mut self, ranges: &[Range]) {
        for (at, count) in ranges {
            let range = Location::Limb(*at)..Location::Limb(*at + *count);
            let changed: Vec<Location> = self.known.range(range).map(|(location, _)| *location).collect();
            for location in changed {
                self.known.remove(&location);
            }
        }
    }

    /// Forgets everything except private limbs, which other code does not access.
    pub(super) fn forget_all(&mut self) {
        let private = self.private;
        self.known.retain(|location, _| matches!(location, Location::Limb(at) if private.contains(at)));
    }

    pub(super) fn load_other(&mut self, ty: ir::Type, base: ir::Value, offset: usize) -> ir::Value {
        self.b.ins().load(ty, self.flags.other, base, offset as i32)
    }

    pub(super) fn store_other(&mut self, value: ir::Value, base: ir::Value, offset: usize) {
        self.b.ins().store(self.flags.other, value, base, offset as i32);
    }

    pub(super) fn load_register(&mut self, address: ir::Value, limb: usize) -> ir::Value {
        self.b.ins().load(types::I64, self.flags.registers, address, limb as i32 * 8)
    }

    pub(super) fn store_register(&mut self, value: ir::Value, address: ir::Value, limb: usize) {
        self.b.ins().store(self.flags.registers, value, address, limb as i32 * 8);
    }

    /// Returns the address of the stored bytes of the packet.
    pub(super) fn head(&mut self) -> ir::Value {
        let pass = self.pass;
        self.load_other(types::I64, pass, runtime::HEAD)
    }

    /// Loads eight bytes of a packet in network byte order. They need not be aligned.
    pub(super) fn load_bytes(&mut self, base: ir::Value, offset: u32) -> ir::Value {
        let flags = self.unaligned();
        let word = self.b.ins().load(types::I64, flags, base, offset as i32);
        self.network_order(word)
    }

    pub(super) fn store_bytes(&mut self, word: ir::Value, base: ir::Value, offset: u32) {
        let (flags, word) = (self.unaligned(), self.network_order(word));
        self.b.ins().store(flags, word, base, offset as i32);
    }

    /// Loads one, two or four bytes of a packet in network byte order.
    pub(super) fn load_part(&mut self, ty: ir::Type, base: ir::Value, offset: u32) -> ir::Value {
        let flags = self.unaligned();
        let part = self.b.ins().load(ty, flags, base, offset as i32);
        let part = if ty == types::I8 { part } else { self.network_order(part) };
        self.b.ins().uextend(types::I64, part)
    }

    /// Stores the low one, two or four bytes of a word to a packet in network byte order.
    pub(super) fn store_part(&mut self, ty: ir::Type, word: ir::Value, base: ir::Value, offset: u32) {
        let flags = self.unaligned();
        let part = self.b.ins().ireduce(ty, word);
        let part = if ty == types::I8 { part } else { self.network_order(part) };
        self.b.ins().store(flags, part, base, offset as i32);
    }

    fn unaligned(&self) -> MemFlagsData {
        MemFlagsData::new().with_notrap().with_alias_region(self.flags.other.alias_region())
    }

    fn network_order(&mut self, word: ir::Value) -> ir::Value {
        if cfg!(target_endian = "big") { word } else { self.b.ins().bswap(word) }
    }

    /// Calls a helper.
    pub(super) fn call(&mut self, helper: Helper, numbers: &[u64]) -> ir::Value {
        let id = self.program.helpers[helper as usize];
        self.call_function(id, numbers)
    }

    pub(super) fn call_function(&mut self, id: FuncId, numbers: &[u64]) -> ir::Value {
        let function = self.module.declare_func_in_func(id, self.b.func);
        // The memory of one function can be too far from that of another for a relative call.
        self.b.func.dfg.ext_funcs[function].colocated = false;
        let mut arguments = vec![self.frame, self.pass];
        arguments.extend(numbers.iter().map(|number| self.b.ins().iconst(types::I64, *number as i64)));
        let call = self.b.ins().call(function, &arguments);
        self.b.inst_results(call)[0]
    }
}
