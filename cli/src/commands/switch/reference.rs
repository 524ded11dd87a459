//! The options of `simple_switch_grpc`, so that scripts for the reference switch start this one.
//!
//! Source: p4lang/behavioral-model, `src/bm_sim/options_parse.cpp` and `targets/simple_switch_grpc/main.cpp`. There,
//! options of the target follow a `--`; here they are accepted before it, too.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, bail};
use clap::Parser;

use crate::daemons::config::keys::common::LOG_LEVELS;
use crate::dataplane::Attachment;
use crate::switch_ports::MAX_PORT;

/// `PORT@INTERFACE`.
#[derive(Clone)]
struct InterfaceArgument(Attachment);

impl FromStr for InterfaceArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<InterfaceArgument, String> {
        let expected =
            || format!("expected PORT@INTERFACE, e.g. 1@eth1; ports are numbered from 1 to {MAX_PORT}");
        let (port, interface) = text.split_once('@').ok_or_else(expected)?;
        let port = port.parse().ok().filter(|port| (1..=MAX_PORT).contains(port)).ok_or_else(expected)?;
        if interface.is_empty() {
            return Err(expected());
        }
        Ok(InterfaceArgument(Attachment { port, interface: interface.to_owned(), rate: None }))
    }
}

/// Options of `simple_switch_grpc`.
#[derive(clap::Args)]
pub(super) struct Reference {
    /// Attach a port to a network interface
    #[arg(short = 'i', long = "interface", value_name = "PORT@INTERFACE", help_heading = HEADING)]
    interfaces: Vec<InterfaceArgument>,
    /// The same as --no-program
    #[arg(long, help_heading = HEADING)]
    no_p4: bool,
    #[command(flatten)]
    target: Target,
    /// Ignored: there is no Thrift server
    #[arg(long, value_name = "PORT", help_heading = HEADING)]
    thrift_port: Option<u16>,
    /// Ignored: packets can be captured at the interfaces
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".", help_heading = HEADING)]
    pcap: Option<String>,
    /// Ignored: the log is on stderr
    #[arg(long, help_heading = HEADING)]
    log_console: bool,
    /// Ignored, as --log-console
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    log_file: Option<String>,
    /// Least severe messages in the log: error, warn, info, debug or trace; others are ignored
    #[arg(short = 'L', long, value_name = "LEVEL", help_heading = HEADING)]
    log_level: Option<String>,
    /// Ignored, as --log-console
    #[arg(long, help_heading = HEADING)]
    log_flush: bool,
    /// Ignored: there is no nanomsg log
    #[arg(long, value_name = "ADDRESS", help_heading = HEADING)]
    nanolog: Option<String>,
    /// Ignored: notifications are P4Runtime's
    #[arg(long, value_name = "ADDRESS", help_heading = HEADING)]
    notifications_addr: Option<String>,
    /// Ignored: there is no debugger
    #[arg(long, help_heading = HEADING)]
    debugger: bool,
    /// Ignored: every port can have an interface
    #[arg(long, value_name = "N", help_heading = HEADING)]
    max_port_count: Option<u32>,
    /// Options of the target, after `--`
    #[arg(last = true, value_name = "TARGET OPTION")]
    after: Vec<String>,
}

const HEADING: &str = "Options of simple_switch_grpc";

/// Options of the target `simple_switch_grpc`.
#[derive(clap::Args, Clone, Default)]
struct Target {
    /// Address of the P4Runtime server, as --listen; other machines may connect without encryption, as there
    #[arg(long, value_name = "ADDRESS:PORT", conflicts_with = "listen", help_heading = HEADING)]
    grpc_server_addr: Option<SocketAddr>,
    /// Port of the controller [default: 510]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..=511),
        help_heading = HEADING)]
    cpu_port: Option<u16>,
    /// Port that drops packets [default: 511]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..=511),
        help_heading = HEADING)]
    drop_port: Option<u16>,
    /// Ignored: ports have 8 queues
    #[arg(long, value_name = "N", help_heading = HEADING)]
    priority_queues: Option<u32>,
    /// Ignored: a controller can always set another program
    #[arg(long, help_heading = HEADING)]
    disable_swap: bool,
    /// Use TLS
    #[arg(long, help_heading = HEADING)]
    grpc_server_ssl: bool,
    /// Certificate chain of the server (PEM), as --tls-cert
    #[arg(long, value_name = "FILE", conflicts_with = "tls_cert", help_heading = HEADING)]
    grpc_server_cert: Option<PathBuf>,
    /// Private key of the certificate (PEM), as --tls-key
    #[arg(long, value_name = "FILE", conflicts_with = "tls_key", help_heading = HEADING)]
    grpc_server_key: Option<PathBuf>,
    /// Authority of the clients' certificates (PEM), as --client-ca
    #[arg(long, value_name = "FILE", conflicts_with = "client_ca", help_heading = HEADING)]
    grpc_server_cacert: Option<PathBuf>,
    /// Accept only clients with a certificate
    #[arg(long, requires = "grpc_server_cacert", help_heading = HEADING)]
    grpc_server_with_client_auth: bool,
}

/// The options behind `--`, which are parsed as a command line of their own.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct After {
    #[command(flatten)]
    target: AfterTarget,
}

/// [`Target`] without conflicts with options that this command line does not have.
#[derive(clap::Args)]
struct AfterTarget {
    #[arg(long)]
    grpc_server_addr: Option<SocketAddr>,
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=511))]
    cpu_port: Option<u16>,
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=511))]
    drop_port: Option<u16>,
    #[arg(long)]
    priority_queues: Option<u32>,
    #[arg(long)]
    disable_swap: bool,
    #[arg(long)]
    grpc_server_ssl: bool,
    #[arg(long)]
    grpc_server_cert: Option<PathBuf>,
    #[arg(long)]
    grpc_server_key: Option<PathBuf>,
    #[arg(long)]
    grpc_server_cacert: Option<PathBuf>,
    #[arg(long, requires = "grpc_server_cacert")]
    grpc_server_with_client_auth: bool,
}

/// What the options say, in the terms of this command.
#[derive(Default)]
pub(super) struct Translated {
    /// Ports on interfaces, as values of `--port`.
    pub(super) attached: Vec<String>,
    /// The least severe messages in the log.
    pub(super) log_level: Option<String>,
    pub(super) no_program: bool,
    pub(super) listen: Option<SocketAddr>,
    pub(super) cpu_port: Option<u16>,
    pub(super) drop_port: Option<u16>,
    pub(super) tls_cert: Option<PathBuf>,
    pub(super) tls_key: Option<PathBuf>,
    pub(super) client_ca: Option<PathBuf>,
    /// Options without effect.
    pub(super) ignored: Vec<&'static str>,
}

impl Reference {
    /// Translates the options.
    ///
    /// # Errors
    /// An option behind `--` is unknown, or options contradict each other.
    pub(super) fn translate(&self) -> anyhow::Result<Translated> {
        let mut target = self.target.clone();
        let after = After::try_parse_from(&self.after).context("options behind `--`")?.target;
        target.grpc_server_addr = target.grpc_server_addr.or(after.grpc_server_addr);
        target.cpu_port = target.cpu_port.or(after.cpu_port);
        target.drop_port = target.drop_port.or(after.drop_port);
        target.priority_queues = target.priority_queues.or(after.priority_queues);
        target.disable_swap |= after.disable_swap;
        target.grpc_server_ssl |= after.grpc_server_ssl;
        target.grpc_server_cert = target.grpc_server_cert.or(after.grpc_server_cert);
        target.grpc_server_key = target.grpc_server_key.or(after.grpc_server_key);
        target.grpc_server_cacert = target.grpc_server_cacert.or(after.grpc_server_cacert);
        target.grpc_server_with_client_auth |= after.grpc_server_with_client_auth;
        if target.grpc_server_ssl && (target.grpc_server_cert.is_none() || target.grpc_server_key.is_none()) {
            bail!("--grpc-server-ssl needs --grpc-server-cert and --grpc-server-key");
        }
        if target.cpu_port.unwrap_or(510) == target.drop_port.unwrap_or(511) {
            bail!("--cpu-port and --drop-port are the same port");
        }
        Ok(Translated {
            attached: self.interfaces.iter().map(|i| format!("{}={}", i.0.port, i.0.interface)).collect(),
            log_level: self.log_level.clone().filter(|level| LOG_LEVELS.contains(&level.as_str())),
            no_program: self.no_p4,
            listen: target.grpc_server_addr,
            cpu_port: target.cpu_port,
            drop_port: target.drop_port,
            tls_cert: target.grpc_server_cert.clone().filter(|_| target.grpc_server_ssl),
            tls_key: target.grpc_server_key.clone().filter(|_| target.grpc_server_ssl),
            client_ca: target.grpc_server_cacert.clone().filter(|_| target.grpc_server_with_client_auth),
            ignored: self.ignored(&target),
        })
    }

    fn ignored(&self, target: &Target) -> Vec<&'static str> {
        let all = [
            ("--thrift-port", self.thrift_port.is_some()),
            ("--pcap", self.pcap.is_some()),
            ("--log-console", self.log_console),
            ("--log-file", self.log_file.is_some()),
            ("--log-level", self.log_level.as_deref().is_some_and(|level| !LOG_LEVELS.contains(&level))),
            ("--log-flush", self.log_flush),
            ("--nanolog", self.nanolog.is_some()),
            ("--notifications-addr", self.notifications_addr.is_some()),
            ("--debugger", self.debugger),
            ("--max-port-count", self.max_port_count.is_some()),
            ("--priority-queues", target.priority_queues.is_some()),
            ("--disable-swap", target.disable_swap),
        ];
        all.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }
}
