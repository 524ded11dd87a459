//! YAML as NVUE writes it (`/etc/nvue.d/startup.yaml`, `nv config show`): a list of `header` and `set`, or the settings
//! alone. JSON is YAML as well.
//!
//! Aliases are not expanded: NVUE writes none, and their expansion may grow without limit.

use saphyr_parser::{Event, Marker, Parser};

use super::tree::{MAX_NODES, Node};
use crate::json::Problem;
use crate::source::Span;

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 64;

/// Byte offsets of line starts, to convert the parser's lines and columns.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(0).chain(ends).collect() }
    }

    fn offset(&self, marker: &Marker) -> usize {
        let start = self.starts.get(marker.line().saturating_sub(1)).copied().unwrap_or(self.text.len());
        let line = self.text.get(start..).unwrap_or_default();
        start + line.char_indices().nth(marker.col()).map_or(line.len(), |(at, _)| at)
    }
}

/// An open mapping or sequence.
struct Open {
    node: Node,
    is_mapping: bool,
    /// The key of the next value of a mapping.
    key: Option<Node>,
}

/// Reads YAML into a tree. The first syntax error ends the tree, and is the second value.
pub(super) fn read(text: &str, problems: &mut Vec<Problem>) -> (Node, Option<Problem>) {
    let lines = Lines::new(text);
    let mut open = vec![Open { node: Node::default(), is_mapping: false, key: None }];
    let mut count = 0;
    let mut broken = None;
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut parser = Parser::new_from_str(body);
    while let Some(event) = parser.next_event() {
        let (event, place) = match event {
            Ok(event) => event,
            Err(error) => {
                let at = lines.offset(error.marker());
                broken = Some(Problem { span: Span::new(at, at), message: error.info().to_string() });
                break;
            }
        };
        let span = Span::new(lines.offset(&place.start), lines.offset(&place.end));
        count += 1;
        if count > MAX_NODES || open.len() > MAX_DEPTH {
            let message = format!("more than {MAX_NODES} values, or nested deeper than {MAX_DEPTH}");
            broken = Some(Problem { span, message });
            break;
        }
        match event {
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                let is_mapping = matches!(event, Event::MappingStart(..));
                open.push(Open { node: Node::new("", span), is_mapping, key: None });
            }
            Event::MappingEnd | Event::SequenceEnd => {
                let Some(closed) = open.pop() else { break };
                put(&mut open, closed.node, false, problems);
            }
            Event::Scalar(value, ..) => put(&mut open, Node::new(value.into_owned(), span), true, problems),
            Event::Alias(_) => {
                problems
                    .push(Problem { span, message: "NVUE has no YAML aliases; this one is left out".into() });
                put(&mut open, Node::new("", span), true, problems);
            }
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(..)
            | Event::DocumentEnd => {}
        }
    }
    while open.len() > 1 {
        let Some(closed) = open.pop() else { break };
        put(&mut open, closed.node, false, problems);
    }
    (open.pop().map(|root| root.node).unwrap_or_default(), broken)
}

/// Adds a value to the innermost open mapping or sequence.
fn put(open: &mut [Open], value: Node, is_scalar: bool, problems: &mut Vec<Problem>) {
    let Some(parent) = open.last_mut() else { return };
    if !parent.is_mapping {
        // The elements of a list of mappings are merged: `header` and `set` become children of the root.
        match is_scalar {
            true => parent.node.children.push(value),
            false => parent.node.children.extend(value.children),
        }
        return;
    }
    match parent.key.take() {
        None if is_scalar => parent.key = Some(value),
        None => {
            let message = "a key must be a word, not a list or a mapping".to_string();
            problems.push(Problem { span: value.span, message });
            parent.key = Some(Node::new("", value.span));
        }
        Some(mut key) => {
            match is_scalar {
                // `swp1: null` and `swp1:` have no value.
                true if value.key.is_empty() || value.key == "~" || value.key == "null" => {}
                true => key.children.push(value),
                false => key.children = value.children,
            }
            if parent.node.children.iter().any(|child| child.key == key.key) {
                let message = format!("the key `{}` is repeated", key.key);
                problems.push(Problem { span: key.span, message });
            }
            parent.node.children.push(key);
        }
    }
}
