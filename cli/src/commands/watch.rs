//! `harrier watch`: reads the counters of ordinary switches and reports who sends the pauses.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use analyzer::TopologyIndex;
use anyhow::{Context, anyhow, bail};
use counters::sampling::agents;
use counters::{FlowSample, Network};
use model::Time;
use model::plain::{plain, plain_line};

use crate::Outcome;
use crate::counter_sources::{
    Address, Change, ExporterOf, GnmiSwitch, History, Polled, Protocol, SampleListener, SonicSwitch,
    parse_exporter, poll,
};
use crate::daemons::topology;
use crate::output::{describe_diagnosis, print_text};

/// The stack of a thread that polls a switch; it holds no reply.
const STACK_BYTES: usize = 512 << 10;

const EXAMPLES: &str = "\
Examples:
  Watch two switches
    harrier watch sonic://leaf1 sonic://spine1

  Watch a switch over gNMI with TLS
    HARRIER_GNMI_PASSWORD=... harrier watch --gnmi-ca ca.pem gnmis://admin@spine1:8080

  Watch a switch whose Redis needs a password and TLS, by name, and write JSON
    REDISCLI_AUTH=... harrier watch --redis-ca ca.pem --json leaf1=sonics://10.0.0.1:6380";

/// Arguments of `harrier watch`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = format!(
    "Exit status 1: there was a verdict. Exit status 2: no switch could be read in --rounds intervals.\n\n{EXAMPLES}"
))]
pub(crate) struct Args {
    /// Switches: sonic://HOST:PORT or gnmi://USER@HOST:PORT, sonics:// or gnmis:// with TLS, or sonic+unix:///PATH
    ///
    /// sonic:// is the address of a SONiC switch's Redis server, by default at port 6379. Its password is read from the
    /// variable REDISCLI_AUTH or from the address, sonic://USER:PASSWORD@HOST or sonic://:PASSWORD@HOST. gnmi:// is that of a
    /// gNMI server, by default at port 9339: SONiC's databases, or OpenConfig's interfaces and QoS. Its password is read from
    /// the variable HARRIER_GNMI_PASSWORD or from the address, gnmi://USER:PASSWORD@HOST. A name before an address, as in
    /// leaf1=sonic://10.0.0.1, replaces the hostname that the switch states.
    #[arg(required = true, value_name = "[NAME=]ADDRESS")]
    switches: Vec<String>,
    /// Receive sFlow version 5 and IPFIX at this address, e.g. 0.0.0.0:6343; may be repeated
    ///
    /// Verdicts then name the likely flows. The usual ports are 6343 (sFlow) and 4739 (IPFIX). Datagrams of other exporters
    /// than those of the switches are left out.
    #[arg(long, value_name = "ADDRESS:PORT")]
    collect: Vec<SocketAddr>,
    /// Address of a switch as sFlow agent or IPFIX exporter, e.g. leaf1=10.0.0.9
    ///
    /// [default: the addresses in the topology and in the switch's configuration, and that by which it is reached]
    #[arg(long, value_name = "SWITCH=ADDRESS", value_parser = parse_exporter)]
    exporter: Vec<ExporterOf>,
    /// Polling interval, from 100ms to 10min
    #[arg(long, value_name = "TIME", value_parser = parse_interval, default_value = "1s")]
    interval: Duration,
    /// Topology of the network [default: the neighbours that LLDP and the switches' configuration name]
    #[arg(long, value_name = "FILE")]
    topology: Option<PathBuf>,
    /// Certificates of the authorities that the switches' certificates are checked against (PEM), for sonics://
    ///
    /// [default: those that the system trusts]
    #[arg(long, value_name = "FILE")]
    redis_ca: Option<PathBuf>,
    /// Certificates of the authorities that the switches' certificates are checked against (PEM), for gnmis://
    ///
    /// [default: those that the system trusts]
    #[arg(long, value_name = "FILE")]
    gnmi_ca: Option<PathBuf>,
    /// Stop after this number of intervals
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    rounds: Option<u64>,
    /// Print the beginning and the end of each verdict as a line of JSON on stdout
    #[arg(long)]
    json: bool,
}

fn parse_interval(text: &str) -> Result<Duration, String> {
    let limits = Time::from_ms(100)..=Time::from_ms(600_000);
    let time = scenario::parse_time(text).filter(|time| limits.contains(time));
    time.map(|time| Duration::from_nanos(time.as_ns()))
        .ok_or("expected a time from 100ms to 10min".to_string())
}

/// Parses the addresses. The errors name an address by its place only: even a malformed one may have a password, which the
/// parser of the command line would print.
fn addresses(texts: &[String]) -> anyhow::Result<Vec<Address>> {
    let parse = |(number, text): (usize, &String)| {
        text.parse().map_err(|error| anyhow!("address {}: {error}", number + 1))
    };
    texts.iter().enumerate().map(parse).collect()
}

/// Runs the command.
#[allow(clippy::disallowed_methods, reason = "this is the edge: switches are polled by the clock")]
pub(crate) fn execute(args: &Args) -> anyhow::Result<Outcome> {
    let addresses = addresses(&args.switches)?;
    let topology = args.topology.as_deref().map(topology::read).transpose()?.unwrap_or_default();
    let samples = match args.collect.as_slice() {
        [] => None,
        sockets => Some(SampleListener::start(sockets)?),
    };
    let (sender, results) = mpsc::channel();
    for (number, address) in addresses.iter().enumerate() {
        let (sender, interval) = (sender.clone(), args.interval);
        let thread = thread::Builder::new().name(format!("poll-{number}"));
        let spawned = match address.protocol.clone() {
            Protocol::Redis(redis) => {
                let switch = SonicSwitch::new(address, redis, args.redis_ca.clone());
                let poll = move || poll(number, switch, interval, &sender);
                thread.stack_size(STACK_BYTES).spawn(poll)
            }
            Protocol::Gnmi(gnmi) => {
                let switch = GnmiSwitch::new(address, gnmi, args.gnmi_ca.clone(), interval);
                // The switch sets the pace: every read waits for its next sample.
                thread.spawn(move || poll(number, switch, Duration::ZERO, &sender))
            }
        };
        spawned.context("cannot start a thread")?;
    }
    let mut watch = Watch {
        args,
        addresses: &addresses,
        network: Network { topology, ..Network::default() },
        history: History::default(),
        samples,
        verdicts: 0,
    };
    let mut due = Instant::now() + args.interval;
    let mut rounds = 0;
    while args.rounds.is_none_or(|limit| rounds < limit) {
        match results.recv_timeout(due.saturating_duration_since(Instant::now())) {
            Ok(polled) => watch.take(polled),
            Err(RecvTimeoutError::Timeout) => {
                watch.round()?;
                rounds += 1;
                due += args.interval;
            }
            Err(RecvTimeoutError::Disconnected) => bail!("the threads that poll have ended"),
        }
    }
    if !watch.history.has_readings() {
        bail!("no switch could be read");
    }
    Ok(if watch.verdicts > 0 { Outcome::Findings } else { Outcome::Fine })
}

struct Watch<'a> {
    args: &'a Args,
    addresses: &'a [Address],
    network: Network,
    history: History,
    /// The flow samples, if they are received.
    samples: Option<SampleListener>,
    /// Verdicts that have begun.
    verdicts: u64,
}

impl Watch<'_> {
    fn take(&mut self, Polled { source, result }: Polled) {
        match result {
            Ok((reading, problems)) => {
                let lines = self.history.read(source, reading, problems);
                if let Some(listener) = self.samples.as_ref().filter(|_| !lines.is_empty()) {
                    // The first samples of a switch are worth as much as later ones.
                    self.set_agents(listener);
                }
                for line in lines {
                    eprintln!("{}", plain_line(&line));
                }
            }
            Err(failure) => {
                if self.history.fail(source, &failure.reason) {
                    let shown = self.addresses.get(source).map_or("", |address| address.shown.as_str());
                    let seconds = failure.retry_in.as_secs_f64();
                    // The reason may cite what a server has answered.
                    let reason = plain_line(&failure.reason);
                    eprintln!(
                        "{}: cannot be read: {reason}; next attempt in {seconds:.1} s",
                        plain_line(shown)
                    );
                }
            }
        }
    }

    fn set_agents(&self, listener: &SampleListener) {
        listener.set_switches(agents(&self.network.topology, self.history.latest(), &self.args.exporter));
    }

    /// The samples of the intervals that are judged.
    fn flow_samples(&self) -> Vec<FlowSample> {
        let Some(listener) = &self.samples else { return Vec::new() };
        self.set_agents(listener);
        let since_ns = self.history.since_ns().unwrap_or(0);
        let (samples, lines) = listener.round(since_ns, self.history.latest());
        for line in lines {
            eprintln!("{}", plain_line(&line));
        }
        samples
    }

    /// Diagnoses the last intervals and prints what has changed.
    fn round(&mut self) -> anyhow::Result<()> {
        let samples = self.flow_samples();
        for change in self.history.round(&samples, &self.network) {
            let (event, diagnosis) = match &change {
                Change::Begins(diagnosis) => {
                    self.verdicts += 1;
                    ("begins", diagnosis)
                }
                Change::NamesFlows(diagnosis) => ("flows", diagnosis),
                Change::Ends(diagnosis) => ("ends", diagnosis),
            };
            if self.args.json {
                print_text(&format!("{}\n", serde_json::json!({ "event": event, "diagnosis": diagnosis })))?;
            } else if event == "ends" {
                // The time of a verdict from counters is a wall clock, which the line of a verdict does not show.
                eprintln!("over: {}", plain_line(&diagnosis.summary));
            } else {
                let index = TopologyIndex::new(&self.network.topology);
                let heading = if event == "flows" { "now with flows:\n" } else { "" };
                eprint!("{heading}{}", plain(&describe_diagnosis(diagnosis, &index)));
            }
        }
        Ok(())
    }
}
