//! Characters to tokens (P4-16 specification 1.2.5, section 6.4), and the tokens of the C preprocessor.
//!
//! The lexer reports nothing: a malformed token is a [`Tok::Bad`], which the preprocessor reports where the
//! token is used, so that text which `#if` leaves out may hold anything.

mod lexer;
mod number;

use std::rc::Rc;

use num_bigint::BigInt;

use crate::diagnostic::Code;
use crate::source::Span;

pub(crate) use lexer::lex;
pub(crate) use number::Number;

/// Text shared between tokens, syntax tree and checker.
pub(crate) type Name = Rc<str>;

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tok {
    /// An identifier or a keyword.
    Ident(Name),
    /// An integer.
    Int(Rc<Number>),
    /// A string literal, escapes resolved.
    Str(Name),
    /// Punctuation; `>` always stands alone.
    Punct(&'static str),
    /// Not a token.
    Bad(Code, Name),
    /// The end of a line that ends a `@pragma`.
    PragmaEnd,
    /// The end of the text.
    Eof,
}

/// A token and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) tok: Tok,
    pub(crate) span: Span,
    /// Whether it is the first of its line.
    pub(crate) line_start: bool,
    /// Whether white space precedes it.
    pub(crate) space: bool,
    /// Macros that are not expanded in it again.
    pub(crate) hidden: Option<Rc<Vec<Name>>>,
}

impl Token {
    pub(crate) fn is(&self, punct: &str) -> bool {
        matches!(&self.tok, Tok::Punct(p) if *p == punct)
    }

    pub(crate) fn ident(&self) -> Option<&Name> {
        match &self.tok {
            Tok::Ident(name) => Some(name),
            _ => None,
        }
    }
}

/// A literal of infinite precision, or with width and sign.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct IntLiteral {
    pub(crate) value: BigInt,
    /// Width, and whether it is signed.
    pub(crate) width: Option<(u32, bool)>,
}
