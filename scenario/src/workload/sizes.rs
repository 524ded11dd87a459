//! Distributions of message sizes: cumulative tables with linear interpolation.
//!
//! The figures are public. WebSearch: Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010; Hadoop: Roy et al.,
//! "Inside the Social Network's (Datacenter) Network", SIGCOMM 2015; AliStorage: Li et al., "HPCC", SIGCOMM 2019; all
//! three as published with HPCC's traffic generator. Long tail: the sizes in the evaluation of "Hawkeye", SIGCOMM
//! 2025 (80 % up to 10 MB, 90 % up to 100 MB, the rest up to 300 MB); uniform below 10 MB, where no sizes are given.

use crate::random::Random;

/// A distribution of sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SizeTable {
    /// Its name in scenarios.
    pub name: &'static str,
    /// Bytes, and how many of 100,000 messages are not larger; ascending, the last is 100,000.
    pub points: &'static [(u64, u32)],
}

/// The end of the cumulative scale.
const WHOLE: u64 = 100_000;

/// All tables.
pub const TABLES: [SizeTable; 4] = [
    SizeTable {
        name: "web-search",
        points: &[
            (0, 0),
            (10_000, 15_000),
            (20_000, 20_000),
            (30_000, 30_000),
            (50_000, 40_000),
            (80_000, 53_000),
            (200_000, 60_000),
            (1_000_000, 70_000),
            (2_000_000, 80_000),
            (5_000_000, 90_000),
            (10_000_000, 97_000),
            (30_000_000, 100_000),
        ],
    },
    SizeTable {
        name: "hadoop",
        points: &[
            (0, 0),
            (100, 1_000),
            (200, 2_000),
            (300, 5_000),
            (350, 15_000),
            (400, 20_000),
            (500, 30_000),
            (600, 40_000),
            (700, 50_000),
            (1_000, 60_000),
            (2_000, 67_000),
            (7_000, 70_000),
            (30_000, 72_000),
            (50_000, 82_000),
            (80_000, 87_000),
            (120_000, 90_000),
            (300_000, 95_000),
            (1_000_000, 97_500),
            (2_000_000, 99_000),
            (10_000_000, 100_000),
        ],
    },
    SizeTable {
        name: "ali-storage",
        points: &[
            (0, 0),
            (4_000, 22_930),
            (8_000, 69_210),
            (16_000, 80_610),
            (32_000, 90_470),
            (64_000, 93_530),
            (128_000, 96_770),
            (256_000, 97_530),
            (2_000_000, 100_000),
        ],
    },
    SizeTable {
        name: "long-tail",
        points: &[(1_000, 0), (10_000_000, 80_000), (100_000_000, 90_000), (300_000_000, 100_000)],
    },
];

/// The table of this name.
pub fn table(name: &str) -> Option<&'static SizeTable> {
    TABLES.iter().find(|table| table.name == name)
}

impl SizeTable {
    /// The size that `ppm` of a million messages do not exceed.
    pub fn quantile(&self, ppm: u64) -> u64 {
        let at = ppm.min(1_000_000);
        let scaled = |share: u32| u64::from(share) * (1_000_000 / WHOLE);
        for pair in self.points.windows(2) {
            let ((low, from), (high, to)) = (pair[0], pair[1]);
            let (from, to) = (scaled(from), scaled(to));
            if at <= to && to > from {
                let part =
                    u128::from(high - low) * u128::from(at.saturating_sub(from)) / u128::from(to - from);
                return low + part as u64;
            }
        }
        self.points.last().map_or(0, |(bytes, _)| *bytes)
    }

    /// The mean in bytes.
    pub fn mean(&self) -> f64 {
        let part = |pair: &[(u64, u32)]| {
            let ((low, from), (high, to)) = (pair[0], pair[1]);
            (low + high) as f64 / 2.0 * f64::from(to - from)
        };
        self.points.windows(2).map(part).sum::<f64>() / WHOLE as f64
    }

    /// A random size, times `scale`, at least 1 byte.
    pub(crate) fn draw(&self, random: &mut Random, scale: f64) -> u64 {
        // Finer than the table, so that large steps give more than a few sizes.
        let at = random.below(1_000_000_000);
        let (ppm, rest) = (at / 1_000, at % 1_000);
        let (low, high) = (self.quantile(ppm), self.quantile(ppm + 1));
        let bytes = low + (high - low) * rest / 1_000;
        ((bytes as f64 * scale).round() as u64).max(1)
    }
}
