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
//! | `wait [N]` | N microseconds pass; without a number nothing: packets are processed at once |
//! | `check_counter NAME(INDEX\|$ID) [packets\|bytes OP NUMBER]` | a counter's value; `$ID`: that of an entry |
//! | `mirroring_add SESSION PORT`, `mirroring_add_mc SESSION GROUP`, `mirroring_delete`, `mirroring_get` | clone sessions |
//! | `mc_mgrp_create GROUP`, `mc_node_create RID PORT...`, `mc_node_associate GROUP NODE` | multicast; nodes count from 0 |
//! | `register_read`, `register_write`, `register_reset`, `counter_read`, `counter_write`, `meter_set_rates`, ... | state |
//!
//! Of our own, for what p4c's tests do not reach:
//!
//! | command | meaning |
//! |---|---|
//! | `check_register NAME(INDEX) VALUE...` | a register's value, one for each component |
//! | `expect_digest NAME VALUE...` | the next digest |
//! | `member PROFILE ID ACTION(...)`, `group PROFILE ID MEMBER[:WEIGHT]...` | members and groups; entries choose them with `member(ID)` and `group(ID)` |
//! | `value_set NAME VALUE[,VALUE]...` | replaces the members of a parser value set |
//! | `meter_set_entry $ID RATE:BURST RATE:BURST` | the direct meter of an entry |
//!
//! At the end, per port and in order, as many packets must have left as were expected; a port that the test
//! names without expecting anything must have been silent.

mod entries;
mod parse;
mod run;
mod setup;

use std::sync::Arc;

use p4_lang::ir::Program;

use crate::config::Engine;
use crate::event::Event;
use crate::native::Translation;
use crate::switch::Switch;

pub use parse::{Call, Command, CounterIndex, Line, MatchText, parse};

/// Something that did not go as the test says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Line of the test, from 1; 0 when it belongs to none.
    pub line: u32,
    /// What is wrong.
    pub message: String,
    /// Whether it is about what the program did with packets; else the test itself cannot be executed.
    pub is_outcome: bool,
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

/// What a set-up has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configured {
    /// Commands that were executed.
    pub commands: usize,
    /// Lines with packets, expectations or waits, which a set-up has no use for.
    pub ignored: usize,
    /// What the `_read` and `_get` commands found.
    pub output: Vec<String>,
}

/// Executes the commands of a test that set a switch up, on a switch that runs the program; lines with packets
/// and what is expected of them are counted and left out.
pub fn configure(switch: &mut Switch, text: &str) -> Result<Configured, Vec<Failure>> {
    let (lines, mut failures) = parse(text);
    let Some(program) = switch.program().map(Arc::clone) else {
        return Err(vec![Failure { line: 0, message: "no program is loaded".to_owned(), is_outcome: false }]);
    };
    let mut setup = setup::Setup::new(&program);
    let mut done = Configured::default();
    for line in &lines {
        if line.command.is_about_packets() {
            done.ignored += 1;
        } else if let Err(message) = setup.command(switch, &line.command) {
            failures.push(Failure { line: line.number, message, is_outcome: false });
        } else {
            done.commands += 1;
        }
    }
    done.output = setup.output;
    failures.sort_by_key(|failure| failure.line);
    if failures.is_empty() { Ok(done) } else { Err(failures) }
}

/// How a test is run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// What runs the program.
    pub engine: Engine,
    /// Whether the packets' lives are traced.
    pub trace: bool,
    /// What runs the program instead of compiled code, if it was made from this program ([`crate::native`]).
    pub translation: Option<Translation>,
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
