//! Quantities with units, in the notation of scenarios and HPCC files.

use model::{Rate, Time};

pub(super) const A_TIME: &str = "a time, e.g. \"10us\"";
pub(super) const A_RATE: &str = "a rate above zero, e.g. \"100Gbps\"";
pub(super) const A_SIZE: &str = "a size, e.g. \"2MB\" or \"64KiB\"";
/// The same where zero is no value.
pub(super) const A_SIZE_ABOVE_ZERO: &str = "a size above zero, e.g. \"2MB\" or \"64KiB\"";

/// Longest time that is accepted: 10^6 s, so that sums of several fit into 64 bits of picoseconds.
const MAX_TIME: Time = Time(1_000_000 * 1_000_000_000_000);

/// Highest rate that is accepted: 8 Tb/s, at which a byte takes one picosecond, the resolution of time.
const MAX_RATE: Rate = Rate(8_000_000_000_000);

/// Largest size that is accepted: 10^15 B.
const MAX_BYTES: u64 = 1_000_000_000_000_000;

/// Largest length that is accepted: 10^6 km, 5 s of propagation.
const MAX_METRES: u64 = 1_000_000_000;

fn split(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let at = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    (at > 0).then(|| (&text[..at], text[at..].trim()))
}

/// `number` times `scale`, exactly; `None` when it is not a number, has more decimals than the scale can hold or
/// is too large.
fn scaled(number: &str, scale: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let fraction = fraction.trim_end_matches('0');
    let mut sum = u128::from(whole) * u128::from(scale);
    if !fraction.is_empty() {
        let digits: u128 = fraction.parse().ok()?;
        let denominator = 10u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        let part = digits.checked_mul(u128::from(scale))?;
        sum += (part + denominator / 2) / denominator;
    }
    u64::try_from(sum).ok()
}

fn time_unit(unit: &str) -> Option<u64> {
    Some(match unit {
        "ps" => 1,
        "ns" => 1_000,
        "us" => 1_000_000,
        "ms" => 1_000_000_000,
        "s" => 1_000_000_000_000,
        _ => return None,
    })
}

fn rate_unit(unit: &str) -> Option<u64> {
    let prefix = unit.strip_suffix("b/s").or_else(|| unit.strip_suffix("bps")).unwrap_or(unit);
    Some(match prefix {
        "" if unit.is_empty() => return None,
        "" => 1,
        "k" | "K" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        "T" => 1_000_000_000_000,
        _ => return None,
    })
}

fn size_unit(unit: &str) -> Option<u64> {
    Some(match unit {
        "" | "B" => 1,
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    })
}

fn length_unit(unit: &str) -> Option<u64> {
    Some(match unit {
        "m" => 1,
        "km" => 1_000,
        _ => return None,
    })
}

/// A quantity of at most `most`.
fn quantity(text: &str, unit: impl Fn(&str) -> Option<u64>, most: u64) -> Option<u64> {
    let (number, own) = split(text)?;
    scaled(number, unit(own)?).filter(|value| *value <= most)
}

/// A time: `10us`, `1.5 ms`, `2s`, `800ns`, `80ps`. Rounded to the nearest picosecond; at most 10^6 s.
pub fn parse_time(text: &str) -> Option<Time> {
    quantity(text, time_unit, MAX_TIME.0).map(Time)
}

/// A rate in bits a second: `100Gbps`, `50Mb/s`, `100G`, `10 Gb/s`; at most 8 Tb/s.
pub fn parse_rate(text: &str) -> Option<Rate> {
    quantity(text, rate_unit, MAX_RATE.0).map(Rate)
}

/// A size: `2MB` (10^6), `64KiB` (2^10), `1500B`, `1500`; at most 10^15 B.
pub fn parse_bytes(text: &str) -> Option<u64> {
    quantity(text, size_unit, MAX_BYTES)
}

/// A length in metres: `300m`, `80km`; at most 10^6 km.
pub fn parse_length(text: &str) -> Option<u64> {
    quantity(text, length_unit, MAX_METRES)
}

/// The maximum, in words, if `text` is a quantity that exceeds it.
pub(crate) fn exceeded(text: &str) -> Option<&'static str> {
    let (number, unit) = split(text)?;
    let is_number = number.bytes().filter(|byte| *byte == b'.').count() <= 1;
    // No unit belongs to two quantities.
    type Unit = fn(&str) -> Option<u64>;
    let kinds: [(Unit, u64, &str); 4] = [
        (time_unit, MAX_TIME.0, "1000000s"),
        (length_unit, MAX_METRES, "1000000km"),
        (size_unit, MAX_BYTES, "1000000GB"),
        (rate_unit, MAX_RATE.0, "8Tbps"),
    ];
    let (scale, most, words) = kinds.iter().find_map(|(of, most, words)| Some((of(unit)?, *most, *words)))?;
    let fits = scaled(number, scale).is_some_and(|value| value <= most);
    (is_number && !fits).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_exact() {
        assert_eq!(parse_time("0.001ms"), Some(Time::from_us(1)));
        assert_eq!(parse_time("2.01s"), Some(Time::from_ms(2010)));
        assert_eq!(parse_time("2"), None);
        assert_eq!(parse_time("us"), None);
        assert_eq!(parse_rate("100Gbps"), Some(Rate::from_gbps(100)));
        assert_eq!(parse_rate("50Mb/s"), Some(Rate(50_000_000)));
        assert_eq!(parse_rate("1.5G"), Some(Rate(1_500_000_000)));
        assert_eq!(parse_rate("100"), None);
        assert_eq!(parse_bytes("2MB"), Some(2_000_000));
        assert_eq!(parse_bytes("1.5KiB"), Some(1536));
        assert_eq!(parse_bytes("99999999999999999999"), None);
        assert_eq!(parse_bytes("-1"), None);
    }

    #[test]
    fn too_large_quantities_are_distinguished_from_invalid_text() {
        for (text, most) in [
            ("1000001s", "1000000s"),
            ("99999999999999999999999999us", "1000000s"),
            ("9Tbps", "8Tbps"),
            ("2000000GB", "1000000GB"),
            ("1000001km", "1000000km"),
        ] {
            assert_eq!(exceeded(text), Some(most), "{text}");
        }
        for text in ["1000000s", "8T", "1.2.3s", "5 parsecs", "", "-1us", "1000000GB", "3"] {
            assert_eq!(exceeded(text), None, "{text}");
        }
    }
}
