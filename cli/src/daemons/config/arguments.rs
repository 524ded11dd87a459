//! The flags of a daemon, from its table of keys, and the settings that result from flags, variables and the file.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::file::{read, set_text};
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
    flags: Vec<(&'static str, String)>,
    daemon: PhantomData<D>,
}

impl<D: Described> Arguments<D> {
    /// The arguments of a command whose options are not those of the table: the file alone.
    pub(crate) fn of_file(file: Option<PathBuf>) -> Arguments<D> {
        Arguments { file, flags: Vec::new(), daemon: PhantomData }
    }

    /// Adds an option that the command has read itself.
    pub(crate) fn with_flag(mut self, name: &'static str, text: Option<String>) -> Arguments<D> {
        self.flags.extend(text.map(|text| (name, text)));
        self
    }

    /// Reads file and variables, and returns the settings.
    ///
    /// # Errors
    /// All mistakes, one on each line, each with its position.
    pub(crate) fn settings(&self) -> anyhow::Result<Settings> {
        let mut settings = Settings::defaults(D::DAEMON);
        let mut problems = Vec::new();
        for (name, text) in &self.flags {
            let Some(key) = D::DAEMON.key(name) else { continue };
            let origin = Origin::Flag(format!("--{}", key.flag()));
            problems.extend(set_text(key, text, origin, &mut settings));
        }
        let file = self.file.clone().or_else(|| std::env::var_os(self.file_variable()).map(PathBuf::from));
        problems.extend(variables(D::DAEMON, &mut settings));
        if let Some(file) = &file {
            problems.extend(read(D::DAEMON, file, &read_text(file)?, &mut settings));
        }
        if problems.is_empty() {
            problems = (D::DAEMON.contradictions)(&settings);
        }
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
            None => problems.push(Problem { origin, message: "the value is not UTF-8 text".into() }),
        }
    }
    problems
}

/// Returns all mistakes of a file, and the contradictions if there are no others.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn check_file(daemon: &'static Daemon, path: &Path) -> anyhow::Result<Vec<Problem>> {
    let mut settings = Settings::defaults(daemon);
    let problems = read(daemon, path, &read_text(path)?, &mut settings);
    Ok(if problems.is_empty() { (daemon.contradictions)(&settings) } else { problems })
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
                flags.push((key.name, all.join(",")));
            }
        }
        Ok(Arguments { file: matches.get_one("config").cloned(), flags, daemon: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
