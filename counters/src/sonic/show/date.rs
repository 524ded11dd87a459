//! Times that a switch prints: by `date`, and in the archives of `show techsupport`.

/// Nanoseconds in a second.
const NS_PER_S: u64 = 1_000_000_000;
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Reads a time in nanoseconds since 1970. Understood are seconds since 1970 (`date +%s`, `date +%s.%N`), the output of
/// `date` in both forms of Debian's locales (`Mon Oct  5 10:12:13 UTC 2026`, `Mon 05 Oct 2026 10:12:13 AM UTC`), ISO 8601
/// (`2026-10-05T10:12:13Z`, also with a blank for the `T`; `20261005T101213Z`; `20261005_101213`), and `05/10/2026 10:12:13:123456`, which `show techsupport`
/// writes. Other zones than UTC are taken as UTC: only differences between readings matter.
pub fn parse_date(text: &str) -> Option<u64> {
    let text = text.trim();
    since_1970(text).or_else(|| calendar(text))
}

/// Reads a line that is the output of `date` and nothing else.
pub(super) fn date_line(line: &str) -> Option<u64> {
    const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let mut words = line.split_whitespace().map(str::to_ascii_lowercase);
    let is_day = words.next().is_some_and(|word| DAYS.contains(&word.trim_end_matches(',')));
    let is_of_date = |word: String| {
        let is_zone = word.len() <= 5 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
        is_zone || word.bytes().all(|byte| byte.is_ascii_digit() || b":.+-".contains(&byte))
    };
    (is_day && words.all(is_of_date)).then(|| calendar(line.trim()))?
}

fn since_1970(text: &str) -> Option<u64> {
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    // Nine digits are 1973; fewer are something else.
    if seconds.len() < 9 || !is_number(seconds) || !is_number(fraction) {
        return None;
    }
    let seconds: u64 = seconds.parse().ok()?;
    seconds.checked_mul(NS_PER_S)?.checked_add(fraction_ns(fraction))
}

fn fraction_ns(digits: &str) -> u64 {
    let digits: String = digits.chars().chain("000000000".chars()).take(9).collect();
    digits.parse().unwrap_or(0)
}

fn calendar(text: &str) -> Option<u64> {
    let mut date = Date::default();
    let mut is_afternoon = None;
    for word in text.split([' ', 'T', '_', '\t']).filter(|word| !word.is_empty()) {
        let word = word.trim_end_matches(['Z', ',']);
        let lower = word.to_ascii_lowercase();
        if let Some(month) = MONTHS.iter().position(|month| lower == *month) {
            date.month = Some(month as u64 + 1);
        } else if lower == "am" || lower == "pm" {
            is_afternoon = Some(lower == "pm");
        } else if let Some((year, month_and_day)) =
            basic(word, 8).and_then(|digits| digits.split_at_checked(4))
            && date.year.is_none()
        {
            date.numbers([year, &month_and_day[..2], &month_and_day[2..]].into_iter())?;
        } else if let Some(digits) = basic(word.split('.').next().unwrap_or(word), 6)
            && date.year.is_some()
        {
            let fraction = word.split_once('.').map_or("", |(_, fraction)| fraction);
            let (hour, rest) = digits.split_at(2);
            date.clock(&format!("{hour}:{}:{}.{fraction}", &rest[..2], &rest[2..]))?;
        } else if word.contains('/') {
            date.numbers(word.split('/').rev())?;
        } else if word.matches('-').count() == 2 {
            date.numbers(word.split('-'))?;
        } else if word.contains(':') {
            date.clock(word)?;
        } else if let Ok(number) = word.parse::<u64>() {
            let slot = if number > 31 { &mut date.year } else { &mut date.day };
            *slot = Some(number);
        }
    }
    date.ns(is_afternoon)
}

/// The digits of a word that has this many and nothing else: the basic format of ISO 8601.
fn basic(word: &str, digits: usize) -> Option<&str> {
    (word.len() == digits && word.bytes().all(|byte| byte.is_ascii_digit())).then_some(word)
}

#[derive(Default)]
struct Date {
    year: Option<u64>,
    month: Option<u64>,
    day: Option<u64>,
    clock: Option<(u64, u64, u64, u64)>,
}

impl Date {
    /// Sets year, month and day.
    fn numbers<'t>(&mut self, mut parts: impl Iterator<Item = &'t str>) -> Option<()> {
        self.year = Some(parts.next()?.parse().ok()?);
        self.month = Some(parts.next()?.parse().ok()?);
        self.day = Some(parts.next()?.parse().ok()?);
        Some(())
    }

    /// Sets hour, minute, second and nanosecond of `10:12:13`, `10:12:13.5` or `10:12:13:123456`.
    fn clock(&mut self, word: &str) -> Option<()> {
        let word = word.split(['+', '-']).next().unwrap_or(word);
        let mut parts = word.split([':', '.']);
        let mut number = || parts.next()?.parse::<u64>().ok();
        let (hour, minute, second) = (number()?, number()?, number()?);
        let fraction = parts.next().unwrap_or("");
        self.clock = Some((hour, minute, second, fraction_ns(fraction)));
        Some(())
    }

    fn ns(self, is_afternoon: Option<bool>) -> Option<u64> {
        let (year, month, day) = (self.year?, self.month?, self.day?);
        let (hour, minute, second, ns) = self.clock?;
        let hour = match is_afternoon {
            Some(afternoon) => hour % 12 + if afternoon { 12 } else { 0 },
            None => hour,
        };
        let is_possible = (1970..=2500).contains(&year)
            && (1..=12).contains(&month)
            && (1..=31).contains(&day)
            && hour < 24
            && minute < 60
            && second <= 60;
        let seconds = || ((days_since_1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
        is_possible.then(|| seconds() * NS_PER_S + ns)
    }
}

/// Days from 1970 to a date of the Gregorian calendar, whose year is counted from March so that leap days come last.
fn days_since_1970(year: u64, month: u64, day: u64) -> u64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year / 4 - year / 100 + year / 400;
    // Months from March on have 31, 30, 31, 30, 31 days and again: 153 days in five months.
    let days = 365 * year + leap_days + (153 * month + 2) / 5 + day - 1;
    const DAYS_TO_1970: u64 = 719_468;
    days.saturating_sub(DAYS_TO_1970)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_a_date_agree() {
        let expected = Some(1_791_195_133 * NS_PER_S);
        for text in [
            "1791195133",
            "Mon Oct  5 10:12:13 UTC 2026",
            "Mon 05 Oct 2026 10:12:13 AM UTC",
            "2026-10-05T10:12:13Z",
            "2026-10-05 10:12:13.000000",
            "05/10/2026 10:12:13:000000",
            "20261005T101213Z",
            "20261005T101213.000000000Z",
            "20261005_101213",
        ] {
            assert_eq!(parse_date(text), expected, "{text}");
        }
        assert_eq!(parse_date("1791195133.5"), Some(1_791_195_133_500_000_000));
        assert_eq!(
            parse_date("Mon 05 Oct 2026 10:12:13 PM UTC"),
            Some((1_791_195_133 + 12 * 3_600) * NS_PER_S)
        );
    }

    #[test]
    fn other_text_is_no_date() {
        for text in
            ["", "leaf1", "12345", "2026-10-05", "99/99/2026 10:12:13", "2026-10-05T25:00:00Z", "::", "1:2:x"]
        {
            assert_eq!(parse_date(text), None, "{text}");
        }
    }
}
