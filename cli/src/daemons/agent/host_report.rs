//! The report about this host: what its NICs counted, its settings, its TCP retransmissions and its probes. Uploaded on an
//! interval, and when the server requests it because a verdict ends here.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use host_agent::counters::report::TimedReading;
use host_agent::mesh::{Outcome, Scope, Transport};
use host_agent::tcp_info::{TcpReading, retransmissions};
use model::HostReport;
use model::host::probes::{ProbeResult, ProbeScope};
use model::host::{HostInspection, HostProbes, HostWorkload};
use proto::limits::HOST_REPORT_BYTES;
use proto::v1::{self, record::Body};
use proto::version::HOST_REPORTS;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};
use tracing::{debug, warn};

use super::probe_stats::MeshStats;
use super::sources::SourceStatus;
use super::{changed, patient};
use crate::daemons::config::settings::Settings;
use crate::daemons::link::{LinkStatus, Uploads};
use crate::live_report;

/// Minimum time between two reports that the server requests.
const MIN_INTERVAL: Duration = Duration::from_secs(1);
/// Readings that are kept for a report on the interval; the first one is always kept.
const KEPT_READINGS: usize = 64;
/// Probes in a report.
const REPORTED_PROBES: usize = 4096;

/// What the kernel said about TCP sockets.
#[derive(Clone, Debug)]
pub(super) struct TcpSample {
    /// When it was read.
    pub(super) at: Instant,
    /// The sockets.
    pub(super) readings: Arc<Vec<TcpReading>>,
}

impl Default for TcpSample {
    fn default() -> TcpSample {
        TcpSample { at: Instant::now(), readings: Arc::default() }
    }
}

/// Requests reports; several requests before the next report are one.
#[derive(Clone, Debug)]
pub(super) struct Requests(mpsc::Sender<()>);

impl Requests {
    /// Requests a report.
    pub(super) fn request(&self) {
        // A request that waits already is as good.
        let _ = self.0.try_send(());
    }
}

/// Makes reports.
struct Reporter {
    host: String,
    sysfs: PathBuf,
    /// Whether counters are read.
    has_counters: bool,
    interval: Duration,
    counters: Option<watch::Receiver<TimedReading>>,
    /// Readings since the last report on the interval.
    readings: Vec<TimedReading>,
    tcp: Option<watch::Receiver<TcpSample>>,
    last_tcp: TcpSample,
    meshes: Vec<(Transport, watch::Receiver<MeshStats>)>,
    /// Names of hosts by address.
    names: BTreeMap<IpAddr, String>,
    inspected: watch::Receiver<Option<HostInspection>>,
    uploads: Uploads,
    link: watch::Receiver<LinkStatus>,
    made: Instant,
}

/// Starts to report. `None` if the configuration wants no reports.
pub(super) fn start(
    settings: &Settings,
    host: &str,
    names: BTreeMap<IpAddr, String>,
    sources: &SourceStatus,
    counters: Option<watch::Receiver<TimedReading>>,
    (uploads, link): (Uploads, watch::Receiver<LinkStatus>),
) -> Option<Requests> {
    let interval = Duration::from_secs(settings.number("host_report_interval_s"));
    let sysfs = settings.path("sysfs").filter(|_| !interval.is_zero())?.to_path_buf();
    let (requests, requested) = mpsc::channel(1);
    let inspected = inspections(&sysfs, Duration::from_secs(settings.number("inspection_interval_s")));
    let tcp = sources.tcp_sockets();
    let reporter = Reporter {
        host: host.to_string(),
        sysfs,
        has_counters: counters.is_some(),
        interval,
        counters,
        readings: Vec::new(),
        last_tcp: tcp.as_ref().map(|tcp| tcp.borrow().clone()).unwrap_or_default(),
        tcp,
        meshes: sources.meshes(),
        names,
        inspected,
        uploads,
        link,
        made: Instant::now(),
    };
    tokio::spawn(reporter.run(requested));
    Some(Requests(requests))
}

/// Inspects the host now and then, in a task that ends with the process.
fn inspections(sysfs: &Path, every: Duration) -> watch::Receiver<Option<HostInspection>> {
    let (sender, receiver) = watch::channel(None);
    let root = sysfs.to_path_buf();
    tokio::spawn(async move {
        let mut due = interval(every);
        due.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            due.tick().await;
            let from = root.clone();
            match tokio::task::spawn_blocking(move || live_report::inspect(&from)).await {
                Ok(Ok(found)) => drop(sender.send_replace(Some(found.inspection))),
                Ok(Err(error)) => warn!(error = format!("{error:#}"), "the host cannot be inspected"),
                Err(_) => return,
            }
        }
    });
    receiver
}

impl Reporter {
    async fn run(mut self, mut requested: mpsc::Receiver<()>) {
        let mut due = patient(self.interval);
        let mut last_requested: Option<Instant> = None;
        loop {
            tokio::select! {
                _ = due.tick() => self.report_interval().await,
                read = changed(&mut self.counters) => self.keep(read),
                request = requested.recv() => {
                    if request.is_none() {
                        return;
                    }
                    if let Some(last) = last_requested {
                        sleep_until(last + MIN_INTERVAL).await;
                    }
                    last_requested = Some(Instant::now());
                    self.report_now().await;
                }
            }
        }
    }

    fn keep(&mut self, reading: TimedReading) {
        if self.readings.len() >= KEPT_READINGS {
            self.readings.remove(1);
        }
        self.readings.push(reading);
    }

    /// Reports the interval since the last report of this kind.
    async fn report_interval(&mut self) {
        let last = self.readings.last().cloned();
        let readings = std::mem::replace(&mut self.readings, last.into_iter().collect());
        self.send(&readings).await;
    }

    /// Reads the counters several times in a short time, and reports it.
    async fn report_now(&mut self) {
        let mut readings = Vec::new();
        if self.has_counters {
            let root = self.sysfs.clone();
            let watched = move || live_report::watch(&root, live_report::REQUESTED);
            let Ok(read) = tokio::task::spawn_blocking(watched).await else { return };
            readings = read;
        }
        self.send(&readings).await;
    }

    async fn send(&mut self, readings: &[TimedReading]) {
        let inspection = self.inspected.borrow().clone();
        let since_ns = u64::try_from(self.made.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.made = Instant::now();
        let workload = self.tcp_workload();
        let report = HostReport {
            probes: self.probes(),
            ..live_report::join(&self.host, since_ns, readings, inspection, workload)
        };
        // Only the newest report counts, so none waits in the spool for a server that is away.
        let takes_reports = {
            let link = self.link.borrow();
            link.disconnected.is_none() && link.version >= HOST_REPORTS
        };
        if !takes_reports {
            return debug!("no server takes reports about this host");
        }
        match encoded(report) {
            Some(json) => self.uploads.send(Body::HostReport(v1::HostReport { json })).await,
            None => warn!(
                "the report about this host is too large even without settings and probes; it is not sent"
            ),
        }
    }

    /// The TCP connections that retransmitted since the last report.
    fn tcp_workload(&mut self) -> Option<HostWorkload> {
        let sample = self.tcp.as_ref()?.borrow().clone();
        let elapsed = sample.at.saturating_duration_since(self.last_tcp.at);
        let elapsed_ns = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
        let retransmissions = retransmissions(&self.last_tcp.readings, &sample.readings, elapsed_ns);
        self.last_tcp = sample;
        (!retransmissions.is_empty()).then(|| HostWorkload { retransmissions, ..HostWorkload::default() })
    }

    fn probes(&self) -> Option<HostProbes> {
        let mut results = Vec::new();
        for (transport, mesh) in &self.meshes {
            let mesh = mesh.borrow();
            results.extend(mesh.outcomes.iter().map(|outcome| self.probe(*transport, outcome)));
        }
        results.truncate(REPORTED_PROBES);
        (!results.is_empty()).then_some(HostProbes { results })
    }

    fn probe(&self, transport: Transport, outcome: &Outcome) -> ProbeResult {
        let address = outcome.peer.address;
        ProbeResult {
            from: self.host.clone(),
            to: self.names.get(&address).cloned().unwrap_or_else(|| address.to_string()),
            scope: match outcome.peer.scope {
                Scope::Tor => Some(ProbeScope::Tor),
                Scope::Pod => Some(ProbeScope::Podset),
                Scope::Fabric => Some(ProbeScope::Fabric),
                Scope::Configured => None,
            },
            rtt_ns: outcome.rtt_ns,
            error: outcome.rtt_ns.is_none().then(|| match transport {
                Transport::Udp => "no reply for 1 s".to_string(),
                Transport::Ud => "no reply over UD for 1 s".to_string(),
                Transport::Rc => "no acknowledgement over RC for 1 s".to_string(),
            }),
        }
    }
}

/// The report as JSON within the limit: without probes, and then without settings, if it is larger.
fn encoded(mut report: HostReport) -> Option<Vec<u8>> {
    let parts: [fn(&mut HostReport); 3] =
        [|_| {}, |report| report.probes = None, |report| report.inspection = None];
    parts.iter().find_map(|leave_out| {
        leave_out(&mut report);
        serde_json::to_vec(&report).ok().filter(|json| json.len() <= HOST_REPORT_BYTES)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_report_is_sent_without_what_makes_it_large() {
        let probe =
            ProbeResult { from: "h1".into(), to: "x".repeat(1000), scope: None, rtt_ns: None, error: None };
        let check = |probes: usize, expected: bool| {
            let probes = Some(HostProbes { results: vec![probe.clone(); probes] });
            let json = encoded(HostReport { probes, ..HostReport::new("h1", 1) }).expect("it fits");
            assert!(json.len() <= HOST_REPORT_BYTES);
            let read: HostReport = serde_json::from_slice(&json).expect("a report");
            assert_eq!(read.probes.is_some(), expected);
        };
        check(10, true);
        check(2000, false);
    }
}
