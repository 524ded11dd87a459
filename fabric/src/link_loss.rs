//! Random loss on one direction of a link.
//!
//! Whether a frame is lost follows from what the frame is and how often it has passed the link, not from the frames before
//! it. Two runs that differ in something else, polling packets or a flow that is left out, lose the same packets, so that
//! they can be compared packet by packet (common random numbers: Law, *Simulation Modeling and Analysis*, chapter 11).

use std::collections::BTreeMap;

use model::wire::ethernet::ETHERNET_BYTES;
use model::wire::{ETHERTYPE_IPV4, Frame};
use scenario::Random;

use crate::fault_injection::is_poll;
use crate::nic::packet::{self, Received};

/// Random streams of the directed links of a run, from this one on.
const FIRST_STREAM: u64 = 1 << 36;

/// The loss process of one direction of a link.
#[derive(Debug)]
pub(crate) struct LinkLoss {
    parts_per_trillion: u64,
    seed: u64,
    /// How often each frame has passed.
    passes: BTreeMap<u64, u64>,
}

impl LinkLoss {
    /// The process of directed link `link` in a run with `seed`.
    pub(crate) fn new(seed: u64, link: usize, parts_per_trillion: u64) -> LinkLoss {
        let seed = Random::new(seed, FIRST_STREAM + link as u64).next();
        LinkLoss { parts_per_trillion, seed, passes: BTreeMap::new() }
    }

    /// Whether the link loses this frame.
    pub(crate) fn next(&mut self, frame: &Frame) -> bool {
        let identity = identity(frame);
        let passes = self.passes.entry(identity).or_default();
        *passes += 1;
        Random::new(self.seed ^ identity, *passes).chance_ppt(self.parts_per_trillion)
    }
}

/// A hash of what stays the same when a packet is sent again or on another path: its kind, its addresses and ports, and its
/// number. Frames without a number differ by the order in which they pass.
fn identity(frame: &Frame) -> u64 {
    let (kind, number) = match packet::read(frame) {
        Received::Data { psn, .. } => (1, psn),
        Received::Ack { psn, .. } => (2, psn),
        Received::Nak { psn, .. } => (3, psn),
        Received::ReadRequest { psn, .. } => (4, psn),
        Received::Cnp { .. } => (5, 0),
        Received::Pfc(_) => return 6,
        Received::Other if is_poll(frame) => return 7,
        Received::Other => return 8,
    };
    let is_v4 = frame.head.get(12..14) == Some(&ETHERTYPE_IPV4.to_be_bytes()[..]);
    // Source and destination, and the two ports of UDP behind them.
    let (from, bytes) = if is_v4 { (ETHERNET_BYTES + 12, 8) } else { (ETHERNET_BYTES + 8, 32) };
    let ends = frame.head.get(from..from + bytes + 4).unwrap_or_default();
    let words = ends.chunks(8).map(|chunk| chunk.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
    words.fold(kind << 32 | u64::from(number), |hash, word| Random::new(hash ^ word, kind).next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nic::packet::Template;
    use scenario::nic::Operation;

    const HALF: u64 = 500_000_000_000;

    fn data(flow: &str, number: u64) -> Frame {
        let template = Template::new(flow.parse().unwrap(), 3, [2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2], 7, 56);
        template.data(Operation::Write, number, (false, false), 1000, false)
    }

    fn lost(loss: &mut LinkLoss, flow: &str, numbers: impl Iterator<Item = u64>) -> Vec<u64> {
        numbers.filter(|number| loss.next(&data(flow, *number))).collect()
    }

    const FLOWS: [&str; 2] = ["10.0.0.1:10000>10.0.0.2:4791/udp", "[fd00::1]:10000>[fd00::2]:4791/udp"];

    #[test]
    fn other_frames_do_not_change_what_is_lost() {
        let other = "10.0.0.3:10000>10.0.0.2:4791/udp";
        for flow in FLOWS {
            let alone = lost(&mut LinkLoss::new(7, 3, HALF), flow, 0..200);
            let mut loss = LinkLoss::new(7, 3, HALF);
            let mixed: Vec<u64> = (0..200)
                .filter(|number| {
                    loss.next(&data(other, *number));
                    loss.next(&data(flow, *number))
                })
                .collect();
            assert_eq!(alone, mixed);
            assert_ne!(alone, lost(&mut LinkLoss::new(8, 3, HALF), flow, 0..200));
            assert_ne!(alone, lost(&mut LinkLoss::new(7, 4, HALF), flow, 0..200));
        }
    }

    /// Also of packets that are sent again: each pass has the same probability, whatever became of the one before. The
    /// bounds are five standard deviations.
    #[test]
    fn each_pass_has_the_probability_of_the_link() {
        for flow in FLOWS {
            let mut loss = LinkLoss::new(1, 0, HALF / 5);
            let first = lost(&mut loss, flow, 0..10_000);
            let again = lost(&mut loss, flow, first.iter().copied());
            let rest = lost(&mut loss, flow, (0..10_000).filter(|number| !first.contains(number)));
            let check = |lost: usize, of: usize| {
                let (mean, deviation) = (of as f64 * 0.1, (of as f64 * 0.09).sqrt());
                assert!((lost as f64 - mean).abs() < 5.0 * deviation, "{lost} of {of}");
            };
            check(first.len(), 10_000);
            check(again.len(), first.len());
            check(rest.len(), 10_000 - first.len());
        }
    }
}
