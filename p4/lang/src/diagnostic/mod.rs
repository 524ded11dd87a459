//! Messages about a program: what is wrong, where, why, and what to do.

pub mod codes;
mod render;

pub use codes::Code;
pub use render::render;

use crate::source::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The program is accepted; it probably does not do what is wanted.
    Warning,
    /// The program is refused.
    Error,
}

/// A marked range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The range.
    pub span: Span,
    /// What to say there; may be empty.
    pub text: String,
}

/// A change that certainly helps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// What to do, in words.
    pub message: String,
    /// What to replace.
    pub span: Span,
    /// By what.
    pub replacement: String,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Its code.
    pub code: Code,
    /// What is wrong.
    pub message: String,
    /// Where, and what is to be seen there.
    pub primary: Label,
    /// Other places that matter.
    pub secondary: Vec<Label>,
    /// Reasons and rules.
    pub notes: Vec<String>,
    /// What to do.
    pub suggestions: Vec<Suggestion>,
}

impl Diagnostic {
    /// An error.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            primary: Label { span, text: String::new() },
            secondary: Vec::new(),
            notes: Vec::new(),
            suggestions: Vec::new(),
        }
    }

    /// A warning.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, span, message) }
    }

    /// With words at the place itself.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Diagnostic {
        self.primary.text = text.into();
        self
    }

    /// With another place.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// With a reason.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    /// With a change that helps.
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

    /// Whether the program is refused because of it.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Collects messages; one that says the same about the same place is kept once.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    pub(crate) list: Vec<Diagnostic>,
}

impl Sink {
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        let same = |d: &Diagnostic| {
            d.primary.span == diagnostic.primary.span && d.code == diagnostic.code && d.secondary.is_empty()
                || *d == diagnostic
        };
        if !self.list.iter().any(same) {
            self.list.push(diagnostic);
        }
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.list.iter().any(Diagnostic::is_error)
    }
}
