//! The loop of an endpoint.

#![allow(clippy::disallowed_types, reason = "holds the RoCEv2 port, at the edge")]

use std::net::{IpAddr, UdpSocket};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use model::wire::{Frame, ROCE_V2_PORT};
use model::{Rate, Time};
use net::{Bell, Options, Port, wait};
use nic::{Endpoint, Fault, Identity, Report, Settings};
use scenario::nic::ROCE_V4_BYTES;

use super::neighbours::Neighbours;
use super::request::{Clients, Inbox, Message, Request, inbox};

/// Longest wait for frames.
const MAX_WAIT: Duration = Duration::from_millis(200);
/// Bytes of a RoCEv2 packet that are neither payload nor Ethernet header, with a RETH, rounded up; over IPv6.
const OVERHEAD_BYTES: u32 = ROCE_V4_BYTES + 24;

/// What an endpoint is.
#[derive(Clone, Debug)]
pub(crate) struct EndpointOptions {
    /// The interface.
    pub(crate) interface: String,
    /// Its address.
    pub(crate) address: IpAddr,
    /// The rate at which it sends; absent: the speed of the interface.
    pub(crate) rate: Option<Rate>,
    /// Payload bytes of a packet.
    pub(crate) payload_bytes: u32,
    /// The MAC addresses of others.
    pub(crate) neighbours: Neighbours,
    /// A fault from the start.
    pub(crate) faults: Vec<Fault>,
    /// Unix socket for requests, beside stdin.
    pub(crate) control: Option<PathBuf>,
    /// Whether it ends when stdin has ended and no flow is left.
    pub(crate) exit_when_done: bool,
}

/// Runs an endpoint until a signal arrives, or until it is done.
pub(crate) fn run(options: &EndpointOptions) -> anyhow::Result<()> {
    let port = Port::open(&options.interface, &Options::default())?;
    let rate = match options.rate {
        Some(rate) => rate,
        None => port.speed()?.with_context(|| {
            format!("the speed of {} is not known; add --rate, e.g. --rate 10G", options.interface)
        })?,
    };
    anyhow::ensure!(
        options.payload_bytes + OVERHEAD_BYTES <= port.mtu(),
        "--payload {}: packets would be longer than the MTU {} of {}",
        options.payload_bytes,
        port.mtu(),
        options.interface
    );
    // Without it the kernel answers data with ICMP port unreachable; nothing is read from it. An address that the
    // kernel does not have needs no socket.
    let _socket = UdpSocket::bind((options.address, ROCE_V2_PORT)).ok();
    let bell = Arc::new(Bell::new()?);
    let stop = stop_on_signal(bell.clone())?;
    let (requests, messages) = inbox(bell.clone());
    if let Some(path) = &options.control {
        requests.listen(path)?;
    }
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    let identity = Identity {
        address: options.address,
        mac: port.address(),
        rate,
        first_queue_pair: (seed / 1_000) as u32 & 0xff_ffff,
    };
    let settings = Settings { payload_bytes: options.payload_bytes, ..Settings::software(rate) };
    let mut endpoint = Endpoint::new(identity, settings);
    options.faults.iter().for_each(|fault| endpoint.begin_fault(Time::ZERO, *fault));
    // Programs that start the endpoint wait for this line.
    let ready = serde_json::json!({
        "event": "ready", "interface": options.interface, "address": options.address, "rate_bps": rate.0,
    });
    stdout_line!("{ready}")?;
    read_requests(&requests)?;
    net::set_precise_timers();
    let live = Live {
        endpoint,
        port,
        neighbours: options.neighbours.clone(),
        messages,
        bell,
        clients: Clients::default(),
        start: Instant::now(),
        has_input: true,
        exit_when_done: options.exit_when_done,
    };
    let result = live.run(&stop);
    if let Some(path) = &options.control {
        let _ = std::fs::remove_file(path);
    }
    result
}

fn read_requests(requests: &Inbox) -> anyhow::Result<()> {
    requests.read_stdin().context("cannot start a thread")
}

/// Sets the returned flag and rings the bell when the process receives SIGINT or SIGTERM.
fn stop_on_signal(bell: Arc<Bell>) -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let wait = move || {
        runtime.block_on(async {
            let Ok(mut terminate) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
            else {
                return;
            };
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            flag.store(true, Ordering::Release);
            bell.ring();
        });
    };
    std::thread::Builder::new().name("signals".into()).spawn(wait).context("cannot start a thread")?;
    Ok(stop)
}

/// A running endpoint.
struct Live {
    endpoint: Endpoint,
    port: Port,
    neighbours: Neighbours,
    messages: Receiver<Message>,
    bell: Arc<Bell>,
    clients: Clients,
    start: Instant,
    has_input: bool,
    exit_when_done: bool,
}

impl Live {
    fn now(&self) -> Time {
        Time(u64::try_from(self.start.elapsed().as_nanos() * 1_000).unwrap_or(u64::MAX))
    }

    fn run(mut self, stop: &AtomicBool) -> anyhow::Result<()> {
        let (mut frames, mut ready): (Vec<Frame>, _) = (Vec::new(), Vec::new());
        while !stop.load(Ordering::Acquire) {
            let now = self.now();
            let endpoint = &mut self.endpoint;
            // An interface that is down receives again when it is up.
            let is_more = self.port.receive(|frame| endpoint.receive(now, frame.bytes)).unwrap_or(false);
            self.take_messages(now);
            self.endpoint.advance(now, |frame| frames.push(frame));
            self.port.send(&frames);
            frames.clear();
            self.print_reports();
            if self.exit_when_done && !self.has_input && self.endpoint.sending() == 0 {
                break;
            }
            if is_more {
                continue;
            }
            let due = self.endpoint.next_due(now).map_or(MAX_WAIT, |due| {
                Duration::from_nanos(due.saturating_sub(self.now()).as_ns()).min(MAX_WAIT)
            });
            wait(&[self.bell.as_fd(), self.port.as_fd()], Some(due), &mut ready)?;
            if ready.first().is_some_and(|bell| bell.readable) {
                self.bell.clear();
            }
        }
        let now = self.now();
        self.endpoint.end_faults(now);
        self.endpoint.advance(now, |frame| frames.push(frame));
        self.port.send(&frames);
        self.endpoint.report_status(now);
        self.print_reports();
        Ok(())
    }

    fn take_messages(&mut self, now: Time) {
        while let Ok(message) = self.messages.try_recv() {
            match message {
                Message::Client(stream) => self.clients.add(stream),
                Message::EndOfInput => self.has_input = false,
                Message::Request(request) => {
                    if let Err(error) = request.and_then(|request| self.handle(now, request)) {
                        self.print(&serde_json::json!({ "event": "error", "message": error }).to_string());
                    }
                }
            }
        }
    }

    fn handle(&mut self, now: Time, request: Request) -> Result<(), String> {
        match request {
            Request::Flow(flow) => {
                let flow = flow.checked()?;
                let mac = self.neighbours.mac(flow.to);
                self.endpoint.start(now, &flow, mac).map(drop).map_err(|error| error.to_string())
            }
            Request::Stop(id) if self.endpoint.stop(now, id) => Ok(()),
            Request::Stop(id) => Err(format!("no flow {id} is being sent")),
            Request::Fault(fault) => {
                self.endpoint.begin_fault(now, fault.checked()?);
                Ok(())
            }
            Request::EndFaults {} => {
                self.endpoint.end_faults(now);
                Ok(())
            }
            Request::Status {} => {
                self.endpoint.report_status(now);
                Ok(())
            }
        }
    }

    fn print_reports(&mut self) {
        for report in self.endpoint.take_reports() {
            self.print(&line(&report));
        }
    }

    fn print(&mut self, line: &str) {
        // Clients of the socket receive it whether or not stdout has a reader.
        let _ = stdout_line!("{line}");
        self.clients.send(line);
    }
}

fn line(report: &Report) -> String {
    serde_json::to_string(report)
        .unwrap_or_else(|error| format!("{{\"event\":\"error\",\"message\":\"{error}\"}}"))
}
