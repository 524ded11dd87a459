//! Elements of registers as bytes of a `ReadResponse`.

use prost::encoding::encoded_len_varint;

use crate::proto::p4::v1::{self, entity::Entity as Kind};
use crate::read_response;
use crate::server::value::Codec;

/// Keys of fields with a length: the number of the field in the upper bits, 2 in the lower three.
const ENTITIES: u8 = 1 << 3 | 2;
const ENTITY_REGISTER_ENTRY: u8 = 11 << 3 | 2;
const ENTRY_INDEX: u8 = 2 << 3 | 2;
const ENTRY_DATA: u8 = 3 << 3 | 2;
const DATA_BITSTRING: u8 = 1 << 3 | 2;
/// Keys of fields with a number.
const ENTRY_REGISTER_ID: u8 = 1 << 3;
const INDEX_INDEX: u8 = 1 << 3;

/// An element of a register.
pub(super) struct Element<'e> {
    pub(super) register: u32,
    pub(super) index: u64,
    /// Little-endian, whole limbs for each component.
    pub(super) limbs: &'e [u64],
    pub(super) codec: &'e Codec,
}

impl Element<'_> {
    /// The element as a message.
    pub(super) fn entity(&self) -> v1::Entity {
        let entry = v1::RegisterEntry {
            register_id: self.register,
            index: Some(v1::Index { index: self.index as i64 }),
            data: Some(self.codec.encode_limbs(self.limbs)),
        };
        v1::Entity { entity: Some(Kind::RegisterEntry(entry)) }
    }

    /// Appends the element to the encoded fields of a response: the same bytes as those of [`Self::entity`].
    pub(super) fn append(&self, out: &mut Vec<u8>) {
        if !self.codec.is_plain() {
            return read_response::append(out, &self.entity());
        }
        // Canonical: without leading zeros, but one byte at least.
        let used = self.limbs.iter().rposition(|limb| *limb != 0).map_or(1, |last| last + 1);
        let limbs = self.limbs.get(..used).unwrap_or_default();
        let (highest, lower) = limbs.split_last().map_or((0, limbs), |(highest, lower)| (*highest, lower));
        let zeros = (highest.leading_zeros() / 8).min(7) as usize;
        out.extend_from_slice(self.head(8 - zeros + 8 * lower.len()).written());
        out.extend_from_slice(&highest.to_be_bytes()[zeros..]);
        for limb in lower.iter().rev() {
            out.extend_from_slice(&limb.to_be_bytes());
        }
    }

    /// What is in front of a value of some bytes.
    #[inline]
    fn head(&self, value_bytes: usize) -> Head {
        let data_bytes = field_bytes(value_bytes);
        let index_bytes = number_bytes(self.index);
        let entry_bytes =
            number_bytes(u64::from(self.register)) + field_bytes(index_bytes) + field_bytes(data_bytes);
        let mut head = Head::default();
        head.put_length(ENTITIES, field_bytes(entry_bytes));
        head.put_length(ENTITY_REGISTER_ENTRY, entry_bytes);
        head.put_number(ENTRY_REGISTER_ID, u64::from(self.register));
        head.put_length(ENTRY_INDEX, index_bytes);
        head.put_number(INDEX_INDEX, self.index);
        head.put_length(ENTRY_DATA, data_bytes);
        head.put_length(DATA_BITSTRING, value_bytes);
        head
    }
}

/// The most bytes of a [`Head`]: seven keys, five lengths and a number of up to ten bytes each, and one of up to five.
const HEAD_BYTES: usize = 7 + 6 * 10 + 5;

/// Keys, lengths and numbers in front of a value. Collected here, so that the response grows once for all of them: a
/// controller reads tens of thousands of elements at a time.
struct Head {
    bytes: [u8; HEAD_BYTES],
    length: usize,
}

impl Default for Head {
    fn default() -> Head {
        Head { bytes: [0; HEAD_BYTES], length: 0 }
    }
}

impl Head {
    fn written(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    #[inline]
    fn put(&mut self, byte: u8) {
        self.bytes[self.length] = byte;
        self.length += 1;
    }

    #[inline]
    fn put_length(&mut self, key: u8, length: usize) {
        self.put(key);
        self.put_varint(length as u64);
    }

    #[inline]
    fn put_number(&mut self, key: u8, number: u64) {
        if number != 0 {
            self.put(key);
            self.put_varint(number);
        }
    }

    #[inline]
    fn put_varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.put(number as u8 | 0x80);
            number >>= 7;
        }
        self.put(number as u8);
    }
}

/// Bytes of a field with a content of some bytes.
fn field_bytes(content: usize) -> usize {
    1 + encoded_len_varint(content as u64) + content
}

/// Bytes of a field with a number: zero is not sent.
fn number_bytes(number: u64) -> usize {
    if number == 0 { 0 } else { 1 + encoded_len_varint(number) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use p4_lang::ir::{Program, ScalarKind};
    use proptest::prelude::*;
    use prost::Message;

    /// The element's own bytes, and those of the message that prost encodes.
    fn both(register: u32, index: u64, limbs: &[u64], kinds: &[ScalarKind]) -> (Vec<u8>, Vec<u8>) {
        let codec = Codec::new(&Program::default(), None, kinds, false);
        let element = Element { register, index, limbs, codec: &codec };
        let mut ours = Vec::new();
        element.append(&mut ours);
        (ours, v1::ReadResponse::new(vec![element.entity()]).encode_to_vec())
    }

    proptest! {
        #[test]
        fn elements_have_the_bytes_of_their_messages(
            register in prop_oneof![Just(0), any::<u32>()],
            index in prop_oneof![0u64..300, 0..i64::MAX as u64],
            limbs in prop::collection::vec(prop_oneof![Just(0), 0u64..300, any::<u64>()], 1..40),
        ) {
            let (ours, theirs) = both(register, index, &limbs, &[ScalarKind::Unsigned(64 * limbs.len() as u32)]);
            prop_assert_eq!(ours, theirs);
        }
    }

    #[test]
    fn structs_and_signed_values_are_encoded_as_messages() {
        let (ours, theirs) = both(7, 3, &[5, 6], &[ScalarKind::Unsigned(9), ScalarKind::Signed(8)]);
        assert_eq!(ours, theirs);
        let (ours, theirs) = both(7, 3, &[0xff], &[ScalarKind::Signed(8)]);
        assert_eq!(ours, theirs);
    }
}
