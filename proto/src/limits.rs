//! Limits, and the behaviour at each.

/// Maximum bytes of a record. The sender drops and counts larger ones; the server ends the stream of a sender that
/// sends one. A snapshot of 64 switches with full registers has about 20 MB.
pub const RECORD_BYTES: usize = 32 << 20;
/// Maximum bytes of a message: a record and its envelope.
pub const MESSAGE_BYTES: usize = RECORD_BYTES + (64 << 10);
/// Maximum bytes of a name; longer ones are rejected.
pub const NAME_BYTES: usize = 128;
/// Maximum bytes of a boot id; longer ones are rejected.
pub const BOOT_ID_BYTES: usize = 64;
/// Maximum bytes of a text for people; the rest is cut off.
pub const TEXT_BYTES: usize = 1024;
/// Maximum addresses or switches in a hello; a sender with more is rejected.
pub const LISTED: usize = 4096;
/// Maximum flows, counters, samples or clocks in a record; a record with more is rejected.
pub const ITEMS: usize = 65_536;
/// Maximum bytes of the report of a host; a larger one is rejected. A host with eight RNICs has about 100 kB: its
/// processes with registered memory and its PCIe functions take most of it.
pub const HOST_REPORT_BYTES: usize = 1 << 20;
/// Maximum bytes of a verdict from counters; a larger one is rejected. One that cites 50 ports has about 60 kB.
pub const COUNTER_VERDICT_BYTES: usize = 256 << 10;
/// Maximum ports, flows, claims, records and sentences of a verdict from counters, each; one with more is rejected.
pub const COUNTER_VERDICT_ITEMS: usize = 1024;
/// Maximum bytes of a sentence of a verdict from counters; one with a longer sentence is rejected.
pub const COUNTER_VERDICT_TEXT_BYTES: usize = 4096;
/// Maximum ports of verdicts that last; further ones are ignored.
pub const LASTING_PORTS: usize = 4096;
/// Maximum neighbours or cables that a controller reports, and interfaces of an agent's host or addresses of one; further
/// ones are ignored.
pub const REPORTED: usize = 4096;
/// Maximum problems that a sender reports; further ones are ignored.
pub const HEALTH_PROBLEMS: usize = 256;
/// Maximum records that a sender sends ahead of their acknowledgement. Later ones stay in the spool.
pub const WINDOW: usize = 64;
/// Maximum bytes of unacknowledged records in flight, unless a single record is larger.
pub const WINDOW_BYTES: usize = 16 << 20;
