//! `harrier p4 run`: sends captured packets through a program.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Instant;

use anyhow::{Context, anyhow, bail};
use clap::ValueEnum;
use model::wire::Frame;
use model::{Rate, Time};
use p4_switch::tm::TmConfig;
use p4_switch::{Event, Switch, SwitchConfig, stf};
use serde::Serialize;

use super::{Defines, load};
use crate::Outcome;
use crate::capture::{self, Captured};
use crate::input::{fail_with, read_text, write_all};
use crate::output::print_json;

/// Size of the packet buffer. It never fills: every packet leaves before the next one arrives.
const MEMORY_BYTES: u64 = 1 << 30;
/// Ports that always exist: all 9-bit numbers except the CPU port and the drop port.
const PORTS: u16 = 510;

/// Arguments of `harrier p4 run`.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Program: P4-16, or JSON for the reference switch
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,
    /// Table entries, clone sessions and multicast groups as commands of p4c's STF language
    ///
    /// Lines with packets and expected packets are ignored.
    #[arg(long, value_name = "FILE.stf")]
    entries: Option<PathBuf>,
    /// Capture with the packets that arrive at a port (pcap or pcapng); several captures are merged by time
    #[arg(long = "in", required = true, num_args = 1.., value_name = "PORT@FILE.pcap")]
    inputs: Vec<PortFile>,
    /// Capture file for the packets that leave a port
    #[arg(long = "out", num_args = 1.., value_name = "PORT@FILE.pcap")]
    outputs: Vec<PortFile>,
    /// Number of times to send all packets; output captures contain the first repetition
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    repeat: u64,
    /// Execution engine [default: compiled, or interpreter with --trace]
    #[arg(long, value_enum)]
    engine: Option<Engine>,
    /// Write a trace of every packet to a file or stdout (`-`), one JSON object for each step; uses the interpreter
    #[arg(long, value_name = "FILE|-")]
    trace: Option<PathBuf>,
    /// Print counters and speed as JSON on stdout
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    defines: Defines,
}

/// Execution engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Engine {
    /// Compiled bytecode
    Compiled,
    /// Plain interpreter
    Interpreter,
}

impl Engine {
    pub(super) fn of_switch(self) -> p4_switch::Engine {
        match self {
            Engine::Compiled => p4_switch::Engine::Compiled,
            Engine::Interpreter => p4_switch::Engine::Interpreter,
        }
    }

    /// Returns the engine to use. Only the interpreter writes traces.
    pub(super) fn chosen(wanted: Option<Engine>, trace: bool) -> anyhow::Result<Engine> {
        match (wanted, trace) {
            (Some(Engine::Compiled), true) => {
                bail!("--trace requires the interpreter; remove --engine compiled")
            }
            (_, true) => Ok(Engine::Interpreter),
            (wanted, false) => Ok(wanted.unwrap_or(Engine::Compiled)),
        }
    }
}

/// `PORT@FILE`.
#[derive(Clone, Debug)]
struct PortFile {
    port: u16,
    path: PathBuf,
}

impl FromStr for PortFile {
    type Err = String;

    fn from_str(text: &str) -> Result<PortFile, String> {
        let (port, path) =
            text.split_once('@').filter(|(_, path)| !path.is_empty()).ok_or("expected PORT@FILE")?;
        let port = port.parse().map_err(|_| format!("`{port}` is not a port number"))?;
        Ok(PortFile { port, path: PathBuf::from(path) })
    }
}

/// A packet that arrives at the switch.
struct Arrival {
    port: u16,
    at: Time,
    frame: Frame,
}

/// Counters of a port over all repetitions.
#[derive(Default, Serialize)]
struct PortCount {
    received: u64,
    transmitted: u64,
    /// Packets that arrived here and were dropped, by reason.
    dropped: BTreeMap<&'static str, u64>,
    /// Packets of the first repetition that left a port without an `--out` file.
    not_written: u64,
}

#[derive(Serialize)]
struct Report {
    program: String,
    engine: &'static str,
    repeat: u64,
    packets: u64,
    transmitted: u64,
    dropped: u64,
    seconds: f64,
    packets_per_second: f64,
    ports: BTreeMap<u16, PortCount>,
}

/// The state of the forwarding loop.
struct Forwarding {
    switch: Switch,
    ports: BTreeMap<u16, PortCount>,
    sent: BTreeMap<u16, Vec<Captured>>,
    events: Vec<Event>,
    trace: Option<Box<dyn Write>>,
}

/// Runs the command.
pub(super) fn execute(args: &Args) -> anyhow::Result<Outcome> {
    let engine = Engine::chosen(args.engine, args.trace.is_some())?;
    let trace_to_stdout = args.trace.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if args.json && trace_to_stdout {
        bail!("--json and --trace - both write to stdout; write the trace to a file");
    }
    check_outputs(&args.outputs)?;
    let (program, _) = load(&args.program, &args.defines)?;
    let program = std::sync::Arc::new(program);
    let (start_ns, arrivals) = read_inputs(&args.inputs)?;
    let named = args.inputs.iter().chain(&args.outputs).map(|file| file.port).filter(|port| *port >= PORTS);
    let ports = (0..PORTS).chain(named).map(|port| (port, Rate::from_gbps(100)));
    let mut config = SwitchConfig::new(TmConfig::lossy(ports, MEMORY_BYTES));
    config.engine = engine.of_switch();
    config.trace = args.trace.is_some();
    let mut switch = Switch::new(config);
    switch.load(program).with_context(|| args.program.display().to_string())?;
    if let Some(path) = &args.entries {
        configure(&mut switch, path)?;
    }
    let trace: Option<Box<dyn Write>> = match &args.trace {
        None => None,
        Some(_) if trace_to_stdout => Some(Box::new(std::io::BufWriter::new(std::io::stdout()))),
        Some(path) => {
            let file =
                std::fs::File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
            Some(Box::new(std::io::BufWriter::new(file)))
        }
    };
    let mut forwarding =
        Forwarding { switch, ports: BTreeMap::new(), sent: BTreeMap::new(), events: Vec::new(), trace };
    let seconds = forwarding.all(&arrivals, args.repeat, start_ns)?;
    forwarding.finish(args, engine, arrivals.len() as u64, seconds)
}

/// Rejects a port with two files, and a file for two ports.
fn check_outputs(outputs: &[PortFile]) -> anyhow::Result<()> {
    for (index, file) in outputs.iter().enumerate() {
        for other in &outputs[..index] {
            if file.port == other.port {
                bail!("--out: port {} is specified twice", file.port);
            }
            if file.path == other.path {
                bail!("--out: {} is specified for two ports", file.path.display());
            }
        }
    }
    Ok(())
}

/// Reads all captures. Packets are ordered by time; packets with the same time stay in the order of the files.
fn read_inputs(inputs: &[PortFile]) -> anyhow::Result<(u64, Vec<Arrival>)> {
    let mut packets: Vec<(u16, Captured)> = Vec::new();
    let mut problems = Vec::new();
    for input in inputs {
        let read = std::fs::read(&input.path)
            .map_err(|error| format!("cannot read {}: {error}", input.path.display()))
            .and_then(|bytes| {
                capture::read(&bytes).map_err(|problem| format!("{}: {problem}", input.path.display()))
            });
        match read {
            Ok(capture) => {
                if capture.cut > 0 {
                    let (path, cut) = (input.path.display(), capture.cut);
                    eprintln!(
                        "{path}: {cut} packets were truncated by the capture; the missing bytes are zero"
                    );
                }
                packets.extend(capture.packets.into_iter().map(|packet| (input.port, packet)));
            }
            Err(problem) => problems.push(problem),
        }
    }
    fail_with("captures", &problems)?;
    packets.sort_by_key(|(_, packet)| packet.time_ns);
    let start_ns = packets.first().map_or(0, |(_, packet)| packet.time_ns);
    let arrival = |(port, packet): (u16, Captured)| Arrival {
        port,
        at: Time(packet.time_ns.saturating_sub(start_ns).saturating_mul(1_000)),
        frame: packet.frame,
    };
    Ok((start_ns, packets.into_iter().map(arrival).collect()))
}

fn configure(switch: &mut Switch, path: &std::path::Path) -> anyhow::Result<()> {
    let text = read_text(path)?;
    let done = stf::configure(switch, &text).map_err(|failures| {
        let lines: Vec<String> = failures.iter().map(|f| format!("{}: {f}", path.display())).collect();
        anyhow!("{}", lines.join("\n       "))
    })?;
    for line in &done.output {
        eprintln!("{line}");
    }
    if done.ignored > 0 {
        eprintln!("{}: {} lines with packets are ignored", path.display(), done.ignored);
    }
    Ok(())
}

impl Forwarding {
    /// Sends all packets through the switch `repeat` times. Returns the elapsed seconds.
    fn all(&mut self, arrivals: &[Arrival], repeat: u64, start_ns: u64) -> anyhow::Result<f64> {
        // A repetition begins a microsecond after the end of the previous one.
        let span = arrivals.last().map_or(Time::ZERO, |last| last.at + Time::from_us(1));
        let mut begin = Time::ZERO;
        let clock = Instant::now();
        for turn in 0..repeat {
            for arrival in arrivals {
                self.receive(begin, arrival, (turn == 0).then_some(start_ns))?;
            }
            self.wait_for_queues((turn == 0).then_some(start_ns))?;
            begin = Time(begin.0.saturating_add(span.0));
        }
        let seconds = clock.elapsed().as_secs_f64();
        if let Some(trace) = &mut self.trace {
            trace.flush().context("cannot write the trace")?;
        }
        Ok(seconds)
    }

    fn receive(&mut self, begin: Time, arrival: &Arrival, keep: Option<u64>) -> anyhow::Result<()> {
        let now = Time(begin.0.saturating_add(arrival.at.0));
        while let Some(due) = self.switch.next_wake().filter(|due| *due <= now) {
            self.switch.wake(due);
            self.settle(due, keep)?;
        }
        self.ports.entry(arrival.port).or_default().received += 1;
        self.switch.receive(now, arrival.port, arrival.frame.clone());
        self.settle(now, keep)
    }

    /// Advances time until paused queues have drained.
    fn wait_for_queues(&mut self, keep: Option<u64>) -> anyhow::Result<()> {
        while self.switch.traffic_manager().totals().waiting_bytes > 0 {
            let Some(due) = self.switch.next_wake() else { return Ok(()) };
            self.switch.wake(due);
            self.settle(due, keep)?;
        }
        Ok(())
    }

    /// Processes all events and transmits packets. With `keep`, the time of the first packet, transmitted packets are
    /// kept for the output captures.
    fn settle(&mut self, now: Time, keep: Option<u64>) -> anyhow::Result<()> {
        while self.switch.has_events() {
            let mut events = std::mem::take(&mut self.events);
            self.switch.drain_events(&mut events);
            for event in events.drain(..) {
                match event {
                    Event::PortReady(port) => {
                        while let Some(frame) = self.switch.transmit(now, port) {
                            self.transmitted(now, port, frame, keep);
                        }
                    }
                    Event::PacketIn { frame, .. } => {
                        let port = self.switch.config().cpu_port;
                        self.transmitted(now, port, frame, keep);
                    }
                    Event::Dropped { ingress_port, reason, .. } => {
                        let port = self.ports.entry(ingress_port).or_default();
                        *port.dropped.entry(reason.name()).or_default() += 1;
                    }
                    Event::Log { text, .. } if keep.is_some() => eprintln!("{text}"),
                    Event::AssertFailed { text, .. } if keep.is_some() => {
                        eprintln!("assertion failed: {text}")
                    }
                    _ => {}
                }
            }
            self.events = events;
        }
        if let Some(trace) = &mut self.trace {
            for record in self.switch.take_trace() {
                serde_json::to_writer(&mut *trace, &record).context("cannot write the trace")?;
                trace.write_all(b"\n").context("cannot write the trace")?;
            }
        }
        Ok(())
    }

    fn transmitted(&mut self, now: Time, port: u16, frame: Frame, keep: Option<u64>) {
        self.ports.entry(port).or_default().transmitted += 1;
        if let Some(start_ns) = keep {
            let time_ns = start_ns.saturating_add(now.as_ns());
            self.sent.entry(port).or_default().push(Captured { time_ns, frame });
        }
    }

    /// Writes the output captures and the report.
    fn finish(mut self, args: &Args, engine: Engine, arrivals: u64, seconds: f64) -> anyhow::Result<Outcome> {
        let mut files = Vec::new();
        for output in &args.outputs {
            let packets = self.sent.remove(&output.port).unwrap_or_default();
            files.push((output.path.as_path(), capture::write(&packets)?));
        }
        write_all(&files)?;
        for (port, packets) in &self.sent {
            let count = packets.len();
            eprintln!("port {port}: {count} packets left without an --out file");
            self.ports.entry(*port).or_default().not_written = count as u64;
        }
        let packets = arrivals.saturating_mul(args.repeat);
        let counters = self.switch.counters();
        let report = Report {
            program: args.program.display().to_string(),
            engine: if engine == Engine::Compiled { "compiled" } else { "interpreter" },
            repeat: args.repeat,
            packets,
            transmitted: counters.transmitted,
            dropped: counters.dropped(),
            seconds,
            packets_per_second: if seconds > 0.0 { packets as f64 / seconds } else { 0.0 },
            ports: self.ports,
        };
        if counters.trace_lost > 0 {
            eprintln!("the trace lacks {} steps", counters.trace_lost);
        }
        if args.json {
            print_json(&report)?;
        } else {
            eprintln!(
                "{} packets in, {} out, {} dropped; {:.0} packets/s",
                report.packets, report.transmitted, report.dropped, report.packets_per_second
            );
        }
        Ok(Outcome::Fine)
    }
}
