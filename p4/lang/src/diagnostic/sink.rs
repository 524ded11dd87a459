//! Collects the diagnostics of a compilation.

use std::collections::BTreeMap;

use super::{Diagnostic, Severity};
use crate::source::Span;

/// The maximum number of errors, and of warnings, that are kept; further ones are only counted.
pub(crate) const MAX_KEPT: usize = 1_000;

/// What a diagnostic is about; another one with the same key may be a duplicate.
type Key = (Span, &'static str);

fn key(diagnostic: &Diagnostic) -> Key {
    (diagnostic.primary.span, diagnostic.code.id)
}

/// Numbers of diagnostics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
}

impl Counts {
    fn of(&mut self, severity: Severity) -> &mut usize {
        match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        }
    }
}

/// A position in the stream of diagnostics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    kept: usize,
    counts: Counts,
}

/// Collects diagnostics and drops duplicates. Time and memory are linear in the number of diagnostics.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    kept: Vec<Diagnostic>,
    /// The positions in `kept` of each key; empty if the diagnostic was only counted.
    known: BTreeMap<Key, Vec<usize>>,
    /// All diagnostics, kept or not.
    counts: Counts,
    /// Those that were not kept.
    omitted: Counts,
}

impl Sink {
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        let key = key(&diagnostic);
        let same =
            |at: &usize| self.kept.get(*at).is_some_and(|d| d.secondary.is_empty() || *d == diagnostic);
        if self.known.get(&key).is_some_and(|places| places.is_empty() || places.iter().any(same)) {
            return;
        }
        let severity = diagnostic.severity;
        let places = self.known.entry(key).or_default();
        let mut kept = self.counts;
        *kept.of(severity) -= *self.omitted.of(severity);
        *self.counts.of(severity) += 1;
        if *kept.of(severity) < MAX_KEPT {
            places.push(self.kept.len());
            self.kept.push(diagnostic);
        } else {
            *self.omitted.of(severity) += 1;
        }
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.counts.errors > 0
    }

    /// Returns how many errors were reported so far.
    pub(crate) fn errors(&self) -> usize {
        self.counts.errors
    }

    /// Returns the diagnostics that were kept.
    pub(crate) fn kept(&self) -> &[Diagnostic] {
        &self.kept
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { kept: self.kept.len(), counts: self.counts }
    }

    /// Returns whether anything was reported since a mark.
    pub(crate) fn reported_since(&self, mark: Mark) -> bool {
        self.counts != mark.counts
    }

    /// Takes back what was reported since a mark.
    pub(crate) fn rewind(&mut self, mark: Mark) {
        while self.kept.len() > mark.kept {
            let at = self.kept.len() - 1;
            self.forget(at);
            self.kept.pop();
        }
        let kept = |sink: &Sink, severity| sink.kept.iter().filter(|d| d.severity == severity).count();
        if self.counts != mark.counts {
            self.counts = mark.counts;
            self.omitted.errors = self.counts.errors - kept(self, Severity::Error);
            self.omitted.warnings = self.counts.warnings - kept(self, Severity::Warning);
        }
    }

    /// Changes what was reported since a mark.
    pub(crate) fn edit_since(&mut self, mark: Mark, edit: impl Fn(&mut Diagnostic)) {
        for at in mark.kept..self.kept.len() {
            self.forget(at);
            edit(&mut self.kept[at]);
            self.known.entry(key(&self.kept[at])).or_default().push(at);
        }
    }

    /// Takes back those of the diagnostics since a mark that `remove` accepts.
    pub(crate) fn remove_since(&mut self, mark: Mark, remove: impl Fn(&Diagnostic) -> bool) {
        let later = self.kept.split_off(mark.kept);
        for diagnostic in later {
            if remove(&diagnostic) {
                *self.counts.of(diagnostic.severity) -= 1;
            } else {
                self.kept.push(diagnostic);
            }
        }
    }

    fn forget(&mut self, at: usize) {
        let key = key(&self.kept[at]);
        if let Some(places) = self.known.get_mut(&key) {
            places.retain(|place| *place != at);
            if places.is_empty() {
                self.known.remove(&key);
            }
        }
    }

    /// Returns the kept diagnostics in source order, and the numbers of all.
    pub(crate) fn finish(mut self) -> (Vec<Diagnostic>, Counts) {
        self.kept.sort_by_key(|d| (d.primary.span.file, d.primary.span.start));
        (self.kept, self.counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::codes;
    use crate::source::FileId;

    fn at(start: u32) -> Diagnostic {
        Diagnostic::error(codes::UNKNOWN_NAME, Span { file: FileId(0), start, end: start + 1 }, "unknown")
    }

    #[test]
    fn duplicates_are_dropped_and_the_surplus_is_counted() {
        let mut sink = Sink::default();
        for start in 0..2 * MAX_KEPT as u32 {
            sink.push(at(start));
            sink.push(at(start));
        }
        assert_eq!(sink.kept().len(), MAX_KEPT);
        assert_eq!(sink.finish().1, Counts { errors: 2 * MAX_KEPT, warnings: 0 });
    }

    #[test]
    fn what_was_taken_back_can_be_reported_again() {
        let mut sink = Sink::default();
        sink.push(at(1));
        let mark = sink.mark();
        sink.push(at(2));
        assert!(sink.reported_since(mark));
        sink.rewind(mark);
        assert!(!sink.reported_since(mark));
        sink.push(at(2));
        assert_eq!(sink.kept(), [at(1), at(2)]);
    }

    #[test]
    fn an_edited_diagnostic_is_known_by_its_new_place() {
        let mut sink = Sink::default();
        let mark = sink.mark();
        sink.push(at(1));
        sink.edit_since(mark, |d| d.primary.span.start = 0);
        sink.push(at(1));
        assert_eq!(sink.kept().len(), 2);
    }
}
