//! Executes externs and other operations with many operands.

use p4_lang::ir::{Bits, HashAlgorithm};
use rand_core::Rng;

use super::code::{At, Code, Data, MeterUnit, NO_HEADER, Site};
use super::context::Context;
use super::hash as algorithms;
use super::layout::Slot;
use super::run::{copy_header, header_at};
use crate::event::Event;
use crate::limbs;
use crate::random::between;
use crate::state::State;

fn get(frame: &[u64], at: At) -> u64 {
    frame[at as usize]
}

/// Executes one operation. Fails with the number of a parser error.
pub(super) fn run(
    code: &Code,
    site: &Site,
    frame: &mut [u64],
    cx: &mut Context,
    state: &mut State,
) -> Result<(), u64> {
    match site {
        Site::RegisterRead { register, targets, index } => {
            let element = state.registers.element(*register, get(frame, *index));
            let mut limbs = element.unwrap_or(&[]).iter();
            for target in targets {
                for limb in &mut frame[target.at as usize..(target.at + target.limbs()) as usize] {
                    *limb = limbs.next().copied().unwrap_or(0);
                }
            }
        }
        Site::RegisterWrite { register, index, values } => {
            let Some(element) = state.registers.element_mut(*register, get(frame, *index)) else {
                return Ok(());
            };
            let limbs = values.iter().flat_map(|v| v.of(frame));
            for (target, limb) in element.iter_mut().zip(limbs) {
                *target = *limb;
            }
        }
        Site::MeterExecute { meter, index, unit, dst } => {
            let index = usize::try_from(get(frame, *index)).unwrap_or(usize::MAX);
            if let Some(meter) = state.meters[*meter as usize].get_mut(index) {
                let amount = if *unit == MeterUnit::Bytes { cx.packet_bytes } else { 1 };
                let colour = meter.execute(cx.now, amount, cx.packet_bytes) as u64;
                store(frame, *dst, colour);
            }
        }
        Site::DirectMeterRead { dst } => store(frame, *dst, cx.colour),
        Site::Hash { dst, algorithm, base, data, max } => {
            let hash = hash(code, *algorithm, data, frame, cx, false);
            store_hash(frame, *dst, *base, *max, hash);
        }
        Site::Random { dst, low, high } => {
            let low = limbs::saturating_u64(low.of(frame));
            let high = limbs::saturating_u64(high.of(frame));
            let value = between(&mut cx.random, low, high);
            store(frame, *dst, value);
        }
        Site::Digest { digest, fields } => {
            let values = fields.iter().map(|f| bits_of(frame, *f)).collect();
            cx.requests.digests.push((*digest, values));
        }
        Site::Clone { session, field_list } => {
            let session = u32::try_from(get(frame, *session)).unwrap_or(u32::MAX);
            cx.requests.clone = Some((session, *field_list));
        }
        Site::Resubmit { field_list } => cx.requests.resubmit = Some(*field_list),
        Site::Recirculate { field_list } => cx.requests.recirculate = Some(*field_list),
        Site::Truncate { bytes } => cx.requests.truncate = Some(get(frame, *bytes)),
        Site::Checksum { data, field, algorithm, with_payload, update } => {
            let sum = hash(code, *algorithm, data, frame, cx, *with_payload);
            if *update {
                store(frame, *field, sum);
            } else if sum & limbs::low_mask(field.width().min(64)) != limbs::saturating_u64(field.of(frame)) {
                cx.requests.checksum_error = true;
            }
        }
        Site::Assert { text, assume } => {
            cx.events.push(Event::AssertFailed { at: cx.now, text: text.clone(), assume: *assume });
        }
        Site::LogMsg { format, args } => {
            let text = filled_in(format, args, frame);
            cx.events.push(Event::Log { at: cx.now, text });
        }
        Site::InValueSet { dst, set, key_at, key_limbs } => {
            let key = &frame[*key_at as usize..(*key_at + *key_limbs) as usize];
            let contains = state.value_sets[*set as usize].contains(key);
            frame[*dst as usize] = u64::from(contains);
        }
        Site::Element { .. } | Site::NextOrLast { .. } => return find_header(site, frame),
        Site::LoadField { dst, header, offset } => load_field(code, frame, *dst, *header, *offset),
        Site::StoreField { header, offset, src } => store_field(code, frame, *header, *offset, *src),
        Site::Push { stack, count } => push(code, frame, *stack, *count as usize),
        Site::Pop { stack, count } => pop(code, frame, *stack, *count as usize),
    }
    Ok(())
}

/// Stores a number in a slot of any width, truncated or zero-extended.
pub(super) fn store(frame: &mut [u64], dst: Slot, value: u64) {
    if dst.width() <= 64 {
        frame[dst.at as usize] = value & limbs::low_mask(dst.width());
        return;
    }
    let target = &mut frame[dst.at as usize..(dst.at + dst.limbs()) as usize];
    limbs::copy(target, &[value]);
    limbs::trim(target, dst.width());
}

fn bits_of(frame: &[u64], slot: Slot) -> Bits {
    Bits::from_limbs(slot.width(), slot.of(frame).to_vec())
}

/// Stores `base + hash mod max`, or `base` if `max` is 0.
fn store_hash(frame: &mut [u64], dst: Slot, base: Slot, max: Slot, hash: u64) {
    let most = limbs::saturating_u64(max.of(frame));
    // `max` is usually a power of two; a division would dominate the cost.
    let offset = if most.is_power_of_two() { hash & (most - 1) } else { hash.checked_rem(most).unwrap_or(0) };
    if dst.width() <= 64 {
        let sum = base.of(frame).first().copied().unwrap_or(0).wrapping_add(offset);
        frame[dst.at as usize] = sum & limbs::low_mask(dst.width());
        return;
    }
    let mut sum: smallvec::SmallVec<[u64; 4]> = smallvec::SmallVec::from_elem(0, dst.limbs() as usize);
    limbs::copy(&mut sum, base.of(frame));
    limbs::add(&mut sum, &[offset]);
    limbs::trim(&mut sum, dst.width());
    frame[dst.at as usize..(dst.at + dst.limbs()) as usize].copy_from_slice(&sum);
}

/// Hashes data and, if requested, the payload after it.
fn hash(
    code: &Code,
    algorithm: HashAlgorithm,
    data: &Data,
    frame: &[u64],
    cx: &mut Context,
    with_payload: bool,
) -> u64 {
    match data {
        Data::Sum { first, count } => {
            let pieces = &code.pieces[*first as usize..][..*count as usize];
            algorithms::csum16_pieces(pieces.iter().map(|piece| piece.of(frame[usize::from(piece.a)])))
        }
        Data::Fields(fields) => hash_fields(algorithm, fields, frame, cx, with_payload),
        Data::Packed { at, limbs, bytes } => {
            let limbs = &frame[*at as usize..(*at + *limbs) as usize];
            match algorithm {
                HashAlgorithm::Crc32 => algorithms::crc32_limbs(limbs, *bytes as usize),
                HashAlgorithm::Csum16 => algorithms::csum16_limbs(limbs),
                HashAlgorithm::Xor16 => algorithms::xor16_limbs(limbs),
                _ => {
                    let mut writer = std::mem::take(&mut cx.data);
                    writer.clear();
                    writer.push_limbs(limbs, 64 * limbs.len() as u32);
                    writer.bytes.truncate(*bytes as usize);
                    let result = hash_bytes(algorithm, &writer.bytes, cx);
                    cx.data = writer;
                    result
                }
            }
        }
    }
}

/// Hashes consecutive fields and, if requested, the payload after them.
pub(super) fn hash_fields(
    algorithm: HashAlgorithm,
    fields: &[Slot],
    frame: &[u64],
    cx: &mut Context,
    with_payload: bool,
) -> u64 {
    let mut writer = std::mem::take(&mut cx.data);
    writer.clear();
    for slot in fields {
        if slot.is_varbit() {
            let length = get(frame, slot.at + slot.limbs()) as u32;
            writer.push_limbs(slot.of(frame), length.min(slot.width()));
        } else if slot.width() <= 64 {
            writer.push(get(frame, slot.at), slot.width());
        } else {
            writer.push_limbs(slot.of(frame), slot.width());
        }
    }
    writer.finish();
    if with_payload {
        let (payload, tail) = cx.payload();
        writer.bytes.extend_from_slice(payload);
        let length = writer.bytes.len() + tail as usize;
        writer.bytes.resize(length, 0);
    }
    let result = hash_bytes(algorithm, &writer.bytes, cx);
    cx.data = writer;
    result
}

fn hash_bytes(algorithm: HashAlgorithm, bytes: &[u8], cx: &mut Context) -> u64 {
    match algorithm {
        HashAlgorithm::Crc32 => algorithms::crc32(bytes),
        HashAlgorithm::Crc16 => algorithms::crc16(bytes),
        HashAlgorithm::Crc32Custom => u64::from(cx.custom_crc.crc32.compute(bytes)),
        HashAlgorithm::Crc16Custom => u64::from(cx.custom_crc.crc16.compute(bytes)),
        HashAlgorithm::Random => cx.random.next_u64(),
        HashAlgorithm::Identity => algorithms::identity(bytes),
        HashAlgorithm::Csum16 => algorithms::csum16(bytes),
        HashAlgorithm::Xor16 => algorithms::xor16(bytes),
    }
}

/// Formats a message: replaces each `{}` by the next argument.
fn filled_in(format: &str, args: &[Slot], frame: &[u64]) -> String {
    let mut text = String::with_capacity(format.len() + 16 * args.len());
    let mut args = args.iter();
    for (index, part) in format.split("{}").enumerate() {
        if index > 0 {
            match args.next() {
                Some(slot) => match bits_of(frame, *slot).to_u128() {
                    Some(value) => text.push_str(&value.to_string()),
                    None => text.push_str(&crate::table::entries::Hex(&bits_of(frame, *slot)).to_string()),
                },
                None => text.push_str("{}"),
            }
        }
        text.push_str(part);
    }
    text
}

fn find_header(site: &Site, frame: &mut [u64]) -> Result<(), u64> {
    match site {
        Site::Element { dst, headers, index } => {
            let index = usize::try_from(get(frame, *index)).unwrap_or(usize::MAX);
            frame[*dst as usize] = headers.get(index).map_or(NO_HEADER, |h| u64::from(*h));
        }
        Site::NextOrLast { dst, headers, next_index, last, error } => {
            let next = get(frame, *next_index);
            let index = if *last { next.checked_sub(1) } else { Some(next) };
            let header = index.and_then(|i| headers.get(usize::try_from(i).ok()?));
            let Some(header) = header else { return Err(get(frame, *error)) };
            frame[*dst as usize] = u64::from(*header);
        }
        _ => {}
    }
    Ok(())
}

fn load_field(code: &Code, frame: &mut [u64], dst: Slot, header: At, offset: u32) {
    let at = dst.at as usize;
    let cells = dst.cells() as usize;
    match header_at(code, frame, header) {
        Some(header) => {
            let from = (header.valid + offset) as usize;
            frame.copy_within(from..from + cells, at);
        }
        None => frame[at..at + cells].fill(0),
    }
}

fn store_field(code: &Code, frame: &mut [u64], header: At, offset: u32, src: Slot) {
    if let Some(header) = header_at(code, frame, header) {
        let from = src.at as usize;
        frame.copy_within(from..from + src.cells() as usize, (header.valid + offset) as usize);
    }
}

/// Moves all members of one element of a stack to another element.
fn move_element(code: &Code, frame: &mut [u64], elements: &[Vec<u32>], from: usize, to: usize) {
    for (src, dst) in elements[from].iter().zip(&elements[to]) {
        copy_header(frame, &code.headers[*dst as usize], &code.headers[*src as usize]);
    }
}

fn clear_element(code: &Code, frame: &mut [u64], element: &[u32]) {
    for header in element {
        let header = &code.headers[*header as usize];
        let at = header.valid as usize;
        frame[at..=at + header.cells as usize].fill(0);
    }
}

fn push(code: &Code, frame: &mut [u64], stack: u32, count: usize) {
    let (elements, next_index) = &code.stacks[stack as usize];
    let size = elements.len();
    for to in (count..size).rev() {
        move_element(code, frame, elements, to - count, to);
    }
    for element in elements.iter().take(count) {
        clear_element(code, frame, element);
    }
    let next = get(frame, *next_index).saturating_add(count as u64);
    frame[*next_index as usize] = next.min(size as u64);
}

fn pop(code: &Code, frame: &mut [u64], stack: u32, count: usize) {
    let (elements, next_index) = &code.stacks[stack as usize];
    let size = elements.len();
    for to in 0..size.saturating_sub(count) {
        move_element(code, frame, elements, to + count, to);
    }
    for element in elements.iter().skip(size.saturating_sub(count)) {
        clear_element(code, frame, element);
    }
    frame[*next_index as usize] = get(frame, *next_index).saturating_sub(count as u64);
}
