//! Finds objects of the program by id or name.

use p4_lang::ir::Preamble;

use crate::control::ObjectRef;
use crate::error::ControlError;

/// Returns the index of the object that `reference` refers to. An exact name or alias takes precedence over a suffix.
pub(crate) fn find<'a>(
    kind: &str,
    objects: impl Iterator<Item = &'a Preamble> + Clone,
    reference: ObjectRef<'_>,
) -> Result<usize, ControlError> {
    let missing = || ControlError::not_found(format!("{kind} {reference}"));
    let name = match reference {
        ObjectRef::Id(id) => {
            return objects.clone().position(|p| p.id == id && id != 0).ok_or_else(missing);
        }
        ObjectRef::Name(name) => name,
    };
    let exact = objects.clone().position(|p| p.name == name);
    if let Some(index) = exact.or_else(|| objects.clone().position(|p| p.alias == name)) {
        return Ok(index);
    }
    let is_suffix =
        |p: &Preamble| p.name.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    let found: Vec<(usize, &Preamble)> = objects.enumerate().filter(|(_, p)| is_suffix(p)).collect();
    match found.as_slice() {
        [] => Err(missing()),
        [(index, _)] => Ok(*index),
        several => Err(ControlError::Ambiguous {
            name: name.to_owned(),
            candidates: several.iter().map(|(_, p)| p.name.clone()).collect(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(reference: ObjectRef<'_>, expected: Result<usize, &str>) {
        let preamble = |id, name: &str, alias: &str| Preamble {
            id,
            name: name.to_owned(),
            alias: alias.to_owned(),
            ..Preamble::default()
        };
        let objects =
            [preamble(1, "ingress.a.t", "a.t"), preamble(2, "ingress.b.t", "b.t"), preamble(0, "hidden", "")];
        let found = find("table", objects.iter(), reference).map_err(|e| e.to_string());
        assert_eq!(found.as_ref().map(|i| *i).map_err(String::as_str), expected);
    }

    #[test]
    fn finds_by_id_name_alias_and_suffix() {
        check(ObjectRef::Id(2), Ok(1));
        check(ObjectRef::Id(0), Err("table id 0x00000000 does not exist"));
        check("ingress.a.t".into(), Ok(0));
        check("b.t".into(), Ok(1));
        check("t".into(), Err("t is ambiguous: ingress.a.t or ingress.b.t; use a longer suffix"));
        check("x".into(), Err("table x does not exist"));
        check("hidden".into(), Ok(2));
    }
}
