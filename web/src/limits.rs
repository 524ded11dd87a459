//! Limits, and the behaviour at each.

use std::time::Duration;

/// Maximum bytes of a request body; a larger one is answered with status 413.
pub const BODY_BYTES: usize = 64 * 1024;
/// Maximum bytes of a request with configurations to check: some ten of the largest switches.
pub(crate) const CHECK_BYTES: usize = 4 * 1024 * 1024;
/// Maximum characters of the name of a configuration.
pub(crate) const FILE_NAME_CHARS: usize = 1024;
/// Maximum files of one check; more are rejected.
pub(crate) const CHECKED_FILES: usize = 256;
/// Maximum characters of a note of an incident; a longer one is rejected.
pub(crate) const NOTE_CHARS: usize = 4096;
/// Maximum bytes of the name of a token that is created over REST.
pub(crate) const TOKEN_NAME_BYTES: usize = 64;
/// Events in the history for reconnecting clients; older ones are reported as missed.
pub const EVENT_RING: usize = 4096;
/// Maximum backlog of one client; then the oldest events are dropped and the client receives a `dropped` event.
pub(crate) const EVENT_BACKLOG: usize = 1024;
/// Maximum clients of the live stream; the next one is answered with status 503.
pub const EVENT_CLIENTS: usize = 256;
/// Interval of comments on an idle stream, so that proxies keep the connection open.
pub const HEARTBEAT: Duration = Duration::from_secs(15);
/// Samples kept of one port; the oldest are removed first.
pub const SERIES_SAMPLES: usize = 1024;
/// Maximum flows of which the recent epochs and round trips are kept; the flow that was recorded the longest time ago is
/// forgotten first. What is stored stays.
pub(crate) const LIVE_FLOWS: usize = 4096;
/// Recent epochs, and round trips, of a flow; the oldest are removed first.
pub(crate) const FLOW_EPOCHS: usize = 128;
/// Maximum seconds and minutes of port series that are not stored yet, and of flow series: at the limit of ports those of 15
/// seconds. While the store fails and the limit is reached, samples of further intervals are in the live view only.
pub(crate) const PENDING_ROLLUPS: usize = 65_536;
/// Maximum intervals of one answer with the series of a port or flow: a week of minutes.
pub(crate) const SERIES_INTERVALS: u32 = 10_080;
/// Wall-clock time between two writes of series; a kill loses at most as much of them.
pub(crate) const SERIES_WRITE_NS: u64 = 5_000_000_000;
/// Maximum ports with samples; samples of further ports are rejected and counted.
pub const LIVE_PORTS: usize = 4096;
/// Maximum time for a query about a victim flow; then it is answered with status 504.
pub const QUERY_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum connections; further ones wait until one of them ends.
pub const CONNECTIONS: usize = 1024;
/// Maximum time of a TLS handshake; then the connection is closed.
pub(crate) const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time until the headers of the next request are complete; then the connection is closed.
pub(crate) const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time between two parts of a request's body; then the request is rejected.
pub(crate) const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum requests at a time on one HTTP/2 connection; the client waits with further ones.
pub(crate) const HTTP2_STREAMS: u32 = 64;
