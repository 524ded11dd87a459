//! Quantities for people. Times use the `Display` of [`Time`].

use model::Time;

/// Returns a time in the unit that fits, e.g. `17.115 us`.
pub(crate) fn time(ns: u64) -> String {
    // Beyond the range of `Time` (213 days) the exact value is of no use to people.
    Time(ns.saturating_mul(1_000)).to_string()
}

/// Returns a size in the binary unit that fits, e.g. `7.9 KiB`.
pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// Returns a number with its noun, e.g. `1 packet` or `2 switches`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    let plural = if noun.ends_with("ch") { "es" } else { "s" };
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}{plural}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_the_unit_that_fits() {
        assert_eq!(
            [0, 999, 17_115, 1_250_000, 61_000_000_000].map(time),
            ["0 ps", "999.000 ns", "17.115 us", "1.250 ms", "61.000000 s"]
        );
        assert_eq!(
            [0, 1023, 1024, 8_090, 3 << 30].map(bytes),
            ["0 B", "1023 B", "1.0 KiB", "7.9 KiB", "3.0 GiB"]
        );
        assert_eq!([0, 1, 2].map(|n| count(n, "packet")), ["0 packets", "1 packet", "2 packets"]);
        assert_eq!(count(4, "switch"), "4 switches");
    }
}
