//! Type inference by unification.

use super::Checker;
use crate::hir::{Param, Type, TypeArgs, TypeParamId, type_args};
use crate::syntax::ast::Direction;

/// A parameter of the `apply` method of a parser or control.
struct ObjectParam {
    direction: Direction,
    ty: Type,
    /// Whether it is optional or has a default value.
    omittable: bool,
}

impl Checker<'_> {
    /// Returns a new type variable.
    pub(super) fn fresh(&mut self) -> Type {
        self.solutions.push(None);
        Type::Var(self.solutions.len() as u32 - 1)
    }

    /// Returns a new type variable for each type parameter.
    pub(super) fn fresh_args(&mut self, params: &[TypeParamId]) -> TypeArgs {
        params.iter().map(|p| (*p, self.fresh())).collect()
    }

    /// Substitutes the solutions found so far.
    pub(super) fn zonk(&self, ty: &Type) -> Type {
        ty.map(&mut |t| match t {
            Type::Var(id) => {
                let solution = self.solutions.get(*id as usize)?.as_ref()?;
                Some(self.zonk(solution))
            }
            _ => None,
        })
    }

    /// Returns whether a type contains unsolved type variables.
    pub(super) fn is_open(&self, ty: &Type) -> bool {
        self.zonk(ty).any(&mut |t| matches!(t, Type::Var(_)))
    }

    pub(super) fn solve(&mut self, id: u32, ty: Type) -> bool {
        if ty == Type::Var(id) {
            return true;
        }
        if ty.any(&mut |t| *t == Type::Var(id)) {
            return false;
        }
        if let Some(slot) = self.solutions.get_mut(id as usize) {
            *slot = Some(ty);
        }
        true
    }

    /// Unifies two types; returns whether that is possible.
    pub(super) fn unify(&mut self, a: &Type, b: &Type) -> bool {
        let (a, b) = (self.zonk(a), self.zonk(b));
        match (&a, &b) {
            _ if a == b => true,
            (Type::Bad, _) | (_, Type::Bad) => true,
            (Type::Var(id), other) | (other, Type::Var(id)) => self.solve(*id, other.clone()),
            (Type::Aggregate(x, xs), Type::Aggregate(y, ys)) => x == y && self.unify_all(xs, ys),
            (Type::Extern(x, xs), Type::Extern(y, ys)) => x == y && self.unify_all(xs, ys),
            (Type::Package(x, xs), Type::Package(y, ys)) => x == y && self.unify_all(xs, ys),
            (Type::Arch(x, xs), Type::Arch(y, ys)) if x == y => self.unify_all(xs, ys),
            (Type::Parser(x, xs), Type::Parser(y, ys)) => x == y && self.unify_all(xs, ys),
            (Type::Control(x, xs), Type::Control(y, ys)) => x == y && self.unify_all(xs, ys),
            (Type::Arch(..), Type::Arch(..) | Type::Parser(..) | Type::Control(..))
            | (Type::Parser(..) | Type::Control(..), Type::Arch(..)) => self.unify_objects(&a, &b),
            (Type::Tuple(xs) | Type::Seq(xs), Type::Tuple(ys) | Type::Seq(ys)) => self.unify_all(xs, ys),
            (Type::Stack(x, n), Type::Stack(y, m)) => n == m && self.unify(x, y),
            (Type::List(x), Type::List(y)) | (Type::ValueSet(x), Type::ValueSet(y)) => self.unify(x, y),
            (Type::Record(xs), Type::Record(ys)) => {
                xs.len() == ys.len()
                    && xs.iter().zip(ys.iter()).all(|((n, x), (m, y))| n == m && self.unify(x, y))
            }
            _ => false,
        }
    }

    fn unify_all(&mut self, xs: &[Type], ys: &[Type]) -> bool {
        xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| self.unify(x, y))
    }

    /// Unifies a parser or control with a parser or control type: the parameters must match in order.
    fn unify_objects(&mut self, a: &Type, b: &Type) -> bool {
        let (Some((parser_a, params_a)), Some((parser_b, params_b))) =
            (self.object_params(a), self.object_params(b))
        else {
            return false;
        };
        // A parser or control may lack parameters that are optional in the architecture's type.
        let shared = params_a.len().min(params_b.len());
        let omittable = |more: &Type, rest: &[ObjectParam]| {
            rest.is_empty() || matches!(more, Type::Arch(..)) && rest.iter().all(|p| p.omittable)
        };
        let lengths = omittable(a, params_a.get(shared..).unwrap_or_default())
            && omittable(b, params_b.get(shared..).unwrap_or_default());
        if parser_a != parser_b || !lengths {
            return false;
        }
        params_a.iter().zip(&params_b).all(|(x, y)| x.direction == y.direction && self.unify(&x.ty, &y.ty))
    }

    /// Returns whether a type is a parser, and the parameters of its `apply` method.
    fn object_params(&mut self, ty: &Type) -> Option<(bool, Vec<ObjectParam>)> {
        let list = |params: &[Param], args: &TypeArgs| -> Vec<ObjectParam> {
            let param = |p: &Param| ObjectParam {
                direction: p.direction,
                ty: p.ty.substitute(args),
                omittable: p.default.is_some() || p.optional,
            };
            params.iter().map(param).collect()
        };
        match ty {
            Type::Parser(id, args) => {
                let decl = self.module.parsers.get(id.index())?;
                Some((true, list(&decl.params, &type_args(&decl.type_params, args))))
            }
            Type::Control(id, args) => {
                let decl = self.module.controls.get(id.index())?;
                Some((false, list(&decl.params, &type_args(&decl.type_params, args))))
            }
            Type::Arch(id, args) => {
                let decl = self.module.arch_types.get(id.index())?;
                Some((decl.is_parser, list(&decl.params, &type_args(&decl.type_params, args))))
            }
            _ => None,
        }
    }
}
