//! Health and metrics of a switch. It is ready as soon as it listens; whether it has a program is the controller's
//! business.

use anyhow::{Context as _, anyhow};
use p4runtime::server::{Server, ServerTls, SwitchAccess};
use tokio::task::JoinHandle;
use web::{Bound, HealthProblem, Metric, Probe};

use crate::daemons::config::settings::Settings;
use crate::daemons::health::metric;
use crate::daemons::serve::bind_to;

struct SwitchHealth<A>(Server<A>);

impl<A: SwitchAccess> Probe for SwitchHealth<A> {
    fn problems(&self) -> Vec<HealthProblem> {
        Vec::new()
    }

    fn metrics(&self) -> Vec<Metric> {
        let stats = self.0.stats();
        vec![
            metric(
                "switch_events_lost",
                "Events that were dropped because the queue was full",
                true,
                stats.events_lost,
            ),
            metric(
                "switch_messages_dropped",
                "Messages that were dropped because a controller did not read",
                true,
                stats.messages_dropped,
            ),
        ]
    }
}

/// Serves health and metrics at the address of the key `health_listen`, if there is one.
///
/// # Errors
/// The address or the certificate cannot be used.
pub(super) async fn start<A: SwitchAccess>(
    settings: &Settings,
    tls: Option<&ServerTls>,
    server: Server<A>,
) -> anyhow::Result<Option<JoinHandle<()>>> {
    let Some(address) = settings.listen("health_listen") else { return Ok(None) };
    let origin = settings.origin("health_listen").to_string();
    let listener = bind_to(address, &origin, "health_listen").await?;
    let bound = match tls {
        Some(tls) => Bound::tls(listener, &tls.certificate, &tls.key).map_err(|error| anyhow!(error))?,
        None => Bound::plain(listener),
    };
    stdout_line!("health on {}", bound.local_addr().context("health_listen")?)?;
    let health = std::sync::Arc::new(SwitchHealth(server));
    Ok(Some(tokio::spawn(async move {
        if let Err(error) = web::serve_health(bound, health, std::future::pending()).await {
            tracing::error!(%error, "health and metrics are not served any more");
        }
    })))
}
