//! Finds entries that repeat an earlier entry of their table: most of a configuration is the same few objects per port.
//!
//! Equal texts have equal fields, so a text that was parsed before is only compared.

use std::ops::Range;

use crate::source::Span;

/// The number of objects of a table that are kept for comparison.
const KEPT: usize = 8;

/// An object that was parsed without problems.
#[derive(Clone, Debug, Default)]
struct Body {
    /// Its span with the braces.
    text: Span,
    fields: Range<u32>,
    /// The index of the object that followed it last time.
    next: usize,
}

/// A repetition of an earlier object.
#[derive(Debug)]
pub(super) struct Repeat {
    /// The span of the repetition.
    pub(super) span: Span,
    /// The fields of the earlier object.
    pub(super) fields: Range<u32>,
    /// The distance from the earlier object to this one, bytes.
    pub(super) behind: u32,
}

/// The most recent objects of one table.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    bodies: [Body; KEPT],
    len: usize,
    /// The index of the next object to be replaced.
    oldest: usize,
    last: usize,
}

impl Repeats {
    /// Forgets all objects, at the start of a table.
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

    /// The earlier object that the text at `at` repeats, if any.
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
