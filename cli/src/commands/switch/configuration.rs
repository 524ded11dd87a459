//! The configuration of a switch: what its file and variables say completes the options. An option takes precedence over
//! a variable, a variable over the file.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::anyhow;

use super::Args;
use super::attachment;
use crate::daemons::config::Arguments;
use crate::daemons::config::keys::switch::Switch;
use crate::daemons::config::settings::Settings;
use crate::daemons::operations::{self, log};

/// The file of a running switch.
pub(super) struct Configuration {
    arguments: Arguments<Switch>,
    settings: Settings,
    log: Option<log::LogLevel>,
}

impl Configuration {
    /// Reads file and variables, and completes the options.
    ///
    /// # Errors
    /// All mistakes of the file, each with its position.
    pub(super) fn read(args: &mut Args) -> anyhow::Result<Configuration> {
        let text = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let arguments = Arguments::<Switch>::of_file(args.config.clone())
            .with_flag("tls_cert", text(&args.tls_cert))
            .with_flag("tls_key", text(&args.tls_key))
            .with_flag("client_ca", text(&args.client_ca));
        let settings = arguments.settings()?;
        complete(args, &settings)?;
        Ok(Configuration { arguments, settings, log: None })
    }

    /// Returns the settings of file and variables.
    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Starts the log: with a configuration file as it says, otherwise with warnings only.
    pub(super) fn start_log(&mut self, args: &Args) {
        match args.config {
            Some(_) => self.log = Some(log::start(&self.settings)),
            None => log::start_plain(),
        }
    }

    /// Reads the file again and applies what can be applied. With a mistake in it, nothing changes.
    pub(super) fn reload(&mut self) {
        match self.arguments.settings() {
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

/// Sets what no option gives.
fn complete(args: &mut Args, settings: &Settings) -> anyhow::Result<()> {
    if !args.no_program && args.program.is_none() {
        args.program = settings.path("program").map(Into::into);
    }
    args.listen = args.listen.or(settings.listen("listen"));
    args.device_id = args.device_id.or(Some(settings.number("device_id")));
    args.ports = args.ports.or(u16::try_from(settings.number("ports")).ok());
    if args.scenario.is_none() && args.tm.is_none() {
        args.tm = settings.path("tm").map(Into::into);
    }
    if args.mac.is_none() {
        args.mac = settings.text("mac").map(attachment::mac).transpose().map_err(at(settings, "mac"))?;
    }
    if args.attached.is_empty() {
        args.attached = parsed(settings, "port")?;
    }
    if args.cables.is_empty() {
        args.cables = parsed(settings, "cable")?;
    }
    if args.tls_cert.is_none() {
        args.tls_cert = settings.path("tls_cert").map(Into::into);
        args.tls_key = settings.path("tls_key").map(Into::into);
    }
    if args.client_ca.is_none() {
        args.client_ca = settings.path("client_ca").map(Into::into);
    }
    if args.client_names.is_empty() {
        args.client_names = parsed(settings, "client_name")?;
    }
    Ok(())
}

fn parsed<T: FromStr<Err: ToString>>(settings: &Settings, key: &'static str) -> anyhow::Result<Vec<T>> {
    let parse = |text: &str| text.parse().map_err(|error: T::Err| at(settings, key)(error.to_string()));
    settings.texts(key).into_iter().map(parse).collect()
}

fn at(settings: &Settings, key: &'static str) -> impl Fn(String) -> anyhow::Error {
    let origin = settings.origin(key);
    move |message| anyhow!("{origin}: {key}: {message}")
}
