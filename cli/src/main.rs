//! The `harrier` command, with one thin file for each subcommand under [`commands`].
//!
//! Output for programs goes to stdout, output for people to stderr. Exit status: 0 success, 1 findings or a failed
//! expectation, 2 the command could not run, 3 the outcome of a test was not judged.

// The cores are pure; the binary reads files and clocks for them.
#![allow(clippy::disallowed_methods, reason = "the binary reads files and clocks")]
#![allow(clippy::disallowed_types, reason = "the binary opens sockets")]
#![warn(clippy::print_stderr)]

#[macro_use]
mod stderr;
#[macro_use]
mod stdout;

mod capture;
mod checker;
mod client;
mod commands;
mod configurations;
mod counter_dumps;
mod counter_files;
mod counter_sources;
mod daemons;
mod dataplane;
mod demo;
mod endpoint;
mod evaluation;
mod finding_reports;
mod findings;
mod host_files;
mod host_verdicts;
mod input;
mod lab;
mod live_report;
mod lsp;
mod meter;
mod nic;
mod ns3_files;
mod output;
mod partial_files;
mod perftest;
mod redis;
mod report;
mod server_sent;
mod similar;
mod switch_ports;
mod tokens;
mod top;
mod traffic;
mod units;
mod watcher;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  harrier demo                          Start the demo and its dashboard
  harrier run poster-fig1               Simulate an incast and diagnose its victim
  harrier analyze event-00020000.json   Diagnose a saved snapshot
  harrier check config_db.json          Check a SONiC configuration

See 'harrier help <COMMAND>' for more information on a command.";

const EXIT_STATUS: &str = "\
Output:
  Output for programs goes to stdout, output for people to stderr.

Exit status:
  0  Success
  1  Findings, or an expectation that failed
  2  The command could not run: bad arguments, unreadable or malformed input
  3  Nothing could be judged: `harrier p4 stf` of a program with externs that are not implemented, `harrier host check` of a host
     whose report has nothing that a detector needs";

/// Find the root cause of slow flows in lossless RDMA networks
#[derive(Parser)]
#[command(
    name = "harrier",
    version,
    propagate_version = true,
    long_about = "Find the root cause of slow flows in lossless RDMA networks.\n\n\
        Harrier collects telemetry from P4 switches along the path of a slow flow and along the PFC pauses that reach \
        it, and names the anomaly, the root port and the culprit flows, host or configuration.",
    after_help = EXAMPLES,
    after_long_help = format!("{EXIT_STATUS}\n\n{EXAMPLES}")
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a live demo: simulated network, controller and dashboard in one process
    Demo(commands::demo::Args),
    /// List and show the built-in scenarios
    Scenario(commands::scenario::Args),
    /// Write a scenario with known disturbances, drawn from a seed
    Generate(commands::generate::Args),
    /// Simulate a scenario and diagnose its slow flows
    Run(commands::run::Args),
    /// Run scenarios repeatedly and compare diagnosis methods with the ground truth
    Eval(commands::eval::Args),
    /// Diagnose telemetry from files
    Analyze(commands::analyze::Args),
    /// Read the counters of switches over Redis or gNMI and report who sends the pauses
    Watch(Box<commands::watch::Args>),
    /// Check switch configurations before a rollout: SONiC, NVUE, EOS, NX-OS
    Check(Box<commands::check::Args>),
    /// Check switch configurations in an editor: a language server
    Lsp(commands::lsp::Args),
    /// Find what is wrong inside a host: from its report, its settings and its probes
    Host(commands::host::Args),
    /// Compare RDMA workloads with the published anomalies of NICs, and search for anomalies
    Collie(commands::collie::Args),
    /// Compute headroom and buffer pool sizes
    Headroom(commands::headroom::Args),
    /// Write the topology that switch configurations describe, or that was discovered
    Topology(commands::topology::Args),
    /// Check, compile and run P4-16 programs
    P4(commands::p4::Args),
    /// Run a P4 switch with a P4Runtime server
    Switch(Box<commands::switch::Args>),
    /// Run a host of a scenario as a RoCEv2 endpoint on an interface
    Nic(commands::nic::Args),
    /// Run a scenario on a real Linux network of namespaces
    Lab(commands::lab::Args),
    /// Run the server: uploads, analysis, store, REST and dashboard
    Serve(commands::serve::Args),
    /// Run the controller of switches
    Controller(commands::controller::Args),
    /// Run the agent of a host
    Agent(commands::agent::Args),
    /// Ask a server who slows a flow down now
    Ask(commands::ask::Args),
    /// Analyse judged verdicts again, as test cases
    Case(commands::case::Args),
    /// Watch the open incidents of a server in the terminal
    Top(commands::top::Args),
    /// List and follow the incidents of a server
    Incidents(commands::incidents::Args),
    /// Check the configuration file of a daemon, or write an example
    Config(commands::config::Args),
    /// Create certificates for a lab or a small network
    Pki(commands::pki::Args),
    /// Create and withdraw tokens of the REST interface
    Token(commands::token::Args),
    /// Measure, copy, export, prune and migrate the file of a server's store
    Store(commands::store::Args),
    /// Print the completion script of a shell
    Completions(commands::completions::Args),
    /// Print names from the server, for the completion of a shell
    #[command(hide = true)]
    Complete(commands::complete::Args),
    /// Write the manual pages
    #[command(hide = true)]
    Manual(commands::manual::Args),
    /// Print the OpenAPI document of the REST API
    #[command(hide = true)]
    Openapi,
}

/// The result of a command that could run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Exit status 0.
    Fine,
    /// Exit status 1: findings or a failed expectation.
    Findings,
    /// Exit status 3: a test ran whose outcome cannot be judged, or nothing could be judged.
    NotJudged,
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Demo(args) => commands::demo::execute(args),
        Command::Scenario(args) => commands::scenario::execute(args),
        Command::Generate(args) => commands::generate::execute(args),
        Command::Run(args) => commands::run::execute(args),
        Command::Eval(args) => commands::eval::execute(args),
        Command::Analyze(args) => commands::analyze::execute(args),
        Command::Watch(args) => commands::watch::execute(&args),
        Command::Check(args) => commands::check::execute(*args),
        Command::Lsp(args) => commands::lsp::execute(&args),
        Command::Host(args) => commands::host::execute(args),
        Command::Collie(args) => commands::collie::execute(args),
        Command::Headroom(args) => commands::headroom::execute(args),
        Command::Topology(args) => commands::topology::execute(args),
        Command::P4(args) => commands::p4::execute(args),
        Command::Switch(args) => commands::switch::execute(*args),
        Command::Nic(args) => commands::nic::execute(args),
        Command::Lab(args) => commands::lab::execute(args),
        Command::Serve(args) => commands::serve::execute(&args),
        Command::Controller(args) => commands::controller::execute(&args),
        Command::Agent(args) => commands::agent::execute(&args),
        Command::Ask(args) => commands::ask::execute(&args),
        Command::Case(args) => commands::case::execute(&args),
        Command::Top(args) => commands::top::execute(&args),
        Command::Incidents(args) => commands::incidents::execute(&args),
        Command::Config(args) => commands::config::execute(args),
        Command::Pki(args) => commands::pki::execute(args),
        Command::Token(args) => commands::token::execute(args),
        Command::Store(args) => commands::store::execute(args),
        Command::Complete(args) => commands::complete::execute(&args),
        Command::Completions(args) => commands::completions::execute(&args),
        Command::Manual(args) => commands::manual::execute(&args),
        Command::Openapi => output::print_json(&web::openapi()).map(|()| Outcome::Fine),
    };
    match result {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(1),
        Ok(Outcome::NotJudged) => ExitCode::from(3),
        Err(error) => {
            stderr_line!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
