//! `harrier completions`: the completion script of a shell, generated from the options. That of bash also completes names
//! from the server.

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::{Cli, Outcome, stdout};

const EXAMPLES: &str = "\
Examples:
  Complete commands and options in this shell
    source <(harrier completions bash)

  Install the completions of fish
    harrier completions fish > ~/.config/fish/completions/harrier.fish";

/// Completes flows, hosts and ports with `harrier complete`.
const BASH_NAMES: &str = include_str!("completions.bash");

/// Arguments of `harrier completions`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the command.
pub(crate) fn execute(args: &Args) -> anyhow::Result<Outcome> {
    // The library panics if it cannot write, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "harrier", &mut script);
    if args.shell == Shell::Bash {
        script.extend_from_slice(BASH_NAMES.as_bytes());
    }
    stdout::write_bytes(&script)?;
    Ok(Outcome::Fine)
}
