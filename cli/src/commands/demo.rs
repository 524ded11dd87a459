//! `harrier demo`: everything in one process, dashboard included.

use std::net::SocketAddr;
use std::path::PathBuf;

use crate::Outcome;
use crate::demo::{self, DemoConfig};

/// Arguments of `harrier demo`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A built-in scenario or a scenario file, played over and over [default: incasts and NIC storms by turns]
    #[arg(long, value_name = "NAME|FILE.toml")]
    scenario: Option<String>,
    /// Where the dashboard listens; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:8080", value_name = "ADDRESS")]
    listen: SocketAddr,
    /// Where incidents are kept [default: in memory]
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Seed of everything random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Network time that passes in a second, in microseconds
    #[arg(long, default_value_t = 1_000, value_name = "US", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pace: u64,
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    let scenarios = match &args.scenario {
        Some(named) => vec![super::run::load(named)?],
        None => vec![super::run::load("poster-fig1")?, super::run::load("host-storm")?],
    };
    demo::run(DemoConfig {
        scenarios,
        listen: args.listen,
        store: args.store,
        seed: args.seed,
        pace_us: args.pace,
    })?;
    Ok(Outcome::Fine)
}
