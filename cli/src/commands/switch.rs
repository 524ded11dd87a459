//! `harrier switch`: one P4 switch behind a P4Runtime server.
//!
//! Its ports carry no packets of the machine's interfaces: they are cables to one another, or tunnels of one frame a
//! UDP datagram to another switch or a test.

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

/// Frames on their way out of the switch; further ones are lost.
const WIRE_FRAMES: usize = 4096;
/// Longest frame that is taken from a tunnel.
const FRAME_BYTES: usize = 16 << 10;
/// How often timeouts are looked at.
const TICK: Duration = Duration::from_millis(5);
/// How long controllers have to close their connections after the switch was told to stop.
const GRACE: Duration = Duration::from_secs(2);
/// Packet memory.
const MEMORY_BYTES: u64 = 16 << 20;

/// Arguments of `harrier switch`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program that the switch runs until a controller sets another one
    #[arg(value_name = "PROGRAM.p4", required_unless_present = "no_program", conflicts_with = "no_program")]
    program: Option<PathBuf>,
    /// Waits for a controller to set a program
    #[arg(long)]
    no_program: bool,
    /// Where controllers connect
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9559")]
    listen: SocketAddr,
    /// P4Runtime's number of the device
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    device_id: u64,
    /// How many ports it has, numbered from 1
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=511))]
    ports: u16,
    /// Joins two ports: what leaves one arrives at the other
    #[arg(long = "cable", value_name = "PORT:PORT")]
    cables: Vec<Cable>,
    /// Attaches a port to a tunnel that carries one frame a UDP datagram
    #[arg(long = "port", value_name = "PORT=udp:LOCAL,REMOTE")]
    tunnels: Vec<Tunnel>,
    /// The server's certificate chain (PEM); without it the server speaks plain text
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The certificate's private key (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Lets only clients in that have a certificate of this authority (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    client_ca: Option<PathBuf>,
    /// Listens in plain text on an address that other machines can reach
    #[arg(long)]
    insecure: bool,
    /// Where the program's P4Info goes, as text if the name ends in .txtpb, else binary
    #[arg(long, value_name = "FILE", requires = "program")]
    p4info_out: Option<PathBuf>,
}

/// Two ports that are joined.
#[derive(Clone, Copy)]
struct Cable(u16, u16);

impl FromStr for Cable {
    type Err = String;

    fn from_str(text: &str) -> Result<Cable, String> {
        let ends = text.split_once(':').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        ends.map(|(a, b)| Cable(a, b)).ok_or_else(|| "two port numbers are expected, e.g. 1:2".into())
    }
}

/// A port that is a tunnel.
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
        parse().ok_or_else(|| "expected is e.g. 1=udp:127.0.0.1:7001,127.0.0.1:7002".into())
    }
}

/// What is at the other end of a port.
enum Attached {
    Port(u16),
    Tunnel(Arc<UdpSocket>),
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    let tls = certificates(&args)?;
    if tls.is_none() && !args.listen.ip().is_loopback() && !args.insecure {
        bail!(
            "{} can be reached by other machines and the server would speak plain text; give it a certificate \
             (--tls-cert, --tls-key) or say --insecure",
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

/// The pipeline configuration of a program; its P4Info is written where it is wanted.
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
    // A full wire loses frames, as a real one does.
    let transmit = move |port: u16, frame| drop(wire.try_send((port, frame)));
    let switch = Arc::new(ImmediateSwitch::new(Switch::new(config.switch.clone()), clock, sink, transmit));
    let server = Server::new(switch.clone(), config, events);
    if let Some(pipeline) = pipeline {
        let server = server.clone();
        let set = tokio::task::spawn_blocking(move || server.set_pipeline(pipeline)).await?;
        set.map_err(|message| anyhow::anyhow!("the switch refuses the program: {message}"))?;
    }
    let listener =
        TcpListener::bind(args.listen).await.with_context(|| format!("cannot listen on {}", args.listen))?;
    // Whoever starts the switch waits for this line.
    println!("listening on {}", listener.local_addr()?);
    for (port, end) in &attached {
        if let Attached::Tunnel(socket) = end {
            tokio::spawn(receive(*port, socket.clone(), switch.clone()));
        }
    }
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let served = server.clone().serve(listener, async {
        // A stop that is not sent because this function has ended is one as well.
        let _ = stopped.await;
    });
    tokio::pin!(served);
    let told = told_to_stop();
    tokio::pin!(told);
    let mut tick = tokio::time::interval(TICK);
    loop {
        tokio::select! {
            result = &mut served => {
                result?;
                return Ok(Outcome::Fine);
            }
            Some((port, frame)) = leaving.recv() => forward(&mut attached, &switch, port, &frame),
            _ = tick.tick() => switch.wake(),
            result = &mut told => {
                result?;
                break;
            }
        }
    }
    eprintln!("stopping");
    server.close_streams();
    let _ = stop.send(());
    // Controllers that keep their connections open lose them after that.
    if let Ok(result) = tokio::time::timeout(GRACE, served).await {
        result?;
    }
    Ok(Outcome::Fine)
}

/// The other ends of the ports.
async fn attach(args: &Args) -> anyhow::Result<BTreeMap<u16, Attached>> {
    let mut attached = BTreeMap::new();
    let mut put = |port: u16, end: Attached| {
        if !(1..=args.ports).contains(&port) {
            bail!("there is no port {port}; the switch has ports 1 to {}", args.ports);
        }
        if attached.insert(port, end).is_some() {
            bail!("port {port} is attached twice");
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

/// A frame leaves; one without anything at the other end is lost.
fn forward(attached: &mut BTreeMap<u16, Attached>, switch: &ImmediateSwitch, port: u16, frame: &Frame) {
    match attached.get(&port) {
        Some(Attached::Port(peer)) => switch.receive(*peer, frame.clone()),
        Some(Attached::Tunnel(socket)) => {
            let mut bytes = frame.head.to_vec();
            bytes.resize(frame.len() as usize, 0);
            // UDP may lose it, and so may we.
            let _ = socket.try_send(&bytes);
        }
        None => {}
    }
}

async fn receive(port: u16, socket: Arc<UdpSocket>, switch: Arc<ImmediateSwitch>) {
    let mut buffer = vec![0; FRAME_BYTES];
    loop {
        // An error is that of an earlier datagram which nobody took; the next one may arrive.
        if let Ok(length) = socket.recv(&mut buffer).await {
            switch.receive(port, Frame::new(buffer.get(..length).unwrap_or_default(), 0));
        }
    }
}

/// Ready when the process is told to stop.
async fn told_to_stop() -> std::io::Result<()> {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        result = tokio::signal::ctrl_c() => result,
        _ = terminate.recv() => Ok(()),
    }
}
