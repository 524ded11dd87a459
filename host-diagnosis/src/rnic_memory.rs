//! The on-chip memory that an RNIC needs for its connections, by data structure.
//!
//! Follows the conceptual model of SRNIC (Wang et al., NSDI 2023, section 3 and table 1). Counts of queue pairs are
//! multiples of 1000, sizes of 1024.

use serde::Serialize;

/// What determines the sizes. The default is that of table 1: 10,000 queue pairs at 100 Gb/s and 40 us.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RnicModel {
    /// Queue pairs.
    pub queue_pairs: u64,
    /// Bytes of the buffer for received packets, shared by all queue pairs.
    pub receive_buffer_bytes: u64,
    /// Bytes of a queue pair's context.
    pub context_bytes: u64,
    /// Bytes of registered memory.
    pub registered_bytes: u64,
    /// Bytes of a page.
    pub page_bytes: u64,
    /// Bytes of a translation entry.
    pub translation_bytes: u64,
    /// Bytes of a work request.
    pub wqe_bytes: u64,
    /// Work requests that are cached for each send queue, and as many for each receive queue.
    pub cached_wqes: u64,
    /// Packets in flight: slots of a bitmap and of the table of outstanding requests.
    pub window_packets: u64,
    /// Bitmaps of a queue pair.
    pub bitmaps: u64,
    /// Bytes of a queue pair's reordering buffer: the bandwidth-delay product.
    pub reordering_bytes: u64,
    /// Bytes of an entry of the table of outstanding requests.
    pub outstanding_bytes: u64,
}

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

impl Default for RnicModel {
    fn default() -> RnicModel {
        RnicModel {
            queue_pairs: 10_000,
            // Stated as 0.6 MB.
            receive_buffer_bytes: 6 * MIB / 10,
            context_bytes: 210,
            registered_bytes: 4 * GIB,
            page_bytes: 4 * KIB,
            translation_bytes: 8,
            wqe_bytes: 64,
            cached_wqes: 8,
            window_packets: 500,
            bitmaps: 5,
            reordering_bytes: MIB / 2,
            outstanding_bytes: 24,
        }
    }
}

/// The bytes of each data structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RnicMemory {
    /// Buffer for received packets.
    pub receive_buffer_bytes: u64,
    /// Contexts of queue pairs (QPC).
    pub context_bytes: u64,
    /// Memory translation table (MTT).
    pub translation_bytes: u64,
    /// Caches of send and receive work requests.
    pub wqe_cache_bytes: u64,
    /// Bitmaps of selective repeat.
    pub bitmap_bytes: u64,
    /// Reordering buffers of selective repeat.
    pub reordering_bytes: u64,
    /// Tables of outstanding requests of selective repeat.
    pub outstanding_bytes: u64,
}

impl RnicModel {
    /// Returns the memory without optimisations: the third column of table 1.
    pub fn memory(&self) -> RnicMemory {
        let each = |bytes: u64| self.queue_pairs.saturating_mul(bytes);
        let pages = self.registered_bytes.div_ceil(self.page_bytes.max(1));
        RnicMemory {
            receive_buffer_bytes: self.receive_buffer_bytes,
            context_bytes: each(self.context_bytes),
            translation_bytes: pages.saturating_mul(self.translation_bytes),
            wqe_cache_bytes: each(self.cached_wqes.saturating_mul(self.wqe_bytes)).saturating_mul(2),
            bitmap_bytes: each(self.bitmaps.saturating_mul(self.window_packets)) / 8,
            reordering_bytes: each(self.reordering_bytes),
            outstanding_bytes: each(self.outstanding_bytes.saturating_mul(self.window_packets)),
        }
    }

    /// Returns the memory of the last column of table 1: a translation cache of `translation_cache_bytes` on the chip, and
    /// nothing for work requests and selective repeat.
    pub fn optimised(&self, translation_cache_bytes: u64) -> RnicMemory {
        RnicMemory {
            translation_bytes: translation_cache_bytes,
            wqe_cache_bytes: 0,
            bitmap_bytes: 0,
            reordering_bytes: 0,
            outstanding_bytes: 0,
            ..self.memory()
        }
    }
}

impl RnicMemory {
    /// The sum, in bytes.
    pub fn total_bytes(&self) -> u64 {
        [
            self.receive_buffer_bytes,
            self.context_bytes,
            self.translation_bytes,
            self.wqe_cache_bytes,
            self.bitmap_bytes,
            self.reordering_bytes,
            self.outstanding_bytes,
        ]
        .into_iter()
        .fold(0, u64::saturating_add)
    }
}

/// The queue pairs whose contexts fit into on-chip memory (section 2.2). An upper limit: measured throughput of a
/// ConnectX-5 collapses at 256 queue pairs, long before its 5,592.
pub fn capacity(memory_bytes: u64, context_bytes: u64) -> u64 {
    memory_bytes / context_bytes.max(1)
}

/// Queue pairs without loss of performance for each MiB of on-chip memory (section 6.1).
pub fn normalised_scalability(queue_pairs: u64, memory_bytes: u64) -> f64 {
    queue_pairs as f64 / (memory_bytes.max(1) as f64 / MIB as f64)
}

/// The share of goodput that additional header bytes cost, 0 to 1 (section 4.4.1): with a header of `header_bytes` and
/// `extension_bytes` more, for packets of `payload_bytes`.
pub fn header_cost(payload_bytes: u64, header_bytes: u64, extension_bytes: u64) -> f64 {
    let before = (payload_bytes + header_bytes) as f64;
    1.0 - before / (before + extension_bytes as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number as table 1 prints it: one decimal.
    #[track_caller]
    fn check(bytes: u64, unit: u64, printed: &str) {
        assert_eq!(format!("{:.1}", bytes as f64 / unit as f64), printed, "{bytes} bytes");
    }

    #[test]
    fn sr_1_every_number_of_table_1() {
        let typical = RnicModel::default().memory();
        check(typical.receive_buffer_bytes, MIB, "0.6");
        check(typical.context_bytes, MIB, "2.0");
        check(typical.translation_bytes, MIB, "8.0");
        check(typical.wqe_cache_bytes, MIB, "9.8");
        check(typical.bitmap_bytes, MIB, "3.0");
        check(typical.reordering_bytes, GIB, "4.9");
        check(typical.outstanding_bytes, MIB, "114.4");
        check(RnicModel { queue_pairs: 1, ..RnicModel::default() }.memory().outstanding_bytes, KIB, "11.7");
        let optimised = RnicModel::default().optimised(12 * MIB / 10);
        check(optimised.receive_buffer_bytes, MIB, "0.6");
        check(optimised.context_bytes, MIB, "2.0");
        check(optimised.translation_bytes, MIB, "1.2");
        let zero = [
            optimised.wqe_cache_bytes,
            optimised.bitmap_bytes,
            optimised.reordering_bytes,
            optimised.outstanding_bytes,
        ];
        assert_eq!(zero, [0; 4]);
        check(optimised.total_bytes(), MIB, "3.8");
    }

    #[test]
    fn sr_1_a_connectx_5_has_room_for_5592_contexts() {
        assert_eq!(capacity(2 * MIB, 375), 5_592);
    }

    #[test]
    fn sr_1_normalised_scalability_is_18_times_that_of_a_connectx_5() {
        let prototype: f64 = [2.3, 1.2, 0.6, 0.3].into_iter().sum();
        assert_eq!(format!("{prototype:.1}"), "4.4");
        let srnic = normalised_scalability(10_000, (4.4 * MIB as f64) as u64);
        let ratio = srnic / normalised_scalability(256, 2 * MIB);
        assert_eq!(format!("{ratio:.2}"), "17.76");
    }

    #[test]
    fn sr_1_header_extensions_cost_0_7_and_1_8_percent() {
        assert_eq!(format!("{:.1}", 100.0 * header_cost(1024, 58, 8)), "0.7");
        assert_eq!(format!("{:.1}", 100.0 * header_cost(1024, 58, 20)), "1.8");
    }
}
