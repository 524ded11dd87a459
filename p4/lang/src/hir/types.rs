//! Types.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{
    AggregateId, ArchTypeId, ControlId, EnumId, ExternId, Module, NewTypeId, PackageId, ParserId, TableId,
    TypeParamId,
};
use crate::lex::Name;
use crate::syntax::ast::AggregateKind;

/// A type. Type arguments are in the order of the type parameters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Type {
    /// An erroneous type; the error is reported. Compatible with every type.
    Bad,
    Void,
    Bool,
    /// Arbitrary-precision integers.
    Int,
    Bit(u32),
    Signed(u32),
    Varbit(u32),
    Str,
    Error,
    MatchKind,
    Aggregate(AggregateId, Rc<[Type]>),
    Enum(EnumId),
    New(NewTypeId),
    Stack(Rc<Type>, u32),
    Tuple(Rc<[Type]>),
    /// `list<T>`, known at compile time.
    List(Rc<Type>),
    /// The type of a record `{a = x}` before it is converted.
    Record(Rc<[(Name, Type)]>),
    /// The type of `{a, b}` before it is converted.
    Seq(Rc<[Type]>),
    /// The type of `{#}` and `...` before they are converted.
    Untyped,
    /// A value set with members of this type.
    ValueSet(Rc<Type>),
    Extern(ExternId, Rc<[Type]>),
    /// A declared parser or control.
    Parser(ParserId, Rc<[Type]>),
    Control(ControlId, Rc<[Type]>),
    /// A parser or control type.
    Arch(ArchTypeId, Rc<[Type]>),
    Package(PackageId, Rc<[Type]>),
    /// The type of `t.apply()`.
    ApplyResult(TableId),
    /// A type parameter inside its declaration.
    Param(TypeParamId),
    /// A type variable to be inferred.
    Var(u32),
}

/// A substitution of type parameters.
pub(crate) type TypeArgs = BTreeMap<TypeParamId, Type>;

/// Maps the type parameters of a generic declaration to type arguments.
pub(crate) fn type_args(params: &[TypeParamId], args: &[Type]) -> TypeArgs {
    params.iter().copied().zip(args.iter().cloned()).collect()
}

impl Type {
    /// Returns the width of `bit<w>` or `int<w>`.
    pub(crate) fn fixed_width(&self) -> Option<u32> {
        match self {
            Type::Bit(w) | Type::Signed(w) => Some(*w),
            _ => None,
        }
    }

    pub(crate) fn is_bad(&self) -> bool {
        *self == Type::Bad
    }

    /// Substitutes type parameters.
    pub(crate) fn substitute(&self, args: &TypeArgs) -> Type {
        if args.is_empty() {
            return self.clone();
        }
        self.map(&mut |ty| match ty {
            Type::Param(id) => args.get(id).cloned(),
            _ => None,
        })
    }

    /// Rebuilds the type, replacing every part for which `replace` returns a type.
    pub(crate) fn map(&self, replace: &mut impl FnMut(&Type) -> Option<Type>) -> Type {
        if let Some(new) = replace(self) {
            return new;
        }
        let mut all = |list: &[Type]| -> Rc<[Type]> { list.iter().map(|t| t.map(replace)).collect() };
        match self {
            Type::Aggregate(id, args) => Type::Aggregate(*id, all(args)),
            Type::Extern(id, args) => Type::Extern(*id, all(args)),
            Type::Arch(id, args) => Type::Arch(*id, all(args)),
            Type::Parser(id, args) => Type::Parser(*id, all(args)),
            Type::Control(id, args) => Type::Control(*id, all(args)),
            Type::Package(id, args) => Type::Package(*id, all(args)),
            Type::Tuple(args) => Type::Tuple(all(args)),
            Type::Seq(args) => Type::Seq(all(args)),
            Type::Stack(of, n) => Type::Stack(Rc::new(of.map(replace)), *n),
            Type::List(of) => Type::List(Rc::new(of.map(replace))),
            Type::ValueSet(of) => Type::ValueSet(Rc::new(of.map(replace))),
            Type::Record(fields) => {
                Type::Record(fields.iter().map(|(n, t)| (n.clone(), t.map(replace))).collect())
            }
            other => other.clone(),
        }
    }

    /// Returns whether `test` holds for the type or one of its parts.
    pub(crate) fn any(&self, test: &mut impl FnMut(&Type) -> bool) -> bool {
        if test(self) {
            return true;
        }
        match self {
            Type::Aggregate(_, args)
            | Type::Extern(_, args)
            | Type::Arch(_, args)
            | Type::Parser(_, args)
            | Type::Control(_, args)
            | Type::Package(_, args)
            | Type::Tuple(args)
            | Type::Seq(args) => args.iter().any(|t| t.any(test)),
            Type::Stack(of, _) | Type::List(of) | Type::ValueSet(of) => of.any(test),
            Type::Record(fields) => fields.iter().any(|(_, t)| t.any(test)),
            _ => false,
        }
    }
}

impl Module {
    /// Returns the fields of a struct, header, union, tuple or record, with type arguments substituted. Fields of
    /// tuples and of arrays other than header stacks have no names.
    pub(crate) fn fields(&self, ty: &Type) -> Option<Vec<(Name, Type)>> {
        match ty {
            Type::Aggregate(id, args) => {
                let decl = self.aggregates.get(id.index())?;
                let args: TypeArgs = decl.type_params.iter().copied().zip(args.iter().cloned()).collect();
                Some(decl.fields.iter().map(|f| (f.name.clone(), f.ty.substitute(&args))).collect())
            }
            Type::Tuple(items) | Type::Seq(items) => {
                Some(items.iter().map(|t| (Name::from(""), t.clone())).collect())
            }
            Type::Record(fields) => Some(fields.to_vec()),
            Type::Stack(of, count) if self.is_array(ty) => {
                Some(vec![(Name::from(""), (**of).clone()); *count as usize])
            }
            _ => None,
        }
    }

    /// Returns whether a type is an array whose elements are neither headers nor header unions; unknown for type
    /// parameters.
    pub(crate) fn is_array(&self, ty: &Type) -> bool {
        match ty {
            Type::Stack(of, _) => {
                !matches!(**of, Type::Param(_) | Type::Var(_) | Type::Extern(..))
                    && !self.is_header(of)
                    && !self.is_union(of)
            }
            _ => false,
        }
    }

    /// Returns the kind of an aggregate type.
    pub(crate) fn aggregate_kind(&self, ty: &Type) -> Option<AggregateKind> {
        match ty {
            Type::Aggregate(id, _) => self.aggregates.get(id.index()).map(|a| a.kind),
            _ => None,
        }
    }

    pub(crate) fn is_header(&self, ty: &Type) -> bool {
        self.aggregate_kind(ty) == Some(AggregateKind::Header)
    }

    pub(crate) fn is_union(&self, ty: &Type) -> bool {
        self.aggregate_kind(ty) == Some(AggregateKind::Union)
    }

    pub(crate) fn is_struct(&self, ty: &Type) -> bool {
        self.aggregate_kind(ty) == Some(AggregateKind::Struct)
    }

    /// Returns the underlying type of a serialisable enum or of a type declared with `type`; other types are returned
    /// unchanged.
    pub(crate) fn representation(&self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        for _ in 0..64 {
            ty = match &ty {
                Type::New(id) => self.newtypes.get(id.index()).map_or(Type::Bad, |n| n.ty.clone()),
                Type::Enum(id) => match self.enums.get(id.index()).and_then(|e| e.repr.clone()) {
                    Some(repr) => repr,
                    None => return ty,
                },
                _ => return ty,
            };
        }
        Type::Bad
    }

    /// Resolves types declared with `type`.
    pub(crate) fn underlying(&self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        while let Type::New(id) = &ty {
            ty = self.newtypes.get(id.index()).map_or(Type::Bad, |n| n.ty.clone());
        }
        ty
    }

    /// Formats the type as in P4 source.
    pub(crate) fn show(&self, ty: &Type) -> String {
        let list = |types: &[Type]| types.iter().map(|t| self.show(t)).collect::<Vec<_>>().join(", ");
        let generic = |name: &str, args: &[Type]| {
            if args.is_empty() { name.to_owned() } else { format!("{name}<{}>", list(args)) }
        };
        match ty {
            Type::Bad => "?".to_owned(),
            Type::Void => "void".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Int => "int".to_owned(),
            Type::Bit(w) => format!("bit<{w}>"),
            Type::Signed(w) => format!("int<{w}>"),
            Type::Varbit(w) => format!("varbit<{w}>"),
            Type::Str => "string".to_owned(),
            Type::Error => "error".to_owned(),
            Type::MatchKind => "match_kind".to_owned(),
            Type::Aggregate(id, args) => {
                generic(self.aggregates.get(id.index()).map_or("?", |a| &a.name), args)
            }
            Type::Enum(id) => self.enums.get(id.index()).map_or("?".to_owned(), |e| e.name.to_string()),
            Type::New(id) => self.newtypes.get(id.index()).map_or("?".to_owned(), |n| n.name.to_string()),
            Type::Stack(of, n) => format!("{}[{n}]", self.show(of)),
            Type::Tuple(items) => format!("tuple<{}>", list(items)),
            Type::Seq(items) => format!("{{{}}}", list(items)),
            Type::List(of) => format!("list<{}>", self.show(of)),
            Type::ValueSet(of) => format!("value_set<{}>", self.show(of)),
            Type::Record(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(n, t)| format!("{n} = {}", self.show(t))).collect();
                format!("{{{}}}", fields.join(", "))
            }
            Type::Untyped => "a value without a type".to_owned(),
            Type::Extern(id, args) => generic(self.externs.get(id.index()).map_or("?", |e| &e.name), args),
            Type::Parser(id, args) => generic(self.parsers.get(id.index()).map_or("?", |p| &p.name), args),
            Type::Control(id, args) => generic(self.controls.get(id.index()).map_or("?", |c| &c.name), args),
            Type::Arch(id, args) => generic(self.arch_types.get(id.index()).map_or("?", |a| &a.name), args),
            Type::Package(id, args) => generic(self.packages.get(id.index()).map_or("?", |a| &a.name), args),
            Type::ApplyResult(_) => "the result of `apply`".to_owned(),
            Type::Param(id) => self.type_params.get(id.index()).map_or("?".to_owned(), |n| n.to_string()),
            Type::Var(_) => "_".to_owned(),
        }
    }
}
