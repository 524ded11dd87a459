//! Renders diagnostics as text with source excerpts.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};

use super::{Diagnostic, Label, Severity};
use crate::source::{FileId, SourceFile, SourceMap};

/// Renders a diagnostic with its source lines in the style of rustc. `color` adds terminal colours.
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, color: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Warning => Level::WARNING,
        Severity::Error => Level::ERROR,
    };
    let mut group = Group::with_title(level.primary_title(&diagnostic.message).id(diagnostic.code.id));
    for file in files_of(diagnostic) {
        if let Some(source) = sources.get(file) {
            group = group.element(snippet(diagnostic, file, source));
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
            report.push(
                Level::HELP.secondary_title(&suggestion.message).element(
                    Snippet::source(&source.text)
                        .path(&source.path)
                        .patch(Patch::new(range, suggestion.replacement.as_str())),
                ),
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

fn snippet<'a>(
    diagnostic: &'a Diagnostic,
    file: FileId,
    source: &'a SourceFile,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let mut snippet = Snippet::source(&source.text).path(&source.path);
    let labels = std::iter::once((AnnotationKind::Primary, &diagnostic.primary))
        .chain(diagnostic.secondary.iter().map(|l| (AnnotationKind::Context, l)))
        .filter(|(_, label)| label.span.file == file);
    for (kind, Label { span, text }) in labels {
        let mut annotation = kind.span(clamp(source, span.start, span.end));
        if !text.is_empty() {
            annotation = annotation.label(text);
        }
        snippet = snippet.annotation(annotation);
    }
    snippet
}

/// Clamps a range to character boundaries inside the text.
fn clamp(source: &SourceFile, start: u32, end: u32) -> std::ops::Range<usize> {
    let bound = |offset: u32| {
        let mut offset = (offset as usize).min(source.text.len());
        while !source.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    bound(start)..bound(end.max(start))
}
