//! Dumps of SONiC's databases as JSON: `sonic-db-dump -n COUNTERS_DB -y`, `redis-dump`, the files `dump/*_DB.json` of
//! `show techsupport`.
//!
//! A database is an object of keys, and a key is `{"type": "hash", "value": {FIELD: VALUE}, "ttl": -1, "expireat": ...}`
//! or, in some dumps, the fields alone. A file may also hold several databases, each under its name. The JSON reader is
//! serde_json's; hashes that precede a syntax error are kept.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserializer, de};
use serde_json::Value;

use super::database::{DatabaseName, Databases};
use crate::problem::Problem;

/// The maximum number of hashes in a dump; the largest SONiC databases have some ten thousand.
pub const MAX_HASHES: usize = 1_000_000;
/// How many problems of one kind are listed one by one.
const MAX_LISTED: usize = 20;

/// Reads a dump. `database` is the database that it is of, if the caller knows it, e.g. by the file's name; else each
/// key shows it. Returns what was understood, and all problems.
pub fn parse_dump(text: &str, database: Option<DatabaseName>) -> (Databases, Vec<Problem>) {
    let mut dump =
        Dump { text, database, databases: Databases::default(), problems: Vec::new(), hashes: 0, omitted: 0 };
    let text_without_mark = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut json = serde_json::Deserializer::from_str(text_without_mark);
    let read = Top { dump: &mut dump }.deserialize(&mut json).and_then(|()| json.end());
    if let Err(error) = read {
        let (line, column) = (error.line().max(1), error.column().max(1));
        let kept = dump.hashes;
        let reason = error.to_string();
        let reason = reason.split(" at line ").next().unwrap_or(&reason);
        dump.problems.push(Problem::at(
            line,
            column,
            format!(
                "not a dump of SONiC's databases in JSON: {reason}; the {kept} hashes before it are used"
            ),
        ));
    }
    if dump.omitted > 0 {
        dump.problems.push(Problem::new(format!("{} more keys have problems like these", dump.omitted)));
    }
    (dump.databases, dump.problems)
}

/// A dump that is being read.
struct Dump<'t> {
    text: &'t str,
    database: Option<DatabaseName>,
    databases: Databases,
    problems: Vec<Problem>,
    hashes: usize,
    omitted: usize,
}

impl Dump<'_> {
    /// Adds a hash; says where a key is that is none.
    fn add(&mut self, database: Option<DatabaseName>, key: String, value: Value) {
        let Value::Object(mut object) = value else {
            self.problem(&key, "expected an object: a hash of Redis");
            return;
        };
        let kind = object.get("type").and_then(Value::as_str);
        let is_wrapped = object.contains_key("value") && (kind.is_some() || object.contains_key("ttl"))
            || object.len() == 1 && object.get("value").is_some_and(Value::is_object);
        // Sets, lists and strings hold nothing that a reading uses.
        if is_wrapped && kind.is_some_and(|kind| kind != "hash") {
            return;
        }
        let fields = match is_wrapped {
            false => object,
            true => match object.remove("value") {
                Some(Value::Object(fields)) => fields,
                _ => return self.problem(&key, "expected an object in `value`: the fields of a hash"),
            },
        };
        let Some(database) = database.or_else(|| database_of(&key)) else { return };
        let mut hash = BTreeMap::new();
        let mut wrong = None;
        for (field, value) in fields {
            match value {
                Value::String(text) => drop(hash.insert(field, text)),
                Value::Number(number) => drop(hash.insert(field, number.to_string())),
                Value::Null => {}
                _ => wrong = Some(field),
            }
        }
        if let Some(field) = wrong {
            self.problem(&key, &format!("field `{field}` is not text; it is left out"));
        }
        self.hashes += 1;
        self.databases.add(database, key, hash);
    }

    fn problem(&mut self, key: &str, message: &str) {
        if self.problems.len() >= MAX_LISTED {
            self.omitted += 1;
            return;
        }
        let shown: String = key.chars().take(80).collect();
        let message = format!("key `{shown}`: {message}");
        let quoted = serde_json::to_string(key).unwrap_or_default();
        self.problems.push(match self.text.find(&quoted) {
            Some(offset) => {
                let (line, column) = position(self.text, offset);
                Problem::at(line, column, message)
            }
            None => Problem::new(message),
        });
    }
}

/// The database that a key belongs to, by its table. Keys of tables that no reading uses have none.
fn database_of(key: &str) -> Option<DatabaseName> {
    let end = key.find([':', '|']).unwrap_or(key.len());
    let (table, separator) = (&key[..end], key[end..].chars().next());
    match (table, separator) {
        ("COUNTERS" | "USER_WATERMARKS" | "PERSISTENT_WATERMARKS" | "PERIODIC_WATERMARKS" | "RATES", _) => {
            Some(DatabaseName::Counters)
        }
        (name, None) if name.starts_with("COUNTERS_") && name.ends_with("_MAP") => {
            Some(DatabaseName::Counters)
        }
        (name, Some(':')) if name.starts_with("FLEX_COUNTER_") => Some(DatabaseName::FlexCounter),
        ("ASIC_STATE" | "VIDTORID" | "RIDTOVID", _) => Some(DatabaseName::Asic),
        ("PORT_TABLE" | "TRANSCEIVER_INFO" | "BUFFER_MAX_PARAM_TABLE", Some('|')) => {
            Some(DatabaseName::State)
        }
        (_, Some('|')) => Some(DatabaseName::Config),
        (_, Some(':')) => Some(DatabaseName::Appl),
        _ => None,
    }
}

/// Line and column, from 1, of a byte offset.
pub(super) fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
    (line, column)
}

/// The outermost object: keys, or databases by name.
struct Top<'d, 't> {
    dump: &'d mut Dump<'t>,
}

impl<'de> DeserializeSeed<'de> for Top<'_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Top<'_, '_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of Redis keys")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            // No Redis key of SONiC is the name of a database.
            let named =
                if key.to_ascii_uppercase().ends_with("_DB") { DatabaseName::named(&key) } else { None };
            match named {
                Some(_) => map.next_value_seed(Keys { dump: &mut *self.dump, database: named })?,
                None => {
                    let database = self.dump.database;
                    add_next(self.dump, database, key, &mut map)?;
                }
            }
        }
        Ok(())
    }
}

/// The object of one database's keys.
struct Keys<'d, 't> {
    dump: &'d mut Dump<'t>,
    database: Option<DatabaseName>,
}

impl<'de> DeserializeSeed<'de> for Keys<'_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Keys<'_, '_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of a database's keys")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            add_next(self.dump, self.database, key, &mut map)?;
        }
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        let name = self.database.map_or("", DatabaseName::name);
        self.dump.problem(name, "expected an object of keys, not a list; it is left out");
        Ok(())
    }
}

fn add_next<'de, A: MapAccess<'de>>(
    dump: &mut Dump<'_>,
    database: Option<DatabaseName>,
    key: String,
    map: &mut A,
) -> Result<(), A::Error> {
    if dump.hashes >= MAX_HASHES {
        return Err(de::Error::custom(format!("more than {MAX_HASHES} hashes")));
    }
    // A key of the ASIC's database is not even built: nothing reads it.
    if database.or_else(|| database_of(&key)) == Some(DatabaseName::Asic) {
        map.next_value::<IgnoredAny>()?;
        return Ok(());
    }
    let value = map.next_value::<Value>()?;
    dump.add(database, key, value);
    Ok(())
}
