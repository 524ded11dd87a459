//! Which verdicts of a run are judged.
//!
//! Alarms are judged first, those that represent an incident before all others. Of the verdicts of severity `info`, a
//! simple random sample is drawn: its size follows from their number of accused actors alone, before any of them is
//! judged, and its members are the first in the order of their identifiers, which are hashes. Each judged verdict stands
//! for `weight` verdicts (Horvitz and Thompson, JASA 1952), so that weighted sums estimate the sums over all verdicts
//! without bias.

use super::actor::Claim;
use super::guilt::EXAMINED;

/// How many repeated runs the verdicts of one run may need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// For the sample of verdicts of severity `info`, by their prices; at least one is judged.
    pub info: usize,
    /// For alarms; absent: all are judged.
    pub alarms: Option<usize>,
    /// Number of verdicts to judge of those that name a port and no culprit: a sample, alarms and others alike.
    pub places: usize,
}

/// The default budget of the verdicts of severity `info`.
pub const INFO_BUDGET: usize = 24;
/// The default number of judged verdicts that name a port and no culprit: each may need a run of its own, as no other verdict
/// accuses the same flows.
pub const PLACES: usize = 6;

impl Default for Budget {
    fn default() -> Budget {
        Budget { info: INFO_BUDGET, alarms: None, places: PLACES }
    }
}

/// How urgent a verdict is for the judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// It represents an incident.
    Incident,
    /// Another alarm: its severity is above `info`.
    Alarm,
    /// Its severity is `info`.
    Info,
}

/// The number of repeated runs that a claim needs at most if its contexts are shared: one without all accused, and for
/// several accused one without each and one with each.
pub(super) fn price(claim: &Claim) -> usize {
    match claim {
        Claim::Silent => 0,
        Claim::FabricIsClean => 3,
        Claim::PlaceOnly => 1,
        Claim::Accused(accused) if accused.len() == 1 => 1,
        Claim::Accused(accused) => 1 + 2 * accused.len().min(EXAMINED),
    }
}

/// Returns the size of the sample of verdicts with these prices: their mean price times the size is at most `budget`, but
/// at least one is drawn.
pub(super) fn size(prices: &[usize], budget: usize) -> usize {
    let total: usize = prices.iter().sum();
    let affordable = (budget as u128 * prices.len() as u128).checked_div(total as u128);
    affordable.map_or(prices.len(), |size| (size as usize).clamp(1, prices.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_the_sample_follows_from_the_prices() {
        assert_eq!(size(&[5; 10], 12), 2);
        assert_eq!(size(&[1, 9, 5, 5], 12), 2);
        assert_eq!(size(&[25; 3], 12), 1, "at least one");
        assert_eq!(size(&[1; 3], 12), 3, "at most all");
        assert_eq!(size(&[], 12), 0);
    }

    /// All samples of a size are equally likely; the mean of the weighted sums is the sum over all verdicts.
    #[test]
    fn weighted_sums_have_no_bias() {
        let right = [true, false, true, true, false];
        let prices = [1, 9, 3, 5, 7];
        let size = size(&prices, 12);
        assert_eq!(size, 2);
        let weight = right.len() as f64 / size as f64;
        let (mut sum, mut samples) = (0.0, 0.0);
        for first in 0..right.len() {
            for second in (0..right.len()).filter(|second| *second != first) {
                let drawn = [first, second].iter().filter(|at| right[**at]).count() as f64;
                (sum, samples) = (sum + weight * drawn, samples + 1.0);
            }
        }
        assert_eq!(sum / samples, 3.0);
    }
}
