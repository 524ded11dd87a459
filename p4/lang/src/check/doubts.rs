//! What is legal and hardly meant, and shows without following values: constant keys, sets of values that contain
//! nothing or nothing new, priorities that contradict the order, arguments that overlap. It is what the reference
//! compiler (p4lang/p4c) warns of while it checks types, simplifies calls and writes P4Info.

use std::collections::HashMap;

use num_bigint::BigInt;

use super::Checker;
use crate::constant;
use crate::diagnostic::{Code, Diagnostic, codes};
use crate::hir::{Expr, ExprKind, Keyset, Param, StateTarget, Table, Type, visit_expr};
use crate::source::Span;
use crate::syntax::ast::Direction;

impl Checker<'_> {
    pub(super) fn doubt(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::warning(code, span, message));
    }

    /// Warns, unless `@noWarn` with p4c's name for the kind of warning stands around the place.
    fn doubt_unless_silenced(&mut self, kind: &str, diagnostic: Diagnostic) {
        if !self.usage.is_silenced(kind, diagnostic.primary.span) {
            self.report(diagnostic);
        }
    }

    /// A key that is always the same.
    pub(super) fn doubt_constant_key(&mut self, key: &Expr) {
        if key.is_const() && !key.ty.is_bad() {
            let message = "this key is always the same";
            self.doubt_unless_silenced(
                "mismatch",
                Diagnostic::warning(codes::CONSTANT_KEY, key.span, message),
            );
        }
    }

    /// Bits that are compared although the mask leaves them out.
    pub(super) fn doubt_masked_bits(&mut self, set: &Keyset) {
        let Keyset::Mask(value, mask) = set else { return };
        let (Some(bits), Some(kept)) = (value.as_int(), mask.as_int()) else { return };
        let seen = bits & kept;
        if seen != *bits {
            let message = format!("the mask leaves out bits of this value, which counts as {seen:#x}");
            self.report(
                Diagnostic::warning(codes::MASKED_BITS, value.span, message).also(mask.span, "the mask"),
            );
        }
    }

    /// A range in which nothing lies.
    pub(super) fn doubt_empty_range(&mut self, low: &Expr, high: &Expr) {
        if let (Some(from), Some(to)) = (low.as_int(), high.as_int())
            && to < from
        {
            let message = "this range ends before it starts: nothing lies in it";
            self.report(Diagnostic::warning(codes::NO_MATCH, low.span, message).also(high.span, "ends here"));
        }
    }

    /// A number that does not fit: its upper bits are lost, or it counts as negative.
    pub(super) fn doubt_literal(&mut self, number: &BigInt, wanted: &Type, span: Span) {
        let becomes = constant::wrap(number, wanted);
        if becomes != *number {
            let text = self.show(wanted);
            self.report(
                Diagnostic::warning(
                    codes::TRUNCATED,
                    span,
                    format!("{number} does not fit into `{text}` and becomes {becomes}"),
                )
                .label(if becomes < BigInt::from(0) {
                    "the highest bit is the sign"
                } else {
                    "upper bits are lost"
                }),
            );
        }
    }

    /// A `select` that comes to the same whatever its keys are.
    pub(super) fn doubt_select(&mut self, head: Span, cases: &[(Vec<Keyset>, StateTarget)], complete: bool) {
        let Some((_, first)) = cases.first() else { return };
        let same = cases.iter().all(|(_, target)| target == first);
        if same && (complete || *first == StateTarget::Reject) {
            self.doubt(codes::UNREACHABLE, head, "all values lead to the same state");
        }
    }

    /// Entries that an entry before them takes everything from. Where priorities are given, these decide.
    pub(super) fn doubt_covered_entries(&mut self, table: &Table) {
        if table.entries.iter().any(|e| e.priority.is_some())
            || !table.keys.iter().any(|k| &*k.match_kind == "ternary")
        {
            return;
        }
        // Entries come in some hundreds; a comparison each with each stays small.
        const MAX_COMPARED: usize = 1000;
        let mut covered = Vec::new();
        for (i, entry) in table.entries.iter().enumerate().take(MAX_COMPARED) {
            let before = table.entries[..i].iter().find(|other| {
                other.keysets.len() == entry.keysets.len()
                    && other.keysets.iter().zip(&entry.keysets).all(|(a, b)| contains(a, b))
            });
            let Some(before) = before else { continue };
            let place = entry.keysets.first().and_then(place).unwrap_or(entry.span);
            covered.push((Span { end: entry.span.end.max(place.start), ..place }, before.span));
        }
        for (span, before) in covered {
            self.report(
                Diagnostic::warning(codes::NO_MATCH, span, "this entry is never used")
                    .also(before, "takes all of it"),
            );
        }
    }

    /// Priorities that are the same, or contradict the order of the entries.
    pub(super) fn doubt_priorities(&mut self, priorities: &[(BigInt, Span)], falling: bool) {
        // The second entry of each priority, by the place of the first one.
        let (mut firsts, mut seconds) = (HashMap::new(), HashMap::new());
        for (i, (priority, span)) in priorities.iter().enumerate() {
            let first = *firsts.entry(priority).or_insert(i);
            if first != i {
                seconds.entry(first).or_insert(*span);
            }
        }
        for (i, (priority, span)) in priorities.iter().enumerate() {
            if let Some(later) = seconds.get(&i) {
                let message = format!("another entry has the same priority {priority}");
                self.doubt_unless_silenced(
                    "duplicate-priorities",
                    Diagnostic::warning(codes::PRIORITIES, *span, message)
                        .also(*later, "this one")
                        .note("which of them matches is not determined"),
                );
            }
            let Some((next, after)) = priorities.get(i + 1) else { continue };
            if next != priority && (next > priority) == falling {
                let message = format!(
                    "an entry of priority {priority} stands before one of priority {next}, which wins"
                );
                self.doubt_unless_silenced(
                    "entries-out-of-priority-order",
                    Diagnostic::warning(codes::PRIORITIES, *span, message).also(*after, "wins"),
                );
            }
        }
    }

    /// Arguments that a call writes and that share storage: which value stays is a matter of the order in which
    /// they are copied back.
    pub(super) fn doubt_overlaps(&mut self, params: &[Param], args: &[Option<Expr>]) {
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
            let diagnostic = Diagnostic::warning(
                codes::OVERLAP,
                span,
                "another argument that is written shares storage with this one",
            );
            self.doubt_unless_silenced(
                "ordering",
                diagnostic
                    .also(other, "the other one")
                    .note("they are copied back in the order of the parameters"),
            );
        }
    }
}

/// The place of a set of values.
fn place(set: &Keyset) -> Option<Span> {
    match set {
        Keyset::Any | Keyset::ValueSet(_) => None,
        Keyset::Value(value) | Keyset::Mask(value, _) | Keyset::Range(value, _) => Some(value.span),
        Keyset::Items(items) => items.first().and_then(place),
    }
}

/// Value and mask of a set; none if it is none with a mask.
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

/// Whether one set certainly contains another.
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

/// Whether a set contains a value; `None` if that is not known.
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

/// Whether two places may be the same, or one part of the other, or the index of one.
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

/// The variable that a place is in, and the fields and elements that lead to it; those that are not known are
/// `None`. Slices are apart if their bits are.
fn path(place: &Expr) -> Option<(crate::hir::VarId, Vec<Option<usize>>)> {
    match &place.kind {
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
