//! The time that a transfer between GPUs takes if a processor controls it.
//!
//! Source: ARK (Hwang et al., NSDI 2023), section 2.2 and table 1: a constant overhead for each transfer, measured with
//! TensorFlow.

/// The parts of the constant overhead of a transfer that a processor controls, in nanoseconds.
pub const OVERHEAD_PARTS: [(&str, u64); 5] = [
    ("send ready event on the GPU", 3_800),
    ("synchronisation of computation and communication streams", 11_600),
    ("gap between two polls of an event", 58_300),
    ("lock of a mutex", 58_700),
    ("launch of a GPU kernel", 19_200),
];

/// The sum of [`OVERHEAD_PARTS`], in nanoseconds: 151.6 us.
pub fn overhead_ns() -> u64 {
    OVERHEAD_PARTS.iter().map(|(_, ns)| ns).sum()
}

/// The time of a transfer on the wire, in nanoseconds.
pub fn wire_ns(bytes: u64, bits_per_s: f64) -> f64 {
    bytes as f64 * 8.0 * 1e9 / bits_per_s
}

/// The time of a transfer with the overhead of host control, in nanoseconds: size / rate + 151.6 us.
pub fn controlled_ns(bytes: u64, bits_per_s: f64) -> f64 {
    wire_ns(bytes, bits_per_s) + overhead_ns() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ark_1_the_overhead_is_151_6_us() {
        assert_eq!(overhead_ns(), 151_600);
    }

    #[test]
    fn ark_1_a_message_of_256_kib_in_60_9_us_is_34_4_gbps() {
        // Table 3: the smallest gap between two messages of BERT-Large.
        let bits_per_s = 256.0 * 1024.0 * 8.0 / 60.9e-6;
        assert_eq!(format!("{:.1}", bits_per_s / 1e9), "34.4");
        assert!((wire_ns(256 << 10, bits_per_s) - 60_900.0).abs() < 1.0);
    }

    #[test]
    fn small_transfers_are_dominated_by_the_overhead() {
        let small = controlled_ns(8 << 10, 100e9);
        assert!((small - 152_255.0).abs() < 1.0, "{small}");
    }
}
