//! What to write instead: hints for habits from other languages, and for calls whose arguments do not fit.

use std::slice;

use super::{Checker, Entity};
use crate::diagnostic::{Diagnostic, plural};
use crate::hir::{Param, Signature, Type};
use crate::source::Span;
use crate::syntax::ast::Direction;

/// Returns P4's type for a type of C, Go or Rust.
pub(super) fn p4_type(name: &str) -> Option<String> {
    let base = name.strip_suffix("_t").unwrap_or(name);
    let sized = [("uint", "bit"), ("int", "int"), ("u", "bit"), ("i", "int")];
    for (prefix, ty) in sized {
        if let Some(width) = base.strip_prefix(prefix)
            && ["8", "16", "32", "64", "128"].contains(&width)
        {
            return Some(format!("{ty}<{width}>"));
        }
    }
    let ty = match base {
        "boolean" | "_Bool" => "bool",
        "byte" | "char" | "uchar" => "bit<8>",
        "short" => "int<16>",
        "ushort" => "bit<16>",
        "long" => "int<64>",
        "unsigned" | "uint" | "ulong" | "size" => "bit<32>",
        _ => return None,
    };
    Some(ty.to_owned())
}

impl Checker<'_> {
    /// Returns the name of a parameter or variable in scope that is a packet of this type (`packet_in`, `packet_out`).
    fn packet(&self, extern_name: &str) -> Option<String> {
        let is_packet = |entity: &Entity| match entity {
            Entity::Var(id) => match self.module.vars.get(id.index()).map(|var| &var.ty) {
                Some(Type::Extern(id, _)) => {
                    self.module.externs.get(id.index()).is_some_and(|decl| &*decl.name == extern_name)
                }
                _ => false,
            },
            _ => false,
        };
        let mut found = self.scopes.iter().rev().flat_map(|scope| scope.iter());
        found.find(|(_, declared)| is_packet(&declared.entity)).map(|(name, _)| name.to_string())
    }

    /// Explains that a method belongs to the packet, not to a header: `h.emit()`.
    pub(super) fn hint_at_packet(&self, diagnostic: Diagnostic, method: &str) -> Diagnostic {
        let owner = match method {
            "extract" | "lookahead" | "advance" => "packet_in",
            "emit" => "packet_out",
            _ => return diagnostic,
        };
        let packet = self.packet(owner).unwrap_or_else(|| "packet".to_owned());
        diagnostic.help(format!("`{method}` is a method of `{owner}`: `{packet}.{method}(...)`"))
    }

    /// Explains a call that lacks the argument for its result: `x = r.read(0)`.
    pub(super) fn hint_at_result(
        &self,
        diagnostic: Diagnostic,
        list: &[&Signature],
        given: usize,
    ) -> Diagnostic {
        let lacks_result = |s: &&&Signature| {
            let result = s.params.first().is_some_and(|p| p.direction == Direction::Out);
            result && s.result == Type::Void && s.params.len() == given + 1
        };
        let Some(signature) = list.iter().find(lacks_result) else { return diagnostic };
        let params: Vec<&str> = signature.params.iter().map(|p| &*p.name).collect();
        diagnostic.help(format!(
            "it returns nothing; its result goes to the first argument: `{}({})`",
            signature.name,
            params.join(", ")
        ))
    }

    /// Explains why a parser or control is not what a package expects; the parameters of both are compared.
    pub(super) fn hint_at_block(&mut self, diagnostic: Diagnostic, want: &Type, found: &Type) -> Diagnostic {
        let (Some((parser_wanted, wanted)), Some((parser_found, given))) =
            (self.block_params(want), self.block_params(found))
        else {
            return diagnostic;
        };
        let (name, kind) = (self.show(found), |parser| if parser { "a parser" } else { "a control" });
        if parser_wanted != parser_found {
            let (found, wanted) = (kind(parser_found), kind(parser_wanted));
            return diagnostic.note(format!("`{name}` is {found}, not {wanted}"));
        }
        let (this, expected) = (self.shown_params(&given), self.shown_params(&wanted));
        if given.len() != wanted.len() {
            let counts = (plural(given.len(), "parameter"), wanted.len());
            return diagnostic
                .note(format!("`{name}` has {}, not {}: `{this}`, not `{expected}`", counts.0, counts.1));
        }
        let pairs = wanted.iter().zip(&given).enumerate();
        let differs =
            |w: &Param, g: &Param, c: &mut Self| w.direction != g.direction || !c.unify(&w.ty, &g.ty);
        for (at, (want, given)) in pairs {
            if differs(want, given, self) {
                let (a, b) =
                    (self.shown_params(slice::from_ref(given)), self.shown_params(slice::from_ref(want)));
                let note = format!("parameter {} of `{name}`, `{}`, is `{a}`, not `{b}`", at + 1, given.name);
                return diagnostic.note(note);
            }
        }
        diagnostic
    }

    /// Returns whether a type is a parser, and the parameters of its `apply` method.
    fn block_params(&self, ty: &Type) -> Option<(bool, Vec<Param>)> {
        use crate::hir::type_args;
        let (parser, params, args) = match ty {
            Type::Parser(id, args) => {
                let decl = self.module.parsers.get(id.index())?;
                (true, &decl.params, type_args(&decl.type_params, args))
            }
            Type::Control(id, args) => {
                let decl = self.module.controls.get(id.index())?;
                (false, &decl.params, type_args(&decl.type_params, args))
            }
            Type::Arch(id, args) => {
                let decl = self.module.arch_types.get(id.index())?;
                (decl.is_parser, &decl.params, type_args(&decl.type_params, args))
            }
            _ => return None,
        };
        let substituted = |p: &Param| Param { ty: p.ty.substitute(&args), ..p.clone() };
        Some((parser, params.iter().map(substituted).collect()))
    }

    fn shown_params(&self, params: &[Param]) -> String {
        let shown: Vec<String> = params
            .iter()
            .map(|p| {
                let direction = match p.direction {
                    Direction::In => "in ",
                    Direction::Out => "out ",
                    Direction::InOut => "inout ",
                    Direction::None => "",
                };
                format!("{direction}{}", self.show(&p.ty))
            })
            .collect();
        shown.join(", ")
    }

    /// Explains that a number is not a condition: `if (x)`.
    pub(super) fn hint_at_condition(
        diagnostic: Diagnostic,
        found: &Type,
        compound: bool,
        span: Span,
    ) -> Diagnostic {
        if found.fixed_width().is_none() && *found != Type::Int {
            return diagnostic;
        }
        let advice = "numbers are no conditions in P4; compare with zero";
        match compound {
            true => diagnostic.help(format!("{advice}: `(...) != 0`")),
            false => diagnostic.suggest(advice, span.tail(), " != 0"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::p4_type;

    #[test]
    fn types_of_other_languages_have_a_counterpart() {
        let check =
            |name: &str, expected: Option<&str>| assert_eq!(p4_type(name).as_deref(), expected, "{name}");
        check("uint16", Some("bit<16>"));
        check("uint8_t", Some("bit<8>"));
        check("int32_t", Some("int<32>"));
        check("u64", Some("bit<64>"));
        check("i8", Some("int<8>"));
        check("boolean", Some("bool"));
        check("uint17", None);
        check("ipv4_t", None);
        check("u", None);
    }
}
