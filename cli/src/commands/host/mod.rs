//! `harrier host`: what is wrong inside a host.

mod files;
mod inspect;

use crate::Outcome;

/// Arguments of `harrier host`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Check settings of NICs, PCIe, memory and processes, from a recorded tree or on this host
    Inspect(inspect::Args),
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    match args.command {
        Command::Inspect(args) => inspect::execute(args),
    }
}
