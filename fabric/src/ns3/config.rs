//! The settings file: a key and its values a line.

use std::collections::{BTreeMap, BTreeSet};

use model::{Rate, Time};

use super::text::{Source, Word, lines};
use crate::problem::Problem;
use crate::scenario::{parse_rate, parse_time};

/// What a settings file says, with the simulators' own defaults for what it does not.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// `TOPOLOGY_FILE` and where the name stands.
    pub topology_file: Option<(String, usize)>,
    /// `FLOW_FILE` and where the name stands.
    pub flow_file: Option<(String, usize)>,
    /// `TRACE_FILE`, which lists nodes, and where the name stands.
    pub trace_file: Option<(String, usize)>,
    /// `ENABLE_QCN`: whether congestion is marked.
    pub enable_qcn: bool,
    /// `PACKET_PAYLOAD_SIZE` in bytes.
    pub payload_bytes: u32,
    /// `SIMULATOR_STOP_TIME`.
    pub stop: Time,
    /// `BUFFER_SIZE` in units of 2^20 bytes.
    pub buffer_mib: u64,
    /// `L2_CHUNK_SIZE` in bytes, when `L2_BACK_TO_ZERO` says that a loss goes back to the beginning of a chunk.
    pub chunk_bytes: Option<u64>,
    /// `RATE_BOUND`: whether flows keep to their rate, or only to their window.
    pub rate_bound: bool,
    /// `LINK_DOWN`.
    pub link_down: Option<LinkDown>,
    /// `CC_MODE`: 1 is DCQCN, 0 none; others are not simulated.
    pub cc_mode: u32,
    /// `ALPHA_RESUME_INTERVAL`.
    pub alpha_interval: Time,
    /// `RATE_DECREASE_INTERVAL`.
    pub decrease_interval: Time,
    /// `CLAMP_TARGET_RATE`.
    pub clamp_target: bool,
    /// `RP_TIMER`.
    pub rp_timer: Time,
    /// `EWMA_GAIN`.
    pub gain: f64,
    /// `FAST_RECOVERY_TIMES`.
    pub fast_recovery_times: u32,
    /// `RATE_AI`.
    pub rate_ai: Rate,
    /// `RATE_HAI`.
    pub rate_hai: Rate,
    /// `MIN_RATE`.
    pub min_rate: Rate,
    /// `ERROR_RATE_PER_LINK`, for links without a rate of their own.
    pub error_rate: f64,
    /// `L2_ACK_INTERVAL` in bytes.
    pub ack_interval: u64,
    /// `HAS_WIN`: whether flows have a window.
    pub has_window: bool,
    /// `GLOBAL_T`: whether the window is the largest bandwidth-delay product of all pairs of hosts, or the own.
    pub global_window: bool,
    /// `VAR_WIN`: whether the window shrinks with the rate.
    pub variable_window: bool,
    /// `ACK_HIGH_PRIO`: whether acknowledgements have a priority of their own.
    pub ack_high_priority: bool,
    /// `KMIN_MAP`: bytes by link rate.
    pub kmin: BTreeMap<u64, u64>,
    /// `KMAX_MAP`: bytes by link rate.
    pub kmax: BTreeMap<u64, u64>,
    /// `PMAX_MAP`: millionths by link rate.
    pub pmax_ppm: BTreeMap<u64, u32>,
    /// `AGENT_NODE`: hosts that run an agent.
    pub agents: BTreeSet<u32>,
    /// `NO_CC_NODE`: hosts without congestion control.
    pub without_cc: BTreeSet<u32>,
}

/// A link that fails for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkDown {
    /// When. The file counts microseconds from two seconds on, when flows usually start.
    pub at: Time,
    /// One end.
    pub a: u32,
    /// The other end.
    pub b: u32,
    /// Where the line stands.
    pub offset: usize,
}

/// From when on `LINK_DOWN` counts.
const LINK_DOWN_BASE: Time = Time::from_ms(2_000);

impl Config {
    /// Whether the file is of the poster's fork rather than of the simulator it comes from: it alone knows these keys.
    pub fn is_poster(&self) -> bool {
        !self.agents.is_empty() || !self.without_cc.is_empty()
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            topology_file: None,
            flow_file: None,
            trace_file: None,
            buffer_mib: 16,
            chunk_bytes: None,
            rate_bound: true,
            link_down: None,
            enable_qcn: true,
            payload_bytes: 1000,
            stop: Time::from_ms(3010),
            cc_mode: 1,
            alpha_interval: Time::from_us(55),
            decrease_interval: Time::from_us(4),
            clamp_target: false,
            rp_timer: Time::from_us(1500),
            gain: 1.0 / 16.0,
            fast_recovery_times: 5,
            rate_ai: Rate(5_000_000),
            rate_hai: Rate(50_000_000),
            min_rate: Rate(100_000_000),
            error_rate: 0.0,
            ack_interval: 1,
            has_window: true,
            global_window: true,
            variable_window: false,
            ack_high_priority: false,
            kmin: BTreeMap::new(),
            kmax: BTreeMap::new(),
            pmax_ppm: BTreeMap::new(),
            agents: BTreeSet::new(),
            without_cc: BTreeSet::new(),
        }
    }
}

/// What kind of value a key takes that has no effect here.
#[derive(Clone, Copy)]
enum Kind {
    Flag,
    Number,
    Text,
}

/// Keys that are read and checked but change nothing here: outputs of the simulator, parameters of algorithms that
/// are not simulated, and settings that the simulators themselves ignore.
const WITHOUT_EFFECT: [(&str, Kind); 20] = [
    ("DATA_RATE", Kind::Text),
    ("DCTCP_RATE_AI", Kind::Text),
    ("ENABLE_TRACE", Kind::Flag),
    ("FAST_REACT", Kind::Flag),
    ("FCT_OUTPUT_FILE", Kind::Text),
    ("INT_MULTI", Kind::Number),
    ("LINK_DELAY", Kind::Text),
    ("MI_THRESH", Kind::Number),
    ("MULTI_RATE", Kind::Flag),
    ("PAUSE_TIME", Kind::Number),
    ("PFC_OUTPUT_FILE", Kind::Text),
    ("PINT_LOG_BASE", Kind::Number),
    ("PINT_PROB", Kind::Number),
    ("QLEN_MON_END", Kind::Number),
    ("QLEN_MON_FILE", Kind::Text),
    ("QLEN_MON_START", Kind::Number),
    ("SAMPLE_FEEDBACK", Kind::Flag),
    ("TRACE_OUTPUT_FILE", Kind::Text),
    ("U_TARGET", Kind::Number),
    ("USE_DYNAMIC_PFC_THRESHOLD", Kind::Flag),
];

/// One line: its key and values.
struct Line<'l, 't> {
    key: Word<'t>,
    values: &'l [Word<'t>],
    end: usize,
}

/// Reads a settings file. The result holds what could be understood.
pub fn parse_config(name: &str, text: &str) -> (Config, Vec<Problem>) {
    let mut source = Source::new(name, text);
    let mut config = Config::default();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut back = Back { to_chunk: false, chunk: Some(4_000) };
    for (words, end) in lines(text) {
        let line = Line { key: words[0], values: &words[1..], end };
        if let Some(first) = seen.insert(line.key.text.to_string(), line.key.offset) {
            let first = Problem::at(name, text, first, "").line;
            source.problem(line.key.offset, format!("`{}` is already set in line {first}", line.key.text));
        }
        read_line(&mut source, &line, &mut config, &mut back);
    }
    config.chunk_bytes = back.chunk.filter(|_| back.to_chunk);
    (config, source.problems)
}

/// Two keys that make sense together only.
#[derive(Default)]
struct Back {
    to_chunk: bool,
    chunk: Option<u64>,
}

fn read_line(source: &mut Source<'_>, line: &Line<'_, '_>, config: &mut Config, back: &mut Back) {
    match line.key.text {
        "TRACE_FILE" => config.trace_file = file(source, line),
        "BUFFER_SIZE" => set(&mut config.buffer_mib, one(source, line, "a number of MiB", positive)),
        "L2_BACK_TO_ZERO" => set(&mut back.to_chunk, flag(source, line)),
        "L2_CHUNK_SIZE" => {
            back.chunk = one(source, line, "a number of bytes, at least 1", positive).or(back.chunk);
        }
        "RATE_BOUND" => set(&mut config.rate_bound, flag(source, line)),
        "TOPOLOGY_FILE" => config.topology_file = file(source, line),
        "FLOW_FILE" => config.flow_file = file(source, line),
        "ENABLE_QCN" => set(&mut config.enable_qcn, flag(source, line)),
        "PACKET_PAYLOAD_SIZE" => {
            set(
                &mut config.payload_bytes,
                one(source, line, "a size from 1 to 9000 bytes", |w| {
                    w.parse().ok().filter(|n| (1..=9000).contains(n))
                }),
            );
        }
        "SIMULATOR_STOP_TIME" => {
            set(
                &mut config.stop,
                one(source, line, "a time in seconds, above zero", |w| {
                    parse_time(&format!("{w}s")).filter(|stop| *stop > Time::ZERO)
                }),
            );
        }
        "CC_MODE" => cc_mode(source, line, config),
        "ALPHA_RESUME_INTERVAL" => set(&mut config.alpha_interval, microseconds(source, line)),
        "RATE_DECREASE_INTERVAL" => set(&mut config.decrease_interval, microseconds(source, line)),
        "RP_TIMER" => set(&mut config.rp_timer, microseconds(source, line)),
        "CLAMP_TARGET_RATE" => set(&mut config.clamp_target, flag(source, line)),
        "EWMA_GAIN" => set(&mut config.gain, fraction(source, line)),
        "FAST_RECOVERY_TIMES" => {
            set(&mut config.fast_recovery_times, one(source, line, "a number", |w| w.parse().ok()));
        }
        "RATE_AI" => set(&mut config.rate_ai, rate(source, line)),
        "RATE_HAI" => set(&mut config.rate_hai, rate(source, line)),
        "MIN_RATE" => set(&mut config.min_rate, rate(source, line)),
        "ERROR_RATE_PER_LINK" => set(&mut config.error_rate, fraction(source, line)),
        "L2_ACK_INTERVAL" => {
            set(&mut config.ack_interval, one(source, line, "a number of bytes, at least 1", positive));
        }
        "HAS_WIN" => set(&mut config.has_window, flag(source, line)),
        "GLOBAL_T" => set(&mut config.global_window, flag(source, line)),
        "VAR_WIN" => set(&mut config.variable_window, flag(source, line)),
        "ACK_HIGH_PRIO" => set(&mut config.ack_high_priority, flag(source, line)),
        "LINK_DOWN" => config.link_down = link_down(source, line),
        "KMIN_MAP" => config.kmin = kilobytes(source, line),
        "KMAX_MAP" => config.kmax = kilobytes(source, line),
        "PMAX_MAP" => {
            config.pmax_ppm = map(source, line, "a probability from 0 to 1", |w| {
                let p = w.parse::<f64>().ok().filter(|p| (0.0..=1.0).contains(p))?;
                Some((p * 1e6).round() as u32)
            });
        }
        "AGENT_NODE" => config.agents = list(source, line),
        "NO_CC_NODE" => config.without_cc = list(source, line),
        other => match WITHOUT_EFFECT.iter().find(|(key, _)| *key == other) {
            Some((_, kind)) => check(source, line, *kind),
            None => source.problem(line.key.offset, format!("unknown key `{other}`")),
        },
    }
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

fn one<T>(
    source: &mut Source<'_>,
    line: &Line<'_, '_>,
    expected: &str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Option<T> {
    let [word] = *line.values else {
        count(source, line, 1);
        return None;
    };
    source.read(word, expected, read)
}

fn flag(source: &mut Source<'_>, line: &Line<'_, '_>) -> Option<bool> {
    one(source, line, "0 or 1", |w| match w {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    })
}

fn fraction(source: &mut Source<'_>, line: &Line<'_, '_>) -> Option<f64> {
    one(source, line, "a number from 0 to 1", |w| w.parse().ok().filter(|p| (0.0..=1.0).contains(p)))
}

fn microseconds(source: &mut Source<'_>, line: &Line<'_, '_>) -> Option<Time> {
    one(source, line, "a time in microseconds, above 0", |w| {
        parse_time(&format!("{w}us")).filter(|t| *t > Time::ZERO)
    })
}

fn rate(source: &mut Source<'_>, line: &Line<'_, '_>) -> Option<Rate> {
    one(source, line, "a rate, e.g. `50Mb/s`", parse_rate)
}

fn file(source: &mut Source<'_>, line: &Line<'_, '_>) -> Option<(String, usize)> {
    let name = one(source, line, "a file name", |w| Some(w.to_string()))?;
    Some((name, line.values[0].offset))
}

/// Checks the value of a key without effect.
fn check(source: &mut Source<'_>, line: &Line<'_, '_>, kind: Kind) {
    match kind {
        Kind::Flag => {
            flag(source, line);
        }
        Kind::Number => {
            one(source, line, "a number", |w| w.parse::<f64>().ok().filter(|n| n.is_finite()));
        }
        Kind::Text => {
            one(source, line, "a value", |w| Some(w.to_string()));
        }
    }
}

fn positive(word: &str) -> Option<u64> {
    word.parse().ok().filter(|n| *n > 0)
}

fn cc_mode(source: &mut Source<'_>, line: &Line<'_, '_>, config: &mut Config) {
    let Some(mode) = one(source, line, "a number", |w| w.parse::<u32>().ok()) else {
        return;
    };
    if mode > 1 {
        let name = match mode {
            3 => " (HPCC)",
            7 => " (TIMELY)",
            8 => " (DCTCP)",
            10 => " (HPCC-PINT)",
            _ => "",
        };
        let message = format!("congestion control {mode}{name} is not simulated; 1 (DCQCN) and 0 (none) are");
        source.problem(line.values[0].offset, message);
    }
    config.cc_mode = mode;
}

/// A time in microseconds and the two ends; a time of 0 means that no link fails.
fn link_down(source: &mut Source<'_>, line: &Line<'_, '_>) -> Option<LinkDown> {
    let [time, a, b] = *line.values else {
        count(source, line, 3);
        return None;
    };
    let time = source.read(time, "a time in microseconds", |w| w.parse::<u64>().ok());
    let mut node = |word| source.read(word, "a node number", |w| w.parse::<u32>().ok());
    let (a, b) = (node(a), node(b));
    let at = Time(time?.checked_mul(1_000_000)?.checked_add(LINK_DOWN_BASE.0)?);
    (at > LINK_DOWN_BASE).then_some(LinkDown { at, a: a?, b: b?, offset: line.key.offset })
}

/// `n` pairs of a link rate and something.
fn map<T>(
    source: &mut Source<'_>,
    line: &Line<'_, '_>,
    expected: &str,
    read: impl Fn(&str) -> Option<T>,
) -> BTreeMap<u64, T> {
    let mut pairs = BTreeMap::new();
    let Some((first, rest)) = line.values.split_first() else {
        count(source, line, 1);
        return pairs;
    };
    let announced = source.read(*first, "the number of pairs", |w| w.parse::<usize>().ok());
    if announced.is_some_and(|n| n.checked_mul(2) != Some(rest.len())) {
        let message = format!("{} pairs are announced and {} words follow", first.text, rest.len());
        source.problem(first.offset, message);
    }
    for pair in rest.chunks_exact(2) {
        let rate = source.read(pair[0], "a link rate in bits a second", |w| w.parse::<u64>().ok());
        let value = source.read(pair[1], expected, &read);
        if let (Some(rate), Some(value)) = (rate, value) {
            pairs.insert(rate, value);
        }
    }
    pairs
}

fn kilobytes(source: &mut Source<'_>, line: &Line<'_, '_>) -> BTreeMap<u64, u64> {
    map(source, line, "a depth in units of 1000 bytes", |w| w.parse::<u64>().ok()?.checked_mul(1000))
}

/// A count, then as many node numbers.
fn list(source: &mut Source<'_>, line: &Line<'_, '_>) -> BTreeSet<u32> {
    let Some((first, rest)) = line.values.split_first() else {
        count(source, line, 1);
        return BTreeSet::new();
    };
    let announced = source.read(*first, "the number of nodes", |w| w.parse::<usize>().ok());
    if announced.is_some_and(|n| n != rest.len()) {
        let message = format!("{} nodes are announced and {} follow", first.text, rest.len());
        source.problem(first.offset, message);
    }
    rest.iter().filter_map(|word| source.read(*word, "a node number", |w| w.parse().ok())).collect()
}
