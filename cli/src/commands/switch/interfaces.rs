//! Ports on network interfaces, with queues, PFC and ECN in wall-clock time.

use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use model::{Rate, Time};
use p4_switch::tm::{PauseEnd, TmConfig};
use p4_switch::{PacedSwitch, Pacing, Switch};
use p4runtime::proto::p4::v1::ForwardingPipelineConfig;
use p4runtime::server::{Server, ServerTls, event_channel};
use scenario::topology::CPU_PORT;
use scenario::{SwitchPort, SwitchSettings};

use super::configuration::Configuration;
use super::{Args, Serving, parse_manager, server_config};
use crate::Outcome;
use crate::commands::scenario::required_builtin;
use crate::dataplane::{self, Attachment, LiveSwitch};

/// Runs the switch until a signal arrives.
pub(super) async fn run(
    args: Args,
    attachments: &[Attachment],
    configuration: Configuration,
    tls: Option<ServerTls>,
    pipeline: Option<ForwardingPipelineConfig>,
) -> anyhow::Result<Outcome> {
    let ports = dataplane::open(attachments)?;
    let settings: Vec<SwitchPort> = ports.iter().map(|port| port.settings()).collect();
    let tm = match (&args.scenario, &args.node) {
        (Some(name), Some(node)) => scenario_manager(name, node, args.seed, &settings)?,
        _ => traffic_manager(&args, &settings, &configuration.at("tm"))?,
    };
    let switch = args.switch_config(tm);
    let config = server_config(&args, tls.clone(), switch);
    let (sink, events) = event_channel(config.limits.event_queue);
    // What a late call may make up for is a time of the wall clock.
    let catch_up = Time(Pacing::default().catch_up.0 / args.time_scale);
    let pacing = Pacing { catch_up, ..Pacing::default() };
    let paced = PacedSwitch::new(Switch::new(config.switch.clone()), pacing);
    let switch = LiveSwitch::new(paced, sink, clock_start(args.clock_start), args.time_scale)?;
    let server = Server::new(switch.clone(), config, events);
    let serving = Serving::new(server, pipeline, &args, tls.as_ref(), configuration).await?;
    for port in &ports {
        let (number, name, rate) = (port.number, port.interface.name(), port.rate);
        stderr_line!("port {number}: {name}, {rate}, MTU {}", port.interface.mtu());
    }
    let (thread, ended) = dataplane::start(switch.clone(), ports)?;
    let result = serving
        .until_signal(async {
            // Resolves when the thread drops its end, also in a panic.
            let _ = ended.await;
            anyhow!("the thread that moves frames has ended; the log says why")
        })
        .await;
    switch.stop();
    let counted = thread.join().map_err(|_| anyhow!("the thread that moves frames has panicked"))?;
    for (port, counters) in counted {
        let (number, name) = (port.number, port.interface.name());
        stderr_line!(
            "port {number} ({name}): {} frames received, {} sent; dropped by the kernel {}, malformed {}, longer than \
             the MTU {}, not sent {}",
            counters.received,
            counters.sent,
            counters.receive_drops,
            counters.malformed,
            counters.too_long,
            counters.send_drops
        );
    }
    result.map(|()| Outcome::Fine)
}

/// Returns queues, buffers and flow control for the ports. `at` is where the configuration names their file.
fn traffic_manager(args: &Args, ports: &[SwitchPort], at: &str) -> anyhow::Result<TmConfig> {
    let rates: Vec<Rate> = ports.iter().map(|port| port.rate).collect();
    let (mut settings, mut pause_end) = (SwitchSettings::software(&rates), PauseEnd::Quanta);
    if let Some(path) = args.tm.as_deref() {
        (settings, pause_end) = parse_manager(path, settings).with_context(|| at.to_string())?;
    }
    let cpu_port = args.switch_config(TmConfig::lossy([], 0)).cpu_port;
    if ports.iter().any(|port| port.number == cpu_port) {
        bail!("port {cpu_port} is that of the controller and has no interface");
    }
    settings
        .traffic_manager(ports, cpu_port, pause_end, args.device_id())
        .context("the buffers cannot be configured")
}

/// Returns queues, buffers and flow control of a switch of a built-in scenario, whose links must be those of the ports.
fn scenario_manager(name: &str, node: &str, seed: u64, ports: &[SwitchPort]) -> anyhow::Result<TmConfig> {
    let found = required_builtin(name).context("--scenario")?;
    let scenario = found.instance(seed)?;
    let links = scenario.switch_ports(node);
    if links.is_empty() {
        bail!("--node: `{node}` is not a switch of {name}");
    }
    let missing = links.iter().find(|link| ports.iter().all(|port| port.number != link.number));
    if let Some(link) = missing {
        bail!("--port: `{node}` has a link at port {} in {name}; attach an interface to it", link.number);
    }
    let settings = scenario.switch_settings(node);
    settings
        .traffic_manager(&links, CPU_PORT, scenario.pause_end, seed)
        .with_context(|| format!("the buffers of `{node}` cannot be configured"))
}

/// When the switch's clock started: now, or a moment that all switches of a network share.
fn clock_start(unix_ns: Option<u64>) -> Instant {
    let (now, now_ns) = (Instant::now(), crate::nic::unix_ns());
    let passed = unix_ns.map_or(Duration::ZERO, |start| Duration::from_nanos(now_ns.saturating_sub(start)));
    // A moment before the machine's start is not an instant.
    now.checked_sub(passed).unwrap_or(now)
}
