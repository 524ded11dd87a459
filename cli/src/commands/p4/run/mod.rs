//! `harrier p4 run`: sends captured packets through a program.

mod arrivals;
mod departures;

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
use crate::input::read_text;
use crate::output::print_json;
use arrivals::{Arrival, Arrivals};
use departures::Departures;

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
pub(crate) enum Engine {
    /// Machine code; bytecode where there is none
    Compiled,
    /// Optimised bytecode
    Bytecode,
    /// Plain interpreter
    Interpreter,
}

impl Engine {
    pub(crate) fn of_switch(self) -> p4_switch::Engine {
        match self {
            Engine::Compiled => p4_switch::Engine::MachineCode,
            Engine::Bytecode => p4_switch::Engine::Bytecode,
            Engine::Interpreter => p4_switch::Engine::Interpreter,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Engine::Compiled => "compiled",
            Engine::Bytecode => "bytecode",
            Engine::Interpreter => "interpreter",
        }
    }

    /// Returns the engine to use. Only the interpreter writes traces.
    pub(super) fn chosen(wanted: Option<Engine>, trace: bool) -> anyhow::Result<Engine> {
        match (wanted, trace) {
            (Some(engine @ (Engine::Compiled | Engine::Bytecode)), true) => {
                bail!("--trace requires the interpreter; remove --engine {}", engine.name())
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
struct Forwarding<'a> {
    switch: Switch,
    ports: BTreeMap<u16, PortCount>,
    departures: Departures<'a>,
    /// Time of the first packet since 1970, in the first repetition, whose packets are written.
    written_from_ns: Option<u64>,
    events: Vec<Event>,
    trace: Option<Box<dyn Write>>,
}

/// Runs the command.
pub(super) fn execute(args: &Args) -> anyhow::Result<Outcome> {
    let mut engine = Engine::chosen(args.engine, args.trace.is_some())?;
    let trace_to_stdout = args.trace.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if args.json && trace_to_stdout {
        bail!("--json and --trace - both write to stdout; write the trace to a file");
    }
    check_outputs(&args.outputs)?;
    let (program, _) = load(&args.program, &args.defines)?;
    let program = std::sync::Arc::new(program);
    let mut arrivals = Arrivals::open(&args.inputs)?;
    let named = args.inputs.iter().chain(&args.outputs).map(|file| file.port).filter(|port| *port >= PORTS);
    let ports = (0..PORTS).chain(named).map(|port| (port, Rate::from_gbps(100)));
    let mut config = SwitchConfig::new(TmConfig::lossy(ports, MEMORY_BYTES));
    config.engine = engine.of_switch();
    config.trace = args.trace.is_some();
    let in_program = || args.program.display().to_string();
    let prepared = config.prepare(program).with_context(in_program)?;
    if let Some(reason) = prepared.why_bytecode() {
        stderr_line!("{}: runs as bytecode: {reason}", in_program());
        engine = Engine::Bytecode;
    }
    let mut switch = Switch::new(config);
    switch.load_prepared(&prepared).with_context(in_program)?;
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
    let mut forwarding = Forwarding {
        switch,
        ports: BTreeMap::new(),
        departures: Departures::create(&args.outputs)?,
        written_from_ns: Some(arrivals.start_ns),
        events: Vec::new(),
        trace,
    };
    let seconds = forwarding.all(&mut arrivals, args.repeat)?;
    forwarding.finish(args, engine, arrivals.count, seconds)
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

fn configure(switch: &mut Switch, path: &std::path::Path) -> anyhow::Result<()> {
    let text = read_text(path)?;
    let done = stf::configure(switch, &text).map_err(|failures| {
        let lines: Vec<String> = failures.iter().map(|f| format!("{}: {f}", path.display())).collect();
        anyhow!("{}", lines.join("\n       "))
    })?;
    for line in &done.output {
        stderr_line!("{line}");
    }
    if done.ignored > 0 {
        stderr_line!("{}: {} lines with packets are ignored", path.display(), done.ignored);
    }
    Ok(())
}

impl Forwarding<'_> {
    /// Sends all packets through the switch `repeat` times. Returns the seconds that forwarding took, without reading and
    /// writing captures.
    fn all(&mut self, arrivals: &mut Arrivals<'_>, repeat: u64) -> anyhow::Result<f64> {
        // A repetition begins a microsecond after the end of the previous one.
        let span = if arrivals.count == 0 { Time::ZERO } else { arrivals.end() + Time::from_us(1) };
        let (mut begin, mut seconds, mut batch) = (Time::ZERO, 0.0, Vec::new());
        for turn in 0..repeat {
            // All packets may be in one batch, which is then read once.
            if turn == 0 || batch.len() as u64 != arrivals.count {
                arrivals.rewind()?;
                arrivals.fill(&mut batch)?;
            }
            let mut left = arrivals.count;
            while !batch.is_empty() {
                seconds += self.batch(begin, &batch)?;
                left = left.saturating_sub(batch.len() as u64);
                if left == 0 {
                    break;
                }
                arrivals.fill(&mut batch)?;
            }
            let clock = Instant::now();
            self.wait_for_queues()?;
            seconds += clock.elapsed().as_secs_f64();
            self.departures.write()?;
            self.written_from_ns = None;
            begin = Time(begin.0.saturating_add(span.0));
        }
        if let Some(trace) = &mut self.trace {
            trace.flush().context("cannot write the trace")?;
        }
        Ok(seconds)
    }

    /// Sends packets through the switch. Returns the seconds that it took.
    fn batch(&mut self, begin: Time, batch: &[Arrival]) -> anyhow::Result<f64> {
        let (mut seconds, mut clock) = (0.0, Instant::now());
        for arrival in batch {
            self.receive(begin, arrival)?;
            if self.departures.is_full() {
                seconds += clock.elapsed().as_secs_f64();
                self.departures.write()?;
                clock = Instant::now();
            }
        }
        Ok(seconds + clock.elapsed().as_secs_f64())
    }

    fn receive(&mut self, begin: Time, arrival: &Arrival) -> anyhow::Result<()> {
        let now = Time(begin.0.saturating_add(arrival.at.0));
        while let Some(due) = self.switch.next_wake().filter(|due| *due <= now) {
            self.switch.wake(due);
            self.settle(due)?;
        }
        self.ports.entry(arrival.port).or_default().received += 1;
        self.switch.receive(now, arrival.port, arrival.frame.clone());
        self.settle(now)
    }

    /// Advances time until paused queues have drained.
    fn wait_for_queues(&mut self) -> anyhow::Result<()> {
        while self.switch.traffic_manager().totals().waiting_bytes > 0 {
            let Some(due) = self.switch.next_wake() else { return Ok(()) };
            self.switch.wake(due);
            self.settle(due)?;
        }
        Ok(())
    }

    /// Processes all events and transmits packets.
    fn settle(&mut self, now: Time) -> anyhow::Result<()> {
        let is_first = self.written_from_ns.is_some();
        while self.switch.has_events() {
            let mut events = std::mem::take(&mut self.events);
            self.switch.drain_events(&mut events);
            for event in events.drain(..) {
                match event {
                    Event::PortReady(port) => {
                        while let Some(frame) = self.switch.transmit(now, port) {
                            self.transmitted(now, port, frame);
                        }
                    }
                    Event::PacketIn { frame, .. } => {
                        let port = self.switch.config().cpu_port;
                        self.transmitted(now, port, frame);
                    }
                    Event::Dropped { ingress_port, reason, .. } => {
                        let port = self.ports.entry(ingress_port).or_default();
                        *port.dropped.entry(reason.name()).or_default() += 1;
                    }
                    Event::Log { text, .. } if is_first => stderr_line!("{text}"),
                    Event::AssertFailed { text, .. } if is_first => {
                        stderr_line!("assertion failed: {text}")
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

    fn transmitted(&mut self, now: Time, port: u16, frame: Frame) {
        self.ports.entry(port).or_default().transmitted += 1;
        if let Some(start_ns) = self.written_from_ns {
            self.departures.push(port, start_ns.saturating_add(now.as_ns()), frame);
        }
    }

    /// Writes the output captures and the report.
    fn finish(mut self, args: &Args, engine: Engine, arrivals: u64, seconds: f64) -> anyhow::Result<Outcome> {
        for (port, count) in self.departures.finish()? {
            stderr_line!("port {port}: {count} packets left without an --out file");
            self.ports.entry(port).or_default().not_written = count;
        }
        let packets = arrivals.saturating_mul(args.repeat);
        let counters = self.switch.counters();
        let report = Report {
            program: args.program.display().to_string(),
            engine: engine.name(),
            repeat: args.repeat,
            packets,
            transmitted: counters.transmitted,
            dropped: counters.dropped(),
            seconds,
            packets_per_second: if seconds > 0.0 { packets as f64 / seconds } else { 0.0 },
            ports: self.ports,
        };
        if counters.trace_lost > 0 {
            stderr_line!("the trace lacks {} steps", counters.trace_lost);
        }
        if args.json {
            print_json(&report)?;
        } else {
            stderr_line!(
                "{} packets in, {} out, {} dropped; {:.0} packets/s",
                report.packets,
                report.transmitted,
                report.dropped,
                report.packets_per_second
            );
        }
        Ok(Outcome::Fine)
    }
}
