//! Records that wait for their acknowledgement: which exist, in which order they are sent, and when files are removed.
//!
//! A spool is a sequence of files (segments), each a sequence of frames: length and CRC-32 of the record, 4 bytes each,
//! little-endian, and the record. A killed process leaves at most one torn frame at the end of its last segment; a
//! reader stops there, and the next process starts a new segment. A segment is removed once all of its records are
//! acknowledged. Records that are sent again after a restart because their segment was still there have no effect at the
//! server.
//!
//! [`Queue`] is pure; the caller reads, writes and removes the files.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Bytes before each record in a segment.
pub const FRAME_HEADER_BYTES: usize = 8;
/// Size from which on a segment is followed by a new one.
pub const SEGMENT_BYTES: u64 = 4 << 20;

/// Returns a record with its header.
pub fn frame(record: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(FRAME_HEADER_BYTES + record.len());
    bytes.extend_from_slice(&(record.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(record).to_le_bytes());
    bytes.extend_from_slice(record);
    bytes
}

/// Returns the offset and length of every intact record of a segment, and the number of bytes after the last one.
pub fn read_frames(segment: &[u8]) -> (Vec<(u64, u32)>, usize) {
    let mut records = Vec::new();
    let mut at = 0;
    while let Some((header, rest)) =
        segment.get(at..).and_then(|rest| rest.split_at_checked(FRAME_HEADER_BYTES))
    {
        let word = |from: usize| {
            u32::from_le_bytes([header[from], header[from + 1], header[from + 2], header[from + 3]])
        };
        let (length, checksum) = (word(0), word(4));
        // A hole of a file system is zero, and so would be an empty record and its checksum.
        let Some(record) = rest.get(..length as usize).filter(|record| !record.is_empty()) else { break };
        if crc32fast::hash(record) != checksum {
            break;
        }
        records.push(((at + FRAME_HEADER_BYTES) as u64, length));
        at += FRAME_HEADER_BYTES + record.len();
    }
    (records, segment.len() - at)
}

/// The place of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The boot that made it.
    pub boot_id: Arc<str>,
    /// Its number in that boot.
    pub sequence: u64,
    /// The segment that holds it.
    pub segment: u64,
    /// Offset of the record, after its header.
    pub offset: u64,
    /// Its length.
    pub length: u32,
}

impl Slot {
    fn frame_bytes(&self) -> u64 {
        FRAME_HEADER_BYTES as u64 + u64::from(self.length)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Segment {
    bytes: u64,
    waiting: usize,
}

/// The records of a spool, oldest first.
#[derive(Clone, Debug)]
pub struct Queue {
    slots: VecDeque<Slot>,
    segments: BTreeMap<u64, Segment>,
    active: u64,
    max_bytes: u64,
    /// Number of slots, from the first on, that are sent and not acknowledged.
    in_flight: usize,
    in_flight_bytes: u64,
    lost: u64,
    unreported: u64,
}

impl Queue {
    /// An empty queue that writes to segment `active` and keeps at most `max_bytes`, but always the newest segment.
    pub fn new(active: u64, max_bytes: u64) -> Queue {
        Queue {
            slots: VecDeque::new(),
            segments: BTreeMap::new(),
            active,
            max_bytes,
            in_flight: 0,
            in_flight_bytes: 0,
            lost: 0,
            unreported: 0,
        }
    }

    /// Adds a record of an earlier process, in order. Its segment must be below the active one.
    pub fn restore(&mut self, slot: Slot) {
        let segment = self.segments.entry(slot.segment).or_default();
        segment.bytes += slot.frame_bytes();
        segment.waiting += 1;
        self.slots.push_back(slot);
    }

    /// Adds a new record. Returns its place, where the caller appends the frame, and the segments to remove first.
    pub fn push(&mut self, boot_id: &Arc<str>, sequence: u64, length: u32) -> (Slot, Vec<u64>) {
        if self.segments.get(&self.active).is_some_and(|segment| segment.bytes >= SEGMENT_BYTES) {
            self.active += 1;
        }
        let segment = self.segments.entry(self.active).or_default();
        let offset = segment.bytes + FRAME_HEADER_BYTES as u64;
        let slot = Slot { boot_id: boot_id.clone(), sequence, segment: self.active, offset, length };
        segment.bytes += slot.frame_bytes();
        segment.waiting += 1;
        self.slots.push_back(slot.clone());
        let mut removed = self.finished();
        while self.bytes() > self.max_bytes
            && let Some(oldest) = self.segments.keys().next().copied().filter(|oldest| *oldest != self.active)
        {
            self.drop_segment(oldest);
            removed.push(oldest);
        }
        (slot, removed)
    }

    /// Removes the records up to `sequence` of a boot. Returns the segments to remove.
    pub fn acknowledge(&mut self, boot_id: &str, sequence: u64) -> Vec<u64> {
        while let Some(first) = self.slots.front()
            && *first.boot_id == *boot_id
            && first.sequence <= sequence
        {
            self.remove_first();
        }
        self.finished()
    }

    /// Returns the next record to send, and counts it as sent; `None` if all are sent or the window is full.
    pub fn next_to_send(&mut self, window: usize, window_bytes: u64) -> Option<Slot> {
        let slot = self.slots.get(self.in_flight)?;
        let length = u64::from(slot.length);
        if self.in_flight >= window || (self.in_flight > 0 && self.in_flight_bytes + length > window_bytes) {
            return None;
        }
        self.in_flight += 1;
        self.in_flight_bytes += length;
        Some(slot.clone())
    }

    /// After a reconnect: everything that is not acknowledged is sent again.
    pub fn rewind(&mut self) {
        self.in_flight = 0;
        self.in_flight_bytes = 0;
    }

    /// Begins a new segment with the next record: the caller could not write the active one to its end.
    pub fn close_active(&mut self) {
        self.active += 1;
    }

    /// Removes a record that the caller cannot read back, and counts it as lost.
    pub fn drop_unreadable(&mut self, slot: &Slot) {
        if let Some(index) = self.slots.iter().position(|other| other == slot) {
            if index < self.in_flight {
                self.in_flight -= 1;
                self.in_flight_bytes -= u64::from(slot.length);
            }
            self.slots.remove(index);
            if let Some(segment) = self.segments.get_mut(&slot.segment) {
                segment.waiting -= 1;
            }
            self.count_lost(1);
        }
    }

    /// Counts records that could not be stored or read at all.
    pub fn count_lost(&mut self, records: u64) {
        self.lost += records;
        self.unreported += records;
    }

    /// Returns the number of lost records that no sent record has reported yet, and counts them as reported.
    pub fn take_unreported(&mut self) -> u64 {
        std::mem::take(&mut self.unreported)
    }

    /// Number of records that wait for their acknowledgement.
    pub fn waiting(&self) -> usize {
        self.slots.len()
    }

    /// Bytes of all segments.
    pub fn bytes(&self) -> u64 {
        self.segments.values().map(|segment| segment.bytes).sum()
    }

    /// Number of records that were dropped since the start.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    fn remove_first(&mut self) {
        let Some(slot) = self.slots.pop_front() else { return };
        if self.in_flight > 0 {
            self.in_flight -= 1;
            self.in_flight_bytes -= u64::from(slot.length);
        }
        if let Some(segment) = self.segments.get_mut(&slot.segment) {
            segment.waiting -= 1;
        }
    }

    /// Removes the segments without waiting records. The active one is closed as well if it is full.
    fn finished(&mut self) -> Vec<u64> {
        let active = self.active;
        let done: Vec<u64> = self
            .segments
            .iter()
            .filter(|(number, segment)| {
                segment.waiting == 0 && (**number != active || segment.bytes >= SEGMENT_BYTES)
            })
            .map(|(number, _)| *number)
            .collect();
        for number in &done {
            self.segments.remove(number);
            if *number == self.active {
                self.active += 1;
            }
        }
        done
    }

    fn drop_segment(&mut self, number: u64) {
        let before = self.slots.len();
        while self.slots.front().is_some_and(|slot| slot.segment == number) {
            self.remove_first();
        }
        self.segments.remove(&number);
        self.count_lost((before - self.slots.len()) as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn boot() -> Arc<str> {
        Arc::from("boot")
    }

    #[test]
    fn records_are_sent_in_order_until_they_are_acknowledged() {
        let mut queue = Queue::new(0, u64::MAX);
        for sequence in 1..=4 {
            queue.push(&boot(), sequence, 10);
        }
        let sent = |queue: &mut Queue, window| {
            std::iter::from_fn(|| queue.next_to_send(window, 1_000))
                .map(|slot| slot.sequence)
                .collect::<Vec<_>>()
        };
        assert_eq!(sent(&mut queue, 3), [1, 2, 3]);
        queue.acknowledge("boot", 2);
        assert_eq!(sent(&mut queue, 3), [4]);
        queue.rewind();
        assert_eq!(sent(&mut queue, 3), [3, 4]);
        queue.acknowledge("another boot", 9);
        queue.acknowledge("boot", 9);
        assert_eq!((queue.waiting(), sent(&mut queue, 3)), (0, vec![]));
    }

    #[test]
    fn the_window_limits_bytes_but_admits_one_large_record() {
        let mut queue = Queue::new(0, u64::MAX);
        for sequence in 1..=3 {
            queue.push(&boot(), sequence, 100);
        }
        assert!(queue.next_to_send(64, 50).is_some());
        assert!(queue.next_to_send(64, 50).is_none());
        queue.acknowledge("boot", 1);
        assert!(queue.next_to_send(64, 250).is_some() && queue.next_to_send(64, 250).is_some());
    }

    #[test]
    fn the_oldest_segments_are_dropped_and_counted() {
        let length = SEGMENT_BYTES as u32 / 2;
        let mut queue = Queue::new(0, 2 * SEGMENT_BYTES);
        let mut removed = Vec::new();
        for sequence in 1..=6 {
            removed.extend(queue.push(&boot(), sequence, length).1);
        }
        assert_eq!(removed, [0, 1]);
        assert_eq!((queue.lost(), queue.waiting()), (4, 2));
        assert_eq!((queue.take_unreported(), queue.take_unreported()), (4, 0));
        assert_eq!(queue.next_to_send(64, u64::MAX).map(|slot| slot.sequence), Some(5));
    }

    #[test]
    fn a_segment_that_could_not_be_written_is_left() {
        let mut queue = Queue::new(0, u64::MAX);
        queue.push(&boot(), 1, 10);
        let (failed, _) = queue.push(&boot(), 2, 10);
        queue.drop_unreadable(&failed);
        queue.close_active();
        let (next, _) = queue.push(&boot(), 3, 10);
        assert_eq!((next.segment, next.offset), (1, FRAME_HEADER_BYTES as u64));
        assert_eq!((queue.waiting(), queue.lost()), (2, 1));
    }

    #[test]
    fn acknowledged_segments_are_removed() {
        let length = SEGMENT_BYTES as u32;
        let mut queue = Queue::new(7, u64::MAX);
        for sequence in 1..=3 {
            assert_eq!(queue.push(&boot(), sequence, length).1, Vec::<u64>::new());
        }
        assert_eq!(queue.acknowledge("boot", 1), [7]);
        assert_eq!(queue.acknowledge("boot", 3), [8, 9]);
        assert_eq!(queue.bytes(), 0);
        assert_eq!(queue.push(&boot(), 4, 10).0.segment, 10);
    }

    proptest! {
        /// A segment that ends anywhere yields a prefix of its records.
        #[test]
        fn a_torn_end_loses_only_the_torn_record(
            records in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..40), 0..12),
            cut in 0_usize..600,
        ) {
            let whole: Vec<u8> = records.iter().flat_map(|record| frame(record)).collect();
            let torn = &whole[..cut.min(whole.len())];
            let (found, rest) = read_frames(torn);
            let read: Vec<&[u8]> =
                found.iter().map(|(at, length)| &torn[*at as usize..*at as usize + *length as usize]).collect();
            prop_assert_eq!(&read[..], &records.iter().map(Vec::as_slice).collect::<Vec<_>>()[..read.len()]);
            prop_assert!(rest < 40 + FRAME_HEADER_BYTES);
            if torn.len() == whole.len() {
                prop_assert_eq!(read.len(), records.len());
            }
        }

        #[test]
        fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
            let _ = read_frames(&bytes);
        }
    }
}
