//! Registers as compact bytes.
//!
//! A read response has one entity per element, each nested three messages deep. Elements are copied from the encoded
//! response to one array, without decoding the messages.

use super::{ClientError, RegisterSchema};
use crate::proto::p4::v1::{self, entity::Entity as Kind, p4_data::Data};
use prost::Message;
use prost::encoding::{WireType, decode_key, decode_varint};
use std::ops::Range;

/// Which elements of a register are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elements {
    /// Consecutive ones, by index.
    Range(Range<u64>),
    /// Single ones, by index, in ascending order and without repetition.
    Each(Vec<u64>),
}

impl Elements {
    fn count(&self) -> usize {
        match self {
            Elements::Range(range) => range.end.saturating_sub(range.start) as usize,
            Elements::Each(indexes) => indexes.len(),
        }
    }

    /// Returns the position of an element among those read.
    fn position(&self, index: u64) -> Option<usize> {
        match self {
            Elements::Range(range) if range.contains(&index) => usize::try_from(index - range.start).ok(),
            Elements::Range(_) => None,
            Elements::Each(indexes) => indexes.binary_search(&index).ok(),
        }
    }

    fn iter(&self) -> impl Iterator<Item = u64> {
        let (range, each) = match self {
            Elements::Range(range) => (range.clone(), &[][..]),
            Elements::Each(indexes) => (0..0, indexes.as_slice()),
        };
        range.chain(each.iter().copied())
    }
}

impl From<Range<u64>> for Elements {
    fn from(range: Range<u64>) -> Elements {
        Elements::Range(range)
    }
}

/// Elements of a register: concatenated, of fixed width, big-endian. Each component of a struct occupies whole bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterBytes {
    /// Name of the register.
    pub name: String,
    /// Which elements these are.
    pub elements: Elements,
    /// Bytes of an element.
    pub width: usize,
    /// The elements.
    pub data: Vec<u8>,
}

impl RegisterBytes {
    pub(super) fn new(register: &RegisterSchema, elements: Elements) -> RegisterBytes {
        let width = register.element_bytes();
        let data = vec![0; width * elements.count()];
        RegisterBytes { name: register.name.clone(), elements, width, data }
    }

    /// Number of elements.
    pub fn len(&self) -> u64 {
        self.data.len().checked_div(self.width).unwrap_or(0) as u64
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// Returns an element by index.
    pub fn get(&self, index: u64) -> Option<&[u8]> {
        let at = self.elements.position(index)?.checked_mul(self.width)?;
        self.data.get(at..at.checked_add(self.width)?)
    }

    /// Iterates over the elements with their indexes.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.elements.iter().zip(self.data.chunks_exact(self.width.max(1)))
    }

    fn slot(&mut self, position: usize) -> Option<&mut [u8]> {
        let at = position.checked_mul(self.width)?;
        self.data.get_mut(at..at.checked_add(self.width)?)
    }
}

/// A partially received register, and which elements have arrived.
#[derive(Debug)]
pub(super) struct PartialRegister<'a> {
    register: &'a RegisterSchema,
    array: RegisterBytes,
    seen: Vec<bool>,
}

impl<'a> PartialRegister<'a> {
    pub(super) fn new(register: &'a RegisterSchema, elements: Elements) -> PartialRegister<'a> {
        let seen = vec![false; elements.count()];
        PartialRegister { register, array: RegisterBytes::new(register, elements), seen }
    }

    /// Returns the register if it is complete.
    pub(super) fn finish(self) -> Result<RegisterBytes, ClientError> {
        match self.seen.iter().all(|seen| *seen) {
            true => Ok(self.array),
            false => Err(ClientError::Incomplete { register: self.register.name.clone() }),
        }
    }

    fn put(&mut self, index: u64, data: &[u8]) -> Result<(), ClientError> {
        let Some(position) = self.array.elements.position(index) else { return Ok(()) };
        if let Some(seen) = self.seen.get_mut(position) {
            *seen = true;
        }
        match self.array.slot(position) {
            Some(slot) => fill(slot, data, self.register),
            None => Ok(()),
        }
    }
}

/// Returns the requests for elements: one for the whole register, otherwise one per element.
pub(super) fn requests(register: &RegisterSchema, elements: &Elements) -> Vec<Kind> {
    let request =
        |index| Kind::RegisterEntry(v1::RegisterEntry { register_id: register.id, index, data: None });
    if *elements == Elements::Range(0..register.size) {
        return vec![request(None)];
    }
    elements.iter().map(|index| request(Some(v1::Index { index: index as i64 }))).collect()
}

/// Copies the elements of an encoded `ReadResponse` to the arrays.
pub(super) fn take(message: &[u8], arrays: &mut [PartialRegister<'_>]) -> Result<(), ClientError> {
    let mut rest = message;
    while let Some((tag, body)) = next(&mut rest)? {
        // ReadResponse.entities
        if let (1, Field::Bytes(entity)) = (tag, body) {
            take_entity(entity, arrays)?;
        }
    }
    Ok(())
}

fn take_entity(mut entity: &[u8], arrays: &mut [PartialRegister<'_>]) -> Result<(), ClientError> {
    while let Some((tag, body)) = next(&mut entity)? {
        // Entity.register_entry
        let (11, Field::Bytes(mut entry)) = (tag, body) else { continue };
        let (mut id, mut index, mut data) = (0, 0, &[][..]);
        while let Some((tag, body)) = next(&mut entry)? {
            match (tag, body) {
                (1, Field::Number(number)) => id = number,
                (2, Field::Bytes(mut message)) => {
                    while let Some((tag, body)) = next(&mut message)? {
                        if let (1, Field::Number(number)) = (tag, body) {
                            index = number;
                        }
                    }
                }
                (3, Field::Bytes(message)) => data = message,
                _ => {}
            }
        }
        for array in arrays.iter_mut().filter(|array| u64::from(array.register.id) == id) {
            array.put(index, data)?;
        }
    }
    Ok(())
}

/// Writes an encoded `P4Data` to an element.
fn fill(slot: &mut [u8], data: &[u8], register: &RegisterSchema) -> Result<(), ClientError> {
    if register.components.len() == 1 {
        let mut rest = data;
        while let Some((tag, body)) = next(&mut rest)? {
            // P4Data.bitstring
            if let (1, Field::Bytes(bytes)) = (tag, body) {
                return copy_right_aligned(slot, bytes);
            }
        }
    }
    let decoded = v1::P4Data::decode(data).map_err(|error| ClientError::Malformed(error.to_string()))?;
    let mut leaves = Vec::new();
    collect(&decoded, &mut leaves);
    if leaves.len() != register.components.len() {
        return Err(ClientError::Malformed(format!("an element of {} has another type", register.name)));
    }
    let mut rest = slot;
    for (bytes, (_, width)) in leaves.iter().zip(&register.components) {
        let (here, others) = rest.split_at_mut(width.div_ceil(8) as usize);
        copy_right_aligned(here, bytes)?;
        rest = others;
    }
    Ok(())
}

/// The bytes of every scalar of a value.
fn collect(data: &v1::P4Data, leaves: &mut Vec<Vec<u8>>) {
    match &data.data {
        Some(Data::Bitstring(bytes)) | Some(Data::EnumValue(bytes)) => leaves.push(bytes.clone()),
        Some(Data::Bool(value)) => leaves.push(vec![u8::from(*value)]),
        Some(Data::Struct(value)) | Some(Data::Tuple(value)) => {
            value.members.iter().for_each(|member| collect(member, leaves));
        }
        Some(Data::Header(header)) => leaves.extend(header.bitstrings.iter().cloned()),
        _ => {}
    }
}

/// Copies a value right-aligned into an element, with leading zeros.
fn copy_right_aligned(slot: &mut [u8], bytes: &[u8]) -> Result<(), ClientError> {
    let surplus = bytes.len().saturating_sub(slot.len());
    if bytes[..surplus].iter().any(|byte| *byte != 0) {
        return Err(ClientError::Malformed("a value is wider than its type".into()));
    }
    let bytes = &bytes[surplus..];
    let start = slot.len() - bytes.len();
    slot[..start].fill(0);
    slot[start..].copy_from_slice(bytes);
    Ok(())
}

/// A field of an encoded message.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The next field of a message: number and value; fields of other types are skipped.
fn next<'a>(message: &mut &'a [u8]) -> Result<Option<(u32, Field<'a>)>, ClientError> {
    let malformed = |error: prost::DecodeError| ClientError::Malformed(error.to_string());
    while !message.is_empty() {
        let (tag, wire) = decode_key(message).map_err(malformed)?;
        match wire {
            WireType::Varint => {
                return Ok(Some((tag, Field::Number(decode_varint(message).map_err(malformed)?))));
            }
            WireType::LengthDelimited => {
                let length = decode_varint(message).map_err(malformed)?;
                let split = usize::try_from(length).ok().and_then(|length| message.split_at_checked(length));
                let Some((body, rest)) = split else {
                    return Err(ClientError::Malformed("a field ends too early".into()));
                };
                *message = rest;
                return Ok(Some((tag, Field::Bytes(body))));
            }
            wire => {
                let context = prost::encoding::DecodeContext::default();
                prost::encoding::skip_field(wire, tag, message, context).map_err(malformed)?;
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytestring::encode_u64;
    use proptest::prelude::*;

    fn schema(id: u32, components: &[u32], size: u64) -> RegisterSchema {
        RegisterSchema {
            id,
            name: "r".into(),
            size,
            components: components.iter().map(|width| (String::new(), *width)).collect(),
            annotations: Vec::new(),
        }
    }

    fn entity(id: u32, index: i64, data: Data) -> v1::Entity {
        let entry = v1::RegisterEntry {
            register_id: id,
            index: Some(v1::Index { index }),
            data: Some(v1::P4Data { data: Some(data) }),
        };
        v1::Entity { entity: Some(Kind::RegisterEntry(entry)) }
    }

    proptest! {
        #[test]
        fn elements_are_stored_by_index(values in prop::collection::vec(any::<u32>(), 1..50), first in 0u64..10) {
            let register = schema(7, &[32], 100);
            let mut arrays = vec![PartialRegister::new(&register, (first..first + values.len() as u64).into())];
            let entities = values.iter().zip(first..first + values.len() as u64).map(|(value, index)| {
                entity(7, index as i64, Data::Bitstring(encode_u64(u64::from(*value))))
            });
            let mut entities: Vec<_> = entities.collect();
            entities.reverse();
            let message = v1::ReadResponse::new(entities);
            take(&message.encode_to_vec(), &mut arrays).expect("well formed");
            let array = arrays.remove(0).finish().expect("complete");
            let read: Vec<u32> = array.iter().map(|(_, b)| u32::from_be_bytes([b[0], b[1], b[2], b[3]])).collect();
            prop_assert_eq!(read, values);
        }

        #[test]
        fn single_elements_are_stored_by_index(wanted in prop::collection::btree_set(0u64..100, 0..20)) {
            let register = schema(7, &[32], 100);
            let elements = Elements::Each(wanted.iter().copied().collect());
            prop_assert_eq!(requests(&register, &elements).len(), wanted.len());
            let mut arrays = vec![PartialRegister::new(&register, elements)];
            let all = (0..100).rev().map(|index| entity(7, index, Data::Bitstring(encode_u64(index as u64 * 3))));
            take(&v1::ReadResponse::new(all.collect()).encode_to_vec(), &mut arrays).expect("well formed");
            let array = arrays.remove(0).finish().expect("complete");
            let read: Vec<(u64, u8)> = array.iter().map(|(index, bytes)| (index, bytes[2..].iter().sum())).collect();
            let expected: Vec<(u64, u8)> =
                wanted.iter().map(|index| (*index, (index * 3).to_be_bytes().iter().sum())).collect();
            prop_assert_eq!(read, expected);
            prop_assert!(wanted.iter().all(|index| array.get(*index).is_some()));
        }

        #[test]
        fn any_bytes_are_decoded_or_rejected(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let register = schema(7, &[9, 20], 4);
            let _ = take(&bytes, &mut [PartialRegister::new(&register, (0..4).into())]);
            let _ = fill(&mut [0; 5], &bytes, &register);
        }
    }

    #[test]
    fn each_component_of_a_struct_occupies_whole_bytes() {
        let register = schema(7, &[9, 1], 1);
        let member = |data| v1::P4Data { data: Some(data) };
        let members = vec![member(Data::Bitstring(vec![1, 2])), member(Data::Bool(true))];
        let message = v1::ReadResponse::new(vec![entity(7, 0, Data::Struct(v1::P4StructLike { members }))]);
        let mut arrays = [PartialRegister::new(&register, (0..1).into())];
        take(&message.encode_to_vec(), &mut arrays).expect("well formed");
        assert_eq!(arrays[0].array.data, [1, 2, 1]);
    }
}
