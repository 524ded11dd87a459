//! Packets to and from the controller: conversion between message metadata and the controller header.
//!
//! Source: P4Runtime specification, "Packet I/O".

use super::pipeline::Pipeline;
use crate::error::Refusal;
use crate::proto::p4::v1;
use model::wire::Frame;
use p4_lang::ir::{Bits, ControllerHeader, ScalarKind};

/// Returns the packet for the CPU port: the `packet_out` header, encoded from the metadata, and the payload.
pub(crate) fn packet_out(
    pipeline: &Pipeline,
    packet: &v1::PacketOut,
    limit: usize,
) -> Result<Frame, Refusal> {
    if packet.payload.len() > limit {
        return Err(Refusal::invalid(format!("the packet is longer than {limit} bytes")));
    }
    let mut bytes = match pipeline.controller_header("packet_out") {
        Some(header) => encode_header(pipeline, header, &packet.metadata)?,
        None if packet.metadata.is_empty() => Vec::new(),
        None => return Err(Refusal::invalid("the program has no packet_out header")),
    };
    bytes.extend_from_slice(&packet.payload);
    Ok(Frame::new(&bytes, 0))
}

fn encode_header(
    pipeline: &Pipeline,
    header: &ControllerHeader,
    metadata: &[v1::PacketMetadata],
) -> Result<Vec<u8>, Refusal> {
    for (at, given) in metadata.iter().enumerate() {
        if !header.fields.iter().any(|(id, _, _)| *id == given.metadata_id) {
            return Err(Refusal::invalid(format!(
                "packet_out has no metadata with id {}",
                given.metadata_id
            )));
        }
        if metadata[..at].iter().any(|other| other.metadata_id == given.metadata_id) {
            return Err(Refusal::invalid(format!("metadata {} is given twice", given.metadata_id)));
        }
    }
    let mut writer = BitWriter::default();
    for (id, name, width) in &header.fields {
        let Some(given) = metadata.iter().find(|given| given.metadata_id == *id) else {
            return Err(Refusal::invalid(format!("metadata {name} (id {id}) is missing")));
        };
        let type_name = type_of(pipeline, header, name);
        let field = format!("metadata {name}");
        let value = pipeline
            .decode_value(type_name, &given.value, ScalarKind::Unsigned(*width), &field)
            .map_err(|refusal| Refusal::invalid(refusal.message))?;
        writer.push(&value);
    }
    Ok(writer.bytes)
}

/// Returns the message for a packet sent to the CPU port; `None` if the packet is shorter than its header.
pub(crate) fn packet_in(pipeline: &Pipeline, frame: &Frame) -> Option<v1::PacketIn> {
    let mut bytes = frame.head.to_vec();
    bytes.resize(bytes.len() + frame.tail as usize, 0);
    let Some(header) = pipeline.controller_header("packet_in") else {
        return Some(v1::PacketIn { payload: bytes, metadata: Vec::new() });
    };
    let bits: usize = header.fields.iter().map(|(_, _, width)| *width as usize).sum();
    let length = bits.div_ceil(8);
    if bytes.len() < length {
        return None;
    }
    let payload = bytes.split_off(length);
    let mut at = 0;
    let metadata = header
        .fields
        .iter()
        .map(|(id, name, width)| {
            let value = read_bits(&bytes, at, *width);
            at += *width as usize;
            let type_name = type_of(pipeline, header, name);
            let value = pipeline.encode_value(type_name, &value, ScalarKind::Unsigned(*width));
            v1::PacketMetadata { metadata_id: *id, value }
        })
        .collect();
    Some(v1::PacketIn { payload, metadata })
}

/// The user-defined type of a field.
fn type_of<'a>(pipeline: &'a Pipeline, header: &ControllerHeader, field: &str) -> Option<&'a String> {
    let key = (header.preamble.name.clone(), field.to_owned());
    pipeline.program.types.controller_fields.get(&key)?.type_name.as_ref()
}

/// Concatenates fields of any width, most significant bit first.
#[derive(Default)]
struct BitWriter {
    bytes: Vec<u8>,
    used: usize,
}

impl BitWriter {
    fn push(&mut self, bits: &Bits) {
        for at in (0..bits.width()).rev() {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            let bit = bits.limbs().get(at as usize / 64).map_or(0, |limb| (limb >> (at % 64) & 1) as u8);
            if let Some(last) = self.bytes.last_mut() {
                *last |= bit << (7 - self.used % 8);
            }
            self.used += 1;
        }
    }
}

fn read_bits(bytes: &[u8], start: usize, width: u32) -> Bits {
    let mut limbs = vec![0u64; width.div_ceil(64) as usize];
    for at in 0..width {
        let position = start + (width - 1 - at) as usize;
        let bit = bytes.get(position / 8).map_or(0, |byte| byte >> (7 - position % 8) & 1);
        if let Some(limb) = limbs.get_mut(at as usize / 64) {
            *limb |= u64::from(bit) << (at % 64);
        }
    }
    Bits::from_limbs(width, limbs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bits_round_trip(fields in prop::collection::vec((1u32..130, any::<u128>()), 1..8)) {
            let mut writer = BitWriter::default();
            let values: Vec<Bits> = fields.iter().map(|(width, value)| Bits::new(*width, *value)).collect();
            values.iter().for_each(|value| writer.push(value));
            let mut at = 0;
            for value in &values {
                prop_assert_eq!(&read_bits(&writer.bytes, at, value.width()), value);
                at += value.width() as usize;
            }
            prop_assert_eq!(writer.bytes.len(), at.div_ceil(8));
        }
    }
}
