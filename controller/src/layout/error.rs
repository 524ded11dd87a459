//! Errors of pipelines that cannot be decoded.

use std::fmt;

/// One mismatch between a pipeline and what collection needs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutProblem {
    /// A register is missing.
    #[error("no register `{0}`")]
    MissingRegister(String),
    /// Several registers match a name.
    #[error("registers {found} all match `{name}`")]
    AmbiguousRegister {
        /// The name looked for.
        name: String,
        /// The registers found.
        found: String,
    },
    /// A digest is missing.
    #[error("no digest `{0}`")]
    MissingDigest(String),
    /// An annotation is missing.
    #[error("register `{register}` has no {annotation} annotation")]
    MissingAnnotation {
        /// The register.
        register: String,
        /// The annotation.
        annotation: &'static str,
    },
    /// An annotation cannot be parsed.
    #[error("register `{register}`, @fields(\"{text}\"): {why}")]
    BadAnnotation {
        /// The register.
        register: String,
        /// The text of the annotation.
        text: String,
        /// The reason.
        why: String,
    },
    /// A field is missing.
    #[error("{of} has no field `{field}`")]
    MissingField {
        /// The register or digest.
        of: String,
        /// The field.
        field: &'static str,
    },
    /// A field has an unexpected width.
    #[error("field `{field}` of {of} has {found} bits; expected {expected}")]
    FieldWidth {
        /// The register or digest.
        of: String,
        /// The field.
        field: String,
        /// Its width.
        found: u32,
        /// The expected value.
        expected: String,
    },
    /// The two banks differ.
    #[error("registers `{first}` and `{second}` must have the same fields")]
    Banks {
        /// The register of bank 0.
        first: String,
        /// The register of bank 1.
        second: String,
    },
    /// A register's size does not match the others.
    #[error("register `{register}` has {found} elements; expected {expected}")]
    Size {
        /// The register.
        register: String,
        /// Its size.
        found: u64,
        /// The expected value.
        expected: String,
    },
}

/// All problems of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutError(pub Vec<LayoutProblem>);

impl std::error::Error for LayoutError {}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the loaded pipeline does not support collection: ")?;
        for (i, problem) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}
