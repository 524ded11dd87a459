//! Resolves types as written to [`Type`].

use std::rc::Rc;

use num_traits::ToPrimitive as _;

use super::{Checker, Entity, TypeEntity};
use crate::diagnostic::{Diagnostic, codes, given, plural};
use crate::hir::Type;
use crate::lex::Name;
use crate::source::Span;
use crate::syntax::ast::{self, AggregateKind, Path, TypeKind};

/// The maximum width of `bit<w>`, `int<w>` and `varbit<w>`.
pub(super) const MAX_WIDTH: u32 = 1 << 16;
/// The maximum number of scalars and other leaves that a type may expand to.
const MAX_PARTS: u32 = 1 << 17;
/// The maximum number of elements of a stack.
const MAX_STACK: u32 = 1 << 12;

impl Checker<'_> {
    /// Resolves a type; reports an error and returns `Bad` if it is invalid.
    pub(super) fn ty(&mut self, ty: &ast::Type) -> Type {
        match &ty.kind {
            TypeKind::Bad => Type::Bad,
            TypeKind::Bool => Type::Bool,
            TypeKind::Error => self.error_type(ty.span),
            TypeKind::MatchKind => Type::MatchKind,
            TypeKind::String => Type::Str,
            TypeKind::Int => Type::Int,
            TypeKind::Void => Type::Void,
            TypeKind::Bit(None) => Type::Bit(1),
            TypeKind::Bit(Some(width)) => self.width(width, 0).map_or(Type::Bad, Type::Bit),
            TypeKind::Signed(width) => self.width(width, 1).map_or(Type::Bad, Type::Signed),
            TypeKind::Varbit(width) => self.width(width, 0).map_or(Type::Bad, Type::Varbit),
            TypeKind::Named(path) => self.named_type(path, None, ty.span),
            TypeKind::Specialized(path, args) => {
                let args = args.iter().map(|a| self.ty(a)).collect();
                self.named_type(path, Some(args), ty.span)
            }
            TypeKind::Stack(of, size) => self.stack_type(of, size),
            TypeKind::Tuple(args) => {
                let args: Rc<[Type]> = args.iter().map(|a| self.tuple_field(a)).collect();
                self.limited(Type::Tuple(args), ty.span)
            }
            TypeKind::List(args) => match args.as_slice() {
                [of] => Type::List(Rc::new(self.ty(of))),
                _ => {
                    self.error(codes::BAD_TYPE_ARGUMENTS, ty.span, "`list` takes one type argument");
                    Type::Bad
                }
            },
            TypeKind::DontCare => self.fresh(),
        }
    }

    /// Returns the type, unless it has too many parts: types that contain an earlier type twice grow exponentially.
    pub(super) fn limited(&mut self, ty: Type, span: Span) -> Type {
        let mut left = MAX_PARTS;
        if self.count_parts(&ty, &mut left) {
            return ty;
        }
        let message = format!("type has more than {MAX_PARTS} parts");
        self.error(codes::TOO_LARGE, span, message);
        Type::Bad
    }

    /// Counts down; returns false when the limit is exceeded.
    fn count_parts(&self, ty: &Type, left: &mut u32) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        match ty {
            Type::Stack(of, count) => {
                let before = *left;
                if !self.count_parts(of, left) {
                    return false;
                }
                let one = before - *left;
                match one.checked_mul(count.saturating_sub(1)).and_then(|all| left.checked_sub(all)) {
                    Some(rest) => {
                        *left = rest;
                        true
                    }
                    None => false,
                }
            }
            Type::List(of) => self.count_parts(of, left),
            Type::New(_) => self.count_parts(&self.module.underlying(ty), left),
            _ => match self.module.fields(ty) {
                Some(fields) => fields.iter().all(|(_, t)| self.count_parts(t, left)),
                None => true,
            },
        }
    }

    /// Evaluates a constant width.
    fn width(&mut self, width: &ast::Expr, least: u32) -> Option<u32> {
        let value = self.constant_int(width, "a width")?;
        let fitting = value.to_u32().filter(|w| (least..=MAX_WIDTH).contains(w));
        if fitting.is_none() {
            let message = format!("width {value} is out of range");
            self.error(codes::BAD_WIDTH, width.span, message);
        }
        fitting
    }

    fn stack_type(&mut self, of: &ast::Type, size: &ast::Expr) -> Type {
        let element = self.ty(of);
        let Some(count) = self.array_size(size) else { return Type::Bad };
        if element.is_bad() {
            return Type::Bad;
        }
        if !self.element_fits(&element) {
            let message = format!("arrays of `{}` are not allowed", self.show(&element));
            self.report(Diagnostic::error(codes::BAD_TYPE, of.span, message).note(
                "array elements can be headers, header unions, structs, numbers, `bool`s, enums, or arrays of these",
            ));
            return Type::Bad;
        }
        self.limited(Type::Stack(Rc::new(element), count), size.span)
    }

    /// Evaluates a constant number of elements.
    fn array_size(&mut self, size: &ast::Expr) -> Option<u32> {
        let value = self.constant_int(size, "the size of an array")?;
        let fitting = value.to_u32().filter(|n| (1..=MAX_STACK).contains(n));
        if fitting.is_none() {
            let message = format!("array size {value} is out of range");
            self.error(codes::BAD_WIDTH, size.span, message);
        }
        fitting
    }

    /// An array of objects, which one declaration instantiates.
    pub(super) fn array_of(&mut self, element: Type, size: &ast::Expr) -> Type {
        match self.array_size(size) {
            Some(count) if !element.is_bad() => Type::Stack(Rc::new(element), count),
            _ => Type::Bad,
        }
    }

    /// Returns whether arrays may have elements of a type (specification, "Type nesting rules"). Stacks of headers do
    /// not nest.
    fn element_fits(&self, element: &Type) -> bool {
        match self.module.underlying(element) {
            Type::Param(_)
            | Type::Bit(_)
            | Type::Signed(_)
            | Type::Varbit(_)
            | Type::Bool
            | Type::Enum(_) => true,
            Type::Aggregate(..) => true,
            other @ Type::Stack(..) => self.module.is_array(&other),
            _ => false,
        }
    }

    /// Resolves a declared type with its type arguments; `None` if none are written.
    fn named_type(&mut self, path: &Path, args: Option<Vec<Type>>, span: Span) -> Type {
        let Some(entity) = self.lookup(path) else { return Type::Bad };
        let Entity::Type(entity) = entity else {
            let message = format!("expected a type, found `{}`", path.ident.name);
            self.error(codes::NOT_A_TYPE, path.ident.span, message);
            return Type::Bad;
        };
        let args_count = args.as_ref().map_or(0, Vec::len);
        match entity {
            TypeEntity::Plain(ty) => {
                if args.is_some() {
                    let message = format!("`{}` takes no type arguments", path.ident.name);
                    self.error(codes::BAD_TYPE_ARGUMENTS, span, message);
                }
                ty
            }
            TypeEntity::Param(id) => Type::Param(id),
            TypeEntity::Generic(ty, wanted) => match args {
                Some(args) if args_count == wanted => {
                    let made = self.limited(apply(&ty, args), span);
                    self.check_type_args(&made, span);
                    made
                }
                _ => {
                    let message = format!(
                        "`{}` takes {}, but {}",
                        path.ident.name,
                        plural(wanted, "type argument"),
                        given(args_count)
                    );
                    self.error(codes::BAD_TYPE_ARGUMENTS, span, message);
                    Type::Bad
                }
            },
        }
    }

    /// Resolves the type of a constructor call; type arguments that are not written are inferred.
    pub(super) fn constructed_type(&mut self, ty: &ast::Type) -> Type {
        if let TypeKind::Named(path) = &ty.kind
            && let Some(Entity::Type(TypeEntity::Generic(generic, wanted))) = self.lookup(path)
        {
            let args = (0..wanted).map(|_| self.fresh()).collect();
            return apply(&generic, args);
        }
        self.ty(ty)
    }

    /// Checks that a variable or parameter may have a type.
    pub(super) fn storable(&mut self, ty: &Type, span: Span, what: &str) -> Type {
        let bad = match ty {
            Type::Void
            | Type::Package(..)
            | Type::Parser(..)
            | Type::Control(..)
            | Type::Arch(..)
            | Type::Extern(..)
            | Type::ValueSet(_) => true,
            Type::Str | Type::Int => what != "constant" && what != "parameter",
            _ => false,
        };
        if bad {
            let message = format!("a {what} cannot have type `{}`", self.show(ty));
            self.error(codes::BAD_TYPE, span, message);
            return Type::Bad;
        }
        ty.clone()
    }

    /// Checks that a struct, header or union may have a field of a type.
    pub(super) fn check_field_type(&mut self, kind: AggregateKind, ty: &Type, span: Span, name: &Name) {
        if !self.field_fits(kind, ty) {
            let holder = match kind {
                AggregateKind::Union => "header union",
                AggregateKind::Header => "header",
                AggregateKind::Struct => "struct",
            };
            let message = format!("field `{name}` of a {holder} cannot have type `{}`", self.show(ty));
            self.error(codes::BAD_TYPE, span, message);
        }
    }

    /// Returns whether a struct, header or union may have a field of a type.
    pub(super) fn field_fits(&self, kind: AggregateKind, ty: &Type) -> bool {
        let underlying = self.module.underlying(ty);
        match kind {
            _ if ty.is_bad() || matches!(ty, Type::Param(_)) => true,
            AggregateKind::Union => self.module.is_header(&underlying),
            AggregateKind::Header => match &underlying {
                Type::Bit(_) | Type::Signed(_) | Type::Varbit(_) | Type::Bool => true,
                Type::Enum(id) => self.module.enums.get(id.index()).is_some_and(|e| e.repr.is_some()),
                _ => self.fixed_parts(&underlying),
            },
            AggregateKind::Struct => !matches!(
                underlying,
                Type::Void
                    | Type::Extern(..)
                    | Type::Parser(..)
                    | Type::Control(..)
                    | Type::Arch(..)
                    | Type::Package(..)
                    | Type::Int
                    | Type::Str
                    | Type::MatchKind
            ),
        }
    }

    /// Returns whether a struct or array may be part of a header: all its parts have a fixed size.
    fn fixed_parts(&self, ty: &Type) -> bool {
        match ty {
            Type::Stack(of, _) => self.module.is_array(ty) && self.fixed_part(of),
            _ => {
                self.module.is_struct(ty)
                    && self
                        .module
                        .fields(ty)
                        .is_some_and(|fields| fields.iter().all(|(_, ty)| self.fixed_part(ty)))
            }
        }
    }

    fn fixed_part(&self, ty: &Type) -> bool {
        match self.module.underlying(ty) {
            Type::Bit(_) | Type::Signed(_) | Type::Bool | Type::Bad | Type::Param(_) => true,
            Type::Enum(id) => self.module.enums.get(id.index()).is_some_and(|e| e.repr.is_some()),
            other => self.fixed_parts(&other),
        }
    }
}

/// Substitutes type arguments into a generic type.
pub(super) fn apply(ty: &Type, args: Vec<Type>) -> Type {
    let args: Rc<[Type]> = args.into();
    match ty {
        Type::Aggregate(id, _) => Type::Aggregate(*id, args),
        Type::Extern(id, _) => Type::Extern(*id, args),
        Type::Arch(id, _) => Type::Arch(*id, args),
        Type::Parser(id, _) => Type::Parser(*id, args),
        Type::Control(id, _) => Type::Control(*id, args),
        Type::Package(id, _) => Type::Package(*id, args),
        other => other.clone(),
    }
}
