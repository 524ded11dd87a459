//! Default settings of switches and NICs that are processes on a real machine, at any link rate.
//!
//! A process needs about a hundred times as long to react as hardware at 100 Gb/s: tens of microseconds for a frame,
//! and milliseconds if the machine is busy. Thresholds that hardware has as a time at line rate are therefore stretched
//! by [`STRETCH`]; in bytes, a link of 1 Gb/s then has the settings of 100 Gb/s hardware.

use model::{Rate, Time};
use p4_switch::tm::{Ecn, Threshold};

use crate::settings::{Headroom, SwitchSettings};

/// How many times as long as in hardware a time at line rate is.
const STRETCH: u64 = 100;
/// Within which time a peer that is a process obeys a pause: a few time slices of a busy machine.
const REACTION: Time = Time::from_ms(20);

/// Kmin of hardware as a time at line rate: 400 KB at 100 Gb/s, as recommended for DCQCN.
const KMIN: Time = Time::from_us(32);
/// Kmax and XOFF as multiples of Kmin.
const KMAX_TIMES: u64 = 4;
const XOFF_TIMES: u64 = 5;
/// The least Kmin: eight packets of 1500 B.
const LEAST_KMIN_BYTES: u64 = 12_000;
/// Longest frame, for the frames that both ends have begun to send when a pause is due.
const FRAME_BYTES: u64 = 9_216;
/// Least size of the packet memory.
const LEAST_MEMORY_BYTES: u64 = 16_000_000;

impl SwitchSettings {
    /// Settings for a switch in software whose ports have these rates: priorities 3 and 4 lossless, ECN marking from
    /// Kmin to Kmax, XOFF above Kmax, so that marking comes before pauses, and headroom for [`REACTION`].
    pub fn software(rates: &[Rate]) -> SwitchSettings {
        let mut distinct = rates.to_vec();
        distinct.sort();
        distinct.dedup();
        let threshold = |rate: &Rate| kmin_bytes(*rate) * XOFF_TIMES;
        let headroom_bytes = distinct.iter().map(|rate| headroom_bytes(*rate)).max().unwrap_or(0);
        let base = SwitchSettings::default();
        let lossless_classes = u64::from(base.lossless.count_ones());
        let needed: u64 = rates
            .iter()
            .map(|rate| (threshold(rate) + headroom_bytes + base.reserved_bytes) * lossless_classes)
            .fold(0, u64::saturating_add);
        SwitchSettings {
            // Twice, so that lossy classes find space when all lossless ones are full.
            memory_bytes: needed.saturating_mul(2).max(LEAST_MEMORY_BYTES),
            thresholds: distinct.iter().map(|rate| (*rate, Threshold::Static(threshold(rate)))).collect(),
            headroom: Headroom::Bytes(headroom_bytes),
            xon_offset_bytes: distinct.first().map_or(base.xon_offset_bytes, |rate| kmin_bytes(*rate) / 2),
            ecn: distinct.iter().map(|rate| (*rate, ecn(*rate))).collect(),
            ..base
        }
    }
}

fn kmin_bytes(rate: Rate) -> u64 {
    bytes_in(rate, Time(KMIN.0 * STRETCH)).max(LEAST_KMIN_BYTES)
}

fn ecn(rate: Rate) -> Ecn {
    let kmin_bytes = kmin_bytes(rate);
    Ecn { kmin_bytes, kmax_bytes: kmin_bytes * KMAX_TIMES, pmax_ppm: 200_000 }
}

fn headroom_bytes(rate: Rate) -> u64 {
    bytes_in(rate, REACTION) + 2 * FRAME_BYTES
}

/// Returns the bytes that a link carries in a time.
fn bytes_in(rate: Rate, time: Time) -> u64 {
    let bytes = u128::from(rate.0) * u128::from(time.0) / 8_000_000_000_000;
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_gigabit_has_the_marking_of_a_hundred_in_hardware() {
        let settings = SwitchSettings::software(&[Rate::from_gbps(1)]);
        let ecn = Ecn { kmin_bytes: 400_000, kmax_bytes: 1_600_000, pmax_ppm: 200_000 };
        assert_eq!(settings.ecn, [(Rate::from_gbps(1), ecn)]);
    }

    #[test]
    fn the_memory_holds_all_lossless_groups() {
        for rate in [Rate(10_000_000), Rate(100_000_000), Rate::from_gbps(1), Rate::from_gbps(25)] {
            let settings = SwitchSettings::software(&[rate; 8]);
            let Threshold::Static(threshold) = settings.thresholds[0].1 else {
                panic!("a static threshold for {rate}");
            };
            assert!(threshold > settings.ecn[0].1.kmax_bytes, "marking comes before pauses at {rate}");
            let group = threshold + headroom_bytes(rate) + settings.reserved_bytes;
            assert!(16 * group <= settings.memory_bytes, "{rate}");
        }
    }
}
