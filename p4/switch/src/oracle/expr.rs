//! Expressions and header references.

use p4_lang::ir::{
    BinaryOp, Expr, ExprKind, HeaderId, HeaderRef, Pattern, ScalarKind, StackElements, StackId, ValueSetId,
};

use super::value::{Value, number_of_bits};
use super::{Run, Runner};
use crate::control::FieldMatch;

impl Runner<'_> {
    pub(super) fn expr(&mut self, e: &Expr) -> Run<Value> {
        Ok(match &e.kind {
            ExprKind::Const(bits) => Value::of_bits(bits, e.ty),
            ExprKind::Scalar(id) => self.values[id.index()].clone().cast(e.ty),
            ExprKind::StackField { stack, index, member, field } => {
                let element = HeaderRef::Element { stack: *stack, index: index.clone(), member: *member };
                match self.header(&element)? {
                    Some(header) => {
                        let id = self.program.storage.headers[header.index()].fields[*field];
                        self.values[id.index()].clone().cast(e.ty)
                    }
                    None => Value::zero(e.ty),
                }
            }
            ExprKind::IsValid(header) => {
                let header = self.header(header)?;
                Value::boolean(header.is_some_and(|h| self.is_valid(h)))
            }
            ExprKind::LastIndex(stack) => {
                let next = self.next_index(*stack);
                let one = Value::of_u64(1, next.kind);
                next.binary(BinaryOp::Sub, &one, ScalarKind::Unsigned(32)).cast(e.ty)
            }
            ExprKind::Lookahead { offset_bits } => {
                let at = self.cx.cursor + u64::from(*offset_bits);
                let width = u64::from(e.ty.width());
                if at + width > self.packet_bits() {
                    return self.reject("PacketTooShort");
                }
                Value::new(number_of_bits((at..at + width).map(|bit| self.packet_bit(bit))), e.ty)
            }
            ExprKind::PacketLength => Value::of_u64(self.cx.packet.len(), e.ty),
            ExprKind::Unary(op, operand) => self.expr(operand)?.unary(*op, e.ty),
            ExprKind::Binary(BinaryOp::And, a, b) => {
                Value::boolean(self.condition(a)? && self.condition(b)?).cast(e.ty)
            }
            ExprKind::Binary(BinaryOp::Or, a, b) => {
                Value::boolean(self.condition(a)? || self.condition(b)?).cast(e.ty)
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                a.binary(*op, &b, e.ty)
            }
            ExprKind::Mux(condition, then, otherwise) => {
                let chosen = if self.condition(condition)? { then } else { otherwise };
                self.expr(chosen)?.cast(e.ty)
            }
            ExprKind::Slice { of, high, low } => self.expr(of)?.slice(*high, *low).cast(e.ty),
            ExprKind::Cast(operand) => self.expr(operand)?.cast(e.ty),
        })
    }

    pub(super) fn condition(&mut self, e: &Expr) -> Run<bool> {
        Ok(self.expr(e)?.is_true())
    }

    pub(super) fn list(&mut self, exprs: &[Expr]) -> Run<Vec<Value>> {
        exprs.iter().map(|e| self.expr(e)).collect()
    }

    pub(super) fn is_valid(&self, header: HeaderId) -> bool {
        self.values[self.program.storage.headers[header.index()].valid.index()].is_true()
    }

    pub(super) fn next_index(&self, stack: StackId) -> Value {
        self.values[self.program.storage.stacks[stack.index()].next_index.index()].clone()
    }

    /// Returns the headers of one element of a stack: one, or the members of a union.
    pub(super) fn element(&self, stack: StackId, index: usize) -> Option<Vec<HeaderId>> {
        let storage = &self.program.storage;
        match &storage.stacks[stack.index()].elements {
            StackElements::Headers(headers) => headers.get(index).map(|h| vec![*h]),
            StackElements::Unions(unions) => {
                unions.get(index).map(|u| storage.unions[u.index()].members.clone())
            }
        }
    }

    pub(super) fn stack_size(&self, stack: StackId) -> usize {
        match &self.program.storage.stacks[stack.index()].elements {
            StackElements::Headers(headers) => headers.len(),
            StackElements::Unions(unions) => unions.len(),
        }
    }

    fn element_header(&self, stack: StackId, index: u64, member: usize) -> Option<HeaderId> {
        self.element(stack, usize::try_from(index).ok()?)?.get(member).copied()
    }

    /// Resolves a header reference; `None` if the index is out of bounds.
    pub(super) fn header(&mut self, header: &HeaderRef) -> Run<Option<HeaderId>> {
        match header {
            HeaderRef::Static(id) => Ok(Some(*id)),
            HeaderRef::Element { stack, index, member } => {
                let index = self.expr(index)?.index();
                Ok(self.element_header(*stack, index, *member))
            }
            HeaderRef::Next { stack, member } => {
                let index = self.next_index(*stack).index();
                match self.element_header(*stack, index, *member) {
                    Some(header) => Ok(Some(header)),
                    None => self.reject("StackOutOfBounds"),
                }
            }
            HeaderRef::Last { stack, member } => {
                let index = self.next_index(*stack).index().checked_sub(1);
                match index.and_then(|index| self.element_header(*stack, index, *member)) {
                    Some(header) => Ok(Some(header)),
                    None => self.reject("StackOutOfBounds"),
                }
            }
        }
    }

    /// Whether the keys of a `select` match a case.
    pub(super) fn case_matches(&self, keys: &[Value], patterns: &[Pattern]) -> bool {
        match patterns {
            [Pattern::Any] => true,
            _ => patterns.iter().enumerate().zip(keys).all(|((at, pattern), key)| match pattern {
                Pattern::ValueSet(set) => self.in_value_set(*set, &keys[at..]),
                pattern => matches(key, pattern),
            }),
        }
    }

    fn in_value_set(&self, set: ValueSetId, keys: &[Value]) -> bool {
        let members = self.state.value_sets[set.index()].members();
        members.iter().any(|member| keys.iter().zip(member).all(|(key, wanted)| field_matches(key, wanted)))
    }
}

/// Whether a value matches a pattern.
pub(super) fn matches(value: &Value, pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Any => true,
        Pattern::Value(wanted) => value.equals(&Value::of_bits(wanted, value.kind)),
        Pattern::Mask { value: wanted, mask } => {
            let mask = Value::of_bits(mask, value.kind).pattern();
            value.pattern() & &mask == Value::of_bits(wanted, value.kind).pattern() & &mask
        }
        Pattern::Range { low, high, signed } => {
            let width = value.kind.width();
            let kind = if *signed { ScalarKind::Signed(width) } else { ScalarKind::Unsigned(width) };
            let number = Value::new(value.pattern(), kind).number;
            Value::of_bits(low, kind).number <= number && number <= Value::of_bits(high, kind).number
        }
        // A value set matches several keys; see `case_matches`.
        Pattern::ValueSet(_) => false,
    }
}

/// Whether a value matches a component of an entry.
pub(super) fn field_matches(value: &Value, wanted: &FieldMatch) -> bool {
    let number = |bits| Value::of_bits(bits, ScalarKind::Unsigned(value.kind.width())).number;
    let pattern = value.pattern();
    match wanted {
        FieldMatch::Any => true,
        FieldMatch::Exact(exact) => pattern == number(exact),
        FieldMatch::Lpm { value: prefix, prefix_bits } => {
            let beyond = value.kind.width() - prefix_bits;
            pattern >> beyond == number(prefix) >> beyond
        }
        FieldMatch::Ternary { value: wanted, mask } => {
            let mask = number(mask);
            pattern & &mask == number(wanted) & &mask
        }
        FieldMatch::Range { low, high } => number(low) <= pattern && pattern <= number(high),
    }
}
