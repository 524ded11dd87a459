//! Health and metrics of daemons that send records to the server.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use proto::v1;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use web::{Bound, HealthProblem, Metric, Probe};

use super::config::settings::Settings;
use super::link::LinkStatus;
use super::serve::{bind_to, bound};
use super::tls::Certificates;

/// What a daemon reports, together with the state of its link.
pub(crate) struct DaemonHealth {
    /// Absent: the command has no server.
    link: Option<watch::Receiver<LinkStatus>>,
    own: Mutex<(Vec<HealthProblem>, Vec<Metric>)>,
    /// A part of the daemon with a link of its own.
    part: Option<Arc<DaemonHealth>>,
}

impl DaemonHealth {
    /// Reports on a link, and nothing else yet.
    pub(crate) fn new(link: watch::Receiver<LinkStatus>) -> Arc<DaemonHealth> {
        DaemonHealth::with_part(link, None)
    }

    /// Reports on a link, and on a part of the daemon with a link of its own.
    pub(crate) fn with_part(
        link: watch::Receiver<LinkStatus>,
        part: Option<Arc<DaemonHealth>>,
    ) -> Arc<DaemonHealth> {
        Arc::new(DaemonHealth { link: Some(link), own: Mutex::default(), part })
    }

    /// Of a command without a server.
    pub(crate) fn without_server() -> Arc<DaemonHealth> {
        Arc::new(DaemonHealth { link: None, own: Mutex::default(), part: None })
    }

    /// Replaces the daemon's own problems and metrics.
    pub(crate) fn update(&self, problems: Vec<HealthProblem>, metrics: Vec<Metric>) {
        *self.own.lock().unwrap_or_else(PoisonError::into_inner) = (problems, metrics);
    }

    /// Returns the daemon's own problems for the server.
    pub(crate) fn for_server(&self) -> Vec<v1::HealthProblem> {
        let own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let message =
            |t: &HealthProblem| v1::HealthProblem { subject: t.subject.clone(), reason: t.reason.clone() };
        own.0.iter().map(message).collect()
    }
}

impl Probe for DaemonHealth {
    fn problems(&self) -> Vec<HealthProblem> {
        let mut problems = self.own.lock().unwrap_or_else(PoisonError::into_inner).0.clone();
        let disconnected = self.link.as_ref().and_then(|link| link.borrow().disconnected.clone());
        problems.extend(disconnected.map(|reason| HealthProblem { subject: "server".into(), reason }));
        for problem in self.part.iter().flat_map(|part| part.problems()) {
            // Most of what keeps one link from the server keeps the other one.
            if !problems
                .iter()
                .any(|known| known.subject == problem.subject && known.reason == problem.reason)
            {
                problems.push(problem);
            }
        }
        problems
    }

    fn metrics(&self) -> Vec<Metric> {
        let mut metrics = self.link.as_ref().map(|link| link_metrics(&link.borrow())).unwrap_or_default();
        metrics.extend(self.own.lock().unwrap_or_else(PoisonError::into_inner).1.iter().cloned());
        let of_part = self.part.iter().flat_map(|part| part.metrics());
        metrics.extend(of_part.map(|mut metric| {
            metric.labels.push(("part", "counters".into()));
            metric
        }));
        metrics
    }
}

/// Returns a metric without labels.
pub(crate) fn metric(name: &'static str, help: &'static str, is_counter: bool, value: u64) -> Metric {
    Metric { name, help, is_counter, labels: Vec::new(), value: i64::try_from(value).unwrap_or(i64::MAX) }
}

fn link_metrics(status: &LinkStatus) -> Vec<Metric> {
    let connected = u64::from(status.disconnected.is_none());
    let mut metrics = vec![
        metric("server_connected", "1 while there is a connection to the server", false, connected),
        metric("server_connections", "Connections to the server since the start", true, status.connections),
        metric("spool_records", "Records that wait for their acknowledgement", false, status.waiting),
        metric("spool_bytes", "Size of the spool", false, status.waiting_bytes),
        metric(
            "spool_lost",
            "Records that were dropped because the spool was full or failed",
            true,
            status.lost,
        ),
        metric("uploads_rejected", "Records that the server has rejected", true, status.rejected),
    ];
    if let Some(clock) = status.clock {
        let mut offset =
            metric("clock_offset_nanoseconds", "What to add to this clock to get the server's", false, 0);
        offset.value = clock.offset_ns;
        metrics.push(offset);
        metrics.push(metric(
            "clock_error_nanoseconds",
            "Maximum error of the clock's offset",
            false,
            clock.error_ns,
        ));
    }
    metrics
}

/// The address of the key `health_listen`, taken and not served yet.
pub(crate) struct HealthAddress(Option<Bound>);

/// Takes the address of the key `health_listen`, if there is one. To be called before the daemon creates anything: a
/// daemon whose address is in use leaves nothing behind.
///
/// # Errors
/// The address cannot be used.
pub(crate) async fn take_address(settings: &Settings) -> anyhow::Result<HealthAddress> {
    let Some(address) = settings.listen("health_listen") else { return Ok(HealthAddress(None)) };
    let origin = settings.origin("health_listen").to_string();
    let listener = bind_to(address, &origin, "health_listen").await?;
    Ok(HealthAddress(Some(bound(listener, Certificates::read(settings)?.as_ref())?)))
}

impl HealthAddress {
    /// Serves health and metrics, if there is an address.
    ///
    /// # Errors
    /// The address is not known.
    pub(crate) fn serve(self, health: Arc<DaemonHealth>) -> anyhow::Result<Option<JoinHandle<()>>> {
        let Some(bound) = self.0 else { return Ok(None) };
        stdout_line!("health on {}", bound.local_addr().context("health_listen")?)?;
        Ok(Some(tokio::spawn(async move {
            if let Err(error) = web::serve_health(bound, health, std::future::pending()).await {
                tracing::error!(%error, "health and metrics are not served any more");
            }
        })))
    }
}
