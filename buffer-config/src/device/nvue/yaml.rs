//! YAML as NVUE writes it (`/etc/nvue.d/startup.yaml`, `nv config show`): a list of `header` and `set`, or the settings
//! alone. JSON is YAML as well.
//!
//! Aliases are not expanded: NVUE writes none, and their expansion may grow without limit.

use std::collections::BTreeSet;

use saphyr_parser::{Event, Marker, Parser};

use super::tree::{MAX_NODES, Node};
use crate::json::Problem;
use crate::source::Span;

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 64;

/// Byte offsets of every so many characters, to convert the parser's count of characters. All settings may be in one
/// line.
struct Offsets<'a> {
    text: &'a str,
    /// The offset of every `STEP`th character.
    starts: Vec<usize>,
}

impl<'a> Offsets<'a> {
    /// The most characters that a conversion looks at.
    const STEP: usize = 64;

    fn new(text: &'a str) -> Self {
        Self { text, starts: text.char_indices().step_by(Self::STEP).map(|(at, _)| at).collect() }
    }

    /// The offset of a character, and how many characters it took to find it.
    fn find(&self, index: usize) -> (usize, usize) {
        let Some(start) = self.starts.get(index / Self::STEP) else { return (self.text.len(), 0) };
        let rest = self.text.get(*start..).unwrap_or_default();
        let steps = index % Self::STEP;
        (start + rest.char_indices().nth(steps).map_or(rest.len(), |(at, _)| at), steps)
    }

    fn of(&self, marker: &Marker) -> usize {
        self.find(marker.index()).0
    }
}

/// An open mapping or sequence.
struct Open {
    node: Node,
    is_mapping: bool,
    /// The key of the next value of a mapping.
    key: Option<Node>,
    /// The keys of a mapping so far.
    keys: BTreeSet<String>,
}

impl Open {
    fn new(is_mapping: bool, span: Span) -> Self {
        Self { node: Node::new("", span), is_mapping, key: None, keys: BTreeSet::new() }
    }
}

/// Reads YAML into a tree. The first syntax error ends the tree, and is the second value.
pub(super) fn read(text: &str, problems: &mut Vec<Problem>) -> (Node, Option<Problem>) {
    let mut open = vec![Open::new(false, Span::default())];
    let mut count = 0;
    let mut broken = None;
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (offsets, before) = (Offsets::new(body), text.len() - body.len());
    let mut parser = Parser::new_from_str(body);
    while let Some(event) = parser.next_event() {
        let (event, place) = match event {
            Ok(event) => event,
            Err(error) => {
                let at = before + offsets.of(error.marker());
                broken = Some(Problem { span: Span::new(at, at), message: error.info().to_string() });
                break;
            }
        };
        let span = Span::new(before + offsets.of(&place.start), before + offsets.of(&place.end));
        count += 1;
        if count > MAX_NODES || open.len() > MAX_DEPTH {
            let message = format!("more than {MAX_NODES} values, or nested deeper than {MAX_DEPTH}");
            broken = Some(Problem { span, message });
            break;
        }
        match event {
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                let is_mapping = matches!(event, Event::MappingStart(..));
                open.push(Open::new(is_mapping, span));
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
            if !parent.keys.insert(key.key.clone()) {
                let message = format!("the key `{}` is repeated", key.key);
                problems.push(Problem { span: key.span, message });
            }
            parent.node.children.push(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_in_one_long_line_take_constant_time() {
        let body: Vec<String> = (0..50_000).map(|n| format!("\"kéy{n}\": \"ü{n}\"")).collect();
        let text = format!("\u{feff}{{{}}}", body.join(", "));
        let mut problems = Vec::new();
        let (root, broken) = read(&text, &mut problems);
        assert!(broken.is_none() && problems.is_empty(), "{broken:?} {problems:?}");
        assert_eq!(root.children.len(), 50_000);
        for (node, number) in root.children.iter().zip(0..) {
            let at = |node: &Node| text.get(node.span.start as usize..node.span.end as usize);
            assert_eq!(at(node), Some(format!("\"kéy{number}\"").as_str()));
            assert_eq!(node.children.first().and_then(at), Some(format!("\"ü{number}\"").as_str()));
        }
        let offsets = Offsets::new(&text);
        for index in [0, 63, 64, 65, 700_000, text.chars().count(), usize::MAX] {
            let (at, steps) = offsets.find(index);
            assert_eq!(at, text.char_indices().nth(index).map_or(text.len(), |(at, _)| at));
            assert!(steps < Offsets::STEP, "{steps} steps to character {index}");
        }
    }

    #[test]
    fn repeated_keys_are_reported() {
        let mut problems = Vec::new();
        read("{a: 1, b: 2, a: 3, c: {a: 4}}", &mut problems);
        assert_eq!(problems.iter().map(|p| p.span.start).collect::<Vec<_>>(), [13], "{problems:?}");
    }
}
