//! Configuration of the daemons: one TOML file each, and every key is also a flag and an environment variable.
//!
//! A [`Daemon`] is a table of [`key::Key`]s, the only place that knows a key's name, type, default and help. The flags, the
//! variables, the reader of files ([`mod@file`]) and `harrier config check` all follow from it. A flag takes precedence over
//! a variable, a variable over the file, the file over the default. Every mistake is reported at once, with its
//! position.

pub(crate) mod arguments;
pub(crate) mod example;
pub(crate) mod file;
pub(crate) mod key;
pub(crate) mod keys;
pub(crate) mod kind;
pub(crate) mod settings;

pub(crate) use arguments::{Arguments, variables_help};
pub(crate) use key::Daemon;

/// All daemons, by the name of their subcommand.
pub(crate) const DAEMONS: [&Daemon; 6] = [
    &keys::serve::SERVE,
    &keys::controller::CONTROLLER,
    &keys::agent::AGENT,
    &keys::switch::SWITCH,
    &keys::nic::NIC,
    &keys::watch::WATCH,
];
