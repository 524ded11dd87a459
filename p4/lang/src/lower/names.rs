//! Names, annotations and ids for the control plane.
//!
//! Ids are those of p4c: the object type in the upper byte, and 24 bits of a hash of the name. On a collision, the next
//! free id is used; names are processed in alphabetical order.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::ToPrimitive as _;

use super::Lowerer;
use super::target::IdClash;
use crate::diagnostic::codes;
use crate::hir::{Expr, ExprKind, Type};
use crate::ir::{ActionId, MatchKind, Preamble};
use crate::lex::{Tok, quoted, to_text};
use crate::syntax::ast::{Annotation, AnnotationBody, Annotations};

/// The upper bytes of ids (`P4Ids` of the P4Runtime specification).
mod prefix {
    pub(super) const ACTION: u32 = 0x01;
    pub(super) const TABLE: u32 = 0x02;
    pub(super) const VALUE_SET: u32 = 0x03;
    pub(super) const CONTROLLER_HEADER: u32 = 0x04;
    pub(super) const ACTION_PROFILE: u32 = 0x11;
    pub(super) const COUNTER: u32 = 0x12;
    pub(super) const DIRECT_COUNTER: u32 = 0x13;
    pub(super) const METER: u32 = 0x14;
    pub(super) const DIRECT_METER: u32 = 0x15;
    pub(super) const REGISTER: u32 = 0x16;
    pub(super) const DIGEST: u32 = 0x17;
}

fn find<'a>(annotations: &'a Annotations, name: &str) -> Option<&'a Annotation> {
    annotations.iter().find(|a| &*a.name.name == name)
}

/// The rank that `@priority(n)` gives a constant entry. It is not part of the specification, but p4c and bmv2 support
/// it.
pub(crate) fn rank_annotation(annotations: &Annotations) -> Option<u32> {
    find(annotations, "priority").and_then(number_of)
}

/// Concatenates the strings among the tokens of an annotation.
fn string_of(annotation: &Annotation) -> Option<String> {
    let AnnotationBody::Tokens(tokens) = &annotation.body else { return None };
    let parts: Vec<&str> = tokens
        .iter()
        .filter_map(|t| match &t.tok {
            Tok::Str(text) => Some(&**text),
            _ => None,
        })
        .collect();
    (!parts.is_empty()).then(|| parts.concat())
}

pub(super) fn number_of(annotation: &Annotation) -> Option<u32> {
    let AnnotationBody::Tokens(tokens) = &annotation.body else { return None };
    match tokens.first().map(|t| &t.tok) {
        Some(Tok::Int(n)) => n.value.to_u32(),
        _ => None,
    }
}

impl Lowerer<'_> {
    pub(super) fn name_annotation(&self, annotations: &Annotations) -> Option<String> {
        find(annotations, "name").and_then(string_of)
    }

    pub(super) fn id_annotation(&self, annotations: &Annotations) -> Option<u32> {
        find(annotations, "id").and_then(number_of)
    }

    /// Returns the match kind of `@match(kind)` of a value set's field.
    pub(super) fn match_annotation(&self, annotations: &Annotations) -> MatchKind {
        let Some(AnnotationBody::Tokens(tokens)) = find(annotations, "match").map(|a| &a.body) else {
            return MatchKind::Exact;
        };
        tokens.first().and_then(|t| t.ident()).map_or(MatchKind::Exact, |n| super::table::match_kind(n))
    }

    /// Returns the full name of a declaration under `path`; `@name(".x")` is absolute.
    pub(super) fn join(&self, path: &str, name: &str, annotations: &Annotations) -> String {
        let name = self.name_annotation(annotations).unwrap_or_else(|| name.to_owned());
        match name.strip_prefix('.') {
            Some(absolute) => absolute.to_owned(),
            None if path.is_empty() => name,
            None => format!("{path}.{name}"),
        }
    }

    pub(super) fn preamble(&mut self, path: &str, name: &str, annotations: &Annotations) -> Preamble {
        if let Some(id) = find(annotations, "id")
            && number_of(id).is_none()
        {
            self.error(codes::BAD_ANNOTATION, id.span, "`@id` takes a number");
        }
        let name = self.join(path, name, annotations);
        if let Some(id) = find(annotations, "id") {
            self.record_id(&name, id.span);
        }
        Preamble {
            id: self.id_annotation(annotations).unwrap_or(0),
            name,
            alias: String::new(),
            annotations: self.annotation_texts(annotations),
            position: Vec::new(),
        }
    }

    /// Returns the annotations as text, without `@name` and `@id`, which P4Info represents otherwise.
    pub(super) fn annotation_texts(&self, annotations: &Annotations) -> Vec<String> {
        let shown = |a: &&Annotation| !matches!(&*a.name.name, "name" | "id") || is_structured(a);
        annotations.iter().filter(shown).map(|a| self.annotation_text(a)).collect()
    }

    /// Returns all annotations as text.
    pub(super) fn all_annotation_texts(&self, annotations: &Annotations) -> Vec<String> {
        annotations.iter().map(|a| self.annotation_text(a)).collect()
    }

    /// Returns the ids of fields, parameters or keys in order: those given by `@id`, and otherwise the position from 1.
    pub(super) fn field_ids<'a>(&self, all: impl Iterator<Item = &'a Annotations>) -> Vec<u32> {
        let given: Vec<Option<u32>> = all.map(|annotations| self.id_annotation(annotations)).collect();
        let mut taken: BTreeSet<u32> = given.iter().flatten().copied().collect();
        let mut next = 1u32;
        let mut ids = Vec::with_capacity(given.len());
        for given in given {
            ids.push(given.unwrap_or_else(|| {
                while !taken.insert(next) {
                    next += 1;
                }
                next
            }));
            next += u32::from(given.is_some());
        }
        ids
    }

    fn annotation_text(&self, annotation: &Annotation) -> String {
        let name = &annotation.name.name;
        match &annotation.body {
            AnnotationBody::Tokens(tokens) if tokens.is_empty() => format!("@{name}"),
            AnnotationBody::Tokens(tokens) => {
                // Unknown characters in an annotation are not part of its text.
                let known = tokens.iter().filter(|t| !matches!(t.tok, Tok::Bad(..)));
                format!("@{name}({})", to_text(known, self.sources))
            }
            AnnotationBody::List(_) => format!("@{name}[{}]", self.annotation_values(annotation).join(", ")),
            AnnotationBody::Map(pairs) => {
                let values = self.annotation_values(annotation);
                let pairs: Vec<String> = pairs
                    .iter()
                    .zip(values)
                    .map(|((key, _), value)| format!("{} = {value}", key.name))
                    .collect();
                format!("@{name}[{}]", pairs.join(", "))
            }
        }
    }

    /// Returns the values of a structured annotation as literals.
    fn annotation_values(&self, annotation: &Annotation) -> Vec<String> {
        let values = self.module.annotation_values.get(&annotation.span);
        let text = |value: &Expr| match &value.kind {
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Int(value) => value.to_string(),
            ExprKind::Str(value) => quoted(value),
            _ => self.sources.text(value.span).to_owned(),
        };
        values.map(|values| values.iter().map(text).collect()).unwrap_or_default()
    }

    /// Returns the name of a user-defined type that P4Info describes: `type`, enum or `error`.
    pub(super) fn user_type_name(&mut self, ty: &Type) -> Option<String> {
        match ty {
            Type::New(_) | Type::Enum(_) | Type::Error => {
                self.data_type(ty);
                Some(self.type_name(ty))
            }
            _ => None,
        }
    }

    /// Assigns ids and aliases to all objects.
    pub(super) fn assign_ids(&mut self) {
        let (program, listed) = (&mut self.program, &self.listed);
        let mut all: Vec<(u32, String, &mut Preamble)> = Vec::new();
        let named = |prefix: u32| {
            move |preamble| {
                let preamble: &mut Preamble = preamble;
                (prefix, preamble.name.clone(), preamble)
            }
        };
        // An action that only other actions call is part of these.
        let actions = program.actions.iter_mut().zip(0..).filter(|(_, i)| listed.contains(&ActionId(*i)));
        all.extend(actions.map(|(a, _)| &mut a.preamble).map(named(prefix::ACTION)));
        all.extend(program.tables.iter_mut().map(|t| &mut t.preamble).map(named(prefix::TABLE)));
        all.extend(program.value_sets.iter_mut().map(|v| &mut v.preamble).map(named(prefix::VALUE_SET)));
        // The id is that of the header type; the name is that of its annotation.
        all.extend(
            program
                .controller_headers
                .iter_mut()
                .map(|c| (prefix::CONTROLLER_HEADER, c.type_name.clone(), &mut c.preamble)),
        );
        let profiles = program.action_profiles.iter_mut().map(|a| &mut a.preamble);
        all.extend(profiles.map(named(prefix::ACTION_PROFILE)));
        for counter in &mut program.counters {
            let prefix = if counter.direct { prefix::DIRECT_COUNTER } else { prefix::COUNTER };
            all.push(named(prefix)(&mut counter.preamble));
        }
        for meter in &mut program.meters {
            let prefix = if meter.direct { prefix::DIRECT_METER } else { prefix::METER };
            all.push(named(prefix)(&mut meter.preamble));
        }
        all.extend(program.registers.iter_mut().map(|r| &mut r.preamble).map(named(prefix::REGISTER)));
        all.extend(program.digests.iter_mut().map(|d| &mut d.preamble).map(named(prefix::DIGEST)));
        let names: BTreeSet<String> = all.iter().map(|(_, _, p)| p.name.clone()).collect();
        let aliases = aliases(&names);
        let ids = identifiers(&all);
        let clashes = clashes(&all);
        for (prefix, key, preamble) in all {
            preamble.alias = aliases.get(&preamble.name).cloned().unwrap_or_default();
            preamble.id = if is_hidden(preamble) { 0 } else { ids.get(&(prefix, key)).copied().unwrap_or(0) };
        }
        if self.p4info {
            self.check_ids(&clashes);
        }
    }

    /// Returns the name that `@controller_header` gives.
    pub(super) fn controller_header_name(annotations: &Annotations) -> Option<String> {
        find(annotations, "controller_header").and_then(string_of)
    }
}

fn is_structured(annotation: &Annotation) -> bool {
    !matches!(annotation.body, AnnotationBody::Tokens(_))
}

fn is_hidden(preamble: &Preamble) -> bool {
    preamble.annotations.iter().any(|a| a == "@hidden")
}

/// Returns the whole id that `@id` gives.
fn given_id(prefix: u32, preamble: &Preamble) -> Option<u32> {
    match preamble.id {
        0 => None,
        id if id >> 24 == 0 => Some(prefix << 24 | id),
        id => Some(id),
    }
}

/// Returns the objects whose id another object before them has. Objects of one kind with the same name are reported
/// separately.
fn clashes(all: &[(u32, String, &mut Preamble)]) -> Vec<IdClash> {
    let mut owners: BTreeMap<u32, (u32, &str)> = BTreeMap::new();
    let mut found = Vec::new();
    for (prefix, _, preamble) in all {
        let Some(id) = given_id(*prefix, preamble).filter(|_| !is_hidden(preamble)) else { continue };
        let owner = *owners.entry(id).or_insert((*prefix, &preamble.name));
        if owner != (*prefix, &*preamble.name) {
            found.push(IdClash { id, first: owner.1.to_owned(), second: preamble.name.clone() });
        }
    }
    found
}

fn identifiers(all: &[(u32, String, &mut Preamble)]) -> BTreeMap<(u32, String), u32> {
    let mut ids: BTreeMap<(u32, String), u32> = BTreeMap::new();
    let mut taken: BTreeSet<u32> = BTreeSet::new();
    for (prefix, key, preamble) in all {
        if let Some(id) = given_id(*prefix, preamble) {
            taken.insert(id);
            ids.insert((*prefix, key.clone()), id);
        }
    }
    let names: BTreeSet<(u32, String)> = all.iter().map(|(p, key, _)| (*p, key.clone())).collect();
    for key in names {
        if ids.contains_key(&key) {
            continue;
        }
        let mut hash = one_at_a_time(key.1.as_bytes());
        let id = loop {
            let id = key.0 << 24 | (hash & 0x00ff_ffff);
            if id & 0x00ff_ffff != 0 && taken.insert(id) {
                break id;
            }
            hash = hash.wrapping_add(1);
        };
        ids.insert(key, id);
    }
    ids
}

/// Jenkins's one-at-a-time hash.
fn one_at_a_time(key: &[u8]) -> u32 {
    let mut hash = 0u32;
    for byte in key {
        hash = hash.wrapping_add(u32::from(*byte));
        hash = hash.wrapping_add(hash << 10);
        hash ^= hash >> 6;
    }
    hash = hash.wrapping_add(hash << 3);
    hash ^= hash >> 11;
    hash.wrapping_add(hash << 15)
}

/// Returns the shortest suffix of each name, in whole components, that no other name ends with.
fn aliases(names: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut endings: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    for name in names {
        let parts: Vec<&str> = name.split('.').rev().collect();
        for length in 1..=parts.len() {
            *endings.entry(parts[..length].to_vec()).or_insert(0) += 1;
        }
    }
    names
        .iter()
        .map(|name| {
            let parts: Vec<&str> = name.split('.').rev().collect();
            let unique = (1..=parts.len())
                .find(|length| endings.get(&parts[..*length]) == Some(&1))
                .unwrap_or(parts.len());
            let alias: Vec<&str> = parts[..unique].iter().rev().copied().collect();
            (name.clone(), alias.join("."))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_the_shortest_unique_suffixes() {
        let names = ["d.a.c", "e.b.c", "x"].map(str::to_owned).into();
        let aliases = aliases(&names);
        assert_eq!(aliases["d.a.c"], "a.c");
        assert_eq!(aliases["e.b.c"], "b.c");
        assert_eq!(aliases["x"], "x");
    }

    #[test]
    fn identifiers_of_p4c() {
        // NoAction has this identifier in every P4Info of p4c.
        assert_eq!(prefix::ACTION << 24 | (one_at_a_time(b"NoAction") & 0x00ff_ffff), 21_257_015);
    }
}
