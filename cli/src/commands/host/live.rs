//! The report of this host for `harrier host check --live`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::bail;
use host_agent::counters::HostCounters;
use host_agent::linux::TcpReader;
use host_agent::tcp_info::{TcpReading, retransmissions};
use model::HostReport;
use model::host::HostWorkload;

use super::loopback::{self, TestArgs};
use crate::daemons::operations::clock;
use crate::input::write_all;
use crate::live_report;

/// Maximum TCP sockets; that of an agent's configuration by default, twice, as an agent reads them.
const SOCKETS: usize = 2 * 65_536;
/// Limits of the time for which counters are watched, in seconds.
const SECONDS: [f64; 2] = [0.05, 3600.0];

/// Arguments about this host.
#[derive(clap::Args)]
pub(super) struct LiveArgs {
    /// Judge this host: its counters, its settings and its TCP connections, as an agent reports them; some settings
    /// require root
    #[arg(long)]
    live: bool,
    /// Write the report of this host to a file, to judge it elsewhere
    #[arg(long, value_name = "FILE", requires = "live")]
    save: Option<PathBuf>,
    /// How long to watch the counters, 0.05 to 3600 seconds
    #[arg(long, value_name = "SECONDS", default_value = "0.5", value_parser = interval, requires = "live")]
    interval: Duration,
    /// Name of this host, as in the topology and in verdicts [default: its hostname]
    #[arg(long, value_name = "NAME", requires = "live")]
    host: Option<String>,
    /// Root of sysfs, or a recorded tree
    #[arg(long, value_name = "DIR", default_value = "/sys", requires = "live")]
    sysfs: PathBuf,
    /// Run loopback tests between RNICs and memory as well, which compete with services for seconds (`harrier host
    /// loopback`)
    #[arg(long, requires = "live")]
    loopback: bool,
    #[command(flatten)]
    tests: TestArgs,
}

/// The name of this host: the one that was given, or else its hostname.
///
/// # Errors
/// Both are missing.
pub(super) fn name(given: Option<&str>, hostname: &str) -> anyhow::Result<String> {
    match given.unwrap_or(hostname) {
        "" => bail!("the name of this host is unknown: /etc/hostname is empty or missing; pass --host NAME"),
        name => Ok(name.to_string()),
    }
}

/// A value as lines of JSON, for a file.
///
/// # Errors
/// It cannot be written as JSON.
pub(super) fn lines(value: &impl serde::Serialize) -> anyhow::Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    Ok(text)
}

fn interval(text: &str) -> Result<Duration, String> {
    let expected = || format!("expected seconds from {} to {}, e.g. `0.5`", SECONDS[0], SECONDS[1]);
    let seconds: f64 = text.parse().map_err(|_| expected())?;
    if !(SECONDS[0]..=SECONDS[1]).contains(&seconds) {
        return Err(expected());
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| expected())
}

/// What makes up the report of this host.
pub(super) struct Live {
    /// The report.
    pub(super) report: HostReport,
    /// Why it has no counters of NICs.
    pub(super) no_counters: Option<String>,
    /// Paths inside the host that were to be measured and were not, and why.
    pub(super) not_measured: Vec<String>,
}

impl LiveArgs {
    /// Collects the report of this host, if that is wanted. Blocks for the interval, and for the seconds that the inspection
    /// of a large host takes.
    ///
    /// # Errors
    /// The root of a recorded tree is no folder, the name of the host is unknown, or loopback tests are wanted and not
    /// possible.
    pub(super) fn collect(&self) -> anyhow::Result<Option<Live>> {
        if let Some(option) = self.tests.given().filter(|_| !self.loopback) {
            bail!("{option} is about loopback tests: add --live --loopback");
        }
        if !self.live {
            return Ok(None);
        }
        let inspected = live_report::inspect(&self.sysfs)?;
        let host = name(self.host.as_deref(), &inspected.host)?;
        let mut sockets = Sockets::open(&self.sysfs);
        let began_ns = clock::monotonic_ns();
        let before = sockets.read();
        let readings = live_report::watch(&self.sysfs, self.interval);
        let elapsed_ns = clock::monotonic_ns().saturating_sub(began_ns);
        let workload = sockets.workload(&before, elapsed_ns);
        // After the counters, which would count the tests.
        let measured = self
            .loopback
            .then(|| loopback::measure(&self.tests, &self.sysfs, &inspected.inspection))
            .transpose()?;
        let (loopback, not_measured) = measured.map(|found| (found.section, found.failed)).unzip();
        let inspection = Some(inspected.inspection);
        let report =
            HostReport { loopback, ..live_report::join(&host, elapsed_ns, &readings, inspection, workload) };
        let counters = readings.last().map(|reading| &reading.counters);
        let no_counters = counters.filter(|_| report.counters.is_none()).map(|found| self.missing(found));
        Ok(Some(Live { report, no_counters, not_measured: not_measured.unwrap_or_default() }))
    }

    /// Writes the report where it is wanted.
    ///
    /// # Errors
    /// The file cannot be written; then an older one is still there.
    pub(super) fn save(&self, report: &HostReport) -> anyhow::Result<()> {
        let Some(path) = &self.save else { return Ok(()) };
        write_all(&[(path, lines(report)?)])
    }

    /// Why a report has no counters, although these were read.
    fn missing(&self, found: &HostCounters) -> String {
        let counts_priorities = found.interfaces.iter().any(|one| !one.priorities.is_empty());
        if found.rdma_ports.is_empty() && !counts_priorities {
            return format!(
                "no RDMA device below {}, and no interface whose driver counts PFC frames by priority (`ethtool -S`)",
                self.sysfs.join("class/infiniband").display()
            );
        }
        "the speed of the link is unknown for every NIC with counters: the links are down, or `speed` in sysfs is not \
         readable"
            .to_string()
    }
}

/// The TCP sockets of this host; closed without netlink, and for a recorded tree, which describes another host.
struct Sockets(Option<TcpReader>);

impl Sockets {
    fn open(sysfs: &Path) -> Sockets {
        Sockets(if sysfs == Path::new("/sys") { TcpReader::open().ok() } else { None })
    }

    /// Returns the established connections with other hosts; none if the kernel does not reply.
    fn read(&mut self) -> Vec<TcpReading> {
        let Sockets(Some(reader)) = self else { return Vec::new() };
        reader.read(SOCKETS, |flow| !flow.src.is_loopback() && flow.src != flow.dst).unwrap_or_default()
    }

    /// The connections that have retransmitted since `before`.
    fn workload(&mut self, before: &[TcpReading], elapsed_ns: u64) -> Option<HostWorkload> {
        let retransmissions = retransmissions(before, &self.read(), elapsed_ns);
        (!retransmissions.is_empty()).then(|| HostWorkload { retransmissions, ..HostWorkload::default() })
    }
}
