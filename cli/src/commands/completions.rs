//! `harrier completions`: the completion script of a shell, generated from the options. Those of bash, zsh and fish also
//! complete names from the server.

use anyhow::Context as _;
use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::{Cli, Outcome, stdout};

const EXAMPLES: &str = "\
Examples:
  Complete commands and options in this shell
    source <(harrier completions bash)

  Install the completions of fish
    harrier completions fish > ~/.config/fish/completions/harrier.fish";

/// Complete flows, hosts and ports with `harrier complete`.
const BASH_NAMES: &str = include_str!("completions.bash");
const FISH_NAMES: &str = include_str!("completions.fish");
const ZSH_NAMES: &str = include_str!("completions.zsh");

/// The main function of the script for zsh, as the library writes it.
const ZSH_MAIN: &str = "\n_harrier() {\n";
/// The beginning of its last part, which completes or registers the function.
const ZSH_LAST: &str = "\nif [ \"$funcstack[1]\" = \"_harrier\" ]; then\n";

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
    let script = String::from_utf8(script).context("the generated script is no text")?;
    stdout::write_bytes(with_names(args.shell, script).as_bytes())?;
    Ok(Outcome::Fine)
}

/// Adds the completion of names to a script.
fn with_names(shell: Shell, script: String) -> String {
    match shell {
        Shell::Bash => script + BASH_NAMES,
        Shell::Fish => script + FISH_NAMES,
        // The function that zsh calls is named like the file: ours takes its name, and calls the library's.
        Shell::Zsh => script.replacen(ZSH_MAIN, "\n_harrier_options() {\n", 1).replacen(
            ZSH_LAST,
            &format!("\n{ZSH_NAMES}{ZSH_LAST}"),
            1,
        ),
        _ => script,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_for_zsh_has_the_parts_that_are_replaced() {
        let mut script = Vec::new();
        clap_complete::generate(Shell::Zsh, &mut Cli::command(), "harrier", &mut script);
        let script = String::from_utf8(script).unwrap();
        for part in [ZSH_MAIN, ZSH_LAST] {
            assert_eq!(script.matches(part).count(), 1, "{part}");
        }
    }
}
