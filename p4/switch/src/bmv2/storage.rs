//! Header types, header instances, stacks and unions (`JSON_format.md`, from "header_types" to "errors").

use std::collections::BTreeMap;

use p4_lang::ir::{
    Digest, DigestId, Expr, ExprKind, Header, HeaderId, ScalarKind, Stack, StackElements, StackId, Union,
    UnionId,
};

use super::node::Node;
use super::{HeaderType, Instance, MAX_FIELD_BITS, Reader};
use crate::machine::Field;

/// The header instances whose fields the target simple_switch reads and writes.
const STANDARD: [&str; 3] = ["standard_metadata", "intrinsic_metadata", "queueing_metadata"];
/// Maximum number of elements of a stack, and of stacks.
const MAX_STACK: usize = 1_024;

impl<'j> Reader<'j> {
    pub(super) fn storage(&mut self, root: &Node<'j>) {
        for node in root.get("header_types").items() {
            self.header_type(&node);
        }
        for node in root.get("headers").items() {
            self.instance(&node);
        }
        for node in root.get("header_union_types").items() {
            let members = node.get("headers").items();
            let members = members.iter().filter_map(|member| member.at(0).text()).collect();
            if let Some(name) = self.text(&node, "name") {
                self.union_types.insert(name, members);
            }
        }
        for node in root.get("header_unions").items() {
            self.header_union(&node);
        }
        for node in root.get("header_stacks").items() {
            self.header_stack(&node);
        }
        for node in root.get("header_union_stacks").items() {
            self.header_union_stack(&node);
        }
    }

    fn header_type(&mut self, node: &Node<'j>) {
        let Some(name) = self.text(node, "name") else { return };
        let list = node.get("fields").items();
        let width = |field: &Node<'j>| field.at(1).integer().and_then(|w| u32::try_from(w).ok());
        let fixed: u64 = list.iter().filter_map(width).map(u64::from).sum();
        let mut fields: Vec<(&'j str, ScalarKind)> = Vec::new();
        for field in list {
            let Some(field_name) = field.at(0).text() else {
                self.expected::<()>(&field.at(0), "the name of a field");
                continue;
            };
            let signed = field.at(2).flag().unwrap_or(false);
            let kind = match (field.at(1).text(), width(&field)) {
                (Some("*"), _) => self.variable_width(node, &field, fixed).map(ScalarKind::Varbit),
                (None, Some(width)) if (1..=MAX_FIELD_BITS).contains(&width) => {
                    Some(if signed { ScalarKind::Signed(width) } else { ScalarKind::Unsigned(width) })
                }
                _ => {
                    let what = format!("a width from 1 to {MAX_FIELD_BITS} bits, or \"*\"");
                    self.expected(&field.at(1), &what)
                }
            };
            // A field of an unknown width gets one, so that its uses are not errors, too.
            fields.push((field_name, kind.unwrap_or(ScalarKind::Unsigned(1))));
        }
        let varying = fields.iter().filter(|(_, kind)| matches!(kind, ScalarKind::Varbit(_))).count();
        if varying > 1 {
            self.error(&node.get("fields"), "a header has at most one field of variable length");
        }
        self.header_types.insert(name, HeaderType { fields, length: node.get("length_exp") });
    }

    /// Returns the maximum width of the field of variable length: what the header can have beyond its other fields.
    fn variable_width(&mut self, node: &Node<'j>, field: &Node<'j>, fixed: u64) -> Option<u32> {
        let bytes = node.get("max_length").integer().and_then(|b| u64::try_from(b).ok());
        let bits = bytes.and_then(|bytes| bytes.checked_mul(8)).map(|bits| bits.saturating_sub(fixed));
        match bits.and_then(|bits| u32::try_from(bits).ok()) {
            Some(width) if (1..=MAX_FIELD_BITS).contains(&width) => Some(width),
            _ => self.expected(&field.at(1), "`max_length` of the header, in bytes, beyond the other fields"),
        }
    }

    fn instance(&mut self, node: &Node<'j>) {
        let (Some(name), Some(type_name)) = (self.text(node, "name"), self.text(node, "header_type")) else {
            return;
        };
        // Already reported.
        if self.storage_bits > super::MAX_STORAGE_BITS {
            return;
        }
        let Some(header_type) = self.header_types.get(type_name).cloned() else {
            self.error(&node.get("header_type"), format!("there is no header type `{type_name}`"));
            return;
        };
        let metadata = node.get("metadata").flag().unwrap_or(false);
        let valid =
            (!metadata).then(|| self.scalar(node, format!("{name}.$valid$"), ScalarKind::Unsigned(1)));
        let mut fields = BTreeMap::new();
        let mut in_order = Vec::new();
        for (field, kind) in header_type.fields {
            let id = self.scalar(node, format!("{name}.{field}"), kind);
            in_order.push(id);
            fields.insert(field, id);
        }
        let header = valid.map(|valid| {
            fields.insert("$valid$", valid);
            let id = HeaderId(self.program.storage.headers.len() as u32);
            let (name, type_name) = (name.to_owned(), type_name.to_owned());
            self.program.storage.headers.push(Header {
                name,
                type_name,
                valid,
                fields: in_order,
                union: None,
            });
            id
        });
        if let (Some(header), Some(number)) = (header, node.get("id").integer()) {
            self.header_numbers.insert(number, header);
        }
        if self.instances.insert(name, Instance { header, fields }).is_some() {
            self.error(&node.get("name"), format!("there are two headers `{name}`"));
        }
    }

    /// Returns the headers that a list of ids refers to.
    fn listed_headers(&mut self, list: &Node<'j>) -> Vec<HeaderId> {
        let mut headers = Vec::new();
        for id in list.items() {
            match id.integer().and_then(|id| self.header_numbers.get(&id)) {
                Some(header) => headers.push(*header),
                None => {
                    self.expected::<()>(&id, "the id of a header");
                }
            }
        }
        headers
    }

    fn header_union(&mut self, node: &Node<'j>) {
        let Some(name) = self.text(node, "name") else { return };
        let members = self.listed_headers(&node.get("header_ids"));
        let id = UnionId(self.program.storage.unions.len() as u32);
        for member in &members {
            let owned = self.program.storage.headers.get_mut(member.index());
            let owned = owned.is_some_and(|header| header.union.replace(id).is_some_and(|other| other != id));
            if owned {
                self.error(&node.get("header_ids"), "a header is a member of two unions");
            }
        }
        self.program.storage.unions.push(Union { name: name.to_owned(), members });
        self.unions.insert(name, id);
        if let Some(number) = node.get("id").integer() {
            self.union_numbers.insert(number, id);
        }
    }

    fn header_stack(&mut self, node: &Node<'j>) {
        let Some(name) = self.text(node, "name") else { return };
        let headers = self.listed_headers(&node.get("header_ids"));
        let type_of = |id: &HeaderId| {
            self.program.storage.headers.get(id.index()).map(|header| header.type_name.as_str())
        };
        if headers.windows(2).any(|pair| type_of(&pair[0]) != type_of(&pair[1])) {
            self.error(&node.get("header_ids"), "the headers of a stack must have the same type");
        }
        let id = self.new_stack(node, name, headers.len(), StackElements::Headers(headers));
        self.stacks.insert(name, id);
    }

    fn header_union_stack(&mut self, node: &Node<'j>) {
        let (Some(name), Some(type_name)) = (self.text(node, "name"), self.text(node, "union_type")) else {
            return;
        };
        if !self.union_types.contains_key(type_name) {
            self.error(&node.get("union_type"), format!("there is no header union type `{type_name}`"));
        }
        let mut unions = Vec::new();
        for id in node.get("header_union_ids").items() {
            match id.integer().and_then(|id| self.union_numbers.get(&id)) {
                Some(union) => unions.push(*union),
                None => {
                    self.expected::<()>(&id, "the id of a header union");
                }
            }
        }
        let id = self.new_stack(node, name, unions.len(), StackElements::Unions(unions));
        self.union_stacks.insert(name, (id, type_name));
    }

    fn new_stack(&mut self, node: &Node<'j>, name: &str, size: usize, elements: StackElements) -> StackId {
        if !(1..=MAX_STACK).contains(&size) {
            self.error(node, format!("a stack has from 1 to {MAX_STACK} elements, this one has {size}"));
        }
        let next_index = self.scalar(node, format!("{name}.nextIndex"), ScalarKind::Unsigned(32));
        let id = StackId(self.program.storage.stacks.len() as u32);
        self.program.storage.stacks.push(Stack { name: name.to_owned(), elements, next_index });
        if id.index() == MAX_STACK {
            self.error(node, format!("there are more than {MAX_STACK} stacks"));
        }
        id
    }

    /// Reads the errors of the parser; the numbers of the file are kept.
    pub(super) fn errors(&mut self, root: &Node<'j>) {
        const MAX_ERRORS: usize = 4_096;
        let mut names: Vec<String> = Vec::new();
        for node in root.get("errors").items() {
            let number = node.at(1).integer().and_then(|number| usize::try_from(number).ok());
            match (node.at(0).text(), number) {
                (Some(name), Some(number)) if number < MAX_ERRORS => {
                    while names.len() <= number {
                        names.push(format!("$error{}", names.len()));
                    }
                    names[number] = name.to_owned();
                }
                _ => {
                    self.expected::<()>(&node, &format!("a name and a number below {MAX_ERRORS}"));
                }
            }
        }
        // Errors of the core library that the file does not name; the parser can raise them anyway.
        const CORE: [&str; 7] = [
            "NoError",
            "PacketTooShort",
            "NoMatch",
            "StackOutOfBounds",
            "HeaderTooShort",
            "ParserTimeout",
            "ParserInvalidArgument",
        ];
        for name in CORE {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        self.program.errors = names;
    }

    /// Finds the fields that the target reads and writes: by the aliases of the file, and by their names.
    pub(super) fn standard_metadata(&mut self, root: &Node<'j>) {
        let mut aliases = BTreeMap::new();
        for alias in root.get("field_aliases").items() {
            let target = alias.at(1);
            if let (Some(name), Some((id, _))) = (alias.at(0).text(), self.field(&target)) {
                aliases.insert(name, id);
            }
        }
        for field in Field::ALL {
            let name = field.name();
            let aliased = STANDARD.iter().find_map(|header| aliases.get(format!("{header}.{name}").as_str()));
            let named = || STANDARD.iter().find_map(|h| self.instances.get(h)?.fields.get(name));
            if let Some(id) = aliased.or_else(named).copied() {
                self.program.storage.standard_metadata.insert(name.to_owned(), id);
            }
        }
        for name in ["ingress_port", "egress_spec", "egress_port"] {
            if !self.program.storage.standard_metadata.contains_key(name) {
                let message = format!("simple_switch needs the field `standard_metadata.{name}`");
                self.error(&root.get("headers"), message);
            }
        }
    }

    /// Reads the lists of fields to preserve on clone, resubmit and recirculate.
    pub(super) fn field_lists(&mut self, root: &Node<'j>) {
        for node in root.get("field_lists").items() {
            let Some(id) = self.integer(&node, "id") else { continue };
            let number = match u8::try_from(id).ok().filter(|n| !self.field_lists.values().any(|k| k == n)) {
                Some(number) => Some(number),
                None => (0..=u8::MAX).find(|n| !self.field_lists.values().any(|known| known == n)),
            };
            let Some(number) = number else {
                self.error(&node, "there are more than 256 field lists");
                return;
            };
            let mut fields = Vec::new();
            for element in node.get("elements").items() {
                if element.get("type").text() == Some("field") {
                    fields.extend(self.field(&element.get("value")).map(|(id, _)| id));
                } else {
                    self.warning(&element, "only fields are preserved");
                }
            }
            // Fields of headers are parsed again.
            let headers = &self.program.storage.headers;
            fields.retain(|id| !headers.iter().any(|h| h.valid == *id || h.fields.contains(id)));
            self.program.storage.field_lists.insert(number, fields);
            self.field_lists.insert(id, number);
        }
    }

    /// Reads the messages that `generate_digest` sends.
    pub(super) fn learn_lists(&mut self, root: &Node<'j>) {
        for (at, node) in root.get("learn_lists").items().iter().enumerate() {
            let (Some(id), Some(name)) = (self.integer(node, "id"), self.text(node, "name")) else {
                continue;
            };
            let (mut fields, mut values) = (Vec::new(), Vec::new());
            for element in node.get("elements").items() {
                let value = element.get("value");
                if let Some((id, ty)) = self.field(&value) {
                    fields.push((value.at(1).text().unwrap_or_default().to_owned(), ty));
                    values.push(Expr { kind: ExprKind::Scalar(id), ty });
                }
            }
            let digest = DigestId(self.program.digests.len() as u32);
            let preamble = Reader::preamble(name, vec![1, u32::MAX, at as u32]);
            self.program.digests.push(Digest { preamble, fields, type_name: Some(name.to_owned()) });
            self.learn_lists.insert(id, (digest, values));
        }
    }
}
