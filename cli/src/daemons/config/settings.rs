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
    /// A file that does not have the key.
    WholeFile(PathBuf),
    /// An environment variable.
    Variable(String),
    /// A flag, with `--`.
    Flag(String),
}

impl Origin {
    /// Which of two values of a key counts: flags take precedence over variables, variables over files.
    fn rank(&self) -> u8 {
        match self {
            Origin::Default => 0,
            Origin::File(..) | Origin::WholeFile(_) => 1,
            Origin::Variable(_) => 2,
            Origin::Flag(_) => 3,
        }
    }

    /// Returns where it is in a file, for sorting; what is nowhere in it comes last.
    pub(crate) fn position(&self) -> (usize, usize) {
        match self {
            Origin::File(_, line, column) => (*line, *column),
            _ => (usize::MAX, 0),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("configuration"),
            Origin::File(path, line, column) => write!(f, "{}:{line}:{column}", path.display()),
            Origin::WholeFile(path) => write!(f, "{}", path.display()),
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
    /// The key, if it is the mistake of one.
    pub(crate) key: Option<&'static str>,
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
    /// Keys whose value is a mistake. They have no value, not even the default.
    wrong: BTreeMap<&'static str, Origin>,
    /// The file that was read.
    file: Option<PathBuf>,
}

impl Settings {
    /// The defaults of a daemon.
    pub(crate) fn defaults(daemon: &'static Daemon) -> Settings {
        let values = daemon.keys().filter(|key| !key.default.is_empty()).map(|key| {
            let value = key.kind.parse(key.default).expect("a test parses the default of every key");
            (key.name, (value, Origin::Default))
        });
        Settings { daemon, values: values.collect(), wrong: BTreeMap::new(), file: None }
    }

    /// Sets the file in which keys are missing that have no value.
    pub(crate) fn set_file(&mut self, file: &Path) {
        self.file = Some(file.to_path_buf());
    }

    /// Sets a key, unless its present value takes precedence: flags over variables over files over defaults.
    pub(crate) fn set(&mut self, key: &Key, value: Value, origin: Origin) {
        if self.counts(key, &origin) {
            let known = self.daemon.key(key.name).expect("the key is of this daemon");
            self.values.insert(known.name, (value, origin));
        }
    }

    /// Notes that the value of a key is a mistake, unless its present value takes precedence.
    pub(crate) fn set_wrong(&mut self, key: &'static Key, origin: Origin) {
        if self.counts(key, &origin) {
            self.values.remove(key.name);
            self.wrong.insert(key.name, origin);
        }
    }

    /// Whether a value from `origin` takes precedence over the present one.
    fn counts(&self, key: &Key, origin: &Origin) -> bool {
        let present = self.values.get(key.name).map(|(_, present)| present);
        let present = present.or_else(|| self.wrong.get(key.name));
        present.is_none_or(|present| present.rank() <= origin.rank())
    }

    /// Returns where the value of a key comes from, or where one is missing: in the file, or as a flag.
    pub(crate) fn origin(&self, name: &str) -> Origin {
        let given = self.values.get(name).map(|(_, origin)| origin).or_else(|| self.wrong.get(name));
        match (given, &self.file) {
            (Some(origin), _) if *origin != Origin::Default => origin.clone(),
            (_, Some(file)) => Origin::WholeFile(file.clone()),
            (_, None) => Origin::Flag(format!("--{}", name.replace('_', "-"))),
        }
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
        let key = self.daemon.key(name).map(|key| key.name);
        Problem { origin: self.origin(name), message: format!("{name}: {}", message.into()), key }
    }

    /// Returns the contradictions between keys. A key whose value is a mistake contradicts nothing.
    pub(crate) fn contradictions(&self) -> Vec<Problem> {
        let mut problems = (self.daemon.contradictions)(self);
        problems.retain(|problem| problem.key.is_none_or(|key| !self.wrong.contains_key(key)));
        problems
    }

    /// Whether the key has a value, be it a mistake.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.values.contains_key(name) || self.is_wrong(name)
    }

    /// Whether something gives the key a value, which may be that of its default.
    pub(crate) fn is_given(&self, name: &str) -> bool {
        self.values.get(name).is_some_and(|(_, origin)| *origin != Origin::Default)
    }

    /// Whether an environment variable gives a key its value.
    pub(crate) fn has_variables(&self) -> bool {
        self.values.values().any(|(_, origin)| matches!(origin, Origin::Variable(_)))
    }

    /// Whether the value of the key is a mistake.
    pub(crate) fn is_wrong(&self, name: &str) -> bool {
        self.wrong.contains_key(name)
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
