//! Runs a program against a test in STF, the simple test framework of p4c.
//!
//! One command a line, `#` begins a comment, keywords in any case. As p4c's driver for the reference switch reads
//! it (p4lang/p4c, `backends/bmv2/bmv2stf.py`, `tools/stf`):
//!
//! | command | meaning |
//! |---|---|
//! | `add TABLE [PRIORITY] KEY:VALUE... ACTION(ARG:VALUE, ...) [= ID]` | an entry; larger priorities win |
//! | `setdefault TABLE ACTION(...)` | the default action |
//! | `remove all`, `remove TABLE [PRIORITY] KEY:VALUE...` | entries go |
//! | `packet PORT HEX` | a packet arrives |
//! | `expect PORT [HEX]` | a packet leaves; `*` any digit, `$` at the end: exactly this long, else a prefix |
//! | `no_packet` | nothing has left since the last `packet` |
//! | `wait` | nothing: packets are processed at once |
//! | `check_counter NAME(INDEX\|$ID) [packets\|bytes OP NUMBER]` | a counter's value; `$ID`: that of an entry |
//! | `mirroring_add SESSION PORT`, `mirroring_add_mc SESSION GROUP`, `mirroring_delete`, `mirroring_get` | clone sessions |
//! | `mc_mgrp_create GROUP`, `mc_node_create RID PORT...`, `mc_node_associate GROUP NODE` | multicast; nodes count from 0 |
//! | `register_read`, `register_write`, `register_reset`, `counter_read`, `counter_write`, `meter_set_rates`, ... | state |
//!
//! At the end, per port and in order, as many packets must have left as were expected; a port that the test
//! names without expecting anything must have been silent.

mod entries;
mod parse;
mod run;

use std::sync::Arc;

use p4_lang::ir::Program;

use crate::config::Engine;
use crate::event::Event;
use crate::switch::Switch;

pub use parse::{Call, Command, CounterIndex, Line, MatchText, parse};

/// Something that did not go as the test says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Line of the test, from 1; 0 when it belongs to none.
    pub line: u32,
    /// What is wrong.
    pub message: String,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => f.write_str(&self.message),
            line => write!(f, "line {line}: {}", self.message),
        }
    }
}

impl std::error::Error for Failure {}

/// What a test that passed has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Packets that went in.
    pub packets: usize,
    /// Packets that were expected, and came out.
    pub expected: usize,
    /// What the `_read` and `_get` commands found, and the program's log messages, as text.
    pub output: Vec<String>,
}

/// Runs a test from its text.
pub fn run(program: &Arc<Program>, text: &str) -> Result<Report, Vec<Failure>> {
    run_on(program, text, &Settings::default()).1
}

/// How a test is run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// What runs the program.
    pub engine: Engine,
    /// Whether the packets' lives are traced.
    pub trace: bool,
}

/// Everything that a test has made the switch do: what two engines must agree on.
#[derive(Debug)]
pub struct Observed {
    /// The switch as the test left it; `None` when the program could not be loaded or the test not be read.
    pub switch: Option<Switch>,
    /// All packets that left, in order, with their ports.
    pub sent: Vec<(u16, Vec<u8>)>,
    /// All events, in order.
    pub events: Vec<Event>,
}

/// Runs a test and shows what happened, whether it passes or not.
pub fn run_on(
    program: &Arc<Program>,
    text: &str,
    settings: &Settings,
) -> (Observed, Result<Report, Vec<Failure>>) {
    let nothing = || Observed { switch: None, sent: Vec::new(), events: Vec::new() };
    let (lines, problems) = parse(text);
    if !problems.is_empty() {
        return (nothing(), Err(problems));
    }
    match run::Runner::new(program, settings) {
        Ok(runner) => runner.run(&lines),
        Err(failures) => (nothing(), Err(failures)),
    }
}
