//! The flags of a daemon, from its table of keys, and the settings that result from flags, variables and the file.

use std::fmt::Write as _;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::file::{read, set_items, set_text};
use super::key::Daemon;
use super::kind::Kind;
use super::settings::{Origin, Problem, Settings};
use crate::input::{fail_with, read_text};

/// A daemon as a type, so that its flags can be those of a subcommand.
pub(crate) trait Described: Send + Sync + 'static {
    /// The table of keys.
    const DAEMON: &'static Daemon;
}

/// The flags that were given to a daemon.
#[derive(Clone, Debug)]
pub(crate) struct Arguments<D> {
    file: Option<PathBuf>,
    flags: Vec<Given>,
    daemon: PhantomData<D>,
}

/// A flag that was given.
#[derive(Clone, Debug)]
struct Given {
    key: &'static str,
    /// How messages name it.
    shown: String,
    text: Text,
}

/// The value of a flag.
#[derive(Clone, Debug)]
enum Text {
    Whole(String),
    /// The items of a list, in which a comma separates nothing.
    Items(Vec<String>),
}

impl<D: Described> Arguments<D> {
    /// The arguments of a command whose options are not those of the table: the file alone.
    pub(crate) fn of_file(file: Option<PathBuf>) -> Arguments<D> {
        Arguments { file, flags: Vec::new(), daemon: PhantomData }
    }

    /// Adds an option that the command has read itself.
    pub(crate) fn with_flag(self, name: &'static str, text: Option<String>) -> Arguments<D> {
        self.with_argument(name, flag(name), text)
    }

    /// Adds an argument that the command has read itself; messages name it `shown`.
    pub(crate) fn with_argument(
        mut self,
        key: &'static str,
        shown: impl Into<String>,
        text: Option<String>,
    ) -> Arguments<D> {
        let given = |text| Given { key, shown: shown.into(), text: Text::Whole(text) };
        self.flags.extend(text.map(given));
        self
    }

    /// Adds an option that can be repeated and that the command has read itself.
    pub(crate) fn with_items(mut self, key: &'static str, items: Vec<String>) -> Arguments<D> {
        if !items.is_empty() {
            self.flags.push(Given { key, shown: flag(key), text: Text::Items(items) });
        }
        self
    }

    /// Reads file and variables, and returns the settings.
    ///
    /// # Errors
    /// All mistakes, one on each line, each with its position.
    pub(crate) fn settings(&self) -> anyhow::Result<Settings> {
        self.settings_with(Settings::contradictions)
    }

    /// As [`Arguments::settings`], with other contradictions than those of the daemon's table.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn settings_with(
        &self,
        contradictions: impl FnOnce(&Settings) -> Vec<Problem>,
    ) -> anyhow::Result<Settings> {
        let mut settings = Settings::defaults(D::DAEMON);
        let mut problems = Vec::new();
        for Given { key, shown, text } in &self.flags {
            let Some(key) = D::DAEMON.key(key) else { continue };
            let origin = Origin::Flag(shown.clone());
            problems.extend(match text {
                Text::Whole(text) => set_text(key, text, origin, &mut settings),
                Text::Items(items) => set_items(key, items, origin, &mut settings),
            });
        }
        let file = self.file.clone().or_else(|| std::env::var_os(self.file_variable()).map(PathBuf::from));
        problems.extend(variables(D::DAEMON, &mut settings));
        if let Some(file) = &file {
            problems.extend(read(D::DAEMON, file, &read_text(file)?, &mut settings));
        }
        problems.extend(contradictions(&settings));
        problems.sort_by_key(|problem| problem.origin.position());
        let problems: Vec<String> = problems.iter().map(Problem::to_string).collect();
        fail_with("the configuration has mistakes", &problems)?;
        Ok(settings)
    }

    fn file_variable(&self) -> String {
        format!("HARRIER_{}_CONFIG", D::DAEMON.name.to_uppercase())
    }
}

/// Sets the keys that environment variables name.
fn variables(daemon: &'static Daemon, settings: &mut Settings) -> Vec<Problem> {
    let mut problems = Vec::new();
    for key in daemon.keys() {
        let name = daemon.variable(key);
        let Some(text) = std::env::var_os(&name) else { continue };
        let origin = Origin::Variable(name);
        match text.to_str() {
            Some(text) => problems.extend(set_text(key, text, origin, settings)),
            None => {
                settings.set_wrong(key, origin.clone());
                let message = "the value is not UTF-8 text".into();
                problems.push(Problem { origin, message, key: None });
            }
        }
    }
    problems
}

/// Returns all mistakes of a file in the order of its lines, with `reads_files` also those of the files that it names.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn check_file(
    daemon: &'static Daemon,
    path: &Path,
    reads_files: bool,
) -> anyhow::Result<Vec<Problem>> {
    let mut settings = Settings::defaults(daemon);
    let mut problems = read(daemon, path, &read_text(path)?, &mut settings);
    problems.extend(settings.contradictions());
    if reads_files {
        problems.extend((daemon.files)(&settings));
    }
    problems.sort_by_key(|problem| problem.origin.position());
    Ok(problems)
}

/// Returns the variables of a daemon whose options are not those of the table, for its help.
pub(crate) fn variables_help(daemon: &Daemon) -> String {
    let capitals = daemon.name.to_uppercase();
    let mut text = format!(
        "Environment variables, each as the key of the file with its name; options take precedence over variables, \
         variables over the file:\n  {:34} Configuration file (TOML)",
        format!("HARRIER_{capitals}_CONFIG")
    );
    for key in daemon.keys() {
        let _ = write!(text, "\n  {:34} {}", daemon.variable(key), key.help);
    }
    text
}

/// Returns the flag of a key.
fn flag(name: &str) -> String {
    format!("--{}", name.replace('_', "-"))
}

impl<D: Described> clap::Args for Arguments<D> {
    fn augment_args(command: Command) -> Command {
        let config = Arg::new("config")
            .long("config")
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .help(format!(
                "Configuration file (TOML) [env: HARRIER_{}_CONFIG]",
                D::DAEMON.name.to_uppercase()
            ));
        let about = format!(
            "{}\n\nEvery option is also a key of the configuration file, with underscores instead of hyphens, and an \
             environment variable. An option takes precedence over a variable, a variable over the file.",
            D::DAEMON.about
        );
        let flags = D::DAEMON.keys().map(|key| {
            let default = match key.default {
                "" => String::new(),
                default => format!(" [default: {default}]"),
            };
            let words = match key.kind {
                Kind::Choice(words) => format!(" [{}]", words.join(", ")),
                _ => String::new(),
            };
            let arg = Arg::new(key.name)
                .long(key.flag())
                .value_name(key.kind.placeholder())
                .help(format!("{}{words}{default}", key.help))
                .long_help(format!("{}{words}{default} [env: {}]", key.help, D::DAEMON.variable(key)));
            match key.kind {
                Kind::List(_) => arg.action(ArgAction::Append),
                _ => arg,
            }
        });
        command.long_about(about).arg(config).args(flags)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<D: Described> clap::FromArgMatches for Arguments<D> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Arguments<D>, clap::Error> {
        let mut flags = Vec::new();
        for key in D::DAEMON.keys() {
            let given = matches
                .try_get_many::<String>(key.name)
                .map_err(|error| clap::Error::raw(ErrorKind::InvalidValue, error.to_string()))?;
            if let Some(given) = given {
                let all: Vec<&str> = given.map(String::as_str).collect();
                let text = Text::Whole(all.join(","));
                flags.push(Given { key: key.name, shown: flag(key.name), text });
            }
        }
        Ok(Arguments { file: matches.get_one("config").cloned(), flags, daemon: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
