//! Converts names and numbers of a test to entries.

use p4_lang::ir::{ActionId, Bits, Key, MatchKind, Program, ScalarKind, Table};

use super::parse::{Call, MatchText};
use crate::control::{ActionCall, EntryKey, FieldMatch};
use crate::limbs;

type Converted<T> = Result<T, String>;

/// Looks up a table by name.
pub(super) fn table<'p>(program: &'p Program, name: &str) -> Converted<&'p Table> {
    if let Some(table) = program.tables.iter().find(|t| t.preamble.name == name) {
        return Ok(table);
    }
    let found: Vec<&Table> = program.tables.iter().filter(|t| t.preamble.name.ends_with(name)).collect();
    match found.as_slice() {
        [table] => Ok(table),
        [] => Err(format!("table {name} does not exist")),
        several => {
            let names: Vec<&str> = several.iter().map(|t| t.preamble.name.as_str()).collect();
            Err(format!("table {name} is ambiguous: {}", names.join(" or ")))
        }
    }
}

/// Returns an action of a table with its arguments.
pub(super) fn action(program: &Program, table: &Table, call: &Call) -> Converted<ActionCall> {
    let of_table = table.actions.iter().map(|a| a.action).collect();
    action_of(program, of_table, &format!("table {}", table.preamble.name), call)
}

/// Returns the action of a member of an action profile: an action of a table that uses the profile.
pub(super) fn member_action(program: &Program, profile: &str, call: &Call) -> Converted<ActionCall> {
    let uses = |table: &&Table| {
        let profile_of = table.implementation.and_then(|id| program.action_profiles.get(id.index()));
        profile_of.is_some_and(|p| p.preamble.name.ends_with(profile))
    };
    let mut of_tables: Vec<ActionId> =
        program.tables.iter().filter(uses).flat_map(|t| t.actions.iter().map(|a| a.action)).collect();
    of_tables.sort();
    of_tables.dedup();
    action_of(program, of_tables, &format!("profile {profile}"), call)
}

fn action_of(program: &Program, allowed: Vec<ActionId>, owner: &str, call: &Call) -> Converted<ActionCall> {
    let actions = || allowed.iter().filter_map(|a| Some((*a, program.actions.get(a.index())?)));
    let exact = actions().find(|(_, a)| a.preamble.name == call.action);
    let found = match exact {
        Some(found) => found,
        None => {
            let mut ending = actions().filter(|(_, a)| a.preamble.name.ends_with(&call.action));
            let first = ending.next();
            let missing = || format!("{owner} has no action {}", call.action);
            match ending.next() {
                None => first.ok_or_else(missing)?,
                Some(_) => return Err(format!("action {} is ambiguous", call.action)),
            }
        }
    };
    let (id, action) = found;
    let mut args: Vec<Option<Bits>> = vec![None; action.params.len()];
    for (index, (name, value)) in call.args.iter().enumerate() {
        let at = match name {
            Some(name) => action.params.iter().position(|p| p.name == *name),
            None => Some(index),
        };
        let param = at.and_then(|at| Some((at, action.params.get(at)?)));
        let named = name.as_deref().unwrap_or("too many");
        let (at, param) =
            param.ok_or_else(|| format!("action {} has no parameter {named}", action.preamble.name))?;
        let (value, mask) = digits(value, param.kind.width())?;
        if mask != Bits::ones(param.kind.width()) {
            return Err(format!("parameter {named}: wildcard digits are not allowed"));
        }
        if let Some(slot) = args.get_mut(at) {
            *slot = Some(value);
        }
    }
    let given = action.params.iter().zip(args);
    let args = given
        .map(|(param, arg)| arg.ok_or_else(|| format!("parameter {} is missing", param.name)))
        .collect::<Converted<Vec<_>>>()?;
    Ok(ActionCall { action: id, args })
}

/// Returns the key of an entry. Components that are not listed are 0 if exact, otherwise don't care.
pub(super) fn key(table: &Table, priority: Option<i32>, texts: &[MatchText]) -> Converted<EntryKey> {
    let keys: Vec<&Key> = table.keys.iter().filter(|k| k.match_kind != MatchKind::Selector).collect();
    let mut matches: Vec<FieldMatch> = keys
        .iter()
        .map(|k| match k.match_kind {
            MatchKind::Exact => FieldMatch::Exact(Bits::new(k.expr.ty.width(), 0)),
            _ => FieldMatch::Any,
        })
        .collect();
    for text in texts {
        let at = component(&keys, &text.key).ok_or_else(|| {
            format!("the key of table {} has no component {}", table.preamble.name, text.key)
        })?;
        if let (Some(slot), Some(key)) = (matches.get_mut(at), keys.get(at)) {
            let width = key.expr.ty.width();
            *slot =
                field_match(key.match_kind, width, &text.value).map_err(|e| format!("{}: {e}", text.key))?;
        }
    }
    let by_priority =
        |k: &&Key| matches!(k.match_kind, MatchKind::Ternary | MatchKind::Range | MatchKind::Optional);
    let needs_priority = keys.iter().any(by_priority);
    // STF priorities start at 0, those of the control plane at 1.
    let priority = if needs_priority { priority.unwrap_or(0).saturating_add(1).max(1) } else { 0 };
    Ok(EntryKey { matches, priority })
}

/// Finds a component by name, by suffix, or by the STF notation for validity and stack elements.
fn component(keys: &[&Key], wanted: &str) -> Option<usize> {
    let wanted = stack_index(wanted);
    let plain = |name: &str| name.replace(".isValid()", ".$valid$").trim_end_matches('$').to_owned();
    let spellings = [
        wanted.clone(),
        format!("{wanted}.$valid"),
        wanted.strip_suffix("valid").map_or_else(|| wanted.clone(), |w| format!("{w}$valid")),
    ];
    let names: Vec<String> = keys.iter().map(|k| plain(&k.name)).collect();
    let spellings: Vec<String> = spellings.iter().map(|s| plain(s)).collect();
    let exact = spellings.iter().find_map(|s| names.iter().position(|n| n == s));
    exact.or_else(|| spellings.iter().find_map(|s| names.iter().position(|n| n.ends_with(&format!(".{s}")))))
}

/// Rewrites `a$0.f` as `a[0].f`.
fn stack_index(name: &str) -> String {
    let Some((before, after)) = name.rsplit_once('$') else { return name.to_owned() };
    let digits = after.chars().take_while(char::is_ascii_digit).count();
    match digits {
        0 => name.to_owned(),
        _ => format!("{before}[{}]{}", &after[..digits], &after[digits..]),
    }
}

/// Converts the text of a component's match.
pub(super) fn field_match(kind: MatchKind, width: u32, text: &str) -> Converted<FieldMatch> {
    if let Some((value, bits)) = text.split_once('/') {
        let bits = bits.parse().map_err(|_| format!("{bits} is not a prefix length"))?;
        let (value, _) = digits(value, width)?;
        let mask = crate::table::key::prefix_mask(width, bits);
        let value = masked(&value, &mask);
        return Ok(match kind {
            MatchKind::Lpm => FieldMatch::Lpm { value, prefix_bits: bits },
            _ => FieldMatch::Ternary { value, mask },
        });
    }
    if let Some((value, mask)) = text.split_once("&&&") {
        let (value, mask) = (digits(value, width)?.0, digits(mask, width)?.0);
        return Ok(FieldMatch::Ternary { value: masked(&value, &mask), mask });
    }
    if let Some((low, high)) = text.split_once("..").or_else(|| text.split_once("->")) {
        return Ok(FieldMatch::Range { low: digits(low, width)?.0, high: digits(high, width)?.0 });
    }
    let (value, mask) = digits(text, width)?;
    let full = mask == Bits::ones(width);
    match kind {
        MatchKind::Ternary => Ok(FieldMatch::Ternary { value, mask }),
        MatchKind::Lpm => lpm(text, width, value),
        _ if full => Ok(FieldMatch::Exact(value)),
        MatchKind::Optional | MatchKind::Range if limbs::compare(mask.limbs(), &[0]).is_eq() => {
            Ok(FieldMatch::Any)
        }
        _ => Err("wildcard digits are not allowed here".to_owned()),
    }
}

/// The number of digits determines the prefix length; a decimal number is a full-length prefix.
fn lpm(text: &str, width: u32, value: Bits) -> Converted<FieldMatch> {
    let lower = text.to_ascii_lowercase();
    let bits_per_digit = match lower.get(..2) {
        Some("0x") => 4,
        Some("0b") => 1,
        _ => return Ok(FieldMatch::Lpm { value, prefix_bits: width }),
    };
    let body = &lower[2..];
    let all = body.len() as u32 * bits_per_digit;
    let stars = body.chars().rev().take_while(|c| *c == '*').count() as u32 * bits_per_digit;
    let prefix_bits = match stars {
        0 => width,
        stars if all < width => width - stars,
        stars => width.saturating_sub(stars),
    };
    let mask = crate::table::key::prefix_mask(width, prefix_bits);
    Ok(FieldMatch::Lpm { value: masked(&value, &mask), prefix_bits })
}

fn masked(value: &Bits, mask: &Bits) -> Bits {
    Bits::from_limbs(value.width(), value.limbs().iter().zip(mask.limbs()).map(|(v, m)| v & m).collect())
}

/// Converts a number with `*` for wildcard digits to a value and a mask. Missing leading digits are zeros that must
/// match.
fn digits(text: &str, width: u32) -> Converted<(Bits, Bits)> {
    let text = text.trim();
    let lower = text.to_ascii_lowercase();
    let (body, bits_per_digit, radix) = match lower.get(..2) {
        Some("0x") => (&lower[2..], 4, 16),
        Some("0b") => (&lower[2..], 1, 2),
        _ => return decimal(text, width),
    };
    let total = body.len() as u32 * bits_per_digit;
    let size = limbs::count(width.max(total));
    let (mut value, mut wild) = (vec![0u64; size], vec![0u64; size]);
    for (index, digit) in body.chars().rev().enumerate() {
        let by = index as u64 * u64::from(bits_per_digit);
        if digit == '*' {
            limbs::or_shifted_left(&mut wild, &[limbs::low_mask(bits_per_digit)], by);
        } else {
            let digit = digit.to_digit(radix).ok_or_else(|| format!("{text} is not a number"))?;
            limbs::or_shifted_left(&mut value, &[u64::from(digit)], by);
        }
    }
    let cut = Bits::from_limbs(width, value.clone());
    if limbs::compare(cut.limbs(), &value).is_ne() {
        return Err(format!("{text} does not fit into {width} bits"));
    }
    let mask = wild.iter().map(|limb| !limb).collect();
    Ok((cut, Bits::from_limbs(width, mask)))
}

/// Converts a number without wildcard digits.
pub(super) fn number(text: &str, width: u32) -> Converted<Bits> {
    let (value, mask) = digits(text, width)?;
    if mask == Bits::ones(width) {
        Ok(value)
    } else {
        Err(format!("{text}: wildcard digits are not allowed"))
    }
}

fn decimal(text: &str, width: u32) -> Converted<(Bits, Bits)> {
    let value: u128 = text.parse().map_err(|_| format!("{text} is not a number"))?;
    let bits = Bits::new(width, value);
    if bits.to_u128() != Some(value) {
        return Err(format!("{text} does not fit into {width} bits"));
    }
    Ok((bits, Bits::ones(width)))
}

/// Converts a number to the value of a register: to its only component, or to all components from the least
/// significant on.
pub(super) fn register_value(components: &[(String, ScalarKind)], value: u128) -> Vec<Bits> {
    let mut left = value;
    let mut values: Vec<Bits> = components
        .iter()
        .rev()
        .map(|(_, kind)| {
            let bits = Bits::new(kind.width(), left);
            left = left.checked_shr(kind.width()).unwrap_or(0);
            bits
        })
        .collect();
    values.reverse();
    values
}
