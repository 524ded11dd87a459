//! The configuration of a switch: options, variables and a file. An option takes precedence over a variable, a variable
//! over the file.

use std::path::PathBuf;

use anyhow::bail;

use super::Args;
use crate::daemons::config::Arguments;
use crate::daemons::config::keys::switch::Switch;
use crate::daemons::config::settings::{Problem, Settings};
use crate::daemons::operations::{self, log};
use crate::switch_ports;

/// The settings of a running switch.
pub(super) struct Configuration {
    arguments: Arguments<Switch>,
    settings: Settings,
    /// Whether other machines may connect without certificates.
    is_insecure: bool,
    /// Whether anything says how the log is written.
    sets_log: bool,
    log: Option<log::LogLevel>,
}

impl Configuration {
    /// Reads file and variables, and completes the options.
    ///
    /// # Errors
    /// All mistakes, each with its position.
    pub(super) fn read(args: &mut Args) -> anyhow::Result<Configuration> {
        let arguments = arguments(args);
        let settings = read(&arguments, args.insecure)?;
        complete(args, &settings);
        let may_wait = args.no_program || args.config.is_some() || settings.has_variables();
        if args.program.is_none() && !may_wait {
            bail!("PROGRAM is missing; --no-program waits for a controller to set one");
        }
        let sets_log =
            args.config.is_some() || settings.is_given("log_level") || settings.is_given("log_format");
        Ok(Configuration { arguments, settings, is_insecure: args.insecure, sets_log, log: None })
    }

    /// Returns the settings of options, file and variables.
    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns where the value of a key is and its name, for errors.
    pub(super) fn at(&self, key: &str) -> String {
        format!("{}: {key}", self.settings.origin(key))
    }

    /// Starts the log: as the configuration says, or with warnings only.
    pub(super) fn start_log(&mut self) {
        match self.sets_log {
            true => self.log = Some(log::start(&self.settings)),
            false => log::start_plain(),
        }
    }

    /// Reads the file again and applies what can be applied. With a mistake in it, nothing changes.
    pub(super) fn reload(&mut self) {
        match read(&self.arguments, self.is_insecure) {
            Ok(new) => {
                if let Some(log) = &self.log {
                    log.apply(&new);
                }
                operations::log_reload(&self.settings, &new);
                self.settings = new;
            }
            Err(error) => {
                tracing::error!(error = format!("{error:#}"), "the configuration is not reloaded");
            }
        }
    }
}

/// Returns the options that are keys.
fn arguments(args: &Args) -> Arguments<Switch> {
    let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
    Arguments::of_file(args.config.clone())
        .with_argument("program", "PROGRAM", path(&args.program))
        .with_flag("listen", args.listen.map(|address| address.to_string()))
        .with_flag("device_id", args.device_id.map(|id| id.to_string()))
        .with_flag("ports", args.ports.map(|ports| ports.to_string()))
        .with_items("port", args.port_texts.clone())
        .with_items("cable", args.cable_texts.clone())
        .with_flag("tm", path(&args.tm))
        .with_flag("mac", args.mac.map(|mac| mac.to_string()))
        .with_flag("tls_cert", path(&args.tls_cert))
        .with_flag("tls_key", path(&args.tls_key))
        .with_flag("client_ca", path(&args.client_ca))
        .with_items("client_name", args.client_names.clone())
        .with_items("reader_name", args.reader_names.clone())
        .with_flag("health_listen", args.health_listen.map(|address| address.to_string()))
        .with_flag("log_level", args.log_level.clone())
        .with_flag("log_format", args.log_format.clone())
}

fn read(arguments: &Arguments<Switch>, is_insecure: bool) -> anyhow::Result<Settings> {
    arguments.settings_with(|settings| {
        let mut problems: Vec<Problem> = settings.contradictions();
        problems.retain(|problem| !is_insecure || problem.key != Some("listen"));
        problems
    })
}

/// Sets what no option gives.
fn complete(args: &mut Args, settings: &Settings) {
    let path = |key| settings.path(key).map(Into::into);
    if !args.no_program {
        args.program = path("program");
    }
    args.listen = settings.listen("listen");
    args.device_id = Some(settings.number("device_id"));
    args.ports = u16::try_from(settings.number("ports")).ok();
    if args.scenario.is_none() {
        args.tm = path("tm");
    }
    // What the table of keys has accepted can be read again.
    args.mac = settings.text("mac").and_then(|text| switch_ports::mac(text).ok());
    args.attached = settings.texts("port").into_iter().filter_map(|text| text.parse().ok()).collect();
    args.cables = settings.texts("cable").into_iter().filter_map(|text| text.parse().ok()).collect();
    args.tls_cert = path("tls_cert");
    args.tls_key = path("tls_key");
    args.client_ca = path("client_ca");
    args.client_names = settings.texts("client_name").into_iter().map(str::to_string).collect();
    args.reader_names = settings.texts("reader_name").into_iter().map(str::to_string).collect();
}
