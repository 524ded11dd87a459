//! Words with positions.

use crate::problem::Problem;

/// A word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    pub(super) offset: usize,
}

/// The words of every line that has any, with the offset of the line's end.
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
            // A word is a part of its line, so the difference of the addresses is its place in it.
            let offset = text.as_ptr() as usize - line.as_ptr() as usize;
            Word { text, offset: start + offset }
        })
        .collect()
}

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

    /// What `read` makes of a word, or a problem that says what was expected.
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
}
