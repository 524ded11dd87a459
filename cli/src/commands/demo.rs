//! `harrier demo`: the whole system in one process.

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::bail;

use crate::Outcome;
use crate::demo::{self, DemoConfig};

const EXAMPLES: &str = "\
Examples:
  Start the demo and open http://127.0.0.1:8080/
    harrier demo

  Replay one scenario and keep the incidents
    harrier demo --scenario incast-backpressure --store harrier.db";

/// Arguments of `harrier demo`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Built-in scenario or scenario file to repeat [default: an incast and a pause storm in turn]
    #[arg(long, value_name = "NAME|FILE.toml")]
    scenario: Option<String>,
    /// Address of the dashboard and the REST API; port 0 selects a free port
    #[arg(long, default_value = "127.0.0.1:8080", value_name = "ADDRESS")]
    listen: SocketAddr,
    /// Listen on other addresses than loopback: everyone in the network may read and ask
    #[arg(long)]
    insecure: bool,
    /// Name under which browsers may address the dashboard, besides localhost and IP addresses
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// Database file, or postgres:// URL, for diagnoses and incidents [default: in memory]
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Seed of the random number generator
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Simulated microseconds per second of wall-clock time
    #[arg(long, default_value_t = 1_000, value_name = "US", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pace: u64,
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    if !args.listen.ip().is_loopback() && !args.insecure {
        bail!(
            "--listen {}: the demo has neither TLS nor tokens, so other addresses than loopback need --insecure; \
             `harrier serve` has both",
            args.listen
        );
    }
    let scenarios = match &args.scenario {
        Some(named) => vec![super::run::load(named)?],
        None => vec![super::run::load("poster-fig1")?, super::run::load("host-storm")?],
    };
    demo::run(DemoConfig {
        scenarios,
        listen: args.listen,
        hosts: args.host,
        store: args.store,
        seed: args.seed,
        pace_us: args.pace,
    })?;
    Ok(Outcome::Fine)
}
