//! Poisson arrivals between random pairs of hosts.

use model::Time;

use super::{Arrivals, MAX_MESSAGES, Message, SizeTable, WorkloadError, at_least};
use crate::random::Random;

/// Messages whose starts are a Poisson process and whose sizes follow `sizes` times `scale`, between pairs of `hosts`
/// hosts drawn evenly.
///
/// # Errors
/// Fewer than two hosts, or too many messages.
pub fn poisson(
    hosts: usize,
    arrivals: Arrivals,
    sizes: &SizeTable,
    scale: f64,
    seed: u64,
) -> Result<Vec<Message>, WorkloadError> {
    at_least(2, hosts)?;
    let mut random = Random::new(seed, 0x9017);
    let mut messages = Vec::new();
    for start in starts(&mut random, arrivals, sizes.mean() * scale) {
        let start = start?;
        let src = random.below(hosts as u64) as usize;
        let dst = (src + 1 + random.below(hosts as u64 - 1) as usize) % hosts;
        let bytes = sizes.draw(&mut random, scale);
        messages.push(Message { src, dst, bytes, start, after: Vec::new() });
    }
    Ok(messages)
}

/// The instants of a Poisson process that offers `arrivals` in messages of `mean` bytes.
pub(super) fn starts(
    random: &mut Random,
    arrivals: Arrivals,
    mean: f64,
) -> impl Iterator<Item = Result<Time, WorkloadError>> + use<> {
    let gap_ps = mean / arrivals.bytes_per_second * 1e12;
    let mut own = Random::new(random.next(), 0x5747);
    let (mut at, mut count) = (0.0, 0);
    std::iter::from_fn(move || {
        at += exponential(&mut own) * gap_ps;
        count += 1;
        if !at.is_finite() || at >= arrivals.duration.0 as f64 {
            return None;
        }
        if count > MAX_MESSAGES {
            return (count == MAX_MESSAGES + 1).then_some(Err(WorkloadError::TooMany));
        }
        Some(Ok(Time(arrivals.start.0.saturating_add(at as u64))))
    })
}

/// An exponentially distributed number of mean 1.
fn exponential(random: &mut Random) -> f64 {
    // 53 bits, never 0, so that the logarithm is finite.
    let uniform = ((random.next() >> 11) + 1) as f64 / (1u64 << 53) as f64;
    -ln(uniform)
}

/// The natural logarithm of a number in (0, 1] by basic arithmetic only, which is the same on every machine, unlike
/// the function of the system's library.
fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    let exponent = (bits >> 52) as i32 - 1023;
    let mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    // ln m = 2 artanh((m - 1) / (m + 1)) for m in [1, 2): the argument is below 1/3, so 18 terms are exact enough.
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let (mut power, mut sum) = (t, 0.0);
    for n in 0..18 {
        sum += power / f64::from(2 * n + 1);
        power *= t * t;
    }
    2.0 * sum + f64::from(exponent) * std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ln_agrees_with_the_standard_library() {
        for x in [1.0, 0.5, 0.75, 1e-3, 0.999_999, 1.0 / (1u64 << 53) as f64] {
            assert!((ln(x) - x.ln()).abs() <= 1e-14 * x.ln().abs().max(1.0), "{x}");
        }
    }
}
