//! `harrier serve`: the server of a deployment.

use crate::Outcome;
use crate::daemons::config::Arguments;
use crate::daemons::config::keys::serve::Serve;
use crate::daemons::serve;

/// Arguments of `harrier serve`.
pub(crate) type Args = Arguments<Serve>;

/// Runs the command.
pub(crate) fn execute(args: &Args) -> anyhow::Result<Outcome> {
    serve::run(args)?;
    Ok(Outcome::Fine)
}
