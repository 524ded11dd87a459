//! Runs the tests of this host.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::bail;
use host_agent::counters::report::{self, InterfaceFacts};
use host_agent::linux::CounterReader;
use host_diagnosis::hostping::measurement::{
    self, BANDWIDTH_BYTES, Baselines, LATENCY_BYTES, MeasuredPath, Plan, PlannedPath, Rnic, RnicPort, Round,
    Sample,
};
use host_diagnosis::inspection::processors;
use host_diagnosis::perftest::{Buffer, Length, Program, TestCommand, bandwidth, latency_ns};
use model::host::{HostInspection, HostLoopback};

use super::arguments::TestArgs;
use crate::daemons::operations::clock;
use crate::live_report;
use crate::perftest::{Perftest, Placement, TestError, free_port};

/// The programs that are needed.
const PROGRAMS: [Program; 2] = [Program::WriteBandwidth, Program::WriteLatency];
/// Messages of a latency test, the default of `ib_write_lat`: a few milliseconds.
const LATENCY_MESSAGES: u32 = 1000;
/// Time between two readings of the counters during a test.
const SAMPLE_NS: u64 = 100_000_000;

/// The results.
pub(in crate::commands::host) struct Measured {
    /// The section of a report.
    pub(in crate::commands::host) section: HostLoopback,
    /// For how long the counters were watched before the tests, in ns.
    pub(in crate::commands::host) watched_ns: u64,
    /// Paths without a result, and why.
    pub(in crate::commands::host) failed: Vec<String>,
}

/// Measures the paths of this host. Blocks for about five seconds for each path and round: connecting takes one for each of
/// the two tests.
///
/// # Errors
/// The host has no RNIC, perftest or the topology is missing, or no path could be measured.
pub(in crate::commands::host) fn measure(
    args: &TestArgs,
    sysfs: &Path,
    inspection: &HostInspection,
) -> anyhow::Result<Measured> {
    let rnics = rnics(args, sysfs, inspection)?;
    let baselines: Option<Baselines> = args.baselines()?;
    let perftest = Perftest::find(args.perftest.clone(), &PROGRAMS)?;
    let topology = args.topology()?;
    let Plan { paths, left_out } = measurement::plan(&topology, &rnics, args.gpu);
    left_out.iter().for_each(|line| stderr_line!("not tested: {line}"));
    gpus_are_supported(&perftest, &paths)?;
    if paths.is_empty() {
        bail!("no path can be tested: the topology has no RNIC of this host with a memory; see --topology");
    }
    let mut tests = Tests {
        perftest,
        reader: CounterReader::new(sysfs),
        inspection,
        seconds: args.test_seconds,
        hanging: BTreeSet::new(),
        failed: Vec::new(),
    };
    let facts = report::facts(inspection);
    let mut rounds = Vec::new();
    let mut watched_ns = 1;
    for _ in 0..args.rounds {
        let (busy, interval_ns) = busy(sysfs, &facts);
        watched_ns = interval_ns;
        let time_ns = clock::as_wall_ns(clock::system_ns());
        let paths = paths.iter().filter_map(|path| tests.path(path)).collect();
        rounds.push(Round { time_ns, busy, paths });
    }
    let failed = tests.failed;
    if rounds.iter().all(|round| round.paths.is_empty()) {
        bail!("no path was measured:\n{}", failed.join("\n"));
    }
    let section = measurement::section(topology, &rounds, &rnics, baselines.as_ref());
    Ok(Measured { section, watched_ns, failed })
}

/// The RNICs to test.
fn rnics(args: &TestArgs, sysfs: &Path, inspection: &HostInspection) -> anyhow::Result<Vec<Rnic>> {
    let ports = live_report::rnic_ports(sysfs)?;
    let known: BTreeSet<&str> = ports.iter().map(|port| port.device.as_str()).collect();
    if let Some(unknown) = args.nic.iter().find(|nic| !known.contains(nic.as_str())) {
        let known: Vec<&str> = known.into_iter().collect();
        bail!("--nic: no RDMA device `{unknown}`; known are: {}", known.join(", "));
    }
    let is_wanted = |name: &str| args.nic.is_empty() || args.nic.iter().any(|nic| nic == name);
    let wanted: Vec<RnicPort> = ports.iter().filter(|port| is_wanted(&port.device)).cloned().collect();
    let (rnics, left_out) = measurement::rnics(inspection, &wanted);
    left_out.iter().for_each(|line| stderr_line!("not tested: {line}"));
    Ok(rnics)
}

/// Checks that the programs can allocate the memory of the GPUs.
fn gpus_are_supported(perftest: &Perftest, paths: &[PlannedPath]) -> anyhow::Result<()> {
    let options: BTreeSet<&str> = paths.iter().filter_map(|path| Some(path.buffer.option()?.0)).collect();
    let options: Vec<&str> = options.into_iter().collect();
    if options.is_empty() {
        return Ok(());
    }
    let missing = perftest.missing_options(Program::WriteBandwidth, &options)?;
    if !missing.is_empty() {
        bail!(
            "--gpu: this build of ib_write_bw has no option {}: Debian's is built without CUDA and ROCm; build perftest \
             with them, and pass --perftest DIR",
            missing.join(", ")
        );
    }
    Ok(())
}

/// The RNICs with service traffic, and for how long their counters were watched, in ns.
fn busy(sysfs: &Path, facts: &BTreeMap<String, InterfaceFacts>) -> (Vec<String>, u64) {
    let readings = live_report::watch(sysfs, live_report::REQUESTED);
    let Some((interval_ns, counters)) = report::section(&readings, facts) else { return (Vec::new(), 1) };
    (measurement::busy(&counters, interval_ns), interval_ns)
}

/// Tests that run.
struct Tests<'t> {
    perftest: Perftest,
    reader: CounterReader,
    inspection: &'t HostInspection,
    seconds: u32,
    /// RNICs one of whose tests did not end: the others would not either.
    hanging: BTreeSet<String>,
    failed: Vec<String>,
}

impl Tests<'_> {
    /// Measures a path; `None` if it failed.
    fn path(&mut self, path: &PlannedPath) -> Option<MeasuredPath> {
        let label = format!("{} and {}", path.nic, path.endpoint);
        if self.hanging.contains(&path.nic) {
            self.failed.push(format!("{label}: an earlier test of this RNIC did not end"));
            return None;
        }
        match self.measure(path) {
            Ok(measured) => {
                stderr_line!("{label}: {:.1} Gb/s", measured.bandwidth_bps as f64 / 1e9);
                Some(measured)
            }
            Err(error) => {
                if let Some(TestError::TimedOut(..)) = error.downcast_ref() {
                    self.hanging.insert(path.nic.clone());
                }
                self.failed.push(format!("{label}: {error:#}"));
                None
            }
        }
    }

    fn measure(&self, path: &PlannedPath) -> anyhow::Result<MeasuredPath> {
        let placement = self.placement(path)?;
        let test = |program, message_bytes, length| -> anyhow::Result<TestCommand> {
            Ok(TestCommand {
                program,
                device: path.nic.clone(),
                rdma_port: path.rdma_port,
                tcp_port: free_port()?,
                message_bytes,
                length,
                buffer: path.buffer.clone(),
                more: Vec::new(),
            })
        };
        let mut samples: Vec<Sample> = Vec::new();
        let long = test(Program::WriteBandwidth, BANDWIDTH_BYTES, Length::Seconds(self.seconds))?;
        let printed =
            self.perftest.run(&long, self.seconds, &placement, || self.sample(path, &mut samples))?;
        let bandwidth_bps = bandwidth(&printed)?.bits_per_s as u64;
        // perftest 4.5 allocates memory of GPUs in bandwidth tests only.
        let latency_ns = match path.buffer {
            Buffer::Host => {
                let short = test(Program::WriteLatency, LATENCY_BYTES, Length::Messages(LATENCY_MESSAGES))?;
                Some(latency_ns(&self.perftest.run(&short, 0, &placement, || {})?)?)
            }
            _ => None,
        };
        let (nic, endpoint) = (path.nic.clone(), path.endpoint.clone());
        Ok(MeasuredPath { nic, endpoint, bandwidth_bps, latency_ns, samples })
    }

    /// Reads the counters of the port of a path, if the last reading is long enough ago.
    fn sample(&self, path: &PlannedPath, samples: &mut Vec<Sample>) {
        let at_ns = clock::monotonic_ns();
        if samples.last().is_some_and(|last| at_ns.saturating_sub(last.at_ns) < SAMPLE_NS) {
            return;
        }
        let read = report::port_reading(&self.reader.read().counters, &path.nic, path.rdma_port);
        let (received_bytes, stalled_percent) = (read.received_bytes, read.stalled_percent);
        samples.push(Sample { at_ns, received_bytes, stalled_percent });
    }

    fn placement(&self, path: &PlannedPath) -> anyhow::Result<Placement> {
        let Some(node) = path.numa_node else { return Ok(Placement::Anywhere) };
        let found = self.inspection.numa.get(&node.to_string());
        let cpus = found.and_then(|found| processors(found.cpus.as_deref()?)).unwrap_or_default();
        if !self.perftest.can_bind(&cpus) {
            bail!(
                "NUMA node {node} has no processors that a test can be bound to, and numactl is missing: install numactl"
            );
        }
        Ok(Placement::Node { node, cpus })
    }
}
