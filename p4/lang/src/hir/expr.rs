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
    /// Of a wrong expression that has been reported.
    Bad,
    Bool(bool),
    /// Of type `int`, `bit<w>`, `int<w>`, or an enum, an error or a match kind by number; in range of the type.
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
    /// To the expression's own type.
    Cast(Box<Expr>),
    /// One value a field of the expression's type: struct, header, tuple, record; or the items of a list.
    Items(Vec<Expr>),
    /// `{#}`.
    Invalid,
    /// `...`: the default value of its type.
    Default,
    Call(Box<Call>),
    /// `t.apply().hit`, `.miss`.
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
    /// Of a header, union or stack.
    Header(HeaderMethod, Expr),
    /// Of a parser or control.
    Apply(Expr),
    Table(TableId),
    Action(ActionId),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) callee: Callee,
    pub(crate) type_args: Vec<Type>,
    /// One a parameter; `None` for `_` and for optional ones that are not given.
    pub(crate) args: Vec<Option<Expr>>,
}

/// Instantiation of the expression's type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Construct {
    /// Which constructor, for externs.
    pub(crate) constructor: usize,
    pub(crate) args: Vec<Option<Expr>>,
}

/// A set of values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Keyset {
    /// `default`, `_`.
    Any,
    Value(Expr),
    Mask(Expr, Expr),
    Range(Expr, Expr),
    /// Of the parts of a struct or tuple.
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
    /// `target op= value`: `value` has the target's type already.
    Update(Expr, BinaryOp, Expr),
    Call(Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// On a value: labels, body; an empty list of labels is the default.
    Switch(Expr, Vec<SwitchCase>),
    /// On `t.apply().action_run`: positions in the table's list of actions.
    SwitchAction(TableId, Vec<(Vec<usize>, Vec<Stmt>)>, Vec<Stmt>),
    For {
        init: Vec<Stmt>,
        condition: Expr,
        update: Vec<Stmt>,
        body: Vec<Stmt>,
    },
    /// Over a range, both ends included, or over the elements of a stack or list.
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

    /// The value of an integer, enum member or error that is known.
    pub(crate) fn as_int(&self) -> Option<&BigInt> {
        match &self.kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        }
    }

    /// Whether the value is known, all parts included.
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
