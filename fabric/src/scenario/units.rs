//! Quantities with units, as scenarios and the HPCC files write them.

use model::{Rate, Time};

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

/// A time: `10us`, `1.5 ms`, `2s`, `800ns`, `80ps`. Rounded to the nearest picosecond.
pub fn parse_time(text: &str) -> Option<Time> {
    let (number, unit) = split(text)?;
    let scale = match unit {
        "ps" => 1,
        "ns" => 1_000,
        "us" => 1_000_000,
        "ms" => 1_000_000_000,
        "s" => 1_000_000_000_000,
        _ => return None,
    };
    scaled(number, scale).map(Time)
}

/// A rate in bits a second: `100Gbps`, `50Mb/s`, `100G`, `10 Gb/s`.
pub fn parse_rate(text: &str) -> Option<Rate> {
    let (number, unit) = split(text)?;
    let prefix = unit.strip_suffix("b/s").or_else(|| unit.strip_suffix("bps")).unwrap_or(unit);
    let scale = match prefix {
        "" if unit.is_empty() => return None,
        "" => 1,
        "k" | "K" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        "T" => 1_000_000_000_000,
        _ => return None,
    };
    scaled(number, scale).map(Rate)
}

/// A size: `2MB` (10^6), `64KiB` (2^10), `1500B`, `1500`.
pub fn parse_bytes(text: &str) -> Option<u64> {
    let (number, unit) = split(text)?;
    let scale = match unit {
        "" | "B" => 1,
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    scaled(number, scale)
}

/// A length in metres: `300m`, `80km`.
pub fn parse_length(text: &str) -> Option<u64> {
    let (number, unit) = split(text)?;
    let scale = match unit {
        "m" => 1,
        "km" => 1_000,
        _ => return None,
    };
    scaled(number, scale)
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
}
