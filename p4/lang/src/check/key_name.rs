//! The control-plane name of a table key without `@name`: the key expression as written, if it consists of names.
//!
//! Source: P4-16 specification, "Control plane names"; indices, slices and masks are written as in p4c.

use crate::hir::{AggregateId, Call, Callee, Expr, ExprKind, Module, Type};
use crate::lex::Tok;
use crate::syntax::ast::{self, AnnotationBody, ExprKind as Ast};

/// Returns the name of a key, from the expression as written and, if available, the checked expression.
pub(super) fn key_name(module: &Module, written: &ast::Expr, meant: Option<&Expr>) -> Option<String> {
    let meant = meant.map(without_casts);
    match &written.kind {
        Ast::Name(path) => Some(path.ident.name.to_string()),
        Ast::Member(base, member) => {
            let (inner, field) = match meant.map(|m| &m.kind) {
                Some(ExprKind::Field(inner, index)) => (Some(&**inner), Some(*index)),
                Some(ExprKind::Next(inner) | ExprKind::Last(inner) | ExprKind::LastIndex(inner)) => {
                    (Some(&**inner), None)
                }
                _ => (None, None),
            };
            let named = inner.zip(field).and_then(|(inner, field)| field_name(module, &inner.ty, field));
            let name = named.unwrap_or_else(|| member.name.to_string());
            // An absolute name replaces the whole path.
            match name.strip_prefix('.') {
                Some(absolute) => Some(absolute.to_owned()),
                None => Some(format!("{}.{name}", key_name(module, base, inner)?)),
            }
        }
        Ast::Index(base, index) => {
            let (inner, value) = match meant.map(|m| &m.kind) {
                Some(ExprKind::Index(inner, value)) => (Some(&**inner), Some(&**value)),
                _ => (None, None),
            };
            let known = number(index).or_else(|| value.and_then(Expr::as_int).map(ToString::to_string));
            let index = known.or_else(|| key_name(module, index, value))?;
            Some(format!("{}[{index}]", key_name(module, base, inner)?))
        }
        Ast::Slice(base, high, low) => {
            let (inner, ends) = match meant.map(|m| &m.kind) {
                Some(ExprKind::Slice(inner, high, low)) => (Some(&**inner), Some((high, low))),
                _ => (None, None),
            };
            let high = number(high).or_else(|| ends.map(|(high, _)| high.to_string()))?;
            let low = number(low).or_else(|| ends.map(|(_, low)| low.to_string()))?;
            Some(format!("{}[{high}:{low}]", key_name(module, base, inner)?))
        }
        Ast::Binary(ast::BinaryOp::BitAnd, base, mask) => {
            let (inner, value) = match meant.map(|m| &m.kind) {
                Some(ExprKind::Binary(_, inner, value)) => (Some(&**inner), without_casts(value).as_int()),
                _ => (None, None),
            };
            let mask = match (&mask.kind, value) {
                (Ast::Int(mask), _) => &mask.value,
                (_, Some(value)) => value,
                _ => return None,
            };
            Some(format!("{} & {mask:#x}", key_name(module, base, inner)?))
        }
        Ast::Call { callee, args, .. } if args.is_empty() => match &callee.kind {
            Ast::Member(base, method) if &*method.name == "isValid" => {
                let inner = match meant.map(|m| &m.kind) {
                    Some(ExprKind::Call(call)) => header_of(call),
                    _ => None,
                };
                Some(format!("{}.$valid$", key_name(module, base, inner)?))
            }
            _ => None,
        },
        _ => None,
    }
}

fn without_casts(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Cast(inner) => without_casts(inner),
        _ => expr,
    }
}

fn header_of(call: &Call) -> Option<&Expr> {
    match &call.callee {
        Callee::Header(_, object) => Some(object),
        _ => None,
    }
}

/// Returns the `@name` of a field.
fn field_name(module: &Module, ty: &Type, field: usize) -> Option<String> {
    let Type::Aggregate(AggregateId(id), _) = ty else { return None };
    let field = module.aggregates.get(*id as usize)?.fields.get(field)?;
    let annotation = field.annotations.iter().find(|a| &*a.name.name == "name")?;
    let AnnotationBody::Tokens(tokens) = &annotation.body else { return None };
    let parts = tokens.iter().map(|t| match &t.tok {
        Tok::Str(text) => Some(&**text),
        _ => None,
    });
    parts.collect::<Option<Vec<&str>>>().map(|parts| parts.concat())
}

fn number(expr: &ast::Expr) -> Option<String> {
    match &expr.kind {
        Ast::Int(n) => Some(n.value.to_string()),
        _ => None,
    }
}
