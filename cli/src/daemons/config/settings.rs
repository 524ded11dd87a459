//! The settings of a daemon: the value of every key, and where each comes from.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use super::key::{Daemon, Key};
use super::kind::Value;

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The table of keys.
    Default,
    /// A file, with line and column, both from 1.
    File(PathBuf, usize, usize),
    /// An environment variable.
    Variable(String),
    /// A flag, with `--`.
    Flag(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("configuration"),
            Origin::File(path, line, column) => write!(f, "{}:{line}:{column}", path.display()),
            Origin::Variable(name) | Origin::Flag(name) => f.write_str(name),
        }
    }
}

/// A mistake in a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Where it is.
    pub(crate) origin: Origin,
    /// What is wrong, and what was expected.
    pub(crate) message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.origin, self.message)
    }
}

/// The value of every key that has one.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    daemon: &'static Daemon,
    values: BTreeMap<&'static str, (Value, Origin)>,
}

impl Settings {
    /// The defaults of a daemon.
    pub(crate) fn defaults(daemon: &'static Daemon) -> Settings {
        let values = daemon.keys().filter(|key| !key.default.is_empty()).map(|key| {
            let value = key.kind.parse(key.default).expect("a test parses the default of every key");
            (key.name, (value, Origin::Default))
        });
        Settings { daemon, values: values.collect() }
    }

    /// Sets a key, unless its present value takes precedence: flags over variables over files over defaults.
    pub(crate) fn set(&mut self, key: &Key, value: Value, origin: Origin) {
        let rank = |origin: &Origin| match origin {
            Origin::Default => 0,
            Origin::File(..) => 1,
            Origin::Variable(_) => 2,
            Origin::Flag(_) => 3,
        };
        let known = self.daemon.key(key.name).expect("the key is of this daemon");
        match self.values.get(known.name) {
            Some((_, present)) if rank(present) > rank(&origin) => {}
            _ => drop(self.values.insert(known.name, (value, origin))),
        }
    }

    /// Returns where the value of a key comes from.
    pub(crate) fn origin(&self, name: &str) -> Origin {
        self.values.get(name).map_or(Origin::Default, |(_, origin)| origin.clone())
    }

    /// Returns the folder at which relative paths in the value of a key start.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        match self.origin(name) {
            Origin::File(path, ..) => path.parent().map(Path::to_path_buf).unwrap_or_default(),
            _ => PathBuf::new(),
        }
    }

    /// Returns a problem at a key.
    pub(crate) fn problem(&self, name: &str, message: impl Into<String>) -> Problem {
        Problem { origin: self.origin(name), message: format!("{name}: {}", message.into()) }
    }

    /// Whether the key has a value.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    fn get(&self, name: &str) -> Option<&Value> {
        debug_assert!(self.daemon.key(name).is_some(), "{} has no key {name}", self.daemon.name);
        self.values.get(name).map(|(value, _)| value)
    }

    /// Returns the value of a key of type text, choice, peer or other.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Value::Text(text) => Some(text),
            other => unreachable!("{name} is {other:?}"),
        }
    }

    /// Returns the value of a key of type number; 0 if it has none.
    pub(crate) fn number(&self, name: &str) -> u64 {
        match self.get(name) {
            Some(Value::Number(number)) => *number,
            _ => 0,
        }
    }

    /// Returns the value of a key of type listen.
    pub(crate) fn listen(&self, name: &str) -> Option<SocketAddr> {
        match self.get(name)? {
            Value::Listen(address) => Some(*address),
            other => unreachable!("{name} is {other:?}"),
        }
    }

    /// Returns the addresses of a list of keys of type listen.
    pub(crate) fn listens(&self, name: &str) -> Vec<SocketAddr> {
        let Some(Value::List(items)) = self.get(name) else { return Vec::new() };
        items
            .iter()
            .filter_map(|item| if let Value::Listen(address) = item { Some(*address) } else { None })
            .collect()
    }

    /// Returns the value of a key of type path.
    pub(crate) fn path(&self, name: &str) -> Option<&Path> {
        match self.get(name)? {
            Value::Path(path) => Some(path),
            other => unreachable!("{name} is {other:?}"),
        }
    }

    /// Returns the texts of a list.
    pub(crate) fn texts(&self, name: &str) -> Vec<&str> {
        let Some(Value::List(items)) = self.get(name) else { return Vec::new() };
        items
            .iter()
            .filter_map(|item| if let Value::Text(text) = item { Some(text.as_str()) } else { None })
            .collect()
    }

    /// Returns the value of a key of type IP address.
    pub(crate) fn ip(&self, name: &str) -> Option<IpAddr> {
        match self.get(name)? {
            Value::Ip(address) => Some(*address),
            other => unreachable!("{name} is {other:?}"),
        }
    }

    /// Returns the addresses of a list.
    pub(crate) fn ips(&self, name: &str) -> Vec<IpAddr> {
        let Some(Value::List(items)) = self.get(name) else { return Vec::new() };
        items
            .iter()
            .filter_map(|item| if let Value::Ip(address) = item { Some(*address) } else { None })
            .collect()
    }

    /// Returns the keys whose values differ in `other`: those that a reload applies, and those that need a restart.
    pub(crate) fn changed(&self, other: &Settings) -> (Vec<&'static str>, Vec<&'static str>) {
        let differs = |key: &&Key| self.get(key.name) != other.get(key.name);
        let (reload, restart): (Vec<&Key>, Vec<&Key>) =
            self.daemon.keys().filter(differs).partition(|key| key.reload);
        let names = |keys: Vec<&'static Key>| keys.into_iter().map(|key| key.name).collect();
        (names(reload), names(restart))
    }
}
