//! Statements (specification, section 12) and operations on headers and stacks (sections 8.17 to 8.19).

use p4_lang::ir::{HeaderId, HeaderRef, StackId, Stmt};

use super::expr::matches;
use super::value::Value;
use super::{Run, Runner, Stop};
use crate::trace::Step;

impl Runner<'_> {
    pub(super) fn statements(&mut self, stmts: &[Stmt]) -> Run {
        stmts.iter().try_for_each(|stmt| self.statement(stmt))
    }

    fn statement(&mut self, stmt: &Stmt) -> Run {
        match stmt {
            Stmt::Assign(target, value) => {
                let value = self.expr(value)?;
                self.store(*target, value);
            }
            Stmt::AssignSlice { target, high, low, value } => {
                let value = self.expr(value)?;
                let whole = self.values[target.index()].with_slice(*high, *low, &value);
                self.store(*target, whole);
            }
            Stmt::AssignStackField { stack, index, member, field, value } => {
                let element =
                    HeaderRef::Element { stack: *stack, index: Box::new(index.clone()), member: *member };
                let header = self.header(&element)?;
                let value = self.expr(value)?;
                if let Some(header) = header {
                    self.store(self.program.storage.headers[header.index()].fields[*field], value);
                }
            }
            Stmt::CopyHeader { target, source } => {
                let (target, source) = (self.header(target)?, self.header(source)?);
                match (target, source) {
                    (Some(target), Some(source)) => self.copy_header(target, source),
                    (Some(target), None) => self.invalidate(target),
                    (None, _) => {}
                }
            }
            Stmt::SetValid(header, valid) => match (self.header(header)?, valid) {
                (Some(header), true) => self.set_valid(header),
                (Some(header), false) => self.invalidate(header),
                (None, _) => {}
            },
            Stmt::StackPush(stack, count) => self.push(*stack, *count as usize),
            Stmt::StackPop(stack, count) => self.pop(*stack, *count as usize),
            Stmt::If { condition, then, otherwise } => {
                let chosen = if self.condition(condition)? { then } else { otherwise };
                self.statements(chosen)?;
            }
            Stmt::Switch { key, cases, default } => {
                let key = self.expr(key)?;
                let found = cases.iter().find(|(patterns, _)| patterns.iter().any(|p| matches(&key, p)));
                self.statements(found.map_or(default, |(_, body)| body))?;
            }
            Stmt::While { condition, body, update } => self.while_loop(condition, body, update)?,
            Stmt::Break => return Err(Stop::Break),
            Stmt::Continue => return Err(Stop::Continue),
            Stmt::Scope(body) => return self.until_return(body),
            Stmt::Return => return Err(Stop::Return),
            Stmt::Exit => return Err(Stop::Exit),
            Stmt::ApplyTable { table, hit, action_run } => self.apply(*table, *hit, *action_run)?,
            Stmt::CallAction(action) => {
                let action = &self.program.actions[action.index()];
                self.cx.note(|| Step::Action { action: action.preamble.name.clone() });
                self.until_return(&action.body)?;
            }
            Stmt::Extern(call) => self.extern_call(call)?,
            Stmt::Extract(header) => {
                let found = self.header(header)?;
                self.extract_from(header, found, 0)?;
            }
            Stmt::ExtractVarbit(header, bits) => {
                let found = self.header(header)?;
                let bits = self.expr(bits)?.index();
                self.extract_from(header, found, bits)?;
            }
            Stmt::Advance(bits) => {
                let bits = self.expr(bits)?.index();
                self.advance(bits)?;
            }
            Stmt::Verify { condition, error } => {
                if !self.condition(condition)? {
                    return Err(Stop::Reject(self.expr(error)?.index()));
                }
            }
            Stmt::Emit(header) => {
                if let Some(header) = self.header(header)? {
                    self.emit(header);
                }
            }
        }
        Ok(())
    }

    /// Runs the body of a function or action, which `return` ends.
    pub(super) fn until_return(&mut self, body: &[Stmt]) -> Run {
        match self.statements(body) {
            Err(Stop::Return) => Ok(()),
            other => other,
        }
    }

    fn while_loop(&mut self, condition: &p4_lang::ir::Expr, body: &[Stmt], update: &[Stmt]) -> Run {
        while self.condition(condition)? {
            match self.statements(body) {
                Ok(()) | Err(Stop::Continue) => {}
                Err(Stop::Break) => return Ok(()),
                Err(stop) => return Err(stop),
            }
            self.statements(update)?;
            self.jump_back()?;
        }
        Ok(())
    }

    fn extract_from(&mut self, wanted: &HeaderRef, found: Option<HeaderId>, varbit: u64) -> Run {
        if let Some(header) = found {
            self.extract(header, varbit)?;
        }
        if let HeaderRef::Next { stack, .. } = wanted {
            let index = self.next_index(*stack).index();
            self.set_next_index(*stack, index + 1);
        }
        Ok(())
    }

    fn set_next_index(&mut self, stack: StackId, index: u64) {
        let id = self.program.storage.stacks[stack.index()].next_index;
        self.store(id, Value::of_u64(index, self.kind(id)));
    }

    /// `setValid()` clears the fields of an invalid header, as in the reference switch.
    fn set_valid(&mut self, header: HeaderId) {
        if !self.is_valid(header) {
            self.clear_fields(header);
        }
        self.make_valid(&self.program.storage.headers[header.index()]);
    }

    fn clear_fields(&mut self, header: HeaderId) {
        for id in &self.program.storage.headers[header.index()].fields {
            self.values[id.index()] = Value::zero(self.kind(*id));
        }
    }

    fn invalidate(&mut self, header: HeaderId) {
        self.store(self.program.storage.headers[header.index()].valid, Value::boolean(false));
    }

    /// Copies validity and fields.
    fn copy_header(&mut self, target: HeaderId, source: HeaderId) {
        let program = self.program;
        let (to, from) = (&program.storage.headers[target.index()], &program.storage.headers[source.index()]);
        for (to, from) in to.fields.iter().zip(&from.fields) {
            self.store(*to, self.values[from.index()].clone());
        }
        if self.is_valid(source) { self.make_valid(to) } else { self.invalidate(target) }
    }

    /// `push_front` moves elements to higher indexes; the first elements become invalid.
    fn push(&mut self, stack: StackId, count: usize) {
        let size = self.stack_size(stack);
        for to in (count..size).rev() {
            self.move_element(stack, to - count, to);
        }
        for at in 0..count.min(size) {
            self.clear_element(stack, at);
        }
        let next = self.next_index(stack).index().saturating_add(count as u64);
        self.set_next_index(stack, next.min(size as u64));
    }

    /// `pop_front` moves elements to lower indexes; the last elements become invalid.
    fn pop(&mut self, stack: StackId, count: usize) {
        let size = self.stack_size(stack);
        for to in 0..size.saturating_sub(count) {
            self.move_element(stack, to + count, to);
        }
        for at in size.saturating_sub(count)..size {
            self.clear_element(stack, at);
        }
        let next = self.next_index(stack).index().saturating_sub(count as u64);
        self.set_next_index(stack, next);
    }

    fn move_element(&mut self, stack: StackId, from: usize, to: usize) {
        let (Some(from), Some(to)) = (self.element(stack, from), self.element(stack, to)) else { return };
        for (from, to) in from.into_iter().zip(to) {
            self.copy_header(to, from);
        }
    }

    fn clear_element(&mut self, stack: StackId, at: usize) {
        for header in self.element(stack, at).unwrap_or_default() {
            self.clear_fields(header);
            self.invalidate(header);
        }
    }

    /// Appends a valid header to the output.
    fn emit(&mut self, header: HeaderId) {
        if !self.is_valid(header) {
            return;
        }
        let header = &self.program.storage.headers[header.index()];
        self.cx.note(|| Step::Emit { header: header.name.clone() });
        for id in &header.fields {
            self.emitted.extend(self.values[id.index()].to_bit_list());
        }
    }
}
