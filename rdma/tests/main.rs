//! Tests with a substitute of libibverbs (`fixtures/verbs.c`), which is compiled with the header of rdma-core, and of the
//! layouts.
#![allow(clippy::disallowed_methods, reason = "tests compile C, and have deadlines")]

mod layout;
mod queue_pairs;
mod support;
mod sysfs;
