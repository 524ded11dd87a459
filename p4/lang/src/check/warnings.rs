//! Warnings that need no data-flow analysis: constant keys, empty and unreachable ranges, entry priorities, overlapping
//! arguments. They correspond to what the reference compiler (p4lang/p4c) reports during type checking, call
//! simplification and P4Info generation.

use std::collections::HashMap;

use num_bigint::BigInt;

use super::Checker;
use crate::constant;
use crate::diagnostic::{Code, Diagnostic, codes};
use crate::hir::{Expr, ExprKind, Keyset, Param, StateTarget, Table, Type, visit_expr};
use crate::source::Span;
use crate::syntax::ast::Direction;

impl Checker<'_> {
    pub(super) fn warn(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::warning(code, span, message));
    }

    /// Warns unless `@noWarn(kind)`, with p4c's name for the kind of warning, applies here.
    fn warn_unless_suppressed(&mut self, kind: &str, diagnostic: Diagnostic) {
        if !self.usage.is_suppressed(kind, diagnostic.primary.span) {
            self.report(diagnostic);
        }
    }

    /// Warns about a constant key.
    pub(super) fn warn_constant_key(&mut self, key: &Expr) {
        if key.is_const() && !key.ty.is_bad() {
            let message = "table key is a constant";
            self.warn_unless_suppressed(
                "mismatch",
                Diagnostic::warning(codes::CONSTANT_KEY, key.span, message),
            );
        }
    }

    /// Warns about a value with bits outside its mask.
    pub(super) fn warn_masked_bits(&mut self, set: &Keyset) {
        let Keyset::Mask(value, mask) = set else { return };
        let (Some(bits), Some(kept)) = (value.as_int(), mask.as_int()) else { return };
        let seen = bits & kept;
        if seen != *bits {
            let message = format!("value has bits outside its mask; it is matched as {seen:#x}");
            self.report(Diagnostic::warning(codes::MASKED_BITS, value.span, message).also(mask.span, "mask"));
        }
    }

    /// Warns about an empty range.
    pub(super) fn warn_empty_range(&mut self, low: &Expr, high: &Expr) {
        if let (Some(from), Some(to)) = (low.as_int(), high.as_int())
            && to < from
        {
            let message = "range is empty: its end is less than its start";
            self.report(
                Diagnostic::warning(codes::NO_MATCH, low.span, message).also(high.span, "end of the range"),
            );
        }
    }

    /// Warns about an integer that its type truncates.
    pub(super) fn warn_truncated_literal(&mut self, number: &BigInt, wanted: &Type, span: Span) {
        let becomes = constant::wrap(number, wanted);
        if becomes != *number {
            let text = self.show(wanted);
            self.report(
                Diagnostic::warning(
                    codes::TRUNCATED,
                    span,
                    format!("{number} is out of range for `{text}` and is truncated to {becomes}"),
                )
                .label(if becomes < BigInt::from(0) {
                    "the highest bit becomes the sign"
                } else {
                    "the upper bits are lost"
                }),
            );
        }
    }

    /// Warns about a `select` whose cases all lead to the same state.
    pub(super) fn warn_trivial_select(
        &mut self,
        head: Span,
        cases: &[(Vec<Keyset>, StateTarget)],
        complete: bool,
    ) {
        let Some((_, first)) = cases.first() else { return };
        let same = cases.iter().all(|(_, target)| target == first);
        if same && (complete || *first == StateTarget::Reject) {
            self.warn(codes::UNREACHABLE, head, "all cases lead to the same state");
        }
    }

    /// Warns about entries that an earlier entry completely covers. Tables with explicit priorities are not checked.
    pub(super) fn warn_covered_entries(&mut self, table: &Table) {
        if table.entries.iter().any(|e| e.priority.is_some())
            || !table.keys.iter().any(|k| &*k.match_kind == "ternary")
        {
            return;
        }
        // Tables have at most some hundred constant entries, so comparing all pairs is cheap.
        const MAX_COMPARED: usize = 1000;
        let mut covered = Vec::new();
        for (i, entry) in table.entries.iter().enumerate().take(MAX_COMPARED) {
            let before = table.entries[..i].iter().find(|other| {
                other.keysets.len() == entry.keysets.len()
                    && other.keysets.iter().zip(&entry.keysets).all(|(a, b)| contains(a, b))
            });
            let Some(before) = before else { continue };
            let start = entry.keysets.first().and_then(location).unwrap_or(entry.span);
            covered.push((Span { end: entry.span.end.max(start.start), ..start }, before.span));
        }
        for (span, before) in covered {
            self.report(
                Diagnostic::warning(codes::NO_MATCH, span, "entry never matches")
                    .also(before, "this entry matches everything first"),
            );
        }
    }

    /// Warns about equal priorities, and about priorities that contradict the order of the entries.
    pub(super) fn warn_priority_order(&mut self, priorities: &[(BigInt, Span)], falling: bool) {
        // The second entry of each priority, by the location of the first one.
        let (mut firsts, mut seconds) = (HashMap::new(), HashMap::new());
        for (i, (priority, span)) in priorities.iter().enumerate() {
            let first = *firsts.entry(priority).or_insert(i);
            if first != i {
                seconds.entry(first).or_insert(*span);
            }
        }
        for (i, (priority, span)) in priorities.iter().enumerate() {
            if let Some(second) = seconds.get(&i) {
                let message = format!("several entries have priority {priority}");
                self.warn_unless_suppressed(
                    "duplicate-priorities",
                    Diagnostic::warning(codes::PRIORITIES, *span, message)
                        .also(*second, "same priority")
                        .note("which of them matches first is undefined"),
                );
            }
            let Some((next, after)) = priorities.get(i + 1) else { continue };
            if next != priority && (next > priority) == falling {
                let message = format!(
                    "entry of priority {priority} precedes an entry of higher precedence (priority {next})"
                );
                self.warn_unless_suppressed(
                    "entries-out-of-priority-order",
                    Diagnostic::warning(codes::PRIORITIES, *span, message).also(*after, "wins"),
                );
            }
        }
    }

    /// Warns about written arguments that share storage: the copy-out order decides which value remains.
    pub(super) fn warn_overlapping_arguments(&mut self, params: &[Param], args: &[Option<Expr>]) {
        let written: Vec<&Expr> = params
            .iter()
            .zip(args)
            .filter(|(p, _)| matches!(p.direction, Direction::Out | Direction::InOut))
            .filter_map(|(_, arg)| arg.as_ref())
            .collect();
        let mut found = Vec::new();
        for (i, one) in written.iter().enumerate() {
            let other = written.iter().enumerate().find(|(j, other)| *j != i && shares(one, other));
            if let Some((_, other)) = other {
                found.push((one.span, other.span));
            }
        }
        for (span, other) in found {
            let diagnostic =
                Diagnostic::warning(codes::OVERLAP, span, "argument overlaps another written argument");
            self.warn_unless_suppressed(
                "ordering",
                diagnostic
                    .also(other, "overlapping argument")
                    .note("arguments are copied out in the order of the parameters"),
            );
        }
    }
}

/// Returns the location of a key set.
fn location(set: &Keyset) -> Option<Span> {
    match set {
        Keyset::Any | Keyset::ValueSet(_) => None,
        Keyset::Value(value) | Keyset::Mask(value, _) | Keyset::Range(value, _) => Some(value.span),
        Keyset::Items(items) => items.first().and_then(location),
    }
}

/// Returns value and mask of a key set, if it can be written with a mask.
fn masked(set: &Keyset) -> Option<(BigInt, Option<BigInt>)> {
    match set {
        Keyset::Value(value) => Some((value.as_int()?.clone(), None)),
        Keyset::Mask(value, mask) => {
            let mask = mask.as_int()?;
            Some((value.as_int()? & mask, Some(mask.clone())))
        }
        _ => None,
    }
}

/// Returns whether one key set certainly contains another.
fn contains(outer: &Keyset, inner: &Keyset) -> bool {
    if *outer == Keyset::Any {
        return true;
    }
    match (masked(outer), masked(inner)) {
        (Some((a, None)), Some((b, None))) => a == b,
        (Some((a, Some(mask))), Some((b, None))) => a == b & mask,
        (Some((a, Some(mask))), Some((b, Some(inner)))) => &mask & &inner == mask && a == b & mask,
        _ => false,
    }
}

/// Returns whether a key set contains a value; `None` if that is unknown.
pub(super) fn matches(set: &Keyset, key: &Expr) -> Option<bool> {
    if *set == Keyset::Any {
        return Some(true);
    }
    let value = match &key.kind {
        ExprKind::Bool(bit) => BigInt::from(u8::from(*bit)),
        _ => key.as_int()?.clone(),
    };
    match set {
        Keyset::Value(Expr { kind: ExprKind::Bool(bit), .. }) => Some(value == BigInt::from(u8::from(*bit))),
        Keyset::Range(low, high) => Some((low.as_int()?..=high.as_int()?).contains(&&value)),
        _ => match masked(set)? {
            (wanted, None) => Some(wanted == value),
            (wanted, Some(mask)) => Some(wanted == value & mask),
        },
    }
}

/// Returns whether two l-values may denote the same storage, contain each other, or use each other as an index.
fn shares(one: &Expr, other: &Expr) -> bool {
    let mut indexed = false;
    visit_expr(one, &mut |part| {
        if let ExprKind::Index(_, index) | ExprKind::PlusSlice(_, index, _) = &part.kind {
            visit_expr(index, &mut |read| indexed |= overlap(read, other));
        }
    });
    indexed || overlap(one, other)
}

fn overlap(one: &Expr, other: &Expr) -> bool {
    let (a, b) = (path(one), path(other));
    match (a, b) {
        (Some((x, xs)), Some((y, ys))) => {
            x == y && xs.iter().zip(&ys).all(|(a, b)| a.is_none() || b.is_none() || a == b)
        }
        _ => false,
    }
}

/// The variable of an l-value, and the fields and elements that lead from it; unknown indices are `None`. Slices with
/// disjoint bits do not overlap.
fn path(lvalue: &Expr) -> Option<(crate::hir::VarId, Vec<Option<usize>>)> {
    match &lvalue.kind {
        ExprKind::Var(id) => Some((*id, Vec::new())),
        ExprKind::Field(of, field) => {
            let (var, mut steps) = path(of)?;
            steps.push(Some(*field));
            Some((var, steps))
        }
        ExprKind::Index(of, index) => {
            let (var, mut steps) = path(of)?;
            steps.push(index.as_int().and_then(|i| usize::try_from(i).ok()));
            Some((var, steps))
        }
        ExprKind::Next(of) | ExprKind::Last(of) => {
            let (var, mut steps) = path(of)?;
            steps.push(None);
            Some((var, steps))
        }
        ExprKind::Slice(of, ..) | ExprKind::PlusSlice(of, ..) => path(of),
        _ => None,
    }
}
