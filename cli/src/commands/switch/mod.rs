//! `harrier switch`: runs a P4 switch with a P4Runtime server.
//!
//! The ports are network interfaces, with queues and PFC in wall-clock time ([`interfaces`]); or, for experiments with
//! programs, cables between ports and UDP tunnels, without queues ([`tunnels`]).

mod configuration;
mod health;
mod interfaces;
mod reference;
mod tunnels;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use p4_switch::SwitchConfig;
use p4_switch::tm::{PauseEnd, TmConfig};
use p4runtime::proto::p4::v1::ForwardingPipelineConfig;
use p4runtime::server::{Limits, Server, ServerConfig, ServerTls, SwitchAccess};
use scenario::SwitchSettings;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use self::configuration::Configuration;
use self::reference::Reference;
use super::p4;
use super::p4::Engine;
use crate::Outcome;
use crate::daemons::config::keys::switch::SWITCH;
use crate::daemons::config::variables_help;
use crate::daemons::operations::notify;
use crate::daemons::operations::signals::{Demand, Signals};
use crate::daemons::serve::bind_to;
use crate::daemons::tls;
use crate::input::{read_text, write_all};
use crate::switch_ports::{self, Attached, Cable, MacAddress, PortArgument};

/// Time without a frame of a controller after which the switch sends a ping.
const KEEPALIVE: Duration = Duration::from_millis(500);
/// Time for its answer. A controller that is cut off loses its roles after both times, so that another one, which needs
/// less than the rest, has taken over within 2 s.
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(1);
/// Time for controllers to close their connections when the switch stops.
const GRACE: Duration = Duration::from_secs(2);

const EXAMPLES: &str = "\
Examples:
  Run a switch on two interfaces, the second one at 100 Mb/s, and wait for a controller to set a program
    harrier switch --no-program --port 1=eth1 --port 2=eth2@100M

  Run a program with two ports connected to each other
    harrier switch program.p4 --cable 1:2

  Run p4c's JSON for the reference switch, with the options of simple_switch_grpc
    harrier switch program.json -i 1@eth1 -i 2@eth2 -- --grpc-server-addr 127.0.0.1:50051 --cpu-port 255

  Wait for a controller to set a program, and connect port 1 to a UDP tunnel
    harrier switch --no-program --port 1=udp:127.0.0.1:7001,127.0.0.1:7002";

/// Arguments of `harrier switch`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{}\n\n{EXAMPLES}", variables_help(&SWITCH)))]
pub(crate) struct Args {
    /// Program to run until a controller sets another one: P4-16, or JSON for the reference switch
    #[arg(value_name = "PROGRAM", conflicts_with_all = ["no_program", "no_p4"])]
    program: Option<PathBuf>,
    /// P4Info of a program in JSON; without it, objects have the ids that p4c derives from their names
    #[arg(long, value_name = "FILE", requires = "program")]
    p4info: Option<PathBuf>,
    /// Start without a program and wait for a controller to set one
    #[arg(long)]
    no_program: bool,
    /// Configuration file (TOML); options take precedence
    #[arg(long, value_name = "FILE", env = "HARRIER_SWITCH_CONFIG")]
    config: Option<PathBuf>,
    /// Address of the P4Runtime server [default: 127.0.0.1:9559]
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// P4Runtime device id [default: 1]
    #[arg(long, value_name = "N")]
    device_id: Option<u64>,
    /// Number of ports without interfaces; they are numbered from 1 [default: 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=511))]
    ports: Option<u16>,
    /// Connect two ports with each other; can be repeated
    #[arg(long = "cable", value_name = "PORT:PORT", value_parser = text_of::<Cable>)]
    cable_texts: Vec<String>,
    /// Attach a port to a network interface, with the rate at which it sends (default: the interface's speed), or to a
    /// tunnel with one frame in each UDP datagram (udp:LOCAL,REMOTE); can be repeated
    #[arg(long = "port", value_name = "PORT=INTERFACE[@RATE]", value_parser = text_of::<PortArgument>)]
    port_texts: Vec<String>,
    /// Queues, buffers, PFC and ECN of ports on interfaces: a TOML file with the section `switch` of a scenario
    #[arg(long, value_name = "FILE")]
    tm: Option<PathBuf>,
    /// Take queues, buffers, PFC and ECN from a switch of a built-in scenario
    #[arg(long, value_name = "NAME", requires = "node", conflicts_with = "tm")]
    scenario: Option<String>,
    /// Name of the switch in the scenario
    #[arg(long, value_name = "NAME", requires = "scenario")]
    node: Option<String>,
    /// Seed of the scenario's instance
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many times slower than the wall clock the switch's clock runs: rates, pauses and telemetry are in its time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=65_536))]
    time_scale: u64,
    /// Moment at which the switch's clock started, in ns since 1970; switches with the same one count time alike
    #[arg(long, value_name = "NS")]
    clock_start: Option<u64>,
    /// Execution engine [default: compiled]
    #[arg(long, value_name = "ENGINE")]
    engine: Option<Engine>,
    /// MAC address of the switch, the source of its PFC frames; the port number is XORed into it [default:
    /// 02:00:00:00:00:00]
    #[arg(long, value_name = "ADDRESS", value_parser = switch_ports::mac)]
    mac: Option<MacAddress>,
    /// Certificate chain of the server (PEM); without it connections are not encrypted
    #[arg(long, value_name = "FILE")]
    tls_cert: Option<PathBuf>,
    /// Private key of the certificate (PEM)
    #[arg(long, value_name = "FILE")]
    tls_key: Option<PathBuf>,
    /// Accept only clients with a certificate of this authority (PEM)
    #[arg(long, value_name = "FILE")]
    client_ca: Option<PathBuf>,
    /// DNS name that a client's certificate must have, `*.NAME` for all names one label longer than NAME, `any` for
    /// every certificate of the authority; can be repeated [default: *.controller.harrier]
    #[arg(long = "client-name", value_name = "NAME")]
    client_names: Vec<String>,
    /// DNS name of clients that may read and change nothing, as for --client-name; can be repeated [default:
    /// *.watcher.harrier]
    #[arg(long = "reader-name", value_name = "NAME")]
    reader_names: Vec<String>,
    /// Allow connections from other machines that are not encrypted or whose clients have no certificate
    #[arg(long)]
    insecure: bool,
    /// Address of /healthz, /readyz and /metrics (HTTPS if there are certificates); without it there are none
    #[arg(long, value_name = "ADDRESS:PORT")]
    health_listen: Option<SocketAddr>,
    /// Format of the log on stderr: text or json [default: text]
    #[arg(long, value_name = "WORD")]
    log_format: Option<String>,
    /// File for the program's P4Info; as text if the name ends in .txtpb, else binary
    #[arg(long, value_name = "FILE", requires = "program")]
    p4info_out: Option<PathBuf>,
    #[command(flatten)]
    reference: Reference,
    /// What the ports are attached to, by options, variables and file.
    #[arg(skip)]
    attached: Vec<PortArgument>,
    /// Connections between ports, by options, variables and file.
    #[arg(skip)]
    cables: Vec<Cable>,
    /// Level of the log, by the options of the reference switch.
    #[arg(skip)]
    log_level: Option<String>,
    /// Port of the controller, by the options of the reference switch.
    #[arg(skip)]
    cpu_port: Option<u16>,
    /// Port that drops packets, by the options of the reference switch.
    #[arg(skip)]
    drop_port: Option<u16>,
}

impl Args {
    // The configuration has defaults for these; they are repeated here for the type alone.
    fn listen(&self) -> SocketAddr {
        self.listen.unwrap_or(SocketAddr::from(([127, 0, 0, 1], 9559)))
    }

    fn device_id(&self) -> u64 {
        self.device_id.unwrap_or(1)
    }

    fn ports(&self) -> u16 {
        self.ports.unwrap_or(8)
    }

    /// Returns the settings of a switch with a traffic manager.
    fn switch_config(&self, tm: TmConfig) -> SwitchConfig {
        let defaults = SwitchConfig::new(tm);
        SwitchConfig {
            address: self.mac(),
            cpu_port: self.cpu_port.unwrap_or(defaults.cpu_port),
            drop_port: self.drop_port.unwrap_or(defaults.drop_port),
            engine: self.engine.map_or(defaults.engine, Engine::of_switch),
            ..defaults
        }
    }

    fn mac(&self) -> [u8; 6] {
        self.mac.map_or([2, 0, 0, 0, 0, 0], |mac| mac.0)
    }
}

/// Accepts the texts of a type.
fn text_of<T: FromStr>(text: &str) -> Result<String, T::Err> {
    text.parse::<T>().map(|_| text.to_string())
}

/// Runs the command.
pub(crate) fn execute(mut args: Args) -> anyhow::Result<Outcome> {
    apply_reference(&mut args)?;
    let mut configuration = Configuration::read(&mut args)?;
    let tls = certificates(&args, &configuration)?;
    let pipeline = args.program.as_deref().map(|path| {
        let loaded = load(path, args.p4info.as_deref(), args.p4info_out.as_deref());
        loaded.with_context(|| configuration.at("program"))
    });
    let pipeline = pipeline.transpose()?;
    let attached = switch_ports::sort(&args.attached);
    configuration.start_log();
    let runtime = tokio::runtime::Runtime::new()?;
    let ended = match attached {
        Attached::Interfaces(ports) => {
            runtime.block_on(interfaces::run(args, &ports, configuration, tls, pipeline))
        }
        Attached::Tunnels(tunnels) => {
            runtime.block_on(tunnels::run(args, &tunnels, configuration, tls, pipeline))
        }
    };
    // Calls that still run on threads for blocking tasks have no client any more.
    runtime.shutdown_background();
    ended
}

fn certificates(args: &Args, configuration: &Configuration) -> anyhow::Result<Option<ServerTls>> {
    tls::check(configuration.settings(), ["client_ca", "tls_cert", "tls_key"])?;
    let read =
        |path: &PathBuf| std::fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    let (Some(certificate), Some(key)) = (&args.tls_cert, &args.tls_key) else { return Ok(None) };
    Ok(Some(ServerTls {
        certificate: read(certificate)?,
        key: read(key)?,
        client_ca: args.client_ca.as_ref().map(read).transpose()?,
        client_names: client_names(args),
        reader_names: args.reader_names.clone(),
    }))
}

/// Returns the names of which a client's certificate must have one; none if every certificate will do.
fn client_names(args: &Args) -> Vec<String> {
    let is_checked = args.client_ca.is_some() && args.client_names.iter().all(|name| name != "any");
    if is_checked { args.client_names.clone() } else { Vec::new() }
}

/// Applies the options of the reference switch.
fn apply_reference(args: &mut Args) -> anyhow::Result<()> {
    let given = args.reference.translate()?;
    if !given.ignored.is_empty() {
        stderr_line!("options without effect here: {}", given.ignored.join(", "));
    }
    args.no_program |= given.no_program;
    args.port_texts.extend(given.attached);
    args.log_level = given.log_level;
    args.cpu_port = given.cpu_port;
    args.drop_port = given.drop_port;
    args.tls_cert = args.tls_cert.take().or(given.tls_cert);
    args.tls_key = args.tls_key.take().or(given.tls_key);
    args.client_ca = args.client_ca.take().or(given.client_ca);
    if let Some(listen) = given.listen {
        args.listen = Some(listen);
        if args.tls_cert.is_none() && !listen.ip().is_loopback() && !args.insecure {
            stderr_line!("warning: other machines can reach {listen}, and connections are not encrypted");
            args.insecure = true;
        }
    }
    Ok(())
}

/// Reads queues, buffers and flow control of a switch from a file; `base` is what it leaves out. Names of further files are
/// relative to this one.
///
/// # Errors
/// All mistakes of the file, with their positions.
pub(crate) fn parse_manager(path: &Path, base: SwitchSettings) -> anyhow::Result<(SwitchSettings, PauseEnd)> {
    let load = |name: &str| {
        let path = path.parent().unwrap_or(Path::new("")).join(name);
        let text = read_text(&path).map_err(|error| format!("{error:#}"))?;
        Ok((path.display().to_string(), text))
    };
    let named = path.display().to_string();
    Ok(scenario::parse_switch(&named, &read_text(path)?, base, load)?)
}

/// Returns the configuration of a program, and writes its P4Info to `out`.
fn load(path: &Path, info: Option<&Path>, out: Option<&Path>) -> anyhow::Result<ForwardingPipelineConfig> {
    let (p4_device_config, info) = p4::device_config(path, info)?;
    if let Some(out) = out {
        write_all(&[(out, p4::info_bytes(out, &info))])?;
    }
    Ok(ForwardingPipelineConfig { p4info: Some(info), p4_device_config, cookie: None })
}

/// A P4Runtime server that is about to serve.
struct Serving<A: SwitchAccess> {
    server: Server<A>,
    listener: TcpListener,
    configuration: Configuration,
    signals: Signals,
    _health: Option<JoinHandle<()>>,
}

impl<A: SwitchAccess> Serving<A> {
    /// Loads the program and listens. Programs that start the switch wait for the line that this prints.
    async fn new(
        server: Server<A>,
        pipeline: Option<ForwardingPipelineConfig>,
        args: &Args,
        tls: Option<&ServerTls>,
        configuration: Configuration,
    ) -> anyhow::Result<Serving<A>> {
        let signals = Signals::install()?;
        if let Some(pipeline) = pipeline {
            let server = server.clone();
            let set = tokio::task::spawn_blocking(move || server.set_pipeline(pipeline)).await?;
            set.map_err(|message| anyhow::anyhow!("the switch rejects the program: {message}"))?;
        }
        let origin = configuration.settings().origin("listen").to_string();
        let listener = bind_to(args.listen(), &origin, "listen").await?;
        let health = health::start(configuration.settings(), tls, server.clone()).await?;
        stdout_line!("listening on {}", listener.local_addr()?)?;
        Ok(Serving { server, listener, configuration, signals, _health: health })
    }

    /// Serves until a signal arrives; `work` runs beside and ends only with an error, which also ends the switch.
    async fn until_signal(self, work: impl Future<Output = anyhow::Error>) -> anyhow::Result<()> {
        let Serving { server, listener, mut configuration, mut signals, _health } = self;
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let served = server.clone().serve(listener, async {
            // An error means that this function has returned, which also stops the server.
            let _ = stopped.await;
        });
        tokio::pin!(served, work);
        notify::ready("running");
        let _watchdog = notify::watchdog();
        loop {
            tokio::select! {
                result = &mut served => return Ok(result?),
                error = &mut work => return Err(error),
                demand = signals.next() => match demand {
                    Demand::Stop => break,
                    Demand::Reload => {
                        notify::reloading();
                        configuration.reload();
                        notify::ready("running");
                    }
                },
            }
        }
        notify::stopping();
        stderr_line!("stopping");
        server.close_streams();
        let _ = stop.send(());
        // After this time the remaining connections are closed.
        if let Ok(result) = tokio::time::timeout(GRACE, served).await {
            result?;
        }
        Ok(())
    }
}

/// Returns the settings of the server for a switch.
fn server_config(args: &Args, tls: Option<ServerTls>, switch: SwitchConfig) -> ServerConfig {
    let epoch_ns = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos() as u64);
    let defaults = ServerConfig::new(args.device_id(), switch);
    let limits =
        Limits { keepalive: KEEPALIVE, keepalive_timeout: KEEPALIVE_TIMEOUT, ..defaults.limits.clone() };
    ServerConfig { tls, epoch_ns, limits, ..defaults }
}
