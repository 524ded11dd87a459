//! Values during lowering.

use num_bigint::BigInt;

use super::lvalue::LValue;
use super::objects::Object;
use crate::ir::{Expr, HeaderRef};
use crate::lex::Name;

/// The value of an expression.
#[derive(Clone, Debug)]
pub(super) enum Val {
    Void,
    Scalar(Expr),
    /// An arbitrary-precision integer.
    Int(BigInt),
    Str(Name),
    /// The parts of a struct or tuple.
    Struct(Vec<Val>),
    Header(HeaderVal),
    /// A stack or union as a whole, by its l-value.
    Whole(LValue),
    /// The elements of a stack without storage, or the members of a union.
    Elements(Vec<Val>),
    /// `list<T>`.
    List(Vec<Val>),
    Object(Object),
}

/// The value of a header.
#[derive(Clone, Debug)]
pub(super) enum HeaderVal {
    Ref(HeaderRef),
    Literal { valid: Expr, fields: Vec<Expr> },
}
