//! Compiles a program to [`Code`].
//!
//! Statements are compiled in order. The value of an expression stays in the limb of its scalar or constant where
//! possible; otherwise it takes a temporary that is released after the statement. No temporary is live across a call
//! of an action, so actions and blocks share temporaries.

mod expr;
mod externs;
mod pack;
mod parser;
mod pieces;
mod stmt;

use std::collections::{BTreeMap, HashMap};

use p4_lang::ir::{Action, Bits, Block, HeaderId, Program, ScalarKind, StackId};

use super::code::{
    ActionCode, At, Carried, Code, Entries, ErrorNumbers, JumpTable, Op, Pc, Site, WideKind, WideOp,
};
use super::layout::{Layout, Slot, malformed};
use crate::error::LoadError;

type Result<T> = std::result::Result<T, LoadError>;

/// Compiles a program. `drop_port` is what `mark_to_drop` writes to `egress_spec`.
pub(crate) fn compile(program: &Program, drop_port: u16) -> Result<Code> {
    let layout = Layout::new(program)?;
    let mut compiler = Compiler::new(program, layout, u64::from(drop_port));
    compiler.program()?;
    Ok(compiler.finish())
}

/// A scope that `return` ends.
enum Level {
    /// An inlined scope, with the jumps to its end.
    Scope(Vec<Pc>),
    Action,
    Block,
}

/// A loop, with the jumps to its end and to its update.
#[derive(Default)]
struct Loop {
    breaks: Vec<Pc>,
    continues: Vec<Pc>,
}

struct Compiler<'p> {
    program: &'p Program,
    layout: Layout,
    code: Code,
    /// Number of limbs allocated so far.
    next: At,
    constants: HashMap<Vec<u64>, At>,
    /// Values of constant limbs.
    constant_values: BTreeMap<At, u64>,
    /// Free temporaries, by number of limbs.
    free: BTreeMap<u32, Vec<At>>,
    /// Temporaries of the statement being compiled.
    used: Vec<(u32, At)>,
    levels: Vec<Level>,
    loops: Vec<Loop>,
    /// Location in the program, for messages.
    place: String,
    in_parser: bool,
    drop_port: u64,
}

impl<'p> Compiler<'p> {
    fn new(program: &'p Program, layout: Layout, drop_port: u64) -> Compiler<'p> {
        let next = layout.total;
        Compiler {
            program,
            layout,
            code: Code::default(),
            next,
            constants: HashMap::new(),
            constant_values: BTreeMap::new(),
            free: BTreeMap::new(),
            used: Vec::new(),
            levels: Vec::new(),
            loops: Vec::new(),
            place: String::new(),
            in_parser: false,
            drop_port,
        }
    }

    fn program(&mut self) -> Result<()> {
        let program = self.program;
        self.code.errors = ErrorNumbers {
            packet_too_short: self.error_number("PacketTooShort"),
            header_too_short: self.error_number("HeaderTooShort"),
            invalid_argument: self.error_number("ParserInvalidArgument"),
            parser_timeout: self.error_number("ParserTimeout"),
        };
        self.code.actions = program.actions.iter().map(|a| self.action_params(a)).collect::<Result<_>>()?;
        let parser = self.parser()?;
        self.code.entries = Entries {
            parser,
            verify_checksum: self.block("VerifyChecksum", &program.verify_checksum)?,
            ingress: self.block("ingress", &program.ingress)?,
            egress: self.block("egress", &program.egress)?,
            compute_checksum: self.block("ComputeChecksum", &program.compute_checksum)?,
            deparser: self.block("deparser", &program.deparser)?,
        };
        for (index, action) in program.actions.iter().enumerate() {
            self.action(index, action)?;
        }
        self.set_call_targets();
        self.code.field_lists = self.field_lists()?;
        self.code.stacks = self
            .layout
            .stacks
            .iter()
            .map(|stack| {
                let elements = stack.elements.iter().map(|e| e.iter().map(|h| h.0).collect()).collect();
                (elements, stack.next_index.at)
            })
            .collect();
        Ok(())
    }

    fn finish(self) -> Code {
        let mut code = self.code;
        code.frame = vec![0; self.next as usize];
        for (at, value) in &self.constant_values {
            code.frame[*at as usize] = *value;
        }
        code.constants = self.constant_values.into_iter().collect();
        code.carried = self.layout.carried;
        code.metadata_at = self.layout.metadata_at;
        code.scalars = self.layout.total;
        code.widths = self.layout.widths();
        code.headers = self.layout.headers;
        code.standard = self.layout.standard;
        let locals = (code.carried, code.scalars - code.carried);
        code.clears = std::array::from_fn(|block| vec![if block == 0 { (0, code.scalars) } else { locals }]);
        code.carry = Carried::split(0, code.carried, &code.widths);
        code
    }

    /// Returns the number of an error; 0 (no error) if the program does not declare it.
    fn error_number(&self, name: &str) -> u64 {
        self.program.errors.iter().position(|e| e == name).unwrap_or(0) as u64
    }

    fn field_lists(&self) -> Result<Vec<(u8, Vec<Slot>)>> {
        let lists = self.program.storage.field_lists.iter();
        lists
            .map(|(number, scalars)| {
                let slots = scalars.iter().map(|s| self.layout.scalar(*s)).collect::<Result<Vec<_>>>()?;
                if slots.iter().any(|s| s.at >= self.layout.carried) {
                    return malformed(format!("field list {number}"), "refers to a local");
                }
                Ok((*number, slots))
            })
            .collect()
    }

    fn block(&mut self, name: &str, block: &Block) -> Result<Pc> {
        self.place = name.to_owned();
        let entry = self.here();
        self.levels.push(Level::Block);
        self.stmts(&block.body)?;
        self.levels.pop();
        self.emit(Op::End);
        Ok(entry)
    }

    fn action_params(&self, action: &Action) -> Result<ActionCode> {
        let params =
            action.params.iter().map(|p| self.layout.scalar(p.scalar)).collect::<Result<Vec<_>>>()?;
        if params.iter().any(|p| p.is_varbit()) {
            return malformed(&action.preamble.name, "has a varbit parameter");
        }
        let follows = params.windows(2).all(|p| p[0].at + p[0].limbs() == p[1].at);
        let limbs = params.iter().map(|p| p.limbs()).sum();
        let contiguous = params.first().filter(|_| follows).map(|first| (first.at, limbs));
        Ok(ActionCode { params, contiguous, entry: 0, empty: action.body.is_empty() })
    }

    fn action(&mut self, index: usize, action: &Action) -> Result<()> {
        self.place = format!("action {}", action.preamble.name);
        let entry = self.here();
        self.levels.push(Level::Action);
        self.stmts(&action.body)?;
        self.levels.pop();
        self.emit(Op::Return);
        if let Some(code) = self.code.actions.get_mut(index) {
            code.entry = entry;
        }
        Ok(())
    }

    /// Sets the targets of calls, which contain the index of the action until all actions are compiled.
    fn set_call_targets(&mut self) {
        let entries: Vec<Pc> = self.code.actions.iter().map(|a| a.entry).collect();
        for op in &mut self.code.ops {
            if let Op::Call { to } = op {
                *to = entries.get(*to as usize).copied().unwrap_or(0);
            }
        }
    }

    fn malformed<T>(&self, what: impl Into<String>) -> Result<T> {
        malformed(&self.place, what)
    }

    fn here(&self) -> Pc {
        self.code.ops.len() as Pc
    }

    fn emit(&mut self, op: Op) -> Pc {
        self.code.ops.push(op);
        self.here() - 1
    }

    fn wide(&mut self, kind: WideKind, dst: Slot, a: Slot, b: Slot, low: u32) {
        self.code.wide.push(WideOp { kind, dst, a, b, low });
        let index = self.code.wide.len() as u32 - 1;
        self.emit(Op::Wide(index));
    }

    fn site(&mut self, site: Site) {
        self.code.sites.push(site);
        let index = self.code.sites.len() as u32 - 1;
        self.emit(Op::Site(index));
    }

    fn jump_table(&mut self, table: JumpTable) -> u32 {
        self.code.switches.push(table);
        self.code.switches.len() as u32 - 1
    }

    /// Sets the targets of jumps.
    fn set_target(&mut self, jumps: &[Pc], target: Pc) {
        for jump in jumps {
            if let Some(to) = self.code.ops.get_mut(*jump as usize).and_then(Op::target_mut) {
                *to = target;
            }
        }
    }

    fn set_target_here(&mut self, jumps: &[Pc]) {
        let here = self.here();
        self.set_target(jumps, here);
    }

    fn temporary_limbs(&mut self, limbs: u32) -> At {
        let at = match self.free.get_mut(&limbs).and_then(Vec::pop) {
            Some(at) => at,
            None => {
                let at = self.next;
                self.next += limbs;
                at
            }
        };
        self.used.push((limbs, at));
        at
    }

    fn temporary(&mut self, kind: ScalarKind) -> Slot {
        let cells = Slot { at: 0, kind }.cells();
        Slot { at: self.temporary_limbs(cells), kind }
    }

    /// Releases the temporaries taken since `used` had length `mark`.
    fn release(&mut self, mark: usize) {
        for (limbs, at) in self.used.split_off(mark) {
            self.free.entry(limbs).or_default().push(at);
        }
    }

    /// Returns limbs that hold these constant values.
    fn constant_limbs(&mut self, values: &[u64]) -> At {
        if let Some(at) = self.constants.get(values) {
            return *at;
        }
        let at = self.next;
        self.next += values.len() as u32;
        for (i, value) in values.iter().enumerate() {
            self.constant_values.insert(at + i as u32, *value);
        }
        self.constants.insert(values.to_vec(), at);
        at
    }

    fn number(&mut self, value: u64) -> At {
        self.constant_limbs(&[value])
    }

    fn constant(&mut self, bits: &Bits, kind: ScalarKind) -> Slot {
        let mut values = vec![0; crate::limbs::count(kind.width())];
        crate::limbs::copy(&mut values, bits.limbs());
        crate::limbs::trim(&mut values, kind.width());
        if matches!(kind, ScalarKind::Varbit(_)) {
            values.push(u64::from(bits.width()));
        }
        Slot { at: self.constant_limbs(&values), kind }
    }

    /// Returns the headers of one member of all elements of a stack.
    fn stack_headers(&self, stack: StackId, member: usize) -> Result<Vec<HeaderId>> {
        let elements = &self.layout.stack(stack)?.elements;
        let headers: Option<Vec<HeaderId>> = elements.iter().map(|e| e.get(member).copied()).collect();
        match headers {
            Some(headers) => Ok(headers),
            None => self.malformed(format!("stack {} has no member {member}", stack.0)),
        }
    }
}
