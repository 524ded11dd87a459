//! A key of a configuration, and the table of keys of a daemon.

use super::kind::Kind;
use super::settings::{Problem, Settings};
use crate::similar::most_similar;

/// A key.
#[derive(Debug)]
pub(crate) struct Key {
    /// Its name in the file. The flag is `--` and the name with hyphens, the variable `HARRIER_`, the daemon's name, `_`
    /// and the name, all in capitals.
    pub(crate) name: &'static str,
    /// Type and range.
    pub(crate) kind: Kind,
    /// The default, as it would be written in a variable; empty: none.
    pub(crate) default: &'static str,
    /// One sentence without a full stop.
    pub(crate) help: &'static str,
    /// Whether SIGHUP applies a change; otherwise the daemon must be restarted.
    pub(crate) reload: bool,
    /// The value in the example file of a key that an operator has to set; empty: the example shows the default.
    pub(crate) example: &'static str,
    /// Whether it is a path that the daemon writes to.
    pub(crate) is_state: bool,
}

impl Key {
    /// A key whose change needs a restart.
    pub(crate) const fn new(
        name: &'static str,
        kind: Kind,
        default: &'static str,
        help: &'static str,
    ) -> Key {
        Key { name, kind, default, help, reload: false, example: "", is_state: false }
    }

    /// A key that SIGHUP reloads.
    pub(crate) const fn reloaded(mut self) -> Key {
        self.reload = true;
        self
    }

    /// A key that an operator has to set, with a value for the example file.
    pub(crate) const fn with_example(mut self, example: &'static str) -> Key {
        self.example = example;
        self
    }

    /// A path that the daemon writes to.
    pub(crate) const fn written(mut self) -> Key {
        self.is_state = true;
        self
    }

    /// Returns the name of its flag, without `--`.
    pub(crate) fn flag(&self) -> String {
        self.name.replace('_', "-")
    }
}

/// A daemon's table of keys.
#[derive(Debug)]
pub(crate) struct Daemon {
    /// Its subcommand.
    pub(crate) name: &'static str,
    /// What it is, for help.
    pub(crate) about: &'static str,
    /// Its keys, in groups.
    pub(crate) groups: &'static [&'static [Key]],
    /// Returns the contradictions between keys that are valid on their own.
    pub(crate) contradictions: fn(&Settings) -> Vec<Problem>,
    /// Returns what is wrong with the files that the keys name.
    pub(crate) files: fn(&Settings) -> Vec<Problem>,
}

impl Daemon {
    /// Returns all keys in the order of the documentation.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static Key> + use<> {
        self.groups.iter().flat_map(|group| group.iter())
    }

    /// Returns the key with this name.
    pub(crate) fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys().find(|key| key.name == name)
    }

    /// Returns the environment variable of a key.
    pub(crate) fn variable(&self, key: &Key) -> String {
        format!("HARRIER_{}_{}", self.name, key.name).to_uppercase()
    }

    /// Returns the key whose name resembles `name` most, if one does.
    pub(crate) fn similar(&self, name: &str) -> Option<&'static str> {
        let wanted = name.replace('-', "_").to_lowercase();
        most_similar(&wanted, self.keys().map(|key| key.name))
    }
}
