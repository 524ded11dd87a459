//! Key sets as patterns.

use super::objects::Object;
use super::{Binding, Lowerer, build};
use crate::hir::{Expr, Keyset, Type, VarId};
use crate::ir::{self, BinaryOp, Pattern, ScalarKind, SelectCase, Target};
use crate::source::Span;

/// A `select` under construction. Key sets that depend on run-time values become additional one-bit keys that state
/// whether they match.
pub(super) struct Select {
    pub(super) keys: Vec<ir::Expr>,
    pub(super) cases: Vec<SelectCase>,
}

impl Lowerer<'_> {
    pub(super) fn select_case(
        &mut self,
        select: &mut Select,
        keys: &[Expr],
        sets: &[Keyset],
        target: Target,
    ) {
        let mut patterns = Vec::new();
        let mut conditions = Vec::new();
        if let [Keyset::ValueSet(var)] = sets {
            // One set for all keys.
            let count = keys.iter().map(|key| self.flat_kinds(&key.ty).len()).sum();
            self.value_set_patterns(*var, count, &mut patterns);
        } else {
            for (key, set) in keys.iter().zip(sets) {
                self.patterns(set, &key.ty, &select.keys, &mut patterns, &mut conditions);
            }
        }
        patterns.resize(select.keys.len(), Pattern::Any);
        for condition in conditions {
            select.keys.push(condition);
            for case in &mut select.cases {
                case.patterns.push(Pattern::Any);
            }
            patterns.push(Pattern::Value(build::bits(&1.into(), 1)));
        }
        select.cases.push(SelectCase { patterns, target });
    }

    /// Returns one pattern for each scalar of the key's type. `keys` are the scalars of all keys; the patterns so far
    /// determine where those of this key begin.
    fn patterns(
        &mut self,
        set: &Keyset,
        ty: &Type,
        keys: &[ir::Expr],
        out: &mut Vec<Pattern>,
        conditions: &mut Vec<ir::Expr>,
    ) {
        let key = keys.get(out.len()).cloned();
        match set {
            Keyset::Any => {
                let count = self.flat_kinds(ty).len();
                out.extend(std::iter::repeat_n(Pattern::Any, count));
            }
            Keyset::Value(value) => {
                let evaluated = self.eval(value);
                let mut leaves = Vec::new();
                self.flatten(&evaluated, ty, &mut leaves);
                for leaf in leaves {
                    let key = keys.get(out.len()).cloned();
                    match (leaf.kind.clone(), key) {
                        (ir::ExprKind::Const(bits), _) => out.push(Pattern::Value(bits)),
                        (_, Some(key)) => {
                            conditions.push(build::equal(key, leaf));
                            out.push(Pattern::Any);
                        }
                        (_, None) => out.push(Pattern::Any),
                    }
                }
            }
            Keyset::Mask(value, mask) => {
                let pair = self.eval_scalars(&[value, mask]);
                let [value, mask] = pair.as_slice() else { return };
                match (&value.kind, &mask.kind, key) {
                    (ir::ExprKind::Const(v), ir::ExprKind::Const(m), _) => {
                        out.push(Pattern::Mask { value: v.clone(), mask: m.clone() });
                    }
                    (_, _, Some(key)) => {
                        let masked = |e: &ir::Expr| build::binary(BinaryOp::BitAnd, e.clone(), mask.clone());
                        conditions.push(build::equal(masked(&key), masked(value)));
                        out.push(Pattern::Any);
                    }
                    _ => out.push(Pattern::Any),
                }
            }
            Keyset::Range(low, high) => {
                let pair = self.eval_scalars(&[low, high]);
                let [low, high] = pair.as_slice() else { return };
                match (&low.kind, &high.kind, key) {
                    (ir::ExprKind::Const(l), ir::ExprKind::Const(h), _) => out.push(Pattern::Range {
                        low: l.clone(),
                        high: h.clone(),
                        signed: matches!(low.ty, ScalarKind::Signed(_)),
                    }),
                    (_, _, Some(key)) => {
                        let above = build::binary(BinaryOp::GreaterEqual, key.clone(), low.clone());
                        let below = build::binary(BinaryOp::LessEqual, key, high.clone());
                        conditions.push(build::and(above, below));
                        out.push(Pattern::Any);
                    }
                    _ => out.push(Pattern::Any),
                }
            }
            Keyset::Items(items) => {
                let fields = self.module.fields(&self.ty(ty)).unwrap_or_default();
                for (item, (_, ty)) in items.iter().zip(&fields) {
                    self.patterns(item, ty, keys, out, conditions);
                }
            }
            Keyset::ValueSet(var) => {
                let count = self.flat_kinds(ty).len();
                self.value_set_patterns(*var, count, out);
            }
        }
    }

    /// Returns the pattern of a value set whose members have `count` components.
    fn value_set_patterns(&mut self, var: VarId, count: usize, out: &mut Vec<Pattern>) {
        if let Some(Binding::Object(Object::ValueSet(id))) = self.env.vars.get(&var)
            && count > 0
        {
            out.push(Pattern::ValueSet(*id));
            out.extend(std::iter::repeat_n(Pattern::Any, count - 1));
        }
    }

    /// Returns the patterns of a table entry, which must be constant.
    pub(super) fn entry_patterns(&mut self, sets: &[Keyset], types: &[Type], span: Span) -> Vec<Pattern> {
        let mut out = Vec::new();
        let mut conditions = Vec::new();
        let zeros: Vec<ir::Expr> = types
            .iter()
            .flat_map(|ty| self.flat_kinds(ty))
            .map(|kind| build::number(&0.into(), kind))
            .collect();
        for (set, ty) in sets.iter().zip(types) {
            self.patterns(set, ty, &zeros, &mut out, &mut conditions);
        }
        if !conditions.is_empty() {
            self.unsupported(span, "the key of an entry must be a constant");
        }
        out
    }
}
