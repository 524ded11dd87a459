//! `harrier watch`: reads the counters of ordinary switches and reports who sends the pauses, to people and to a server.

use std::sync::mpsc;

use anyhow::{Context, anyhow, bail};
use tracing::error;

use crate::Outcome;
use crate::client::trusting;
use crate::counter_sources::Address;
use crate::daemons::config::Arguments;
use crate::daemons::config::keys::counters::parse_interval;
use crate::daemons::config::keys::watch::Watch as WatchKeys;
use crate::daemons::config::settings::Settings;
use crate::daemons::operations::files;
use crate::daemons::operations::log::{self, LogLevel};
use crate::daemons::operations::{log_reload, notify};
use crate::daemons::topology;
use crate::daemons::watcher::{Output, Rounds, Watched, Watcher};

const EXAMPLES: &str = "\
Examples:
  Watch two switches
    harrier watch sonic://leaf1 sonic://spine1

  Watch a switch over gNMI with TLS
    HARRIER_GNMI_PASSWORD=... harrier watch --gnmi-ca ca.pem gnmis://admin@spine1:8080

  Watch a switch whose Redis needs a password and TLS, by name, and write JSON
    REDISCLI_AUTH=... harrier watch --redis-ca ca.pem --json leaf1=sonics://10.0.0.1:6380

  Upload the verdicts to a server
    harrier watch --server 127.0.0.1:9560 --spool spool sonic://leaf1 sonic://spine1";

/// Arguments of `harrier watch`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = format!(
    "Exit status 1: there was a verdict. Exit status 2: no switch could be read in --rounds intervals. With a server, a \
     signal ends the command with exit status 0.\n\n{EXAMPLES}"
))]
pub(crate) struct Args {
    /// Switches: sonic://HOST:PORT or gnmi://USER@HOST:PORT, sonics:// or gnmis:// with TLS, sonic+unix:///PATH, or
    /// NAME=p4runtime://HOST:PORT
    ///
    /// sonic:// is the address of a SONiC switch's Redis server, by default at port 6379. Its password is read from the
    /// variable REDISCLI_AUTH or from the address, sonic://USER:PASSWORD@HOST or sonic://:PASSWORD@HOST. gnmi:// is that of a
    /// gNMI server, by default at port 9339: SONiC's databases, or OpenConfig's interfaces and QoS. Its password is read from
    /// the variable HARRIER_GNMI_PASSWORD or from the address, gnmi://USER:PASSWORD@HOST. p4runtime:// is the P4Runtime server of
    /// a P4 switch, by default at port 9559 and of device 1; p4runtimes:// uses the certificates of --tls-ca. A name before an address, as in
    /// leaf1=sonic://10.0.0.1, replaces the hostname that the switch states.
    #[arg(value_name = "[NAME=]ADDRESS")]
    addresses: Vec<String>,
    /// Stop after this number of intervals
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    rounds: Option<u64>,
    /// Print the beginning and the end of each verdict as a line of JSON on stdout
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    daemon: Arguments<WatchKeys>,
}

/// Parses the addresses. The errors name an address by its place only: even a malformed one may have a password, which the
/// parser of the command line would print.
fn addresses(args: &Args, settings: &Settings) -> anyhow::Result<Vec<Address>> {
    let parse = |(number, text): (usize, &str)| {
        text.parse().map_err(|error| anyhow!("address {}: {error}", number + 1))
    };
    let texts = match args.addresses.is_empty() {
        true => settings.texts("switches"),
        false => args.addresses.iter().map(String::as_str).collect(),
    };
    if texts.is_empty() {
        bail!("no switches: name them as arguments, e.g. sonic://leaf1, or with the key `switches`");
    }
    texts.into_iter().enumerate().map(parse).collect()
}

/// Runs the command.
pub(crate) fn execute(args: &Args) -> anyhow::Result<Outcome> {
    let settings = args.daemon.settings()?;
    let log = log::start(&settings);
    let addresses = addresses(args, &settings)?;
    // A file that cannot be used is no reason to try again.
    settings.path("redis_ca").map(trusting).transpose()?;
    // A connection to each switch.
    files::raise_limit();
    let interval =
        parse_interval(settings.text("interval").unwrap_or_default()).map_err(anyhow::Error::msg)?;
    let topology = settings.path("topology").map(topology::read).transpose();
    let topology = topology.with_context(|| format!("{}: topology", settings.origin("topology")))?;
    let output = if args.json { Output::Json } else { Output::Text };
    let watched = Watched { addresses, interval, topology: topology.unwrap_or_default(), output };
    let (sender, news) = mpsc::channel();
    // The spool is locked before a switch is read.
    let watcher = Watcher::start(&settings, sender.clone())?;
    let mut rounds = Rounds::start(&settings, watched, watcher, &sender)?;
    let is_stopped = rounds.run(&news, args.rounds, || reload(args, &settings, &log))?;
    let ended = rounds.end();
    if is_stopped {
        return Ok(Outcome::Fine);
    }
    if !ended.has_readings {
        bail!("no switch could be read");
    }
    Ok(if ended.verdicts > 0 { Outcome::Findings } else { Outcome::Fine })
}

/// Only the log's level can be changed at run time.
fn reload(args: &Args, settings: &Settings, log: &LogLevel) {
    notify::reloading();
    match args.daemon.settings() {
        Ok(new) => {
            log.apply(&new);
            log_reload(settings, &new);
        }
        Err(error) => error!(error = format!("{error:#}"), "the configuration is not reloaded"),
    }
    notify::ready("running");
}
