//! Topology, ports and configuration findings.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use model::{PortRef, Topology};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Resolution, SERIES_SECOND_AGE_NS};
use utoipa::{IntoParams, ToSchema};

use super::parameters::{nanoseconds, seconds};
use crate::priority_series::PriorityCounts;
use crate::probe::CableDifference;
use crate::problem::Problem;
use crate::rollups::PortInterval;
use crate::series::{Kept, PortPoint, PortSample};
use crate::state::AppState;
use crate::wall_clock::rfc3339;

/// Get the topology
#[utoipa::path(get, path = "/topology", operation_id = "get_topology", tag = "network", responses(
    (status = 200, description = "Nodes and links, in the order of the topology's source", body = Topology),
    (status = 503, description = "No topology has been loaded yet", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn topology(State(state): State<AppState>) -> Result<Json<Topology>, Problem> {
    let topology = state.live.topology().ok_or_else(|| {
        let detail = "no topology has been loaded yet";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "no-topology", "No topology", detail).retry_after(1)
    })?;
    Ok(Json(Topology::clone(&topology)))
}

/// A sample of a port with both clocks.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TimedPoint {
    /// The sample.
    #[serde(flatten)]
    point: PortPoint,
    /// `time_ns` on the wall clock; when the sample arrived, for a network whose switch time has none, as in a simulation.
    time: String,
}

impl From<Kept> for TimedPoint {
    fn from(Kept { point, wall_ns }: Kept) -> TimedPoint {
        TimedPoint { point, time: rfc3339(wall_ns) }
    }
}

/// A sample with its port and both clocks.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TimedSample {
    /// The sample.
    #[serde(flatten)]
    sample: PortSample,
    /// `time_ns` on the wall clock; when the sample arrived, for a network whose switch time has none, as in a simulation.
    time: String,
}

/// The latest sample of every port.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Ports {
    /// The samples, ordered by port.
    ports: Vec<TimedSample>,
}

/// List the latest sample of every port
#[utoipa::path(get, path = "/ports", operation_id = "list_ports", tag = "network", responses(
    (status = 200, description = "Samples, ordered by port", body = Ports),
))]
pub(crate) async fn ports(State(state): State<AppState>) -> Json<Ports> {
    let timed = |(port, Kept { point, wall_ns })| TimedSample {
        sample: PortSample { port, point },
        time: rfc3339(wall_ns),
    };
    Json(Ports { ports: state.live.ports().into_iter().map(timed).collect() })
}

/// Selects samples.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct SeriesQuery {
    /// At or after this time, in nanoseconds of switch time. Seconds and minutes have the wall clock: the time is that of the first
    /// recent sample from then on, and does not count if all of them are later.
    #[serde(default, deserialize_with = "nanoseconds")]
    since: Option<u64>,
    /// What the samples are rolled up to [default: `second` up to a range of an hour, else `minute`; `epoch` without a
    /// range].
    #[param(inline)]
    resolution: Option<SeriesResolution>,
    /// The latest seconds of the wall clock. Seconds are stored for an hour and minutes for a week, unless the server has
    /// other limits.
    #[serde(default, deserialize_with = "seconds")]
    #[param(minimum = 1, maximum = 31_536_000)]
    range_s: Option<u64>,
}

/// What samples of ports and records of flows are rolled up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SeriesResolution {
    /// The samples themselves, as the switches were read: the latest 1024.
    Epoch,
    /// Seconds of the wall clock.
    Second,
    /// Minutes of the wall clock.
    Minute,
}

/// Up to this range the default resolution is a second: what is stored by the second by default.
const SECONDS_RANGE_S: u64 = SERIES_SECOND_AGE_NS / 1_000_000_000;

impl SeriesQuery {
    /// The resolution.
    pub(super) fn resolution(&self) -> SeriesResolution {
        self.resolution.unwrap_or(match self.range_s {
            None => SeriesResolution::Epoch,
            Some(range_s) if range_s <= SECONDS_RANGE_S => SeriesResolution::Second,
            Some(_) => SeriesResolution::Minute,
        })
    }

    /// Whether a record of this switch time and this wall clock is selected at `now_ns` of the wall clock.
    pub(super) fn selects(&self, time_ns: u64, wall_ns: u64, now_ns: u64) -> bool {
        time_ns >= self.since.unwrap_or(0) && wall_ns >= self.range_start_ns(now_ns)
    }

    /// The earliest wall clock of seconds and minutes at `now_ns`, with the clocks of recent records, oldest first: switch time and
    /// wall clock.
    pub(super) fn since_wall_ns(&self, now_ns: u64, recent: impl IntoIterator<Item = (u64, u64)>) -> u64 {
        let mut recent = recent.into_iter().peekable();
        let since = self.since.filter(|since| recent.peek().is_some_and(|(first_ns, _)| first_ns < since));
        let since_wall_ns = since.map_or(0, |since| {
            recent.find(|(time_ns, _)| *time_ns >= since).map_or(now_ns, |(_, wall_ns)| wall_ns)
        });
        since_wall_ns.max(self.range_start_ns(now_ns))
    }

    fn range_start_ns(&self, now_ns: u64) -> u64 {
        self.range_s.map_or(0, |range_s| now_ns.saturating_sub(range_s.saturating_mul(1_000_000_000)))
    }
}

/// Recent samples of a port.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PortSeries {
    /// The egress port.
    port: PortRef,
    /// The port at the other end of its link.
    peer: Option<PortRef>,
    /// The link's rate in bits per second.
    rate_bps: Option<u64>,
    /// What the samples are rolled up to.
    resolution: SeriesResolution,
    /// The samples, oldest first; at most 1024. Empty unless the resolution is `epoch`.
    samples: Vec<TimedPoint>,
    /// The seconds or minutes with samples, oldest first; at most 10,080, the newest. Empty if the resolution is `epoch`.
    intervals: Vec<PortInterval>,
}

/// List the samples of a port: queue, pauses, rate
///
/// Without parameters these are the recent samples of every epoch; with `range_s`, or a `resolution`, stored seconds or
/// minutes.
#[utoipa::path(get, path = "/ports/{port}/series", operation_id = "get_port_series", tag = "network",
    params(("port" = PortRef, Path, description = "The port, e.g. `sw4:1`"), SeriesQuery), responses(
    (status = 200, description = "The samples of the port", body = PortSeries),
    (status = 400, description = "The path does not name a port, or a parameter is malformed", body = Problem, content_type = "application/problem+json"),
    (status = 404, description = "There is no such port", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn series(
    State(state): State<AppState>,
    Path(port): Path<String>,
    Query(query): Query<SeriesQuery>,
) -> Result<Json<PortSeries>, Problem> {
    let port: PortRef =
        port.parse().map_err(|error: model::port::ParsePortError| Problem::bad_query(error.to_string()))?;
    let resolution = query.resolution();
    let rolled_up = match resolution {
        SeriesResolution::Epoch => None,
        SeriesResolution::Second => Some(Resolution::Second),
        SeriesResolution::Minute => Some(Resolution::Minute),
    };
    let unknown = || Problem::not_found(format!("the topology has no port `{port}`"));
    let now_ns = state.live.wall_ns();
    let recent = state.live.port_series(&port);
    let (samples, intervals) = match rolled_up {
        None => {
            let mut samples = recent.ok_or_else(unknown)?;
            samples.retain(|kept| query.selects(kept.point.time_ns, kept.wall_ns, now_ns));
            (samples, Vec::new())
        }
        Some(rolled_up) => {
            let clocks = recent.iter().flatten().map(|kept| (kept.point.time_ns, kept.wall_ns));
            let since_ns = query.since_wall_ns(now_ns, clocks);
            let intervals = state.live.port_intervals(&port, rolled_up, since_ns).await?;
            (Vec::new(), intervals.ok_or_else(unknown)?)
        }
    };
    let topology = state.live.topology();
    let topology = topology.as_deref();
    let samples = samples.into_iter().map(TimedPoint::from).collect();
    let peer = topology.and_then(|t| t.peer(&port)).cloned();
    let rate_bps = topology.and_then(|t| t.link_of(&port)).map(|link| link.rate.0);
    Ok(Json(PortSeries { port, peer, rate_bps, resolution, samples, intervals }))
}

/// What the priorities of a port did.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PortPrioritiesAnswer {
    /// The egress port. Its priority groups and the pauses that it sends are those of the packets that it receives.
    port: PortRef,
    /// When counting began, on the wall clock; absent if no source tells the priorities of this port apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    /// The priorities that traffic has used, ascending.
    priorities: Vec<PriorityCounts>,
}

/// Count what each priority of a port did: pauses, queue, ECN marks, drops, headroom
///
/// Counts are summed since the server started, or since the topology changed. Switches of a simulation and counters of
/// SONiC switches tell priorities apart.
#[utoipa::path(get, path = "/ports/{port}/priorities", operation_id = "get_port_priorities", tag = "network",
    params(("port" = PortRef, Path, description = "The port, e.g. `sw4:1`")), responses(
    (status = 200, description = "The counts of the port", body = PortPrioritiesAnswer),
    (status = 400, description = "The path does not name a port", body = Problem, content_type = "application/problem+json"),
    (status = 404, description = "There is no such port", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn priorities(
    State(state): State<AppState>,
    Path(port): Path<String>,
) -> Result<Json<PortPrioritiesAnswer>, Problem> {
    let port: PortRef =
        port.parse().map_err(|error: model::port::ParsePortError| Problem::bad_query(error.to_string()))?;
    let counted = state.live.port_priorities(&port);
    let counted = counted.ok_or_else(|| Problem::not_found(format!("the topology has no port `{port}`")))?;
    let since = (counted.since_wall_ns > 0).then(|| rfc3339(counted.since_wall_ns));
    Ok(Json(PortPrioritiesAnswer { port, since, priorities: counted.counts() }))
}

/// Selects findings. A parameter that is absent matches all.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct FindingsQuery {
    /// Name of the switch.
    switch: Option<String>,
    /// Path of the configuration file, or the end of it from a folder on.
    file: Option<String>,
    /// Code of the rule, or name of the setting.
    code: Option<String>,
    /// The severity.
    #[param(inline)]
    severity: Option<FindingSeverity>,
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FindingSeverity {
    /// Packets are lost, a daemon stops, or a setting is silently ignored.
    Error,
    /// Likely to cause problems, or not provable to be correct.
    Warning,
    /// Worth knowing.
    Info,
}

impl FindingSeverity {
    fn name(self) -> &'static str {
        match self {
            FindingSeverity::Error => "error",
            FindingSeverity::Warning => "warning",
            FindingSeverity::Info => "info",
        }
    }
}

impl FindingsQuery {
    fn matches(&self, finding: &Value) -> bool {
        let is = |name: &str, wanted: &Option<String>| {
            wanted.as_deref().is_none_or(|wanted| finding[name].as_str() == Some(wanted))
        };
        let is_in_file = self.file.as_deref().is_none_or(|wanted| {
            let file = finding["file"].as_str().unwrap_or_default();
            file.strip_suffix(wanted).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
        });
        let severity = self.severity.map(|severity| severity.name());
        is("switch", &self.switch)
            && is("code", &self.code)
            && is_in_file
            && severity.is_none_or(|wanted| finding["severity"].as_str() == Some(wanted))
    }
}

/// Findings about the configuration and the cables of switches.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Findings {
    /// The findings: those of cables first, then by code. Each has the fields of `harrier check --format json`, as far as
    /// they apply, and `id`, `switch` and `port`.
    #[schema(value_type = Vec<Object>)]
    findings: Vec<Value>,
}

/// List the findings about the configuration and the cables of switches
///
/// The configurations are those that the server read at its start or at the last reload; cables are what controllers report
/// now.
#[utoipa::path(get, path = "/findings", operation_id = "list_findings", tag = "network", params(FindingsQuery), responses(
    (status = 200, description = "The findings", body = Findings),
    (status = 400, description = "A parameter is malformed", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn findings(
    State(state): State<AppState>,
    Query(query): Query<FindingsQuery>,
) -> Result<Json<Findings>, Problem> {
    let cables: BTreeMap<String, Value> = state
        .probe
        .iter()
        .flat_map(|probe| probe.daemons())
        .flat_map(|daemon| daemon.cables)
        .map(|cable| (format!("{}/cable", cable.port), cable_finding(&cable)))
        .collect();
    let stored = state.live.store().findings().await?.into_iter().map(|finding| finding.body);
    let findings = cables.into_values().chain(stored).filter(|finding| query.matches(finding)).collect();
    Ok(Json(Findings { findings }))
}

/// A cable that differs from the topology, as a finding with the id that verdicts cite.
fn cable_finding(cable: &CableDifference) -> Value {
    json!({
        "id": format!("{}/cable", cable.port), "code": "cable", "rule": "cable", "severity": "warning",
        "message": cable.text, "fix": format!("connect {} as planned, or correct the topology", cable.port),
        "switch": cable.port.switch, "port": cable.port,
    })
}
