//! The parts of a variable: a tree of locations, with a scalar at each leaf and a validity bit for each header and
//! header union.

use crate::hir::{Module, Type};
use crate::syntax::ast::AggregateKind;

/// The maximum number of locations in one parser, control or function; larger variables are not tracked.
const MAX_LOCATIONS: usize = 50_000;

/// The index of a location in [`Storage`].
pub(super) type Loc = usize;

/// The kind of a location.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// A scalar, or a value that is treated as one.
    Scalar,
    /// A struct or tuple.
    Struct(Vec<Loc>),
    Header(Vec<Loc>),
    Union(Vec<Loc>),
    /// A stack: its elements.
    Stack(Vec<Loc>),
}

impl Node {
    /// Returns the locations it consists of.
    pub(super) fn parts(&self) -> &[Loc] {
        match self {
            Node::Scalar => &[],
            Node::Struct(parts) | Node::Header(parts) | Node::Union(parts) | Node::Stack(parts) => parts,
        }
    }
}

/// All locations.
#[derive(Debug, Default)]
pub(super) struct Storage {
    pub(super) nodes: Vec<Node>,
}

impl Storage {
    /// Creates the locations of a variable; `None` if it is not tracked: objects, compile-time numbers, and variables
    /// that are too large.
    pub(super) fn create(&mut self, module: &Module, ty: &Type) -> Option<Loc> {
        let before = self.nodes.len();
        let loc = self.node(module, ty, 0);
        if loc.is_none() {
            self.nodes.truncate(before);
        }
        loc
    }

    fn node(&mut self, module: &Module, ty: &Type, depth: u32) -> Option<Loc> {
        if self.nodes.len() > MAX_LOCATIONS || depth > 64 {
            return None;
        }
        let node = match ty {
            Type::Bool
            | Type::Bit(_)
            | Type::Signed(_)
            | Type::Varbit(_)
            | Type::Enum(_)
            | Type::Error
            | Type::New(_)
            | Type::Param(_) => Node::Scalar,
            Type::Stack(of, count) => {
                let parts: Option<Vec<Loc>> = (0..*count).map(|_| self.node(module, of, depth + 1)).collect();
                Node::Stack(parts?)
            }
            Type::Aggregate(..) | Type::Tuple(_) => {
                let fields = module.fields(ty)?;
                let parts: Option<Vec<Loc>> =
                    fields.iter().map(|(_, t)| self.node(module, t, depth + 1)).collect();
                let parts = parts?;
                match module.aggregate_kind(ty) {
                    Some(AggregateKind::Header) => Node::Header(parts),
                    Some(AggregateKind::Union) => Node::Union(parts),
                    _ => Node::Struct(parts),
                }
            }
            _ => return None,
        };
        self.nodes.push(node);
        Some(self.nodes.len() - 1)
    }

    pub(super) fn node_at(&self, loc: Loc) -> &Node {
        // Every location was created by `node`, which pushed it.
        &self.nodes[loc]
    }

    /// Collects the scalars of a location; those of headers only on request, since headers may be invalid.
    pub(super) fn scalars(&self, loc: Loc, headers: bool, out: &mut Vec<Loc>) {
        match self.node_at(loc) {
            Node::Scalar => out.push(loc),
            Node::Header(_) | Node::Union(_) if !headers => {}
            node => node.parts().iter().for_each(|part| self.scalars(*part, headers, out)),
        }
    }

    /// Collects the headers and unions of a location.
    pub(super) fn headers(&self, loc: Loc, out: &mut Vec<Loc>) {
        match self.node_at(loc) {
            Node::Scalar => {}
            Node::Header(_) => out.push(loc),
            node => {
                if matches!(node, Node::Union(_)) {
                    out.push(loc);
                }
                node.parts().iter().for_each(|part| self.headers(*part, out));
            }
        }
    }

    /// Returns field `index` of each location; stacks stand for their elements.
    pub(super) fn field(&self, locs: &[Loc], index: usize) -> Vec<Loc> {
        let mut out = Vec::new();
        for loc in locs {
            match self.node_at(*loc) {
                Node::Stack(elements) => out.extend(self.field(elements, index)),
                node => out.extend(node.parts().get(index)),
            }
        }
        out
    }

    /// Returns the elements of stacks: the one at `index`, or all.
    pub(super) fn elements(&self, locs: &[Loc], index: Option<usize>) -> Vec<Loc> {
        let mut out = Vec::new();
        for loc in locs {
            if let Node::Stack(elements) = self.node_at(*loc) {
                match index {
                    Some(index) => out.extend(elements.get(index)),
                    None => out.extend(elements),
                }
            }
        }
        out
    }
}
