//! Measures the time to read registers over loopback:
//!
//! ```text
//! cargo run --release -p p4runtime-rs --example register_read
//! ```
//!
//! The arrays are those of a telemetry program with four epochs of 4096 flow slots and two words of 256 bits each.

use model::{Rate, Time};
use p4_switch::tm::TmConfig;
use p4_switch::{Switch, SwitchConfig};
use p4runtime::client::{Client, ClientConfig, Schema};
use p4runtime::device_config::{SourceBundle, compile};
use p4runtime::p4info;
use p4runtime::server::{ImmediateSwitch, Server, ServerConfig, event_channel};
use std::io::Write;
use std::sync::Arc;

const SOURCE: &str = "
#include <v1model.p4>
struct h {}
struct m {}
parser P(packet_in p, out h a, inout m b, inout standard_metadata_t s) { state start { transition accept; } }
control V(inout h a, inout m b) { apply {} }
control I(inout h a, inout m b, inout standard_metadata_t s) {
    register<bit<256>>(16384) keys;
    register<bit<256>>(16384) counts;
    apply { keys.write(0, 1); counts.write(0, 1); }
}
control E(inout h a, inout m b, inout standard_metadata_t s) { apply {} }
control D(packet_out p, in h a) { apply {} }
V1Switch(P(), V(), I(), E(), V(), D()) main;
";
const ROUNDS: u32 = 20;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config =
        ServerConfig::new(1, SwitchConfig::new(TmConfig::lossy([(1, Rate::from_gbps(100))], 1 << 20)));
    let (sink, events) = event_channel(config.limits.event_queue);
    let switch = ImmediateSwitch::new(Switch::new(config.switch.clone()), || Time::ZERO, sink, |_, _| {});
    let handle = Server::new(Arc::new(switch), config, events).spawn("127.0.0.1:0".parse()?).await?;
    let mut client = Client::connect(&handle.endpoint(), ClientConfig::new(1)).await?;
    let _session = client.become_primary().await?;
    let sources = SourceBundle::single("main.p4", SOURCE);
    let info = p4info::from_program(&compile(&sources)?);
    client.set_pipeline(info.clone(), sources.encode(), 1).await?;
    let schema = Schema::new(info);
    let (keys, counts) = (schema.register("keys")?, schema.register("counts")?);
    let fill = |register: &p4runtime::client::RegisterSchema| {
        let entry = |i: u64| register.entry(i, &[i as u8 | 1; 32]);
        (0..register.size)
            .map(entry)
            .map(p4runtime::proto::p4::v1::entity::Entity::RegisterEntry)
            .collect::<Vec<_>>()
    };
    client.modify(fill(&keys)).await?;
    client.modify(fill(&counts)).await?;
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = tokio::time::Instant::now();
        let read = client
            .read_registers(&[(&keys, (0..keys.size).into()), (&counts, (0..counts.size).into())])
            .await?;
        times.push(start.elapsed());
        assert!(read.iter().all(|array| array.data.len() == 32 * 16384));
    }
    times.sort();
    writeln!(
        std::io::stdout(),
        "32768 elements of 32 bytes: median {:?}, minimum {:?}",
        times[times.len() / 2],
        times[0]
    )?;
    Ok(())
}
