//! `harrier token`: the tokens of the REST interface.

use std::path::PathBuf;

use crate::Outcome;
use crate::daemons::operations::wall_ns;
use crate::tokens::{self, RoleName};

const EXAMPLES: &str = "\
Examples:
  Create a token for a dashboard that only reads; the token is printed once
    harrier token create --name grafana --role viewer --file tokens.toml

  Start the server with it, and use it
    harrier serve --tokens tokens.toml ...
    curl -H \"Authorization: Bearer $TOKEN\" https://harrier.example:8080/api/v1/incidents

  Withdraw it; a running server reads the file again on SIGHUP
    harrier token revoke --name grafana --file tokens.toml";

/// Arguments of `harrier token`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Create a token and print it; the file keeps only its hash
    Create {
        /// Whose token it is, for the audit log
        #[arg(long, value_name = "NAME")]
        name: String,
        /// What its owner may do
        #[arg(long, value_enum)]
        role: RoleName,
        /// File of the tokens; it is created if it does not exist
        #[arg(long, value_name = "FILE")]
        file: PathBuf,
    },
    /// List names, roles and dates of the tokens
    List {
        /// File of the tokens
        #[arg(long, value_name = "FILE")]
        file: PathBuf,
    },
    /// Remove a token
    Revoke {
        /// Whose token it is
        #[arg(long, value_name = "NAME")]
        name: String,
        /// File of the tokens
        #[arg(long, value_name = "FILE")]
        file: PathBuf,
    },
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    match args.action {
        Action::Create { name, role, file } => {
            stdout_line!("{}", tokens::create(&file, &name, role, web::rfc3339(wall_ns()))?)?;
        }
        Action::List { file } => {
            for token in tokens::read(&file)?.tokens {
                stdout_line!("{}\t{}\t{}", token.name, web::Role::from(token.role).name(), token.created)?;
            }
        }
        Action::Revoke { name, file } => tokens::revoke(&file, &name)?,
    }
    Ok(Outcome::Fine)
}
