//! Machine code for programs: bytecode ([`crate::engine`]) compiled with Cranelift when a program is prepared.
//!
//! Each block of the program is a function of the frame and a [`runtime::Pass`]; actions become part of the blocks that call
//! them, or are functions as well ([`scope`]). Limbs that only one function uses are processor registers; all others are
//! stored to the frame when they change, and loaded when they are not known ([`lower`]). Operations that are rare or long
//! call the functions of bytecode ([`runtime`]).
//!
//! # Safety
//!
//! This is the only module with unsafe code. It executes code that it made itself, which reads and writes:
//!
//! - limbs of the frame at constant places, each of which is below [`FRAME_LIMBS`] ([`lower::Lower`] checks that);
//! - elements of register arrays, whose index is compared with the number of elements unless the instructions that compute
//!   it bound it ([`value`]). The arrays are those of the prepared program; [`MachineCode::run`] checks their size;
//! - bytes of the packet, after a comparison with the number of stored bytes ([`packet`]); offsets in headers are checked
//!   when they are compiled;
//! - fields of [`runtime::Pass`] and [`Context`] at the offsets that the compiler gives;
//! - words that a packet carries, whose number [`MachineCode`] provides ([`carried`]);
//! - its stack frame: [`scope`] limits the size of functions and the depth of calls, and a large frame touches its pages in order.
//!
//! The code lives as long as the [`MachineCode`] that owns it, and nothing changes it once it can be executed.
#![allow(unsafe_code, reason = "executes the code that it compiled; the proof is above and at each use")]

mod carried;
mod control;
mod lower;
mod operation;
mod packet;
mod runtime;
mod scope;
mod state;
mod value;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use cranelift_codegen::ir::{AbiParam, Signature, UserFuncName, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, ModuleError, default_libcall_names};

use crate::engine::code::{Code, Pc};
use crate::engine::context::Context;
use crate::engine::optimise::flow::{self, BLOCKS};
use crate::engine::run::{FRAME_LIMBS, Limbs, Outcome};
use crate::state::State;
use carried::Packed;
use lower::{ArrayPlace, Location, Lower, Program};
use runtime::{Helper, Pass};
use scope::Scope;
use value::Known::Constant;

/// How a function ends.
mod ending {
    /// The action returned, or the block is complete.
    pub(super) const RETURNED: u64 = 0;
    /// The block is complete, also if an action ends.
    pub(super) const DONE: u64 = 1;
    /// The limit of backward jumps was reached.
    pub(super) const TOO_LONG: u64 = 2;
    /// The parser rejected the packet; the number of its error is added.
    pub(super) const REJECTED: u64 = 3;

    pub(super) fn rejected(error: u64) -> u64 {
        REJECTED + error
    }
}

/// A block: the frame and the pass.
type Block = unsafe extern "C" fn(*mut Limbs, *mut Pass<'_>) -> u64;
/// Clears limbs, or stores or loads what a packet carries: the frame and the words.
type Carry = unsafe extern "C" fn(*mut Limbs, *mut u64) -> u64;

/// Why a program has no machine code; it runs as bytecode then.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoMachineCode {
    #[error("this kind of processor is not supported: {0}")]
    Processor(String),
    #[error("the program is too large or its actions are nested too deeply")]
    Size,
    #[error("the system does not allow memory to be executed")]
    Memory,
    #[error("code generation failed: {0}")]
    Generation(#[from] Box<ModuleError>),
}

impl From<ModuleError> for NoMachineCode {
    fn from(error: ModuleError) -> NoMachineCode {
        NoMachineCode::Generation(Box::new(error))
    }
}

/// The machine code of a program.
pub(crate) struct MachineCode {
    blocks: [Block; BLOCKS],
    clear: Carry,
    store_carried: Carry,
    load_carried: Carry,
    /// Number of words that a packet carries from ingress to egress.
    carried_words: usize,
    /// Number of limbs of all register arrays.
    register_limbs: usize,
    /// Owns the memory of the functions.
    _memory: Mutex<Memory>,
}

/// A module, whose memory is freed with it.
struct Memory(Option<JITModule>);

impl Memory {
    fn module(&mut self) -> &mut JITModule {
        self.0.as_mut().expect("invariant: the module is there until it is dropped")
    }
}

impl std::fmt::Debug for MachineCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MachineCode").field("carried_words", &self.carried_words).finish_non_exhaustive()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some(module) = self.0.take() {
            // SAFETY: nothing executes the functions. Before they are finished there is no pointer to them; afterwards
            // `MachineCode` owns the memory, and its methods, which execute them, borrow it and give out no pointers.
            unsafe { module.free_memory() };
        }
    }
}

/// Whether the system has refused executable memory. It will do so again, so that no further program is compiled.
static IS_REFUSED: AtomicBool = AtomicBool::new(false);

impl MachineCode {
    /// Compiles bytecode.
    pub(crate) fn new(code: &Code, program: &p4_lang::ir::Program) -> Result<MachineCode, NoMachineCode> {
        if code.frame.len() >= FRAME_LIMBS {
            return Err(NoMachineCode::Size);
        }
        if IS_REFUSED.load(Ordering::Relaxed) {
            return Err(NoMachineCode::Memory);
        }
        let scope = Scope::new(code).ok_or(NoMachineCode::Size)?;
        let (arrays, register_limbs) = arrays(program);
        let mut compiler = Compiler::new()?;
        let helpers = compiler.helpers()?;
        let entries = flow::entries(code);
        let mut functions = BTreeMap::new();
        for entry in scope.functions.keys() {
            functions.insert(*entry, compiler.declare(&format!("at_{entry}"))?);
        }
        let program = Program { code, scope: &scope, arrays: &arrays, helpers, functions: &functions };
        compiler.blocks(&program, &entries)?;
        let widths: Vec<_> = scope.carried.iter().map(|at| (*at, code.width(*at))).collect();
        let packed = carried::pack(&widths);
        let carried_words = packed.last().map_or(0, |last| last.word + 1);
        let between = compiler.between_blocks(&program, &packed)?;
        let mut memory = compiler.memory;
        if memory.module().finalize_definitions().is_err() {
            IS_REFUSED.store(true, Ordering::Relaxed);
            return Err(NoMachineCode::Memory);
        }
        let module = memory.module();
        let address = |id: FuncId| module.get_finalized_function(id);
        // SAFETY: the functions were defined with this signature, the default calling convention of the host, which is `C`.
        let block = |id: FuncId| unsafe { std::mem::transmute::<*const u8, Block>(address(id)) };
        // SAFETY: as above.
        let carry = |id: FuncId| unsafe { std::mem::transmute::<*const u8, Carry>(address(id)) };
        let blocks = entries.map(|entry| block(functions[&entry]));
        let [clear, store_carried, load_carried] = between.map(carry);
        Ok(MachineCode {
            blocks,
            clear,
            store_carried,
            load_carried,
            carried_words,
            register_limbs,
            _memory: Mutex::new(memory),
        })
    }

    /// Runs a block.
    #[inline]
    pub(crate) fn run(
        &self,
        block: usize,
        code: &Code,
        frame: &mut Limbs,
        cx: &mut Context,
        state: &mut State,
    ) -> Outcome {
        // The pointer is that of the vector, so that references to the state do not invalidate it.
        let (registers, register_limbs) = state.registers.all_limbs();
        assert_eq!(register_limbs, self.register_limbs, "invariant: the state is that of the program");
        let mut pass = Pass {
            registers,
            head: cx.packet.head.as_mut_ptr(),
            head_bytes: cx.packet.head.len() as u64,
            cx: &raw mut *cx,
            state: &raw mut *state,
            code,
            all_in_place: 1,
        };
        let function = self.blocks[block];
        // SAFETY: the frame has the size that the code expects, the pass refers to values that live until the call returns
        // and that only machine code and the functions that it calls use meanwhile. They do not move or resize the packet's
        // bytes or the registers. See the module's documentation for what the code accesses.
        let result = unsafe { function(&raw mut *frame, &raw mut pass) };
        match result {
            ending::RETURNED | ending::DONE => Outcome::Done,
            ending::TOO_LONG => Outcome::TooLong,
            error => Outcome::Rejected(error - ending::REJECTED),
        }
    }

    /// Clears the limbs that must be zero when the parser starts.
    #[inline]
    pub(crate) fn clear(&self, frame: &mut Limbs) {
        // SAFETY: the code writes limbs of the frame and does not use its second argument.
        unsafe { (self.clear)(&raw mut *frame, std::ptr::null_mut()) };
    }

    /// Replaces `words` by what egress needs from ingress.
    #[inline]
    pub(crate) fn carry(&self, frame: &Limbs, words: &mut Vec<u64>) {
        words.clear();
        words.reserve_exact(self.carried_words);
        words.resize(self.carried_words, 0);
        // SAFETY: the code reads limbs of the frame, and writes `carried_words` words.
        unsafe { (self.store_carried)((&raw const *frame).cast_mut(), words.as_mut_ptr()) };
    }

    /// Restores the values from [`MachineCode::carry`].
    #[inline]
    pub(crate) fn resume(&self, frame: &mut Limbs, words: &[u64]) {
        assert_eq!(words.len(), self.carried_words, "invariant: the words are those of the program");
        // SAFETY: the code writes limbs of the frame, and reads `carried_words` words.
        unsafe { (self.load_carried)(&raw mut *frame, words.as_ptr().cast_mut()) };
    }
}

/// What is known when a function starts.
fn at_start(entries: &[Pc; BLOCKS], entry: Pc) -> Vec<(Location, value::Known)> {
    // An empty block is shared by several.
    let of = |block: usize| {
        entries[block] == entry && entries.iter().filter(|other| **other == entry).count() == 1
    };
    if of(flow::PARSER) {
        vec![(Location::Cursor, Constant(0))]
    } else if of(flow::DEPARSER) {
        vec![(Location::InPlace, Constant(0)), (Location::AllInPlace, Constant(1))]
    } else {
        Vec::new()
    }
}

/// Returns the places of all register arrays and their total number of limbs.
fn arrays(program: &p4_lang::ir::Program) -> (Vec<ArrayPlace>, usize) {
    let mut end = 0;
    let place = |register: &p4_lang::ir::Register| {
        let limbs = register.components.iter().map(|(_, kind)| crate::limbs::count(kind.width()));
        let (start, stride, elements) = (end, limbs.sum::<usize>(), register.size as usize);
        end += stride * elements;
        ArrayPlace { start, stride, elements }
    };
    let arrays = program.registers.iter().map(place).collect();
    (arrays, end)
}

struct Compiler {
    memory: Memory,
    context: cranelift_codegen::Context,
    builder: FunctionBuilderContext,
}

impl Compiler {
    fn new() -> Result<Compiler, NoMachineCode> {
        let processor = |text: &dyn std::fmt::Display| NoMachineCode::Processor(text.to_string());
        let mut flags = settings::builder();
        let wanted = [
            ("use_colocated_libcalls", "false"),
            ("is_pic", "false"),
            ("opt_level", "speed"),
            // A large stack frame touches every page, so that it cannot step over the guard page of the stack.
            ("enable_probestack", "true"),
            ("probestack_strategy", "inline"),
            ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ];
        for (name, value) in wanted {
            flags.set(name, value).map_err(|error| processor(&error))?;
        }
        let isa = cranelift_native::builder().map_err(|error| processor(&error))?;
        let isa = isa.finish(settings::Flags::new(flags)).map_err(|error| processor(&error))?;
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        for helper in Helper::ALL {
            let (name, address, _) = helper.symbol();
            builder.symbol(name, address);
        }
        let module = JITModule::new(builder);
        let context = module.make_context();
        Ok(Compiler { memory: Memory(Some(module)), context, builder: FunctionBuilderContext::new() })
    }

    /// Two pointers and some numbers; returns a number.
    fn signature(&mut self, numbers: usize) -> Signature {
        let mut signature = self.memory.module().make_signature();
        signature.params.extend(std::iter::repeat_n(AbiParam::new(types::I64), 2 + numbers));
        signature.returns.push(AbiParam::new(types::I64));
        signature
    }

    fn helpers(&mut self) -> Result<[FuncId; Helper::ALL.len()], NoMachineCode> {
        let mut ids = [FuncId::from_u32(0); Helper::ALL.len()];
        for (id, helper) in ids.iter_mut().zip(Helper::ALL) {
            let (name, _, numbers) = helper.symbol();
            let signature = self.signature(numbers);
            *id = self.memory.module().declare_function(name, Linkage::Import, &signature)?;
        }
        Ok(ids)
    }

    fn declare(&mut self, name: &str) -> Result<FuncId, NoMachineCode> {
        let signature = self.signature(0);
        Ok(self.memory.module().declare_function(name, Linkage::Local, &signature)?)
    }

    /// Defines the blocks, and the actions that are functions.
    fn blocks(&mut self, program: &Program<'_>, entries: &[Pc; BLOCKS]) -> Result<(), NoMachineCode> {
        let nothing = BTreeSet::new();
        for (entry, id) in program.functions {
            let private = program.scope.private.get(entry).unwrap_or(&nothing);
            self.define(*id, program, private, true, |mut lower| {
                lower.known.extend(at_start(entries, *entry));
                lower.clear_locals(&program.scope.clears, entries, *entry);
                lower.function(*entry);
            })?;
        }
        Ok(())
    }

    /// Defines the functions that clear the frame, and that store and load what a packet carries.
    fn between_blocks(
        &mut self,
        program: &Program<'_>,
        packed: &[Packed],
    ) -> Result<[FuncId; 3], NoMachineCode> {
        let nothing = BTreeSet::new();
        let [clear, store, load] =
            [self.declare("clear_frame")?, self.declare("store_carried")?, self.declare("load_carried")?];
        let clears = &program.scope.clears[flow::PARSER];
        self.define(clear, program, &nothing, false, |lower| lower.clear(clears))?;
        self.define(store, program, &nothing, false, |lower| lower.store_carried(packed))?;
        self.define(load, program, &nothing, false, |lower| lower.load_carried(packed))?;
        Ok([clear, store, load])
    }

    /// Defines a function, whose code `lower` compiles.
    fn define(
        &mut self,
        id: FuncId,
        program: &Program<'_>,
        private: &BTreeSet<u32>,
        has_pass: bool,
        lower: impl FnOnce(Lower<'_, '_, '_>),
    ) -> Result<(), NoMachineCode> {
        self.context.func.signature = self.signature(0);
        self.context.func.name = UserFuncName::user(0, id.as_u32());
        let builder = FunctionBuilder::new(&mut self.context.func, &mut self.builder);
        let module = self.memory.module();
        lower(Lower::new(program, module, builder, private, has_pass));
        let module = self.memory.module();
        let defined = module.define_function(id, &mut self.context);
        module.clear_context(&mut self.context);
        Ok(defined?)
    }
}
