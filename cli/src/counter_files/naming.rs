//! Which switch and which time a path names: `leaf1/20261005T101213Z/COUNTERS_DB.json`, `before/leaf1.json`,
//! `sonic_dump_leaf1_20261005_101213/dump/COUNTERS_DB_1.json`.

use std::path::{Component, Path};

use counters::sonic::{DatabaseName, parse_date};

/// Words that order readings and name no switch, in pairs of first and second.
const FIRST: [&str; 5] = ["before", "first", "start", "old", "t0"];
const SECOND: [&str; 5] = ["after", "second", "end", "new", "t1"];
/// Folders and files that name neither.
const GENERIC: [&str; 12] =
    ["dump", "dumps", "counters", "sonic", "db", "show", "output", "out", "paste", "tmp", "data", "."];

/// What a path names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// The switch.
    pub(super) switch: Option<String>,
    /// The time in nanoseconds since 1970.
    pub(super) time_ns: Option<u64>,
    /// 0 for words such as `before`, 2 for words such as `after`, 1 without.
    pub(super) rank: u8,
}

/// A database's file: `COUNTERS_DB.json`, `leaf1_APPL_DB.json`, `COUNTERS_DB_2.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DatabaseFile {
    pub(super) database: DatabaseName,
    /// What is before the database's name.
    pub(super) prefix: String,
    /// What is after it: `show techsupport` numbers its snapshots of the counters.
    pub(super) suffix: String,
}

/// Reads the name of a database's file, without its extension.
pub(super) fn database_file(stem: &str) -> Option<DatabaseFile> {
    let upper = stem.to_ascii_uppercase();
    let found = DatabaseName::ALL.into_iter().filter_map(|name| Some((upper.find(name.name())?, name)));
    // FLEX_COUNTER_DB ends like COUNTER_DB; the longest name that fits begins first.
    let (at, database) = found.min_by_key(|(at, name)| (*at, std::cmp::Reverse(name.name().len())))?;
    let trim = |text: &str| text.trim_matches(['_', '-', '.', '@', ' ']).to_string();
    let end = at + database.name().len();
    Some(DatabaseFile { database, prefix: trim(stem.get(..at)?), suffix: trim(stem.get(end..)?) })
}

/// Reads what the folders and the name of a file say. The last of two names is the switch.
pub(super) fn named(folders: &Path, stem: &str) -> Named {
    let mut named = Named { rank: 1, ..Named::default() };
    let folders = folders.components().filter_map(|component| match component {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    for part in folders.chain([stem]).filter(|part| !part.is_empty()) {
        named.add(part);
    }
    named
}

impl Named {
    fn add(&mut self, part: &str) {
        if let Some(time_ns) = date_of(part) {
            self.time_ns = Some(time_ns);
            return;
        }
        // `leaf1_20261005_101213`; archives of `show techsupport` begin with `sonic_dump_`.
        let dated = part.strip_prefix("sonic_dump_").unwrap_or(part);
        if let Some((rest, clock)) = dated.rsplit_once('_')
            && let Some((switch, day)) = rest.rsplit_once('_')
            && let Some(time_ns) = date_of(&format!("{day}_{clock}"))
        {
            (self.switch, self.time_ns) = (Some(switch.to_string()), Some(time_ns));
            return;
        }
        // `leaf1@1791195133`, `leaf1-before`
        let separators = ['@', ' ', '_', '-', '.'];
        for separator in separators {
            let Some((left, right)) = part.rsplit_once(separator) else { continue };
            let is_word = rank_of(right).is_some();
            if is_word || date_of(right).is_some() {
                self.add(left);
                self.add(right);
                return;
            }
        }
        let lower = part.to_ascii_lowercase();
        match rank_of(&lower) {
            Some(rank) => self.rank = rank,
            None if GENERIC.contains(&lower.as_str()) || lower.parse::<u64>().is_ok() => {}
            None => self.switch = Some(part.to_string()),
        }
    }
}

/// A time in a name: digits and what separates them, no other text.
fn date_of(part: &str) -> Option<u64> {
    let is_of_date = |byte: u8| byte.is_ascii_digit() || b"TZ-_.:+".contains(&byte);
    part.bytes().all(is_of_date).then(|| parse_date(part))?
}

fn rank_of(word: &str) -> Option<u8> {
    let lower = word.to_ascii_lowercase();
    if FIRST.contains(&lower.as_str()) {
        Some(0)
    } else if SECOND.contains(&lower.as_str()) {
        Some(2)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(folders: &str, stem: &str, switch: Option<&str>, time_s: Option<u64>, rank: u8) {
        let time_ns = time_s.map(|seconds| seconds * 1_000_000_000);
        let expected = Named { switch: switch.map(str::to_owned), time_ns, rank };
        assert_eq!(named(Path::new(folders), stem), expected, "{folders}/{stem}");
    }

    #[test]
    fn paths_name_switch_and_time() {
        let time = Some(1_791_195_133);
        check("leaf1/20261005T101213.000000000Z", "", Some("leaf1"), time, 1);
        check("2026-10-05T10:12:13Z/leaf1", "", Some("leaf1"), time, 1);
        check("dumps", "leaf1@1791195133", Some("leaf1"), time, 1);
        check("sonic_dump_leaf-1_20261005_101213/dump", "", Some("leaf-1"), time, 1);
        check("before", "leaf1", Some("leaf1"), None, 0);
        check("", "leaf1_20261005_101213", Some("leaf1"), time, 1);
        check("", "leaf1-after", Some("leaf1"), None, 2);
        check("run/2", "paste", Some("run"), None, 1);
    }

    #[test]
    fn files_name_their_database() {
        let found = |stem: &str| {
            database_file(stem).map(|file| (file.database.name(), file.prefix.clone(), file.suffix.clone()))
        };
        let text = |a: &str, b: &str| (a.to_string(), b.to_string());
        let expect = |name: &'static str, a: &str, b: &str| {
            let (prefix, suffix) = text(a, b);
            Some((name, prefix, suffix))
        };
        assert_eq!(found("COUNTERS_DB"), expect("COUNTERS_DB", "", ""));
        assert_eq!(found("COUNTERS_DB_2"), expect("COUNTERS_DB", "", "2"));
        assert_eq!(found("leaf1_flex_counter_db"), expect("FLEX_COUNTER_DB", "leaf1", ""));
        assert_eq!(found("leaf1.CONFIG_DB"), expect("CONFIG_DB", "leaf1", ""));
        assert_eq!(found("leaf1"), None);
    }
}
