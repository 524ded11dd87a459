//! Extracts only the fields of a header that are read, and emits headers as received except for modified fields.
//!
//! The optimiser determines for each header which fields are written by anything but its extraction. All other fields
//! hold the extracted value, or zero if the program made the header valid. For them the received bytes, or zeros, are
//! correct, so only the fields that may have changed are written. The origin, a limb of the frame, holds the position
//! where the header was extracted.

use super::effects::{Range, effects, named_headers, whole};
use crate::engine::code::{Code, Emission, Extraction, Op, Part, Site};
use crate::engine::layout::{FieldLayout, HeaderLayout};

/// Replaces the extraction and emission of all eligible headers.
pub(super) fn plan(code: &mut Code) {
    let plain: Vec<bool> = (0..code.headers.len()).map(|number| is_plain(code, number as u32)).collect();
    for pc in 0..code.ops.len() {
        match code.ops[pc] {
            Op::Extract { header } if plain.get(header as usize) == Some(&true) => {
                let made = extraction(&code.headers[header as usize]);
                code.extracts.push(made);
                code.ops[pc] = Op::ExtractFields(code.extracts.len() as u32 - 1);
            }
            Op::Emit { header } if plain.get(header as usize) == Some(&true) => {
                let header = &code.headers[header as usize];
                let changed: Vec<bool> =
                    header.fields.iter().map(|field| is_written(code, header, field)).collect();
                let made = emission(header, &changed);
                code.emits.push(made);
                code.ops[pc] = Op::EmitFields(code.emits.len() as u32 - 1);
            }
            _ => {}
        }
    }
}

/// Whether a header has whole bytes, is carried with the packet and is never referred to by a run-time number.
fn is_plain(code: &Code, number: u32) -> bool {
    let Some(header) = code.headers.get(number as usize) else { return false };
    let in_stack = code.stacks.iter().any(|(elements, _)| elements.iter().flatten().any(|h| *h == number));
    let shape = header.varbit.is_none()
        && header.fixed_bits > 0
        && header.fixed_bits.is_multiple_of(8)
        && header.valid < code.carried;
    shape && !in_stack && !code.ops.iter().any(|op| by_number(code, op, number))
}

fn by_number(code: &Code, op: &Op, number: u32) -> bool {
    let at = match *op {
        Op::SetValid { header }
        | Op::SetInvalid { header }
        | Op::ExtractAt { header }
        | Op::ExtractVarbit { header, .. }
        | Op::EmitAt { header } => header,
        Op::CopyHeader { dst, .. } => dst,
        Op::Site(index) => match code.sites.get(index as usize) {
            Some(Site::StoreField { header, .. }) => *header,
            _ => return false,
        },
        _ => return false,
    };
    named_headers(code, at).contains(&number)
}

/// Whether a field is written by anything other than the extraction or the clearing of its whole header.
fn is_written(code: &Code, header: &HeaderLayout, field: &FieldLayout) -> bool {
    let range: Range = (field.slot.at, field.slot.cells());
    let overlaps = |(at, count): &Range| *at < range.0 + range.1 && range.0 < at + count;
    let (at, cells) = whole(header);
    code.ops.iter().any(|op| match op {
        Op::Extract { .. } | Op::ExtractFields(_) => false,
        // This clears the origin as well, so zeros are emitted.
        Op::Clear { dst, count } if (*dst, *count) == (at + 1, cells - 1) => false,
        op => {
            let e = effects(code, op);
            e.writes.iter().chain(&e.may_write).any(overlaps)
        }
    })
}

/// Returns the limbs of a field with their positions in the header.
fn parts(header: &HeaderLayout, field: &FieldLayout) -> Vec<Part> {
    let (slot, end) = (field.slot, field.bit_offset + field.slot.width());
    (0..slot.limbs())
        .map(|limb| {
            let width = (slot.width() - limb * 64).min(64);
            part(header.fixed_bits / 8, slot.at + limb, end - limb * 64 - width, width)
        })
        .collect()
}

/// Returns eight bytes inside the header that contain bits `bit..bit + width`, if there are any.
fn part(bytes: u32, limb: u32, bit: u32, width: u32) -> Part {
    let window = (bit / 8).min(bytes.saturating_sub(8));
    let lead = bit - window * 8;
    let fits = lead + width <= 64;
    Part { limb, bit, width: width as u8, window, lead: if fits { lead as u8 } else { u8::MAX } }
}

fn extraction(header: &HeaderLayout) -> Extraction {
    let loads: Vec<Part> = header.fields.iter().flat_map(|field| parts(header, field)).collect();
    Extraction {
        bytes: header.fixed_bits / 8,
        loads,
        windows: Vec::new(),
        cuts: Vec::new(),
        ones: vec![header.valid],
        zeros: header.siblings.clone(),
        origin: Some(header.origin),
    }
}

fn emission(header: &HeaderLayout, changed: &[bool]) -> Emission {
    let fields = header.fields.iter().zip(changed).filter(|(_, changed)| **changed);
    Emission {
        valid: header.valid,
        origin: header.origin,
        bytes: header.fixed_bits / 8,
        stores: fields.flat_map(|(field, _)| parts(header, field)).collect(),
        patches: Vec::new(),
        pieces: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_stay_inside_the_header() {
        for bytes in 1..40u32 {
            for bit in 0..bytes * 8 {
                for width in 1..=(bytes * 8 - bit).min(64) {
                    let part = part(bytes, 0, bit, width);
                    if part.lead != u8::MAX {
                        assert_eq!(part.window * 8 + u32::from(part.lead), bit);
                        assert!(u32::from(part.lead) + width <= 64);
                        assert!(bytes < 8 || part.window + 8 <= bytes);
                    } else {
                        assert!(width > 57);
                    }
                }
            }
        }
    }
}
