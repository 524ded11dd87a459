//! Parser of STF commands.

use super::Failure;
use super::words::{self, Parsed, Words, find, number, rfind, split_word, unquoted};

/// A command with its line number.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Line number, starting at 1.
    pub number: u32,
    /// The command.
    pub command: Command,
}

/// `KEY:VALUE` of an entry. The value is parsed later, when the width of the key is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchText {
    /// Name of the key's component.
    pub key: String,
    /// A number with optional wildcard digits, and an optional mask, prefix length or upper bound.
    pub value: String,
}

/// `ACTION(ARG:VALUE, ...)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Name of the action.
    pub action: String,
    /// Parameters and values; values without a name are positional.
    pub args: Vec<(Option<String>, String)>,
}

/// A command.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "described in the module's table")]
pub enum Command {
    Add {
        table: String,
        priority: Option<i32>,
        matches: Vec<MatchText>,
        call: Call,
        /// Name for `$ID` in later commands.
        id: Option<String>,
    },
    SetDefault {
        table: String,
        call: Call,
    },
    RemoveAll,
    Remove {
        table: String,
        priority: Option<i32>,
        matches: Vec<MatchText>,
    },
    Packet {
        port: u16,
        data: Vec<u8>,
    },
    Expect {
        port: u16,
        data: Option<String>,
    },
    NoPacket,
    Wait {
        us: u64,
    },
    ExpectDigest {
        name: String,
        values: Vec<String>,
    },
    CheckRegister {
        name: String,
        index: u64,
        values: Vec<String>,
    },
    Member {
        profile: String,
        id: u32,
        call: Call,
    },
    /// Members with their weights.
    Group {
        profile: String,
        id: u32,
        members: Vec<(u32, u32)>,
    },
    ValueSet {
        name: String,
        members: Vec<String>,
    },
    EntryMeter {
        id: String,
        rates: Vec<(f64, u64)>,
    },
    CheckCounter {
        name: String,
        index: CounterIndex,
        check: Option<CounterCheck>,
    },
    MirroringAdd {
        session: u32,
        port: u16,
    },
    MirroringAddGroup {
        session: u32,
        group: u32,
    },
    MirroringDelete {
        session: u32,
    },
    MirroringGet {
        session: u32,
    },
    GroupCreate {
        group: u32,
    },
    NodeCreate {
        instance: u16,
        ports: Vec<u16>,
    },
    NodeAssociate {
        group: u32,
        node: usize,
    },
    CounterRead {
        name: String,
        index: u64,
    },
    CounterWrite {
        name: String,
        index: u64,
        packets: u64,
        bytes: u64,
    },
    RegisterRead {
        name: String,
        index: u64,
    },
    RegisterWrite {
        name: String,
        index: u64,
        value: u128,
    },
    RegisterReset {
        name: String,
    },
    MeterGetRates {
        name: String,
        index: u64,
    },
    /// Rates per microsecond and bursts, committed then peak; without an index for all elements.
    MeterSetRates {
        name: String,
        index: Option<u64>,
        rates: Vec<(f64, u64)>,
    },
}

impl Command {
    /// Whether the command sends or expects packets, or advances the time.
    pub fn is_about_packets(&self) -> bool {
        matches!(
            self,
            Command::Packet { .. }
                | Command::Expect { .. }
                | Command::ExpectDigest { .. }
                | Command::NoPacket
                | Command::Wait { .. }
        )
    }
}

/// `packets|bytes OP NUMBER`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterCheck {
    /// Whether bytes are compared; otherwise packets.
    pub bytes: bool,
    /// `==`, `!=`, `<`, `<=`, `>` or `>=`.
    pub operator: String,
    /// The number.
    pub number: u64,
}

/// The element of a counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CounterIndex {
    /// An element of an array.
    Number(u64),
    /// The counter of the entry that `add` gave this identifier.
    Entry(String),
}

impl std::fmt::Display for CounterIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CounterIndex::Number(number) => write!(f, "{number}"),
            CounterIndex::Entry(id) => write!(f, "${id}"),
        }
    }
}

impl CounterCheck {
    /// Whether a value passes the check.
    pub(super) fn holds(&self, value: u64) -> bool {
        let order = value.cmp(&self.number);
        match self.operator.as_str() {
            "==" => order.is_eq(),
            "!=" => order.is_ne(),
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            _ => order.is_ge(),
        }
    }
}

/// Parses a test. Returns all valid commands and a failure for every invalid line.
pub fn parse(text: &str) -> (Vec<Line>, Vec<Failure>) {
    let mut lines = Vec::new();
    let mut problems = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = index as u32 + 1;
        let content = words::without_comment(line).trim();
        if content.is_empty() {
            continue;
        }
        let closed = words::is_closed(content).then_some(content).ok_or("a quotation mark is not closed");
        match closed.map_err(str::to_owned).and_then(command) {
            Ok(command) => lines.push(Line { number, command }),
            Err(message) => problems.push(Failure { line: number, message, is_outcome: false }),
        }
    }
    (lines, problems)
}

fn command(content: &str) -> Parsed<Command> {
    let (word, rest) = split_word(content);
    let mut words = Words(rest);
    let command = match word.to_ascii_lowercase().as_str() {
        "add" => return add(rest),
        "setdefault" => {
            let table = words.name("table")?;
            return Ok(Command::SetDefault { table, call: call(words.0)? });
        }
        "remove" => return remove(rest),
        "packet" => {
            let port = words.number("port")?;
            return Ok(Command::Packet { port, data: packet_data(words.0)? });
        }
        "expect" => {
            let port = words.number("port")?;
            return Ok(Command::Expect { port, data: expect_data(words.0)? });
        }
        "check_counter" => return check_counter(rest),
        "no_packet" => Command::NoPacket,
        // Additional words are ignored, as in p4c.
        "wait" => {
            return Ok(Command::Wait { us: number(rest).and_then(|us| u64::try_from(us).ok()).unwrap_or(0) });
        }
        "expect_digest" => {
            let name = words.name("digest")?;
            return Ok(Command::ExpectDigest { name, values: words.all() });
        }
        "check_register" => return check_register(rest),
        "member" => {
            let (profile, id) = (words.name("profile")?, words.number("member")?);
            return Ok(Command::Member { profile, id, call: call(words.0)? });
        }
        "group" => {
            let (profile, id) = (words.name("profile")?, words.number("group")?);
            let members = words.all().iter().map(|word| weighted(word)).collect::<Parsed<_>>()?;
            return Ok(Command::Group { profile, id, members });
        }
        "value_set" => {
            let name = words.name("value set")?;
            return Ok(Command::ValueSet { name, members: words.all() });
        }
        "meter_set_entry" => {
            let id = words.name("entry")?.trim_start_matches('$').to_owned();
            return Ok(Command::EntryMeter { id, rates: rates(words.0)? });
        }
        "mirroring_add" => {
            Command::MirroringAdd { session: words.number("session")?, port: words.number("port")? }
        }
        "mirroring_add_mc" => {
            Command::MirroringAddGroup { session: words.number("session")?, group: words.number("group")? }
        }
        "mirroring_delete" => Command::MirroringDelete { session: words.number("session")? },
        "mirroring_get" => Command::MirroringGet { session: words.number("session")? },
        "mc_mgrp_create" => Command::GroupCreate { group: words.number("group")? },
        "mc_node_create" => {
            let instance = words.number("rid")?;
            let mut ports = Vec::new();
            while !words.0.is_empty() {
                ports.push(words.number("port")?);
            }
            Command::NodeCreate { instance, ports }
        }
        "mc_node_associate" => {
            Command::NodeAssociate { group: words.number("group")?, node: words.number("node")? }
        }
        "counter_read" => {
            Command::CounterRead { name: words.name("counter")?, index: words.number("index")? }
        }
        "counter_write" => Command::CounterWrite {
            name: words.name("counter")?,
            index: words.number("index")?,
            packets: words.number("packets")?,
            bytes: words.number("bytes")?,
        },
        "register_read" => {
            Command::RegisterRead { name: words.name("register")?, index: words.number("index")? }
        }
        "register_write" => Command::RegisterWrite {
            name: words.name("register")?,
            index: words.number("index")?,
            value: words.number("value")?,
        },
        "register_reset" => Command::RegisterReset { name: words.name("register")? },
        "meter_get_rates" => {
            Command::MeterGetRates { name: words.name("meter")?, index: words.number("index")? }
        }
        "meter_set_rates" => {
            let (name, index) = (words.name("meter")?, words.number("index")?);
            return Ok(Command::MeterSetRates { name, index: Some(index), rates: rates(words.0)? });
        }
        "meter_array_set_rates" => {
            let name = words.name("meter")?;
            return Ok(Command::MeterSetRates { name, index: None, rates: rates(words.0)? });
        }
        other => return Err(format!("unknown command {other}")),
    };
    if words.0.is_empty() { Ok(command) } else { Err(format!("unexpected {}", words.0)) }
}

fn add(rest: &str) -> Parsed<Command> {
    let end = rfind(rest, |c| c == ')').ok_or("expected an action with parentheses")?;
    let (rest, after) = rest.split_at(end + 1);
    let id = after.trim().strip_prefix('=').map(|id| id.trim().to_owned());
    let open = words::matching_parenthesis(rest).ok_or("unbalanced parentheses")?;
    let before = rest[..open].trim_end();
    let action_at = rfind(before, char::is_whitespace).map_or(0, |at| at + 1);
    let call = call(&rest[action_at..])?;
    let (table, priority, matches) = entry(&rest[..action_at])?;
    Ok(Command::Add { table, priority, matches, call, id })
}

fn remove(rest: &str) -> Parsed<Command> {
    if rest.eq_ignore_ascii_case("all") {
        return Ok(Command::RemoveAll);
    }
    let (table, priority, matches) = entry(rest)?;
    Ok(Command::Remove { table, priority, matches })
}

type EntryText = (String, Option<i32>, Vec<MatchText>);

fn entry(text: &str) -> Parsed<EntryText> {
    let mut words = Words(text.trim());
    let table = words.name("table")?;
    let mut priority = None;
    let mut matches = Vec::new();
    while !words.0.is_empty() {
        let word = words.word("match")?;
        let colon = rfind(word, |c| c == ':');
        match colon.map(|at| (&word[..at], &word[at + 1..])) {
            Some((key, value)) if !key.is_empty() && !value.is_empty() => {
                matches.push(MatchText { key: unquoted(key).to_owned(), value: value.to_owned() });
            }
            None if priority.is_none() && matches.is_empty() => {
                let value = number(word).and_then(|v| i32::try_from(v).ok());
                priority = Some(value.ok_or_else(|| format!("{word} is neither a priority nor KEY:VALUE"))?);
            }
            _ => return Err(format!("{word} is not KEY:VALUE")),
        }
    }
    Ok((table, priority, matches))
}

fn call(text: &str) -> Parsed<Call> {
    let text = text.trim();
    let open = find(text, |c| c == '(').ok_or("expected an action with parentheses")?;
    let (name, rest) = (&text[..open], &text[open + 1..]);
    let inner =
        rest.trim_end().strip_suffix(')').ok_or("the closing parenthesis of the action is missing")?;
    let args = inner
        .split(',')
        .map(str::trim)
        .filter(|arg| !arg.is_empty())
        .map(|arg| match arg.split_once(':') {
            Some((name, value)) => (Some(unquoted(name.trim()).to_owned()), value.trim().to_owned()),
            None => (None, arg.to_owned()),
        })
        .collect();
    Ok(Call { action: unquoted(name.trim()).to_owned(), args })
}

fn packet_data(text: &str) -> Parsed<Vec<u8>> {
    let digits: Vec<u32> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).ok_or_else(|| format!("{c} is not a hexadecimal digit")))
        .collect::<Parsed<_>>()?;
    if !digits.len().is_multiple_of(2) {
        return Err("odd number of hexadecimal digits".to_owned());
    }
    Ok(digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect())
}

/// Hexadecimal digits, `*` for any digit, and an optional `$` at the end; empty for any packet.
fn expect_data(text: &str) -> Parsed<Option<String>> {
    let digits: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let body = digits.strip_suffix('$').unwrap_or(&digits);
    if let Some(wrong) = body.chars().find(|c| !c.is_ascii_hexdigit() && *c != '*') {
        return Err(format!("{wrong} is neither a hexadecimal digit nor *"));
    }
    Ok((!digits.is_empty()).then(|| digits.to_ascii_lowercase()))
}

fn check_counter(rest: &str) -> Parsed<Command> {
    let open = find(rest, |c| c == '(').ok_or("expected NAME(INDEX)")?;
    let (name, rest) = (&rest[..open], &rest[open + 1..]);
    let (index, rest) = rest.split_once(')').ok_or("the closing parenthesis of NAME(INDEX) is missing")?;
    let index = match index.trim().strip_prefix('$') {
        Some(id) => CounterIndex::Entry(id.trim().to_owned()),
        None => {
            let parsed = number(index.trim()).and_then(|i| u64::try_from(i).ok());
            CounterIndex::Number(parsed.ok_or("the index is neither a number nor the `$ID` of an entry")?)
        }
    };
    let name = unquoted(name.trim()).to_owned();
    let rest = rest.trim();
    if rest.is_empty() {
        return Ok(Command::CheckCounter { name, index, check: None });
    }
    let mut words = Words(rest);
    let bytes = match words.word("packets or bytes")?.to_ascii_lowercase().as_str() {
        "packets" => false,
        "bytes" => true,
        other => return Err(format!("{other} is neither packets nor bytes")),
    };
    let operator = words.word("operator")?.to_owned();
    if !["==", "!=", "<", "<=", ">", ">="].contains(&operator.as_str()) {
        return Err(format!("{operator} is not a comparison operator"));
    }
    let check = CounterCheck { bytes, operator, number: words.number("number")? };
    Ok(Command::CheckCounter { name, index, check: Some(check) })
}

fn check_register(rest: &str) -> Parsed<Command> {
    let open = find(rest, |c| c == '(').ok_or("expected NAME(INDEX)")?;
    let (name, rest) = (&rest[..open], &rest[open + 1..]);
    let (index, rest) = rest.split_once(')').ok_or("the closing parenthesis of NAME(INDEX) is missing")?;
    let index = number(index.trim()).and_then(|i| u64::try_from(i).ok());
    let index = index.ok_or("the index is not a number")?;
    let values = rest.trim_start().trim_start_matches("==").split_whitespace().map(str::to_owned);
    Ok(Command::CheckRegister { name: unquoted(name.trim()).to_owned(), index, values: values.collect() })
}

/// `MEMBER` or `MEMBER:WEIGHT`.
fn weighted(word: &str) -> Parsed<(u32, u32)> {
    let (member, weight) = word.split_once(':').unwrap_or((word, "1"));
    let parsed = |text| number(text).and_then(|n| u32::try_from(n).ok());
    parsed(member).zip(parsed(weight)).ok_or_else(|| format!("{word} is not MEMBER:WEIGHT"))
}

fn rates(text: &str) -> Parsed<Vec<(f64, u64)>> {
    let rates: Vec<(f64, u64)> = text
        .split_whitespace()
        .map(|word| {
            let (rate, burst) = word.split_once(':').ok_or_else(|| format!("{word} is not RATE:BURST"))?;
            let rate: f64 = rate.parse().map_err(|_| format!("{rate} is not a rate"))?;
            let burst = number(burst).and_then(|b| u64::try_from(b).ok());
            Ok((rate, burst.ok_or_else(|| format!("{word}: the burst is not a number"))?))
        })
        .collect::<Parsed<_>>()?;
    if rates.len() == 2 { Ok(rates) } else { Err("expected two RATE:BURST".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<Command, &str>) {
        let (lines, problems) = parse(text);
        let found = match problems.first() {
            Some(problem) => Err(problem.message.clone()),
            None => Ok(lines[0].command.clone()),
        };
        assert_eq!(found.as_ref().map_err(String::as_str), expected.as_ref().map_err(|e| *e), "{text}");
    }

    #[test]
    fn parses_entries() {
        let matches = vec![MatchText { key: "h$0.f".to_owned(), value: "0x25**".to_owned() }];
        let args =
            vec![(Some("val".to_owned()), "0x7f".to_owned()), (Some("port".to_owned()), "2".to_owned())];
        let call = Call { action: "c.act".to_owned(), args };
        let add = |priority, id: Option<&str>| Command::Add {
            table: "t".to_owned(),
            priority,
            matches: matches.clone(),
            call: call.clone(),
            id: id.map(str::to_owned),
        };
        check("ADD t 10 h$0.f:0x25** c.act(val:0x7f, port:2) = id", Ok(add(Some(10), Some("id"))));
        check("add t h$0.f:0x25** c.act( val:0x7f,port:2 ) # comment", Ok(add(None, None)));
        check("add t x c.act()", Err("x is neither a priority nor KEY:VALUE"));
        check("add t f:1", Err("expected an action with parentheses"));
    }

    #[test]
    fn quoted_names_may_contain_blanks_and_other_marks() {
        let add = |table: &str, key: &str, action: &str| {
            let matches = vec![MatchText { key: key.to_owned(), value: "0".to_owned() }];
            let call = Call { action: action.to_owned(), args: Vec::new() };
            Ok(Command::Add { table: table.to_owned(), priority: None, matches, call, id: None })
        };
        check(r#"add t "h.h.a & 0x10":0 NoAction() # a comment"#, add("t", "h.h.a & 0x10", "NoAction"));
        check(r##"add "t#1" h.h.a:0 NoAction()"##, add("t#1", "h.h.a", "NoAction"));
        check(
            r##"add "t 1" "h.a[3:0] (low)":0 "an action"() # "##,
            add("t 1", "h.a[3:0] (low)", "an action"),
        );
        check(r#"add "t 1 h.h.a:0 NoAction()"#, Err("a quotation mark is not closed"));
        let name = "r (1)".to_owned();
        check(r#"register_reset "r (1)""#, Ok(Command::RegisterReset { name: name.clone() }));
        let values = vec!["2".to_owned()];
        check(r#"check_register "r (1)"(0) 2"#, Ok(Command::CheckRegister { name, index: 0, values }));
    }

    #[test]
    fn parses_packets() {
        check("packet 3 00 ab C", Err("odd number of hexadecimal digits"));
        check("packet 3 00 ab", Ok(Command::Packet { port: 3, data: vec![0, 0xab] }));
        check("expect 3 0A ** $", Ok(Command::Expect { port: 3, data: Some("0a**$".to_owned()) }));
        check("expect 3", Ok(Command::Expect { port: 3, data: None }));
        check("expect 70000 00", Err("port: 70000 is too large"));
        check("frobnicate", Err("unknown command frobnicate"));
    }
}
