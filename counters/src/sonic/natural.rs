//! The order of port names: `Ethernet4` before `Ethernet16`.

use std::cmp::Ordering;

/// Compares two names; runs of digits are compared as numbers. The same order numbers the ports of topologies that are
/// made from SONiC configurations.
pub fn compare(a: &str, b: &str) -> Ordering {
    let (mut rest_a, mut rest_b) = (a, b);
    loop {
        let (text_a, digits_a, after_a) = next_part(rest_a);
        let (text_b, digits_b, after_b) = next_part(rest_b);
        let order = text_a
            .cmp(text_b)
            .then_with(|| number(digits_a).cmp(&number(digits_b)))
            .then_with(|| digits_a.len().cmp(&digits_b.len()));
        if order != Ordering::Equal {
            return order;
        }
        if after_a.is_empty() || after_b.is_empty() {
            return after_a.len().cmp(&after_b.len());
        }
        (rest_a, rest_b) = (after_a, after_b);
    }
}

/// Splits a name into text, the digits after it, and the rest.
fn next_part(name: &str) -> (&str, &str, &str) {
    let digits = name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len());
    let (text, tail) = name.split_at(digits);
    let end = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
    let (digits, rest) = tail.split_at(end);
    (text, digits, rest)
}

/// The value of digits as something that compares like a number of any length.
fn number(digits: &str) -> (usize, &str) {
    let significant = digits.trim_start_matches('0');
    (significant.len(), significant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_compared_as_numbers() {
        let mut names =
            ["Ethernet16", "Ethernet-BP4", "Ethernet4", "Ethernet1/2", "Ethernet1/10", "Ethernet"];
        names.sort_by(|a, b| compare(a, b));
        assert_eq!(
            names,
            ["Ethernet", "Ethernet1/2", "Ethernet1/10", "Ethernet4", "Ethernet16", "Ethernet-BP4"]
        );
    }
}
