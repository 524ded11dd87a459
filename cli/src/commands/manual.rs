//! `harrier manual`: the manual pages, one of each command, generated from the options. Packages ship them.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::{Cli, Outcome};

/// Arguments of `harrier manual`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder for the pages, e.g. harrier-agent.1; it is created if it does not exist
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// Runs the command.
pub(crate) fn execute(args: &Args) -> anyhow::Result<Outcome> {
    let folder = &args.folder;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    clap_mangen::generate_to(Cli::command(), folder)
        .with_context(|| format!("cannot write pages to {}", folder.display()))?;
    Ok(Outcome::Fine)
}
