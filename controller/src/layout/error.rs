//! Why a pipeline cannot be read.

use std::fmt;

/// One thing that a pipeline lacks or contradicts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutProblem {
    /// A register is not there.
    #[error("no register `{0}`")]
    MissingRegister(String),
    /// Several registers fit a name.
    #[error("registers {found} all fit `{name}`")]
    AmbiguousRegister {
        /// The name looked for.
        name: String,
        /// Those found.
        found: String,
    },
    /// A digest is not there.
    #[error("no digest `{0}`")]
    MissingDigest(String),
    /// An annotation is not there.
    #[error("register `{register}` has no {annotation} annotation")]
    MissingAnnotation {
        /// The register.
        register: String,
        /// The annotation.
        annotation: &'static str,
    },
    /// An annotation cannot be read.
    #[error("register `{register}`, @fields(\"{text}\"): {why}")]
    BadAnnotation {
        /// The register.
        register: String,
        /// What the annotation says.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// A field is not there.
    #[error("{of} has no field `{field}`")]
    MissingField {
        /// The register or digest.
        of: String,
        /// The field.
        field: &'static str,
    },
    /// A field has a width that cannot be right.
    #[error("field `{field}` of {of} has {found} bits; expected {expected}")]
    FieldWidth {
        /// The register or digest.
        of: String,
        /// The field.
        field: String,
        /// Its width.
        found: u32,
        /// What was expected.
        expected: String,
    },
    /// The two banks differ.
    #[error("registers `{first}` and `{second}` must have the same fields")]
    Banks {
        /// Of bank 0.
        first: String,
        /// Of bank 1.
        second: String,
    },
    /// Sizes that do not fit together.
    #[error("register `{register}` has {found} elements; expected {expected}")]
    Size {
        /// The register.
        register: String,
        /// Its size.
        found: u64,
        /// What was expected.
        expected: String,
    },
}

/// Everything that is wrong with a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutError(pub Vec<LayoutProblem>);

impl std::error::Error for LayoutError {}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the loaded pipeline does not fit the collection: ")?;
        for (i, problem) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}
