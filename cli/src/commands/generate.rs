//! `harrier generate`: writes a scenario with known disturbances, drawn from a seed.

use std::path::PathBuf;

use anyhow::bail;
use scenario::generate::{KINDS, NAMED_KINDS, generate_kind};

use crate::Outcome;
use crate::input::write_all;

/// Arguments of `harrier generate`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  harrier generate --seed 7 --output 7.toml && harrier run 7.toml
  harrier generate --seed 7 --kind lossy-link")]
pub(crate) struct Args {
    /// Seed: the same seed gives the same scenario
    #[arg(long, required_unless_present = "list")]
    seed: Option<u64>,
    /// Draw one disturbance of this kind, instead of none to three of any
    #[arg(long, value_name = "NAME")]
    kind: Option<String>,
    /// Write the scenario to this file instead of stdout
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// List the kinds of disturbances
    #[arg(long, conflicts_with_all = ["seed", "kind", "output"])]
    list: bool,
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    let Some(seed) = args.seed else {
        for kind in KINDS.iter().chain(&NAMED_KINDS) {
            stdout_line!("{:<24} {}", kind.name, kind.summary)?;
        }
        return Ok(Outcome::Fine);
    };
    let generated = match &args.kind {
        None => scenario::generate(seed),
        Some(name) => match generate_kind(seed, name) {
            Some(generated) => generated,
            None => {
                let known: Vec<&str> = KINDS.iter().chain(&NAMED_KINDS).map(|kind| kind.name).collect();
                bail!("unknown kind `{name}`; expected one of {}", known.join(", "));
            }
        },
    };
    match &args.output {
        Some(path) => write_all(&[(path.as_path(), generated.text.into_bytes())])?,
        None => {
            stdout_text!("{}", generated.text)?;
        }
    }
    Ok(Outcome::Fine)
}
