//! The source `tcp-info`: the kernel's own round trips of TCP sockets.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use host_agent::Measured;
use host_agent::linux::TcpReader;
use host_agent::tcp_info::{TcpSockets, TcpStats};
use model::FlowKey;
use tokio::sync::watch;
use tokio::time::Instant;
use tracing::warn;
use web::Metric;

use super::host_report::TcpSample;
use super::source::{Measurements, Source};
use crate::daemons::health::metric;
use crate::daemons::operations::clock::{as_wall_ns, system_ns};

/// Sockets between the host and the hosts that it may exchange data with.
pub(crate) struct TcpInfoSource {
    /// The host's addresses.
    pub(crate) own: Vec<IpAddr>,
    /// The addresses of all hosts of the network; absent without a topology: all addresses.
    pub(crate) peers: Option<BTreeSet<IpAddr>>,
    /// Time between two readings.
    pub(crate) interval: Duration,
    /// Maximum sockets.
    pub(crate) max_sockets: usize,
    /// Takes the counters after each reading.
    pub(crate) stats: watch::Sender<TcpStats>,
    /// Takes each reading, for reports about the host.
    pub(super) sample: watch::Sender<TcpSample>,
}

impl Source for TcpInfoSource {
    fn start(self: Box<Self>, measurements: Measurements) -> anyhow::Result<()> {
        let reader = TcpReader::open().context("cannot read TCP sockets over netlink")?;
        let run = move || self.measure(reader, &measurements);
        std::thread::Builder::new().name("tcp-info".into()).spawn(run).context("cannot start a thread")?;
        Ok(())
    }
}

impl TcpInfoSource {
    /// Measures until the process ends.
    fn measure(&self, mut reader: TcpReader, measurements: &Measurements) {
        let mut sockets = TcpSockets::new(self.max_sockets);
        let mut failed = 0u64;
        loop {
            // Twice the limit, so that the sockets beyond it are counted.
            match reader.read(self.max_sockets.saturating_mul(2), |flow| self.is_wanted(flow)) {
                Ok(readings) => {
                    let time_ns = as_wall_ns(system_ns());
                    let found = sockets.read(time_ns, &readings).into_iter();
                    let batch: Vec<Measured> =
                        found.map(|measurement| Measured { time_ns, measurement }).collect();
                    self.stats.send_replace(sockets.stats());
                    self.sample.send_replace(TcpSample { at: Instant::now(), readings: Arc::new(readings) });
                    measurements.take(&batch);
                }
                Err(error) => {
                    failed += 1;
                    if failed.is_power_of_two() {
                        warn!(%error, failed, "the TCP sockets cannot be read");
                    }
                }
            }
            std::thread::sleep(self.interval);
        }
    }

    fn is_wanted(&self, flow: &FlowKey) -> bool {
        self.own.contains(&flow.src) && self.peers.as_ref().is_none_or(|peers| peers.contains(&flow.dst))
    }
}

/// Returns the metrics of the source.
pub(super) fn metrics(stats: TcpStats) -> Vec<Metric> {
    vec![
        metric("agent_tcp_sockets", "TCP sockets in the last reading", false, stats.sockets),
        metric("agent_tcp_samples", "Readings of sockets that were a round trip", true, stats.samples),
        metric("agent_tcp_stalls", "Sockets without progress for 500 ms", true, stats.stalls),
        metric(
            "agent_tcp_left_out",
            "Readings of sockets that are not watched: too many",
            true,
            stats.left_out,
        ),
    ]
}
