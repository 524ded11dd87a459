//! Names and numbers: ranges of ports, neighbours in descriptions, speeds, names of DSCPs.

use super::MAX_PORTS;

/// The ports of a list such as `swp1-4,swp6`, `Ethernet1/1-3,5` or `Ethernet1/1, Ethernet1/3`. The last number of a
/// name is the one that counts up; a part without letters continues the name before.
pub(super) fn ports(list: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut prefix = String::new();
    for part in list.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (from, to) = match part.split_once('-') {
            // `leaf-1` is a name, `swp1-4` and `swp1-swp4` are ranges.
            Some((from, to)) if ends_in_digit(from) && ends_in_digit(to) => (from, Some(to)),
            _ => (part, None),
        };
        let whole = if from.starts_with(|c: char| c.is_ascii_digit()) {
            // `Ethernet1/1,3` continues the number after the slash, `Ethernet1/1,3/1` the whole number.
            let kind = prefix.trim_end_matches(|c: char| c.is_ascii_digit() || c == '/');
            if from.contains('/') { format!("{kind}{from}") } else { format!("{prefix}{from}") }
        } else {
            from.to_string()
        };
        let digits = whole.len() - whole.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (base, first) = whole.split_at(whole.len() - digits);
        prefix = base.to_string();
        let last = to.map(|to| {
            let digits = to.len() - to.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            to.split_at(to.len() - digits).1.to_string()
        });
        match (first.parse::<u32>(), last.map(|last| last.parse::<u32>())) {
            (Ok(first), Some(Ok(last))) if first <= last && (last - first) < MAX_PORTS as u32 => {
                all.extend((first..=last).map(|number| format!("{base}{number}")));
            }
            _ => all.push(whole),
        }
        if all.len() > MAX_PORTS {
            all.truncate(MAX_PORTS);
            break;
        }
    }
    all
}

fn ends_in_digit(text: &str) -> bool {
    text.ends_with(|c: char| c.is_ascii_digit())
}

/// The numbers of a list such as `24-31,46`; `None` if one of them is not a number of at most `max`.
pub(super) fn numbers(list: &str, max: u8) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    for part in list.split(',').filter(|part| !part.is_empty()) {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to) = (from.trim().parse::<u8>().ok()?, to.trim().parse::<u8>().ok()?);
        if from > to || to > max {
            return None;
        }
        all.extend(from..=to);
    }
    (!all.is_empty()).then_some(all)
}

/// Names of DSCPs (RFC 2474, RFC 2597, RFC 3246, RFC 5865).
const DSCP_NAMES: &[(&str, u8)] = &[
    ("default", 0),
    ("be", 0),
    ("cs1", 8),
    ("af11", 10),
    ("af12", 12),
    ("af13", 14),
    ("cs2", 16),
    ("af21", 18),
    ("af22", 20),
    ("af23", 22),
    ("cs3", 24),
    ("af31", 26),
    ("af32", 28),
    ("af33", 30),
    ("cs4", 32),
    ("af41", 34),
    ("af42", 36),
    ("af43", 38),
    ("cs5", 40),
    ("va", 44),
    ("ef", 46),
    ("cs6", 48),
    ("cs7", 56),
];

/// The DSCPs of a list of numbers, ranges and names.
pub(super) fn dscps(list: &str) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    for part in list.split(',').filter(|part| !part.is_empty()) {
        let named = DSCP_NAMES.iter().find(|(name, _)| part.eq_ignore_ascii_case(name));
        match named {
            Some((_, dscp)) => all.push(*dscp),
            None => all.extend(numbers(part, 63)?),
        }
    }
    (!all.is_empty()).then_some(all)
}

/// Names of IP precedences (RFC 791).
const PRECEDENCES: [&str; 8] =
    ["routine", "priority", "immediate", "flash", "flash-override", "critical", "internet", "network"];

/// The DSCPs of a list of IP precedences: the precedence is the first three of their six bits.
pub(super) fn precedences(list: &str) -> Option<Vec<u8>> {
    let named = PRECEDENCES.iter().position(|name| list.eq_ignore_ascii_case(name));
    let numbers = match named {
        Some(number) => vec![number as u8],
        None => numbers(list, 7)?,
    };
    Some(numbers.into_iter().flat_map(|number| number * 8..number * 8 + 8).collect())
}

/// A speed in Mbit/s: `100G`, `100gfull`, `100g-4`, `100000`.
pub(super) fn speed_mbps(text: &str) -> Option<u32> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
    let (number, unit) = text.split_at(digits);
    let unit = unit.to_ascii_lowercase();
    if unit.is_empty() || unit.starts_with("full") {
        // EOS writes 10 and 100 Gb/s without a unit as `10000full`.
        return number.parse().ok();
    }
    let number: f64 = number.parse().ok()?;
    let mbps = match unit.as_bytes().first()? {
        b'g' => number * 1000.0,
        b'm' => number,
        _ => return None,
    };
    (mbps > 0.0 && mbps <= 1_600_000.0).then_some(mbps as u32)
}

/// The neighbour and its port that a description names: `HOST:PORT`, `HOST PORT` or `HOST_PORT`, alone or at the end of
/// a text such as `to HOST PORT` or `P2P_LINK_TO_HOST_PORT`.
pub(super) fn neighbour(description: &str) -> Option<(String, String)> {
    let text = description.trim().trim_matches(['"', '\'']);
    let (port_start, port) = last_port(text)?;
    let before = text.get(..port_start)?.trim_end_matches([' ', ':', '_', '-', '/', ',']);
    let before = before.trim_end_matches(" port").trim_end_matches(" Port").trim_end_matches(',');
    let host = before.rsplit(|c: char| c.is_whitespace() || matches!(c, '[' | ']' | '(' | ')' | '<' | '>'));
    let mut host = host.into_iter().next().filter(|host| !host.is_empty())?;
    // arista.avd: `P2P_LINK_TO_DC1-SPINE1_Ethernet1` and `P2P_DC1-SPINE1_Ethernet1`.
    for begin in ["P2P_LINK_TO_", "P2P_", "LINK_TO_", "TO_", "to_", "to-"] {
        host = host.strip_prefix(begin).unwrap_or(host);
    }
    let is_word =
        matches!(host.to_ascii_lowercase().as_str(), "to" | "link" | "uplink" | "port" | "via" | "on");
    (!is_word && host.contains(|c: char| c.is_ascii_alphanumeric())).then(|| (host.to_string(), port))
}

/// The last name of a port in a text, and its position.
fn last_port(text: &str) -> Option<(usize, String)> {
    let starts = ["Ethernet", "ethernet", "Eth", "Et", "swp", "etp"];
    let mut found = None;
    for (at, _) in text.char_indices() {
        let is_start =
            text.get(..at).and_then(|before| before.chars().next_back()).is_none_or(|c| !c.is_alphanumeric());
        if !is_start {
            continue;
        }
        for start in starts {
            let Some(rest) = text.get(at..).and_then(|rest| rest.strip_prefix(start)) else { continue };
            let number: String =
                rest.chars().take_while(|c| c.is_ascii_digit() || matches!(c, '/' | 's')).collect();
            let number = number.trim_end_matches(['/', 's']);
            if number.starts_with(|c: char| c.is_ascii_digit()) {
                found = Some((at, canonical(start, number)));
                break;
            }
        }
    }
    found
}

/// The whole name of a port whose type is abbreviated.
fn canonical(start: &str, number: &str) -> String {
    match start {
        "Et" | "Eth" | "ethernet" | "Ethernet" => format!("Ethernet{number}"),
        other => format!("{other}{number}"),
    }
}

/// The whole name of an interface: `Eth1/1` and `ethernet 1/1` are `Ethernet1/1`.
pub(super) fn interface(name: &str) -> Option<String> {
    let digits = name.find(|c: char| c.is_ascii_digit())?;
    let (kind, number) = name.split_at(digits);
    let lower = kind.to_ascii_lowercase();
    (lower.len() >= 2 && "ethernet".starts_with(&lower)).then(|| format!("Ethernet{number}"))
}
