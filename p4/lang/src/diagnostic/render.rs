//! Renders diagnostics as text with source excerpts.

use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Element, Group, Level, Patch, Renderer, Snippet};

use super::{Diagnostic, Label, Severity};
use crate::source::{FileId, SourceFile, SourceMap};

/// The maximum number of bytes of source text in one snippet. The renderer reads the whole text of a snippet.
const MAX_SNIPPET_BYTES: u32 = 16 << 10;
/// The number of bytes shown before and after a location in a line that is longer.
const WINDOW_BYTES: u32 = 100;

/// Renders a diagnostic with its source lines in the style of rustc. `color` adds terminal colours.
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, color: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Warning => Level::WARNING,
        Severity::Error => Level::ERROR,
    };
    let mut group = Group::with_title(level.primary_title(&diagnostic.message).id(diagnostic.code.id));
    for file in files_of(diagnostic) {
        if let Some(source) = sources.get(file) {
            for element in snippets(diagnostic, file, source) {
                group = group.element(element);
            }
        }
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note));
    }
    for help in &diagnostic.helps {
        group = group.element(Level::HELP.message(help));
    }
    let mut report = vec![group];
    for suggestion in &diagnostic.suggestions {
        if let Some(source) = sources.get(suggestion.span.file) {
            let range = clamp(source, suggestion.span.start, suggestion.span.end);
            let excerpt = Excerpt::of(source, &range);
            let patch = Patch::new(excerpt.inside(&range), suggestion.replacement.as_str());
            report.push(
                Level::HELP
                    .secondary_title(&suggestion.message)
                    .element(excerpt.snippet(source).patch(patch)),
            );
        }
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    renderer.decor_style(DecorStyle::Ascii).render(&report)
}

/// Returns the files of all labels, that of the primary label first.
fn files_of(diagnostic: &Diagnostic) -> Vec<FileId> {
    let mut files = vec![diagnostic.primary.span.file];
    for label in &diagnostic.secondary {
        if !files.contains(&label.span.file) {
            files.push(label.span.file);
        }
    }
    files
}

/// A marked range of a file.
struct Mark<'a> {
    kind: AnnotationKind,
    range: Range<usize>,
    text: &'a str,
}

/// Returns the lines of a file with their marks: one snippet, or one for each mark if they are far apart.
fn snippets<'a>(diagnostic: &'a Diagnostic, file: FileId, source: &'a SourceFile) -> Vec<Element<'a>> {
    let marks: Vec<Mark<'a>> = std::iter::once((AnnotationKind::Primary, &diagnostic.primary))
        .chain(diagnostic.secondary.iter().map(|l| (AnnotationKind::Context, l)))
        .filter(|(_, label)| label.span.file == file)
        .map(|(kind, Label { span, text })| Mark { kind, range: clamp(source, span.start, span.end), text })
        .collect();
    let start = marks.iter().map(|m| m.range.start).min().unwrap_or(0);
    let end = marks.iter().map(|m| m.range.end).max().unwrap_or(0);
    let whole = Excerpt::lines(source, &(start..end));
    if whole.fits() {
        return vec![annotated(&whole, source, marks)];
    }
    marks.into_iter().map(|mark| annotated(&Excerpt::of(source, &mark.range), source, vec![mark])).collect()
}

fn annotated<'a>(excerpt: &Excerpt<'a>, source: &'a SourceFile, marks: Vec<Mark<'a>>) -> Element<'a> {
    let annotations = marks.into_iter().map(|mark| {
        let annotation = mark.kind.span(excerpt.inside(&mark.range));
        if mark.text.is_empty() { annotation } else { annotation.label(mark.text) }
    });
    excerpt.snippet(source).annotations(annotations).into()
}

/// A part of a file.
struct Excerpt<'a> {
    text: &'a str,
    /// The offset of the text in the file.
    offset: usize,
    /// The number of its first line.
    line: u32,
}

impl<'a> Excerpt<'a> {
    /// The lines of a range.
    fn lines(source: &'a SourceFile, range: &Range<usize>) -> Excerpt<'a> {
        let start = source.line_start(range.start as u32);
        Excerpt::new(source, start as usize..source.line_end(range.end as u32) as usize)
    }

    /// The lines of a range; if they are too long, what is around its start.
    fn of(source: &'a SourceFile, range: &Range<usize>) -> Excerpt<'a> {
        let lines = Excerpt::lines(source, range);
        if lines.fits() {
            return lines;
        }
        let around = |at: usize| (at as u32).saturating_sub(WINDOW_BYTES)..at as u32 + WINDOW_BYTES;
        let window = around(range.start);
        let start = window.start.max(source.line_start(range.start as u32));
        let end = window.end.min(source.line_end(range.start as u32).max(range.start as u32));
        Excerpt::new(source, clamp(source, start, end))
    }

    fn new(source: &'a SourceFile, range: Range<usize>) -> Excerpt<'a> {
        let line = source.line_at(range.start as u32);
        Excerpt { offset: range.start, line, text: source.text.get(range).unwrap_or("") }
    }

    fn fits(&self) -> bool {
        self.text.len() <= MAX_SNIPPET_BYTES as usize
    }

    /// Returns a range of the file as a range of the text.
    fn inside(&self, range: &Range<usize>) -> Range<usize> {
        let inside = |at: usize| at.saturating_sub(self.offset).min(self.text.len());
        inside(range.start)..inside(range.end)
    }

    fn snippet<T: Clone>(&self, source: &'a SourceFile) -> Snippet<'a, T> {
        Snippet::source(self.text).line_start(self.line as usize).path(&source.path)
    }
}

/// Clamps a range to character boundaries inside the text.
fn clamp(source: &SourceFile, start: u32, end: u32) -> Range<usize> {
    let bound = |offset: u32| {
        let mut offset = (offset as usize).min(source.text.len());
        while !source.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    bound(start)..bound(end.max(start))
}
