//! Results of reads, and their division into messages.
//!
//! Entities are collected while the switch is locked, so that a read sees whole batches only. Registers are copied in
//! the switch's representation and encoded when messages are sent.

use super::element::Element;
use super::role::Scope;
use super::value::Codec;
use crate::proto::p4::v1;
use crate::read_response;

/// A copy of a register or of a part of it.
#[derive(Debug)]
pub(crate) struct RegisterCopy {
    pub(crate) id: u32,
    /// Index of the first element.
    pub(crate) first: u64,
    /// Limbs of an element.
    pub(crate) stride: usize,
    pub(crate) limbs: Vec<u64>,
    pub(crate) codec: Codec,
}

/// The result of a read.
#[derive(Debug)]
pub(crate) struct Output {
    parts: Vec<Part>,
}

#[derive(Debug)]
enum Part {
    Entity(v1::Entity),
    Register(RegisterCopy),
}

impl RegisterCopy {
    /// An element by its place in the copy.
    fn element(&self, at: usize) -> Option<Element<'_>> {
        let start = at.checked_mul(self.stride)?;
        let limbs = self.limbs.get(start..start + self.stride).filter(|limbs| !limbs.is_empty())?;
        Some(Element { register: self.id, index: self.first + at as u64, limbs, codec: &self.codec })
    }
}

impl Output {
    /// Creates an empty result.
    pub(crate) fn new() -> Output {
        Output { parts: Vec::new() }
    }

    pub(crate) fn push(&mut self, entity: v1::Entity) {
        self.parts.push(Part::Entity(entity));
    }

    pub(crate) fn extend(&mut self, entity: Option<v1::Entity>) {
        self.parts.extend(entity.map(Part::Entity));
    }

    pub(crate) fn push_register(&mut self, copy: RegisterCopy) {
        self.parts.push(Part::Register(copy));
    }

    /// All entities in order.
    pub(crate) fn into_entities(self) -> Entities {
        Entities(self.into_items())
    }

    /// All entities that a role may see, in messages of about `limit` bytes.
    pub(crate) fn into_messages(mut self, limit: usize, scope: &Scope) -> Messages {
        self.parts.retain(|part| match part {
            Part::Entity(entity) => scope.shows(entity),
            Part::Register(copy) => scope.has(copy.id),
        });
        Messages { items: self.into_items(), limit, held: Vec::new() }
    }

    fn into_items(self) -> Items {
        Items { parts: self.parts.into_iter(), register: None }
    }
}

/// An entity, or an element of a register that is not yet one.
enum Item<'i> {
    Entity(v1::Entity),
    Element(Element<'i>),
}

/// The items of an output.
#[derive(Debug)]
struct Items {
    parts: std::vec::IntoIter<Part>,
    /// The current register and its next element.
    register: Option<(RegisterCopy, usize)>,
}

impl Items {
    /// Passes the next item to `take` and returns the result; `None` at the end.
    fn next<R>(&mut self, take: impl FnOnce(Item<'_>) -> R) -> Option<R> {
        loop {
            if let Some((copy, at)) = &mut self.register {
                if let Some(element) = copy.element(*at) {
                    *at += 1;
                    return Some(take(Item::Element(element)));
                }
                self.register = None;
            }
            match self.parts.next()? {
                Part::Entity(entity) => return Some(take(Item::Entity(entity))),
                Part::Register(copy) => self.register = Some((copy, 0)),
            }
        }
    }
}

/// Iterator over the entities of an output.
#[derive(Debug)]
pub(crate) struct Entities(Items);

impl Iterator for Entities {
    type Item = v1::Entity;

    fn next(&mut self) -> Option<v1::Entity> {
        self.0.next(|item| match item {
            Item::Entity(entity) => entity,
            Item::Element(element) => element.entity(),
        })
    }
}

/// Iterator over the messages of an output.
#[derive(Debug)]
pub(crate) struct Messages {
    items: Items,
    limit: usize,
    /// An encoded entity that did not fit into the last message.
    held: Vec<u8>,
}

impl Messages {
    /// Appends the next entity. Returns whether there was one.
    fn append(&mut self, encoded: &mut Vec<u8>) -> bool {
        let appended = self.items.next(|item| match item {
            Item::Entity(entity) => read_response::append(encoded, &entity),
            Item::Element(element) => element.append(encoded),
        });
        appended.is_some()
    }
}

impl Iterator for Messages {
    type Item = v1::ReadResponse;

    fn next(&mut self) -> Option<v1::ReadResponse> {
        let mut encoded = std::mem::take(&mut self.held);
        loop {
            let before = encoded.len();
            if !self.append(&mut encoded) {
                break;
            }
            if encoded.len() > self.limit && before > 0 {
                self.held = encoded.split_off(before);
                break;
            }
        }
        (!encoded.is_empty()).then(|| v1::ReadResponse::from_encoded(encoded))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::p4::v1::entity::Entity as Kind;
    use p4_lang::ir::{Program, ScalarKind};
    use prost::Message;

    fn check(elements: usize, width: u32, limit: usize) {
        let stride = width.div_ceil(64) as usize;
        let codec = Codec::new(&Program::default(), None, &[ScalarKind::Unsigned(width)], false);
        let mut output = Output::new();
        let limbs = (0..elements * stride).map(|i| i as u64).collect();
        output.push_register(RegisterCopy { id: 7, first: 3, stride, limbs, codec });
        let sent = output.into_messages(limit, &Scope::default()).map(|message| message.encode_to_vec());
        let messages: Vec<_> =
            sent.map(|bytes| v1::ReadResponse::decode(&*bytes).expect("well formed")).collect();
        let indexes: Vec<i64> = messages
            .iter()
            .flat_map(|message| &message.entities)
            .filter_map(|entity| match &entity.entity {
                Some(Kind::RegisterEntry(entry)) => entry.index.as_ref().map(|index| index.index),
                _ => None,
            })
            .collect();
        assert_eq!(indexes, (3..3 + elements as i64).collect::<Vec<_>>());
        for message in &messages {
            assert!(message.encoded_len() <= limit || message.entities.len() == 1);
        }
    }

    #[test]
    fn messages_stay_below_the_limit_and_contain_all_entities() {
        check(0, 32, 100);
        check(1000, 32, 100);
        check(1000, 300, 512 << 10);
        check(10, 300, 1);
    }
}
