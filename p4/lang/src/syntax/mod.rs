//! Tokens to a syntax tree.

pub(crate) mod ast;
mod parser;

pub(crate) use parser::{parse, parse_list};
