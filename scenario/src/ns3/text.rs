//! Words with positions, and the number formats of these files.

use std::fmt::Display;
use std::ops::RangeInclusive;

use model::{Rate, Time};

use crate::problem::Problem;
use crate::read::{parse_rate, parse_time};

/// A word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    pub(super) offset: usize,
}

/// The words of every non-empty line, with the offset of the line's end.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (Vec<Word<'_>>, usize)> {
    let mut offset = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = offset;
        offset += line.len();
        let words = words(line, start);
        (!words.is_empty()).then(|| (words, start + line.trim_end().len()))
    })
}

fn words(line: &str, start: usize) -> Vec<Word<'_>> {
    line.split_whitespace()
        .map(|text| {
            // A word is a part of its line, so the difference of the addresses is its position.
            let offset = text.as_ptr() as usize - line.as_ptr() as usize;
            Word { text, offset: start + offset }
        })
        .collect()
}

/// Slowest and fastest rate that a link may have: below a kilobit a second a packet takes seconds, and no Ethernet
/// standard is above 1.6 Tb/s.
pub(super) const LINK_RATES: RangeInclusive<Rate> = Rate(1_000)..=Rate(10_000_000_000_000);

/// A text with a name, and the problems found in it so far.
pub(super) struct Source<'t> {
    pub(super) name: &'t str,
    pub(super) text: &'t str,
    pub(super) problems: Vec<Problem>,
}

impl<'t> Source<'t> {
    pub(super) fn new(name: &'t str, text: &'t str) -> Source<'t> {
        Source { name, text, problems: Vec::new() }
    }

    pub(super) fn problem(&mut self, offset: usize, message: impl Into<String>) {
        self.problems.push(Problem::at(self.name, self.text, offset, message));
    }

    /// The line of an offset, for messages that refer to a second position.
    pub(super) fn line_of(&self, offset: usize) -> usize {
        Problem::at(self.name, self.text, offset, "").line
    }

    /// The value that `read` returns for a word, or a problem with what was expected.
    pub(super) fn read<T>(
        &mut self,
        word: Word<'_>,
        expected: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let value = read(word.text);
        if value.is_none() {
            self.problem(word.offset, format!("`{}` is not {expected}", word.text));
        }
        value
    }

    /// A whole number within a range.
    pub(super) fn whole<T>(&mut self, word: Word<'_>, what: &str, range: RangeInclusive<T>) -> Option<T>
    where
        T: Copy + Display + PartialOrd + TryFrom<u64>,
    {
        let expected = format!("{what}: a whole number from {} to {}", range.start(), range.end());
        self.read(word, &expected, |w| {
            // Rust accepts a leading plus, as the simulator does.
            T::try_from(w.parse::<u64>().ok()?).ok().filter(|n| range.contains(n))
        })
    }

    /// A number within a range.
    pub(super) fn number(&mut self, word: Word<'_>, what: &str, range: RangeInclusive<f64>) -> Option<f64> {
        let expected = format!("{what}: a number from {} to {}", range.start(), range.end());
        self.read(word, &expected, |w| w.parse().ok().filter(|n| range.contains(n)))
    }

    /// A time in seconds without unit.
    pub(super) fn seconds(&mut self, word: Word<'_>, what: &str, least: Time) -> Option<Time> {
        let bound = if least == Time::ZERO { "at least 0" } else { "above 0" };
        let expected = format!("{what}: a number of seconds, {bound} and at most 1000000");
        self.read(word, &expected, |w| {
            let time = is_decimal(w).then(|| parse_time(&format!("{w}s")))??;
            (least..=Time(1_000_000_000_000_000_000)).contains(&time).then_some(time)
        })
    }

    /// A rate that a link may have.
    pub(super) fn rate(&mut self, word: Word<'_>) -> Option<Rate> {
        self.read(word, "a rate from 1kb/s to 10Tb/s, e.g. `100Gbps` or `50Mb/s`", |w| {
            parse_rate(w).filter(|rate| LINK_RATES.contains(rate))
        })
    }

    /// A propagation delay.
    pub(super) fn delay(&mut self, word: Word<'_>) -> Option<Time> {
        self.read(word, "a delay from 0 to 1s, e.g. `0.001ms`", |w| {
            parse_time(w).filter(|delay| *delay <= Time::from_ms(1_000))
        })
    }
}

/// Whether a word consists of digits with at most one point.
fn is_decimal(word: &str) -> bool {
    word.bytes().any(|b| b.is_ascii_digit())
        && word.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && word.bytes().filter(|b| *b == b'.').count() <= 1
}
