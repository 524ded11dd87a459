//! The loop of a NIC: waits for frames and for the next event of its host, whichever comes first.

#![allow(clippy::disallowed_types, reason = "holds the RoCEv2 ports, at the edge")]

use std::net::{Ipv4Addr, UdpSocket};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use fabric::Fabric;
use model::wire::ROCE_V2_PORT;
use model::{PortRef, Time};
use net::{Options, Port};
use scenario::nic::Operation;
use scenario::{FlowSpec, Scenario};

use super::control::{self, FlowState, Pending, Reply, Request};
use super::portal::{Portal, is_for_nic};

/// Longest wait, so that requests are handled soon.
const MAX_WAIT: Duration = Duration::from_millis(10);
/// Interval at which the interface is looked at.
const LINK_INTERVAL: Duration = Duration::from_secs(1);
/// The time of an event that does not happen.
const NEVER: Time = Time(u64::MAX / 4);

/// Which host, and where.
#[derive(Clone, Debug)]
pub(crate) struct NicOptions {
    /// The scenario's instance.
    pub(crate) scenario: Scenario,
    /// Its seed.
    pub(crate) seed: u64,
    /// The host.
    pub(crate) host: String,
    /// The interface.
    pub(crate) interface: String,
    /// How many ns of wall-clock time a ns of the scenario lasts.
    pub(crate) time_scale: u64,
    /// The control socket.
    pub(crate) control: PathBuf,
}

/// Runs a NIC until the process ends.
pub(crate) fn run(options: &NicOptions) -> anyhow::Result<()> {
    let mut port = Port::open(&options.interface, &Options::default())?;
    let mut roce_ports = options.scenario.roce_ports();
    roce_ports.push(ROCE_V2_PORT);
    let _sinks = hold_ports(&roce_ports)?;
    let attachment = attachment(options)?;
    let requests = control::listen(&options.control)?;
    // Programs that start the NIC wait for this line.
    stdout_line!("ready: {} of {} on {}", options.host, options.scenario.name, options.interface)?;
    let mut running: Option<Running> = None;
    let mut ready = Vec::new();
    let mut looked_at = Instant::now();
    loop {
        // Another interface may have got the name.
        if looked_at.elapsed() >= LINK_INTERVAL {
            looked_at = Instant::now();
            port.refresh();
        }
        handle_requests(&requests, options, &attachment, &mut running)?;
        let mut received = Vec::new();
        let mut keep = |frame: net::Received<'_>| {
            if is_for_nic(frame.bytes, &roce_ports) {
                received.push(frame.bytes.to_vec());
            }
        };
        // An interface that is down receives again when it is up.
        let is_more = port.receive(&mut keep).unwrap_or(false);
        let wait = match &mut running {
            Some(running) => {
                let frames = running.advance(&attachment, &received);
                port.send(&frames);
                running.next_wait()
            }
            None => MAX_WAIT,
        };
        if !is_more {
            net::wait(&[port.as_fd()], Some(wait), &mut ready)?;
        }
    }
}

/// Holds the RoCEv2 ports, so that the kernel does not answer with ICMP port unreachable. Nothing is read: what does not
/// fit into the smallest buffer is dropped.
fn hold_ports(ports: &[u16]) -> anyhow::Result<Vec<UdpSocket>> {
    let bind = |port: &u16| {
        UdpSocket::bind((Ipv4Addr::UNSPECIFIED, *port)).with_context(|| {
            format!(
                "UDP port {port} is in use; a NIC needs it so that the kernel does not reject RoCEv2 packets"
            )
        })
    };
    ports.iter().map(bind).collect()
}

/// The switch port of the host's link.
fn attachment(options: &NicOptions) -> anyhow::Result<PortRef> {
    let topology = &options.scenario.topology;
    let ports = topology.ports_of(&options.host);
    match ports.as_slice() {
        [(_, peer)] if topology.is_host(&options.host) => Ok((*peer).clone()),
        _ => bail!("`{}` is not a host of {} with one link", options.host, options.scenario.name),
    }
}

fn handle_requests(
    requests: &Receiver<Pending>,
    options: &NicOptions,
    attachment: &PortRef,
    running: &mut Option<Running>,
) -> anyhow::Result<()> {
    while let Ok(Pending { request, reply }) = requests.try_recv() {
        match request {
            Request::Start { at_unix_ns, flows, faults, first_psn } => {
                let start = Start { at_unix_ns, flows, faults, first_psn };
                *running = Some(Running::new(options, attachment, start)?);
            }
            Request::Faults => match running {
                Some(running) => running.fabric.start_faults(),
                None => {
                    let start = Start { at_unix_ns: unix_ns(), flows: false, faults: false, first_psn: 0 };
                    let mut started = Running::new(options, attachment, start)?;
                    started.fabric.start_faults();
                    *running = Some(started);
                }
            },
            Request::Status => {}
        }
        let flows = running.as_ref().map(Running::flows).unwrap_or_default();
        // A client that does not wait for the reply needs none.
        let _ = reply.try_send(Reply { flows });
    }
    Ok(())
}

/// What starts, as in [`Request::Start`].
struct Start {
    at_unix_ns: u64,
    flows: bool,
    faults: bool,
    first_psn: u32,
}

/// A host with its traffic.
struct Running {
    fabric: Fabric<Portal>,
    zero: Instant,
    time_scale: u64,
    own_flows: Vec<bool>,
}

impl Running {
    fn new(
        options: &NicOptions,
        attachment: &PortRef,
        Start { at_unix_ns, flows: with_flows, faults: with_faults, first_psn }: Start,
    ) -> anyhow::Result<Running> {
        let mut scenario = options.scenario.clone();
        // Other hosts and the network are real; only what this host does is left.
        let own_flows: Vec<bool> = scenario.flows.iter().map(|flow| sender(flow) == options.host).collect();
        for (flow, is_own) in scenario.flows.iter_mut().zip(&own_flows) {
            if !(*is_own && with_flows) {
                (flow.start, flow.start_jitter) = (NEVER, Time::ZERO);
            }
        }
        scenario.faults.retain(|fault| fault.host == options.host);
        if !with_faults {
            let held = scenario.faults.iter_mut();
            held.for_each(|fault| (fault.start, fault.start_jitter) = (NEVER, Time::ZERO));
        }
        scenario.routing.failures.clear();
        scenario.loss_ppt.clear();
        let mut fabric = Fabric::new(&scenario, options.seed, |_, _| Portal::default())?;
        if let Some(portal) = fabric.switch_mut(&attachment.switch) {
            portal.attach(attachment.port, first_psn);
        }
        let (now, unix_ns) = (Instant::now(), unix_ns());
        let zero = match at_unix_ns.checked_sub(unix_ns) {
            Some(ahead) => now + Duration::from_nanos(ahead),
            None => now.checked_sub(Duration::from_nanos(unix_ns - at_unix_ns)).unwrap_or(now),
        };
        Ok(Running { fabric, zero, time_scale: options.time_scale.max(1), own_flows })
    }

    /// The network time.
    fn now(&self) -> Time {
        let passed_ns = Instant::now().saturating_duration_since(self.zero).as_nanos();
        Time(u64::try_from(passed_ns * 1000 / u128::from(self.time_scale)).unwrap_or(u64::MAX))
    }

    /// Processes received frames and all events that are due. Returns the frames to send.
    fn advance(&mut self, attachment: &PortRef, received: &[Vec<u8>]) -> Vec<model::wire::Frame> {
        let now = self.now();
        self.fabric.run_until(now);
        if let Some(portal) = self.fabric.switch_mut(&attachment.switch) {
            received.iter().for_each(|bytes| portal.push(bytes));
        }
        self.fabric.poll_switches();
        self.fabric.run_until(now);
        // Nothing reads them here.
        self.fabric.take_notices();
        self.fabric.take_pauses();
        self.fabric.switch_mut(&attachment.switch).map(Portal::take).unwrap_or_default()
    }

    /// Time until the next event.
    fn next_wait(&self) -> Duration {
        let Some(next) = self.fabric.next_time() else { return MAX_WAIT };
        let wall_ns = u128::from(next.0) * u128::from(self.time_scale) / 1000;
        let due = self.zero + Duration::from_nanos(u64::try_from(wall_ns).unwrap_or(u64::MAX / 2));
        due.saturating_duration_since(Instant::now()).min(MAX_WAIT)
    }

    fn flows(&self) -> Vec<FlowState> {
        let records = self.fabric.flows().into_iter().zip(&self.own_flows).filter(|(_, is_own)| **is_own);
        let state = |record: fabric::FlowRecord| FlowState {
            label: record.label,
            flow: record.flow.to_string(),
            bytes: record.bytes,
            acknowledged_bytes: record.acknowledged_bytes,
            finish_ns: record.finish.map(Time::as_ns),
        };
        records.map(|(record, _)| state(record)).collect()
    }
}

/// The wall-clock time in ns since 1970.
pub(crate) fn unix_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64)
}

/// The host that sends a flow's data.
fn sender(flow: &FlowSpec) -> &str {
    if flow.messages.operation == Operation::Read { &flow.dst } else { &flow.src }
}
