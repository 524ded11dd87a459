//! perftest: command lines and output of the programs that measure RNICs through libibverbs.
//!
//! [`command`] writes command lines, [`output`] reads what the programs print, and [`failure`] says why one failed. Nothing
//! here starts a program. Source: github.com/linux-rdma/perftest, version 4.5-0.17 (Debian's `perftest`), whose JSON is
//! malformed: keys have no quotation marks. So the table is read, which later versions print as well.

mod command;
mod failure;
mod output;

pub use command::{Buffer, Length, Program, TestCommand, misses};
pub use failure::{Failure, failure};
pub use output::{Bandwidth, OutputError, bandwidth, latency_ns};
