//! Compiles statements.

use p4_lang::ir::{Expr, HeaderId, HeaderRef, Pattern, ScalarId, ScalarKind, StackId, Stmt, TableId};

use super::expr::HeaderOperand;
use super::pack::has_pieces;
use super::{Compiler, Level, Loop, Result};
use crate::engine::code::{Apply, At, Direct, JumpTable, MeterUnit, Op, Site, WideKind};
use crate::engine::layout::Slot;

/// With this number of cases or more, a switch on numbers becomes a binary search instead of a chain of comparisons.
const MIN_TABLE_CASES: usize = 5;

impl Compiler<'_> {
    pub(super) fn stmts(&mut self, stmts: &[Stmt]) -> Result<()> {
        for stmt in stmts {
            let mark = self.used.len();
            self.stmt(stmt)?;
            self.release(mark);
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<()> {
        match stmt {
            Stmt::Assign(target, value) => {
                let dst = self.layout.scalar(*target)?;
                self.expr_into(value, dst)
            }
            Stmt::AssignSlice { target, high, low, value } => self.assign_slice(*target, *high, *low, value),
            Stmt::AssignStackField { stack, index, member, field, value } => {
                self.assign_stack_field(*stack, index, *member, *field, value)
            }
            Stmt::CopyHeader { target, source } => self.copy_header(target, source),
            Stmt::SetValid(header, valid) => self.set_valid(header, *valid),
            Stmt::StackPush(stack, count) => {
                self.layout.stack(*stack)?;
                self.site(Site::Push { stack: stack.0, count: *count });
                Ok(())
            }
            Stmt::StackPop(stack, count) => {
                self.layout.stack(*stack)?;
                self.site(Site::Pop { stack: stack.0, count: *count });
                Ok(())
            }
            Stmt::If { condition, then, otherwise } => self.if_else(condition, then, otherwise),
            Stmt::Switch { key, cases, default } => self.switch(key, cases, default),
            Stmt::While { condition, body, update } => self.while_loop(condition, body, update),
            Stmt::Break => self.leave_loop(true),
            Stmt::Continue => self.leave_loop(false),
            Stmt::Scope(body) => {
                self.levels.push(Level::Scope(Vec::new()));
                self.stmts(body)?;
                if let Some(Level::Scope(jumps)) = self.levels.pop() {
                    self.set_target_here(&jumps);
                }
                Ok(())
            }
            Stmt::Return => {
                let jump = match self.levels.last() {
                    Some(Level::Scope(_)) => self.emit(Op::Jump { to: 0 }),
                    Some(Level::Action) => self.emit(Op::Return),
                    Some(Level::Block) | None => self.emit(Op::End),
                };
                if let Some(Level::Scope(jumps)) = self.levels.last_mut() {
                    jumps.push(jump);
                }
                Ok(())
            }
            Stmt::Exit => {
                self.emit(Op::End);
                Ok(())
            }
            Stmt::ApplyTable { table, hit, action_run } => self.apply(*table, *hit, *action_run),
            Stmt::CallAction(action) => {
                if action.index() >= self.program.actions.len() {
                    return self.malformed(format!("action {} does not exist", action.0));
                }
                self.emit(Op::Call { to: action.0 });
                Ok(())
            }
            Stmt::Extern(call) => self.extern_call(call),
            Stmt::Extract(header) => self.extract(header, None),
            Stmt::ExtractVarbit(header, bits) => self.extract(header, Some(bits)),
            Stmt::Advance(bits) => {
                let bits = self.index(bits)?;
                self.emit(Op::Advance { bits });
                Ok(())
            }
            Stmt::Verify { condition, error } => {
                let jumps = self.branch(condition, true)?;
                let error = self.index(error)?;
                self.emit(Op::Reject { error });
                self.set_target_here(&jumps);
                Ok(())
            }
            Stmt::Emit(header) => {
                match self.header(header)? {
                    HeaderOperand::Known(header) => self.emit(Op::Emit { header }),
                    HeaderOperand::At(header) => self.emit(Op::EmitAt { header }),
                };
                Ok(())
            }
        }
    }

    fn assign_slice(&mut self, target: ScalarId, high: u32, low: u32, value: &Expr) -> Result<()> {
        let dst = self.layout.scalar(target)?;
        if high < low || high >= dst.width() || value.ty.width() != high - low + 1 {
            return self.malformed(format!("assignment to [{high}:{low}] of {} bits", dst.width()));
        }
        if has_pieces(dst.kind) && has_pieces(value.ty) {
            let value = self.pieces(value)?;
            self.insert(dst, low, &value);
        } else {
            let value = self.expr(value, None)?;
            self.wide(WideKind::Insert, dst, value, value, low);
        }
        Ok(())
    }

    fn assign_stack_field(
        &mut self,
        stack: StackId,
        index: &Expr,
        member: usize,
        field: usize,
        value: &Expr,
    ) -> Result<()> {
        let place = self.header(&HeaderRef::Element { stack, index: Box::new(index.clone()), member })?;
        match place {
            HeaderOperand::Known(header) => {
                let dst = self.field(header, field)?;
                self.expr_into(value, dst)
            }
            HeaderOperand::At(header) => {
                let offset = self.field_offset(stack, member, field)?;
                let src = self.expr(value, None)?;
                self.site(Site::StoreField { header, offset, src });
                Ok(())
            }
        }
    }

    /// Returns the limb that holds a header's number.
    fn header_number(&mut self, place: HeaderOperand) -> At {
        match place {
            HeaderOperand::Known(header) => self.number(u64::from(header)),
            HeaderOperand::At(at) => at,
        }
    }

    fn copy_header(&mut self, target: &HeaderRef, source: &HeaderRef) -> Result<()> {
        let (target, source) = (self.header(target)?, self.header(source)?);
        if let (HeaderOperand::Known(target), HeaderOperand::Known(source)) = (target, source) {
            if !self.layout.same_shape(HeaderId(target), HeaderId(source))? {
                return self.malformed(format!("headers {target} and {source} are of different types"));
            }
            let (dst, cells) = self.code_header(target)?;
            let (src, _) = self.code_header(source)?;
            if self.layout.header(HeaderId(target))?.siblings.is_empty() {
                self.emit(Op::CopyMany { dst, src, count: cells + 1 });
                return Ok(());
            }
        }
        let (dst, src) = (self.header_number(target), self.header_number(source));
        self.emit(Op::CopyHeader { dst, src });
        Ok(())
    }

    fn set_valid(&mut self, header: &HeaderRef, valid: bool) -> Result<()> {
        let place = self.header(header)?;
        if let HeaderOperand::Known(header) = place {
            return self.set_known_valid(header, valid);
        }
        let header = self.header_number(place);
        self.emit(if valid { Op::SetValid { header } } else { Op::SetInvalid { header } });
        Ok(())
    }

    fn set_known_valid(&mut self, header: u32, valid: bool) -> Result<()> {
        let layout = self.layout.header(HeaderId(header))?;
        let (at, cells, siblings) = (layout.valid, layout.cells, layout.siblings.clone());
        let origin = layout.origin;
        if !valid {
            self.emit(Op::Clear { dst: at, count: 1 });
            return Ok(());
        }
        // `setValid` clears the fields of an invalid header, as in the reference switch.
        let was_valid = self.emit(Op::JumpIf { a: at, to: 0 });
        if cells > 0 {
            self.emit(Op::Clear { dst: at + 1, count: cells });
        }
        self.emit(Op::Clear { dst: origin, count: 1 });
        let one = self.number(1);
        self.emit(Op::Copy { dst: at, src: one });
        self.set_target_here(&[was_valid]);
        for sibling in siblings {
            self.emit(Op::Clear { dst: sibling, count: 1 });
        }
        Ok(())
    }

    fn if_else(&mut self, condition: &Expr, then: &[Stmt], otherwise: &[Stmt]) -> Result<()> {
        let mark = self.used.len();
        let to_otherwise = self.branch(condition, false)?;
        self.release(mark);
        self.stmts(then)?;
        if otherwise.is_empty() {
            self.set_target_here(&to_otherwise);
            return Ok(());
        }
        let to_end = self.emit(Op::Jump { to: 0 });
        self.set_target_here(&to_otherwise);
        self.stmts(otherwise)?;
        self.set_target_here(&[to_end]);
        Ok(())
    }

    fn switch(&mut self, key: &Expr, cases: &[(Vec<Pattern>, Vec<Stmt>)], default: &[Stmt]) -> Result<()> {
        let key = self.expr(key, None)?;
        if let Some(values) = switch_values(key, cases) {
            return self.switch_by_table(key, &values, cases, default);
        }
        let mut to_end = Vec::new();
        // All comparisons come first, because a body may reuse the key's temporary.
        let mut to_bodies = Vec::with_capacity(cases.len());
        for (patterns, _) in cases {
            let mut jumps = Vec::with_capacity(patterns.len());
            for pattern in patterns {
                let unless = self.unless_matches(key, pattern)?;
                jumps.push(self.emit(Op::Jump { to: 0 }));
                self.set_target_here(&unless);
            }
            to_bodies.push(jumps);
        }
        self.stmts(default)?;
        to_end.push(self.emit(Op::Jump { to: 0 }));
        for ((_, body), jumps) in cases.iter().zip(&to_bodies) {
            self.set_target_here(jumps);
            self.stmts(body)?;
            to_end.push(self.emit(Op::Jump { to: 0 }));
        }
        self.set_target_here(&to_end);
        Ok(())
    }

    fn switch_by_table(
        &mut self,
        key: Slot,
        values: &[(u64, usize)],
        cases: &[(Vec<Pattern>, Vec<Stmt>)],
        default: &[Stmt],
    ) -> Result<()> {
        let empty = JumpTable { values: Vec::new(), targets: Vec::new(), otherwise: 0 };
        let table = self.jump_table(empty);
        self.emit(Op::JumpTable { a: key.at, table });
        let otherwise = self.here();
        self.stmts(default)?;
        let mut to_end = vec![self.emit(Op::Jump { to: 0 })];
        let mut bodies = Vec::with_capacity(cases.len());
        for (_, body) in cases {
            bodies.push(self.here());
            self.stmts(body)?;
            to_end.push(self.emit(Op::Jump { to: 0 }));
        }
        self.set_target_here(&to_end);
        let targets = values.iter().map(|(_, case)| bodies[*case]).collect();
        let values = values.iter().map(|(value, _)| *value).collect();
        if let Some(made) = self.code.switches.get_mut(table as usize) {
            *made = JumpTable { values, targets, otherwise };
        }
        Ok(())
    }

    fn while_loop(&mut self, condition: &Expr, body: &[Stmt], update: &[Stmt]) -> Result<()> {
        let start = self.here();
        let mark = self.used.len();
        let mut to_end = self.branch(condition, false)?;
        self.release(mark);
        self.loops.push(Loop::default());
        self.stmts(body)?;
        let made = self.loops.pop().unwrap_or_default();
        self.set_target_here(&made.continues);
        self.stmts(update)?;
        self.emit(Op::JumpBack { to: start });
        to_end.extend(made.breaks);
        self.set_target_here(&to_end);
        Ok(())
    }

    fn leave_loop(&mut self, leave: bool) -> Result<()> {
        let jump = self.emit(Op::Jump { to: 0 });
        match self.loops.last_mut() {
            Some(innermost) if leave => innermost.breaks.push(jump),
            Some(innermost) => innermost.continues.push(jump),
            None => return self.malformed("`break` or `continue` outside a loop"),
        }
        Ok(())
    }

    fn extract(&mut self, header: &HeaderRef, bits: Option<&Expr>) -> Result<()> {
        let place = self.header(header)?;
        match (place, bits) {
            (HeaderOperand::Known(header), None) => {
                self.emit(Op::Extract { header });
            }
            (HeaderOperand::At(header), None) => {
                self.emit(Op::ExtractAt { header });
            }
            (place, Some(bits)) => {
                let header = self.header_number(place);
                let bits = self.index(bits)?;
                self.emit(Op::ExtractVarbit { header, bits });
            }
        }
        if let HeaderRef::Next { stack, .. } = header {
            let next = self.layout.stack(*stack)?.next_index.at;
            let one = self.number(1);
            self.emit(Op::Add { dst: next, a: next, b: one, cut: 32 });
        }
        Ok(())
    }

    fn apply(&mut self, table: TableId, hit: Option<ScalarId>, action_run: Option<ScalarId>) -> Result<()> {
        use p4_lang::ir::MatchKind;
        let Some(source) = self.program.tables.get(table.index()) else {
            return self.malformed(format!("table {} does not exist", table.0));
        };
        let shape = crate::table::key::KeyShape::new(&source.keys);
        let matched: Vec<&Expr> =
            source.keys.iter().filter(|k| k.match_kind != MatchKind::Selector).map(|k| &k.expr).collect();
        let key_at = match matched.as_slice() {
            // A single component is used in place.
            [only] => self.expr(only, None)?.at,
            several => {
                let at = self.temporary_limbs(shape.limbs as u32);
                for (expr, component) in several.iter().zip(&shape.components) {
                    self.expr_into(expr, Slot { at: at + component.offset as u32, kind: expr.ty })?;
                }
                at
            }
        };
        let mut selector_data = Vec::new();
        for key in source.keys.iter().filter(|k| k.match_kind == MatchKind::Selector) {
            selector_data.push(self.expr(&key.expr, None)?);
        }
        let limb = |id: Option<ScalarId>| id.map(|id| self.layout.scalar(id).map(|s| s.at)).transpose();
        let apply = Apply {
            table: table.0,
            actions: self.possible_actions(source),
            key_at,
            key_limbs: shape.limbs as u32,
            hit: limb(hit)?,
            action_run: limb(action_run)?,
            selector_data,
            direct: self.direct(source)?,
            keeps_time: source.idle_timeout,
        };
        self.code.applies.push(apply);
        let index = self.code.applies.len() as u32 - 1;
        self.emit(Op::Apply(index));
        Ok(())
    }

    /// Returns the actions that a table may run: its own and, if it shares an action profile, those of the other
    /// tables.
    fn possible_actions(&self, source: &p4_lang::ir::Table) -> Vec<u32> {
        let shares =
            |t: &p4_lang::ir::Table| t.implementation.is_some() && t.implementation == source.implementation;
        let others = self.program.tables.iter().filter(|t| shares(t)).flat_map(|t| &t.actions);
        let mut actions: Vec<u32> = source.actions.iter().chain(others).map(|a| a.action.0).collect();
        actions.sort_unstable();
        actions.dedup();
        actions
    }

    fn direct(&self, table: &p4_lang::ir::Table) -> Result<Direct> {
        let meter = match table.direct_meter {
            None => None,
            Some(id) => match self.program.meters.get(id.index()) {
                Some(meter) => Some(meter),
                None => return self.malformed(format!("meter {} does not exist", id.0)),
            },
        };
        let result = meter.and_then(|m| m.result).map(|id| self.layout.scalar(id)).transpose()?;
        Ok(Direct {
            counter: table.direct_counter.is_some(),
            meter: meter.map(|m| meter_unit(m.unit)),
            meter_result: result,
        })
    }
}

pub(super) fn meter_unit(unit: p4_lang::ir::Unit) -> MeterUnit {
    match unit {
        p4_lang::ir::Unit::Packets => MeterUnit::Packets,
        p4_lang::ir::Unit::Bytes | p4_lang::ir::Unit::PacketsAndBytes => MeterUnit::Bytes,
    }
}

/// Returns the sorted values of a switch that only compares with numbers, each with its case; the first case wins.
fn switch_values(key: Slot, cases: &[(Vec<Pattern>, Vec<Stmt>)]) -> Option<Vec<(u64, usize)>> {
    let is_number = key.width() <= 64 && !matches!(key.kind, ScalarKind::Varbit(_));
    let patterns =
        cases.iter().enumerate().flat_map(|(i, (patterns, _))| patterns.iter().map(move |p| (p, i)));
    let mut values = patterns
        .map(|(pattern, case)| match pattern {
            Pattern::Value(bits) => Some((bits.limbs().first().copied().unwrap_or(0), case)),
            _ => None,
        })
        .collect::<Option<Vec<_>>>()?;
    if !is_number || values.len() < MIN_TABLE_CASES {
        return None;
    }
    values.sort();
    values.dedup_by_key(|(value, _)| *value);
    Some(values)
}
