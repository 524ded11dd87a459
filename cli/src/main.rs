//! The `harrier` command: one thin file a subcommand under [`commands`].
//!
//! What machines read goes to stdout, what people read to stderr. Exit status: 0 fine, 1 findings or a failed
//! expectation, 2 could not run.

// The binary is the edge: it reads files and clocks so that the cores need not.
#![allow(clippy::disallowed_methods, reason = "the binary is where files and clocks are read")]
#![allow(clippy::print_stdout, reason = "machine-readable results go to stdout")]

mod capture;
mod commands;
mod configurations;
mod demo;
mod evaluation;
mod input;
mod meter;
mod ns3_files;
mod output;
mod redis;
mod traffic;
mod watcher;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Who is really slowing this flow down? Diagnosis for lossless RDMA networks.
#[derive(Parser)]
#[command(name = "harrier", version, about, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Everything in one process on an embedded fabric, dashboard included
    Demo(commands::demo::Args),
    /// Lists and shows the built-in scenarios
    Scenario(commands::scenario::Args),
    /// Runs a scenario and diagnoses what goes wrong in it
    Run(commands::run::Args),
    /// Runs scenarios many times and sets methods of diagnosis side by side against what really happened
    Eval(commands::eval::Args),
    /// Diagnoses telemetry from files
    Analyze(commands::analyze::Args),
    /// Checks switch configurations (SONiC) before they are rolled out
    Check(Box<commands::check::Args>),
    /// Computes headroom and pool sizes from inputs
    Headroom(commands::headroom::Args),
    /// Checks, compiles and runs P4-16 programs
    P4(commands::p4::Args),
    /// Runs a P4 switch behind a P4Runtime server
    Switch(commands::switch::Args),
}

/// How a command ended, when it could run at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Exit status 0.
    Fine,
    /// Exit status 1: findings, or an expectation that failed.
    Findings,
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Demo(args) => commands::demo::execute(args),
        Command::Scenario(args) => commands::scenario::execute(args),
        Command::Run(args) => commands::run::execute(args),
        Command::Eval(args) => commands::eval::execute(args),
        Command::Analyze(args) => commands::analyze::execute(args),
        Command::Check(args) => commands::check::execute(*args),
        Command::Headroom(args) => commands::headroom::execute(args),
        Command::P4(args) => commands::p4::execute(args),
        Command::Switch(args) => commands::switch::execute(args),
    };
    match result {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
