//! Converts characters to P4 tokens (P4-16 specification 1.2.5, section 6.4) and C preprocessor tokens.
//!
//! The lexer reports no errors: a malformed token becomes a [`Tok::Bad`], which the preprocessor reports where the
//! token is used. Text that `#if` excludes may therefore contain anything.

mod lexer;
mod number;
mod text;

use std::rc::Rc;

use num_bigint::BigInt;

use crate::diagnostic::Code;
use crate::source::Span;

pub(crate) use lexer::lex;
pub(crate) use number::Number;
pub(crate) use text::{quoted, to_text};

/// Text shared by tokens, syntax tree and checker.
pub(crate) type Name = Rc<str>;

/// The kind of a token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tok {
    /// An identifier or a keyword.
    Ident(Name),
    /// An integer.
    Int(Rc<Number>),
    /// A string literal with its escape sequences resolved.
    Str(Name),
    /// Punctuation; `>` is always a token of its own.
    Punct(&'static str),
    /// A malformed token: error code and message.
    Bad(Code, Name),
    /// The end of the line of a `@pragma`.
    PragmaEnd,
    /// The end of the file.
    Eof,
}

/// A token and its location.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) tok: Tok,
    pub(crate) span: Span,
    /// Whether it is the first token on its line.
    pub(crate) line_start: bool,
    /// Whether white space precedes it.
    pub(crate) space: bool,
    /// Macros that must not be expanded in this token again (its hide set).
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

/// An arbitrary-precision literal, or one with width and sign.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct IntLiteral {
    pub(crate) value: BigInt,
    /// Its width, and whether it is signed.
    pub(crate) width: Option<(u32, bool)>,
}
