//! `harrier lsp`: the language server for switch configurations.

use std::io;

use crate::{Outcome, lsp};

/// Arguments of `harrier lsp`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Communicate over standard input and output; the only transport, and the default
    #[arg(long)]
    stdio: bool,
}

/// Runs the command.
pub(crate) fn execute(args: &Args) -> anyhow::Result<Outcome> {
    // Editors pass the argument, which selects what is done anyway.
    let _ = args.stdio;
    lsp::run(&mut io::stdin().lock(), io::stdout().lock())
}
