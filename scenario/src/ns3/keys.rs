//! The keys of a settings file: their values, ranges and effects.
//!
//! A line holds a key and its values. The simulators ignore unknown words, which is used for
//! comments: a line that begins with `#` or `//`, and what follows a `{` (as in the public `config_doc.txt`).
//! Only these are ignored here; an unknown key is a problem.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use model::{Rate, Time};

use super::config::{Config, CongestionControl, LinkDown, RateMap};
use super::text::{Source, Word, lines};
use crate::problem::Problem;

/// The kind of value of a key without effect.
#[derive(Clone)]
enum Kind {
    Flag,
    Whole(RangeInclusive<u32>),
    Number(f64, f64),
    Rate,
    Delay,
    Name,
}

/// Keys that are checked but have no effect: parameters of algorithms that are not simulated, and
/// settings that the simulators themselves ignore or that the files' own rows replace.
const WITHOUT_EFFECT: [(&str, Kind); 16] = [
    ("AGENT_THRESHOLD", Kind::Whole(1..=1_000_000)),
    ("DATA_RATE", Kind::Rate),
    ("DIR", Kind::Name),
    ("ENABLE_TRACE", Kind::Flag),
    ("EPOCH_TIME", Kind::Whole(0..=u32::MAX)),
    ("FAST_REACT", Kind::Flag),
    ("INT_MULTI", Kind::Whole(1..=65_535)),
    ("LINK_DELAY", Kind::Delay),
    ("MI_THRESH", Kind::Whole(0..=1_000_000)),
    ("MULTI_RATE", Kind::Flag),
    ("PAUSE_TIME", Kind::Number(0.0, 65_535.0)),
    ("PINT_LOG_BASE", Kind::Number(1.000_001, 1_000.0)),
    ("PINT_PROB", Kind::Number(0.0, 1.0)),
    ("SAMPLE_FEEDBACK", Kind::Flag),
    ("U_TARGET", Kind::Number(0.01, 1.0)),
    ("USE_DYNAMIC_PFC_THRESHOLD", Kind::Flag),
];

/// The time from which `LINK_DOWN` counts.
const LINK_DOWN_BASE: Time = Time::from_ms(2_000);

/// Longest timer in microseconds: a quarter of an hour.
const MAX_TIMER_US: u64 = 1_000_000_000;

/// One line: its key and values.
struct Line<'l, 't> {
    key: Word<'t>,
    values: &'l [Word<'t>],
    end: usize,
}

/// Reads a settings file. The result contains all valid values.
pub fn parse_config(name: &str, text: &str) -> (Config, Vec<Problem>) {
    let mut source = Source::new(name, text);
    let mut config = Config::default();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut back = Back { to_chunk: false, chunk: Some(4_000) };
    for (words, end) in lines(text) {
        let words = without_comment(&words);
        let Some((key, values)) = words.split_first() else { continue };
        let line = Line { key: *key, values, end };
        if let Some(first) = seen.insert(key.text, key.offset) {
            let first = source.line_of(first);
            source.problem(key.offset, format!("`{}` is already set in line {first}", key.text));
        }
        let place = values.first().map_or(key.offset, |value| value.offset);
        config.places.insert(key.text.to_string(), place);
        read_line(&mut source, &line, &mut config, &mut back);
    }
    config.chunk_bytes = back.chunk.filter(|_| back.to_chunk);
    (config, source.problems)
}

/// The words of a line before a comment.
fn without_comment<'l, 't>(words: &'l [Word<'t>]) -> &'l [Word<'t>] {
    if words.first().is_some_and(|word| word.text.starts_with('#') || word.text.starts_with("//")) {
        return &[];
    }
    let end = words.iter().position(|word| word.text.starts_with('{')).unwrap_or(words.len());
    &words[..end]
}

/// Two keys that have an effect only together.
struct Back {
    to_chunk: bool,
    chunk: Option<u64>,
}

fn read_line(source: &mut Source<'_>, line: &Line<'_, '_>, config: &mut Config, back: &mut Back) {
    if read_file(source, line, config) || read_congestion_control(source, line, config) {
        return;
    }
    match line.key.text {
        "ENABLE_QCN" => set(&mut config.enable_qcn, flag(source, line)),
        "PACKET_PAYLOAD_SIZE" => {
            set(&mut config.payload_bytes, whole(source, line, "a size in bytes", 1..=9_000))
        }
        "SIMULATOR_STOP_TIME" => {
            let stop = one(source, line).and_then(|word| source.seconds(word, "a time", Time(1)));
            set(&mut config.stop, stop);
        }
        "BUFFER_SIZE" => {
            set(&mut config.buffer_size, whole(source, line, "a size of packet memory", 1..=u32::MAX));
        }
        "L2_BACK_TO_ZERO" => set(&mut back.to_chunk, flag(source, line)),
        "L2_CHUNK_SIZE" => {
            back.chunk = whole(source, line, "a number of bytes", 1..=u64::from(u32::MAX)).or(back.chunk);
        }
        "L2_ACK_INTERVAL" => {
            let bytes = whole(source, line, "a number of bytes", 1..=u64::from(u32::MAX));
            set(&mut config.ack_interval, bytes);
        }
        "ERROR_RATE_PER_LINK" => {
            set(&mut config.error_rate, number(source, line, "an error rate", 0.0..=0.999))
        }
        "RATE_BOUND" => set(&mut config.rate_bound, flag(source, line)),
        "HAS_WIN" => set(&mut config.has_window, flag(source, line)),
        "GLOBAL_T" => set(&mut config.global_window, flag(source, line)),
        "VAR_WIN" => set(&mut config.variable_window, flag(source, line)),
        "ACK_HIGH_PRIO" => set(&mut config.ack_high_priority, flag(source, line)),
        "LINK_DOWN" => config.link_down = link_down(source, line),
        "QLEN_MON_START" => set(&mut config.outputs.queues_from, nanoseconds(source, line)),
        "QLEN_MON_END" => set(&mut config.outputs.queues_to, nanoseconds(source, line)),
        "AGENT_NODE" => config.agents = list(source, line),
        "NO_CC_NODE" => config.without_cc = list(source, line),
        other => match WITHOUT_EFFECT.iter().find(|(key, _)| *key == other) {
            Some((_, kind)) => check(source, line, kind),
            None => source.problem(line.key.offset, format!("unknown key `{other}`")),
        },
    }
}

/// Keys that name files.
fn read_file(source: &mut Source<'_>, line: &Line<'_, '_>, config: &mut Config) -> bool {
    let target = match line.key.text {
        "TOPOLOGY_FILE" => &mut config.topology_file,
        "FLOW_FILE" => &mut config.flow_file,
        "ROUTE_FILE" => &mut config.route_file,
        "TRACE_FILE" => &mut config.trace_file,
        "FCT_OUTPUT_FILE" => &mut config.outputs.completions,
        "PFC_OUTPUT_FILE" => &mut config.outputs.pauses,
        "QLEN_MON_FILE" => &mut config.outputs.queues,
        "TRACE_OUTPUT_FILE" => &mut config.outputs.trace,
        _ => return false,
    };
    // A discarded output; several keys may use this name.
    let is_output = line.key.text.ends_with("OUTPUT_FILE") || line.key.text == "QLEN_MON_FILE";
    let is_wanted = |named: &String| !is_output || named != "/dev/null";
    *target = one(source, line).map(|word| word.text.to_string()).filter(is_wanted);
    true
}

/// Keys of the congestion control of hosts and of the marking that it needs.
fn read_congestion_control(source: &mut Source<'_>, line: &Line<'_, '_>, config: &mut Config) -> bool {
    match line.key.text {
        "CC_MODE" => cc_mode(source, line, config),
        "ALPHA_RESUME_INTERVAL" => set(&mut config.alpha_interval, timer(source, line)),
        "RATE_DECREASE_INTERVAL" => set(&mut config.decrease_interval, timer(source, line)),
        "RP_TIMER" => set(&mut config.rp_timer, timer(source, line)),
        "CLAMP_TARGET_RATE" => set(&mut config.clamp_target, flag(source, line)),
        "EWMA_GAIN" => set(&mut config.gain, number(source, line, "a weight", 0.0..=1.0)),
        "FAST_RECOVERY_TIMES" => {
            set(&mut config.fast_recovery_times, whole(source, line, "a number of increases", 0..=1_000_000));
        }
        "RATE_AI" => set(&mut config.rate_ai, rate(source, line)),
        "RATE_HAI" => set(&mut config.rate_hai, rate(source, line)),
        "MIN_RATE" => set(&mut config.min_rate, rate(source, line)),
        "DCTCP_RATE_AI" => set(&mut config.dctcp_rate_ai, rate(source, line)),
        "KMIN_MAP" => config.kmin = kilobytes(source, line),
        "KMAX_MAP" => config.kmax = kilobytes(source, line),
        "PMAX_MAP" => {
            config.pmax_ppm = map(source, line, |source, word| {
                let p = source.number(word, "a probability", 0.0..=1.0)?;
                Some((p * 1e6).round() as u32)
            });
        }
        _ => return false,
    }
    true
}

fn set<T>(target: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *target = value;
    }
}

fn count(source: &mut Source<'_>, line: &Line<'_, '_>, expected: usize) {
    let offset = line.values.get(expected).map_or(line.end, |word| word.offset);
    let message = format!("`{}` takes {expected} value(s), found {}", line.key.text, line.values.len());
    source.problem(offset, message);
}

/// The only value of a line.
fn one<'t>(source: &mut Source<'_>, line: &Line<'_, 't>) -> Option<Word<'t>> {
    let [word] = *line.values else {
        count(source, line, 1);
        return None;
    };
    Some(word)
}

fn whole<T>(source: &mut Source<'_>, line: &Line<'_, '_>, what: &str, range: RangeInclusive<T>) -> Option<T>
where
    T: Copy + std::fmt::Display + PartialOrd + TryFrom<u64>,
{
    let word = one(source, line)?;
    source.whole(word, what, range)
}

fn number(
    source: &mut Source<'_>,
    line: &Line<'_, '_>,
    what: &str,
    range: RangeInclusive<f64>,
) -> Option<f64> {
    let word = one(source, line)?;
    source.number(word, what, range)
}

fn rate(source: &mut Source<'_>, line: &Line<'_, '_>) -> Option<Rate> {
    let word = one(source, line)?;
    source.rate(word)
}

fn flag(source: &mut Source<'_>, line: &Line<'_, '_>) -> Option<bool> {
    let word = one(source, line)?;
    source.read(word, "0 or 1", |w| match w {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    })
}

/// A timer. The simulators truncate it to whole microseconds: 0.5 would be 0, and a timer of 0 fires endlessly.
fn timer(source: &mut Source<'_>, line: &Line<'_, '_>) -> Option<Time> {
    let word = one(source, line)?;
    let expected = format!("a timer in microseconds: a whole number from 1 to {MAX_TIMER_US}");
    let us = source.read(word, &expected, |w| {
        let (whole, fraction) = w.split_once('.').unwrap_or((w, ""));
        let us: u64 = whole.parse().ok().filter(|us| (1..=MAX_TIMER_US).contains(us))?;
        fraction.bytes().all(|b| b == b'0').then_some(us)
    })?;
    Some(Time::from_us(us))
}

fn nanoseconds(source: &mut Source<'_>, line: &Line<'_, '_>) -> Option<Time> {
    whole(source, line, "a time in nanoseconds", 0..=1_000_000_000_000_000_u64).map(Time::from_ns)
}

/// Checks the value of a key without effect.
fn check(source: &mut Source<'_>, line: &Line<'_, '_>, kind: &Kind) {
    let Some(word) = one(source, line) else { return };
    match kind {
        Kind::Flag => flag(source, line).is_some(),
        Kind::Whole(range) => source.whole(word, "a value", range.clone()).is_some(),
        Kind::Number(least, most) => source.number(word, "a value", *least..=*most).is_some(),
        Kind::Rate => source.rate(word).is_some(),
        Kind::Delay => source.delay(word).is_some(),
        Kind::Name => true,
    };
}

fn cc_mode(source: &mut Source<'_>, line: &Line<'_, '_>, config: &mut Config) {
    let Some(word) = one(source, line) else { return };
    let Some(mode) = source.whole(word, "a congestion control", 0..=u32::MAX) else { return };
    let why = match mode {
        0 => return config.control = CongestionControl::None,
        1 => return config.control = CongestionControl::Dcqcn,
        7 => return config.control = CongestionControl::Timely,
        8 => return config.control = CongestionControl::Dctcp,
        3 => "HPCC needs in-band telemetry from switches (INT)",
        10 => "HPCC-PINT needs in-band telemetry from switches (INT)",
        _ => "no simulator of the family has it",
    };
    let message = format!(
        "congestion control {mode} is not simulated: {why}; 0 (none), 1 (DCQCN), 7 (TIMELY) and 8 (DCTCP) are"
    );
    source.problem(word.offset, message);
}

/// A time in microseconds and the two ends; a time of 0 means that no link fails.
fn link_down(source: &mut Source<'_>, line: &Line<'_, '_>) -> Option<LinkDown> {
    let [time, a, b] = *line.values else {
        count(source, line, 3);
        return None;
    };
    let time = source.whole(time, "a time in microseconds", 0..=MAX_TIMER_US);
    let mut node = |word| source.whole(word, "a node", 0..=u32::MAX);
    let (a, b) = (node(a), node(b));
    let at = Time::from_us(time?) + LINK_DOWN_BASE;
    (at > LINK_DOWN_BASE).then_some(LinkDown { at, a: a?, b: b? })
}

/// A count, then as many pairs of a link rate and a value. A rate may occur twice with the same value, as in the public
/// files.
fn map<T: PartialEq>(
    source: &mut Source<'_>,
    line: &Line<'_, '_>,
    read: impl Fn(&mut Source<'_>, Word<'_>) -> Option<T>,
) -> RateMap<T> {
    let mut pairs: RateMap<T> = BTreeMap::new();
    let Some((first, rest)) = line.values.split_first() else {
        count(source, line, 1);
        return pairs;
    };
    let announced = source.whole(*first, "the number of pairs", 0..=u32::MAX);
    if announced.is_some_and(|n| u64::from(n) * 2 != rest.len() as u64) {
        let message = format!("{} pairs are announced and {} words follow", first.text, rest.len());
        source.problem(first.offset, message);
    }
    for pair in rest.chunks_exact(2) {
        let rate = source.whole(pair[0], "a link rate in bits a second", 1..=10_000_000_000_000_u64);
        let value = read(source, pair[1]);
        let (Some(rate), Some(value)) = (rate, value) else { continue };
        if pairs.get(&rate).is_some_and(|(known, _)| *known != value) {
            source.problem(pair[0].offset, format!("the link rate {rate} already has another value"));
        }
        pairs.insert(rate, (value, pair[1].offset));
    }
    pairs
}

fn kilobytes(source: &mut Source<'_>, line: &Line<'_, '_>) -> RateMap<u64> {
    // The simulators store it in bytes in 32 bits.
    map(source, line, |source, word| {
        source
            .whole(word, "a depth in units of 1000 bytes", 0..=4_294_967_u64)
            .map(|kilobytes| kilobytes * 1000)
    })
}

/// A count, then as many node numbers.
fn list(source: &mut Source<'_>, line: &Line<'_, '_>) -> BTreeMap<u32, usize> {
    let mut nodes = BTreeMap::new();
    let Some((first, rest)) = line.values.split_first() else {
        count(source, line, 1);
        return nodes;
    };
    let announced = source.whole(*first, "the number of nodes", 0..=u32::MAX);
    if announced.is_some_and(|n| n as usize != rest.len()) {
        let message = format!("{} nodes are announced and {} follow", first.text, rest.len());
        source.problem(first.offset, message);
    }
    for word in rest {
        if let Some(node) = source.whole(*word, "a node", 0..=u32::MAX)
            && nodes.insert(node, word.offset).is_some()
        {
            source.problem(word.offset, format!("node {node} is listed twice"));
        }
    }
    nodes
}
