//! What snapshots have recorded of a flow over time.

use axum::Json;
use axum::extract::{Path, Query, State};
use model::FlowKey;
use serde::Serialize;
use store::Resolution;
use utoipa::ToSchema;

use super::network::{SeriesQuery, SeriesResolution};
use crate::flow_series::{FlowEpoch, FlowInterval, FlowRoundTrip};
use crate::problem::Problem;
use crate::state::AppState;
use crate::wall_clock::rfc3339;

/// What the switches recorded of a flow in one epoch, with both clocks.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TimedFlowEpoch {
    /// The records.
    #[serde(flatten)]
    epoch: FlowEpoch,
    /// `time_ns` on the wall clock; when the first snapshot with the epoch arrived, for a network whose switch time has none,
    /// as in a simulation.
    time: String,
}

/// A round trip that made an agent send a polling packet, with both clocks.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TimedFlowRoundTrip {
    /// The round trip.
    #[serde(flatten)]
    round_trip: FlowRoundTrip,
    /// `time_ns` on the wall clock; when the snapshot arrived, for a network whose switch time has none, as in a simulation.
    time: String,
}

/// What snapshots have recorded of a flow.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FlowSeries)]
pub(crate) struct FlowSeriesAnswer {
    /// The flow.
    flow: FlowKey,
    /// What the records are rolled up to.
    resolution: SeriesResolution,
    /// The epochs in which a switch recorded the flow, oldest first; at most 128. Empty unless the resolution is `epoch`.
    epochs: Vec<TimedFlowEpoch>,
    /// The round trips that made an agent send a polling packet, oldest first; at most 128. Empty unless the resolution is
    /// `epoch`.
    round_trips: Vec<TimedFlowRoundTrip>,
    /// The seconds or minutes with records, oldest first; at most 10,080, the newest. Empty if the resolution is `epoch`.
    intervals: Vec<FlowInterval>,
}

/// List what snapshots recorded of a flow: packets, bytes, pauses, round trips
///
/// Without parameters these are the recent epochs; with `range_s`, or a `resolution`, stored seconds or minutes. Only
/// diagnoses have snapshots: a flow that no snapshot contains has empty lists.
#[utoipa::path(get, path = "/flows/{flow}/series", operation_id = "get_flow_series", tag = "network",
    params(("flow" = FlowKey, Path, description = "The flow, e.g. `10.0.0.2:10000>10.0.0.4:4791/udp`"), SeriesQuery), responses(
    (status = 200, description = "The records of the flow", body = FlowSeriesAnswer),
    (status = 400, description = "The path does not name a flow, or a parameter is malformed", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn series(
    State(state): State<AppState>,
    Path(flow): Path<String>,
    Query(query): Query<SeriesQuery>,
) -> Result<Json<FlowSeriesAnswer>, Problem> {
    let flow: FlowKey =
        flow.parse().map_err(|error: model::flow::ParseFlowError| Problem::bad_query(error.to_string()))?;
    let resolution = query.resolution();
    let now_ns = state.live.wall_ns();
    let (epochs, round_trips) = state.live.flow_records(&flow);
    let rolled_up = match resolution {
        SeriesResolution::Epoch => None,
        SeriesResolution::Second => Some(Resolution::Second),
        SeriesResolution::Minute => Some(Resolution::Minute),
    };
    let Some(rolled_up) = rolled_up else {
        let selected = |epoch: &FlowEpoch| query.selects(epoch.time_ns, epoch.wall_ns, now_ns);
        let timed = |epoch: FlowEpoch| TimedFlowEpoch { epoch, time: rfc3339(epoch.wall_ns) };
        let epochs = epochs.into_iter().filter(selected).map(timed).collect();
        let selected = |rtt: &FlowRoundTrip| query.selects(rtt.time_ns, rtt.wall_ns, now_ns);
        let timed =
            |round_trip: FlowRoundTrip| TimedFlowRoundTrip { round_trip, time: rfc3339(round_trip.wall_ns) };
        let round_trips = round_trips.into_iter().filter(selected).map(timed).collect();
        return Ok(Json(FlowSeriesAnswer { flow, resolution, epochs, round_trips, intervals: Vec::new() }));
    };
    let clocks = epochs.iter().map(|epoch| (epoch.time_ns, epoch.wall_ns));
    let intervals = state.live.flow_intervals(flow, rolled_up, query.since_wall_ns(now_ns, clocks)).await?;
    let (epochs, round_trips) = (Vec::new(), Vec::new());
    Ok(Json(FlowSeriesAnswer { flow, resolution, epochs, round_trips, intervals }))
}
