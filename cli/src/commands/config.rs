//! `harrier config`: checks configuration files of daemons, and writes examples.

use std::path::PathBuf;

use anyhow::anyhow;

use crate::Outcome;
use crate::daemons::config::arguments::check_file;
use crate::daemons::config::{DAEMONS, Daemon, example, file};

const EXAMPLES: &str = "\
Examples:
  Check a file, and the files that it names; its name starts with that of the daemon
    harrier config check /etc/harrier/agent.toml

  Write an annotated example
    harrier config example controller";

/// Arguments of `harrier config`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Report every mistake in configuration files of daemons
    Check {
        /// Files to check
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
        /// Daemon whose files these are [default: by the start of each file's name, e.g. agent.toml]
        #[arg(long, value_name = "NAME", value_parser = daemon)]
        daemon: Option<&'static Daemon>,
        /// Do not read the files that a configuration names, such as its topology, e.g. because they are on another
        /// machine. Files under /run are expected only where they exist: the start of a daemon puts its certificates
        /// there
        #[arg(long)]
        no_files: bool,
    },
    /// Print an annotated example file with all keys
    Example {
        /// Daemon
        #[arg(value_name = "DAEMON", value_parser = daemon)]
        daemon: &'static Daemon,
        /// Folder for what the daemon writes [default: that of the file]
        #[arg(long, value_name = "FOLDER")]
        state: Option<String>,
    },
}

fn daemon(name: &str) -> Result<&'static Daemon, String> {
    let names = DAEMONS.map(|daemon| daemon.name).join(", ");
    let found = DAEMONS.into_iter().find(|daemon| daemon.name == name);
    found.ok_or_else(|| format!("expected one of {names}"))
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    match args.action {
        Action::Check { files, daemon, no_files } => check(&files, daemon, !no_files),
        Action::Example { daemon, state } => {
            stdout_text!("{}", example::example(daemon, state.as_deref()))?;
            Ok(Outcome::Fine)
        }
    }
}

fn check(files: &[PathBuf], daemon: Option<&'static Daemon>, reads_files: bool) -> anyhow::Result<Outcome> {
    let mut count = 0;
    for path in files {
        let named = daemon.or_else(|| file::daemon_of(path));
        let daemon = named.ok_or_else(|| {
            anyhow!("{}: cannot tell the daemon by the file's name; add --daemon NAME", path.display())
        })?;
        for problem in check_file(daemon, path, reads_files)? {
            stdout_line!("{problem}")?;
            count += 1;
        }
    }
    if count == 0 {
        return Ok(Outcome::Fine);
    }
    stderr_line!("{}", model::units::counted(count, "mistake"));
    Ok(Outcome::Findings)
}
