//! Match fields of table entries and value sets.
//!
//! Source: P4Runtime specification, "Match Format".

use crate::error::Refusal;
use crate::proto::p4::v1::{self, field_match::FieldMatchType as Wire};
use crate::server::pipeline::Pipeline;
use p4_lang::ir::{Bits, MatchKind, ScalarKind};
use p4_switch::control::FieldMatch;

/// Description of a match field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field<'a> {
    pub(crate) id: u32,
    pub(crate) name: &'a str,
    pub(crate) width: u32,
    pub(crate) kind: MatchKind,
    /// Its user-defined type, if any.
    pub(crate) type_name: Option<&'a String>,
}

/// Decodes match fields in the order of the key; omitted fields are "don't care".
pub(crate) fn decode(
    pipeline: &Pipeline,
    fields: &[Field<'_>],
    given: &[v1::FieldMatch],
) -> Result<Vec<FieldMatch>, Refusal> {
    let mut matches: Vec<Option<FieldMatch>> = vec![None; fields.len()];
    for wire in given {
        let Some(at) = fields.iter().position(|field| field.id == wire.field_id) else {
            return Err(Refusal::invalid(format!("match: there is no field with id {}", wire.field_id)));
        };
        if matches[at].is_some() {
            return Err(Refusal::invalid(format!("match {}: is given twice", fields[at].name)));
        }
        matches[at] = Some(decode_field(pipeline, fields[at], wire.field_match_type.as_ref())?);
    }
    let complete = fields.iter().zip(matches).map(|(field, given)| match (field.kind, given) {
        (_, Some(given)) => Ok(given),
        (MatchKind::Exact, None) => {
            Err(Refusal::invalid(format!("match {}: is missing; exact fields need a value", field.name)))
        }
        (_, None) => Ok(FieldMatch::Any),
    });
    complete.collect()
}

fn decode_field(pipeline: &Pipeline, field: Field<'_>, wire: Option<&Wire>) -> Result<FieldMatch, Refusal> {
    let refuse = |reason: &str| Err(Refusal::invalid(format!("match {}: {reason}", field.name)));
    if pipeline.is_string(field.type_name) && !matches!(field.kind, MatchKind::Exact | MatchKind::Optional) {
        return refuse("strings can only be matched as a whole");
    }
    let value = |bytes: &[u8]| {
        let name = format!("match {}", field.name);
        pipeline.decode_value(field.type_name, bytes, ScalarKind::Unsigned(field.width), &name)
    };
    match (field.kind, wire) {
        (MatchKind::Exact, Some(Wire::Exact(exact))) => Ok(FieldMatch::Exact(value(&exact.value)?)),
        (MatchKind::Optional, Some(Wire::Optional(optional))) => {
            Ok(FieldMatch::Exact(value(&optional.value)?))
        }
        (MatchKind::Lpm, Some(Wire::Lpm(lpm))) => {
            let bits = value(&lpm.value)?;
            match u32::try_from(lpm.prefix_len) {
                Ok(0) | Err(_) => refuse("a prefix of no bits is don't care and must be left out"),
                Ok(length) if length > field.width => {
                    refuse(&format!("a prefix of {length} bits, the field has {}", field.width))
                }
                Ok(prefix_bits) if lowest_one(&bits).is_some_and(|at| at < field.width - prefix_bits) => {
                    refuse("the value has bits beyond the prefix")
                }
                Ok(prefix_bits) => Ok(FieldMatch::Lpm { value: bits, prefix_bits }),
            }
        }
        (MatchKind::Ternary, Some(Wire::Ternary(ternary))) => {
            let (value, mask) = (value(&ternary.value)?, value(&ternary.mask)?);
            if is_zero(&mask) {
                return refuse("a mask of zeros is don't care and must be left out");
            }
            if value.limbs().iter().zip(mask.limbs()).any(|(value, mask)| value & !mask != 0) {
                return refuse("the value has bits outside of the mask");
            }
            Ok(FieldMatch::Ternary { value, mask })
        }
        (MatchKind::Range, Some(Wire::Range(range))) => {
            let (low, high) = (value(&range.low)?, value(&range.high)?);
            if low.limbs().iter().rev().gt(high.limbs().iter().rev()) {
                return refuse("the low end is above the high end");
            }
            if is_zero(&low) && high == Bits::ones(field.width) {
                return refuse("a range of all values is don't care and must be left out");
            }
            Ok(FieldMatch::Range { low, high })
        }
        (_, None) => refuse("no match is set"),
        (kind, Some(_)) => {
            refuse(&format!("has another match kind than the table declares ({})", kind_name(kind)))
        }
    }
}

/// Encodes a match field as a client would write it; `None` for "don't care".
pub(crate) fn encode(pipeline: &Pipeline, field: Field<'_>, wanted: &FieldMatch) -> Option<v1::FieldMatch> {
    let bytes = |bits: &Bits| pipeline.encode_value(field.type_name, bits, ScalarKind::Unsigned(field.width));
    let wire = match (field.kind, wanted) {
        (_, FieldMatch::Any) => return None,
        (MatchKind::Optional, FieldMatch::Exact(value)) => {
            Wire::Optional(v1::field_match::Optional { value: bytes(value) })
        }
        (MatchKind::Lpm, FieldMatch::Exact(value)) => {
            Wire::Lpm(v1::field_match::Lpm { value: bytes(value), prefix_len: field.width as i32 })
        }
        (MatchKind::Ternary, FieldMatch::Exact(value)) => Wire::Ternary(v1::field_match::Ternary {
            value: bytes(value),
            mask: bytes(&Bits::ones(field.width)),
        }),
        (MatchKind::Range, FieldMatch::Exact(value)) => {
            Wire::Range(v1::field_match::Range { low: bytes(value), high: bytes(value) })
        }
        (_, FieldMatch::Exact(value)) => Wire::Exact(v1::field_match::Exact { value: bytes(value) }),
        (_, FieldMatch::Lpm { value, prefix_bits }) => {
            Wire::Lpm(v1::field_match::Lpm { value: bytes(value), prefix_len: *prefix_bits as i32 })
        }
        (_, FieldMatch::Ternary { value, mask }) => {
            Wire::Ternary(v1::field_match::Ternary { value: bytes(value), mask: bytes(mask) })
        }
        (_, FieldMatch::Range { low, high }) => {
            Wire::Range(v1::field_match::Range { low: bytes(low), high: bytes(high) })
        }
    };
    Some(v1::FieldMatch { field_id: field.id, field_match_type: Some(wire) })
}

fn is_zero(bits: &Bits) -> bool {
    bits.limbs().iter().all(|limb| *limb == 0)
}

/// Position of the lowest bit that is 1.
fn lowest_one(bits: &Bits) -> Option<u32> {
    let limb = bits.limbs().iter().position(|limb| *limb != 0)?;
    Some(limb as u32 * 64 + bits.limbs()[limb].trailing_zeros())
}

fn kind_name(kind: MatchKind) -> &'static str {
    match kind {
        MatchKind::Exact => "exact",
        MatchKind::Lpm => "lpm",
        MatchKind::Ternary => "ternary",
        MatchKind::Range => "range",
        MatchKind::Optional => "optional",
        MatchKind::Selector => "selector",
    }
}
