//! What an evaluation does to a collection: parts of it get lost, and all switches are looked at for comparison.
//!
//! Nothing here touches the traffic: what is lost is drawn from generators of their own, so that a run with losses has
//! the same packets, and the same truth, as one without.

use model::wire::{ETHERTYPE_POLLING, Ethernet, Frame};

use scenario::Random;

/// What happens to the collections of a run. The default: nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FaultInjection {
    /// Whether every switch is read at every question, for the method that polls everything.
    pub survey: bool,
    /// The probability that a polling packet is lost on a link, 0 to 1.
    pub lose_polls: f64,
    /// The probability that a digest does not reach the controller, 0 to 1.
    pub lose_digests: f64,
    /// The probability that a switch answers nothing during the whole run, 0 to 1.
    pub silent_switches: f64,
    /// Agents ask above this percentage of a path's base round trip, in place of what the scenario says.
    pub threshold_percent: Option<u32>,
}

const POLLS: u64 = 0x706f_6c6c;
const DIGESTS: u64 = 0x6469_6765;
const SILENCE: u64 = 0x7369_6c65;

/// Loses things with a probability.
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

    /// Whether the next thing is lost.
    pub(crate) fn next(&mut self) -> bool {
        self.random.chance_ppt(self.parts_per_trillion)
    }
}

impl FaultInjection {
    /// What loses polling packets on links; none when none are lost.
    pub(crate) fn polls(&self, seed: u64) -> Option<RandomLoss> {
        (self.lose_polls > 0.0).then(|| RandomLoss::new(seed, POLLS, self.lose_polls))
    }

    /// What loses digests on their way to the controller.
    pub(crate) fn digests(&self, seed: u64) -> RandomLoss {
        RandomLoss::new(seed, DIGESTS, self.lose_digests)
    }

    /// The switches of `names` that answer nothing.
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
    fn losses_repeat_and_follow_their_probability() {
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
