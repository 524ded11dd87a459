//! Ports without interfaces: cables between ports, and tunnels that carry one frame in each UDP datagram. The links are
//! never busy, so frames do not queue.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use model::wire::Frame;
use model::{Rate, Time};
use p4_switch::Switch;
use p4_switch::tm::TmConfig;
use p4runtime::proto::p4::v1::ForwardingPipelineConfig;
use p4runtime::server::{ImmediateSwitch, Server, ServerTls, event_channel};
use tokio::net::UdpSocket;
use tokio::sync::mpsc;

use super::configuration::Configuration;
use super::{Args, Serving, server_config};
use crate::Outcome;
use crate::switch_ports::{Cable, Tunnel};

/// Maximum frames on their way out of the switch; further ones are dropped.
const WIRE_FRAMES: usize = 4096;
/// Maximum length of a frame from a tunnel.
const FRAME_BYTES: usize = 16 << 10;
/// Interval at which the switch checks its timeouts.
const TICK: Duration = Duration::from_millis(5);
/// Size of the packet buffer.
const MEMORY_BYTES: u64 = 16 << 20;

/// The other end of a port.
enum End {
    Port(u16),
    Tunnel(Arc<UdpSocket>),
}

/// Runs the switch until a signal arrives.
pub(super) async fn run(
    args: Args,
    tunnels: &[Tunnel],
    configuration: Configuration,
    tls: Option<ServerTls>,
    pipeline: Option<ForwardingPipelineConfig>,
) -> anyhow::Result<Outcome> {
    let ends = attach(&args, tunnels).await?;
    let tm = TmConfig::lossy((1..=args.ports()).map(|port| (port, Rate::from_gbps(100))), MEMORY_BYTES);
    let switch = args.switch_config(tm);
    let config = server_config(&args, tls.clone(), switch);
    let (sink, events) = event_channel(config.limits.event_queue);
    let (wire, leaving) = mpsc::channel::<(u16, Frame)>(WIRE_FRAMES);
    let start = tokio::time::Instant::now();
    let clock = move || Time::from_ns(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX));
    // Frames above the limit are dropped.
    let transmit = move |port: u16, frame| drop(wire.try_send((port, frame)));
    let switch = Arc::new(ImmediateSwitch::new(Switch::new(config.switch.clone()), clock, sink, transmit));
    let server = Server::new(switch.clone(), config, events);
    let serving = Serving::new(server, pipeline, &args, tls.as_ref(), configuration).await?;
    for (port, end) in &ends {
        if let End::Tunnel(socket) = end {
            tokio::spawn(receive(*port, socket.clone(), switch.clone()));
        }
    }
    serving.until_signal(async { match move_frames(ends, leaving, switch).await {} }).await?;
    Ok(Outcome::Fine)
}

/// Forwards frames that leave the switch, and wakes it for its timers.
async fn move_frames(
    mut ends: BTreeMap<u16, End>,
    mut leaving: mpsc::Receiver<(u16, Frame)>,
    switch: Arc<ImmediateSwitch>,
) -> Infallible {
    let mut tick = tokio::time::interval(TICK);
    loop {
        tokio::select! {
            Some((port, frame)) = leaving.recv() => forward(&mut ends, &switch, port, &frame),
            _ = tick.tick() => switch.wake(),
        }
    }
}

/// Connects the ports.
async fn attach(args: &Args, tunnels: &[Tunnel]) -> anyhow::Result<BTreeMap<u16, End>> {
    let mut attached = BTreeMap::new();
    let mut put = |port: u16, end: End| {
        if !(1..=args.ports()).contains(&port) {
            bail!("no port {port}; the switch has ports 1 to {}", args.ports());
        }
        if attached.insert(port, end).is_some() {
            bail!("port {port} is connected twice");
        }
        Ok(())
    };
    for Cable(a, b) in &args.cables {
        put(*a, End::Port(*b))?;
        put(*b, End::Port(*a))?;
    }
    for tunnel in tunnels {
        let socket = UdpSocket::bind(tunnel.local)
            .await
            .with_context(|| format!("port {}: cannot bind {}", tunnel.port, tunnel.local))?;
        socket.connect(tunnel.remote).await.with_context(|| format!("port {}", tunnel.port))?;
        put(tunnel.port, End::Tunnel(Arc::new(socket)))?;
    }
    Ok(attached)
}

/// Forwards a frame to the other end of its port. A frame on an unconnected port is dropped.
fn forward(attached: &mut BTreeMap<u16, End>, switch: &ImmediateSwitch, port: u16, frame: &Frame) {
    match attached.get(&port) {
        Some(End::Port(peer)) => switch.receive(*peer, frame.clone()),
        Some(End::Tunnel(socket)) => {
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
