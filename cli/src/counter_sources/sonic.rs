//! Reads a SONiC switch over Redis: `COUNTERS_DB`, the ports, neighbours and PFC settings in `APPL_DB` and `CONFIG_DB`, and what is
//! polled, and how often, in `FLEX_COUNTER_DB`.
//!
//! Names, neighbours and settings are read in three round trips at the start and then once a minute. They give a [`Plan`]: the
//! fields of counters to read, and where their values belong. A poll is one round trip, pipelined `HMGET` of these fields,
//! whose request is encoded once. Sources of tables and fields: sonic-swss, see [`counters::sonic`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, bail};
use counters::Reading;
use counters::sonic::{DatabaseName, Databases, Plan, polling_keys};
use redis::{Cmd, FromRedisValue, Value, cmd};

use super::{Address, KEPT, Read, ReadingSource};
use crate::daemons::operations::clock::wall_ns;
use crate::redis::{Request, Server, Values, configuration, text};

/// The maximum number of ports of a switch. The largest chassis have some hundred.
const MAX_PORTS: usize = 4_096;
/// The beginning of all versions of the schema (`db_migrator.py`).
const VERSION_PREFIX: &str = "version_";

/// Tables of COUNTERS_DB with the names of objects.
const NAME_MAPS: [&str; 7] = [
    "COUNTERS_PORT_NAME_MAP",
    "COUNTERS_QUEUE_NAME_MAP",
    "COUNTERS_QUEUE_PORT_MAP",
    "COUNTERS_QUEUE_INDEX_MAP",
    "COUNTERS_QUEUE_TYPE_MAP",
    "COUNTERS_PG_NAME_MAP",
    "COUNTERS_PG_INDEX_MAP",
];

/// A switch with a Redis server.
pub(crate) struct SonicSwitch {
    name: Option<String>,
    /// The address of its Redis server.
    redis: String,
    ca: Option<PathBuf>,
    /// Whether the configuration is read, too.
    reads_configuration: bool,
    session: Option<Session>,
    /// Sessions so far.
    sessions: u64,
    /// A reading that is not used any more.
    spare: Option<Reading>,
}

/// A connection, with what has been read over it.
struct Session {
    server: Server,
    /// When names, neighbours and settings were read.
    since: Instant,
    /// The times of its readings.
    made_ns: Vec<u64>,
    /// What a poll reads.
    plan: Plan,
    /// The commands that read it.
    request: Request,
    /// Whether the plan has only the fields that the first poll has found.
    is_narrowed: bool,
    /// What was odd about names and settings.
    problems: Vec<String>,
    /// The configuration, until it is handed on.
    configuration: Option<String>,
}

impl SonicSwitch {
    /// A switch at an address; `ca` has the authorities of its certificate.
    pub(crate) fn new(address: &Address, redis: String, ca: Option<PathBuf>) -> SonicSwitch {
        SonicSwitch {
            name: address.name.clone(),
            redis,
            ca,
            reads_configuration: true,
            session: None,
            sessions: 0,
            spare: None,
        }
    }

    /// The switch, of which only the counters are read if `reads_configuration` is `false`.
    pub(crate) fn with_configuration(self, reads_configuration: bool) -> SonicSwitch {
        SonicSwitch { reads_configuration, ..self }
    }
}

impl ReadingSource for SonicSwitch {
    fn read(&mut self) -> anyhow::Result<Read> {
        let sessions = &mut self.sessions;
        let mut begin = |server| {
            *sessions += 1;
            Session::begin(server, self.name.as_deref(), self.reads_configuration)
        };
        let session = match self.session.take() {
            Some(session) if session.is_fresh() => session,
            Some(session) => begin(session.server)?,
            None => begin(Server::connect(&self.redis, self.ca.as_deref())?)?,
        };
        // Only a session without an error is used again.
        let (mut session, reading, problems) = session.poll(self.spare.take())?;
        let configuration = session.configuration.take();
        self.session = Some(session);
        Ok(Read { reading, names: Some(self.sessions), problems, configuration })
    }

    fn take_back(&mut self, reading: Reading) {
        self.spare = Some(reading);
    }
}

impl Session {
    #[allow(clippy::disallowed_methods, reason = "this is the edge: settings are read once a minute")]
    fn is_fresh(&self) -> bool {
        self.since.elapsed() < KEPT
    }

    /// Reads names, neighbours and settings, and the configuration if it `reads_configuration`.
    #[allow(clippy::disallowed_methods, reason = "this is the edge: settings are read once a minute")]
    fn begin(mut server: Server, name: Option<&str>, reads_configuration: bool) -> anyhow::Result<Session> {
        let mut databases = Databases::default();
        let maps = NAME_MAPS.map(|map| (DatabaseName::Counters, map.to_string()));
        let switch = ["DEVICE_METADATA|localhost", "VERSIONS|DATABASE"];
        let switch = switch.map(|key| (DatabaseName::Config, key.to_string()));
        let mut problems =
            fetch(&mut server, &mut databases, maps.into_iter().chain(switch).chain(polling_keys()))?;
        let ports: Vec<String> = names(&databases, "COUNTERS_PORT_NAME_MAP").cloned().collect();
        problems.extend(check_schema(&databases, ports.len())?);
        let of_port = |port: &String| {
            [
                (DatabaseName::Appl, format!("PORT_TABLE:{port}")),
                (DatabaseName::Appl, format!("LLDP_ENTRY_TABLE:{port}")),
                (DatabaseName::Config, format!("PORT_QOS_MAP|{port}")),
                (DatabaseName::Config, format!("DEVICE_NEIGHBOR|{port}")),
            ]
        };
        // The numbers of ports are their positions among all configured ones.
        let (configured, addresses) = configured(&mut server)?;
        for key in addresses {
            databases.add(DatabaseName::Config, key, BTreeMap::new());
        }
        let configured = configured.into_iter().map(|key| (DatabaseName::Config, key));
        let hashes: Vec<_> = ports.iter().flat_map(of_port).chain(configured).collect();
        problems.extend(fetch(&mut server, &mut databases, hashes.into_iter())?);
        let referenced: Vec<_> = referenced(&databases).collect();
        problems.extend(fetch(&mut server, &mut databases, referenced.into_iter())?);
        let configuration = match reads_configuration.then(|| configuration(&mut server)).transpose() {
            Ok(read) => read,
            Err(error) => {
                problems.push(format!("CONFIG_DB cannot be read, so that it is not checked: {error:#}"));
                None
            }
        };
        // All that polls read.
        selected(server.pipeline(&[select(DatabaseName::Counters)])?.into_iter().next())?;
        let plan = Plan::new(&databases, name).for_polls();
        let request = request(&plan);
        let since = Instant::now();
        Ok(Session {
            server,
            since,
            made_ns: Vec::new(),
            plan,
            request,
            is_narrowed: false,
            problems,
            configuration,
        })
    }

    /// Reads the counters, in the memory of `spare` if that is a reading of this session, which has the same names.
    fn poll(mut self, spare: Option<Reading>) -> anyhow::Result<(Session, Reading, Vec<String>)> {
        // The counters are those of the moment at which the switch processes the request; the time before it is the
        // better estimate, because the replies are long.
        let time_ns = wall_ns();
        let values = self.server.fetch(&self.request).map_err(|(number, error)| {
            let key = self.plan.hashes().nth(number).map_or_else(String::new, |(key, _)| key);
            error.context(format!("HMGET {key} failed"))
        })?;
        if values.iter().all(|value| value.is_none()) {
            bail!(
                "COUNTERS_DB has no counters of the ports: its content was removed, or the switch is starting"
            );
        }
        let mut read = values.iter();
        let (mut reading, problems) = match spare.filter(|spare| self.made_ns.contains(&spare.time_ns)) {
            Some(spare) => self.plan.reading_in(spare, time_ns, &mut read),
            None => self.plan.reading(time_ns, &mut read),
        };
        self.made_ns.push(time_ns);
        self.narrow(&values);
        // A forwarded port is on the loopback address, as are those of other switches.
        let peer = self.server.peer.filter(|peer| !peer.is_loopback());
        reading.addresses.extend(peer.filter(|peer| !reading.addresses.contains(peer)));
        let mut all = self.problems.clone();
        all.extend(problems.iter().map(ToString::to_string));
        Ok((self, reading, all))
    }

    /// Leaves out the fields that an ASIC does not count, from the second poll on: most of a request are names of fields. They
    /// are requested again with the names and settings.
    fn narrow(&mut self, values: &Values) {
        if !std::mem::replace(&mut self.is_narrowed, true) {
            let is_known: Vec<bool> = values.iter().map(|value| value.is_some()).collect();
            self.plan.narrow(&is_known);
            self.request = request(&self.plan);
        }
    }
}

/// The commands that read the counters of a plan.
fn request(plan: &Plan) -> Request {
    let commands = plan.hashes().map(|(key, fields)| {
        let mut command = cmd("HMGET");
        command.arg(key);
        for field in fields {
            command.arg(field.as_ref());
        }
        command
    });
    Request::new(commands)
}

/// The names in a map of COUNTERS_DB.
fn names<'d>(databases: &'d Databases, map: &str) -> impl Iterator<Item = &'d String> {
    databases.hash(DatabaseName::Counters, map).into_iter().flat_map(BTreeMap::keys)
}

/// Checks that the databases are SONiC's. Returns what is odd about them.
fn check_schema(databases: &Databases, ports: usize) -> anyhow::Result<Vec<String>> {
    let version = databases.value(DatabaseName::Config, "VERSIONS|DATABASE", "VERSION");
    match (ports, version) {
        (0, None) => bail!(
            "the server has neither COUNTERS_PORT_NAME_MAP in database 2 (COUNTERS_DB) nor VERSIONS|DATABASE in database \
             4 (CONFIG_DB): it is not the Redis server of a SONiC switch, or its databases have other numbers"
        ),
        (0, Some(version)) => bail!(
            "COUNTERS_DB has no COUNTERS_PORT_NAME_MAP although CONFIG_DB has schema `{version}`: the switch is starting, or \
             its counters are not polled (`counterpoll port enable`)"
        ),
        (ports, _) if ports > MAX_PORTS => {
            bail!("COUNTERS_PORT_NAME_MAP has {ports} ports; at most {MAX_PORTS} are read")
        }
        (_, Some(version)) if !version.starts_with(VERSION_PREFIX) => Ok(vec![format!(
            "the schema has version `{version}`; expected `{VERSION_PREFIX}...`: counters may have other names"
        )]),
        (_, None) => Ok(vec![
            "CONFIG_DB has no version of the schema (VERSIONS|DATABASE): counters may have other names"
                .to_string(),
        ]),
        _ => Ok(Vec::new()),
    }
}

/// Keys of all configured ports, and of the addresses of interfaces.
fn configured(server: &mut Server) -> anyhow::Result<(Vec<String>, Vec<String>)> {
    let keys = |pattern: &str| {
        let mut keys = cmd("KEYS");
        keys.arg(pattern);
        keys
    };
    let commands = [select(DatabaseName::Config), keys("PORT|*"), keys("*INTERFACE|*|*")];
    let mut replies = server.pipeline(&commands)?.into_iter();
    selected(replies.next())?;
    let mut found = |what: &str| {
        let reply = replies.next().unwrap_or(Value::Nil).extract_error();
        let keys = reply.and_then(|reply| Ok(Vec::<Vec<u8>>::from_redis_value(reply)?));
        let keys = keys.with_context(|| format!("cannot read the keys of {what}"))?;
        if keys.len() > MAX_PORTS {
            bail!("CONFIG_DB has {} {what}; at most {MAX_PORTS} are read", keys.len());
        }
        anyhow::Ok(keys.iter().map(|key| text(key)).collect::<Vec<String>>())
    };
    Ok((found("ports")?, found("addresses")?))
}

/// The entries of CONFIG_DB to which ports refer: maps of priorities, and the kind of neighbours.
fn referenced(databases: &Databases) -> impl Iterator<Item = (DatabaseName, String)> {
    let config = databases.tables.get(&DatabaseName::Config).into_iter().flatten();
    let appl = databases.tables.get(&DatabaseName::Appl).into_iter().flatten();
    let mut keys = BTreeSet::new();
    for (_, fields) in config.chain(appl) {
        let mut refer = |field: &str, table: &str| {
            if let Some(value) = fields.get(field) {
                let name = value.trim_matches(['[', ']']).rsplit('|').next().unwrap_or(value);
                keys.insert(format!("{table}|{name}"));
            }
        };
        refer("pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE");
        refer("pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP");
        refer("lldp_rem_sys_name", "DEVICE_NEIGHBOR_METADATA");
        refer("name", "DEVICE_NEIGHBOR_METADATA");
    }
    keys.into_iter().map(|key| (DatabaseName::Config, key))
}

fn select(database: DatabaseName) -> Cmd {
    let mut command = cmd("SELECT");
    command.arg(database.number());
    command
}

/// Checks the reply to SELECT.
fn selected(reply: Option<Value>) -> anyhow::Result<()> {
    let reply = reply.unwrap_or(Value::Nil).extract_error();
    reply.map(|_| ()).map_err(|error| anyhow::anyhow!("cannot select a database: {error}"))
}

/// Reads hashes in one round trip and adds those that exist. Returns the problems of keys that are no hashes.
fn fetch(
    server: &mut Server,
    databases: &mut Databases,
    hashes: impl Iterator<Item = (DatabaseName, String)>,
) -> anyhow::Result<Vec<String>> {
    let mut by_database: BTreeMap<DatabaseName, Vec<String>> = BTreeMap::new();
    hashes.for_each(|(database, key)| by_database.entry(database).or_default().push(key));
    let mut commands = Vec::new();
    for (database, keys) in &by_database {
        commands.push(select(*database));
        commands.extend(keys.iter().map(|key| {
            let mut command = cmd("HGETALL");
            command.arg(key);
            command
        }));
    }
    let mut replies = server.pipeline(&commands)?.into_iter();
    let mut problems = Vec::new();
    for (database, keys) in by_database {
        selected(replies.next())?;
        for (key, reply) in keys.into_iter().zip(&mut replies) {
            let fields = reply.extract_error().map_err(|error| error.to_string()).and_then(|reply| {
                Vec::<(Vec<u8>, Vec<u8>)>::from_redis_value(reply).map_err(|error| error.to_string())
            });
            match fields {
                Ok(fields) if fields.is_empty() => {}
                Ok(fields) => {
                    let fields = fields.iter().map(|(name, value)| (text(name), text(value))).collect();
                    databases.add(database, key, fields);
                }
                Err(error) => problems.push(format!("{}: {key} cannot be read: {error}", database.name())),
            }
        }
    }
    Ok(problems)
}
