//! Calibration: whether verdicts of a confidence of p are right in p of all cases.

use serde::{Deserialize, Serialize};

/// Number of bins of the reliability diagram, of equal width.
pub const BINS: usize = 10;

/// A bin of the reliability diagram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// Number of verdicts.
    pub verdicts: u64,
    /// Number of right ones among them.
    pub right: u64,
    /// Their mean confidence; 0 without verdicts.
    pub confidence: f64,
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

/// Returns the calibration of verdicts, each with its confidence (0 to 1) and whether it is right.
pub fn calibration(verdicts: &[(f64, bool)]) -> Calibration {
    let mut bins = vec![Bin::default(); BINS];
    let mut squares = 0.0;
    for (confidence, right) in verdicts {
        let bin = &mut bins[((confidence * BINS as f64) as usize).min(BINS - 1)];
        bin.verdicts += 1;
        bin.right += u64::from(*right);
        bin.confidence += confidence;
        squares += (confidence - f64::from(u8::from(*right))).powi(2);
    }
    let total = verdicts.len().max(1) as f64;
    let mut expected_error = 0.0;
    for bin in bins.iter_mut().filter(|bin| bin.verdicts > 0) {
        let count = bin.verdicts as f64;
        bin.confidence /= count;
        expected_error += (bin.confidence - bin.right as f64 / count).abs() * count / total;
    }
    let is_wrong = |(confidence, right): &&(f64, bool)| *confidence > 0.9 && !right;
    let wrong_above_90 = verdicts.iter().filter(is_wrong).count() as u64;
    Calibration { bins, brier: squares / total, expected_error, wrong_above_90 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(verdicts: &[(f64, bool)], brier: f64, expected_error: f64, wrong_above_90: u64) {
        let found = calibration(verdicts);
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
}
