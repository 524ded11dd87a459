//! The median of measurements.

/// The median; of an even number of values the larger one of the two in the middle. `None` without values.
pub(crate) fn median(values: impl IntoIterator<Item = u64>) -> Option<u64> {
    let mut values: Vec<u64> = values.into_iter().collect();
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        let check = |values: &[u64], expected| assert_eq!(median(values.iter().copied()), expected);
        check(&[], None);
        check(&[7], Some(7));
        check(&[9, 1, 4], Some(4));
        check(&[9, 1, 4, 6], Some(6));
    }
}
