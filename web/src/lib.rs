//! REST API, OpenAPI document, live stream, metrics and the embedded dashboard: the only crate that uses HTTP.
//!
//! A driver such as `harrier demo` owns a [`LiveState`], pushes diagnoses and port samples into it, and runs [`serve`].
//! REST returns only data of the store and of the live state, and the dashboard shows only data that REST returns.
//!
//! Errors are `application/problem+json` (RFC 9457), the live stream uses server-sent events (WHATWG HTML, section
//! 9.2), and metrics are OpenMetrics or classic Prometheus text.

mod access;
mod assets;
mod check;
mod connections;
mod durations;
mod events;
mod exposition;
mod flow_series;
mod headers;
mod headline;
mod health;
mod host_report;
mod limits;
mod live;
mod metrics;
mod priorities;
mod priority_series;
mod probe;
mod problem;
mod process;
mod query;
mod report;
mod rollups;
mod routes;
mod series;
mod server;
mod state;
mod tls;
mod tokens;
mod wall_clock;
pub mod webhooks;
mod what_if;

pub use access::{
    Access, Credential, GroupRole, Network, ParseGroupRoleError, ParseNetworkError, Proxies, Role, TokenHash,
};
pub use check::{CheckReport, Checker, ConfigurationFile};
pub use durations::Stage;
pub use events::{EventId, StreamEvent, StreamEventKind};
pub use flow_series::{FlowEpoch, FlowInterval, FlowRoundTrip};
pub use health::serve_health;
pub use host_report::{HostReportBackend, HostReportSummary, HostReportView};
pub use limits::{
    BODY_BYTES, CONNECTIONS, EVENT_CLIENTS, EVENT_RING, HEARTBEAT, LIVE_PORTS, QUERY_TIMEOUT, SERIES_SAMPLES,
};
pub use live::{Alerts, LiveState};
pub use priorities::Priorities;
pub use priority_series::PrioritySample;
pub use probe::{
    CableDifference, DaemonState, HealthProblem, HostInterface, LldpNeighbour, Metric, Probe,
    SwitchClockError,
};
pub use query::{QueryBackend, QueryError, QueryFuture, QueryResult};
pub use rollups::PortInterval;
pub use routes::{openapi, router};
pub use series::{PortPoint, PortSample};
pub use server::{serve, serve_bound, service};
pub use state::AppState;
pub use tls::Bound;
pub use tokens::{TokenBackend, TokenError, TokenInfo};
pub use wall_clock::{WallClock, rfc3339};
pub use what_if::{WhatIf, WhatIfBackend, WhatIfBusy, WhatIfFuture};
