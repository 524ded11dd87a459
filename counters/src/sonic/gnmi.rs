//! SONiC's databases as its gNMI server offers them: the target of a path is the database, its elements are table and key.
//!
//! Source: sonic-gnmi (`sonic_data_client/db_client.go`, `virtual_db.go`). Paths with names of ports stand for the objects of
//! the ports: `COUNTERS/Ethernet*` for the ports themselves, `COUNTERS/Ethernet*/Queues` for their queues, with
//! `PORT:INDEX:periodic` for the periodic watermark, and `PERIODIC_WATERMARKS/Ethernet*/PriorityGroups` for their priority
//! groups. They call a port by its alias if it has one. Values are JSON: a hash is an object of strings, a table an object of
//! hashes. Drops of priority groups and the watermarks that operators clear have no path.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::database::{DatabaseName, Databases};
use crate::problem::Problem;

type Hash = BTreeMap<String, String>;

/// The paths with the counters of all ports, queues and priority groups, all of `COUNTERS_DB`.
pub const COUNTER_PATHS: [&str; 3] =
    ["COUNTERS/Ethernet*", "COUNTERS/Ethernet*/Queues", "PERIODIC_WATERMARKS/Ethernet*/PriorityGroups"];
/// The tables with names, neighbours and settings. A switch need not have all of them.
pub const SETTING_PATHS: [(DatabaseName, &str); 20] = [
    (DatabaseName::Counters, "COUNTERS_PORT_NAME_MAP"),
    (DatabaseName::Counters, "COUNTERS_QUEUE_NAME_MAP"),
    (DatabaseName::Counters, "COUNTERS_QUEUE_PORT_MAP"),
    (DatabaseName::Counters, "COUNTERS_QUEUE_INDEX_MAP"),
    (DatabaseName::Counters, "COUNTERS_QUEUE_TYPE_MAP"),
    (DatabaseName::Counters, "COUNTERS_PG_NAME_MAP"),
    (DatabaseName::Counters, "COUNTERS_PG_INDEX_MAP"),
    (DatabaseName::Appl, "PORT_TABLE"),
    (DatabaseName::Appl, "LLDP_ENTRY_TABLE"),
    (DatabaseName::Config, "DEVICE_METADATA"),
    (DatabaseName::Config, "PORT"),
    (DatabaseName::Config, "PORT_QOS_MAP"),
    (DatabaseName::Config, "MAP_PFC_PRIORITY_TO_QUEUE"),
    (DatabaseName::Config, "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"),
    (DatabaseName::Config, "DEVICE_NEIGHBOR"),
    (DatabaseName::Config, "DEVICE_NEIGHBOR_METADATA"),
    (DatabaseName::Config, "LOOPBACK_INTERFACE"),
    (DatabaseName::Config, "MGMT_INTERFACE"),
    (DatabaseName::Config, "FLEX_COUNTER_TABLE"),
    (DatabaseName::FlexCounter, "FLEX_COUNTER_GROUP_TABLE"),
];

/// The maximum number of hashes that a switch may have in all tables.
const MAX_HASHES: usize = 200_000;

/// The character between table and key.
fn separator(database: DatabaseName) -> char {
    match database {
        DatabaseName::Config | DatabaseName::State => '|',
        _ => ':',
    }
}

/// Tables of COUNTERS_DB that are one hash, without keys.
fn is_single(database: DatabaseName, table: &str) -> bool {
    database == DatabaseName::Counters && !matches!(table, "COUNTERS" | "PERIODIC_WATERMARKS" | "RATES")
}

/// Ports by the names that the switch uses for them: their names and aliases.
fn names(databases: &Databases) -> BTreeMap<&str, &str> {
    let ports = databases.hash(DatabaseName::Counters, "COUNTERS_PORT_NAME_MAP").into_iter().flatten();
    let mut names = BTreeMap::new();
    for (port, _) in ports {
        names.insert(port.as_str(), port.as_str());
        names.extend(alias(databases, port).map(|alias| (alias, port.as_str())));
    }
    names
}

fn alias<'d>(databases: &'d Databases, port: &str) -> Option<&'d str> {
    databases.value(DatabaseName::Appl, &format!("PORT_TABLE:{port}"), "alias")
}

/// Takes the value of a path into the databases. Names of ports need the map of names, and the aliases in `PORT_TABLE`, before.
///
/// # Errors
/// The value is no hash or table, or there are too many hashes.
pub fn absorb(
    databases: &mut Databases,
    database: DatabaseName,
    path: &[String],
    value: Value,
) -> Result<(), Problem> {
    let shown = || format!("{}/{}", database.name(), path.join("/"));
    let Value::Object(object) = value else {
        return Err(Problem::new(format!("{}: expected a hash or a table, as a JSON object", shown())));
    };
    let found: Vec<(String, Hash)> = match path {
        [table, port] if port.starts_with("Ethernet") && database == DatabaseName::Counters => {
            objects(databases, table, "COUNTERS_PORT_NAME_MAP", of_ports(object, port))
        }
        [table, _, kind] if kind == "Queues" => objects(databases, table, "COUNTERS_QUEUE_NAME_MAP", object),
        [table, _, kind] if kind == "PriorityGroups" => {
            objects(databases, table, "COUNTERS_PG_NAME_MAP", object)
        }
        [table] if is_single(database, table) => vec![(table.clone(), hash(object))],
        [table] => {
            let hashes = object.into_iter().filter_map(|(key, fields)| {
                let Value::Object(fields) = fields else { return None };
                Some((format!("{table}{}{key}", separator(database)), hash(fields)))
            });
            hashes.collect()
        }
        [table, key] => vec![(format!("{table}{}{key}", separator(database)), hash(object))],
        _ => return Err(Problem::new(format!("{}: an unexpected path; it is left out", shown()))),
    };
    let known = databases.tables.values().map(BTreeMap::len).sum::<usize>();
    let is_new = |(key, _): &&(String, Hash)| databases.hash(database, key).is_none();
    if known + found.iter().filter(is_new).count() > MAX_HASHES {
        return Err(Problem::new(format!(
            "{}: more than {MAX_HASHES} hashes; the value is left out",
            shown()
        )));
    }
    let hashes = databases.tables.entry(database).or_default();
    hashes.extend(found);
    Ok(())
}

/// The value of all ports, or that of one port as if it were of all.
fn of_ports(object: Map<String, Value>, port: &str) -> Map<String, Value> {
    if port.ends_with('*') { object } else { Map::from_iter([(port.to_string(), Value::Object(object))]) }
}

/// The hashes of the objects of ports: `Ethernet0`, `Ethernet0:3` or `Ethernet0:3:periodic` by their ids.
fn objects(databases: &Databases, table: &str, map: &str, values: Map<String, Value>) -> Vec<(String, Hash)> {
    let names = names(databases);
    let ids = databases.hash(DatabaseName::Counters, map);
    let found = values.into_iter().filter_map(|(key, fields)| {
        let Value::Object(fields) = fields else { return None };
        let (key, table) = match key.strip_suffix(":periodic") {
            Some(key) => (key, "PERIODIC_WATERMARKS"),
            None => (key.as_str(), table),
        };
        let (port, index) = key.split_once(':').map_or((key, None), |(port, index)| (port, Some(index)));
        let port = names.get(port).copied().unwrap_or(port);
        let name = index.map_or(port.to_string(), |index| format!("{port}:{index}"));
        Some((format!("{table}:{}", ids?.get(&name)?), hash(fields)))
    });
    found.collect()
}

/// A hash of Redis: its key, and the names and values of its fields.
pub type RedisHash = (String, Vec<(String, String)>);

/// The entries of a table of CONFIG_DB as Redis has them: the names of lists end with `@` there.
///
/// # Errors
/// The value is no table.
pub fn config_hashes(table: &str, value: Value) -> Result<Vec<RedisHash>, Problem> {
    let Value::Object(entries) = value else {
        return Err(Problem::new(format!("CONFIG_DB/{table}: expected a table, as a JSON object")));
    };
    let of_redis = |(name, value): (String, Value)| match value {
        Value::Array(_) if !name.ends_with('@') => (format!("{name}@"), text(value)),
        value => (name, text(value)),
    };
    let entry = |(key, fields): (String, Value)| {
        let Value::Object(fields) = fields else { return None };
        Some((format!("{table}|{key}"), fields.into_iter().map(of_redis).collect()))
    };
    Ok(entries.into_iter().filter_map(entry).collect())
}

/// A hash. Lists of CONFIG_DB are arrays.
fn hash(fields: Map<String, Value>) -> Hash {
    fields.into_iter().map(|(name, value)| (name, text(value))).collect()
}

/// The value of a field as Redis has it.
fn text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Array(values) => {
            let texts = values.iter().map(|value| value.as_str().map_or(value.to_string(), str::to_owned));
            texts.collect::<Vec<_>>().join(",")
        }
        other => other.to_string(),
    }
}

/// The value of a path, as SONiC's gNMI server answers: what a simulated switch serves.
///
/// # Errors
/// There is no such database, table or key.
pub fn answer(databases: &Databases, target: &str, path: &[String]) -> Result<Value, String> {
    let database = DatabaseName::named(target).filter(|database| database.name() == target);
    let database = database.ok_or_else(|| format!("Invalid target dbName {target}"))?;
    let missing = || format!("No valid entry found on {target} with key {}", path.join("/"));
    let object = match path {
        [table, port] if port.starts_with("Ethernet") && database == DatabaseName::Counters => {
            let found = answer_objects(databases, table, "COUNTERS_PORT_NAME_MAP", port);
            if port.ends_with('*') { found } else { only(found) }
        }
        [table, port, kind] if kind == "Queues" => {
            let mut queues = answer_objects(databases, table, "COUNTERS_QUEUE_NAME_MAP", port);
            let periodic = answer_objects(databases, "PERIODIC_WATERMARKS", "COUNTERS_QUEUE_NAME_MAP", port);
            queues.extend(periodic.into_iter().map(|(key, value)| (format!("{key}:periodic"), value)));
            queues
        }
        [table, port, kind] if kind == "PriorityGroups" => {
            answer_objects(databases, table, "COUNTERS_PG_NAME_MAP", port)
        }
        [table] if is_single(database, table) => {
            as_json(databases.hash(database, table).ok_or_else(missing)?)
        }
        [table] => {
            let prefix = format!("{table}{}", separator(database));
            let hashes = databases.table(database, &prefix);
            hashes.map(|(key, fields)| (key.to_string(), Value::Object(as_json(fields)))).collect()
        }
        [table, key] => {
            let key = format!("{table}{}{key}", separator(database));
            as_json(databases.hash(database, &key).ok_or_else(missing)?)
        }
        _ => return Err(format!("Invalid db table Path {path:?}")),
    };
    if object.is_empty() { Err(missing()) } else { Ok(Value::Object(object)) }
}

fn only(objects: Map<String, Value>) -> Map<String, Value> {
    match objects.into_iter().next() {
        Some((_, Value::Object(fields))) => fields,
        _ => Map::new(),
    }
}

/// The objects of a port, or of all ports, by names with the alias of the port.
fn answer_objects(databases: &Databases, table: &str, map: &str, port: &str) -> Map<String, Value> {
    let names = names(databases);
    let wanted = if port.ends_with('*') { None } else { Some(names.get(port).copied().unwrap_or(port)) };
    let ids = databases.hash(DatabaseName::Counters, map).into_iter().flatten();
    let found = ids.filter_map(|(name, id)| {
        let (port, index) =
            name.split_once(':').map_or((name.as_str(), None), |(port, index)| (port, Some(index)));
        if wanted.is_some_and(|wanted| wanted != port) {
            return None;
        }
        let fields = databases.hash(DatabaseName::Counters, &format!("{table}:{id}"))?;
        let port = alias(databases, port).unwrap_or(port);
        let key = index.map_or(port.to_string(), |index| format!("{port}:{index}"));
        Some((key, Value::Object(as_json(fields))))
    });
    found.collect()
}

fn as_json(fields: &Hash) -> Map<String, Value> {
    // Names of lists end with `@` in Redis.
    let field = |(name, text): (&String, &String)| match name.strip_suffix('@') {
        Some(name) => (name.to_string(), text.split(',').map(Value::from).collect()),
        None => (name.clone(), Value::from(text.as_str())),
    };
    fields.iter().map(field).collect()
}
