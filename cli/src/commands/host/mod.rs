//! `harrier host`: what is wrong inside a host.

mod files;
mod inspect;
mod probes;

use crate::Outcome;

/// Arguments of `harrier host`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Check settings of NICs, PCIe, memory and processes, from a recorded tree or on this host
    Inspect(Box<inspect::Args>),
    /// Summarise probes between hosts: dead pairs, dead hosts, percentiles by scope
    Probes(probes::Args),
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    match args.action {
        Action::Inspect(args) => inspect::execute(*args),
        Action::Probes(args) => probes::execute(&args),
    }
}
