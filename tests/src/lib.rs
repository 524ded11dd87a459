//! Checks of the repository itself: the crate edges that ARCHITECTURE.md allows (`tests/architecture.rs`), the words
//! that `docs/words.toml` lists (`tests/words.rs`), and the dashboard in a browser (`browser/`).
//!
//! Tests of the whole system run the `harrier` binary and are in `cli/tests`.

pub mod prose;
pub mod words;
