//! `harrier controller`: the controller of switches.

use crate::Outcome;
use crate::daemons::config::Arguments;
use crate::daemons::config::keys::controller::Controller;
use crate::daemons::controller;

/// Arguments of `harrier controller`.
pub(crate) type Args = Arguments<Controller>;

/// Runs the command.
pub(crate) fn execute(args: &Args) -> anyhow::Result<Outcome> {
    controller::run(args)?;
    Ok(Outcome::Fine)
}
