//! `p4.v1.ReadResponse`, which can hold entities that are encoded already.
//!
//! A read of a switch has tens of thousands of register elements. The server writes each of them to the bytes of the response
//! at once; as a generated message, each would be three nested messages and two allocations, measured at every level and then
//! copied.

use prost::Message;
use prost::bytes::{Buf, BufMut};
use prost::encoding::{DecodeContext, WireType, message, skip_field};

use crate::proto::p4::v1::Entity;

/// The number of the field `entities`.
const ENTITIES: u32 = 1;

/// A part of the response to a read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadResponse {
    /// The entities of a response that was received.
    pub entities: Vec<Entity>,
    /// Entities before those, as fields of this message. Empty in a response that was received.
    encoded: Vec<u8>,
}

impl ReadResponse {
    /// A response with these entities.
    pub fn new(entities: Vec<Entity>) -> ReadResponse {
        ReadResponse { entities, encoded: Vec::new() }
    }

    /// A response with the entities that [`append`] and others have written.
    pub(crate) fn from_encoded(encoded: Vec<u8>) -> ReadResponse {
        ReadResponse { entities: Vec::new(), encoded }
    }
}

/// Appends an entity to the encoded fields of a response.
pub(crate) fn append(encoded: &mut Vec<u8>, entity: &Entity) {
    message::encode(ENTITIES, entity, encoded);
}

impl Message for ReadResponse {
    fn encode_raw(&self, buffer: &mut impl BufMut) {
        buffer.put_slice(&self.encoded);
        message::encode_repeated(ENTITIES, &self.entities, buffer);
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buffer: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), prost::DecodeError> {
        match tag {
            ENTITIES => message::merge_repeated(wire_type, &mut self.entities, buffer, context).map_err(
                |mut error| {
                    error.push("ReadResponse", "entities");
                    error
                },
            ),
            _ => skip_field(wire_type, tag, buffer, context),
        }
    }

    fn encoded_len(&self) -> usize {
        self.encoded.len() + message::encoded_len_repeated(ENTITIES, &self.entities)
    }

    fn clear(&mut self) {
        self.entities.clear();
        self.encoded.clear();
    }
}
