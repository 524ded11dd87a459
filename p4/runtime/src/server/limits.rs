//! Every limit of the server, with what happens at it.

use std::time::Duration;

/// Limits of a server. The defaults suit a switch with a handful of controllers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest message that is accepted; larger ones end the call with `OUT_OF_RANGE`. Pipeline configurations are
    /// the large ones; the specification asks for no less than 4 MiB.
    pub request_bytes: usize,
    /// Largest message that is sent; read responses are cut long before.
    pub response_bytes: usize,
    /// Size at which a read response is cut and the next one begun, so that clients with gRPC's default limit of
    /// 4 MiB can decode each.
    pub read_chunk_bytes: usize,
    /// Bytes of a program's sources in a device configuration; longer ones are refused with `INVALID_ARGUMENT` before
    /// they are compiled.
    pub program_bytes: usize,
    /// Streams at a time, those of controllers that have not arbitrated yet included; a further one gets
    /// `RESOURCE_EXHAUSTED`.
    pub streams: usize,
    /// Controllers of one role at a time; a further one gets `RESOURCE_EXHAUSTED`.
    pub streams_per_role: usize,
    /// Roles that are remembered; a further one gets `RESOURCE_EXHAUSTED`.
    pub roles: usize,
    /// Bytes of a role's configuration, which every notice of a new primary repeats; a larger one ends the stream with
    /// `INVALID_ARGUMENT`.
    pub role_config_bytes: usize,
    /// Messages waiting for a controller that does not read. Packets, digests and idle notifications beyond it are
    /// dropped and counted; [`Limits::stream_reserve`] more places are kept for arbitration.
    pub stream_queue: usize,
    /// Places for arbitration messages; a controller that lets even these fill up is disconnected.
    pub stream_reserve: usize,
    /// Events of the switch waiting for the server; further ones are dropped and counted.
    pub event_queue: usize,
    /// Messages of one digest that are buffered, and longest list when the client sets no limit.
    pub digest_list: usize,
    /// Messages of one digest that wait for an acknowledgement; the oldest are forgotten beyond it.
    pub digest_unacknowledged: usize,
    /// Updates in one write; larger batches get `RESOURCE_EXHAUSTED`.
    pub updates_per_write: usize,
    /// Updates kept between `VERIFY_AND_SAVE` and `COMMIT`; further writes get `RESOURCE_EXHAUSTED`.
    pub updates_until_commit: usize,
    /// Entities of a read.
    pub entities_per_read: usize,
    /// Bytes of a packet-out; longer ones are dropped with a stream error.
    pub packet_bytes: usize,
    /// Connections at a time; a further one is closed at once.
    pub connections: usize,
    /// Calls at a time on one connection; a client that begins more waits.
    pub calls_per_connection: u32,
    /// Bytes of a call's headers, as HTTP/2 counts them; a call with more is refused, and frames that continue its
    /// headers without end close the connection (RUSTSEC-2024-0332).
    pub header_bytes: u32,
    /// Calls that a client has begun and taken back before the server looked at them; one more closes the connection
    /// (CVE-2023-44487).
    pub resets_per_connection: usize,
    /// How often a connection without traffic is probed, so that a dead controller's stream ends.
    pub keepalive: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            request_bytes: 256 << 20,
            response_bytes: 256 << 20,
            read_chunk_bytes: 512 << 10,
            program_bytes: 8 << 20,
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
        }
    }
}
