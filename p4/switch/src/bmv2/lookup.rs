//! Names of the file that refer to storage.

use p4_lang::ir::{HeaderId, HeaderRef, RegisterId, ScalarId, ScalarKind, StackElements, StackId, UnionId};

use super::node::Node;
use super::operand::Operand;
use super::{Array, Reader};

impl<'j> Reader<'j> {
    /// Reads a field: `[header, field]`.
    pub(super) fn field(&mut self, node: &Node<'j>) -> Option<(ScalarId, ScalarKind)> {
        let (Some(header), Some(field)) = (node.at(0).text(), node.at(1).text()) else {
            return self.expected(node, "a field: the names of a header and of its field");
        };
        let Some(instance) = self.instances.get(header) else {
            self.error(&node.at(0), format!("there is no header `{header}`"));
            return None;
        };
        let Some(id) = instance.fields.get(field).copied() else {
            self.error(&node.at(1), format!("header `{header}` has no field `{field}`"));
            return None;
        };
        Some((id, self.kind(id)))
    }

    pub(super) fn kind(&self, id: ScalarId) -> ScalarKind {
        self.program.storage.scalars.get(id.index()).map_or(ScalarKind::Unsigned(1), |s| s.kind)
    }

    /// Reads the name of a header.
    pub(super) fn header(&mut self, node: &Node<'j>) -> Option<Operand> {
        let name = node.text();
        match name.and_then(|name| self.instances.get(name)) {
            Some(instance) => Some(match instance.header {
                Some(id) => Operand::Header(HeaderRef::Static(id)),
                None => Operand::Metadata,
            }),
            None => self.unknown(node, "header"),
        }
    }

    /// Reads the name of a header that is not metadata.
    pub(super) fn real_header(&mut self, node: &Node<'j>) -> Option<HeaderId> {
        match self.header(node)? {
            Operand::Header(HeaderRef::Static(id)) => Some(id),
            _ => self.expected(node, "a header that is not metadata"),
        }
    }

    pub(super) fn stack(&mut self, node: &Node<'j>) -> Option<StackId> {
        match node.text().and_then(|name| self.stacks.get(name)) {
            Some(id) => Some(*id),
            None => self.unknown(node, "header stack"),
        }
    }

    pub(super) fn union(&mut self, node: &Node<'j>) -> Option<UnionId> {
        match node.text().and_then(|name| self.unions.get(name)) {
            Some(id) => Some(*id),
            None => self.unknown(node, "header union"),
        }
    }

    pub(super) fn union_stack(&mut self, node: &Node<'j>) -> Option<StackId> {
        match node.text().and_then(|name| self.union_stacks.get(name)) {
            Some((id, _)) => Some(*id),
            None => self.unknown(node, "stack of header unions"),
        }
    }

    /// Reads a member of the unions of a stack: its position.
    pub(super) fn union_stack_member(&mut self, stack: &Node<'j>, node: &Node<'j>) -> Option<usize> {
        let type_name = stack.text().and_then(|name| self.union_stacks.get(name)).map(|(_, name)| *name);
        let members = type_name.and_then(|name| self.union_types.get(name));
        let name = node.text();
        match members.and_then(|members| members.iter().position(|member| Some(*member) == name)) {
            Some(member) => Some(member),
            None => self.unknown(node, "member of the header union"),
        }
    }

    /// Reports an unknown name.
    pub(super) fn unknown<T>(&mut self, node: &Node<'j>, what: &str) -> Option<T> {
        match node.text() {
            Some(name) => {
                self.error(node, format!("there is no {what} `{name}`"));
                None
            }
            None => self.expected(node, &format!("the name of a {what}")),
        }
    }

    /// Reads a field's name of a header: its position and kind.
    pub(super) fn field_of(&mut self, node: &Node<'j>, header: HeaderId) -> Option<(usize, ScalarKind)> {
        let name = node.text();
        let type_name = self.program.storage.headers.get(header.index()).map(|h| h.type_name.as_str());
        let fields = type_name.and_then(|type_name| self.header_types.get(type_name)).map(|t| &t.fields);
        let found = fields.and_then(|fields| fields.iter().position(|(field, _)| Some(*field) == name));
        match (found, fields) {
            (Some(at), Some(fields)) => Some((at, fields.get(at)?.1)),
            _ => self.unknown(node, "field of the header"),
        }
    }

    /// Returns one header of each element of a stack: a member, if the elements are unions.
    pub(super) fn element_headers(&self, stack: StackId, member: usize) -> Vec<HeaderId> {
        let storage = &self.program.storage;
        match storage.stacks.get(stack.index()).map(|s| &s.elements) {
            Some(StackElements::Headers(headers)) => headers.clone(),
            Some(StackElements::Unions(unions)) => {
                let member = |id: &UnionId| storage.unions.get(id.index())?.members.get(member).copied();
                unions.iter().filter_map(member).collect()
            }
            None => Vec::new(),
        }
    }

    /// Returns the number of members of a stack's unions.
    pub(super) fn members_of(&self, stack: StackId) -> usize {
        let storage = &self.program.storage;
        match storage.stacks.get(stack.index()).map(|s| &s.elements) {
            Some(StackElements::Unions(unions)) => {
                unions.first().and_then(|id| storage.unions.get(id.index())).map_or(0, |u| u.members.len())
            }
            _ => 1,
        }
    }

    pub(super) fn first_header(
        &mut self,
        node: &Node<'j>,
        stack: StackId,
        member: usize,
    ) -> Option<HeaderId> {
        match self.element_headers(stack, member).first() {
            Some(header) => Some(*header),
            None => self.expected(node, "a stack with elements"),
        }
    }

    pub(super) fn next_index(&self, stack: StackId) -> ScalarId {
        self.program.storage.stacks.get(stack.index()).map_or(ScalarId(0), |s| s.next_index)
    }

    /// Reads the name of a register array.
    pub(super) fn register(&mut self, node: &Node<'j>) -> Option<RegisterId> {
        match node.text().and_then(|name| self.registers.get(name)) {
            Some(Array::Register(id)) => Some(*id),
            _ => self.unknown(node, "register array"),
        }
    }

    pub(super) fn register_kind(&self, id: RegisterId) -> ScalarKind {
        let register = self.program.registers.get(id.index());
        register.and_then(|r| r.components.first()).map_or(ScalarKind::Unsigned(1), |(_, kind)| *kind)
    }
}
