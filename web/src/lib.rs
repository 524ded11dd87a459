//! REST, OpenAPI, live stream, metrics and the embedded dashboard: the only crate that speaks HTTP.
//!
//! A driver (`harrier demo`, `harrier serve`) owns a [`LiveState`], pushes what happens into it, and runs
//! [`serve`]. REST returns what is in the store or in the live state and nothing else, and the dashboard
//! shows nothing that REST cannot return.
//!
//! Errors are `application/problem+json` (RFC 9457), the live stream is server-sent events (WHATWG HTML,
//! section 9.2), metrics are OpenMetrics text.

mod assets;
mod events;
mod headers;
mod limits;
mod live;
mod metrics;
mod problem;
mod query;
mod routes;
mod series;
mod server;
mod state;

pub use events::{Event, EventKind};
pub use limits::{
    BODY_BYTES, EVENT_CLIENTS, EVENT_RING, HEARTBEAT, LIVE_PORTS, QUERY_TIMEOUT, SERIES_SAMPLES,
};
pub use live::LiveState;
pub use query::{QueryAnswer, QueryBackend, QueryError, QueryFuture};
pub use routes::{openapi, router};
pub use series::{PortPoint, PortSample};
pub use server::serve;
pub use state::AppState;
