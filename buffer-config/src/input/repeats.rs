//! Entries that repeat an earlier one of their table: most of a configuration is the same few objects for every port.
//!
//! An object's text decides what is read from it, so text that was read before need only be compared.

use std::ops::Range;

use crate::source::Span;

/// How many objects of a table are kept to compare with.
const KEPT: usize = 8;

/// An object that was read and in which nothing was wrong.
#[derive(Clone, Debug, Default)]
struct Body {
    /// With its braces.
    text: Span,
    fields: Range<u32>,
    /// Which one came after it the last time.
    next: usize,
}

/// What an object repeats.
#[derive(Debug)]
pub(super) struct Repeat {
    /// Where it stands itself.
    pub(super) span: Span,
    /// The fields that were read before.
    pub(super) fields: Range<u32>,
    /// Bytes from where those stand to where these do.
    pub(super) behind: u32,
}

/// The objects of one table that were met last.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    bodies: [Body; KEPT],
    len: usize,
    /// The next one to be given up.
    oldest: usize,
    last: usize,
}

impl Repeats {
    /// Another table begins.
    pub(super) fn clear(&mut self) {
        self.len = 0;
        self.oldest = 0;
        self.last = 0;
    }

    /// Keeps an object.
    pub(super) fn keep(&mut self, text: Span, fields: Range<u32>) {
        let at = if self.len < KEPT { self.len } else { self.oldest };
        self.len = (self.len + 1).min(KEPT);
        self.oldest = (at + 1) % KEPT;
        if let Some(body) = self.bodies.get_mut(at) {
            *body = Body { text, fields, next: at };
        }
        self.follow(at);
    }

    /// The object that stands at `at`, when it was met before.
    pub(super) fn find(&mut self, text: &[u8], at: usize) -> Option<Repeat> {
        let likely = self.bodies.get(self.last)?.next;
        let found = self.is_at(likely, text, at).then_some(likely);
        let found = found.or_else(|| (0..self.len).find(|i| *i != likely && self.is_at(*i, text, at)))?;
        self.follow(found);
        let body = self.bodies.get(found)?;
        let behind = (at as u32).checked_sub(body.text.start)?;
        Some(Repeat { span: body.text.behind(behind), fields: body.fields.clone(), behind })
    }

    fn is_at(&self, index: usize, text: &[u8], at: usize) -> bool {
        let Some(body) = self.bodies.get(index).filter(|_| index < self.len) else { return false };
        let (start, end) = (body.text.start as usize, body.text.end as usize);
        let there = text.get(at..at + (end - start)).filter(|there| there.last() == Some(&b'}'));
        there.is_some_and(|there| text.get(start..end) == Some(there))
    }

    fn follow(&mut self, index: usize) {
        if let Some(last) = self.bodies.get_mut(self.last) {
            last.next = index;
        }
        self.last = index;
    }
}
