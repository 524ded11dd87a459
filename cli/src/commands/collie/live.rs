//! The subsystem of `harrier collie search --perftest`: a NIC of this host, and a peer that sends to it.

use std::collections::BTreeMap;
use std::net::{IpAddr, ToSocketAddrs as _};
use std::path::PathBuf;

use anyhow::{Context as _, anyhow, bail};
use host_agent::counters::report::{self, InterfaceFacts, TimedReading};
use host_agent::linux::CounterReader;
use host_diagnosis::collie::perftest_subsystem::{Bench, Observed, PerftestSubsystem, TestedNic};
use host_diagnosis::collie::subsystem::SubsystemError;
use host_diagnosis::hostping::measurement;
use host_diagnosis::inspection::processors;
use host_diagnosis::perftest::{Failure, Program, TestCommand, bandwidth};
use model::host::HostInspection;
use model::host::counters::NicCounters;
use model::host::descriptor::{NicFamily, ServerTraits};

use crate::daemons::operations::clock;
use crate::live_report;
use crate::perftest::{Peer, Perftest, Placement, TestError};

/// Time between two readings of the counters during a test.
const SAMPLE_NS: u64 = 100_000_000;
/// The programs that are needed.
const PROGRAMS: [Program; 3] = [Program::WriteBandwidth, Program::ReadBandwidth, Program::SendBandwidth];

/// Arguments about a NIC of this host.
#[derive(clap::Args)]
pub(super) struct LiveArgs {
    /// Measure this RDMA device of this host with perftest, instead of the model; 6 to 8 seconds a workload. Only in a network
    /// without other traffic
    #[arg(long, value_name = "DEVICE", requires_all = ["peer", "peer_command"], value_parser = device)]
    pub(super) perftest: Option<String>,
    /// The host that the device exchanges data with: a name or an IPv4 address at which this host reaches it
    #[arg(long, value_name = "HOST", requires = "perftest")]
    peer: Option<String>,
    /// Command that runs programs on the peer, split at spaces, e.g. `ssh h2`; perftest must be in the path there
    #[arg(long, value_name = "COMMAND", requires = "perftest")]
    peer_command: Option<String>,
    /// RDMA device of the peer [default: the same name]
    #[arg(long, value_name = "DEVICE", requires = "perftest", value_parser = device)]
    peer_device: Option<String>,
    /// Millions of packets a second that the NIC is specified for [default: what perftest reaches, which posts from one
    /// thread]
    #[arg(long, value_name = "N", requires = "perftest", value_parser = millions)]
    specified_mpps: Option<f64>,
    /// Length of a test, 2 to 60 seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 4, requires = "perftest",
        value_parser = clap::value_parser!(u32).range(2..=60))]
    test_seconds: u32,
    /// Root of sysfs, or a recorded tree
    #[arg(long, value_name = "DIR", default_value = "/sys", requires = "perftest")]
    sysfs: PathBuf,
}

/// A name without characters that the shell of the peer would interpret.
fn device(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    match !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        true => Ok(text.to_string()),
        false => Err("expected the name of an RDMA device, e.g. `mlx5_0`".into()),
    }
}

fn millions(text: &str) -> Result<f64, String> {
    let found = text.parse().ok().filter(|mpps| (0.001..=100_000.0).contains(mpps));
    found.ok_or_else(|| "expected millions of packets a second, e.g. `215`".into())
}

impl LiveArgs {
    /// The NIC that is to be measured, after a test of it unless its packets a second are given. `None` without `--perftest`.
    ///
    /// # Errors
    /// The device, perftest or the peer is missing, or the test failed.
    pub(super) fn subsystem(
        &self,
        family: NicFamily,
    ) -> anyhow::Result<Option<PerftestSubsystem<PeerBench>>> {
        let (Some(device), Some(host), Some(command)) = (&self.perftest, &self.peer, &self.peer_command)
        else {
            return Ok(None);
        };
        let inspection = live_report::inspect(&self.sysfs)?.inspection;
        let rnic = self.rnic(device, &inspection)?;
        let line_rate_bps =
            rnic.line_rate_bps.ok_or_else(|| anyhow!("{device}: its line rate is unknown"))?;
        let perftest = Perftest::find(None, &PROGRAMS)?;
        let missing = perftest.missing_options(Program::WriteBandwidth, &["--reversed"])?;
        if !missing.is_empty() {
            bail!("ib_write_bw has no option --reversed: install perftest 4.5 or later");
        }
        let command: Vec<String> = command.split_whitespace().map(str::to_string).collect();
        if command.is_empty() {
            bail!("--peer-command is empty; expected e.g. `ssh h2`");
        }
        let peer_device = self.peer_device.clone().unwrap_or_else(|| device.clone());
        let bench = PeerBench {
            perftest,
            peer: Peer { command, address: address(host)?.to_string(), device: peer_device },
            reader: CounterReader::new(&self.sysfs),
            facts: report::facts(&inspection),
            placement: placement(device, &inspection),
            seconds: self.test_seconds,
            tests: 0,
        };
        let nic = TestedNic {
            family,
            server: ServerTraits::default(),
            device: device.clone(),
            rdma_port: rnic.port,
            line_rate_bps,
            packets_per_s: self.specified_mpps.map(|mpps| mpps * 1e6),
            seconds: self.test_seconds,
        };
        Ok(Some(PerftestSubsystem::new(bench, nic)?))
    }

    /// What is measured, for people.
    pub(super) fn label(&self) -> Option<String> {
        Some(format!("{} with {}, measured with perftest", self.perftest.as_ref()?, self.peer.as_ref()?))
    }

    fn rnic(&self, device: &str, inspection: &HostInspection) -> anyhow::Result<measurement::Rnic> {
        let ports = live_report::rnic_ports(&self.sysfs)?;
        let (rnics, left_out) = measurement::rnics(inspection, &ports);
        let known: Vec<String> = rnics.iter().map(|rnic| rnic.name.clone()).chain(left_out).collect();
        let found = rnics.into_iter().find(|rnic| rnic.name == device);
        found.ok_or_else(|| {
            anyhow!("no RDMA device `{device}` with an active port; known are: {}", known.join(", "))
        })
    }
}

/// The IPv4 address of the peer: perftest's sockets are of IPv4.
fn address(host: &str) -> anyhow::Result<IpAddr> {
    let found = (host, 0).to_socket_addrs().with_context(|| format!("--peer: cannot resolve {host}"))?;
    let found = found.map(|address| address.ip()).find(IpAddr::is_ipv4);
    found.ok_or_else(|| anyhow!("--peer: {host} has no IPv4 address"))
}

/// The NUMA node of the device, so that its memory is local.
fn placement(device: &str, inspection: &HostInspection) -> Placement {
    let function = inspection.rdma.get(device).and_then(|rdma| inspection.pci.get(rdma.pci.as_ref()?));
    let node = function.and_then(|function| u32::try_from(function.numa_node?).ok());
    let found = node.and_then(|node| {
        let cpus = inspection.numa.get(&node.to_string())?.cpus.as_deref().and_then(processors)?;
        Some(Placement::Node { node, cpus })
    });
    found.unwrap_or(Placement::Anywhere)
}

/// A NIC of this host and its peer.
pub(super) struct PeerBench {
    perftest: Perftest,
    peer: Peer,
    reader: CounterReader,
    facts: BTreeMap<String, InterfaceFacts>,
    placement: Placement,
    seconds: u32,
    tests: usize,
}

impl Bench for PeerBench {
    fn run(&mut self, test: &TestCommand) -> Result<Observed, SubsystemError> {
        self.tests += 1;
        let mut readings: Vec<TimedReading> = Vec::new();
        let sample = || {
            let now_ns = clock::monotonic_ns();
            if readings.last().is_none_or(|last| now_ns.saturating_sub(last.ended_ns) >= SAMPLE_NS) {
                readings.push(live_report::timed(&self.reader).0);
            }
        };
        let result = self.perftest.run_with_peer(test, self.seconds, &self.peer, &self.placement, sample);
        let label = format!(
            "test {}: {} -s {} {}",
            self.tests,
            test.program.name(),
            test.message_bytes,
            test.more.join(" ")
        );
        match result {
            Ok(output) => {
                let gbps = bandwidth(&output).map_or(0.0, |found| found.bits_per_s / 1e9);
                stderr_line!("{label}: {gbps:.1} Gb/s");
                Ok(Observed { output, intervals: self.intervals(&readings, test) })
            }
            Err(error) => {
                stderr_line!("{label}: {error}");
                Err(match error {
                    TestError::NotRun(..)
                    | TestError::Failed(Failure::NoDevice)
                    | TestError::Server(Failure::NoDevice) => SubsystemError::Failed(error.to_string()),
                    _ => SubsystemError::NotRunnable(error.to_string()),
                })
            }
        }
    }
}

impl PeerBench {
    /// What the counters of the tested port grew by between any two readings in a row.
    fn intervals(&self, readings: &[TimedReading], test: &TestCommand) -> Vec<(u64, NicCounters)> {
        let name = report::nic_name(&test.device, test.rdma_port);
        let between = |pair: &[TimedReading]| {
            let (interval_ns, counters) = report::section(pair, &self.facts)?;
            let nic = counters.nics.into_iter().find(|nic| nic.nic == name)?;
            Some((interval_ns, nic))
        };
        readings.windows(2).filter_map(between).collect()
    }
}
