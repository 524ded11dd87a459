//! `harrier watch`: reads the counters of ordinary switches and reports who sends the pauses, to people and to a server.

use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use analyzer::TopologyIndex;
use anyhow::{Context, anyhow, bail};
use counters::sampling::agents;
use counters::{FlowSample, Network};
use model::plain::{plain, plain_line};
use tracing::error;
use web::{HealthProblem, Metric};

use crate::Outcome;
use crate::client::trusting;
use crate::configurations;
use crate::counter_sources::{
    Address, Change, ExporterOf, GnmiSwitch, History, News, P4Switch, Polled, Protocol, Read,
    RunningConfigurations, SampleListener, SonicSwitch, parse_exporter, poll,
};
use crate::daemons::config::Arguments;
use crate::daemons::config::keys::watch::{Watch as WatchKeys, parse_interval};
use crate::daemons::config::settings::Settings;
use crate::daemons::health::metric;
use crate::daemons::operations::files;
use crate::daemons::operations::log::{self, LogLevel};
use crate::daemons::operations::signals::Demand;
use crate::daemons::operations::{log_reload, notify};
use crate::daemons::tls::Certificates;
use crate::daemons::topology;
use crate::daemons::watcher::Watcher;
use crate::input::fail_with;
use crate::output::describe_diagnosis;
use crate::stdout::Reader;

/// The stack of a thread that polls a switch; it holds no reply.
const STACK_BYTES: usize = 512 << 10;

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
#[allow(clippy::disallowed_methods, reason = "this is the edge: switches are polled by the clock")]
pub(crate) fn execute(args: &Args) -> anyhow::Result<Outcome> {
    let settings = args.daemon.settings()?;
    let log = log::start(&settings);
    let addresses = addresses(args, &settings)?;
    // A file that cannot be used is no reason to try again.
    settings.path("redis_ca").map(trusting).transpose()?;
    // A connection to each switch.
    files::raise_limit();
    let interval = interval(&settings)?;
    let topology = settings.path("topology").map(topology::read).transpose();
    let topology = topology.with_context(|| format!("{}: topology", settings.origin("topology")))?;
    let topology = topology.unwrap_or_default();
    let (sender, news) = mpsc::channel();
    // The spool is locked before a switch is read.
    let watcher = Watcher::start(&settings, sender.clone())?;
    let samples = match settings.listens("collect").as_slice() {
        [] => None,
        sockets => Some(SampleListener::start(sockets)?),
    };
    start_polls(&settings, &addresses, interval, &sender)?;
    let exporters = settings.texts("exporter").into_iter().filter_map(|text| parse_exporter(text).ok());
    let mut watch = Watch {
        is_json: args.json,
        addresses: &addresses,
        exporters: exporters.collect(),
        network: Network { topology, ..Network::default() },
        configurations: desired(&settings)?,
        history: History::default(),
        samples,
        watcher,
        verdicts: 0,
    };
    let mut due = Instant::now() + interval;
    let mut rounds = 0;
    let mut is_stopped = false;
    while args.rounds.is_none_or(|limit| rounds < limit) && !is_stopped {
        match news.recv_timeout(due.saturating_duration_since(Instant::now())) {
            Ok(News::Polled(polled)) => watch.take(polled),
            Ok(News::Demand(Demand::Stop)) => is_stopped = true,
            Ok(News::Demand(Demand::Reload)) => reload(args, &settings, &log),
            Err(RecvTimeoutError::Timeout) => {
                is_stopped = !watch.round()?;
                rounds += 1;
                due += interval;
            }
            Err(RecvTimeoutError::Disconnected) => bail!("the threads that poll have ended"),
        }
    }
    let Watch { history, watcher, verdicts, .. } = watch;
    if let Some(watcher) = watcher {
        watcher.stop();
    }
    if is_stopped {
        return Ok(Outcome::Fine);
    }
    if !history.has_readings() {
        bail!("no switch could be read");
    }
    Ok(if verdicts > 0 { Outcome::Findings } else { Outcome::Fine })
}

/// Reads the configurations that the switches should run.
fn desired(settings: &Settings) -> anyhow::Result<RunningConfigurations> {
    let mut problems = Vec::new();
    let configs = configurations::of_key(settings, "desired", &mut problems);
    let texts = configurations::texts(&configs, &mut problems);
    fail_with("desired configurations", &problems)
        .with_context(|| format!("{}: desired", settings.origin("desired")))?;
    Ok(RunningConfigurations::new(texts))
}

fn interval(settings: &Settings) -> anyhow::Result<Duration> {
    parse_interval(settings.text("interval").unwrap_or_default()).map_err(anyhow::Error::msg)
}

/// Starts a thread for each switch.
fn start_polls(
    settings: &Settings,
    addresses: &[Address],
    interval: Duration,
    sender: &Sender<News>,
) -> anyhow::Result<()> {
    let path = |key| settings.path(key).map(Path::to_path_buf);
    let tls = Certificates::read(settings)?.map(|certificates| certificates.switch_client());
    for (number, address) in addresses.iter().enumerate() {
        let sender = sender.clone();
        let thread = thread::Builder::new().name(format!("poll-{number}"));
        let reads_configuration = settings.text("check_configuration") != Some("no");
        let spawned = match address.protocol.clone() {
            Protocol::Redis(redis) => {
                let switch = SonicSwitch::new(address, redis, path("redis_ca"));
                let switch = switch.with_configuration(reads_configuration);
                let poll = move || poll(number, switch, interval, &sender);
                thread.stack_size(STACK_BYTES).spawn(poll)
            }
            Protocol::Gnmi(gnmi) => {
                let switch = GnmiSwitch::new(address, gnmi, path("gnmi_ca"), interval);
                let switch = switch.with_configuration(reads_configuration);
                // The switch sets the pace: every read waits for its next sample.
                thread.spawn(move || poll(number, switch, Duration::ZERO, &sender))
            }
            Protocol::P4Runtime(p4) => {
                let switch = P4Switch::new(address.name.clone().unwrap_or_default(), p4, tls.clone());
                thread.spawn(move || poll(number, switch, interval, &sender))
            }
        };
        spawned.context("cannot start a thread")?;
    }
    Ok(())
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

struct Watch<'a> {
    is_json: bool,
    addresses: &'a [Address],
    exporters: Vec<ExporterOf>,
    network: Network,
    /// What the switches run; its findings are those of the network.
    configurations: RunningConfigurations,
    history: History,
    /// The flow samples, if they are received.
    samples: Option<SampleListener>,
    /// The daemon, if there is a server or someone who asks for its health.
    watcher: Option<Watcher>,
    /// Verdicts that have begun.
    verdicts: u64,
}

impl Watch<'_> {
    fn take(&mut self, Polled { source, result }: Polled) {
        match result {
            Ok(Read { mut reading, problems, configuration }) => {
                let address = self.addresses.get(source).map_or("", |address| &address.shown);
                if let Some(line) = self.history.tell_apart(source, &mut reading, address) {
                    stderr_line!("{}", plain_line(&line));
                }
                if let Some(text) = configuration {
                    self.take_configuration(&reading.switch, &text);
                }
                let lines = self.history.read(source, reading, problems);
                if let Some(listener) = self.samples.as_ref().filter(|_| !lines.is_empty()) {
                    // The first samples of a switch are worth as much as later ones.
                    self.set_agents(listener);
                }
                for line in lines {
                    stderr_line!("{}", plain_line(&line));
                }
                if let (Some(watcher), Some(readings)) = (&self.watcher, self.history.last_interval(source)) {
                    watcher.sampled(&readings, self.history.ports());
                }
            }
            Err(failure) => {
                if self.history.fail(source, &failure.reason) {
                    let seconds = failure.retry_in.as_secs_f64();
                    // The reason may cite what a server has answered.
                    let reason = plain_line(&failure.reason);
                    let shown = self.shown(source);
                    stderr_line!("{shown}: cannot be read: {reason}; next attempt in {seconds:.1} s");
                }
            }
        }
    }

    /// Takes the configuration that a switch runs.
    fn take_configuration(&mut self, switch: &str, text: &str) {
        let news = self.configurations.read(switch, text);
        for line in &news.lines {
            stderr_line!("{}", plain_line(line));
        }
        if let (Some(watcher), Some(differences)) = (&self.watcher, news.differences) {
            watcher.configuration_differs(switch, &differences);
        }
    }

    /// The address of a source for people.
    fn shown(&self, source: usize) -> String {
        self.addresses.get(source).map_or_else(String::new, |address| plain_line(&address.shown).into_owned())
    }

    fn set_agents(&self, listener: &SampleListener) {
        listener.set_switches(agents(&self.network.topology, self.history.latest(), &self.exporters));
    }

    /// The samples of the intervals that are judged.
    fn flow_samples(&self) -> Vec<FlowSample> {
        let Some(listener) = &self.samples else { return Vec::new() };
        self.set_agents(listener);
        let since_ns = self.history.since_ns().unwrap_or(0);
        let (samples, lines) = listener.round(since_ns, self.history.latest());
        for line in lines {
            stderr_line!("{}", plain_line(&line));
        }
        samples
    }

    /// Reports desired configurations that nothing is compared with, as of a name with a typo, when all sources have been read.
    fn report_not_compared(&mut self) {
        let read: Vec<&str> = self.history.latest().map(|reading| reading.switch.as_str()).collect();
        if read.len() == self.addresses.len() {
            for line in self.configurations.not_compared(&read.into_iter().collect()) {
                stderr_line!("{}", plain_line(&line));
            }
        }
    }

    /// Diagnoses the last intervals, prints what has changed, and uploads it. Returns whether anybody has use for it.
    fn round(&mut self) -> anyhow::Result<bool> {
        let mut reader = Reader::Present;
        self.report_not_compared();
        let samples = self.flow_samples();
        if self.configurations.has_any() {
            let cabling = self.history.cabling(&self.network);
            let found = self.configurations.changed_findings(&self.network.topology, cabling);
            if let Some(findings) = found {
                self.network.findings = findings;
            }
        }
        for change in self.history.round(&samples, &self.network) {
            self.verdicts += u64::from(matches!(change, Change::Begins(_)));
            // First to the spool: it survives whatever happens to the reader of the output.
            if let Some(watcher) = &mut self.watcher {
                watcher.changed(&change);
            }
            reader = self.print(&change)?;
        }
        if let Some(watcher) = &self.watcher {
            let (problems, metrics) = self.health();
            watcher.report(self.history.open(), problems, metrics);
        }
        Ok(reader == Reader::Present || self.watcher.is_some())
    }

    fn print(&self, change: &Change) -> anyhow::Result<Reader> {
        let diagnosis = change.diagnosis();
        if self.is_json {
            let line = serde_json::json!({ "event": change.name(), "diagnosis": diagnosis });
            return stdout_line!("{line}");
        }
        let heading = match change {
            Change::Begins(_) => "",
            Change::NamesFlows(_) => "now with flows:\n",
            Change::Worsens(_) => "now worse:\n",
            Change::Spreads(_) => "now at further switches:\n",
            Change::Ends(_) => {
                // The time of a verdict from counters is a wall clock, which the line of a verdict does not show.
                stderr_line!("over: {}", plain_line(&diagnosis.summary));
                return Ok(Reader::Present);
            }
        };
        let index = TopologyIndex::new(&self.network.topology);
        stderr_text!("{heading}{}", plain(&describe_diagnosis(diagnosis, &index)));
        Ok(Reader::Present)
    }

    /// The switches that cannot be read, and for each switch whether it can.
    fn health(&self) -> (Vec<HealthProblem>, Vec<Metric>) {
        let (mut problems, mut metrics) = (Vec::new(), Vec::new());
        for (number, name, failure) in self.history.states() {
            let switch = name.map_or_else(|| self.shown(number), str::to_string);
            let help = "1 while the counters of the switch can be read";
            metrics.push(Metric {
                labels: vec![("switch", switch.clone())],
                ..metric("switch_readable", help, false, u64::from(failure.is_none()))
            });
            problems.extend(
                failure
                    .map(|reason| HealthProblem { subject: switch, reason: plain_line(reason).into_owned() }),
            );
        }
        metrics.extend(self.samples.iter().flat_map(SampleListener::metrics));
        let help = "Differences between the configuration that the switch runs and its desired one";
        metrics.extend(self.configurations.differences().map(|(switch, count)| Metric {
            labels: vec![("switch", switch.to_string())],
            ..metric("configuration_differences", help, false, count as u64)
        }));
        (problems, metrics)
    }
}
