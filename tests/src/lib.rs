//! Whole-system tests live beside this crate, in `tests/tests`.
