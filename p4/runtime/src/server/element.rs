//! Elements of registers as bytes of a `ReadResponse`.

use prost::encoding::{encode_varint, encoded_len_varint};

use crate::bytestring::canonical;
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
        match self.limbs {
            [limb] => self.append_plain(out, canonical(&limb.to_be_bytes())),
            limbs => {
                let bytes: Vec<u8> = limbs.iter().rev().flat_map(|limb| limb.to_be_bytes()).collect();
                self.append_plain(out, canonical(&bytes));
            }
        }
    }

    fn append_plain(&self, out: &mut Vec<u8>, bitstring: &[u8]) {
        let data_bytes = field_bytes(bitstring.len());
        let index_bytes = number_bytes(self.index);
        let entry_bytes =
            number_bytes(u64::from(self.register)) + field_bytes(index_bytes) + field_bytes(data_bytes);
        put_length(out, ENTITIES, field_bytes(entry_bytes));
        put_length(out, ENTITY_REGISTER_ENTRY, entry_bytes);
        put_number(out, ENTRY_REGISTER_ID, u64::from(self.register));
        put_length(out, ENTRY_INDEX, index_bytes);
        put_number(out, INDEX_INDEX, self.index);
        put_length(out, ENTRY_DATA, data_bytes);
        put_length(out, DATA_BITSTRING, bitstring.len());
        out.extend_from_slice(bitstring);
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

fn put_length(out: &mut Vec<u8>, key: u8, length: usize) {
    out.push(key);
    put_varint(out, length as u64);
}

fn put_number(out: &mut Vec<u8>, key: u8, number: u64) {
    if number != 0 {
        out.push(key);
        put_varint(out, number);
    }
}

fn put_varint(out: &mut Vec<u8>, number: u64) {
    match u8::try_from(number) {
        Ok(byte) if byte < 0x80 => out.push(byte),
        _ => encode_varint(number, out),
    }
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
