//! Quantities and lists in the notation of scenario files.

use model::Rate;

/// A time, rounded to three digits, in the largest unit without decimals.
pub(super) fn time(ns: f64) -> String {
    let ns = rounded(ns);
    for (unit, name) in [(1_000_000, "ms"), (1_000, "us")] {
        if ns >= unit && ns.is_multiple_of(unit) {
            return format!("\"{}{name}\"", ns / unit);
        }
    }
    format!("\"{}ns\"", ns)
}

/// A size, rounded to three digits.
pub(super) fn size(bytes: f64) -> String {
    let bytes = rounded(bytes).max(1);
    for (unit, name) in [(1_000_000, "MB"), (1_000, "kB")] {
        if bytes >= unit && bytes.is_multiple_of(unit) {
            return format!("\"{}{name}\"", bytes / unit);
        }
    }
    format!("\"{bytes}B\"")
}

/// A rate in Gb/s or Mb/s.
pub(super) fn rate(rate: Rate) -> String {
    let mbps = (rate.0 / 1_000_000).max(1);
    if mbps.is_multiple_of(1000) { format!("\"{}Gbps\"", mbps / 1000) } else { format!("\"{mbps}Mbps\"") }
}

/// A share or probability, with three digits.
pub(super) fn number(value: f64) -> String {
    let mut digits = 0;
    let mut scaled = value.abs();
    while scaled > 0.0 && scaled < 100.0 && digits < 9 {
        scaled *= 10.0;
        digits += 1;
    }
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// A name in quotes.
pub(super) fn name(text: &str) -> String {
    format!("\"{text}\"")
}

/// A list of names; a single one without brackets.
pub(super) fn names(texts: &[String]) -> String {
    match texts {
        [one] => name(one),
        many => format!("[{}]", many.iter().map(|text| name(text)).collect::<Vec<_>>().join(", ")),
    }
}

/// Rounds to three significant digits.
fn rounded(value: f64) -> u64 {
    let value = value.max(0.0).round() as u64;
    let mut unit = 1;
    while value / unit >= 1000 {
        unit *= 10;
    }
    (value + unit / 2) / unit * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_short() {
        assert_eq!(time(1_234_567.0), "\"1230us\"");
        assert_eq!(time(999_999.0), "\"1ms\"");
        assert_eq!(size(1_500_400.0), "\"1500kB\"");
        assert_eq!(size(999.0), "\"999B\"");
        assert_eq!(rate(Rate::from_gbps(25)), "\"25Gbps\"");
        assert_eq!(number(0.012_345), "0.0123");
        assert_eq!(number(0.5), "0.5");
    }
}
