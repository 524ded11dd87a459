//! `harrier switch`: runs a P4 switch with a P4Runtime server.
//!
//! The switch does not use the machine's network interfaces. Its ports are connected to each other by cables, or to
//! another switch or a test by tunnels that carry one frame in each UDP datagram.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use model::wire::Frame;
use model::{Rate, Time};
use p4_switch::tm::TmConfig;
use p4_switch::{Switch, SwitchConfig};
use p4runtime::proto::p4::v1::ForwardingPipelineConfig;
use p4runtime::server::{ImmediateSwitch, Server, ServerConfig, ServerTls, event_channel};
use tokio::net::{TcpListener, UdpSocket};
use tokio::sync::mpsc;

use super::p4;
use crate::Outcome;
use crate::input::write_all;

/// Maximum frames on their way out of the switch; further ones are dropped.
const WIRE_FRAMES: usize = 4096;
/// Maximum length of a frame from a tunnel.
const FRAME_BYTES: usize = 16 << 10;
/// Interval at which the switch checks its timeouts.
const TICK: Duration = Duration::from_millis(5);
/// Time for controllers to close their connections when the switch stops.
const GRACE: Duration = Duration::from_secs(2);
/// Size of the packet buffer.
const MEMORY_BYTES: u64 = 16 << 20;

const EXAMPLES: &str = "\
Examples:
  Run a program with two ports connected to each other
    harrier switch program.p4 --cable 1:2

  Wait for a controller to set a program, and connect port 1 to a UDP tunnel
    harrier switch --no-program --port 1=udp:127.0.0.1:7001,127.0.0.1:7002";

/// Arguments of `harrier switch`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Program to run until a controller sets another one
    #[arg(value_name = "PROGRAM.p4", required_unless_present = "no_program", conflicts_with = "no_program")]
    program: Option<PathBuf>,
    /// Start without a program and wait for a controller to set one
    #[arg(long)]
    no_program: bool,
    /// Address of the P4Runtime server
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9559")]
    listen: SocketAddr,
    /// P4Runtime device id
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    device_id: u64,
    /// Number of ports; they are numbered from 1
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=511))]
    ports: u16,
    /// Connect two ports with each other; can be repeated
    #[arg(long = "cable", value_name = "PORT:PORT")]
    cables: Vec<Cable>,
    /// Connect a port to a tunnel with one frame in each UDP datagram; can be repeated
    #[arg(long = "port", value_name = "PORT=udp:LOCAL,REMOTE")]
    tunnels: Vec<Tunnel>,
    /// Certificate chain of the server (PEM); without it connections are not encrypted
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Private key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Accept only clients with a certificate of this authority (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    client_ca: Option<PathBuf>,
    /// Allow unencrypted connections from other machines
    #[arg(long)]
    insecure: bool,
    /// File for the program's P4Info; as text if the name ends in .txtpb, else binary
    #[arg(long, value_name = "FILE", requires = "program")]
    p4info_out: Option<PathBuf>,
}

/// Two ports that are connected with each other.
#[derive(Clone, Copy)]
struct Cable(u16, u16);

impl FromStr for Cable {
    type Err = String;

    fn from_str(text: &str) -> Result<Cable, String> {
        let ends = text.split_once(':').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        ends.map(|(a, b)| Cable(a, b)).ok_or_else(|| "expected two port numbers, e.g. 1:2".into())
    }
}

/// A port that is connected to a tunnel.
#[derive(Clone, Copy)]
struct Tunnel {
    port: u16,
    local: SocketAddr,
    remote: SocketAddr,
}

impl FromStr for Tunnel {
    type Err = String;

    fn from_str(text: &str) -> Result<Tunnel, String> {
        let parse = || {
            let (port, attached) = text.split_once('=')?;
            let (local, remote) = attached.strip_prefix("udp:")?.split_once(',')?;
            Some(Tunnel {
                port: port.parse().ok()?,
                local: local.parse().ok()?,
                remote: remote.parse().ok()?,
            })
        };
        parse()
            .ok_or_else(|| "expected PORT=udp:LOCAL,REMOTE, e.g. 1=udp:127.0.0.1:7001,127.0.0.1:7002".into())
    }
}

/// The other end of a port.
enum Attached {
    Port(u16),
    Tunnel(Arc<UdpSocket>),
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    let tls = certificates(&args)?;
    if tls.is_none() && !args.listen.ip().is_loopback() && !args.insecure {
        bail!(
            "other machines can reach {} and connections would not be encrypted; add a certificate (--tls-cert, \
             --tls-key) or --insecure",
            args.listen
        );
    }
    let pipeline = match &args.program {
        Some(path) => Some(load(path, args.p4info_out.as_deref())?),
        None => None,
    };
    tokio::runtime::Runtime::new()?.block_on(run(args, tls, pipeline))
}

fn certificates(args: &Args) -> anyhow::Result<Option<ServerTls>> {
    let read =
        |path: &PathBuf| std::fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    let (Some(certificate), Some(key)) = (&args.tls_cert, &args.tls_key) else { return Ok(None) };
    Ok(Some(ServerTls {
        certificate: read(certificate)?,
        key: read(key)?,
        client_ca: args.client_ca.as_ref().map(read).transpose()?,
    }))
}

/// Compiles a program to a pipeline configuration, and writes its P4Info to `out`.
fn load(path: &std::path::Path, out: Option<&std::path::Path>) -> anyhow::Result<ForwardingPipelineConfig> {
    let (bundle, info) = p4::bundle(path)?;
    if let Some(out) = out {
        write_all(&[(out, p4::info_bytes(out, &info))])?;
    }
    Ok(ForwardingPipelineConfig { p4info: Some(info), p4_device_config: bundle.encode(), cookie: None })
}

async fn run(
    args: Args,
    tls: Option<ServerTls>,
    pipeline: Option<ForwardingPipelineConfig>,
) -> anyhow::Result<Outcome> {
    let mut attached = attach(&args).await?;
    let tm = TmConfig::lossy((1..=args.ports).map(|port| (port, Rate::from_gbps(100))), MEMORY_BYTES);
    let epoch_ns = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos() as u64);
    let config = ServerConfig { tls, epoch_ns, ..ServerConfig::new(args.device_id, SwitchConfig::new(tm)) };
    let (sink, events) = event_channel(config.limits.event_queue);
    let (wire, mut leaving) = mpsc::channel::<(u16, Frame)>(WIRE_FRAMES);
    let start = tokio::time::Instant::now();
    let clock = move || Time::from_ns(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX));
    // Frames above the limit are dropped.
    let transmit = move |port: u16, frame| drop(wire.try_send((port, frame)));
    let switch = Arc::new(ImmediateSwitch::new(Switch::new(config.switch.clone()), clock, sink, transmit));
    let server = Server::new(switch.clone(), config, events);
    if let Some(pipeline) = pipeline {
        let server = server.clone();
        let set = tokio::task::spawn_blocking(move || server.set_pipeline(pipeline)).await?;
        set.map_err(|message| anyhow::anyhow!("the switch rejects the program: {message}"))?;
    }
    let listener =
        TcpListener::bind(args.listen).await.with_context(|| format!("cannot listen on {}", args.listen))?;
    // Programs that start the switch wait for this line.
    println!("listening on {}", listener.local_addr()?);
    for (port, end) in &attached {
        if let Attached::Tunnel(socket) = end {
            tokio::spawn(receive(*port, socket.clone(), switch.clone()));
        }
    }
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let served = server.clone().serve(listener, async {
        // An error means that this function has returned, which also stops the server.
        let _ = stopped.await;
    });
    tokio::pin!(served);
    let signal = stop_signal();
    tokio::pin!(signal);
    let mut tick = tokio::time::interval(TICK);
    loop {
        tokio::select! {
            result = &mut served => {
                result?;
                return Ok(Outcome::Fine);
            }
            Some((port, frame)) = leaving.recv() => forward(&mut attached, &switch, port, &frame),
            _ = tick.tick() => switch.wake(),
            result = &mut signal => {
                result?;
                break;
            }
        }
    }
    eprintln!("stopping");
    server.close_streams();
    let _ = stop.send(());
    // After this time the remaining connections are closed.
    if let Ok(result) = tokio::time::timeout(GRACE, served).await {
        result?;
    }
    Ok(Outcome::Fine)
}

/// Connects the ports.
async fn attach(args: &Args) -> anyhow::Result<BTreeMap<u16, Attached>> {
    let mut attached = BTreeMap::new();
    let mut put = |port: u16, end: Attached| {
        if !(1..=args.ports).contains(&port) {
            bail!("no port {port}; the switch has ports 1 to {}", args.ports);
        }
        if attached.insert(port, end).is_some() {
            bail!("port {port} is connected twice");
        }
        Ok(())
    };
    for Cable(a, b) in &args.cables {
        put(*a, Attached::Port(*b))?;
        put(*b, Attached::Port(*a))?;
    }
    for tunnel in &args.tunnels {
        let socket = UdpSocket::bind(tunnel.local)
            .await
            .with_context(|| format!("port {}: cannot bind {}", tunnel.port, tunnel.local))?;
        socket.connect(tunnel.remote).await.with_context(|| format!("port {}", tunnel.port))?;
        put(tunnel.port, Attached::Tunnel(Arc::new(socket)))?;
    }
    Ok(attached)
}

/// Forwards a frame to the other end of its port. A frame on an unconnected port is dropped.
fn forward(attached: &mut BTreeMap<u16, Attached>, switch: &ImmediateSwitch, port: u16, frame: &Frame) {
    match attached.get(&port) {
        Some(Attached::Port(peer)) => switch.receive(*peer, frame.clone()),
        Some(Attached::Tunnel(socket)) => {
            let mut bytes = frame.head.to_vec();
            bytes.resize(frame.len() as usize, 0);
            // A datagram that cannot be sent is lost, as UDP permits.
            let _ = socket.try_send(&bytes);
        }
        None => {}
    }
}

async fn receive(port: u16, socket: Arc<UdpSocket>, switch: Arc<ImmediateSwitch>) {
    let mut buffer = vec![0; FRAME_BYTES];
    loop {
        // An error reports that an earlier datagram was not delivered; the next one can still arrive.
        if let Ok(length) = socket.recv(&mut buffer).await {
            switch.receive(port, Frame::new(buffer.get(..length).unwrap_or_default(), 0));
        }
    }
}

/// Resolves when the process receives SIGINT or SIGTERM.
async fn stop_signal() -> std::io::Result<()> {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        result = tokio::signal::ctrl_c() => result,
        _ = terminate.recv() => Ok(()),
    }
}
