//! Prints one operation as Rust statements.

use std::fmt::Write;

use super::packet;
use super::translate::{Route, actions_of, route};
use crate::engine::code::{At, Code, Data, Op, Pc, Piece, Site};
use crate::engine::layout::Slot;
use crate::limbs::low_mask;
use p4_lang::ir::HashAlgorithm;

/// Copies of more limbs than this become loops.
const UNROLLED: u32 = 16;

/// Prints a limb that is read; constants become literals.
pub(super) fn limb(code: &Code, at: At) -> String {
    match code.constant(at) {
        Some(value) => format!("{value:#x}"),
        None => format!("f[{at}]"),
    }
}

/// Prints several limbs, separated by commas.
fn limbs(code: &Code, first: At, count: u32) -> String {
    (first..first + count).map(|at| limb(code, at)).collect::<Vec<_>>().join(", ")
}

/// Prints bits of a limb, rotated and masked.
pub(super) fn piece(code: &Code, piece: &Piece) -> String {
    let a = limb(code, At::from(piece.a));
    let turned = if piece.turn == 0 { a } else { format!("{a}.rotate_left({})", piece.turn) };
    // `rotate_left` needs a literal with a type.
    let turned = if turned.starts_with("0x") { turned.replacen('.', "_u64.", 1) } else { turned };
    if piece.mask == u64::MAX { turned } else { format!("{turned} & {:#x}", piece.mask) }
}

/// Prints an operation.
pub(super) fn print(code: &Code, pc: Pc, op: Op, out: &mut String) {
    let text = arithmetic(code, op)
        .or_else(|| jump(code, pc, op))
        .or_else(|| state(code, op))
        .or_else(|| hash(code, op))
        .or_else(|| packet::statement(code, op))
        .unwrap_or_else(|| {
            format!("if let Err(error) = r.operation(f, {pc}) {{ return Ending::Rejected(error); }}")
        });
    let _ = writeln!(out, "{text}");
}

fn arithmetic(code: &Code, op: Op) -> Option<String> {
    let v = |at| limb(code, at);
    let kept = |text: String, cut: u8| if cut == 0 { text } else { format!("words::keep({text}, {cut})") };
    let (dst, value) = match op {
        Op::Copy { dst, src } => (dst, v(src)),
        Op::CopyMany { dst, src, count } => return Some(copy_many(code, dst, src, count)),
        Op::Clear { dst, count } if count <= UNROLLED => {
            return Some((dst..dst + count).map(|at| format!("f[{at}] = 0; ")).collect());
        }
        Op::Clear { dst, count } => return Some(format!("f[{dst}..{}].fill(0);", dst + count)),
        Op::Cut { dst, src, cut } => (dst, kept(v(src), cut)),
        Op::SignExtend { dst, src, from, cut } => {
            (dst, format!("words::sign_extend({}, {from}, {cut})", v(src)))
        }
        Op::Add { dst, a, b, cut } => (dst, kept(format!("u64::wrapping_add({}, {})", v(a), v(b)), cut)),
        Op::Sub { dst, a, b, cut } => (dst, kept(format!("u64::wrapping_sub({}, {})", v(a), v(b)), cut)),
        Op::Mul { dst, a, b, cut } => (dst, kept(format!("u64::wrapping_mul({}, {})", v(a), v(b)), cut)),
        Op::Not { dst, a, cut } => (dst, kept(format!("!{}", v(a)), cut)),
        Op::And { dst, a, b } => (dst, format!("{} & {}", v(a), v(b))),
        Op::Or { dst, a, b } => (dst, format!("{} | {}", v(a), v(b))),
        Op::Xor { dst, a, b } => (dst, format!("{} ^ {}", v(a), v(b))),
        Op::Concat { dst, a, b, low_width } => (dst, format!("{} << {low_width} | {}", v(a), v(b))),
        Op::Slice { dst, a, by, cut } => (dst, kept(format!("{} >> {by}", v(a)), cut)),
        Op::Insert { dst, a, low, width } => {
            let mask = low_mask(u32::from(width)) << low;
            (dst, format!("f[{dst}] & {:#x} | {} << {low} & {mask:#x}", !mask, v(a)))
        }
        Op::Place { dst, a, base, cut, by, to } => {
            (dst, format!("{} | {} << {cut} >> {by} << {to}", v(base), v(a)))
        }
        Op::Gather { first, count } => {
            let pieces = &code.pieces[first as usize..][..count as usize];
            let one = |p: &Piece| {
                let base = v(At::from(p.base));
                let base = if base == "0x0" { String::new() } else { format!("{base} | ") };
                format!("f[{}] = {base}{};", p.dst, piece(code, p))
            };
            return Some(pieces.iter().map(one).collect::<Vec<_>>().join("\n"));
        }
        Op::AddLimbs { dst, a, b, count, cut } => return Some(chain(code, "add", dst, (a, b), count, cut)),
        Op::SubLimbs { dst, a, b, count, cut } => {
            return Some(chain(code, "subtract", dst, (a, b), count, cut));
        }
        Op::ShiftLeft { dst, a, b, cut } => (dst, format!("words::shift_left({}, {}, {cut})", v(a), v(b))),
        Op::ShiftRight { dst, a, b } => (dst, format!("words::shift_right({}, {})", v(a), v(b))),
        Op::Equal { dst, a, b } => (dst, format!("u64::from({} == {})", v(a), v(b))),
        Op::NotEqual { dst, a, b } => (dst, format!("u64::from({} != {})", v(a), v(b))),
        Op::Less { dst, a, b } => (dst, format!("u64::from({} < {})", v(a), v(b))),
        Op::LessEqual { dst, a, b } => (dst, format!("u64::from({} <= {})", v(a), v(b))),
        _ => return None,
    };
    Some(format!("f[{dst}] = {value};"))
}

/// Prints a copy of limbs that may overlap.
fn copy_many(code: &Code, dst: At, src: At, count: u32) -> String {
    if count > UNROLLED {
        return format!("f.copy_within({src}..{}, {dst});", src + count);
    }
    let one = |limb_: u32| format!("f[{}] = {};", dst + limb_, limb(code, src + limb_));
    // In an order that reads every limb before it is overwritten.
    let order: Vec<u32> = if dst <= src { (0..count).collect() } else { (0..count).rev().collect() };
    order.into_iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Prints a sum or difference of limbs; the last limb is masked.
fn chain(code: &Code, what: &str, dst: At, (a, b): (At, At), count: u8, cut: u8) -> String {
    let mut out = String::from("{ let carry = false; ");
    for index in 0..u32::from(count) {
        let (a, b) = (limb(code, a + index), limb(code, b + index));
        let _ = write!(out, "let (limb, carry) = words::{what}({a}, {b}, carry); ");
        let cut = if index + 1 == u32::from(count) { cut } else { 0 };
        let _ = write!(out, "f[{}] = words::keep(limb, {cut}); ", dst + index);
    }
    out.push_str("let _ = carry; }");
    out
}

/// Prints the transition from one operation to another.
fn go(code: &Code, from: Pc, to: Pc) -> String {
    match route(code, from, to) {
        Route::Ends(op) => jump(code, to, op).unwrap_or_default(),
        Route::Back(to) => format!("return Ending::Back({to});"),
        Route::On => format!("break 'to_{to};"),
    }
}

fn jump(code: &Code, pc: Pc, op: Op) -> Option<String> {
    let v = |at| limb(code, at);
    let masked = |a, mask: At| format!("{} & {} == {}", v(a), v(mask), v(mask + 1));
    let (condition, to) = match op {
        Op::Jump { to } => return Some(go(code, pc, to)),
        Op::JumpBack { to } => {
            return Some(format!("if !r.jump_back() {{ return Ending::TooLong; }} {}", go(code, pc, to)));
        }
        Op::JumpIf { a, to } => (format!("{} != 0", v(a)), to),
        Op::JumpUnless { a, to } => (format!("{} == 0", v(a)), to),
        Op::JumpEqual { a, b, to } => (format!("{} == {}", v(a), v(b)), to),
        Op::JumpNotEqual { a, b, to } => (format!("{} != {}", v(a), v(b)), to),
        Op::JumpMasked { a, mask, to } => (masked(a, mask), to),
        Op::JumpNotMasked { a, mask, to } => (format!("!({})", masked(a, mask)), to),
        Op::JumpLess { a, b, to } => (format!("{} < {}", v(a), v(b)), to),
        Op::JumpNotLess { a, b, to } => (format!("{} >= {}", v(a), v(b)), to),
        Op::JumpTable { a, table } => {
            let table = &code.switches[table as usize];
            let mut out = format!("match {} {{ ", v(a));
            for (value, to) in table.values.iter().zip(&table.targets) {
                let _ = write!(out, "{value:#x} => {{ {} }} ", go(code, pc, *to));
            }
            let _ = write!(out, "_ => {{ {} }} }}", go(code, pc, table.otherwise));
            return Some(out);
        }
        Op::End => return Some("return Ending::Done;".to_owned()),
        Op::Return => return Some("return Ending::Returned;".to_owned()),
        Op::Reject { error } => return Some(format!("return Ending::Rejected({});", v(error))),
        Op::Call { to } => {
            return Some(format!(
                "match run({to}, f, r) {{ Ending::Returned => {{}} ending => return ending }}"
            ));
        }
        _ => return None,
    };
    Some(format!("if {condition} {{ {} }}", go(code, pc, to)))
}

fn state(code: &Code, op: Op) -> Option<String> {
    let v = |at| limb(code, at);
    Some(match op {
        Op::Apply(site) => {
            let mut actions = String::new();
            for entry in actions_of(code, site) {
                let _ = write!(actions, "Some({entry}) => run({entry}, f, r), ");
            }
            format!(
                "match match r.apply(f, {site}) {{ {actions}Some(other) => run(other, f, r), None => Ending::Returned }} \
                 {{ Ending::Returned => {{}} ending => return ending }}"
            )
        }
        Op::RegisterRead { register, dst, index } => {
            format!("f[{dst}] = r.read({register}, {});", v(index))
        }
        Op::RegisterWrite { register, index, src } => {
            format!("r.write({register}, {}, {});", v(index), v(src))
        }
        Op::RegisterReadLimbs { register, dst, index, count } => {
            let mut out = format!("{{ let e = r.read_limbs::<{count}>({register}, {}); ", v(index));
            for index in 0..u32::from(count) {
                let _ = write!(out, "f[{}] = e[{index}]; ", dst + index);
            }
            out + "}"
        }
        Op::RegisterWriteLimbs { register, index, src, count } => {
            format!("r.write_limbs({register}, {}, [{}]);", v(index), limbs(code, src, u32::from(count)))
        }
        _ => return None,
    })
}

/// Prints hashes whose data are limbs or pieces and whose result fits into one limb.
fn hash(code: &Code, op: Op) -> Option<String> {
    let Op::Site(site) = op else { return None };
    let value = |slot: Slot| (slot.limbs() == 1 && !slot.is_varbit()).then(|| limb(code, slot.at));
    match code.sites.get(site as usize)? {
        Site::Hash { dst, algorithm, base, data, max } => {
            let hash = digest_of(code, *algorithm, data)?;
            let (_, base, max) = (value(*dst)?, value(*base)?, value(*max)?);
            let mask = low_mask(dst.width());
            Some(format!(
                "f[{}] = u64::wrapping_add({base}, words::remainder({hash}, {max})) & {mask:#x};",
                dst.at
            ))
        }
        Site::Checksum { data, field, algorithm, with_payload: false, update } => {
            let hash = digest_of(code, *algorithm, data)?;
            let field_now = value(*field)?;
            let mask = low_mask(field.width());
            Some(if *update {
                format!("f[{}] = {hash} & {mask:#x};", field.at)
            } else {
                format!("if {hash} & {mask:#x} != {field_now} {{ r.wrong_checksum(); }}")
            })
        }
        _ => None,
    }
}

/// Prints the hash of data as an expression.
fn digest_of(code: &Code, algorithm: HashAlgorithm, data: &Data) -> Option<String> {
    match (algorithm, data) {
        (HashAlgorithm::Crc32, Data::Packed { at, limbs: count, bytes }) => {
            Some(format!("words::crc32([{}], {bytes})", limbs(code, *at, *count)))
        }
        (HashAlgorithm::Csum16, Data::Sum { first, count }) => {
            let pieces = &code.pieces[*first as usize..][..*count as usize];
            let sum =
                pieces.iter().fold("0".to_owned(), |sum, p| format!("words::sum({sum}, {})", piece(code, p)));
            Some(format!("words::checksum({sum})"))
        }
        _ => None,
    }
}
