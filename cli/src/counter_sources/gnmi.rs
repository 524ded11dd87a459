//! Reads a switch over gNMI: counters are sampled, the state of ports, neighbours and names are sent on change.
//!
//! A switch that serves `COUNTERS_PORT_NAME_MAP` of the target `COUNTERS_DB` is a SONiC switch, whose databases are read
//! ([`counters::sonic::gnmi`]); any other is read by OpenConfig's paths ([`counters::openconfig`]). Paths are read once
//! before they are subscribed to, so that one that a switch refuses does not end the others. The configuration of a SONiC switch
//! is read by Get, table by table.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use buffer_config::redis_dump::RedisDump;
use buffer_config::schema;
use counters::openconfig::{self, Leaves, Part};
use counters::sonic::{DatabaseName, Databases, gnmi as sonic, reading};
use counters::{Problem, Reading};
use gnmi::client::{Client, ClientError, Event, Settings, Subscribed, Wanted};
use gnmi::path::{elements, parse, shown};
use gnmi::proto::{self, Notification};
use gnmi::value::as_json;
use tokio::runtime::{Builder, Runtime};

use super::address::{Address, GnmiAddress};
use super::{KEPT, Read, ReadingSource};
use crate::daemons::operations::clock::wall_ns;

/// The variable with the password, so that it is in no command line.
const PASSWORD_VARIABLE: &str = "HARRIER_GNMI_PASSWORD";
/// The shortest interval at which SONiC samples (sonic-gnmi).
const SONIC_LEAST: Duration = Duration::from_secs(1);
/// A switch is silent if it sends nothing for this time, and for three intervals.
const SILENCE: Duration = Duration::from_secs(10);
/// The maximum number of messages of one sample, and of changes that are taken before a sample.
const MAX_MESSAGES: usize = 500_000;
/// The maximum number of entries of a configuration. The largest switches have some ten thousand.
const MAX_CONFIG_ENTRIES: usize = 200_000;

/// A switch with a gNMI server.
pub(crate) struct GnmiSwitch {
    name: Option<String>,
    address: GnmiAddress,
    ca: Option<PathBuf>,
    interval: Duration,
    /// Whether the configuration is read, too.
    reads_configuration: bool,
    connected: Option<(Runtime, Session)>,
}

impl GnmiSwitch {
    /// A switch at an address that is sampled at an interval; `ca` has the authorities of its certificate.
    pub(crate) fn new(
        address: &Address,
        gnmi: GnmiAddress,
        ca: Option<PathBuf>,
        interval: Duration,
    ) -> GnmiSwitch {
        let name = address.name.clone();
        GnmiSwitch { name, address: gnmi, ca, interval, reads_configuration: true, connected: None }
    }

    /// The switch, of which only the counters are read if `reads_configuration` is `false`.
    pub(crate) fn with_configuration(self, reads_configuration: bool) -> GnmiSwitch {
        GnmiSwitch { reads_configuration, ..self }
    }

    fn settings(&self) -> anyhow::Result<Settings> {
        let ca = match self.address.is_tls {
            true => Some(authorities(self.ca.as_deref())?),
            false => None,
        };
        let password = self.address.password.clone().or_else(|| std::env::var(PASSWORD_VARIABLE).ok());
        let credentials = self.address.user.clone().map(|user| (user, password.unwrap_or_default()));
        Ok(Settings { authority: self.address.authority.clone(), ca, credentials })
    }

    fn connect(&self) -> anyhow::Result<(Runtime, Session)> {
        let runtime = Builder::new_current_thread().enable_all().build().context("cannot start")?;
        let settings = self.settings()?;
        let mut session = runtime.block_on(async {
            let client = Client::connect(&settings).await?;
            Session::begin(client, self.interval).await
        })?;
        if self.address.is_exposed() {
            let text = "user and password are sent without encryption; use gnmis:// where the switch has TLS";
            session.problems.push(text.to_string());
        }
        session.reads_configuration = self.reads_configuration;
        session.is_configuration_due = self.reads_configuration;
        Ok((runtime, session))
    }
}

/// The certificates of the authorities, or of those that the system trusts.
#[allow(clippy::disallowed_methods, reason = "this is the edge: it reads the certificates")]
fn authorities(ca: Option<&Path>) -> anyhow::Result<Vec<u8>> {
    let path = crate::redis::trusted_certificates(ca)
        .context("there is no file with trusted certificates; specify --gnmi-ca")?;
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

impl ReadingSource for GnmiSwitch {
    fn read(&mut self) -> anyhow::Result<Read> {
        let (runtime, mut session) = match self.connected.take() {
            Some(connected) => connected,
            None => self.connect()?,
        };
        let (reading, mut problems) = runtime.block_on(session.sample(self.name.as_deref()))?;
        // After a sample there is time until the next one, so that none is taken late.
        let configuration = runtime.block_on(session.configuration(&mut problems));
        // Only a session without an error is used again.
        self.connected = Some((runtime, session));
        Ok(Read { reading, names: None, problems, configuration })
    }
}

/// What is read.
enum State {
    Sonic(Databases),
    OpenConfig(Leaves),
}

/// Subscriptions, with what was received.
struct Session {
    client: Client,
    state: State,
    /// When the settings of a SONiC switch were read.
    since: Instant,
    interval: Duration,
    /// The paths that are sampled.
    sampled: usize,
    samples: Subscribed,
    changes: Option<Subscribed>,
    /// The update that begins the next sample.
    pending: Option<Notification>,
    /// Whether the configuration is read with the settings.
    reads_configuration: bool,
    /// Whether it is read after the next sample.
    is_configuration_due: bool,
    problems: Vec<String>,
}

fn wanted(path: &str, sample: Option<Duration>) -> anyhow::Result<Wanted> {
    Ok(Wanted { path: parse(path).map_err(anyhow::Error::msg)?, sample })
}

impl Session {
    async fn begin(mut client: Client, interval: Duration) -> anyhow::Result<Session> {
        let map = parse("COUNTERS_PORT_NAME_MAP").map_err(anyhow::Error::msg)?;
        match client.once(DatabaseName::Counters.name(), &map).await {
            Ok(found) if !found.is_empty() => Session::sonic(client, interval).await,
            // A device that does not know the target may answer with any status.
            Ok(_) | Err(ClientError::Path { .. } | ClientError::Call(_)) => {
                Session::openconfig(client, interval).await
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn sonic(mut client: Client, interval: Duration) -> anyhow::Result<Session> {
        let mut state = State::Sonic(Databases::default());
        settings(&mut client, &mut state).await?;
        let mut problems = Vec::new();
        let sample = interval.max(SONIC_LEAST);
        if sample > interval {
            problems.push(format!("SONiC samples every {} s at most", SONIC_LEAST.as_secs()));
        }
        let target = DatabaseName::Counters.name();
        let mut paths = Vec::new();
        for path in sonic::COUNTER_PATHS {
            let path = wanted(path, Some(sample))?;
            match client.once(target, &path.path).await {
                Ok(_) => paths.push(path),
                Err(error @ ClientError::Path { .. }) => problems.push(error.to_string()),
                Err(error) => return Err(error.into()),
            }
        }
        if paths.is_empty() {
            bail!("the switch serves no counters: {}", problems.join("; "));
        }
        let samples = client.stream(target, &paths).await?;
        let ports = [wanted("PORT_TABLE", None)?];
        let changes = Some(client.stream(DatabaseName::Appl.name(), &ports).await?);
        Ok(Session::new(client, state, interval, paths.len(), samples, changes, problems))
    }

    async fn openconfig(mut client: Client, interval: Duration) -> anyhow::Result<Session> {
        let mut state = State::OpenConfig(Leaves::default());
        let mut problems = Vec::new();
        let mut serve = async |path: &str, sample: Option<Duration>| {
            let path = wanted(path, sample)?;
            match client.once("", &path.path).await {
                Ok(found) => {
                    let updates =
                        found.iter().try_for_each(|found| state.absorb(found, &mut BTreeSet::new()));
                    problems.extend(updates.err().map(|problem| problem.to_string()));
                    Ok((!found.is_empty()).then_some(path))
                }
                Err(error @ ClientError::Path { .. }) => {
                    problems.push(error.to_string());
                    Ok(None)
                }
                Err(error) => Err(anyhow::Error::from(error)),
            }
        };
        let mut paths = Vec::new();
        for path in openconfig::COUNTER_PATHS {
            paths.extend(serve(path, Some(interval)).await?);
        }
        let mut states = Vec::new();
        for path in openconfig::STATE_PATHS {
            states.extend(serve(path, None).await?);
        }
        if paths.is_empty() {
            bail!(
                "the device serves neither SONiC's COUNTERS_DB nor counters of OpenConfig: {}",
                problems.join("; ")
            );
        }
        let samples = client.stream("", &paths).await?;
        let changes = if states.is_empty() { None } else { Some(client.stream("", &states).await?) };
        Ok(Session::new(client, state, interval, usize::MAX, samples, changes, problems))
    }

    #[allow(clippy::disallowed_methods, reason = "this is the edge: settings are read once a minute")]
    fn new(
        client: Client,
        state: State,
        interval: Duration,
        sampled: usize,
        samples: Subscribed,
        changes: Option<Subscribed>,
        problems: Vec<String>,
    ) -> Session {
        let since = Instant::now();
        Session {
            client,
            state,
            since,
            interval,
            sampled,
            samples,
            changes,
            pending: None,
            reads_configuration: false,
            is_configuration_due: false,
            problems,
        }
    }

    /// Waits for the next sample and returns the reading.
    #[allow(clippy::disallowed_methods, reason = "this is the edge: settings are read once a minute")]
    async fn sample(&mut self, name: Option<&str>) -> anyhow::Result<(Reading, Vec<String>)> {
        if matches!(self.state, State::Sonic(_)) && self.since.elapsed() >= KEPT {
            settings(&mut self.client, &mut self.state).await?;
            self.since = Instant::now();
            self.is_configuration_due = self.reads_configuration;
        }
        let mut all = self.problems.clone();
        self.take_changes(&mut all).await?;
        let time_ns = self.take_sample(&mut all).await?;
        let (reading, problems) = match &self.state {
            State::Sonic(databases) => {
                let (mut reading, problems) = reading(databases, name, time_ns);
                reading.source = counters::Source::Gnmi;
                (reading, problems)
            }
            State::OpenConfig(leaves) => leaves.reading(name, time_ns),
        };
        all.extend(problems.iter().map(ToString::to_string));
        Ok((reading, all))
    }

    /// Reads the configuration of a SONiC switch if it is due. What prevents that is a problem of the switch, not of its counters.
    async fn configuration(&mut self, problems: &mut Vec<String>) -> Option<String> {
        if !std::mem::take(&mut self.is_configuration_due) || !matches!(self.state, State::Sonic(_)) {
            return None;
        }
        match configuration(&mut self.client).await {
            Ok(read) => Some(read),
            Err(error) => {
                problems.push(format!("CONFIG_DB cannot be read, so that it is not checked: {error:#}"));
                None
            }
        }
    }

    /// Takes what has changed so far.
    async fn take_changes(&mut self, problems: &mut Vec<String>) -> anyhow::Result<()> {
        let Some(changes) = &mut self.changes else { return Ok(()) };
        for _ in 0..MAX_MESSAGES {
            match changes.next(Duration::ZERO).await {
                Ok(Some(Event::Update(update))) => {
                    let taken = self.state.absorb(&update, &mut BTreeSet::new());
                    problems.extend(taken.err().map(|problem| problem.to_string()));
                }
                Ok(Some(Event::Synced)) => {}
                Ok(None) => break,
                // Some devices serve these paths by samples only.
                Err(error @ ClientError::Path { .. }) => {
                    problems.push(format!("{error}; the state of ports is read once"));
                    self.changes = None;
                    break;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Takes the updates of a sample: until every path was sent, a path is sent again, or nothing follows for a quarter of the
    /// interval. Returns the time of its first update.
    async fn take_sample(&mut self, problems: &mut Vec<String>) -> anyhow::Result<u64> {
        let patience = SILENCE.max(self.interval.saturating_mul(3));
        let mut seen = BTreeSet::new();
        let mut time_ns = None;
        if let Some(update) = self.pending.take() {
            let taken = self.state.absorb(&update, &mut seen);
            problems.extend(taken.err().map(|problem| problem.to_string()));
            time_ns = Some(wall_ns());
        }
        for _ in 0..MAX_MESSAGES {
            let wait = if seen.is_empty() { patience } else { self.interval / 4 };
            match self.samples.next(wait).await? {
                Some(Event::Update(update)) if is_again(&update, &seen) => {
                    self.pending = Some(update);
                    break;
                }
                Some(Event::Update(update)) => {
                    time_ns.get_or_insert_with(wall_ns);
                    let taken = self.state.absorb(&update, &mut seen);
                    problems.extend(taken.err().map(|problem| problem.to_string()));
                    if seen.len() >= self.sampled {
                        break;
                    }
                }
                Some(Event::Synced) => {}
                None if seen.is_empty() => return Err(ClientError::Silent(patience).into()),
                None => break,
            }
        }
        Ok(time_ns.unwrap_or_else(wall_ns))
    }
}

/// Whether an update has a path of the same sample.
fn is_again(update: &Notification, seen: &BTreeSet<Vec<Part>>) -> bool {
    let prefix = update.prefix.as_ref();
    update.update.iter().any(|update| seen.contains(&parts(prefix, update.path.as_ref())))
}

/// The parts of a path.
fn parts(prefix: Option<&proto::Path>, path: Option<&proto::Path>) -> Vec<Part> {
    let part =
        |element: gnmi::path::Element| (element.name, element.keys.into_iter().next().map(|(_, key)| key));
    elements(prefix, path).into_iter().map(part).collect()
}

impl State {
    /// Takes the values of a notification, and adds their paths to `seen`.
    fn absorb(&mut self, update: &Notification, seen: &mut BTreeSet<Vec<Part>>) -> Result<(), Problem> {
        let prefix = update.prefix.as_ref();
        let target = prefix.map_or("", |prefix| prefix.target.as_str());
        if let State::OpenConfig(leaves) = self {
            update.delete.iter().for_each(|path| leaves.delete(&parts(prefix, Some(path))));
        }
        for update in &update.update {
            let path = parts(prefix, update.path.as_ref());
            let value = as_json(update).ok_or_else(|| {
                let path = update.path.as_ref().map(shown).unwrap_or_default();
                Problem::new(format!("{target} {path}: the value is no JSON and no leaf; it is left out"))
            });
            match self {
                State::Sonic(databases) => {
                    let database = DatabaseName::named(target).unwrap_or(DatabaseName::Counters);
                    let names: Vec<String> = path.iter().map(|(name, _)| name.clone()).collect();
                    sonic::absorb(databases, database, &names, value?)?;
                }
                State::OpenConfig(leaves) => leaves.set(path.clone(), &value?)?,
            }
            seen.insert(path);
        }
        Ok(())
    }
}

/// Reads names, neighbours and settings of a SONiC switch. It need not have all of them.
async fn settings(client: &mut Client, state: &mut State) -> anyhow::Result<()> {
    for (database, table) in sonic::SETTING_PATHS {
        let path = parse(table).map_err(anyhow::Error::msg)?;
        match client.once(database.name(), &path).await {
            Ok(found) => {
                for update in &found {
                    state
                        .absorb(update, &mut BTreeSet::new())
                        .map_err(|problem| anyhow::anyhow!("{problem}"))?;
                }
            }
            Err(ClientError::Path { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Reads what a SONiC switch runs: the tables of CONFIG_DB for the rules, as text of a dump. All of them or none: what is missing
/// would be a difference.
async fn configuration(client: &mut Client) -> anyhow::Result<String> {
    let mut dump = RedisDump::default();
    let mut entries = 0;
    for table in schema::read_tables() {
        let path = parse(table).map_err(anyhow::Error::msg)?;
        let found = client.get(DatabaseName::Config.name(), &path).await?;
        for update in found.iter().flat_map(|found| &found.update) {
            let value = as_json(update).with_context(|| format!("{table}: the value is no JSON"))?;
            for (key, fields) in sonic::config_hashes(table, value).map_err(|problem| anyhow!("{problem}"))? {
                entries += 1;
                dump.add(key, fields.into_iter());
            }
            if entries > MAX_CONFIG_ENTRIES {
                bail!("it has more than {MAX_CONFIG_ENTRIES} entries");
            }
        }
    }
    if entries == 0 {
        bail!("the switch serves no table of it");
    }
    Ok(dump.into_json())
}
