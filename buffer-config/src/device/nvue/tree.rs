//! The settings of NVUE as one tree, whether written in YAML or as commands. A value is a child without children:
//! `link mtu 9216` and `link: {mtu: 9216}` are the same tree.

use crate::source::Span;

/// The most nodes of a tree; the rest is left out and reported.
pub(super) const MAX_NODES: usize = 1_000_000;

/// A keyword, name or value, with everything below it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Node {
    pub(super) key: String,
    pub(super) span: Span,
    pub(super) children: Vec<Node>,
}

impl Node {
    pub(super) fn new(key: impl Into<String>, span: Span) -> Self {
        Self { key: key.into(), span, children: Vec::new() }
    }

    /// The child with this key; the last one if there are several.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        self.children.iter().rev().find(|child| child.key == key)
    }

    /// The node at the end of a path.
    pub(super) fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The value of a setting: its last child.
    pub(super) fn value(&self, path: &[&str]) -> Option<&Node> {
        self.at(path)?.children.last()
    }

    /// The child with this key, which is added if it is new.
    pub(super) fn child(&mut self, key: &str, span: Span) -> &mut Node {
        let index = match self.children.iter().rposition(|child| child.key == key) {
            Some(index) => index,
            None => {
                self.children.push(Node::new(key, span));
                self.children.len() - 1
            }
        };
        &mut self.children[index]
    }

    /// Removes what a path names.
    pub(super) fn remove(&mut self, path: &[&str]) {
        match path {
            [] => {}
            [last] => self.children.retain(|child| child.key != *last),
            [first, rest @ ..] => {
                if let Some(child) = self.children.iter_mut().find(|child| child.key == *first) {
                    child.remove(rest);
                }
            }
        }
    }
}
