//! The rounds of a watch: takes what is read of the switches, diagnoses it at an interval, and reports what has changed to
//! people and to the server. `harrier watch` is these rounds; `harrier controller` has them beside its P4 switches.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use analyzer::TopologyIndex;
use anyhow::{Context, bail};
use counters::sampling::agents;
use counters::{FlowSample, Network, Reading};
use model::Topology;
use model::plain::{plain, plain_line};
use tracing::info;
use web::{HealthProblem, Metric};

use super::{Watcher, polls};
use crate::configurations;
use crate::counter_sources::{
    Address, Change, ExporterOf, History, News, Polled, Read, RunningConfigurations, SampleListener,
    parse_exporter,
};
use crate::daemons::config::settings::Settings;
use crate::daemons::health::metric;
use crate::daemons::operations::signals::Demand;
use crate::input::fail_with;
use crate::output::describe_diagnosis;
use crate::stdout::Reader;

/// For how long what is read is gathered before it is taken: to wake for each of a thousand switches costs more than to take what was
/// read.
const GATHER: Duration = Duration::from_millis(20);

/// What is watched.
pub(crate) struct Watched {
    /// The switches.
    pub(crate) addresses: Vec<Address>,
    /// The interval of polls and of rounds.
    pub(crate) interval: Duration,
    /// What is known of the network besides the neighbours of the switches.
    pub(crate) topology: Topology,
    /// Where verdicts are written.
    pub(crate) output: Output,
}

/// Where verdicts and lines for people are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    /// On stderr, as text.
    Text,
    /// Verdicts on stdout, as lines of JSON; the rest on stderr.
    Json,
    /// In the log.
    Log,
}

/// What a watch has found.
pub(crate) struct Ended {
    /// Whether any switch was read.
    pub(crate) has_readings: bool,
    /// Verdicts that have begun.
    pub(crate) verdicts: u64,
}

/// What is known about the switches, and who hears of it.
pub(crate) struct Rounds {
    output: Output,
    interval: Duration,
    addresses: Vec<Address>,
    /// Where readings of each source go that are not used any more.
    returns: Vec<Sender<Reading>>,
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

impl Rounds {
    /// Starts to read the switches and to receive samples. What is read is sent to `sender`.
    ///
    /// # Errors
    /// A desired configuration, a certificate or an address to receive at cannot be used.
    pub(crate) fn start(
        settings: &Settings,
        watched: Watched,
        watcher: Option<Watcher>,
        sender: &Sender<News>,
    ) -> anyhow::Result<Rounds> {
        let Watched { addresses, interval, topology, output } = watched;
        let exporters = settings.texts("exporter").into_iter().filter_map(|text| parse_exporter(text).ok());
        let mut rounds = Rounds {
            output,
            interval,
            addresses,
            returns: Vec::new(),
            exporters: exporters.collect(),
            network: Network { topology, ..Network::default() },
            configurations: desired(settings)?,
            history: History::default(),
            samples: None,
            watcher,
            verdicts: 0,
        };
        if let sockets @ [_, ..] = settings.listens("collect").as_slice() {
            let (listener, bound) = SampleListener::start(sockets)?;
            bound.iter().for_each(|address| rounds.say(&format!("flow samples are received at {address}")));
            rounds.samples = Some(listener);
        }
        rounds.returns = polls::start(settings, &rounds.addresses, interval, sender)?;
        Ok(rounds)
    }

    /// Diagnoses what is read at the interval, until a signal or the reader of the output ends it, which it returns, or after
    /// `limit` rounds.
    ///
    /// # Errors
    /// The output cannot be written.
    #[allow(clippy::disallowed_methods, reason = "this is the edge: switches are polled by the clock")]
    pub(crate) fn run(
        &mut self,
        news: &Receiver<News>,
        limit: Option<u64>,
        reload: impl Fn(),
    ) -> anyhow::Result<bool> {
        let mut due = Instant::now() + self.interval;
        let mut rounds = 0;
        while limit.is_none_or(|limit| rounds < limit) {
            let left = || due.saturating_duration_since(Instant::now());
            match news.recv_timeout(left()) {
                Ok(first) => {
                    for news in std::iter::once(first).chain(news.try_iter()) {
                        match news {
                            News::Polled(polled) => self.take(polled),
                            News::Network(topology) => {
                                self.network.topology = topology;
                                self.history.connect_again();
                            }
                            News::Demand(Demand::Stop) => return Ok(true),
                            News::Demand(Demand::Reload) => reload(),
                        }
                    }
                    std::thread::sleep(GATHER.min(left()));
                }
                Err(RecvTimeoutError::Timeout) => {
                    if !self.round()? {
                        return Ok(true);
                    }
                    rounds += 1;
                    due += self.interval;
                }
                Err(RecvTimeoutError::Disconnected) => bail!("the threads that poll have ended"),
            }
        }
        Ok(false)
    }

    /// Uploads what is left, and ends.
    pub(crate) fn end(self) -> Ended {
        let Rounds { history, watcher, verdicts, .. } = self;
        if let Some(watcher) = watcher {
            watcher.stop();
        }
        Ended { has_readings: history.has_readings(), verdicts }
    }

    /// Writes a line for people.
    fn say(&self, line: &str) {
        let line = plain_line(line);
        match self.output {
            Output::Log => info!("{line}"),
            Output::Text | Output::Json => stderr_line!("{line}"),
        }
    }

    fn take(&mut self, Polled { source, result }: Polled) {
        match result {
            Ok(Read { mut reading, names, problems, configuration }) => {
                let address = self.addresses.get(source).map_or("", |address| &address.shown);
                if let Some(line) = self.history.tell_apart(source, &mut reading, address) {
                    self.say(&line);
                }
                if let Some(text) = configuration {
                    self.take_configuration(&reading.switch, &text);
                }
                self.history.name(source, names);
                let lines = self.history.read(source, reading, problems);
                if let (Some(unused), Some(back)) = (self.history.take_unused(), self.returns.get(source)) {
                    // Fails only if the thread of the source has ended.
                    let _ = back.send(unused);
                }
                if let Some(listener) = self.samples.as_ref().filter(|_| !lines.is_empty()) {
                    // The first samples of a switch are worth as much as later ones.
                    self.set_agents(listener);
                }
                for line in lines {
                    self.say(&line);
                }
                if let (Some(watcher), Some(readings)) = (&self.watcher, self.history.last_interval(source)) {
                    watcher.sampled(&readings, self.history.ports());
                }
            }
            Err(failure) => {
                if self.history.fail(source, &failure.reason) {
                    let seconds = failure.retry_in.as_secs_f64();
                    let (shown, reason) = (self.shown(source), &failure.reason);
                    self.say(&format!("{shown}: cannot be read: {reason}; next attempt in {seconds:.1} s"));
                }
            }
        }
    }

    /// Takes the configuration that a switch runs.
    fn take_configuration(&mut self, switch: &str, text: &str) {
        let news = self.configurations.read(switch, text);
        for line in &news.lines {
            self.say(line);
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
            self.say(&line);
        }
        samples
    }

    /// Reports desired configurations that nothing is compared with, as of a name with a typo, when all sources have been read.
    fn report_not_compared(&mut self) {
        let read: Vec<&str> = self.history.latest().map(|reading| reading.switch.as_str()).collect();
        if read.len() == self.addresses.len() {
            for line in self.configurations.not_compared(&read.into_iter().collect()) {
                self.say(&line);
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
        match self.output {
            Output::Text => {}
            Output::Json => {
                let line = serde_json::json!({ "event": change.name(), "diagnosis": diagnosis });
                return stdout_line!("{line}");
            }
            Output::Log => {
                let confidence = diagnosis.confidence;
                info!(
                    event = change.name(),
                    id = diagnosis.id,
                    confidence,
                    "{}",
                    plain_line(&diagnosis.summary)
                );
                return Ok(Reader::Present);
            }
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

/// Reads the configurations that the switches should run.
fn desired(settings: &Settings) -> anyhow::Result<RunningConfigurations> {
    let mut problems = Vec::new();
    let configs = configurations::of_key(settings, "desired", &mut problems);
    let texts = configurations::texts(&configs, &mut problems);
    fail_with("desired configurations", &problems)
        .with_context(|| format!("{}: desired", settings.origin("desired")))?;
    Ok(RunningConfigurations::new(texts))
}
