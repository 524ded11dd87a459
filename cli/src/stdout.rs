//! Results on stdout.
//!
//! `println!` panics if stdout cannot be written. Here a reader that has gone, as in `harrier scenario show poster-fig1 | head`, is
//! not an error: the exit status is a result as well, so the command goes on, unless it would print for ever. Anything else,
//! such as a full disk, is an error.

use std::fmt;
use std::io::{self, Write};

use anyhow::Context;

/// Whether stdout has a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    /// What was written may be read.
    Present,
    /// The other end of the pipe is closed. Commands that print until they are interrupted end.
    Gone,
}

/// Writes text to stdout; the macros `stdout_line!` and `stdout_text!` are the way to call it.
pub(crate) fn write(text: fmt::Arguments<'_>) -> anyhow::Result<Reader> {
    write_bytes(text.to_string().as_bytes())
}

/// Writes bytes to stdout, so that they are there when this function returns.
pub(crate) fn write_bytes(bytes: &[u8]) -> anyhow::Result<Reader> {
    let mut stdout = io::stdout().lock();
    reader_after(stdout.write_all(bytes).and_then(|()| stdout.flush())).context("cannot write to stdout")
}

/// What the result of a write says about the reader.
pub(crate) fn reader_after(result: io::Result<()>) -> io::Result<Reader> {
    match result {
        Ok(()) => Ok(Reader::Present),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Reader::Gone),
        Err(error) => Err(error),
    }
}

/// Writes a line to stdout, with the syntax of `println!`.
macro_rules! stdout_line {
    ($($text:tt)+) => {
        $crate::stdout::write(format_args!("{}\n", format_args!($($text)+)))
    };
}

/// Writes to stdout without a final newline, with the syntax of `print!`.
macro_rules! stdout_text {
    ($($text:tt)+) => {
        $crate::stdout::write(format_args!($($text)+))
    };
}
