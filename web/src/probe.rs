//! Health and metrics of the program around the server: what it reports beside the data of this crate.

use std::net::IpAddr;

use model::PortRef;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric as _};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use serde::Serialize;
use utoipa::ToSchema;

/// Something that keeps the program, or a daemon that is connected to it, from its work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct HealthProblem {
    /// What it is about: a switch, a daemon.
    pub subject: String,
    /// The reason, for people.
    pub reason: String,
}

/// A value at the time of a scrape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Name without the prefix `harrier_` and without `_total`.
    pub name: &'static str,
    /// One sentence without a full stop.
    pub help: &'static str,
    /// Whether it only grows.
    pub is_counter: bool,
    /// Labels with bounded values.
    pub labels: Vec<(&'static str, String)>,
    /// The value.
    pub value: i64,
}

/// An agent, controller or watcher that has been connected to the server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct DaemonState {
    /// `agent`, `controller` or `watcher`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Version of its program.
    pub software: String,
    /// The start of the daemon: random, drawn at every start.
    pub boot_id: String,
    /// `connected`, `silent` or `disconnected`.
    pub state: String,
    /// When its last message arrived, RFC 3339.
    pub heard: String,
    /// Records that it dropped because its spool was full, since the server's start.
    pub lost: u64,
    /// What to add to its clock to get that of the server, in nanoseconds; absent until it is measured.
    pub clock_offset_ns: Option<i64>,
    /// Maximum error of the offset.
    pub clock_error_ns: u64,
    /// The clocks of a controller's switches, as in its latest snapshot.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub switch_clocks: Vec<SwitchClockError>,
    /// Records that were rejected since the server's start.
    pub rejected: u64,
    /// What keeps it from its work.
    pub problems: Vec<HealthProblem>,
    /// The interfaces of an agent's host.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub interfaces: Vec<HostInterface>,
    /// What announces itself with LLDP at the ports of a controller's switches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub neighbours: Vec<LldpNeighbour>,
    /// The cables of a controller's switches that differ from the topology.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cables: Vec<CableDifference>,
    /// The links that have failed and that a controller's routes avoid, by the port at one end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed_links: Vec<PortRef>,
}

/// How well the clock of a switch is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SwitchClockError {
    /// The switch.
    pub switch: String,
    /// By how much its times may be off those of the server at most, in nanoseconds of wall-clock time; absent if it is not
    /// known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_ns: Option<u64>,
}

/// A network interface of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct HostInterface {
    /// Its name.
    pub name: String,
    /// Its MAC address; empty: it has none.
    pub mac: String,
    /// Its IP addresses.
    #[schema(value_type = Vec<String>)]
    pub addresses: Vec<IpAddr>,
    /// Its MTU.
    pub mtu_bytes: u32,
    /// Its speed in Mb/s; absent if it does not know.
    pub speed_mbps: Option<u64>,
    /// Whether it is enabled and has a link.
    pub is_up: bool,
}

/// What announces itself at a port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LldpNeighbour {
    /// The port of the switch.
    pub port: PortRef,
    /// System and port at the other end.
    pub announced: String,
    /// What that port is, for people.
    pub description: String,
}

/// A cable that differs from the topology.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CableDifference {
    /// The port where it is seen.
    pub port: PortRef,
    /// What the topology says; absent: there is no cable.
    pub planned: Option<PortRef>,
    /// What announces itself; absent: nothing does.
    pub found: Option<String>,
    /// The difference in one sentence.
    pub text: String,
}

/// What a program reports. The methods are called at every request and must not block.
pub trait Probe: Send + Sync + 'static {
    /// Returns what keeps the program from its work; with one of these, it is not ready.
    fn problems(&self) -> Vec<HealthProblem>;

    /// Returns all values; those of one name are adjacent.
    fn metrics(&self) -> Vec<Metric>;

    /// Returns the daemons that have been connected.
    fn daemons(&self) -> Vec<DaemonState> {
        Vec::new()
    }

    /// Returns why there is no network, if the program knows more than that.
    fn no_network(&self) -> Option<String> {
        None
    }

    /// Returns what keeps connected daemons from their work: they are shown, but the program itself stays ready.
    fn daemon_problems(&self) -> Vec<HealthProblem> {
        Vec::new()
    }
}

/// The metrics of a probe in a registry.
pub(crate) struct Collected(pub(crate) std::sync::Arc<dyn Probe>);

impl std::fmt::Debug for Collected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Collected")
    }
}

impl Collector for Collected {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let metrics = self.0.metrics();
        for family in metrics.chunk_by(|a, b| a.name == b.name) {
            let Some(first) = family.first() else { continue };
            let kind = if first.is_counter { MetricType::Counter } else { MetricType::Gauge };
            let mut descriptor = encoder.encode_descriptor(first.name, first.help, None, kind)?;
            for metric in family {
                let value = descriptor.encode_family(&metric.labels)?;
                match metric.is_counter {
                    true => ConstCounter::new(metric.value.max(0) as u64).encode(value)?,
                    false => ConstGauge::new(metric.value).encode(value)?,
                }
            }
        }
        Ok(())
    }
}
