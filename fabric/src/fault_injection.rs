//! Losses that an evaluation injects into the collection, and full polls for comparison.
//!
//! The traffic is not affected: losses are drawn from separate generators, so that a run with losses has the same
//! packets and the same ground truth as one without.

use model::wire::{ETHERTYPE_POLLING, Ethernet, Frame};

use scenario::Random;

/// What is injected into the collections of a run. Default: nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FaultInjection {
    /// Whether every switch is read at every trigger, for the full-polling method.
    pub survey: bool,
    /// The probability that a polling packet is lost on a link, 0 to 1.
    pub lose_polls: f64,
    /// The probability that a digest does not reach the controller, 0 to 1.
    pub lose_digests: f64,
    /// The probability that a switch does not respond during the whole run, 0 to 1.
    pub silent_switches: f64,
    /// The agents' threshold in percent of the base RTT, instead of the scenario's.
    pub threshold_percent: Option<u32>,
}

/// Random streams of the loss processes.
const POLLS: u64 = 0x706f_6c6c;
const DIGESTS: u64 = 0x6469_6765;
const SILENCE: u64 = 0x7369_6c65;

/// A random loss process.
#[derive(Debug)]
pub(crate) struct RandomLoss {
    parts_per_trillion: u64,
    random: Random,
}

impl RandomLoss {
    fn new(seed: u64, stream: u64, probability: f64) -> RandomLoss {
        let parts_per_trillion = (probability.clamp(0.0, 1.0) * 1e12).round() as u64;
        RandomLoss { parts_per_trillion, random: Random::new(seed, stream) }
    }

    /// Whether the next message is lost.
    pub(crate) fn next(&mut self) -> bool {
        self.random.chance_ppt(self.parts_per_trillion)
    }
}

impl FaultInjection {
    /// The loss process of polling packets on links; absent if none are lost.
    pub(crate) fn polls(&self, seed: u64) -> Option<RandomLoss> {
        (self.lose_polls > 0.0).then(|| RandomLoss::new(seed, POLLS, self.lose_polls))
    }

    /// The loss process of digests.
    pub(crate) fn digests(&self, seed: u64) -> RandomLoss {
        RandomLoss::new(seed, DIGESTS, self.lose_digests)
    }

    /// The switches of `names` that do not respond.
    pub(crate) fn silent<'n>(&self, seed: u64, names: impl Iterator<Item = &'n String>) -> Vec<String> {
        let mut losing = RandomLoss::new(seed, SILENCE, self.silent_switches);
        names.filter(|_| losing.next()).cloned().collect()
    }
}

/// Whether a frame is a polling packet.
pub(crate) fn is_poll(frame: &Frame) -> bool {
    Ethernet::from_bytes(&frame.head).is_some_and(|header| header.ethertype == ETHERTYPE_POLLING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_reproducible_and_have_their_probability() {
        let names: Vec<String> = (0..1000).map(|n| format!("s{n}")).collect();
        let silent = |probability| {
            let injection = FaultInjection { silent_switches: probability, ..FaultInjection::default() };
            injection.silent(7, names.iter())
        };
        assert_eq!(silent(0.1), silent(0.1));
        assert!((60..140).contains(&silent(0.1).len()));
        assert!(silent(0.0).is_empty());
        assert_eq!(silent(1.0), names);
    }
}
