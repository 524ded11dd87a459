//! `harrier agent`: the agent of a host.

use crate::Outcome;
use crate::daemons::agent;
use crate::daemons::config::Arguments;
use crate::daemons::config::keys::agent::Agent;

/// Arguments of `harrier agent`.
pub(crate) type Args = Arguments<Agent>;

/// Runs the command.
pub(crate) fn execute(args: &Args) -> anyhow::Result<Outcome> {
    agent::run(args)?;
    Ok(Outcome::Fine)
}
