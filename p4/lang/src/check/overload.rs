//! Overloaded parsers, controls and packages: a constructor call chooses by the number and names of its arguments
//! (specification, "Name resolution" and "Calls").

use super::{Checker, TypeEntity};
use crate::hir::{Param, Type};
use crate::syntax::ast::Arg;

impl Checker<'_> {
    /// Returns whether a declaration overloads an earlier one of the same name, and records both as candidates.
    pub(super) fn overloaded_with(&mut self, old: &TypeEntity, new: &TypeEntity) -> bool {
        let ty = |entity: &TypeEntity| match entity {
            TypeEntity::Plain(ty) | TypeEntity::Generic(ty, _) => Some(ty.clone()),
            TypeEntity::Param(_) => None,
        };
        let (Some(old), Some(new)) = (ty(old), ty(new)) else { return false };
        let same_kind = matches!(
            (&old, &new),
            (Type::Parser(..), Type::Parser(..))
                | (Type::Control(..), Type::Control(..))
                | (Type::Package(..), Type::Package(..))
        );
        let others = self.overloads.get(&old).cloned().unwrap_or_default();
        let differs = |other: &Type| {
            let names = |ty: &Type| -> Option<Vec<_>> {
                Some(self.constructor_params(ty)?.iter().map(|p| p.name.clone()).collect())
            };
            names(other) != names(&new)
        };
        if !same_kind || !std::iter::once(&old).chain(&others).all(differs) {
            return false;
        }
        self.overloads.entry(old).or_default().push(new);
        true
    }

    /// Returns the declaration that accepts these arguments, with the given type arguments.
    pub(super) fn choose_overload(&mut self, ty: &Type, args: &[Arg]) -> Type {
        let Some(others) = self.overloads.get(&without_type_args(ty)).cloned() else { return ty.clone() };
        let takes = |ty: &Type| {
            self.constructor_params(ty).is_some_and(|params| {
                let required = params.iter().filter(|p| p.default.is_none() && !p.optional).count();
                let named =
                    |arg: &Arg| arg.name.as_ref().is_none_or(|n| params.iter().any(|p| p.name == n.name));
                (required..=params.len()).contains(&args.len()) && args.iter().all(named)
            })
        };
        if takes(ty) {
            return ty.clone();
        }
        match others.iter().find(|other| takes(other)).cloned() {
            Some(other) => self.with_fresh_args(other),
            None => ty.clone(),
        }
    }

    /// Returns whether several declarations share the name of a type.
    pub(super) fn is_overloaded(&self, ty: &Type) -> bool {
        let ty = without_type_args(ty);
        self.overloads.iter().any(|(first, others)| *first == ty || others.contains(&ty))
    }

    fn with_fresh_args(&mut self, ty: Type) -> Type {
        let count = match &ty {
            Type::Parser(id, _) => self.module.parsers.get(id.index()).map(|p| p.type_params.len()),
            Type::Control(id, _) => self.module.controls.get(id.index()).map(|c| c.type_params.len()),
            Type::Package(id, _) => self.module.packages.get(id.index()).map(|p| p.type_params.len()),
            _ => None,
        };
        let args = (0..count.unwrap_or(0)).map(|_| self.fresh()).collect();
        super::types::apply(&ty, args)
    }

    fn constructor_params(&self, ty: &Type) -> Option<&[Param]> {
        match ty {
            Type::Parser(id, _) => self.module.parsers.get(id.index()).map(|p| p.constructor.as_slice()),
            Type::Control(id, _) => self.module.controls.get(id.index()).map(|c| c.constructor.as_slice()),
            Type::Package(id, _) => self.module.packages.get(id.index()).map(|p| p.params.as_slice()),
            _ => None,
        }
    }
}

/// Returns a declared type without type arguments.
fn without_type_args(ty: &Type) -> Type {
    super::types::apply(ty, Vec::new())
}
