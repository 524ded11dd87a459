//! Expressions and statements.

use num_bigint::BigInt;

use super::{ActionId, ExternFunctionId, FunctionId, TableId, Type, VarId};
use crate::lex::Name;
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, UnaryOp};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) ty: Type,
    pub(crate) span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ExprKind {
    /// An erroneous expression; the error is reported.
    Bad,
    Bool(bool),
    /// An `int`, `bit<w>` or `int<w>` in the range of its type; or the number of an enum member, error or match kind.
    Int(BigInt),
    Str(Name),
    Var(VarId),
    /// A field by position, of a struct, header, union or tuple.
    Field(Box<Expr>, usize),
    Index(Box<Expr>, Box<Expr>),
    Next(Box<Expr>),
    Last(Box<Expr>),
    LastIndex(Box<Expr>),
    Slice(Box<Expr>, u32, u32),
    /// `e[low +: width]` with a lowest bit that is known only at run time.
    PlusSlice(Box<Expr>, Box<Expr>, u32),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Mux(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A cast to the expression's own type.
    Cast(Box<Expr>),
    /// One value for each field of the expression's type (struct, header, tuple, record), or the items of a list.
    Items(Vec<Expr>),
    /// `{#}`.
    Invalid,
    /// `...`: the default value of its type.
    Default,
    Call(Box<Call>),
    /// `t.apply().hit`, `t.apply().miss`.
    Hit(TableId),
    Miss(TableId),
    Construct(Box<Construct>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeaderMethod {
    IsValid,
    SetValid,
    SetInvalid,
    PushFront,
    PopFront,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Callee {
    Function(FunctionId),
    ExternFunction(ExternFunctionId),
    /// A method of an object, by position.
    Method {
        object: Expr,
        method: usize,
    },
    /// A method of a header, union or stack.
    Header(HeaderMethod, Expr),
    /// The `apply` method of a parser or control.
    Apply(Expr),
    Table(TableId),
    Action(ActionId),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) callee: Callee,
    pub(crate) type_args: Vec<Type>,
    /// One argument for each parameter; `None` for `_` and for omitted optional ones.
    pub(crate) args: Vec<Option<Expr>>,
}

/// An instantiation of the expression's type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Construct {
    /// The index of the constructor, for externs.
    pub(crate) constructor: usize,
    pub(crate) args: Vec<Option<Expr>>,
}

/// A key set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Keyset {
    /// `default`, `_`.
    Any,
    Value(Expr),
    Mask(Expr, Expr),
    Range(Expr, Expr),
    /// One key set for each field of a struct or tuple.
    Items(Vec<Keyset>),
    ValueSet(VarId),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stmt {
    pub(crate) kind: StmtKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StmtKind {
    Block(Vec<Stmt>),
    Var(VarId, Option<Expr>),
    Assign(Expr, Expr),
    /// `target op= value`; `value` already has the type of the target.
    Update(Expr, BinaryOp, Expr),
    Call(Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// A `switch` on a value.
    Switch(Expr, Vec<SwitchCase>),
    /// A `switch` on `t.apply().action_run`: positions in the `actions` of the table, bodies, and the default.
    SwitchAction(TableId, Vec<(Vec<usize>, Vec<Stmt>)>, Vec<Stmt>),
    For {
        init: Vec<Stmt>,
        condition: Expr,
        update: Vec<Stmt>,
        body: Vec<Stmt>,
    },
    /// A loop over a range, both bounds included, or over the elements of a stack or list.
    ForRange {
        var: VarId,
        low: Expr,
        high: Expr,
        body: Vec<Stmt>,
    },
    ForEach {
        var: VarId,
        over: Expr,
        body: Vec<Stmt>,
    },
    Return(Option<Expr>),
    Exit,
    Break,
    Continue,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SwitchCase {
    /// Empty for `default`.
    pub(crate) labels: Vec<Expr>,
    pub(crate) body: Vec<Stmt>,
}

impl Expr {
    pub(crate) fn bad(span: Span) -> Expr {
        Expr { kind: ExprKind::Bad, ty: Type::Bad, span }
    }

    /// Returns the value of a constant integer, enum member or error.
    pub(crate) fn as_int(&self) -> Option<&BigInt> {
        match &self.kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        }
    }

    /// Returns whether the value, including all its parts, is constant.
    pub(crate) fn is_const(&self) -> bool {
        match &self.kind {
            ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Str(_)
            | ExprKind::Invalid
            | ExprKind::Default
            | ExprKind::Bad => true,
            ExprKind::Items(items) => items.iter().all(Expr::is_const),
            _ => false,
        }
    }
}
