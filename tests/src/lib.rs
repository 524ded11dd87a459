//! The whole-system tests are in `tests/tests`.
