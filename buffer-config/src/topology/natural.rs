//! Natural order of names: `Ethernet8` before `Ethernet12`.

use std::cmp::Ordering;

/// Compares two names; runs of digits count as numbers.
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    let (mut rest_a, mut rest_b) = (a, b);
    loop {
        let ((part_a, next_a), (part_b, next_b)) = (split(rest_a), split(rest_b));
        let order = match (value(part_a), value(part_b)) {
            (Some(a), Some(b)) => a.len().cmp(&b.len()).then(a.cmp(b)),
            _ => part_a.cmp(part_b),
        };
        if order.is_ne() || (next_a.is_empty() && next_b.is_empty()) {
            return order.then_with(|| a.cmp(b));
        }
        (rest_a, rest_b) = (next_a, next_b);
    }
}

/// The digits of a number of any length, without leading zeros.
fn value(part: &str) -> Option<&str> {
    let is_number = part.starts_with(|c: char| c.is_ascii_digit());
    is_number.then(|| part.trim_start_matches('0'))
}

/// Splits the first run of digits, or of other characters, from the rest.
fn split(text: &str) -> (&str, &str) {
    let is_digit = |c: char| c.is_ascii_digit();
    let first = text.chars().next().is_some_and(is_digit);
    let end = text.find(|c| is_digit(c) != first).unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::compare;

    #[test]
    fn numbers_in_names_are_compared_as_numbers() {
        let mut names = ["Ethernet12", "Ethernet8", "eth2/10", "eth2/9", "Ethernet", "eth10/1", ""];
        names.sort_by(|a, b| compare(a, b));
        assert_eq!(names, ["", "Ethernet", "Ethernet8", "Ethernet12", "eth2/9", "eth2/10", "eth10/1"]);
        let (long, longer) = ("9".repeat(60), format!("1{}", "0".repeat(60)));
        assert!(
            compare(&long, &longer).is_lt() && compare("p007", "p8").is_lt() && compare("p07", "p7").is_lt()
        );
    }
}
