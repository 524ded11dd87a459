//! Diagnostics: what is wrong with a program, where, why, and how to fix it.

pub mod codes;
mod render;
mod sink;

pub use codes::Code;
pub use render::render;
pub use sink::Counts;
pub(crate) use sink::Sink;

use crate::source::Span;

/// Severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The program is accepted, but probably does not do what was intended.
    Warning,
    /// The program is rejected.
    Error,
}

/// A marked source range with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The range.
    pub span: Span,
    /// The text; may be empty.
    pub text: String,
}

/// A source edit that fixes the problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// What the edit does; empty if it belongs to the edit before it, in the same file.
    pub message: String,
    /// The range to replace.
    pub span: Span,
    /// The new text.
    pub replacement: String,
}

/// An error or warning about a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The kind of diagnostic.
    pub code: Code,
    /// The headline: what is wrong.
    pub message: String,
    /// Where it is wrong.
    pub primary: Label,
    /// Related locations.
    pub secondary: Vec<Label>,
    /// Background: the reason or the rule.
    pub notes: Vec<String>,
    /// What to write instead, in words.
    pub helps: Vec<String>,
    /// What to write instead, as source edits.
    pub suggestions: Vec<Suggestion>,
}

impl Diagnostic {
    /// Creates an error.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            primary: Label { span, text: String::new() },
            secondary: Vec::new(),
            notes: Vec::new(),
            helps: Vec::new(),
            suggestions: Vec::new(),
        }
    }

    /// Creates a warning.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, span, message) }
    }

    /// Sets the text at the primary location.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Diagnostic {
        self.primary.text = text.into();
        self
    }

    /// Adds a related location.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    /// Adds a help line.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.helps.push(text.into());
        self
    }

    /// Adds a source edit that fixes the problem.
    #[must_use]
    pub fn suggest(
        mut self,
        message: impl Into<String>,
        span: Span,
        replacement: impl Into<String>,
    ) -> Diagnostic {
        self.suggestions.push(Suggestion { message: message.into(), span, replacement: replacement.into() });
        self
    }

    /// Adds another edit to the last suggestion.
    #[must_use]
    pub fn and(self, span: Span, replacement: impl Into<String>) -> Diagnostic {
        self.suggest("", span, replacement)
    }

    /// Returns whether the diagnostic is an error, so that the program is rejected.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Returns "1 noun" or "n nouns".
pub(crate) fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Returns "1 was given" or "n were given".
pub(crate) fn given(count: usize) -> String {
    if count == 1 { "1 was given".to_owned() } else { format!("{count} were given") }
}
