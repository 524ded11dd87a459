//! Text for people on stderr.
//!
//! `eprintln!` panics if the reader of stderr has gone, as in `harrier run poster-fig1 2>&1 | head`. Here that text is lost,
//! and nothing else changes: neither the result on stdout nor the exit status.

use std::fmt;
use std::io::{self, Write};

/// Writes to stderr; the macros `stderr_line!` and `stderr_text!` are the way to call it.
pub(crate) fn write(text: fmt::Arguments<'_>) {
    let _ = io::stderr().write_fmt(text);
}

/// Writes a line to stderr, with the syntax of `println!`.
macro_rules! stderr_line {
    () => {
        $crate::stderr::write(format_args!("\n"))
    };
    ($($text:tt)+) => {
        $crate::stderr::write(format_args!("{}\n", format_args!($($text)+)))
    };
}

/// Writes to stderr without a final newline, with the syntax of `print!`.
macro_rules! stderr_text {
    ($($text:tt)+) => {
        $crate::stderr::write(format_args!($($text)+))
    };
}
