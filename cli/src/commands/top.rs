//! `harrier top`: the open incidents of a server, full screen.

use std::io::IsTerminal as _;

use anyhow::bail;

use crate::client::{Client, ServerArgs};
use crate::{Outcome, top};

const EXAMPLES: &str = "\
Examples:
  Watch the server on this machine
    harrier top

  Watch a server that needs a token
    harrier top --server https://harrier.example:8080 --ca ca.pem --token-file token

Keys: j and k or arrows select an incident, Enter shows all of it, ? lists all keys, q ends.
Without a terminal, `harrier incidents --watch` prints the same changes as lines.

Exit status: 0, or 2 without a terminal.";

/// Arguments of `harrier top`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    server: ServerArgs,
}

/// Runs the command.
pub(crate) fn execute(args: &Args) -> anyhow::Result<Outcome> {
    let client = Client::new(&args.server)?;
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        bail!(
            "harrier top needs a terminal; use `harrier incidents --open`, or `--watch --json` for programs"
        );
    }
    crate::daemons::operations::block_on(top::run(client))?;
    Ok(Outcome::Fine)
}
