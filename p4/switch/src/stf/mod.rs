//! Runs tests in STF, the simple test framework of p4c.
//!
//! A test has one command per line; `#` starts a comment, and keywords are case insensitive. Names may be quoted: then
//! they may contain blanks, `#` and other marks. The syntax is that of
//! p4c's driver for the reference switch (p4lang/p4c, `backends/bmv2/bmv2stf.py`, `tools/stf`):
//!
//! | command | meaning |
//! |---|---|
//! | `add TABLE [PRIORITY] KEY:VALUE... ACTION(ARG:VALUE, ...) [= ID]` | adds an entry; larger priorities win |
//! | `setdefault TABLE ACTION(...)` | sets the default action |
//! | `remove all`, `remove TABLE [PRIORITY] KEY:VALUE...` | removes entries |
//! | `packet PORT HEX` | sends a packet to a port |
//! | `expect PORT [HEX]` | expects a packet: `*` any digit, `$` at the end: exact length, otherwise a prefix |
//! | `no_packet` | expects that no packet left since the last `packet` |
//! | `wait [N]` | advances the time by N microseconds; no effect without a number |
//! | `check_counter NAME(INDEX\|$ID) [packets\|bytes OP NUMBER]` | checks a counter; `$ID`: that of an entry |
//! | `mirroring_add SESSION PORT`, `mirroring_add_mc SESSION GROUP` | adds a clone session |
//! | `mirroring_delete SESSION`, `mirroring_get SESSION` | removes or reads a clone session |
//! | `mc_mgrp_create GROUP`, `mc_node_create RID PORT...` | adds a multicast group, or a node (numbered from 0) |
//! | `mc_node_associate GROUP NODE` | adds a node to a multicast group |
//! | `register_read`, `register_write`, `register_reset` | reads or writes registers |
//! | `counter_read`, `counter_write`, `meter_set_rates`, ... | reads or writes counters and meters |
//!
//! Additional commands that are not part of p4c's STF:
//!
//! | command | meaning |
//! |---|---|
//! | `check_register NAME(INDEX) VALUE...` | checks a register, one value per component |
//! | `expect_digest NAME VALUE...` | expects the next digest |
//! | `member PROFILE ID ACTION(...)` | adds a member; entries refer to it by `member(ID)` |
//! | `group PROFILE ID MEMBER[:WEIGHT]...` | adds a group; entries refer to it by `group(ID)` |
//! | `value_set NAME VALUE[,VALUE]...` | replaces the members of a parser value set |
//! | `meter_set_entry $ID RATE:BURST RATE:BURST` | configures the direct meter of an entry |
//!
//! At the end of the test, the packets that left each port must equal the expected packets, in order. No packet may
//! leave a port that the test names without an expectation.

mod entries;
mod parse;
mod run;
mod setup;
mod words;

use std::sync::Arc;

use p4_lang::ir::Program;

use crate::config::Engine;
use crate::event::Event;
use crate::switch::Switch;

pub use parse::{Call, Command, CounterIndex, Line, MatchText, parse};

/// A failed command or expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Line of the test, starting at 1; 0 if the failure has no line.
    pub line: u32,
    /// Description of the failure.
    pub message: String,
    /// Whether packets or state differ from the expectation; otherwise the test cannot be executed.
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

/// Results of a passed test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Number of packets sent to the switch.
    pub packets: usize,
    /// Number of expected packets.
    pub expected: usize,
    /// Output of the `_read` and `_get` commands, and log messages of the program.
    pub output: Vec<String>,
}

/// Runs a test.
pub fn run(program: &Arc<Program>, text: &str) -> Result<Report, Vec<Failure>> {
    run_on(program, text, &Settings::default()).1
}

/// Results of a set-up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configured {
    /// Number of executed commands.
    pub commands: usize,
    /// Number of ignored lines (packets, expectations, waits).
    pub ignored: usize,
    /// Output of the `_read` and `_get` commands.
    pub output: Vec<String>,
}

/// Executes the commands of a test that configure a switch, on a switch with a loaded program. Packets and
/// expectations are ignored and counted.
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

/// Settings of a test run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// The engine that runs the program.
    pub engine: Engine,
    /// Whether packets are traced.
    pub trace: bool,
}

/// All observable effects of a test, on which two engines must agree.
#[derive(Debug)]
pub struct Observed {
    /// The switch after the test; `None` if the program could not be loaded or the test not be parsed.
    pub switch: Option<Switch>,
    /// All transmitted packets with their ports, in order.
    pub sent: Vec<(u16, Vec<u8>)>,
    /// All events, in order.
    pub events: Vec<Event>,
}

/// Runs a test and returns its effects, whether it passes or not.
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
