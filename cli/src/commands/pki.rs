//! `harrier pki`: certificates for labs and small networks.

use std::net::IpAddr;
use std::path::PathBuf;

use crate::Outcome;
use crate::daemons::pki::{self, Role};

const EXAMPLES: &str = "\
Examples:
  Create an authority, and certificates for a server and the agent of host h1
    harrier pki init pki
    harrier pki issue pki --role server --name server --address 10.9.0.1
    harrier pki issue pki --role agent --name h1 --address 10.0.0.1

  Use them
    harrier agent --tls-ca pki/ca.pem --tls-certificate pki/agent-h1.pem --tls-key pki/agent-h1.key ...";

/// Arguments of `harrier pki`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Create a certificate authority: ca.pem and ca.key
    Init {
        /// Folder of the authority; it is created if it does not exist
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
        /// Validity of the authority in days
        #[arg(long, value_name = "N", default_value_t = 3650, value_parser = clap::value_parser!(u32).range(1..=36_500))]
        days: u32,
    },
    /// Create a certificate and its key: ROLE-NAME.pem and ROLE-NAME.key
    Issue {
        /// Folder of the authority
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
        /// What the certificate is for
        #[arg(long, value_enum)]
        role: Role,
        /// Name of the daemon: of an agent, the name of its host in the topology
        #[arg(long, value_name = "NAME")]
        name: String,
        /// Further DNS names under which others connect to it
        #[arg(long, value_name = "NAME", value_delimiter = ',')]
        dns: Vec<String>,
        /// Addresses under which others connect to it, and for which an agent may speak
        #[arg(long, value_name = "ADDRESS", value_delimiter = ',')]
        address: Vec<IpAddr>,
        /// Validity in days
        #[arg(long, value_name = "N", default_value_t = 825, value_parser = clap::value_parser!(u32).range(1..=36_500))]
        days: u32,
    },
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    let written = match args.action {
        Action::Init { folder, days } => pki::init(&folder, days)?,
        Action::Issue { folder, role, name, dns, address, days } => {
            pki::issue(&folder, &pki::Request { role, name, dns, addresses: address, days })?
        }
    };
    for path in written {
        stderr_line!("{}", path.display());
    }
    Ok(Outcome::Fine)
}
