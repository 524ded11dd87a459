//! Values while code is lowered.

use num_bigint::BigInt;

use super::objects::Object;
use super::place::Place;
use crate::ir::{Expr, HeaderRef};
use crate::lex::Name;

/// What an expression gives.
#[derive(Clone, Debug)]
pub(super) enum Val {
    Void,
    Scalar(Expr),
    /// An integer of infinite precision.
    Int(BigInt),
    Str(Name),
    /// The parts of a struct or tuple.
    Struct(Vec<Val>),
    Header(HeaderVal),
    /// A stack or union as a whole: where it is.
    Whole(Place),
    /// Elements of a stack that is nowhere yet, or members of a union.
    Elements(Vec<Val>),
    /// `list<T>`.
    List(Vec<Val>),
    Object(Object),
}

/// A header's value.
#[derive(Clone, Debug)]
pub(super) enum HeaderVal {
    Ref(HeaderRef),
    Literal { valid: Expr, fields: Vec<Expr> },
}
