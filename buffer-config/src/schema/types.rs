//! The types of the YANG leaves.

/// The type of a value.
#[derive(Debug)]
pub enum Type {
    /// An integer in a range.
    Int(i128, i128),
    /// One of these words.
    Word(&'static [&'static str]),
    /// Text with a minimum and maximum number of characters.
    Text(usize, usize),
    /// Text in a format: its description, and a function that recognises it.
    Shape(&'static str, fn(&str) -> bool),
    /// The name of an entry of a table, or one of these words.
    Name(&'static str, &'static [&'static str]),
    /// A comma-separated list of names of entries of a table.
    Names(&'static str),
    /// A comma-separated list.
    List(&'static Type),
    /// Anything.
    Any,
}

impl Type {
    /// A description of the expected values, for messages.
    pub fn expected(&self) -> String {
        match self {
            Self::Int(min, max) if *max == i128::from(u64::MAX) => {
                format!("an integer of at least {min}")
            }
            Self::Int(min, max) => format!("an integer in {min}..={max}"),
            Self::Word(words) => format!("one of {}", words.join(", ")),
            Self::Text(min, max) => format!("{min} to {max} characters"),
            Self::Shape(name, _) => (*name).to_string(),
            Self::Name(table, []) => format!("the name of an entry of {table}"),
            Self::Name(table, words) => format!("the name of an entry of {table}, or {}", words.join(", ")),
            Self::Names(table) => format!("names of entries of {table}"),
            Self::List(inner) => format!("a list, each {}", inner.expected()),
            Self::Any => "anything".to_string(),
        }
    }

    /// Whether a value has this type. References are checked elsewhere.
    pub fn accepts(&self, value: &str) -> bool {
        match self {
            Self::Int(min, max) => whole(value).is_some_and(|n| n >= *min && n <= *max),
            Self::Word(words) => words.contains(&value),
            Self::Text(min, max) => (*min..=*max).contains(&value.chars().count()),
            Self::Shape(_, is) => is(value),
            Self::List(inner) => value.split(',').all(|item| inner.accepts(item)),
            Self::Name(..) | Self::Names(_) | Self::Any => true,
        }
    }
}

/// Parses an integer as in YANG: no blanks, an optional sign.
pub(crate) fn whole(text: &str) -> Option<i128> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// `low` or `low-high`, both at most `max`, in any order.
fn range(text: &str, max: u32) -> bool {
    // The common case: one digit, or two.
    let is_digit = |byte: u8| byte.is_ascii_digit() && u32::from(byte - b'0') <= max;
    if let [low] | [low, b'-', _] = text.as_bytes()
        && is_digit(*low)
        && text.as_bytes().get(2).is_none_or(|high| is_digit(*high))
    {
        return true;
    }
    let number = |word: &str| {
        let is_short =
            (word.len() == 1 || !word.starts_with('0')) && word.bytes().all(|b| b.is_ascii_digit());
        is_short && word.parse::<u32>().is_ok_and(|n| n <= max)
    };
    match text.split_once('-') {
        Some((low, high)) => number(low) && number(high),
        None => number(text),
    }
}

pub(super) fn group_range(text: &str) -> bool {
    range(text, 7)
}

pub(super) fn queue_range(text: &str) -> bool {
    range(text, 15)
}

/// `[A-Za-z0-9][-A-Za-z0-9_]{0,31}`.
pub(crate) fn map_name(text: &str) -> bool {
    let starts = text.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric());
    starts && text.len() <= 32 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

fn digit_or_empty(text: &str, max: u8) -> bool {
    match text.as_bytes() {
        [] => true,
        [digit] => (b'0'..=b'0' + max).contains(digit),
        _ => false,
    }
}

pub(super) fn priority(text: &str) -> bool {
    digit_or_empty(text, 7)
}

pub(super) fn queue_digit(text: &str) -> bool {
    digit_or_empty(text, 9)
}

/// `6[0-3]|[1-5][0-9]?|[0-9]?`.
pub(super) fn dscp(text: &str) -> bool {
    digit_or_empty(text, 9)
        || (text.len() == 2 && !text.starts_with('0') && text.parse::<u8>().is_ok_and(|n| n < 64))
}

/// `([0-7](,[0-7])*)?`.
pub(super) fn priorities(text: &str) -> bool {
    text.is_empty() || text.split(',').all(|item| matches!(item.as_bytes(), [b'0'..=b'7']))
}

pub(super) fn metres(text: &str) -> bool {
    let is_length = |n: &str| n.bytes().all(|b| b.is_ascii_digit()) && n.parse::<u32>().is_ok();
    text.strip_suffix('m').is_some_and(is_length)
}

pub(super) fn ipv4(text: &str) -> bool {
    text.parse::<std::net::Ipv4Addr>().is_ok()
}

pub(super) fn prefix(text: &str) -> bool {
    text.split_once('/').is_some_and(|(address, length)| {
        let max = match address.parse::<std::net::IpAddr>() {
            Ok(std::net::IpAddr::V4(_)) => 32,
            Ok(std::net::IpAddr::V6(_)) => 128,
            Err(_) => return false,
        };
        length.parse::<u8>().is_ok_and(|n| n <= max)
    })
}

pub(super) fn mac(text: &str) -> bool {
    let mut count = 0;
    let good = text.split(':').all(|part| {
        count += 1;
        part.len() == 2 && part.bytes().all(|b| b.is_ascii_hexdigit())
    });
    good && count == 6
}

/// decimal64 with one fraction digit.
pub(super) fn decimal(text: &str) -> bool {
    let body = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = body.split_once('.').unwrap_or((body, "0"));
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    digits(whole) && digits(fraction) && fraction.trim_end_matches('0').len() <= 1
}

/// Numbers of lanes, of which none occurs twice.
pub(super) fn lanes(text: &str) -> bool {
    let lanes: Vec<&str> = text.split(',').map(str::trim).collect();
    let is_number = |lane: &&str| !lane.is_empty() && lane.bytes().all(|b| b.is_ascii_digit());
    let is_new = |(at, lane): (usize, &&str)| !lanes.iter().take(at).any(|other| other == lane);
    lanes.len() <= 32 && lanes.iter().all(is_number) && lanes.iter().enumerate().all(is_new)
}
