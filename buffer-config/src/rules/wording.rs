//! Words and numbers of messages.

use super::context::priorities;

/// A list of names for messages: the first few, and the number of others.
pub(crate) fn names(all: &[&str]) -> String {
    match all {
        [] => String::new(),
        [one] => (*one).to_string(),
        [a, b] => format!("{a} and {b}"),
        [a, b, c] => format!("{a}, {b} and {c}"),
        [a, b, rest @ ..] => format!("{a}, {b} and {} more", rest.len()),
    }
}

/// A priority mask as a comma-separated list.
pub(crate) fn list(mask: u8) -> String {
    let all: Vec<String> = priorities(mask).map(|p| p.to_string()).collect();
    if all.is_empty() { "none".into() } else { all.join(",") }
}

/// `priority 4` or `priorities 3,4`.
pub(super) fn of_priorities(mask: u8) -> String {
    let word = if mask.count_ones() == 1 { "priority" } else { "priorities" };
    format!("{word} {}", list(mask))
}

/// A message about `count` ports, whose verbs have the ports as their subject: `is down, but has headroom` becomes `are
/// down, but have headroom` for several ports, and the reverse.
pub(crate) fn agreeing(message: &str, count: usize) -> String {
    const VERBS: [(&str, &str); 5] =
        [("is", "are"), ("has", "have"), ("uses", "use"), ("enables", "enable"), ("runs", "run")];
    let agree = |part: &str| {
        let (verb, rest) = part.split_once(' ')?;
        let (one, many) = VERBS.iter().find(|(one, many)| verb == *one || verb == *many)?;
        Some(format!("{} {rest}", if count == 1 { one } else { many }))
    };
    // Without a verb at the start, the ports are not the subject of what follows either.
    let mut parts = message.split(BUT);
    let Some(first) = parts.next().and_then(agree) else { return message.to_string() };
    parts.fold(first, |text, part| text + BUT + &agree(part).unwrap_or_else(|| part.to_string()))
}

/// Between two statements about the same ports.
const BUT: &str = ", but ";

/// `2^n` as a fraction.
pub(super) fn alpha(exponent: i8) -> String {
    match exponent {
        0.. => format!("{}", 1u64 << exponent.min(62)),
        _ => format!("1/{}", 1u64 << (-i32::from(exponent)).min(62)),
    }
}

/// Bytes with thousands separated.
pub(crate) fn bytes(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3 + 2);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(c);
    }
    text + " B"
}
