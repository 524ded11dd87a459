//! Renders diagnostics as text with source excerpts.

use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Patch, Renderer, Snippet};

use super::{Diagnostic, Label, Severity, Suggestion};
use crate::source::{FileId, SourceFile, SourceMap};

/// The maximum number of bytes of source text in one snippet. The renderer reads the whole text of a snippet.
const MAX_SNIPPET_BYTES: u32 = 16 << 10;
/// The number of bytes shown before and after a location in a line that is longer.
const WINDOW_BYTES: u32 = 60;
/// The maximum length of a line that an edit shows as a whole.
const MAX_EDITED_BYTES: usize = 140;

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
    for edits in diagnostic.suggestions.chunk_by(|_, next| next.message.is_empty()) {
        report.extend(suggested(edits, sources));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    renderer.decor_style(DecorStyle::Ascii).render(&report)
}

/// Returns a help with its edits, which are in one file.
fn suggested<'a>(edits: &'a [Suggestion], sources: &'a SourceMap) -> Option<Group<'a>> {
    let first = edits.first()?;
    let source = sources.get(first.span.file)?;
    let ranges: Vec<Range<usize>> =
        edits.iter().map(|edit| clamp(source, edit.span.start, edit.span.end)).collect();
    let start = ranges.iter().map(|range| range.start).min()?;
    let end = ranges.iter().map(|range| range.end).max()?;
    let lines = Excerpt::lines(source, &(start..end));
    let wide = lines.text.lines().any(|line| line.len() > MAX_EDITED_BYTES);
    let excerpt = if wide { Excerpt::around(source, &(start..end)) } else { lines };
    let patches = edits
        .iter()
        .zip(&ranges)
        .map(|(edit, range)| Patch::new(excerpt.inside(range), edit.replacement.as_str()));
    let snippet = excerpt.snippet(source).patches(patches);
    Some(Level::HELP.secondary_title(&first.message).element(snippet))
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
        return annotated(&whole, source, marks);
    }
    let each = |mark: Mark<'a>| annotated(&Excerpt::of(source, &mark.range), source, vec![mark]);
    marks.into_iter().flat_map(each).collect()
}

fn annotated<'a>(excerpt: &Excerpt<'a>, source: &'a SourceFile, marks: Vec<Mark<'a>>) -> Vec<Element<'a>> {
    // The renderer counts columns from the start of the excerpt.
    let line_start = source.line_start(excerpt.offset as u32) as usize;
    let origin = marks.first().filter(|_| line_start < excerpt.offset).map(|mark| {
        let before = source.text.get(line_start..mark.range.start).unwrap_or("");
        let column = before.chars().count() + 1;
        Origin::path(&source.path).line(excerpt.line as usize).char_column(column)
    });
    let annotations = marks.into_iter().map(|mark| {
        let annotation = mark.kind.span(excerpt.inside(&mark.range));
        if mark.text.is_empty() { annotation } else { annotation.label(mark.text) }
    });
    let snippet = excerpt.snippet(source).annotations(annotations);
    match origin {
        Some(origin) => vec![origin.into(), snippet.path(None::<&str>).into()],
        None => vec![snippet.into()],
    }
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
        if lines.fits() { lines } else { Excerpt::around(source, &(range.start..range.start)) }
    }

    /// The part of the lines of a range that is next to it.
    fn around(source: &'a SourceFile, range: &Range<usize>) -> Excerpt<'a> {
        let (start, end) = (range.start as u32, range.end as u32);
        let from = start.saturating_sub(WINDOW_BYTES).max(source.line_start(start));
        let to = (end + WINDOW_BYTES).min(source.line_end(end).max(end));
        Excerpt::new(source, clamp(source, from, to))
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
