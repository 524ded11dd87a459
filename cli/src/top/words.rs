//! Texts that fit: durations, flows with the names of their hosts, and lines of a width.

use std::collections::BTreeMap;
use std::net::IpAddr;

use model::FlowKey;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Returns a duration in its largest unit, e.g. `4 min`.
pub(crate) fn duration(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// Returns the seconds from an RFC 3339 time to `now_s`; 0 if clocks differ so that it is later, `None` if it is no time.
pub(crate) fn seconds_since(text: &str, now_s: u64) -> Option<u64> {
    let start = OffsetDateTime::parse(text, &Rfc3339).ok()?.unix_timestamp();
    Some(now_s.saturating_sub(u64::try_from(start).unwrap_or(0)))
}

/// Returns a flow with the names of its hosts first, as the server's texts do: `h2 -> h4 (10.0.0.2:10000>...)`.
pub(crate) fn flow(text: &str, hosts: &BTreeMap<IpAddr, String>) -> String {
    let Ok(key) = text.parse::<FlowKey>() else { return text.to_owned() };
    if !hosts.contains_key(&key.src) && !hosts.contains_key(&key.dst) {
        return text.to_owned();
    }
    let name = |address: IpAddr| hosts.get(&address).cloned().unwrap_or_else(|| address.to_string());
    format!("{} -> {} ({text})", name(key.src), name(key.dst))
}

/// Breaks a text into lines of at most `width` characters, between words where possible.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_whitespace() {
        let mut word: Vec<char> = word.chars().collect();
        if used > 0 && used + 1 + word.len() > width {
            lines.push(String::new());
            used = 0;
        }
        // A word that is longer than a line is cut.
        while word.len() > width {
            let rest = word.split_off(width);
            lines.last_mut().expect("never empty").extend(word);
            lines.push(String::new());
            word = rest;
        }
        let line = lines.last_mut().expect("never empty");
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        used += word.len();
        line.extend(word);
    }
    lines
}

/// Returns a text of at most `width` characters; an ellipsis marks the cut.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{kept}\u{2026}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_the_unit_that_fits() {
        let texts = [0, 59, 60, 3_599, 3_600, 172_799, 172_800].map(duration);
        assert_eq!(texts, ["0 s", "59 s", "1 min", "59 min", "1 h", "47 h", "2 d"]);
    }

    #[test]
    fn a_time_in_the_future_is_now() {
        let now_s = 1_767_323_045;
        assert_eq!(seconds_since("2026-01-02T03:00:05.5Z", now_s), Some(240));
        assert_eq!(seconds_since("2026-01-02T03:05:05Z", now_s), Some(0));
        assert_eq!(seconds_since("yesterday", now_s), None);
    }

    #[test]
    fn lines_break_between_words_and_in_long_words() {
        assert_eq!(wrap("a bc def", 4), ["a bc", "def"]);
        assert_eq!(wrap("x 10.0.0.1:1>10.0.0.2:2", 8), ["x", "10.0.0.1", ":1>10.0.", "0.2:2"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!((cut("abcd", 4), cut("abcde", 4)), ("abcd".to_owned(), "abc\u{2026}".to_owned()));
    }

    #[test]
    fn a_flow_has_the_names_of_its_hosts() {
        let hosts = BTreeMap::from([("10.0.0.1".parse().unwrap(), "h1".to_owned())]);
        let text = "10.0.0.1:10000>10.0.3.1:4791/udp";
        assert_eq!(flow(text, &hosts), format!("h1 -> 10.0.3.1 ({text})"));
        assert_eq!(flow(text, &BTreeMap::new()), text);
    }
}
