//! Named limits, and what happens at each.

use std::time::Duration;

/// Bytes of a request body; more is answered 413.
pub const BODY_BYTES: usize = 64 * 1024;
/// Events kept for replay; older ones are reported as missed.
pub const EVENT_RING: usize = 4096;
/// Events that wait for one slow client; then its oldest are dropped, and it is told.
pub(crate) const EVENT_BACKLOG: usize = 1024;
/// Clients of the live stream; the next one is answered 503.
pub const EVENT_CLIENTS: usize = 256;
/// A comment is sent when nothing else was for this long, so that proxies keep the stream open.
pub const HEARTBEAT: Duration = Duration::from_secs(15);
/// Samples kept of one port; the oldest goes first.
pub const SERIES_SAMPLES: usize = 1024;
/// Ports with samples; samples of further ports are refused and counted.
pub const LIVE_PORTS: usize = 4096;
/// How long a question about a victim flow may take; then it is answered 504.
pub const QUERY_TIMEOUT: Duration = Duration::from_secs(30);
