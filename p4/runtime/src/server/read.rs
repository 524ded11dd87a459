//! Results of reads, and their division into messages.
//!
//! Entities are collected while the switch is locked, so that a read sees whole batches only. Registers are copied in
//! the switch's representation and converted to messages when these are sent.

use super::role::Scope;
use super::value::Codec;
use crate::proto::p4::v1::{self, entity::Entity as Kind};
use prost::Message;
use prost::encoding::encoded_len_varint;
use std::sync::Arc;

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
        Entities { parts: self.parts.into_iter(), register: None }
    }

    /// All entities that a role may see, in messages of about `limit` bytes.
    pub(crate) fn into_messages(self, limit: usize, scope: Arc<Scope>) -> Messages {
        Messages { entities: self.into_entities(), limit, scope, held: None }
    }
}

/// Iterator over the entities of an output.
#[derive(Debug)]
pub(crate) struct Entities {
    parts: std::vec::IntoIter<Part>,
    /// The current register and its next element.
    register: Option<(RegisterCopy, usize)>,
}

impl Iterator for Entities {
    type Item = v1::Entity;

    fn next(&mut self) -> Option<v1::Entity> {
        loop {
            if let Some((copy, at)) = &mut self.register {
                let start = *at * copy.stride;
                match copy.limbs.get(start..start + copy.stride) {
                    Some(element) if copy.stride > 0 => {
                        let entry = v1::RegisterEntry {
                            register_id: copy.id,
                            index: Some(v1::Index { index: (copy.first + *at as u64) as i64 }),
                            data: Some(copy.codec.encode_limbs(element)),
                        };
                        *at += 1;
                        return Some(v1::Entity { entity: Some(Kind::RegisterEntry(entry)) });
                    }
                    _ => self.register = None,
                }
            }
            match self.parts.next()? {
                Part::Entity(entity) => return Some(entity),
                Part::Register(copy) => self.register = Some((copy, 0)),
            }
        }
    }
}

/// Iterator over the messages of an output.
#[derive(Debug)]
pub(crate) struct Messages {
    entities: Entities,
    limit: usize,
    scope: Arc<Scope>,
    /// An entity that did not fit into the last message.
    held: Option<v1::Entity>,
}

impl Iterator for Messages {
    type Item = v1::ReadResponse;

    fn next(&mut self) -> Option<v1::ReadResponse> {
        let mut bytes = 0;
        let mut entities = Vec::new();
        while let Some(entity) =
            self.held.take().or_else(|| self.entities.find(|entity| self.scope.shows(entity)))
        {
            let length = entity.encoded_len();
            bytes += 1 + encoded_len_varint(length as u64) + length;
            if bytes > self.limit && !entities.is_empty() {
                self.held = Some(entity);
                break;
            }
            entities.push(entity);
        }
        (!entities.is_empty()).then_some(v1::ReadResponse { entities })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use p4_lang::ir::{Program, ScalarKind};

    fn check(elements: usize, width: u32, limit: usize) {
        let stride = width.div_ceil(64) as usize;
        let codec = Codec::new(&Program::default(), None, &[ScalarKind::Unsigned(width)], false);
        let mut output = Output::new();
        let limbs = (0..elements * stride).map(|i| i as u64).collect();
        output.push_register(RegisterCopy { id: 7, first: 3, stride, limbs, codec });
        let messages: Vec<_> = output.into_messages(limit, Arc::default()).collect();
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
