//! Digests of the switch program.

use model::FlowKey;

use super::build::Finder;
use super::records::FlowRow;
use super::{FlowFields, TelemetryLayout};

/// A decoded digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Digest {
    /// A polling packet arrived.
    Poll(PollReport),
    /// A flow slot was evicted.
    Eviction(Eviction),
}

/// Report of a polling packet that the switch had not seen before, or of a retry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PollReport {
    /// The event.
    pub event: u32,
    /// The victim.
    pub victim: FlowKey,
    /// The packet's `follow` bits: bit 0 the victim's path, bit 1 pauses.
    pub follow: u8,
    /// The `follow` bits that were new to this switch.
    pub followed: u8,
    /// Priority of the victim's data.
    pub priority: u8,
    /// Ingress port of the packet.
    pub ingress_port: u16,
    /// Egress port of the victim's packets; `None` without a route.
    pub victim_port: Option<u16>,
    /// Arrival time.
    pub time_ns: u64,
    /// Whether this packet froze the bank; otherwise it was frozen before, for `frozen_event` at `frozen_ns`.
    pub frozen_now: bool,
    /// Generation of the frozen bank.
    pub frozen_generation: u16,
    /// Event for which the bank was frozen.
    pub frozen_event: u32,
    /// Time of the freeze.
    pub frozen_ns: u64,
    /// Flow slots exported so far, modulo 2^32.
    pub evictions: u32,
}

/// A flow slot that was exported because another flow needed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Eviction {
    /// Number of the export, modulo 2^32, from 1.
    pub sequence: u32,
    /// Time of the eviction.
    pub time_ns: u64,
    /// The evicted record.
    pub row: FlowRow,
}

/// Errors of [`TelemetryLayout::decode_digest`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DigestError {
    /// Not a digest of the switch program.
    #[error("unknown digest `{0}`")]
    Unknown(String),
    /// The number of fields differs from the pipeline's declaration.
    #[error("digest `{name}` has {found} fields; expected {expected}")]
    Fields {
        /// The digest.
        name: String,
        /// Fields received.
        found: usize,
        /// Fields declared.
        expected: usize,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PollFields {
    name: String,
    count: usize,
    /// Positions in the order of [`POLL_FIELDS`].
    at: [usize; POLL_FIELDS.len()],
}

const POLL_FIELDS: [(&str, u32); 17] = [
    ("event", 32),
    ("source", 128),
    ("destination", 128),
    ("source_port", 16),
    ("destination_port", 16),
    ("protocol", 8),
    ("follow", 8),
    ("followed", 8),
    ("priority", 8),
    ("ingress_port", 16),
    ("victim_port", 16),
    ("time_ns", 64),
    ("frozen_now", 8),
    ("frozen_generation", 16),
    ("frozen_event", 32),
    ("frozen_ns", 64),
    ("evictions", 32),
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EvictionFields {
    name: String,
    count: usize,
    ids: usize,
    counts: usize,
    marks: usize,
    sequence: usize,
    time_ns: usize,
}

impl PollFields {
    pub(super) fn find(finder: &mut Finder<'_>) -> PollFields {
        let name = "poll_report_t";
        let Some(digest) = finder.digest(name) else {
            return PollFields { name: name.into(), count: 0, at: [0; POLL_FIELDS.len()] };
        };
        let at = POLL_FIELDS.map(|(field, most)| finder.digest_field(&digest, field, most));
        PollFields { count: digest.fields.len(), name: digest.name, at }
    }

    fn read(&self, fields: &[Vec<u8>]) -> PollReport {
        let number = |i: usize| self.at.get(i).and_then(|at| fields.get(*at)).map_or(0, |f| number(f));
        let [
            event,
            source,
            destination,
            source_port,
            destination_port,
            protocol,
            follow,
            followed,
            priority,
            ingress_port,
            victim_port,
            time_ns,
            frozen_now,
            frozen_generation,
            frozen_event,
            frozen_ns,
            evictions,
        ] = std::array::from_fn(number);
        PollReport {
            event: event as u32,
            victim: FlowKey::from_bits(
                source,
                destination,
                source_port as u16,
                destination_port as u16,
                protocol as u8,
            ),
            follow: follow as u8,
            followed: followed as u8,
            priority: priority as u8,
            ingress_port: ingress_port as u16,
            victim_port: (victim_port != 0).then_some(victim_port as u16),
            time_ns: time_ns as u64,
            frozen_now: frozen_now != 0,
            frozen_generation: frozen_generation as u16,
            frozen_event: frozen_event as u32,
            frozen_ns: frozen_ns as u64,
            evictions: evictions as u32,
        }
    }
}

impl EvictionFields {
    pub(super) fn find(finder: &mut Finder<'_>) -> EvictionFields {
        let name = "flow_eviction_t";
        let Some(digest) = finder.digest(name) else {
            return EvictionFields {
                name: name.into(),
                count: 0,
                ids: 0,
                counts: 0,
                marks: 0,
                sequence: 0,
                time_ns: 0,
            };
        };
        EvictionFields {
            count: digest.fields.len(),
            ids: finder.digest_word(&digest, "flow_ids", "flow_ids_bank0"),
            counts: finder.digest_word(&digest, "flow_counts", "flow_counts_bank0"),
            marks: finder.digest_word(&digest, "flow_marks", "flow_marks_bank0"),
            sequence: finder.digest_field(&digest, "sequence", 32),
            time_ns: finder.digest_field(&digest, "time_ns", 64),
            name: digest.name,
        }
    }

    fn read(&self, flows: &FlowFields, fields: &[Vec<u8>]) -> Eviction {
        let word = |at: usize| fields.get(at).map_or(&[][..], Vec::as_slice);
        Eviction {
            sequence: number(word(self.sequence)) as u32,
            time_ns: number(word(self.time_ns)) as u64,
            row: FlowRow::read(flows, word(self.ids), word(self.counts), word(self.marks)),
        }
    }
}

impl TelemetryLayout {
    /// Full names of the digests that the controller subscribes to.
    pub fn digests(&self) -> [&str; 2] {
        [&self.poll.name, &self.eviction.name]
    }

    /// Decodes a digest from its name (in full, or the name of its struct) and its fields as big-endian bytes in the
    /// declared order.
    ///
    /// # Errors
    /// If the digest is unknown or the number of its fields is wrong.
    pub fn decode_digest(&self, name: &str, fields: &[Vec<u8>]) -> Result<Digest, DigestError> {
        let is = |known: &str| known == name || known.rsplit('.').next() == Some(name);
        let count = |expected: usize| {
            if fields.len() == expected {
                return Ok(());
            }
            Err(DigestError::Fields { name: name.to_string(), found: fields.len(), expected })
        };
        if is(&self.poll.name) {
            count(self.poll.count)?;
            Ok(Digest::Poll(self.poll.read(fields)))
        } else if is(&self.eviction.name) {
            count(self.eviction.count)?;
            Ok(Digest::Eviction(self.eviction.read(&self.flows[0], fields)))
        } else {
            Err(DigestError::Unknown(name.to_string()))
        }
    }
}

/// Big-endian bytes as a number; only the last 16 bytes count.
fn number(bytes: &[u8]) -> u128 {
    bytes.iter().fold(0, |value, byte| value << 8 | u128::from(*byte))
}
