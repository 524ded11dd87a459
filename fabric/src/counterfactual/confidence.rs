//! The confidence of a verdict after its counterfactual run, by Bayes' rule.
//!
//! The likelihoods are rates that a review of 54 independent scenarios measured before standstills were tested: of 496
//! true verdicts 479 were verified, of 56 false ones 11.

/// P(verified | true).
const VERIFIED_IF_TRUE: f64 = 479.0 / 496.0;
/// P(verified | false).
const VERIFIED_IF_FALSE: f64 = 11.0 / 56.0;
/// A refuted verdict is never shown as more likely than this: the run without its root cause is the stronger evidence.
const MOST_IF_REFUTED: f64 = 0.3;
/// A verified verdict is not certain: the run shows that its root cause matters, not that nothing else does.
const MOST_IF_VERIFIED: f64 = 0.99;

/// The confidence after a verification, rounded to three decimals.
pub(super) fn after(before: f64, verified: bool) -> f64 {
    let (if_true, if_false) = match verified {
        true => (VERIFIED_IF_TRUE, VERIFIED_IF_FALSE),
        false => (1.0 - VERIFIED_IF_TRUE, 1.0 - VERIFIED_IF_FALSE),
    };
    let evidence = before * if_true + (1.0 - before) * if_false;
    let posterior = if evidence > 0.0 { before * if_true / evidence } else { before };
    let most = if verified { MOST_IF_VERIFIED } else { MOST_IF_REFUTED };
    (posterior.min(most) * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verified_verdict_gains_confidence_and_a_refuted_one_loses_it() {
        assert_eq!(after(0.98, true), 0.99);
        assert_eq!(after(0.5, true), 0.831);
        assert_eq!(after(0.98, false), 0.3);
        assert_eq!(after(0.5, false), 0.041);
    }
}
