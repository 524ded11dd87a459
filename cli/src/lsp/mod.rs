//! The language server: findings, explanations and repairs in an editor, over standard input and output.
//!
//! Source: Language Server Protocol 3.17. One thread reads a message, answers it, and reads the next: checking a file
//! takes milliseconds.

mod convert;
mod frame;
mod server;

pub(crate) use server::run;
