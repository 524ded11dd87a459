//! A JSON text as a tree, for formats that cannot be read in one pass.

use std::borrow::Cow;
use std::ops::Range;

use super::{Events, Key, Problem, Scalar};
use crate::source::Span;

/// A parsed text. All nodes are in one arena; the members of an object are adjacent.
#[derive(Debug, Default)]
pub struct Json<'a> {
    nodes: Vec<Node<'a>>,
    /// The outermost value; `None` for a text without any.
    pub root: Option<Node<'a>>,
    /// Syntax errors.
    pub problems: Vec<Problem>,
    /// Problems beyond [`super::MAX_PROBLEMS`].
    pub problems_left_out: usize,
}

/// A value, with its key when it is a member of an object.
#[derive(Clone, Debug)]
pub struct Node<'a> {
    /// The key, empty for an element of an array.
    pub key: Cow<'a, str>,
    /// Span of the key with its quotes.
    pub key_span: Span,
    /// The value.
    pub value: Value<'a>,
    /// Span of the value with its quotes or brackets.
    pub span: Span,
}

/// The value of a node.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// `null`, or a missing value.
    Null,
    /// A number, `true` or `false`, as written.
    Bare(&'a str),
    /// A string, unescaped.
    Text(Cow<'a, str>),
    /// An array: its elements in the arena.
    Array(Range<u32>),
    /// An object: its members in the arena.
    Object(Range<u32>),
}

impl<'a> Json<'a> {
    /// The members of an object or elements of an array; empty for other values.
    pub fn children(&self, value: &Value<'a>) -> &[Node<'a>] {
        match value {
            Value::Array(range) | Value::Object(range) => {
                self.nodes.get(range.start as usize..range.end as usize).unwrap_or_default()
            }
            _ => &[],
        }
    }
}

/// Reads a text into a tree.
pub fn parse(text: &str) -> Json<'_> {
    let (builder, report) = super::read(text, Builder::default());
    let mut pending = builder.pending;
    Json {
        nodes: builder.nodes,
        root: pending.pop(),
        problems: report.problems,
        problems_left_out: report.left_out,
    }
}

#[derive(Default)]
struct Builder<'a> {
    nodes: Vec<Node<'a>>,
    /// Members of the open objects; when an object closes, its members move to the arena.
    pending: Vec<Node<'a>>,
    /// The open objects and arrays: key, kind, and the start of their members in `pending`.
    open: Vec<(Key<'a>, bool, usize)>,
}

impl<'a> Events<'a> for Builder<'a> {
    fn open(&mut self, key: Key<'a>, is_object: bool) {
        self.open.push((key, is_object, self.pending.len()));
    }

    fn close(&mut self, span: Span, _is_sound: bool) {
        let Some((key, is_object, first)) = self.open.pop() else { return };
        let begin = self.nodes.len() as u32;
        self.nodes.extend(self.pending.drain(first..));
        let range = begin..self.nodes.len() as u32;
        let value = if is_object { Value::Object(range) } else { Value::Array(range) };
        self.pending.push(Node { key: key.text, key_span: key.span, value, span });
    }

    fn scalar(&mut self, key: Key<'a>, scalar: Scalar<'a>, span: Span) {
        let value = match scalar {
            Scalar::Null => Value::Null,
            Scalar::Bare(word) => Value::Bare(word),
            Scalar::Text(text) => Value::Text(text),
        };
        self.pending.push(Node { key: key.text, key_span: key.span, value, span });
    }
}
