//! Limits of the server, and the behaviour at each limit.

use std::time::Duration;

/// Limits of a server. The defaults suit a switch with a few controllers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum size of a received message in bytes; a larger one ends the call with `OUT_OF_RANGE`. Pipeline
    /// configurations are large; the specification requires at least 4 MiB.
    pub request_bytes: usize,
    /// Maximum size of a sent message in bytes; read responses are split well below it.
    pub response_bytes: usize,
    /// Size in bytes at which a read response is split, so that clients with gRPC's default limit of 4 MiB can decode
    /// it.
    pub read_chunk_bytes: usize,
    /// Maximum size of the sources in a device configuration in bytes; larger ones are rejected with `INVALID_ARGUMENT`
    /// before they are compiled.
    pub program_bytes: usize,
    /// Maximum number of programs that are compiled at the same time; further ones wait.
    pub compilations: usize,
    /// Maximum number of open streams, including those before arbitration; a further one gets `RESOURCE_EXHAUSTED`.
    pub streams: usize,
    /// Maximum number of connected controllers per role; a further one gets `RESOURCE_EXHAUSTED`.
    pub streams_per_role: usize,
    /// Maximum number of roles; a further one gets `RESOURCE_EXHAUSTED`.
    pub roles: usize,
    /// Maximum size of a role configuration in bytes, which every notification of a new primary repeats; a larger one
    /// ends the stream with `INVALID_ARGUMENT`.
    pub role_config_bytes: usize,
    /// Maximum number of queued messages per stream, half of it for packets. Packets, digests and idle notifications
    /// beyond it are dropped and counted; [`Limits::stream_reserve`] further places are kept for arbitration.
    pub stream_queue: usize,
    /// Queue places for arbitration messages; a controller whose queue exceeds them is disconnected.
    pub stream_reserve: usize,
    /// Maximum number of queued events of the switch; further ones are dropped and counted.
    pub event_queue: usize,
    /// Maximum number of buffered messages per digest, and maximum list length if the client sets no limit.
    pub digest_list: usize,
    /// Maximum number of unacknowledged messages per digest; beyond it the oldest lists count as acknowledged.
    pub digest_unacknowledged: usize,
    /// Maximum number of updates per write; larger batches get `RESOURCE_EXHAUSTED`.
    pub updates_per_write: usize,
    /// Maximum number of updates between `VERIFY_AND_SAVE` and `COMMIT`; further writes get `RESOURCE_EXHAUSTED`.
    pub updates_until_commit: usize,
    /// Maximum number of entities per read; larger requests get `RESOURCE_EXHAUSTED`.
    pub entities_per_read: usize,
    /// Maximum size of a packet-out in bytes; a larger one is dropped with a stream error.
    pub packet_bytes: usize,
    /// Maximum number of connections; a further one is closed at once.
    pub connections: usize,
    /// Maximum number of concurrent calls per connection; further calls wait.
    pub calls_per_connection: u32,
    /// Maximum size of a call's headers in bytes, as counted by HTTP/2. A call with larger headers is rejected, and
    /// endless CONTINUATION frames close the connection (RUSTSEC-2024-0332).
    pub header_bytes: u32,
    /// Maximum number of calls that a client may reset before the server processes them; beyond it the connection is
    /// closed (CVE-2023-44487).
    pub resets_per_connection: usize,
    /// Time without a frame of the client after which the server sends an HTTP/2 ping.
    pub keepalive: Duration,
    /// Time for its answer; then the connection is closed, so that the streams of dead and cut off controllers end.
    pub keepalive_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            request_bytes: 256 << 20,
            response_bytes: 256 << 20,
            read_chunk_bytes: 512 << 10,
            program_bytes: 8 << 20,
            compilations: 2,
            streams: 1024,
            streams_per_role: 16,
            roles: 64,
            role_config_bytes: 64 << 10,
            stream_queue: 4096,
            stream_reserve: 64,
            event_queue: 65_536,
            digest_list: 4096,
            digest_unacknowledged: 65_536,
            updates_per_write: 1 << 20,
            updates_until_commit: 1 << 20,
            entities_per_read: 1 << 16,
            packet_bytes: 16 << 10,
            connections: 1024,
            calls_per_connection: 256,
            header_bytes: 64 << 10,
            resets_per_connection: 64,
            keepalive: Duration::from_secs(20),
            keepalive_timeout: Duration::from_secs(20),
        }
    }
}
