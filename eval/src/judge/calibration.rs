//! Calibration: whether verdicts of a confidence of p are right in p of all cases.

use serde::{Deserialize, Serialize};

/// Number of bins of the reliability diagram, of equal width.
pub const BINS: usize = 10;

/// A bin of the reliability diagram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// Number of judged verdicts.
    pub verdicts: u64,
    /// Number of right ones among them.
    pub right: u64,
    /// Their mean confidence, weighted; 0 without verdicts.
    pub confidence: f64,
    /// The share of right ones among them, weighted; 0 without verdicts.
    pub share_right: f64,
}

/// The calibration of a set of verdicts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The bins, lowest confidence first.
    pub bins: Vec<Bin>,
    /// Mean squared difference between confidence and outcome (Brier, 1950). Lower is better; 0.25 is a coin.
    pub brier: f64,
    /// Expected calibration error (Naeini et al., AAAI 2015): the mean difference between confidence and share of right
    /// verdicts over the bins, weighted by their number of verdicts.
    pub expected_error: f64,
    /// Wrong verdicts of more than 90 % confidence.
    pub wrong_above_90: u64,
}

/// Returns the calibration of verdicts, each with its confidence (0 to 1), whether it is right, and how many verdicts it
/// stands for.
pub fn calibration(verdicts: &[(f64, bool, f64)]) -> Calibration {
    let mut bins = vec![Bin::default(); BINS];
    let mut weights = [0.0; BINS];
    let mut squares = 0.0;
    for (confidence, right, weight) in verdicts {
        let number = ((confidence * BINS as f64) as usize).min(BINS - 1);
        let (bin, outcome) = (&mut bins[number], f64::from(u8::from(*right)));
        bin.verdicts += 1;
        bin.right += u64::from(*right);
        bin.confidence += weight * confidence;
        bin.share_right += weight * outcome;
        weights[number] += weight;
        squares += weight * (confidence - outcome).powi(2);
    }
    let total: f64 = weights.iter().sum();
    let share = |part: f64| if total > 0.0 { part / total } else { 0.0 };
    let mut expected_error = 0.0;
    for (bin, weight) in bins.iter_mut().zip(weights).filter(|(_, weight)| *weight > 0.0) {
        bin.confidence /= weight;
        bin.share_right /= weight;
        expected_error += (bin.confidence - bin.share_right).abs() * share(weight);
    }
    let is_wrong = |(confidence, right, _): &&(f64, bool, f64)| *confidence > 0.9 && !right;
    let wrong_above_90 = verdicts.iter().filter(is_wrong).count() as u64;
    Calibration { bins, brier: share(squares), expected_error, wrong_above_90 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(verdicts: &[(f64, bool)], brier: f64, expected_error: f64, wrong_above_90: u64) {
        let weighted: Vec<_> =
            verdicts.iter().map(|(confidence, right)| (*confidence, *right, 1.0)).collect();
        let found = calibration(&weighted);
        assert!((found.brier - brier).abs() < 1e-9, "{found:?}");
        assert!((found.expected_error - expected_error).abs() < 1e-9, "{found:?}");
        assert_eq!(found.wrong_above_90, wrong_above_90, "{found:?}");
    }

    #[test]
    fn known_sets_have_known_errors() {
        check(&[], 0.0, 0.0, 0);
        check(&[(1.0, true), (1.0, true)], 0.0, 0.0, 0);
        check(&[(0.95, false)], 0.9025, 0.95, 1);
        // Half of the verdicts of 50 % confidence are right.
        check(&[(0.5, true), (0.5, false)], 0.25, 0.0, 0);
        check(&[(0.8, true), (0.8, true), (0.8, true), (0.8, false)], 0.19, 0.05, 0);
    }

    #[test]
    fn a_verdict_that_stands_for_several_counts_as_often() {
        let found = calibration(&[(0.8, true, 3.0), (0.8, false, 1.0)]);
        assert!((found.brier - 0.19).abs() < 1e-9 && (found.expected_error - 0.05).abs() < 1e-9, "{found:?}");
        assert_eq!((found.bins[8].verdicts, found.bins[8].right, found.bins[8].share_right), (2, 1, 0.75));
    }
}
