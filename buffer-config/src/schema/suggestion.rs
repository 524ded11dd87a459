//! The known name that an unknown name of a table or field probably means.

use super::Leaf;

/// The field of a table that an unknown name probably means.
pub(crate) fn meant(table: &str, name: &str) -> Option<&'static str> {
    nearest(name, super::table(table)?.leaves)
}

/// The most similar of some fields.
pub(super) fn nearest(name: &str, leaves: &'static [Leaf]) -> Option<&'static str> {
    nearest_name(name, leaves.iter().map(|leaf| leaf.name))
}

/// The most similar of some names: blanks around it and capitals do not count. Without a similar one, the only name that
/// starts with the same word or words, such as `profile_list` for `profiles` and `dscp_to_tc_map` for `dscp_to_tc`.
pub(crate) fn nearest_name<'n>(name: &str, names: impl Iterator<Item = &'n str> + Clone) -> Option<&'n str> {
    let name = name.trim().to_ascii_lowercase();
    // Of equally similar names, one that is only longer: `xoff`, not `xon`, for `xof`.
    let distance = |other: &&str| {
        let other = other.to_ascii_lowercase();
        (edit_distance(name.as_bytes(), other.as_bytes()), !other.starts_with(&name))
    };
    let most = if name.len() < LONG_NAME { 2.min(name.len() / 2) } else { 3 };
    let is_similar = |other: &&str| distance(other).0 <= most;
    names.clone().min_by_key(distance).filter(is_similar).or_else(|| {
        // One word alone begins the names of several things.
        let whole = Some(name.as_str()).filter(|name| name.contains('_'));
        let stem = name.strip_suffix('s').or(whole).filter(|stem| stem.len() >= FEWEST_OF_STEM)?;
        let mut longer = names.filter(|other| {
            other.to_ascii_lowercase().strip_prefix(stem).is_some_and(|rest| rest.starts_with('_'))
        });
        longer.next().filter(|_| longer.next().is_none())
    })
}

/// The length from which on three letters may differ.
const LONG_NAME: usize = 10;

/// The fewest letters that two names must share if one continues with another word.
const FEWEST_OF_STEM: usize = 4;

fn edit_distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().take(64).enumerate() {
        let mut diagonal = i;
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
        for (j, y) in b.iter().enumerate() {
            let (Some(left), Some(up)) = (row.get(j).copied(), row.get(j + 1).copied()) else { continue };
            let next = (diagonal + usize::from(x != y)).min(left + 1).min(up + 1);
            diagonal = up;
            if let Some(cell) = row.get_mut(j + 1) {
                *cell = next;
            }
        }
    }
    row.last().copied().unwrap_or_default()
}
