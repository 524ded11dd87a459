//! A P4Runtime server with one switch, for experiments with clients:
//!
//! ```text
//! cargo run -p p4runtime-rs --example p4runtime_server -- 127.0.0.1:9559 1
//! ```
//!
//! The switch has eight ports; 1 is connected to 2, 3 to 4, and so on. It prints its listening
//! address. Clients set pipelines as P4 source.

use model::wire::Frame;
use model::{Rate, Time};
use p4_switch::tm::TmConfig;
use p4_switch::{Switch, SwitchConfig};
use p4runtime::server::{ImmediateSwitch, Server, ServerConfig, event_channel};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

const PORTS: u16 = 8;
/// Maximum number of frames in flight on all links; further ones are lost.
const WIRE_FRAMES: usize = 4096;
/// Interval at which timeouts are processed.
const TICK: Duration = Duration::from_millis(5);

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:9559".into()).parse()?;
    let device_id = arguments.next().unwrap_or_else(|| "1".into()).parse()?;
    let tm = TmConfig::lossy((1..=PORTS).map(|port| (port, Rate::from_gbps(100))), 16 << 20);
    let config = ServerConfig::new(device_id, SwitchConfig::new(tm));
    let (sink, events) = event_channel(config.limits.event_queue);
    let (wire, mut arriving) = mpsc::channel::<(u16, Frame)>(WIRE_FRAMES);
    let start = tokio::time::Instant::now();
    let clock = move || Time::from_ns(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX));
    let transmit = move |port: u16, frame| {
        let peer = if port % 2 == 1 { port + 1 } else { port - 1 };
        let _ = wire.try_send((peer, frame));
    };
    let switch = Arc::new(ImmediateSwitch::new(Switch::new(config.switch.clone()), clock, sink, transmit));
    let handle = Server::new(switch.clone(), config, events).spawn(address).await?;
    println(&format!("listening on {}", handle.address()));
    let mut tick = tokio::time::interval(TICK);
    loop {
        tokio::select! {
            Some((port, frame)) = arriving.recv() => switch.receive(port, frame),
            _ = tick.tick() => switch.wake(),
        }
    }
}

/// Prints a line and flushes it, because scripts that start the server wait for it.
fn println(line: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stdout().lock(), "{line}");
    let _ = std::io::stdout().flush();
}
